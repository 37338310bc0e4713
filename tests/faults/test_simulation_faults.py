"""What happens when a run goes wrong: a fault names world, step, body and joint, and the other worlds go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sharnir as sh


def pendulum() -> tuple[sh.Scene, sh.Body, sh.Joint]:
    scene = sh.Scene("pendulum")
    rod = scene.body("rod", sh.Box(1, 0.1, 0.1, mass=1.0), position=(0.5, 0, 0))
    return scene, rod, scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, rod)


def test_runaway_is_caught_and_named(tmp_path: Path) -> None:
    scene, rod, pin = pendulum()
    sim = sh.Simulation(scene, dt=0.01, fault_folder=tmp_path)
    with pytest.raises(
        sh.SimulationFault, match=r"world 0 stopped at step 10 .*body 'rod'.*joint 'pin'.*ran away"
    ) as e:
        sim.run(1.0, torque={pin: lambda t: 0.0 if t < 0.1 else 1e9})
    fault = e.value
    assert (fault.world, fault.step, fault.body, fault.joint) == (0, 10, "rod", "pin")
    assert fault.file is not None and fault.file.is_file()
    saved = sh.Trajectory.load(fault.file)
    assert np.isfinite(saved[rod.position].values).all()
    assert len(saved.data["time"]) == 12  # the start, ten good steps, and the last good state again


def test_not_a_number_is_caught(tmp_path: Path) -> None:
    scene, rod, _ = pendulum()
    sim = sh.Simulation(scene, dt=0.01, fault_folder=tmp_path)
    sim.step(5)
    good = sim.get(rod.position)
    sim.control.force.numpy()[1] = np.nan
    with pytest.raises(sh.SimulationFault, match="no longer a number"):
        sim.step()
    np.testing.assert_array_equal(sim.get(rod.position), good)


def test_other_worlds_go_on(tmp_path: Path) -> None:
    scene, rod, pin = pendulum()
    sim = sh.Simulation(scene, dt=0.01, worlds=8, fault_folder=tmp_path)
    healthy = sh.Simulation(scene, dt=0.01, worlds=8)
    torque = np.zeros(8)
    torque[3] = 1e9
    sim.set(pin.effort(), torque)
    with pytest.raises(sh.SimulationFault, match="world 3") as e:
        sim.step(20)
    assert e.value.worlds == (3,)
    assert sim.stopped_worlds == (3,)
    sim.step(20)  # no second complaint about the same world
    healthy.step(40)
    others = [world for world in range(8) if world != 3]
    np.testing.assert_array_equal(sim.get(rod.position)[others], healthy.get(rod.position)[others])
    assert np.isfinite(sim.get(rod.position)).all()


def test_run_of_many_worlds_ends_before_it_complains(tmp_path: Path) -> None:
    scene, _rod, pin = pendulum()
    sim = sh.Simulation(scene, dt=0.01, worlds=4, fault_folder=tmp_path)
    with pytest.raises(sh.SimulationFault) as e:
        sim.run(0.5, torque={pin: np.array([0.0, 1e9, 0.0, 0.0])})
    assert sim.steps == 50
    assert len(e.value.run.data["time"]) == 51


def test_reset_clears_a_fault(tmp_path: Path) -> None:
    scene, rod, pin = pendulum()
    sim, fresh = sh.Simulation(scene, dt=0.01, fault_folder=tmp_path), sh.Simulation(scene, dt=0.01)
    sim.step(5)
    sim.control.force.numpy()[1] = np.inf
    with pytest.raises(sh.SimulationFault):
        sim.step()
    assert sim.stopped_worlds == (0,)
    sim.control.force.numpy()[1] = 0.0
    sim.reset()
    assert sim.stopped_worlds == ()
    np.testing.assert_array_equal(sim.get(rod.position), (0.5, 0, 0))
    sim.step(10)
    fresh.step(10)
    np.testing.assert_array_equal(sim.get(rod.position), fresh.get(rod.position))
    assert abs(sim.get(pin.angle)) > 0.05  # rad; it falls again


def test_interrupt_keeps_what_was_recorded() -> None:
    scene, _rod, _ = pendulum()

    def interrupt(sim: sh.Simulation) -> None:
        if sim.steps == 30:
            raise KeyboardInterrupt

    run = sh.Simulation(scene, dt=0.01).run(1.0, before_step=interrupt)
    assert len(run.data["time"]) == 31


def test_budget_ends_the_iterations_and_says_so() -> None:
    scene = sh.Scene("chain")
    before = scene.world
    for i in range(60):
        link = scene.body(f"link{i}", sh.Box(1, 0.1, 0.1, mass=1.0), position=(i + 0.5, 0, 0))
        scene.joint(f"joint{i}", sh.Spherical(anchor=(i, 0, 0)), before, link)
        before = link
    sim = sh.Simulation(scene, dt=0.005, solver="sequential-impulses", iterations=1_000_000, epsilon=0.0, budget=2e-3)
    sim.step()  # compiles
    sim.step()
    assert sim.report.out_of_budget
    assert 0 < sim.report.iterations[0] < 100_000
    run = sim.run(0.02)
    assert run.data["out_of_budget"].values[1:].all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dt": 0.0}, r"dt \(s\) is 0; it must be above zero"),
        ({"dt": float("nan")}, r"dt \(s\) is nan"),
        ({"solver": "sequential"}, "did you mean 'sequential-impulses'"),
        ({"precision": "float16"}, "precision 'float16' is unknown"),
        ({"device": "cuda:7"}, "no device 'cuda:7'"),
        ({"worlds": 0}, "at least 1"),
        ({"iterations": 0}, "at least 1"),
        ({"erp": 1.5}, "erp is 1.5"),
        ({"epsilon": -1.0}, r"epsilon \(N s\) is -1"),
        ({"budget": 0.0}, r"budget \(s\) is 0; it must be above zero"),
    ],
)
def test_bad_settings_are_refused(settings: dict, message: str) -> None:
    scene, _, _ = pendulum()
    with pytest.raises(sh.SceneError, match=message):
        sh.Simulation(scene, **settings)


def test_bad_inputs_are_refused() -> None:
    scene, rod, pin = pendulum()
    sim = sh.Simulation(scene, dt=0.01)
    with pytest.raises(sh.SceneError, match="takes N m, not N; pass it as torque="):
        sim.run(0.1, force={pin: 1.0})
    with pytest.raises(sh.SceneError, match="cannot be driven"):
        sim.run(0.1, torque={pin.angle: 1.0})
    with pytest.raises(sh.SceneError, match="cannot be set"):
        sim.set(pin.gap, 1.0)
    with pytest.raises(sh.SceneError, match="finite"):
        sim.set(rod.velocity, (np.nan, 0, 0))
    with pytest.raises(sh.SceneError, match="above zero"):
        sim.set(rod.mass, -1.0)
    with pytest.raises(sh.SceneError, match=r"there is no effort of 'pim\.angle'; did you mean 'pin\.angle'"):
        sim.set(sh.Quantity("effort", "pim.angle", "N m"), 1.0)
    with pytest.raises(sh.SceneError, match="duration"):
        sim.run(0.0)


def test_inputs_of_a_wrong_length_are_refused_by_name() -> None:
    scene = sh.Scene("bob")
    bob = scene.body("bob", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, bob)
    sim = sh.Simulation(scene, worlds=3)
    with pytest.raises(sh.SceneError, match=r"torque of 'pin' is given values of shape \(2,\); give one number, or"):
        sim.run(0.01, torque={pin: [1.0, 2.0]})
    with pytest.raises(
        sh.SceneError, match=r"force of 'bob' .* give 3 numbers \(x, y, z\), or an array of shape \(3, 3\)"
    ):
        sim.run(0.01, force={bob: lambda t: (1.0, 2.0)})
    with pytest.raises(sh.SceneError, match=r"'bob mass' is given values of shape \(4,\)"):
        sim.set(bob.mass, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(sh.SceneError, match=r"'bob velocity' is given values of shape \(\)"):
        sim.set(bob.velocity, 1.0)
    sim.run(0.01, torque={pin: [1.0, 2.0, 3.0]}, force={bob: np.zeros((3, 3))})
