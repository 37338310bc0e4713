"""Diagrams: what is refused and how it is explained, order, sub-diagrams, units, and scene files."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.control import BLOCKS, DiagramSpec, Group, Panel, default_panel
from sharnir.control.panel import CameraWidget, SliderWidget, TextWidget
from sharnir.control.spec import Note, Sheet
from sharnir.control.units import dimension, product, same_unit
from sharnir.files.typed import to_plain, to_typed

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def machine() -> sh.Scene:
    """A driven axle with a brake, a servo, a sleeve with two coordinates, and a ball."""
    scene = sh.Scene("machine", gravity=(0, 0, 0))
    for i, name in enumerate(("load", "arm", "rod", "bob")):
        scene.body(name, mass=1.0 + i, inertia=(0.4, 0.4, 0.5), position=(i, 0, 0), center_of_mass=(0.1, 0.2, 0))
    hinge = sh.Revolute(axis=(0, 0, 1))
    scene.joint("axle", hinge, "world", "load", drive=MOTOR, friction=sh.Coulomb(0.5, static=0.75))
    servo = sh.PositionServo(MOTOR, gain=6.0, damping=0.4)
    scene.joint("shoulder", sh.Revolute(anchor=(1, 0, 0)), "world", "arm", drive=servo, limits=(-1.0, 2.0))
    scene.joint("sleeve", sh.Cylindrical(anchor=(2, 0, 0)), "world", "rod", drive={"angle": MOTOR})
    scene.joint("ball", sh.Spherical(anchor=(3, 0, 0)), "world", "bob")
    return scene


def refused(d: sh.Diagram, message: str, scene: sh.Scene | None = None) -> None:
    with pytest.raises(sh.SceneError, match=message):
        d.check(scene)


def test_every_block_is_a_method_of_a_diagram_that_tells_its_parameters():
    for tag, block in BLOCKS.items():
        method = getattr(sh.Diagram, f"{tag}_" if tag in ("and", "or", "not") else tag)
        parameters = inspect.signature(method).parameters
        wanted = {"function": {"function", "inputs"}, "signal": {"component"}, "use": {"diagram", "inputs"}}
        assert {"self", "name"} | wanted.get(tag, set(block.__struct_fields__)) <= set(parameters), tag
        assert method.__doc__, tag
    assert str(inspect.signature(sh.Diagram.mux)) == "(self, k, *inputs, name='')"
    told = inspect.getdoc(sh.Diagram().pid)
    assert "with e = sp - pv" in told and "    pv: real, u" in told and "    tf: real, s" in told


def test_blocks_can_be_made_by_methods():
    d = sh.Diagram(period=0.1)
    d.add(1, 2.5, name="sum")
    d.and_(True, False, name="both")
    assert {"add", "and_", "ton", "drive"} <= set(dir(d))
    c = d.start()
    c.tick()
    assert (c.values["sum"], c.values["both"]) == (3.5, False)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_unknown_names_are_met_with_the_nearest():
    d = sh.Diagram()
    d.input("throttle")
    d.gauge("g", "throtle")
    refused(d, r"output 'g': value is connected to 'throtle', which is not there; did you mean 'throttle'")
    d = sh.Diagram()
    d.ton(d.input("x", initial=False), pt=1, name="timer")
    d.gauge("g", "timer.ed")
    refused(d, r"'timer.ed', which is not there; did you mean 'timer.et'")
    with pytest.raises(AttributeError, match="no output 'ed'; did you mean 'et'"):
        _ = d.ton(False, pt=1).ed
    with pytest.raises(AttributeError, match="no block 'tonn'; did you mean 'ton'"):
        d.tonn(False)
    with pytest.raises(sh.SceneError, match="pid has no 'kpp'; did you mean 'kp'"):
        d.pid(0, 0, kpp=1)
    with pytest.raises(sh.SceneError, match="pid: kp is missing"):
        d.pid(0, 0)
    with pytest.raises(sh.SceneError, match="sub takes in1, in2; 3 were given"):
        d.sub(1, 2, 3)


def test_algebraic_loops_are_refused_with_their_path():
    d = sh.Diagram()
    d.make("add", "c", 1.0, name="a")
    d.make("gain", "a", 2.0, name="b")
    d.make("low_pass", "b", t=1.0, name="c")
    d.gauge("out", "c")
    refused(d, r"depend on one another within a tick: a -> b -> c -> a; break the circle with a delay")
    d = sh.Diagram(period=0.1)
    d.make("add", d.delay("b", name="before"), 1.0, name="a")
    d.make("gain", "a", 2.0, name="b")
    c = d.start()
    seen = [(c.tick(), c.values["b"])[1] for _ in range(4)]
    assert seen == [2.0, 6.0, 14.0, 30.0]


def test_an_integral_closes_a_loop_too():
    """x' = -x/T stepped as x(k+1) = (1 - h/T) x(k)."""
    d = sh.Diagram(period=0.1)
    d.make("integral", d.gain("x", -0.5, name="slope"), x0=1.0, name="x")
    c = d.start()
    for k in range(5):
        c.tick()
        assert c.values["x"] == pytest.approx(0.95**k, abs=1e-15)


