"""The commands of studies: ``sharnir sweep``."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import SceneError
from ..scene.values import Plain
from ..studies.design import DESIGNS
from ..studies.measures import SERIES
from ..studies.plan import WORDS
from ..studies.results import Results, open_study
from ..studies.study import Study
from ..studies.study_file import FindExperiment, is_study_file, load_study, with_held
from ..studies.summary import summary
from .progress import progress_bar

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from ..scene.scene import Scene

Subparsers: TypeAlias = "argparse._SubParsersAction[Any]"
NEVER_HAPPENED = 1  # exit code of a study with a measure that is a number at no point
TOLD_EVERY = 10.0  # s, where nobody sees a progress bar


def add_study_commands(commands: Subparsers, find: FindExperiment) -> None:
    """Add the commands to the parser; ``find`` turns what the user named into an experiment."""
    command = commands.add_parser("sweep", help="many runs of a scene whose numbers vary; 'sweep show' for results")
    what = "an example, scene.yaml, experiment.py, study.yaml; or 'show' and the results"
    command.add_argument("what", metavar="NAME|FILE", help=what)
    command.add_argument("results", metavar="S.zarr", nargs="?", type=Path, help="after 'show': the results")
    add_scene_arguments(command)
    command.add_argument(
        "--vary", action="append", default=[], metavar="NAME=SPREAD", help="door.mass=normal(26,2), ..."
    )
    command.add_argument("--measure", action="append", default=[], metavar="TEXT", help='"hinge.angle final", ...')
    command.add_argument(
        "--samples", type=int, metavar="N", help="draws of what is random, at every point of the grids"
    )
    command.add_argument("--design", default="random", choices=DESIGNS, help="how they are drawn (random)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (0)")
    command.add_argument(
        "--out", type=Path, metavar="S.zarr", help="where the results go; a study that is there goes on"
    )
    where = command.add_argument_group("where it runs")
    where.add_argument("--workers", type=int, metavar="N", help="processes on this machine")
    where.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, ...")
    where.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, tcp://host:8786")
    where.add_argument("--chunk", type=int, metavar="N", help="points that make a piece of work")
    shown = command.add_argument_group("of 'sweep show'")
    shown.add_argument("--at", metavar="NAME=VALUE,...", help="simulate the nearest point again, as a run")
    shown.add_argument("--save", type=Path, metavar="FILE", help="that run: .nc, .png, or .html for a replay")
    command.add_argument("--plots", type=Path, metavar="FOLDER", help="all plots as PNG")
    command.add_argument("--report", type=Path, metavar="FILE.html", help="tables and plots in one file")
    command.add_argument("--json", action="store_true", help="print JSON and nothing else")
    command.set_defaults(command=lambda options: _sweep(options, find))


def add_scene_arguments(command: argparse.ArgumentParser) -> None:
    """The options that say how the scene runs."""
    command.add_argument("--time", type=float, metavar="S", help="duration")
    command.add_argument("--dt", type=float, metavar="S", help="time step")
    command.add_argument("--every", type=int, default=1, metavar="N", help="measures look at every so many steps (1)")
    command.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="WORD.NAME=VALUE",
        help="torque.hinge=5, or from times on: torque.hinge=0:52.7,0.33:0",
    )


def _sweep(options: argparse.Namespace, find: FindExperiment) -> int:
    if options.what == "show":
        return _show(options)
    if options.results is not None:
        raise SceneError(
            f"'{options.results}' stands after '{options.what}'; results go to --out, and are shown by "
            "'sharnir sweep show'"
        )
    for option in ("at", "save"):
        if getattr(options, option) is not None:
            raise SceneError(f"--{option} belongs to 'sharnir sweep show S.zarr', once the study is made; leave it out")
    study = _study(options, find)
    with telling(options.json) as progress:
        results = study.run(
            options.out,
            workers=options.workers,
            device=options.device,
            cluster=options.cluster,
            chunk=options.chunk,
            progress=progress,
        )
    _print(results, options.json)
    _drawn(results, options)
    return _told_of_never(results)


def _study(options: argparse.Namespace, find: FindExperiment) -> Study:
    path = Path(options.what)
    if is_study_file(path):
        if options.vary or options.measure:
            raise SceneError(
                f"'{path}' says what varies and is measured; leave --vary and --measure out, or name its scene"
            )
        return load_study(path, find)
    _, experiment = find(options.what)
    return Study(
        experiment,
        named_once(options.vary, "--vary", "door.mass=normal(26,2)"),
        options.measure,
        samples=options.samples,
        design=options.design,
        seed=options.seed,
        **run_options(options),
    )


def run_options(options: argparse.Namespace) -> Plain:
    """The options that say how the scene runs, as arguments of a study."""
    inputs: dict[str, Plain] = {}
    for name, value in named_once(options.input, "--input", "torque.hinge=5").items():
        word, _, item = name.partition(".")
        inputs.setdefault(word, {})[item] = _input(name, value)
    for word in inputs:
        if word not in WORDS:
            raise SceneError(f"--input {word}: give one of {', '.join(WORDS)}, then the joint: torque.hinge=5")
    return {"time": options.time, "dt": options.dt, "every": options.every, **with_held(inputs)}


def _input(name: str, text: str) -> float | list[tuple[float, ...]]:
    try:
        if ":" not in text:
            return float(text)
        return [tuple(map(float, pair.split(":"))) for pair in text.split(",")]
    except ValueError:
        raise SceneError(
            f"--input {name} is '{text}'; give a number, or times and values such as 0:52.7,0.33:0"
        ) from None


def named(text: str, option: str, example: str) -> tuple[str, str]:
    """A name and what stands after its equals sign."""
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise SceneError(f"{option} is '{text}'; give a name and a value, such as {example}")
    return name.strip(), value.strip()


def named_once(texts: list[str], option: str, example: str) -> dict[str, str]:
    """Names and what stands after their equals signs; a name that is given twice is refused."""
    found: dict[str, str] = {}
    for name, value in (named(text, option, example) for text in texts):
        if name in found:
            raise SceneError(f"{option} has '{name}' twice, as '{found[name]}' and as '{value}'; give it once")
        found[name] = value
    return found


@contextmanager
def telling(quiet: bool, what: str = "points") -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar, or a line on standard error now and then, with an estimate of the end."""
    if quiet:
        yield None
        return
    begun = last = time.monotonic()
    start: list[int] = []

    def tell(done: int, total: int) -> None:
        nonlocal last
        start.append(done)
        now = time.monotonic()
        if now - last < TOLD_EVERY or done == start[0]:
            return
        last = now
        left = (now - begun) / (done - start[0] + 1) * (total - done)
        print(f"{done} of {total} {what}, about {left:.0f} s left", file=sys.stderr, flush=True)

    with progress_bar(what) as bar:
        yield bar or tell


