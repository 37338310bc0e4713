"""Ropes on things: how nodes and elements rest, stick and slide on terrain and on the shapes of bodies.

At every place that ``neighbours.py`` finds, with the normal n from the thing and the gap g:

    free     nothing holds the rope, as long as n.u >= -max(g, 0)/h with u its velocity against the thing
    sticks   u = -max(g, 0)/h n
    slides   u.n likewise; friction against the direction d of u_t, and implicit as that turns: with y = mu p.n/|u_t|
             p_t = -mu p.n d - y (E - n n^T - d d^T) u            (Newton's step for mu p.n |u_t|)
    creeps   u.n likewise; p_t = -y u_t, where the direction of what hardly moves is not sure

The states are sought as in an active-set method: solve the whole rope exactly with all that holds it
(``contact_elimination.py``), free what pulls (p.n < 0), hold what would enter, let slide what is held by more than mu
p.n, hold what has come to a stop; again until nothing changes. They start from those of the last step. What holds is
proximal, because an element between places that stick would be held twice: with c = 1e-3 of the node's inverse mass w

    p = p_before + (held - u)/(c w)     so p rests where u = held

A body that moves feels -p at once, and answers within the same solve: to c w its own inverse mass at the point is
added, times the number of places that share it. Overlap is closed by pseudo-velocities.
"""

from ...model.rope_arrays import TOUCHES
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .attach import make_attach
from .chain import make_chain
from .contact_elimination import make_contact_elimination
from .neighbours import make_near
from .prepare import make_prepare
from .rope_rope_contact import make_rope_rope_contact
from .touch_points import CREEPS, FREE, SLIDES, STICKS

ROUNDS, SURE = 16, 6  # of solving and revising, and those in which what would slide back sticks at once
LAST = 2  # rounds at the end in which nothing is set free: what is held for nothing does less harm than what enters
CALM = 2  # rounds in a row in which no velocity changes are the last, even if impulses that hold each other still do
SETTLED = 1e-4  # m/s that a change of impulse would give a free node
STILL = {"float64": 1e-6, "float32": 1e-6}  # m/s: velocities that change by less do not change


