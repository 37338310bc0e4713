"""Leaf-spring beam axles, walking beams, and the travel of wheels in metres."""

from __future__ import annotations

import numpy as np
import pytest
from test_vehicles import in_the_air, on_posts

import sharnir as sh
from sharnir.assemblies.mount import as_vec3
from sharnir.assemblies.suspensions import SUSPENSIONS

G = 9.81
RATE = 2e4  # N/m of a leaf


def beam(x: float, **more: object) -> sh.BeamAxle:
    return sh.BeamAxle(x=x, track=0.9, seats=0.6, leaf=sh.Leaf(RATE, 2000.0), bump_stops=None, **more)


def held(scene: sh.Scene, chassis: sh.Body) -> sh.Scene:
    """The scene without contacts; posts do not hold sideways, as tyres would."""
    hold = sh.Spring(5e4, 2e3, rest=None)
    for x, away in ((0.0, (-5.0, 0.0)), (0.5, (0.0, -5.0)), (-0.5, (0.0, -5.0))):  # lengthwise, and across twice
        ends = [as_vec3(chassis.pose.point((x + dx, dy, 0.3))) for dx, dy in ((0.0, 0.0), away)]
        strut = sh.Strut(anchor_a=ends[1], anchor_b=ends[0])
        scene.joint(f"hold {len(scene.joints)}", strut, scene.world, chassis, spring=hold)
    return in_the_air(scene)


def test_a_beam_axle_stands_as_built_and_sinks_and_rolls_by_the_rates_of_its_leaves():
    """Heave F/2k and roll T/(k s^2/2) of an axle on leaves k, the seats s apart; the static loads leave it where it
    was put, also with the weight on one side: (F_l - F_r) s = (N_l - N_r) b."""
    scene = sh.Scene("axle", gravity=(0, 0, 0))
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True)
    built = beam(0.0).build(scene, chassis, "rear", (0.0, 0.0), None, 0.0)
    hub = built.left.hub
    lift, roll = 200.0, 50.0
    run = sh.Simulation(scene, dt=0.005).run(2.0, force={hub: (0, 0, lift)}, torque={hub: (roll, 0, 0)})
    angle, rise = roll / (RATE * 0.6**2 / 2), lift / (2 * RATE)
    travels = [float(run[corner.travel][-1]) for corner in built.corners]
    assert sum(travels) / 2 == pytest.approx(rise, rel=1e-3)
    assert (travels[0] - travels[1]) / 0.9 == pytest.approx(np.sin(angle), rel=5e-3)  # struts tilt: second order
    vehicle = sh.Vehicle(
        shapes=(sh.Box(1.4, 0.4, 0.2, mass=120.0, position=(0.1, 0.03, 0.35)),), axles={"a": beam(0.5), "b": beam(-0.5)}
    )
    scene = sh.Scene("truck")
    truck = vehicle.build(scene, "truck", heading=0.3)
    on_posts(scene, [corner.wheel for corner in truck.corners], vehicle.static_loads("truck")[0])
    standing = held(scene, truck.chassis)
    run = sh.Simulation(standing, dt=0.005).run(0.5, every=10)
    assert max(float(np.abs(run[corner.travel]).max()) for corner in truck.corners) < 5e-5
    moved = run[truck.chassis.position].values - np.array(truck.chassis.spec.position)
    assert np.abs(moved).max() < 5e-5
    run = sh.Simulation(standing, dt=0.005).run(2.0, every=10, force={truck.chassis: (0, 0, -400.0)})
    sunk = np.mean([float(run[corner.travel][-1]) for corner in truck.corners])
    assert sunk == pytest.approx(400.0 / (4 * RATE), rel=2e-3)


def test_walking_beams_share_their_load_evenly_over_a_step():
    """One wheel of a beam raised by h: both carry the same still, the pivot rises by h/2, and the beam turns by
    asin(h/l)."""
    tandem = sh.WalkingBeam(x=-0.4, track=0.9, wheelbase=0.6, friction=sh.Viscous(20.0))
    vehicle = sh.Vehicle(
        shapes=(sh.Box(1.4, 0.4, 0.2, mass=120.0, position=(0.0, 0.0, 0.35)),),
        axles={"front": beam(0.6), "rear": tandem},
    )
    scene = sh.Scene("tandem")
    built = vehicle.build(scene, "truck")
    assert [corner.wheel.name for corner in built.left] == [
        "truck_front_left_wheel",
        "truck_rear_left_front_wheel",
        "truck_rear_left_rear_wheel",
    ]
    loads = vehicle.static_loads("truck")[0]
    shared = [*loads[:2], *np.repeat(0.5 * np.array(loads[2:]), 2)]
    on_posts(scene, [corner.wheel for corner in built.corners], shared)
    rear = built.axles["rear"]
    assert isinstance(rear, sh.BuiltBeams)
    standing = held(scene, built.chassis)
    run = sh.Simulation(standing, dt=0.005).run(0.5, every=10)
    assert max(float(np.abs(run[corner.travel]).max()) for corner in built.corners) < 1e-4
    height, posts = 0.05, {corner: standing.joints[f"{corner.wheel.name}_post"] for corner in built.corners}
    for post in (posts[rear.left_front], posts[rear.right_front]):  # both front wheels of the beams on a step
        raised = sh.Spring(1e7, 2e4, rest=1.0 + height, preload=post.springs["length"].preload)
        post.springs["length"] = raised
    sim = sh.Simulation(standing, dt=0.005)
    run = sim.run(3.0, every=20)
    for front, behind in ((rear.left_front, rear.left_rear), (rear.right_front, rear.right_rear)):
        carried = [float(run[posts[corner].spring_force()][-1]) for corner in (front, behind)]
        assert carried[0] == pytest.approx(carried[1], rel=5e-3)
        pivot = front.hub
        risen = float(run[pivot.position][-1, 2]) - pivot.spec.position[2]
        assert risen == pytest.approx(height / 2, abs=1e-3)
    angle = float(run[rear.left_pivot.angle][-1])
    pitch = float(2 * run[built.chassis.rotation].values[-1][1])
    assert angle - pitch == pytest.approx(np.arcsin(height / 0.6), abs=2e-3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_travel_is_in_metres_at_the_wheel(side):
    """A swing axle turned by q: the centre rises by y sin q + z (cos q - 1), with (y, z) from the pivot; a trailing arm
    likewise along x; what is steered or rolls does not matter."""
    angle = 0.1
    for name, along in (("swing_axle", 1), ("trailing_arm", 0)):
        suspension = SUSPENSIONS[name](spring=None)
        scene = sh.Scene("corner", gravity=(0, 0, 0))
        chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True, position=(0, 0, 1), rotation=(0, 0, 0.6, 0.8))
        corner = suspension.attach(scene, chassis, "corner", (0.5, 0.4, -0.2), side)
        reach, up = abs(suspension.pivot[along]), -suspension.pivot[2]
        sim = sh.Simulation(scene, dt=0.005)
        sim.set(corner.guided, angle)
        assert sim.get(corner.travel) == pytest.approx(reach * np.sin(angle) + up * (np.cos(angle) - 1), abs=1e-9)
    ruler = scene.ruler("other", scene.world, corner.wheel, axis=(0, 2, 0), point=(0, 0.1, 0))
    assert ruler.spec.zero == pytest.approx(corner.wheel.pose.point((0, 0.1, 0))[1])