def _told_of_never(results: Results) -> int:
    never = results.never()
    for name in never:
        print(
            f"sharnir: '{name}' happened at none of the {results.finished[1]} points; check its number "
            "and the duration",
            file=sys.stderr,
        )
    return NEVER_HAPPENED if never else 0


# --- showing ----------------------------------------------------------------------------------------------------------


def _show(options: argparse.Namespace) -> int:
    if options.results is None:
        raise SceneError("'sharnir sweep show' needs the results; give the .zarr folder that --out named")
    results = open_study(options.results)
    _drawn(results, options)
    if options.at is None:
        _print(results, options.json)
        return 0
    at = named_once(options.at.split(","), "--at", "door.mass=26")
    try:
        wanted = {name: float(value) for name, value in at.items()}
    except ValueError:
        raise SceneError(f"--at is '{options.at}'; give numbers, such as door.mass=26,hinge.friction=20") from None
    return _show_point(results, results.nearest_point(wanted), options)


def _show_point(results: Results, number: int, options: argparse.Namespace) -> int:
    from .terminal import print_table

    point = dict(zip(results.about["names"], results.points[number].tolist(), strict=True))
    if reason := results.faults().get(number):
        raise SceneError(f"point {number} ({_words(point)}) has no result: {reason}")
    run = results.open(number)
    saved = save_run(results.scene_at(number), run, options.save) if options.save is not None else None
    measured = {m.name: float(results.values(m.name)[1][number]) for m in results.measures if m.reduction != SERIES}
    if options.json:
        print(
            json.dumps(
                {"point": number, "parameters": point, "measures": measured, "file": str(saved) if saved else None},
                indent=2,
            )
        )
        return 0
    units = results.about["units"]
    rows = [(name, f"{value:.6g}", units.get(name, "")) for name, value in (point | measured).items()]
    print_table(f"point {number}", ("", "value", "unit"), rows)
    print(f"\n{run}{f', in {saved}' if saved else ''}")
    return 0


def save_run(scene: Scene, run: Trajectory, file: Path) -> Path:
    """A run as netCDF, as a picture, or as a replay in one HTML file."""
    if file.suffix == ".html":
        from ..view.export_html import write_html
        from ..view.recording import recording_of

        file.parent.mkdir(parents=True, exist_ok=True)
        return write_html(recording_of(scene, run, [], []), file)
    if file.suffix == ".png":
        from ..experiment import general_plots

        run.plot(*general_plots(scene)[0], file=file)
        return file
    if file.suffix != ".nc":
        raise SceneError(f"--save is '{file}'; give a name that ends in .nc, .png or .html")
    return Path(run.save(file))


def _words(point: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.6g}" for name, value in point.items())


def _print(results: Results, in_json: bool) -> None:
    from .terminal import print_table

    done, total = results.finished
    rows, faults = summary(results), results.faults()
    if in_json:
        print(json.dumps({"points": total, "done": done, "faults": len(faults), "measures": rows}, indent=2))
        return
    columns = ("measure", "unit", "points", "mean", "±", "5 %", "median", "95 %")
    keys = ("mean", "deviation", "low", "median", "high")
    lines = [
        (r["measure"], r["unit"], str(r["points"]), *(f"{r[k]:.5g}" if k in r else "" for k in keys)) for r in rows
    ]
    print_table(f"{done} of {total} points", columns, lines, numbers=len(columns) - 2)
    if faults:
        number, reason = next(iter(faults.items()))
        how_many = "1 point has" if len(faults) == 1 else f"{len(faults)} points have"
        print(f"\n{how_many} no result, the first of them point {number}: {reason}")


def _drawn(results: Results, options: argparse.Namespace) -> None:
    """The report and the plots that were asked for."""
    if options.report is not None:
        from ..studies.study_report import write_report

        print(f"wrote {write_report(results, options.report)}", file=sys.stderr)
    if options.plots is not None:
        _plots(results, options.plots)


def _plots(results: Results, folder: Path) -> None:
    from ..studies.study_plots import all_pictures

    folder.mkdir(parents=True, exist_ok=True)
    for measure, kind, figure in all_pictures(results):
        file = folder / f"{re.sub(r'[^-.a-zA-Z0-9]+', '-', measure)}-{kind}.png"
        figure.savefig(file, dpi=150)
        print(f"wrote {file}", file=sys.stderr)
