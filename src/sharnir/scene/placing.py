"""A machine put somewhere else: everything that joints hold together moves as one."""

from __future__ import annotations

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError, nearest
from .joints import Frame
from .machines import machines_of
from .rope import RopeSpec
from .scene import Scene
from .values import Vec3

AHEAD = (1.0, 0.0, 0.0)  # of a body, its own axes: what its heading is measured by
UP = (0.0, 0.0, 1.0)


def put_machine(scene: Scene, name: str, position: Vec3, heading: float | None = None) -> None:
    """Let a body start at a ``position`` (m), its x axis seen from above in a ``heading`` (rad from the world's x axis,
    to the left), and all that joints hold to it along with it. Without a heading it is not turned."""
    what = f"place of '{name}'"
    if name not in scene.bodies:
        raise SceneError(f"{what}: there is no such body{nearest(name, scene.bodies)}")
    machine = next((group for group in machines_of(scene) if name in group), None)
    if machine is None:
        raise SceneError(f"{what}: the body is fixed; place one that moves")
    joints = [joint for joint in scene.joints.values() if {joint.a.name, joint.b.name} & set(machine)]
    for joint in joints:
        if not {joint.a.name, joint.b.name} <= set(machine):
            raise SceneError(f"{what}: joint '{joint.name}' holds it where it is; give its coordinates instead")
    for rope in scene.ropes.values():
        if _tied(scene, rope.spec) & set(machine):
            raise SceneError(f"{what}: rope '{rope.name}' is tied to it; place machines without ropes")
    held_by = [
        joint.type.on_bodies(
            joint.type.frame_a or Frame.at(joint.frame_a), joint.type.frame_b or Frame.at(joint.frame_b), joint.length
        )
        for joint in joints
    ]
    _move(scene, machine, _motion(scene.bodies[name].pose, position, heading))
    for joint, described in zip(joints, held_by, strict=True):
        joint.describe(msgspec.structs.replace(joint.spec, joint=described))


def _tied(scene: Scene, rope: RopeSpec) -> set[str | None]:
    """The bodies that a rope is tied to, or runs over."""
    ends = {tie.body for tie in (rope.start, rope.end, *rope.ties) if tie is not None}
    winch = (
        set() if rope.winch is None else {scene.joints[rope.winch.joint].a.name, scene.joints[rope.winch.joint].b.name}
    )
    return ends | winch | {eyelet.body for eyelet in rope.eyelets}


def _motion(now: spatial.Pose, position: Vec3, heading: float | None) -> spatial.Pose:
    """What brings a body from where it is to a position and a heading, in the world."""
    ahead = spatial.rotate(now.rotation, AHEAD)
    turn = 0.0 if heading is None else heading - float(np.arctan2(ahead[1], ahead[0]))
    rotation = spatial.about(UP, turn)
    return spatial.Pose(np.asarray(position, float) - spatial.rotate(rotation, now.position), rotation)


def _move(scene: Scene, names: list[str], motion: spatial.Pose) -> None:
    for name in names:
        body = scene.bodies[name]
        placed = motion @ body.pose
        body.spec = msgspec.structs.replace(
            body.spec,
            position=tuple(placed.position.tolist()),
            rotation=tuple(placed.rotation.tolist()),
            velocity=tuple(spatial.rotate(motion.rotation, body.spec.velocity).tolist()),
            angular_velocity=tuple(spatial.rotate(motion.rotation, body.spec.angular_velocity).tolist()),
        )
