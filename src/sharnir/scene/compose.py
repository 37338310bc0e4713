"""One scene put into another: all that is in it under a name, at a place or on a body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from .body import Body, BodySpec
from .joint import Joint
from .joints import Fixed, Frame
from .materials import DEFAULT, Contact
from .surfaces import TerrainSpec
from .values import Plain, Quat, Vec3, quaternion, vector

if TYPE_CHECKING:
    from ..importing.report import ImportReport
    from .scene import Scene

WORLD = "world"
LIGHT, LIGHT_RADIUS = 1e-6, 0.1  # of the mass of all, and m: what a base that weighs nothing is given on a carrier
GROUPS = ("groups", "ignores")


@dataclass
class Part:
    """What was added to a scene under a ``name``: its ``bodies`` and ``joints`` by the names they had before.

    ``report`` tells what became of the robot's file that it was read from.
    """

    name: str
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    report: ImportReport | None = None


def include(scene: Scene, other: Scene, name: str, at: Vec3, rotation: Quat, on: Body | None) -> Part:
    """Put ``other`` into ``scene`` at a place (m, quaternion) in the world, or in the frame of the body ``on``."""
    what = f"scene.add '{name}'"
    if not isinstance(name, str) or not name or "." in name:
        raise SceneError(f"{what}: give a name without dots")
    if moved := [body.name for body in other.bodies.values() if body.spec.moved]:
        raise SceneError(f"{what}: '{other.name}' moves a body by '{moved[0]}'; prescribe it in the new scene instead")
    if other.ropes:
        raise SceneError(f"{what}: '{other.name}' has ropes, which stay in their own scene; take them out")
    if other.terrains and on is not None:
        raise SceneError(
            f"{what}: '{other.name}' has terrain, which no body can carry; load it with Scene.load, call "
            "terrains.clear() and add what is left"
        )
    local = spatial.Pose(np.array(vector(at, f"{what} at (m)")), np.array(quaternion(rotation, f"{what} rotation")))
    place = local if on is None else on.pose @ local
    part = Part(name, report=other.report)
    if other.report is not None:
        scene.report = other.report.beside(name, scene.report)
    _add_materials(scene, other, name)
    welded = on is not None and not on.spec.fixed
    total = sum(body.properties.mass for body in other.bodies.values() if body.properties is not None)
    for known, body in other.bodies.items():
        spec = _moved(body.spec, place, name)
        if welded and spec.fixed:
            spec = _carried(spec, LIGHT * total)
            if spec.mass == LIGHT * total and scene.report is not None:
                why = f"is carried without mass; now {spec.mass:.3g} kg"
                scene.report.repair(f"{name}: {known}", f"mass of '{known}'", why)
        part.bodies[known] = scene.add_body(f"{name}/{known}", spec)
    for known, joint in other.joints.items():
        ends = [part.bodies.get(end.name, on or scene.world) for end in (joint.a, joint.b)]
        part.joints[known] = _add_joint(scene, f"{name}/{known}", joint, ends, local if on is not None else place)
    if welded:
        assert on is not None
        for known, body in other.bodies.items():
            if body.spec.fixed:
                frame = Frame.at(local @ body.pose)
                scene.joint(f"{name}/{known} weld", Fixed(frame_a=frame, frame_b=Frame()), on, part.bodies[known])
    for known, coupling in other.couplings.items():
        labels = tuple(f"{name}/{label}" for label in coupling.spec.coordinates)
        scene.add_coupling(f"{name}/{known}", msgspec.structs.replace(coupling.spec, coordinates=labels))
    for known, terrain in other.terrains.items():
        scene.add_terrain(f"{name}/{known}", _terrain(terrain.spec, place, name, other))
    for known, ray in other.rays.items():
        scene.add_ray(f"{name}/{known}", msgspec.structs.replace(ray.spec, body=f"{name}/{ray.spec.body}"))
    for known, camera in other.cameras.items():
        scene.add_camera(f"{name}/{known}", msgspec.structs.replace(camera.spec, body=f"{name}/{camera.spec.body}"))
    for known, ruler in other.rulers.items():
        measured = tuple(part.bodies.get(end, on or scene.world).name for end in ruler.spec.between)
        scene.add_ruler(f"{name}/{known}", msgspec.structs.replace(ruler.spec, between=measured))
    for known, sensor in other.sensors.items():
        scene.add_sensor(f"{name}/{known}", msgspec.structs.replace(sensor.spec, on=f"{name}/{sensor.spec.on}"))
    return part


def _add_materials(scene: Scene, other: Scene, name: str) -> None:
    for known, material in other.materials.named.items():
        scene.material(f"{name}/{known}", material)
    for pair in other.materials.pairs:
        a, b = (_material(known, name, other) for known in pair.between)
        scene.material_pair(a, b, pair.material)


def _material(known: str, name: str, other: Scene) -> str:
    """A material's name in the new scene; a default that nobody has set is the new scene's own."""
    return f"{name}/{known}" if known in other.materials.named else DEFAULT


def _carried(spec: BodySpec, least: float) -> BodySpec:
    """A base that stood, welded to what moves; one that weighs nothing, as in robots' files, weighs so much (kg)."""
    if spec.mass is not None or any(shape.mass or shape.density for shape in spec.shapes):
        return msgspec.structs.replace(spec, fixed=False)
    inertia = (least * LIGHT_RADIUS**2,) * 3
    return msgspec.structs.replace(spec, fixed=False, mass=least, center_of_mass=(0.0, 0.0, 0.0), inertia=inertia)


