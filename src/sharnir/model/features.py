"""What a scene contains, in a handful of yes or no: kernels are specialised on this and on nothing else of a scene."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .integrator import Integrator

CONTACT_KINDS = ("round", "box", "convex", "heights", "mesh")


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
    gears: bool  # some drive has a gear that loses power or locks
    soft: bool  # springs, dampers, viscous friction or drives
    twists: bool  # some joint counts turns
    direct: bool  # the direct solver rather than sequential impulses
    reach: bool  # limits, friction and contacts know what they do to the whole mechanism, see dynamics/solvers/reach.py
    integrator: Integrator
    fourth_order: bool  # the integrator is of fourth order wherever the motion is smooth, and here it can be
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
    general: bool = False  # made for more than the scene has, see ``generalised``

    @property
    def contacts(self) -> bool:
        """Whether anything can touch."""
        return bool(self.contact_kinds)

    @property
    def axis_bounds(self) -> bool:
        """Whether some free axis has a bounded row."""
        return self.limits or self.friction

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
        """With everything that joints, axes, contacts and ropes can have, so that many scenes share a kernel."""
        rubs = not self.fourth_order  # where something can rub no step is made in fourth order
        joints = dict.fromkeys(("angular_locks", "angular_rows", "partial_locks", "limits", "soft", "twists"), True)
        frictions = dict.fromkeys(("friction", "friction_laws", "bristles", "gears"), rubs)
        meshes = {"losses": self.couplings and rubs, "backlash": self.couplings}
        laws = dict.fromkeys(("restitution", "compliance", "rolling", "tyres", "belts"), self.contacts)
        kinds = frozenset(CONTACT_KINDS if self.contacts else ())
        wide = self.ropes
        ropes = {
            "rope_ports": self.rope_ports or wide,
            "rope_slides": self.rope_slides or wide,
            "rope_tangles": self.rope_tangles or (wide and self.rope_touch),
        }
        return replace(
            self,
            integrator=self.integrator,
            general=True,
            contact_kinds=kinds,
            **joints,
            **frictions,
            **meshes,
            **laws,
            **ropes,
        )
