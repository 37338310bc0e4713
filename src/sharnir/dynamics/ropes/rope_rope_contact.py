"""Ropes on ropes: elements as capsules that do not pass through each other, and rub.

A pair of elements (``pairs.py``) touches at the shares x and y of their lengths; an impulse there acts on their four
nodes by those shares. Impulses are found together with the exact solves of the ropes (``rope_contact.py``), one step of
Nesterov's accelerated projected gradient after each: with u the velocity of one element against the other when q acts,
and g the gap,

    z <- P(q - (u + max(g, 0)/h n)/d),   q <- z + b (z - z_before)     P: p_n >= 0, |p_t| <= mu p_n

    d = sum over the four nodes of c share^2 w     c: pairs at the node, w: its inverse mass in that direction

which is at least what u answers to an impulse, whatever the other pairs do (by Cauchy and Schwarz), and b grows as the
method has it while z goes downhill, from step to step when the ropes are calm. Small overlap is closed by
pseudo-velocities; more of it drives the ropes apart.
"""

from ...model.rope_arrays import TANGLES
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, large_functions, wp
from .pairs import make_pairs

FASTEST = 0.2  # m/s at which overlapping ropes are driven apart
OVERLAP = 0.05  # of the radius: more than this drives them apart
SETTLED = {"float64": 1e-6, "float32": 1e-5}  # m/s


