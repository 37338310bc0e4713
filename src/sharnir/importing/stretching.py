"""Robots drawn larger or smaller, or with another axis up: lengths become metres, and z is up."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import msgspec
import numpy as np

from .. import spatial
from ..scene.elements.drive import AnyDrive, DcDrive
from ..scene.elements.spring import Spring
from ..scene.materials import Material
from ..scene.shape import MassProperties
from ..scene.values import Description
from ..spatial import Array, Pose
from .motors import UNBOUND
from .tree import Connection, Coupling, Loop, Tree

QUARTER = math.pi / 2.0
UPRIGHT: dict[str, Array] = {  # what turns the axis of a file that is up into z
    "x": spatial.about((0.0, 1.0, 0.0), -QUARTER),
    "y": spatial.about((1.0, 0.0, 0.0), QUARTER),
    "z": np.array(spatial.IDENTITY),
}
# of shapes, terrain, sensors, cameras, materials, joints and their frames; ``scale`` is that of a mesh's file
LENGTHS = ("position", "x", "y", "z", "radius", "length", "width", "scale", "reach", "heights", "spacing")
GAINS = ("gain", "damping", "integral", "feed_forward")
ARMS = ("rolling_friction", "spinning_friction")

Described = TypeVar("Described", bound=Description)


def stretch(tree: Tree, by: float) -> None:
    """Multiply all lengths of a robot; inertias follow, while masses, forces, torques and gravity stay."""
    tree.place = _moved(tree.place, by)
    for link in tree.links.values():
        if link.mass is not None:
            link.mass = MassProperties(link.mass.mass, by * link.mass.center, by**2 * link.mass.inertia)
        link.shapes = [_larger(shape, by) for shape in link.shapes]
        link.material = _on_longer_arms(link.material, by) if link.material else None
    tree.couplings = [_coupling(coupling, tree, by) for coupling in tree.couplings]
    for joint in tree.joints.values():
        _joint(joint, by)
    tree.loops = [_loop(loop, by) for loop in tree.loops]
    for name, (ground, material) in tree.terrains.items():
        surface = _larger(ground.surface, by)
        tree.terrains[name] = (
            msgspec.structs.replace(_larger(ground, by), surface=surface),
            _on_longer_arms(material, by),
        )
    for sense in tree.senses:
        sense.sensor = _larger(sense.sensor, by)


def _joint(joint: Connection, by: float) -> None:
    joint.pose, joint.anchor = _moved(joint.pose, by), by * joint.anchor
    if not joint.is_linear:
        return
    for name in ("low", "high", "start", "rest"):
        value = getattr(joint, name)
        setattr(joint, name, None if value is None else by * value)
    joint.reach = None if joint.reach is None else (by * joint.reach[0], by * joint.reach[1])
    joint.velocity, joint.damping, joint.stiffness = by * joint.velocity, joint.damping / by, joint.stiffness / by
    joint.drive = None if joint.drive is None else _drive(joint.drive, by)


def _drive(drive: AnyDrive, by: float) -> AnyDrive:
    """Of a slide: as strong as before, by so much faster, and asked for more by errors that are longer."""
    if isinstance(drive, DcDrive):
        if drive.idle_speed == UNBOUND:
            return drive
        faster = {"idle_speed": by * drive.idle_speed, "time_constant": by * drive.time_constant}
        return msgspec.structs.replace(drive, **faster)
    gains = {name: getattr(drive, name) / by for name in GAINS if hasattr(drive, name)}
    return msgspec.structs.replace(drive, drive=_drive(drive.drive, by), **gains)


def _coupling(coupling: Coupling, tree: Tree, by: float) -> Coupling:
    """The same equation of coordinates that are so much longer, where they are lengths; the first factor is 1."""
    longer = {name: name not in tree.joints or tree.joints[name].is_linear for name in coupling.terms}
    terms = {name: factor / (by if longer[name] else 1.0) for name, factor in coupling.terms.items()}
    first = terms[coupling.follower]
    return replace(coupling, terms={name: c / first for name, c in terms.items()}, offset=coupling.offset / first)


def _loop(loop: Loop, by: float) -> Loop:
    frames = {name: _larger(getattr(loop.joint, name), by) for name in ("frame_a", "frame_b")}
    low, high = (None if end is None else by * end for end in loop.limits or (None, None))
    limits = None if loop.limits is None else (low, high)
    spring = None if loop.spring is None else _spring(loop.spring, by)
    joint = msgspec.structs.replace(_larger(loop.joint, by), **frames)
    return replace(loop, joint=joint, spring=spring, limits=limits)


def _spring(spring: Spring, by: float) -> Spring:
    rest = None if spring.rest is None else by * spring.rest
    table = None if spring.table is None else tuple((by * at, force) for at, force in spring.table)
    return msgspec.structs.replace(spring, rest=rest, table=table)


def _larger(described: Described, by: float) -> Described:
    """A description with its lengths multiplied."""
    given = {name: getattr(described, name, None) for name in LENGTHS}
    changed = {name: _times(value, by) for name, value in given.items() if value is not None}
    return msgspec.structs.replace(described, **changed)


def _on_longer_arms(material: Material, by: float) -> Material:
    return msgspec.structs.replace(material, **{name: by * getattr(material, name) for name in ARMS})


def _times(value: object, by: float) -> object:
    return tuple(_times(part, by) for part in value) if isinstance(value, tuple) else by * value  # type: ignore[operator]


def _moved(pose: Pose, by: float) -> Pose:
    return Pose(by * pose.position, pose.rotation)
