"""Tracks as they are drawn: links round the two end wheels of a frame, rollers within, and a sprocket of its own size.

The physics has a plate with two end wheels whose surfaces run, and all of the belt's mass in a ring on the sprocket.
"""

from __future__ import annotations

from ..scene.body import Body
from ..scene.materials import Contact
from ..scene.scene import Scene
from ..scene.shapes import Wheel
from ..scene.tyres import Belt
from ..scene.values import Plain

STRAIGHT = (0.0, 0.0, 0.0, 1.0)
INNER = 0.8  # of the radius: the wheels within the belt
TEETH = 0.9  # of the radius: the sprocket, which stands out from the wheel behind it
NARROWER = 0.6  # of the width: what carries them


def belt_of(body: Body) -> Belt | None:
    """The belt of a body, where it has one."""
    contact = body.spec.contact
    return contact.belt if isinstance(contact, Contact) else None


def sprockets_of(scene: Scene) -> dict[str, float]:
    """The bodies that are sprockets, with the radii of their belts (m)."""
    belts = [belt for body in scene.bodies.values() if (belt := belt_of(body)) is not None]
    return {scene.joints[belt.sprocket].b.name: belt.radius for belt in belts if belt.sprocket in scene.joints}


def track_shapes(body: Body, belt: Belt, color: str | None) -> list[Plain]:
    """A frame with its belt; empty where it has no two end wheels to run round."""
    ends = [shape for shape in body.spec.shapes if isinstance(shape, Wheel)]
    if len(ends) != 2:
        return []
    front, rear = sorted((end.position for end in ends), reverse=True)
    half, middle = 0.5 * (front[0] - rear[0]), tuple(0.5 * (a + b) for a, b in zip(front, rear, strict=True))
    radius, width = ends[0].radius, ends[0].width
    place = {"position": middle, "rotation": STRAIGHT, "color": color}
    wheel = {"kind": "wheel", "size": [INNER * radius, INNER * width], "rotation": ends[0].rotation, "color": None}
    return [
        {"kind": "belt", "size": [half, radius, width], "joint": f"{belt.sprocket}.angle", **place},
        {"kind": "box", "size": [2 * half, NARROWER * width, radius], **place},
        {**wheel, "position": front},
        {**wheel, "position": rear},
    ]


def sprocket_shapes(shapes: list[Plain], radius: float) -> list[Plain]:
    """The cylinder that stands for the belt's inertia, as large as the sprocket is."""
    return [{**shape, "kind": "wheel", "size": [TEETH * radius, 0.99 * shape["size"][1]]} for shape in shapes]
