"""Ropes: a pinned swing of 1 s to 1 % of the length at the tip, beside PyElastica and MuJoCo; long ropes; a coil.

MuJoCo's cable was the plugin ``mujoco.elasticity.cable`` up to version 3, and is a one-dimensional flex from 4 on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import sharnir as sh

from .report import AS_IT_COMES, TUNED, Bar, Section, compared

LENGTH, RADIUS, DENSITY = 2.8, 0.015, 1200.0
SOFT = (5e4 * np.pi * RADIUS**4 / 4, 1e5 * np.pi * RADIUS**4 / 2)  # N m^2, the rope of [002]
STIFF = (2e11 * np.pi * 0.005**4 / 4, 8e10 * np.pi * 0.005**4 / 2)  # steel, 5 mm
ROPES: dict[str, dict[str, float]] = {
    "soft": {"radius": RADIUS, "density": DENSITY, "bending": SOFT[0], "twisting": SOFT[1]},
    "stiff": {"radius": 0.005, "density": 7800.0, "bending": STIFF[0], "twisting": STIFF[1]},
}
ALLOWED = 0.01 * LENGTH
SHEARS = (1.0, 10.0, 1e9)  # of PyElastica's rods, in parts of G A; the last is as stiff as against stretch
AS_THEY_COME = {"PyElastica": "shear 1 G A", "MuJoCo": "Euler"}  # of the peers' settings
ROUNDS = 15

FINE = 8000  # steps that are as good as exact

Swing = Callable[[int], tuple[Any, float]]  # steps to the tip after 1 s (m), and the seconds of processor time
Contenders = dict[str, tuple[Swing, int | None]]  # by their settings, with the steps they need


def our_swing(rope: dict[str, float], elements: int, steps: int) -> tuple[Any, float]:
    """The tip after 1 s of falling from level in that many steps, and the seconds it took."""
    scene = sh.Scene("swing")
    made: dict[str, Any] = {**rope, "damping": 0.0, "elements": elements, "start": sh.Tie(body="world")}
    scene.rope("rope", [(0, 0, 0), (LENGTH, 0, 0)], **made)
    sim = sh.Simulation(scene, dt=1 / steps, integrator="leapfrog")
    sim.step()
    sim.reset()
    begin = time.thread_time()
    sim.step(steps)
    return sim.state.rope_position.numpy()[-1, 0].copy(), time.thread_time() - begin


def fewest_steps(swing: Swing, exact: Any, start: int) -> int | None:
    """The smallest number of steps, on a scale of tenths, whose tip is right, as that of the next ones is."""
    right: list[int] = []
    steps = start
    while len(right) < 2:
        if steps > FINE:
            return None
        error = float(np.linalg.norm(swing(steps)[0] - exact))
        right = [*right, steps] if error < ALLOWED else []
        steps = round(1.1 * steps)
    return right[0]


def elastica_swings(rope: dict[str, float], elements: int, exact: Any) -> Contenders:
    """PyElastica with each stiffness against shear, and the steps it then needs."""
    from .peers.elastica_peer import swing

    found = {}
    for shear in SHEARS:
        made = partial(swing, length=LENGTH, elements=elements, shear=shear, **rope)
        found[f"shear {shear:g} G A"] = (made, fewest_steps(made, exact, 1000))
    return found


def mujoco_swings(rope: dict[str, float], elements: int) -> Contenders:
    """MuJoCo's cable with both kinds of integrator; its rod bends by another rule, so its own limit is exact for it."""
    from .peers.mujoco_rope import swing

    found = {}
    for integrator in ("discrete", "Euler"):
        made = partial(swing, length=LENGTH, elements=elements, integrator=integrator, **rope)
        found[integrator] = (made, fewest_steps(made, made(FINE)[0], 100))
    return found


def quickest(contenders: Contenders) -> tuple[str, Swing, int]:
    """The contender with the least time for 1 s."""
    able = {name: (swing, steps) for name, (swing, steps) in contenders.items() if steps is not None}
    times = {name: min(swing(steps)[1] for _ in range(3)) for name, (swing, steps) in able.items()}
    name = min(times, key=times.__getitem__)
    return name, *able[name]


def stiff_elastica(rope: dict[str, float], elements: int) -> tuple[float, float]:
    """PyElastica's largest step, of a ladder of halves, that survives the second, and the time for it."""
    from .peers.elastica_peer import advance, swinging_rope

    made = partial(swinging_rope, LENGTH, elements=elements, shear=1.0, **rope)
    advance(*made()[:2], 10, 1e-9)  # compiles
    dt = 1e-3
    while True:
        simulator, stepper, rod = made()
        seconds, survives = 0.0, True
        for _ in range(10):
            with np.errstate(all="ignore"):
                seconds += advance(simulator, stepper, round(0.1 / dt), dt)
            survives = bool(np.abs(rod.position_collection).max() < 2 * LENGTH)  # not a number is not less
            if not survives:
                break
        if survives:
            return dt, seconds
        dt /= 2


