"""Ropes: a pinned swing of 1 s to 1 % of the length at the tip, beside PyElastica; long ropes; a coil on the ground.

MuJoCo's cable (the plugin ``mujoco.elasticity.cable``) is no longer part of its package from version 4 on.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import sharnir as sh

from .report import Bar, Section, compared

LENGTH, RADIUS, DENSITY = 2.8, 0.015, 1200.0
SOFT = (5e4 * np.pi * RADIUS**4 / 4, 1e5 * np.pi * RADIUS**4 / 2)  # N m^2, the rope of paper 002
STIFF = (2e11 * np.pi * 0.005**4 / 4, 8e10 * np.pi * 0.005**4 / 2)  # steel, 5 mm
ROPES: dict[str, dict[str, float]] = {
    "soft": {"radius": RADIUS, "density": DENSITY, "bending": SOFT[0], "twisting": SOFT[1]},
    "stiff": {"radius": 0.005, "density": 7800.0, "bending": STIFF[0], "twisting": STIFF[1]},
}
STEPS_OURS = (0.02, 0.01, 0.005, 0.002, 0.001, 0.0005)  # s
ALLOWED = 0.01 * LENGTH


def swing(rope: dict[str, float], elements: int, dt: float) -> tuple[np.ndarray, float]:
    """The tip after 1 s of falling from level, and the seconds it took."""
    scene = sh.Scene("swing")
    made: dict[str, Any] = {**rope, "damping": 0.0, "elements": elements, "start": sh.Tie(body="world")}
    scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], **made)
    sim = sh.Simulation(scene, dt=dt, integrator="rattle")
    sim.step()
    sim.reset()
    begin = time.process_time()
    sim.step(round(1.0 / dt))
    return sim.state.rope_position.numpy()[-1, 0].copy(), time.process_time() - begin


def ours(rope: dict[str, float], elements: int) -> list[dict[str, float]]:
    """Steps (s) from coarse to fine: the time for 1 s and the error (m) of each."""
    exact, ladder = swing(rope, elements, STEPS_OURS[-1] / 5)[0], []
    for dt in STEPS_OURS:
        tip, seconds = swing(rope, elements, dt)
        best = min([seconds, *(swing(rope, elements, dt)[1] for _ in range(4))])
        ladder.append({"dt": dt, "seconds": best, "error_m": float(np.linalg.norm(tip - exact))})
    return ladder


def elastica(rope: dict[str, float], elements: int) -> dict[str, float]:
    """PyElastica's largest stable step, and the time it needs for 1 s with it."""
    from .peers.elastica_peer import advance, swinging_rope

    made = partial(swinging_rope, LENGTH, elements=elements, **rope)
    advance(*made()[:2], 10, 1e-9)  # compiles
    dt = 1e-3
    while True:
        simulator, stepper, rod = made()
        seconds = advance(simulator, stepper, 2000, dt)
        if np.isfinite(rod.position_collection).all() and np.abs(rod.position_collection).max() < 2 * LENGTH:
            return {"dt": dt, "seconds": seconds / 2000 / dt}
        dt /= 2


def _swings(quick: bool) -> Section:
    section = Section(
        title="A pinned rope of 2.8 m let go level, 1 s, tip to 1 % of the length",
        columns=["rope", "elements", "our dt, ms", "our ms", "error, mm", "PyElastica's dt, µs", "its ms", "ratio"],
        rows=[],
    )
    for name, rope in ROPES.items():
        for elements in (20,) if quick else (20, 60):
            ladder = ours(rope, elements)
            dt, seconds, error = next((s for s in ladder if s["error_m"] < ALLOWED), ladder[-1]).values()
            row = [name, str(elements), f"{dt * 1000:g}", f"{seconds * 1000:.2f}", f"{error * 1000:.1f}"]
            data: dict[str, Any] = {"sharnir": ladder}
            try:
                data["elastica"] = elastica(rope, elements)
                peer_dt, peer_seconds = data["elastica"].values()
                row += [f"{peer_dt * 1e6:.3g}", f"{peer_seconds * 1000:.0f}", f"{peer_seconds / seconds:.0f}"]
                limit = 1 / 20 if name == "soft" else 1 / 1000
                what = f"our time against PyElastica's, {name}, {elements} elements"
                section.bars.append(Bar(what, seconds / peer_seconds, limit, "×"))
                swings = {"Sharnir": 1e3 * seconds, "PyElastica": 1e3 * peer_seconds}
                section.comparisons += compared(f"{name} rope, {elements} elements", "1 s to 1 %", "ms", swings)
            except ImportError:
                row += ["not installed", "", ""]
            section.rows.append(row)
            section.data[f"{name} {elements}"] = data
    section.notes.append("PyElastica: its largest stable step, timed over 2000 steps and extrapolated to 1 s.")
    return section


def _long(quick: bool) -> Section:
    section = Section(title="Longer ropes, dt 5 ms, hanging", columns=["elements", "µs/step", "µs/element"], rows=[])
    for elements in (60, 250) if quick else (60, 250, 1000):
        scene = sh.Scene("long")
        scene.rope("rope", [(0, 0, 0), (10, 0, 0)], elements=elements, start=sh.Tie(body="world"), **ROPES["soft"])
        sim = sh.Simulation(scene, dt=0.005)
        sim.step(20)
        times = []
        for _ in range(10):
            begin = time.perf_counter()
            sim.step(20)
            times.append((time.perf_counter() - begin) / 20 * 1e6)
        best = min(times)
        section.rows.append([str(elements), f"{best:.0f}", f"{best / elements:.3f}"])
        section.data[str(elements)] = {"us_per_step": best}
    section.bars.append(Bar(f"{elements} elements, time of a 5 ms step", best / 5000.0, 1.0, "of real time"))
    return section


def _coil(quick: bool) -> Section:
    scene = sh.Scene("coil")
    scene.ground()
    angles = np.linspace(0, 6 * np.pi, 201)
    path = [(0.3 * np.cos(a), 0.3 * np.sin(a), 0.05 + 0.02 * a) for a in angles]
    scene.rope("rope", path, radius=0.01, density=1000.0, bending=2e-3, twisting=2e-3)
    sim = sh.Simulation(scene, dt=0.005)
    sim.step()
    sim.reset()
    duration, low = (6.0 if quick else 30.0), np.inf
    begin = time.perf_counter()
    for _ in range(round(duration)):
        sim.step(200)
        low = min(low, float(sim.state.rope_position.numpy()[:, 0, 2].min()))
    seconds = time.perf_counter() - begin
    speed = float(np.abs(sim.state.rope_velocity.numpy()).max())
    section = Section(
        title=f"200 elements dropped on the ground in a coil, with self-contact, {duration:g} s at 5 ms",
        columns=["times real time", "lowest node, mm", "fastest node at the end, mm/s"],
        rows=[[f"{duration / seconds:.1f}", f"{low * 1000:.2f}", f"{speed * 1000:.2f}"]],
    )
    section.data["coil"] = {"real_time": duration / seconds, "lowest_m": low, "fastest_m_s": speed}
    section.bars.append(Bar("a coil of rope on the ground: time against real time", seconds / duration, 0.2, "×"))
    return section


def run(quick: bool) -> list[Section]:
    """Three sections."""
    return [_swings(quick), _long(quick), _coil(quick)]
