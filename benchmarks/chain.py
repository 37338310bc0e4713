"""The chain: 32 ball joints with 0.1 N m dry friction at 5 ms and 10 iterations, beside MuJoCo and PyBullet."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median

import sharnir as sh

from . import scenes
from .contender import Contender, NotInstalled, energy, start_states, worst_gap
from .ours import SharnirRun
from .peers.mujoco_peer import MujocoRun
from .peers.pybullet_peer import PybulletRun
from .report import Bar, Section
from .timing import Steps, interleaved, ratio

LINKS = 32
FRICTION = 0.1  # N m
DT = 0.005  # s
ITERATIONS = 10
SIZES = (32, 64, 128, 256, 512, 1024)
MUJOCO_SOLVERS = [(solver, jacobian) for solver in ("Newton", "CG", "PGS") for jacobian in ("dense", "sparse")]
CALL_EACH = ", call each"
LINK_STEPS_PER_BLOCK = 12_800  # the longer the chain, the fewer steps in a block


def run(quick: bool) -> list[Section]:
    """Both sections: the chain beside the peers, and our cost per link."""
    return [_beside_peers(quick), _cost_per_link(quick)]


def _ours(scene: sh.Scene) -> SharnirRun:
    # epsilon 0: nothing ends the iterations early, all ten are made
    return SharnirRun(scene, DT, solver="sequential-impulses", iterations=ITERATIONS, epsilon=0.0)


def _beside_peers(quick: bool) -> Section:
    scene = scenes.chain(LINKS, FRICTION)
    section = Section(
        title=f"Chain of {LINKS} ball joints, {FRICTION} N m friction each, dt {DT * 1000:g} ms, one thread",
        columns=["", "µs/step", "µs/step, call each", "worst joint gap, mm", "energy left, %"],
        rows=[],
        notes=[
            "Rods of 1 m and 1 kg, released at rest 45° from hanging. Energy left: above the hanging state, after "
            f"{_steps(quick) * DT:g} s."
        ],
    )
    contenders = _installed(_factories(scene), section)
    accuracy = {name: _accuracy(scene, contender, _steps(quick)) for name, contender in contenders.items()}
    actions: dict[str, Steps] = {name: contender.step for name, contender in contenders.items()}
    actions |= {name + CALL_EACH: contender.step_one_by_one for name, contender in contenders.items()}
    times = interleaved(actions, steps=100 if quick else 200, blocks=7 if quick else 15)
    for name, (gap, left) in accuracy.items():
        both = median(times[name]), median(times[name + CALL_EACH])
        section.rows.append([name, f"{both[0]:.1f}", f"{both[1]:.1f}", f"{gap * 1000:.3g}", f"{left * 100:.1f}"])
        section.data[name] = {
            "us_per_step": both[0],
            "us_per_step_call_each": both[1],
            "us_per_step_by_round": times[name],
            "worst_gap_m": gap,
            "energy_left": left,
            "settings": contenders[name].settings,
        }
    _add_bars(section, times)
    return section


def _factories(scene: sh.Scene) -> dict[str, Callable[[], Contender]]:
    factories: dict[str, Callable[[], Contender]] = {SharnirRun.name: partial(_ours, scene)}
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


def _accuracy(scene: sh.Scene, contender: Contender, steps: int) -> tuple[float, float]:
    """The worst joint gap (m) seen every ten steps, and the share of the energy above the hanging state left."""
    hanging = scenes.chain(LINKS, FRICTION, start_angle=0.0)
    lowest = energy(hanging, start_states(hanging))
    start = energy(scene, start_states(scene))
    gap = 0.0
    for _ in range(steps // 10):
        contender.step(10)
        gap = max(gap, worst_gap(scene, contender.states()))
    return gap, (energy(scene, contender.states()) - lowest) / (start - lowest)


def _cost_per_link(quick: bool) -> Section:
    sizes = SIZES[::5] if quick else SIZES
    runs = {links: _ours(scenes.chain(links, FRICTION)) for links in sizes}
    times = interleaved(
        {str(links): contender.step for links, contender in runs.items()},
        steps={str(links): max(LINK_STEPS_PER_BLOCK // links, 10) for links in sizes},
        blocks=5 if quick else 15,
    )
    per_step = {links: median(times[str(links)]) for links in sizes}
    per_link = {links: per_step[links] / links for links in sizes}
    growth = max(per_link.values()) / per_link[LINKS]
    return Section(
        title="Sharnir's cost per link",
        columns=["links", "µs/step", "µs/step and link"],
        rows=[[str(links), f"{per_step[links]:.1f}", f"{per_link[links]:.3f}"] for links in sizes],
        bars=[Bar(f"cost per link, worst of {LINKS} to {sizes[-1]} links against {LINKS}", growth, 1.3, "×")],
        data={"us_per_step": per_step},
    )
