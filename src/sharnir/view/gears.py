"""Gears as they are drawn: toothed wheels on shafts that a `Gear` couples side by side, so that their teeth mesh.

The sizes follow from where the shafts are and from the ratio, the teeth from the ratio alone; at the start a tooth of
the first stands in a gap of the second, and the coupling, which is exact, keeps it so. Shafts on one line, ratios that
no wheels of at most ``MOST_TEETH`` have, and gearboxes, whose ratio changes, are not drawn.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .. import spatial
from ..scene.couplings import Coupling, Gear
from ..scene.joint import Joint
from ..scene.joints import Coordinate, CoordinateKind
from ..scene.scene import Scene
from ..scene.values import Plain
from ..spatial import Array

LEAST_TEETH, MOST_TEETH = 12, 240
PARALLEL = 1e-6  # sine of the largest angle between shafts
NEAR = 1e-6  # m, between shafts that are on one line; a ratio's error
WIDTH = 0.35  # of the smaller wheel's radius
BESIDE = 1.15  # of a width: how far a wheel is from the next one on its shaft
STEEL = "#8f979d"
BRASS = "#b3925a"
FINISH = {"roughness": 0.35, "metalness": 0.6, "only_seen": True}


def gears_of(scene: Scene) -> dict[str, list[Plain]]:
    """The toothed wheels of every body, as shapes to be drawn, by the body's name."""
    found: dict[str, list[Plain]] = {}
    reach: dict[str, float] = {}  # m along a shaft that its wheels take so far
    for coupling in scene.couplings.values():
        taken = max((reach.get(joint.b.name, 0.0) for joint, _ in coupling.terms), default=0.0)
        for body, shape in _pair(coupling, taken):
            found.setdefault(body, []).append(shape)
            reach[body] = max(taken, 0.5 * shape["size"][1]) + (taken > 0.0) * BESIDE * shape["size"][1]
    return found


def _pair(coupling: Coupling, taken: float) -> list[tuple[str, Plain]]:
    """The two wheels of a coupling, beside those that are ``taken`` (m) along its shafts; none if they cannot mesh."""
    if not isinstance(coupling.type, Gear) or any(not _turns(*term) for term in coupling.terms):
        return []
    (first, _), (second, _) = coupling.terms
    (center_a, axis_a), (center_b, axis_b) = _line(first), _line(second)
    apart = center_b - center_a
    apart = apart - axis_a * (axis_a @ apart)
    distance = float(np.linalg.norm(apart))
    if first.a is not second.a or np.linalg.norm(np.cross(axis_a, axis_b)) > PARALLEL or distance < NEAR:
        return []
    ratio = coupling.type.ratio * math.copysign(1.0, float(axis_a @ axis_b))
    teeth = teeth_of(abs(ratio))
    if teeth is None or (ratio > 0.0 and teeth[0] == teeth[1]):
        return []
    radii = radii_of(ratio, distance)
    towards = apart / distance
    inner = min(range(2), key=lambda k: radii[k])
    width = WIDTH * min(radii)
    center_a = center_a + axis_a * (taken + (BESIDE - 0.5) * width if taken > 0.0 else 0.0)
    out = []
    for k, (joint, sign) in enumerate(((first, 1.0), (second, -1.0))):
        ring = ratio > 0.0 and k != inner
        size = [radii[k], width, teeth[k], float(ring)]
        # where the two touch: beyond the inner wheel's side that is turned away from it, if one is within the other
        side = towards * (sign if ratio < 0.0 else (-1.0) ** (inner == 0))
        middle = center_a if k == 0 else center_a + apart
        # there a tooth of the first is between two of the second; a ring's teeth are the gaps of its outline
        shift = math.pi / teeth[k] if (k == 1) != ring else 0.0
        place = _place(joint, middle, axis_a, side, shift)
        out.append((joint.b.name, {"kind": "gear", "size": size, "color": (STEEL, BRASS)[k], **FINISH, **place}))
    return out


def teeth_of(ratio: float) -> tuple[int, int] | None:
    """Numbers of teeth of which the second is ``ratio`` times the first; None if they would be too many."""
    share = Fraction(ratio).limit_denominator(MOST_TEETH)
    if share == 0 or abs(float(share) - ratio) > NEAR * ratio:
        return None
    times = math.ceil(LEAST_TEETH / min(share.numerator, share.denominator))
    pair = (times * share.denominator, times * share.numerator)
    return pair if max(pair) <= MOST_TEETH else None


def radii_of(ratio: float, distance: float) -> tuple[float, float]:
    """The radii (m) of two wheels whose shafts are apart by a ``distance`` (m), the second ``ratio`` times the first.

    With a negative ratio they touch outside; with a positive one the smaller runs within the larger.
    """
    first = distance / abs(ratio - 1.0)
    return first, abs(ratio) * first


def _turns(joint: Joint, free: Coordinate) -> bool:
    """Whether a coordinate is the angle of a shaft that is held in its place."""
    return free.kind == CoordinateKind.TWIST and len(joint.type.coordinates) == 1


def _line(joint: Joint) -> tuple[Array, Array]:
    """A point and the direction of a shaft, in the world, at the start."""
    pose = joint.a.pose
    rotation = spatial.multiply(pose.rotation, joint.frame_a.rotation)
    return pose.point(joint.frame_a.position), spatial.rotate(rotation, np.array([0.0, 0.0, 1.0]))


def _place(joint: Joint, middle: Array, axis: Array, side: Array, shift: float) -> Plain:
    """Where a wheel is on the body that it turns with: z along the shaft, and a tooth at x, a ``shift`` (rad) on."""
    turned = math.cos(shift) * side + math.sin(shift) * np.cross(axis, side)
    rotation = spatial.from_matrix(np.column_stack([turned, np.cross(axis, turned), axis]))
    back = joint.b.pose.inverse()
    return {"position": back.point(middle).tolist(), "rotation": spatial.multiply(back.rotation, rotation).tolist()}
