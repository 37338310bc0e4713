"""Robots in other formats: URDF, xacro, MJCF, SDF and USD read into scenes, URDF and MJCF written.

What is not taken over is told by a report.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import SceneError
from ..scene.scene import Scene
from ..scene.values import file_path
from .build import build
from .options import Options
from .report import Entry, ImportReport
from .robot_files import Places
from .urdf import read_urdf
from .xml import Node, parse

__all__ = ["Entry", "ImportReport", "Options", "load_robot"]

SCENE_FILES = (".yaml", ".yml", ".json")
USD_FILES = (".usd", ".usda", ".usdc")
ROBOT_FILES = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world", *USD_FILES)


def load_any(path: str | Path, options: Options) -> Scene:
    """A scene file, or a robot's file as a scene."""
    path = file_path(path, "Scene.load: the file")
    if path.suffix.lower() in (*ROBOT_FILES, ".usdz"):
        return load_robot(path, options)
    if options != Options():
        raise SceneError(f"{path} is not a robot's file; leave base, motors and the other choices of an import out")
    from ..files import load_scene

    return load_scene(path)


def save_any(scene: Scene, path: str | Path) -> Path:
    """Write a scene by the ending of the file's name."""
    path = file_path(path, "Scene.save: the file")
    if path.suffix.lower() == ".urdf":
        from .write_urdf import write_urdf

        write_urdf(scene, path)
        return path
    if path.suffix.lower() in (".xml", ".mjcf"):
        from .write_mjcf import write_mjcf

        write_mjcf(scene, path)
        return path
    from ..files import save_scene

    return save_scene(scene, path)


def load_robot(path: str | Path, options: Options | None = None) -> Scene:
    """The scene of the robot's file ``path``; its ``report`` tells what was used, repaired and ignored.

    Args:
        path: a URDF, xacro, MJCF, SDF or USD file.
        options: how it comes into the scene.
    """
    chosen = Options() if options is None else options
    path = file_path(path, "the robot's file")
    report = ImportReport(path.name)
    if path.suffix.lower() == ".usdz":
        raise SceneError(f"{path} is an archive; unpack it, as a ZIP file, and give the .usd in it")
    try:
        scene = _read(path, report, chosen)
    except SceneError as error:  # of a part of the scene, which knows nothing of files
        if path.name in str(error):
            raise
        raise SceneError(f"{path}: {error}") from None
    scene.report = report
    if chosen.strict:
        report.refuse_losses()
    return scene


def _read(path: Path, report: ImportReport, options: Options) -> Scene:
    if path.suffix.lower() in USD_FILES:
        from .usd import read_usd

        return build(read_usd(path, report, options), report, replace(options, up=""))
    return _of_xml(parse(path, report), Places(path, options.search), report, options)


def _of_xml(root: Node, places: Places, report: ImportReport, options: Options) -> Scene:
    if options.keyframe and root.tag != "mujoco":
        raise SceneError(f"{places.robot} has no keyframes, which are of MJCF; leave keyframe out")
    if root.tag == "robot":
        from .xacro import expand, is_xacro

        if is_xacro(root):
            root = expand(root, places, report, dict(options.arguments))
        return build(read_urdf(root, places, report, options.decompose), report, options)
    if root.tag == "mujoco":
        from .mjcf import read_mjcf

        return build(read_mjcf(root, places, report, options), report, options)
    if root.tag == "sdf":
        from .sdf import read_sdf

        return read_sdf(root, places, report, options)
    raise SceneError(f"{places.robot} begins with <{root.tag[:40]}>; robots begin with <robot>, <mujoco> or <sdf>")
