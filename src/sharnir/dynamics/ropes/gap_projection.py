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

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from ..solvers.factors import make_factors
from .attach import make_attach
from .chain import make_chain
from .compression import HEAPED, SLACK, make_compression
from .port_matrix import make_port_matrix
from .rope_contact import make_rope_touch
from .slide import make_slide

SIMPLE_STEPS, FULL_STEPS = 10, 20
SLOW = 0.5  # a simple step that leaves more than this share of the gaps, and
NOTEWORTHY = 1e-5  # more than this share of an element's length, is not good enough
ENOUGH = 1e-6  # share of an element's length that may be left open,
CLOSED = 1e-8  # and that is not worth another step


@factory
def make_gap_projection(p: Precision, features: Features) -> Made:
    real, vec2, vec3, quat = p.real, p.vec2, p.vec3, p.quat
    func = functions(p)
    algebra, chain, attach = make_algebra(p), make_chain(p, features), make_attach(p, features)
    matrix = make_port_matrix(p, features)
    slides = make_slide(p, features)
    is_loose = make_compression(p, features).is_loose
    push_out = make_rope_touch(p, features).push_out
    solve_both = make_factors(p, features).solve_both

    @func
    def next_turn(state, work, dt: real, j: int, world: int) -> quat:
        """The orientation of element j at the end of the step."""
        return algebra.rotated(
            state.rope_rotation[j, world], dt * (work.rope_spinning[j, world] + work.rope_push_spin[j, world])
        )

    @func
    def gaps(model, state, memory, work, dt: real, loose: bool, rope: int, world: int) -> vec2:
        """The gaps at the end of the step as a right-hand side, with those of elements that give way or without them.

        Returns the squares of the worst, as a share of its element's length, and of the largest turn of an element.
        """
        first = state.rope_first[rope, world]
        before = attach.next_place(state, work, dt, first, world)
        worst = real(0.0)
        turned = real(0.0)
        rate = real(1.0) / dt
        for j in range(first, model.rope_end[rope] - 1):
            after = attach.next_place(state, work, dt, j + 1, world)
            length = state.rope_length[j, world]
            turn = dt * (work.rope_spinning[j, world] + work.rope_push_spin[j, world])
            axis = algebra.rotated_vector(algebra.ahead(state.rope_rotation[j, world]), turn)
            gap = after - before - length * axis
            if memory.rope_gives[j, world] == wp.static(SLACK):
                gap = gap - wp.dot(gap, axis) * axis
            elif memory.rope_gives[j, world] == wp.static(HEAPED):
                gap = after - before
            if not loose and is_loose(state, memory, work, j, world):
                gap = vec3()
            if state.rope_parted[j, world] == 0:
                square = wp.dot(gap, gap)
                if square > worst * length * length:
                    worst = square / (length * length)
            turned = wp.max(turned, wp.dot(turn, turn))
            work.rope_gap[j, world] = rate * gap
            work.rope_twirl[j, world] = vec3()
            before = after
        return vec2(worst, turned)

    @func
    def all_gaps(model, state, memory, work, settings, loose: bool, world: int) -> vec2:
        """The gaps of all ropes; the worst, as a share of its element's length, and the largest turn (rad)."""
        squares = vec2()
        for rope in range(settings.ropes):
            found = gaps(model, state, memory, work, settings.dt, loose, rope, world)
            squares = vec2(wp.max(squares[0], found[0]), wp.max(squares[1], found[1]))
        return vec2(wp.sqrt(squares[0]), wp.sqrt(squares[1]))

    @func
    def settle(model, memory, work, settings, world: int):
        """The joints' part of what the ports did to the bodies."""
        if wp.static(features.direct):
            solve_both(model, memory, work, settings, world)

    @func
    def simple_step(model, state, memory, work, settings, world: int):
        """One Newton step with the factors of the velocity problem; the gaps are in place."""
        if wp.static(features.rope_ports):
            for rope in range(settings.ropes):
                chain.solve(model, state, work, rope, world)
            for i in range(settings.ports):
                work.port_change[i, world] = -(
                    attach.port_pull(model, state, work, i, world)
                    + attach.port_gap(model, state, work, settings.dt, i, world) / settings.dt
                )
                if matrix.is_out(model, memory, True, i, world):
                    work.port_change[i, world] = vec3()
            matrix.substitute_ports(work, settings, True, world)
            for i in range(settings.ports):
                attach.strike_port(model, state, work, i, work.port_change[i, world], world)
        for rope in range(settings.ropes):
            chain.solve(model, state, work, rope, world)
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                work.rope_push[i, world] = work.rope_push[i, world] + chain.pulled(model, state, work, rope, i, world)
                if i < model.rope_end[rope] - 1:
                    work.rope_push_spin[i, world] = work.rope_push_spin[i, world] + work.rope_turning[i, world]
        if wp.static(features.rope_slides):
            slides.push_slides(model, state, work, settings, world)
        if wp.static(features.rope_ports):
            for i in range(settings.ports):
                change = work.port_change[i, world]
                attach.push_node(model, state, work, i, change, world)
                attach.push_body(model, work, i, -change, world)
                work.port_push[i, world] = work.port_push[i, world] + change
            settle(model, memory, work, settings, world)

    @func
    def forget(model, state, memory, work, settings, world: int):
        """Back to no pseudo-velocities of ropes and no pseudo-impulses of ports."""
        for rope in range(settings.ropes):
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                work.rope_push[i, world] = vec3()
                work.rope_push_spin[i, world] = vec3()
                work.rope_impulse[i, world] = memory.rope_pull[i, world]  # a first guess of the stiffness
        if wp.static(features.rope_slides):
            slides.freeze_slides(model, state, work, settings, world)
        if wp.static(features.rope_ports):
            for i in range(settings.ports):
                attach.push_body(model, work, i, work.port_push[i, world], world)
                work.port_push[i, world] = vec3()
            settle(model, memory, work, settings, world)

    @func
    def prepare_full(model, state, work, dt: real, rope: int, world: int):
        """Directions, geometric stiffness and right-hand side of a full step at the present V*.

        With V* as the unknown: (D + h l y.d (E - dd^T)) w* + T^T y = h l y.d (E - dd^T) w*_now  and
        J V* = J V*_now - G/h.
        """
        for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
            length = state.rope_length[j, world] - state.rope_slack[j, world]
            axis = algebra.ahead(next_turn(state, work, dt, j, world))
            turning = work.rope_push_spin[j, world]
            pull = dt * length * wp.max(wp.dot(work.rope_impulse[j, world], axis), real(0.0))
            stiff = pull * (algebra.diagonal(real(1.0)) - wp.outer(axis, axis))
            work.rope_axis[j, world] = axis
            work.rope_twirl[j, world] = stiff * turning
            work.rope_full[j, world] = algebra.packed(algebra.full(work.rope_inertia[j, world]) + stiff)
            along = work.rope_push[j + 1, world] - work.rope_push[j, world] + length * wp.cross(axis, turning)
            work.rope_gap[j, world] = work.rope_gap[j, world] - along

    @func
    def full_ports(model, state, memory, work, settings, world: int):
        """Pseudo-impulses of all ports for the present directions; the ropes' right-hand sides get them."""
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                work.rope_gap_kept[j, world] = work.rope_gap[j, world]
                work.rope_twirl_kept[j, world] = work.rope_twirl[j, world]
        attach.rope_answers(model, state, work, settings, world)
        matrix.factor_ports(model, memory, work, settings, True, world)
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                work.rope_gap[j, world] = work.rope_gap_kept[j, world]
                work.rope_twirl[j, world] = work.rope_twirl_kept[j, world]
            chain.solve(model, state, work, rope, world)
        for i in range(settings.ports):
            wanted = -attach.port_pull(model, state, work, i, world)
            if attach.is_point(model, i):
                wanted = (
                    wanted
                    + port_push(model, state, work, i, world)
                    - attach.port_gap(model, state, work, settings.dt, i, world) / settings.dt
                )
                for q in range(settings.ports):
                    wanted = wanted + work.port_body_side[i * settings.ports + q, world] * work.port_push[q, world]
            work.port_change[i, world] = wanted
            if matrix.is_out(model, memory, True, i, world):
                work.port_change[i, world] = vec3()
        matrix.substitute_ports(work, settings, True, world)
        for i in range(settings.ports):
            attach.strike_port(model, state, work, i, work.port_change[i, world], world)

    @func
    def port_push(model, state, work, i: int, world: int) -> vec3:
        """Pseudo-velocity of the rope's side of port i."""
        push = work.rope_push[attach.port_place(model, state, i, world), world]
        if model.port_other[i] >= 0:
            push = push - work.rope_push[model.port_other[i], world]
        return push

    @func
    def full_step(model, state, memory, work, settings, world: int):
        """One Newton step of the whole problem; the gaps are in place."""
        for rope in range(settings.ropes):
            prepare_full(model, state, work, settings.dt, rope, world)
            chain.factor(model, state, memory, work, work.rope_full, rope, world)
        if wp.static(features.rope_ports):
            full_ports(model, state, memory, work, settings, world)
        for rope in range(settings.ropes):
            chain.solve(model, state, work, rope, world)
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                work.rope_push[i, world] = chain.pulled(model, state, work, rope, i, world)
                if i < model.rope_end[rope] - 1:
                    work.rope_push_spin[i, world] = work.rope_turning[i, world]
        if wp.static(features.rope_ports):
            for i in range(settings.ports):
                change = work.port_change[i, world]
                attach.push_node(model, state, work, i, change, world)
                attach.push_body(model, work, i, work.port_push[i, world] - change, world)
                work.port_push[i, world] = change
            settle(model, memory, work, settings, world)

    @func
    def take_over(model, state, memory, work, settings, world: int):
        """Make the pseudo-velocities of the ropes, and of bodies through their ports, real ones."""
        for rope in range(settings.ropes):
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                work.rope_moving[i, world] = work.rope_moving[i, world] + work.rope_push[i, world]
                work.rope_spinning[i, world] = work.rope_spinning[i, world] + work.rope_push_spin[i, world]
                work.rope_push[i, world] = vec3()
                work.rope_push_spin[i, world] = vec3()
        if wp.static(features.rope_ports):
            for i in range(settings.ports):
                attach.push_body(model, work, i, work.port_push[i, world], world)
                attach.strike_body(model, work, i, -work.port_push[i, world], world)
                memory.port_impulse[i, world] = memory.port_impulse[i, world] + work.port_push[i, world]
                work.port_push[i, world] = vec3()
            settle(model, memory, work, settings, world)

    @func
    def add_pulls(model, state, memory, work, settings, world: int):
        """Count pseudo-impulses of the elements as real ones."""
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                memory.rope_pull[j, world] = memory.rope_pull[j, world] + work.rope_impulse[j, world]

    @func
    def close_fully(model, state, memory, work, settings, world: int):
        """Newton steps on all rows of the rope until its gaps are closed."""
        forget(model, state, memory, work, settings, world)
        left = int(wp.static(FULL_STEPS))
        while left > 0:
            left -= 1
            if all_gaps(model, state, memory, work, settings, True, world)[0] < wp.static(real(CLOSED)):
                left = 0
            else:
                full_step(model, state, memory, work, settings, world)
        add_pulls(model, state, memory, work, settings, world)
        take_over(model, state, memory, work, settings, world)

    @func
    def close(model, state, memory, work, settings, loose: bool, world: int) -> bool:
        """Pseudo-velocities that close what the step would leave open; whether all was made real ones already."""
        left = int(wp.static(SIMPLE_STEPS))
        before = real(0.0)
        while left > 0:
            left -= 1
            found = all_gaps(model, state, memory, work, settings, loose, world)
            worst = found[0]
            rate = real(1.0)
            if settings.ports == 0:  # whose gaps are not looked at
                rate = found[1]  # what a step leaves is about the angle by which the frozen directions are wrong,
            if before > real(0.0):
                rate = worst / before  # or what the last one left
            if worst < wp.static(real(CLOSED)):
                left = 0
            elif before > real(0.0) and rate > wp.static(real(SLOW)) and worst > wp.static(real(NOTEWORTHY)):
                close_fully(model, state, memory, work, settings, world)
                return True
            else:
                if rate * worst < wp.static(real(ENOUGH)):
                    left = 0  # this step will do
                before = worst
                simple_step(model, state, memory, work, settings, world)
                if not loose:
                    add_pulls(model, state, memory, work, settings, world)
        return False

    @func
    def any_is_loose(model, state, memory, work, settings, world: int) -> bool:
        """Whether there is anything that impulses do not close."""
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                if is_loose(state, memory, work, j, world):
                    return True
        return False

    @func
    def close_ropes(model, state, memory, work, settings, world: int):
        """Close what the step would leave open: by impulses in the leapfrog step, and where elements give way not."""
        if wp.static(features.rope_slides):
            slides.run_slides(model, state, memory, work, settings, world)
        if wp.static(features.rope_ports):
            for i in range(settings.ports):
                work.port_push[i, world] = vec3()
            if wp.static(features.rope_slides):
                if settings.rubs > 0:  # eyelets that hold do so while gaps are closed, too
                    matrix.factor_ports(model, memory, work, settings, True, world)
        closed = bool(False)
        if wp.static(features.integrator.leads):
            if settings.slides == 0:  # what eyelets and winches feed would be taken over, too
                closed = close(model, state, memory, work, settings, False, world)
                if not closed:
                    take_over(model, state, memory, work, settings, world)
                    closed = not any_is_loose(model, state, memory, work, settings, world)
        if not closed:
            if wp.static(features.rope_touch):
                push_out(model, state, memory, work, settings, world)
            close(model, state, memory, work, settings, True, world)

    return locals()
