"""Robots that are written and read again: as a scene file to the bit, as URDF the same robot."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import sharnir as sh

NEAR = 1e-12  # relative, and m: what angles as roll, pitch and yaw cost


def trips(scene: sh.Scene, is_urdf: bool) -> dict[str, str]:
    """What differs after a scene file and, of a robot from a URDF, after a URDF; nothing where all is the same."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"YAML": _file_trip(scene, Path(folder))}
        if is_urdf:
            found["URDF"] = _urdf_trip(scene, Path(folder))
    return found


def _file_trip(scene: sh.Scene, folder: Path) -> str:
    again = sh.Scene.load(scene.save(folder / "robot.yaml"))
    for what in ("bodies", "joints", "couplings", "terrains", "sensors", "cameras"):
        ours, theirs = ({name: one.spec for name, one in getattr(each, what).items()} for each in (scene, again))
        if ours != theirs:
            return f"{what} differ"
    if scene.gravity != again.gravity:
        return "gravity differs"
    same = scene.materials.named == again.materials.named and scene.materials.pairs == again.materials.pairs
    return "" if same else "materials differ"


def _urdf_trip(scene: sh.Scene, folder: Path) -> str:
    try:
        again = sh.Scene.load(
            scene.save(folder / "robot.urdf"), base="fixed" if _stands(scene) else "free", search=_folders(scene)
        )
    except sh.SceneError as error:
        return str(error)
    if {*scene.bodies} != {*again.bodies} or {*scene.joints} != {*again.joints}:
        return "it has other bodies or joints"
    for name, body in scene.bodies.items():
        other = again.bodies[name]
        if not np.allclose(body.pose.position, other.pose.position, atol=NEAR):
            return f"body '{name}' is elsewhere"
        if (body.properties is None) != (other.properties is None):
            return f"body '{name}' is fixed or not"
        if body.properties is not None and other.properties is not None:
            for a, b in zip(body.properties, other.properties, strict=True):
                if not np.allclose(a, b, rtol=NEAR, atol=NEAR * max(1.0, float(np.abs(a).max()))):
                    return f"body '{name}' weighs other than before"
    for name, joint in scene.joints.items():
        back = again.joints[name]
        if type(joint.type) is not type(back.type) or joint.ranges != back.ranges or joint.friction != back.friction:
            return f"joint '{name}' carries other things"
    return ""


def _stands(scene: sh.Scene) -> bool:
    return any(body.spec.fixed for body in scene.bodies.values())


def _folders(scene: sh.Scene) -> list[Path]:
    files = [getattr(shape, "file", None) for body in scene.bodies.values() for shape in body.spec.shapes]
    return sorted({Path(file).parent for file in files if file})
