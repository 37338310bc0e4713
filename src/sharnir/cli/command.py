"""The command ``sharnir``.

Exit codes: 0 all well, 1 a figure is outside its tolerance, 2 a bad scene, name or argument, 3 the simulation failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .. import __version__
from ..errors import ControlFault, SceneError, SimulationFault, SimulationWarning, nearest
from ..experiment import Experiment, Figure, list_examples, load_example, load_experiment
from ..importing import ROBOT_FILES, SCENE_FILES
from ..scene.scene import Scene
from ..scene.values import Content, Plain
from .console_commands import add_ignored_warnings, add_methods, add_view_commands
from .progress import progress_bar
from .robot_options import add_robot_options, as_it_stands, load_as_told, refuse_choices, tell_losses
from .search_commands import add_search_commands
from .study_commands import Subparsers, add_study_commands

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from ..reference.compare import Difference

DEFAULT_TIME = 5.0  # s, of a scene file
FAILED_FIGURE, BAD_INPUT, FAULT, INTERRUPTED = 1, 2, 3, 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            _show_warnings(in_json=getattr(options, "json", False))
            return int(options.command(options))
    except (SceneError, SimulationWarning) as error:  # a warning, if Python was told to make errors of them
        return _fail(error, BAD_INPUT)
    except (SimulationFault, ControlFault) as error:
        return _fail(error, FAULT)
    except OSError as error:  # a folder that cannot be written, a file that cannot be read
        return _fail(error, BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)


def _show_warnings(in_json: bool) -> None:
    """Warnings of ours are one line each, or stand in the JSON that is printed."""
    if in_json:
        warnings.simplefilter("ignore", SimulationWarning)
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, SimulationWarning):
            print(f"sharnir: warning: {message}", file=sys.stderr)
        else:
            others(message, category, *where, **more)

    warnings.showwarning = show


def _print_json(content: Content) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False))


def _fail(reason: object, code: int) -> int:
    print(f"sharnir: {' '.join(str(reason).split())}", file=sys.stderr)
    return code


# --- arguments --------------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, with the nearest known option; takes no option by half its name."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        known = [option for action in self._actions for option in action.option_strings]
        unknown = [word for word in message.split() if word.startswith("--")]
        hint = nearest(unknown[0], known) if "unrecognized" in message and unknown else ""
        self.exit(BAD_INPUT, f"{self.prog}: {message}{hint if 'did you mean' in hint else ''}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="sharnir", description="Articulated rigid-body robots in real time.")
    parser.add_argument("--version", action="version", version=f"sharnir {__version__}")
    commands: Subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    command = commands.add_parser("list", help="the examples to run and the robots to drive, by name")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(command=_list)

    command = commands.add_parser("run", help="run an example, a scene file or an experiment file")
    _add_run_arguments(command)
    command.set_defaults(command=_run)

    command = commands.add_parser("compare", help="run a scene and its exact twin; show their difference")
    _add_compare_arguments(command)
    command.set_defaults(command=_compare)

    command = commands.add_parser("import", help="read a robot (URDF, MJCF, SDF, USD); tell what is lost, save a scene")
    _add_import_arguments(command)
    command.set_defaults(command=_import)

    command = commands.add_parser("pack", help="put a scene or a robot and all of its files into one archive")
    command.add_argument("what", type=Path, metavar="FILE", help="a scene file or a robot's file")
    command.add_argument("--out", type=Path, required=True, metavar="FILE.zip", help="the archive to write")
    add_robot_options(command)
    command.set_defaults(command=_pack)

    command = commands.add_parser("unpack", help="take a packed scene and its files out of an archive")
    command.add_argument("what", type=Path, metavar="FILE.zip", help="an archive that sharnir pack has made")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="an empty folder, or a new one")
    command.set_defaults(command=_unpack)

    command = commands.add_parser("rig", help="move a suspension through its travel; show camber, track, rates")
    _add_rig_arguments(command)
    command.set_defaults(command=_rig)

    command = commands.add_parser("demo", help="run the examples; set the papers' figures beside ours, leave plots")
    command.add_argument("names", nargs="*", metavar="NAME", help="examples to run (default: all)")
    command.add_argument("--out", type=Path, default=Path("out"), metavar="FOLDER", help="where to (default: out)")
    command.set_defaults(command=_demo)

    add_view_commands(commands, _experiment)
    add_study_commands(commands, _experiment)
    add_search_commands(commands, _experiment)

    command = commands.add_parser("doctor", help="what this machine has, what is missing, how to install it")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(command=_doctor)

    command = commands.add_parser("schema", help="print the JSON Schema of scene files")
    command.set_defaults(command=_schema)
    return parser


def _add_simulated(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """What is simulated, how long, and how; returns the group of settings."""
    command.add_argument(
        "what", metavar="NAME|FILE", help="an example, scene.yaml, scene.json, robot.urdf or experiment.py"
    )
    command.add_argument("--time", type=float, metavar="S", help=f"duration (scene files: {DEFAULT_TIME:g} s)")
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    settings = command.add_argument_group("settings of the simulation")
    add_methods(settings)
    settings.add_argument("--iterations", type=int, metavar="N", help="most iterations in a step")
    add_robot_options(command)
    return settings


def _add_run_arguments(command: argparse.ArgumentParser) -> None:
    settings = _add_simulated(command)
    command.add_argument("--plot", nargs="?", type=Path, const=Path(), metavar="FILE", help="draw the plots as PNG")
    command.add_argument("--energy", nargs="?", type=Path, const=Path(), metavar="FILE", help="draw the energy balance")
    command.add_argument("--out", type=Path, metavar="FILE.nc", help="save the trajectory as netCDF")
    command.add_argument("--json", action="store_true", help="print the figures as JSON and nothing else")
    settings.add_argument("--precision", choices=("float64", "float32"))
    settings.add_argument("--device", help="cpu, cuda, cuda:1, ...")
    settings.add_argument("--worlds", type=int, metavar="N", help="how many copies to run at once")
    add_ignored_warnings(settings)


def _add_compare_arguments(command: argparse.ArgumentParser) -> None:
    _add_simulated(command)
    command.add_argument("--rtol", type=float, default=1e-9, metavar="X", help="tolerance of the exact twin (1e-9)")
    command.add_argument("--mujoco", action="store_true", help="compare with MuJoCo instead of the exact twin")
    command.add_argument("--out", type=Path, default=Path("out"), metavar="FOLDER", help="for the plot (default: out)")
    command.add_argument("--json", action="store_true", help="print the differences as JSON and nothing else")


def _add_import_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("what", type=Path, metavar="ROBOT", help="a URDF, xacro, MJCF, SDF or USD file")
    command.add_argument("--out", type=Path, metavar="FILE", help="the scene file to write, .yaml or .json")
    command.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")
    add_robot_options(command)


def _add_rig_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("what", metavar="SUSPENSION", help="double_wishbone, macpherson, swing_axle, ...")
    command.add_argument(
        "--travel", type=float, nargs=2, metavar="M", help="how far the wheel sinks (below 0) and rises"
    )
    command.add_argument("--load", type=float, default=300.0, metavar="N", help="static load of the wheel (300)")
    command.add_argument("--torsion", action="store_true", help="a torsion bar instead of a coil")
    command.add_argument("--rack", action="store_true", help="steer it by a rack, which shows in the toe")
    command.add_argument("--out", type=Path, default=Path("out"), metavar="FOLDER", help="for the plot (default: out)")
    command.add_argument("--json", action="store_true", help="print the whole sweep as JSON and nothing else")


# --- commands ---------------------------------------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> int:
    from ..view.robots import list_robots
    from .terminal import print_table

    examples, robots = list_examples(), list_robots()
    if options.json:
        _print_json({"examples": examples, "robots": robots})
        return 0
    print_table("Examples", ("name", "what it shows"), examples.items())
    print("\nRun one with: sharnir run NAME\n")
    print_table("Robots", ("name", "what it is"), robots.items())
    print("\nDrive one, or any example, with: sharnir drive NAME")
    return 0


def _run(options: argparse.Namespace) -> int:
    name, experiment = _experiment(options.what, options)
    _apply(options, experiment)
    begun = time.perf_counter()
    run = _simulate(name, experiment, quiet=options.json)
    seconds = time.perf_counter() - begun
    files = [] if options.out is None else [run.save(options.out)]
    if options.plot is not None:
        files += experiment.save_plots(run, Path(name) if options.plot == Path() else options.plot.with_suffix(""))
    if options.energy is not None:
        files.append(_draw_balance(name, run, options))
    figures = experiment.report(run)
    if options.json:
        _print_json(_summary(name, experiment, run, figures, files, seconds))
    else:
        _print_run(name, run, figures, files, seconds)
    return FAILED_FIGURE if any(figure.ok is False for figure in figures) else 0


def _compare(options: argparse.Namespace) -> int:
    from ..reference.compare import compare

    name, experiment = _experiment(options.what, options)
    _apply(options, experiment)
    if options.mujoco:
        return _compare_mujoco(options, name, experiment)
    if experiment.before_step is not None:
        raise SceneError(f"'{name}' is driven by a function before every step, which the exact twin does not have")
    given: Plain = {"dt": experiment.dt, "rtol": options.rtol, "settings": experiment.settings}
    given["inputs"] = experiment.inputs
    with progress_bar(f"{name}: exact twin") as progress:
        both = compare(experiment.scene, experiment.time, **given, progress=None if options.json else progress)
    plot = both.plot(options.out / f"compare-{name}.png")
    if options.json:
        _print_json({"name": name} | both.as_dict() | {"plot": str(plot)})
        return 0
    _print_differences(f"{name}: simulation against exact twin, dt = {experiment.dt:g} s", both.differences())
    print(f"\nsimulation {both.simulated_seconds:.2f} s, exact twin {both.exact_seconds:.2f} s; plot in {plot}")
    return 0


def _compare_mujoco(options: argparse.Namespace, name: str, experiment: Experiment) -> int:
    """Beside MuJoCo: with the MJCF itself, or with the scene written as one where it is another than the file's."""
    from tempfile import TemporaryDirectory

    from ..reference.beside_mujoco import beside_mujoco

    with TemporaryDirectory() as folder:
        file = Path(options.what)
        if file.suffix.lower() not in (".xml", ".mjcf") or not as_it_stands(options):
            file = experiment.scene.save(Path(folder) / "scene.xml")
        found = beside_mujoco(experiment.scene, file, experiment.time, experiment.dt, experiment.settings)
    if options.json:
        _print_json({"name": name, "differences": [asdict(one) for one in found]})
        return 0
    _print_differences(f"{name}: simulation against MuJoCo, dt = {experiment.dt:g} s", found)
    return 0


