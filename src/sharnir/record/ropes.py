"""Signals of ropes, derived from the raw frames.

``r`` is a ``signals.Readings``. Raw arrays are indexed [frame, place, world]; the places of a rope hold its nodes, and
all but the last of them an element between this node and the next. What is wound on a drum has no mass here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.ropes import curvature, places_of, rest_curvature
from ..scene.quantity import XYZ, XYZW
from ..scene.rope import Rope
from ..spatial import Array, rotate

if TYPE_CHECKING:
    from .signals import Readings

# Frames.ropes: name -> (table, array)
COPIED = {
    "position": ("state", "rope_position"),
    "velocity": ("state", "rope_velocity"),
    "rotation": ("state", "rope_rotation"),
    "spin": ("state", "rope_spin"),
    "length": ("state", "rope_length"),
    "slack": ("state", "rope_slack"),
    "first": ("state", "rope_first"),
    "parted": ("state", "rope_parted"),
    "tension": ("memory", "rope_tension"),
}


def _rope(r: Readings, i: int) -> tuple[Rope, slice]:
    rope = list(r.scene.ropes.values())[i]
    start = places_of(r.scene)[rope.name]
    return rope, slice(start, start + rope.elements + 1)


def _element_place(r: Readings, i: int) -> int:
    """The place of the i-th element of the scene: every rope before it leaves one place empty."""
    before = 0
    for rope in r.scene.ropes.values():
        if i < before + rope.elements:
            return places_of(r.scene)[rope.name] + i - before
        before += rope.elements
    raise IndexError(i)


def _lengths(r: Readings, i: int) -> Array:
    """Lengths of a rope's elements [frame, element, world], zero where they are on a drum."""
    _, places = _rope(r, i)
    lengths = r.frames.ropes["length"][:, places][:, :-1]
    number = np.arange(places.start, places.stop - 1)[None, :, None]
    return np.where(number < r.frames.ropes["first"][:, i][:, None], 0.0, lengths)


def _node_masses(r: Readings, i: int) -> Array:
    """Half of each neighbouring element, [frame, node, world], kg."""
    rope, _ = _rope(r, i)
    halves = 0.5 * rope.mass_per_metre * _lengths(r, i)
    none = np.zeros_like(halves[:, :1])
    return np.concatenate([halves, none], axis=1) + np.concatenate([none, halves], axis=1)


def _spin_momenta(r: Readings, i: int) -> Array:
    """(m r^2/4)(E + dd^T) w of the elements, [frame, element, world, 3]."""
    rope, places = _rope(r, i)
    spin, turn = (r.frames.ropes[name][:, places][:, :-1] for name in ("spin", "rotation"))
    axis = rotate(turn, [0.0, 0.0, 1.0])
    along = axis * np.sum(axis * spin, axis=-1, keepdims=True)
    return (rope.mass_per_metre * rope.spec.radius**2 / 4 * _lengths(r, i))[..., None] * (spin + along)


def node_position(r: Readings, i: int) -> Array:
    """Position of a node."""
    return r.frames.ropes["position"][:, i]


def node_velocity(r: Readings, i: int) -> Array:
    """Velocity of a node."""
    return r.frames.ropes["velocity"][:, i]


def bone(r: Readings, i: int) -> Array:
    """Orientation of an element."""
    return r.frames.ropes["rotation"][:, _element_place(r, i)]


def tension(r: Readings, i: int) -> Array:
    """Tension of an element over the last step."""
    return r.frames.ropes["tension"][:, _element_place(r, i)]


def highest_tension(r: Readings, i: int) -> Array:
    """The highest tension along a rope."""
    return r.frames.ropes["tension"][:, _rope(r, i)[1]][:, :-1].max(axis=1)


def stretch(r: Readings, i: int) -> Array:
    """The worst error of an element's length, less what it is slack by, as a share of it; broken ones do not count."""
    _, places = _rope(r, i)
    lengths = _lengths(r, i)
    reach = np.linalg.norm(np.diff(r.frames.ropes["position"][:, places], axis=1), axis=-1)
    reach = reach + r.frames.ropes["slack"][:, places][:, :-1]
    counts = (lengths > 0) & (r.frames.ropes["parted"][:, places][:, :-1] == 0)
    return np.abs(np.divide(reach, lengths, out=np.ones_like(reach), where=counts) - 1.0).max(axis=1)