def _moved(spec: BodySpec, place: spatial.Pose, name: str) -> BodySpec:
    pose = place @ spatial.Pose(np.array(spec.position), np.array(spec.rotation))
    changed: Plain = {
        "position": tuple(pose.position.tolist()),
        "rotation": tuple(pose.rotation.tolist()),
        "velocity": tuple(spatial.rotate(place.rotation, spec.velocity).tolist()),
        "angular_velocity": tuple(spatial.rotate(place.rotation, spec.angular_velocity).tolist()),
    }
    if isinstance(spec.contact, Contact):
        # groups of two robots of one kind are told apart by the name
        groups = {word: tuple(_group(known, name) for known in getattr(spec.contact, word)) for word in GROUPS}
        material = spec.contact.material if spec.contact.material == DEFAULT else f"{name}/{spec.contact.material}"
        changed["contact"] = msgspec.structs.replace(spec.contact, material=material, **groups)
    return msgspec.structs.replace(spec, **changed)


def _terrain(spec: TerrainSpec, place: spatial.Pose, name: str, other: Scene) -> TerrainSpec:
    pose = place @ spatial.Pose(np.array(spec.position), np.array(spec.rotation))
    changed: Plain = {
        "position": tuple(pose.position.tolist()),
        "rotation": tuple(pose.rotation.tolist()),
        "material": _material(spec.material, name, other),
    }
    return msgspec.structs.replace(spec, **changed)


def _group(known: str, name: str) -> str:
    return known if known == DEFAULT else f"{name}/{known}"


def _add_joint(scene: Scene, name: str, joint: Joint, ends: list[Body], place: spatial.Pose) -> Joint:
    """The same joint with its frames on the bodies; on the world they move with the place."""
    frames = [
        (Frame.at(place @ frame) if end.name == WORLD else given or Frame.at(frame))
        for end, given, frame in (
            (joint.a, joint.type.frame_a, joint.frame_a),
            (joint.b, joint.type.frame_b, joint.frame_b),
        )
    ]
    type_ = joint.type.on_bodies(frames[0], frames[1], joint.length)
    spec = msgspec.structs.replace(joint.spec, joint=type_, between=(ends[0].name, ends[1].name))
    return scene.add_joint(name, spec)
