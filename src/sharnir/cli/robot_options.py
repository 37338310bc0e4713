"""How a robot's file comes into a scene, as the command line says it: the same choices for all commands of robots."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from ..errors import SceneError
from ..importing import ROBOT_FILES, Options
from ..importing.standing import put_ground
from ..scene.scene import Scene
from ..scene.values import Plain


def add_robot_options(command: argparse.ArgumentParser) -> None:
    """Add the choices of an import to a command."""
    robot = command.add_argument_group("how a robot's file is read (URDF, xacro, MJCF, SDF, USD)")
    robot.add_argument(
        "--base",
        choices=("fixed", "free"),
        default="fixed",
        help="whether the base of a URDF may move (fixed); the other formats say it themselves",
    )
    robot.add_argument("--ground", action="store_true", help="put level ground below its lowest point")
    robot.add_argument("--no-motors", action="store_true", help="give no servos to joints whose file tells an effort")
    robot.add_argument("--self-collision", action="store_true", help="let the robot's links touch each other")
    robot.add_argument("--search", action="append", default=[], metavar="FOLDER", help="where its packages lie")
    robot.add_argument("--strict", action="store_true", help="refuse what cannot be taken without loss")
    robot.add_argument("--keyframe", default="", metavar="NAME", help="of an MJCF: the posture it starts in")
    robot.add_argument("--decompose", action="store_true", help="touch hollow meshes as several convex pieces")
    robot.add_argument("--arg", action="append", default=[], type=_pair, metavar="NAME=VALUE", help="of a xacro")
    robot.add_argument("--scale", type=float, default=1.0, metavar="X", help="multiply all of its lengths")
    robot.add_argument("--up", choices=("x", "y", "z"), default="", help="the axis that points up in its file")


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is no argument; give NAME=VALUE")
    return name, value


def load_as_told(path: Path, options: argparse.Namespace) -> Scene:
    """The scene of a file, a robot's as the options say."""
    if path.suffix.lower() not in ROBOT_FILES:
        refuse_choices(str(path), options)
    scene = Scene.load(path, **_choices(options))
    if options.ground:
        put_ground(scene)
    return scene


def refuse_choices(what: str, options: argparse.Namespace) -> None:
    """Raise if choices of an import are given with ``what`` is no robot's file."""
    if options.ground or Options.checked(**_choices(options)) != Options():
        raise SceneError(f"{what} is no robot's file; leave --base, --ground and the other choices of an import out")


def as_it_stands(options: argparse.Namespace) -> bool:
    """Whether the scene is what the file alone says, which ``search`` and ``strict`` leave as it is."""
    chosen = Options.checked(**_choices(options))
    return not options.ground and replace(chosen, search=(), strict=False) == Options()


def tell_losses(scene: Scene, path: Path) -> None:
    """Say on the screen that not all of a robot's file that matters was taken as it is, and where that is told."""
    lost = 0 if scene.report is None else sum(entry.matters != "nothing" for entry in scene.report.losses)
    if lost:
        things = "1 thing that matters was" if lost == 1 else f"{lost} things that matter were"
        told = f"{things} repaired or ignored; 'sharnir import {path}' lists them"
        print(f"sharnir: {path.name}: {told}", file=sys.stderr)


def _choices(options: argparse.Namespace) -> Plain:
    return {
        "base": options.base,
        "motors": not options.no_motors,
        "self_collision": options.self_collision,
        "search": options.search,
        "strict": options.strict,
        "keyframe": options.keyframe,
        "decompose": options.decompose,
        "arguments": dict(options.arg),
        "scale": options.scale,
        "up": options.up,
    }
