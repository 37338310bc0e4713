"""Coordinates and rates that are set: closed forms of positions and velocities, loops, files, the exact twin."""

from __future__ import annotations

import numpy as np
import pytest
from test_mechanics_loops import CRANK, ROD, planar_arm, slider_crank

import sharnir as sh
from sharnir.reference import solve

Y = (0.0, 1.0, 0.0)
ANGLES = np.array([0.0, 0.4, -0.7, 1.3])
BENDS = np.array([0.1, 0.9, 2.0, 0.3])


def hand_at(shoulder: np.ndarray, elbow: np.ndarray) -> np.ndarray:
    """Where the hand's frame is: 0.5 m along the upper arm, 0.2 m along itself, turned about y."""
    x = 0.5 * np.cos(shoulder) + 0.2 * np.cos(shoulder + elbow)
    z = -0.5 * np.sin(shoulder) - 0.2 * np.sin(shoulder + elbow)
    return np.stack([x, np.zeros_like(x), z], axis=-1)


def test_what_hangs_on_a_joint_moves_with_it_in_every_world():
    scene, (shoulder, elbow), hand = planar_arm()
    sim = sh.Simulation(scene, worlds=4)
    sim.set(elbow.angle, BENDS)
    sim.set(shoulder.angle, ANGLES)  # the elbow keeps its angle
    np.testing.assert_allclose(sim.get(hand.position), hand_at(ANGLES, BENDS), atol=1e-12)
    sim.set(shoulder.speed, 2.0)
    sim.set(elbow.speed, np.array([0.0, 1.0, -1.0, 3.0]))
    h = 1e-6
    rates = np.array([2.0, 3.0, 1.0, 5.0])  # of the hand's direction
    ahead, back = (hand_at(ANGLES + s * 2.0 * h, BENDS + s * (rates - 2.0) * h) for s in (1, -1))
    np.testing.assert_allclose(sim.get(hand.velocity), (ahead - back) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(sim.get(hand.angular_velocity)[:, 1], rates, atol=1e-12)
    sim.pose({elbow: 0.5}, worlds=[2])
    np.testing.assert_allclose(sim.get(elbow.angle), np.where(np.arange(4) == 2, 0.5, BENDS), atol=1e-12)
    np.testing.assert_allclose(sim.get(shoulder.speed), 2.0, atol=1e-12)  # rates stay


def test_a_posed_simulation_moves_as_one_that_was_described_there():
    """The next step starts from what was set, not from velocities in the middle of the step before."""
    scene, (shoulder, elbow), _ = planar_arm()
    sim = sh.Simulation(scene)
    sim.step(7)
    sim.pose({shoulder: 0.4, elbow: 0.9}, {shoulder: 1.0, elbow: 0.0})
    scene.pose({shoulder: 0.4, elbow: 0.9}, {shoulder: 1.0})
    drawn = sh.Simulation(scene)
    sim.step(100)
    drawn.step(100)
    angle = sim.taps.reader(elbow.angle)
    sim.taps.refresh()
    assert angle() == pytest.approx(drawn.get(elbow.angle), abs=1e-7)
    exact = solve(scene, 0.5, dt=0.1)
    assert drawn.get(shoulder.angle) == pytest.approx(float(exact[shoulder.angle][-1]), abs=1e-4)


@pytest.mark.parametrize("angle", [2.0, -1.0, 6.5])
def test_a_loop_follows_and_velocities_agree_with_all_its_joints(angle):
    scene, joints = slider_crank(0.7)
    sim = sh.Simulation(scene)
    sim.pose({joints["shaft"]: angle}, {joints["shaft"]: 3.0})
    along = np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    assert sim.get(scene.bodies["slider"].position)[0] == pytest.approx(CRANK * np.cos(angle) + along, abs=1e-12)
    speed = -CRANK * np.sin(angle) - CRANK**2 * np.sin(angle) * np.cos(angle) / along
    assert sim.get(scene.bodies["slider"].velocity)[0] == pytest.approx(3.0 * speed, abs=1e-11)
    assert sim.get(joints["shaft"].angle) == angle  # turns and all
    assert max(sim.get(joint.gap) for joint in joints.values()) < 1e-11


def test_what_cannot_be_posed_is_refused_by_name():
    scene, joints = slider_crank(0.7)
    sim = sh.Simulation(scene)
    with pytest.raises(sh.SceneError, match=r"'guide.displacement' cannot be 0.3 with the other coordinates"):
        sim.pose({joints["shaft"]: 0.8, joints["guide"]: 0.3})
    with pytest.raises(sh.SceneError, match=r"cannot be posed|not determined by guide.displacement"):
        sim.set(joints["guide"].displacement, 0.5)
    with pytest.raises(sh.SceneError, match=r"rate of 'pin.angle' cannot be 9 with the others"):
        sim.pose({}, {joints["shaft"]: 1.0, joints["pin"]: 9.0})
    arm, (_, elbow), _ = planar_arm()
    with pytest.raises(sh.SceneError, match=r"'elbow.angle' is given -0.1, its limits are 0 and 2.5"):
        sh.Simulation(arm).set(elbow.angle, -0.1)
    with pytest.raises(sh.SceneError, match="'nobody' is no coordinate"):
        sh.Simulation(arm).pose({"nobody": 1.0})
    with pytest.raises(sh.SceneError, match="reset: worlds is 7; give a list of numbers below 1"):
        sh.Simulation(arm).reset(worlds=7)
    with pytest.raises(sh.SceneError, match=r"names worlds twice; give a mask of True and False"):
        sh.Simulation(arm, worlds=4).reset(worlds=np.array([0, 1, 1, 0]))
    untouched = sh.Simulation(arm, dt=0.01)
    untouched.step(2)
    untouched.reset(worlds=np.flatnonzero([False]))  # none
    assert untouched.time == pytest.approx(0.02)
    with pytest.raises(sh.SceneError, match=r"inverse_kinematics: 'lower' is no moving frame; give a body"):
        untouched.inverse_kinematics({"lower": (0, 0, 0)})


def test_joints_start_at_their_initial_values_also_from_a_file(tmp_path):
    scene = sh.Scene("started")
    upper = scene.body("upper", mass=1.0, inertia=(0.02,) * 3, position=(0.25, 0, 0))
    hand = scene.body("hand", mass=1.0, inertia=(0.02,) * 3, position=(0.7, 0, 0))
    scene.joint("shoulder", sh.Revolute(axis=Y), scene.world, upper, initial=0.4)
    elbow = scene.joint(
        "elbow", sh.Revolute(axis=Y, anchor=(0.5, 0, 0)), upper, hand, initial={"angle": 0.9 + 2 * np.pi}
    )
    loaded = sh.Scene.load(scene.save(tmp_path / "started.yaml"))
    for one in (scene, loaded):
        sim = sh.Simulation(one)
        np.testing.assert_allclose(sim.get(hand.position), hand_at(np.array(0.4), np.array(0.9)), atol=1e-12)
        assert sim.get(elbow.angle) == pytest.approx(0.9 + 2 * np.pi, abs=1e-12)
        sim.step(3)
        sim.reset()
        np.testing.assert_allclose(sim.get(hand.position), hand_at(np.array(0.4), np.array(0.9)), atol=1e-12)
    with pytest.raises(sh.SceneError, match=r"'slip' initial is 0.1; give by name: angle, displacement"):
        scene.joint("slip", sh.Cylindrical(), scene.world, hand, initial=0.1)


def test_what_inverse_kinematics_finds_can_be_posed():
    scene, _, hand = planar_arm()
    sim = sh.Simulation(scene)
    sim.pose(sim.inverse_kinematics({(hand, (0.2, 0, 0)): (0.5, 0, -0.5)}))
    tip = sim.get(hand.position) + 0.2 / 0.2 * (sim.get(hand.position) - elbow_of(sim, scene))
    np.testing.assert_allclose(tip, (0.5, 0, -0.5), atol=1e-7)


def elbow_of(sim: sh.Simulation, scene: sh.Scene) -> np.ndarray:
    return 2.0 * sim.get(scene.bodies["upper"].position)
