"""The places where an element of a rope, with the node it starts from, touches things: found anew in every step.

A place is a share x of the element's length (0 is the node), a shape, the normal from it and the gap. Of places that
are nearly the same the deepest counts; when there are more than there is room for, the deepest stay. A place that was
there in the last step keeps its number, and with it the impulse and the state that it had.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import references
from ...model.precision import Precision
from ...model.rope_arrays import TOUCHES

wp = load_warp()

FREE, STICKS, SLIDES, CREEPS = 0, 1, 2, 3
ALIKE = 0.95  # cosine: normals at one place of the rope that differ by less are one
SAME = 0.5  # cosine: a place whose normal has turned further than this in a step is a new one


@cache
def make_places(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = references(p)

    @wp.struct
    class Place:
        """Where an element touches a shape: share of its length, normal from the shape, gap (m)."""

        shape: int
        share: real
        apart: real  # share of the length within which two places are one
        normal: vec3
        gap: real

    @wp.func
    def clear_places(k: t.work, i: int, w: int):
        """Element i touches nothing yet."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            k.touch_shape[q, w] = -1

    @wp.func
    def put(k: t.work, q: int, shape: int, share: real, normal: vec3, gap: real, w: int):
        """Write a place down as number q."""
        k.touch_shape[q, w] = shape
        k.touch_share[q, w] = share
        k.touch_normal[q, w] = normal
        k.touch_gap[q, w] = gap

    @wp.func
    def twin(k: t.work, share: real, apart: real, normal: vec3, i: int, w: int) -> int:
        """The place that is hardly different from this one, or -1."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if k.touch_shape[q, w] >= 0 and wp.abs(share - k.touch_share[q, w]) <= apart:
                if wp.dot(k.touch_normal[q, w], normal) > wp.static(real(ALIKE)):
                    return q
        return -1

    @wp.func
    def number_for(n: t.memory, k: t.work, shape: int, share: real, normal: vec3, gap: real, i: int, w: int) -> int:
        """Where a new place goes: as in the last step, or where there is room, or instead of the highest; or -1."""
        best = int(-1)
        most = real(-4.0)
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            likeness = real(-2.0)
            if n.touch_key[q, w] == shape + 1:
                likeness = wp.dot(n.touch_axis[q, w], normal) - wp.abs(share - n.touch_at[q, w])
            elif n.touch_key[q, w] == 0:
                likeness = real(-1.0)
            if k.touch_shape[q, w] < 0 and likeness > most:
                best = q
                most = likeness
        if best < 0:
            highest = gap
            for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
                if k.touch_gap[q, w] > highest:
                    highest = k.touch_gap[q, w]
                    best = q
        return best

    @wp.func
    def place_of(shape: int, share: real, apart: real, normal: vec3, gap: real) -> Place:
        """A place from its numbers."""
        x = Place()
        x.shape = shape
        x.share = share
        x.apart = apart
        x.normal = normal
        x.gap = gap
        return x

    @wp.func
    def note(n: t.memory, k: t.work, x: Place, i: int, w: int):
        """Element i touches a shape at a place."""
        q = twin(k, x.share, x.apart, x.normal, i, w)
        if q >= 0:
            if x.gap < k.touch_gap[q, w]:
                put(k, q, x.shape, x.share, x.normal, x.gap, w)
        else:
            q = number_for(n, k, x.shape, x.share, x.normal, x.gap, i, w)
            if q >= 0:
                put(k, q, x.shape, x.share, x.normal, x.gap, w)

    @wp.func
    def keep_places(n: t.memory, k: t.work, o: t.settings, i: int, w: int):
        """Forget the impulses of places that are gone or new."""
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            key = k.touch_shape[q, w] + 1
            normal = vec3()
            share = real(0.0)
            if key > 0:
                normal = k.touch_normal[q, w]
                share = k.touch_share[q, w]
            if n.touch_key[q, w] != key or wp.dot(n.touch_axis[q, w], normal) < wp.static(real(SAME)):
                n.touch_state[q, w] = wp.static(FREE)
                n.touch_impulse[q, w] = vec3()
            if o.warm_start == 0:
                n.touch_impulse[q, w] = vec3()
            n.touch_key[q, w] = key
            n.touch_axis[q, w] = normal
            n.touch_at[q, w] = share

    return SimpleNamespace(clear_places=clear_places, place_of=place_of, note=note, keep_places=keep_places)
