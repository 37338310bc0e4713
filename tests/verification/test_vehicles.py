"""Axles and vehicles: static loads, anti-roll bar, steering, hitches; closed forms beside each."""

from __future__ import annotations

import math

import mechanisms as mech
import msgspec
import numpy as np
import pytest
from scipy.optimize import brentq

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.axle import BuiltAxle
from sharnir.assemblies.kinematics import Kinematics
from sharnir.assemblies.rig import sweep
from sharnir.assemblies.suspensions import SUSPENSIONS, Suspension
from sharnir.assemblies.vehicle import BuiltVehicle

G = 9.81


def on_posts(scene: sh.Scene, wheels: list[sh.Body], loads: list[float], lift: float = 0.0) -> None:
    """A stiff spring under each wheel instead of the ground, loaded as given (kg); ``lift`` raises the right ones."""
    for wheel, load in zip(wheels, loads, strict=True):
        x, y, z = wheel.spec.position
        raised = lift if "right" in wheel.name else 0.0
        spring = sh.Spring(1e7, 2e4, rest=1.0 + raised, preload=G * load)
        post = sh.Strut(anchor_a=(x, y, z - 1), anchor_b=(x, y, z))
        scene.joint(f"{wheel.name}_post", post, scene.world, wheel, spring=spring)


def in_the_air(scene: sh.Scene) -> sh.Scene:
    """A scene whose bodies do not touch, so that no contacts are compiled."""
    for body in scene.bodies.values():
        body.spec = msgspec.structs.replace(body.spec, contact=False)
    return scene


def test_static_loads_balance() -> None:
    """Forces and moments of the wheels' loads balance the weights; three axles share them by the least squares."""
    axles = {name: sh.Axle(x=x, track=0.8) for name, x in (("front", 0.5), ("middle", 0.1), ("rear", -0.4))}
    body = sh.Box(1.0, 0.4, 0.2, mass=60.0, position=(0.1, 0.02, 0.3))
    vehicle = sh.Vehicle(shapes=(body,), axles=axles)
    loads, _ = vehicle.static_loads("robot")
    places = np.array([center for axle in axles.values() for center in axle.centers()])
    parts = [part for axle in axles.values() for part in axle.masses()] + [(60.0, np.array([0.1, 0.02, 0.3]))]
    total = sum(mass for mass, _ in parts)
    assert sum(loads) == pytest.approx(total, rel=1e-12)
    for axis in (0, 1):
        moment = sum(mass * place[axis] for mass, place in parts)
        assert np.array(loads) @ places[:, axis] == pytest.approx(moment, abs=1e-9)
    # the most even: the loads lie on a plane over the ground
    plane = np.column_stack([np.ones(6), places[:, :2]])
    np.testing.assert_allclose(plane @ np.linalg.lstsq(plane, np.array(loads), rcond=None)[0], loads, atol=1e-9)


def robot(suspension: Suspension, towing: sh.Towing | None = None) -> sh.Vehicle:
    """Four wheels, track 0.6 m, the centre of mass a little ahead and 0.3 m high."""
    axle = {"track": 0.6, "suspension": suspension}
    return sh.Vehicle(
        shapes=(sh.Box(0.8, 0.3, 0.2, mass=40.0, position=(0.02, 0.0, 0.3)),),
        axles={"front": sh.Axle(x=0.4, **axle), "rear": sh.Axle(x=-0.4, **axle)},
        hitch_point=(-0.6, 0.0, 0.2),
        towing=towing,
    )


def test_a_vehicle_with_trailer_stands_still() -> None:
    """With the loads that were worked out under its wheels, nothing moves: every spring holds what it has to."""
    trailer = sh.Vehicle(
        shapes=(sh.Box(0.5, 0.3, 0.2, mass=20.0, position=(0.05, 0.0, 0.3)),),
        axles={"axle": sh.Axle(x=0.0, track=0.6, suspension=sh.SlidingPillar())},
        coupling_point=(0.5, 0.0, 0.2),
    )
    towing = sh.Towing(trailer=trailer, hitch=sh.BallHitch())
    vehicle = robot(sh.DoubleWishbone(), towing)
    scene = sh.Scene("standing")
    built = vehicle.build(scene, "robot", heading=0.5)
    assert built.trailer is not None
    own, _ = vehicle.static_loads("robot")
    towed, ball = trailer.static_loads("trailer", towing.hitch)
    # the trailer's weight at its own centre of mass, on the axle at 0 and the ball at 0.5 m
    masses = [(mass, place[0]) for mass, place in trailer.axles["axle"].masses()] + [(20.0, 0.05)]
    assert ball == pytest.approx(sum(mass * x for mass, x in masses) / 0.5, rel=1e-9)
    on_posts(scene, [corner.wheel for corner in built.corners + built.trailer.corners], own + towed)
    run = sh.Simulation(in_the_air(scene), dt=0.005).run(0.5, every=10)
    moved = np.abs(mech.values(run, built.chassis.position) - built.chassis.spec.position)
    assert moved[:, 2].max() < 2e-5
    for corner in built.corners + built.trailer.corners:
        assert np.abs(mech.values(run, corner.travel)).max() < 5e-5


