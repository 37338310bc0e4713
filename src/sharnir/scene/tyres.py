"""Tyres and belts: what the surface of a wheel or a track adds to plain friction."""

from __future__ import annotations

from .values import Description, not_negative, positive


class Tyre(Description, frozen=True):
    """A tyre on a :class:`Wheel`: springs upwards, slips along its heading and across it.

    ``stiffness`` (N/m) and ``damping`` (N s/m) carry the wheel. ``longitudinal`` is the slip stiffness over the load
    (N per unit of slip, per N), ``lateral`` the cornering stiffness over the load (1/rad); both act through bristles
    with a ``relaxation`` length (m) and end at the friction of the two materials, across times ``lateral_grip``.
    ``rolling_resistance`` is the coefficient, force over load.
    """

    stiffness: float = 200e3
    damping: float = 500.0
    longitudinal: float = 15.0
    lateral: float = 10.0
    relaxation: float = 0.1
    lateral_grip: float = 1.0
    rolling_resistance: float = 0.0

    def checked(self, owner: str) -> Tyre:
        """This tyre with its numbers checked; the error names the owner."""
        positive(self.stiffness, f"{owner} Tyre stiffness (N/m)")
        not_negative(self.damping, f"{owner} Tyre damping (N s/m)")
        positive(self.longitudinal, f"{owner} Tyre longitudinal")
        positive(self.lateral, f"{owner} Tyre lateral (1/rad)")
        positive(self.relaxation, f"{owner} Tyre relaxation (m)")
        positive(self.lateral_grip, f"{owner} Tyre lateral_grip")
        not_negative(self.rolling_resistance, f"{owner} Tyre rolling_resistance")
        return self


class Belt(Description, frozen=True):
    """The surface of a track, moved by a ``sprocket`` (the name of its hinge) of a ``radius`` (m).

    Every shape of the body that has it in its contact runs at the sprocket's speed, about the sprocket's axis.
    """

    sprocket: str
    radius: float

    def checked(self, owner: str) -> Belt:
        """This belt with its numbers checked; the error names the owner."""
        positive(self.radius, f"{owner} Belt radius (m)")
        return self
