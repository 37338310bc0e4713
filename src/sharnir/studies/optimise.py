"""Optimisation: numbers of a scene that make a measure as small as can be, within bounds and constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..experiment import Experiment
from ..scene.scene import Scene
from ..scene.values import whole
from ..simulation.inputs import InputsOf
from ..spatial import Array
from .batch import Runner
from .fit import Range, strategy_of
from .identify import _parsed
from .measures import SERIES, Measure
from .plan import Factory, Plan, Settings, make_plan, scene_and_drives

_LIMIT = re.compile(r"(.+?)\s*(<=|>=|<|>)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*\Z")
WEIGHTS = 7  # points of a front that are aimed at
POLISH = 60  # evaluations of the local search
POLISH_RADIUS = 0.05  # of the ranges
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Constraint:
    """A constraint: the measure ``name`` must stay below ``bound`` (in its unit), or above it if ``sign`` is -1."""

    name: str
    sign: float
    bound: float

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.name} {'<' if self.sign > 0 else '>'} {self.bound:g}"

    def excess(self, values: Array) -> Array:
        """By how much values, in the unit of the measure, are beyond the bound; below zero within it."""
        return self.sign * (values - self.bound)


@dataclass(frozen=True)
class Tried:
    """All points of an optimisation: ``points`` [point, number], ``objectives`` [point, objective], ``excess`` [point].

    Points are in the units of their names, objectives in those of their measures (negative where they are maximised).
    """

    points: Array
    objectives: Array
    excess: Array


@dataclass(frozen=True)
class Optimised:
    """What was found: the ``best`` numbers with the ``objectives`` and ``constraints`` they give, in their units.

    ``feasible`` is whether the best keeps to all constraints. The ``front`` has a row per point that no other
    beats in every objective, with numbers and objectives in their units; ``evaluations`` counts
    simulations, ``tried`` are all of them.
    """

    best: dict[str, float]
    objectives: dict[str, float]
    constraints: dict[str, float]
    feasible: bool
    front: list[dict[str, float]]
    evaluations: int
    tried: Tried


class Optimisation:
    """A scene, the numbers that may be chosen, and what is to be made small.

    ``vary`` are the ranges of numbers by name, ``minimise`` and ``maximise`` measures, ``subject_to`` constraints such
    as ``"wheel.travel peak < 0.08"``.
    """

    def __init__(
        self,
        scene: Scene | Experiment | Factory,
        vary: Mapping[str, str],
        *,
        minimise: str | Sequence[str] = (),
        maximise: str | Sequence[str] = (),
        subject_to: str | Sequence[str] = (),
        time: float | None = None,
        dt: float | None = None,
        every: int = 1,
        inputs: Mapping[str, InputsOf] | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Describe an optimisation.

        Args:
            scene: a scene, an experiment, or a function that makes one from arguments.
            vary: ranges, ``{"strut.spring.damping": "500:5000"}``, in the units of the numbers.
            minimise: measures, as of a study.
            maximise: likewise.
            subject_to: constraints: a measure, ``<`` or ``>``, and a number in its unit.
            time: how long to simulate, s.
            dt: time step, s.
            every: measures look at every so many steps.
            inputs: by word, as ``Simulation.run`` takes them: N m, N, -1 to 1, rad or m.
            settings: of ``Simulation``.
        """
        small, large = _texts(minimise), _texts(maximise)
        if not small and not large:
            raise SceneError("nothing is optimised; give a measure to minimise, such as 'body.position.z max'")
        if not vary:
            raise SceneError(
                "nothing may be chosen; give a number and its range, such as {'strut.spring.damping': '500:5000'}"
            )
        parsed = [_limit(text) for text in _texts(subject_to)]
        self.ranges: list[Range] = [_parsed(name, text) for name, text in vary.items()]
        wanted = list(dict.fromkeys([*small, *large, *(text for text, _, _ in parsed)]))
        self.plan: Plan = make_plan(
            scene, tuple(vary), tuple(wanted), time=time, dt=dt, every=every, inputs=inputs, settings=settings
        )
        made = scene_and_drives(self.plan, {})[0]
        names = dict(zip(wanted, (measure.name for measure in self.plan.measures), strict=True))
        self.units = {measure.name: measure.unit(made) for measure in self.plan.measures}
        _check_numbers(self.plan.measures)
        self.signs = {names[text]: sign for texts, sign in ((small, 1.0), (large, -1.0)) for text in texts}
        self.limits = [Constraint(names[text], sign, bound) for text, sign, bound in parsed]
        self._runner = Runner(self.plan)
        self._tried: list[tuple[Array, Array, Array]] = []

    def evaluate(self, shares: Array) -> tuple[Array, Array]:
        """Objectives [point, objective] and what is beyond constraints [point, constraint], at shares of the ranges.

        Each constraint counts in units of its bound, below zero within it. Points that fail are infinitely bad.
        """
        points = np.stack([one.value(shares[:, k]) for k, one in enumerate(self.ranges)], axis=1)
        outcome = self._runner.run(points)
        objectives = np.stack([sign * outcome.values[name] for name, sign in self.signs.items()], axis=1)
        beyond = np.zeros((len(points), len(self.limits)))
        for k, limit in enumerate(self.limits):
            beyond[:, k] = limit.excess(outcome.values[limit.name]) / (abs(limit.bound) or 1.0)
        failed = ~np.isfinite(objectives).all(axis=1) | ~np.isfinite(beyond).all(axis=1)
        objectives[failed], beyond[failed] = np.inf, np.inf
        excess = np.maximum(beyond, 0.0).sum(axis=1)
        excess[failed] = np.inf
        self._tried.append((points, objectives, excess))
        return objectives, beyond

    def run(self, *, evaluations: int = 600, seed: int = 0, progress: Progress | None = None) -> Optimised:
        """Search in batches by CMA-ES, then polish; ``evaluations`` simulations for every point of a front.

        ``seed`` is of the search; ``progress`` is called with the simulations made and those allowed.
        """
        self._tried = []
        count, evaluations = len(self.signs), whole(evaluations, "evaluations", 1)
        total = evaluations * (1 if count == 1 else count + WEIGHTS)

        def told() -> None:
            if progress is not None:
                progress(min(sum(len(points) for points, _, _ in self._tried), total), total)

        corners = np.eye(count)
        for k in range(count):
            self._descend(lambda values, k=k: values[:, k], evaluations, seed + k, told)  # type: ignore[misc]
        if count > 1:
            for j, weights in enumerate(_between(corners)):
                self._descend(self._scaled(weights), evaluations, seed + count + j, told)
        return self._optimised()

    def _descend(self, aim: Callable[[Array], Array], evaluations: int, seed: int, told: Callable[[], None]) -> None:
        """One search for the least ``aim`` of the objectives.

        CMA-ES knows ranks only, so constraints need no weights: a point within them goes before any that is not, and
        of two that are not the one that is less so (Deb 2000).
        """
        local = min(POLISH, evaluations // 4)
        self._polish(aim, self._search(aim, evaluations - local, seed, told), local)
        told()

    def _search(self, aim: Callable[[Array], Array], evaluations: int, seed: int, told: Callable[[], None]) -> Array:
        strategy = strategy_of(len(self.ranges), seed, evaluations, 1e-4)
        while not strategy.stop():
            asked = np.array(strategy.ask())
            objectives, _ = self.evaluate(asked[:, : len(self.ranges)])
            strategy.tell(list(asked), self._fitness(aim, aim(objectives), self._tried[-1][2]).tolist())
            told()
        points = np.concatenate([points for points, _, _ in self._tried])
        values, excess = (
            np.concatenate(part) for part in ([aim(v) for _, v, _ in self._tried], [e for _, _, e in self._tried])
        )
        best = points[int(np.argmin(_ranks(values, excess)))]
        return np.array([one.share(value) for one, value in zip(self.ranges, best, strict=True)])

    def _fitness(self, aim: Callable[[Array], Array], values: Array, excess: Array) -> Array:
        """Values of points within the constraints; beyond all of them, by their excess, those that are not."""
        known = np.concatenate([aim(objectives)[e == 0.0] for _, objectives, e in self._tried])
        worst = float(known[np.isfinite(known)].max(initial=0.0))
        return np.where(excess == 0.0, values, worst + np.minimum(excess, 1e6))

    def _polish(self, aim: Callable[[Array], Array], start: Array, evaluations: int) -> None:
        """A local search without derivatives; what it tries is kept with the rest."""
        from scipy.optimize import NonlinearConstraint, minimize

        known: dict[bytes, tuple[float, Array]] = {}
        worst = 1e6  # of a point that fails

        def at(shares: Array) -> tuple[float, Array]:
            key = shares.tobytes()
            if key not in known:
                values, beyond = self.evaluate(np.clip(shares, 0.0, 1.0)[None])
                known[key] = float(np.nan_to_num(aim(values)[0], posinf=worst)), np.nan_to_num(beyond[0], posinf=worst)
            return known[key]

        inside = [NonlinearConstraint(lambda x: at(x)[1], -np.inf, 0.0)] if self.limits else []
        if evaluations > 2 * len(start):
            minimize(
                lambda x: at(x)[0],
                start,
                method="COBYQA",
                bounds=[(0.0, 1.0)] * len(start),
                constraints=inside,
                options={"maxfev": evaluations, "initial_tr_radius": POLISH_RADIUS},
            )

    def _scaled(self, weights: Array) -> Callable[[Array], Array]:
        """The largest of the weighted objectives (Chebyshev), each from its best to its worst on the front so far."""
        tried = self._all()
        front = tried.objectives[_undominated(tried)]
        low, span = front.min(axis=0), np.ptp(front, axis=0)
        scale = np.where(span > 0, span, 1.0)

        def aim(values: Array) -> Array:
            with np.errstate(invalid="ignore"):
                parts = (values - low) / scale
                return np.nan_to_num(
                    np.max(weights * parts, axis=1) + 0.01 * parts.sum(axis=1), nan=np.inf, posinf=np.inf
                )

        return aim

    def _all(self) -> Tried:
        points, objectives, excess = (np.concatenate(part) for part in zip(*self._tried, strict=True))
        return Tried(points, objectives, excess)

    def _optimised(self) -> Optimised:
        tried = self._all()
        if not np.isfinite(tried.excess).any():
            raise SceneError(
                "no point could be simulated; run one of them alone to see why: " + self._first_reason(tried)
            )
        names = [one.name for one in self.ranges]
        first = int(np.argmin(_ranks(tried.objectives[:, 0], tried.excess)))
        outcome = self._runner.run(tried.points[first : first + 1])
        rows = np.flatnonzero(_undominated(tried)) if len(self.signs) > 1 else np.array([], int)
        signs = np.array(list(self.signs.values()))
        front = [
            dict(
                zip(
                    (*names, *self.signs),
                    (*tried.points[i].tolist(), *(signs * tried.objectives[i]).tolist()),
                    strict=True,
                )
            )
            for i in rows[np.argsort(tried.objectives[rows, 0])]
        ]
        return Optimised(
            best=dict(zip(names, tried.points[first].tolist(), strict=True)),
            objectives={name: float(outcome.values[name][0]) for name in self.signs},
            constraints={limit.text: float(outcome.values[limit.name][0]) for limit in self.limits},
            feasible=bool(tried.excess[first] == 0.0),
            front=front,
            evaluations=len(tried.points),
            tried=tried,
        )

    def _first_reason(self, tried: Tried) -> str:
        return self._runner.run(tried.points[:1]).reasons[0]


def _texts(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _limit(text: str) -> tuple[str, float, float]:
    found = _LIMIT.match(text)
    if found is None:
        raise SceneError(
            f"the constraint '{text}' cannot be read; give a measure, < or >, and a number: 'hinge.angle max < 1.5'"
        )
    return found[1], 1.0 if found[2][0] == "<" else -1.0, float(found[3])


def _check_numbers(measures: tuple[Measure, ...]) -> None:
    for measure in measures:
        if measure.reduction == SERIES:
            raise SceneError(f"'{measure.name}' is a whole course; give a reduction to one number, such as max")


def _ranks(values: Array, excess: Array) -> Array:
    """The rank of every point: first those within the constraints by their value, then the others by their excess."""
    order = np.lexsort((np.where(excess > 0.0, excess, values), excess > 0.0))
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    return ranks


def _undominated(tried: Tried) -> Array:
    """Which points are within the constraints and beaten by none in every objective."""
    good = np.flatnonzero(tried.excess == 0.0)
    values = tried.objectives[good]
    kept = np.zeros(len(tried.points), bool)
    for i, value in zip(good, values, strict=True):
        better = (values <= value).all(axis=1) & (values < value).any(axis=1)
        kept[i] = not better.any()
    _, first = np.unique(tried.objectives[kept], axis=0, return_index=True)  # one of those that are the same
    once = np.zeros_like(kept)
    once[np.flatnonzero(kept)[first]] = True
    return once


def _between(corners: Array) -> list[Array]:
    """Weights spread evenly between the objectives, their corners left out."""
    count = len(corners)
    if count == 2:
        return [np.array([share, 1.0 - share]) for share in np.linspace(0.0, 1.0, WEIGHTS + 2)[1:-1]]
    from scipy.stats import qmc

    drawn = -np.log(qmc.Sobol(count, rng=np.random.default_rng(0)).random(8)[:WEIGHTS] + 1e-9)
    return [row / row.sum() for row in drawn]
