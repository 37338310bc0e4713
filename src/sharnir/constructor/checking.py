"""What is wrong with a scene, each thing at its path, without compiling anything.

A description is checked by itself, and again only when it has changed; then the scene is built from those that are
right, so that one mistake does not hide the others.
"""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import msgspec

from ..control.defaults import default_diagram
from ..control.diagram import Diagram
from ..control.faults import checked_effects
from ..control.fitting import Fitting, SheetParts
from ..control.spec import DiagramSpec, SubDiagramSpec
from ..errors import SceneError
from ..files.scene_file import SceneFile, adders
from ..files.typed import Misfit, to_plain, to_typed
from ..scene.check import check_scene
from ..scene.scene import STANDARD_GRAVITY, Scene
from ..scene.values import Content, Plain, warning_names
from .patch import path_of
from .wording import in_hand_words

Found = list[tuple[str, str]]  # (path, message)
BY_NAME = (
    "materials",
    "terrain",
    "bodies",
    "joints",
    "couplings",
    "rays",
    "cameras",
    "rulers",
    "sensors",
    "ropes",
    "faults",
    "scenarios",
)


PARTS = ("inputs", "blocks", "outputs", "diagrams")  # of a diagram


class Checker:
    """Checks one document again and again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[str, ...], tuple[bytes, object, Found]] = {}  # by place: what was given, and found
        self._lost: set[str] = set()  # names of what is wrong, and is therefore not in the scene

    def check(self, data: Plain) -> tuple[Scene | None, list[Plain]]:
        """The scene of what is right, None where there is none at all, and what is wrong: path and message."""
        problems: Found = []
        self._lost = set()
        typed = self._typed(data, problems)
        scene = self._built(typed, problems)
        if scene is not None and not problems:
            _attempt(problems, "", check_scene, scene)
        return scene, [{"path": path, "message": in_hand_words(message)} for path, message in problems]

    # --- descriptions -----------------------------------------------------------------------------------------------

    def _typed(self, data: Plain, problems: Found) -> Plain:
        typed: Plain = {}
        hints = {field.name: field.type for field in msgspec.structs.fields(SceneFile)}
        for key, value in data.items():
            if key in BY_NAME and isinstance(value, dict):
                hint = get_args(hints[key])[1]
                named = {name: self._item(hint, (key, name), item, problems) for name, item in value.items()}
                typed[key] = {name: item for name, item in named.items() if item is not None}
                self._lost |= named.keys() - typed[key].keys()
            elif key == "diagram" and isinstance(value, dict):
                typed[key] = self._diagram(value, problems)
            elif key not in hints:
                _attempt(problems, "", to_typed, SceneFile, {"sharnir": 1, key: value})
            elif (made := self._item(hints[key], (key,), value, problems)) is not None:
                typed[key] = made
        if "sharnir" not in data:
            problems.append(("", "missing key 'sharnir'; give 1, the version of the format"))
        return typed

    def _diagram(self, data: Plain, problems: Found) -> DiagramSpec:
        """The description of a diagram, of all parts of it that are right."""
        known = {field.name: field.type for field in msgspec.structs.fields(DiagramSpec)}
        typed: Plain = {}
        for key, value in data.items():
            if key in PARTS and isinstance(value, dict):
                hint = get_args(known[key])[1]
                named = {name: self._item(hint, ("diagram", key, name), item, problems) for name, item in value.items()}
                typed[key] = {name: item for name, item in named.items() if item is not None}
            elif key not in known:
                _attempt(problems, "/diagram", to_typed, DiagramSpec, {key: value}, ("diagram",))
            elif (made := self._item(known[key], ("diagram", key), value, problems)) is not None:
                typed[key] = made
        period = typed.pop("period", None)
        made = _attempt(problems, "/diagram/period", lambda: DiagramSpec(period=period, **typed))
        return made if isinstance(made, DiagramSpec) else DiagramSpec(**typed)

    def sheet(self, data: Plain, name: str) -> SheetParts:
        """What is right on a sheet: that of the diagram itself (""), or that of one of its sub-diagrams."""
        spec = self._diagram(data.get("diagram") or {}, [])
        if not name:
            return SheetParts(dict(spec.inputs), dict(spec.blocks), dict(spec.outputs), {}, dict(spec.diagrams))
        inner = spec.diagrams.get(name, SubDiagramSpec())
        return SheetParts(dict(inner.inputs), dict(inner.blocks), {}, dict(inner.outputs), dict(spec.diagrams))

    def _item(self, hint: Content, where: tuple[str, ...], value: object, problems: Found) -> Content:
        given = pickle.dumps(value)
        before = self._known.get(where)
        if before is None or before[0] != given:
            found: Found = []
            made = _attempt(found, path_of(where), to_typed, hint, value, where)
            before = self._known[where] = (given, made, found)
        problems += before[2]
        return before[1]

    # --- the scene --------------------------------------------------------------------------------------------------

    def _built(self, typed: Plain, problems: Found) -> Scene | None:
        gravity = typed.get("gravity", STANDARD_GRAVITY)
        scene: Scene | None = _attempt(problems, "/gravity", Scene, typed.get("name", "scene"), gravity)
        if scene is None:
            return None
        scene.sky = typed.get("sky")
        for section, add in adders(scene, lambda file: str(self._folder / file)).items():
            for name, spec in typed.get(section, {}).items():
                found: Found = []
                _attempt(found, path_of((section, name)), add, name, spec)
                for path, message in found:
                    if not self._follows(message, name):
                        problems.append((place_of(message, to_plain(spec), path), message))
                    self._lost.add(name)
        for i, pair in enumerate(typed.get("material_pairs", ())):
            _attempt(problems, f"/material_pairs/{i}", scene.material_pair, *pair.between, pair.material)
        control: Found = []
        self._add_control(scene, typed, control)
        problems += [(path, message) for path, message in control if not self._follows(message)]
        return scene

    def _follows(self, message: str, name: str = "") -> bool:
        """Whether a message (about ``name``) misses what is there, but wrong: that has been told where it is."""
        return any(f"'{lost}'" in message or f"'{lost}." in message for lost in self._lost - {name})

    def _add_control(self, scene: Scene, typed: Plain, problems: Found) -> None:
        unwanted = typed.get("ignored_warnings", ())
        scene.ignored_warnings = (
            _attempt(problems, "/ignored_warnings", warning_names, "ignored_warnings", unwanted) or ()
        )
        if (spec := typed.get("diagram")) is not None:
            diagram = scene.diagram = Diagram.of(spec, scene.name)
            wrong = _wrong_blocks(diagram, scene)
            problems += wrong
            if not wrong:
                _attempt(problems, "/diagram", diagram.check, scene)
        if (panel := typed.get("panel")) is not None:
            scene.panel = panel
            _attempt(problems, "/panel", lambda: panel.check(scene.diagram or default_diagram(scene), scene))
        for name, fault in typed.get("faults", {}).items():
            _attempt(problems, path_of(("faults", name)), checked_effects, name, fault, scene)
            scene.faults[name] = fault
        for name, scenario in typed.get("scenarios", {}).items():
            _attempt(problems, path_of(("scenarios", name)), scenario.check, scene)
            scene.scenarios[name] = scenario


def _wrong_blocks(diagram: Diagram, scene: Scene) -> Found:
    """What is wrong with each block of a diagram, by itself."""
    parts = SheetParts(dict(diagram.inputs), dict(diagram.blocks), dict(diagram.outputs), {}, dict(diagram.diagrams))
    found = []
    for name, message in Fitting(parts, scene).errors.items():
        section = "blocks" if name in diagram.blocks else "outputs"
        found.append((path_of(("diagram", section, name) if name else ("diagram",)), message))
    return found


def _attempt(problems: Found, path: str, do: Callable[..., object], *given: Content) -> Content:
    """What ``do`` gives; None, with the problem noted at its path, where it refuses."""
    try:
        return do(*given)
    except Misfit as misfit:
        problems.append((path_of(misfit.at), str(misfit)))
    except SceneError as error:
        problems.append((path or _named(str(error)), str(error)))
    return None


def place_of(message: str, data: object, path: str) -> str:
    """The path of the field that a message is about, such as "Box x (m) is -3", below the path of its owner."""
    said = re.search(r"\b(\w+)(?: \([^()]*(?:\([^()]*\)[^()]*)*\))?(?:\[\d\])? (?:is|are) (\S+?);? ", message + " ")
    if said is None:
        return path
    places = list(_fields(data, said[1]))
    shown = [steps for steps, value in places if f"{value:g}" == said[2]] if places else []
    best = shown or [steps for steps, _ in places]
    return path + path_of(best[0]) if best else path


def _fields(data: object, name: str, above: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], float]]:
    """Where fields of a name are, with their numbers; NaN for what is no number."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        if key == name:
            yield (*above, key), float(value) if isinstance(value, (int, float)) else math.nan
        yield from _fields(value, name, (*above, key))


def _named(message: str) -> str:
    """The path of what a check of the whole scene names first."""
    sections = {"body": "bodies", "joint": "joints", "coupling": "couplings", "rope": "ropes", "terrain": "terrain"}
    kind, _, rest = message.partition(" '")
    return path_of((sections[kind], rest.partition("'")[0])) if kind in sections else ""
