"""Which bounded rows each joint has: of every kind a range among its like, joint by joint."""

from __future__ import annotations

import numpy as np

from ..scene.scene import Scene
from .catch_rows import KINDS as CATCH_KINDS
from .catch_rows import catches_of, kind_of
from .field import Columns, Fields, shared
from .layout import friction_rows_of

# kind -> the feature of a scene that has rows of it; the device code of each is dynamics/rows/<kind>.py
KINDS = {"limit": "limits", "friction": "friction", "gear": "gears", "loss": "losses"}
BOUND_KINDS = (*KINDS, *CATCH_KINDS)  # in the order in which they are visited

FIELDS: Fields = {
    "model": (
        shared("bound_start", "bound_range", "int", "first row of a kind on a joint, at joint * kinds + kind"),
        shared("bound_end", "bound_range", "int", "one past the last"),
    ),
}


def bound_ranges(scene: Scene) -> Columns:
    """The ranges of all joints: limits have numbers of their own, all that rubs has, and catches have."""
    names = list(scene.joints)
    sizes = np.zeros((len(names), len(BOUND_KINDS)), int)
    found = [(joint.name, "limit") for joint in scene.joints.values() for _ in joint.ranges]
    found += [(row.joint.name, row.kind) for row in friction_rows_of(scene)]
    found += [(row.joint.name, kind_of(type(row.catch))) for row in catches_of(scene)]
    for name, kind in found:
        sizes[names.index(name), BOUND_KINDS.index(kind)] += 1
    numbered_together = np.split(sizes, [1, len(KINDS)], axis=1)
    ends = np.hstack([np.cumsum(part).reshape(part.shape) for part in numbered_together])
    return {"bound_start": (ends - sizes).ravel(), "bound_end": ends.ravel()}
