"""Soft rows: springs, dampers, viscous friction and drives on a free coordinate ([003]).

Whatever is linear in the coordinate's rate u at the end of the step is one row; several elements on an axis add up:

    p = source - conductance u                     the impulse of the step on the coordinate

    spring, damper   p = -h (f(x) + (c + dt k) u) + h preload          implicit Euler: stable at any k and c
    viscous          p = -h c u
    DC drive         I_m w' = M_s (U - w/w_idle) + t,  w = r u:
                     p = r (I_m w + h M_s U) - r^2 D u,  D = I_m + h M_s/w_idle

With gamma = 1/conductance this is the soft constraint u + gamma p = gamma source. The direct solver takes it into its
matrix (gamma on the diagonal); sequential impulses visit it: p += -(y u + p - source)/(y w + 1), y the conductance and
w the inverse mass along the coordinate.

    x = c - rest, f(x) = k x or a table's piecewise-linear force       h the duration of the kick (dt, or half of it)
    U the drive's voltage, M_s stall torque, w_idle idle speed, r gear ratio

The second-order step uses the part of dt k beyond the stable range only: an explicit spring is second order, an
implicit one damps.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..coordinates import make_coordinates
from ..pair import make_pair

wp = load_warp()

PUSH, PULL = 1, 2
PLAIN, SPEED_SERVO, POSITION_SERVO = 1, 2, 3


@cache
def make_soft(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    # how much stiffer than the motor a self-locking gear holds against the load; float32 has no digits for more
    WORM = wp.constant(real(1e6 if p.name == "float64" else 1e3))
    # share of a rate that a row must take to be one: its inverse is on the diagonal of the direct solver
    NEGLIGIBLE = wp.constant(real(1e-20 if p.name == "float64" else 1e-8))
    geometry, pair = make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    frames_of, coordinate_axis, coordinate_value = (
        geometry.frames_of,
        geometry.coordinate_axis,
        geometry.coordinate_value,
    )
    angular_basis, unwrapped = geometry.angular_basis, geometry.unwrapped
    column = make_algebra(p).column
    slip, struck, twisted = pair.slip, pair.struck, pair.twisted

    @wp.func
    def rate_before(m: t.model, s: t.state, k: t.work, axis: vec3, linear: int, j: int, w: int) -> real:
        """The coordinate's rate when the step began."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        if linear == 1:
            slide = s.velocity[b, w] + wp.cross(s.spin[b, w], k.arm_b[j, w])
            return wp.dot(axis, slide - s.velocity[a, w] - wp.cross(s.spin[a, w], k.arm_a[j, w]))
        return wp.dot(axis, s.spin[b, w] - s.spin[a, w])

    @wp.func
    def table_segment(m: t.model, i: int, x: real) -> int:
        """The segment of the spring's table that holds the deflection x, or the end one."""
        at = m.table_start[i]
        while at + 2 < m.table_end[i] and x > m.table_x[at + 1]:
            at += 1
        return at

    @wp.func
    def spring_line(m: t.model, i: int, x: real) -> p.vec2:
        """Force against the deflection x and its slope."""
        if m.table_end[i] > m.table_start[i]:
            at = table_segment(m, i, x)
            slope = (m.table_f[at + 1] - m.table_f[at]) / (m.table_x[at + 1] - m.table_x[at])
            return p.vec2(m.table_f[at] + slope * (x - m.table_x[at]), slope)
        return p.vec2(m.spring_k[i] * x, m.spring_k[i])

    @wp.func
    def spring_acts(side: int, x: real, ahead: real) -> bool:
        """A one-sided spring acts if it is, or is about to be, on its side."""
        if side == wp.static(PUSH):
            return wp.min(x, ahead) < real(0.0)
        if side == wp.static(PULL):
            return wp.max(x, ahead) > real(0.0)
        return True

    @wp.func
    def drive_voltage(
        m: t.model, c: t.control, n: t.memory, value: real, rate: real, kick: real, i: int, w: int
    ) -> real:
        """What the drive is given: its input, or what its servo makes of the target."""
        given = c.drive_input[i, w]
        kind = m.drive_kind[i]
        if kind == wp.static(PLAIN):
            return wp.clamp(given, real(-1.0), real(1.0))
        error = given - rate
        if kind == wp.static(POSITION_SERVO):
            error = given - value
        asked = m.servo_gain[i] * error - m.servo_damping[i] * rate + m.servo_integral[i] * n.servo_sum[i, w]
        voltage = wp.clamp(asked, real(-1.0), real(1.0))
        if voltage == asked:  # no winding up while the drive gives all it has
            n.servo_sum[i, w] = n.servo_sum[i, w] + kick * error
        return voltage * wp.sign(m.drive_ratio[i])

    @wp.func
    def add_drive(m: t.model, n: t.memory, k: t.work, voltage: real, rate: real, kick: real, i: int, w: int):
        ratio = m.drive_ratio[i]
        stall = m.drive_stall[i, w]
        inertia = m.drive_inertia[i]
        inertia_and_slope = inertia + kick * stall / m.drive_idle[i]
        speed = ratio * rate
        ahead = (inertia * speed + kick * stall * voltage) / inertia_and_slope
        share = m.drive_efficiency[i]
        if (voltage - speed / m.drive_idle[i]) * speed < real(0.0):
            share = real(1.0) / share  # the load drives the motor
        y = share * ratio * ratio * inertia_and_slope
        if m.drive_locks[i] == 1 and n.soft_impulse[i, w] * rate <= real(0.0):
            y = y * WORM  # a worm gear holds: the joint follows the motor, whatever the load
        k.soft_y[i, w] = k.soft_y[i, w] + y
        k.soft_source[i, w] = k.soft_source[i, w] + y * ahead / ratio

    @wp.func
    def add_spring(
        m: t.model, k: t.work, x: real, rate: real, inverse_mass: real, kick: real, dt: real, i: int, w: int
    ):
        line = spring_line(m, i, x)
        if spring_acts(m.spring_side[i], x, x + dt * rate):
            share = real(1.0)
            if wp.static(features.second_order):
                share = wp.max(real(0.0), real(1.0) - real(1.0) / wp.max(dt * dt * line[1] * inverse_mass, real(1e-30)))
            k.soft_y[i, w] = k.soft_y[i, w] + kick * (m.spring_c[i] + share * dt * line[1])
            k.soft_source[i, w] = k.soft_source[i, w] + kick * (m.spring_preload[i] - line[0])

    @wp.func
    def soft_direction(m: t.model, f: Frames, i: int, j: int) -> vec3:
        """The world direction of the coordinate or axis of soft row i."""
        if m.soft_kind[i] >= 0:
            return coordinate_axis(f, m.soft_kind[i])
        return column(angular_basis(f, m.basis[j]), m.soft_column[i])

    @wp.func
    def soft_value(m: t.model, s: t.state, f: Frames, i: int, w: int) -> real:
        """The coordinate of soft row i."""
        value = coordinate_value(f, m.soft_kind[i])
        if m.soft_twist[i] >= 0:
            value = unwrapped(value, s.twist[m.soft_twist[i], w])
        return value

    @wp.func
    def prepare_soft(
        m: t.model,
        c: t.control,
        s: t.state,
        n: t.memory,
        k: t.work,
        f: Frames,
        w_ll: mat33,
        w_aa: mat33,
        kick: real,
        dt: real,
        i: int,
        j: int,
        w: int,
    ):
        kind = m.soft_kind[i]
        linear = m.soft_linear[i]
        axis = soft_direction(m, f, i, j)
        inverse_mass = wp.dot(axis, w_aa * axis)
        if linear == 1:
            inverse_mass = wp.dot(axis, w_ll * axis)
        k.soft_axis[i, w] = axis
        k.soft_inverse_mass[i, w] = inverse_mass
        press = n.lock_impulse[j, w]
        if linear == 0 and kind >= 0:  # a pin is pressed across its axis, a ball from everywhere
            press = press - wp.dot(press, axis) * axis
        load = wp.length(press) / kick
        k.soft_y[i, w] = kick * (m.viscous[i] + m.viscous_load[i] * load)
        k.soft_source[i, w] = real(0.0)
        if kind >= 0:
            rate = rate_before(m, s, k, axis, linear, j, w)
            value = soft_value(m, s, f, i, w)
            if m.has_spring[i] == 1:
                add_spring(m, k, value - m.spring_rest[i], rate, inverse_mass, kick, dt, i, w)
            if m.drive_kind[i] > 0:
                voltage = drive_voltage(m, c, n, value, rate, kick, i, w)
                k.voltage[i, w] = voltage
                add_drive(m, n, k, voltage, rate, kick, i, w)
        if k.soft_y[i, w] * wp.abs(inverse_mass) < NEGLIGIBLE:
            k.soft_y[i, w] = real(0.0)  # no row: the impulse does not depend on the rate, and is applied as it is
            n.soft_impulse[i, w] = k.soft_source[i, w]

    @wp.func
    def soft_force(m: t.model, s: t.state, f: Frames, rate: real, i: int, w: int) -> real:
        """What springs and dampers do to the coordinate at the present state and ``rate``, N or N m."""
        force = -m.viscous[i] * rate
        if m.has_spring[i] == 1:
            x = soft_value(m, s, f, i, w) - m.spring_rest[i]
            if spring_acts(m.spring_side[i], x, x):
                line = spring_line(m, i, x)
                force = force + m.spring_preload[i] - line[0] - m.spring_c[i] * rate
        return force

    @wp.func
    def ease(m: t.model, s: t.state, linear: int, axis: vec3, point: vec3, b: int, w: int) -> real:
        """1/kg or 1/(kg m^2): how easily body b alone moves along the axis, at a point, or turns about it."""
        lever = axis
        if linear == 1:
            lever = wp.cross(point - s.position[b, w], axis)
        lever = wp.quat_rotate_inv(s.rotation[b, w], lever)
        total = wp.dot(lever, m.inv_inertia[b, w] * lever)
        if linear == 1:
            total = total + m.inv_mass[b, w]
        return total

    @wp.func
    def soft_is_stiff(m: t.model, s: t.state, dt: real, i: int, w: int) -> bool:
        """Whether springs and dampers of row i are too fast for an explicit step: dt^2 k/m > 1 or dt c/m > 1."""
        j = m.soft_joint[i]
        a = m.joint_a[j]
        b = m.joint_b[j]
        f = frames_of(m, s, j, w)
        axis = soft_direction(m, f, i, j)
        point = s.position[b, w] + wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
        linear = m.soft_linear[i]
        inverse_mass = ease(m, s, linear, axis, point, a, w) + ease(m, s, linear, axis, point, b, w)
        damping = m.viscous[i]
        stiffness = real(0.0)
        if m.has_spring[i] == 1:
            damping = damping + m.spring_c[i]
            line = spring_line(m, i, soft_value(m, s, f, i, w) - m.spring_rest[i])
            stiffness = line[1]
        return dt * damping * inverse_mass > real(1.0) or dt * dt * stiffness * inverse_mass > real(1.0)

    @wp.func
    def soft_kick(m: t.model, k: t.work, x: Pair, impulse: real, i: int, w: int) -> Pair:
        if m.soft_linear[i] == 1:
            return struck(x, impulse * k.soft_axis[i, w])
        return twisted(x, impulse * k.soft_axis[i, w])

    @wp.func
    def visit_soft(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        u = x.wb - x.wa
        if m.soft_linear[i] == 1:
            u = slip(x)
        y = k.soft_y[i, w]
        old = n.soft_impulse[i, w]
        change = -(y * wp.dot(k.soft_axis[i, w], u) + old - k.soft_source[i, w])
        change = change / (y * k.soft_inverse_mass[i, w] + real(1.0))
        n.soft_impulse[i, w] = old + change
        return soft_kick(m, k, x, change, i, w)

    @wp.func
    def conductance_along(m: t.model, k: t.work, linear: int, axis: vec3, j: int, w: int) -> real:
        """What the soft rows of joint j add to the effective mass along an axis."""
        total = real(0.0)
        for i in range(m.soft_start[j], m.soft_end[j]):
            if m.soft_linear[i] == linear:
                along = wp.dot(axis, k.soft_axis[i, w])
                total = total + k.soft_y[i, w] * along * along
        return total

    @wp.func
    def conductance_on(m: t.model, k: t.work, linear: int, axes: int, j: int, w: int) -> mat33:
        """The same for several axes, as a matrix."""
        total = mat33()
        for i in range(m.soft_start[j], m.soft_end[j]):
            if m.soft_linear[i] == linear and axes & (1 << m.soft_column[i]) != 0:
                axis = k.soft_axis[i, w]
                total = total + k.soft_y[i, w] * wp.outer(axis, axis)
        return total

    return SimpleNamespace(
        rate_before=rate_before,
        prepare_soft=prepare_soft,
        soft_direction=soft_direction,
        soft_force=soft_force,
        soft_is_stiff=soft_is_stiff,
        soft_kick=soft_kick,
        visit_soft=visit_soft,
        conductance_along=conductance_along,
        conductance_on=conductance_on,
    )
