"""The commands ``sharnir drive``, ``replay`` and ``export``."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import SceneError

RUNS = Path("runs")
FindExperiment = Callable[[str], tuple[str, Any]]


def add_view_commands(commands: Any, find: FindExperiment) -> None:
    """Add the commands to the parser; ``find`` turns what the user named into an experiment."""
    command = commands.add_parser("drive", help="drive a scene in real time from the browser")
    command.add_argument("what", metavar="NAME|FILE", help="an example, scene.yaml, scene.json or experiment.py")
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    command.add_argument("--solver", help="direct or sequential-impulses")
    command.add_argument("--integrator", help="semi-implicit-euler or rattle")
    command.add_argument("--budget", type=float, metavar="S", help="wall-clock time the solver may take in a step")
    command.add_argument("--paused", action="store_true", help="wait for the operator to press run")
    command.add_argument("--port", type=int, default=0, metavar="N", help="port on this machine (default: a free one)")
    command.add_argument("--host", default="127.0.0.1", help="address to serve on (default: this machine only)")
    command.add_argument(
        "--runs", type=Path, default=RUNS, metavar="FOLDER", help="where runs are kept (default: runs)"
    )
    command.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    command.set_defaults(command=lambda options: _drive(options, find))


def _drive(options: argparse.Namespace, find: FindExperiment) -> int:
    from ..runtime.journal import create_run

    serve = _server().serve
    _, experiment = find(options.what)
    given = {name: getattr(options, name) for name in ("solver", "integrator", "budget")}
    settings = experiment.settings | {name: value for name, value in given.items() if value is not None}
    settings = {name: value for name, value in settings.items() if name not in ("worlds", "fault_folder")}
    run = create_run(experiment.scene, options.dt or experiment.dt, settings, options.runs)

    def opened(url: str) -> None:
        print(f"The console is at {url}\nCtrl-C ends the run; it is kept in {run.folder}", flush=True)
        if not options.no_browser:
            webbrowser.open(url)

    with suppress(KeyboardInterrupt):
        serve(run, host=options.host, port=options.port, paused=options.paused, opened=opened)
    print(f"The run is in {run.folder}; see it again with: sharnir replay {run.folder}")
    return 0


def _server() -> Any:
    try:
        from . import server
    except ImportError as error:
        raise SceneError(f"the console needs '{error.name}'; install it with: pip install 'sharnir[view]'") from None
    return server
