"""A scene's joints as a tree, and those that are left to close loops."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.scene import Scene


class Branch(NamedTuple):
    """A body hung on its parent by a joint; without a joint it floats, or stands."""

    body: Body
    parent: Body
    joint: Joint | None


def spanning_tree(
    scene: Scene, holding: tuple[type, ...], closing: tuple[type, ...]
) -> tuple[list[Branch], list[Joint]]:
    """Bodies, parents first, on joints of the types ``holding``, and the joints that are left over.

    Joints that could not close a loop, as their type is not among ``closing`` or as they carry something, choose their
    place in the tree first.
    """
    joints = [joint for joint in scene.joints.values() if isinstance(joint.type, holding)]
    group = {name: name for name in (scene.world.name, *scene.bodies)}
    tree: list[Joint] = []
    for joint in sorted(joints, key=lambda joint: isinstance(joint.type, closing) and not carries(joint)):
        first, second = group[joint.a.name], group[joint.b.name]
        if first != second:
            tree.append(joint)
            group = {name: first if label == second else label for name, label in group.items()}
    left = [joint for joint in scene.joints.values() if joint not in tree]
    return _hung(scene, tree), left


def carries(joint: Joint) -> bool:
    """Whether a joint has limits, friction, a spring or a drive."""
    return bool(joint.ranges or joint.friction or joint.springs or joint.drives)


def _hung(scene: Scene, tree: list[Joint]) -> list[Branch]:
    neighbours: dict[str, list[tuple[Body, Joint]]] = {name: [] for name in (scene.world.name, *scene.bodies)}
    for joint in tree:
        neighbours[joint.a.name].append((joint.b, joint))
        neighbours[joint.b.name].append((joint.a, joint))
    branches: list[Branch] = []
    reached = {scene.world.name}
    fixed = [body for body in scene.bodies.values() if body.spec.fixed]
    free = [body for body in scene.bodies.values() if not body.spec.fixed]
    for root in (*fixed, scene.world, *free):
        if root is not scene.world and root.name in reached:
            continue
        if root is not scene.world:
            reached.add(root.name)
            branches.append(Branch(root, scene.world, None))
        queue = deque([root])
        while queue:
            parent = queue.popleft()
            for body, joint in neighbours[parent.name]:
                if body.name not in reached:
                    reached.add(body.name)
                    branches.append(Branch(body, parent, joint))
                    queue.append(body)
    return branches
