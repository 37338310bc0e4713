"""Inertial measurement unit."""

from __future__ import annotations

from ..values import ORIGIN, UPRIGHT, Quat, Vec3, quaternion, vector
from .sensor_type import QUIET, Carrier, Noise, Reading, ReadingKind, SensorType


class Imu(SensorType, frozen=True, tag="imu"):
    """Accelerometer and gyro on a body, at ``position`` (m) and ``rotation`` (quaternion) in the body's frame.

    ``acceleration`` is what a mass on springs feels, a - g in the sensor's axes: 9.81 m/s^2 upwards at rest, nothing in
    free fall. ``angular_velocity`` is in the sensor's axes, too. ``accelerometer`` and ``gyro`` are their noise.
    """

    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT
    accelerometer: Noise = QUIET
    gyro: Noise = QUIET

    def readings(self, carrier: Carrier) -> tuple[Reading, ...]:
        place, turn = self.position, self.rotation
        return (
            Reading("acceleration", ReadingKind.ACCELERATION, "m/s^2", self.accelerometer, place, turn),
            Reading("angular_velocity", ReadingKind.SPIN, "rad/s", self.gyro, place, turn),
        )

    def checked(self, what: str) -> None:
        super().checked(what)
        vector(self.position, f"{what} position (m)")
        quaternion(self.rotation, f"{what} rotation")