@factory
def make_rope_touch(p: Precision, features: Features) -> Made:
    if not features.rope_touch:
        return None
    real, vec3 = p.real, p.vec3
    func = functions(p)
    chain, prepare, holding = make_chain(p, features), make_prepare(p, features), make_contact_elimination(p, features)
    full = make_algebra(p).full
    strike_port, tangle = make_attach(p, features).strike_port, make_rope_rope_contact(p, features)
    find_touches = make_near(p, features).find_touches

    @func
    def strike(model, state, work, rope: int, q: int, impulse: vec3, world: int):
        """The reaction to an impulse on the rope at place q, on a body that moves."""
        b = model.shape_body[work.touch_shape[q, world]]
        if model.inv_mass[b, world] > real(0.0):
            arm = holding.point(state, work, model.rope_radius[rope, world], q, world) - state.position[b, world]
            work.velocity[b, world] = work.velocity[b, world] - model.inv_mass[b, world] * impulse
            work.spin[b, world] = work.spin[b, world] - full(work.inv_inertia[b, world]) * wp.cross(arm, impulse)

    @func
    def begin_touches(model, state, memory, work, rope: int, i: int, world: int):
        """Last step's impulses of element i on what it touches, and the rope as it is without them."""
        work.touch_weight[i, world] = full(work.rope_inverse[i, world])[0, 0]
        work.rope_open[i, world] = work.rope_free[i, world]
        work.rope_open_torque[i, world] = work.rope_torque[i, world]
        work.rope_open_inertia[i, world] = work.rope_inertia[i, world]
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if memory.touch_state[q, world] != wp.static(FREE):
                strike(model, state, work, rope, q, memory.touch_impulse[q, world], world)

    @func
    def count_touches(model, state, memory, work, settings, world: int):
        """How many places hold each body."""
        for b in range(settings.bodies):
            work.touch_count[b, world] = 0
        for rope in range(settings.ropes):
            for q in range(
                wp.static(TOUCHES) * state.rope_first[rope, world], wp.static(TOUCHES) * model.rope_end[rope]
            ):
                if memory.touch_state[q, world] != wp.static(FREE):
                    b = model.shape_body[work.touch_shape[q, world]]
                    work.touch_count[b, world] = work.touch_count[b, world] + 1

    @func
    def rub(memory, q: int, before: vec3, sliding: vec3, bound: real, left: int, world: int) -> vec3:
        """Friction where the rope slides or creeps, and its state in the next solve; ``before`` is the friction."""
        speed = wp.length(sliding)
        grip = memory.touch_grip[q, world]
        memory.touch_grip[q, world] = bound / wp.max(speed, wp.static(real(SETTLED)))
        across = -memory.touch_grip[q, world] * sliding
        if memory.touch_state[q, world] == wp.static(CREEPS):
            if grip * speed > real(1.01) * bound:
                memory.touch_state[q, world] = wp.static(SLIDES)
            elif grip * speed < real(0.5) * bound or speed < wp.static(real(SETTLED)):
                memory.touch_state[q, world] = wp.static(STICKS)
                across = -grip * sliding
        elif wp.dot(sliding, before) > real(0.0):  # it would go back
            memory.touch_state[q, world] = wp.static(CREEPS)
            if speed < wp.static(real(SETTLED)) or left > wp.static(ROUNDS - SURE):
                memory.touch_state[q, world] = wp.static(STICKS)
                across = bound * wp.normalize(before)
        return across

    @wp.struct
    class Visit:
        """A place of a rope, and how many rounds are left, this one included."""

        rope: int
        place: int
        left: int

    @func
    def revise(model, state, memory, work, settings, visit: Visit, world: int) -> int:
        """Impulse and state of a place after the last solve; 1 if they are not settled."""
        q = visit.place
        rope = visit.rope
        left = visit.left
        work.touch_change[q, world] = vec3()
        shape = work.touch_shape[q, world]
        if shape < 0:
            return 0
        normal = work.touch_normal[q, world]
        held = memory.touch_state[q, world]
        radius = model.rope_radius[rope, world]
        moving = holding.rope_velocity(work, work.rope_moving, q, world)
        slip = moving - holding.thing_velocity(model, state, work, radius, q, world)
        before = memory.touch_impulse[q, world]
        friction = model.pair_friction[
            model.rope_material[rope] * settings.materials + model.shape_material[shape], world
        ]
        if held == wp.static(FREE):
            allowed = wp.max(work.touch_gap[q, world], real(0.0)) / settings.dt
            if wp.dot(slip, normal) + allowed < wp.static(real(-0.01 * SETTLED)):
                memory.touch_state[q, world] = wp.static(STICKS)
                if friction == real(0.0) or left == 1:  # nothing would look whether it may stick
                    memory.touch_state[q, world] = wp.static(SLIDES)
                    memory.touch_grip[q, world] = real(0.0)
                memory.touch_impulse[q, world] = vec3()
                return 1
            return 0
        error = holding.held_velocity(model, state, work, settings.dt, radius, q, world) - moving
        soft = holding.softness(model, state, work, rope, q, world)
        wanted = before + wp.inverse(soft) * error
        pressed = wp.dot(wanted, normal)
        if held != wp.static(STICKS):
            pressed = wp.dot(before, normal) + wp.dot(error, normal) / wp.dot(normal, soft * normal)
        if pressed < real(0.0) and left > wp.static(LAST):
            memory.touch_state[q, world] = wp.static(FREE)
            memory.touch_impulse[q, world] = vec3()
            work.touch_change[q, world] = -before
            return 1
        pressed = wp.max(pressed, real(0.0))
        bound = friction * pressed
        across = wanted - wp.dot(wanted, normal) * normal
        if friction == real(0.0):
            across = vec3()
        elif held != wp.static(STICKS):
            rubbing = before - wp.dot(before, normal) * normal
            across = rub(memory, q, rubbing, slip - wp.dot(slip, normal) * normal, bound, left, world)
        elif wp.length(across) > bound:
            memory.touch_state[q, world] = wp.static(SLIDES)
            memory.touch_grip[q, world] = bound / wp.static(real(SETTLED))
            across = bound * wp.normalize(across)
        memory.touch_impulse[q, world] = pressed * normal + across
        work.touch_change[q, world] = memory.touch_impulse[q, world] - before
        off = real(100.0) * wp.length(error)
        if held != wp.static(STICKS):
            off = wp.length(work.touch_change[q, world]) / prepare.node_mass(
                model, state, rope, q // wp.static(TOUCHES), world
            )
        return int(memory.touch_state[q, world] != held or off > wp.static(real(SETTLED)))

    @func
    def solve_once(model, state, memory, work, settings, rope: int, world: int) -> real:
        """The whole rope in its present states, with last step's impulses at its ports; the largest change (m/s)."""
        for i in range(state.rope_first[rope, world], model.rope_end[rope]):
            work.rope_before[i, world] = work.rope_moving[i, world]
            holding.hold(model, state, memory, work, settings.dt, rope, i, world)
        chain.factor(model, state, memory, work, work.rope_inertia, rope, world)
        prepare.free_gap(model, state, memory, work, settings.dt, rope, world)
        if wp.static(features.rope_ports):
            for q in range(settings.ports):
                if model.port_rope[q] == rope and model.port_other[q] < 0:
                    strike_port(model, state, work, q, memory.port_impulse[q, world], world)
        chain.solve(model, state, work, rope, world)
        prepare.take_velocities(model, state, memory, work, rope, world)
        largest = real(0.0)
        for i in range(state.rope_first[rope, world], model.rope_end[rope]):
            largest = wp.max(largest, wp.length_sq(work.rope_moving[i, world] - work.rope_before[i, world]))
        return wp.sqrt(largest)

    @func
    def revise_all(model, state, memory, work, settings, left: int, world: int) -> int:
        """Impulses and states of all places; how many of them are not settled."""
        changed = int(0)
        visit = Visit()
        visit.left = left
        for rope in range(settings.ropes):
            for q in range(
                wp.static(TOUCHES) * state.rope_first[rope, world], wp.static(TOUCHES) * model.rope_end[rope]
            ):
                visit.rope = rope
                visit.place = q
                changed += revise(model, state, memory, work, settings, visit, world)
        for rope in range(settings.ropes):
            for q in range(
                wp.static(TOUCHES) * state.rope_first[rope, world], wp.static(TOUCHES) * model.rope_end[rope]
            ):
                if work.touch_shape[q, world] >= 0:
                    strike(model, state, work, rope, q, work.touch_change[q, world], world)
        return changed

    @func
    def settle_touches(model, state, memory, work, settings, world: int):
        """States of all places, with the factors that go with them."""
        for rope in range(settings.ropes):
            find_touches(model, state, memory, work, settings, rope, world)
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                begin_touches(model, state, memory, work, rope, i, world)
        if wp.static(features.rope_tangles):
            tangle.find_tangles(model, state, memory, work, settings, world)
        left = int(wp.static(ROUNDS))
        calm = int(0)
        while left > 0:
            left -= 1
            if wp.static(features.contacts):
                count_touches(model, state, memory, work, settings, world)
            largest = real(0.0)
            for rope in range(settings.ropes):
                largest = wp.max(largest, solve_once(model, state, memory, work, settings, rope, world))
            calm += 1
            if largest > wp.static(real(STILL[p.name])) or left == wp.static(ROUNDS - 1):
                calm = 0
            changed = int(0)
            if left > 0:
                changed = revise_all(model, state, memory, work, settings, left, world)
                if wp.static(features.rope_tangles):
                    changed += tangle.visit_tangles(model, state, memory, work, settings, left == 1, world)
            if wp.static(features.rope_tangles):
                if left == 0:  # not calm
                    memory.tangle_pace[world] = real(0.0)
            if changed == 0 or calm == wp.static(CALM):
                left = 0

    @func
    def push(model, state, work, settings, rope: int, q: int, world: int):
        """Pseudo-velocities of the nodes about place q if the rope overlaps what it touches there, or would."""
        i = q // wp.static(TOUCHES)
        gap = work.touch_gap[q, world]
        normal = work.touch_normal[q, world]
        slip = holding.rope_velocity(work, work.rope_moving, q, world) + holding.rope_velocity(
            work, work.rope_push, q, world
        )
        coming = gap + settings.dt * wp.dot(
            slip - holding.thing_velocity(model, state, work, model.rope_radius[rope, world], q, world), normal
        )
        least = (real(1.0) - settings.erp) * wp.min(gap, real(0.0))
        share = work.touch_share[q, world]
        low = (real(1.0) - share) * work.touch_weight[i, world]
        high = real(0.0)
        if share > real(0.0):
            high = share * work.touch_weight[i + 1, world]
        light = (real(1.0) - share) * low + share * high
        if coming < least and light > real(0.0):
            away = (least - coming) / (settings.dt * light) * normal
            work.rope_push[i, world] = work.rope_push[i, world] + low * away
            if share > real(0.0):
                work.rope_push[i + 1, world] = work.rope_push[i + 1, world] + high * away

    @func
    def push_out(model, state, memory, work, settings, world: int):
        """Pseudo-velocities of ropes that overlap what they touch."""
        for rope in range(settings.ropes):
            for q in range(
                wp.static(TOUCHES) * state.rope_first[rope, world], wp.static(TOUCHES) * model.rope_end[rope]
            ):
                if work.touch_shape[q, world] >= 0:
                    push(model, state, work, settings, rope, q, world)
        if wp.static(features.rope_tangles):
            tangle.part_tangles(model, state, work, settings, world)

    return locals()
