"""The chain: 32 ball joints with 0.1 N m dry friction at 5 ms, beside MuJoCo and PyBullet.

Every engine first as it comes, then with 10 iterations.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.spatial import Array

from . import scenes
from .contender import Contender, NotInstalled, energy, start_states, worst_gap
from .ours import SharnirRun
from .peers.mujoco_peer import MujocoRun
from .peers.pybullet_peer import PybulletRun
from .report import AS_IT_COMES, TUNED, Bar, Comparison, Section, compared
from .timing import Steps, interleaved, ratio

LINKS = 32
FRICTION = 0.1  # N m
DT = 0.005  # s
ITERATIONS = 10
AS_THEY_COME = {32: 0.5, 128: 0.2}  # links: the most that we may take of MuJoCo's time with default settings
SIZES = (32, 64, 128, 256, 512, 1024)
LONGEST_OF_PEERS = 256  # links; MuJoCo's description nests one body in the other
MUJOCO_SOLVERS = [(solver, jacobian) for solver in ("Newton", "CG", "PGS") for jacobian in ("dense", "sparse")]
WATCHED, FINE_DT = 1.0, 1e-4  # s: how long a path is compared with the reference, and the reference's step
SAMPLES = round(WATCHED / DT / 10)
CALL_EACH = ", call each"
LINK_STEPS_PER_BLOCK = 12_800  # the longer the chain, the fewer steps in a block


def run(quick: bool) -> list[Section]:
    """The chains with default settings, the chain with 10 iterations, and our cost per link."""
    return [_as_they_come(quick), _beside_peers(quick), _cost_per_link(quick)]


def _as_they_come(quick: bool) -> Section:
    """Every engine with its default settings, the error beside the time."""
    section = Section(
        title=f"Chains of ball joints, {FRICTION} N m friction each, dt {DT * 1000:g} ms, every engine as it comes",
        columns=["", "µs/step", "off the reference, mm", "worst joint gap, mm", "energy left, %"],
        rows=[],
        notes=[
            "Default settings but for dt, one thread. Off the reference: any link in the first "
            f"{WATCHED:g} s, against the leapfrog step at 0.1 ms. Energy left: after {_steps(quick) * DT:g} s."
        ],
    )
    for links, limit in AS_THEY_COME.items():
        scene = scenes.chain(links, FRICTION)
        factories: dict[str, Callable[[], Contender]] = {
            SharnirRun.name: partial(SharnirRun, scene, DT, threads=1),
            MujocoRun.name: partial(MujocoRun, scene, DT),
            PybulletRun.name: partial(PybulletRun, scene, DT),
        }
        contenders = _installed(factories, section)
        reference = SharnirRun(scene, FINE_DT, integrator="leapfrog").path(round(WATCHED / FINE_DT), SAMPLES)
        accuracy = {
            name: _accuracy(scene, contender, _steps(quick), reference) for name, contender in contenders.items()
        }
        actions: dict[str, Steps] = {name: contender.step for name, contender in contenders.items()}
        steps = max((1600 if quick else 3200) // links, 10)
        times = interleaved(actions, steps=steps, blocks=7 if quick else 15, clock=time.process_time_ns)
        for name, (error, gap, left) in accuracy.items():
            cells = [f"{median(times[name]):.1f}", f"{error * 1000:.3g}", f"{gap * 1000:.3g}", f"{left * 100:.1f}"]
            section.rows.append([f"{name}, {links} links", *cells])
            section.data[f"{name}, {links} links"] = {
                "us_per_step": median(times[name]),
                "error_m": error,
                "gap_m": gap,
            }
        if MujocoRun.name in times:
            low, middle, high = ratio(times[SharnirRun.name], times[MujocoRun.name])
            section.bars.append(Bar(f"time against {MujocoRun.name} as it comes, {links} links", middle, limit, "×"))
            section.notes.append(f"{links} links, round by round: half of the rounds from {low:.3f} to {high:.3f}")
        ours = contenders[SharnirRun.name]
        assert isinstance(ours, SharnirRun)
        ours.tell_pass(section, f"chain of {links} with friction", median(times[SharnirRun.name]))
        section.comparisons += _comparisons(links, times, accuracy, AS_IT_COMES)
    return section


def _ours(scene: sh.Scene) -> SharnirRun:
    """The quickest of ours where joints may gape, the papers' method."""
    # epsilon 0: nothing ends the iterations early, all ten are made
    settings: dict[str, Any] = {"solver": "sequential-impulses", "integrator": "semi-implicit-euler", "epsilon": 0.0}
    return SharnirRun(scene, DT, iterations=ITERATIONS, **settings)


