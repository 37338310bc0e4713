"""The bodies and joints of a scene as rows of a matrix, for many states at once.

A row is a direction d of a joint: its rate is

    linear    d . u,  u = v_b + w_b x r_b - v_a - w_a x rho       r_b from b's centre to its anchor, rho from a's to it
    angular   d . w,  w = w_b - w_a

so J holds (-d, -rho x d) for body a and (d, r_b x d) for body b, or (0, -d) and (0, d), and the part of the row's
acceleration that is not J a is

    linear    d . (w_b x (w_b x r_b) - w_a x (v_b + w_b x r_b - v_a)) + d' . u
    angular   d' . w

Joints, their locked axes and their coordinates are those of ``scene/joint_coordinates.py``. All arrays begin with the
batch axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from .. import spatial
from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.joint_coordinates import coordinate, coordinate_axis
from ..scene.joints import Basis, CoordinateKind
from ..scene.scene import Scene
from ..spatial import Array, Pose, cross


class JointDirection(IntEnum):
    """Where the direction of a row comes from."""

    SLIDE = 0  # an axis of a's frame, linear
    TURN = 1  # an axis of a's frame, angular
    TURN_B = 2  # the y axis of b's frame, angular
    SQUARE = 3  # x of a's frame cross y of b's, angular
    RADIAL = 4  # from a's anchor to b's, linear
    TWIST = 5  # (a + b)/(1 + a.b), the z axes of the two frames, angular
    SWING = 6  # a swing coordinate of a ball joint, angular


@dataclass(frozen=True)
class Row:
    """One row: a joint, what its direction is, and which axis."""

    joint: int
    direction: JointDirection
    axis: int = 2
    kind: CoordinateKind | None = None  # of SWING rows


def dot(a: Array, b: Array) -> Array:
    """The scalar product over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", a, b))