@pytest.mark.parametrize("name", SUSPENSIONS)
def test_right_wheels_on_a_step(name: str) -> None:
    """Right wheels raised by 0.05 m, track 0.6 m: springs of equal rates under a centre of mass on the ground's height
    share the load as before, so the body leans by atan(0.05/0.6) = 4.764 degrees and keeps its wheels square."""
    axle = {"track": 0.6, "suspension": SUSPENSIONS[name](spring=sh.Coil(1e6, 1e4, at_wheel=True), bump_stops=None)}
    vehicle = sh.Vehicle(
        shapes=(sh.Box(0.8, 0.3, 0.1, mass=40.0, position=(0.0, 0.0, 0.15)),),
        axles={"front": sh.Axle(x=0.4, **axle), "rear": sh.Axle(x=-0.4, **axle)},
    )
    scene = sh.Scene("step")
    built = vehicle.build(scene, "robot")
    on_posts(scene, [corner.wheel for corner in built.corners], vehicle.static_loads("robot")[0], lift=0.05)
    hold = sh.Spring(0.0, 200.0)  # posts do not hold sideways, as tyres would
    for axis, place in (((1, 0, 0), (-5.0, 0.0, 0.15)), ((0, 1, 0), (0.0, -5.0, 0.15))):
        anchors = {"anchor_a": place, "anchor_b": (0.0, 0.0, 0.15)}
        scene.joint(f"hold_{axis}", sh.Strut(**anchors), scene.world, built.chassis, spring=hold)
    run = sh.Simulation(in_the_air(scene), dt=0.005).run(0.5)
    up = spatial.rotate(mech.values(run, built.chassis.rotation)[-1], (0.0, 0.0, 1.0))
    assert math.degrees(math.atan2(up[1], up[2])) == pytest.approx(4.764, abs=0.05)


def held_axle(**settings: object) -> tuple[sh.Scene, BuiltAxle]:
    """An axle on a chassis that stands still, without gravity."""
    scene = sh.Scene("axle", gravity=mech.FREE)
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True)
    axle = sh.Axle(x=0.0, track=0.9, **settings)
    return scene, axle.build(scene, chassis, "front", (0.0, 0.0), 1.0, 0.0)


def test_anti_roll_bar() -> None:
    """The drop links sit r = 0.2 m out on the arms: turned against each other by q and -q they twist the bar by 2 r q/b
    (b its lever), so each arm feels 2 K (r/b)^2 q; turned together, nothing."""
    bar = sh.AntiRollBar(stiffness=200.0, damping=5.0, lever=0.15, mass=0.1)
    scene, axle = held_axle(suspension=sh.SwingAxle(spring=None, spring_foot=(0.0, -0.15, 0.0)), anti_roll_bar=bar)
    torque = 10.0
    expected = torque / (2 * 200.0 * (0.2 / 0.15) ** 2)
    run = sh.Simulation(scene, dt=0.005).run(3.0, torque={axle.left.guide: torque, axle.right.guide: -torque})
    against = (mech.values(run, axle.left.guided)[-1] - mech.values(run, axle.right.guided)[-1]) / 2
    assert against == pytest.approx(expected, rel=1e-3)
    run = sh.Simulation(scene, dt=0.005).run(0.2, torque={axle.left.guide: torque, axle.right.guide: torque})
    # it swings with both and is not twisted, but for what the joints open in a step
    assert np.abs(mech.values(run, axle.anti_roll_bar.angle)).max() < 1e-5
    assert mech.values(run, axle.left.guided)[-1] > expected


