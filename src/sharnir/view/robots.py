"""Robots to drive: each on a training ground, with its control diagram and its console.

``sharnir drive krt100`` and so on. What the operator does becomes drive voltages as in [003]: forward and sideways
are added per side, limited, and softened by a ramp.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .. import spatial
from ..assemblies.axle import BuiltAxle
from ..assemblies.robots import Mf4, four_wheel_car, krt100, mf4, six_wheel_rover
from ..assemblies.vehicle import BuiltVehicle
from ..control import AxisBinding, Diagram, Group, KeyBinding, Panel, Pin
from ..control.panel import (
    AnyWidget,
    GaugeWidget,
    JoystickWidget,
    KnobWidget,
    LampWidget,
    PlotWidget,
    SliderWidget,
    SwitchWidget,
)
from ..experiment import Experiment
from ..scene.body import Body
from ..scene.elements.friction_laws import Coulomb
from ..scene.joint import Joint
from ..scene.joints import Revolute
from ..scene.relief import Roughness
from ..scene.scene import Scene
from ..scene.shapes import Box, Cylinder
from ..scene.surfaces import HeightField

DT, SETTINGS = 0.005, {"iterations": 20}  # s
PERIOD = 0.01  # s, of the diagrams
RAMP = 1.5  # of the full voltage in a second
ROUGHNESS = 0.015  # m, rms of the rough terrain's heights
GATES = ((2.5, 0.2), (5.0, 1.0), (7.5, 1.6))  # m
EYE = 1.0  # rad, field of view of the robots' cameras
STONE, WOOD = "#8f948c", "#a58a63"
ARROWS = (
    KeyBinding(key="ArrowUp", input="forward", value=1.0),
    KeyBinding(key="ArrowDown", input="forward", value=-1.0),
    KeyBinding(key="ArrowRight", input="turn", value=1.0),
    KeyBinding(key="ArrowLeft", input="turn", value=-1.0),
)
STICK = (AxisBinding(axis=1, input="forward", invert=True), AxisBinding(axis=0, input="turn"))
DRIVING: tuple[AnyWidget, ...] = (
    JoystickWidget(x="turn", y="forward", label="Joystick"),
    SliderWidget(input="speed limit", label="Speed limit"),
)
SPEEDS: tuple[AnyWidget, ...] = (
    GaugeWidget(value="left", label="left side"),
    GaugeWidget(value="speed"),
    GaugeWidget(value="right", label="right side"),
)


# --- the training ground ----------------------------------------------------------------------------------------------


def training_ground(name: str) -> Scene:
    """Level ground with a step, a ramp with a landing, bumps, and posts to drive around."""
    scene = Scene(name)
    scene.ground(look="concrete")
    scene.body("step", Box(2.0, 2.0, 0.12, color=STONE), position=(4.0, -2.5, 0.0), fixed=True)
    slope = math.radians(12.0)
    tilted = tuple(spatial.about((0.0, 1.0, 0.0), -slope).tolist())
    scene.body("ramp", Box(2.0, 1.6, 0.1, color=WOOD), position=(4.0, 2.5, 0.15), rotation=tilted, fixed=True)
    scene.body("landing", Box(1.6, 1.6, 0.36, color=WOOD), position=(5.75, 2.5, 0.18), fixed=True)
    lying = tuple(spatial.about((1.0, 0.0, 0.0), math.pi / 2).tolist())
    for i in range(4):
        log = Cylinder(0.06, 1.4, color=WOOD)
        scene.body(f"log {i + 1}", log, position=(2.0 + 0.6 * i, 0.0, 0.0), rotation=lying, fixed=True)
    for i, (x, y) in enumerate(((-3.0, 1.5), (-3.0, -1.5), (-5.0, 0.0), (-7.0, 1.5), (-7.0, -1.5))):
        scene.body(f"post {i + 1}", Cylinder(0.08, 1.0, color="#c4572f"), position=(x, y, 0.5), fixed=True)
    return scene


def rough_terrain(name: str) -> Scene:
    """Fifty metres by fifty of uneven ground, like a ploughed field that has been rolled."""
    scene = Scene(name)
    relief = Roughness(rms=ROUGHNESS, shortest=0.3, longest=3.0, seed=1)
    field = HeightField(relief=(relief,), size=(50.0, 50.0), spacing=(0.1, 0.1))
    scene.terrain("ground", field, look="grass")
    return scene


# --- parts of diagrams ------------------------------------------------------------------------------------------------


def driving(d: Diagram) -> tuple[Pin, Pin]:
    """The operator's forward and sideways, within the speed limit."""
    most = d.input("speed limit", range=(0.1, 1.0), initial=1.0, note="share of the full voltage")
    forward = d.input("forward", range=(-1, 1))
    turn = d.input("turn", range=(-1, 1), note="to the right is positive")
    return forward * most, turn * most


