"""Scalar types: one set of kernels in float64, one in float32, from the same source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from ..device import load_warp
from ..errors import SceneError, nearest

PRECISIONS = ("float64", "float32")
WarpType = Any  # a type that only Warp knows


@dataclass(frozen=True)
class Precision:
    """The Warp types that the kernels are made of."""

    name: str
    real: WarpType
    vec2: WarpType
    vec3: WarpType
    quat: WarpType
    mat33: WarpType
    sym33: WarpType  # six numbers: xx, yy, zz, xy, xz, yz
    vec7: WarpType  # the inverse mass of a body: 1/m, and the six of its inverse inertia
    row: WarpType  # all numbers of a contact, see dynamics/contacts/heap.py
    by_reference: bool  # how device functions take the tables of arrays, see model/fields.py


def _long(real: WarpType) -> tuple[WarpType, WarpType, WarpType]:
    """Vectors for which Warp has no name: sym33, vec7 and row."""
    vector = load_warp().types.vector
    return vector(6, real), vector(7, real), vector(28, real)


@cache
def precision_of(name: str, by_reference: bool = False) -> Precision:
    """The types of a precision by name."""
    wp = load_warp()
    if name == "float64":
        types = (wp.float64, wp.vec2d, wp.vec3d, wp.quatd, wp.mat33d, *_long(wp.float64))
        return Precision(name, *types, by_reference)
    if name == "float32":
        types = (wp.float32, wp.vec2f, wp.vec3f, wp.quatf, wp.mat33f, *_long(wp.float32))
        return Precision(name, *types, by_reference)
    raise SceneError(f"precision '{name}' is unknown{nearest(name, PRECISIONS)}")
