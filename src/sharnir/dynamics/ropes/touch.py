"""Ropes on things: nodes as balls that rest, stick and slide on terrain and on the shapes of bodies.

A node touches one thing at a time, that which it is nearest to, with the normal n from it and the gap g:

    free     nothing holds it, as long as g + h n.u >= 0 with u its velocity against the thing
    sticks   u = -max(g, 0)/h n
    slides   u.n likewise; friction mu p.n against u_t, or, as long as it hardly moves and its direction is not sure,
             p_t = -y u_t with the grip y = mu p.n/|u_t| from the solve before

The states are sought as in an active-set method: solve the whole rope exactly, free what pulls (p.n < 0), hold what
would enter, let slide what is held by more than mu p.n, hold what has come to a stop; again until nothing changes.
They start from those of the last step. What holds is proximal, because elements between nodes that stick would
be held twice: with c = 1e-3 of the node's inverse mass w

    v = held - c w (p - p_before)     so the node has the inverse mass w c/(1 + c), and p rests where v = held

On a height field it is the triangle below (or above) the node that counts. Overlap is closed by pseudo-velocities. A
body that moves feels -p at once; its velocity is that of the last step, so it should not be much lighter than a node.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.contacts import HEIGHTS, PLANE, SPHERE
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..contacts.collide import make_collide
from ..contacts.touch import make_touch
from ..contacts.triangles import make_triangles
from .attach import make_attach
from .chain import make_chain
from .prepare import make_prepare
from .tangle import make_tangle

wp = load_warp()

FREE, STICKS, SLIDES = 0, 1, 2
ROUNDS = 8
YIELD = 1e-3  # c above
SETTLED = 1e-4  # m/s that a change of impulse would give a free node


@cache
def make_rope_touch(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    algebra, chain, prepare = make_algebra(p), make_chain(p, features), make_prepare(p, features)
    packed, full, diagonal = algebra.packed, algebra.full, algebra.diagonal
    factor, solve = chain.factor, chain.solve
    free_gap, take_velocities, node_mass = prepare.free_gap, prepare.take_velocities, prepare.node_mass
    attach, tangle = make_attach(p, features), make_tangle(p, features)
    strike_port, port_place = attach.strike_port, attach.port_place
    find_tangles, visit_tangles = tangle.find_tangles, tangle.visit_tangles
    collide, narrow = make_collide(p, features), make_touch(p, features)
    solid_of, Solid, touch = collide.solid_of, narrow.Solid, narrow.touch
    vec4 = wp.types.vector(4, real)
    has_heights = "heights" in features.contact_kinds
    height_at = make_triangles(p, features).height_at

    @wp.func
    def is_held(m: t.model, s: t.state, o: t.settings, i: int, w: int) -> bool:
        """Whether a tie, an eyelet or a drum holds node i, which then touches nothing."""
        if m.rope_pinned[i] == 1:
            return True
        if wp.static(features.rope_ports):
            for q in range(o.ports):
                if port_place(m, s, q, w) == i or m.port_other[q] == i:
                    return True
        if wp.static(features.rope_slides):
            for q in range(o.slides):
                if s.slide_node[q, w] == i:
                    return True
        return False

    @wp.func
    def passes_through(m: t.model, o: t.settings, rope: int, shape: int) -> bool:
        """Whether rope and shape never touch: a group ignored, or the rope is tied to the shape's body."""
        if m.shape_groups[shape] & m.rope_ignores[rope] != 0 or m.rope_groups[rope] & m.shape_ignores[shape] != 0:
            return True
        for q in range(o.skips):
            if m.skip_rope[q] == rope and m.skip_body[q] == m.shape_body[shape]:
                return True
        return False

    @wp.func
    def facet(m: t.model, g: int, at: vec3) -> vec4:
        """Height field g below or above a point in its axes: the unit normal of the triangle, and the distance."""
        size = m.shape_size[g]
        x = at[0] / size[0] + real(0.5) * real(m.height_rows[g] - 1)
        y = at[1] / size[1] + real(0.5) * real(m.height_columns[g] - 1)
        i = wp.clamp(int(wp.floor(x)), 0, m.height_rows[g] - 2)
        j = wp.clamp(int(wp.floor(y)), 0, m.height_columns[g] - 2)
        corner = height_at(m, g, i, j)
        opposite = height_at(m, g, i + 1, j + 1)
        normal = wp.cross(opposite - corner, height_at(m, g, i, j + 1) - corner)
        if x - real(i) > y - real(j):
            normal = wp.cross(height_at(m, g, i + 1, j) - corner, opposite - corner)
        normal = wp.normalize(normal)
        distance = wp.dot(normal, at - corner)
        outside = wp.max(wp.abs(x - real(i) - real(0.5)), wp.abs(y - real(j) - real(0.5))) > real(0.5)
        if outside:
            distance = real(1.0e30)
        return vec4(normal[0], normal[1], normal[2], distance)

    @wp.func
    def look(m: t.model, s: t.state, k: t.work, radius: real, margin: real, shape: int, i: int, w: int):
        """Keep shape as what node i touches if it is the nearest so far."""
        at = s.rope_position[i, w]
        gap = real(2.0) * margin
        normal = vec3()
        if m.shape_kind[shape] == wp.static(PLANE):
            normal = wp.quat_rotate(m.shape_turn[shape], vec3(real(0.0), real(0.0), real(1.0)))
            gap = wp.dot(normal, at - m.shape_place[shape]) - radius
        elif m.shape_kind[shape] < wp.static(PLANE):
            b = solid_of(m, s, shape, w)
            if wp.length(at - b.place) < b.radius + radius + margin:
                a = Solid()
                a.kind = wp.static(SPHERE)
                a.size = vec3(radius, real(0.0), real(0.0))
                a.place = at
                a.turn = diagonal(real(1.0))
                a.radius = radius
                found = touch(m, a, b, margin)
                if found.count > 0:
                    gap = found.gap[0]
                    normal = -found.normal
        if wp.static(has_heights):
            if m.shape_kind[shape] == wp.static(HEIGHTS):
                turn = m.shape_turn[shape]
                found_facet = facet(m, shape, wp.quat_rotate_inv(turn, at - m.shape_place[shape]))
                normal = wp.quat_rotate(turn, vec3(found_facet[0], found_facet[1], found_facet[2]))
                gap = found_facet[3] - radius
        if gap < margin and (k.touch_shape[i, w] < 0 or gap < k.touch_gap[i, w]):
            k.touch_shape[i, w] = shape
            k.touch_normal[i, w] = normal
            k.touch_gap[i, w] = gap

    @wp.func
    def find_touch(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, i: int, w: int):
        k.touch_shape[i, w] = -1
        k.touch_weight[i, w] = real(0.0)
        k.rope_open[i, w] = k.rope_free[i, w]
        if m.rope_pinned[i] == 0:
            k.touch_weight[i, w] = real(1.0) / node_mass(m, s, rope, i, w)
        if m.rope_touches[rope] == 1 and not is_held(m, s, o, i, w):
            radius = m.rope_radius[rope]
            margin = radius + real(2.0) * o.dt * wp.length(k.rope_free[i, w])
            for shape in range(o.shapes):
                if not passes_through(m, o, rope, shape):
                    look(m, s, k, radius, margin, shape, i, w)
        if k.touch_shape[i, w] < 0:
            n.touch_state[i, w] = wp.static(FREE)
            n.touch_impulse[i, w] = vec3()

    @wp.func
    def thing_velocity(m: t.model, s: t.state, k: t.work, i: int, w: int) -> vec3:
        """Velocity, in the last step, of what node i touches, where it touches."""
        b = m.shape_body[k.touch_shape[i, w]]
        return s.velocity[b, w] + wp.cross(s.spin[b, w], s.rope_position[i, w] - s.position[b, w])

    @wp.func
    def held_velocity(m: t.model, s: t.state, k: t.work, dt: real, i: int, w: int) -> vec3:
        """The velocity at which node i is held: to the surface within the step."""
        return thing_velocity(m, s, k, i, w) - wp.max(k.touch_gap[i, w], real(0.0)) / dt * k.touch_normal[i, w]

    @wp.func
    def constrain(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, i: int, w: int):
        """Inverse mass and free velocity of node i in its state."""
        weight = k.touch_weight[i, w]
        state = n.touch_state[i, w]
        if weight > real(0.0):
            inverse = diagonal(weight)
            free = k.rope_open[i, w]
            if state != wp.static(FREE):
                c = wp.static(real(YIELD))
                share = c / (real(1.0) + c)
                before = n.touch_impulse[i, w]
                held = (c * (free + weight * before) + held_velocity(m, s, k, dt, i, w)) / (real(1.0) + c)
                if state == wp.static(STICKS):
                    inverse = share * inverse
                    free = held
                else:
                    normal = k.touch_normal[i, w]
                    grip = weight * n.touch_grip[i, w]
                    if grip > real(0.0):
                        free = (free + grip * thing_velocity(m, s, k, i, w)) / (real(1.0) + grip)
                    else:
                        free = free + weight * before
                    free = free + wp.dot(normal, held - free) * normal
                    loose = real(1.0) / (real(1.0) + grip)
                    inverse = loose * inverse + (share - loose) * weight * wp.outer(normal, normal)
            k.rope_inverse[i, w] = packed(inverse)
            k.rope_free[i, w] = free

    @wp.func
    def revise(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, i: int, w: int) -> int:
        """Impulse and state of node i after the last solve; 1 if they are not settled."""
        shape = k.touch_shape[i, w]
        if shape < 0:
            return 0
        normal = k.touch_normal[i, w]
        state = n.touch_state[i, w]
        slip = k.rope_moving[i, w] - thing_velocity(m, s, k, i, w)
        if state == wp.static(FREE):
            if k.touch_gap[i, w] + o.dt * wp.dot(slip, normal) < real(0.0):
                n.touch_state[i, w] = wp.static(STICKS)
                n.touch_impulse[i, w] = vec3()
                return 1
            return 0
        before = n.touch_impulse[i, w]
        error = held_velocity(m, s, k, o.dt, i, w) - k.rope_moving[i, w]
        change = error / (wp.static(real(YIELD)) * k.touch_weight[i, w])
        pressed = wp.dot(before + change, normal)
        if pressed < real(0.0):
            n.touch_state[i, w] = wp.static(FREE)
            n.touch_impulse[i, w] = vec3()
            return 1
        bound = m.pair_friction[m.rope_material[rope] * o.materials + m.shape_material[shape]] * pressed
        across = before + change - pressed * normal
        if state == wp.static(SLIDES):
            sliding = slip - wp.dot(slip, normal) * normal
            speed = wp.length(sliding)
            across = -(bound / wp.max(speed, wp.static(real(1e-12)))) * sliding
            if n.touch_grip[i, w] > real(0.0):
                if speed < wp.static(real(0.5 * SETTLED)):
                    n.touch_state[i, w] = wp.static(STICKS)
                    across = -n.touch_grip[i, w] * sliding
                n.touch_grip[i, w] = bound / wp.max(speed, wp.static(real(SETTLED)))
                if speed > wp.static(real(SETTLED)):
                    n.touch_grip[i, w] = real(0.0)
            elif wp.dot(sliding, before - wp.dot(before, normal) * normal) > real(0.0):
                n.touch_grip[i, w] = bound / wp.static(real(SETTLED))
        elif wp.length(across) > bound:
            n.touch_state[i, w] = wp.static(SLIDES)
            n.touch_grip[i, w] = bound / wp.static(real(SETTLED))
            across = bound * wp.normalize(across)
        n.touch_impulse[i, w] = pressed * normal + across
        moved = wp.length(n.touch_impulse[i, w] - before) * k.touch_weight[i, w]
        return int(n.touch_state[i, w] != state or moved > wp.static(real(SETTLED)))

    @wp.func
    def solve_once(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, w: int):
        """The whole rope in its present states, with last step's impulses at its ports."""
        for i in range(s.rope_first[rope, w], m.rope_end[rope]):
            constrain(m, s, n, k, o.dt, i, w)
        factor(m, s, k, k.rope_inertia, rope, w)
        free_gap(m, s, k, rope, w)
        if wp.static(features.rope_ports):
            for q in range(o.ports):
                if m.port_rope[q] == rope and m.port_other[q] < 0:
                    strike_port(m, s, k, q, n.port_impulse[q, w], w)
        solve(m, s, k, rope, w)
        take_velocities(m, s, n, k, rope, w)

    @wp.func
    def hand_on(m: t.model, s: t.state, n: t.memory, k: t.work, i: int, w: int):
        """The reaction on a body that moves."""
        if n.touch_state[i, w] != wp.static(FREE):
            b = m.shape_body[k.touch_shape[i, w]]
            if m.inv_mass[b, w] > real(0.0):
                impulse = -n.touch_impulse[i, w]
                arm = s.rope_position[i, w] - s.position[b, w]
                k.velocity[b, w] = k.velocity[b, w] + m.inv_mass[b, w] * impulse
                k.spin[b, w] = k.spin[b, w] + full(k.inv_inertia[b, w]) * wp.cross(arm, impulse)

    @wp.func
    def settle_touches(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """States of all nodes, with the factors that go with them."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                find_touch(m, s, n, k, o, rope, i, w)
        if wp.static(features.rope_tangles):
            find_tangles(m, s, n, k, o, w)
        left = int(wp.static(ROUNDS))
        while left > 0:
            left -= 1
            changed = int(0)
            for rope in range(o.ropes):
                solve_once(m, s, n, k, o, rope, w)
                if left > 0:
                    for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                        changed += revise(m, s, n, k, o, rope, i, w)
            if wp.static(features.rope_tangles):
                if left > 0:
                    changed += visit_tangles(m, s, n, k, o, w)
            if changed == 0:
                left = 0
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                hand_on(m, s, n, k, i, w)

    @wp.func
    def push_out(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Pseudo-velocities of nodes that overlap what they touch, or would."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                if k.touch_shape[i, w] >= 0:
                    gap = k.touch_gap[i, w]
                    normal = k.touch_normal[i, w]
                    coming = gap + o.dt * wp.dot(k.rope_moving[i, w] - thing_velocity(m, s, k, i, w), normal)
                    least = (real(1.0) - o.erp) * wp.min(gap, real(0.0))
                    if coming < least:
                        k.rope_push[i, w] = (least - coming) / o.dt * normal

    return SimpleNamespace(settle_touches=settle_touches, push_out=push_out)
