"""Actuators on the free coordinates of a joint, beside the electric drives: what pushes by a command or by its state.

Each makes an effort (N or N m) on its coordinate, positive when it drives the coordinate up. What it is told, its
*command*, is set by ``sim.set(joint.command(), value)`` or ``sim.run(..., command={joint: f})``.
"""

from __future__ import annotations

from itertools import pairwise

from ...errors import SceneError
from ..values import Description, number, shown, units

ATMOSPHERE = 101325.0  # Pa


class IdealActuator(Description, frozen=True, tag_field="type", tag="ideal_actuator"):
    """An effort as it is commanded (N or N m), up to ``limit`` (N or N m) either way."""

    from_zero = units(limit="N or N m")

    limit: float | None = None


class TorqueMotor(Description, frozen=True, tag_field="type", tag="torque_motor"):
    """A motor whose current is controlled: the command is the effort (N or N m) at the coordinate.

    The current is i = command/(``ratio`` ``torque_constant``) within the ``current_limit`` (A); the constant is in
    N m/A, the ratio the motor's turns per turn of the coordinate (rad/m on a slide). ``inertia`` (kg m^2) is that of
    the rotor. Its winding of ``resistance`` (ohm) warms up by T over its surroundings, with the
    ``thermal_resistance`` (K/W) and the ``thermal_time`` (s)::

        thermal_time T' = thermal_resistance resistance i^2 - T

    and the limit falls from where T is ``derate_from`` (K) on a straight line to zero at ``derate_to`` (K).
    """

    above_zero = units(torque_constant="N m/A", current_limit="A", thermal_time="s")
    from_zero = units(inertia="kg m^2", resistance="ohm", thermal_resistance="K/W")

    torque_constant: float
    current_limit: float
    ratio: float = 1.0
    inertia: float = 0.0
    resistance: float = 0.0
    thermal_resistance: float = 0.0
    thermal_time: float = 1.0
    derate_from: float = 100.0
    derate_to: float = 120.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.ratio, "TorqueMotor ratio") == 0.0:
            raise SceneError("TorqueMotor ratio is 0; give turns of the motor per turn of the joint, 1 without a gear")
        if not 0.0 <= number(self.derate_from, "TorqueMotor derate_from (K)") < self.derate_to:
            raise SceneError(
                f"TorqueMotor derates from {self.derate_from:g} to {self.derate_to:g} K; give two rising temperatures"
            )


class HydraulicCylinder(Description, frozen=True, tag_field="type", tag="hydraulic_cylinder"):
    """A double-acting cylinder on a valve. The command is the valve's opening, -1 to 1: above zero it extends.

    The piston has ``area`` A (m^2) on its cap side a and ``area_ratio`` times as much on its rod side b. At the
    coordinate ``retracted`` (m) chamber a has its ``dead_volume`` (m^3) alone, a ``stroke`` (m) further chamber b. An
    edge of the open valve lets ``flow`` (m^3/s) through at the drop of the whole ``supply`` pressure (Pa), and else as
    the root of the drop; the other chamber goes to the tank, at zero. The oil has a ``bulk_modulus`` B (Pa)::

        V p' = B (Q - A x')        in each chamber, with 0 <= p <= relief
        F = p_a A_a - p_b A_b

    ``relief`` (Pa) is where both chambers let oil out, the supply pressure if not given; below zero they suck it in.
    ``pressures`` (Pa) are those at the start.
    """

    above_zero = units(
        area="m^2",
        stroke="m",
        supply="Pa",
        flow="m^3/s",
        area_ratio="1",
        dead_volume="m^3",
        bulk_modulus="Pa",
        relief="Pa",
    )
    finite = units(retracted="m")

    area: float
    stroke: float
    supply: float
    flow: float
    area_ratio: float = 1.0
    retracted: float = 0.0
    dead_volume: float = 1e-5
    bulk_modulus: float = 1.4e9
    relief: float | None = None
    pressures: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for side, value in zip("ab", self.pressures, strict=True):
            if not 0.0 <= number(value, f"HydraulicCylinder pressures {side} (Pa)") <= self.most:
                raise SceneError(
                    f"HydraulicCylinder pressures {side} is {value:g} Pa; give one between 0 and the relief, "
                    f"{self.most:g} Pa"
                )

    @property
    def most(self) -> float:
        """The pressure at which the chambers let oil out, Pa."""
        return self.supply if self.relief is None else self.relief


