"""What a description tells before anything moves: locked loops, joints given twice, units, servos."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from warned import MOTOR, UPRIGHT, four_bar, names, pendulum, stand, text_of

import sharnir as sh
from sharnir.model.softs import softs_of
from sharnir.scene.mobility import locked_loops
from sharnir.watching.servos import inertia_at

pytestmark = pytest.mark.filterwarnings("ignore::sharnir.SimulationWarning")


# --- loops ------------------------------------------------------------------------------------------------------------


def test_a_hinge_that_is_not_parallel_locks_a_four_bar_and_is_named():
    scene = four_bar(UPRIGHT, (0.02, 1, 0))
    with pytest.warns(sh.SimulationWarning, match="locked-loop"):
        sim = sh.Simulation(scene)
    said = text_of(sim, "locked-loop")
    assert "'A', 'B', 'C', 'D'" in said
    assert "the frame of 'B' is off" in said and "Spherical" in said
    run = sim.run(0.5, torque={scene.joints["A"]: 2.0})
    assert abs(float(run[scene.joints["A"].angle][-1])) < 0.05  # it is true


def test_a_four_bar_of_parallel_hinges_moves_unwarned():
    scene = four_bar()
    run = sh.Simulation(scene).run(0.5, torque={scene.joints["A"]: 2.0})
    assert names(run) == []
    assert abs(float(run[scene.joints["A"].angle][-1])) > 0.5


@pytest.mark.parametrize("off", [1e-3, 0.3])
@pytest.mark.parametrize("which", range(4))
def test_the_hinge_that_is_off_is_found_wherever_it_is(which, off):
    axes = [UPRIGHT] * 4
    axes[which] = (off, 1, 0.5 * off)
    (loop,) = locked_loops(four_bar(*axes))
    assert [joint.name for joint in loop.joints] == list("ABCD")
    assert [joint.name for joint in loop.culprits] == ["ABCD"[which]]


def test_what_is_rounding_in_a_file_is_no_lock():
    assert locked_loops(four_bar(UPRIGHT, (1e-7, 1, 0))) == []


def test_a_ball_in_place_of_the_hinge_frees_the_loop():
    scene = four_bar()
    scene.joints.pop("B")
    scene.joint("B", sh.Spherical(anchor=(0.3, 0, 0.4)), scene.bodies["link 0"], scene.bodies["link 1"])
    assert locked_loops(scene) == []


def test_a_velocity_is_not_yet_a_motion():
    """Two bars in line between two pins could begin to move, and cannot."""
    scene = sh.Scene("toggle")
    left, right = (
        scene.body(name, sh.Sphere(0.05, mass=1.0), position=(x, 0, 0))
        for name, x in zip("lr", (0.5, 1.5), strict=True)
    )
    for name, x, a, b in (("a", 0, scene.world, left), ("b", 1, left, right), ("c", 2, right, scene.world)):
        scene.joint(name, sh.Revolute(axis=UPRIGHT, anchor=(x, 0, 0)), a, b)
    (loop,) = locked_loops(scene)
    assert [joint.name for joint in loop.joints] == ["a", "b", "c"]


def test_a_parallelogram_on_its_dead_centre_moves():
    scene = sh.Scene("parallelogram")
    ends = [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)]  # both cranks and the coupler lie in one line
    links = [
        scene.body(f"link {i}", sh.Sphere(0.05, mass=1.0), position=np.mean(ends[i : i + 2], axis=0)) for i in range(3)
    ]
    for i, (a, b) in enumerate(zip([scene.world, *links], [*links, scene.world], strict=True)):
        scene.joint("ABCD"[i], sh.Revolute(axis=UPRIGHT, anchor=ends[i]), a, b)
    assert locked_loops(scene) == []


def test_only_the_part_that_is_locked_is_named():
    """A door in two hinges that are off, on a carriage that slides."""
    scene = sh.Scene("carriage")
    carriage = scene.body("carriage", sh.Box(1, 1, 0.1, mass=10.0))
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=20.0), position=(0.45, 0, 1))
    scene.joint("rail", sh.Prismatic(axis=(1, 0, 0)), scene.world, carriage)
    scene.joint("lower", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 0.3)), carriage, door)
    scene.joint("upper", sh.Revolute(axis=(0, 0.1, 1), anchor=(0, 0, 1.7)), carriage, door)
    (loop,) = locked_loops(scene)
    assert [joint.name for joint in loop.joints] == ["lower", "upper"]


def test_a_door_in_two_hinges_in_line_opens():
    scene = sh.Scene("door")
    door = scene.body("door", sh.Box(0.9, 0.04, 2.0, mass=20.0), position=(0.45, 0, 1))
    for name, height in (("lower", 0.3), ("upper", 1.7)):
        scene.joint(name, sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, height)), scene.world, door)
    assert locked_loops(scene) == []


def test_a_plate_on_six_rods_is_as_stiff_as_it_was_drawn():
    scene = sh.Scene("platform")
    plate = scene.body("plate", sh.Cylinder(0.5, 0.1, mass=5.0), position=(0, 0, 1))
    for i in range(6):
        foot, head = i * math.pi / 3 + 0.3 * (-1) ** i, i // 2 * 2 * math.pi / 3 + math.pi / 6
        ends = (math.cos(foot), math.sin(foot), 0), (0.4 * math.cos(head), 0.4 * math.sin(head), 1)
        scene.joint(f"rod {i}", sh.Distance(anchor_a=ends[0], anchor_b=ends[1]), scene.world, plate)
    assert locked_loops(scene) == []


# --- joints given twice, units ----------------------------------------------------------------------------------------


def test_the_same_hinge_twice():
    scene = pendulum()
    scene.joint("again", sh.Revolute(axis=(0, -1, 0)), scene.bodies["bob"], scene.world)
    said = text_of(sh.Simulation(scene), "repeated-joint")
    assert "'again' and 'pivot'" in said or "'pivot' and 'again'" in said
    assert "drop one" in said


def test_a_second_hinge_on_the_same_axis_and_springs_side_by_side_are_not_the_same():
    scene = pendulum()
    bob = scene.bodies["bob"]
    scene.joint("other end", sh.Revolute(axis=(0, 1, 0), anchor=(0, 0.2, 0)), scene.world, bob)
    for name in ("coil", "damper"):
        scene.spring(name, scene.world, bob, (1, 0, 1), (1, 0, 0), sh.Spring(10.0, 1.0, rest=None))
    assert names(sh.Simulation(scene)) == []


@pytest.mark.parametrize(
    ("shape", "more", "said"),
    [
        (sh.Box(900, 40, 2000, density=17.0), {}, "1.22e+09 kg"),  # mm for m
        (sh.Box(900, 40, 2000, mass=26.5), {}, "26.5 kg in 7.2e+07 m^3"),
        (sh.Box(0.9, 0.04, 2.0, mass=26.5e6), {}, "2.65e+07 kg"),  # mg for kg
        (sh.Box(0.0009, 0.00004, 0.002, mass=26.5), {}, "26.5 kg in 7.2e-11 m^3"),
        (sh.Box(0.9, 0.04, 2.0, mass=26.5), {"inertia": (1e7, 1e7, 1e7)}, "inertia of 1e+07 kg m^2"),
        (sh.Box(0.9, 0.04, 2.0, mass=26.5), {"inertia": (1e-5, 1e-5, 1e-5)}, "inertia of 1e-05 kg m^2"),
        (None, {"mass": 1.0, "inertia": (5e4, 5e4, 5e4)}, "224 m from its middle"),
    ],
)
def test_masses_sizes_and_inertias_in_other_units(shape, more, said):
    scene = sh.Scene()
    scene.body("thing", *([] if shape is None else [shape]), **more)
    found = text_of(sh.Simulation(scene), "odd-units")
    assert "body 'thing'" in found and said in found and "; give" in found


@pytest.mark.parametrize(
    "shape",
    [
        sh.Box(0.9, 0.04, 2.0, mass=26.5),
        sh.Box(50.0, 10.0, 2.0, density=7800.0),  # a part of a ship, 7800 t
        sh.Sphere(0.01, mass=1.0),  # a point mass
        sh.Sphere(0.5, density=1.2),  # a balloon
    ],
)
def test_large_small_heavy_and_light_things_that_exist(shape):
    scene = sh.Scene()
    scene.body("thing", shape)
    assert names(sh.Simulation(scene)) == []


def test_a_step_in_milliseconds():
    said = text_of(sh.Simulation(pendulum(), dt=5.0), "odd-units")
    assert "dt" in said and "give dt=0.005" in said
    assert names(sh.Simulation(pendulum(), dt=0.05)) == []


# --- servos -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [2.0, 1.45])
def test_an_unstable_speed_servo_is_told_beforehand_and_swings(gain):
    scene = stand(sh.SpeedServo(MOTOR, gain=gain, integral=10.0))
    axle = scene.joints["axle"]
    sim = sh.Simulation(scene, dt=0.005)
    said = text_of(sim, "unstable-servo")
    assert f"'axle.angle' (gain {gain:g}, integral 10)" in said and "dt below" in said
    speed = sim.run(2.0, target={axle: 2.0})[axle.speed].values[-100:]
    assert np.ptp(speed) > 0.5  # rad/s, for ever


@pytest.mark.parametrize(("gain", "dt", "inertia"), [(1.35, 0.005, 0.01), (2.0, 0.003, 0.01), (2.0, 0.005, 0.5)])
def test_a_servo_just_within_its_bound_settles_unwarned(gain, dt, inertia):
    """h gain M_s r < 2 (r^2 I_m + J) + h r^2 M_s/w_idle: a lower gain, a shorter step, or a heavier load."""
    scene = stand(sh.SpeedServo(MOTOR, gain=gain, integral=0.0), inertia)
    axle = scene.joints["axle"]
    run = sh.Simulation(scene, dt=dt).run(3.0, target={axle: 0.2})
    assert names(run) == []
    assert np.ptp(run[axle.speed].values[-50:]) < 1e-3


def test_the_remedy_is_right():
    scene = stand(sh.SpeedServo(MOTOR, gain=2.0, integral=10.0))
    said = text_of(sh.Simulation(scene, dt=0.005), "unstable-servo")
    share, dt = (float(number) for number in re.findall(r"below (\S+) (?:of|s)", said))
    assert names(sh.Simulation(scene, dt=0.97 * dt)) == []
    gentle = stand(sh.SpeedServo(MOTOR, gain=0.97 * share * 2.0, integral=0.97 * share * 10.0))
    assert names(sh.Simulation(gentle, dt=0.005)) == []
    assert names(sh.Simulation(scene, dt=1.1 * dt)) == ["unstable-servo"]


def test_position_servos_are_judged_with_damping_and_integral():
    assert names(sh.Simulation(stand(sh.PositionServo(MOTOR, gain=20.0, damping=0.1)))) == []
    assert names(sh.Simulation(stand(sh.PositionServo(MOTOR, gain=20.0, damping=3.0)))) == ["unstable-servo"]
    assert names(sh.Simulation(stand(sh.PositionServo(MOTOR, gain=1.0, integral=100.0)))) == ["unstable-servo"]


def test_the_load_that_a_drive_feels_is_that_of_the_whole_mechanism():
    """A mass of 3 kg on an arm of 0.8 m: m l^2."""
    scene = sh.Scene()
    arm = scene.body("arm", mass=1e-6, inertia=(1e-6,) * 3)
    mass = scene.body("mass", mass=3.0, inertia=(1e-6,) * 3, position=(0.8, 0, 0))
    scene.joint("axle", sh.Revolute(), scene.world, arm, drive=MOTOR)
    scene.joint("weld", sh.Fixed(), arm, mass)
    assert inertia_at(scene, softs_of(scene)[0]) == pytest.approx(3.0 * 0.8**2, rel=1e-5)


def test_a_target_beyond_the_limits():
    scene = stand(sh.PositionServo(MOTOR, gain=5.0, damping=0.1), limits=(-1.0, 1.0))
    axle = scene.joints["axle"]
    assert names(sh.Simulation(scene).run(0.1, target={axle: 1.0})) == []
    run = sh.Simulation(scene).run(0.1, target={axle: 1.5})
    said = text_of(run, "target-beyond-limit")
    assert "'axle.angle' is 1.5 rad" in said and "(-1, 1)" in said
    assert names(sh.Simulation(scene).run(0.1, target={axle: lambda t: -20.0 * t})) == ["target-beyond-limit"]
    sim = sh.Simulation(scene)
    sim.set(axle.target(), -1.2)
    sim.step()
    assert names(sim) == ["target-beyond-limit"]
    sim = sh.Simulation(scene)
    sim.set(axle.lower(), -1.3)
    sim.set(axle.target(), -1.2)
    sim.step()
    assert names(sim) == []
