"""Which elements of ropes are near each other: found through a grid of cells, kept as a table by their hash.

Every element is in the cell of its middle, and looks into the 27 about it. Elements that follow each other closely are
left out. A pair is near in the nearest points of the two elements, at the shares x and y of their lengths.
"""

from ...model.rope_arrays import TANGLES
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .segments import make_segments

CENTRED = 0.01  # see ``segments.py``
NEAR = 0.5  # of the radius: elements this far apart are looked at, however slow they are


@factory
def make_pairs(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    nearest_shares = make_segments(p).nearest_shares

    @func
    def middle(state, j: int, world: int) -> vec3:
        """Of element j, m."""
        return real(0.5) * (state.rope_position[j, world] + state.rope_position[j + 1, world])

    @func
    def bucket(settings, x: int, y: int, z: int) -> int:
        """Where a cell is in the hash table."""
        mixed = (x * 73856093) ^ (y * 19349663) ^ (z * 83492791)
        return (mixed & 1073741823) % settings.buckets

    @func
    def cell(at: vec3, size: real) -> wp.vec3i:
        """The cell of a grid that holds a point."""
        return wp.vec3i(int(wp.floor(at[0] / size)), int(wp.floor(at[1] / size)), int(wp.floor(at[2] / size)))

    @func
    def speed(work, j: int, world: int) -> real:
        """The speed of an element's faster node."""
        return wp.sqrt(wp.max(wp.length_sq(work.rope_free[j, world]), wp.length_sq(work.rope_free[j + 1, world])))

    @func
    def add_pair(model, state, memory, work, settings, j: int, e: int, world: int):
        """Take elements j and e as a pair if they are near, with the impulse they had; the nearest pairs stay."""
        a = state.rope_position[j, world]
        b = state.rope_position[e, world]
        u = state.rope_position[j + 1, world] - a
        v = state.rope_position[e + 1, world] - b
        shares = nearest_shares(a, u, b, v, wp.static(real(CENTRED)))
        between = b + shares[1] * v - a - shares[0] * u
        apart = wp.length(between)
        radius = model.rope_radius[model.node_rope[j], world]
        gap = apart - radius - model.rope_radius[model.node_rope[e], world]
        margin = wp.static(real(NEAR)) * radius + settings.dt * (speed(work, j, world) + speed(work, e, world))
        if gap > margin or apart == real(0.0):
            return
        place = int(-1)
        farthest = gap
        for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
            if work.tangle_other[i, world] == e:
                return
            if work.tangle_other[i, world] < 0:
                place = i
                farthest = real(1.0e30)
            elif work.tangle_gap[i, world] > farthest:
                place = i
                farthest = work.tangle_gap[i, world]
        if place >= 0:
            work.tangle_other[place, world] = e
            work.tangle_shares[place, world] = shares
            work.tangle_normal[place, world] = between / apart
            work.tangle_gap[place, world] = gap
            work.tangle_impulse[place, world] = vec3()
            work.tangle_next[place, world] = vec3()
            for i in range(wp.static(TANGLES) * j, wp.static(TANGLES) * (j + 1)):
                if memory.tangle_key[i, world] == e + 1 and settings.warm_start == 1:
                    work.tangle_impulse[place, world] = memory.tangle_kept[i, world]
                    work.tangle_next[place, world] = memory.tangle_step[i, world]

    @func
    def look_around(model, state, memory, work, settings, size: real, j: int, world: int):
        """List the elements near element j that come after it."""
        at = cell(middle(state, j, world), size)
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                for dz in range(-1, 2):
                    e = work.cell_first[bucket(settings, at[0] + dx, at[1] + dy, at[2] + dz), world]
                    while e >= 0:
                        apart = e - j
                        if apart > 0 and (
                            model.node_rope[e] != model.node_rope[j] or apart > model.rope_apart[model.node_rope[j]]
                        ):
                            add_pair(model, state, memory, work, settings, j, e, world)
                        e = work.cell_next[e, world]

    @func
    def find_pairs(model, state, memory, work, settings, world: int):
        """All pairs of elements that touch or may do so within the step, with the impulses of those that did before."""
        for i in range(settings.buckets):
            work.cell_first[i, world] = -1
        size = real(0.0)
        fastest = real(0.0)
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                size = wp.max(size, state.rope_length[j, world] + real(2.0) * model.rope_radius[rope, world])
                fastest = wp.max(fastest, speed(work, j, world))
        margin = wp.min(real(2.0) * settings.dt * fastest, real(0.5) * size) + wp.static(real(0.5 * NEAR)) * size
        for rope in range(settings.ropes):
            if model.rope_tangles[rope] == 1:
                for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                    at = cell(middle(state, j, world), size + margin)
                    place = bucket(settings, at[0], at[1], at[2])
                    work.cell_next[j, world] = work.cell_first[place, world]
                    work.cell_first[place, world] = j
        for rope in range(settings.ropes):
            for j in range(model.rope_start[rope], model.rope_end[rope]):
                for slot in range(wp.static(TANGLES)):
                    work.tangle_other[wp.static(TANGLES) * j + slot, world] = -1
            if model.rope_tangles[rope] == 1:
                for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                    look_around(model, state, memory, work, settings, size + margin, j, world)

    return locals()
