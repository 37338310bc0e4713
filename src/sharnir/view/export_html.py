"""One HTML file that holds a whole run: the view, the scene and the frames. It opens from disk and asks for nothing."""

from __future__ import annotations

import base64
import gzip
import html
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from ..errors import SceneError
from ..scene.values import Plain
from ..spatial import Array
from .recording import Recording
from .server import STATIC, THREE
from .texts import catalogue, languages

MOST_RATE = 30.0  # frames a second of a run
FINEST_PLACE = 2.0**-15  # m, and of the numbers of a quaternion
DROPPED = {"channels": 5, "inputs": 5}  # bits of what can be read off; 9 of all else but places
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
    if ghost is not None:
        ghost = thinned(ghost)
        if ghost.world["layout"] != recording.world["layout"]:
            raise SceneError("a ghost is another run of the same scene; this one has other bodies or channels")
        more = more | {"ghost": {"every": ghost.every, "count": len(ghost.frames)}}
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
    filled = {
        "MODULE": module,
        "TITLE": html.escape(f"{name} · Sharnir"),
        "STYLE": "".join((STATIC / f"{sheet}.css").read_text(encoding="utf-8") for sheet in STYLES),
        "IMPORTS": msgspec.json.encode({"imports": imports}).decode(),
        "WORLD": _in_script(msgspec.json.encode(recording.world)),
        "ABOUT": _in_script(msgspec.json.encode(about)),
        "TEXTS": _catalogues(),
        "FRAMES": _packed(recording),
        "GHOST": "" if ghost is None else _packed(ghost),
    }
    filled |= {field: _template(part) for field, part in PARTS.items()}
    filled["BODY"] = _filled(_template(template), filled)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_filled(_template("document"), filled), encoding="utf-8")
    return path


def thinned(recording: Recording) -> Recording:
    """A recording with no more frames a second than a page needs."""
    stride = max(1, round(1.0 / (MOST_RATE * recording.every)))
    return (
        replace(recording, frames=recording.frames[::stride], every=stride * recording.every)
        if stride > 1
        else recording
    )


def _packed(recording: Recording) -> str:
    """Frames, rounded to what can be seen, byte by byte: all first bytes, then all second ones, which packs best."""
    frames = np.array(recording.frames)
    for name, block in recording.world["layout"]["blocks"].items():
        start, count = block["offset"], int(np.prod(block["shape"]))
        values = np.ascontiguousarray(frames[:, start : start + 4 * count]).view("<f4")
        is_place = name == "poses" or name.startswith("rope ")
        seen = np.round(values / FINEST_PLACE) * FINEST_PLACE if is_place else _short(values, DROPPED.get(name, 9))
        frames[:, start : start + 4 * count] = np.ascontiguousarray(seen, "<f4").view(np.uint8)
    return base64.b64encode(gzip.compress(frames.T.tobytes(), 6)).decode()


def _short(values: Array, dropped: int) -> Array:
    """Numbers without the last of their 24 bits."""
    bits, half = values.view("<u4"), np.uint32(1 << (dropped - 1))
    short = (bits + half) & ~np.uint32((1 << dropped) - 1)
    return np.where(np.isfinite(values), short, bits).astype("<u4").view("<f4")


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
