"""The arrays of couplings: their terms, what they keep, and which of them are redundant."""

from __future__ import annotations

import numpy as np

from ..scene.assemble import Held, Poses, Problem
from ..scene.coupled import check_motions
from ..scene.couplings import Coupling, Prescribed
from ..scene.scene import Scene
from ..spatial import Array
from .field import Columns, Field, Fields, shared
from .layout import coordinates_of

REDUNDANT = 1e-7  # what is left of a unit row beside the others, when it is no row of its own
# share of its own inverse mass by which a coupling gives way to a change of its impulse: rows that follow from others
# share their load by it, and what little they disagree must not become a large impulse; the rest only stays regular
SHARED, ALONE = 1e-4, 1e-13

# The arrays of couplings, see dynamics/rows/coupling.py, and of movers.
FIELDS: Fields = {
    "model": (
        shared("coupling_start", "coupling", "int", "first of its terms"),
        shared("coupling_end", "coupling", "int", "one past the last"),
        shared("coupling_moves", "coupling", "int", "1: it follows a motion that is prescribed"),
        Field("coupling_offset", "coupling", "real", "rad or m, what the sum of its terms is kept at"),
        Field("coupling_driving", "coupling", "real", "friction over effort while its first coordinate drives"),
        Field("coupling_driven", "coupling", "real", "the same while it is driven; 1 and more locks"),
        Field("coupling_gap", "coupling", "real", "rad or m by which the sum of its terms may be off, either way"),
        shared("coupling_compliance", "coupling", "real", "compliance over its inverse mass, see coupling_rows.py"),
        shared("term_joint", "term", "int", "joint of the term's coordinate"),
        shared("term_kind", "term", "int", "scene.joints.CoordinateKind of its coordinate"),
        shared("term_linear", "term", "int", "1: a length, 0: an angle"),
        shared("term_twist", "term", "int", "its place among the twists, or -1"),
        Field("term_factor", "term", "real", "factor of the coordinate in the sum"),
        # bodies that go where they are told, see dynamics/movers.py
        shared("mover_body", "mover", "int", "the fixed body that is moved"),
        shared("mover_position", "mover", "vec3", "m, where it starts"),
        shared("mover_rotation", "mover", "quat", "how it is turned there"),
    ),
    "control": (
        Field("coupling_target", "coupling", "real", "rad or m, added to what it keeps by the end of the step"),
        Field("mover_shift", "mover", "vec3", "m from its start, where a mover is by the end of the step, world axes"),
        Field("mover_turn", "mover", "vec3", "rad: rotation vector from its start by then, world axes"),
    ),
    "memory": (
        Field("coupling_impulse", "coupling", "real", "N s or N m s on a coordinate of factor 1"),
        Field("coupling_effort", "coupling", "real", "N or N m, the mean over the last kick"),
        Field("coupling_loss", "coupling", "real", "N or N m on its first coordinate, likewise"),
        Field("coupling_side", "coupling", "int", "1 or -1: the flank that touches where there is play, 0: none"),
    ),
    "work": (
        Field("term_axis", "term", "vec3", "world direction of the coordinate times its factor; prepare"),
        Field("coupling_error", "coupling", "real", "rad or m, the sum of its terms less what it keeps; prepare"),
        Field(
            "coupling_inverse_mass", "coupling", "real", "1/kg or 1/(kg m^2), inverse mass of its bodies alone; prepare"
        ),
        Field("coupling_bias", "coupling", "real", "rad/s or m/s that close it; prepare, solver"),
        Field("coupling_bias_impulse", "coupling", "real", "N s of the bias, apart from the warm start; solver"),
    ),
}


def coupling_arrays(scene: Scene, tracked: tuple[int, ...]) -> Columns:
    """Couplings and their terms, as the kernels know them."""
    check_motions(scene)
    couplings = list(scene.couplings.values())
    place = {name: i for i, name in enumerate(scene.joints)}
    labels = [label for label, _, _ in coordinates_of(scene)]
    twists = {labels[i]: k for k, i in enumerate(tracked)}
    ends = np.cumsum([0] + [len(coupling.terms) for coupling in couplings]).tolist()
    terms = [(coupling, k) for coupling in couplings for k in range(len(coupling.terms))]
    coordinates = [coupling.terms[k] for coupling, k in terms]
    return {
        "coupling_start": ends[:-1],
        "coupling_end": ends[1:],
        "coupling_offset": [[coupling.offset] for coupling in couplings],
        "coupling_moves": [int(isinstance(coupling.type, Prescribed)) for coupling in couplings],
        "coupling_driving": [[coupling.losses[0]] for coupling in couplings],
        "coupling_driven": [[coupling.losses[1]] for coupling in couplings],
        "coupling_gap": [[coupling.gap] for coupling in couplings],
        "coupling_compliance": _compliances(scene, couplings),
        "term_joint": [place[joint.name] for joint, _ in coordinates],
        "term_kind": [int(free.kind) for _, free in coordinates],
        "term_linear": [int(free.kind.is_linear) for _, free in coordinates],
        "term_twist": [twists.get(coupling.labels[k], -1) for coupling, k in terms],
        "term_factor": [[coupling.factors[k]] for coupling, k in terms],
    }


def _compliances(scene: Scene, couplings: list[Coupling]) -> list[float]:
    """Over the inverse mass of each coupling: more if some of them follow from others and from the joints."""
    if not couplings:
        return []
    rows, locked = coupling_rows(scene, couplings)
    rank = int(np.linalg.matrix_rank(_unit(locked), tol=REDUNDANT)) if len(locked) else 0
    both = int(np.linalg.matrix_rank(_unit(np.vstack([locked, rows])), tol=REDUNDANT))
    return [SHARED if both < rank + len(rows) else ALONE] * len(couplings)


def coupling_rows(scene: Scene, couplings: list[Coupling]) -> tuple[Array, Array]:
    """The rows of couplings over the bodies' velocities at the start, and those of all locked axes."""
    moving = [body for body in scene.bodies.values() if not body.spec.fixed]
    joints = list(scene.joints.values())
    found = [term for coupling in couplings for term in coupling.terms]
    held = [Held(joints.index(joint), free, 0.0) for joint, free in found]
    jacobian = Problem.of(scene, joints, moving, held).jacobian(Poses.of(moving, joints))
    count = len(jacobian) - len(held)
    parts = iter(jacobian[count:])
    rows = [sum(c * next(parts) for c in coupling.factors) for coupling in couplings]
    return np.array(rows), jacobian[:count]


def _unit(rows: Array) -> Array:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0.0, length, 1.0)
