"""Where the robots of the wheels are."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

NUMBERED = 3  # of pybullet's thousand objects of one link these are loaded


def wheels() -> dict[str, tuple[Path, list[Path]]]:
    """The folders of the wheels that are installed, with the robots in them."""
    found: dict[str, tuple[Path, list[Path]]] = {}
    for name, module in (("pybullet", "pybullet_data"), ("example-robot-data", "example_robot_data")):
        folder = folder_of(module)
        if folder is not None:
            files = [file for file in sorted(folder.rglob("*.urdf")) if not _numbered(file)]
            found[f"{name}, URDF"] = (folder, files)
            found[f"{name}, SDF"] = (folder, sorted(folder.rglob("*.sdf")))
    for module in ("dm_control", "gymnasium_robotics", "mujoco_warp"):
        folder = folder_of(module)
        if folder is not None:
            found[f"{module.replace('_', '-')}, MJCF"] = (folder, sorted(folder.rglob("*.xml")))
    folder = folder_of("newton")
    if folder is not None:
        found["newton, USD"] = (folder, sorted(folder.rglob("*.usd*")))
    return found


def version(wheel: str) -> str:
    """The version of a wheel that is installed, by its name in the table."""
    return metadata.version(wheel.partition(",")[0])


def folder_of(module: str) -> Path | None:
    """The folder of a wheel's robots; None where it is not installed."""
    if module == "example_robot_data":  # its robots lie apart from its modules
        try:
            files = metadata.files("example-robot-data") or []
        except metadata.PackageNotFoundError:
            return None
        robot = next(file for file in files if file.suffix == ".urdf")
        folders = [folder for folder in Path(str(robot.locate())).resolve().parents if folder.name == "robots"]
        return folders[-1]
    spec = importlib.util.find_spec(module)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _numbered(file: Path) -> bool:
    return "random_urdfs" in file.parts and int(file.parent.name) >= NUMBERED
