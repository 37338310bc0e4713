"""One HTML file that holds a whole run: the view, the scene and the frames. It opens from disk and asks for nothing."""

from __future__ import annotations

import base64
import gzip
import html
import re
from pathlib import Path

import msgspec

from ..scene.values import Plain
from .recording import Recording
from .server import STATIC, THREE
from .texts import catalogue, languages

STYLES = ("console", "debriefing")
FIELD = re.compile(r"@@([A-Z]+)@@")
IMPORT = re.compile(r'from "\./([a-z]+)\.js"')


def write_html(recording: Recording, path: Path) -> Path:
    """Write the file."""
    return write_page(recording, path, "player", "player", {})


def write_page(recording: Recording, path: Path, template: str, module: str, more: Plain) -> Path:
    """Write a page of a run from the template of its body, a module that starts it, and what it says beside the run."""
    imports = {f"sharnir/{name}": _data_url(_renamed(text)) for name, text in _sources(module).items()}
    name = recording.world["name"]
    about = {
        "name": name,
        "started": recording.started,
        "every": recording.every,
        "count": len(recording.frames),
        "events": recording.events,
        "note": recording.note,
    } | more
    parts = (template, "document", "playing")
    body, page, playing = ((STATIC / f"{part}.html").read_text(encoding="utf-8") for part in parts)
    filled = {
        "MODULE": module,
        "TITLE": html.escape(f"{name} · Sharnir"),
        "STYLE": "".join((STATIC / f"{sheet}.css").read_text(encoding="utf-8") for sheet in STYLES),
        "IMPORTS": msgspec.json.encode({"imports": imports}).decode(),
        "WORLD": _in_script(msgspec.json.encode(recording.world)),
        "ABOUT": _in_script(msgspec.json.encode(about)),
        "TEXTS": _in_script(msgspec.json.encode({language: catalogue(language) for language in languages()[1:]})),
        "FRAMES": base64.b64encode(gzip.compress(recording.frames.tobytes(), 6)).decode(),
    }
    text = FIELD.sub(lambda field: filled[field[1]], page.replace("@@BODY@@", body.replace("@@PLAYER@@", playing)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _sources(first: str) -> dict[str, str]:
    """The text of a module and of all that it imports, by name."""
    sources: dict[str, str] = {}
    wanted = [first]
    while wanted:
        name = wanted.pop()
        if name not in sources:
            path = THREE if name == "three" else STATIC / f"{name}.js"
            sources[name] = path.read_text(encoding="utf-8")
            wanted += IMPORT.findall(sources[name])
    return sources


def _renamed(source: str) -> str:
    """Imports of neighbours by a name that the page's import map knows."""
    return IMPORT.sub(r'from "sharnir/\1"', source)


def _data_url(source: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(source.encode()).decode()


def _in_script(text: bytes) -> str:
    """JSON that no part of can end the script element it stands in."""
    return text.decode().replace("<", "\\u003c")
