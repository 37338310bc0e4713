"""Electric drives in the free coordinates of a joint: a geared DC motor, alone or in a servo."""

from __future__ import annotations

from typing import TypeVar

from ...errors import SceneError
from ...spatial import Array
from ..values import Description, not_negative, number, positive, shown, truth, units

Numbers = TypeVar("Numbers", float, Array)


class DcDrive(Description, frozen=True, tag_field="type", tag="dc_drive"):
    """A DC motor with a gear, by the nameplate of the motor. Its input is the voltage U, from -1 to 1 of the rated one.

    ``stall_torque`` M_s (N m) and ``idle_speed`` w_idle (rad/s) are at rated voltage, ``time_constant`` t_m (s) is the
    electromechanical one. The motor turns at w_m = ``ratio`` times the rate of the coordinate (rad/s; the ratio is in
    rad/m for sliding axes, and negative when the gear reverses), with t the torque of the gear on it::

        I_m w_m' = M_s (U - w_m/w_idle) + t,  I_m = M_s t_m/w_idle

    With ``efficiency`` (a share of 1) the effort on the joint is -efficiency ratio t while power goes to the load and
    -ratio t/efficiency while the load drives the motor back; a ``self_locking`` gear does not let it, and holds.
    """

    above_zero = units(stall_torque="N m", idle_speed="rad/s")
    from_zero = units(time_constant="s")

    stall_torque: float
    idle_speed: float
    time_constant: float
    ratio: float
    efficiency: float = 1.0
    self_locking: bool = False

    @property
    def loses_power(self) -> bool:
        """Whether power that goes through the gear is lost, or goes one way only."""
        return self.efficiency < 1.0 or self.self_locking

    @property
    def inertia(self) -> float:
        """Of the rotor, I_m, kg m^2."""
        return self.stall_torque * self.time_constant / self.idle_speed

    def torque_at(self, stall: Numbers, voltage: Numbers, speed: Numbers) -> Numbers:
        """M_s (U - w/w_idle), N m: the electric torque at a ``voltage`` and ``speed`` (rad/s) of the motor.

        The ``stall`` torque (N m) is given as it is now, since a fault may have changed it.
        """
        return stall * (voltage - speed / self.idle_speed)

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.ratio, "DcDrive ratio") == 0.0:
            raise SceneError("DcDrive ratio is 0; give turns of the motor per turn of the joint, 1 without a gear")
        if not 0.0 < number(self.efficiency, "DcDrive efficiency") <= 1.0:
            raise SceneError(f"DcDrive efficiency is {self.efficiency:g}; it must be above 0 and at most 1")
        truth(self.self_locking, "DcDrive self_locking")

    @classmethod
    def from_motor(
        cls,
        voltage: float,
        resistance: float,
        torque_constant: float,
        inertia: float,
        ratio: float,
        *,
        efficiency: float = 1.0,
        self_locking: bool = False,
    ) -> DcDrive:
        """The drive of a motor given by its electrical data: M_s = k V/R, w_idle = V/k, t_m = J R/k^2.

        Args:
            voltage: rated, V (V).
            resistance: of the armature, R (ohm).
            torque_constant: k (N m/A, which is V s/rad).
            inertia: of the rotor, J (kg m^2).
            ratio: turns of the motor per turn of the coordinate; rad/m for sliding axes.
            efficiency: of the gear, a share from 0 to 1.
            self_locking: whether the load cannot drive the motor back.
        """
        volts = positive(voltage, "DcDrive voltage (V)")
        ohms = positive(resistance, "DcDrive resistance (ohm)")
        constant = positive(torque_constant, "DcDrive torque_constant (N m/A)")
        time_constant = not_negative(inertia, "DcDrive inertia (kg m^2)") * ohms / constant**2
        return cls(
            constant * volts / ohms,
            volts / constant,
            time_constant,
            ratio,
            efficiency=efficiency,
            self_locking=self_locking,
        )


class SpeedServo(Description, frozen=True, tag_field="type", tag="speed_servo"):
    """A ``drive`` whose voltage follows the rate of the coordinate. Its input is the target rate (rad/s or m/s).

    The voltage is U = ``gain`` e + ``integral`` (integral of e over time), within -1 and 1, with e the target less the
    rate; positive U drives the coordinate up, also through a gear that reverses. ``gain`` is in s/rad or s/m,
    ``integral`` in 1/rad or 1/m.
    """

    from_zero = units(gain="s/rad or s/m", integral="1/rad or 1/m")

    drive: DcDrive
    gain: float
    integral: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_drive(self.drive, "SpeedServo")


class PositionServo(Description, frozen=True, tag_field="type", tag="position_servo"):
    """A ``drive`` whose voltage follows the coordinate. Its input is the target (rad or m).

    The voltage is U = ``gain`` e - ``damping`` rate + ``integral`` (integral of e over time) + ``feed_forward`` (rate
    of the target), within -1 and 1, with e the target less the coordinate; positive U drives the coordinate up, also
    through a gear that reverses. ``gain`` is in 1/rad or 1/m, ``damping`` and ``feed_forward`` in s/rad or s/m,
    ``integral`` in 1/(rad s) or 1/(m s). With feed_forward = damping + abs(ratio)/idle_speed a moving target is
    followed without lag. The target's rate is its change from step to step. ``reach`` (rad or m) is what it may be
    asked for: consoles end there, and a target beyond it is warned of.
    """

    from_zero = units(
        gain="1/rad or 1/m", damping="s/rad or s/m", integral="1/(rad s) or 1/(m s)", feed_forward="s/rad or s/m"
    )

    drive: DcDrive
    gain: float
    damping: float = 0.0
    integral: float = 0.0
    feed_forward: float = 0.0
    reach: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_drive(self.drive, "PositionServo")
        if self.reach is not None:
            low, high = (number(end, "PositionServo reach (rad or m)") for end in self.reach)
            if low > high:
                raise SceneError(f"PositionServo reach is from {low:g} to {high:g}; give the lower end first")


AnyDrive = DcDrive | SpeedServo | PositionServo


def _check_drive(drive: object, what: str) -> None:
    if not isinstance(drive, DcDrive):
        raise SceneError(f"{what} drive is {shown(drive)}; give DcDrive(...)")
