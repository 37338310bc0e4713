"""The frames of an SDF model: every pose may be relative to another frame, in any order."""

from __future__ import annotations

import math

import numpy as np

from .. import spatial
from ..errors import nearest
from ..spatial import Pose
from .tree import NOWHERE, from_rpy
from .xml import Node

MODEL = "__model__"


class Frames:
    """Poses in the frame of a model, by the names of links, joints, frames and models in it."""

    def __init__(self) -> None:
        self.raw: dict[str, tuple[Node | None, Pose, str]] = {MODEL: (None, NOWHERE, "")}
        self.known: dict[str, Pose] = {MODEL: NOWHERE}

    def add(self, name: str, node: Node, default: str) -> None:
        """A frame that its ``<pose>`` places relative to another one, to ``default`` where it does not say."""
        if name in self.raw:
            raise node.fail(f"there is a frame '{name[:60]}' already; give each link, joint and frame its own name")
        pose, relative_to = pose_of(node)
        self.raw[name] = (node, pose, relative_to or default)

    def put(self, name: str, node: Node, pose: Pose) -> None:
        """A frame whose pose in the model is known."""
        self.raw[name] = (node, pose, MODEL)

    def of(self, name: str, node: Node) -> Pose:
        """The pose of a frame in the model, m; ``node`` asks for it."""
        chain: list[str] = []
        at = name
        while at not in self.known:
            if at not in self.raw:
                raise node.fail(f"there is no frame '{at[:60]}'{nearest(at, self.raw)}")
            if at in chain:
                raise node.fail(f"the pose of '{at[:60]}' leads back to itself; one frame must stand by itself")
            chain.append(at)
            at = self.raw[at][2]
        for link in reversed(chain):
            _, pose, relative_to = self.raw[link]
            self.known[link] = self.known[relative_to] @ pose
        return self.known[name]

    def resolved(self, node: Node, default: str) -> Pose:
        """Where the ``<pose>`` of an element puts it in the model, relative to ``default`` where it does not say."""
        pose, relative_to = pose_of(node)
        return self.of(relative_to or default, node) @ pose


def pose_of(node: Node) -> tuple[Pose, str]:
    """The pose of an element's ``<pose>``, and what it is relative to."""
    found = node.child("pose")
    if found is None:
        return NOWHERE, ""
    relative_to = found.get("relative_to") or found.get("frame")
    text = found.content()
    if not text:
        return NOWHERE, relative_to
    if found.get("rotation_format") == "quat_xyzw":
        x, y, z, *turn = found.split(text, "pose", 7)
        length = math.sqrt(sum(part * part for part in turn))
        if length < 1e-9:
            raise found.fail("its quaternion is zero; give one of length 1")
        return Pose(np.array([x, y, z]), np.array(turn) / length), relative_to
    x, y, z, roll, pitch, yaw = found.split(text, "pose", 6)
    unit = math.pi / 180.0 if found.get("degrees") in ("true", "1") else 1.0
    if not (roll or pitch or yaw):
        return Pose(np.array([x, y, z]), np.array(spatial.IDENTITY)), relative_to
    return Pose(np.array([x, y, z]), from_rpy(roll * unit, pitch * unit, yaw * unit)), relative_to
