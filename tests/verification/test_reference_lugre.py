"""The exact twin with bristle friction: [004]'s double pendulum and the stick-slip block."""

from __future__ import annotations

import os

import mechanisms as mech
import numpy as np
import pytest

import sharnir as sh
from sharnir.reference import solve

LENGTH, RADIUS = 2.0, 0.2
LAW = sh.LuGre(0.3, 0.4, speed=1e-3, stiffness=1e6, damping=100.0, load=sh.Load(radius=RADIUS))


def double_pendulum(
    angles: tuple[float, float] = (np.pi / 2, 0.0), speeds: tuple[float, float] = (0.0, 0.0)
) -> tuple[sh.Scene, tuple[sh.Joint, sh.Joint]]:
    """Rods of 2 and 1 kg, 2 m each; joint angles from the vertical and from rod 1, counted up from x towards z."""
    scene = sh.Scene("double pendulum")
    hang, spin = np.cumsum(angles), np.cumsum(speeds)
    pin, velocity, holder, joints = np.zeros(3), np.zeros(3), scene.world, []
    for i, mass in enumerate((2.0, 1.0)):
        along = LENGTH * np.array([np.sin(hang[i]), 0.0, -np.cos(hang[i])])
        moving = spin[i] * LENGTH * np.array([np.cos(hang[i]), 0.0, np.sin(hang[i])])
        inertia = mass * LENGTH**2 / 12
        rod = scene.body(
            f"rod{i + 1}",
            mass=mass,
            inertia=(0.01 * inertia, inertia, inertia),
            position=pin + along / 2,
            rotation=(0, np.sin((np.pi / 2 - hang[i]) / 2), 0, np.cos((np.pi / 2 - hang[i]) / 2)),
            velocity=velocity + moving / 2,
            angular_velocity=(0, -spin[i], 0),
        )
        hinge = sh.Revolute(axis=(0, -1, 0), anchor=pin, drawn_at=angles[i])
        joints.append(scene.joint(f"pin{i + 1}", hinge, holder, rod, friction=LAW))
        pin, velocity, holder = pin + along, velocity + moving, rod
    return scene, (joints[0], joints[1])


def normal_force(run: sh.Trajectory, pin: sh.Joint) -> np.ndarray:
    """N from the whole pin force F and the friction torque R F_f: N^2 = F^2 - F_f^2."""
    force = np.linalg.norm(mech.values(run, pin.reaction_force), axis=-1)
    friction = np.linalg.norm(mech.values(run, pin.friction_impulse()), axis=-1) / run.data.attrs["dt"] / RADIUS
    return np.sqrt(force**2 - friction**2)


CASE_1 = {  # t: theta1, theta2, omega1, omega2, N1, N2
    0.5: (0.85709, 1.58692, -2.36208, -1.29495, 34.02175, 11.12402),
    1.0: (-0.08314, -0.50945, -1.91088, -4.46778, 53.57777, 29.16128),
    2.0: (-1.09235, -1.80829, 1.38780, -0.56416, 18.65747, 5.80879),
    3.0: (0.47852, 1.31413, 2.11132, 1.33913, 35.50034, 11.35168),
    5.0: (-0.88967, -1.27369, -0.67029, -0.79369, 19.81503, 7.08236),
}


def test_case_1() -> None:
    """From theta1 = theta2 = pi/2 at rest. The table has five decimals: half of the last, and 1e-6 for our own."""
    scene, (first, second) = double_pendulum()
    run = solve(scene, 5.2, dt=1e-3, rtol=1e-9)
    angle, speed = mech.values(run, first.angle), mech.values(run, first.speed)
    relative, relative_speed = mech.values(run, second.angle), mech.values(run, second.speed)
    table = np.stack(
        [angle, angle + relative, speed, speed + relative_speed, normal_force(run, first), normal_force(run, second)],
        axis=1,
    )
    for t, row in CASE_1.items():
        np.testing.assert_allclose(table[round(t / 1e-3)], row, atol=5e-6 + 1e-6, err_msg=f"t = {t}")
    turns = np.flatnonzero(speed[1:-1] * speed[2:] < 0.0) + 1
    found = [mech.times(run)[k] - speed[k] * 1e-3 / (speed[k + 1] - speed[k]) for k in turns]
    # straight lines between samples 1 ms apart: the friction changes within such a millisecond
    np.testing.assert_allclose(found, [1.71683, 3.50817, 5.15492], atol=4e-5)
    np.testing.assert_allclose(angle[turns], [-1.30214, 1.14318, -0.94229], atol=7e-6)


def push(t: float) -> np.ndarray:
    """The couple on each rod of case 2, N m; angles count about -y."""
    return np.array([0.0, -6.0 * np.sin(2 * np.pi * t), 0.0])


# The state at whole seconds of the limit cycle of case 2, by Newton steps on the map over one period; joint angles and
# speeds. The largest eigenvalue of that map is 0.8952: from rest, a difference of 1 rad is 4e-4 rad after 70 s.
CYCLE = (0.0366370713, -0.1182646647, 0.1450774490, -1.2263834301)


