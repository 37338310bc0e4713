"""Ropes on things: how nodes and elements rest, stick and slide on terrain and on the shapes of bodies.

At every place that ``neighbours.py`` finds, with the normal n from the thing and the gap g:

    free     nothing holds the rope, as long as n.u >= -max(g, 0)/h with u its velocity against the thing
    sticks   u = -max(g, 0)/h n
    slides   u.n likewise; friction against the direction d of u_t, and implicit as that turns: with y = mu p.n/|u_t|
             p_t = -mu p.n d - y (E - n n^T - d d^T) u            (Newton's step for mu p.n |u_t|)
    creeps   u.n likewise; p_t = -y u_t, where the direction of what hardly moves is not sure

The states are sought as in an active-set method: solve the whole rope exactly with all that holds it (``hold.py``),
free what pulls (p.n < 0), hold what would enter, let slide what is held by more than mu p.n, hold what has come to a
stop; again until nothing changes. They start from those of the last step. What holds is proximal, because an element
between places that stick would be held twice: with c = 1e-3 of the node's inverse mass w

    p = p_before + (held - u)/(c w)     so p rests where u = held

A body that moves feels -p at once, and answers within the same solve: to c w its own inverse mass at the point is
added, times the number of places that share it. Overlap is closed by pseudo-velocities.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import TOUCHES
from ..algebra import make_algebra
from .attach import make_attach
from .chain import make_chain
from .hold import make_hold
from .neighbours import make_near
from .places import CREEPS, FREE, SLIDES, STICKS
from .prepare import make_prepare
from .tangle import make_tangle

wp = load_warp()

ROUNDS, SURE = 16, 6  # of solving and revising, and those in which what would slide back sticks at once
LAST = 2  # rounds at the end in which nothing is set free: what is held for nothing does less harm than what enters
CALM = 2  # rounds in a row in which no velocity changes are the last, even if impulses that hold each other still do
SETTLED = 1e-4  # m/s that a change of impulse would give a free node
STILL = {"float64": 1e-6, "float32": 1e-6}  # m/s: velocities that change by less do not change


@cache
def make_rope_touch(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    chain, prepare, holding = make_chain(p, features), make_prepare(p, features), make_hold(p, features)
    full = make_algebra(p).full
    strike_port, tangle = make_attach(p, features).strike_port, make_tangle(p, features)
    find_touches = make_near(p, features).find_touches

    @wp.func
    def strike(m: t.model, s: t.state, k: t.work, rope: int, q: int, impulse: vec3, w: int):
        """The reaction to an impulse on the rope at place q, on a body that moves."""
        b = m.shape_body[k.touch_shape[q, w]]
        if m.inv_mass[b, w] > real(0.0):
            arm = holding.point(s, k, m.rope_radius[rope, w], q, w) - s.position[b, w]
            k.velocity[b, w] = k.velocity[b, w] - m.inv_mass[b, w] * impulse
            k.spin[b, w] = k.spin[b, w] - full(k.inv_inertia[b, w]) * wp.cross(arm, impulse)

    @wp.func
    def begin_touches(m: t.model, s: t.state, n: t.memory, k: t.work, rope: int, i: int, w: int):
        """Last step's impulses of element i on what it touches, and the rope as it is without them."""
        k.touch_weight[i, w] = full(k.rope_inverse[i, w])[0, 0]
        k.rope_open[i, w] = k.rope_free[i, w]
        k.rope_open_torque[i, w] = k.rope_torque[i, w]
        k.rope_open_inertia[i, w] = k.rope_inertia[i, w]
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if n.touch_state[q, w] != wp.static(FREE):
                strike(m, s, k, rope, q, n.touch_impulse[q, w], w)

    @wp.func
    def count_touches(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """How many places hold each body."""
        for b in range(o.bodies):
            k.touch_count[b, w] = 0
        for rope in range(o.ropes):
            for q in range(wp.static(TOUCHES) * s.rope_first[rope, w], wp.static(TOUCHES) * m.rope_end[rope]):
                if n.touch_state[q, w] != wp.static(FREE):
                    b = m.shape_body[k.touch_shape[q, w]]
                    k.touch_count[b, w] = k.touch_count[b, w] + 1

    @wp.func
    def rub(n: t.memory, q: int, before: vec3, sliding: vec3, bound: real, left: int, w: int) -> vec3:
        """Friction where the rope slides or creeps, and its state in the next solve; ``before`` is the friction."""
        speed = wp.length(sliding)
        grip = n.touch_grip[q, w]
        n.touch_grip[q, w] = bound / wp.max(speed, wp.static(real(SETTLED)))
        across = -n.touch_grip[q, w] * sliding
        if n.touch_state[q, w] == wp.static(CREEPS):
            if grip * speed > real(1.01) * bound:
                n.touch_state[q, w] = wp.static(SLIDES)
            elif grip * speed < real(0.5) * bound or speed < wp.static(real(SETTLED)):
                n.touch_state[q, w] = wp.static(STICKS)
                across = -grip * sliding
        elif wp.dot(sliding, before) > real(0.0):  # it would go back
            n.touch_state[q, w] = wp.static(CREEPS)
            if speed < wp.static(real(SETTLED)) or left > wp.static(ROUNDS - SURE):
                n.touch_state[q, w] = wp.static(STICKS)
                across = bound * wp.normalize(before)
        return across

    @wp.struct
    class Visit:
        """A place of a rope, and how many rounds are left, this one included."""

        rope: int
        place: int
        left: int

    @wp.func
    def revise(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, visit: Visit, w: int) -> int:
        """Impulse and state of a place after the last solve; 1 if they are not settled."""
        q = visit.place
        rope = visit.rope
        left = visit.left
        k.touch_change[q, w] = vec3()
        shape = k.touch_shape[q, w]
        if shape < 0:
            return 0
        normal = k.touch_normal[q, w]
        held = n.touch_state[q, w]
        radius = m.rope_radius[rope, w]
        moving = holding.rope_velocity(k, k.rope_moving, q, w)
        slip = moving - holding.thing_velocity(m, s, k, radius, q, w)
        before = n.touch_impulse[q, w]
        friction = m.pair_friction[m.rope_material[rope] * o.materials + m.shape_material[shape], w]
        if held == wp.static(FREE):
            room = wp.max(k.touch_gap[q, w], real(0.0)) / o.dt
            if wp.dot(slip, normal) + room < wp.static(real(-0.01 * SETTLED)):
                n.touch_state[q, w] = wp.static(STICKS)
                if friction == real(0.0) or left == 1:  # nothing would look whether it may stick
                    n.touch_state[q, w] = wp.static(SLIDES)
                    n.touch_grip[q, w] = real(0.0)
                n.touch_impulse[q, w] = vec3()
                return 1
            return 0
        error = holding.held_velocity(m, s, k, o.dt, radius, q, w) - moving
        soft = holding.softness(m, s, k, rope, q, w)
        wanted = before + wp.inverse(soft) * error
        pressed = wp.dot(wanted, normal)
        if held != wp.static(STICKS):
            pressed = wp.dot(before, normal) + wp.dot(error, normal) / wp.dot(normal, soft * normal)
        if pressed < real(0.0) and left > wp.static(LAST):
            n.touch_state[q, w] = wp.static(FREE)
            n.touch_impulse[q, w] = vec3()
            k.touch_change[q, w] = -before
            return 1
        pressed = wp.max(pressed, real(0.0))
        bound = friction * pressed
        across = wanted - wp.dot(wanted, normal) * normal
        if friction == real(0.0):
            across = vec3()
        elif held != wp.static(STICKS):
            rubbing = before - wp.dot(before, normal) * normal
            across = rub(n, q, rubbing, slip - wp.dot(slip, normal) * normal, bound, left, w)
        elif wp.length(across) > bound:
            n.touch_state[q, w] = wp.static(SLIDES)
            n.touch_grip[q, w] = bound / wp.static(real(SETTLED))
            across = bound * wp.normalize(across)
        n.touch_impulse[q, w] = pressed * normal + across
        k.touch_change[q, w] = n.touch_impulse[q, w] - before
        off = real(100.0) * wp.length(error)
        if held != wp.static(STICKS):
            off = wp.length(k.touch_change[q, w]) / prepare.node_mass(m, s, rope, q // wp.static(TOUCHES), w)
        return int(n.touch_state[q, w] != held or off > wp.static(real(SETTLED)))

    @wp.func
    def solve_once(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, w: int) -> real:
        """The whole rope in its present states, with last step's impulses at its ports; the largest change (m/s)."""
        for i in range(s.rope_first[rope, w], m.rope_end[rope]):
            k.rope_before[i, w] = k.rope_moving[i, w]
            holding.hold(m, s, n, k, o.dt, rope, i, w)
        chain.factor(m, s, n, k, k.rope_inertia, rope, w)
        prepare.free_gap(m, s, n, k, o.dt, rope, w)
        if wp.static(features.rope_ports):
            for q in range(o.ports):
                if m.port_rope[q] == rope and m.port_other[q] < 0:
                    strike_port(m, s, k, q, n.port_impulse[q, w], w)
        chain.solve(m, s, k, rope, w)
        prepare.take_velocities(m, s, n, k, rope, w)
        largest = real(0.0)
        for i in range(s.rope_first[rope, w], m.rope_end[rope]):
            largest = wp.max(largest, wp.length_sq(k.rope_moving[i, w] - k.rope_before[i, w]))
        return wp.sqrt(largest)

    @wp.func
    def revise_all(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, left: int, w: int) -> int:
        """Impulses and states of all places; how many of them are not settled."""
        changed = int(0)
        visit = Visit()
        visit.left = left
        for rope in range(o.ropes):
            for q in range(wp.static(TOUCHES) * s.rope_first[rope, w], wp.static(TOUCHES) * m.rope_end[rope]):
                visit.rope = rope
                visit.place = q
                changed += revise(m, s, n, k, o, visit, w)
        for rope in range(o.ropes):
            for q in range(wp.static(TOUCHES) * s.rope_first[rope, w], wp.static(TOUCHES) * m.rope_end[rope]):
                if k.touch_shape[q, w] >= 0:
                    strike(m, s, k, rope, q, k.touch_change[q, w], w)
        return changed

    @wp.func
    def settle_touches(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """States of all places, with the factors that go with them."""
        for rope in range(o.ropes):
            find_touches(m, s, n, k, o, rope, w)
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                begin_touches(m, s, n, k, rope, i, w)
        if wp.static(features.rope_tangles):
            tangle.find_tangles(m, s, n, k, o, w)
        left = int(wp.static(ROUNDS))
        calm = int(0)
        while left > 0:
            left -= 1
            if wp.static(features.contacts):
                count_touches(m, s, n, k, o, w)
            largest = real(0.0)
            for rope in range(o.ropes):
                largest = wp.max(largest, solve_once(m, s, n, k, o, rope, w))
            calm += 1
            if largest > wp.static(real(STILL[p.name])) or left == wp.static(ROUNDS - 1):
                calm = 0
            changed = int(0)
            if left > 0:
                changed = revise_all(m, s, n, k, o, left, w)
                if wp.static(features.rope_tangles):
                    changed += tangle.visit_tangles(m, s, n, k, o, left == 1, w)
            if wp.static(features.rope_tangles):
                if left == 0:  # not calm
                    n.tangle_pace[w] = real(0.0)
            if changed == 0 or calm == wp.static(CALM):
                left = 0

    @wp.func
    def push(m: t.model, s: t.state, k: t.work, o: t.settings, rope: int, q: int, w: int):
        """Pseudo-velocities of the nodes about place q if the rope overlaps what it touches there, or would."""
        i = q // wp.static(TOUCHES)
        gap = k.touch_gap[q, w]
        normal = k.touch_normal[q, w]
        slip = holding.rope_velocity(k, k.rope_moving, q, w) + holding.rope_velocity(k, k.rope_push, q, w)
        coming = gap + o.dt * wp.dot(slip - holding.thing_velocity(m, s, k, m.rope_radius[rope, w], q, w), normal)
        least = (real(1.0) - o.erp) * wp.min(gap, real(0.0))
        share = k.touch_share[q, w]
        low = (real(1.0) - share) * k.touch_weight[i, w]
        high = real(0.0)
        if share > real(0.0):
            high = share * k.touch_weight[i + 1, w]
        light = (real(1.0) - share) * low + share * high
        if coming < least and light > real(0.0):
            away = (least - coming) / (o.dt * light) * normal
            k.rope_push[i, w] = k.rope_push[i, w] + low * away
            if share > real(0.0):
                k.rope_push[i + 1, w] = k.rope_push[i + 1, w] + high * away

    @wp.func
    def push_out(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Pseudo-velocities of ropes that overlap what they touch."""
        for rope in range(o.ropes):
            for q in range(wp.static(TOUCHES) * s.rope_first[rope, w], wp.static(TOUCHES) * m.rope_end[rope]):
                if k.touch_shape[q, w] >= 0:
                    push(m, s, k, o, rope, q, w)
        if wp.static(features.rope_tangles):
            tangle.part_tangles(m, s, k, o, w)

    return SimpleNamespace(settle_touches=settle_touches, push_out=push_out)
