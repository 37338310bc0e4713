"""Bad blocks, diagrams and consoles are refused with an error that names the part, the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.refusal import refused

import sharnir as sh
from sharnir.control import DiagramSpec, FaultBoard, RopeBreak
from sharnir.control.panel import GaugeWidget, KeyBinding
from sharnir.control.spec import InputSpec
from sharnir.files import scene_text

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def machine() -> sh.Scene:
    scene = sh.Scene("machine", gravity=(0, 0, 0))
    load = scene.body("load", mass=2.0, inertia=(0.4, 0.4, 0.5))
    scene.joint("axle", sh.Revolute(), scene.world, load, drive=MOTOR, friction=sh.Coulomb(0.5, static=1.0))
    return scene


def inner(**more: Any) -> sh.Diagram:
    d = sh.Diagram("half")
    d.output("y", d.gain(d.input("x", **more), 0.5))
    return d


BLOCKS: dict[str, tuple[Callable[[sh.Diagram], object], tuple[str, ...]]] = {
    "no signal": (lambda d: d.gain("", 2.0), ("empty text", "give the name of a signal")),
    "one to add": (lambda d: d.make("add", 1.0), ("add", "give two or more signals")),
    "a unit": (lambda d: d.gain(1.0, 2.0, unit=3), ("unit is 3", "such as 'rad/s'")),
    "a table between": (
        lambda d: d.table(1.0, points=((0, 0), (1, 1)), between="linaer"),
        ("table between is 'linaer'", "did you mean 'linear'"),
    ),
    "a table's points": (lambda d: d.table(1.0, points=((0, 0, 0),)), ("table points", "give pairs of numbers (x, y)")),
    "a state": (
        lambda d: d.machine(states=("a.b", "c"), transitions=()),
        ("machine has a state 'a.b'", "give a text without dots"),
    ),
    "a function's result": (
        lambda d: d.function(abs, 1.0, result="rael"),
        ("function result is 'rael'", "did you mean 'real'"),
    ),
    "twice": (lambda d: d.pid(0.0, 0.0, 1.0, kp=2.0), ("pid: kp is given twice",)),
    "two outputs of one name": (
        lambda d: [d.output("y", 1.0), d.output("y", 2.0)],
        ("there is an output 'y' already", "another name"),
    ),
    "another diagram": (lambda d: d.inner("haf"), ("there is no diagram 'haf'",)),
    "a gauge's unit": (lambda d: d.gauge("g", 1.0, unit="furlong"), ("furlong", "not known")),
}


@pytest.mark.parametrize("what", BLOCKS)
def test_blocks(what: str) -> None:
    act, parts = BLOCKS[what]
    refused(*parts, action=lambda: act(sh.Diagram()))


CHECKS: dict[str, tuple[Callable[[sh.Diagram], object], tuple[str, ...]]] = {
    "units": (
        lambda d: d.signal(sh.Quantity("rate", "axle.angle", "rad/s")) + d.constant(1.0, unit="m"),
        ("is in m", "the others in rad/s"),
    ),
    "a delay of two types": (
        lambda d: d.make("delay", d.input("x"), initial=True),
        ("is real, initial is True", "give both of one type"),
    ),
    "a power of a length": (
        lambda d: d.expt(d.input("x", unit="m"), d.input("n")),
        ("is in m and the power is a signal", "give a number as in2"),
    ),
    "a joint": (
        lambda d: d.signal(sh.Quantity("rate", "axel.angle", "rad/s")),
        ("no joint 'axel'", "did you mean 'axle'"),
    ),
    "a body": (
        lambda d: d.signal(sh.Quantity("velocity", "laod", "m/s", tuple("xyz")), "x"),
        ("no body 'laod'", "did you mean 'load'"),
    ),
    "of nothing": (
        lambda d: d.signal(sh.Quantity("rate", None, "rad/s")),
        ("of is missing", "Give the name of a joint"),
    ),
    "a diagram without outputs": (
        lambda d: d.use(sh.Diagram("empty"), "e"),
        ("diagram 'empty' has no outputs", "name the signals"),
    ),
    "a unit for another diagram": (
        lambda d: d.use(inner(unit="m"), "h", x=d.constant(1.0, unit="kg")),
        ("is in kg", "it takes m"),
    ),
}


@pytest.mark.parametrize("what", CHECKS)
def test_diagrams(what: str) -> None:
    def act() -> None:
        d = sh.Diagram()
        CHECKS[what][0](d)
        d.check(machine())

    refused(*CHECKS[what][1], action=act)


def spec(**parts: Any) -> Callable[[], object]:
    """A diagram as a file may hold it, checked."""
    return lambda: sh.Diagram.of(DiagramSpec(**parts)).check()


def test_names_in_files() -> None:
    x, y = InputSpec(), sh.Diagram("given")
    y.gain(1.0, 2.0, name="y")
    gain = y.blocks["y"]
    refused("a block is named 'x', and so is an input", action=spec(inputs={"x": x}, blocks={"x": gain}))
    refused("an input is named 'a.b'", "without dots", action=spec(inputs={"a.b": x}))


def test_inputs() -> None:
    refused("input range is (0.0, None)", "give two numbers", action=lambda: InputSpec(range=(0.0, None)))
    refused("input has choices and is real", "type int", action=lambda: InputSpec(choices=("a", "b")))


def test_consoles() -> None:
    refused("GaugeWidget range is (None, 1.0)", "two numbers", action=lambda: GaugeWidget(value="v", range=(None, 1.0)))
    press = lambda: KeyBinding(key="KeyW", input="x", action="hodl")  # type: ignore[arg-type]  # noqa: E731
    refused("key 'KeyW' action is 'hodl'", "did you mean 'hold'", action=press)


def test_faults() -> None:
    scene = machine()
    board = FaultBoard(sh.Simulation(scene, dt=0.005))
    refused("fault 'snap'", "no rope 'line'", action=lambda: board.add("snap", RopeBreak("line")))
    board.add("dead", sh.control.DriveLoss("axle"))
    again = lambda: board.add("dead", sh.control.DriveLoss("axle"))  # noqa: E731
    refused("a fault 'dead' already", "another name", action=again)


def test_a_running_diagram() -> None:
    d = sh.Diagram()
    d.gain(d.input("x"), 2.0, name="twice")
    refused("no period and no simulation", "Diagram(period=0.01)", action=d.start)
    d = sh.Diagram(period=0.1)
    d.gain(d.input("x"), 2.0, name="twice")
    c = d.start()
    assert list(c.inputs) == ["x"] and len(c.inputs) == 1
    refused("input 'x' cannot be removed", "initial value", action=lambda: c.inputs.pop("x"))
    refused("no signal 'twise'", "did you mean 'twice'", action=lambda: c.values["twise"])
    refused("no signal 'twise'", "did you mean 'twice'", action=lambda: c.kind("twise"))
    other = sh.Diagram(period=0.1)
    other.integral(1.0)
    refused("snapshot is of another diagram", action=lambda: c.restore(other.start().snapshot()))
    assert repr(c) == "<controller of <diagram 'diagram': 1 inputs, 1 blocks>, every 0.1 s>"
    alone = sh.Diagram(period=0.1)
    alone.signal(machine().joints["axle"].speed)
    refused("needs a simulation", "diagram.start(simulation)", action=alone.start)


def test_a_diagram_with_outputs_is_for_another_one() -> None:
    scene = machine()
    scene.diagram = inner()
    refused("has outputs by name (y)", "for use in another diagram", action=lambda: scene_text(scene))