B, L, ARM = 0.8, 1.0, 0.08  # m: between the kingpins, wheelbase, steering arms
BETA = math.atan2(B / 2, L)


def arm_end(side: float, angle: float) -> np.ndarray:
    """The end of a steering arm in the plane (x forward, y left), the wheel turned to the left by an angle."""
    turned = angle + side * BETA  # aimed at the middle of the fixed axle
    return np.array([-ARM * math.cos(turned), side * B / 2 - ARM * math.sin(turned)])


def other_end(side: float, tied_to: np.ndarray, length: float) -> float:
    """The angle at which an arm's end is a tie rod's length from where the rod is tied."""
    return float(brentq(lambda angle: np.linalg.norm(arm_end(side, angle) - tied_to) - length, -0.6, 0.6))


def steered(scene: sh.Scene, axle: BuiltAxle, target: float) -> tuple[float, float, float]:
    """The left and the right kingpin's angle, and the steering joint's coordinate, after 1.5 s."""
    assert axle.steer is not None and axle.left.kingpin is not None and axle.right.kingpin is not None
    run = sh.Simulation(scene, dt=0.005).run(1.5, target={axle.steer: target}, every=10)
    left, right = (float(mech.values(run, pin.angle)[-1]) for pin in (axle.left.kingpin, axle.right.kingpin))
    return left, right, float(mech.values(run, axle.steer.coordinate())[-1])


def test_ackermann_linkage() -> None:
    """A trapezoid: |left arm's end - right arm's end| stays. All wheels roll about one point if cot(outer) - cot(inner)
    = B/L; the trapezoid comes within 1.5 degrees of it at 20 degrees, where equal angles would be off by 4.1."""
    scene, axle = held_axle(
        suspension=sh.SlidingPillar(spring=sh.Coil(1e6, 1e4)), steering=sh.AckermannLinkage(arm=ARM)
    )
    inner, outer, _ = steered(scene, axle, math.radians(20.0))
    rod = B - 2 * ARM * math.sin(BETA)
    assert outer == pytest.approx(other_end(-1.0, arm_end(1.0, inner), rod), abs=1e-4)
    ideal = math.atan(1.0 / (1.0 / math.tan(inner) + B / L))
    assert math.degrees(inner) == pytest.approx(20.0, abs=0.5)
    assert math.degrees(inner - ideal) > 4.0
    assert math.degrees(abs(outer - ideal)) < 1.5


def test_rack_steering() -> None:
    """The rack moves the inner ends of both tie rods to the right by d (arms behind the kingpins): each arm's end stays
    a rod's length from its own."""
    rack = sh.Rack(arm=ARM)
    suspension = sh.SlidingPillar(spring=sh.Coil(1e6, 1e4))
    scene, axle = held_axle(suspension=suspension, steering=rack)
    inner, outer, moved = steered(scene, axle, 0.02)
    (x, y, _), _ = rack.tie_rod(suspension, sh.RoadWheel(), 0.45, L)
    for side, angle in ((1.0, inner), (-1.0, outer)):
        tied = np.array([x, side * (0.45 + y)])
        rod = float(np.linalg.norm(arm_end(side, 0.0) - tied))
        assert angle == pytest.approx(other_end(side, tied - [0.0, moved], rod), abs=1e-4)
    assert inner > outer > 0.2


def test_the_travel_hardly_steers() -> None:
    """The inner end of a tie rod lies where the outer end circles about: less than 0.1 degrees of toe over the travel,
    where a rod of half that length steers by more than a degree."""
    suspension = sh.DoubleWishbone(travel=(-0.06, 0.06))
    rack = sh.Rack(height=0.02)
    toe = sweep(suspension, rack=rack, steps=9, half_track=0.5).toe
    assert 1e-6 < np.degrees(np.abs(toe).max()) < 0.1
    wheel = sh.RoadWheel()
    inner, outer = np.array(rack.tie_rod(suspension, wheel, 0.5, None))
    short = Kinematics(suspension, wheel, True, (tuple((inner + outer) / 2), tuple(outer)))
    assert np.degrees(abs(short.at_travel(0.06).toe)) > 1.0


HITCHES = {
    "ball": (sh.BallHitch(), {"yaw": ("swing_y", 18.0), "pitch": ("swing_x", 18.0), "roll": ("twist", 15.0)}),
    "fifth wheel": (sh.FifthWheel(), {"yaw": ("angle_b", 90.0), "pitch": ("angle_a", 15.0), "roll": (None, 0.0)}),
    "drawbar": (sh.Drawbar(), {"yaw": ("swing_y", 60.0), "roll": ("twist", 30.0)}),
}