def _print_differences(title: str, differences: Iterable[Difference]) -> None:
    from .terminal import number, print_table

    rows = [(d.name, d.unit, number(d.largest), number(d.when), number(d.at_end), number(d.span)) for d in differences]
    print_table(title, ("difference in", "unit", "largest", "at s", "at the end", "moves over"), rows, numbers=4)


def _pack(options: argparse.Namespace) -> int:
    from ..files.pack import pack_scene

    scene = load_as_told(options.what, options)
    tell_losses(scene, options.what)
    print(f"wrote {pack_scene(scene, options.out)}")
    return 0


def _unpack(options: argparse.Namespace) -> int:
    from ..files.pack import unpack_scene

    print(f"wrote {unpack_scene(options.what, options.out)}")
    return 0


def _import(options: argparse.Namespace) -> int:
    from .terminal import print_table

    if options.what.suffix.lower() in SCENE_FILES:
        raise SceneError(f"{options.what} is a scene already; 'sharnir run' and 'sharnir drive' take it as it is")
    scene = load_as_told(options.what, options)
    report = scene.report
    assert report is not None
    if options.out is not None:
        scene.save(options.out)
    if options.json:
        _print_json(report.as_dict())
        return 0
    if rows := report.rows():
        print_table(f"{report.source}: what was not taken as it is", ("", "where", "what", "why", "matters to"), rows)
    moving = sum(not body.spec.fixed for body in scene.bodies.values())
    driven = sum(bool(joint.drives) for joint in scene.joints.values())
    counts = (_counted(moving, "body that moves", "bodies that move"), _counted(len(scene.joints), "joint", "joints"))
    print(f"\n{', '.join(counts)}, {driven} of them driven")
    print(f"{sum(report.used.values())} elements and attributes used")
    if options.out is not None:
        print(f"wrote {options.out}")
    return 0


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _rig(options: argparse.Namespace) -> int:
    from ..assemblies.rig import suspension_named, sweep
    from ..assemblies.steering import Rack
    from .terminal import number, print_table

    suspension = suspension_named(options.what, options.travel, options.torsion)
    swept = sweep(suspension, load=options.load, rack=Rack() if options.rack else None)
    file = options.out / f"rig-{options.what}.png"
    swept.plot(f"{options.what}, {options.load:g} N", file)
    columns = swept.columns()
    if options.json:
        series = {name: {"unit": unit, "values": values.tolist()} for name, (values, unit) in columns.items()}
        _print_json({"name": options.what, "plot": str(file)} | series)
        return 0
    heads = [f"{name}, {unit}" for name, (_, unit) in columns.items()]
    rows = [[number(value) for value in row.values()] for row in swept.rows()]
    print_table(f"{options.what} on the rig, {options.load:g} N", heads, rows, numbers=len(heads))
    print(f"\nplot in {file}")
    return 0