def _beside_peers(quick: bool) -> Section:
    scene = scenes.chain(LINKS, FRICTION)
    section = Section(
        title=f"Chain of {LINKS} ball joints, {FRICTION} N m friction each, dt {DT * 1000:g} ms, tuned, one thread",
        columns=["", "µs/step", "µs/step, call each", "off the reference, mm", "worst joint gap, mm", "energy left, %"],
        rows=[],
        notes=[
            "Rods of 1 m and 1 kg, released at rest 45° from hanging. Off the reference: any link in the first "
            f"{WATCHED:g} s, against the leapfrog step at 0.1 ms. Processor time. Energy left: above the hanging "
            f"state, after {_steps(quick) * DT:g} s."
        ],
    )
    contenders = _installed(_factories(scene), section)
    reference = SharnirRun(scene, FINE_DT, integrator="leapfrog").path(round(WATCHED / FINE_DT), SAMPLES)
    accuracy = {name: _accuracy(scene, contender, _steps(quick), reference) for name, contender in contenders.items()}
    actions: dict[str, Steps] = {name: contender.step for name, contender in contenders.items()}
    actions |= {name + CALL_EACH: contender.step_one_by_one for name, contender in contenders.items()}
    blocks = 7 if quick else 15
    times = interleaved(actions, steps=100 if quick else 200, blocks=blocks, clock=time.process_time_ns)
    for name, (error, gap, left) in accuracy.items():
        both = median(times[name]), median(times[name + CALL_EACH])
        cells = [f"{both[0]:.1f}", f"{both[1]:.1f}", f"{error * 1000:.3g}", f"{gap * 1000:.3g}", f"{left * 100:.1f}"]
        section.rows.append([name, *cells])
        section.data[name] = {
            "us_per_step": both[0],
            "us_per_step_call_each": both[1],
            "us_per_step_by_round": times[name],
            "error_m": error,
            "worst_gap_m": gap,
            "energy_left": left,
            "settings": contenders[name].settings,
        }
    _add_bars(section, times)
    section.comparisons += _comparisons(LINKS, times, accuracy, TUNED)
    return section


def _comparisons(
    links: int, times: dict[str, list[float]], accuracy: dict[str, tuple[float, float, float]], settings: str
) -> list[Comparison]:
    """Time, with the errors beside it, and the errors themselves."""
    scene = f"chain of {links} with friction"
    errors = {name: error for name, (error, _, _) in accuracy.items()}
    said = {name: f"{1000 * error:.3g} mm off, gap {1000 * gap:.2g} mm" for name, (error, gap, _) in accuracy.items()}
    steps = {name: median(times[name]) for name in accuracy}
    found = compared(scene, "a step", "µs", steps, settings=settings, errors=said)
    return found + compared(scene, "off the reference", "m", errors, settings=settings)


def _factories(scene: sh.Scene) -> dict[str, Callable[[], Contender]]:
    factories: dict[str, Callable[[], Contender]] = {
        SharnirRun.name: partial(_ours, scene),
        f"{SharnirRun.name} direct": partial(SharnirRun, scene, DT, iterations=ITERATIONS),
    }
    for solver, jacobian in MUJOCO_SOLVERS:
        factories[f"{MujocoRun.name} {solver} {jacobian}"] = partial(
            MujocoRun, scene, DT, ITERATIONS, solver=solver, jacobian=jacobian
        )
    factories[PybulletRun.name] = partial(PybulletRun, scene, DT, ITERATIONS)
    return factories


def _installed(factories: dict[str, Callable[[], Contender]], section: Section) -> dict[str, Contender]:
    """The contenders whose packages are there; the notes name the settings, and the packages that are missing."""
    contenders: dict[str, Contender] = {}
    missing: dict[str, None] = {}
    for name, factory in factories.items():
        try:
            contenders[name] = factory()
        except NotInstalled as error:
            missing[str(error)] = None
    section.notes += [f"{name}: {contender.settings}" for name, contender in contenders.items()] + list(missing)
    return contenders


