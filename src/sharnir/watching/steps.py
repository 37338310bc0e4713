"""What the steps have noticed of themselves (``dynamics/watch.py``), read from the report, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..device import Table
from ..dynamics.watch import LARGEST_TURN, LONG_STEP, OPEN_JOINT
from ..errors import SimulationWarning
from ..model.fields import read
from ..model.layout import Layout

EVEN = 1e-6  # of the duration: rounding


def noticed(report: Table, layout: Layout, dt: float, solver: str) -> Iterator[SimulationWarning]:
    """Turns that were too large and joints that were too far open, of all worlds the worst."""
    bits = read(report.noticed)
    if not bits.any():
        return
    if (bits & LONG_STEP).any():
        turn = read(report.largest_turn)
        world = int(np.argmax(turn))
        yield SimulationWarning(
            "long-step",
            f"body '{layout.bodies[read(report.turned_body)[world] - 1]}'",
            f"turned by {turn[world]:.3g} rad in one step of {dt:g} s, more than {LARGEST_TURN:g}; "
            f"give dt below {_rounded_down(dt * LARGEST_TURN / turn[world])} s, a tenth of that to be accurate",
        )
    if (bits & OPEN_JOINT).any():
        opening, allowed = read(report.opening), read(report.opening_allowed)
        world = int(np.argmax(opening - allowed))
        joint = int(read(report.opened_joint)[world])
        place, by = (joint, "{:.3g} m") if joint >= 0 else (-1 - joint, "{:.3g} rad")
        remedy = "a smaller dt or more iterations"
        if solver != "direct":
            remedy = "a smaller dt, more iterations or solver='direct'"
        yield SimulationWarning(
            "open-joint",
            f"joint '{layout.joints[place]}'",
            f"was open by {by.format(opening[world])}, where steps of {dt:g} s should leave at most "
            f"{by.format(allowed[world])}; give {remedy}",
        )


def fallen_back(fall_backs: int, steps: int, integrator: str) -> Iterator[SimulationWarning]:
    """Steps that the integrator which was asked for could not make."""
    if fall_backs > 0:
        share = 100.0 * fall_backs / steps
        yield SimulationWarning(
            "fall-back",
            f"integrator '{integrator}'",
            f"made {steps - fall_backs} of {steps} steps; {share:.3g} % fell back to the second-order step, where "
            "friction, contacts, drives, limits or springs too stiff for dt are no smooth motion; "
            "give a smaller dt, or expect second order",
        )


def uneven(duration: float, dt: float, steps: int) -> Iterator[SimulationWarning]:
    """A duration (s) that is no whole number of steps."""
    if abs(duration - steps * dt) > EVEN * max(duration, dt):
        yield SimulationWarning(
            "uneven-duration",
            f"the duration {duration:.9g} s",
            f"is no multiple of dt = {dt:g} s; {steps * dt:.9g} s are simulated, give that or another dt",
        )


def _rounded_down(value: float) -> str:
    """With one digit, never above."""
    power = 10.0 ** math.floor(math.log10(value))
    return f"{math.floor(value / power) * power:g}"
