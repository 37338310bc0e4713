"""Joint frames, their locked errors and their free coordinates, on the device.

The same definitions in numpy stand in ``scene/joint_coordinates.py``; a test holds them together. With
q = conj(q_a) q_b the rotation of b's frame seen from a's, and a, b the z axes of the two frames:

    TWIST     psi = 2 atan2(q_z, q_w),     rate (a + b) . w / (1 + a . b)
    CARDAN    R = Rx(phi) Ry(theta),       rates x_a . w and y_b . w
    SWING_X,Y s = theta/sin(theta) (-b_y, b_x) with b in a's axes, rate (b x ds/db) . w
    SWING     theta, the angle from a to b, rate (a x b)/|a x b| . w
"""

from ..scene import joint_coordinates
from ..scene.joints import Basis, CoordinateKind
from .algebra import make_algebra
from .factory import Made, Precision, factory, functions, wp

SLIDE_X, SLIDE_Y, SLIDE_Z, TWIST = (
    wp.constant(int(k))
    for k in (CoordinateKind.SLIDE_X, CoordinateKind.SLIDE_Y, CoordinateKind.SLIDE_Z, CoordinateKind.TWIST)
)
CARDAN_X, CARDAN_Y = (wp.constant(int(k)) for k in (CoordinateKind.CARDAN_X, CoordinateKind.CARDAN_Y))
SWING_X, SWING_Y, SWING, RADIAL = (
    wp.constant(int(k))
    for k in (CoordinateKind.SWING_X, CoordinateKind.SWING_Y, CoordinateKind.SWING, CoordinateKind.RADIAL)
)
CARDAN_BASIS, RADIAL_BASIS = wp.constant(int(Basis.CARDAN)), wp.constant(int(Basis.RADIAL))


