"""Ports: where ropes meet bodies that move, or each other. Solved exactly, whatever the mass ratio.

A port p has an impulse x_p, +x on the rope and -x on what it is tied to, and a slip u_p between the two sides that
must vanish (a clamp: u + softness (x - source) = 0, the spring of ``bend_twist.py``). Both sides are linear:

    u = u_0 + (Y + K) x       Y  the ropes' answer to impulses at their ports (one chain solve per direction)
                              K  the bodies' answer: with the direct solver that of the whole mechanism they hang in

Y + K is small, one 3x3 block per pair of ports, and factored densely. Since K knows the joints, one solve of the ports
and one of the joints after it satisfy both. [002]'s tied end, a node with the inverse mass n^T K n of the body, is
the case of one port.
"""

from ...model.rope_arrays import BODY_POINT, CLAMP, FEED, OTHER_ROPE, RUB
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .chain import make_chain
from .port_matrix import make_port_matrix
from .prepare import make_prepare
from .rub import make_rub

ROUNDS = 40  # in which the friction of eyelets follows the pulls at them


@factory
def make_attach(p: Precision, features: Features) -> Made:
    if not features.ropes:
        return None
    real, vec3 = p.real, p.vec3
    func = functions(p)
    Bodies = wp.array(dtype=vec3, ndim=2)  # a vector for every body: velocities or pseudo-velocities
    algebra, chain, prepare = make_algebra(p), make_chain(p, features), make_prepare(p, features)
    port_matrix, rub = make_port_matrix(p, features), make_rub(p, features)

    @func
    def port_place(model, state, q: int, world: int) -> int:
        """The node or element of port q; an eyelet's changes as the rope runs through it."""
        if wp.static(features.rope_slides):
            if model.port_slide[q] >= 0:
                return state.slide_node[model.port_slide[q], world]
        return model.port_node[q]

    # --- the ropes' side --------------------------------------------------------------------------------------------

    @func
    def node_change(work, i: int, impulse: vec3, world: int) -> vec3:
        """What an impulse on node i does to its velocity by itself, m/s."""
        return algebra.full(work.rope_inverse[i, world]) * impulse

    @func
    def strike_node(model, state, work, rope: int, i: int, impulse: vec3, world: int):
        """Add an impulse on node i to the right-hand side."""
        change = node_change(work, i, impulse, world)
        if i > state.rope_first[rope, world]:
            work.rope_gap[i - 1, world] = work.rope_gap[i - 1, world] + change
        if i < model.rope_end[rope] - 1:
            work.rope_gap[i, world] = work.rope_gap[i, world] - change

    @func
    def strike_port(model, state, work, q: int, impulse: vec3, world: int):
        """Add an impulse at port q to the right-hand sides of its ropes."""
        place = port_place(model, state, q, world)
        if model.port_kind[q] == wp.static(CLAMP):
            work.rope_twirl[place, world] = work.rope_twirl[place, world] + impulse
        elif model.port_kind[q] == wp.static(FEED) or model.port_kind[q] == wp.static(RUB):
            run = work.rope_slip[place, world] * impulse[0]
            work.rope_gap[place, world] = work.rope_gap[place, world] - run * work.rope_axis[place, world]
            if model.port_kind[q] == wp.static(RUB):
                work.rope_gap[place - 1, world] = (
                    work.rope_gap[place - 1, world] + run * work.rope_axis[place - 1, world]
                )
        else:
            strike_node(model, state, work, model.port_rope[q], place, impulse, world)
            if model.port_kind[q] == wp.static(OTHER_ROPE):
                strike_node(model, state, work, model.port_other_rope[q], model.port_other[q], -impulse, world)

    @func
    def is_point(model, q: int) -> bool:
        """Whether port q holds a node: it is no clamp, and not a rope that runs."""
        kind = model.port_kind[q]
        return kind != wp.static(CLAMP) and kind != wp.static(FEED) and kind != wp.static(RUB)

    @func
    def runs(model, q: int) -> bool:
        """Whether port q is a rope that runs off a drum, or through an eyelet that rubs."""
        return model.port_kind[q] == wp.static(FEED) or model.port_kind[q] == wp.static(RUB)

    @func
    def pulls_at(work, i: int, world: int) -> vec3:
        """Pulls of the elements before and after an eyelet at node i, as last solved for, N s."""
        before = wp.dot(work.rope_impulse[i - 1, world], work.rope_axis[i - 1, world])
        return vec3(before, wp.dot(work.rope_impulse[i, world], work.rope_axis[i, world]), real(0.0))

    @func
    def run_of(model, work, q: int, i: int, world: int) -> real:
        """Speed that the pulls, as last solved for, give the rope on a drum or in an eyelet at node i, port q."""
        pull = wp.dot(work.rope_impulse[i, world], work.rope_axis[i, world])
        if model.port_kind[q] == wp.static(RUB):
            pull = pull - wp.dot(work.rope_impulse[i - 1, world], work.rope_axis[i - 1, world])
        return work.rope_slip[i, world] * pull

    @func
    def node_answer(model, state, work, rope: int, i: int, q: int, impulse: vec3, world: int) -> vec3:
        """Velocity of node i from an impulse at port q alone, which was solved for."""
        if rope != model.port_rope[q] and rope != model.port_other_rope[q]:
            return vec3()
        v = chain.pulled(model, state, work, rope, i, world)
        if is_point(model, q):
            if i == port_place(model, state, q, world):
                v = v + node_change(work, i, impulse, world)
            if i == model.port_other[q]:
                v = v - node_change(work, i, impulse, world)
        return v

    @func
    def port_answer(model, state, work, i: int, q: int, impulse: vec3, world: int) -> vec3:
        """Motion of the rope's side of port i from an impulse at port q alone."""
        if model.port_kind[i] == wp.static(CLAMP):
            if model.port_rope[i] != model.port_rope[q] and model.port_rope[i] != model.port_other_rope[q]:
                return vec3()
            return work.rope_turning[model.port_node[i], world]
        if runs(model, i):
            if model.port_rope[i] != model.port_rope[q] and model.port_rope[i] != model.port_other_rope[q]:
                return vec3()
            run = run_of(model, work, i, port_place(model, state, i, world), world)
            if i == q:
                run = run + work.rope_slip[port_place(model, state, i, world), world] * impulse[0]
            return vec3(run, real(0.0), real(0.0))
        v = node_answer(model, state, work, model.port_rope[i], port_place(model, state, i, world), q, impulse, world)
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            v = v - node_answer(model, state, work, model.port_other_rope[i], model.port_other[i], q, impulse, world)
        return v

    @func
    def no_gap(model, state, work, rope: int, world: int):
        """Nothing on the right-hand side of a rope."""
        for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
            work.rope_gap[j, world] = vec3()
            work.rope_twirl[j, world] = vec3()

    @func
    def note_pulls(model, state, work, settings, i: int, q: int, axis: int, world: int):
        """What a unit impulse at port q along an axis, which was solved for, does to the pulls at eyelet i."""
        pulls = vec3()
        if model.port_rope[i] == model.port_rope[q] or model.port_rope[i] == model.port_other_rope[q]:
            pulls = pulls_at(work, port_place(model, state, i, world), world)
        side = work.port_tension_side[i * settings.ports + q, world]
        for row in range(2):
            side[row, axis] = pulls[row]
        work.port_tension_side[i * settings.ports + q, world] = side

    @func
    def rope_answers(model, state, work, settings, world: int):
        """Y: a unit impulse at each port and direction, and what every port makes of it."""
        for q in range(settings.ports):
            for axis in range(3):
                unit = vec3()
                unit[axis] = real(1.0)
                no_gap(model, state, work, model.port_rope[q], world)
                if model.port_kind[q] == wp.static(OTHER_ROPE):
                    no_gap(model, state, work, model.port_other_rope[q], world)
                strike_port(model, state, work, q, unit, world)
                chain.solve(model, state, work, model.port_rope[q], world)
                if model.port_kind[q] == wp.static(OTHER_ROPE):
                    chain.solve(model, state, work, model.port_other_rope[q], world)
                for i in range(settings.ports):
                    place = i * settings.ports + q
                    block = work.port_rope_side[place, world]
                    answer = port_answer(model, state, work, i, q, unit, world)
                    for row in range(3):
                        block[row, axis] = answer[row]
                    work.port_rope_side[place, world] = block
                    if model.port_kind[i] == wp.static(RUB):
                        note_pulls(model, state, work, settings, i, q, axis, world)

    # --- the bodies' side -------------------------------------------------------------------------------------------

    @func
    def body_motion(model, work, i: int, world: int) -> vec3:
        """How the body at port i moves: m/s, rad/s at a clamp, m/s of rope at a drum."""
        b = model.port_body[i]
        if model.port_kind[i] == wp.static(BODY_POINT):
            return work.velocity[b, world] + wp.cross(work.spin[b, world], work.port_arm[i, world])
        if model.port_kind[i] == wp.static(CLAMP):
            return work.spin[b, world]
        if model.port_kind[i] == wp.static(FEED):
            return vec3(
                wp.dot(work.port_arm[i, world], work.spin[model.port_drum[i], world] - work.spin[b, world]),
                real(0.0),
                real(0.0),
            )
        return vec3()

    @func
    def act_on_body(model, work, v: Bodies, s: Bodies, i: int, impulse: vec3, world: int):
        """An impulse (or pseudo-impulse) on the body at port i; v and s are the velocities and spins it changes."""
        b = model.port_body[i]
        inverse = algebra.full(work.inv_inertia[b, world])
        if model.port_kind[i] == wp.static(BODY_POINT):
            v[b, world] = v[b, world] + model.inv_mass[b, world] * impulse
            s[b, world] = s[b, world] + inverse * wp.cross(work.port_arm[i, world], impulse)
        if model.port_kind[i] == wp.static(CLAMP):
            s[b, world] = s[b, world] + inverse * impulse
        if model.port_kind[i] == wp.static(FEED):
            drum = model.port_drum[i]
            turn = impulse[0] * work.port_arm[i, world]
            s[b, world] = s[b, world] - inverse * turn
            s[drum, world] = s[drum, world] + algebra.full(work.inv_inertia[drum, world]) * turn

    @func
    def strike_body(model, work, i: int, impulse: vec3, world: int):
        """An impulse of port i on its body."""
        act_on_body(model, work, work.velocity, work.spin, i, impulse, world)

    @func
    def push_body(model, work, i: int, impulse: vec3, world: int):
        """A pseudo-impulse of port i on its body."""
        act_on_body(model, work, work.push, work.push_spin, i, impulse, world)

    @func
    def body_answers(model, work, settings, world: int):
        """K of bodies as if they were free; sequential impulses add the joints by sweeping."""
        for q in range(settings.ports):
            for axis in range(3):
                unit = vec3()
                unit[axis] = real(1.0)
                for i in range(settings.ports):
                    block = work.port_body_side[i * settings.ports + q, world]
                    before = body_motion(model, work, i, world)
                    strike_body(model, work, q, unit, world)
                    after = body_motion(model, work, i, world)
                    strike_body(model, work, q, -unit, world)
                    for row in range(3):
                        block[row, axis] = after[row] - before[row]
                    work.port_body_side[i * settings.ports + q, world] = block

    # --- both together ----------------------------------------------------------------------------------------------

    @func
    def place_ports(model, state, work, settings, world: int):
        """From the centre of mass of its body to each port, m."""
        for i in range(settings.ports):
            b = model.port_body[i]
            if model.port_kind[i] == wp.static(FEED):
                b = model.port_drum[i]
            work.port_arm[i, world] = wp.quat_rotate(state.rotation[b, world], model.port_anchor[i])

    @func
    def port_motion(model, state, work, i: int, world: int) -> vec3:
        """Motion of the rope's side of port i as the ropes were last solved."""
        place = port_place(model, state, i, world)
        if model.port_kind[i] == wp.static(CLAMP):
            return work.rope_spinning[place, world]
        if runs(model, i):
            return vec3(work.rope_feed[place, world] + run_of(model, work, i, place, world), real(0.0), real(0.0))
        v = work.rope_moving[place, world]
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            v = v - work.rope_moving[model.port_other[i], world]
        return v

    @func
    def moved(work, settings, i: int, world: int):
        """What the changes of all ports' impulses do to the rope's side of port i, and to the pulls there."""
        for q in range(settings.ports):
            place = i * settings.ports + q
            work.port_motion[i, world] = (
                work.port_motion[i, world] + work.port_rope_side[place, world] * work.port_change[q, world]
            )
            if wp.static(features.rope_slides):
                if i >= settings.ports - settings.rubs:
                    work.port_tension[i, world] = (
                        work.port_tension[i, world] + work.port_tension_side[place, world] * work.port_change[q, world]
                    )

    @func
    def warm_ports(model, state, memory, work, settings, world: int):
        """Ropes without their ports, then the ports' impulses of the last step on both sides."""
        for i in range(settings.ports):
            if settings.warm_start == 0:
                memory.port_impulse[i, world] = vec3()
            strike_body(model, work, i, -memory.port_impulse[i, world], world)
        move_with_ports(model, state, memory, work, settings, world)

    @func
    def move_with_ports(model, state, memory, work, settings, world: int):
        """The ropes' side of all ports: the ropes without them, and what the ports' impulses do to it."""
        prepare.solve_alone(model, state, memory, work, settings, world)
        for i in range(settings.ports):
            work.port_change[i, world] = memory.port_impulse[i, world]
        for i in range(settings.ports):
            work.port_motion[i, world] = port_motion(model, state, work, i, world)
            if model.port_kind[i] == wp.static(RUB):
                work.port_tension[i, world] = pulls_at(work, port_place(model, state, i, world), world)
                work.port_grip[i, world] = rub.grip(
                    model, work, port_place(model, state, i, world), model.port_slide[i], world
                )
            moved(work, settings, i, world)

    @func
    def change_ports(model, memory, work, settings, world: int) -> real:
        """Apply the changes of all ports' impulses to both sides; the square of the largest."""
        largest = real(0.0)
        for i in range(settings.ports):
            change = work.port_change[i, world]
            largest = wp.max(largest, wp.dot(change, change))
            memory.port_impulse[i, world] = memory.port_impulse[i, world] + change
            strike_body(model, work, i, -change, world)
            moved(work, settings, i, world)
        return largest

    @func
    def rub_ports(model, memory, work, settings, world: int) -> real:
        """Friction of the eyelets, the ports reacting to it; the square of the largest change."""
        largest = real(0.0)
        left = int(wp.static(ROUNDS))
        while left > 0:
            left -= 1
            if rub.find_friction(memory, work, settings, world) == real(0.0):
                left = 0
            else:
                for i in range(settings.ports - settings.rubs):
                    work.port_change[i, world] = vec3()
                    for q in range(settings.ports - settings.rubs, settings.ports):
                        side = work.port_rope_side[i * settings.ports + q, world]
                        work.port_change[i, world] = work.port_change[i, world] - side * work.port_change[q, world]
                port_matrix.substitute_ports(work, settings, False, world)
                largest = wp.max(largest, change_ports(model, memory, work, settings, world))
        return largest

    @func
    def couple(model, memory, work, settings, world: int) -> real:
        """Impulses at all ports that stop their slips, and friction of eyelets; the square of the largest change."""
        for i in range(settings.ports):
            work.port_change[i, world] = vec3()
            if model.port_kind[i] != wp.static(RUB):
                slip = work.port_motion[i, world] - body_motion(model, work, i, world)
                if model.port_kind[i] == wp.static(CLAMP):
                    slip = slip + algebra.full(work.port_softness[i, world]) * (
                        memory.port_impulse[i, world] - work.port_source[i, world]
                    )
                work.port_change[i, world] = -slip
        port_matrix.substitute_ports(work, settings, False, world)
        largest = change_ports(model, memory, work, settings, world)
        if wp.static(features.rope_slides):
            if settings.rubs > 0:
                largest = wp.max(largest, rub_ports(model, memory, work, settings, world))
        return largest

    @func
    def load_ports(model, state, memory, work, settings, share: real, world: int):
        """Add a share of the ports' impulses to what the ropes' velocities are found from."""
        for i in range(settings.ports):
            impulse = share * memory.port_impulse[i, world]
            node = port_place(model, state, i, world)
            if model.port_kind[i] == wp.static(CLAMP):
                work.rope_torque[node, world] = work.rope_torque[node, world] + impulse
            elif runs(model, i):
                work.rope_feed[node, world] = work.rope_feed[node, world] + work.rope_slip[node, world] * impulse[0]
            else:
                work.rope_free[node, world] = work.rope_free[node, world] + node_change(work, node, impulse, world)
            if model.port_kind[i] == wp.static(OTHER_ROPE):
                other = model.port_other[i]
                work.rope_free[other, world] = work.rope_free[other, world] - node_change(work, other, impulse, world)

    @func
    def solve_with_ports(model, state, memory, work, settings, world: int):
        """Velocities of the ropes with the final impulses of their ports."""
        if wp.static(features.rope_slides):
            rub.end_friction(model, memory, work, settings, world)
        load_ports(model, state, memory, work, settings, real(1.0), world)
        prepare.solve_alone(model, state, memory, work, settings, world)

    # --- closing gaps -----------------------------------------------------------------------------------------------

    @func
    def next_place(state, work, dt: real, i: int, world: int) -> vec3:
        """Where node i will be at the end of the step."""
        return state.rope_position[i, world] + dt * (work.rope_moving[i, world] + work.rope_push[i, world])

    @func
    def port_gap(model, state, work, dt: real, i: int, world: int) -> vec3:
        """How far the two sides of port i will be apart at the end of the step."""
        if not is_point(model, i):
            return vec3()
        at = next_place(state, work, dt, port_place(model, state, i, world), world)
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            return at - next_place(state, work, dt, model.port_other[i], world)
        b = model.port_body[i]
        turn = algebra.rotated(state.rotation[b, world], dt * (work.spin[b, world] + work.push_spin[b, world]))
        center = state.position[b, world] + dt * (work.velocity[b, world] + work.push[b, world])
        return at - center - wp.quat_rotate(turn, model.port_anchor[i])

    @func
    def port_pull(model, state, work, i: int, world: int) -> vec3:
        """What the elements' impulses, as last solved for, do to the rope's side of port i."""
        if model.port_kind[i] == wp.static(CLAMP):
            return work.rope_turning[model.port_node[i], world]
        if runs(model, i):
            return vec3(run_of(model, work, i, port_place(model, state, i, world), world), real(0.0), real(0.0))
        motion = chain.pulled(model, state, work, model.port_rope[i], port_place(model, state, i, world), world)
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            motion = motion - chain.pulled(model, state, work, model.port_other_rope[i], model.port_other[i], world)
        return motion

    @func
    def push_node(model, state, work, i: int, impulse: vec3, world: int):
        """A pseudo-impulse on the node itself at port i."""
        if is_point(model, i):
            node = port_place(model, state, i, world)
            work.rope_push[node, world] = work.rope_push[node, world] + node_change(work, node, impulse, world)
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            other = model.port_other[i]
            work.rope_push[other, world] = work.rope_push[other, world] - node_change(work, other, impulse, world)

    return locals()
