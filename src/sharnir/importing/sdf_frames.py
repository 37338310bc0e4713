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
    """Poses in the frame of a model, or of a world, by the names of links, joints, frames and models in it.

    ``attached`` has what each frame moves with: a link, or another frame.
    """

    def __init__(self) -> None:
        self.raw: dict[str, tuple[Node | None, Pose, str]] = {MODEL: (None, NOWHERE, "")}
        self.known: dict[str, Pose] = {MODEL: NOWHERE}
        self.attached: dict[str, str] = {}
        self.models: dict[Node, tuple[Pose, str]] = {}  # where the models in it are placed, and relative to what

    def add(self, name: str, node: Node, default: str) -> None:
        """A frame that its ``<pose>`` places relative to another one, to ``default`` where it does not say.

        It moves with ``default``, and a link with itself.
        """
        if name in self.raw:
            raise node.fail(f"there is a frame '{name[:60]}' already; give each link, joint and frame its own name")
        pose, relative_to = pose_of(node)
        self.raw[name] = (node, pose, relative_to or default)
        self.attached[name] = name if node.tag == "link" else default

    def place(self, name: str, node: Node, inner: Frames) -> None:
        """A model with the frames in it; its ``<pose>`` is that of its placement frame, if it names one."""
        pose, relative_to = pose_of(node)
        held = node.get("placement_frame")
        pose = pose @ inner.of(held, node).inverse() if held else pose
        self.models[node] = (pose, relative_to or MODEL)
        self.raw.setdefault(name, (node, *self.models[node]))
        self.attached.setdefault(name, f"{name}::{MODEL}")
        for known in inner.raw:
            self.raw.setdefault(f"{name}::{known}", (node, inner.of(known, node), name))
        for known, link in inner.attached.items():
            self.attached.setdefault(f"{name}::{known}", f"{name}::{link}")

    def at(self, model: Node) -> Pose:
        """Where a model in it is placed."""
        pose, relative_to = self.models[model]
        return self.of(relative_to, model) @ pose

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

    def on(self, link: str, node: Node) -> Pose:
        """Where the ``<pose>`` of a part of a link puts it in the link's frame."""
        pose, relative_to = pose_of(node)
        return self.of(link, node).inverse() @ self.of(relative_to, node) @ pose if relative_to else pose

    def link_of(self, name: str, node: Node) -> str:
        """The link that a frame moves with; the name itself where there is no such frame."""
        seen: set[str] = set()
        while self.attached.get(name, name) != name:
            if name in seen:
                raise node.fail(f"frame '{name[:60]}' is attached to itself; attach it to a link")
            seen.add(name)
            name = self.attached[name]
        return name


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
