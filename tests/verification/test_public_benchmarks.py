"""Public benchmarks: scenes of ``benchmarks/`` against closed forms, published numbers and minimal coordinates."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
from benchmarks import andrews, problems, references, scenes
from benchmarks.ours import SharnirRun
from mechanisms import LEAPFROG

import sharnir as sh


def problem(name: str) -> problems.Problem:
    return next(found for found in problems.PROBLEMS if found.name == name)


def errors(chosen: problems.Problem, *dts: float) -> list[float]:
    """The largest distance (m) of any centre of mass from the reference, over runs with these steps."""
    reference, found = chosen.reference(), []
    for dt in dts:
        steps = round(chosen.duration / dt / chosen.samples) * chosen.samples
        run = SharnirRun(chosen.scene(), chosen.duration / steps, efforts=chosen.efforts, **LEAPFROG)
        found.append(float(np.linalg.norm(run.path(steps, chosen.samples) - reference, axis=-1).max()))
    return found


def test_pendulum_period() -> None:
    """Released level: T = 4 K(1/sqrt 2) sqrt(L/g) = 2.367842 s; passages through the lowest point are T/2 apart."""
    scene = scenes.pendulum()
    run = sh.Simulation(scene, dt=0.001, **LEAPFROG).run(10.0)
    x, t = mech.values(run, scene.bodies["bob"].position)[:, 0], mech.times(run)
    before = np.flatnonzero(x[:-1] * x[1:] < 0)
    passages = t[before] + 0.001 * x[before] / (x[before] - x[before + 1])
    np.testing.assert_allclose(2 * np.diff(passages), 2.367842, rtol=1e-5)


@pytest.mark.parametrize("windows", [1, 2, 4, 10])
@pytest.mark.parametrize("dt", [0.01, 0.004, 0.0025])
def test_n_four_bar_passes_singular_poses(windows: int, dt: float) -> None:
    """The cranks lie flat five times in 4 s, each time with one freedom per window; they go through as one."""
    scene = scenes.n_four_bar(windows)
    run = sh.Simulation(scene, dt=dt, **LEAPFROG).run(4.0)
    angle = references.n_four_bar(windows, mech.times(run))
    for i in range(windows + 1):
        crank = mech.values(run, scene.bodies[f"crank{i}"].position)
        expected = np.stack([i + np.sin(angle) / 2, np.zeros_like(angle), np.cos(angle) / 2], axis=1)
        assert np.abs(crank - expected).max() < 15 * dt**2  # the phase error of the scheme, 13 dt^2 after 4 s
    energy, kinetic = mech.values(run, scene.energy), mech.values(run, scene.kinetic_energy)
    assert np.abs(energy - energy[0]).max() < 20 * dt**2 * kinetic.max()
    quarters = [part.mean() for part in np.array_split(energy, 4)]
    assert abs(quarters[-1] - quarters[0]) < 2 * dt**2 * kinetic.max()


def test_bricard() -> None:
    """No freedom by Gruebler's count, one in truth: second order against the minimal-coordinate solution over 4 s."""
    coarse, fine = errors(problem("Bricard"), 0.02, 0.01)
    assert fine < 3 * 0.01**2
    assert coarse / fine == pytest.approx(4, abs=0.8)


def test_four_bar() -> None:
    """The four-bar of the reference tables over 2 s, where its crank goes round."""
    coarse, fine = errors(problem("four-bar"), 0.01, 0.005)
    assert coarse / fine == pytest.approx(4, abs=0.8)


def test_andrews() -> None:
    """The crank's angle and all centres of mass at 0.03 s, by the IVP test set's solution; second order."""
    scene = scenes.andrews()
    crank = scene.joints["crank_hinge"]
    expected = np.array([andrews.place(body.center, andrews.AT_30_MS) for body in andrews.BODIES])
    turns, places = [], []
    for dt in (2e-5, 1e-5):
        run = sh.Simulation(scene, dt=dt, **LEAPFROG).run(0.03, torque={crank: andrews.TORQUE}, every=100)
        angle = mech.values(run, crank.angle)[-1]
        turns.append(angle + andrews.START[andrews.BETA] - andrews.AT_30_MS[andrews.BETA])
        centers = np.array([mech.values(run, body.position)[-1, :2] for body in scene.bodies.values()])
        places.append(np.abs(centers - expected).max())
    assert abs(turns[1]) < 1e-4
    assert places[1] < 1e-5
    assert turns[0] / turns[1] == pytest.approx(4, abs=0.8)


def test_andrews_reference() -> None:
    """The equations that the scene is checked with give the published solution."""
    angles = references.andrews(np.array([0.0, 0.03]))[-1]
    np.testing.assert_allclose(angles, andrews.AT_30_MS, atol=1e-8)


def test_governor() -> None:
    """Couplers of 8e5 N/m and 4e4 N s/m: second order though the springs are partly implicit, from step to step."""
    steps = (0.004, 0.002, 0.001)
    coarse, middle, fine = errors(problem("flyball governor"), *steps)
    assert fine < 0.1 * steps[-1]
    assert coarse / middle == pytest.approx(4, abs=1)
    assert middle / fine == pytest.approx(4, abs=1)
