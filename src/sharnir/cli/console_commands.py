"""The commands ``sharnir drive``, ``replay`` and ``export``."""

from __future__ import annotations

import argparse
import dataclasses
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SceneError
from ..simulation.settings import INTEGRATORS, SOLVERS
from .robot_options import add_robot_options, refuse_choices
from .study_commands import Subparsers

if TYPE_CHECKING:
    from types import ModuleType

    from ..experiment import Experiment
    from ..scene.scene import Scene
    from ..view.choice import Choice
    from ..view.recording import Recording
    from ..view.server import Links

FindDriven = Callable[[str, argparse.Namespace], "tuple[str, Experiment]"]
PAGES = "nicegui"  # the package that the console cannot do without
RUNS = Path("runs")
NEW = Path("scene.yaml")  # what 'build' makes where no file is named
ANY_ADDRESS = ("", "0.0.0.0", "::")  # the guard answers to one name
DIFFERS = 1  # exit code of a replay that did not give the same bits
NOT_PASSED = 1  # of a score
WENT_WRONG = 3  # of a drive whose physics died, or whose world a fault had stopped
TERMINATED = 128 + 15  # of a drive that was ended by SIGTERM, as is the custom
GHOST = "another run's folder, or a trajectory .nc"
WRITTEN = ("html", "csv", "mcap", "report", "debriefing", "png", "video")  # from a recording


def add_methods(command: argparse._ActionsContainer) -> None:
    """Add the options that choose solver and integrator."""
    command.add_argument("--solver", help=" or ".join(SOLVERS))
    command.add_argument("--integrator", help=", ".join(INTEGRATORS))


def add_ignored_warnings(command: argparse._ActionsContainer) -> None:
    """Add the option that turns warnings off."""
    what = "turn off warnings of a name, such as open-joint"
    command.add_argument("--ignore-warning", action="append", metavar="NAME", dest="ignored_warnings", help=what)


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument("run", type=Path, metavar="RUN", help="a folder that 'sharnir drive' has left in runs/")
    command.add_argument("--source", metavar="FILE.py", help="the experiment, if its diagram has Python functions")


def add_view_commands(commands: Subparsers, find: FindDriven) -> None:
    """Add the commands to the parser; ``find`` turns what the user named, and the options, into an experiment."""
    command = commands.add_parser("drive", help="drive a robot or a scene in real time from the browser")
    what = "krt100, krt100_rough, mf4, rover, car; an example, scene.yaml, robot.urdf or experiment.py"
    command.add_argument("what", metavar="NAME|FILE", nargs="?", help=f"{what}; without it: the start page")
    command.add_argument(
        "--scenario",
        metavar="NAME|FILE",
        help="krt100_course, mf4_door, a .yaml file, which names its scene, or one of the scene's own",
    )
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    add_methods(command)
    command.add_argument("--budget", type=float, metavar="S", help="wall-clock time the solver may take in a step")
    add_ignored_warnings(command)
    command.add_argument("--paused", action="store_true", help="wait for the operator to press run")
    command.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine (default: a free one)")
    command.add_argument("--host", default="127.0.0.1", help="address to serve on (default: this machine only)")
    command.add_argument(
        "--runs", type=Path, default=RUNS, metavar="FOLDER", help="where runs are kept (default: runs)"
    )
    command.add_argument("--view-rate", type=float, default=60.0, metavar="HZ", help="frames a second at most (60)")
    command.add_argument("--ghost", type=Path, metavar="RUN", help=f"drawn through this one: {GHOST}")
    command.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    add_robot_options(command)
    command.set_defaults(command=lambda options: _drive(options, find))

    command = commands.add_parser("build", help="build a robot, its scheme and its console in the browser")
    command.add_argument("file", metavar="FILE", nargs="?", type=Path, default=NEW, help="scene.yaml, new or old")
    command.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine (default: a free one)")
    command.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    command.set_defaults(command=_build)

    command = commands.add_parser("replay", help="make a run again from its log, and show it")
    _add_run(command)
    command.add_argument("--check", action="store_true", help="only tell whether it was the same, bit for bit")
    command.add_argument("--no-browser", action="store_true", help="write replay.html and open nothing")
    command.set_defaults(command=_replay)

    command = commands.add_parser(
        "score",
        help="the score of a run with a scenario, from its log, and its debriefing",
        description="The score of a run with a scenario, from its log, and its debriefing.",
        epilog="The exit status is 0 where the run has passed, 1 where it has not, and 2 where it cannot be scored.",
    )
    _add_run(command)
    command.add_argument("--json", action="store_true", help="print the score as JSON and nothing else")
    command.add_argument("--no-browser", action="store_true", help="write debriefing.html and open nothing")
    command.set_defaults(command=_score)

    command = commands.add_parser("export", help="a run as one HTML file, data, pictures, video or a report")
    _add_run(command)
    command.add_argument("--html", type=Path, metavar="FILE", help="one file that plays the run from disk")
    command.add_argument("--nc", type=Path, metavar="FILE", help="the trajectory as netCDF")
    command.add_argument("--csv", type=Path, metavar="FILE", help="inputs and signals as a table")
    command.add_argument("--mcap", type=Path, metavar="FILE", help="poses, signals and log for Foxglove and others")
    command.add_argument("--report", type=Path, metavar="FILE", help="the report of the session, HTML")
    command.add_argument("--debriefing", type=Path, metavar="FILE", help="score, map, faults and replay, HTML")
    command.add_argument("--png", type=Path, metavar="FILE", help="a picture (needs Chromium)")
    command.add_argument("--video", type=Path, metavar="FILE", help=".webp, .gif, or with ffmpeg .mp4 (needs Chromium)")
    command.add_argument("--ghost", type=Path, metavar="RUN", help=f"drawn through the HTML file's: {GHOST}")
    looks = command.add_argument_group("pictures and videos")
    looks.add_argument("--time", type=float, default=0.0, metavar="S", help="the picture's time in the run")
    looks.add_argument("--size", default="1280x720", metavar="WxH", help="in pixels (default: 1280x720)")
    looks.add_argument("--theme", choices=("light", "dark"), default="light")
    looks.add_argument("--rate", type=float, default=20.0, metavar="HZ", help="pictures a second of the video (20)")
    looks.add_argument(
        "--camera", metavar="PATH", help="of the video: 'around', or a JSON file of places (stands, follows)"
    )
    looks.add_argument("--bare", action="store_true", help="the view alone, without the page around it")
    command.set_defaults(command=_export)


