"""One HTML file that holds a whole run: view, scene and frames. It opens from disk and loads nothing else."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

import msgspec
import numpy as np

from ..scene.values import Plain
from .ghost import ghost_of
from .packed_frames import codings_of, packed_frames, thinned
from .packing import packed, place_coding, zipped
from .recording import Recording
from .server import STATIC, THREE
from .texts import catalogue, languages

STYLES = ("console", "debriefing")
PARTS = {"PLAYER": "playing", "STAGE": "stage"}  # what all pages that play a run have
FIELD = re.compile(r"@@([A-Z]+)@@")
IMPORT = re.compile(r'from "\./([a-z]+)\.js"')


def write_html(recording: Recording, path: Path, ghost: Recording | None = None) -> Path:
    """Write the file; a ``ghost``, another run of the same scene, is drawn through it."""
    return write_page(recording, path, "player", "player", {}, ghost)


def write_page(
    recording: Recording, path: Path, template: str, module: str, more: Plain, ghost: Recording | None = None
) -> Path:
    """Write a page of a run from the template of its body, a module that starts it, and what it says beside the run."""
    recording = thinned(recording)
    other = None if ghost is None else ghost_of(ghost, recording.world)
    if other is not None:
        more = more | {"ghost": other.about}
    code = {name: _renamed(text) for name, text in _sources(module).items()}
    world, heights = _without_heights(recording.world)
    name = world["name"]
    about = {
        "name": name,
        "started": recording.started,
        "every": recording.every,
        "count": len(recording.frames),
        "codings": codings_of(recording),
        "events": recording.events,
        "note": recording.note,
    } | more
    filled = {
        "MODULE": module,
        "TITLE": html.escape(f"{name} · Sharnir"),
        "STYLE": "".join((STATIC / f"{sheet}.css").read_text(encoding="utf-8") for sheet in STYLES),
        "CODE": zipped(msgspec.json.encode(code)),
        "WORLD": zipped(msgspec.json.encode(world)),
        "HEIGHTS": zipped(heights) if heights else "",
        "ABOUT": _in_script(msgspec.json.encode(about)),
        "TEXTS": _catalogues(),
        "FRAMES": zipped(packed_frames(recording)),
        "GHOST": "" if other is None else zipped(other.frames),
    }
    filled |= {field: _template(part) for field, part in PARTS.items()}
    filled["BODY"] = _filled(_template(template), filled)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_filled(_template("document"), filled), encoding="utf-8")
    return path


def _without_heights(world: Plain) -> tuple[Plain, bytes]:
    """A world whose height fields say how their heights were packed, and these, packed."""
    terrain, tables = [], []
    for surface in world["terrain"]:
        if surface["kind"] == "heights":
            heights = np.frombuffer(base64.b64decode(surface["heights"]), "<f4").reshape(surface["rows"], -1)
            coding = place_coding(heights, world["focus"]["radius"])
            tables.append(packed(heights, coding))
            surface = surface | {"heights": None, "columns": heights.shape[1], "coding": coding}
        terrain.append(surface)
    return world | {"terrain": terrain}, b"".join(tables)


def translation(says: str) -> str:
    """Scripts that put a page into the reader's language: ``says`` does, with what ``static/texts.js`` exports."""
    texts = _data_url((STATIC / "texts.js").read_text(encoding="utf-8"))
    return (
        f'<script type="application/json" id="texts">{_catalogues()}</script><script type="module">'
        f'import {{ chooseTexts, translated, unitText }} from "{texts}";'
        f'chooseTexts(JSON.parse(document.getElementById("texts").textContent));{says}</script>'
    )


def _catalogues() -> str:
    return _in_script(msgspec.json.encode({language: catalogue(language) for language in languages()[1:]}))


def _template(name: str) -> str:
    return (STATIC / f"{name}.html").read_text(encoding="utf-8")


def _filled(text: str, filled: dict[str, str]) -> str:
    return FIELD.sub(lambda field: filled[field[1]], text)


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