def rope_length(r: Readings, i: int) -> Array:
    """Length of rope that is not on a drum."""
    return _lengths(r, i).sum(axis=1)


def rope_kinetic_energy(r: Readings, i: int) -> Array:
    """Kinetic energy of nodes and elements."""
    _, places = _rope(r, i)
    v = r.frames.ropes["velocity"][:, places]
    spin = r.frames.ropes["spin"][:, places][:, :-1]
    sliding = np.sum(_node_masses(r, i) * np.sum(v * v, axis=-1), axis=1)
    return 0.5 * (sliding + np.sum(spin * _spin_momenta(r, i), axis=(1, 3)))


def rope_elastic_energy(r: Readings, i: int) -> Array:
    """Energy of bending and twist, (l/2) sum K (u - rest)^2; that of clamps is left out."""
    rope, places = _rope(r, i)
    lengths = r.frames.ropes["length"][:, places][:, :-1]
    turns = r.frames.ropes["rotation"][:, places][:, :-1]
    strain = curvature(np.moveaxis(turns, 1, 0), np.moveaxis(lengths, 1, 0))[:-1]
    strain = strain - rest_curvature(rope)[:-1, None, None]
    bending, twisting = rope.stiffness
    mean = 0.5 * (lengths[:, :-1] + lengths[:, 1:])
    energy = 0.5 * mean * np.moveaxis(np.sum(np.array([bending, bending, twisting]) * strain**2, axis=-1), 0, 1)
    return np.where(_lengths(r, i)[:, :-1] > 0, energy, 0.0).sum(axis=1)


def _all(r: Readings, part: Callable[[Readings, int], Array]) -> Array | float:
    return sum((part(r, i) for i in range(len(r.scene.ropes))), 0.0)


def total_kinetic_energy(r: Readings) -> Array | float:
    """Kinetic energy of all ropes."""
    return _all(r, rope_kinetic_energy)


def total_potential_energy(r: Readings) -> Array | float:
    """Energy of all ropes in gravity."""

    def one(r: Readings, i: int) -> Array:
        at = r.frames.ropes["position"][:, _rope(r, i)[1]]
        return -np.einsum("fnwi,fnw,wi->fw", at, _node_masses(r, i), r.frames.gravity)

    return _all(r, one)


def momentum(r: Readings) -> Array | float:
    """Linear momentum of all ropes."""

    def one(r: Readings, i: int) -> Array:
        return np.einsum("fnwi,fnw->fwi", r.frames.ropes["velocity"][:, _rope(r, i)[1]], _node_masses(r, i))

    return _all(r, one)


def angular_momentum(r: Readings) -> Array | float:
    """Angular momentum of all ropes about the origin."""

    def one(r: Readings, i: int) -> Array:
        at, v = (r.frames.ropes[name][:, _rope(r, i)[1]] for name in ("position", "velocity"))
        return np.einsum("fnwi,fnw->fwi", np.cross(at, v), _node_masses(r, i)) + _spin_momenta(r, i).sum(axis=1)

    return _all(r, one)


# name -> what a ``signals.Signal`` is made of
SIGNALS: dict[str, Any] = {
    "node_position": (node_position, "position of a rope's node", "node", "m", XYZ),
    "node_velocity": (node_velocity, "velocity of a rope's node", "node", "m/s", XYZ),
    "bone": (bone, "orientation of a rope's element, z along it", "element", "1", XYZW),
    "tension": (tension, "tension of a rope's element", "element", "N"),
    "highest_tension": (highest_tension, "highest tension along a rope", "rope", "N"),
    "stretch": (stretch, "worst error of an element's length, as a share", "rope", "1"),
    "rope_length": (rope_length, "length of rope that is not on a drum", "rope", "m"),
    "rope_kinetic_energy": (rope_kinetic_energy, "kinetic energy of a rope", "rope", "J"),
    "rope_elastic_energy": (rope_elastic_energy, "energy of bending and twist in a rope", "rope", "J"),
}
