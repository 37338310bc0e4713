"""The world's list of contacts."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.fields import references
from ...model.precision import Precision

wp = load_warp()


@cache
def make_lists(p: Precision) -> SimpleNamespace:
    """The structs and the function in a precision."""
    real, vec3 = p.real, p.vec3
    t = references(p)

    @wp.struct
    class Candidates:
        """Two shapes that may touch, and the gap (m) below which their points count."""

        a: int
        b: int
        margin: real

    @wp.struct
    class Point:
        """Where two shapes touch or may: the normal from a to b, the point (m), the gap (m), the part of the shapes."""

        a: int
        b: int
        normal: vec3
        point: vec3
        gap: real
        feature: int

    @wp.func
    def emit(k: t.work, r: t.report, o: t.settings, x: Point, w: int):
        """Put a point into the list; when it is full, count it as lost."""
        i = k.contact_count[w]
        if i < o.contacts:
            k.contact_a[i, w] = x.a
            k.contact_b[i, w] = x.b
            k.contact_normal[i, w] = x.normal
            k.contact_point[i, w] = x.point
            k.contact_gap[i, w] = x.gap
            k.contact_feature[i, w] = x.feature
            k.contact_count[w] = i + 1
        else:
            r.contacts_lost[w] = r.contacts_lost[w] + 1

    return SimpleNamespace(Candidates=Candidates, Point=Point, emit=emit)
