"""What a scene contains, in a handful of yes or no: kernels are specialised on this and on nothing else of a scene."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .catch_rows import KINDS
from .integrator import LEAPFROG, Integrator

CONTACT_KINDS = ("round", "box", "convex", "heights", "mesh")
CATCH_KINDS = tuple(KINDS)


@dataclass(frozen=True)
class Features:
    """The groups of device code that a scene needs; what it does not need is not compiled."""

    angular_locks: bool = False  # some joint locks a rotation
    angular_rows: bool = False  # some joint locks a rotation or has a soft row about one
    partial_locks: bool = False  # some joint locks only some of the translations
    limits: bool = False
    friction: bool = False
    friction_laws: bool = False  # some friction has more than a level of its own: a load, Stribeck, bristles
    bristles: bool = False  # some friction is LuGre's or Dahl's
    gears: bool = False  # some drive has a gear that loses power or locks
    soft: bool = False  # springs, dampers, viscous friction or drives
    twists: bool = False  # some joint counts turns
    direct: bool = False  # the direct solver rather than sequential impulses
    reach: bool = False  # bounded rows know the whole mechanism, see dynamics/solvers/reach.py
    held: bool = False  # dry friction is solved in the direct solver's matrix, see dynamics/rows/held.py
    together: bool = False  # contacts of mechanisms are one small dense problem, see dynamics/contacts/together.py
    integrator: Integrator = LEAPFROG
    fourth_order: bool = False  # the integrator is of fourth order wherever the motion is smooth, and here it can be
    restitution: bool = False  # some contact bounces
    compliance: bool = False  # some contact is soft
    rolling: bool = False  # some contact resists rolling or spinning
    tyres: bool = False  # some wheel has a tyre
    belts: bool = False  # some surface is moved by a sprocket
    contact_kinds: frozenset[str] = frozenset()  # of shapes that can touch, some of CONTACT_KINDS
    ropes: bool = False
    rope_ports: bool = False  # some rope is tied to a body that moves, or to another rope
    rope_slides: bool = False  # some rope runs through an eyelet or off a drum
    rope_touch: bool = False  # some rope can touch something
    rope_tangles: bool = False  # some rope can touch itself or another
    couplings: bool = False  # some gear or its like ties coordinates together
    losses: bool = False  # some of them loses power
    backlash: bool = False  # some of them has play
    actuators: bool = False  # some axis has an actuator that is no electric drive
    movers: bool = False  # some body goes where it is told
    catches: frozenset[str] = frozenset()  # kinds of catches on free axes, some of CATCH_KINDS
    general: bool = False  # made for more than the scene has, see ``generalised``

    @property
    def contacts(self) -> bool:
        """Whether anything can touch."""
        return bool(self.contact_kinds)

    @property
    def axis_bounds(self) -> bool:
        """Whether some free axis has a bounded row."""
        return self.limits or self.friction or bool(self.catches)

    @property
    def bounded(self) -> bool:
        """Whether some row is bounded, so that a solver has to iterate."""
        return self.axis_bounds or self.contacts

    @property
    def large(self) -> bool:
        """Whether the kernel is too large for a GPU's compiler to put all of it into one function."""
        return self.contacts or self.ropes

    @property
    def small(self) -> bool:
        """Whether the kernel is small enough for a CPU's compiler to put all of it into one function."""
        return not (self.general or self.contacts or self.rope_touch)

    def generalised(self) -> Features:
        """With everything that a scene can have, so that all scenes share a few kernels.

        Three sizes: mechanisms alone, with contacts, with contacts and ropes. Where a step can be of fourth order
        nothing rubs and nothing is driven.
        """
        rubs = not self.fourth_order
        touches = self.contacts or self.ropes
        joints = dict.fromkeys(("angular_locks", "angular_rows", "partial_locks", "limits", "soft", "twists"), True)
        frictions = dict.fromkeys(("friction", "friction_laws", "bristles", "gears"), rubs)
        others = dict.fromkeys(("couplings", "losses", "backlash", "actuators", "movers"), rubs)
        laws = dict.fromkeys(("restitution", "compliance", "rolling", "tyres", "belts"), touches)
        ropes = dict.fromkeys(("rope_ports", "rope_slides", "rope_touch", "rope_tangles"), self.ropes)
        kinds = frozenset(CONTACT_KINDS if touches else ())
        return replace(
            self,
            integrator=self.integrator,
            general=True,
            contact_kinds=kinds,
            catches=frozenset(CATCH_KINDS if rubs else ()),
            **joints,
            **frictions,
            **others,
            **laws,
            **ropes,
        )


# All kinds of shapes and nothing else: what kernels of rays are made for.
ALL_SHAPES = Features(general=True, contact_kinds=frozenset(CONTACT_KINDS))
