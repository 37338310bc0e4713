"""Coupled rows: gears and their like, one exact equation between coordinates of several joints.

    sum of c_i u_i + (sum of c_i q_i - offset)/h = 0        u_i the rates of the coordinates, on average over the drift

The row leads onto its equation at the end of the step as joints do: the rates are those of ``bias.led``, so what is
left is of third order, and the next row takes it away. Its impulse p acts on coordinate i as c_i p, on b along the
coordinate's axis and on a against it. The direct solver has a node for it, of whose three rows the first is used;
sequential impulses visit it: p -= (rate + error/h)/w.

With play the sum may be off by the gap G either way, and flanks only push. Sequential impulses keep both bounds in
every visit, as limits do. The matrix of the direct solver has the row of the flank that touches, or an empty one: after
the solve a flank that pulls lets go, one that would be passed by the end of the step is met there, and the matrix is
factored again (``revise``).

All couplings together are a group of rows, see ``groups.py``.
"""

from ..bias import make_bias
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair


@factory
def make_coupling(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    led = make_bias(p, features).led
    PASSED = wp.constant(real(1e-9 if p.name == "float64" else 1e-4))  # share of a gap that is rounding

    @func
    def prepare_term(model, state, work, i: int, world: int) -> p.vec2:
        """The axis of term i; its share in the sum of coordinates, and in the row's inverse mass."""
        j = model.term_joint[i]
        f = geometry.frames_of(model, state, j, world)
        value = geometry.counted(state, f, model.term_kind[i], model.term_twist[i], world)
        axis = model.term_factor[i, world] * geometry.coordinate_axis(f, model.term_kind[i])
        work.term_axis[i, world] = axis
        x = pair.load(model, work, j, world)
        inverse_mass = wp.dot(axis, (x.ia + x.ib) * axis)
        if model.term_linear[i] == 1:
            turn_a = wp.cross(x.ra, axis)
            turn_b = wp.cross(x.rb, axis)
            inverse_mass = (
                (x.ma + x.mb) * wp.dot(axis, axis) + wp.dot(turn_a, x.ia * turn_a) + wp.dot(turn_b, x.ib * turn_b)
            )
        return p.vec2(model.term_factor[i, world] * value, inverse_mass)

    @func
    def is_open(model, memory, g: int, world: int) -> bool:
        """Whether coupling g has play and neither flank touches."""
        if wp.static(features.backlash and features.direct):
            return model.coupling_gap[g, world] > real(0.0) and memory.coupling_side[g, world] == 0
        return False

    @func
    def flank(model, memory, g: int, world: int) -> real:
        """How far off the sum of terms is where the present flank touches."""
        return real(memory.coupling_side[g, world]) * model.coupling_gap[g, world]

    @func
    def prepare(model, control, state, memory, work, report, settings, world: int):
        """Axes, errors (m or rad) and inverse masses."""
        for g in range(settings.couplings):
            total = p.vec2()
            for i in range(model.coupling_start[g], model.coupling_end[g]):
                total = total + prepare_term(model, state, work, i, world)
            work.coupling_error[g, world] = (
                total[0] - model.coupling_offset[g, world] - control.coupling_target[g, world]
            )
            if wp.static(features.backlash and features.direct):
                work.coupling_error[g, world] = work.coupling_error[g, world] - flank(model, memory, g, world)
            work.coupling_inverse_mass[g, world] = total[1]
            work.coupling_bias[g, world] = real(0.0)
            work.coupling_bias_impulse[g, world] = real(0.0)
            if wp.static(not features.integrator.leads) or model.coupling_moves[g] == 1:
                work.coupling_bias[g, world] = work.coupling_error[g, world] / settings.dt

    @func
    def lead(model, memory, work, settings, world: int):
        """From now on the rows lead onto their equations."""
        for g in range(settings.couplings):
            work.coupling_bias[g, world] = work.coupling_error[g, world] / settings.dt

    @func
    def act_on(model, work, impulse: real, g: int, world: int):
        """An impulse of coupling g on all of its coordinates."""
        for i in range(model.coupling_start[g], model.coupling_end[g]):
            j = model.term_joint[i]
            pair.store(
                model,
                work,
                j,
                world,
                pair.acted(pair.load(model, work, j, world), model.term_linear[i], impulse * work.term_axis[i, world]),
            )

    @func
    def warm(model, memory, work, settings, world: int):
        """Last step's impulses applied."""
        for g in range(settings.couplings):
            act_on(model, work, memory.coupling_impulse[g, world], g, world)

    @func
    def coupling_rate(model, work, g: int, world: int) -> real:
        """What the row lacks: its rate on average over the drift, and what closes it."""
        return work.coupling_bias[g, world] + sum_rate(model, work, g, world)

    @func
    def sum_rate(model, work, g: int, world: int) -> real:
        """The rate of the sum of terms on average over the drift."""
        rate = real(0.0)
        for i in range(model.coupling_start[g], model.coupling_end[g]):
            j = model.term_joint[i]
            linear = model.term_linear[i]
            rate = rate + wp.dot(
                work.term_axis[i, world],
                led(work, pair.motion(pair.load(model, work, j, world), linear), linear, j, world),
            )
        return rate

    @func
    def push_rate(model, work, g: int, world: int) -> real:
        """The row's rate of the pseudo-velocities, which must not part it."""
        rate = real(0.0)
        for i in range(model.coupling_start[g], model.coupling_end[g]):
            j = model.term_joint[i]
            x = pair.load_push(model, work, pair.load(model, work, j, world), j, world)
            rate = rate + wp.dot(work.term_axis[i, world], pair.motion(x, model.term_linear[i]))
        return rate

    # --- in the direct solver's matrix --------------------------------------------------------------------------------

    @func
    def add(work, block: int, row: int, column: int, value: vec3, world: int):
        """Add to the first row of a coupling's block with a body's node, the later node's index first."""
        if block >= 0:
            part = wp.matrix_from_rows(value, vec3(), vec3())
            if row > column:
                work.block[block, world] = work.block[block, world] + part
            else:
                work.block[block, world] = work.block[block, world] + wp.transpose(part)

    @func
    def assemble(model, memory, work, settings, world: int):
        """The rows in the matrix; their blocks were cleared along with the fill."""
        for g in range(settings.couplings):
            row = model.coupling_node[g]
            if is_open(model, memory, g, world):
                work.pivot[row, world] = p.sym33(real(-1.0), real(-1.0), real(-1.0), real(0.0), real(0.0), real(0.0))
                continue
            for i in range(model.coupling_start[g], model.coupling_end[g]):
                j = model.term_joint[i]
                a = model.body_node[model.joint_a[j]]
                b = model.body_node[model.joint_b[j]]
                d = work.term_axis[i, world]
                if model.term_linear[i] == 1:
                    add(work, model.term_block[4 * i], row, a, -d, world)
                    add(work, model.term_block[4 * i + 1], row, a + 1, -wp.cross(work.arm_a[j, world], d), world)
                    add(work, model.term_block[4 * i + 2], row, b, d, world)
                    add(work, model.term_block[4 * i + 3], row, b + 1, wp.cross(work.arm_b[j, world], d), world)
                else:
                    add(work, model.term_block[4 * i + 1], row, a + 1, -d, world)
                    add(work, model.term_block[4 * i + 3], row, b + 1, d, world)
            compliance = model.coupling_compliance[g] * work.coupling_inverse_mass[g, world]
            work.pivot[row, world] = p.sym33(-compliance, real(-1.0), real(-1.0), real(0.0), real(0.0), real(0.0))

    @func
    def lacking(model, memory, rate: real, g: int, world: int) -> vec3:
        """The right-hand side of coupling g, whose row has a rate that it should not have."""
        if is_open(model, memory, g, world):
            return vec3()
        return vec3(-rate, real(0.0), real(0.0))

    @func
    def lack(model, memory, work, settings, world: int):
        """The right-hand sides of all couplings, rad/s or m/s."""
        for g in range(settings.couplings):
            work.solution[model.coupling_node[g], world] = lacking(
                model, memory, coupling_rate(model, work, g, world), g, world
            )

    @func
    def lack_push(model, memory, work, settings, world: int):
        """The same for the pseudo-velocities, which must not part the couplings."""
        for g in range(settings.couplings):
            work.push_solution[model.coupling_node[g], world] = lacking(
                model, memory, push_rate(model, work, g, world), g, world
            )

    @func
    def take(model, memory, work, settings, world: int):
        """Add the solution to the impulses."""
        for g in range(settings.couplings):
            x = work.solution[model.coupling_node[g], world]
            memory.coupling_impulse[g, world] = memory.coupling_impulse[g, world] - x[0]

    @func
    def take_apart(model, memory, work, settings, world: int):
        """What the bias adds is a part of the effort but not of the warm start, as for joints."""
        for g in range(settings.couplings):
            x = work.solution[model.coupling_node[g], world]
            work.coupling_bias_impulse[g, world] = work.coupling_bias_impulse[g, world] - x[0]

    @func
    def let_go(model, memory, work, g: int, world: int):
        """A flank that would pull does nothing any more."""
        impulse = memory.coupling_impulse[g, world] + work.coupling_bias_impulse[g, world]
        act_on(model, work, -impulse, g, world)
        memory.coupling_impulse[g, world] = real(0.0)
        work.coupling_bias_impulse[g, world] = real(0.0)
        work.coupling_error[g, world] = work.coupling_error[g, world] + flank(model, memory, g, world)
        memory.coupling_side[g, world] = 0

    @func
    def meet(model, memory, work, side: int, dt: real, g: int, world: int):
        """A flank that would be passed is met by the end of the step."""
        memory.coupling_side[g, world] = side
        work.coupling_error[g, world] = work.coupling_error[g, world] - flank(model, memory, g, world)
        work.coupling_bias[g, world] = work.coupling_error[g, world] / dt

    if features.backlash and features.direct:

        @func
        def revise(model, memory, work, settings, world: int) -> bool:
            """After a solve: flanks that pull let go, those that would be passed are met; whether there were any."""
            changed = bool(False)
            for g in range(settings.couplings):
                gap = model.coupling_gap[g, world]
                side = memory.coupling_side[g, world]
                if gap > real(0.0):
                    if side != 0:
                        if real(side) * (
                            memory.coupling_impulse[g, world] + work.coupling_bias_impulse[g, world]
                        ) > real(0.0):
                            let_go(model, memory, work, g, world)
                            changed = True
                    else:
                        ahead = work.coupling_error[g, world] + settings.dt * sum_rate(model, work, g, world)
                        if wp.abs(ahead) > gap * (real(1.0) + PASSED):
                            meet(model, memory, work, int(wp.sign(ahead)), settings.dt, g, world)
                            changed = True
            return changed

    # --- by visits ----------------------------------------------------------------------------------------------------

    @func
    def push_between(model, memory, work, dt: real, g: int, world: int) -> real:
        """The change of the impulse of a coupling with play: neither flank is passed, and at most one pushes."""
        old = memory.coupling_impulse[g, world]
        mass = real(1.0) / work.coupling_inverse_mass[g, world]
        error = work.coupling_error[g, world]
        gap = model.coupling_gap[g, world]
        rate = sum_rate(model, work, g, world)
        up = wp.max(real(0.0), old - mass * (rate + (error + gap) / dt))
        down = wp.max(real(0.0), mass * (rate + (error - gap) / dt) - old)
        return up - down - old

    @func
    def visit(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """One visit of every coupling; the square of the largest impulse."""
        largest = real(0.0)
        for g in range(settings.couplings):
            if work.coupling_inverse_mass[g, world] > real(0.0):
                change = -coupling_rate(model, work, g, world) / work.coupling_inverse_mass[g, world]
                if wp.static(features.backlash):
                    if model.coupling_gap[g, world] > real(0.0):
                        change = push_between(model, memory, work, settings.dt, g, world)
                memory.coupling_impulse[g, world] = memory.coupling_impulse[g, world] + change
                act_on(model, work, change, g, world)
                largest = wp.max(largest, change * change)
        return largest

    @func
    def end(model, state, memory, work, settings, world: int):
        """The mean effort of every coupling over the kick, N or N m."""
        for g in range(settings.couplings):
            memory.coupling_effort[g, world] = (
                memory.coupling_impulse[g, world] + work.coupling_bias_impulse[g, world]
            ) / work.kick[world]

    @func
    def scale(model, memory, settings, share: real, world: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for g in range(settings.couplings):
            memory.coupling_impulse[g, world] = share * memory.coupling_impulse[g, world]

    return locals()
