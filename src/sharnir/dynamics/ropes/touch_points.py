"""The places where an element of a rope, with the node it starts from, touches things: found anew in every step.

A place is a share x of the element's length (0 is the node), a shape, the normal from it and the gap. Of places that
are nearly the same the deepest counts; when there are more than there is room for, the deepest stay. A place that was
there in the last step keeps its number, and with it the impulse and the state that it had.
"""

from ...model.rope_arrays import TOUCHES
from ..factory import Features, Made, Precision, factory, large_functions, wp

FREE, STICKS, SLIDES, CREEPS = 0, 1, 2, 3
ALIKE = 0.95  # cosine: normals at one place of the rope that differ by less are one
SAME = 0.5  # cosine: a place whose normal has turned further than this in a step is a new one


@factory
def make_touch_points(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)

    @wp.struct
    class Place:
        """Where an element touches a shape: share of its length, normal from the shape, gap (m)."""

        shape: int
        share: real
        apart: real  # share of the length within which two places are one
        normal: vec3
        gap: real

    @func
    def clear_places(work, i: int, world: int):
        """Element i touches nothing yet."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            work.touch_shape[q, world] = -1

    @func
    def put(work, q: int, shape: int, share: real, normal: vec3, gap: real, world: int):
        """Write a place down as number q."""
        work.touch_shape[q, world] = shape
        work.touch_share[q, world] = share
        work.touch_normal[q, world] = normal
        work.touch_gap[q, world] = gap

    @func
    def twin(work, share: real, apart: real, normal: vec3, i: int, world: int) -> int:
        """The place that is hardly different from this one, or -1."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if work.touch_shape[q, world] >= 0 and wp.abs(share - work.touch_share[q, world]) <= apart:
                if wp.dot(work.touch_normal[q, world], normal) > wp.static(real(ALIKE)):
                    return q
        return -1

    @func
    def number_for(memory, work, shape: int, share: real, normal: vec3, gap: real, i: int, world: int) -> int:
        """Where a new place goes: as in the last step, or where there is room, or instead of the highest; or -1."""
        best = int(-1)
        most = real(-4.0)
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            likeness = real(-2.0)
            if memory.touch_key[q, world] == shape + 1:
                likeness = wp.dot(memory.touch_axis[q, world], normal) - wp.abs(share - memory.touch_at[q, world])
            elif memory.touch_key[q, world] == 0:
                likeness = real(-1.0)
            if work.touch_shape[q, world] < 0 and likeness > most:
                best = q
                most = likeness
        if best < 0:
            highest = gap
            for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
                if work.touch_gap[q, world] > highest:
                    highest = work.touch_gap[q, world]
                    best = q
        return best

    @func
    def place_of(shape: int, share: real, apart: real, normal: vec3, gap: real) -> Place:
        """A place from its numbers."""
        x = Place()
        x.shape = shape
        x.share = share
        x.apart = apart
        x.normal = normal
        x.gap = gap
        return x

    @func
    def note(memory, work, x: Place, i: int, world: int):
        """Element i touches a shape at a place."""
        q = twin(work, x.share, x.apart, x.normal, i, world)
        if q >= 0:
            if x.gap < work.touch_gap[q, world]:
                put(work, q, x.shape, x.share, x.normal, x.gap, world)
        else:
            q = number_for(memory, work, x.shape, x.share, x.normal, x.gap, i, world)
            if q >= 0:
                put(work, q, x.shape, x.share, x.normal, x.gap, world)

    @func
    def keep_places(memory, work, settings, i: int, world: int):
        """Forget the impulses of places that are gone or new."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            key = work.touch_shape[q, world] + 1
            normal = vec3()
            share = real(0.0)
            if key > 0:
                normal = work.touch_normal[q, world]
                share = work.touch_share[q, world]
            if memory.touch_key[q, world] != key or wp.dot(memory.touch_axis[q, world], normal) < wp.static(real(SAME)):
                memory.touch_state[q, world] = wp.static(FREE)
                memory.touch_impulse[q, world] = vec3()
            if settings.warm_start == 0:
                memory.touch_impulse[q, world] = vec3()
            memory.touch_key[q, world] = key
            memory.touch_axis[q, world] = normal
            memory.touch_at[q, world] = share

    return locals()