def _drive(options: argparse.Namespace, find: FindDriven) -> int:
    if options.host in ANY_ADDRESS:
        raise SceneError(f"--host is '{options.host}'; give the one name or address that browsers will ask for")
    if find_spec(PAGES) is None:
        _server()  # tells what is missing, before there is a run
    choice = _choice(options, find)
    ghost = _ghost(options.ghost, None if choice is None else choice.scene)
    first = None if choice is None else (choice, choice.physics(options.runs))
    server = _server()  # takes a second or two to load, and so does the physics beside it
    kept = options.runs

    def opened(links: Links, folder: Path | None) -> None:
        nonlocal kept
        kept = folder or options.runs
        print(f"The console is at {links.operator}\nFor an instructor: {links.instructor}\nTo watch: {links.watcher}")
        ends = f"ends the run; it is kept in {kept}" if folder else f"ends the program; runs are kept in {kept}"
        print(f"Each link opens one browser, once. Ctrl-C {ends}", flush=True)
        if not options.no_browser:
            webbrowser.open(links.operator)

    rate = min(max(options.view_rate, 1.0), 60.0)
    how = server.Options(options.runs, options.host, options.port, options.paused, rate, ghost)
    try:
        ending = server.serve(first, how, opened, lambda text: print(text, flush=True))
    except server.Terminated:
        if choice is not None:
            print(f"The run is in {kept}; see it again with: sharnir replay {kept}")
        return TERMINATED
    except server.Interrupted as error:
        if error.folder is not None:
            print(f"The run is in {error.folder}; see it again with: sharnir replay {error.folder}")
        return WENT_WRONG if error.wrong else 0
    return WENT_WRONG if ending is not None and ending.wrong else 0


def _build(options: argparse.Namespace) -> int:
    _server()
    from ..constructor import workshop

    if options.file.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise SceneError(
            f"{options.file}: scene files end in .yaml, .yml or .json; 'sharnir import' makes one of a robot"
        )

    def opened(link: str) -> None:
        print(
            f"The constructor of {options.file} is at {link}\nThe link opens one browser, once. Ctrl-C ends it.",
            flush=True,
        )
        if not options.no_browser:
            webbrowser.open(link)

    with suppress(KeyboardInterrupt):
        workshop.serve(options.file, opened, options.port)
    return 0


def _choice(options: argparse.Namespace, find: FindDriven) -> Choice | None:
    """What is to be driven, as the options have it; None where nothing was named: the start page offers it."""
    from ..view import choice
    from ..view.robots import ROBOTS

    given = {name: getattr(options, name) for name in ("solver", "integrator", "budget", "ignored_warnings")}
    given = {name: value for name, value in given.items() if value is not None}
    if options.what is None or options.what in ROBOTS:
        refuse_choices(options.what or "what nobody has named", options)
    if options.what is None and options.scenario is None:
        return None

    def found(what: str) -> Experiment:
        return find(what, options)[1]

    if options.scenario is None:
        made = choice.chosen(options.what, found)
    else:
        made = choice.with_scenario(options.scenario, found, options.what)
    return dataclasses.replace(made, dt=options.dt or made.dt, settings=made.settings | given)


