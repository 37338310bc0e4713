"""Sensors, one description each."""

from .axis import Encoder, Tachometer
from .base import Kind, Noise, Reading, SensorType
from .distance import Lidar, RangeFinder
from .force import ForceTorque, PressurePad
from .imu import Imu
from .pose import PoseSensor
from .sensor import AnySensor, Sensor, SensorSpec, variable_of

__all__ = [
    "AnySensor",
    "Encoder",
    "ForceTorque",
    "Imu",
    "Kind",
    "Lidar",
    "Noise",
    "PoseSensor",
    "PressurePad",
    "RangeFinder",
    "Reading",
    "Sensor",
    "SensorSpec",
    "SensorType",
    "Tachometer",
    "variable_of",
]
