"""Which elements of ropes are near each other: found through a grid of cells, kept as a table by their hash.

Every element is in the cell of its middle, and looks into the 27 about it. Elements that follow each other closely are
left out. A pair is near in the nearest points of the two elements, at the shares x and y of their lengths.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import references
from ...model.precision import Precision
from ...model.rope_arrays import TANGLES
from .segments import make_segments

wp = load_warp()

CENTRED = 0.01  # see ``segments.py``
NEAR = 0.5  # of the radius: elements this far apart are looked at, however slow they are


@cache
def make_pairs(p: Precision, features: Features) -> SimpleNamespace:
    """The function in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = references(p)
    nearest_shares = make_segments(p).nearest_shares

    @wp.func
    def middle(s: t.state, j: int, w: int) -> vec3:
        """Of element j, m."""
        return real(0.5) * (s.rope_position[j, w] + s.rope_position[j + 1, w])

    @wp.func
    def bucket(o: t.settings, x: int, y: int, z: int) -> int:
        """Where a cell is in the hash table."""
        mixed = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791)
        return (mixed & 1073741823) % o.buckets

    @wp.func
    def cell(at: vec3, size: real) -> wp.vec3i:
        """The cell of a grid that holds a point."""
        return wp.vec3i(int(wp.floor(at[0] / size)), int(wp.floor(at[1] / size)), int(wp.floor(at[2] / size)))

    @wp.func
    def speed(k: t.work, j: int, w: int) -> real:
        """The speed of an element's faster node."""
        return wp.sqrt(wp.max(wp.length_sq(k.rope_free[j, w]), wp.length_sq(k.rope_free[j + 1, w])))

    @wp.func
    def add_pair(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, j: int, e: int, w: int):
        """Take elements j and e as a pair if they are near, with the impulse they had; the nearest pairs stay."""
        a = s.rope_position[j, w]
        b = s.rope_position[e, w]
        u = s.rope_position[j + 1, w] - a
        v = s.rope_position[e + 1, w] - b
        shares = nearest_shares(a, u, b, v, wp.static(real(CENTRED)))
        between = b + shares[1] * v - a - shares[0] * u
        apart = wp.length(between)
        radius = m.rope_radius[m.node_rope[j], w]
        gap = apart - radius - m.rope_radius[m.node_rope[e], w]
        margin = wp.static(real(NEAR)) * radius + o.dt * (speed(k, j, w) + speed(k, e, w))
        if gap > margin or apart == real(0.0):
            return
        place = int(-1)
        farthest = gap
        for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
            if k.tangle_other[i, w] == e:
                return
            if k.tangle_other[i, w] < 0:
                place = i
                farthest = real(1.0e30)
            elif k.tangle_gap[i, w] > farthest:
                place = i
                farthest = k.tangle_gap[i, w]
        if place >= 0:
            k.tangle_other[place, w] = e
            k.tangle_shares[place, w] = shares
            k.tangle_normal[place, w] = between / apart
            k.tangle_gap[place, w] = gap
            k.tangle_impulse[place, w] = vec3()
            k.tangle_next[place, w] = vec3()
            for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                if n.tangle_key[i, w] == e + 1 and o.warm_start == 1:
                    k.tangle_impulse[place, w] = n.tangle_kept[i, w]
                    k.tangle_next[place, w] = n.tangle_step[i, w]

    @wp.func
    def look_around(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, size: real, j: int, w: int):
        """List the elements near element j that come after it."""
        at = cell(middle(s, j, w), size)
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                for dz in range(-1, 2):
                    e = k.cell_first[bucket(o, at[0] + dx, at[1] + dy, at[2] + dz), w]
                    while e >= 0:
                        apart = e - j
                        if apart > 0 and (m.node_rope[e] != m.node_rope[j] or apart > m.rope_apart[m.node_rope[j]]):
                            add_pair(m, s, n, k, o, j, e, w)
                        e = k.cell_next[e, w]

    @wp.func
    def find_pairs(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """All pairs of elements that touch or may do so within the step, with the impulses of those that did before."""
        for i in range(o.buckets):
            k.cell_first[i, w] = -1
        size = real(0.0)
        fastest = real(0.0)
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                size = wp.max(size, s.rope_length[j, w] + real(2.0) * m.rope_radius[rope, w])
                fastest = wp.max(fastest, speed(k, j, w))
        margin = wp.min(real(2.0) * o.dt * fastest, real(0.5) * size) + wp.static(real(0.5 * NEAR)) * size
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
                    look_around(m, s, n, k, o, size + margin, j, w)

    return SimpleNamespace(find_pairs=find_pairs)