def _demo(options: argparse.Namespace) -> int:
    from .demo.demo_page import write_page
    from .demo.run import make_all
    from .demo.table import papers_figures, print_papers, write_papers
    from .terminal import print_figures, write_figures

    begun, folder = time.perf_counter(), options.out
    for name in options.names:
        load_example(name)  # an unknown one is refused before anything runs
    made = []
    for one in make_all(options.names or list_examples(), folder):
        made.append(one)
        right = sum(figure.ok is not False for figure in one.figures)
        told = f"failed: {one.failure}" if one.failure else f"{right} of {len(one.figures)} figures as they should be"
        print(f"{one.name:24}{one.seconds:5.1f} s   {told}", flush=True)
    for one in made:
        if not one.ok and one.figures:
            print_figures(f"{one.name}: {one.title}", one.figures)
    write_figures({one.name: one.figures for one in made}, folder)
    if figures := papers_figures(made):
        write_papers(figures, folder / "papers.md")
        print()
        print_papers(figures)
    print(f"\n{time.perf_counter() - begun:.0f} s; plots, replays and data: {write_page(made, folder)}")
    if any(one.failure for one in made):
        return FAULT
    return 0 if all(one.ok for one in made) else FAILED_FIGURE


def _doctor(options: argparse.Namespace) -> int:
    from .doctor import examine, print_findings

    findings = examine()
    if options.json:
        _print_json([finding.as_dict() for finding in findings])
    else:
        print_findings(findings)
    return BAD_INPUT if any(finding.state == "missing" for finding in findings) else 0


