"""What a robot's format has no place for, told by whoever writes it; and colours as formats have them."""

from __future__ import annotations

from collections.abc import Iterable

from ..scene.materials import DEFAULT, Contact, Material
from ..scene.scene import Scene
from ..scene.shapes import AnyShape, Sphere
from .report import ImportReport

PLAIN = Sphere(radius=1.0)  # what a shape is like that nobody has said more of
FINISH = ("roughness", "metalness", "glow")


def rgba_of(color: str) -> tuple[float, float, float, float]:
    """A colour as in CSS as red, green, blue and opacity, from 0 to 1."""
    from PIL import ImageColor

    red, green, blue, *solid = ImageColor.getrgb(color)
    return (red / 255.0, green / 255.0, blue / 255.0, (solid[0] if solid else 255) / 255.0)


def tell_left_out(scene: Scene, report: ImportReport, format_: str, written: Iterable[str] = ()) -> None:
    """Name what of bodies, joints and surfaces a format does not hold, but for what is ``written`` all the same."""
    kept = {*written}
    for name, body in scene.bodies.items():
        where = f"body '{name}'"
        if any(body.spec.velocity) or any(body.spec.angular_velocity):
            report.ignore(where, "velocity", f"{format_} starts at rest", "motion")
        for what in {what: None for shape in body.spec.shapes for what in _worn(shape)}:
            if what not in kept:
                report.ignore(where, what, f"{format_} has none here", "looks")
    for name, joint in scene.joints.items():
        for what, carried in (("actuator", joint.spec.actuator), ("catch", joint.spec.catch)):
            if carried is not None:
                report.ignore(f"joint '{name}'", what, "has no counterpart", "motion")
    lost = [word for word, given in _surfaces(scene).items() if given and word not in kept]
    for word in lost:
        report.ignore(f"scene '{scene.name}'", word, f"{format_} has none", "contact")
    if scene.rulers:
        report.ignore(f"scene '{scene.name}'", f"{len(scene.rulers)} rulers", "are not written", "sensing")


def _worn(shape: AnyShape) -> list[str]:
    """What a seen shape wears beside its colour."""
    if not shape.visible:
        return []
    finish = any(getattr(shape, name) != getattr(PLAIN, name) for name in FINISH)
    return [word for word, given in (("texture", shape.texture), ("finish of a material", finish)) if given]


def _surfaces(scene: Scene) -> dict[str, bool]:
    """What scenes may say of contact beside friction."""
    named = scene.materials.named
    contacts = [body.spec.contact for body in scene.bodies.values()]
    own = [one for one in contacts if isinstance(one, Contact)]
    return {
        "contact groups": False in contacts or any({*one.groups, *one.ignores} - {DEFAULT, scene.name} for one in own),
        "restitution": any(material.restitution for material in named.values()),
        "compliance of materials": any(material.stiffness is not None for material in named.values()),
        "materials of pairs": any(pair.material != _larger(scene, pair.between) for pair in scene.materials.pairs),
    }


def _larger(scene: Scene, pair: tuple[str, str]) -> Material:
    """What holds between two materials where the larger number does, as in MuJoCo."""
    a, b = (scene.materials.named.get(name, Material()) for name in pair)
    names = ("friction", "rolling_friction", "spinning_friction")
    return Material(**{name: max(getattr(a, name), getattr(b, name)) for name in names})
