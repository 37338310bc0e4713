"""A diagram and a console for any scene: what every drive, servo and joint needs, and keys to go with it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..scene.elements.drive import DcDrive, PositionServo, SpeedServo
from ..scene.joint_coordinates import start_value
from ..scene.materials import Contact
from ..scene.shapes import Wheel
from .diagram import Diagram
from .panel import (
    Action,
    AnyWidget,
    AxisBinding,
    ButtonWidget,
    GaugeWidget,
    Group,
    JoystickWidget,
    KeyBinding,
    KnobWidget,
    LampWidget,
    Panel,
    PlotWidget,
    SelectorWidget,
    SliderWidget,
    SwitchWidget,
)
from .sinks import Gauge, Lamp, Sink
from .spec import InputSpec

if TYPE_CHECKING:
    from ..scene.joint import Joint
    from ..scene.joints import Coordinate
    from ..scene.scene import Scene

FULL_TURN = 6.283185307179586  # rad, for coordinates without limits
SLIDES = 1.0  # m, likewise
STEPS = 20  # presses of a key from one end of a range to the other
MOST_CHOICES = 8  # whole numbers with more values get a slider
PLOTTED = 6  # curves in one plot
PLACES = ("rad", "m")  # units of targets that a key moves by steps
WEAKEST = 1e-9  # N m or N: a motor below it is there for the inertia of its rotor, and is not driven
CROWDED = 8  # controls, from which on they are grouped by limbs
FEWEST_WHEELS = 2  # driven on a side, from which on a vehicle is steered by its sides

# Keys in the order in which inputs take them: up and down, yes.
PAIRS = (
    ("KeyW", "KeyS"),
    ("KeyD", "KeyA"),
    ("ArrowUp", "ArrowDown"),
    ("ArrowRight", "ArrowLeft"),
    ("KeyR", "KeyF"),
    ("KeyT", "KeyG"),
    ("KeyY", "KeyH"),
    ("KeyU", "KeyJ"),
    ("KeyI", "KeyK"),
)
CHOICES = (("KeyE", "KeyQ"), ("KeyX", "KeyZ"), ("KeyV", "KeyC"))
BUTTONS = ("Space", *(f"Digit{i}" for i in range(1, 10)))

FORWARD = ("throttle", "speed", "forward", "drive", "gas")
SIDEWAYS = ("steer", "turn", "yaw")
STOPPING = ("brake", "stop")


# --- a diagram for a scene that has none ------------------------------------------------------------------------------


def default_diagram(scene: Scene) -> Diagram:
    """A diagram for a ``scene``: an input for every drive and servo, a gauge for every joint coordinate."""
    d = Diagram(scene.name)
    wheels = _drive_sides(d, scene)
    for joint in scene.joints.values():
        for coordinate in joint.type.coordinates:
            name = joint.name if len(joint.type.coordinates) == 1 else f"{joint.name} {coordinate.name}"
            drive = joint.drives.get(coordinate.name)
            if joint.name in wheels or (isinstance(drive, DcDrive) and drive.stall_torque < WEAKEST):
                pass
            elif isinstance(drive, DcDrive):
                value = d.input(f"{name} voltage", range=(-1, 1), note=f"share of the rated voltage of '{name}'")
                d.drive(joint.voltage(coordinate.name), value, name=f"{name} drive")
            elif drive is not None:
                target = joint.target(coordinate.name)
                reach = _reach(joint, coordinate.name, drive)
                start = min(max(_held(joint, coordinate, drive), reach[0]), reach[1])
                value = d.input(f"{name} target", unit=target.unit, range=reach, initial=start)
                d.servo(target, value, name=f"{name} servo")
            if not coordinate.kind.is_swing:
                limits = joint.ranges.get(coordinate.name, (None, None))
                scale = None if None in limits else limits
                measured = d.signal(joint.coordinate(coordinate.name), name=f"{name} measured")
                d.gauge(name, measured, range=scale)  # type: ignore[arg-type]
    return d


def _drive_sides(d: Diagram, scene: Scene) -> set[str]:
    """Forward and turn for a vehicle whose wheels or tracks are driven, steered by its sides; the names of their
    joints."""
    contacts = [body.spec.contact for body in scene.bodies.values()]
    sprockets = {c.belt.sprocket for c in contacts if isinstance(c, Contact) and c.belt is not None}
    driven = {
        joint: spatial.rotate(joint.world_frames()[0].rotation, (0.0, 0.0, 1.0))
        for joint in scene.joints.values()
        if isinstance(next(iter(joint.drives.values()), None), DcDrive)
        and (joint.name in sprockets or any(isinstance(shape, Wheel) for shape in joint.b.spec.shapes))
    }
    sides: dict[bool, list[tuple[Joint, float]]] = {True: [], False: []}
    middle = np.mean([joint.b.pose.position for joint in driven] or [np.zeros(3)], axis=0)
    for joint, axis in driven.items():
        left = np.copysign(1.0, axis[1]) * axis  # vehicles start along x
        drive = next(iter(joint.drives.values()))
        assert isinstance(drive, DcDrive)
        sides[bool((joint.b.pose.position - middle) @ left > 0.0)].append((joint, float(axis @ left) * drive.ratio))
    fewest = 1 if any(joint.name in sprockets for joint in driven) else FEWEST_WHEELS
    if min(len(wheels) for wheels in sides.values()) < fewest:
        return set()
    forward = d.input("forward", range=(-1, 1), note="share of the rated voltage of all wheels or tracks")
    turn = d.input("turn", range=(-1, 1), note="to the right is positive")
    for is_left, wheels in sides.items():
        wanted = d.limit(-1.0, forward + turn if is_left else forward - turn, 1.0)
        for joint, sign in wheels:
            d.drive(joint, wanted if sign > 0 else -wanted)
    return {joint.name for wheels in sides.values() for joint, _ in wheels}


def _held(joint: Joint, coordinate: Coordinate, drive: SpeedServo | PositionServo) -> float:
    """What a servo is asked for at first: to stay where the scene starts."""
    return 0.0 if isinstance(drive, SpeedServo) else start_value(joint, coordinate)


def _reach(joint: Joint, axis: str, drive: SpeedServo | PositionServo) -> tuple[float, float]:
    """What a servo may be asked for: within its limits, or one turn, its reach; the idle speed of its motor."""
    if isinstance(drive, SpeedServo):
        most = abs(drive.drive.idle_speed / drive.drive.ratio)
        return (-most, most)
    low, high = joint.ranges.get(axis, (None, None))
    free = SLIDES if joint.coordinate(axis).unit == "m" else FULL_TURN / 2
    low, high = -free if low is None else low, free if high is None else high
    return (low, high) if drive.reach is None else (max(low, drive.reach[0]), min(high, drive.reach[1]))


# --- a console for a diagram ------------------------------------------------------------------------------------------


def default_panel(diagram: Diagram, scene: Scene | None = None) -> Panel:
    """Widgets by the type, unit and range of every input and output of a ``diagram``, and keys for the inputs.

    The scene tells the units of the signals that are read from it, which sort the plots.
    """
    controls = _controls(diagram)
    few = scene is None or (len(controls) <= CROWDED and scene.report is None)  # imported robots have sliders alone
    by_limb = [] if few or scene is None else _limbs(controls, scene)
    shown = {name: sink for name, sink in diagram.outputs.items() if isinstance(sink, (Lamp, Gauge))}
    lamps: list[AnyWidget] = [
        LampWidget(value=name, color=sink.color) for name, sink in shown.items() if isinstance(sink, Lamp)
    ]
    gauges: list[AnyWidget] = [
        GaugeWidget(value=name, range=sink.range) for name, sink in shown.items() if isinstance(sink, Gauge)
    ]
    sent = [_sent(name, sink) for name, sink in diagram.outputs.items() if name not in shown]
    plots = _plots(diagram, scene)
    groups = (
        *(by_limb or [("Controls", controls)]),
        ("State", lamps + gauges),
        ("Outputs", sent),
        ("Telemetry", plots),
    )
    made = tuple(Group(title=title, widgets=tuple(widgets)) for title, widgets in groups if widgets)
    return Panel(title=diagram.name, groups=made, keys=default_keys(diagram), axes=default_axes(diagram))


def _limbs(controls: list[AnyWidget], scene: Scene) -> list[tuple[str, list[AnyWidget]]]:
    """Many controls as groups: the joints of each limb, which is what hangs on a body that branches, as sliders."""
    branches = Counter(joint.a.name for joint in scene.joints.values())
    above = {joint.b.name: joint for joint in scene.joints.values()}
    limbs: dict[str, list[AnyWidget]] = {}
    for control in controls:
        (name, *_) = control.inputs()
        joint = max((known for known in scene.joints if name.startswith(f"{known} ")), key=len, default=None)
        title = "Controls" if joint is None else _limb(scene.joints[joint], above, branches)
        if isinstance(control, KnobWidget):
            control = SliderWidget(input=name, range=control.range)
        limbs.setdefault(title, []).append(control)
    return list(limbs.items())


def _limb(joint: Joint, above: dict[str, Joint], branches: Counter[str]) -> str:
    """The first joint of the limb that a joint belongs to: up the chain, to where it branches off."""
    passed = {joint.name}
    while branches[joint.a.name] == 1 and joint.a.name in above and above[joint.a.name].name not in passed:
        joint = above[joint.a.name]
        passed.add(joint.name)
    return joint.name


def _controls(diagram: Diagram) -> list[AnyWidget]:
    stick = _stick(diagram)
    widgets: list[AnyWidget] = [] if stick is None else [stick]
    taken = () if stick is None else stick.inputs()
    return widgets + [_control(name, spec) for name, spec in diagram.inputs.items() if name not in taken]


def _stick(diagram: Diagram) -> JoystickWidget | None:
    """A joystick where there is one input to go forward and one to turn."""
    found = [_first(diagram, words) for words in (SIDEWAYS, FORWARD)]
    x, y = found
    return None if x is None or y is None else JoystickWidget(x=x, y=y, label="Drive")


def _first(diagram: Diagram, words: tuple[str, ...]) -> str | None:
    for name, spec in diagram.inputs.items():
        if is_stick_like(spec) and any(word in name.lower() for word in words):
            return name
    return None


def is_stick_like(spec: InputSpec) -> bool:
    """A number that rests in the middle of its range, like a stick that springs back. A place to go to does not."""
    if spec.type != "real" or spec.range is None or spec.unit in PLACES:
        return False
    return spec.range[0] + spec.range[1] == 2 * spec.start


def _control(name: str, spec: InputSpec) -> AnyWidget:
    if spec.type == "bool":
        return ButtonWidget(input=name) if spec.momentary else SwitchWidget(input=name)
    limits = spec.limits
    if spec.type == "int" and (spec.choices or (limits is not None and limits[1] - limits[0] < MOST_CHOICES)):
        return SelectorWidget(input=name)
    scale = None if limits is not None else _scale(spec)
    if spec.unit == "rad":
        return KnobWidget(input=name, range=scale)
    return SliderWidget(input=name, range=scale)


def _scale(spec: InputSpec) -> tuple[float, float]:
    """A scale for a number without a range: around its initial value."""
    most = max(1.0, 2.0 * abs(float(spec.start)))
    return (-most, most)


def _sent(name: str, sink: Sink) -> AnyWidget:
    scale = {"drive": (-1.0, 1.0), "brake": (0.0, 1.0)}.get(sink.tag())
    return GaugeWidget(value=name, range=scale)


def _plots(diagram: Diagram, scene: Scene | None) -> list[AnyWidget]:
    """One plot for the gauges of each unit."""
    kinds = diagram.check(scene).kinds
    by_unit: dict[str, list[str]] = {}
    for name, sink in diagram.outputs.items():
        if isinstance(sink, Gauge):
            by_unit.setdefault(kinds[name].unit or "1", []).append(name)
    return [PlotWidget(signals=tuple(names[:PLOTTED]), label=unit) for unit, names in by_unit.items()]


# --- keys -------------------------------------------------------------------------------------------------------------


def default_keys(diagram: Diagram) -> tuple[KeyBinding, ...]:
    """W and S go forward and back, D and A to the sides, the space bar stops; the others follow in order."""
    pairs, choices, buttons = list(PAIRS), list(CHOICES), list(BUTTONS)
    bound: list[KeyBinding] = []
    for name, spec in sorted(diagram.inputs.items(), key=lambda item: _rank(*item)):
        if spec.type == "bool":
            stops = any(word in name.lower() for word in STOPPING)
            free = [key for key in buttons if stops or key != "Space"]
            if free:
                buttons.remove(free[0])
                action: Action = "hold" if spec.momentary else "toggle"
                bound += [KeyBinding(key=free[0], input=name, action=action, value=True)]
        elif spec.type == "int" and choices:
            up, down = choices.pop(0)
            bound += [KeyBinding(key=up, input=name, action="step"), _down(down, name, -1.0)]
        elif spec.type == "real" and pairs:
            bound += _number_keys(name, spec, pairs.pop(0))
    return tuple(bound)


def _rank(name: str, spec: InputSpec) -> int:
    """What goes forward takes its keys first, then what turns; what stops takes the space bar."""
    words = (FORWARD, SIDEWAYS) if spec.type == "real" else (STOPPING,)
    for rank, known in enumerate(words):
        if any(word in name.lower() for word in known):
            return rank
    return len(words)


def _number_keys(name: str, spec: InputSpec, keys: tuple[str, str]) -> list[KeyBinding]:
    low, high = spec.range or _scale(spec)
    if is_stick_like(spec):
        return [KeyBinding(key=keys[0], input=name, value=high), KeyBinding(key=keys[1], input=name, value=low)]
    step = (high - low) / STEPS
    return [KeyBinding(key=keys[0], input=name, action="step", value=step), _down(keys[1], name, -step)]


def _down(key: str, name: str, value: float) -> KeyBinding:
    return KeyBinding(key=key, input=name, action="step", value=value)


def default_axes(diagram: Diagram) -> tuple[AxisBinding, ...]:
    """The left stick of a gamepad goes forward and turns, the right one moves the next two."""
    sticks = sorted(((n, s) for n, s in diagram.inputs.items() if is_stick_like(s)), key=lambda item: _rank(*item))
    places = ((1, True), (0, False), (3, True), (2, False))  # up is negative on a gamepad
    return tuple(
        AxisBinding(axis=axis, input=name, invert=invert)
        for (name, _), (axis, invert) in zip(sticks, places, strict=False)
    )
