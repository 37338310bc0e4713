"""The test rig: a suspension is moved through its travel, and what a designer looks at is measured and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..scene.elements.spring import Spring
from ..scene.values import Plain, positive
from ..spatial import Array
from .kinematics import Kinematics
from .springing import Coil, Torsion, spring_element
from .steering import Rack
from .suspensions import SUSPENSIONS, AnySuspension, Suspension
from .wheel import RoadWheel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Sweep", "suspension_named", "sweep"]

GRAVITY = 9.81  # m/s^2


@dataclass(frozen=True)
class Sweep:
    """A suspension over its ``travel`` (m, rise of the wheel's centre), arrays of equal length, on a level ground.

    ``camber`` (rad) is positive with the top outward, ``toe`` (rad) with the front inward. ``half_track`` (m) is the
    change at the wheel's lowest point, outward, ``base`` (m) that of the wheel's place along the vehicle, forward.
    ``motion_ratio`` is m or rad (``ratio_unit``) of the spring per m of the wheel, positive in compression; ``load``
    (N) the force under the wheel, ``wheel_rate`` (N/m) its slope.
    """

    travel: Array
    camber: Array
    toe: Array
    half_track: Array
    base: Array
    motion_ratio: Array
    load: Array
    wheel_rate: Array
    ratio_unit: str

    def columns(self) -> dict[str, tuple[Array, str]]:
        """What is measured, by name, with its unit, as people read it: millimetres (changes) and degrees."""
        return {
            "travel": (1e3 * self.travel, "mm"),
            "camber": (np.degrees(self.camber), "°"),
            "toe": (np.degrees(self.toe), "°"),
            "half track": (1e3 * self.half_track, "mm"),
            "wheelbase": (1e3 * self.base, "mm"),
            "motion ratio": (self.motion_ratio, self.ratio_unit),
            "load": (self.load, "N"),
            "rate": (self.wheel_rate / 1e3, "N/mm"),
        }

    def rows(self, count: int = 7) -> list[dict[str, float]]:
        """The table at ``count`` positions of the travel, from the lowest to the highest."""
        places = np.unique(np.linspace(0, len(self.travel) - 1, count).round().astype(int))
        return [
            {name: round(float(values[i]), 4) + 0.0 for name, (values, _) in self.columns().items()} for i in places
        ]

    def plot(self, title: str, file: Path | None = None) -> Figure:
        """Draw everything over the travel, which runs upward as on a real rig, under a ``title``; ``file`` saves it."""
        from ..record.plots import COLORS, drawing

        columns = self.columns()
        height, _ = columns.pop("travel")
        with drawing(11.0, 6.4, file) as figure:
            panels = figure.subplots(2, 4, sharey=True).ravel()
            for i, (panel, (name, (values, unit))) in enumerate(zip(panels, columns.items(), strict=False)):
                panel.plot(values, height, color=COLORS[i % len(COLORS)])
                panel.axhline(0.0, color="#888888", linewidth=0.8)
                panel.set_xlabel(f"{name}, {unit}")
                _widen(panel, values)
            panels[-1].set_visible(False)
            for panel in (panels[0], panels[4]):
                panel.set_ylabel("travel, mm")
            figure.suptitle(title, x=0.01, ha="left", fontsize=11)
        return figure


def sweep(
    suspension: Suspension,
    wheel: RoadWheel | None = None,
    *,
    load: float = 300.0,
    steps: int = 41,
    rack: Rack | None = None,
    half_track: float = 0.5,
    wheelbase: float | None = None,
) -> Sweep:
    """Move a suspension through its travel, its spring set for a static ``load`` (N), at ``steps`` positions.

    ``wheel`` is what it carries. A ``rack`` shows in the toe; it steers a wheel ``half_track`` (m) from the middle, and
    aims at an axle a ``wheelbase`` (m) behind.
    """
    wheel = wheel or RoadWheel()
    positive(load, "rig load (N)")
    if steps < 3:
        raise SceneError(f"rig steps is {steps}; give at least 3")
    rod = None if rack is None else rack.tie_rod(suspension, wheel, half_track, wheelbase)
    motion = Kinematics(suspension, wheel, steered=rack is not None, tie_rod=rod)
    heights = np.linspace(*suspension.travel, steps)
    postures = [motion.at_travel(float(z)) for z in heights]
    element = None
    if suspension.spring is not None:
        what = f"{type(suspension).__name__} on the rig"
        element = spring_element(suspension.spring, suspension.bump_stops, motion, load, GRAVITY, what)
    forces = np.array([_wheel_force(element, motion, float(z)) for z in heights])
    contacts = np.array([posture.contact for posture in postures])
    return Sweep(
        travel=heights,
        camber=np.array([posture.camber for posture in postures]),
        toe=np.array([posture.toe for posture in postures]),
        half_track=contacts[:, 1] - motion.neutral.contact[1],
        base=np.array([posture.center[0] for posture in postures]),
        motion_ratio=np.array([abs(motion.motion_ratio(float(z))) for z in heights]),
        load=forces,
        wheel_rate=np.gradient(forces, contacts[:, 2]),
        ratio_unit="1" if motion.parts.coil is not None or not suspension.has_arm else "rad/m",
    )


def suspension_named(name: str, travel: Sequence[float] | None = None, torsion: bool = False) -> AnySuspension:
    """A suspension by its ``name``, with its default hardpoints; ``travel`` (m) and a ``torsion`` bar if asked for."""
    kind = SUSPENSIONS.get(name.replace("-", "_"))
    if kind is None:
        raise SceneError(f"there is no suspension '{name}'{nearest(name, SUSPENSIONS)}")
    given: Plain = {} if travel is None else {"travel": tuple(travel)}
    return kind(**given, spring=Torsion() if torsion else Coil())


def _wheel_force(element: Spring | None, motion: Kinematics, z: float) -> float:
    deflection = motion.at_travel(z).spring - motion.neutral.spring
    force = 0.0 if element is None else element.preload - static_force(element, deflection)
    return motion.wheel_force(force, GRAVITY, z)


def static_force(spring: Spring, deflection: float) -> float:
    """The force (N, N m) of a spring at a deflection (m, rad), without its preload: of a table, its straight lines."""
    if spring.table is None:
        return spring.stiffness * deflection
    points = list(spring.table)
    at = max(1, min(len(points) - 1, sum(deflection > x for x, _ in points)))
    (x0, f0), (x1, f1) = points[at - 1], points[at]
    return f0 + (f1 - f0) * (deflection - x0) / (x1 - x0)


def _widen(panel: Axes, values: Array) -> None:
    """A curve that does not move shows as a straight line, not as rounding blown up."""
    span, middle = float(np.ptp(values)), float(np.mean(values))
    if span < 1e-6 * max(1.0, abs(middle)):
        reach = 0.1 * abs(middle) if abs(middle) > 1e-6 else 1.0
        panel.set_xlim(middle - reach, middle + reach)
