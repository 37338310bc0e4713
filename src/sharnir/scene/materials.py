"""Materials: what holds where two surfaces touch; and how a body takes part in contact."""

from __future__ import annotations

import math
from types import NoneType

from ..errors import SceneError, nearest
from .tyres import Belt
from .values import Description, not_negative, positive, shown

DEFAULT = "default"
MOST_GROUPS = 31  # bits of an int on the device, without its sign


class Material(Description, frozen=True):
    """What a surface is like, or what holds between two of them.

    ``friction`` is Coulomb's coefficient; ``restitution`` the share of the approach speed that comes back, for impacts
    faster than ``restitution_threshold`` (m/s); ``rolling_friction`` and ``spinning_friction`` (m) are the arms at
    which the normal force resists rolling and turning about the normal. A contact is rigid unless it has a
    ``stiffness`` (N/m) and a ``damping`` (N s/m).
    """

    friction: float = 0.6
    restitution: float = 0.0
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    stiffness: float | None = None
    damping: float | None = None
    restitution_threshold: float = 0.1

    def checked(self, owner: str) -> Material:
        """This material with its numbers checked; the error names the owner."""
        not_negative(self.friction, f"{owner} friction")
        if not_negative(self.restitution, f"{owner} restitution") > 1.0:
            raise SceneError(f"{owner} restitution is {self.restitution:g}; it is a share between 0 and 1")
        not_negative(self.rolling_friction, f"{owner} rolling_friction (m)")
        not_negative(self.spinning_friction, f"{owner} spinning_friction (m)")
        not_negative(self.restitution_threshold, f"{owner} restitution_threshold (m/s)")
        if self.stiffness is not None:
            positive(self.stiffness, f"{owner} stiffness (N/m)")
        if self.damping is not None:
            not_negative(self.damping, f"{owner} damping (N s/m)")
            if self.stiffness is None:
                raise SceneError(f"{owner} has damping {self.damping:g} N s/m but is rigid; give it a stiffness (N/m)")
        return self


def combined(a: Material, b: Material) -> Material:
    """What holds between two materials of which nothing else is said.

    mu = sqrt(mu_a mu_b), e = max(e_a, e_b); rolling and spinning arms add up; springs and dampers lie in series:
    1/k = 1/k_a + 1/k_b, a rigid one adding nothing.
    """
    return Material(
        friction=math.sqrt(a.friction * b.friction),
        restitution=max(a.restitution, b.restitution),
        rolling_friction=a.rolling_friction + b.rolling_friction,
        spinning_friction=a.spinning_friction + b.spinning_friction,
        stiffness=_in_series(a.stiffness, b.stiffness),
        damping=_in_series(a.damping, b.damping),
        restitution_threshold=max(a.restitution_threshold, b.restitution_threshold),
    )


def _in_series(a: float | None, b: float | None) -> float | None:
    if a is None or b is None:
        return b if a is None else a
    return a * b / (a + b) if a + b > 0.0 else 0.0


class MaterialPair(Description, frozen=True):
    """What holds ``between`` two named materials."""

    between: tuple[str, str]
    material: Material


class Materials:
    """The materials of a scene by name, and the pairs of which something particular is said."""

    def __init__(self) -> None:
        self.named: dict[str, Material] = {}
        self._pairs: dict[frozenset[str], MaterialPair] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the default first."""
        return (DEFAULT, *(name for name in self.named if name != DEFAULT))

    @property
    def pairs(self) -> tuple[MaterialPair, ...]:
        """The pairs, as they were given."""
        return tuple(self._pairs.values())

    def name(self, name: str, material: Material) -> str:
        """Add a material under a name."""
        if not isinstance(name, str) or not name:
            raise SceneError(f"a material is named {shown(name)}; give a text")
        if name in self.named:
            raise SceneError(f"there is a material '{name}' already; give the second one another name")
        self.named[name] = _material(material, f"material '{name}'")
        return name

    def pair(self, a: str, b: str, material: Material) -> None:
        """Say what holds between two materials."""
        what = f"material pair {shown(a)}, {shown(b)}"
        for name in (a, b):
            self.check(name, what)
        if frozenset((a, b)) in self._pairs:
            raise SceneError(f"{what} is given already; leave one of them out")
        self._pairs[frozenset((a, b))] = MaterialPair(between=(a, b), material=_material(material, what))

    def check(self, name: str, what: str) -> None:
        """Refuse a name that is not a material's; ``what`` uses it."""
        if not isinstance(name, str) or name not in self.names:
            raise SceneError(
                f"{what} names a material {shown(name)} that is not in the scene{nearest(str(name), self.names)}"
            )

    def between(self, a: str, b: str) -> Material:
        """What holds between two named materials."""
        given = self._pairs.get(frozenset((a, b)))
        if given is not None:
            return given.material
        return combined(*(self.named.get(name, Material()) for name in (a, b)))


def _material(material: Material, what: str) -> Material:
    if not isinstance(material, Material):
        raise SceneError(f"{what} is {shown(material)}; give sh.Material(...)")
    return material.checked(what)


class Contact(Description, frozen=True):
    """How a body takes part in contact: its ``material`` by name, the ``groups`` it is in, and those it ``ignores``.

    Bodies that share a joint pass through each other unless one of them has ``neighbours=True``; the world does not
    count, what is hinged to it still meets the ground. With a ``belt`` the body's surfaces run at a sprocket's speed.
    """

    material: str = DEFAULT
    groups: tuple[str, ...] = (DEFAULT,)
    ignores: tuple[str, ...] = ()
    neighbours: bool = False
    belt: Belt | None = None

    def checked(self, owner: str) -> Contact:
        """This description with its names checked; the error names the owner."""
        for field in ("groups", "ignores"):
            given = getattr(self, field)
            if not isinstance(given, tuple) or not all(isinstance(name, str) and name for name in given):
                raise SceneError(f"{owner} contact {field} are {shown(given)}; give texts, as in ('wheels',)")
        if self.belt is not None:
            self.belt.checked(owner)
        if not self.groups:
            raise SceneError(f"{owner} contact has no groups; give at least one, or contact=False for none at all")
        return self


def check_contact(given: object, what: str) -> None:
    """Refuse what does not say how a body or a rope touches."""
    if isinstance(given, Contact):
        given.checked(what)
    elif not isinstance(given, (bool, NoneType)):
        raise SceneError(f"{what} contact is {shown(given)}; give True, False or sh.Contact(...)")