@pytest.mark.parametrize("name", HITCHES)
def test_hitch_turns_within_its_ranges(name: str) -> None:
    """A trailer in the air, pushed about one axis at a time: it turns to the end of that range and no further."""
    hitch, ranges = HITCHES[name]
    axle = {"track": 0.6, "suspension": sh.SlidingPillar()}
    trailer = sh.Vehicle(
        shapes=(sh.Box(0.5, 0.3, 0.2, mass=20.0, position=(0.05, 0.0, 0.2)),),
        axles={"front": sh.Axle(x=0.2, **axle), "rear": sh.Axle(x=-0.2, **axle)},
        coupling_point=(0.5, 0.0, 0.2),
    )
    for motion, (coordinate, limit) in ranges.items():
        scene = sh.Scene("hitch")
        built: BuiltVehicle = robot(sh.DoubleWishbone(), sh.Towing(trailer=trailer, hitch=hitch)).build(scene, "robot")
        scene.gravity = mech.FREE
        scene.joint("held", sh.Fixed(), scene.world, built.chassis)
        assert built.trailer is not None and built.hitch is not None
        axis = {"yaw": (0, 0, 1), "pitch": (0, 1, 0), "roll": (1, 0, 0)}[motion]
        torque = {built.trailer.chassis: np.multiply(axis, 40.0)}
        run = sh.Simulation(in_the_air(scene), dt=0.005).run(2.5, torque=torque, every=5)
        if coordinate is None:
            assert np.degrees(mech.values(run, built.hitch.tilt).max()) < 0.2
        else:
            angle = np.degrees(mech.values(run, built.hitch.coordinate(coordinate)))
            assert angle[-1] == pytest.approx(limit, abs=0.2)
            assert angle.max() < limit + 0.2


def test_a_car_with_a_differential_turns_the_wheel_that_slips_and_both_get_the_same_torque() -> None:
    """On a split of friction, here brakes of 1 and 30 N m: t = (r/2)(T - I_s w_s') on each, w_s = r (w_l + w_r)/2.

    The left one slips: I w' = t - 1 N m with w_s' = r w'/2; the right one stands, held by all of t.
    """
    drive = sh.FinalDrive(ratio=4.0, mass=3.0, radius=0.05)
    wheel, torque = sh.RoadWheel(mass=8.0), 4.0
    axle = {"wheel": wheel, "track": 0.6, "brake": True}
    axles = {"front": sh.Axle(x=0.4, **axle), "rear": sh.Axle(x=-0.4, final_drive=drive, **axle)}
    vehicle = sh.Vehicle(shapes=(sh.Box(1.0, 0.4, 0.2, mass=60.0, position=(0.05, 0, 0.3)),), axles=axles)
    scene = sh.Scene("split")
    built = vehicle.build(scene, "car")
    loads, _ = vehicle.static_loads("car")
    on_posts(scene, [corner.wheel for corner in built.corners], loads)
    rear = built.axles["rear"]
    assert rear.shaft is not None and rear.differential is not None
    sim = sh.Simulation(in_the_air(scene), dt=0.002)
    for corner, level in zip(built.corners, (30.0, 30.0, 1.0, 30.0), strict=True):
        sim.set(corner.brake, level)
    run = sim.run(0.5, torque={rear.shaft: torque})
    lever = drive.ratio / 2
    inertia = float(rear.left.wheel.properties.inertia[1, 1])
    pace = (lever * torque - 1.0) / (inertia + lever**2 * drive.inertia)
    passed = lever * (torque - drive.inertia * lever * pace)
    near = {"rel": 2e-3}  # the car rocks on its springs under the torques of shaft and wheels
    assert float(run[rear.left.spin.speed][-1]) == pytest.approx(0.5 * pace, **near)
    assert np.abs(run[rear.right.spin.angle]).max() < 1e-6 * run[rear.left.spin.angle].max()  # it holds to six digits
    np.testing.assert_allclose(run[rear.shaft.speed], lever * run[rear.left.spin.speed], atol=1e-6)
    for place in (1, 2):
        assert float(run[rear.differential.effort(place)][-2]) == pytest.approx(passed, **near)
