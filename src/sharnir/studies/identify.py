"""Identification: parameters of a scene estimated from a log of the real machine, with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature

import numpy as np

from ..errors import SceneError, nearest
from ..experiment import Experiment
from ..scene.scene import Scene
from ..spatial import Array
from .address import Address, find, quantity_named, value_of, with_numbers
from .batch import Runner
from .fit import Estimate, Fitted, Range, Residuals, estimates, find_best, jacobian_of, polish, quantile, untold
from .logs import Log, noise_of, resolution_of
from .plan import WORDS, Factory, Plan, Settings, key_of, make_plan
from .spread import parse_spread

DELAY = "delay"
STILL = 9.0  # a signal that spans less than so many times its noise does not move: ten thousand rows of noise span 8
LOST = 1e3  # times the noise: the residual of a simulation that failed
NOT_NOISE = 0.5  # correlation of neighbouring residuals
LIKELY = 0.9  # correlation above which a factor between log and simulation means something
SLIPS = {-1.0: "has the opposite sign", 180 / math.pi: "is in degrees", math.pi / 180: "is in rad taken for degrees"}
SLIPS |= {1e3: "is in thousandths", 1e-3: "is in thousands", -180 / math.pi: "is in degrees of the opposite sign"}
SEARCH_STEPS, LONGEST_STEP = 4, 0.005  # a search takes steps that are so many times longer, up to s
SHIFT_TOLD = 0.25  # of an interval's half width: an error of the step that is worth a warning
FINE_STEPS, ROUNDS = 16, 2  # steps so many times shorter correct a fit, so many times
WORSE = 1.05  # times the residuals: a correction that makes them so much larger is none


class Sampled:
    """A column of a log as a function of time (s): on straight lines between its rows, or held to the next one."""

    def __init__(self, time: Array, values: Array, hold: bool) -> None:
        self.time, self.values, self.hold = time, values, hold

    def at(self, times: Array) -> Array:
        """The values at many times (s)."""
        if self.hold:
            return self.values[np.clip(np.searchsorted(self.time, times, side="right") - 1, 0, None)]
        return np.interp(times, self.time, self.values)

    def __call__(self, time: float) -> float:
        return float(self.at(np.array([time]))[0])


@dataclass(frozen=True)
class Found:
    """What a log says of a scene.

    ``estimates`` are the numbers with their 95 % intervals, ``untold`` what the log cannot tell, in words. ``noise``
    (in the unit of the signal) is by output, ``explained`` the share of its variance that the simulation explains, and
    ``whiteness`` the correlation (-1 to 1) of neighbouring residuals: near 0 for noise, near 1 for a wrong model.
    ``corrected`` is by how many half widths of its interval the error of the step had shifted a number, by name, before
    it was taken out, as a ratio. ``twin`` is by how many the exact solution would still shift it, as a ratio. ``scene``
    has the found values; what was ``measured`` and what the scene ``simulated``, corrected likewise, are by output, in
    its unit, at ``times`` (s). ``evaluations`` counts simulations; ``warnings`` are what a reader should doubt,
    ``fitted`` is the end of the least squares.
    """

    estimates: list[Estimate]
    untold: list[str]
    noise: dict[str, float]
    explained: dict[str, float]
    whiteness: dict[str, float]
    scene: Scene
    times: Array
    measured: dict[str, Array]
    simulated: dict[str, Array]
    evaluations: int
    corrected: dict[str, float] = field(default_factory=dict)
    twin: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    fitted: Fitted | None = None

    @property
    def residuals(self) -> dict[str, Array]:
        """Measured less simulated by output, in its unit."""
        return {name: self.measured[name] - self.simulated[name] for name in self.measured}

    def __getitem__(self, name: str) -> Estimate:
        found = {estimate.name: estimate for estimate in self.estimates}
        if name not in found:
            raise SceneError(f"'{name}' was not identified{nearest(name, found)}")
        return found[name]


class Identification:
    """Numbers of a scene that are not known, and a log of the machine that knows them.

    ``free`` are the unknown numbers by name with their ranges, ``inputs`` and ``outputs`` which columns of the log
    drive the scene and are compared with it. The log must start where the scene does.
    """

    def __init__(
        self,
        scene: Scene | Factory,
        log: Log,
        free: Mapping[str, str | None],
        *,
        outputs: Mapping[str, str],
        inputs: Mapping[str, str] | None = None,
        delay: float | str = 0.0,
        dt: float | None = None,
        hold: bool = False,
        until: float | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Describe an identification.

        Args:
            scene: a scene, or a function that makes one from arguments that are free.
            log: what was measured.
            free: ranges of the unknown numbers by name: ``{"hinge.friction": "0.1:10"}``, in their units; None for a
                tenth to ten times what the scene has.
            outputs: columns of the log by the signals of the scene that they measure: ``{"hinge.angle": "angle"}``.
            inputs: columns by the inputs that they are: ``{"torque.hinge": "torque"}``.
            delay: of the log behind the machine, s; a range such as ``"0:0.01"`` if it is not known.
            dt: time step, s; the median interval of the log, 5 ms at most, unless given.
            hold: whether inputs hold from one row to the next, instead of following straight lines.
            until: s; rows after it are not fitted but held out.
            settings: of ``Simulation``.
        """
        self.scene, self.log, self.hold = scene, log, hold
        self._factory = scene if callable(scene) and not isinstance(scene, Scene) else None
        base: Scene = self._factory() if self._factory else scene  # type: ignore[assignment]
        if not outputs:
            raise SceneError("nothing is compared with the log; give outputs, such as {'hinge.angle': 'angle'}")
        self.base, self.settings, self.outputs = base, dict(settings or {}), dict(outputs)
        self.inputs = dict(inputs or {})
        self.dt = float(dt) if dt is not None else min(float(np.median(np.diff(log.time))), 0.005)
        self.ranges = [self._range(name, text) for name, text in free.items()]
        self.until = math.inf if until is None else float(until)
        self._fixed_delay = 0.0 if isinstance(delay, str) else float(delay)
        if isinstance(delay, str):
            self.ranges.append(_parsed(DELAY, delay))
        if not self.ranges:
            raise SceneError("nothing is free; name a number of the scene, such as {'hinge.friction': '0.1:10'}")
        self._measured = {
            name: log.column(column, quantity_named(base, name)[0].unit) for name, column in outputs.items()
        }
        longest = max((one.high for one in self.ranges if one.name == DELAY), default=self._fixed_delay)
        self._rows = log.time >= longest  # before that the simulation has not begun
        self.noise = {name: self._floor(name) for name in outputs}
        self._step_error: dict[str, Array] = dict.fromkeys(outputs, np.zeros(len(log.time)))

    def _floor(self, name: str) -> float:
        """A first guess of the noise of an output; at least what its encoder adds."""
        values = self._measured[name]
        return max(noise_of(values), resolution_of(values) / math.sqrt(12.0), 1e-6 * float(np.ptp(values)), 1e-12)

    def _range(self, name: str, text: str | None) -> Range:
        if text is not None:
            return _parsed(name, text)
        start = value_of(self.base, find(self.base, name)) if "." in name else None
        if not start:
            raise SceneError(f"'{name}' is free, but the scene has no value to start from; give a range: {name}=0.1:10")
        low, high = sorted((start / 10, start * 10))
        return Range(name, low, high, log=low > 0.0)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.ranges if one.name != DELAY)

    def driven(self) -> dict[str, dict[str, Sampled]]:
        """The inputs as functions of time, by word and name."""
        found: dict[str, dict[str, Sampled]] = {}
        for name, column in self.inputs.items():
            word, _, item = name.partition(".")
            if word not in WORDS or not item:
                raise SceneError(
                    f"the input '{name}' is unknown; give one of {', '.join(WORDS)} and a joint: torque.hinge"
                )
            if column not in self.log.columns:
                raise SceneError(f"the log has no column '{column}'{nearest(column, self.log.columns)}")
            found.setdefault(word, {})[item] = Sampled(self.log.time, self.log.columns[column], self.hold)
        return found

    @cached_property
    def plan(self) -> Plan:
        """The simulation of the log as a study of series."""
        duration = math.ceil(self.log.time[-1] / self.dt) * self.dt
        measures = tuple(f"{name} series" for name in self.outputs)
        if self._factory is None:
            return make_plan(
                self.base,
                self._names,
                measures,
                time=duration,
                dt=self.dt,
                inputs=self.driven(),
                settings=self.settings,
            )
        factory, driven, dt = self._factory, self.driven(), self.dt

        def made(**arguments: float) -> Experiment:
            scene = factory(**arguments)
            named = {word: {key_of(scene, word, n): v for n, v in given.items()} for word, given in driven.items()}
            return Experiment(scene, time=duration, dt=dt, **named)  # type: ignore[arg-type]

        made.__signature__ = signature(factory)  # type: ignore[attr-defined]
        return make_plan(made, self._names, measures, settings=self.settings)

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self.plan)

    def simulate(self, values: Array) -> dict[str, Array]:
        """The outputs at the rows of the log, [point, row], for values [point, number]; NaN where a world failed."""
        from scipy.interpolate import CubicSpline

        values = np.atleast_2d(values)
        columns = [k for k, one in enumerate(self.ranges) if one.name != DELAY]
        delays = next(
            (values[:, k] for k, one in enumerate(self.ranges) if one.name == DELAY),
            np.full(len(values), self._fixed_delay),
        )
        unique, which = np.unique(values[:, columns], axis=0, return_inverse=True)
        outcome = self._runner.run(unique)
        found = {}
        for name in self.outputs:
            series = outcome.values[f"{name} series"][which.ravel()]
            rows = np.full((len(values), len(self.log.time)), np.nan)
            for k, (course, delay) in enumerate(zip(series, delays, strict=True)):
                if np.isfinite(course).all():
                    rows[k] = CubicSpline(self.plan.instants, course)(np.maximum(self.log.time - delay, 0.0))
            found[name] = rows + self._step_error[name]
        return found

    def residuals(self, rows: Array | None = None) -> Residuals:
        """The function from shares of the ranges to residuals in units of the noise, over ``rows`` of the log."""
        chosen = self.fitted_rows if rows is None else rows

        def of(shares: Array) -> Array:
            simulated = self.simulate(self.values(shares))
            parts = [(simulated[name] - self._measured[name])[:, chosen] / self.noise[name] for name in self.outputs]
            return np.nan_to_num(np.concatenate(parts, axis=1), nan=LOST)

        return of

    @property
    def fitted_rows(self) -> Array:
        """Which rows of the log, along its axis of time, are fitted."""
        return self._rows & (self.log.time <= self.until)

    @property
    def held_out_rows(self) -> Array:
        """Which rows of the log, along its axis of time, are held out."""
        return self._rows & (self.log.time > self.until)

    def values(self, shares: Array) -> Array:
        """Numbers, each in its unit, from shares (0 to 1) of their ranges."""
        return np.stack([one.value(shares[..., k]) for k, one in enumerate(self.ranges)], axis=-1)

    def still(self) -> list[str]:
        """The outputs that do not move in the log."""
        floors = {name: max(STILL * self.noise[name], 1.5 * resolution_of(v)) for name, v in self._measured.items()}
        return [name for name, values in self._measured.items() if np.ptp(values[self.fitted_rows]) <= floors[name]]

    def check_units(self, seed: int = 0) -> None:
        """Refuse a column that is a factor off everything the scene can do: degrees, millimetres, another sign.

        It is compared with sixteen points of the ranges, drawn with a ``seed``.
        """
        from scipy.stats import qmc

        shares = qmc.Sobol(len(self.ranges), rng=np.random.default_rng(seed)).random(16)
        for name, rows in self.simulate(self.values(shares)).items():
            measured = self._measured[name] - self._measured[name].mean()
            moved = rows - rows.mean(axis=1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                both = moved @ measured / np.sqrt((moved**2).sum(axis=1) * (measured**2).sum())
                factor = moved @ measured / (moved**2).sum(axis=1)
            if not np.isfinite(both).any():
                continue
            best = int(np.nanargmax(np.abs(both)))
            for slip, words in SLIPS.items():
                if abs(both[best]) > LIKELY and abs(factor[best] / slip - 1.0) < 0.3:
                    raise SceneError(
                        f"the column '{self.outputs[name]}' is {factor[best]:.3g} times '{name}' as "
                        f"simulated: it seems that it {words}; "
                        f"write its unit in the log ('{self.outputs[name]} [deg]'), or turn its sign"
                    )

    def fit(
        self,
        *,
        start: Mapping[str, float] | None = None,
        search: bool | None = None,
        seed: int = 0,
        check: bool = True,
        twin: bool = True,
    ) -> Found:
        """Find the numbers: a search over their ranges, then a polish, without the error of the step.

        The search begins at a ``start``, in the units of the numbers, or in the middle of their ranges; where a start
        is given there is none unless ``search`` asks for it. ``seed`` is of the search; ``check`` looks for columns in
        other units, ``twin`` compares the winner with the exact solution of the same scene.
        """
        still = self.still()  # by the noise of the log, before that of a fit stands in its place
        if len(still) == len(self.outputs):
            return self._cannot_tell()
        self._step_error = dict.fromkeys(self.outputs, np.zeros(len(self.log.time)))
        begun = None if start is None else np.array([one.share(start[one.name]) for one in self.ranges])
        tried = 0
        if search or begun is None:
            coarse = self._with_step(min(SEARCH_STEPS * self.dt, max(self.dt, LONGEST_STEP)))
            if check:
                coarse.check_units(seed)
            begun, tried = find_best(coarse.residuals(), len(self.ranges), seed, begun)
        plain = self._polished(begun)
        tried += plain.evaluations
        if len(self.outputs) > 1:  # now that it is known how much each of them weighs
            plain = self._polished(plain.shares)
            tried += plain.evaluations
        fitted, warnings = self._corrected(plain)
        found = self._found(fitted, tried)
        found = replace(found, corrected=self._half_widths(fitted, fitted.shares - plain.shares))
        if twin and not found.untold:
            shifts, more = self._twin(found, fitted)
            found, warnings = replace(found, twin=shifts), warnings + more
        return replace(found, warnings=warnings + self._warnings(found, fitted, still))

    def _polished(self, begun: Array) -> Fitted:
        """Least squares from shares of the ranges; the noise of every output is then that of its residuals."""
        fitted = polish(self.residuals(), begun)
        self._weigh(fitted)
        return fitted

    def _with_step(self, dt: float) -> Identification:
        """The same with other steps (s)."""
        other = copy(self)
        other.dt = dt
        for made in ("plan", "_runner"):
            other.__dict__.pop(made, None)
        return other

    def _weigh(self, fitted: Fitted) -> None:
        """Take the noise of every output from its residuals, no smaller than the encoder's."""
        count = int(self.fitted_rows.sum())
        for k, name in enumerate(self.outputs):
            part = fitted.residuals[k * count : (k + 1) * count] * self.noise[name]
            self.noise[name] = max(float(np.sqrt(np.mean(part**2))), 1e-12)

    def _cannot_tell(self) -> Found:
        names = ", ".join(f"'{name}'" for name in self.outputs)
        empty = [Estimate(one.name, math.nan, math.inf, -math.inf, math.inf) for one in self.ranges]
        words = [f"'{one.name}': {names} does not move in the log" for one in self.ranges]
        zero = {name: np.full_like(values, values.mean()) for name, values in self._measured.items()}
        nothing = dict.fromkeys(self.outputs, 0.0)
        return Found(empty, words, self.noise, nothing, nothing, self.base, self.log.time, self._measured, zero, 0)

    def scene_with(self, values: Array) -> Scene:
        """The scene with ``values``, in their units and in the order of the ranges."""
        given = {one.name: float(value) for one, value in zip(self.ranges, values, strict=True) if one.name != DELAY}
        arguments = {name: value for name, value in given.items() if name in self.plan.arguments}
        scene = self._factory(**arguments) if self._factory else self.base
        numbers: dict[Address, float] = {find(scene, n): v for n, v in given.items() if n not in arguments}
        return with_numbers(scene, numbers) if numbers else scene

    def _found(self, fitted: Fitted, tried: int) -> Found:
        values = self.values(fitted.shares)
        simulated = {name: rows[0] for name, rows in self.simulate(values).items()}
        explained, whiteness = {}, {}
        for name, measured in self._measured.items():
            left = (measured - simulated[name])[self.fitted_rows]
            explained[name] = 1.0 - float(left.var() / max(measured[self.fitted_rows].var(), 1e-300))
            whiteness[name] = float(np.corrcoef(left[1:], left[:-1])[0, 1]) if left.std() > 0 else 0.0
        return Found(
            estimates=estimates(fitted, self.ranges),
            untold=untold(fitted, self.ranges),
            noise=dict(self.noise),
            explained=explained,
            whiteness=whiteness,
            scene=self.scene_with(values),
            times=self.log.time,
            measured=self._measured,
            simulated=simulated,
            evaluations=tried + fitted.evaluations,
            fitted=fitted,
        )

    def _corrected(self, plain: Fitted) -> tuple[Fitted, list[str]]:
        """The fit without the error of the step, and what is to be said of it.

        What shorter steps change at the numbers found so far is nearly the whole error of the step, and hardly depends
        on the numbers: it is added to what is simulated, and they are fitted again. Dry friction that reverses is its
        main cause. A step of length h lets friction F act one way over all of it, as the speed at its end demands, so
        that a joint which the torque T drives back starts late, by h F/(|T| + F) in the mean over where in the step it
        comes to rest: a log seems delayed by that much less.
        """
        before, fine = dict(self.noise), self._with_step(self.dt / FINE_STEPS)
        fitted, tried = plain, 0
        for _ in range(ROUNDS):
            values = self.values(fitted.shares)
            shorter, simulated = fine._plain(values), self._plain(values)
            whole = FINE_STEPS / (FINE_STEPS - 1)  # what the shorter steps leave of an error of first order
            self._step_error = {name: whole * (shorter[name] - simulated[name]) for name in self.outputs}
            if not all(np.isfinite(error).all() for error in self._step_error.values()):
                break
            again = self._polished(fitted.shares)
            tried += again.evaluations + 2
            moved = self._half_widths(again, again.shares - fitted.shares)
            fitted = again
            if max(moved.values()) < SHIFT_TOLD:
                break
        grown = max(self.noise[name] / before[name] for name in self.outputs)
        if grown <= WORSE and all(np.isfinite(error).all() for error in self._step_error.values()):
            return replace(fitted, evaluations=tried), []
        self._step_error, self.noise = dict.fromkeys(self.outputs, np.zeros(len(self.log.time))), before
        return plain, [
            f"steps of {self.dt:g} s and of {fine.dt:g} s differ by more than a correction can mend; take a smaller dt"
        ]

    def _plain(self, values: Array) -> dict[str, Array]:
        """The outputs at the rows of the log for one set of numbers, with the error of the step in them."""
        return {name: rows[0] - self._step_error[name] for name, rows in self.simulate(values).items()}

    def _half_widths(self, fitted: Fitted, moved: Array) -> dict[str, float]:
        """A change of the shares in half widths of the intervals, by name."""
        width = quantile(len(fitted.residuals) - len(self.ranges))
        return {
            one.name: float(abs(moved[k] * one.slope(fitted.shares[k])) / (width * e.deviation))
            for k, (one, e) in enumerate(zip(self.ranges, estimates(fitted, self.ranges), strict=True))
        }

    def _twin(self, found: Found, fitted: Fitted) -> tuple[dict[str, float], list[str]]:
        """How far the exact solution would move every number, in half widths of its interval, and warnings.

        With J the Jacobian of the residuals and e what the simulation differs from the exact solution, the least
        squares move by the change of the numbers that explains e best: J^+ e.
        """
        from scipy.interpolate import CubicSpline

        from ..reference import solve

        scene = found.scene
        named = {word: {key_of(scene, word, n): v for n, v in given.items()} for word, given in self.driven().items()}
        jumps = self.log.time if self.hold else ()
        try:
            exact = solve(scene, self.plan.time, dt=self.dt, rtol=1e-7, breaks=jumps, **named)  # type: ignore[arg-type]
        except SceneError as error:
            return {}, [f"the winner is not compared with the exact solution: {error}"]
        delay = next((e.value for e in found.estimates if e.name == DELAY), self._fixed_delay)
        at, errors = np.maximum(self.log.time - delay, 0.0), []
        for name in self.outputs:
            quantity, component = quantity_named(scene, name)
            course = np.asarray(exact[quantity].values)
            course = course if component is None else course[:, quantity.components.index(component)]
            left = CubicSpline(exact.time, course)(at) - found.simulated[name]
            errors.append(left[self.fitted_rows] / self.noise[name])
        shifts = self._half_widths(fitted, np.linalg.lstsq(fitted.jacobian, np.concatenate(errors), rcond=None)[0])
        return shifts, [
            f"the error of the step of {self.dt:g} s is {share:.2g} of the interval of '{name}'; take a smaller dt"
            for name, share in shifts.items()
            if share > SHIFT_TOLD
        ]

    def _warnings(self, found: Found, fitted: Fitted, still: list[str]) -> list[str]:
        told = [
            f"the residuals of '{name}' are not noise (neighbours correlate by {by:.2f}): the model is wrong, or its "
            f"step of {self.dt:g} s too long for the search to find the best; the intervals are too narrow: try a "
            "smaller dt, then another law"
            for name, by in found.whiteness.items()
            if by > NOT_NOISE
        ]
        told += [f"'{name}' does not move in the log" for name in still]
        for one, share in zip(self.ranges, fitted.shares, strict=True):
            if min(share, 1.0 - share) < 1e-3:
                told.append(f"'{one.name}' lies at the end of its range, {one.value(round(share)):g}; widen it")
        return told


def _parsed(name: str, text: str) -> Range:
    low, high = parse_spread(name, text).bounds
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise SceneError(f"'{name}' is free over '{text}'; give a range such as 0.1:10")
    return Range(name, low, high, log=low > 0.0 and high / low >= 10.0)


# --- which input would tell them apart --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """An input that could be tried: its ``name``, and the half widths of the 95 % intervals that it promises.

    ``widths`` are by number, in its unit; an endless one is a number that it would not tell. ``worst`` is the widest of
    them as a share of its range.
    """

    name: str
    widths: dict[str, float]
    worst: float


def compare_inputs(
    identification: Identification,
    at: Mapping[str, float],
    inputs: Mapping[str, Array],
    drive: str,
    noise: Mapping[str, float],
) -> list[Trial]:
    """Which of several ``inputs`` (values at the rows of the log, by name) of a ``drive`` would tell most, best first.

    ``identification`` says what is free and measured. ``at`` are the numbers as far as they are known, in their units;
    ``noise`` is that of the outputs, in theirs.
    """
    found = []
    for name, values in inputs.items():
        log = Log(
            identification.log.time,
            identification.log.columns | {"trial": values},
            identification.log.units | {"trial": ""},
        )
        trial = Identification(
            identification.scene,
            log,
            {one.name: f"{one.low!r}:{one.high!r}" for one in identification.ranges if one.name != DELAY},
            outputs=identification.outputs,
            inputs=identification.inputs | {drive: "trial"},
            dt=identification.dt,
            hold=identification.hold,
            settings=identification.settings,
        )
        trial.noise = dict(noise)
        shares = np.array([one.share(at[one.name]) for one in trial.ranges])
        jacobian = jacobian_of(trial.residuals(), shares)
        count = len(jacobian)
        made = Fitted(shares, np.ones(count), jacobian, 0)  # residuals of the size of the noise
        widths = {e.name: quantile(count) * e.deviation for e in estimates(made, trial.ranges)}
        worst = max(
            width / abs(one.slope(s)) for one, s, width in zip(trial.ranges, shares, widths.values(), strict=True)
        )
        found.append(Trial(name, widths, worst))
    return sorted(found, key=lambda one: one.worst)
