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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..pair import make_pair

wp = load_warp()


@cache
def make_coupling(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    led = make_bias(p, features).led
    PASSED = wp.constant(real(1e-9 if p.name == "float64" else 1e-4))  # share of a gap that is rounding

    @wp.func
    def prepare_term(m: t.model, s: t.state, k: t.work, i: int, w: int) -> p.vec2:
        """The axis of term i; its share in the sum of coordinates, and in the row's inverse mass."""
        j = m.term_joint[i]
        f = geometry.frames_of(m, s, j, w)
        value = geometry.coordinate_value(f, m.term_kind[i])
        if m.term_twist[i] >= 0:
            value = geometry.unwrapped(value, s.twist[m.term_twist[i], w])
        axis = m.term_factor[i, w] * geometry.coordinate_axis(f, m.term_kind[i])
        k.term_axis[i, w] = axis
        x = pair.load(m, k, j, w)
        ease = wp.dot(axis, (x.ia + x.ib) * axis)
        if m.term_linear[i] == 1:
            turn_a = wp.cross(x.ra, axis)
            turn_b = wp.cross(x.rb, axis)
            ease = (x.ma + x.mb) * wp.dot(axis, axis) + wp.dot(turn_a, x.ia * turn_a) + wp.dot(turn_b, x.ib * turn_b)
        return p.vec2(m.term_factor[i, w] * value, ease)

    @wp.func
    def is_open(m: t.model, n: t.memory, g: int, w: int) -> bool:
        """Whether coupling g has play and neither flank touches."""
        if wp.static(features.backlash and features.direct):
            return m.coupling_gap[g, w] > real(0.0) and n.coupling_side[g, w] == 0
        return False

    @wp.func
    def flank(m: t.model, n: t.memory, g: int, w: int) -> real:
        """How far off the sum of terms is where the present flank touches."""
        return real(n.coupling_side[g, w]) * m.coupling_gap[g, w]

    @wp.func
    def prepare(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Axes, errors (m or rad) and inverse masses."""
        for g in range(o.couplings):
            total = p.vec2()
            for i in range(m.coupling_start[g], m.coupling_end[g]):
                total = total + prepare_term(m, s, k, i, w)
            k.coupling_error[g, w] = total[0] - m.coupling_offset[g, w] - c.coupling_target[g, w]
            if wp.static(features.backlash and features.direct):
                k.coupling_error[g, w] = k.coupling_error[g, w] - flank(m, n, g, w)
            k.coupling_ease[g, w] = total[1]
            k.coupling_bias[g, w] = real(0.0)
            k.coupling_bias_impulse[g, w] = real(0.0)
            if wp.static(not features.integrator.leads) or m.coupling_moves[g] == 1:
                k.coupling_bias[g, w] = k.coupling_error[g, w] / o.dt

    @wp.func
    def lead(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """From now on the rows lead onto their equations."""
        for g in range(o.couplings):
            k.coupling_bias[g, w] = k.coupling_error[g, w] / o.dt

    @wp.func
    def act_on(m: t.model, k: t.work, impulse: real, g: int, w: int):
        """An impulse of coupling g on all of its coordinates."""
        for i in range(m.coupling_start[g], m.coupling_end[g]):
            j = m.term_joint[i]
            pair.store(m, k, j, w, pair.acted(pair.load(m, k, j, w), m.term_linear[i], impulse * k.term_axis[i, w]))

    @wp.func
    def warm(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Last step's impulses applied."""
        for g in range(o.couplings):
            act_on(m, k, n.coupling_impulse[g, w], g, w)

    @wp.func
    def coupling_rate(m: t.model, k: t.work, g: int, w: int) -> real:
        """What the row lacks: its rate on average over the drift, and what closes it."""
        return k.coupling_bias[g, w] + sum_rate(m, k, g, w)

    @wp.func
    def sum_rate(m: t.model, k: t.work, g: int, w: int) -> real:
        """The rate of the sum of terms on average over the drift."""
        rate = real(0.0)
        for i in range(m.coupling_start[g], m.coupling_end[g]):
            j = m.term_joint[i]
            linear = m.term_linear[i]
            rate = rate + wp.dot(k.term_axis[i, w], led(k, pair.motion(pair.load(m, k, j, w), linear), linear, j, w))
        return rate

    @wp.func
    def push_rate(m: t.model, k: t.work, g: int, w: int) -> real:
        """The row's rate of the pseudo-velocities, which must not part it."""
        rate = real(0.0)
        for i in range(m.coupling_start[g], m.coupling_end[g]):
            j = m.term_joint[i]
            x = pair.load_push(m, k, pair.load(m, k, j, w), j, w)
            rate = rate + wp.dot(k.term_axis[i, w], pair.motion(x, m.term_linear[i]))
        return rate

    # --- in the direct solver's matrix --------------------------------------------------------------------------------

    @wp.func
    def add(k: t.work, block: int, row: int, column: int, value: vec3, w: int):
        """Add to the first row of a coupling's block with a body's node, the later node's index first."""
        if block >= 0:
            part = wp.matrix_from_rows(value, vec3(), vec3())
            if row > column:
                k.block[block, w] = k.block[block, w] + part
            else:
                k.block[block, w] = k.block[block, w] + wp.transpose(part)

    @wp.func
    def assemble(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The rows in the matrix; their blocks were cleared along with the fill."""
        for g in range(o.couplings):
            row = m.coupling_node[g]
            if is_open(m, n, g, w):
                k.pivot[row, w] = p.sym33(real(-1.0), real(-1.0), real(-1.0), real(0.0), real(0.0), real(0.0))
                continue
            for i in range(m.coupling_start[g], m.coupling_end[g]):
                j = m.term_joint[i]
                a = m.body_node[m.joint_a[j]]
                b = m.body_node[m.joint_b[j]]
                d = k.term_axis[i, w]
                if m.term_linear[i] == 1:
                    add(k, m.term_block[4 * i], row, a, -d, w)
                    add(k, m.term_block[4 * i + 1], row, a + 1, -wp.cross(k.arm_a[j, w], d), w)
                    add(k, m.term_block[4 * i + 2], row, b, d, w)
                    add(k, m.term_block[4 * i + 3], row, b + 1, wp.cross(k.arm_b[j, w], d), w)
                else:
                    add(k, m.term_block[4 * i + 1], row, a + 1, -d, w)
                    add(k, m.term_block[4 * i + 3], row, b + 1, d, w)
            give = m.coupling_give[g] * k.coupling_ease[g, w]
            k.pivot[row, w] = p.sym33(-give, real(-1.0), real(-1.0), real(0.0), real(0.0), real(0.0))

    @wp.func
    def lacking(m: t.model, n: t.memory, rate: real, g: int, w: int) -> vec3:
        """The right-hand side of coupling g, whose row has a rate that it should not have."""
        if is_open(m, n, g, w):
            return vec3()
        return vec3(-rate, real(0.0), real(0.0))

    @wp.func
    def lack(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The right-hand sides of all couplings, rad/s or m/s."""
        for g in range(o.couplings):
            k.solution[m.coupling_node[g], w] = lacking(m, n, coupling_rate(m, k, g, w), g, w)

    @wp.func
    def lack_push(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same for the pseudo-velocities, which must not part the couplings."""
        for g in range(o.couplings):
            k.push_solution[m.coupling_node[g], w] = lacking(m, n, push_rate(m, k, g, w), g, w)

    @wp.func
    def take(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Add the solution to the impulses."""
        for g in range(o.couplings):
            x = k.solution[m.coupling_node[g], w]
            n.coupling_impulse[g, w] = n.coupling_impulse[g, w] - x[0]

    @wp.func
    def take_apart(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """What the bias adds is a part of the effort but not of the warm start, as for joints."""
        for g in range(o.couplings):
            x = k.solution[m.coupling_node[g], w]
            k.coupling_bias_impulse[g, w] = k.coupling_bias_impulse[g, w] - x[0]

    @wp.func
    def let_go(m: t.model, n: t.memory, k: t.work, g: int, w: int):
        """A flank that would pull does nothing any more."""
        impulse = n.coupling_impulse[g, w] + k.coupling_bias_impulse[g, w]
        act_on(m, k, -impulse, g, w)
        n.coupling_impulse[g, w] = real(0.0)
        k.coupling_bias_impulse[g, w] = real(0.0)
        k.coupling_error[g, w] = k.coupling_error[g, w] + flank(m, n, g, w)
        n.coupling_side[g, w] = 0

    @wp.func
    def meet(m: t.model, n: t.memory, k: t.work, side: int, dt: real, g: int, w: int):
        """A flank that would be passed is met by the end of the step."""
        n.coupling_side[g, w] = side
        k.coupling_error[g, w] = k.coupling_error[g, w] - flank(m, n, g, w)
        k.coupling_bias[g, w] = k.coupling_error[g, w] / dt

    @wp.func
    def revise(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """After a solve: flanks that pull let go, those that would be passed are met; whether there were any."""
        changed = bool(False)
        for g in range(o.couplings):
            gap = m.coupling_gap[g, w]
            side = n.coupling_side[g, w]
            if gap > real(0.0):
                if side != 0:
                    if real(side) * (n.coupling_impulse[g, w] + k.coupling_bias_impulse[g, w]) > real(0.0):
                        let_go(m, n, k, g, w)
                        changed = True
                else:
                    ahead = k.coupling_error[g, w] + o.dt * sum_rate(m, k, g, w)
                    if wp.abs(ahead) > gap * (real(1.0) + PASSED):
                        meet(m, n, k, int(wp.sign(ahead)), o.dt, g, w)
                        changed = True
        return changed

    # --- by visits ----------------------------------------------------------------------------------------------------

    @wp.func
    def push_between(m: t.model, n: t.memory, k: t.work, dt: real, g: int, w: int) -> real:
        """The change of the impulse of a coupling with play: neither flank is passed, and at most one pushes."""
        old = n.coupling_impulse[g, w]
        mass = real(1.0) / k.coupling_ease[g, w]
        error = k.coupling_error[g, w]
        gap = m.coupling_gap[g, w]
        rate = sum_rate(m, k, g, w)
        up = wp.max(real(0.0), old - mass * (rate + (error + gap) / dt))
        down = wp.max(real(0.0), mass * (rate + (error - gap) / dt) - old)
        return up - down - old

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, w: int) -> real:
        """One visit of every coupling; the square of the largest impulse."""
        largest = real(0.0)
        for g in range(o.couplings):
            if k.coupling_ease[g, w] > real(0.0):
                change = -coupling_rate(m, k, g, w) / k.coupling_ease[g, w]
                if wp.static(features.backlash):
                    if m.coupling_gap[g, w] > real(0.0):
                        change = push_between(m, n, k, o.dt, g, w)
                n.coupling_impulse[g, w] = n.coupling_impulse[g, w] + change
                act_on(m, k, change, g, w)
                largest = wp.max(largest, change * change)
        return largest

    @wp.func
    def end(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The mean effort of every coupling over the kick, N or N m."""
        for g in range(o.couplings):
            n.coupling_effort[g, w] = (n.coupling_impulse[g, w] + k.coupling_bias_impulse[g, w]) / k.kick[w]

    @wp.func
    def scale(m: t.model, n: t.memory, o: t.settings, share: real, w: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for g in range(o.couplings):
            n.coupling_impulse[g, w] = share * n.coupling_impulse[g, w]

    in_matrix = {"assemble": assemble, "lack": lack, "lack_push": lack_push, "take": take, "take_apart": take_apart}
    if features.backlash and features.direct:
        in_matrix["revise"] = revise
    return SimpleNamespace(prepare=prepare, lead=lead, warm=warm, visit=visit, end=end, scale=scale, **in_matrix)