def _schema(_: argparse.Namespace) -> int:
    from ..files import schema_text

    print(schema_text(), end="")
    return 0


# --- parts of a run ---------------------------------------------------------------------------------------------------


def _experiment(what: str, options: argparse.Namespace | None = None) -> tuple[str, Experiment]:
    """What the user named: an example, a scene file, a robot's, or a Python file with an experiment.

    The ``options`` of a command that takes them say how a robot's file is read.
    """
    path = Path(what)
    kind = path.suffix.lower()
    if kind in (".py", *SCENE_FILES, *ROBOT_FILES) and not path.is_file():
        raise SceneError(f"there is no file '{what}'; check the path, or see 'sharnir list' for examples")
    if kind in (*SCENE_FILES, *ROBOT_FILES):
        scene = Scene.load(path) if options is None else load_as_told(path, options)
        tell_losses(scene, path)
        return path.stem, Experiment(scene, time=DEFAULT_TIME)
    if options is not None:
        refuse_choices(what, options)
    if kind == ".py":
        return path.stem, load_experiment(path)
    return what, load_example(what)


def _apply(options: argparse.Namespace, experiment: Experiment) -> None:
    """Put the given options over the experiment's own settings."""
    if options.time is not None:
        experiment.time = options.time
    if options.dt is not None:
        experiment.dt = options.dt
    for name in ("solver", "integrator", "iterations", "precision", "device", "worlds", "ignored_warnings"):
        if (value := getattr(options, name, None)) is not None:
            experiment.settings[name] = value


def _simulate(name: str, experiment: Experiment, quiet: bool) -> Trajectory:
    if quiet:
        return experiment.run()
    with progress_bar(name) as progress:
        return experiment.run(progress)


def _draw_balance(name: str, run: Trajectory, options: argparse.Namespace) -> Path:
    from ..record.balance import Balance

    balance = Balance(run)
    if not options.json:
        print(balance.told())
    file = Path(f"{name}-energy.png") if options.energy == Path() else options.energy
    return balance.chart("energy", f"{name}: energy balance").save(file)


def _summary(
    name: str, experiment: Experiment, run: Trajectory, figures: list[Figure], files: list[Path], seconds: float
) -> Plain:
    return {
        "name": name,
        "sharnir_version": __version__,
        "time": float(run.time[-1]),
        "dt": experiment.dt,
        "worlds": run.worlds,
        "kernels": run.data.attrs["kernels"],
        "wall_seconds": round(seconds, 3),
        "figures": [figure.as_dict() for figure in figures],
        "warnings": [warning.as_dict() for warning in run.warnings],
        "files": [str(file) for file in files],
    }


def _print_run(name: str, run: Trajectory, figures: list[Figure], files: list[Path], seconds: float) -> None:
    from .terminal import print_figures

    print_figures(name, figures)
    worlds = f" of {run.worlds} worlds" if run.worlds > 1 else ""
    print(f"\n{run.time[-1]:g} s{worlds} simulated in {seconds:.2f} s, start-up included")
    for file in files:
        print(f"wrote {file}")
