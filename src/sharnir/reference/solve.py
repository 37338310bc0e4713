"""The exact twin's run: implicit steps of high order, cut at events, recorded at regular instants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..errors import SceneError, SimulationFault
from ..record.trajectory import Trajectory
from ..scene.check import check_scene
from ..scene.joints import Kind
from ..scene.measure import start_value
from ..scene.scene import Scene
from ..spatial import Array
from .collocation import Step, Stepper, lagrange
from .efforts import Efforts, Inputs
from .frames import Recording
from .frictions import Frictions
from .mechanism import Mechanism
from .modes import Modes
from .system import Evaluation, System, initial_state

STAGES = 5
FIRST_STEP = 1e-5  # s
SHORTEST_STEP = 1e-14  # s
LONGEST_STEP = 0.05  # s, while inputs are functions of time
LARGEST_TURN = 1.0  # rad in a step: rotation vectors have no rate at a full turn
EVENT_TIME = 1e-13  # s: how exactly an event is located


def solve(
    scene: Scene,
    duration: float,
    *,
    torque: Inputs | None = None,
    force: Inputs | None = None,
    voltage: Inputs | None = None,
    target: Inputs | None = None,
    dt: float = 0.01,
    rtol: float = 1e-10,
    breaks: Iterable[float] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Trajectory:
    """Solve a scene for ``duration`` seconds, recorded every ``dt`` seconds, to a relative tolerance of each step.

    The inputs are those of ``Simulation.run``. Times at which they jump, given as ``breaks`` (s), are met exactly; a
    jump that is not named is found by ever shorter steps.
    """
    if not duration > 0 or not dt > 0:
        raise SceneError(f"solve: duration is {duration:g} s and dt is {dt:g} s; both must be above zero")
    if not 1e-13 <= rtol <= 1e-2:
        raise SceneError(f"solve: rtol is {rtol:g}; give a tolerance between 1e-13 and 1e-2")
    check_scene(scene)
    inputs = {"torque": torque, "force": force, "voltage": voltage, "target": target}
    run = Run(scene, {word: given for word, given in inputs.items() if given}, duration, dt, rtol)
    run.go(sorted({float(time) for time in breaks if 0.0 < time < duration} | {duration}), progress)
    return Trajectory.from_frames(scene, run.recording.frames())


class Run:
    """A solution in progress."""

    def __init__(self, scene: Scene, inputs: dict[str, Inputs], duration: float, dt: float, rtol: float) -> None:
        mechanism = Mechanism(scene)
        frictions = Frictions(mechanism)
        efforts = Efforts(mechanism, inputs)
        mechanism.freeze()
        self.system = System(scene, efforts, mechanism, frictions)
        self.modes = Modes(self.system)
        self.y = self._start()
        self.t = 0.0
        self.rtol = rtol
        self.unit = np.ones(self.system.size)
        self.unit[self.system.z] = frictions.z_scale
        timed = any(callable(value) for given in inputs.values() for value in given.values())
        self.longest = LONGEST_STEP if timed else np.inf
        times = dt * np.arange(round(duration / dt) + 1)
        self.recording = Recording(self.system, self.modes, times, dt)
        self.stepper = Stepper(STAGES)
        self.steps = self.rejected = self.events = 0
        self._last: Step | None = None

    def _start(self) -> Array:
        system = self.system
        y = initial_state(system)
        system.rotation = np.array([_matrix(body.pose.rotation) for body in system.mechanism.bodies])
        for j, joint in enumerate(system.mechanism.joints):
            for free in joint.type.coordinates:
                if free.kind == Kind.TWIST:
                    system.efforts.coordinates.start(j, start_value(joint, free))
        return system.together(y)

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
                    self.y = self.modes.settle(end, self.y)
                    h, self._last = min(h, 1e-3), None
        except KeyboardInterrupt:
            pass

    def _scale(self) -> Array:
        return np.asarray(self.rtol * np.maximum(self.unit, np.abs(self.y)))

    def _advance(self, h: float, end: float) -> float:
        """One accepted step, with the event at its end if there is one; the length of the next."""
        system = self.system
        scale = self._scale()
        rate, jacobian = system.jacobian(self.t, self.y, self.unit)
        now = system.evaluate(np.array([self.t]), self.y[None])
        spin = np.abs(now.motion.w).max()
        most = min(self.longest, LARGEST_TURN / max(spin, 1e-9), 0.7 * self.modes.stopping_time(now), end - self.t)
        planned = h
        h = min(h, most)
        if most - h < 0.1 * h:  # no crumbs
            h = most
        step, before = self._accepted(h, rate, jacobian, scale)
        cut = step.h < h
        grown = step.h * min(6.0, 0.9 * max(step.error, 1e-8) ** (-1.0 / (1 + STAGES)))
        event = self._event(step, jacobian, scale)
        if event is not None:
            step = event
        self._record(step)
        self.t, self.y = step.t + step.h, step.end
        self.steps += 1
        e = system.evaluate(np.array([self.t]), self.y[None])
        system.keep(e.multipliers[0])
        self._last = step
        self.y = system.together(self.y)
        system.efforts.coordinates.advance(system.motion(self.y[None]))
        if event is not None or self._stopped(e):
            self.events += 1
            self.y = self.modes.settle(self.t, self.y)
            self.recording.fill_blows()
            self._last = None
            return min(grown, max(planned, step.h), 1e-3)
        return max(grown, planned) if not cut and step.h < planned else grown

    def _accepted(self, h: float, rate: Array, jacobian: Array, scale: Array) -> tuple[Step, Step | None]:
        """A step of at most h whose error is within the tolerance."""
        before = self._last
        system = self.system
        failed: Step | None = None
        aimed = False
        while True:
            if h < SHORTEST_STEP * max(1.0, self.t):
                raise self._fault()
            if failed is not None and failed.h > h:
                guess = failed.guess_shorter(h)
            elif before is not None and h < 4.0 * before.h:
                guess = before.guess_next(h)
            else:
                guess = h * self.stepper.method.nodes[:, None] * rate
            step = self.stepper.attempt(system.rates, self.t, self.y, h, jacobian, guess, scale)
            if step is None:
                self.rejected += 1
                h, failed, before = 0.3 * h, None, None
                continue
            self.stepper.judge(system.rates, step, rate, scale)
            if step.error <= 1.0:
                return step, before
            self.rejected += 1
            corner = None if aimed else self._corner(step)
            aimed = corner is not None
            shorter = 0.9 * step.error ** (-1.0 / (1 + STAGES))
            h = corner if corner is not None else h * min(0.9, max(0.1, shorter))
            failed = step

    def _corner(self, step: Step) -> float | None:
        """Where in a failed step a continuous law has its first corner, s from the start; None for nowhere."""
        times, states = self._samples(step)
        e = self.system.evaluate(times, states)
        kinks = self.modes.kinks(times, states, e)
        crossed = [self._zero(step, values) for values in kinks.T if values[1:].min() * values[1:].max() < 0.0]
        crossed = [place for place in crossed if 0.005 < place < 0.995]
        return min(crossed) * step.h if crossed else None

    def _samples(self, step: Step) -> tuple[Array, Array]:
        """Times and states at the start and the stages of a step."""
        nodes = np.append(0.0, step.method.nodes)
        return step.t + step.h * nodes, np.vstack([step.start, step.start + step.stages])

    def _zero(self, step: Step, values: Array, reach: float = 1.0) -> float:
        """The first zero of a function given at the start and the stages, as a fraction of the step."""
        nodes = np.append(0.0, step.method.nodes)
        fine = np.linspace(0.0, reach, 65)
        curve = lagrange(nodes, fine) @ values
        crossings = np.flatnonzero((curve[1:-1] * curve[2:] <= 0.0)) + 1
        if not len(crossings):
            return 1.0
        low, high = fine[crossings[0]], fine[crossings[0] + 1]
        left = curve[crossings[0]]
        for _ in range(60):
            middle = 0.5 * (low + high)
            value = float((lagrange(nodes, np.array([middle])) @ values)[0])
            low, high = (middle, high) if value * left > 0.0 else (low, middle)
        return 0.5 * (low + high)

    # --- events -----------------------------------------------------------------------------------------------------

    def _guards(self, step: Step) -> Array:
        """The guards [stage, guard] of a step, its start first."""
        times, states = self._samples(step)
        return self.modes.guards(self.system.evaluate(times, states))

    def _event(self, step: Step, jacobian: Array, scale: Array) -> Step | None:
        """The step cut at its first event, or None."""
        guards = self._guards(step)
        passed = [i for i in range(guards.shape[1]) if guards[1:, i].min() < -1e-12]
        if not passed:
            return None
        fractions = {i: self._first_fall(step, guards[:, i]) for i in passed}
        guard = min(fractions, key=fractions.__getitem__)
        return self._located(step, guard, fractions[guard], jacobian, scale)

    def _first_fall(self, step: Step, values: Array) -> float:
        """Where a guard falls below zero, as a fraction of the step."""
        nodes = np.append(0.0, step.method.nodes)
        below = int(np.argmax(values[1:] < -1e-12)) + 1
        if below == 1 and values[0] <= 0.0:
            return 0.0
        curve = np.where(np.arange(len(values)) < below, np.maximum(values, 0.0), values)
        low, high = nodes[below - 1], nodes[below]
        for _ in range(50):
            middle = 0.5 * (low + high)
            value = float((lagrange(nodes, np.array([middle])) @ curve)[0])
            low, high = (middle, high) if value > 0.0 else (low, middle)
        return 0.5 * (low + high)

    def _located(self, step: Step, guard: int, fraction: float, jacobian: Array, scale: Array) -> Step:
        """A step that ends where a guard is zero: the end is more exact than the inside, so it is stepped to anew."""
        whole, low, high = step, 0.0, step.h
        h = fraction * step.h
        for _ in range(30):
            h = min(max(h, low + 1e-3 * (high - low)), high)
            if h < SHORTEST_STEP:
                return self._tiny(whole)
            tried = self.stepper.attempt(
                self.system.rates, self.t, self.y, h, jacobian, whole.guess_shorter(h), scale * 1e-3
            )
            if tried is None:
                tried = self.stepper.attempt(
                    self.system.rates, self.t, self.y, h, jacobian, whole.guess_shorter(h), scale
                )
            if tried is None:
                raise self._fault()
            values = self._guards(tried)[:, guard]
            if values[-1] > 0.0:
                low = h
            else:
                high = h
            slope = float(_end_slope(tried, values))
            change = -values[-1] / slope if slope < 0.0 else 0.5 * (low + high) - h
            if abs(change) < EVENT_TIME or high - low < EVENT_TIME:
                return tried
            h = h + change if low < h + change < high else 0.5 * (low + high)
        return tried

    def _tiny(self, step: Step) -> Step:
        """A step of no length: the event is where the step starts."""
        return Step(step.method, step.t, 0.0, step.start, 0.0 * step.stages, step.rates, 0, 0.0)

    def _stopped(self, e: Evaluation) -> bool:
        """Whether a friction vector has come to rest."""
        frictions = self.system.frictions
        if not frictions.count:
            return False
        speed = np.sqrt((e.slip.u[0] ** 2) @ frictions.sums)
        return bool((frictions.set_valued & frictions.several & ~frictions.sticking & (speed < 1e-9)).any())

    def _record(self, step: Step) -> None:
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


def _end_slope(step: Step, values: Array) -> Any:
    """The slope at the end of a step of a function given at its start and stages, 1/s."""
    nodes = np.append(0.0, step.method.nodes)
    near = lagrange(nodes, np.array([1.0 - 1e-4, 1.0])) @ values
    return (near[1] - near[0]) / (1e-4 * step.h)


def _matrix(rotation: Array) -> Array:
    from ..spatial import matrix

    return matrix(rotation)
