"""The commands ``sharnir drive``, ``replay`` and ``export``."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import SceneError, nearest
from ..settings import INTEGRATORS, SOLVERS

RUNS = Path("runs")
ANY_ADDRESS = ("", "0.0.0.0", "::")  # the guard answers to one name
DIFFERS = 1  # exit code of a replay that did not give the same bits
NOT_PASSED = 1  # of a score
WENT_WRONG = 3  # of a drive whose physics died, or whose world a fault had stopped
TERMINATED = 128 + 15  # of a drive that was ended by SIGTERM, as is the custom
FindExperiment = Callable[[str], tuple[str, Any]]


def add_view_commands(commands: Any, find: FindExperiment) -> None:
    """Add the commands to the parser; ``find`` turns what the user named into an experiment."""
    command = commands.add_parser("drive", help="drive a robot or a scene in real time from the browser")
    what = "krt100, krt100_rough, mf4, rover, car; an example, scene.yaml, robot.urdf or experiment.py"
    command.add_argument("what", metavar="NAME|FILE", nargs="?", help=what)
    command.add_argument(
        "--scenario", metavar="NAME|FILE", help="krt100_course, mf4_door, or a .yaml file: it names its scene"
    )
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    command.add_argument("--solver", help=" or ".join(SOLVERS))
    command.add_argument("--integrator", help=", ".join(INTEGRATORS))
    command.add_argument("--budget", type=float, metavar="S", help="wall-clock time the solver may take in a step")
    command.add_argument(
        "--ignore-warning",
        action="append",
        metavar="NAME",
        dest="ignored_warnings",
        help="turn off warnings of a name, such as open-joint",
    )
    command.add_argument("--paused", action="store_true", help="wait for the operator to press run")
    command.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine (default: a free one)")
    command.add_argument("--host", default="127.0.0.1", help="address to serve on (default: this machine only)")
    command.add_argument(
        "--runs", type=Path, default=RUNS, metavar="FOLDER", help="where runs are kept (default: runs)"
    )
    command.add_argument("--view-rate", type=float, default=60.0, metavar="HZ", help="frames a second at most (60)")
    command.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    command.set_defaults(command=lambda options: _drive(options, find))

    command = commands.add_parser("replay", help="make a run again from its log, and show it")
    command.add_argument("run", type=Path, metavar="RUN", help="a folder that 'sharnir drive' has left in runs/")
    command.add_argument("--source", metavar="FILE.py", help="the experiment, if its diagram has Python functions")
    command.add_argument("--check", action="store_true", help="only tell whether it was the same, bit for bit")
    command.add_argument("--no-browser", action="store_true", help="write replay.html and open nothing")
    command.set_defaults(command=_replay)

    command = commands.add_parser("score", help="the score of a run that was driven with a scenario, from its log")
    command.add_argument("run", type=Path, metavar="RUN", help="a folder that 'sharnir drive' has left in runs/")
    command.add_argument("--source", metavar="FILE.py", help="the experiment, if its diagram has Python functions")
    command.add_argument("--json", action="store_true", help="print the score as JSON and nothing else")
    command.set_defaults(command=_score)

    command = commands.add_parser("export", help="a run as one HTML file, data, pictures, video or a report")
    command.add_argument("run", type=Path, metavar="RUN", help="a folder that 'sharnir drive' has left in runs/")
    command.add_argument("--source", metavar="FILE.py", help="the experiment, if its diagram has Python functions")
    command.add_argument("--html", type=Path, metavar="FILE", help="one file that plays the run from disk")
    command.add_argument("--nc", type=Path, metavar="FILE", help="the trajectory as netCDF")
    command.add_argument("--csv", type=Path, metavar="FILE", help="inputs and signals as a table")
    command.add_argument("--mcap", type=Path, metavar="FILE", help="poses, signals and log for Foxglove and others")
    command.add_argument("--report", type=Path, metavar="FILE", help="the report of the session, HTML")
    command.add_argument("--png", type=Path, metavar="FILE", help="a picture (needs Chromium)")
    command.add_argument("--video", type=Path, metavar="FILE", help=".webp, .gif, or with ffmpeg .mp4 (needs Chromium)")
    looks = command.add_argument_group("pictures and videos")
    looks.add_argument("--time", type=float, default=0.0, metavar="S", help="the picture's time in the run")
    looks.add_argument("--size", default="1280x720", metavar="WxH", help="in pixels (default: 1280x720)")
    looks.add_argument("--theme", choices=("light", "dark"), default="light")
    looks.add_argument("--rate", type=float, default=20.0, metavar="HZ", help="pictures a second of the video (20)")
    looks.add_argument("--bare", action="store_true", help="the view alone, without the page around it")
    command.set_defaults(command=_export)


def _drive(options: argparse.Namespace, find: FindExperiment) -> int:
    from ..runtime.journal import SCENARIO, create_run

    server = _server()
    if options.host in ANY_ADDRESS:
        raise SceneError(f"--host is '{options.host}'; give the one name or address that browsers will ask for")
    from .robots import ROBOTS

    scenario = _scenario(options.scenario)
    name = options.what or (scenario and scenario[1].scene)
    if name is None:
        raise SceneError(
            "drive: nothing to drive; give a robot, an example, a scene file or --scenario: 'sharnir list'"
        )
    experiment = ROBOTS[name]() if name in ROBOTS else _found(name, find)
    given = {name: getattr(options, name) for name in ("solver", "integrator", "budget", "ignored_warnings")}
    settings = experiment.settings | {name: value for name, value in given.items() if value is not None}
    settings = {name: value for name, value in settings.items() if name not in ("worlds", "fault_folder")}
    diagram = experiment.scene.diagram
    source = _source(name) if diagram is not None and diagram.functions else None
    run = create_run(experiment.scene, options.dt or experiment.dt, settings, options.runs)
    if scenario is not None:
        (run.folder / SCENARIO).write_bytes(scenario[0].read_bytes())

    def opened(links: Any) -> None:
        print(f"The console is at {links.operator}\nFor an instructor: {links.instructor}\nTo watch: {links.watcher}")
        print(f"Each link opens one browser, once. Ctrl-C ends the run; it is kept in {run.folder}", flush=True)
        if not options.no_browser:
            webbrowser.open(links.operator)

    rate = min(max(options.view_rate, 1.0), 60.0)
    how = server.Options(options.host, options.port, options.paused, rate, source)
    try:
        ending = server.serve(run, how, opened, lambda text: print(text, flush=True))
    except (KeyboardInterrupt, server.Terminated) as error:
        print(f"The run is in {run.folder}; see it again with: sharnir replay {run.folder}")
        return TERMINATED if isinstance(error, server.Terminated) else 0
    return WENT_WRONG if ending.wrong else 0


def _scenario(what: str | None) -> tuple[Path, Any] | None:
    """A scenario's file, and what it says."""
    from ..runtime.scenario import FOLDER, load_scenario

    if what is None:
        return None
    return (Path(what) if Path(what).suffix else FOLDER / f"{what}.yaml"), load_scenario(what)