@factory
def make_rope_rope_contact(p: Precision, features: Features) -> Made:
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    func, entry = large_functions(p), functions(p)
    find_pairs, full = make_pairs(p, features).find_pairs, make_algebra(p).full

    @func
    def next_pace(pace: real) -> real:
        """t' = (1 + sqrt(1 + 4 t^2))/2 of Nesterov's method."""
        return real(0.5) + wp.sqrt(real(0.25) + pace * pace)

    @func
    def carried_on(pace: real) -> real:
        """b of Nesterov's method."""
        return wp.max(pace - real(1.0), real(0.0)) / next_pace(pace)

    @entry
    def find_tangles(model, state, memory, work, settings, world: int):
        """All pairs, and last step's impulses on them, carried on as they went; how many pairs each node is in."""
        find_pairs(model, state, memory, work, settings, world)
        onward = carried_on(memory.tangle_pace[world])
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope]):
                work.tangle_count[j, world] = 0
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                    memory.tangle_key[i, world] = work.tangle_other[i, world] + 1
                    memory.tangle_kept[i, world] = vec3()
                    if work.tangle_other[i, world] >= 0:
                        memory.tangle_kept[i, world] = work.tangle_impulse[i, world]
                        work.tangle_impulse[i, world] = (
                            work.tangle_impulse[i, world] + onward * work.tangle_next[i, world]
                        )
                        act(work, i, j, work.tangle_impulse[i, world], world)
                        shares = work.tangle_shares[i, world]
                        count(work, j, shares[0], world)
                        count(work, work.tangle_other[i, world], shares[1], world)

    @func
    def count(work, j: int, share: real, world: int):
        """One more pair at the nodes of element j."""
        if share < real(1.0):
            work.tangle_count[j, world] = work.tangle_count[j, world] + 1
        if share > real(0.0):
            work.tangle_count[j + 1, world] = work.tangle_count[j + 1, world] + 1

    @func
    def act_on(work, j: int, share: real, impulse: vec3, world: int):
        """An impulse on element j at a share of its length."""
        work.rope_open[j, world] = (
            work.rope_open[j, world] + (work.touch_weight[j, world] * (real(1.0) - share)) * impulse
        )
        work.rope_open[j + 1, world] = (
            work.rope_open[j + 1, world] + (work.touch_weight[j + 1, world] * share) * impulse
        )

    @func
    def act(work, i: int, j: int, impulse: vec3, world: int):
        """An impulse of pair i (N s) on both of its elements."""
        shares = work.tangle_shares[i, world]
        act_on(work, j, shares[0], -impulse, world)
        act_on(work, work.tangle_other[i, world], shares[1], impulse, world)

    @func
    def velocity_at(velocity: wp.array2d(dtype=vec3), j: int, share: real, world: int) -> vec3:
        """At a share of element j, m/s."""
        return (real(1.0) - share) * velocity[j, world] + share * velocity[j + 1, world]

    @func
    def slip_of(velocity: wp.array2d(dtype=vec3), work, i: int, j: int, world: int) -> vec3:
        """Velocity of the other element against element j where they touch."""
        shares = work.tangle_shares[i, world]
        return velocity_at(velocity, work.tangle_other[i, world], shares[1], world) - velocity_at(
            velocity, j, shares[0], world
        )

    @func
    def node_answer(work, i: int, share: real, normal: vec3, world: int) -> vec2:
        """c share^2 w of node i, along the normal and across."""
        along = wp.dot(normal, full(work.rope_inverse[i, world]) * normal)
        return (share * share * real(work.tangle_count[i, world])) * vec2(along, work.touch_weight[i, world])

    @func
    def answer(work, i: int, j: int, world: int) -> vec2:
        """d of a pair, along the normal and across."""
        shares = work.tangle_shares[i, world]
        e = work.tangle_other[i, world]
        normal = work.tangle_normal[i, world]
        one = real(1.0)
        return (
            node_answer(work, j, one - shares[0], normal, world)
            + node_answer(work, j + 1, shares[0], normal, world)
            + node_answer(work, e, one - shares[1], normal, world)
            + node_answer(work, e + 1, shares[1], normal, world)
        )

    @func
    def least_speed(model, work, settings, i: int, j: int, world: int) -> real:
        """How fast the elements of a pair must part: to touch at the end of the step, or out of too much overlap."""
        gap = work.tangle_gap[i, world]
        if gap > real(0.0):
            return -gap / settings.dt
        deep = -gap - wp.static(real(OVERLAP)) * model.rope_radius[model.node_rope[j], world]
        return wp.clamp(settings.erp * deep / settings.dt, real(0.0), wp.static(real(FASTEST)))

    @func
    def visit(model, memory, work, settings, i: int, j: int, world: int) -> vec2:
        """The impulse z that pair i goes to; 1 if that is far, and how far downhill."""
        normal = work.tangle_normal[i, world]
        d = answer(work, i, j, world)
        work.tangle_next[i, world] = memory.tangle_kept[i, world]
        if d[0] == real(0.0) or d[1] == real(0.0):
            return vec2()
        slip = slip_of(work.rope_moving, work, i, j, world)
        short = wp.dot(slip, normal) - least_speed(model, work, settings, i, j, world)
        sliding = slip - wp.dot(slip, normal) * normal
        now = work.tangle_impulse[i, world]
        pressed = wp.max(wp.dot(now, normal) - short / d[0], real(0.0))
        across = now - wp.dot(now, normal) * normal - sliding / d[1]
        one = model.rope_material[model.node_rope[j]]
        friction = model.pair_friction[
            one * settings.materials + model.rope_material[model.node_rope[work.tangle_other[i, world]]], world
        ]
        size = wp.length(across)
        if size > friction * pressed:
            across = friction * pressed / size * across
        next = pressed * normal + across
        work.tangle_next[i, world] = next
        step = next - memory.tangle_kept[i, world]
        far = int(wp.length(step) * d[1] > wp.static(real(SETTLED[p.name])))
        return vec2(real(far), wp.dot(step, sliding + short * normal))

    @entry
    def part_tangles(model, state, work, settings, world: int):
        """Pseudo-velocities of elements that overlap, or would."""
        for rope in range(settings.ropes):
            if model.rope_tangles[rope] == 1:
                for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                    for slot in range(wp.static(TANGLES)):
                        i = wp.static(TANGLES) * j + slot
                        if work.tangle_other[i, world] >= 0:
                            part(work, settings, i, j, world)

    @func
    def part(work, settings, i: int, j: int, world: int):
        """A pseudo-impulse that parts pair i, where it would overlap."""
        e = work.tangle_other[i, world]
        shares = work.tangle_shares[i, world]
        normal = work.tangle_normal[i, world]
        gap = work.tangle_gap[i, world]
        slip = slip_of(work.rope_moving, work, i, j, world) + slip_of(work.rope_push, work, i, j, world)
        coming = gap + settings.dt * wp.dot(slip, normal)
        least = (real(1.0) - settings.erp) * wp.min(gap, real(0.0))
        light = weight(work, j, shares[0], world) + weight(work, e, shares[1], world)
        if coming < least and light > real(0.0):
            push = (least - coming) / (settings.dt * light) * normal
            push_on(work, j, shares[0], -push, world)
            push_on(work, e, shares[1], push, world)

    @func
    def weight(work, j: int, share: real, world: int) -> real:
        """The inverse mass at a share of element j, 1/kg."""
        other = real(1.0) - share
        return other * other * work.touch_weight[j, world] + share * share * work.touch_weight[j + 1, world]

    @func
    def push_on(work, j: int, share: real, push: vec3, world: int):
        """A pseudo-impulse (N s) at a share of element j."""
        work.rope_push[j, world] = work.rope_push[j, world] + ((real(1.0) - share) * work.touch_weight[j, world]) * push
        work.rope_push[j + 1, world] = work.rope_push[j + 1, world] + (share * work.touch_weight[j + 1, world]) * push

    @entry
    def visit_tangles(model, state, memory, work, settings, is_last: bool, world: int) -> int:
        """New impulses of all pairs, carried on in the direction they go unless the next solve is the last."""
        total = vec2()
        for rope in range(settings.ropes):
            if model.rope_tangles[rope] == 1:
                for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                    for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                        if work.tangle_other[i, world] >= 0:
                            total = total + visit(model, memory, work, settings, i, j, world)
        onward = carried_on(memory.tangle_pace[world])
        memory.tangle_pace[world] = next_pace(memory.tangle_pace[world])
        if total[1] > real(0.0):  # uphill: start anew
            onward = real(0.0)
            memory.tangle_pace[world] = real(1.0)
        if is_last:
            onward = real(0.0)
        for rope in range(settings.ropes):
            if model.rope_tangles[rope] == 1:
                for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                    for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                        if work.tangle_other[i, world] >= 0:
                            next = work.tangle_next[i, world]
                            memory.tangle_step[i, world] = next - memory.tangle_kept[i, world]
                            goal = next + onward * memory.tangle_step[i, world]
                            act(work, i, j, goal - work.tangle_impulse[i, world], world)
                            work.tangle_impulse[i, world] = goal
                            memory.tangle_kept[i, world] = next
        return int(total[0])

    return locals()
