"""Whether what a rope is tied to exists, and is where the rope is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import SceneError, nearest
from .body import Body
from .joint import Joint
from .joints import CoordinateKind
from .rope import Rope, Winch

MEETING_TOLERANCE = 1e-6  # m


def check_ties(rope: Rope, bodies: Mapping[str, Body], joints: Mapping[str, Joint], ropes: Mapping[str, Rope]) -> None:
    """Refuse ties to bodies, joints and ropes that are not in the scene, and to ropes elsewhere."""
    what = f"rope '{rope.name}'"
    for eyelet in rope.spec.eyelets:
        if eyelet.body not in bodies:
            raise SceneError(
                f"{what} runs through a body {eyelet.body!r} that is not in the scene{nearest(eyelet.body, bodies)}"
            )
    if rope.spec.winch is not None:
        _check_winch(what, rope.spec.winch, joints)
    for tied in rope.tied:
        tie = tied.tie
        if tie.body is not None and tie.body not in bodies:
            raise SceneError(
                f"{what} is tied to a body {tie.body!r} that is not in the scene{nearest(tie.body, bodies)}"
            )
        if tie.rope is not None:
            if tie.rope not in ropes:
                raise SceneError(
                    f"{what} is tied to a rope {tie.rope!r} that is not in the scene{nearest(tie.rope, ropes)}; "
                    "add that one first"
                )
            _check_meets(rope, tied.node, ropes[tie.rope], float(tie.along or 0.0))


def _check_winch(what: str, winch: Winch, joints: Mapping[str, Joint]) -> None:
    if winch.joint not in joints:
        raise SceneError(
            f"{what}: its winch turns in a joint {winch.joint!r} that is not in the scene{nearest(winch.joint, joints)}"
        )
    joint = joints[winch.joint]
    if CoordinateKind.TWIST not in {free.kind for free in joint.type.coordinates} or joint.b.properties is None:
        raise SceneError(f"{what}: joint '{winch.joint}' cannot turn a drum; give a Revolute whose second body moves")


def _check_meets(rope: Rope, node: int, other: Rope, along: float) -> None:
    met = other.node_at(along, f"rope '{rope.name}': the place of its tie")
    gap = float(np.linalg.norm(rope.nodes[node] - other.nodes[met]))
    if gap > MEETING_TOLERANCE:
        raise SceneError(
            f"rope '{rope.name}' and rope '{other.name}' are tied but {1000 * gap:.6g} mm apart; "
            f"node {met} of '{other.name}' is at {tuple(float(x) for x in other.nodes[met].round(6))}"
        )