def test_types_must_fit():
    d = sh.Diagram()
    yes = d.input("yes", initial=False)
    d.make("add", yes, 1.0, name="sum")
    refused(d, r"block 'sum' \(add\): inputs\[0\] \('yes'\) is bool; it takes a number \(to_real")
    d = sh.Diagram()
    d.make("mux", d.input("k"), 1.0, 2.0, name="m")
    refused(d, r"block 'm' \(mux\): k \('k'\) is real; it takes a whole number")
    d = sh.Diagram()
    d.make("sel", True, 1.0, False, name="s")
    refused(d, r"block 's' \(sel\): truth values and numbers are mixed")
    d = sh.Diagram()
    d.lamp("l", d.input("x"))
    refused(d, r"output 'l' \(lamp\): value \('x'\) is real; it takes a truth value")
    with pytest.raises(sh.SceneError, match=r"use & \| ~ instead of and"):
        _ = 0 < d.input("y") < 1


def test_units_must_fit():
    scene = machine()
    axle, arm = scene.joints["axle"], scene.bodies["arm"]
    d = sh.Diagram()
    total = d.signal(axle.speed) + d.signal(arm.velocity, "x")
    d.gauge("g", total)
    refused(d, r"block 'add1' \(add\): inputs\[1\] \('arm velocity x'\) is in m/s, the others in rad/s", scene)
    d = sh.Diagram()
    d.drive(axle, d.signal(arm.velocity, "x"))
    refused(d, r"output 'axle drive' \(drive\): value \('arm velocity x'\) is in m/s; it takes 1", scene)
    d = sh.Diagram()
    d.gauge("rim", d.signal(axle.speed) * d.input("radius", unit="m", initial=0.3))
    d.gauge("power", d.signal(axle.speed) * d.signal(axle.motor_torque()))
    d.gauge("way", d.integral(d.signal(arm.velocity, "x")))
    d.gauge("root", (d.signal(arm.velocity, "x") ** 2).diagram.sqrt("expt1"))
    d.gauge("as metres", d.gain(d.signal(axle.angle), 0.3, unit="m"))
    kinds = d.check(scene).kinds
    assert [kinds[name].unit for name in ("rim", "root", "as metres")] == ["rad m/s", "m/s", "m"]
    assert same_unit(str(kinds["rim"].unit), "m/s")
    assert same_unit(str(kinds["power"].unit), "W")
    assert same_unit(str(kinds["way"].unit), "m")
    d.gauge("wrong", d.make("add", "integral1", "mul1"))
    refused(d, "is in", scene)
    with pytest.raises(sh.SceneError, match=r"input 'x': .*'km' is not known"):
        sh.Diagram().input("x", unit="km/h")


def test_units_go_round_through_delays():
    d = sh.Diagram()
    d.make("add", d.delay("total"), d.input("x", unit="N"), name="total")
    kinds = d.check().kinds
    assert kinds["total"].unit == kinds["delay1"].unit == "N"
    d.gauge("g", d.make("add", "delay1", d.input("y", unit="m")))
    refused(d, "is in m, the others in N")


def test_units_are_multiplied():
    assert product("N m", "rad/s") == "N m rad/s"
    assert product("m/s", "m", -1) == "1/s"
    assert product("1", "kg m^2", -1) == "1/(kg m^2)"
    assert same_unit("N m", "J")
    assert same_unit("1/s", "rad/s")
    assert not same_unit("N", "N m")
    assert dimension("1/(kg m^2)") == dimension("1/(J s^2)")


def test_one_driver_for_everything():
    scene = machine()
    axle = scene.joints["axle"]
    d = sh.Diagram()
    d.drive(axle, 0.5)
    d.drive("axle.angle", 0.6, name="again")
    refused(d, r"output 'again' \(drive\) sets the drive input of 'axle.angle', which 'axle drive' sets already", scene)
    with pytest.raises(sh.SceneError, match="there is an output 'axle drive' already"):
        d.drive(axle, 0.1)
    with pytest.raises(sh.SceneError, match="there is an input 'x' already"):
        d.input("x")
        d.input("x")