def turned(v: Array) -> Array:
    """The rotation matrices of rotation vectors [..., 3]: exp of their cross-product matrices."""
    square = dot(v, v)
    angle = np.sqrt(square)
    sine = np.sinc(angle / np.pi)[..., None, None]  # sin(x)/x
    half = 0.5 * np.square(np.sinc(angle / (2.0 * np.pi)))[..., None, None]  # (1 - cos(x))/x^2
    k = np.zeros((*v.shape, 3))
    k[..., 0, 1], k[..., 0, 2], k[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    k[..., 1, 0], k[..., 2, 0], k[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return np.asarray(np.eye(3) + sine * k + half * (k @ k))


def vector_rate(v: Array, spin: Array) -> Array:
    """The rate of a rotation vector whose rotation has the angular velocity ``spin`` in world axes."""
    square = dot(v, v)[..., None]
    small = square < 1e-4
    angle = np.sqrt(np.where(small, 1.0, square))
    closed = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / (angle * angle)
    series = 1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    turn = cross(v, spin)
    return np.asarray(spin - 0.5 * turn + np.where(small, series, closed) * cross(v, turn))


def quaternions(m: Array) -> Array:
    """The unit quaternions of rotation matrices [k, 3, 3], either sign (divided by their largest component)."""
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    xy, xz, yz = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    x, y, z = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    four = np.array(
        [
            [1.0 + xx - yy - zz, xy, xz, x],
            [xy, 1.0 - xx + yy - zz, yz, y],
            [xz, yz, 1.0 - xx - yy + zz, z],
            [x, y, z, 1.0 + xx + yy + zz],
        ]
    )
    largest = np.argmax(np.diagonal(four), axis=1)
    q = four[largest, :, np.arange(len(m))]
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


@dataclass
class Motion:
    """Where the bodies and the joints are and how the rows move, [batch, ...]."""

    x: Array  # [k, body, 3] centres of mass, m; the last body is the ground
    rotation: Array  # [k, body, 3, 3]
    v: Array  # [k, body, 3] m/s
    w: Array  # [k, body, 3] rad/s, world axes
    frame_a: Array  # [k, joint, 3, 3] columns: axes of the joint's frame on a
    frame_b: Array
    offset: Array  # [k, joint, 3] from a's anchor to b's
    direction: Array  # [k, row, 3]
    jacobian: Array  # [k, row, body, 6]
    rate: Array  # [k, row] rates of the rows
    bias: Array  # [k, row] their accelerations less J a
    inverse_inertia: Array  # [k, body, 3, 3] world axes
    gyroscopic: Array  # [k, body, 3] w x I w

    @property
    def relative(self) -> Array:
        """The rotation of each b frame seen from its a frame, [k, joint, 3, 3]."""
        return np.asarray(np.swapaxes(self.frame_a, -1, -2) @ self.frame_b)


class Mechanism:
    """The moving bodies, the joints and the rows of a scene as flat arrays."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.bodies = [body for body in scene.bodies.values() if not body.spec.fixed]
        self.joints = list(scene.joints.values())
        self.place = {body.name: i for i, body in enumerate(self.bodies)}
        self.ground = len(self.bodies)
        parts = [body.properties for body in self.bodies if body.properties is not None]
        self.mass = np.array([part.mass for part in parts])
        self.center = np.array([part.center for part in parts]).reshape(-1, 3)
        self.inertia = np.array([part.inertia for part in parts]).reshape(-1, 3, 3)
        self._inverse = np.linalg.inv(self.inertia)
        self.a = np.array([self.place.get(joint.a.name, self.ground) for joint in self.joints], int)
        self.b = np.array([self.place.get(joint.b.name, self.ground) for joint in self.joints], int)
        on_a = [self._on_body(joint.a, joint.frame_a) for joint in self.joints]
        on_b = [self._on_body(joint.b, joint.frame_b) for joint in self.joints]
        self._anchor = np.array([pose.position for pose in (*on_a, *on_b)]).reshape(-1, 3, 1)
        self._turn = np.array([spatial.matrix(pose.rotation) for pose in (*on_a, *on_b)]).reshape(-1, 3, 3)
        self._sides = np.concatenate([self.a, self.b])
        self.rows: list[Row] = []
        for j, joint in enumerate(self.joints):
            self.rows += _locked_rows(j, joint)
        self.locked = len(self.rows)
        self.sums: list[tuple[tuple[int, ...], tuple[float, ...]]] = []  # rows that are sums of others, after them

    def _on_body(self, body: Body, frame: Pose) -> Pose:
        """A joint frame seen from the body's centre of mass, or in the world for a body that cannot move."""
        if body.properties is None:
            return body.pose @ frame
        return Pose(frame.position - body.properties.center, frame.rotation)

    def add_row(self, row: Row) -> int:
        """The place of a row, added if it is new."""
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)

    @property
    def row_count(self) -> int:
        """Of rows and of sums of rows."""
        return len(self.rows) + len(self.sums)

    def coordinate_row(self, joint: int, kind: CoordinateKind) -> int:
        """The row of a coordinate."""
        if kind <= CoordinateKind.SLIDE_Z:
            return self.add_row(Row(joint, JointDirection.SLIDE, int(kind)))
        if kind == CoordinateKind.RADIAL:
            return self.add_row(Row(joint, JointDirection.RADIAL))
        if kind == CoordinateKind.CARDAN_X:
            return self.add_row(Row(joint, JointDirection.TURN, 0))
        if kind == CoordinateKind.CARDAN_Y:
            return self.add_row(Row(joint, JointDirection.TURN_B, 1))
        if kind == CoordinateKind.TWIST:
            hinged = self.joints[joint].type.locked_rotations == (True, True, False)
            return self.add_row(Row(joint, JointDirection.TURN if hinged else JointDirection.TWIST))
        return self.add_row(Row(joint, JointDirection.SWING, kind=kind))

    def free_axis_row(self, joint: int, is_linear: bool, axis: int) -> int:
        """The row of a free axis that carries friction."""
        if is_linear:
            return self.add_row(Row(joint, JointDirection.SLIDE, axis))
        if self.joints[joint].type.basis == Basis.CARDAN and axis == 1:
            return self.add_row(Row(joint, JointDirection.TURN_B, 1))
        return self.add_row(Row(joint, JointDirection.TURN, axis))

    def freeze(self) -> None:
        """Index the rows; none can be added after this."""
        self.row_joint = np.array([row.joint for row in self.rows], int)
        self.row_axis = np.array([row.axis for row in self.rows], int)
        directions = np.array([int(row.direction) for row in self.rows], int)
        self.linear = (directions == JointDirection.SLIDE) | (directions == JointDirection.RADIAL)
        self._special = {
            kind: np.flatnonzero(directions == kind)
            for kind in (
                JointDirection.TURN_B,
                JointDirection.SQUARE,
                JointDirection.RADIAL,
                JointDirection.TWIST,
                JointDirection.SWING,
            )
            if (directions == kind).any()
        }
        self._row_a, self._row_b = self.a[self.row_joint], self.b[self.row_joint]
        self._every = np.arange(len(self.rows))
        self._summing = np.zeros((len(self.sums), len(self.rows)))
        for g, (rows, factors) in enumerate(self.sums):
            self._summing[g, list(rows)] = factors

    # --- a batch of states ------------------------------------------------------------------------------------------

    def motion(self, x: Array, rotation: Array, v: Array, w: Array) -> Motion:
        """Kinematics of states: centres, rotation matrices, velocities and spins of the moving bodies."""
        count = len(x)
        back = np.swapaxes(rotation, -1, -2)
        inverse_inertia = rotation @ self._inverse @ back
        momentum = (rotation @ (self.inertia @ (back @ w[..., None])))[..., 0]
        gyroscopic = cross(w, momentum)
        still = np.zeros((count, 1, 3))
        x, v, w = (np.concatenate([part, still], axis=1) for part in (x, v, w))
        rotation = np.concatenate([rotation, np.broadcast_to(np.eye(3), (count, 1, 3, 3))], axis=1)
        turns = rotation[:, self._sides]
        frames = turns @ self._turn
        arms = (turns @ self._anchor)[..., 0]
        half = len(self.joints)
        arm_b = arms[:, half:]
        anchor = x[:, self.b] + arm_b
        offset = anchor - x[:, self.a] - arms[:, :half]
        motion = Motion(
            x,
            rotation,
            v,
            w,
            frames[:, :half],
            frames[:, half:],
            offset,
            *(np.zeros(0),) * 4,
            inverse_inertia,
            gyroscopic,
        )
        self._fill_rows(motion, anchor, arm_b)
        return motion

    def _fill_rows(self, m: Motion, anchor: Array, arm_b: Array) -> None:
        joint, linear = self.row_joint, self.linear
        wa, wb = m.w[:, self._row_a], m.w[:, self._row_b]
        arm_b = arm_b[:, joint]
        rho = anchor[:, joint] - m.x[:, self._row_a]
        d = m.frame_a[:, joint, :, self.row_axis].swapaxes(0, 1)
        d_rate = cross(wa, d)
        swirl = cross(wb, arm_b)
        approach = m.v[:, self._row_b] + swirl - m.v[:, self._row_a]
        slip = approach - cross(wa, rho)
        if self._special:
            self._special_directions(m, d, d_rate, wa, wb, approach)
        jacobian = np.zeros((len(d), len(self.rows), self.ground + 1, 6))
        mask = linear[:, None]
        straight = np.where(mask, d, 0.0)
        jacobian[:, self._every, self._row_a, :3] = -straight
        jacobian[:, self._every, self._row_a, 3:] = -np.where(mask, cross(rho, d), d)
        jacobian[:, self._every, self._row_b, :3] = straight
        jacobian[:, self._every, self._row_b, 3:] = np.where(mask, cross(arm_b, d), d)
        m.direction = d
        m.jacobian = jacobian[:, :, : self.ground]
        relative = np.where(mask, slip, wb - wa)
        m.rate = dot(d, relative)
        m.bias = dot(d_rate, relative) + np.where(linear, dot(d, cross(wb, swirl) - cross(wa, approach)), 0.0)
        if self.sums:
            summed = np.einsum("gr,krbi->kgbi", self._summing, m.jacobian)
            m.jacobian = np.concatenate([m.jacobian, summed], axis=1)
            m.rate = np.concatenate([m.rate, m.rate @ self._summing.T], axis=1)
            m.bias = np.concatenate([m.bias, m.bias @ self._summing.T], axis=1)

    def _special_directions(self, m: Motion, d: Array, d_rate: Array, wa: Array, wb: Array, approach: Array) -> None:
        """Put in the directions, and their rates, that are not axes of a's frame."""
        for kind, rows in self._special.items():
            joint = self.row_joint[rows]
            a, b = m.frame_a[:, joint], m.frame_b[:, joint]
            spin_a, spin_b = wa[:, rows], wb[:, rows]
            if kind == JointDirection.TURN_B:
                d[:, rows] = b[..., 1]
                d_rate[:, rows] = cross(spin_b, b[..., 1])
            elif kind == JointDirection.SQUARE:
                x, y = a[..., 0], b[..., 1]
                d[:, rows] = cross(x, y)
                d_rate[:, rows] = cross(cross(spin_a, x), y) + cross(x, cross(spin_b, y))
            elif kind == JointDirection.RADIAL:
                length = np.linalg.norm(m.offset[:, joint], axis=-1, keepdims=True)
                along = m.offset[:, joint] / length
                # seen from a's anchor instead of from b's, which differ across ``along`` only
                rho_a = m.x[:, self.b[joint]] - m.x[:, self.a[joint]]
                speed = approach[:, rows] - cross(spin_a, rho_a + self._arm_b(m, joint) - m.offset[:, joint])
                d[:, rows] = along
                d_rate[:, rows] = (speed - along * dot(along, speed)[..., None]) / length
            elif kind == JointDirection.TWIST:
                za, zb = a[..., 2], b[..., 2]
                ra, rb = cross(spin_a, za), cross(spin_b, zb)
                s = 1.0 + dot(za, zb)[..., None]
                d[:, rows] = (za + zb) / s
                d_rate[:, rows] = (ra + rb) / s - (za + zb) * (dot(ra, zb) + dot(za, rb))[..., None] / (s * s)
            else:
                self._swing_directions(m, rows, d, d_rate)

    def _arm_b(self, m: Motion, joint: Array) -> Array:
        half = len(self.joints)
        return np.asarray((m.rotation[:, self.b[joint]] @ self._anchor[half + joint])[..., 0])

    def _swing_directions(self, m: Motion, rows: Array, d: Array, d_rate: Array) -> None:
        """Swing axes as ``scene/joint_coordinates.py`` has them; rates by differences of fourth order along it."""
        pace = 1e-3
        for row in rows.tolist():
            kind = self.rows[row].kind
            assert kind is not None  # swing rows have one
            joint = self.row_joint[row]
            samples = {}
            for k in (-2, -1, 0, 1, 2):
                turn_a = turned(m.w[:, self.a[joint]] * (k * pace)) @ m.frame_a[:, joint]
                turn_b = turned(m.w[:, self.b[joint]] * (k * pace)) @ m.frame_b[:, joint]
                samples[k] = coordinate_axis(kind, _pose_of(turn_a), _pose_of(turn_b))
            d[:, row] = samples[0]
            d_rate[:, row] = (8.0 * (samples[1] - samples[-1]) - (samples[2] - samples[-2])) / (12.0 * pace)

    def coordinate(self, m: Motion, joint: int, kind: CoordinateKind) -> Array:
        """A coordinate, [k], turns not counted."""
        frame_a, frame_b = _pose_of(m.frame_a[:, joint]), _pose_of(m.frame_b[:, joint])
        return coordinate(kind, frame_a, Pose(m.offset[:, joint], frame_b.rotation))

    def lock_errors(self, m: Motion) -> Array:
        """How far the locked rows are off (m or rad), [k, locked]."""
        errors = np.zeros((len(m.x), self.locked))
        relative = m.relative
        for i, row in enumerate(self.rows[: self.locked]):
            joint = self.joints[row.joint]
            r = relative[:, row.joint]
            if row.direction == JointDirection.SLIDE:
                errors[:, i] = dot(m.frame_a[:, row.joint, :, row.axis], m.offset[:, row.joint])
            elif row.direction == JointDirection.RADIAL:
                errors[:, i] = np.linalg.norm(m.offset[:, row.joint], axis=-1) - joint.length
            elif row.direction == JointDirection.SQUARE:
                errors[:, i] = -r[:, 0, 1]
            elif joint.type.locked_rotations == (True, True, True):
                up, down = (row.axis + 2) % 3, (row.axis + 1) % 3
                errors[:, i] = 0.5 * (r[:, up, down] - r[:, down, up])
            else:  # the z axes coincide
                errors[:, i] = -r[:, 1, 2] if row.axis == 0 else r[:, 0, 2]
        return errors


def _locked_rows(j: int, joint: Joint) -> list[Row]:
    """The rows of a joint's locked axes, translations first."""
    if joint.type.basis == Basis.RADIAL:
        return [Row(j, JointDirection.RADIAL)] if any(joint.type.locked_translations) else []
    rows = [Row(j, JointDirection.SLIDE, axis) for axis in range(3) if joint.type.locked_translations[axis]]
    if joint.type.basis == Basis.CARDAN:
        return [*rows, Row(j, JointDirection.SQUARE)]
    return rows + [Row(j, JointDirection.TURN, axis) for axis in range(3) if joint.type.locked_rotations[axis]]


def _pose_of(matrices: Array) -> Pose:
    """Poses at the origin with the rotations of matrices [k, 3, 3]."""
    return Pose(np.zeros((len(matrices), 3)), quaternions(matrices))
