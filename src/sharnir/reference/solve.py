"""The exact twin's run: implicit steps of high order, cut at events, recorded at regular instants."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..errors import SceneError, SimulationFault
from ..record.trajectory import Trajectory
from ..scene.check import check_scene
from ..scene.scene import Scene
from ..simulation.inputs import InputsOf
from ..spatial import Array, matrix
from .collocation import CollocationStep, CollocationStepper, lagrange
from .efforts import Efforts
from .frictions import Frictions
from .leading import leading_of
from .mechanism import Mechanism
from .modes import Modes
from .system import Evaluation, System, initial_state
from .twin_frames import TwinRecording

STAGES = 7
FIRST_STEP = 1e-5  # s
SHORTEST_STEP = 1e-14  # s
LONGEST_STEP = 0.05  # s, while inputs are functions of time
LARGEST_TURN = 1.0  # rad in a step: rotation vectors have no rate at a full turn
EVENT_TIME = 1e-13  # s: how exactly an event is located
RESTART_STEP = 1e-3  # s: the longest step after an event
SHORT_OF_REVERSAL = 1e-4  # s: from farther away, a step does not pass the reversal of bristles
MOST_IDLE = 20  # events one after the other without any time between them
MOST_GROWTH = 6.0  # of a step over the one before


def solve(
    scene: Scene,
    duration: float,
    *,
    torque: InputsOf | None = None,
    force: InputsOf | None = None,
    voltage: InputsOf | None = None,
    target: InputsOf | None = None,
    motion: InputsOf | None = None,
    command: InputsOf | None = None,
    dt: float = 0.01,
    rtol: float = 1e-10,
    breaks: Iterable[float] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Trajectory:
    """Solve a scene for ``duration`` seconds, recorded every ``dt`` seconds, each step to the tolerance ``rtol``.

    The inputs ``torque`` (N m), ``force`` (N), ``voltage``, ``target``, ``motion`` and ``command`` are those of
    ``Simulation.run``; motions must be smooth, and begin where the scene does. Times at which they jump, given as
    ``breaks`` (s), are met exactly; a jump that is not named is found by ever shorter steps, and refused in a motion.
    ``progress`` is called with the instants done and the instants in all.
    """
    if not duration > 0 or not dt > 0:
        raise SceneError(f"solve: duration is {duration:g} s and dt is {dt:g} s; both must be above zero")
    if not 1e-13 <= rtol <= 1e-2:
        raise SceneError(f"solve: rtol is {rtol:g}; give a tolerance between 1e-13 and 1e-2")
    if scene.diagram is not None:
        raise SceneError(
            f"scene '{scene.name}' has a diagram, which ticks and cannot be solved as a smooth system; "
            "set scene.diagram = None and give the inputs as functions of time"
        )
    scene.take_initial()
    check_scene(scene)
    if scene.ropes:
        raise SceneError(
            f"solve: the exact twin has no ropes, and scene '{scene.name}' has '{next(iter(scene.ropes))}'"
        )
    inputs = {"torque": torque, "force": force, "voltage": voltage, "target": target, "command": command}
    ends = sorted({float(time) for time in breaks if 0.0 < time < duration} | {duration})
    run = ExactRun(scene, {word: given for word, given in inputs.items() if given}, motion or {}, ends, dt, rtol)
    run.go(ends, progress)
    return Trajectory.from_frames(scene, run.recording.frames())


class ExactRun:
    """A solution in progress."""

    def __init__(
        self,
        scene: Scene,
        inputs: dict[str, InputsOf],
        motion: InputsOf,
        ends: list[float],
        dt: float,
        rtol: float,
    ) -> None:
        mechanism = Mechanism(scene)
        frictions = Frictions(mechanism)
        efforts = Efforts(mechanism, inputs)
        mechanism.freeze()
        leading = leading_of(scene, mechanism, motion, [0.0, *ends])
        self.system = System(scene, efforts, mechanism, frictions, leading)
        self.modes = Modes(self.system)
        self.y = self._start()
        self.t = 0.0
        self.rtol = rtol
        self.unit = np.ones(self.system.size)
        self.unit[self.system.z] = frictions.z_scale
        timed = any(callable(value) for given in (*inputs.values(), motion) for value in given.values())
        self.longest = LONGEST_STEP if timed else np.inf
        times = dt * np.arange(round(ends[-1] / dt) + 1)
        self.recording = TwinRecording(self.system, self.modes, times, dt)
        self.stepper = CollocationStepper(STAGES)
        self.steps = 0
        self._last: CollocationStep | None = None
        self._jacobian = np.zeros((0, 0))
        self._idle = 0

    def _start(self) -> Array:
        system = self.system
        y = initial_state(system)
        system.rotation = np.array([matrix(body.pose.rotation) for body in system.mechanism.bodies])
        system.examine(y)
        return system.together(0.0, system.struck(0.0, y, [])[0])

    # ----------------------------------------------------------------------------------------------------------------

    def go(self, ends: list[float], progress: Callable[[int, int], None] | None) -> None:
        """Solve up to each of the ends in turn."""
        system = self.system
        h = FIRST_STEP
        self.y = self.modes.settle(0.0, self.y)
        self.recording.fill(system.evaluate(np.zeros(1), self.y[None]))
        try:
            for end in ends:
                system.efforts.until = end if end < ends[-1] else np.inf
                while self.t < end - 1e-13:
                    h = self._advance(h, end)
                    if progress is not None:
                        progress(self.recording.done, len(self.recording.times))
                self.t = end
                if end < ends[-1]:  # the inputs jump here
                    system.efforts.until = np.inf
                    if system.leading.some:  # and so may the rates of what is prescribed
                        self.y = system.struck(end, self.y, [])[0]
                    self.y = self.modes.settle(end, self.y)
                    h, self._last = min(h, 1e-3), None
        except KeyboardInterrupt:
            pass

    def _scale(self) -> Array:
        return np.asarray(self.rtol * np.maximum(self.unit, np.abs(self.y)))

    def _advance(self, h: float, end: float) -> float:
        """One accepted step, with the event at its end if there is one; the length of the next."""
        system = self.system
        now, self._jacobian = system.jacobian(self.t, self.y, self.unit)
        most = self._longest(now, end)
        step = self._accepted(min(h, most) if most - h > 0.1 * h else most, now)
        grown = step.h * min(MOST_GROWTH, 0.9 * max(step.error, 1e-8) ** (-1.0 / (1 + STAGES)))
        if step.h < min(h, most):  # it was shortened: do not try the same again at once
            grown = min(grown, step.h)
        elif step.h < h:  # it was cut by the end or a limit on its length
            grown = max(grown, h)
        event = self._event(step, now)
        step = step if event is None else event
        self._record(step)
        self.t, self.y = step.t + step.h, step.end
        self.steps += 1
        system.keep(step.seen.multipliers[-1])
        self.y = system.together(self.t, self.y)
        system.efforts.coordinates.advance(system.motion(self.y[None]))
        self._last = step
        if system.redundant:  # which rows are, may change with the pose
            system.examine(self.y)
        self._idle = self._idle + 1 if step.h == 0.0 else 0
        if self._idle > MOST_IDLE:
            raise self._fault()
        if event is not None or self._stopped(step.seen):
            self.y = self.modes.settle(self.t, self.y)
            self.recording.fill_blows()
            self._last = None
            return min(grown, RESTART_STEP)
        return grown

    def _longest(self, now: Evaluation, end: float) -> float:
        """The longest step from a state: up to the end, a quarter turn, and short of where directions are lost."""
        spin = float(np.abs(now.motion.w[0]).max())
        most = min(self.longest, LARGEST_TURN / max(spin, 1e-9), 0.7 * self.modes.stopping_time(now), end - self.t)
        reversal = 0.8 * self.modes.reversal_time(now)
        return min(most, reversal) if reversal > SHORT_OF_REVERSAL else most

    def _try(self, h: float, guess: Array, scale: Array) -> CollocationStep | None:
        step = self.stepper.attempt(self.system.stage_rates, self.t, self.y, h, self._jacobian, guess, scale)
        if step is not None:
            step.seen = self.system.stages
        return step

    def _accepted(self, h: float, now: Evaluation) -> CollocationStep:
        """A step of at most h whose error is within the tolerance."""
        system, scale = self.system, self._scale()
        before, rate = self._last, now.rates[0]
        failed: CollocationStep | None = None
        while True:
            if h < SHORTEST_STEP * max(1.0, self.t):
                raise self._fault()
            if failed is not None and failed.h > h:
                guess = failed.guess_shorter(h)
            elif before is not None and h < 4.0 * before.h:
                guess = before.guess_next(h)
            else:
                guess = h * self.stepper.method.nodes[:, None] * rate
            step = self._try(h, guess, scale)
            if step is None:
                h, failed, before = 0.3 * h, None, None
                continue
            self.stepper.judge(system.rates, step, rate, scale)
            if step.error <= 1.0:
                return step
            aimed = self._to_corner(step, now)
            if aimed is not None:
                self.stepper.judge(system.rates, aimed, rate, scale)
                if aimed.error <= 1.0:
                    return aimed
                step = aimed
            h = step.h * min(0.9, max(0.1, 0.9 * step.error ** (-1.0 / (1 + STAGES))))
            failed = step

    # --- corners and events -----------------------------------------------------------------------------------------

    def _to_corner(self, step: CollocationStep, now: Evaluation) -> CollocationStep | None:
        """A failed step cut where a continuous law has its first corner; None if it has none, or too near the ends."""
        start, inside = self.modes.kinks(now)[0], self.modes.kinks(step.seen)
        found = {}
        for i in range(len(start)):
            values = np.append(start[i], inside[:, i])
            if values.min() * values.max() < 0.0:
                place = _first_zero(step, values)
                if 0.01 < place < 0.99:
                    found[i] = place
        if not found:
            return None
        corner = min(found, key=found.__getitem__)
        sign = float(np.sign(start[corner] or inside[0, corner]))
        cut = self._located(step, lambda e: sign * self.modes.kinks(e)[:, corner], now, found[corner])
        return cut if cut is not None and cut.h > 1e-3 * step.h else None

    def _event(self, step: CollocationStep, now: Evaluation) -> CollocationStep | None:
        """The step cut at its first event, or None."""
        guards = np.vstack([self.modes.guards(now)[:1], self.modes.guards(step.seen)])
        passed = [i for i in range(guards.shape[1]) if guards[1:, i].min() < -1e-12]
        if not passed:
            return None
        places = {i: _first_fall(step, guards[:, i]) for i in passed}
        guard = min(places, key=places.__getitem__)
        if places[guard] * step.h < SHORTEST_STEP:
            return self._none(step)
        located = self._located(step, lambda e: self.modes.guards(e)[:, guard], now, places[guard])
        if located is None:
            raise self._fault()
        return located

    def _located(
        self, step: CollocationStep, watched: Callable[[Evaluation], Array], now: Evaluation, place: float
    ) -> CollocationStep | None:
        """A step that ends where a falling function is zero.

        The end of a step is more exact than its inside, so it is stepped to anew until it is there.
        """
        first = watched(now)[:1]
        low, high, h = 0.0, step.h, place * step.h
        scale = self._scale()
        tried: CollocationStep | None = None
        for _ in range(30):
            h = min(max(h, low + 1e-3 * (high - low)), high)
            if h < SHORTEST_STEP:
                return None
            tried = self._try(h, step.guess_shorter(h), 1e-2 * scale) or self._try(h, step.guess_shorter(h), scale)
            if tried is None:
                return None
            values = np.append(first, watched(tried.seen))
            low, high = (h, high) if values[-1] > 0.0 else (low, h)
            slope = _end_slope(tried, values)
            change = -values[-1] / slope if slope < 0.0 else 0.5 * (low + high) - h
            if abs(change) < EVENT_TIME or high - low < EVENT_TIME:
                break
            h = h + change if low < h + change < high else 0.5 * (low + high)
        return tried

    def _none(self, step: CollocationStep) -> CollocationStep:
        """A step of no length: the event is where the step starts."""
        seen = self.system.evaluate(np.array([self.t]), self.y[None])
        return CollocationStep(step.method, step.t, 0.0, step.start, 0.0 * step.stages, step.rates, 0, seen=seen)

    def _stopped(self, e: Evaluation) -> bool:
        """Whether a friction vector has come to rest."""
        frictions = self.system.frictions
        if not frictions.count:
            return False
        speed = np.sqrt((e.slip.u[-1] ** 2) @ frictions.sums)
        return bool((frictions.set_valued & frictions.several & ~frictions.sticking & (speed < 1e-9)).any())

    def _record(self, step: CollocationStep) -> None:
        """Record the instants within a step."""
        times = self.recording.times
        upto = int(np.searchsorted(times, step.t + step.h + 1e-12))
        inside = times[self.recording.done : upto]
        for start in range(0, len(inside), 64):
            now = inside[start : start + 64]
            states = step.at((now - step.t) / step.h)
            self.recording.fill(self.system.evaluate(now, states))

    def _fault(self) -> SimulationFault:
        return SimulationFault(
            f"the exact twin of '{self.system.scene.name}' cannot go on at t = {self.t:g} s: its steps became shorter "
            f"than {SHORTEST_STEP:g} s; look at that time for a singular pose, or give the jumps of inputs as breaks",
            world=0,
            step=self.steps,
            body=self.system.mechanism.bodies[0].name,
            joint=None,
            worlds=(0,),
            file=None,
            run=Trajectory.from_frames(self.system.scene, self.recording.frames()),
        )


def _first_zero(step: CollocationStep, values: Array) -> float:
    """The first change of sign after the first stage of a function given at the start and the stages, by fraction."""
    fine = np.linspace(step.method.nodes[0], 1.0, 65)
    curve = lagrange(np.append(0.0, step.method.nodes), fine) @ values
    crossings = np.flatnonzero(curve[:-1] * curve[1:] < 0.0)
    if not len(crossings):
        return 1.0
    k = crossings[0]
    return float(fine[k] + (fine[k + 1] - fine[k]) * curve[k] / (curve[k] - curve[k + 1]))


def _first_fall(step: CollocationStep, values: Array) -> float:
    """Where a function given at the start and the stages falls below zero, as a fraction of the step."""
    nodes = np.append(0.0, step.method.nodes)
    below = int(np.argmax(values[1:] < -1e-12)) + 1
    low, high = nodes[below - 1], nodes[below]
    if below == 1 and values[0] <= 0.0:  # it may still rise a little before it falls
        nearer = high * 0.5 ** np.arange(1, 40)
        above = np.flatnonzero(lagrange(nodes, nearer) @ values > 0.0)
        if not len(above):
            return 0.0
        low = nearer[above[0]]
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (lagrange(nodes, np.array([middle])) @ values)[0] > 0.0 else (low, middle)
    return float(0.5 * (low + high))


def _end_slope(step: CollocationStep, values: Array) -> float:
    """The slope at the end of a step of a function given at its start and stages, 1/s."""
    near = lagrange(np.append(0.0, step.method.nodes), np.array([1.0 - 1e-4, 1.0])) @ values
    return float((near[1] - near[0]) / (1e-4 * step.h))