def test_what_is_not_in_the_scene_is_named():
    scene = machine()
    for build, message in (
        (lambda d: d.drive("axel", 0), "no joint 'axel'; did you mean 'axle'"),
        (lambda d: d.drive("shoulder", 0), "is a servo, which takes a target"),
        (lambda d: d.drive("ball", 0), "has no drive"),
        (lambda d: d.servo("axle", 0), "has no servo"),
        (lambda d: d.brake("ball", 0, level=1), "has no friction that a brake could raise"),
        (lambda d: d.force("bobb", z=1), "no body 'bobb'; did you mean 'bob'"),
        (lambda d: d.make("signal", what="rat", of="axle"), "no quantity 'rat'; did you mean 'rate'"),
        (lambda d: d.make("signal", what="position", of="arm"), "is a vector and component is None; give x, y, z"),
        (lambda d: d.make("signal", of="axle", component="x"), "is a number and component is 'x'"),
    ):
        d = sh.Diagram()
        build(d)
        refused(d, message, scene)


def test_bad_numbers_are_refused_at_once():
    d = sh.Diagram()
    for make, message in (
        (lambda: d.input("x", range=(1, -1)), "lower one is above the upper"),
        (lambda: d.input("x", range=(0, 1), initial=2.0), "outside its range"),
        (lambda: d.input("x", type="reel"), "did you mean 'real'"),
        (lambda: d.gain(1.0, float("nan")), "gain k is nan"),
        (lambda: d.table(1.0, points=((1, 2), (1, 3))), "each must be above the one before"),
        (lambda: d.machine(states=("a",), transitions=()), "two or more"),
        (lambda: d.machine(states=("a", "b"), transitions=(("a", True, "c"),)), "no state 'c'"),
        (lambda: d.average(1.0, count=0), "whole number from 1"),
        (lambda: d.brake("axle", 1, level=-1), "must not be negative"),
    ):
        with pytest.raises(sh.SceneError, match=message):
            make()


def test_inputs_take_only_what_they_are_for():
    d = sh.Diagram(period=0.1)
    d.input("x", range=(-1, 1))
    d.input("n", choices=("low", "high"))
    d.input("b", momentary=True)
    c = d.start()
    c.inputs["x"] = 7
    assert c.inputs["x"] == 1.0
    c.inputs["n"] = 1.4
    assert c.inputs["n"] == 1
    c.inputs["n"] = 9
    assert c.inputs["n"] == 1
    for name, value, message in (
        ("x", float("nan"), "input 'x' is nan; give a finite number"),
        ("x", "1", "input 'x' is '1'"),
        ("x", True, "input 'x' is True"),
        ("b", 0.5, "input 'b' is 0.5; give True or False"),
        ("y", 1, "no input 'y'"),
    ):
        with pytest.raises(sh.SceneError, match=message):
            c.inputs[name] = value


# --- sub-diagrams -----------------------------------------------------------------------------------------------------


def leaky() -> sh.Diagram:
    """y' = gain x - y, of which diagrams below use two."""
    inner = sh.Diagram("leaky")
    x, gain = inner.input("x", unit="N"), inner.input("gain", initial=2.0)
    inner.output("y", inner.low_pass(x * gain, t=0.5, name="filter"))
    inner.output("raw", "x")
    return inner


def test_a_diagram_can_be_used_twice_with_its_own_memory_and_parameters():
    d = sh.Diagram(period=0.1)
    x = d.input("x", unit="N")
    a = d.use(leaky(), "a", x=x)
    b = d.use(leaky(), "b", x=a.y, gain=3.0)
    d.gauge("out", b.y)
    c = d.start()
    for k in range(20):
        c.inputs["x"] = 1.0 if k else 0.0
        c.tick()
    assert c.values["a.filter"] == pytest.approx(2 * (1 - (2.718281828459045 ** (-0.2)) ** 19), rel=1e-12)
    assert c.values["out"] == c.values["b.filter"] == c.values["b"]
    assert c.values["b.gain"] == 3.0
    assert c.kind("out").unit == "N"
    assert c.values["a.raw"] == 1.0


