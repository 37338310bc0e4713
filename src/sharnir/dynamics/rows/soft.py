"""Soft rows: springs, dampers, viscous friction and drives on a free coordinate ([003]).

Whatever is linear in the coordinate's rate u at the end of the kick is one row; several elements on an axis add up:

    p = source - conductance u                     the impulse of the kick on the coordinate

Semi-implicit Euler takes everything at the end of the step, which is stable at any k and c:

    spring, damper   p = -h (f(x) + (c + dt k) u) + h preload
    DC drive         I_m w' = M_s (U - w/w_idle) + t,  w = r u:
                     p = r (I_m w_0 + h M_s U) - r^2 D u,  D = I_m + h M_s/w_idle
                     times the gear's efficiency, as if the motor drove the load; ``gear.py`` has the rest

The leapfrog step is second order, u_0 being the rate before the kick:

    damper           p = -h c (q u + (1 - q) u_0)
                     the trapezoidal rule, q = 1/2, while h c w' < 2; beyond, q is such that the rate decays in one kick
                     and does not swing
    spring           p = -h f(x) - dt^2 k (b (u - u_0) + d u)
                     b from 1/12 (fourth order in the frequency) for slow springs to 1/4 (stable at any k) as dt^2 k w
                     nears 1; d, the part beyond dt^2 k w' = 1, is implicit Euler, which damps
                     w is of the joint's own two bodies; w' <= w of all that they carry (``model/carried.py``)
    rotor            p = -r^2 I_m (u - u_0); with a servo, or behind a gear with losses, as above

Actuators are such springs and dampers by the slopes of their effort, see ``actuator.py``.

With gamma = 1/conductance this is the soft constraint u + gamma p = gamma source. The direct solver takes it into its
matrix (gamma on the diagonal); sequential impulses visit it: p += -(y u + p - source)/(y w + 1), y the conductance and
w the inverse mass along the coordinate.

    x = c - rest, f(x) = k x or a table's piecewise-linear force       h the duration of the kick (dt, or half of it)
    U the drive's voltage, M_s stall torque, w_idle idle speed, r gear ratio

The bias of the leapfrog step (``bias.py``) is what the rate at the middle of a drift differs by from the rate along the
axis of the kick: + before it, as u_0 is of the drift before, - after it. With p = ... - y u - y_0 u_0 a row feels it by
the share (y - y_0)/y.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..pair import make_pair
from .actuator import make_actuator
from .joint_view import make_view

wp = load_warp()

PUSH, PULL = 1, 2
LEAST = 1e-30  # instead of a zero to divide by
# d over (w h)^3 of a one-sided spring. A step in which it is met knows its force at the ends alone, and on average that
# gains energy: 0.4 % a meeting at w h = 0.3, 4 % at 0.6. d takes the share pi d w h of it.
MEETING = 0.12
PLAIN, SPEED_SERVO, POSITION_SERVO = 1, 2, 3


@cache
def make_soft(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    # share of a rate that a row must take to be one: its inverse is on the diagonal of the direct solver
    NEGLIGIBLE = wp.constant(real(1e-20 if p.name == "float64" else 1e-8))
    geometry, pair = make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    column = make_algebra(p).column
    led = make_bias(p, features).led
    view_of = make_view(p)
    View = view_of.View
    actuator = make_actuator(p, features)
    rotor = actuator.rotor
    # shares of dt^2 k on the change of the rate (Newmark's beta): with the least error of the frequency, and with
    # stability at any k; from one to the other as (frequency times dt)^2 goes from 1/4 to 1
    LEAST_ERROR, STABLE = wp.constant(real(1.0 / 12.0)), wp.constant(real(0.25))
    RAMP = wp.constant(real((0.25 - 1.0 / 12.0) / 0.75))

    @wp.struct
    class Row:
        """p = source - y u - y_0 u_0 - (damping, shared between u and u_0); see above."""

        y: real
        y_before: real
        damping: real  # N s/m or N m s/rad
        source: real

    @wp.struct
    class Start:
        """A coordinate when a kick begins, and how long the kick (s) and the step (s) are."""

        value: real  # m or rad
        rate: real  # m/s or rad/s
        inverse_mass: real  # 1/kg or 1/(kg m^2), along the coordinate
        share: real  # of it, what is left with all that the coordinate carries
        kick: real
        dt: real

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
    def spring_line(m: t.model, i: int, w: int, x: real) -> p.vec2:
        """Force against the deflection x and its slope."""
        if m.table_end[i] > m.table_start[i]:
            at = table_segment(m, i, x)
            slope = (m.table_f[at + 1] - m.table_f[at]) / (m.table_x[at + 1] - m.table_x[at])
            return p.vec2(m.table_f[at] + slope * (x - m.table_x[at]), slope)
        return p.vec2(m.spring_k[i, w] * x, m.spring_k[i, w])

    @wp.func
    def spring_acts(side: int, x: real, ahead: real) -> bool:
        """A one-sided spring acts if it is, or is about to be, on its side."""
        if side == wp.static(PUSH):
            return wp.min(x, ahead) < real(0.0)
        if side == wp.static(PULL):
            return wp.max(x, ahead) > real(0.0)
        return True

    @wp.func
    def drive_voltage(m: t.model, c: t.control, n: t.memory, at: Start, i: int, w: int) -> real:
        """What the drive is given: its input, or what its servo makes of the target."""
        given = c.drive_input[i, w]
        pace = real(0.0)  # of the target
        if n.kick[w] > real(0.0):
            pace = (given - n.last_input[i, w]) / at.kick
            if wp.static(features.integrator.staggered):
                given = real(0.5) * (given + n.last_input[i, w])
        n.last_input[i, w] = c.drive_input[i, w]
        kind = m.drive_kind[i]
        if kind == wp.static(PLAIN):
            return wp.clamp(given, real(-1.0), real(1.0))
        error = given - at.rate
        if kind == wp.static(POSITION_SERVO):
            error = given - at.value
        asked = (
            m.servo_gain[i, w] * error - m.servo_damping[i, w] * at.rate + m.servo_integral[i, w] * n.servo_sum[i, w]
        )
        asked = asked + m.servo_feed[i, w] * pace
        voltage = wp.clamp(asked, real(-1.0), real(1.0))
        if voltage == asked:  # no winding up while the drive gives all it has
            n.servo_sum[i, w] = n.servo_sum[i, w] + at.kick * error
        return voltage * wp.sign(m.drive_ratio[i, w])

    @wp.func
    def with_drive(m: t.model, k: t.work, row: Row, voltage: real, at: Start, i: int, w: int) -> Row:
        """The row with the drive on it, at a voltage between -1 and 1."""
        kick = at.kick
        ratio = m.drive_ratio[i, w]
        stall = m.drive_stall[i, w]
        inertia = m.drive_inertia[i, w]
        inertia_and_slope = inertia + kick * stall / m.drive_idle[i, w]
        speed = ratio * at.rate
        alone = real(0.0)
        if inertia_and_slope > real(0.0):  # a motor without inertia that has failed has neither
            alone = (inertia * speed + kick * stall * voltage) / (ratio * inertia_and_slope)
        efficiency = m.drive_efficiency[i, w]
        square = ratio * ratio
        y = square * inertia_and_slope
        if wp.static(features.gears):
            k.gear_rate[i, w] = alone
            k.gear_loss[i, w] = (real(1.0) / efficiency - efficiency) * y
        lossy = m.drive_locks[i] == 1 or efficiency < real(1.0)
        if lossy or m.drive_kind[i] != wp.static(PLAIN):  # a servo samples: implicit damping keeps it stable
            row.y = row.y + efficiency * y
            row.source = row.source + efficiency * y * alone
            return row
        row.y = row.y + square * inertia
        row.y_before = row.y_before - square * inertia
        row.damping = row.damping + square * stall / m.drive_idle[i, w]
        row.source = row.source + ratio * kick * stall * voltage
        return row

    @wp.func
    def with_spring(m: t.model, row: Row, at: Start, i: int, w: int) -> Row:
        """The row with the spring and its damper on it."""
        x = at.value - m.spring_rest[i, w]
        kick = at.kick
        dt = at.dt
        line = spring_line(m, i, w, x)
        square = dt * dt * line[1]
        implicit = real(1.0)
        ahead = x + dt * at.rate
        if wp.static(features.integrator.leads):
            pace = square * at.inverse_mass  # (frequency times dt)^2 of the spring by itself
            implicit = wp.max(real(0.0), real(1.0) - real(1.0) / wp.max(pace * at.share, real(LEAST)))
            if implicit == real(0.0):
                ahead = x  # an explicit spring knows only where it is
            if m.spring_side[i] != 0:
                carried = pace * at.share
                implicit = wp.max(implicit, wp.static(real(MEETING)) * carried * wp.sqrt(carried))
        if spring_acts(m.spring_side[i], x, ahead):
            row.damping = row.damping + m.spring_c[i, w]
            row.y = row.y + kick * dt * implicit * line[1]
            row.source = row.source + kick * (m.spring_preload[i, w] - line[0])
            if wp.static(features.integrator.leads):
                mean = square * wp.clamp(LEAST_ERROR + (pace - real(0.25)) * RAMP, LEAST_ERROR, STABLE)
                row.y = row.y + mean
                row.y_before = row.y_before - mean
        return row

    @wp.func
    def actuator_row(m: t.model, c: t.control, n: t.memory, k: t.work, at: Start, a: int, w: int) -> Row:
        """An actuator by itself, without its rotor: its line as a spring and a damper."""
        command = c.command[a, w]
        last = command
        if wp.static(features.integrator.staggered):
            if n.kick[w] > real(0.0):
                last = n.last_command[a, w]
            n.last_command[a, w] = command
        k.command[a, w] = command
        line = actuator.actuator_line(m, n, p.vec2(command, last), at.value, at.rate, at.dt, a, w)
        row = Row()
        row.damping = line.damping
        row.source = at.kick * (line.force + line.damping * at.rate)
        implicit = real(1.0)
        if wp.static(features.integrator.leads):
            square = at.dt * at.dt * line.stiffness
            pace = square * at.inverse_mass
            implicit = wp.max(real(0.0), real(1.0) - real(1.0) / wp.max(pace * at.share, real(LEAST)))
            between = square * wp.clamp(LEAST_ERROR + (pace - real(0.25)) * RAMP, LEAST_ERROR, STABLE)
            row.y = between
            row.y_before = -between
        ahead = at.kick * at.dt * implicit * line.stiffness
        row.y = row.y + ahead
        row.source = row.source + ahead * line.flow
        return row

    @wp.func
    def joined(x: Row, y: Row) -> Row:
        """Two rows on one axis as one."""
        x.y = x.y + y.y
        x.y_before = x.y_before + y.y_before
        x.damping = x.damping + y.damping
        x.source = x.source + y.source
        return x

    @wp.func
    def end_row(m: t.model, n: t.memory, k: t.work, row: Row, at: Start, i: int, w: int) -> real:
        """Conductance and source; dampers act on the rates after the kick, by the share returned, and before it."""
        kick = at.kick
        now = real(1.0)
        if wp.static(features.integrator.leads):
            rotor = wp.max(-row.y_before, real(0.0))
            carried = at.share * at.inverse_mass
            pace = kick * row.damping * carried / (real(1.0) + rotor * carried)
            now = wp.max(real(0.5), real(1.0) - real(1.0) / wp.max(pace, real(LEAST)))
        y = row.y + now * kick * row.damping
        before = row.y_before + (real(1.0) - now) * kick * row.damping
        k.soft_y[i, w] = y
        k.soft_source[i, w] = row.source - before * at.rate
        if wp.static(features.integrator.leads):
            k.soft_bias[i, w] = real(1.0)
            if n.kick[w] > real(0.0) and y > real(0.0):
                k.soft_bias[i, w] = (y - before) / y
        if y * wp.abs(at.inverse_mass) < NEGLIGIBLE:
            k.soft_y[i, w] = real(0.0)  # no row: the impulse does not depend on the rate, and is applied as it is
            n.soft_impulse[i, w] = k.soft_source[i, w]
        return now

    @wp.func
    def soft_direction(m: t.model, f: Frames, i: int, j: int) -> vec3:
        """The world direction of the coordinate or axis of soft row i."""
        if m.soft_kind[i] >= 0:
            return geometry.coordinate_axis(f, m.soft_kind[i])
        return column(geometry.angular_basis(f, m.basis[j]), m.soft_column[i])

    @wp.func
    def soft_value(m: t.model, s: t.state, f: Frames, i: int, w: int) -> real:
        """The coordinate of soft row i."""
        value = geometry.coordinate_value(f, m.soft_kind[i])
        if m.soft_twist[i] >= 0:
            value = geometry.unwrapped(value, s.twist[m.soft_twist[i], w])
        return value

    @wp.func
    def prepare_soft(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, view: View, i: int, w: int):
        """The axis of soft row i, and its conductance and source for this kick."""
        kind = m.soft_kind[i]
        linear = m.soft_linear[i]
        j = view.joint
        f = view.frames
        axis = soft_direction(m, f, i, j)
        at = Start()
        at.inverse_mass = view_of.inverse_mass_along(view, linear, axis)
        at.share = m.soft_share[i]
        at.kick = k.kick[w]
        at.dt = view.dt
        k.soft_axis[i, w] = axis
        k.soft_inverse_mass[i, w] = at.inverse_mass
        press = n.reaction[j, w]
        if linear == 0 and kind >= 0:  # a pin is pressed across its axis, a ball from everywhere
            press = press - wp.dot(press, axis) * axis
        row = Row()
        row.damping = m.viscous[i, w] + m.viscous_load[i, w] * wp.length(press)
        at.rate = rate_before(m, s, k, axis, linear, j, w)
        if kind >= 0:
            at.value = soft_value(m, s, f, i, w)
            if m.has_spring[i] == 1:
                row = with_spring(m, row, at, i, w)
            if m.drive_kind[i] > 0:
                voltage = drive_voltage(m, c, n, at, i, w)
                k.voltage[i, w] = voltage
                if m.drive_kind[i] == wp.static(PLAIN):  # as it is given now, not the mean over the kick
                    k.voltage[i, w] = wp.clamp(c.drive_input[i, w], real(-1.0), real(1.0))
                row = with_drive(m, k, row, voltage, at, i, w)
        if wp.static(features.actuators):
            a = m.soft_actuator[i]
            if a >= 0:
                at.value = soft_value(m, s, f, i, w)
                own = actuator_row(m, c, n, k, at, a, w)
                row = joined(row, own)
                row.y = row.y + rotor(m, a, w)
                row.y_before = row.y_before - rotor(m, a, w)
                now = end_row(m, n, k, row, at, i, w)
                k.actuator_y[a, w] = own.y + now * at.kick * own.damping
                before = own.y_before + (real(1.0) - now) * at.kick * own.damping
                k.actuator_source[a, w] = own.source - before * at.rate
                return
        end_row(m, n, k, row, at, i, w)

    @wp.func
    def end_soft(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, i: int, w: int):
        """The effort of the actuator in soft row i, over the kick; what is inside it at the end of the drift."""
        a = m.soft_actuator[i]
        if a < 0:
            return
        j = m.soft_joint[i]
        linear = m.soft_linear[i]
        axis = k.soft_axis[i, w]
        rate = wp.dot(axis, pair.motion(pair.load(m, k, j, w), linear))
        turning = wp.dot(axis, led(k, vec3(), linear, j, w))
        felt = rate
        if wp.static(features.integrator.leads):
            felt = rate + k.soft_bias[i, w] * turning
        n.actuator_effort[a, w] = (k.actuator_source[a, w] - k.actuator_y[a, w] * felt) / k.kick[w]
        value = soft_value(m, s, geometry.frames_of(m, s, j, w), i, w)
        actuator.go_on(m, n, k.command[a, w], value, rate + turning, dt, a, w)

    @wp.func
    def scale_soft(n: t.memory, share: real, i: int, w: int):
        """The impulse of soft row i for a kick of another length; 0 forgets it."""
        n.soft_impulse[i, w] = share * n.soft_impulse[i, w]

    @wp.func
    def soft_force(m: t.model, s: t.state, f: Frames, rate: real, i: int, w: int) -> real:
        """What springs and dampers do to the coordinate at the present state and ``rate``, N or N m."""
        force = -m.viscous[i, w] * rate
        if m.has_spring[i] == 1:
            x = soft_value(m, s, f, i, w) - m.spring_rest[i, w]
            if spring_acts(m.spring_side[i], x, x):
                line = spring_line(m, i, w, x)
                force = force + m.spring_preload[i, w] - line[0] - m.spring_c[i, w] * rate
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
        f = geometry.frames_of(m, s, j, w)
        axis = soft_direction(m, f, i, j)
        point = s.position[b, w] + wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
        linear = m.soft_linear[i]
        inverse_mass = ease(m, s, linear, axis, point, a, w) + ease(m, s, linear, axis, point, b, w)
        damping = m.viscous[i, w]
        stiffness = real(0.0)
        if m.has_spring[i] == 1:
            damping = damping + m.spring_c[i, w]
            line = spring_line(m, i, w, soft_value(m, s, f, i, w) - m.spring_rest[i, w])
            stiffness = line[1]
        return dt * damping * inverse_mass > real(1.0) or dt * dt * stiffness * inverse_mass > real(1.0)

    @wp.func
    def soft_kick(m: t.model, k: t.work, x: Pair, impulse: real, i: int, w: int) -> Pair:
        """The two bodies after an impulse along the axis of soft row i."""
        if m.soft_linear[i] == 1:
            return pair.struck(x, impulse * k.soft_axis[i, w])
        return pair.twisted(x, impulse * k.soft_axis[i, w])

    @wp.func
    def visit_soft(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        """One visit: p += -(y u + p - source)/(y w + 1)."""
        u = x.wb - x.wa
        if m.soft_linear[i] == 1:
            u = pair.slip(x)
        if wp.static(features.integrator.leads):
            u = u + k.soft_bias[i, w] * led(k, vec3(), m.soft_linear[i], m.soft_joint[i], w)
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
        end_soft=end_soft,
        scale_soft=scale_soft,
        soft_direction=soft_direction,
        soft_force=soft_force,
        soft_is_stiff=soft_is_stiff,
        soft_kick=soft_kick,
        visit_soft=visit_soft,
        conductance_along=conductance_along,
        conductance_on=conductance_on,
    )
