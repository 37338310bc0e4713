"""The default scheme and console that a document without its own is offered: those it would be driven with."""

from __future__ import annotations

from ..control.defaults import default_diagram, default_panel
from ..control.diagram import Diagram
from ..control.fitting import Fitting, SheetParts
from ..files.typed import to_plain
from ..scene.scene import Scene
from ..scene.values import Plain


def offered(scene: Scene) -> Plain:
    """The ``diagram`` made of the drives and joints of a scene that has none, what its signals carry (``kinds``: type
    and unit by name), and the ``panel`` made of the diagram where the scene has none; without inputs neither."""
    made: Plain = {}
    diagram = scene.diagram
    if diagram is None:
        diagram = default_diagram(scene)
        if not diagram.inputs:
            return made
        made = {"diagram": to_plain(diagram.spec), "kinds": _kinds(diagram, scene)}
    if scene.panel is None and diagram.inputs:
        made["panel"] = to_plain(default_panel(diagram, scene))
    return made


def _kinds(diagram: Diagram, scene: Scene) -> Plain:
    parts = SheetParts(dict(diagram.inputs), dict(diagram.blocks), dict(diagram.outputs), {}, dict(diagram.diagrams))
    return {name: [kind.type, kind.unit] for name, kind in Fitting(parts, scene).kinds.items()}