def test_case_2_is_periodic() -> None:
    """Driven by 6 sin(2 pi t), started on its limit cycle: the same after 1 s, and the reaction jumps at reversals."""
    scene, pins = double_pendulum(angles=CYCLE[:2], speeds=CYCLE[2:])
    run = solve(scene, 2.0, torque={scene.bodies["rod1"]: push, scene.bodies["rod2"]: push}, dt=1e-3, rtol=1e-8)
    for pin in pins:
        for quantity in (pin.angle, pin.speed):
            values = mech.values(run, quantity)
            # bristles start relaxed, which the cycle's are not: less force for the first micrometre
            np.testing.assert_allclose(values[1000:], values[:1001], atol=1.5e-4)
    speed, force = mech.values(run, pins[0].speed), normal_force(run, pins[1])
    for reversal in np.flatnonzero(speed[:-1] * speed[1:] < 0.0):
        jump = abs(force[reversal + 3] - force[reversal - 3])
        assert jump > 4 * np.median(np.abs(force[6:] - force[:-6]))


@pytest.mark.skipif("SHARNIR_SLOW" not in os.environ, reason="takes a minute; set SHARNIR_SLOW=1 to run it")
def test_case_2_from_rest() -> None:
    """From theta1 = theta2 = pi/2 at rest the limit cycle is reached after about 70 s."""
    scene, pins = double_pendulum()
    couples = {scene.bodies["rod1"]: push, scene.bodies["rod2"]: push}
    run = solve(scene, 72.0, torque=couples, dt=0.01, rtol=1e-7)
    for pin in pins:
        angle = mech.values(run, pin.angle)
        assert np.abs(angle[7100:] - angle[7000:7101]).max() < 2e-3
    assert abs(mech.values(run, pins[0].angle)[-1] - CYCLE[0]) < 1e-3


def test_stick_slip_block() -> None:
    """M 1 pulled through K 2 at 0.1 m/s: at 25 s x = 1.9088391992, z = 1.18167955e-5."""
    stiffness = 1e5
    law = sh.LuGre(1.0, 1.5, speed=1e-3, stiffness=stiffness, damping=np.sqrt(stiffness), viscous=0.4)
    scene, guide = mech.slider(1.0, gravity=0.0, friction=law, spring=sh.Spring(2.0))
    run = solve(scene, 25.0, force={guide: lambda t: 0.2 * t})
    assert abs(mech.values(run, guide.displacement)[-1] - 1.9088391992) < 1e-8
    # at 25 s the block creeps, F = -(s0 z + s1 z' + s2 v): z from the force with z' and v of the last samples
    speed = mech.values(run, guide.speed)[-1]
    force = np.linalg.norm(mech.values(run, guide.friction_impulse())[-1]) / 0.01
    level = 1.0 + 0.5 * np.exp(-((speed / 1e-3) ** 2))
    z = _deflection(force, speed, level, stiffness)
    assert abs(z - 1.18167955e-5) < 1e-12


def _deflection(force: float, speed: float, level: float, stiffness: float) -> float:
    """z of F = s0 z + s1 (v - s0 |v| z/g) + s2 v."""
    damping = np.sqrt(stiffness)
    return (force - (damping + 0.4) * speed) / (stiffness * (1 - damping * abs(speed) / level))


def test_dahl_slows_down() -> None:
    """m v dv/dx = -s0 z, z = (F/s0)(1 - exp(-s0 x/F)): m (v0^2 - v^2)/2 = F (x - (F/s0)(1 - exp(-s0 x/F)))."""
    level, stiffness, start = 2.0, 400.0, 1.0
    scene = sh.Scene("dahl", gravity=mech.FREE)
    block = scene.body("block", mass=1.0, inertia=(1, 1, 1), velocity=(start, 0, 0))
    law = sh.Dahl(level, stiffness)
    guide = scene.joint("guide", sh.Prismatic(axis=(1, 0, 0)), scene.world, block, friction=law)
    run = solve(scene, 0.4)
    x, v = mech.values(run, guide.displacement), mech.values(run, guide.speed)
    work = level * (x - level / stiffness * (1 - np.exp(-stiffness * x / level)))
    np.testing.assert_allclose(0.5 * (start**2 - v**2), work, atol=1e-9)


def test_lugre_slides_like_stribeck() -> None:
    """At a constant speed z' = 0 and F = g(v) + s2 v: a pulled block comes to (F - level)/s2 = 0.5 m/s."""
    friction = sh.LuGre(1.0, 1.5, speed=1e-3, stiffness=1e5, damping=300.0, viscous=2.0)
    scene, guide = mech.slider(1.0, gravity=0.0, friction=friction)
    run = solve(scene, 12.0, force={guide: 2.0}, rtol=1e-8)
    assert abs(mech.values(run, guide.speed)[-1] - 0.5) < 1e-9


def test_ball_with_lugre_matches_coulomb() -> None:
    """Stiff bristles in a ball joint: true Coulomb friction stops I = (1, 2, 3) at 3.0780 s, and so do they."""
    law = sh.LuGre(2.0, 2.0, speed=1e-3, stiffness=2e5, damping=1.0)
    scene = mech.free_or_ball_body((1, 2, 3), (3, 2, 1), friction=law)
    run = solve(scene, 3.2, dt=1e-3, rtol=1e-7)
    speed = np.linalg.norm(mech.values(run, scene.bodies["body"].angular_velocity), axis=-1)
    assert abs(mech.first_time(run, speed < 1e-3) - 3.0780) < 2e-3