def _score(options: argparse.Namespace) -> int:
    import msgspec

    from ..progress import progress_bar
    from ..runtime.journal import Run
    from ..runtime.scenario import score_of
    from ..tables import print_table
    from .report import standing_words

    run = Run(options.run)
    if options.json:
        score = score_of(run, source=options.source)
        print(msgspec.json.encode(score).decode())
    else:
        with progress_bar(run.header.name) as progress:
            score = score_of(run, progress, options.source)
        print_table(
            score.scenario, ("goal", "score", "weight", "state", "at", "note"), map(standing_words, score.goals)
        )
        print(f"\n{100 * score.total:.1f} % in all: {'passed' if score.passed else 'not passed'}")
    return 0 if score.passed else NOT_PASSED


def _found(name: str, find: FindExperiment) -> Any:
    """An example or a file; a name that is neither is told with the robots and examples that are like it."""
    from ..experiment import list_examples
    from .robots import ROBOTS

    known = (*ROBOTS, *list_examples())
    if Path(name).suffix or name.replace("-", "_") in known:
        return find(name)[1]
    raise SceneError(f"there is no robot or example '{name}'{nearest(name, known)}; see 'sharnir list'")


def _source(what: str) -> str:
    """The Python file of an experiment or an example."""
    from ..experiment import examples_folder

    return what if what.endswith(".py") else str(examples_folder() / f"{what.replace('-', '_')}.py")


def _replay(options: argparse.Namespace) -> int:
    from ..progress import progress_bar
    from ..runtime.journal import Run
    from ..runtime.replay import Replay, check

    run = Run(options.run)
    replay: Replay
    if options.check:
        with progress_bar(run.header.name) as progress:
            replay = check(run, progress, options.source)
    else:
        _server()
        from .export_html import write_html
        from .recording import record

        with progress_bar(run.header.name) as progress:
            recording = record(run, progress, options.source)
        replay = recording.replay
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
    wanted = {name: getattr(options, name) for name in ("html", "csv", "mcap", "report", "png", "video")}
    if not any(wanted.values()) and not options.nc:
        raise SceneError("export: nothing to write; give --html, --nc, --csv, --mcap, --report, --png or --video FILE")
    _server()
    from ..progress import progress_bar
    from ..runtime.journal import Run
    from . import export_data, export_html, pictures, report
    from .recording import record

    run, size = Run(options.run), _size(options.size)
    if options.png or options.video:
        pictures.check(options.video)
    if options.nc:
        with progress_bar(run.header.name) as progress:
            print(f"wrote {export_data.trajectory(run, progress, options.source).save(options.nc)}")
    if not any(wanted.values()):
        return 0
    with progress_bar(run.header.name) as progress:
        recording = record(run, progress, options.source)
    look = (size, options.theme, options.bare)
    writers: dict[str, Callable[[Path], Path]] = {
        "html": lambda file: export_html.write_html(recording, file),
        "csv": lambda file: export_data.write_csv(recording, file),
        "mcap": lambda file: export_data.write_mcap(recording, file),
        "report": lambda file: report.write_report(recording, file),
        "png": lambda file: pictures.save_picture(recording, file, options.time, *look),
        "video": lambda file: pictures.save_video(recording, file, options.rate, *look),
    }
    for name, file in wanted.items():
        if file:
            print(f"wrote {writers[name](file)}")
    return 0


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 0 < int(width) <= 8000 and 0 < int(height) <= 8000):
        raise SceneError(f"--size is '{text}'; give width and height in pixels, such as 1280x720")
    return int(width), int(height)


def _server() -> Any:
    try:
        from . import server
    except ImportError as error:
        raise SceneError(f"the console needs '{error.name}'; install it with: pip install 'sharnir[view]'") from None
    return server
