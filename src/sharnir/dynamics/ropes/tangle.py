"""Ropes on ropes: elements as capsules that do not pass through each other, and rub.

Which elements are near each other is found through a grid of cells, kept as a table by their hash: every element is in
the cell of its middle, and looks into the 27 about it. Elements that follow each other closely are left out. A pair
touches in the nearest points of the two elements, at the shares x and y of their lengths; an impulse there acts on
their four nodes by those shares. Impulses are found by sweeps between the exact solves of the ropes (``touch.py``):

    p_n <- max(0, p_n - (u_n + max(g, 0)/h + ERP min(g, 0)/h)/K),   |p_t| <= mu p_n,   K = sum of share^2 w
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.ropes import TANGLES

wp = load_warp()

SWEEPS = 3  # between two solves of the ropes
FASTEST = 0.5  # m/s at which overlapping ropes are driven apart


@cache
def make_tangle(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t = structs(p)

    @wp.func
    def middle(s: t.state, j: int, w: int) -> vec3:
        return real(0.5) * (s.rope_position[j, w] + s.rope_position[j + 1, w])

    @wp.func
    def bucket(o: t.settings, x: int, y: int, z: int) -> int:
        mixed = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791)
        return (mixed & 1073741823) % o.buckets

    @wp.func
    def cell(at: vec3, size: real) -> wp.vec3i:
        return wp.vec3i(int(wp.floor(at[0] / size)), int(wp.floor(at[1] / size)), int(wp.floor(at[2] / size)))

    @wp.func
    def nearest_shares(a: vec3, u: vec3, b: vec3, v: vec3) -> vec2:
        """Shares x, y of the nearest points a + x u and b + y v of two segments."""
        from_b = a - b
        uu = wp.dot(u, u)
        vv = wp.dot(v, v)
        uv = wp.dot(u, v)
        ua = wp.dot(u, from_b)
        va = wp.dot(v, from_b)
        x = real(0.0)
        flat = uu * vv - uv * uv
        if flat > real(1e-9) * uu * vv:
            x = wp.clamp((uv * va - ua * vv) / flat, real(0.0), real(1.0))
        y = (uv * x + va) / vv
        if y < real(0.0) or y > real(1.0):
            y = wp.clamp(y, real(0.0), real(1.0))
            x = wp.clamp((uv * y - ua) / uu, real(0.0), real(1.0))
        return vec2(x, y)

    @wp.func
    def add_pair(m: t.model, s: t.state, n: t.memory, k: t.work, margin: real, j: int, e: int, w: int):
        """Take elements j and e as a pair if they are near, with the impulse they had."""
        a = s.rope_position[j, w]
        b = s.rope_position[e, w]
        u = s.rope_position[j + 1, w] - a
        v = s.rope_position[e + 1, w] - b
        shares = nearest_shares(a, u, b, v)
        between = b + shares[1] * v - a - shares[0] * u
        apart = wp.length(between)
        gap = apart - m.rope_radius[m.node_rope[j]] - m.rope_radius[m.node_rope[e]]
        if gap < margin and apart > real(0.0):
            for slot in range(wp.static(TANGLES)):
                i = wp.static(TANGLES) * j + slot
                if k.tangle_other[i, w] == e:
                    return
                if k.tangle_other[i, w] < 0:
                    k.tangle_other[i, w] = e
                    k.tangle_shares[i, w] = shares
                    k.tangle_normal[i, w] = between / apart
                    k.tangle_gap[i, w] = gap
                    k.tangle_impulse[i, w] = vec3()
                    for before in range(wp.static(TANGLES)):
                        if n.tangle_key[wp.static(TANGLES) * j + before, w] == e + 1:
                            k.tangle_impulse[i, w] = n.tangle_kept[wp.static(TANGLES) * j + before, w]
                    return

    @wp.func
    def look_around(
        m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, size: real, margin: real, j: int, w: int
    ):
        at = cell(middle(s, j, w), size)
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                for dz in range(-1, 2):
                    e = k.cell_first[bucket(o, at[0] + dx, at[1] + dy, at[2] + dz), w]
                    while e >= 0:
                        apart = e - j
                        if apart > 0 and (m.node_rope[e] != m.node_rope[j] or apart > m.rope_apart[m.node_rope[j]]):
                            add_pair(m, s, n, k, margin, j, e, w)
                        e = k.cell_next[e, w]

    @wp.func
    def find_tangles(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """All pairs of elements that touch or may do so within the step, and last step's impulses on them."""
        for i in range(o.buckets):
            k.cell_first[i, w] = -1
        size = real(0.0)
        fastest = real(0.0)
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                size = wp.max(size, s.rope_length[j, w] + real(2.0) * m.rope_radius[rope])
                fastest = wp.max(fastest, wp.length(k.rope_free[j, w]))
        margin = wp.min(real(2.0) * o.dt * fastest, real(0.5) * size)
        for rope in range(o.ropes):
            if m.rope_tangles[rope] == 1:
                for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                    at = cell(middle(s, j, w), size + margin)
                    place = bucket(o, at[0], at[1], at[2])
                    k.cell_next[j, w] = k.cell_first[place, w]
                    k.cell_first[place, w] = j
        for rope in range(o.ropes):
            for j in range(m.rope_start[rope], m.rope_end[rope]):
                for slot in range(wp.static(TANGLES)):
                    k.tangle_other[wp.static(TANGLES) * j + slot, w] = -1
            if m.rope_tangles[rope] == 1:
                for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                    look_around(m, s, n, k, o, size + margin, margin, j, w)
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                for slot in range(wp.static(TANGLES)):
                    i = wp.static(TANGLES) * j + slot
                    n.tangle_key[i, w] = k.tangle_other[i, w] + 1
                    n.tangle_kept[i, w] = k.tangle_impulse[i, w]
                    if k.tangle_other[i, w] >= 0:
                        act(k, i, j, k.tangle_impulse[i, w], w)

    @wp.func
    def act_on(k: t.work, j: int, share: real, impulse: vec3, w: int):
        """An impulse on element j at a share of its length."""
        low = k.touch_weight[j, w] * (real(1.0) - share)
        high = k.touch_weight[j + 1, w] * share
        k.rope_open[j, w] = k.rope_open[j, w] + low * impulse
        k.rope_open[j + 1, w] = k.rope_open[j + 1, w] + high * impulse
        k.rope_moving[j, w] = k.rope_moving[j, w] + low * impulse
        k.rope_moving[j + 1, w] = k.rope_moving[j + 1, w] + high * impulse

    @wp.func
    def act(k: t.work, i: int, j: int, impulse: vec3, w: int):
        shares = k.tangle_shares[i, w]
        act_on(k, j, shares[0], -impulse, w)
        act_on(k, k.tangle_other[i, w], shares[1], impulse, w)

    @wp.func
    def velocity_at(k: t.work, j: int, share: real, w: int) -> vec3:
        return (real(1.0) - share) * k.rope_moving[j, w] + share * k.rope_moving[j + 1, w]

    @wp.func
    def mobility(k: t.work, j: int, share: real, w: int) -> real:
        other = real(1.0) - share
        return other * other * k.touch_weight[j, w] + share * share * k.touch_weight[j + 1, w]

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, i: int, j: int, w: int) -> int:
        """One visit of a pair; 1 if its impulse changed by much."""
        e = k.tangle_other[i, w]
        shares = k.tangle_shares[i, w]
        normal = k.tangle_normal[i, w]
        gap = k.tangle_gap[i, w]
        light = mobility(k, j, shares[0], w) + mobility(k, e, shares[1], w)
        if light == real(0.0):
            return 0
        slip = velocity_at(k, e, shares[1], w) - velocity_at(k, j, shares[0], w)
        away = wp.max(gap, real(0.0)) / o.dt + wp.max(o.erp / o.dt * wp.min(gap, real(0.0)), -wp.static(real(FASTEST)))
        before = k.tangle_impulse[i, w]
        wanted = before - slip / light
        pressed = wp.max(wp.dot(before, normal) - (wp.dot(slip, normal) + away) / light, real(0.0))
        across = wanted - wp.dot(wanted, normal) * normal
        friction = m.pair_friction[m.rope_material[m.node_rope[j]] * o.materials + m.rope_material[m.node_rope[e]]]
        size = wp.length(across)
        if size > friction * pressed:
            across = friction * pressed / size * across
        now = pressed * normal + across
        k.tangle_impulse[i, w] = now
        n.tangle_kept[i, w] = now
        act(k, i, j, now - before, w)
        return int(wp.length(now - before) > real(0.02) * wp.length(now) + real(1e-3) * o.dt / light)

    @wp.func
    def visit_tangles(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> int:
        """Sweeps over all pairs; how many of them are not settled."""
        changed = int(0)
        for _ in range(wp.static(SWEEPS)):
            changed = int(0)
            for rope in range(o.ropes):
                if m.rope_tangles[rope] == 1:
                    for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                        for slot in range(wp.static(TANGLES)):
                            i = wp.static(TANGLES) * j + slot
                            if k.tangle_other[i, w] >= 0:
                                changed += visit(m, n, k, o, i, j, w)
        return changed

    return SimpleNamespace(find_tangles=find_tangles, visit_tangles=visit_tangles)
