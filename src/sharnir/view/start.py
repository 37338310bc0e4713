"""The start page: what there is to drive, and the runs that were. It is plain HTML with forms."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Container, Iterable
from pathlib import Path

from ..errors import SceneError
from ..experiment import list_examples
from ..runtime.journal import SCENARIO, LoggedRun
from ..runtime.referee import FOLDER, load_scenario
from .choice import Choice, chosen, of_run, with_scenario
from .guard import Role
from .robots import list_robots
from .texts import ENGLISH, catalogue

TEMPLATE = Path(__file__).parent / "static" / "start.html"
PAST = 30  # runs shown
DOCUMENTS = {"replay.html": "Replay", "report.html": "Report", "debriefing.html": "Debriefing"}


def choose(what: str, runs: Path) -> Choice:
    """What a form says: the kind and the name of something that the page offers, such as ``robot krt100``."""
    kind, _, name = what.partition(" ")
    offered: dict[str, Callable[[], Container[str]]] = {
        "robot": list_robots,
        "scene": list_examples,
        "scenario": scenarios,
        "run": lambda: past_runs(runs),
    }
    if kind not in offered or name not in offered[kind]():
        raise SceneError(f"there is nothing called '{what}' to drive; choose from the page")
    if kind == "scenario":
        return with_scenario(name)
    return of_run(runs / name) if kind == "run" else chosen(name)


def scenarios() -> dict[str, str]:
    """The scenarios that ship, with their briefings."""
    return {file.stem: load_scenario(file.stem).briefing for file in sorted(FOLDER.glob("*.yaml"))}


def past_runs(runs: Path) -> dict[str, LoggedRun]:
    """The newest runs of a folder by name; what cannot be read is left out."""
    found: dict[str, LoggedRun] = {}
    folders = [folder for folder in runs.iterdir() if folder.is_dir()] if runs.is_dir() else []
    for folder in sorted(folders, key=lambda one: one.stat().st_mtime, reverse=True)[:PAST]:
        try:
            found[folder.name] = LoggedRun(folder)
        except SceneError:
            continue
    return found


def documents_of(run: LoggedRun) -> list[str]:
    """What can be shown of a run."""
    scored = (run.folder / SCENARIO).is_file()
    return [name for name in DOCUMENTS if scored or name != "debriefing.html"]


def start_page(runs: Path, role: Role, language: str, problem: str = "") -> str:
    """The page for one browser. A watcher sees what there is and waits."""
    texts = {} if language == ENGLISH else catalogue(language)

    def t(text: str) -> str:
        return html.escape(texts.get(text, text))

    may = role != "watcher"
    cards = {
        "robots": _cards("robot", list_robots().items(), t, may),
        "scenarios": _cards("scenario", scenarios().items(), t, may),
        "scenes": _cards("scene", list_examples().items(), t, may),
        "runs": _runs(past_runs(runs).values(), t, may),
    }
    filled = {
        "LANGUAGE": language,
        "TEXTS": json.dumps(texts).replace("<", "\\u003c"),
        "HINT": t("Choose what to drive.") if may else t("You are watching: whoever drives chooses."),
        "PROBLEM": f'<p class="problem" role="alert">{html.escape(problem)}</p>' if problem else "",
        "WAIT": t("The scene is being compiled. This takes some seconds, the first time up to a minute."),
        "THEME": t("Light or dark"),
        "FIND": t("find a scene"),
        **{f"HEAD_{name.upper()}": t(name.capitalize()) for name in ("robots", "scenarios", "scenes")},
        "HEAD_RUNS": t("Past runs"),
        **{name.upper(): content for name, content in cards.items()},
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in filled.items():
        text = text.replace(f"@@{name}@@", value)
    return text


def _cards(kind: str, offered: Iterable[tuple[str, str]], t: Callable[[str], str], may: bool) -> str:
    return "".join(
        f'<li class="choice"><h3>{html.escape(name)}</h3><p>{t(what)}</p>{_button(kind, name, t("Drive"), may)}</li>'
        for name, what in offered
    )


def _runs(runs: Iterable[LoggedRun], t: Callable[[str], str], may: bool) -> str:
    rows = []
    for run in runs:
        name, header = html.escape(run.folder.name), run.header
        links = " ".join(
            f'<a href="/runs/{name}/{file}" target="_blank" aria-label="{t(DOCUMENTS[file])}: {name}">'
            f"{t(DOCUMENTS[file])}</a>"
            for file in documents_of(run)
        )
        when = html.escape(header.started.replace("T", " ")[:16])
        again = _button("run", run.folder.name, t("Drive again"), may)
        rows.append(f'<li class="choice"><h3>{html.escape(header.name)}</h3><p>{when}</p><p>{links}</p>{again}</li>')
    return "".join(rows) or f"<li><p>{t('none yet')}</p></li>"


def _button(kind: str, name: str, text: str, may: bool) -> str:
    if not may:
        return ""
    value = html.escape(f"{kind} {name}")
    label = f'aria-label="{text}: {html.escape(name)}"'
    return f'<form method="post" action="/start"><button class="plain" name="what" value="{value}" {label}>{text}</button></form>'  # noqa: E501
