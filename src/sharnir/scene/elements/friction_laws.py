"""Friction in the free axes of a joint: one of five laws, constant or following the joint's own reaction.

With v the relative speed along the axes (m/s or rad/s) and F the force against it (N or N m):

    Coulomb    F = -level sgn(v) - viscous v, up to static at standstill
    Viscous    F = -coefficient v
    Stribeck   F = -g(v) sgn(v) - viscous v, up to static at standstill
    LuGre      F = -(stiffness z + damping z' + viscous v),  z' = v - stiffness |v| z/g(v)
    Dahl       F = -stiffness z,  z' = v - stiffness |v| z/level

with g(v) = level + (static - level) exp(-(v/speed)^2) and z the mean deflection of the bristles (m or rad).

A :class:`Load` makes the dry laws follow the load: levels become coefficients and F is multiplied by the normal force.
"""

from __future__ import annotations

from typing import Literal

from ...errors import SceneError
from ..values import Description, not_negative, one_of, shown, units

CoulombLaw = Literal["maximum-dissipation", "impulse-clamp"]


class Load(Description, frozen=True):
    """Friction that follows the load: N times the law, with N = ``preload`` (N) + the joint's own normal force (N).

    Levels are then coefficients of friction (1), v is the speed of the surfaces (m/s), and stiffness is in 1/m,
    damping and viscous in s/m, speed in m/s. ``radius`` (m) is that of the pin or ball of a turning axis: v is the
    radius times the relative angular speed, the torque the radius times the friction force. Sliding axes have none.

    The normal force of sliding axes is the reaction force across them. That of turning axes comes from the reaction F
    of the pin (across its axis) or ball (all of it), of which friction is a part: F^2 = N^2 + friction^2.
    """

    above_zero = units(radius="m")
    from_zero = units(preload="N")

    radius: float | None = None
    preload: float = 0.0


class FrictionLaw(Description, frozen=True, kw_only=True, tag_field="type"):
    """Base of all laws."""

    @classmethod
    def called(cls) -> str:
        return f"{cls.__name__} friction"


class DryFriction(FrictionLaw, frozen=True, kw_only=True):
    """What all laws with a level share: ``load``, when they follow the joint's own reaction."""

    load: Load | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.load is not None and not isinstance(self.load, Load):
            raise SceneError(f"{self.called()} load is {shown(self.load)}; give Load(radius=..., preload=...)")


class Coulomb(DryFriction, frozen=True, tag="coulomb"):
    """Coulomb friction: at most ``level`` (N for sliding axes, N m for turning ones) against the motion.

    ``static`` (N or N m) is the level at standstill, when it differs; ``viscous`` (N s/m or N m s/rad) times the speed
    is added. Several free axes of one kind (a ball joint's
    three rotations) share one bound on the length of the friction vector; ``law`` chooses where that vector points:
    ``"maximum-dissipation"`` is true Coulomb friction, against the velocity; ``"impulse-clamp"`` is the rule of paper
    000, equation 16, which shortens the sticking impulse. They agree for one axis and for isotropic inertia. With a
    ``load`` the levels are coefficients.
    """

    from_zero = units(level="N or N m", viscous="N s/m or N m s/rad")

    level: float
    static: float | None = None
    law: CoulombLaw = "maximum-dissipation"
    viscous: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.law, CoulombLaw, "Coulomb friction law")
        if self.static is not None:
            _check_static(self.static, self.level, "Coulomb")


class Viscous(FrictionLaw, frozen=True, tag="viscous"):
    """Viscous friction: ``coefficient`` (N s/m or N m s/rad) times the speed, against the motion."""

    from_zero = units(coefficient="N s/m or N m s/rad")

    coefficient: float


class Stribeck(DryFriction, frozen=True, tag="stribeck"):
    """Dry friction that falls from ``static`` at rest to ``level`` (N or N m) over ``speed`` (m/s or rad/s).

    ``viscous`` (N s/m or N m s/rad) is added to it. At rest it holds up to ``static``.
    """

    above_zero = units(speed="m/s or rad/s")
    from_zero = units(level="N or N m", viscous="N s/m or N m s/rad")

    level: float
    static: float
    speed: float
    viscous: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_static(self.static, self.level, "Stribeck")


class LuGre(DryFriction, frozen=True, tag="lugre"):
    """The LuGre law: bristles that bend before they slip.

    Sliding, it is Stribeck friction of ``level``, ``static`` (N or N m), ``speed`` (m/s or rad/s) and ``viscous``
    (N s/m or N m s/rad). ``stiffness`` (sigma 0, N/m or N m/rad) and ``damping`` (sigma 1, N s/m or N m s/rad) are
    those of the bristles.
    """

    above_zero = units(level="N or N m", speed="m/s or rad/s", stiffness="N/m or N m/rad")  # z' divides by the level
    from_zero = units(damping="N s/m or N m s/rad", viscous="N s/m or N m s/rad")

    level: float
    static: float
    speed: float
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_static(self.static, self.level, "LuGre")


class Dahl(DryFriction, frozen=True, tag="dahl"):
    """The Dahl law: Coulomb friction of ``level`` (N or N m) over bristles of ``stiffness`` (N/m or N m/rad)."""

    above_zero = units(level="N or N m", stiffness="N/m or N m/rad")  # z' divides by the level

    level: float
    stiffness: float


AnyFriction = Coulomb | Viscous | Stribeck | LuGre | Dahl


def check_on_axes(law: object, is_linear: bool, what: str) -> None:
    """Refuse what is no friction law, and a load whose radius does not suit sliding or turning axes."""
    if not isinstance(law, AnyFriction):
        raise SceneError(
            f"{what} is {shown(law)}; give Coulomb(level) in N or N m, or Viscous, Stribeck, LuGre or Dahl"
        )
    load = None if isinstance(law, Viscous) else law.load
    if load is None:
        return
    if is_linear and load.radius is not None:
        raise SceneError(f"{what}: its load has radius {load.radius:g} m, but the axis slides; leave the radius out")
    if not is_linear and load.radius is None:
        raise SceneError(f"{what}: its load has no radius, but the axis turns; give that of the pin or ball, in m")


def _check_static(static: float, level: float, law: str) -> None:
    if not_negative(static, f"{law} static level") < level:
        raise SceneError(f"{law} friction: the static level {static:g} is below the dynamic level {level:g}; swap them")
