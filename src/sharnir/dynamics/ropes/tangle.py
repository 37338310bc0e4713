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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import references, structs
from ...model.precision import Precision
from ...model.rope_arrays import TANGLES
from ..algebra import make_algebra
from .pairs import make_pairs

wp = load_warp()

FASTEST = 0.2  # m/s at which overlapping ropes are driven apart
OVERLAP = 0.05  # of the radius: more than this drives them apart
SETTLED = {"float64": 1e-6, "float32": 1e-5}  # m/s


@cache
def make_tangle(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t, given = references(p), structs(p)
    find_pairs, full = make_pairs(p, features).find_pairs, make_algebra(p).full

    @wp.func
    def next_pace(pace: real) -> real:
        """t' = (1 + sqrt(1 + 4 t^2))/2 of Nesterov's method."""
        return real(0.5) + wp.sqrt(real(0.25) + pace * pace)

    @wp.func
    def carried_on(pace: real) -> real:
        """b of Nesterov's method."""
        return wp.max(pace - real(1.0), real(0.0)) / next_pace(pace)

    @wp.func
    def find_tangles(m: given.model, s: given.state, n: given.memory, k: given.work, o: given.settings, w: int):
        """All pairs, and last step's impulses on them, carried on as they went; how many pairs each node is in."""
        find_pairs(m, s, n, k, o, w)
        onward = carried_on(n.tangle_pace[w])
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope]):
                k.tangle_count[j, w] = 0
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                    n.tangle_key[i, w] = k.tangle_other[i, w] + 1
                    n.tangle_kept[i, w] = vec3()
                    if k.tangle_other[i, w] >= 0:
                        n.tangle_kept[i, w] = k.tangle_impulse[i, w]
                        k.tangle_impulse[i, w] = k.tangle_impulse[i, w] + onward * k.tangle_next[i, w]
                        act(k, i, j, k.tangle_impulse[i, w], w)
                        shares = k.tangle_shares[i, w]
                        count(k, j, shares[0], w)
                        count(k, k.tangle_other[i, w], shares[1], w)

    @wp.func
    def count(k: t.work, j: int, share: real, w: int):
        """One more pair at the nodes of element j."""
        if share < real(1.0):
            k.tangle_count[j, w] = k.tangle_count[j, w] + 1
        if share > real(0.0):
            k.tangle_count[j + 1, w] = k.tangle_count[j + 1, w] + 1

    @wp.func
    def act_on(k: t.work, j: int, share: real, impulse: vec3, w: int):
        """An impulse on element j at a share of its length."""
        k.rope_open[j, w] = k.rope_open[j, w] + (k.touch_weight[j, w] * (real(1.0) - share)) * impulse
        k.rope_open[j + 1, w] = k.rope_open[j + 1, w] + (k.touch_weight[j + 1, w] * share) * impulse

    @wp.func
    def act(k: t.work, i: int, j: int, impulse: vec3, w: int):
        """An impulse of pair i (N s) on both of its elements."""
        shares = k.tangle_shares[i, w]
        act_on(k, j, shares[0], -impulse, w)
        act_on(k, k.tangle_other[i, w], shares[1], impulse, w)

    @wp.func
    def velocity_at(velocity: wp.array2d(dtype=vec3), j: int, share: real, w: int) -> vec3:
        """At a share of element j, m/s."""
        return (real(1.0) - share) * velocity[j, w] + share * velocity[j + 1, w]

    @wp.func
    def slip_of(velocity: wp.array2d(dtype=vec3), k: t.work, i: int, j: int, w: int) -> vec3:
        """Velocity of the other element against element j where they touch."""
        shares = k.tangle_shares[i, w]
        return velocity_at(velocity, k.tangle_other[i, w], shares[1], w) - velocity_at(velocity, j, shares[0], w)

    @wp.func
    def node_answer(k: t.work, i: int, share: real, normal: vec3, w: int) -> vec2:
        """c share^2 w of node i, along the normal and across."""
        along = wp.dot(normal, full(k.rope_inverse[i, w]) * normal)
        return (share * share * real(k.tangle_count[i, w])) * vec2(along, k.touch_weight[i, w])

    @wp.func
    def answer(k: t.work, i: int, j: int, w: int) -> vec2:
        """d of a pair, along the normal and across."""
        shares = k.tangle_shares[i, w]
        e = k.tangle_other[i, w]
        normal = k.tangle_normal[i, w]
        one = real(1.0)
        return (
            node_answer(k, j, one - shares[0], normal, w)
            + node_answer(k, j + 1, shares[0], normal, w)
            + node_answer(k, e, one - shares[1], normal, w)
            + node_answer(k, e + 1, shares[1], normal, w)
        )

    @wp.func
    def least_speed(m: t.model, k: t.work, o: t.settings, i: int, j: int, w: int) -> real:
        """How fast the elements of a pair must part: to touch at the end of the step, or out of too much overlap."""
        gap = k.tangle_gap[i, w]
        if gap > real(0.0):
            return -gap / o.dt
        deep = -gap - wp.static(real(OVERLAP)) * m.rope_radius[m.node_rope[j], w]
        return wp.clamp(o.erp * deep / o.dt, real(0.0), wp.static(real(FASTEST)))

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, i: int, j: int, w: int) -> vec2:
        """The impulse z that pair i goes to; 1 if that is far, and how far downhill."""
        normal = k.tangle_normal[i, w]
        d = answer(k, i, j, w)
        k.tangle_next[i, w] = n.tangle_kept[i, w]
        if d[0] == real(0.0) or d[1] == real(0.0):
            return vec2()
        slip = slip_of(k.rope_moving, k, i, j, w)
        short = wp.dot(slip, normal) - least_speed(m, k, o, i, j, w)
        sliding = slip - wp.dot(slip, normal) * normal
        now = k.tangle_impulse[i, w]
        pressed = wp.max(wp.dot(now, normal) - short / d[0], real(0.0))
        across = now - wp.dot(now, normal) * normal - sliding / d[1]
        one = m.rope_material[m.node_rope[j]]
        friction = m.pair_friction[one * o.materials + m.rope_material[m.node_rope[k.tangle_other[i, w]]], w]
        size = wp.length(across)
        if size > friction * pressed:
            across = friction * pressed / size * across
        next = pressed * normal + across
        k.tangle_next[i, w] = next
        step = next - n.tangle_kept[i, w]
        far = int(wp.length(step) * d[1] > wp.static(real(SETTLED[p.name])))
        return vec2(real(far), wp.dot(step, sliding + short * normal))

    @wp.func
    def part_tangles(m: given.model, s: given.state, k: given.work, o: given.settings, w: int):
        """Pseudo-velocities of elements that overlap, or would."""
        for rope in range(o.ropes):
            if m.rope_tangles[rope] == 1:
                for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                    for slot in range(wp.static(TANGLES)):
                        i = wp.static(TANGLES) * j + slot
                        if k.tangle_other[i, w] >= 0:
                            part(k, o, i, j, w)

    @wp.func
    def part(k: t.work, o: t.settings, i: int, j: int, w: int):
        """A pseudo-impulse that parts pair i, where it would overlap."""
        e = k.tangle_other[i, w]
        shares = k.tangle_shares[i, w]
        normal = k.tangle_normal[i, w]
        gap = k.tangle_gap[i, w]
        slip = slip_of(k.rope_moving, k, i, j, w) + slip_of(k.rope_push, k, i, j, w)
        coming = gap + o.dt * wp.dot(slip, normal)
        least = (real(1.0) - o.erp) * wp.min(gap, real(0.0))
        light = weight(k, j, shares[0], w) + weight(k, e, shares[1], w)
        if coming < least and light > real(0.0):
            push = (least - coming) / (o.dt * light) * normal
            push_on(k, j, shares[0], -push, w)
            push_on(k, e, shares[1], push, w)

    @wp.func
    def weight(k: t.work, j: int, share: real, w: int) -> real:
        """The inverse mass at a share of element j, 1/kg."""
        other = real(1.0) - share
        return other * other * k.touch_weight[j, w] + share * share * k.touch_weight[j + 1, w]

    @wp.func
    def push_on(k: t.work, j: int, share: real, push: vec3, w: int):
        """A pseudo-impulse (N s) at a share of element j."""
        k.rope_push[j, w] = k.rope_push[j, w] + ((real(1.0) - share) * k.touch_weight[j, w]) * push
        k.rope_push[j + 1, w] = k.rope_push[j + 1, w] + (share * k.touch_weight[j + 1, w]) * push

    @wp.func
    def visit_tangles(
        m: given.model, s: given.state, n: given.memory, k: given.work, o: given.settings, is_last: bool, w: int
    ) -> int:
        """New impulses of all pairs, carried on in the direction they go unless the next solve is the last."""
        total = vec2()
        for rope in range(o.ropes):
            if m.rope_tangles[rope] == 1:
                for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                    for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                        if k.tangle_other[i, w] >= 0:
                            total = total + visit(m, n, k, o, i, j, w)
        onward = carried_on(n.tangle_pace[w])
        n.tangle_pace[w] = next_pace(n.tangle_pace[w])
        if total[1] > real(0.0):  # uphill: start anew
            onward = real(0.0)
            n.tangle_pace[w] = real(1.0)
        if is_last:
            onward = real(0.0)
        for rope in range(o.ropes):
            if m.rope_tangles[rope] == 1:
                for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                    for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                        if k.tangle_other[i, w] >= 0:
                            next = k.tangle_next[i, w]
                            n.tangle_step[i, w] = next - n.tangle_kept[i, w]
                            goal = next + onward * n.tangle_step[i, w]
                            act(k, i, j, goal - k.tangle_impulse[i, w], w)
                            k.tangle_impulse[i, w] = goal
                            n.tangle_kept[i, w] = next
        return int(total[0])

    return SimpleNamespace(find_tangles=find_tangles, visit_tangles=visit_tangles, part_tangles=part_tangles)
