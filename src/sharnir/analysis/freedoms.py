"""The freedoms of a scene: independent coordinates of the motion, and the redundant rows.

The locked rows L of all joints and the rows C of the freedoms are one square matrix over the velocities of the bodies,

    [L; C] v = [0; u]

found greedily at the start of the scene: a row belongs to it if it does not follow from those before. Of the locked
rows those left over are redundant. Freedoms are coordinates of joints first, so that a tree has all of its
coordinates; then velocities of bodies that no chain of joints ties to the ground.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError, nearest
from ..model.layout import coordinates_of
from ..reference.mechanism import JointDirection, Mechanism, Motion, Row
from ..scene.body import Body
from ..scene.coupled import locked_coordinates
from ..scene.joint import Joint
from ..scene.joints import Coordinate, CoordinateKind
from ..scene.mobility import locked_loops
from ..scene.quantity import XYZ, Quantity
from ..scene.scene import Scene
from ..scene.values import shown
from ..spatial import Array, cross, matrix

Chosen = Joint | Quantity | str  # a joint with one coordinate, one of its quantities, or a label: "ball.twist"
REDUNDANT = 1e-7  # what is left of a unit row beside the others, when it is no row of its own
BODY_RATES = ("velocity", "angular_velocity")


@dataclass(frozen=True)
class Freedom:
    """One freedom: a coordinate of a joint, or a component of a body's velocity.

    ``label`` is ``"hinge.angle"`` or ``"box.velocity.x"``, ``rate`` the quantity of its rate, with the ``component``
    that counts; ``effort_unit`` (N or N m) is that of the effort on it.
    """

    label: str
    rate: Quantity
    component: str | None
    effort_unit: str


@dataclass(frozen=True)
class Freedoms:
    """How a scene can move, as ``scene.freedoms()`` returns it, at the start.

    ``labels`` name the freedoms in the order of all matrices; ``mobility`` is their number. ``rows`` is the number of
    locked rows, ``redundant`` names those that follow from the others; ``locked`` are the joints that look free and
    cannot move.
    """

    labels: tuple[str, ...]
    rows: int
    redundant: tuple[str, ...]
    locked: tuple[str, ...]

    @property
    def mobility(self) -> int:
        """The number of freedoms."""
        return len(self.labels)


def freedoms_of(scene: Scene, chosen: Iterable[Chosen] = ()) -> Freedoms:
    """The freedoms of a scene at its start; ``chosen`` coordinates are taken first."""
    rows = FreedomRows(scene, chosen)
    held = [joint.name for loop in locked_loops(scene) for joint in loop.joints]
    held += [label.rpartition(".")[0] for label in locked_coordinates(scene)]
    count = rows.mechanism.locked + len(rows.couplings)
    return Freedoms(tuple(f.label for f in rows.freedoms), count, rows.redundant, tuple(dict.fromkeys(held)))


class FreedomRows:
    """The locked rows that count and those of the freedoms, of one scene."""

    def __init__(self, scene: Scene, chosen: Iterable[Chosen] = (), at: tuple[Array, Array] | None = None) -> None:
        """Choose freedoms where the scene starts, or with the bodies ``at`` centres (m) and rotations [body, ...]."""
        self.scene = scene
        self.mechanism = Mechanism(scene)
        self.bodies = len(self.mechanism.bodies)
        found = coordinates_of(scene)
        joints = [self.mechanism.joints.index(joint) for _, joint, _ in found]
        self.labels = tuple(label for label, _, _ in found)
        self.kinds = [(j, free.kind) for j, (_, _, free) in zip(joints, found, strict=True)]
        self.coordinate_rows = np.array([self.mechanism.coordinate_row(*kind) for kind in self.kinds], int)
        self.axis_rows = {
            (j, axes.is_linear, axis): self.mechanism.free_axis_row(j, axes.is_linear, axis)
            for j, joint in enumerate(self.mechanism.joints)
            for axes in joint.type.free_axes
            for axis in axes.axes
        }
        self.mechanism.freeze()
        self.couplings = [one for one in scene.couplings.values() if one.gap == 0.0]  # play ties nothing
        self.factors = np.zeros((len(self.couplings), len(self.labels)))
        for g, coupling in enumerate(self.couplings):
            for label, factor in zip(coupling.labels, coupling.factors, strict=True):
                self.factors[g, self.labels.index(label)] = factor
        self._select(self._candidates(found, _labels(chosen, self.labels)), at)

    def _candidates(
        self, found: Sequence[tuple[str, Joint, Coordinate]], chosen: list[str]
    ) -> list[tuple[int, Freedom]]:
        """Possible freedoms with their rows, in the order in which they are preferred.

        Those asked for, driven coordinates, other coordinates, velocities of bodies. Lengths between two points are
        freedoms only where they are asked for.
        """
        first: list[tuple[int, Freedom]] = []
        driven, plain = list(first), list(first)
        for row, (label, joint, free) in zip(self.coordinate_rows.tolist(), found, strict=True):
            freedom = Freedom(label, joint.rate(free.name), None, joint.effort(free.name).unit)
            if label in chosen:
                first.append((row, freedom))
            elif free.kind != CoordinateKind.RADIAL:
                (driven if free.name in joint.drives else plain).append((row, freedom))
        start = len(self.mechanism.rows)
        bodies = [
            (start + 6 * i + 3 * turning + k, _freedom_of(body, BODY_RATES[turning], XYZ[k]))
            for i, body in enumerate(self.mechanism.bodies)
            for turning in range(2)
            for k in range(3)
        ]
        return [*first, *driven, *plain, *bodies]

    def _select(self, candidates: list[tuple[int, Freedom]], at: tuple[Array, Array] | None) -> None:
        geared = len(self.mechanism.rows) + 6 * self.bodies
        locked = [*range(self.mechanism.locked), *range(geared, geared + len(self.couplings))]
        rows = self.all(self._still(*(self._start() if at is None else at)))[0][0]
        kept = independent(rows, [*locked, *(row for row, _ in candidates)])
        self.locks = np.array([row for row in kept if row in set(locked)], int)
        taken = {row: freedom for row, freedom in candidates if row in set(kept) - set(locked)}
        self.free = np.array(sorted(taken), int)
        self.freedoms = [taken[row] for row in self.free.tolist()]
        self.dropped = np.array([row for row in locked if row not in set(kept)], int)
        self.redundant = tuple(self.name_of(row) for row in self.dropped.tolist())

    def name_of(self, row: int) -> str:
        """A locked row in words: ``"rocker: turning about x"``, ``"pair: Gear"``."""
        if row >= len(self.mechanism.rows):
            coupling = self.couplings[row - len(self.mechanism.rows) - 6 * self.bodies]
            return f"{coupling.name}: {type(coupling.type).__name__}"
        return _row_name(self.mechanism.joints, self.mechanism.rows[row])

    def lock_errors(self, m: Motion, moved: Array | None) -> Array:
        """How far locked rows are off (m or rad), [k, row] by their number.

        Couplings are off by what the coordinates have ``moved`` [k, coordinate] since they agreed; None for not at all.
        """
        count = len(self.mechanism.rows) + 6 * self.bodies
        errors = np.zeros((len(m.x), count + len(self.couplings)))
        errors[:, : self.mechanism.locked] = self.mechanism.lock_errors(m)
        if moved is not None and self.couplings:
            errors[:, count:] = moved @ self.factors.T
        return errors

    def _start(self) -> tuple[Array, Array]:
        """Centres and rotations where the scene starts."""
        bodies = self.mechanism.bodies
        centers = np.array([body.pose.point(self.mechanism.center[i]) for i, body in enumerate(bodies)])
        return centers.reshape(-1, 3), np.array([matrix(body.pose.rotation) for body in bodies]).reshape(-1, 3, 3)

    def _still(self, centers: Array, rotations: Array) -> Motion:
        still = np.zeros((1, len(centers), 3))
        return self.mechanism.motion(centers[None], rotations[None], still, still)

    def all(self, m: Motion) -> tuple[Array, Array]:
        """Every row of the joints and of the bodies [k, row, body * 6], and their accelerations less J a [k, row]."""
        count = len(m.x)
        spin = m.w[:, : self.bodies]
        arm = -(m.rotation[:, : self.bodies] @ self.mechanism.center[..., None])[..., 0]  # to the frame's origin
        own = np.zeros((count, self.bodies, 6, self.bodies, 6))
        every = np.arange(self.bodies)
        own[:, every, :, every] = np.eye(6)
        own[:, every, :3, every, 3:] = np.swapaxes(np.cross(arm[..., None, :], np.eye(3)), 0, 1)
        bias = np.zeros((count, self.bodies, 6))
        bias[..., :3] = cross(spin, cross(spin, arm))
        width = 6 * self.bodies
        joints = m.jacobian.reshape(count, len(self.mechanism.rows), width)
        geared = self.factors @ joints[:, self.coordinate_rows]
        geared_bias = m.bias[:, self.coordinate_rows] @ self.factors.T
        rows = np.concatenate([joints, own.reshape(count, width, width), geared], axis=1)
        return rows, np.concatenate([m.bias, bias.reshape(count, -1), geared_bias], axis=1)


def independent(rows: Array, order: Iterable[int]) -> list[int]:
    """The rows that do not follow from those before them in an order."""
    basis = np.zeros_like(rows[: rows.shape[1]])
    kept: list[int] = []
    for i in order:
        row = rows[i]
        done = basis[: len(kept)]
        left = row - done.T @ (done @ row)
        left = left - done.T @ (done @ left)
        size = float(np.linalg.norm(left))
        if len(kept) < len(basis) and size > REDUNDANT * float(np.linalg.norm(row)):
            basis[len(kept)] = left / size
            kept.append(i)
    return kept


def _freedom_of(body: Body, variable: str, component: str) -> Freedom:
    linear = variable == "velocity"
    quantity = Quantity(variable, body.name, "m/s" if linear else "rad/s", XYZ)
    return Freedom(f"{body.name}.{variable}.{component}", quantity, component, "N" if linear else "N m")


def _labels(chosen: Iterable[object], known: Sequence[str]) -> list[str]:
    """Coordinates as the user named them: quantities, joints with one coordinate, or labels."""
    labels = []
    for one in chosen:
        quantity = one.coordinate() if isinstance(one, Joint) else one
        label = quantity.item if isinstance(quantity, Quantity) and quantity.variable == "coordinate" else quantity
        if label not in known:
            raise SceneError(
                f"freedoms: {shown(one)} is no coordinate of a joint of this scene{nearest(str(label), known)}"
            )
        labels.append(str(label))
    return labels


def _row_name(joints: list[Joint], row: Row) -> str:
    """A locked row in words: ``"rocker: turning about x"``."""
    name = joints[row.joint].name
    if row.direction == JointDirection.RADIAL:
        return f"{name}: distance"
    if row.direction == JointDirection.SLIDE:
        return f"{name}: sliding along {XYZ[row.axis]}"
    return f"{name}: turning about {'z' if row.direction == JointDirection.SQUARE else XYZ[row.axis]}"