def skid_steering(d: Diagram, vehicle: BuiltVehicle) -> None:
    """Both sides of a vehicle by voltage: forward, plus and minus sideways."""
    forward, turn = driving(d)
    for side, spins, wanted in (
        ("left", vehicle.spins("left"), forward + turn),
        ("right", vehicle.spins("right"), forward - turn),
    ):
        voltage = d.rate_limit(d.limit(-1.0, wanted, 1.0), rise=RAMP, fall=RAMP, name=f"{side} ramp")
        drive_all(d, spins, voltage)
        d.gauge(side, voltage, range=(-1, 1))


def drive_all(d: Diagram, spins: list[Joint], voltage: Pin) -> None:
    """The same voltage for all hinges of wheels or tracks that are driven."""
    for spin in spins:
        if spin.drives:
            d.drive(spin, voltage)


def ground_speed(d: Diagram, chassis: Body, most: float) -> None:
    """Gauge and lamp of the speed over ground."""
    x, y = (d.signal(chassis.velocity, axis, name=f"chassis v{axis}") for axis in "xy")
    speed = d.sqrt(x * x + y * y, name="ground speed")
    d.gauge("speed", speed, range=(0.0, most))
    d.lamp("moving", speed > 0.02)


def pointing(d: Diagram, joints: dict[str, Joint]) -> tuple[AnyWidget, ...]:
    """A target for every servo of an arm or mast, and knobs for them."""
    for name, joint in joints.items():
        low, high = joint.ranges["angle"]
        assert low is not None and high is not None
        target = d.input(name, unit="rad", range=(low, high), initial=0.0)
        d.servo(joint, target, name=f"{name} servo")
    return tuple(KnobWidget(input=name) for name in joints)


def arm_keys(names: list[str]) -> tuple[KeyBinding, ...]:
    """Pairs of keys that move an arm's joints by steps."""
    pairs = (("KeyD", "KeyA"), ("KeyW", "KeyS"), ("KeyR", "KeyF"), ("KeyT", "KeyG"))
    return tuple(
        KeyBinding(key=key, input=name, action="step", value=step)
        for name, pair in zip(names, pairs, strict=False)
        for key, step in zip(pair, (0.1, -0.1), strict=True)
    )


def eyes(scene: Scene, chassis: Body, front: float, height: float, rear: float | None = None) -> None:
    """Cameras before and behind a vehicle: so far (m) from the origin of its chassis, and so high."""
    scene.camera("front camera", chassis, (front, 0.0, height), (1.0, 0.0, -0.15), field_of_view=EYE)
    behind = -front if rear is None else rear
    scene.camera("rear camera", chassis, (behind, 0.0, height), (-1.0, 0.0, -0.25), field_of_view=EYE)


def arm_eyes(scene: Scene, robot: Mf4) -> None:
    """Cameras on the MF-4's wrist and chassis."""
    scene.camera("wrist camera", robot.arm.tip, (0.14, 0.0, 0.04), (1.0, 0.0, -0.1), field_of_view=EYE)
    eyes(scene, robot.vehicle.chassis, 0.45, 0.3, rear=-0.64)  # behind its deck


