"""Recorded runs: many steps on the tape in one launch, and the same steps one by one."""

import numpy as np
import pytest

import sharnir as sh


def pendulum(worlds: int = 1, dry: bool = True, **settings) -> tuple[sh.Simulation, sh.Joint]:
    scene = sh.Scene("tape")
    arm = scene.body("arm", sh.Box(0.6, 0.05, 0.05, mass=2.0), position=(0.3, 0, 0))
    tip = scene.body("tip", sh.Sphere(0.05, mass=0.5), position=(0.8, 0, 0))
    rubs = {"friction": sh.Coulomb(0.3), "limits": (-1.0, 1.2)} if dry else {}
    hinge = scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, arm, **rubs)
    scene.joint("ball", sh.Spherical(anchor=(0.6, 0, 0)), arm, tip)
    return sh.Simulation(scene, dt=0.002, worlds=worlds, **settings), hinge


def push(time: float) -> float:
    return 6.0 * np.sin(9.0 * time).item() if time < 0.4 else 0.0


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"integrator": "semi-implicit-euler"},
        {"integrator": "rk4", "dry": False},
        {"solver": "sequential-impulses"},
        {"worlds": 3},
    ],
    ids=str,
)
def test_steps_on_the_tape_are_the_steps_made_one_by_one(settings: dict) -> None:
    sim, hinge = pendulum(**settings)
    if sim.worlds > 1:
        sim.set(hinge.speed, [0.0, 0.5, -0.5])
    start = sim.snapshot()
    assert sim.can_record
    together = sim.run(0.9, torque={hinge: push})
    sim.restore(start)
    one_by_one = sim.run(0.9, torque={hinge: push}, before_step=lambda sim: None)
    assert float(np.ptp(together[hinge.angle].values)) > 0.5
    for name in one_by_one.data:
        np.testing.assert_array_equal(together.data[name], one_by_one.data[name], err_msg=str(name))


def test_every_other_frame_is_that_of_the_whole_run() -> None:
    sim, hinge = pendulum()
    whole = sim.run(0.6)
    sim.reset()
    sparse = sim.run(0.6, every=3)
    np.testing.assert_array_equal(whole[hinge.angle][::3], sparse[hinge.angle])
    np.testing.assert_array_equal(whole[hinge.speed][:-1:3], sparse[hinge.speed][:-1])  # the last is extrapolated


def test_an_input_may_follow_the_simulation() -> None:
    """A spring by hand, tau = -k angle: the state at the start of each step, so none of them is worked out ahead."""
    sim, hinge = pendulum()
    seen = []

    def spring(time: float, simulation: sh.Simulation) -> float:
        seen.append((time, simulation.get(hinge.angle)))
        return -4.0 * simulation.get(hinge.angle)

    run = sim.run(0.3, torque={hinge: spring})
    angles = np.asarray(run[hinge.angle])
    np.testing.assert_allclose([time for time, _ in seen], 0.002 * (np.arange(150) + 0.5))
    np.testing.assert_array_equal([angle for _, angle in seen], angles[:-1])
    np.testing.assert_array_equal(run[hinge.effort()][1:], -4.0 * angles[:-1])


def test_the_exact_twin_refuses_what_follows_the_simulation() -> None:
    sim, hinge = pendulum()
    with pytest.raises(sh.SceneError, match=r"torque of 'hinge\.angle' follows the simulation"):
        sh.reference.solve(sim.scene, 0.1, torque={hinge: lambda time, sim: 0.0})


def test_a_run_that_a_fault_ends_has_the_frames_until_then(tmp_path) -> None:
    sim, hinge = pendulum(top_speed=3.0, fault_folder=tmp_path)
    with pytest.raises(sh.SimulationFault) as stopped:
        sim.run(2.0, torque={hinge: 60.0})
    run = stopped.value.run
    assert len(run) == stopped.value.step + 2  # the start, and the step that failed
    sim.reset()
    with pytest.raises(sh.SimulationFault) as slowly:
        sim.run(2.0, torque={hinge: 60.0}, before_step=lambda sim: None)
    np.testing.assert_array_equal(run[hinge.angle], slowly.value.run[hinge.angle])


def test_a_world_that_stops_stays_where_it_is_on_the_tape(tmp_path) -> None:
    sim, hinge = pendulum(worlds=2, top_speed=300.0, fault_folder=tmp_path)
    with pytest.raises(sh.SimulationFault) as stopped:
        sim.run(1.0, torque={hinge: [0.0, 1e5]})
    run, step = stopped.value.run, stopped.value.step
    angle = np.asarray(run[hinge.angle])
    assert len(run) == 501 and stopped.value.world == 1
    assert np.all(angle[step + 2 :, 1] == angle[-1, 1])
    assert np.ptp(angle[step + 2 :, 0]) > 0.1


def test_a_trajectory_reads_the_same_alone_and_from_its_dataset() -> None:
    sim, hinge = pendulum()
    run = sim.run(0.1)
    alone = run[hinge.speed]
    assert alone.identical(run[hinge.speed]) and not hasattr(run._data, "data_vars")
    again = sh.Trajectory(run.data)
    assert alone.identical(again[hinge.speed])
    assert run[sim.scene.bodies["tip"].position].identical(again[sim.scene.bodies["tip"].position])
