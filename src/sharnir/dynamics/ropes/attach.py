"""Ports: where ropes meet bodies that move, or each other. Solved exactly, whatever the mass ratio.

A port p has an impulse x_p, +x on the rope and -x on what it is tied to, and a slip u_p between the two sides that
must vanish (a clamp: u + softness (x - source) = 0, the spring of ``bend_twist.py``). Both sides are linear:

    u = u_0 + (Y + K) x       Y  the ropes' answer to impulses at their ports (one chain solve per direction)
                              K  the bodies' answer: with the direct solver that of the whole mechanism they hang in

Y + K is small, one 3x3 block per pair of ports, and factored densely. Since K knows the joints, one solve of the ports
and one of the joints after it satisfy both. [002]'s tied end, a node with the inverse mass n^T K n of the body, is
the case of one port.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import BODY_POINT, CLAMP, FEED, OTHER_ROPE, RUB
from ..algebra import make_algebra
from ..nothing import NOTHING, Nothing
from .chain import make_chain
from .port_matrix import make_port_matrix
from .prepare import make_prepare
from .rub import make_rub

wp = load_warp()

ROUNDS = 40  # in which the friction of eyelets follows the pulls at them


@cache
def make_attach(p: Precision, features: Features) -> SimpleNamespace | Nothing:
    """The functions in a precision, for a scene's features."""
    if not features.ropes:
        return NOTHING
    real, vec3 = p.real, p.vec3
    t = structs(p)
    Bodies = wp.array(dtype=vec3, ndim=2)  # a vector for every body: velocities or pseudo-velocities
    algebra, chain, prepare = make_algebra(p), make_chain(p, features), make_prepare(p, features)
    port_matrix, rub = make_port_matrix(p, features), make_rub(p, features)

    @wp.func
    def port_place(m: t.model, s: t.state, q: int, w: int) -> int:
        """The node or element of port q; an eyelet's changes as the rope runs through it."""
        if wp.static(features.rope_slides):
            if m.port_slide[q] >= 0:
                return s.slide_node[m.port_slide[q], w]
        return m.port_node[q]

    # --- the ropes' side --------------------------------------------------------------------------------------------

    @wp.func
    def strike_node(m: t.model, s: t.state, k: t.work, rope: int, i: int, impulse: vec3, w: int):
        """Add an impulse on node i to the right-hand side."""
        change = algebra.full(k.rope_inverse[i, w]) * impulse
        if i > s.rope_first[rope, w]:
            k.rope_gap[i - 1, w] = k.rope_gap[i - 1, w] + change
        if i < m.rope_end[rope] - 1:
            k.rope_gap[i, w] = k.rope_gap[i, w] - change

    @wp.func
    def strike_port(m: t.model, s: t.state, k: t.work, q: int, impulse: vec3, w: int):
        """Add an impulse at port q to the right-hand sides of its ropes."""
        place = port_place(m, s, q, w)
        if m.port_kind[q] == wp.static(CLAMP):
            k.rope_twirl[place, w] = k.rope_twirl[place, w] + impulse
        elif m.port_kind[q] == wp.static(FEED) or m.port_kind[q] == wp.static(RUB):
            run = k.rope_slip[place, w] * impulse[0]
            k.rope_gap[place, w] = k.rope_gap[place, w] - run * k.rope_axis[place, w]
            if m.port_kind[q] == wp.static(RUB):
                k.rope_gap[place - 1, w] = k.rope_gap[place - 1, w] + run * k.rope_axis[place - 1, w]
        else:
            strike_node(m, s, k, m.port_rope[q], place, impulse, w)
            if m.port_kind[q] == wp.static(OTHER_ROPE):
                strike_node(m, s, k, m.port_other_rope[q], m.port_other[q], -impulse, w)

    @wp.func
    def is_point(m: t.model, q: int) -> bool:
        """Whether port q holds a node: it is no clamp, and not a rope that runs."""
        kind = m.port_kind[q]
        return kind != wp.static(CLAMP) and kind != wp.static(FEED) and kind != wp.static(RUB)

    @wp.func
    def runs(m: t.model, q: int) -> bool:
        """Whether port q is a rope that runs off a drum, or through an eyelet that rubs."""
        return m.port_kind[q] == wp.static(FEED) or m.port_kind[q] == wp.static(RUB)

    @wp.func
    def pulls_at(k: t.work, i: int, w: int) -> vec3:
        """Pulls of the elements before and after an eyelet at node i, as last solved for, N s."""
        before = wp.dot(k.rope_impulse[i - 1, w], k.rope_axis[i - 1, w])
        return vec3(before, wp.dot(k.rope_impulse[i, w], k.rope_axis[i, w]), real(0.0))

    @wp.func
    def run_of(m: t.model, k: t.work, q: int, i: int, w: int) -> real:
        """Speed that the pulls, as last solved for, give the rope on a drum or in an eyelet at node i, port q."""
        pull = wp.dot(k.rope_impulse[i, w], k.rope_axis[i, w])
        if m.port_kind[q] == wp.static(RUB):
            pull = pull - wp.dot(k.rope_impulse[i - 1, w], k.rope_axis[i - 1, w])
        return k.rope_slip[i, w] * pull

    @wp.func
    def node_answer(m: t.model, s: t.state, k: t.work, rope: int, i: int, q: int, impulse: vec3, w: int) -> vec3:
        """Velocity of node i from an impulse at port q alone, which was solved for."""
        if rope != m.port_rope[q] and rope != m.port_other_rope[q]:
            return vec3()
        v = chain.pulled(m, s, k, rope, i, w)
        if is_point(m, q):
            if i == port_place(m, s, q, w):
                v = v + algebra.full(k.rope_inverse[i, w]) * impulse
            if i == m.port_other[q]:
                v = v - algebra.full(k.rope_inverse[i, w]) * impulse
        return v

    @wp.func
    def port_answer(m: t.model, s: t.state, k: t.work, i: int, q: int, impulse: vec3, w: int) -> vec3:
        """Motion of the rope's side of port i from an impulse at port q alone."""
        if m.port_kind[i] == wp.static(CLAMP):
            if m.port_rope[i] != m.port_rope[q] and m.port_rope[i] != m.port_other_rope[q]:
                return vec3()
            return k.rope_turning[m.port_node[i], w]
        if runs(m, i):
            if m.port_rope[i] != m.port_rope[q] and m.port_rope[i] != m.port_other_rope[q]:
                return vec3()
            run = run_of(m, k, i, port_place(m, s, i, w), w)
            if i == q:
                run = run + k.rope_slip[port_place(m, s, i, w), w] * impulse[0]
            return vec3(run, real(0.0), real(0.0))
        v = node_answer(m, s, k, m.port_rope[i], port_place(m, s, i, w), q, impulse, w)
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            v = v - node_answer(m, s, k, m.port_other_rope[i], m.port_other[i], q, impulse, w)
        return v

    @wp.func
    def no_gap(m: t.model, s: t.state, k: t.work, rope: int, w: int):
        """Nothing on the right-hand side of a rope."""
        for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
            k.rope_gap[j, w] = vec3()
            k.rope_twirl[j, w] = vec3()

    @wp.func
    def note_pulls(m: t.model, s: t.state, k: t.work, o: t.settings, i: int, q: int, axis: int, w: int):
        """What a unit impulse at port q along an axis, which was solved for, does to the pulls at eyelet i."""
        pulls = vec3()
        if m.port_rope[i] == m.port_rope[q] or m.port_rope[i] == m.port_other_rope[q]:
            pulls = pulls_at(k, port_place(m, s, i, w), w)
        side = k.port_tension_side[i * o.ports + q, w]
        for row in range(2):
            side[row, axis] = pulls[row]
        k.port_tension_side[i * o.ports + q, w] = side

    @wp.func
    def rope_answers(m: t.model, s: t.state, k: t.work, o: t.settings, w: int):
        """Y: a unit impulse at each port and direction, and what every port makes of it."""
        for q in range(o.ports):
            for axis in range(3):
                unit = vec3()
                unit[axis] = real(1.0)
                no_gap(m, s, k, m.port_rope[q], w)
                if m.port_kind[q] == wp.static(OTHER_ROPE):
                    no_gap(m, s, k, m.port_other_rope[q], w)
                strike_port(m, s, k, q, unit, w)
                chain.solve(m, s, k, m.port_rope[q], w)
                if m.port_kind[q] == wp.static(OTHER_ROPE):
                    chain.solve(m, s, k, m.port_other_rope[q], w)
                for i in range(o.ports):
                    place = i * o.ports + q
                    block = k.port_rope_side[place, w]
                    answer = port_answer(m, s, k, i, q, unit, w)
                    for row in range(3):
                        block[row, axis] = answer[row]
                    k.port_rope_side[place, w] = block
                    if m.port_kind[i] == wp.static(RUB):
                        note_pulls(m, s, k, o, i, q, axis, w)

    # --- the bodies' side -------------------------------------------------------------------------------------------

    @wp.func
    def body_motion(m: t.model, k: t.work, i: int, w: int) -> vec3:
        """How the body at port i moves: m/s, rad/s at a clamp, m/s of rope at a drum."""
        b = m.port_body[i]
        if m.port_kind[i] == wp.static(BODY_POINT):
            return k.velocity[b, w] + wp.cross(k.spin[b, w], k.port_arm[i, w])
        if m.port_kind[i] == wp.static(CLAMP):
            return k.spin[b, w]
        if m.port_kind[i] == wp.static(FEED):
            return vec3(wp.dot(k.port_arm[i, w], k.spin[m.port_drum[i], w] - k.spin[b, w]), real(0.0), real(0.0))
        return vec3()

    @wp.func
    def act_on_body(m: t.model, k: t.work, v: Bodies, s: Bodies, i: int, impulse: vec3, w: int):
        """An impulse (or pseudo-impulse) on the body at port i; v and s are the velocities and spins it changes."""
        b = m.port_body[i]
        inverse = algebra.full(k.inv_inertia[b, w])
        if m.port_kind[i] == wp.static(BODY_POINT):
            v[b, w] = v[b, w] + m.inv_mass[b, w] * impulse
            s[b, w] = s[b, w] + inverse * wp.cross(k.port_arm[i, w], impulse)
        if m.port_kind[i] == wp.static(CLAMP):
            s[b, w] = s[b, w] + inverse * impulse
        if m.port_kind[i] == wp.static(FEED):
            drum = m.port_drum[i]
            turn = impulse[0] * k.port_arm[i, w]
            s[b, w] = s[b, w] - inverse * turn
            s[drum, w] = s[drum, w] + algebra.full(k.inv_inertia[drum, w]) * turn

    @wp.func
    def strike_body(m: t.model, k: t.work, i: int, impulse: vec3, w: int):
        """An impulse of port i on its body."""
        act_on_body(m, k, k.velocity, k.spin, i, impulse, w)

    @wp.func
    def push_body(m: t.model, k: t.work, i: int, impulse: vec3, w: int):
        """A pseudo-impulse of port i on its body."""
        act_on_body(m, k, k.push, k.push_spin, i, impulse, w)

    @wp.func
    def body_answers(m: t.model, k: t.work, o: t.settings, w: int):
        """K of bodies as if they were free; sequential impulses add the joints by sweeping."""
        for q in range(o.ports):
            for axis in range(3):
                unit = vec3()
                unit[axis] = real(1.0)
                for i in range(o.ports):
                    block = k.port_body_side[i * o.ports + q, w]
                    before = body_motion(m, k, i, w)
                    strike_body(m, k, q, unit, w)
                    after = body_motion(m, k, i, w)
                    strike_body(m, k, q, -unit, w)
                    for row in range(3):
                        block[row, axis] = after[row] - before[row]
                    k.port_body_side[i * o.ports + q, w] = block

    # --- both together ----------------------------------------------------------------------------------------------

    @wp.func
    def place_ports(m: t.model, s: t.state, k: t.work, o: t.settings, w: int):
        """From the centre of mass of its body to each port, m."""
        for i in range(o.ports):
            b = m.port_body[i]
            if m.port_kind[i] == wp.static(FEED):
                b = m.port_drum[i]
            k.port_arm[i, w] = wp.quat_rotate(s.rotation[b, w], m.port_anchor[i])

    @wp.func
    def port_motion(m: t.model, s: t.state, k: t.work, i: int, w: int) -> vec3:
        """Motion of the rope's side of port i as the ropes were last solved."""
        place = port_place(m, s, i, w)
        if m.port_kind[i] == wp.static(CLAMP):
            return k.rope_spinning[place, w]
        if runs(m, i):
            return vec3(k.rope_feed[place, w] + run_of(m, k, i, place, w), real(0.0), real(0.0))
        v = k.rope_moving[place, w]
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            v = v - k.rope_moving[m.port_other[i], w]
        return v

    @wp.func
    def moved(k: t.work, o: t.settings, i: int, w: int):
        """What the changes of all ports' impulses do to the rope's side of port i, and to the pulls there."""
        for q in range(o.ports):
            place = i * o.ports + q
            k.port_motion[i, w] = k.port_motion[i, w] + k.port_rope_side[place, w] * k.port_change[q, w]
            if wp.static(features.rope_slides):
                if i >= o.ports - o.rubs:
                    k.port_tension[i, w] = k.port_tension[i, w] + k.port_tension_side[place, w] * k.port_change[q, w]

    @wp.func
    def warm_ports(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Ropes without their ports, then the ports' impulses of the last step on both sides."""
        for i in range(o.ports):
            if o.warm_start == 0:
                n.port_impulse[i, w] = vec3()
            strike_body(m, k, i, -n.port_impulse[i, w], w)
        move_with_ports(m, s, n, k, o, w)

    @wp.func
    def move_with_ports(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The ropes' side of all ports: the ropes without them, and what the ports' impulses do to it."""
        prepare.solve_alone(m, s, n, k, o, w)
        for i in range(o.ports):
            k.port_change[i, w] = n.port_impulse[i, w]
        for i in range(o.ports):
            k.port_motion[i, w] = port_motion(m, s, k, i, w)
            if m.port_kind[i] == wp.static(RUB):
                k.port_tension[i, w] = pulls_at(k, port_place(m, s, i, w), w)
                k.port_grip[i, w] = rub.grip(m, k, port_place(m, s, i, w), m.port_slide[i], w)
            moved(k, o, i, w)

    @wp.func
    def change_ports(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Apply the changes of all ports' impulses to both sides; the square of the largest."""
        largest = real(0.0)
        for i in range(o.ports):
            change = k.port_change[i, w]
            largest = wp.max(largest, wp.dot(change, change))
            n.port_impulse[i, w] = n.port_impulse[i, w] + change
            strike_body(m, k, i, -change, w)
            moved(k, o, i, w)
        return largest

    @wp.func
    def rub_ports(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Friction of the eyelets, the ports reacting to it; the square of the largest change."""
        largest = real(0.0)
        left = int(wp.static(ROUNDS))
        while left > 0:
            left -= 1
            if rub.find_friction(n, k, o, w) == real(0.0):
                left = 0
            else:
                for i in range(o.ports - o.rubs):
                    k.port_change[i, w] = vec3()
                    for q in range(o.ports - o.rubs, o.ports):
                        side = k.port_rope_side[i * o.ports + q, w]
                        k.port_change[i, w] = k.port_change[i, w] - side * k.port_change[q, w]
                port_matrix.substitute_ports(k, o, False, w)
                largest = wp.max(largest, change_ports(m, n, k, o, w))
        return largest

    @wp.func
    def couple(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Impulses at all ports that stop their slips, and friction of eyelets; the square of the largest change."""
        for i in range(o.ports):
            k.port_change[i, w] = vec3()
            if m.port_kind[i] != wp.static(RUB):
                slip = k.port_motion[i, w] - body_motion(m, k, i, w)
                if m.port_kind[i] == wp.static(CLAMP):
                    slip = slip + algebra.full(k.port_softness[i, w]) * (n.port_impulse[i, w] - k.port_source[i, w])
                k.port_change[i, w] = -slip
        port_matrix.substitute_ports(k, o, False, w)
        largest = change_ports(m, n, k, o, w)
        if wp.static(features.rope_slides):
            if o.rubs > 0:
                largest = wp.max(largest, rub_ports(m, n, k, o, w))
        return largest

    @wp.func
    def load_ports(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, share: real, w: int):
        """Add a share of the ports' impulses to what the ropes' velocities are found from."""
        for i in range(o.ports):
            impulse = share * n.port_impulse[i, w]
            node = port_place(m, s, i, w)
            if m.port_kind[i] == wp.static(CLAMP):
                k.rope_torque[node, w] = k.rope_torque[node, w] + impulse
            elif runs(m, i):
                k.rope_feed[node, w] = k.rope_feed[node, w] + k.rope_slip[node, w] * impulse[0]
            else:
                k.rope_free[node, w] = k.rope_free[node, w] + algebra.full(k.rope_inverse[node, w]) * impulse
            if m.port_kind[i] == wp.static(OTHER_ROPE):
                other = m.port_other[i]
                k.rope_free[other, w] = k.rope_free[other, w] - algebra.full(k.rope_inverse[other, w]) * impulse

    @wp.func
    def solve_with_ports(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Velocities of the ropes with the final impulses of their ports."""
        if wp.static(features.rope_slides):
            rub.end_friction(m, n, k, o, w)
        load_ports(m, s, n, k, o, real(1.0), w)
        prepare.solve_alone(m, s, n, k, o, w)

    # --- closing gaps -----------------------------------------------------------------------------------------------

    @wp.func
    def next_place(s: t.state, k: t.work, dt: real, i: int, w: int) -> vec3:
        """Where node i will be at the end of the step."""
        return s.rope_position[i, w] + dt * (k.rope_moving[i, w] + k.rope_push[i, w])

    @wp.func
    def port_gap(m: t.model, s: t.state, k: t.work, dt: real, i: int, w: int) -> vec3:
        """How far the two sides of port i will be apart at the end of the step."""
        if not is_point(m, i):
            return vec3()
        at = next_place(s, k, dt, port_place(m, s, i, w), w)
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            return at - next_place(s, k, dt, m.port_other[i], w)
        b = m.port_body[i]
        turn = algebra.rotated(s.rotation[b, w], dt * (k.spin[b, w] + k.push_spin[b, w]))
        center = s.position[b, w] + dt * (k.velocity[b, w] + k.push[b, w])
        return at - center - wp.quat_rotate(turn, m.port_anchor[i])

    @wp.func
    def port_pull(m: t.model, s: t.state, k: t.work, i: int, w: int) -> vec3:
        """What the elements' impulses, as last solved for, do to the rope's side of port i."""
        if m.port_kind[i] == wp.static(CLAMP):
            return k.rope_turning[m.port_node[i], w]
        if runs(m, i):
            return vec3(run_of(m, k, i, port_place(m, s, i, w), w), real(0.0), real(0.0))
        motion = chain.pulled(m, s, k, m.port_rope[i], port_place(m, s, i, w), w)
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            motion = motion - chain.pulled(m, s, k, m.port_other_rope[i], m.port_other[i], w)
        return motion

    @wp.func
    def push_node(m: t.model, s: t.state, k: t.work, i: int, impulse: vec3, w: int):
        """A pseudo-impulse on the node itself at port i."""
        if is_point(m, i):
            node = port_place(m, s, i, w)
            k.rope_push[node, w] = k.rope_push[node, w] + algebra.full(k.rope_inverse[node, w]) * impulse
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            other = m.port_other[i]
            k.rope_push[other, w] = k.rope_push[other, w] - algebra.full(k.rope_inverse[other, w]) * impulse

    return SimpleNamespace(
        place_ports=place_ports,
        rope_answers=rope_answers,
        body_answers=body_answers,
        warm_ports=warm_ports,
        move_with_ports=move_with_ports,
        load_ports=load_ports,
        couple=couple,
        solve_with_ports=solve_with_ports,
        next_place=next_place,
        port_gap=port_gap,
        port_place=port_place,
        port_pull=port_pull,
        push_node=push_node,
        push_body=push_body,
        strike_body=strike_body,
        strike_port=strike_port,
        is_point=is_point,
    )