# --- the robots -------------------------------------------------------------------------------------------------------


def drive_krt100() -> Experiment:
    """KRT-100 with its trailer on the training ground."""
    return _krt100_on(training_ground("KRT-100"), 0.0)


def drive_krt100_course() -> Experiment:
    """KRT-100 with its trailer before a course of three gates."""
    scene = Scene("KRT-100 course")
    scene.ground(look="gravel")
    for i, (x, y) in enumerate(GATES, start=1):
        for side, off in (("left", 0.9), ("right", -0.9)):
            post = Cylinder(0.06, 1.0, color="#c4572f")
            scene.body(f"gate {i} {side}", post, position=(x, y + off, 0.5), fixed=True, contact=True)
    return _krt100_on(scene, 0.0)


def drive_krt100_rough() -> Experiment:
    """KRT-100 with its trailer on rough terrain."""
    return _krt100_on(rough_terrain("KRT-100 on rough terrain"), 3 * ROUGHNESS)


def _krt100_on(scene: Scene, height: float) -> Experiment:
    """The robot with its diagram and console, let go at a height (m)."""
    robot = krt100(scene, position=(0.0, 0.0, height))
    hitch = robot.vehicle.hitch
    assert isinstance(hitch, Joint)
    d = scene.diagram = Diagram("KRT-100", period=PERIOD)
    skid_steering(d, robot.vehicle)
    ground_speed(d, robot.vehicle.chassis, 1.0)
    knobs = pointing(d, robot.mast.joints)
    scene.camera("mast camera", robot.mast.tip, (0.09, 0.0, 0.0), field_of_view=EYE)
    eyes(scene, robot.vehicle.chassis, 0.57, 0.3)
    # the hitch's frame has its z axis along the way ahead, so it swings about x in pitch and about y in yaw
    bends = {"yaw": "swing_y", "pitch": "swing_x", "roll": "twist"}
    for name, axis in bends.items():
        low, high = hitch.ranges[axis]
        assert low is not None and high is not None
        bend = d.signal(hitch.coordinate(axis), name=f"hitch {axis}")
        d.gauge(f"hitch {name}", bend, range=(low, high))
        d.lamp(f"hitch {name} near its stop", (bend > 0.9 * high) | (bend < 0.9 * low), color="red")
    groups = (
        Group(title="Drive", widgets=DRIVING),
        Group(title="Speed", widgets=(*SPEEDS, LampWidget(value="moving"))),
        Group(title="Mast and camera", widgets=knobs),
        Group(
            title="Trailer",
            widgets=(
                *(GaugeWidget(value=f"hitch {name}", label=name) for name in bends),
                *(LampWidget(value=f"hitch {name} near its stop", label=f"{name} stop", color="red") for name in bends),
                PlotWidget(signals=("speed", "hitch yaw", "left", "right")),
            ),
        ),
    )
    keys = (*ARROWS, *arm_keys(list(robot.mast.joints)))
    scene.panel = Panel(title="KRT-100", groups=groups, keys=keys, axes=STICK)
    return Experiment(scene, time=5.0, dt=DT, settings=dict(SETTINGS))


def drive_mf4() -> Experiment:
    """MF-4, a tracked robot with an arm, on the training ground."""
    scene = training_ground("MF-4")
    robot = mf4(scene)
    arm_eyes(scene, robot)
    return skid_steered(scene, robot.vehicle, "Tracks", robot.arm.joints)


def drive_mf4_door() -> Experiment:
    """The tracked robot before a door that it can push open."""
    scene = Scene("MF-4 and a door")
    scene.ground(look="concrete")
    robot = mf4(scene, position=(0.0, 0.6, 0.0))
    arm_eyes(scene, robot)
    leaf, width = 1.9, 1.0  # m
    panel = Box(0.04, width, 2.0, mass=26.5, color=WOOD)
    door = scene.body("door", panel, position=(leaf, 0.5 * width, 1.02), contact=True)
    hinge = Revolute(axis=(0, 0, -1), anchor=(leaf, 0.0, 1.02))
    scene.joint("hinge", hinge, scene.world, door, friction=Coulomb(20.0), limits=(0.0, 1.9))
    for name, y in (("frame left", width + 0.36), ("frame right", -0.36)):
        scene.body(name, Box(0.1, 0.6, 2.1, color=STONE), position=(leaf, y, 1.05), fixed=True)
    return skid_steered(scene, robot.vehicle, "Tracks", robot.arm.joints)


