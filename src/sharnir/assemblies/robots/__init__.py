"""Robots built from the templates, each with its dimensions, masses and drive ratings, and where they come from."""

from .four_wheel_car import Car, four_wheel_car
from .krt100 import Krt100, krt100
from .mf4 import Mf4, mf4
from .six_wheel_rover import Rover, six_wheel_rover

__all__ = ["Car", "Krt100", "Mf4", "Rover", "four_wheel_car", "krt100", "mf4", "six_wheel_rover"]
