"""Quantities of ropes.

Raw arrays are indexed [frame, place, world]; the places of a rope hold its nodes, and all but the last of them an
element between this node and the next. What is wound on a drum has no mass here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..model.rope_arrays import LEAST_TWIST, curvature, places_of, rest_curvature
from ..scene.quantity import XYZ, XYZW
from ..scene.rope import Rope
from ..spatial import IDENTITY, Array, conjugate, multiply, rotate
from .readings import Readings
from .registry import quantity


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
    lengths = r.frames["rope_length"][:, places][:, :-1]
    number = np.arange(places.start, places.stop - 1)[None, :, None]
    return np.where(number < r.frames["rope_first"][:, i][:, None], 0.0, lengths)


def _node_masses(r: Readings, i: int) -> Array:
    """Half of each neighbouring element, [frame, node, world], kg."""
    rope, _ = _rope(r, i)
    halves = 0.5 * rope.mass_per_metre * _lengths(r, i)
    none = np.zeros_like(halves[:, :1])
    return np.concatenate([halves, none], axis=1) + np.concatenate([none, halves], axis=1)


def _spin_momenta(r: Readings, i: int) -> Array:
    """(m r^2/4)(E + dd^T) w of the elements, [frame, element, world, 3]."""
    rope, places = _rope(r, i)
    spin, turn = (r.frames[name][:, places][:, :-1] for name in ("rope_spin", "rope_rotation"))
    axis = rotate(turn, [0.0, 0.0, 1.0])
    along = axis * np.sum(axis * spin, axis=-1, keepdims=True)
    return (rope.mass_per_metre * rope.spec.radius**2 / 4 * _lengths(r, i))[..., None] * (spin + along)


@quantity("node", "m", XYZ)
def node_position(r: Readings, i: int) -> Array:
    """Position of a rope's node."""
    return r.frames["rope_position"][:, i]


@quantity("node", "m/s", XYZ)
def node_velocity(r: Readings, i: int) -> Array:
    """Velocity of a rope's node."""
    return r.frames["rope_velocity"][:, i]


@quantity("element", "1", XYZW)
def bone(r: Readings, i: int) -> Array:
    """Orientation of a rope's element, z along it."""
    return r.frames["rope_rotation"][:, _element_place(r, i)]


@quantity("element", "N")
def tension(r: Readings, i: int) -> Array:
    """Tension of a rope's element over the last step."""
    return r.frames["rope_tension"][:, _element_place(r, i)]


@quantity("rope", "N")
def highest_tension(r: Readings, i: int) -> Array:
    """Highest tension along a rope."""
    return r.frames["rope_tension"][:, _rope(r, i)[1]][:, :-1].max(axis=1)


@quantity("rope", "1")
def stretch(r: Readings, i: int) -> Array:
    """Worst error of an element's length, less what it is slack by, as a share; broken ones do not count."""
    _, places = _rope(r, i)
    lengths = _lengths(r, i)
    reach = np.linalg.norm(np.diff(r.frames["rope_position"][:, places], axis=1), axis=-1)
    reach = reach + r.frames["rope_slack"][:, places][:, :-1]
    counts = (lengths > 0) & (r.frames["rope_parted"][:, places][:, :-1] == 0)
    return np.abs(np.divide(reach, lengths, out=np.ones_like(reach), where=counts) - 1.0).max(axis=1)


@quantity("rope", "m")
def rope_length(r: Readings, i: int) -> Array:
    """Length of rope that is not on a drum."""
    return _lengths(r, i).sum(axis=1)


@quantity("rope", "J")
def rope_kinetic_energy(r: Readings, i: int) -> Array:
    """Kinetic energy of a rope."""
    _, places = _rope(r, i)
    v = r.frames["rope_velocity"][:, places]
    spin = r.frames["rope_spin"][:, places][:, :-1]
    sliding = np.sum(_node_masses(r, i) * np.sum(v * v, axis=-1), axis=1)
    return 0.5 * (sliding + np.sum(spin * _spin_momenta(r, i), axis=(1, 3)))