def drive_rover() -> Experiment:
    """A six-wheeled rover on the training ground."""
    scene = training_ground("rover")
    rover = six_wheel_rover(scene).vehicle
    eyes(scene, rover.chassis, 0.52, 0.5)
    return skid_steered(scene, rover, "Drive", {})


def skid_steered(scene: Scene, vehicle: BuiltVehicle, driven: str, arm: dict[str, Joint]) -> Experiment:
    """A vehicle steered by its two sides, perhaps with an arm: its diagram and its console."""
    d = scene.diagram = Diagram(scene.name, period=PERIOD)
    skid_steering(d, vehicle)
    ground_speed(d, vehicle.chassis, 1.0)
    state = (*SPEEDS, LampWidget(value="moving"), PlotWidget(signals=("speed", "left", "right")))
    groups = [Group(title=driven, widgets=DRIVING), Group(title="Speed", widgets=state)]
    if arm:
        groups.append(Group(title="Arm", widgets=pointing(d, arm)))
    keys = (*ARROWS, *arm_keys(list(arm)))
    scene.panel = Panel(title=scene.name, groups=tuple(groups), keys=keys, axes=STICK)
    return Experiment(scene, time=5.0, dt=DT, settings=dict(SETTINGS))


def drive_car() -> Experiment:
    """The car: rear wheels by voltage, the rack by its servo, on open ground."""
    scene = Scene("car")
    scene.ground(look="asphalt")
    car = four_wheel_car(scene).vehicle
    eyes(scene, car.chassis, 1.95, 0.7)
    front = car.axles["front"]
    assert isinstance(front, BuiltAxle) and front.steer is not None
    rack = front.steer
    d = scene.diagram = Diagram("car", period=PERIOD)
    forward, turn = driving(d)
    handbrake = d.input("coast", initial=False, note="takes the voltage off")
    voltage = d.rate_limit(d.sel(handbrake, forward, 0.0), rise=0.4, fall=RAMP, name="voltage")
    drive_all(d, [*car.spins("left"), *car.spins("right")], voltage)
    reach = rack.ranges.get("displacement", (None, None))[1] or 0.05
    d.servo(rack, d.gain(turn, k=-reach, unit="m"), name="rack")  # the rack to the left steers to the right
    d.gauge("throttle", voltage, range=(-1, 1))
    ground_speed(d, car.chassis, 30.0)
    state = (GaugeWidget(value="throttle"), GaugeWidget(value="speed"), LampWidget(value="moving"))
    plot = PlotWidget(signals=("speed", "throttle"))
    groups = (
        Group(title="Drive", widgets=(*DRIVING, SwitchWidget(input="coast"))),
        Group(title="State", widgets=(*state, plot)),
    )
    scene.panel = Panel(title="Car", groups=groups, keys=ARROWS, axes=STICK)
    return Experiment(scene, time=5.0, dt=DT, settings=dict(SETTINGS))


ROBOTS: dict[str, Callable[[], Experiment]] = {
    "krt100": drive_krt100,
    "krt100_rough": drive_krt100_rough,
    "krt100_course": drive_krt100_course,
    "mf4": drive_mf4,
    "mf4_door": drive_mf4_door,
    "rover": drive_rover,
    "car": drive_car,
}


def list_robots() -> dict[str, str]:
    """The names of the robots with what they are: the first line of each one's docstring."""
    return {name: (make.__doc__ or name).splitlines()[0].rstrip(".") for name, make in ROBOTS.items()}
