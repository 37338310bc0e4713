"""Dry friction in the free axes of a joint."""

from __future__ import annotations

from typing import Literal, get_args

from ...errors import SceneError, nearest
from ..values import Description, not_negative

FrictionLaw = Literal["maximum-dissipation", "impulse-clamp"]


class Coulomb(Description, frozen=True, tag_field="type", tag="coulomb"):
    """Coulomb friction: at most ``level`` (N for sliding axes, N m for turning ones) against the motion.

    ``static`` is the level at standstill, when it differs. Several free axes of one kind (a ball joint's three
    rotations) share one bound on the length of the friction vector; ``law`` chooses where that vector points:
    ``"maximum-dissipation"`` is true Coulomb friction, against the velocity; ``"impulse-clamp"`` is the rule of
    paper 000, equation 16, which shortens the sticking impulse. They agree for one axis and for isotropic inertia.
    """

    level: float
    static: float | None = None
    law: FrictionLaw = "maximum-dissipation"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.law not in get_args(FrictionLaw):
            raise SceneError(f"Coulomb friction law is {self.law!r}{nearest(str(self.law), get_args(FrictionLaw))}")
        not_negative(self.level, "Coulomb friction level (N or N m)")
        if self.static is not None and not_negative(self.static, "Coulomb static level") < self.level:
            raise SceneError(
                f"Coulomb friction: the static level {self.static:g} is below the dynamic level {self.level:g}; "
                "swap them"
            )
