"""Ratchets: free one way, back to the last tooth that was passed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sharnir as sh

MASS, PITCH, DT = 2.0, 0.02, 0.002


def jack(free: str = "up", start: float = 0.0) -> tuple[sh.Scene, sh.Joint]:
    """A load on a rail along z, without gravity, that a ratchet keeps from going back."""
    scene = sh.Scene("jack", gravity=(0, 0, 0))
    load = scene.body("load", sh.Box(0.1, 0.1, 0.1, mass=MASS))
    rail = sh.Prismatic(axis=(0, 0, 1))
    ratchet = sh.Ratchet(pitch=PITCH, free=free)  # type: ignore[arg-type]
    return scene, scene.joint("rail", rail, scene.world, load, catch=ratchet, initial=start)


@pytest.mark.parametrize("way", [{}, {"solver": "sequential-impulses"}], ids=str)
@pytest.mark.parametrize(("free", "start", "holds"), [("up", 0.0, 0.04), ("up", 0.013, 0.06), ("down", 0.0, -0.04)])
def test_it_falls_back_to_the_last_tooth_and_is_held(
    way: dict[str, str], free: str, start: float, holds: float
) -> None:
    """Pushed by 0.05 m from where it starts, then pulled back: c = F t^2/(2 m) each way."""
    scene, rail = jack(free, start)
    side, push = (1.0 if free == "up" else -1.0), 2 * MASS * 0.025 / 0.1**2  # N: 0.025 m in the first 0.1 s
    sim = sh.Simulation(scene, dt=DT, **way)
    run = sim.run(1.0, force={rail: lambda t: side * (push if t < 0.1 else -push)})
    place = run[rail.displacement]
    assert float(abs(place - start).max()) == pytest.approx(0.05, rel=0.02)
    assert float(place[-1]) == pytest.approx(holds, abs=1e-7)
    assert float((side * place).sel(time=slice(0.25, None)).min()) > side * holds - 1e-7
    assert np.asarray(run[scene.power("catches")])[-100:] == pytest.approx(0.0, abs=1e-9)


def test_a_snapshot_remembers_the_teeth_that_were_passed() -> None:
    scene, rail = jack()
    sim = sh.Simulation(scene, dt=DT)
    sim.run(0.2, force={rail: lambda t: 10.0 if t < 0.1 else -10.0})
    kept = sim.snapshot()
    ends = []
    for _ in range(2):
        sim.run(0.4, force={rail: -10.0})
        ends.append(sim.get(rail.displacement))
        sim.restore(kept)
    assert ends[0] == ends[1] == pytest.approx(0.04, abs=1e-7)


def test_it_is_saved_and_checked(tmp_path: Path) -> None:
    scene, rail = jack("down")
    scene.save(tmp_path / "scene.yaml")
    assert sh.Scene.load(tmp_path / "scene.yaml").joints["rail"].spec == rail.spec
    with pytest.raises(sh.SceneError, match=r"Ratchet pitch \(m or rad\)"):
        sh.Ratchet(pitch=0.0)