@quantity("rope", "J")
def rope_elastic_energy(r: Readings, i: int) -> Array:
    """Energy of bending and twist in a rope and its clamps, (l/2) sum K (u - rest)^2."""
    rope, places = _rope(r, i)
    lengths = r.frames["rope_length"][:, places][:, :-1]
    turns = r.frames["rope_rotation"][:, places][:, :-1]
    strain = curvature(np.moveaxis(turns, 1, 0), np.moveaxis(lengths, 1, 0))[:-1]
    strain = strain - rest_curvature(rope)[:-1, None, None]
    bending, twisting = rope.stiffness
    mean = 0.5 * (lengths[:, :-1] + lengths[:, 1:])
    energy = 0.5 * mean * np.moveaxis(np.sum(np.array([bending, bending, twisting]) * strain**2, axis=-1), 0, 1)
    return np.asarray(np.where(_lengths(r, i)[:, :-1] > 0, energy, 0.0).sum(axis=1) + _clamp_energy(r, i))


def _clamp_energy(r: Readings, i: int) -> Array:
    """Energy of the ends that are held in direction: springs over half an element, see dynamics/ropes/prepare.py."""
    m = r.rope_model
    bending, twisting = r.scene.ropes[r.layout.ropes[i]].stiffness
    stiffness = np.array([bending, bending, twisting or LEAST_TWIST * bending])
    total = r.zeros()
    for n in np.flatnonzero(np.asarray(m["clamp_rope"]) == i):
        place, body = int(m["clamp_element"][n]), int(m["clamp_body"][n])
        held = r.frames["rotation"][:, body - 1] if body > 0 else np.broadcast_to(IDENTITY, (*r.frames.shape, 4))
        wall = multiply(held, np.asarray(m["clamp_turn"][n]))
        relative = multiply(conjugate(wall), r.frames["rope_rotation"][:, place])
        half = 0.5 * r.frames["rope_length"][:, place]
        bent = 2.0 * np.where(relative[..., 3:] < 0, -1.0, 1.0) * relative[..., :3] / half[..., None]
        total += 0.5 * half * np.sum(stiffness * (bent - np.asarray(m["clamp_rest"][n])) ** 2, axis=-1)
    return total


def _all(r: Readings, part: Callable[[Readings, int], Array]) -> Array | float:
    return sum((part(r, i) for i in range(len(r.scene.ropes))), 0.0)


def ropes_gravity_energy(r: Readings) -> Array | float:
    """Energy of all ropes in gravity."""

    def one(r: Readings, i: int) -> Array:
        at = r.frames["rope_position"][:, _rope(r, i)[1]]
        return -np.einsum("fnwi,fnw,fwi->fw", at, _node_masses(r, i), r.frames["gravity"])

    return _all(r, one)


def ropes_momentum(r: Readings) -> Array | float:
    """Linear momentum of all ropes."""

    def one(r: Readings, i: int) -> Array:
        return np.einsum("fnwi,fnw->fwi", r.frames["rope_velocity"][:, _rope(r, i)[1]], _node_masses(r, i))

    return _all(r, one)


def ropes_angular_momentum(r: Readings) -> Array | float:
    """Angular momentum of all ropes about the origin."""

    def one(r: Readings, i: int) -> Array:
        at, v = (r.frames[name][:, _rope(r, i)[1]] for name in ("rope_position", "rope_velocity"))
        return np.einsum("fnwi,fnw->fwi", np.cross(at, v), _node_masses(r, i)) + _spin_momenta(r, i).sum(axis=1)

    return _all(r, one)


@quantity("rope", "N", live=("model", "rope_strength"), sent=("model", "rope_strength"))
def rope_strength(r: Readings, i: int) -> Array:
    """Tension at which a rope breaks."""
    return r.frames["rope_strength"][:, i]
