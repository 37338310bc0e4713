"""Checks of a whole scene, made before it is compiled: can it start as described?"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..errors import SceneError, nearest
from .couplings import Coupling
from .elements.spring import Spring
from .joint import Joint
from .joint_coordinates import coordinate, lock_error, misalignment, start_value
from .joints import Coordinate, CoordinateKind, Revolute
from .materials import Contact
from .mover import movers_of
from .scene import Scene
from .values import LARGEST, Range

MEETING_TOLERANCE = 1e-6  # m and rad: a joint whose locked axes are further off does not meet
LIMIT_TOLERANCE = 1e-6  # m and rad: a start this little outside its limits is rounding
NO_LENGTH = 1e-9  # m: two points this close have no direction between them
LARGEST_SWING = 3.1  # rad; at pi the swing has no direction and the twist no value


def check_scene(scene: Scene) -> None:
    """Refuse a scene that cannot start: nothing moves, joints that do not meet, limits that exclude the start."""
    if all(body.spec.fixed for body in scene.bodies.values()) and not scene.ropes:
        raise SceneError(f"scene '{scene.name}' has no body that can move; add one with scene.body(name, shape)")
    _check_places(scene)
    _check_belts(scene)
    movers_of(scene)
    for coupling in scene.couplings.values():
        _check_coupling(coupling)
        if coupling.has_play and scene.ropes:
            raise SceneError(
                f"coupling '{coupling.name}' has backlash or a neutral gear in a scene with ropes, which is not "
                "possible; leave it out"
            )
    for joint in scene.joints.values():
        _check_direction(joint)
        _check_meets(joint)
        _check_swing(joint)
        for free in joint.type.coordinates:
            if free.name in joint.ranges:
                _check_range(joint, free, joint.ranges[free.name])
            if free.name in joint.springs:
                _check_rest(joint, free, joint.springs[free.name])


def _check_coupling(coupling: Coupling) -> None:
    off = coupling.start - coupling.offset
    if abs(off) > coupling.gap + MEETING_TOLERANCE:
        raise SceneError(
            f"coupling '{coupling.name}': at the start its coordinates ({', '.join(coupling.labels)}) are off by "
            f"{off:.6g}; draw the bodies so that they agree, or give a joint another initial value"
        )


def _check_belts(scene: Scene) -> None:
    for body in scene.bodies.values():
        contact = body.spec.contact
        if not isinstance(contact, Contact) or contact.belt is None:
            continue
        sprocket = contact.belt.sprocket
        if sprocket not in scene.joints:
            hint = nearest(sprocket, scene.joints)
            raise SceneError(f"body '{body.name}': Belt names a sprocket '{sprocket}' that is no joint here{hint}")
        if not isinstance(scene.joints[sprocket].type, Revolute):
            raise SceneError(f"body '{body.name}': Belt's sprocket '{sprocket}' is not a hinge; give a Revolute joint")


def _check_places(scene: Scene) -> None:
    """Refuse what is too far away, or too fast, to compute with."""
    for body in scene.bodies.values():
        for name, values, unit in (
            ("position", (*body.spec.position, *body.center), "m"),
            ("velocity", (*body.spec.velocity, *body.spec.angular_velocity), "m/s or rad/s"),
        ):
            _check_size(f"body '{body.name}' {name}", values, unit)
    for joint in scene.joints.values():
        _check_size(f"joint '{joint.name}' anchor", (*joint.frame_a.position, *joint.frame_b.position), "m")
    for rope in scene.ropes.values():
        _check_size(f"rope '{rope.name}' path", rope.nodes.ravel(), "m")
        _check_size(f"rope '{rope.name}' velocity", rope.spec.velocity, "m/s")
    for terrain in scene.terrains.values():
        _check_size(f"terrain '{terrain.name}' position", terrain.spec.position, "m")
    _check_size("gravity", scene.gravity, "m/s^2")


def _check_size(what: str, values: Iterable[float], unit: str) -> None:
    largest = max((abs(value) for value in values), default=0.0)
    if not largest <= LARGEST:
        raise SceneError(f"{what} reaches {largest:.3g} {unit}; keep it within {LARGEST:g}")


def opening(joint: Joint) -> tuple[float, float]:
    """How far a joint's locked axes are apart at the start: m and rad."""
    frames = joint.world_frames()
    translation, _ = lock_error(joint.type, joint.length, *frames)
    return float(np.linalg.norm(translation)), float(np.linalg.norm(misalignment(joint.type, *frames)))


