"""Machines: the bodies of a scene that joints hold together."""

from __future__ import annotations

from .scene import Scene


def machines_of(scene: Scene) -> list[list[str]]:
    """The names of the bodies that move, in groups that joints hold together."""
    moving = [name for name, body in scene.bodies.items() if not body.spec.fixed]
    group = {name: [name] for name in moving}
    for joint in scene.joints.values():
        a, b = (group.get(end.name) for end in (joint.a, joint.b))
        if a is not None and b is not None and a is not b:
            a.extend(b)
            group |= dict.fromkeys(b, a)
    return list({id(found): found for found in group.values()}.values())