class PneumaticSpring(Description, frozen=True, tag_field="type", tag="pneumatic_spring"):
    """A closed volume of gas behind a piston, or in a bellows; it takes no command.

    With ``volume`` V_0 (m^3) and ``pressure`` p_0 (Pa, absolute) at the coordinate ``rest`` (m; None is where it
    starts), effective ``area`` A (m^2) and the polytropic ``exponent`` n (1 slow, 1.4 fast)::

        F = A (p_0 (V_0/V)^n - ambient),  V = V_0 + A (c - rest)

    ``ambient`` (Pa) is the pressure around it.
    """

    above_zero = units(area="m^2", volume="m^3", pressure="Pa", exponent="")
    from_zero = units(ambient="Pa")
    finite = units(rest="m")

    area: float
    volume: float
    pressure: float
    exponent: float = 1.4
    rest: float | None = None
    ambient: float = ATMOSPHERE


class Muscle(Description, frozen=True, tag_field="type", tag="muscle"):
    """A muscle along a length; it only pulls. The command is its excitation, 0 to 1.

    It pulls with a ``force`` (N) at most at its best ``length`` L (m), falling to nothing at L (1 +- ``width``), and
    less the faster it shortens, to nothing at ``fastest`` (lengths L per second), by Hill's law of the curvature
    ``hill``::

        F = -force a (1 - ((c/L - 1)/width)^2) (1 - v)/(1 + v/hill),  v = -c'/(fastest L)

    Pulled out it holds up to 1.4 times as much. The activation a follows the excitation with ``activation_time`` (s).
    """

    above_zero = units(force="N", length="m", fastest="1/s", width="", hill="")
    from_zero = units(activation_time="s")

    force: float
    length: float
    fastest: float = 10.0
    width: float = 0.5
    hill: float = 0.25
    activation_time: float = 0.0


class ForceMap(Description, frozen=True, tag_field="type", tag="force_map"):
    """An effort (N or N m) looked up over the coordinate and its rate; it takes no command.

    ``forces`` (N or N m) has a row for each of the ``coordinates`` (m or rad) and in it a number for each of the
    ``speeds`` (m/s or rad/s). Between them it is interpolated in both; beyond the ends it stays as it is there.
    """

    coordinates: tuple[float, ...]
    speeds: tuple[float, ...]
    forces: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, grid in (("coordinates", self.coordinates), ("speeds", self.speeds)):
            if len(grid) < 2:
                raise SceneError(f"ForceMap {name} are {shown(grid)}; give two or more")
            for before, after in pairwise(number(value, f"ForceMap {name}") for value in grid):
                if after <= before:
                    raise SceneError(f"ForceMap {name} has {after:g} after {before:g}; sort them, each once")
        shape = {len(row) for row in self.forces}
        if len(self.forces) != len(self.coordinates) or shape != {len(self.speeds)}:
            raise SceneError(
                f"ForceMap forces has {len(self.forces)} rows of {sorted(shape)} numbers; give a row for each of the "
                f"{len(self.coordinates)} coordinates, with a number for each of the {len(self.speeds)} speeds"
            )
        for row in self.forces:
            for value in row:
                number(value, "ForceMap forces (N or N m)")


AnyActuator = IdealActuator | TorqueMotor | HydraulicCylinder | PneumaticSpring | Muscle | ForceMap
COMMANDED = (IdealActuator, TorqueMotor, HydraulicCylinder, Muscle)
LINEAR = (HydraulicCylinder, PneumaticSpring, Muscle)


def check_on(actuator: object, is_linear: bool, what: str) -> None:
    """Refuse an actuator that works along a length on an angle."""
    if isinstance(actuator, LINEAR) and not is_linear:
        raise SceneError(
            f"{what}: a {type(actuator).__name__} works along a length, and this is an angle; put it on a Prismatic "
            "joint or a Strut"
        )
