"""Closing the gaps that a step would leave between elements, nodes and ports.

Directions frozen over a step leave gaps of the order h^2. They are closed before the step ends, by pseudo-velocities V*
that are forgotten ([001]): Newton steps with the factors that are there,

    G_j = r_{j+1} - r_j - l_j d_j  at the end of the step,   J V* = -G/h

Where that does not converge the rope is nearly straight between things that are nearly rigid: no small motion along the
frozen directions shortens it enough. Then the whole problem is solved, min |V*|^2 in the metric of the masses with
G = 0, by Newton steps with new directions and with the second derivative of the lengths, which is the geometric
stiffness of the pseudo-impulses. Its V* is more than an error of the method: it is motion the rope could not make. The
velocities take it over, and with them whatever energy the jerk of a rope drawn straight leaves to be dissipated.

In the leapfrog step the velocities take V* over in any case, with the impulses along the frozen directions that make
G = 0 at the end: the rope does not lose energy by turning. Not so for elements that give way, come to be taut in the
step or touch something. Their rows are kept as they are, and closed afterwards by pseudo-velocities that are forgotten.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..nothing import NOTHING
from ..solvers.factors import make_factors
from .attach import make_attach
from .chain import make_chain
from .give import HEAPED, SLACK, make_give
from .port_matrix import make_port_matrix
from .rope_contact import make_rope_touch
from .slide import make_slide

wp = load_warp()

SIMPLE_STEPS, FULL_STEPS = 10, 20
SLOW = 0.5  # a simple step that leaves more than this share of the gaps, and
NOTEWORTHY = 1e-5  # more than this share of an element's length, is not good enough
ENOUGH = 1e-6  # share of an element's length that may be left open,
CLOSED = 1e-8  # and that is not worth another step


@cache
def make_close(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3, quat = p.real, p.vec2, p.vec3, p.quat
    t = structs(p)
    algebra, chain, attach = make_algebra(p), make_chain(p, features), make_attach(p, features)
    matrix = make_port_matrix(p, features)
    slides = make_slide(p, features)
    is_loose = make_give(p, features).is_loose
    push_out = (make_rope_touch(p, features) if features.rope_touch else NOTHING).push_out
    solve_both = make_factors(p, features).solve_both

    @wp.func
    def next_turn(s: t.state, k: t.work, dt: real, j: int, w: int) -> quat:
        """The orientation of element j at the end of the step."""
        return algebra.rotated(s.rope_rotation[j, w], dt * (k.rope_spinning[j, w] + k.rope_push_spin[j, w]))

    @wp.func
    def gaps(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, loose: bool, rope: int, w: int) -> vec2:
        """The gaps at the end of the step as a right-hand side, with those of elements that give way or without them.

        Returns the squares of the worst, as a share of its element's length, and of the largest turn of an element.
        """
        first = s.rope_first[rope, w]
        before = attach.next_place(s, k, dt, first, w)
        worst = real(0.0)
        turned = real(0.0)
        rate = real(1.0) / dt
        for j in range(first, m.rope_end[rope] - 1):
            after = attach.next_place(s, k, dt, j + 1, w)
            length = s.rope_length[j, w]
            turn = dt * (k.rope_spinning[j, w] + k.rope_push_spin[j, w])
            axis = algebra.rotated_vector(algebra.ahead(s.rope_rotation[j, w]), turn)
            gap = after - before - length * axis
            if n.rope_gives[j, w] == wp.static(SLACK):
                gap = gap - wp.dot(gap, axis) * axis
            elif n.rope_gives[j, w] == wp.static(HEAPED):
                gap = after - before
            if not loose and is_loose(s, n, k, j, w):
                gap = vec3()
            if s.rope_parted[j, w] == 0:
                square = wp.dot(gap, gap)
                if square > worst * length * length:
                    worst = square / (length * length)
            turned = wp.max(turned, wp.dot(turn, turn))
            k.rope_gap[j, w] = rate * gap
            k.rope_twirl[j, w] = vec3()
            before = after
        return vec2(worst, turned)

    @wp.func
    def all_gaps(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, loose: bool, w: int) -> vec2:
        """The gaps of all ropes; the worst, as a share of its element's length, and the largest turn (rad)."""
        squares = vec2()
        for rope in range(o.ropes):
            found = gaps(m, s, n, k, o.dt, loose, rope, w)
            squares = vec2(wp.max(squares[0], found[0]), wp.max(squares[1], found[1]))
        return vec2(wp.sqrt(squares[0]), wp.sqrt(squares[1]))

    @wp.func
    def settle(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The joints' part of what the ports did to the bodies."""
        if wp.static(features.direct):
            solve_both(m, n, k, o, w)

    @wp.func
    def simple_step(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """One Newton step with the factors of the velocity problem; the gaps are in place."""
        if wp.static(features.rope_ports):
            for rope in range(o.ropes):
                chain.solve(m, s, k, rope, w)
            for i in range(o.ports):
                k.port_change[i, w] = -(attach.port_pull(m, s, k, i, w) + attach.port_gap(m, s, k, o.dt, i, w) / o.dt)
                if matrix.is_out(m, n, True, i, w):
                    k.port_change[i, w] = vec3()
            matrix.substitute_ports(k, o, True, w)
            for i in range(o.ports):
                attach.strike_port(m, s, k, i, k.port_change[i, w], w)
        for rope in range(o.ropes):
            chain.solve(m, s, k, rope, w)
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                k.rope_push[i, w] = k.rope_push[i, w] + chain.pulled(m, s, k, rope, i, w)
                if i < m.rope_end[rope] - 1:
                    k.rope_push_spin[i, w] = k.rope_push_spin[i, w] + k.rope_turning[i, w]
        if wp.static(features.rope_slides):
            slides.push_slides(m, s, k, o, w)
        if wp.static(features.rope_ports):
            for i in range(o.ports):
                change = k.port_change[i, w]
                attach.push_node(m, s, k, i, change, w)
                attach.push_body(m, k, i, -change, w)
                k.port_push[i, w] = k.port_push[i, w] + change
            settle(m, n, k, o, w)

    @wp.func
    def forget(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Back to no pseudo-velocities of ropes and no pseudo-impulses of ports."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                k.rope_push[i, w] = vec3()
                k.rope_push_spin[i, w] = vec3()
                k.rope_impulse[i, w] = n.rope_pull[i, w]  # a first guess of the stiffness
        if wp.static(features.rope_slides):
            slides.freeze_slides(m, s, k, o, w)
        if wp.static(features.rope_ports):
            for i in range(o.ports):
                attach.push_body(m, k, i, k.port_push[i, w], w)
                k.port_push[i, w] = vec3()
            settle(m, n, k, o, w)

    @wp.func
    def prepare_full(m: t.model, s: t.state, k: t.work, dt: real, rope: int, w: int):
        """Directions, geometric stiffness and right-hand side of a full step at the present V*.

        With V* as the unknown: (D + h l y.d (E - dd^T)) w* + T^T y = h l y.d (E - dd^T) w*_now  and
        J V* = J V*_now - G/h.
        """
        for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
            length = s.rope_length[j, w] - s.rope_slack[j, w]
            axis = algebra.ahead(next_turn(s, k, dt, j, w))
            turning = k.rope_push_spin[j, w]
            pull = dt * length * wp.max(wp.dot(k.rope_impulse[j, w], axis), real(0.0))
            stiff = pull * (algebra.diagonal(real(1.0)) - wp.outer(axis, axis))
            k.rope_axis[j, w] = axis
            k.rope_twirl[j, w] = stiff * turning
            k.rope_full[j, w] = algebra.packed(algebra.full(k.rope_inertia[j, w]) + stiff)
            along = k.rope_push[j + 1, w] - k.rope_push[j, w] + length * wp.cross(axis, turning)
            k.rope_gap[j, w] = k.rope_gap[j, w] - along

    @wp.func
    def full_ports(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Pseudo-impulses of all ports for the present directions; the ropes' right-hand sides get them."""
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                k.rope_gap_kept[j, w] = k.rope_gap[j, w]
                k.rope_twirl_kept[j, w] = k.rope_twirl[j, w]
        attach.rope_answers(m, s, k, o, w)
        matrix.factor_ports(m, n, k, o, True, w)
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                k.rope_gap[j, w] = k.rope_gap_kept[j, w]
                k.rope_twirl[j, w] = k.rope_twirl_kept[j, w]
            chain.solve(m, s, k, rope, w)
        for i in range(o.ports):
            wanted = -attach.port_pull(m, s, k, i, w)
            if attach.is_point(m, i):
                wanted = wanted + port_push(m, s, k, i, w) - attach.port_gap(m, s, k, o.dt, i, w) / o.dt
                for q in range(o.ports):
                    wanted = wanted + k.port_body_side[i * o.ports + q, w] * k.port_push[q, w]
            k.port_change[i, w] = wanted
            if matrix.is_out(m, n, True, i, w):
                k.port_change[i, w] = vec3()
        matrix.substitute_ports(k, o, True, w)
        for i in range(o.ports):
            attach.strike_port(m, s, k, i, k.port_change[i, w], w)

    @wp.func
    def port_push(m: t.model, s: t.state, k: t.work, i: int, w: int) -> vec3:
        """Pseudo-velocity of the rope's side of port i."""
        push = k.rope_push[attach.port_place(m, s, i, w), w]
        if m.port_other[i] >= 0:
            push = push - k.rope_push[m.port_other[i], w]
        return push

    @wp.func
    def full_step(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """One Newton step of the whole problem; the gaps are in place."""
        for rope in range(o.ropes):
            prepare_full(m, s, k, o.dt, rope, w)
            chain.factor(m, s, n, k, k.rope_full, rope, w)
        if wp.static(features.rope_ports):
            full_ports(m, s, n, k, o, w)
        for rope in range(o.ropes):
            chain.solve(m, s, k, rope, w)
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                k.rope_push[i, w] = chain.pulled(m, s, k, rope, i, w)
                if i < m.rope_end[rope] - 1:
                    k.rope_push_spin[i, w] = k.rope_turning[i, w]
        if wp.static(features.rope_ports):
            for i in range(o.ports):
                change = k.port_change[i, w]
                attach.push_node(m, s, k, i, change, w)
                attach.push_body(m, k, i, k.port_push[i, w] - change, w)
                k.port_push[i, w] = change
            settle(m, n, k, o, w)

    @wp.func
    def take_over(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Make the pseudo-velocities of the ropes, and of bodies through their ports, real ones."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                k.rope_moving[i, w] = k.rope_moving[i, w] + k.rope_push[i, w]
                k.rope_spinning[i, w] = k.rope_spinning[i, w] + k.rope_push_spin[i, w]
                k.rope_push[i, w] = vec3()
                k.rope_push_spin[i, w] = vec3()
        if wp.static(features.rope_ports):
            for i in range(o.ports):
                attach.push_body(m, k, i, k.port_push[i, w], w)
                attach.strike_body(m, k, i, -k.port_push[i, w], w)
                n.port_impulse[i, w] = n.port_impulse[i, w] + k.port_push[i, w]
                k.port_push[i, w] = vec3()
            settle(m, n, k, o, w)

    @wp.func
    def add_pulls(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Count pseudo-impulses of the elements as real ones."""
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                n.rope_pull[j, w] = n.rope_pull[j, w] + k.rope_impulse[j, w]

    @wp.func
    def close_fully(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Newton steps on all rows of the rope until its gaps are closed."""
        forget(m, s, n, k, o, w)
        left = int(wp.static(FULL_STEPS))
        while left > 0:
            left -= 1
            if all_gaps(m, s, n, k, o, True, w)[0] < wp.static(real(CLOSED)):
                left = 0
            else:
                full_step(m, s, n, k, o, w)
        add_pulls(m, s, n, k, o, w)
        take_over(m, s, n, k, o, w)

    @wp.func
    def close(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, loose: bool, w: int) -> bool:
        """Pseudo-velocities that close what the step would leave open; whether all was made real ones already."""
        left = int(wp.static(SIMPLE_STEPS))
        before = real(0.0)
        while left > 0:
            left -= 1
            found = all_gaps(m, s, n, k, o, loose, w)
            worst = found[0]
            rate = real(1.0)
            if o.ports == 0:  # whose gaps are not looked at
                rate = found[1]  # what a step leaves is about the angle by which the frozen directions are wrong,
            if before > real(0.0):
                rate = worst / before  # or what the last one left
            if worst < wp.static(real(CLOSED)):
                left = 0
            elif before > real(0.0) and rate > wp.static(real(SLOW)) and worst > wp.static(real(NOTEWORTHY)):
                close_fully(m, s, n, k, o, w)
                return True
            else:
                if rate * worst < wp.static(real(ENOUGH)):
                    left = 0  # this step will do
                before = worst
                simple_step(m, s, n, k, o, w)
                if not loose:
                    add_pulls(m, s, n, k, o, w)
        return False

    @wp.func
    def any_is_loose(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """Whether there is anything that impulses do not close."""
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                if is_loose(s, n, k, j, w):
                    return True
        return False

    @wp.func
    def close_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Close what the step would leave open: by impulses in the leapfrog step, and where elements give way not."""
        if wp.static(features.rope_slides):
            slides.run_slides(m, s, n, k, o, w)
        if wp.static(features.rope_ports):
            for i in range(o.ports):
                k.port_push[i, w] = vec3()
            if wp.static(features.rope_slides):
                if o.rubs > 0:  # eyelets that hold do so while gaps are closed, too
                    matrix.factor_ports(m, n, k, o, True, w)
        closed = bool(False)
        if wp.static(features.integrator.leads):
            if o.slides == 0:  # what eyelets and winches feed would be taken over, too
                closed = close(m, s, n, k, o, False, w)
                if not closed:
                    take_over(m, s, n, k, o, w)
                    closed = not any_is_loose(m, s, n, k, o, w)
        if not closed:
            if wp.static(features.rope_touch):
                push_out(m, s, n, k, o, w)
            close(m, s, n, k, o, True, w)

    return SimpleNamespace(close_ropes=close_ropes, next_turn=next_turn)
