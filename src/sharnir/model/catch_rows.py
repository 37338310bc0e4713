"""The arrays of catches: a row each on a coordinate of a joint, sorted by joint and then by kind."""

from __future__ import annotations

from typing import NamedTuple

from ..scene.elements.catches import CATCHES, Catch
from ..scene.joint import Joint
from ..scene.joint_coordinates import start_value
from ..scene.joints import Coordinate
from ..scene.scene import Scene
from .field import Columns, Field, Fields, shared


def kind_of(catch: type[Catch]) -> str:
    """The name of a kind, with which its arrays and its device code begin."""
    return str(catch.__struct_config__.tag)


KINDS = {kind_of(catch): catch for catch in CATCHES}

FIELDS: Fields = {
    "model": (
        shared("catch_kind", "catch", "int", "scene.joints.CoordinateKind of its coordinate"),
        shared("catch_linear", "catch", "int", "1: a length, 0: an angle"),
        shared("catch_twist", "catch", "int", "its place among the twists, or -1"),
        *(
            Field(f"{kind}_{name}", "catch", "real", note)
            for kind, of in KINDS.items()
            for name, note in of.NUMBERS.items()
        ),
    ),
    "memory": (
        Field("catch_impulse", "catch", "real", "N s or N m s on the coordinate"),
        *(
            Field(f"{kind}_{name}", "catch", "real", note)
            for kind, of in KINDS.items()
            for name, note in of.MEMORY.items()
        ),
    ),
    "work": (
        Field("catch_axis", "catch", "vec3", "world direction of the coordinate; prepare"),
        Field("catch_mass", "catch", "real", "kg or kg m^2; prepare"),
    ),
}


class CatchRow(NamedTuple):
    """A catch, the coordinate that it is on, and the place of that among all coordinates."""

    label: str
    joint: Joint
    coordinate: Coordinate
    place: int
    catch: Catch


def catches_of(scene: Scene) -> list[CatchRow]:
    """Every catch of a scene, in the order of the arrays."""
    rows, place = [], 0
    for joint in scene.joints.values():
        found = []
        for coordinate in joint.type.coordinates:
            if coordinate.name in joint.catches:
                label = f"{joint.name}.{coordinate.name}"
                found.append(CatchRow(label, joint, coordinate, place, joint.catches[coordinate.name]))
            place += 1
        rows += sorted(found, key=lambda row: CATCHES.index(type(row.catch)))
    return rows


def catch_arrays(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    """Catches as the kernels know them; the numbers of other kinds than its own are 0."""
    rows = catches_of(scene)
    columns: Columns = {
        "catch_kind": [int(row.coordinate.kind) for row in rows],
        "catch_linear": [int(row.coordinate.kind.is_linear) for row in rows],
        "catch_twist": [tracked.index(row.place) if row.place in tracked else -1 for row in rows],
    }
    for kind, of in KINDS.items():
        given = [
            row.catch.numbers(start_value(row.joint, row.coordinate)) if isinstance(row.catch, of) else {}
            for row in rows
        ]
        columns |= {f"{kind}_{name}": [[each.get(name, 0.0)] for each in given] for name in of.NUMBERS}
    return columns