@factory
def make_coordinates(p: Precision) -> Made:
    real, vec3, quat, mat33 = p.real, p.vec3, p.quat, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    TINY = wp.constant(real(1e-12))
    PI = wp.constant(real(3.141592653589793))
    SMALL_SWING = wp.constant(real(joint_coordinates.SMALL_SWING))

    @wp.struct
    class Frames:
        """A joint's two frames in world axes: rotations, and the vector from a's origin to b's."""

        qa: quat
        qb: quat
        offset: vec3

    @func
    def frames_of(model, state, j: int, world: int) -> Frames:
        """The frames of joint j at the present poses."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        f = Frames()
        f.qa = state.rotation[a, world] * model.turn_a[j]
        f.qb = state.rotation[b, world] * model.turn_b[j]
        pa = state.position[a, world] + wp.quat_rotate(state.rotation[a, world], model.anchor_a[j])
        pb = state.position[b, world] + wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
        f.offset = pb - pa
        return f

    @func
    def axis_of(q: quat, i: int) -> vec3:
        """Axis i of a frame, world axes."""
        e = vec3()
        e[i] = real(1.0)
        return wp.quat_rotate(q, e)

    @func
    def linear_basis(f: Frames, basis: int) -> mat33:
        """Columns: the directions of the three relative translations."""
        if basis == RADIAL_BASIS:
            return algebra.frame_of(wp.normalize(f.offset))
        return wp.quat_to_matrix(f.qa)

    @func
    def angular_basis(f: Frames, basis: int) -> mat33:
        """Columns: the axes of the three relative rotations."""
        if basis == CARDAN_BASIS:
            x = axis_of(f.qa, 0)
            z = wp.normalize(wp.cross(x, axis_of(f.qb, 1)))
            return wp.matrix_from_cols(x, wp.cross(z, x), z)
        return wp.quat_to_matrix(f.qa)

    @func
    def linear_error(f: Frames, basis: mat33, kind: int, locked: int, length: real) -> vec3:
        """Error of the locked translations, in the basis; zero on the free ones."""
        e = vec3()
        if kind == RADIAL_BASIS:
            if locked != 0:
                e[2] = wp.length(f.offset) - length
            return e
        e = wp.transpose(basis) * f.offset
        for i in range(3):
            if locked & (1 << i) == 0:
                e[i] = real(0.0)
        return e

    @func
    def angular_error(f: Frames, basis: mat33, locked: int) -> vec3:
        """Error of the locked rotations, in the basis; zero on the free ones."""
        e = vec3()
        if locked == 7:
            q = wp.quat_inverse(f.qa) * f.qb
            s = real(2.0)
            if q[3] < real(0.0):
                s = real(-2.0)
            return vec3(s * q[0], s * q[1], s * q[2])
        if locked == 3:  # the z axes coincide
            d = wp.transpose(basis) * wp.cross(axis_of(f.qa, 2), axis_of(f.qb, 2))
            return vec3(d[0], d[1], real(0.0))
        if locked == 4:  # a's x axis stays square to b's y axis
            e[2] = -wp.dot(axis_of(f.qa, 0), axis_of(f.qb, 1))
        return e

    @func
    def twist_angle(f: Frames) -> real:
        """psi = 2 atan2(q_z, q_w), rad."""
        q = wp.quat_inverse(f.qa) * f.qb
        return real(2.0) * wp.atan2(q[2], q[3])

    @func
    def unwrapped(angle: real, before: real) -> real:
        """The angle plus the number of turns that brings it nearest to the one before."""
        turn = real(2.0) * PI
        return angle + turn * wp.round((before - angle) / turn)

    @func
    def small_swing_ratio(sine: real) -> real:
        """theta/sin(theta) for a small angle, as a series in its sine."""
        return real(1.0) + sine * sine * (real(1.0) / real(6.0) + real(3.0) / real(40.0) * sine * sine)

    @func
    def is_length(kind: int) -> bool:
        """Whether a coordinate is a length (its axis is a translation) rather than an angle."""
        return kind <= SLIDE_Z or kind == RADIAL

    @func
    def coordinate_axis(f: Frames, kind: int) -> vec3:
        """World direction d of a coordinate: its rate is d . (relative velocity or spin of b)."""
        if kind <= SLIDE_Z:
            return axis_of(f.qa, kind)
        if kind == TWIST:
            a = axis_of(f.qa, 2)
            b = axis_of(f.qb, 2)
            return (a + b) / wp.max(real(1.0) + wp.dot(a, b), real(1e-6))
        if kind == CARDAN_X:
            return axis_of(f.qa, 0)
        if kind == CARDAN_Y:
            return axis_of(f.qb, 1)
        if kind == RADIAL:
            return wp.normalize(f.offset)
        b = wp.quat_rotate_inv(f.qa, axis_of(f.qb, 2))
        sine = wp.sqrt(b[0] * b[0] + b[1] * b[1])
        angle = wp.atan2(sine, b[2])
        if kind == SWING:
            if sine < TINY:
                return axis_of(f.qa, 0)
            return wp.quat_rotate(f.qa, vec3(-b[1] / sine, b[0] / sine, real(0.0)))
        c = small_swing_ratio(sine)
        dc = real(-1.0) / real(3.0) - real(2.0) / real(15.0) * sine * sine
        if sine > SMALL_SWING or b[2] < real(0.0):
            c = angle / sine
            dc = -(sine - angle * b[2]) / (sine * sine * sine)
        g = vec3(c, real(0.0), dc * b[0])
        if kind == SWING_X:
            g = vec3(real(0.0), -c, -dc * b[1])
        return wp.quat_rotate(f.qa, wp.cross(b, g))

    @func
    def coordinate_value(f: Frames, kind: int) -> real:
        """Value of a coordinate; a twist within one turn."""
        if kind <= SLIDE_Z:
            d = wp.quat_rotate_inv(f.qa, f.offset)
            return d[kind]
        if kind == TWIST:
            return unwrapped(twist_angle(f), real(0.0))
        if kind == RADIAL:
            return wp.length(f.offset)
        if kind == CARDAN_X:
            y = wp.quat_rotate_inv(f.qa, axis_of(f.qb, 1))
            return wp.atan2(y[2], y[1])
        if kind == CARDAN_Y:
            x = wp.quat_rotate_inv(f.qb, axis_of(f.qa, 0))
            return wp.atan2(x[2], x[0])
        b = wp.quat_rotate_inv(f.qa, axis_of(f.qb, 2))
        sine = wp.sqrt(b[0] * b[0] + b[1] * b[1])
        angle = wp.atan2(sine, b[2])
        if kind == SWING:
            return angle
        c = small_swing_ratio(sine)
        if sine > SMALL_SWING or b[2] < real(0.0):
            c = angle / sine
        if kind == SWING_X:
            return -c * b[1]
        return c * b[0]

    @func
    def counted(state, f: Frames, kind: int, twist: int, world: int) -> real:
        """A coordinate, with its turns where they are counted at the place ``twist``."""
        value = coordinate_value(f, kind)
        if twist >= 0:
            value = unwrapped(value, state.twist[twist, world])
        return value

    @func
    def point_velocity(state, b: int, point: vec3, world: int) -> vec3:
        """Of body b at a point, m/s."""
        return state.velocity[b, world] + wp.cross(state.spin[b, world], point - state.position[b, world])

    @func
    def coordinate_rate(model, state, f: Frames, kind: int, j: int, world: int) -> real:
        """The rate of a coordinate of joint j."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        relative = state.spin[b, world] - state.spin[a, world]
        if kind <= SLIDE_Z or kind == RADIAL:
            point = state.position[b, world] + wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
            relative = point_velocity(state, b, point, world) - point_velocity(state, a, point, world)
        return wp.dot(coordinate_axis(f, kind), relative)

    @func
    def count_turns(model, state, dt: real, i: int, world: int):
        """The turn that is nearest to where the present rate leads in a step: it may be more than half a turn."""
        j = model.twist_joint[i]
        f = frames_of(model, state, j, world)
        turning = state.spin[model.joint_b[j], world] - state.spin[model.joint_a[j], world]
        ahead = state.twist[i, world] + dt * wp.dot(coordinate_axis(f, model.twist_kind[i]), turning)
        state.twist[i, world] = unwrapped(coordinate_value(f, model.twist_kind[i]), ahead)

    return locals()