def describe_opening(gap: float, tilt: float) -> str:
    """An opening (m, rad) in words: ``12.5 mm and 3.1°``, without a part that is closed."""
    parts = [f"{1000.0 * gap:.6g} mm"] if gap > MEETING_TOLERANCE or tilt <= MEETING_TOLERANCE else []
    return " and ".join(parts + ([f"{math.degrees(tilt):.6g}°"] if tilt > MEETING_TOLERANCE else []))


def _check_meets(joint: Joint) -> None:
    gap, tilt = opening(joint)
    bodies = f"'{joint.a.name}' and '{joint.b.name}'"
    if joint.type.keeps_length():
        apart = float(coordinate(CoordinateKind.RADIAL, *joint.world_frames()))
        if gap > MEETING_TOLERANCE:
            raise SceneError(
                f"joint '{joint.name}': its points on {bodies} are {apart:.9g} m apart at the start, "
                f"{1000 * gap:.6g} mm off its length {joint.length:.9g} m; "
                "move a body, change the length, or call scene.assemble()"
            )
    if gap > MEETING_TOLERANCE or tilt > MEETING_TOLERANCE:
        raise SceneError(
            f"joint '{joint.name}': its frames on {bodies} do not meet at the start, they are "
            f"{describe_opening(gap, tilt)} apart; move a body or a frame, or call scene.assemble()"
        )


def _check_direction(joint: Joint) -> None:
    if CoordinateKind.RADIAL not in {free.kind for free in joint.type.coordinates}:
        return
    apart = float(coordinate(CoordinateKind.RADIAL, *joint.world_frames()))
    kept = joint.length if joint.type.keeps_length() else apart
    if min(apart, kept) < NO_LENGTH:
        raise SceneError(
            f"joint '{joint.name}': its points on '{joint.a.name}' and '{joint.b.name}' coincide, "
            "so their distance has no direction; move one of them, or use Spherical"
        )


def _check_swing(joint: Joint) -> None:
    carrying = {*joint.ranges, *joint.springs, *joint.drives, *joint.catches}
    kinds = {free.kind for free in joint.type.coordinates if free.name in carrying}
    if CoordinateKind.SWING not in {free.kind for free in joint.type.coordinates} or not kinds:
        return
    swing = float(coordinate(CoordinateKind.SWING, *joint.world_frames()))
    if swing > LARGEST_SWING:
        raise SceneError(
            f"joint '{joint.name}' starts with a swing of {_angle(swing)}, where what its axes carry has no "
            f"direction; turn a body or a frame so that its z axes are less than {_angle(LARGEST_SWING)} apart"
        )
    for free in joint.type.coordinates:
        if free.name not in joint.ranges or free.kind not in (CoordinateKind.SWING_X, CoordinateKind.SWING_Y):
            continue
        widest = max(abs(bound) for bound in (*joint.ranges[free.name], 0.0) if bound is not None)
        if widest > LARGEST_SWING:
            raise SceneError(
                f"joint '{joint.name}' {free.name} limits reach {_angle(widest)}; "
                f"keep them within {_angle(LARGEST_SWING)}"
            )


def _check_range(joint: Joint, free: Coordinate, bounds: Range) -> None:
    value = start_value(joint, free)
    lower, upper = (math.inf * sign if bound is None else bound for sign, bound in zip((-1, 1), bounds, strict=True))
    if lower - LIMIT_TOLERANCE <= value <= upper + LIMIT_TOLERANCE:
        return
    show = _length if free.kind.is_linear else _angle
    raise SceneError(
        f"joint '{joint.name}': its {free.name} starts at {show(value)}, outside its limits "
        f"({show(lower)}, {show(upper)}); widen the limits, or start it inside them"
    )


def _check_rest(joint: Joint, free: Coordinate, spring: Spring) -> None:
    assert spring.rest is not None  # the joint has resolved it
    if free.kind == CoordinateKind.RADIAL and spring.rest < 0.0:
        raise SceneError(
            f"joint '{joint.name}': its spring on {free.name} rests at {_length(spring.rest)}, which no length "
            "reaches; give a rest of at least 0, and pull with a preload"
        )
    if free.kind in (CoordinateKind.CARDAN_X, CoordinateKind.CARDAN_Y) and abs(spring.rest) > math.pi:
        raise SceneError(
            f"joint '{joint.name}': its spring on {free.name} rests at {_angle(spring.rest)}, but that angle is "
            "measured within half a turn; give a rest within ±pi"
        )


def _angle(value: float) -> str:
    return f"{value:.6g} rad ({math.degrees(value):.6g}°)" if math.isfinite(value) else "open"


def _length(value: float) -> str:
    return f"{value:.6g} m" if math.isfinite(value) else "open"
