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

Rates are means over a drift, u of the one after the kick, with the bias (``bias.py``), u_0 of the one before it as it
was solved for (``memory.soft_rate``). So a rotor keeps its momentum from kick to kick, however its axis turns.
"""

from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from .actuator import make_actuator
from .joint_view import make_view

PUSH, PULL = 1, 2
LEAST = 1e-30  # instead of a zero to divide by
# d over (w h)^3 of a one-sided spring. A step in which it is met knows its force at the ends alone, and on average that
# gains energy: 0.4 % a meeting at w h = 0.3, 4 % at 0.6. d takes the share pi d w h of it.
MEETING = 0.12
PLAIN, SPEED_SERVO, POSITION_SERVO = 1, 2, 3


@factory
def make_soft(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
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

    @func
    def rate_before(model, state, work, axis: vec3, linear: int, j: int, world: int) -> real:
        """The coordinate's rate by the velocities when the step began."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        if linear == 1:
            slide = state.velocity[b, world] + wp.cross(state.spin[b, world], work.arm_b[j, world])
            return wp.dot(axis, slide - state.velocity[a, world] - wp.cross(state.spin[a, world], work.arm_a[j, world]))
        return wp.dot(axis, state.spin[b, world] - state.spin[a, world])

    @func
    def table_segment(model, i: int, x: real) -> int:
        """The segment of the spring's table that holds the deflection x, or the end one."""
        at = model.table_start[i]
        while at + 2 < model.table_end[i] and x > model.table_x[at + 1]:
            at += 1
        return at

    @func
    def spring_line(model, i: int, world: int, x: real) -> p.vec2:
        """Force against the deflection x and its slope."""
        if model.table_end[i] > model.table_start[i]:
            at = table_segment(model, i, x)
            slope = (model.table_f[at + 1] - model.table_f[at]) / (model.table_x[at + 1] - model.table_x[at])
            return p.vec2(model.table_f[at] + slope * (x - model.table_x[at]), slope)
        return p.vec2(model.spring_k[i, world] * x, model.spring_k[i, world])

    @func
    def spring_acts(side: int, x: real, ahead: real) -> bool:
        """A one-sided spring acts if it is, or is about to be, on its side."""
        if side == wp.static(PUSH):
            return wp.min(x, ahead) < real(0.0)
        if side == wp.static(PULL):
            return wp.max(x, ahead) > real(0.0)
        return True

    @func
    def drive_voltage(model, control, memory, at: Start, i: int, world: int) -> real:
        """What the drive is given: its input, or what its servo makes of the target."""
        given = control.drive_input[i, world]
        pace = real(0.0)  # of the target
        if memory.kick[world] > real(0.0):
            pace = (given - memory.last_input[i, world]) / at.kick
            if wp.static(features.integrator.staggered):
                given = real(0.5) * (given + memory.last_input[i, world])
        memory.last_input[i, world] = control.drive_input[i, world]
        kind = model.drive_kind[i]
        if kind == wp.static(PLAIN):
            return wp.clamp(given, real(-1.0), real(1.0))
        error = given - at.rate
        if kind == wp.static(POSITION_SERVO):
            error = given - at.value
        asked = (
            model.servo_gain[i, world] * error
            - model.servo_damping[i, world] * at.rate
            + model.servo_integral[i, world] * memory.servo_sum[i, world]
        )
        asked = asked + model.servo_feed[i, world] * pace
        voltage = wp.clamp(asked, real(-1.0), real(1.0))
        if voltage == asked:  # no winding up while the drive gives all it has
            memory.servo_sum[i, world] = memory.servo_sum[i, world] + at.kick * error
        return voltage * wp.sign(model.drive_ratio[i, world])

    @func
    def with_drive(model, work, row: Row, voltage: real, at: Start, i: int, world: int) -> Row:
        """The row with the drive on it, at a voltage between -1 and 1."""
        kick = at.kick
        ratio = model.drive_ratio[i, world]
        stall = model.drive_stall[i, world]
        inertia = model.drive_inertia[i, world]
        inertia_and_slope = inertia + kick * stall / model.drive_idle[i, world]
        speed = ratio * at.rate
        alone = real(0.0)
        if inertia_and_slope > real(0.0):  # a motor without inertia that has failed has neither
            alone = (inertia * speed + kick * stall * voltage) / (ratio * inertia_and_slope)
        efficiency = model.drive_efficiency[i, world]
        square = ratio * ratio
        y = square * inertia_and_slope
        if wp.static(features.gears):
            work.gear_rate[i, world] = alone
            work.gear_loss[i, world] = (real(1.0) / efficiency - efficiency) * y
        lossy = model.drive_locks[i] == 1 or efficiency < real(1.0)
        if lossy or model.drive_kind[i] != wp.static(PLAIN):  # a servo samples: implicit damping keeps it stable
            row.y = row.y + efficiency * y
            row.source = row.source + efficiency * y * alone
            return row
        row.y = row.y + square * inertia
        row.y_before = row.y_before - square * inertia
        row.damping = row.damping + square * stall / model.drive_idle[i, world]
        row.source = row.source + ratio * kick * stall * voltage
        return row

    @func
    def with_spring(model, row: Row, at: Start, i: int, world: int) -> Row:
        """The row with the spring and its damper on it."""
        x = at.value - model.spring_rest[i, world]
        kick = at.kick
        dt = at.dt
        line = spring_line(model, i, world, x)
        square = dt * dt * line[1]
        implicit = real(1.0)
        ahead = x + dt * at.rate
        if wp.static(features.integrator.leads):
            pace = square * at.inverse_mass  # (frequency times dt)^2 of the spring by itself
            implicit = wp.max(real(0.0), real(1.0) - real(1.0) / wp.max(pace * at.share, real(LEAST)))
            if implicit == real(0.0):
                ahead = x  # an explicit spring knows only where it is
            if model.spring_side[i] != 0:
                carried = pace * at.share
                implicit = wp.max(implicit, wp.static(real(MEETING)) * carried * wp.sqrt(carried))
        if spring_acts(model.spring_side[i], x, ahead):
            row.damping = row.damping + model.spring_c[i, world]
            row.y = row.y + kick * dt * implicit * line[1]
            row.source = row.source + kick * (model.spring_preload[i, world] - line[0])
            if wp.static(features.integrator.leads):
                mean = square * wp.clamp(LEAST_ERROR + (pace - real(0.25)) * RAMP, LEAST_ERROR, STABLE)
                row.y = row.y + mean
                row.y_before = row.y_before - mean
        return row

    @func
    def actuator_row(model, control, memory, work, at: Start, a: int, world: int) -> Row:
        """An actuator by itself, without its rotor: its line as a spring and a damper."""
        command = control.command[a, world]
        last = command
        if wp.static(features.integrator.staggered):
            if memory.kick[world] > real(0.0):
                last = memory.last_command[a, world]
            memory.last_command[a, world] = command
        work.command[a, world] = command
        line = actuator.actuator_line(model, memory, p.vec2(command, last), at.value, at.rate, at.dt, a, world)
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

    @func
    def joined(x: Row, y: Row) -> Row:
        """Two rows on one axis as one."""
        x.y = x.y + y.y
        x.y_before = x.y_before + y.y_before
        x.damping = x.damping + y.damping
        x.source = x.source + y.source
        return x

    @func
    def end_row(model, memory, work, row: Row, at: Start, i: int, world: int) -> real:
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
        work.soft_y[i, world] = y
        work.soft_source[i, world] = row.source - before * at.rate
        if y * wp.abs(at.inverse_mass) < NEGLIGIBLE:
            work.soft_y[i, world] = real(
                0.0
            )  # no row: the impulse does not depend on the rate, and is applied as it is
            memory.soft_impulse[i, world] = work.soft_source[i, world]
        return now

    @func
    def soft_direction(model, f: Frames, i: int, j: int) -> vec3:
        """The world direction of the coordinate or axis of soft row i."""
        if model.soft_kind[i] >= 0:
            return geometry.coordinate_axis(f, model.soft_kind[i])
        return column(geometry.angular_basis(f, model.basis[j]), model.soft_column[i])

    @func
    def soft_value(model, state, f: Frames, i: int, world: int) -> real:
        """The coordinate of soft row i."""
        return geometry.counted(state, f, model.soft_kind[i], model.soft_twist[i], world)

    @func
    def prepare_soft(model, control, state, memory, work, view: View, i: int, world: int):
        """The axis of soft row i, and its conductance and source for this kick."""
        kind = model.soft_kind[i]
        linear = model.soft_linear[i]
        j = view.joint
        f = view.frames
        axis = soft_direction(model, f, i, j)
        at = Start()
        at.inverse_mass = view_of.inverse_mass_along(view, linear, axis)
        at.share = model.soft_share[i]
        at.kick = work.kick[world]
        at.dt = view.dt
        work.soft_axis[i, world] = axis
        work.soft_inverse_mass[i, world] = at.inverse_mass
        press = memory.reaction[j, world]
        if linear == 0 and kind >= 0:  # a pin is pressed across its axis, a ball from everywhere
            press = press - wp.dot(press, axis) * axis
        row = Row()
        row.damping = model.viscous[i, world] + model.viscous_load[i, world] * wp.length(press)
        at.rate = rate_before(model, state, work, axis, linear, j, world)
        if wp.static(features.integrator.leads):
            if memory.kick[world] > real(0.0):
                at.rate = memory.soft_rate[i, world]
        if kind >= 0:
            at.value = soft_value(model, state, f, i, world)
            if model.has_spring[i] == 1:
                row = with_spring(model, row, at, i, world)
            if model.drive_kind[i] > 0:
                voltage = drive_voltage(model, control, memory, at, i, world)
                work.voltage[i, world] = voltage
                if model.drive_kind[i] == wp.static(PLAIN):  # as it is given now, not the mean over the kick
                    work.voltage[i, world] = wp.clamp(control.drive_input[i, world], real(-1.0), real(1.0))
                row = with_drive(model, work, row, voltage, at, i, world)
        if wp.static(features.actuators):
            a = model.soft_actuator[i]
            if a >= 0:
                at.value = soft_value(model, state, f, i, world)
                own = actuator_row(model, control, memory, work, at, a, world)
                row = joined(row, own)
                row.y = row.y + rotor(model, a, world)
                row.y_before = row.y_before - rotor(model, a, world)
                now = end_row(model, memory, work, row, at, i, world)
                work.actuator_y[a, world] = own.y + now * at.kick * own.damping
                before = own.y_before + (real(1.0) - now) * at.kick * own.damping
                work.actuator_source[a, world] = own.source - before * at.rate
                return
        end_row(model, memory, work, row, at, i, world)

    @func
    def end_soft(model, state, memory, work, dt: real, i: int, world: int):
        """The rate of soft row i over the drift; its actuator's effort over the kick, and what is then inside it."""
        j = model.soft_joint[i]
        linear = model.soft_linear[i]
        motion = led(work, pair.motion(pair.load(model, work, j, world), linear), linear, j, world)
        rate = wp.dot(work.soft_axis[i, world], motion)
        memory.soft_rate[i, world] = rate
        if wp.static(features.actuators):
            a = model.soft_actuator[i]
            if a >= 0:
                memory.actuator_effort[a, world] = (
                    work.actuator_source[a, world] - work.actuator_y[a, world] * rate
                ) / work.kick[world]
                value = soft_value(model, state, geometry.frames_of(model, state, j, world), i, world)
                actuator.go_on(model, memory, work.command[a, world], value, rate, dt, a, world)

    @func
    def scale_soft(memory, share: real, i: int, world: int):
        """The impulse of soft row i for a kick of another length; 0 forgets it."""
        memory.soft_impulse[i, world] = share * memory.soft_impulse[i, world]

    @func
    def soft_force(model, state, f: Frames, rate: real, i: int, world: int) -> real:
        """What springs and dampers do to the coordinate at the present state and ``rate``, N or N m."""
        force = -model.viscous[i, world] * rate
        if model.has_spring[i] == 1:
            x = soft_value(model, state, f, i, world) - model.spring_rest[i, world]
            if spring_acts(model.spring_side[i], x, x):
                line = spring_line(model, i, world, x)
                force = force + model.spring_preload[i, world] - line[0] - model.spring_c[i, world] * rate
        return force

    @func
    def inverse_mass_of(model, state, linear: int, axis: vec3, point: vec3, b: int, world: int) -> real:
        """1/kg or 1/(kg m^2): inverse mass of body b alone along the axis, at a point, or about it."""
        lever = axis
        if linear == 1:
            lever = wp.cross(point - state.position[b, world], axis)
        lever = wp.quat_rotate_inv(state.rotation[b, world], lever)
        total = wp.dot(lever, model.inv_inertia[b, world] * lever)
        if linear == 1:
            total = total + model.inv_mass[b, world]
        return total

    @func
    def soft_is_stiff(model, state, dt: real, i: int, world: int) -> bool:
        """Whether springs and dampers of row i are too fast for an explicit step: dt^2 k/m > 1 or dt c/m > 1."""
        j = model.soft_joint[i]
        a = model.joint_a[j]
        b = model.joint_b[j]
        f = geometry.frames_of(model, state, j, world)
        axis = soft_direction(model, f, i, j)
        point = state.position[b, world] + wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
        linear = model.soft_linear[i]
        inverse_mass = inverse_mass_of(model, state, linear, axis, point, a, world) + inverse_mass_of(
            model, state, linear, axis, point, b, world
        )
        damping = model.viscous[i, world]
        stiffness = real(0.0)
        if model.has_spring[i] == 1:
            damping = damping + model.spring_c[i, world]
            line = spring_line(model, i, world, soft_value(model, state, f, i, world) - model.spring_rest[i, world])
            stiffness = line[1]
        return dt * damping * inverse_mass > real(1.0) or dt * dt * stiffness * inverse_mass > real(1.0)

    @func
    def soft_kick(model, work, x: Pair, impulse: real, i: int, world: int) -> Pair:
        """The two bodies after an impulse along the axis of soft row i."""
        if model.soft_linear[i] == 1:
            return pair.struck(x, impulse * work.soft_axis[i, world])
        return pair.twisted(x, impulse * work.soft_axis[i, world])

    @func
    def visit_soft(model, memory, work, x: Pair, i: int, world: int) -> Pair:
        """One visit: p += -(y u + p - source)/(y w + 1)."""
        u = x.wb - x.wa
        if model.soft_linear[i] == 1:
            u = pair.slip(x)
        if wp.static(features.integrator.leads):
            u = led(work, u, model.soft_linear[i], model.soft_joint[i], world)
        y = work.soft_y[i, world]
        old = memory.soft_impulse[i, world]
        change = -(y * wp.dot(work.soft_axis[i, world], u) + old - work.soft_source[i, world])
        change = change / (y * work.soft_inverse_mass[i, world] + real(1.0))
        memory.soft_impulse[i, world] = old + change
        return soft_kick(model, work, x, change, i, world)

    @func
    def conductance_along(model, work, linear: int, axis: vec3, j: int, world: int) -> real:
        """What the soft rows of joint j add to the effective mass along an axis."""
        total = real(0.0)
        for i in range(model.soft_start[j], model.soft_end[j]):
            if model.soft_linear[i] == linear:
                along = wp.dot(axis, work.soft_axis[i, world])
                total = total + work.soft_y[i, world] * along * along
        return total

    @func
    def conductance_on(model, work, linear: int, axes: int, j: int, world: int) -> mat33:
        """The same for several axes, as a matrix."""
        total = mat33()
        for i in range(model.soft_start[j], model.soft_end[j]):
            if model.soft_linear[i] == linear and axes & (1 << model.soft_column[i]) != 0:
                axis = work.soft_axis[i, world]
                total = total + work.soft_y[i, world] * wp.outer(axis, axis)
        return total

    return locals()
