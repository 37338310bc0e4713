"""What a scene contains, in a handful of yes or no: kernels are specialised on this and on nothing else of a scene."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """The groups of device code that a scene needs; what it does not need is not compiled."""

    angular_locks: bool  # some joint locks a rotation
    angular_rows: bool  # some joint locks a rotation or has a soft row about one
    partial_locks: bool  # some joint locks only some of the translations
    limits: bool
    friction: bool
    friction_laws: bool  # some friction is more than Coulomb's with a level of its own: a load, Stribeck, bristles
    bristles: bool  # some friction is LuGre's or Dahl's
    soft: bool  # springs, dampers, viscous friction or drives
    twists: bool  # some joint counts turns
    direct: bool  # the direct solver rather than sequential impulses
    second_order: bool  # the RATTLE step rather than semi-implicit Euler
    fourth_order: bool  # Runge and Kutta's step wherever the motion is smooth, RATTLE elsewhere