def test_sub_diagrams_are_checked_where_they_are_used():
    d = sh.Diagram()
    d.use(leaky(), "a", x=d.input("x", unit="m"))
    refused(d, r"block 'a.x' \(gate\): what is connected is in m; it takes N")
    d = sh.Diagram()
    d.use(leaky(), "a", z=1)
    refused(d, "block 'a': diagram 'leaky' has no input 'z'")
    with pytest.raises(sh.SceneError, match="belongs to another diagram"):
        d.gain(leaky().input("q"), 1)
    other = sh.Diagram("leaky")
    other.output("y", 1.0)
    with pytest.raises(sh.SceneError, match="there is a diagram 'leaky' already that is not the same"):
        d.use(other)


def test_diagrams_that_use_one_another_without_end_are_refused():
    plain = {
        "blocks": {"top": {"type": "use", "diagram": "a"}},
        "diagrams": {
            "a": {"blocks": {"x": {"type": "use", "diagram": "b"}}, "outputs": {"o": "x"}},
            "b": {"blocks": {"x": {"type": "use", "diagram": "a"}}, "outputs": {"o": "x"}},
        },
    }
    d = sh.Diagram.of(to_typed(DiagramSpec, plain))
    refused(d, r"use one another without end: a -> b -> a")


def test_a_loop_through_a_sub_diagram_is_found_and_named():
    d = sh.Diagram()
    d.use(leaky(), "a", x="back")
    d.make("gain", "a.y", 0.5, name="back")
    refused(d, r"a.x -> a.mul1 -> a.filter -> a.y -> back -> a.x")


# --- scene files ------------------------------------------------------------------------------------------------------


