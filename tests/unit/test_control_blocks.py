"""Function blocks do what their standard or their equation says, tick by tick."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sharnir as sh
from sharnir.control import BLOCKS

H = 0.1  # s, the control period

Sequences = dict[str, list[Any]]


def play(tag: str, wires: dict[str, Any], inputs: Sequences, **fields: Any) -> Sequences:
    """The outputs of one block over the ticks, its inputs following sequences."""
    d = sh.Diagram(period=H)
    for name, values in inputs.items():
        kind = "bool" if isinstance(values[0], bool) else "int" if isinstance(values[0], int) else "real"
        d.input(name, type=kind)
    d.make(tag, name="block", **wires, **fields)
    controller = d.start()
    outputs: Sequences = {name: [] for name in controller.values if name.partition(".")[0] == "block"}
    for k in range(len(next(iter(inputs.values())))):
        for name, values in inputs.items():
            controller.inputs[name] = values[k]
        controller.tick()
        for name, seen in outputs.items():
            seen.append(controller.values[name])
    return outputs


def bits(text: str) -> list[bool]:
    return [sign == "#" for sign in text]


def signs(values: list[bool]) -> str:
    return "".join("#" if value else "." for value in values)


# --- timers: the timing diagrams of IEC 61131-3, one sign per tick of 0.1 s, PT = 0.3 s -------------------------------


@pytest.mark.parametrize(
    ("tag", "on", "q", "et"),
    [
        ("ton", "..######..##...", "..   ###       ", "000123330001000"),
        ("tof", "..##.......##.#", "  #####    ####", "000001233330000"),
        ("tp", "..######....#.#", "  ###       ###", "000123330000012"),
        ("tp", ".#.............", " ###           ", "001200000000000"),
        ("tof", "...............", "               ", "000000000000000"),
    ],
)
def test_timers_follow_the_diagrams_of_the_standard(tag, on, q, et):
    seen = play(tag, {"input": "x"}, {"x": bits(on)}, pt=0.3)
    assert signs(seen["block"]) == q.replace(" ", ".")
    assert seen["block.et"] == pytest.approx([H * int(digit) for digit in et], abs=1e-12)


@pytest.mark.parametrize("ticks", [*range(1, 40), 57, 111, 199])
def test_a_timer_takes_as_many_ticks_as_its_time_has_whatever_the_rounding(ticks):
    for pt in (ticks * H, sum([H] * ticks), ticks / 10):
        seen = play("ton", {"input": "x"}, {"x": [True] * (ticks + 2)}, pt=pt)
        assert seen["block"].index(True) == ticks


# --- latches, edges, counters -----------------------------------------------------------------------------------------


def test_of_two_at_once_sr_sets_and_rs_resets():
    s, r = bits(".#...##.."), bits("...#.#.#.")
    assert signs(play("sr", {"s1": "s", "r": "r"}, {"s": s, "r": r})["block"]) == ".##..##.."
    assert signs(play("rs", {"s": "s", "r1": "r"}, {"s": s, "r": r})["block"]) == ".##...#.."


def test_edges_last_one_tick_and_the_first_tick_is_the_standards():
    x = bits(".##..#")
    assert signs(play("r_trig", {"clk": "x"}, {"x": x})["block"]) == ".#...#"
    assert signs(play("f_trig", {"clk": "x"}, {"x": x})["block"]) == "#..#.."
    assert play("r_trig", {"clk": "x"}, {"x": [True, True]})["block"] == [True, False]


def test_counters_count_edges_and_know_their_priorities():
    up, reset = bits(".#.##.#.##"), bits("........#.")
    seen = play("ctu", {"cu": "u", "r": "r"}, {"u": up, "r": reset}, pv=3)
    assert seen["block.cv"] == [0, 1, 1, 2, 2, 2, 3, 3, 0, 0]
    assert signs(seen["block"]) == "......##.."
    down, load = bits("#.#.#.#.#"), bits(".#.......")
    seen = play("ctd", {"cd": "d", "ld": "l"}, {"d": down, "l": load}, pv=2)
    assert seen["block.cv"] == [-1, 2, 1, 1, 0, 0, -1, -1, -2]
    assert signs(seen["block"]) == "#...#####"
    seen = play(
        "ctud",
        {"cu": "u", "cd": "d", "r": "r", "ld": "l"},
        {"u": bits("#.#.#...#"), "d": bits("....#.#.."), "r": bits("........#"), "l": bits(".......##")},
        pv=2,
    )
    assert seen["block.cv"] == [1, 1, 2, 2, 2, 2, 1, 2, 0]  # both at once count nothing; r wins over ld
    assert signs(seen["block"]) == "..####.#."
    assert signs(seen["block.qd"]) == "........#"


# --- arithmetic, comparison, selection --------------------------------------------------------------------------------

reals = st.floats(-1e6, 1e6)
ints = st.integers(-1000, 1000)


def once(tag: str, *values: Any, **fields: Any) -> Any:
    """What a block makes of values that come in as signals."""
    d = sh.Diagram(period=H)
    pins = []
    for i, value in enumerate(values):
        kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
        pins.append(d.input(f"x{i}", type=kind, initial=value))
    pin = d.make(tag, *pins, name="block", **fields)
    controller = d.start()
    controller.tick()
    return controller.values[pin.wire]


@settings(max_examples=30, deadline=None)
@given(reals, reals, reals)
def test_real_numbers_are_calculated_as_python_does(a, b, c):
    assert once("add", a, b) == a + b
    assert once("add", a, b, c) == sum([a, b, c])
    assert once("sub", a, b) == a - b
    assert once("mul", a, b, c) == math.prod([a, b, c])
    assert once("min", a, b, c) == min(a, b, c)
    assert once("max", a, b, c) == max(a, b, c)
    assert once("limit", *sorted((a, b))[:1], c, max(a, b)) == min(max(c, min(a, b)), max(a, b))
    assert once("gt", a, b) == (a > b)
    assert once("le", a, a) is True
    assert once("abs", a) == abs(a)
    assert once("atan2", a, b) == math.atan2(a, b)
    if b:
        assert once("div", a, b) == a / b
        assert once("mod", a, b) == math.fmod(a, b)


@settings(max_examples=30, deadline=None)
@given(ints, ints.filter(bool))
def test_whole_numbers_divide_towards_zero_as_the_standard_says(a, b):
    assert once("div", a, b) == int(a / b)
    assert once("mod", a, b) == a - b * int(a / b)
    assert once("div", float(a), b) == a / b


def test_the_other_functions_of_one_signal():
    for tag in ("sin", "cos", "tan", "exp", "atan"):
        assert once(tag, 0.3) == getattr(math, tag)(0.3)
    assert (once("ln", 2.0), once("log", 2.0)) == (math.log(2), math.log10(2))
    assert (once("asin", 0.3), once("acos", 0.3), once("sqrt", 2.0)) == (math.asin(0.3), math.acos(0.3), math.sqrt(2))
    assert [once("sign", x) for x in (-2.0, 0.0, 3.0)] == [-1, 0, 1]
    assert once("expt", 3.0, 2.0) == 9.0
    assert once("gain", 3.0, 2.0) == 6.0
    assert [once("to_int", x) for x in (0.5, 1.5, -1.6)] == [0, 2, -2]
    assert [once("trunc", x) for x in (1.9, -1.9)] == [1, -1]
    assert (once("to_real", True), once("to_bool", 0.0), once("to_bool", 2)) == (1.0, False, True)
    assert once("mod", 3.0, 0.0) == 0.0


def test_operators_of_python_are_blocks():
    """Also with a number on the left, where the order matters."""
    d = sh.Diagram(period=H)
    x, yes, no = d.input("x", initial=7.5), d.input("yes", initial=True), d.input("no", initial=False)
    pins = {
        8.5: 1 + x,
        -6.5: 1 - x,
        3.0: x / 2.5,
        2.0: 15 / x,
        1.5: x % 2,
        -7.5: -x,
        56.25: x**2,
    }
    truths = [x <= 7.5, x >= 7.5, ~no, yes ^ no, yes | no, yes & ~no]
    c = d.start()
    c.tick()
    assert {value: c.values[pin.wire] for value, pin in pins.items()} == {value: value for value in pins}
    assert [c.values[pin.wire] for pin in truths] == [True] * len(truths)


def test_a_constant_has_its_value_and_unit_and_a_move_another_name():
    d = sh.Diagram(period=H)
    d.move(d.constant(9.75, unit="m/s", name="g"), name="copy")
    d.constant(True, name="always")
    c = d.start()
    c.tick()
    assert (c.values["g"], c.values["copy"], c.values["always"]) == (9.75, 9.75, True)
    assert c.kind("copy").unit == "m/s"
    with pytest.raises(sh.SceneError, match="constant value is 'g'; give a number or a truth value"):
        d.constant("g")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.booleans(), min_size=2, max_size=5))
def test_truth_values(values):
    assert once("and", *values) is all(values)
    assert once("or", *values) is any(values)
    assert once("xor", *values) is (sum(values) % 2 == 1)
    assert once("not", values[0]) is (not values[0])


def test_selection_counts_from_zero():
    assert (once("sel", False, 1.0, 2.0), once("sel", True, 1.0, 2.0)) == (1.0, 2.0)
    assert [once("mux", k, 1.0, 2.0, 3.0) for k in (0, 1, 2)] == [1.0, 2.0, 3.0]
    assert (once("eq", True, True), once("ne", 1.0, 2.0)) == (True, True)
    with pytest.raises(sh.ControlFault, match=r"block 'block' \(mux\): k is 3, and there are inputs 0 to 2"):
        once("mux", 3, 1.0, 2.0, 3.0)


def test_what_cannot_be_calculated_stops_with_the_blocks_name_and_inputs():
    with pytest.raises(sh.ControlFault, match=r"block 'block' \(div\): .*zero.*in1 = 1.0, in2 = 0.0") as caught:
        once("div", 1.0, 0.0)
    assert caught.value.block == "block"
    with pytest.raises(sh.ControlFault, match=r"block 'block' \(sqrt\)"):
        once("sqrt", -1.0)
    d = sh.Diagram(period=H)
    square = d.delay("square", initial=3)
    d.mul(d.to_int(square), d.to_int(square), name="square")
    c = d.start()
    with pytest.raises(sh.ControlFault, match=r"block 'square' \(mul\): the whole number is larger than 2\^53"):
        for _ in range(10):
            c.tick()


# --- dynamics ---------------------------------------------------------------------------------------------------------


def test_a_low_pass_goes_by_the_exponential():
    seen = play("low_pass", {"input": "x"}, {"x": [0.0] + [1.0] * 20}, t=0.7)["block"]
    assert seen == pytest.approx([1 - math.exp(-k * H / 0.7) for k in range(21)], abs=1e-14)
    high = play("high_pass", {"input": "x"}, {"x": [0.0] + [1.0] * 20}, t=0.7)["block"]
    assert high[1:] == pytest.approx([math.exp(-k * H / 0.7) for k in range(1, 21)], abs=1e-14)
    assert play("low_pass", {"input": "x"}, {"x": [1.0, 3.0]}, t=0.0)["block"] == [1.0, 3.0]


def test_an_integral_is_exact_for_what_is_held_and_its_bounds_do_not_wind_up():
    seen = play("integral", {"input": "x"}, {"x": [2.0] * 5 + [-1.0] * 5}, x0=1.0, mx=1.7)["block"]
    assert seen == pytest.approx([1.0, 1.2, 1.4, 1.6, 1.7, 1.7, 1.6, 1.5, 1.4, 1.3], abs=1e-14)
    reset = play("integral", {"input": "x", "r1": "r"}, {"x": [1.0] * 5, "r": bits("..#..")}, x0=5.0)["block"]
    assert reset == pytest.approx([5.0, 5.1, 5.0, 5.1, 5.2], abs=1e-14)


def test_a_derivative_of_a_ramp_and_of_a_filtered_one():
    ramp = [0.3 * H * k for k in range(30)]
    assert play("derivative", {"input": "x"}, {"x": ramp})["block"][1:] == pytest.approx([0.3] * 29, abs=1e-12)
    slow = play("derivative", {"input": "x"}, {"x": ramp}, tf=0.5)["block"]
    assert slow == pytest.approx([0.3 * (1 - math.exp(-k * H / 0.5)) for k in range(30)], abs=1e-12)


def test_delay_average_rate_limit_dead_zone_hysteresis():
    assert play("delay", {"input": "x"}, {"x": [1.0, 2.0, 3.0]}, initial=9.0)["block"] == [9.0, 1.0, 2.0]
    seen = play("average", {"input": "x"}, {"x": [1.0, 3.0, 5.0, 7.0, 9.0]}, count=3)["block"]
    assert seen == pytest.approx([1, 2, 3, 5, 7])
    steps = [1.0] * 4 + [-1.0] * 3
    seen = play("rate_limit", {"input": "x"}, {"x": steps}, rise=4.0, fall=8.0)["block"]
    assert seen == pytest.approx([0.4, 0.8, 1.0, 1.0, 0.2, -0.6, -1.0])
    seen = play("rate_limit", {"input": "x"}, {"x": steps}, rise=4.0, initial=1.0)["block"]
    assert seen[4:] == pytest.approx([0.6, 0.2, -0.2])
    seen = play("dead_zone", {"input": "x"}, {"x": [-1.0, -0.2, 0.0, 0.2, 1.0]}, width=0.3)["block"]
    assert seen == pytest.approx([-0.7, 0, 0, 0, 0.7])
    levels = [0.0, 1.1, 1.3, 1.1, 0.9, 0.7, 0.9]
    assert signs(play("hysteresis", {"in1": "x"}, {"x": levels}, in2=1.0, eps=0.2)["block"]) == "..###.."


def test_a_table_is_straight_or_stepped_between_its_points_and_level_beyond():
    points = ((0.0, 1.0), (1.0, 3.0), (3.0, -1.0))
    xs = [-5.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0]
    straight = play("table", {"input": "x"}, {"x": xs}, points=points)["block"]
    assert straight == pytest.approx([1, 1, 1.5, 3, 1, -1, -1])
    stepped = play("table", {"input": "x"}, {"x": xs}, points=points, between="step")["block"]
    assert stepped == [1, 1, 1, 3, 3, -1, -1]


def test_pid_is_its_equation_while_it_is_free():
    pv = [0.1 * k * k for k in range(8)]
    seen = play("pid", {"sp": 2.0, "pv": "x"}, {"x": pv}, kp=0.5, ki=0.8, kd=0.3, mn=-1e9, mx=1e9)["block"]
    total = 0.0
    for k, value in enumerate(pv):
        total += 0.8 * (2.0 - value) * H
        rate = 0.0 if k == 0 else (value - pv[k - 1]) / H
        assert seen[k] == pytest.approx(0.5 * (2.0 - value) + total - 0.3 * rate, abs=1e-12)


def test_pid_does_not_wind_up_and_changes_over_without_a_bump():
    """A hundred ticks at the bound leave no more integral than one; the way back is free at once."""
    pv = [0.0] * 100 + [2.0] * 3
    seen = play("pid", {"sp": 1.0, "pv": "x"}, {"x": pv}, kp=0.1, ki=5.0)["block"]
    assert seen[50:100] == pytest.approx([1.0] * 50, abs=0.5)
    assert max(seen) <= 1.0
    assert seen[100] < 0.6  # with windup the integral would hold it at 1 for 50 ticks
    auto = bits("....####")
    seen = play("pid", {"sp": 1.0, "pv": 0.9, "auto": "a"}, {"a": auto}, kp=2.0, ki=0.1, x0=0.7)["block"]
    assert seen[:4] == pytest.approx([0.7] * 4)
    assert seen[4] == pytest.approx(0.7 + 0.1 * 0.1 * H)


def test_a_state_machine_takes_one_transition_in_a_tick_the_first_that_is_true():
    d = sh.Diagram(period=H)
    go, halt = d.input("go", initial=False), d.input("halt", initial=False)
    m = d.machine(
        states=("idle", "run", "stop"),
        transitions=(("idle", go, "run"), ("run", halt, "stop"), ("run", go, "idle"), ("stop", halt, "idle")),
        name="m",
    )
    d.lamp("running", m.run)
    c = d.start()
    trail = []
    for pressed in ("", "go", "", "halt", "halt", "", "go", "go"):
        c.inputs["go"], c.inputs["halt"] = pressed == "go", pressed == "halt"
        c.tick()
        trail.append((c.values["m"], round(c.values["m.time"] / H), c.values["running"]))
    assert trail == [
        (0, 1, False),
        (1, 0, True),
        (1, 1, True),
        (2, 0, False),
        (0, 0, False),
        (0, 1, False),
        (1, 0, True),
        (0, 0, False),
    ]
    assert [c.values[f"m.{state}"] for state in ("idle", "run", "stop")] == [True, False, False]


def test_a_python_function_is_a_block():
    d = sh.Diagram(period=H)
    x = d.input("x", initial=2.0)

    def cube(value: float) -> float:
        return value**3

    pin = d.function(cube, x, unit="m", name="cubed")
    c = d.start()
    c.tick()
    assert c.values[pin.wire] == 8.0
    assert c.kind("cubed").unit == "m"


def test_every_block_explains_itself():
    for tag, block in BLOCKS.items():
        assert block.__doc__ and not block.__doc__.startswith("Base"), tag
        assert tag == tag.lower()
