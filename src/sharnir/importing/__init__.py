"""Robots from outside: URDF, MJCF and others read into scenes, with a report of everything that was not taken."""

from __future__ import annotations

from pathlib import Path

from ..errors import SceneError
from ..scene.scene import Scene
from ..scene.values import file_path
from .build import build
from .options import Options
from .report import Entry, ImportReport
from .robot_files import Places
from .tree import Tree
from .urdf import read_urdf
from .xml import Node, parse

__all__ = ["Entry", "ImportReport", "Options", "load_robot"]

SCENE_FILES = (".yaml", ".yml", ".json")
ROBOT_FILES = (".urdf", ".xml", ".mjcf")


def load_any(path: str | Path, options: Options) -> Scene:
    """A scene file, or a robot's file as a scene."""
    path = file_path(path, "Scene.load: the file")
    if path.suffix.lower() in ROBOT_FILES:
        return load_robot(path, options)
    if options != Options():
        raise SceneError(f"{path} is not a robot's file; leave base, motors, self_collision, search and strict out")
    from ..files import load_scene

    return load_scene(path)


def save_any(scene: Scene, path: str | Path) -> Path:
    """Write a scene by the ending of the file's name."""
    path = file_path(path, "Scene.save: the file")
    if path.suffix.lower() == ".urdf":
        from .write_urdf import write_urdf

        write_urdf(scene, path)
        return path
    from ..files import save_scene

    return save_scene(scene, path)


def load_robot(path: str | Path, options: Options | None = None) -> Scene:
    """The scene of the robot's file ``path``; its ``report`` tells what was used, repaired and ignored.

    Args:
        path: a URDF or an MJCF.
        options: how it comes into the scene.
    """
    chosen = Options() if options is None else options
    path = file_path(path, "the robot's file")
    report = ImportReport(path.name)
    root = parse(path, report)
    scene = build(_tree(root, path, report, chosen), report, chosen)
    scene.report = report
    if chosen.strict:
        report.refuse_losses()
    return scene


def _tree(root: Node, path: Path, report: ImportReport, options: Options) -> Tree:
    if root.tag == "robot":
        return read_urdf(root, Places(path, options.search), report)
    if root.tag == "mujoco":
        from .mjcf import read_mjcf

        return read_mjcf(root, Places(path, options.search), report)
    raise SceneError(f"{path} begins with <{root.tag[:40]}>; robots begin with <robot> (URDF) or <mujoco> (MJCF)")
