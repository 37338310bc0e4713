"""The commands ``sharnir optimise`` and ``sharnir identify``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SceneError
from ..scene.scene import Scene
from ..scene.values import Plain
from ..studies.plan import WORDS
from ..studies.study_file import FindExperiment
from .study_commands import Subparsers, add_scene_arguments, named, named_once, run_options, telling

if TYPE_CHECKING:
    from ..studies.identify import Found
    from ..studies.laws import Ranked

CANNOT_TELL = 1  # exit code of an identification whose log does not tell everything
NOT_FEASIBLE = 1  # of an optimisation without a point within its constraints


def add_search_commands(commands: Subparsers, find: FindExperiment) -> None:
    """Add the commands to the parser; ``find`` turns what the user named into an experiment."""
    command = commands.add_parser("optimise", help="choose numbers of a scene so that a measure is as small as can be")
    command.add_argument("what", metavar="NAME|FILE", help="an example, scene.yaml or experiment.py")
    add_scene_arguments(command)
    command.add_argument("--vary", action="append", default=[], metavar="NAME=LOW:HIGH", help="what may be chosen")
    command.add_argument("--minimise", action="append", default=[], metavar="MEASURE", help="several make a front")
    command.add_argument("--maximise", action="append", default=[], metavar="MEASURE")
    command.add_argument(
        "--subject-to", action="append", default=[], metavar="LIMIT", help='"wheel.travel peak < 0.08"'
    )
    command.add_argument("--evaluations", type=int, default=600, metavar="N", help="simulations for every aim (600)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the search (0)")
    command.add_argument("--save", type=Path, metavar="SCENE.yaml", help="the scene with the best numbers")
    command.add_argument("--report", type=Path, metavar="FILE.html", help="tables and plots in one file")
    command.add_argument("--json", action="store_true", help="print JSON and nothing else")
    command.set_defaults(command=lambda options: _optimise(options, find))

    command = commands.add_parser("identify", help="find numbers of a scene from a log of the real machine")
    command.add_argument("what", metavar="NAME|FILE", help="an example, scene.yaml or experiment.py")
    command.add_argument("log", metavar="LOG", type=Path, help=".csv, .nc or .mcap")
    command.add_argument("--free", default="", metavar="NAMES", help='"hinge.friction, motor.stall_torque=1:10"')
    command.add_argument("--input", action="append", default=[], metavar="NAME[=COLUMN]", help="torque.hinge=torque")
    command.add_argument("--output", action="append", default=[], metavar="SIGNAL[=COLUMN]", help="hinge.angle=angle")
    command.add_argument("--delay", default="0", metavar="S", help="of the log, s; a range if unknown: 0:0.01")
    command.add_argument("--hold", action="store_true", help="inputs hold from row to row")
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    command.add_argument(
        "--laws", metavar="JOINT=LOW:HIGH", help="rank friction laws of a joint, its level within a range"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the search (0)")
    command.add_argument("--no-twin", action="store_true", help="do not compare the winner with the exact solution")
    command.add_argument("--save", type=Path, metavar="SCENE.yaml", help="the scene with the values found")
    command.add_argument("--report", type=Path, metavar="FILE.html", help="tables and residuals in one file")
    command.add_argument("--json", action="store_true", help="print JSON and nothing else")
    command.set_defaults(command=lambda options: _identify(options, find))


# --- optimise ---------------------------------------------------------------------------------------------------------


def _optimise(options: argparse.Namespace, find: FindExperiment) -> int:
    from ..studies.batch import scene_of_point
    from ..studies.optimise import Optimisation
    from .search_report import print_optimised, write_optimised

    _, experiment = find(options.what)
    given = run_options(options)
    inputs = {word: given.pop(word) for word in list(given) if word in WORDS}
    made = Optimisation(
        experiment,
        named_once(options.vary, "--vary", "strut.spring.damping=500:5000"),
        minimise=options.minimise,
        maximise=options.maximise,
        subject_to=options.subject_to,
        inputs=inputs,
        **given,
    )
    with telling(options.json, "simulations") as progress:
        found = made.run(evaluations=options.evaluations, seed=options.seed, progress=progress)
    if options.save is not None:
        import numpy as np

        scene_of_point(made.plan, np.array(list(found.best.values()))).save(options.save)
    if options.report is not None:
        write_optimised(made, found, options.report)
    if options.json:
        plain = {"best": found.best, "objectives": found.objectives, "constraints": found.constraints}
        print(
            json.dumps(
                plain | {"feasible": found.feasible, "evaluations": found.evaluations, "front": found.front}, indent=2
            )
        )
    else:
        print_optimised(made, found)
    return 0 if found.feasible else NOT_FEASIBLE


# --- identify ---------------------------------------------------------------------------------------------------------


def _identify(options: argparse.Namespace, find: FindExperiment) -> int:
    from ..studies.identify import Identification
    from ..studies.logs import read_log
    from .search_report import print_found, write_found

    _, experiment = find(options.what)
    scene: Scene = experiment.scene
    log = read_log(options.log)
    common: Plain = {
        "outputs": dict(_matched(text, log.columns) for text in options.output),
        "inputs": dict(_driven(scene, text, log.columns) for text in options.input),
        "delay": options.delay if ":" in options.delay else _number("--delay", options.delay),
        "dt": options.dt,
        "hold": options.hold,
    }
    free = dict(_freed(text) for text in options.free.split(",") if text.strip())
    ranked = []
    if options.laws:
        from ..studies.laws import rank
        from ..studies.spread import parse_spread

        joint, text = named(options.laws, "--laws", "hinge=0.01:2")
        ranked = rank(scene, joint, log, parse_spread(joint, text).bounds, free=free, seed=options.seed, **common)
        found = ranked[0].found
    else:
        found = Identification(scene, log, free, **common).fit(seed=options.seed, twin=not options.no_twin)
    if options.save is not None:
        found.scene.save(options.save)
    if options.report is not None:
        write_found(found, ranked, options.report)
    if options.json:
        print(json.dumps(_plain(found, ranked), indent=2))
    else:
        print_found(found, ranked)
    for text in found.warnings:
        print(f"sharnir: warning: {text}", file=sys.stderr)
    for text in found.untold:
        print(f"sharnir: cannot tell {text}", file=sys.stderr)
    return CANNOT_TELL if found.untold else 0


def _plain(found: Found, ranked: list[Ranked]) -> Plain:
    def finite(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    return {
        "estimates": [
            {"name": e.name, "value": finite(e.value), "low": finite(e.low), "high": finite(e.high)}
            for e in found.estimates
        ],
        "cannot_tell": found.untold,
        "noise": found.noise,
        "explained": found.explained,
        "corrected": found.corrected,
        "twin": found.twin,
        "warnings": found.warnings,
        "laws": [{"name": one.name, "held_out": one.held_out, "fitted": one.fitted} for one in ranked],
    }


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SceneError(f"{option} is '{text}'; give a number, or a range such as 0:0.01") from None


def _freed(text: str) -> tuple[str, str | None]:
    name, _, spread = text.partition("=")
    return name.strip(), spread.strip() or None


def _matched(text: str, columns: Collection[str]) -> tuple[str, str]:
    """A signal and its column: the one that is named, that has the signal's name, or the last word of it."""
    signal, _, column = (part.strip() for part in text.partition("="))
    last = signal.rpartition(".")[2]
    return signal, column or (signal if signal in columns else last)


def _driven(scene: Scene, text: str, columns: Collection[str]) -> tuple[str, str]:
    """An input and its column; a word alone, such as voltage, is that of the only drive, or of the only joint."""
    name, _, column = (part.strip() for part in text.partition("="))
    word, _, item = name.partition(".")
    if not item:
        joints = [
            n for n, j in scene.joints.items() if (j.drives if word in ("voltage", "target") else j.type.coordinates)
        ]
        if len(joints) != 1:
            raise SceneError(
                f"--input {name}: of which joint? Give one of {', '.join(f'{word}.{n}' for n in joints) or 'none'}"
            )
        item = joints[0]
    return f"{word}.{item}", column or (name if name in columns else word)
