"""The faults that an instructor is offered: those of the scene, and what makes sense in any scene."""

from __future__ import annotations

import msgspec

from ..control.faults import AnyFault, BrakeFailure, DriveLoss, ExtraFriction, Gust
from ..control.sinks import Brake
from ..errors import SceneError
from ..files.typed import Misfit, to_plain, to_typed
from ..model.layout import frictions_of
from ..model.softs import softs_of
from ..scene.elements.friction_laws import Viscous
from ..scene.scene import Scene
from ..scene.values import Plain

HARDER = 4.0  # times a joint's own friction is what it gets more
GUST = 0.5  # g, of a body's mass


def fault_of(described: Plain) -> AnyFault:
    """A fault from its description."""
    try:
        fault: AnyFault = to_typed(AnyFault, described)
    except (Misfit, msgspec.MsgspecError) as error:
        raise SceneError(f"fault: {error}") from None
    return fault


def faults_offered(scene: Scene) -> dict[str, Plain]:
    """Faults by name, as plain data."""
    found: dict[str, AnyFault] = dict(scene.faults)
    for row in softs_of(scene):
        if row.drive is not None:
            found.setdefault(f"drive loss: {row.joint.name}", DriveLoss(joint=row.label))
    outputs = {} if scene.diagram is None else scene.diagram.outputs
    for sink in outputs.values():
        if isinstance(sink, Brake):
            found.setdefault(f"brake failure: {sink.joint}", BrakeFailure(joint=sink.joint))
    for label, joint, axes in frictions_of(scene):
        law = joint.friction[axes.name]
        level = 0.0 if isinstance(law, Viscous) else float(getattr(law, "level", 0.0))
        if level > 0.0:
            found.setdefault(f"extra friction: {joint.name}", ExtraFriction(joint=label, level=HARDER * level))
    for name, body in scene.bodies.items():
        if body.properties is not None:
            force = round(GUST * 9.81 * body.properties.mass, 1)
            found.setdefault(f"gust: {name}", Gust(body=name, force=(force, 0.0, 0.0)))
    return {name: to_plain(fault) for name, fault in found.items()}