def every_block() -> sh.Diagram:
    """One of each block and sink, in a diagram that can be checked against ``machine()``."""
    scene = machine()
    d = sh.Diagram(period=0.01)
    x = d.input("x", range=(-1, 1), initial=1 / 3, note="a # note: 'quoted'")
    n = d.input("n", choices=("one", "two"), initial=1)
    go = d.input("go", momentary=True)
    for tag in BLOCKS:
        kind = BLOCKS[tag]
        if tag in ("signal", "use", "function"):
            continue
        given: dict[str, Any] = {}
        for port, wanted in kind.ports().items():
            pin = {"bool": go, "int": n}.get(wanted.type, x)
            given[port] = (pin, pin) if port == "inputs" else 0.1 if wanted.unit == "s" else pin
        extra: dict[str, Any] = {
            "constant": {"value": 0.1 + 0.2, "unit": "N m"},
            "table": {"points": ((0, 1 / 3), (1, -0.0))},
            "average": {"count": 3},
            "machine": {"states": ("on", "off"), "transitions": (("on", go, "off"), ("off", True, "on"))},
            "delay": {"initial": 1 / 3},
        }.get(tag, {})
        d.make(tag, **given, **extra)
    d.function(max, x, 0.5)
    d.use(leaky(), "part", gain=1 / 3)
    d.signal(scene.bodies["arm"].position, "z")
    d.drive("axle", x)
    d.brake("axle", x, level=12.5)
    d.servo("shoulder", 0.5)
    d.effort("sleeve.displacement", 2.0)
    d.force("bob", z=1.5)
    d.torque("bob", x=0.25)
    d.lamp("lit", go, color="red")
    d.gauge("x now", x, range=(-1, 1))
    return d


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_diagram_survives_the_scene_file_to_the_bit(tmp_path: Path, ending: str):
    scene = machine()
    scene.diagram = every_block()
    scene.panel = default_panel(scene.diagram, scene)
    assert {block.tag() for block in scene.diagram.blocks.values()} == set(BLOCKS)
    path = scene.save(tmp_path / f"scene.{ending}")
    loaded = sh.Scene.load(path)
    assert loaded.diagram is not None
    assert repr(to_plain(loaded.diagram.spec)) == repr(to_plain(scene.diagram.spec))
    assert loaded.panel == scene.panel
    assert loaded.save(tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


def test_a_saved_diagram_obeys_the_schema(tmp_path: Path):
    import json

    import jsonschema

    from sharnir.files.schema import scene_schema

    scene = machine()
    scene.diagram = every_block()
    scene.panel = default_panel(scene.diagram, scene)
    data = json.loads(scene.save(tmp_path / "s.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(scene_schema())
    assert list(validator.iter_errors(data)) == []
    data["diagram"]["blocks"]["bad"] = {"type": "tonn"}
    assert not validator.is_valid(data)


FILE = """\
sharnir: 1
bodies:
  load: {{mass: 1, inertia: [1, 1, 1]}}
joints:
  axle: {{joint: {{type: revolute}}, between: [world, load]}}
diagram:
  inputs: {{push: {{unit: N m, range: [-5, 5]}}}}
  blocks:
    half: {half}
  outputs: {{turn: {{type: effort, joint: axle, value: half}}}}
"""


def test_a_file_written_by_hand_and_its_mistakes(tmp_path: Path):
    path = tmp_path / "hand.yaml"
    path.write_text(FILE.format(half="{type: gain, input: push, k: 0.5}"))
    sim = sh.Simulation(sh.Scene.load(path), dt=0.01)
    assert sim.controller is not None
    sim.controller.inputs["push"] = 4
    sim.step(100)
    assert sim.get(sim.scene.joints["axle"].speed) == pytest.approx(2.0)
    for half, message in (
        ("{type: gian, input: push, k: 1}", r"hand.yaml, line 9: diagram.blocks.half: unknown type 'gian'.*'gain'"),
        ("{type: gain, input: push}", r"line 9: diagram.blocks.half: missing key 'k'"),
        ("{type: gain, input: push, k: [1]}", r"diagram.blocks.half.k: is a list of 1; give a number or true or false"),
        ("{type: gain, input: pusch, k: 1}", r"line 6: diagram 'scene': block 'half' \(gain\): .*did you mean 'push'"),
        (
            "{type: gain, input: push, k: 1, unit: N}",
            r"output 'turn' \(effort\): value \('half'\) is in N; it takes N m",
        ),
    ):
        path.write_text(FILE.format(half=half))
        with pytest.raises(sh.SceneError, match=message):
            sh.Scene.load(path)


def test_a_file_cannot_bring_code(tmp_path: Path):
    """A function block holds a name; what it calls is given in Python, or the start is refused."""
    path = tmp_path / "hand.yaml"
    path.write_text(FILE.format(half="{type: function, function: __import__('os').getcwd, inputs: [push], unit: N m}"))
    scene = sh.Scene.load(path)
    assert scene.diagram is not None
    with pytest.raises(sh.SceneError, match=r"calls a function .* that was not given; set diagram.functions"):
        sh.Simulation(scene, dt=0.01)
    scene.diagram.functions["__import__('os').getcwd"] = lambda push: 2 * push
    assert sh.Simulation(scene, dt=0.01).controller is not None


def test_a_long_chain_is_no_trouble():
    d = sh.Diagram(period=0.01)
    pin = d.input("x")
    for _ in range(3000):
        pin = pin + 1.0
    c = d.start()
    c.tick()
    assert c.values[pin.wire] == 3000.0


def test_a_sheet_and_the_places_of_widgets_stay_with_the_file(tmp_path: Path) -> None:
    scene = machine()
    loop = sh.Diagram("loop")
    loop.output("doubled", 2.0 * loop.input("given"))
    loop.sheet = Sheet(at={"given": (0.0, 10.0)}, outputs_at={"doubled": (300.5, 10.0)})
    d = scene.diagram = sh.Diagram("laid out")
    d.drive("axle", d.use(loop, "twice", given=d.input("lever", range=(-1, 1))))
    d.sheet = Sheet(at={"lever": (20.0, 40.0), "twice": (220.0, -15.5)}, notes=(Note(text="why", at=(0.0, 200.0)),))
    lever = SliderWidget(input="lever", place=(0, 0, 3, 2))
    words = TextWidget(text="careful", place=(3, 0, 5, 1))
    scene.panel = Panel(groups=(Group(title="Hand", widgets=(lever, words), columns=8),), theme="night")
    loaded = sh.Scene.load(scene.save(tmp_path / "scene.yaml"))
    assert loaded.diagram is not None and loaded.diagram.spec == d.spec
    assert loaded.diagram.inner("loop").sheet == loop.sheet
    assert loaded.panel == scene.panel


def test_places_beyond_the_grid_are_refused() -> None:
    with pytest.raises(sh.SceneError, match=r"group 'Hand', widget 1: place \(4, 0, 3, 1\) goes beyond its 6 columns"):
        Group(title="Hand", widgets=(TextWidget(text="careful", place=(4, 0, 3, 1)),))
    with pytest.raises(sh.SceneError, match="columns and rows from 1"):
        TextWidget(text="careful", place=(0, 0, 0, 1))
    with pytest.raises(sh.SceneError, match="did you mean 'night'"):
        Panel(theme="nigth")  # type: ignore[arg-type]
    unseen = Panel(groups=(Group(title="Eyes", widgets=(CameraWidget(camera="mast"),)),))
    with pytest.raises(sh.SceneError, match="there is no camera 'mast'"):
        unseen.check(sh.Diagram(), machine())
