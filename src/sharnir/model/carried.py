"""What a spring or damper really moves: not its own two bodies alone, but all that they carry.

A soft row of direction j has the inverse mass w = j M^-1 j^T less what its locked neighbours take away. Its own joint's
locks are known in every step; those of the whole mechanism are not, and a light carriage under a heavy load looks
light: a slow spring on it would be taken for one that is too fast for the step, and damped. So the share of the one in
the other is found here, where the bodies start, with rows A = J M^-1/2 and a = j M^-1/2:

    w(A) = |a - a Q^T Q|^2,    Q an orthonormal basis of the rows of A

It only decides how much is damped; the stability of a row does not depend on it (``dynamics/rows/soft.py``).
"""

from __future__ import annotations

import numpy as np

from ..scene.assemble import Held, Poses, Problem
from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.machines import MOST_BODIES, mechanisms_of, moved_by, root_of_inverse_mass
from ..scene.scene import Scene
from ..spatial import Array
from .softs import SoftRow, softs_of

INDEPENDENT = 1e-9  # of the largest singular value: below, a row follows from others


def carried_shares(scene: Scene) -> list[float]:
    """Of every soft row: its inverse mass in the mechanism over that of its own joint, 1 where it is not known."""
    rows = softs_of(scene)
    shares = np.ones(len(rows))
    coupled = [[joint.name for joint, _ in coupling.terms] for coupling in scene.couplings.values()]
    for joints in mechanisms_of(scene.joints.values(), coupled):
        places = [i for i, row in enumerate(rows) if row.kind >= 0 and row.joint in joints]
        moving = moved_by(*joints)
        if places and len(moving) <= MOST_BODIES:
            shares[places] = _shares_of(scene, joints, moving, [rows[i] for i in places])
    return [float(share) for share in shares]


def _shares_of(scene: Scene, joints: list[Joint], moving: list[Body], rows: list[SoftRow]) -> Array:
    couplings = [c for c in scene.couplings.values() if c.terms[0][0] in joints]
    held = [Held(joints.index(joint), free, 0.0) for c in couplings for joint, free in c.terms]
    for row in rows:
        free = next(each for each in row.joint.type.coordinates if int(each.kind) == row.kind)
        held.append(Held(joints.index(row.joint), free, 0.0))
    problem = Problem.of(scene, joints, moving, held)
    scaled = problem.jacobian(Poses.of(moving, joints)) @ root_of_inverse_mass(moving)
    locked, others = np.split(scaled, [len(scaled) - len(held)])
    terms = iter(others)
    coupled = [sum(c * next(terms) for c in coupling.factors) for coupling in couplings]
    everything = np.vstack([locked, *coupled]) if coupled else locked
    owner, _ = np.nonzero(problem.locked)
    whole = _lengths_beside(np.array(list(terms)), everything)
    own = [
        _lengths_beside(a[None], locked[owner == joints.index(row.joint)])[0]
        for a, row in zip(others[len(others) - len(rows) :], rows, strict=True)
    ]
    return np.divide(whole, own, out=np.ones(len(rows)), where=np.array(own) > 0.0)


def _lengths_beside(rows: Array, others: Array) -> Array:
    """The squared lengths of what is left of rows beside all combinations of others."""
    if len(others):
        _, values, basis = np.linalg.svd(others, full_matrices=False)
        basis = basis[values > INDEPENDENT * values[0]] if values[0] > 0.0 else basis[:0]
        rows = rows - (rows @ basis.T) @ basis
    return np.asarray(np.sum(rows * rows, axis=1))