def _add_bars(section: Section, times: dict[str, list[float]]) -> None:
    """Our time against each peer's; against MuJoCo, its fastest setting in these very rounds."""
    for peer, limit in ((MujocoRun.name, 1 / 5), (PybulletRun.name, 1.2)):
        settings = [name for name in times if name.startswith(peer) and not name.endswith(CALL_EACH)]
        if not settings:
            continue
        fastest = min(settings, key=lambda name: median(times[name]))
        low, middle, high = ratio(times[SharnirRun.name], times[fastest])
        section.bars.append(Bar(f"time against {fastest}", middle, limit, "×"))
        section.notes.append(
            f"Sharnir against {fastest}, round by round: half of the rounds from {low:.3f} to {high:.3f}"
        )
        section.data[f"ratio to {peer}"] = {"fastest": fastest, "quartiles": [low, middle, high]}


def _steps(quick: bool) -> int:
    """The steps over which joint gap and energy are watched, which also warm everybody up."""
    return 200 if quick else 1000


def _accuracy(scene: sh.Scene, contender: Contender, steps: int, reference: Array) -> tuple[float, float, float]:
    """The largest distance from the reference and the worst joint gap (m), seen every ten steps, and the energy left.

    The energy is that above the hanging state, as a share.
    """
    hanging = scenes.chain(len(scene.bodies), FRICTION, start_angle=0.0)
    lowest = energy(hanging, start_states(hanging))
    start = energy(scene, start_states(scene))
    gap = error = 0.0
    for i in range(steps // 10):
        contender.step(10)
        states = contender.states()
        gap = max(gap, worst_gap(scene, states))
        if i < SAMPLES:
            error = max(error, float(np.linalg.norm(states.center - reference[i], axis=-1).max()))
    return error, gap, (energy(scene, contender.states()) - lowest) / (start - lowest)


def _cost_per_link(quick: bool) -> Section:
    """Microseconds of a step for longer and longer chains, the peers' beside ours."""
    sizes = (SIZES[0], LONGEST_OF_PEERS, SIZES[-1]) if quick else SIZES
    section = Section(
        title="Cost against size: µs per step of longer chains",
        columns=["links"],
        rows=[[str(links)] for links in sizes],
        notes=[f"{MujocoRun.name}: CG, sparse. Every engine with {ITERATIONS} iterations at most."],
    )
    peers: dict[str, Callable[[sh.Scene], Contender]] = {
        SharnirRun.name: _ours,
        MujocoRun.name: lambda scene: MujocoRun(scene, DT, ITERATIONS, solver="CG", jacobian="sparse"),
        PybulletRun.name: lambda scene: PybulletRun(scene, DT, ITERATIONS),
    }
    found: dict[str, dict[int, float]] = {}
    for name, build in peers.items():
        shared = [links for links in sizes if name == SharnirRun.name or links <= LONGEST_OF_PEERS]
        try:
            found[name] = _per_size(build, shared, 5 if quick or name != SharnirRun.name else 15)
        except NotInstalled as error:
            section.notes.append(str(error))
            continue
        section.columns += [name, f"{name}, per link"]
        for row, links in zip(section.rows, sizes, strict=True):
            known = links in found[name]
            row += [f"{found[name][links]:.1f}", f"{found[name][links] / links:.3f}"] if known else ["", ""]
    ours = found[SharnirRun.name]
    growth = max(ours[links] / links for links in sizes) / (ours[LINKS] / LINKS)
    section.bars = [Bar(f"cost per link, worst of {LINKS} to {sizes[-1]} links against {LINKS}", growth, 1.3, "×")]
    section.data = {"us_per_step": found}
    longest = {name: times[LONGEST_OF_PEERS] for name, times in found.items()}
    section.comparisons = compared(f"chain of {LONGEST_OF_PEERS} with friction", "a step", "µs", longest)
    return section


def _per_size(build: Callable[[sh.Scene], Contender], sizes: list[int], blocks: int) -> dict[int, float]:
    runs = {str(links): build(scenes.chain(links, FRICTION)).step for links in sizes}
    steps = {str(links): max(LINK_STEPS_PER_BLOCK // links, 10) for links in sizes}
    times = interleaved(runs, steps, blocks, clock=time.process_time_ns)
    return {links: median(times[str(links)]) for links in sizes}
