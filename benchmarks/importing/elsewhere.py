"""Which files the rivals load; each tries in a process of its own, as some of them end it."""

from __future__ import annotations

import importlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RIVALS = ("Pinocchio", "MuJoCo", "Bullet")
PATIENCE = 60.0  # s that a rival has for a file


def elsewhere(file: Path) -> dict[str, bool]:
    """Which rivals load a file."""
    for module in ("pinocchio", "mujoco", "pybullet"):  # once, not in every process
        importlib.import_module(module)
    return {name: _survives(lambda name=name: load_in(name, file)) for name in RIVALS}


def in_its_own(file: Path) -> bool:
    """Whether the engine that a file is made for loads it: Bullet its own robots, MuJoCo MJCF, Newton USD (with a body
    in it), Pinocchio the others."""
    if file.suffix.startswith(".usd"):
        return _survives(lambda: newton_model(file))
    own = "MuJoCo" if file.suffix == ".xml" else "Bullet" if "pybullet_data" in file.parts else "Pinocchio"
    return _survives(lambda: load_in(own, file))


def load_in(rival: str, file: Path) -> None:
    """Load a file in one of the rivals."""
    kind = file.suffix
    if kind.startswith(".usd"):
        raise ValueError(f"{rival} reads no USD")
    if rival == "MuJoCo":
        if kind == ".sdf":
            raise ValueError("MuJoCo reads no SDF")
        mujoco_model(file)
    elif rival == "Pinocchio":
        import pinocchio

        readers = {".urdf": "buildModelFromUrdf", ".xml": "buildModelFromMJCF", ".sdf": "buildModelFromSdf"}
        getattr(pinocchio, readers[kind])(str(file))
    else:
        import pybullet

        pybullet.connect(pybullet.DIRECT)
        pybullet.setAdditionalSearchPath(str(file.parent))
        {".urdf": pybullet.loadURDF, ".xml": pybullet.loadMJCF, ".sdf": pybullet.loadSDF}[kind](str(file))


def newton_model(file: Path) -> None:
    """Newton's model; a stage without bodies, of cloth or grains alone, is none of a robot."""
    import newton

    builder = newton.ModelBuilder()
    builder.add_usd(str(file))
    if not builder.body_count:
        raise ValueError("there is no rigid body in it")


def mujoco_model(file: Path) -> Any:
    """MuJoCo's model."""
    import mujoco

    mujoco.set_mju_user_warning(lambda _: None)
    return mujoco.MjModel.from_xml_path(str(file))


def _survives(work: Callable[[], Any]) -> bool:
    """Whether work ends well in a process of its own."""
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a device
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