def _score(options: argparse.Namespace) -> int:
    import msgspec

    from ..runtime.journal import LoggedRun
    from ..runtime.referee import score_of
    from ..view.session_report import standing_words
    from .progress import progress_bar
    from .terminal import print_table

    run = LoggedRun(options.run)
    if options.json:
        alone = score_of(run, source=options.source)
        print(msgspec.json.encode(alone).decode())
        return 0 if alone.passed else NOT_PASSED
    _server()
    from ..view.debriefing import write_debriefing
    from ..view.recording import record

    with progress_bar(run.header.name) as progress:
        recording = record(run, progress, options.source)
    file = write_debriefing(recording, run.folder / "debriefing.html")
    score = recording.score
    assert score is not None
    print_table(score.scenario, ("goal", "score", "weight", "state", "at", "note"), map(standing_words, score.goals))
    given_up = "" if score.finished else "; it was ended before the scenario was over"
    verdict = f"{'passed' if score.passed else 'not passed'}{given_up}"
    print(f"\n{100 * score.total:.1f} % in all: {verdict}\nwrote {file}")
    if not options.no_browser:
        webbrowser.open(file.absolute().as_uri())
    return 0 if score.passed else NOT_PASSED


def _replay(options: argparse.Namespace) -> int:
    from ..runtime.journal import LoggedRun
    from ..runtime.replay import Replay, check
    from .progress import progress_bar

    run = LoggedRun(options.run)
    replay: Replay
    if options.check:
        with progress_bar(run.header.name) as progress:
            replay = check(run, progress, options.source)
    else:
        _server()
        from ..view.export_html import write_html
        from ..view.recording import record

        with progress_bar(run.header.name) as progress:
            recording = record(run, progress, options.source)
        replay = recording.replay
        for told in recording.world["told"]:
            print(told)
        file = write_html(recording, run.folder / "replay.html")
        print(f"wrote {file}")
        if not options.no_browser:
            webbrowser.open(file.absolute().as_uri())
    if replay.differs_at is None:
        print(f"{replay.ticks} steps repeated bit for bit ({replay.digests} digests compared)")
        return 0
    budget = " (a run with a wall-clock budget cannot be repeated exactly)" if run.header.settings.get("budget") else ""
    print(f"the replay differs from the run at step {replay.differs_at}{budget}")
    return DIFFERS


def _export(options: argparse.Namespace) -> int:
    wanted = {name: getattr(options, name) for name in WRITTEN}
    if not any(wanted.values()) and not options.nc:
        raise SceneError(f"export: nothing to write; give --nc, {', '.join(f'--{name}' for name in WRITTEN)} FILE")
    _server()
    from ..runtime.journal import LoggedRun
    from ..view import debriefing, export_data, export_html, pictures
    from ..view import session_report as report
    from ..view.camera_path import camera_path
    from ..view.recording import record
    from .progress import progress_bar

    run, size = LoggedRun(options.run), _size(options.size)
    path = None if options.camera is None else camera_path(options.camera)
    if options.png or options.video:
        pictures.check(options.video)
    if options.nc:
        with progress_bar(run.header.name) as progress:
            print(f"wrote {export_data.trajectory(run, progress, options.source).save(options.nc)}")
    if not any(wanted.values()):
        return 0
    with progress_bar(run.header.name) as progress:
        recording = record(run, progress, options.source)
    ghost = _ghost(options.ghost, recording.replay.plant.scene)
    look = (size, options.theme, options.bare)
    writers: dict[str, Callable[[Path], Path]] = {
        "html": lambda file: export_html.write_html(recording, file, ghost),
        "csv": lambda file: export_data.write_csv(recording, file),
        "mcap": lambda file: export_data.write_mcap(recording, file),
        "report": lambda file: report.write_report(recording, file),
        "debriefing": lambda file: debriefing.write_debriefing(recording, file),
        "png": lambda file: pictures.save_picture(recording, file, options.time, *look),
        "video": lambda file: pictures.save_video(recording, file, options.rate, *look, path),
    }
    for told in recording.world["told"]:
        print(told)
    for name, file in wanted.items():
        if file:
            print(f"wrote {writers[name](file)}")
    return 0


def _ghost(path: Path | None, scene: Scene | None) -> Recording | None:
    """The run that is drawn through the one of a scene."""
    if path is None:
        return None
    if scene is None:
        raise SceneError("--ghost is drawn through a run of the same machine; name what is driven")
    _server()
    from ..view.ghost import other_run
    from .progress import progress_bar

    with progress_bar(path.stem) as progress:
        return other_run(path, scene, progress)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 0 < int(width) <= 8000 and 0 < int(height) <= 8000):
        raise SceneError(f"--size is '{text}'; give width and height in pixels, such as 1280x720")
    return int(width), int(height)


def _server() -> ModuleType:
    try:
        from ..view import server
    except ImportError as error:
        raise SceneError(f"the console needs '{error.name}'; install it with: pip install 'sharnir[view]'") from None
    return server