def _swing_row(section: Section, name: str, elements: int, note: str, steps: int, seconds: float, error: float) -> None:
    section.rows.append([f"{name}, {elements} elements", note, f"{1e3 / steps:.4g}", f"{1e3 * seconds:.2f}"])
    section.rows[-1].append(f"{1e3 * error:.1f}" if np.isfinite(error) else "")
    section.data[f"{name} {elements} {note}"] = {"steps": steps, "seconds": seconds, "error_m": error}


def _one_swing(section: Section, name: str, elements: int) -> None:
    """Ours and the peers' best, timed in turns."""
    rope = ROPES[name]
    ours = partial(our_swing, rope, elements)
    exact = ours(2 * FINE)[0]
    limits = {"PyElastica": 1 / 20 if name == "soft" else 1 / 1000, "MuJoCo": 1.0}
    runs: dict[str, tuple[str, Swing, int]] = {"ours": quickest({"Sharnir": (ours, fewest_steps(ours, exact, 40))})}
    exacts: dict[str, Any] = {"ours": exact, "PyElastica": exact}
    coming: dict[str, tuple[str, Swing, int]] = {}
    try:
        for peer, swings in (
            ("PyElastica", elastica_swings(rope, elements, exact) if name == "soft" else {}),
            ("MuJoCo", mujoco_swings(rope, elements)),
        ):
            if not swings:
                continue
            note, swing, steps = quickest(swings)
            runs[peer] = (f"{peer}, {note}", swing, steps)
            first, needed = swings[AS_THEY_COME[peer]]
            if needed is not None:
                coming[peer] = (f"{peer}, {AS_THEY_COME[peer]}", first, needed)
        exacts["MuJoCo"] = runs["MuJoCo"][1](FINE)[0]
    except ImportError as missing:
        section.notes.append(f"not installed: {missing.name}")
    times: dict[str, list[float]] = {who: [] for who in runs}
    for _ in range(ROUNDS):
        for who, (_, swing, steps) in runs.items():
            times[who].append(swing(steps)[1])
    for who, (note, swing, steps) in runs.items():
        error = float(np.linalg.norm(swing(steps)[0] - exacts[who]))
        _swing_row(section, name, elements, note, steps, min(times[who]), error)
        if who != "ours":
            what = f"our time against {who}'s, {name}, {elements} elements"
            section.bars.append(Bar(what, min(times["ours"]) / min(times[who]), limits[who], "×"))
    found = {note: 1e3 * min(times[who]) for who, (note, _, _) in runs.items()}
    if name == "stiff":
        dt, seconds = stiff_elastica(rope, elements)
        _swing_row(section, name, elements, "PyElastica", round(1 / dt), seconds, np.nan)
        what = f"our time against PyElastica's, {name}, {elements} elements"
        section.bars.append(Bar(what, min(times["ours"]) / seconds, limits["PyElastica"], "×"))
        found["PyElastica"] = 1e3 * seconds
    unset = {note: 1e3 * min(swing(steps)[1] for _ in range(ROUNDS)) for note, swing, steps in coming.values()}
    unset["Sharnir"] = found["Sharnir"]
    for settings, values in ((AS_IT_COMES, unset), (TUNED, found)):
        scene = f"{name} rope, {elements} elements"
        section.comparisons += compared(scene, "1 s to 1 %", "ms", values, settings=settings)


def _swings(quick: bool) -> Section:
    section = Section(
        title="A pinned rope of 2.8 m let go level, 1 s, tip to 1 % of the length",
        columns=["rope", "engine", "dt, ms", "ms for 1 s", "error, mm"],
        rows=[],
    )
    for name in ROPES:
        for elements in (20,) if quick else (20, 60):
            _one_swing(section, name, elements)
    section.notes += [
        f"Every engine with the fewest steps that keep the tip right, at its best settings; best of {ROUNDS} rounds.",
        "The error is against the inextensible rope with as many elements; MuJoCo's against its own limit.",
        "PyElastica, stiff: the largest step, of a ladder of halves, that survives the second, right or not.",
    ]
    return section


def _long(quick: bool) -> Section:
    section = Section(title="Longer ropes, dt 5 ms, hanging", columns=["elements", "µs/step", "µs/element"], rows=[])
    for elements in (60, 250) if quick else (60, 250, 1000):
        scene = sh.Scene("long")
        scene.rope("rope", [(0, 0, 0), (10, 0, 0)], elements=elements, start=sh.Tie(body="world"), **ROPES["soft"])
        sim = sh.Simulation(scene, dt=0.005)
        sim.step(20)
        times = []
        for _ in range(100):
            begin = time.thread_time()
            sim.step(2)
            times.append((time.thread_time() - begin) / 2 * 1e6)
        best = min(times)
        section.rows.append([str(elements), f"{best:.0f}", f"{best / elements:.3f}"])
        section.data[str(elements)] = {"us_per_step": best}
    section.bars.append(Bar(f"{elements} elements, time of a 5 ms step", best / 5000.0, 1.0, "of real time"))
    short = section.data["60"]["us_per_step"] / 60
    section.bars.append(Bar(f"cost per element, {elements} elements against 60", best / elements / short, 1.2, "×"))
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
