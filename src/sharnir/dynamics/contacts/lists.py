"""The world's list of contacts."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.fields import references
from ...model.precision import Precision

wp = load_warp()


@cache
def make_lists(p: Precision) -> SimpleNamespace:
    """The function in a precision."""
    real, vec3 = p.real, p.vec3
    t = references(p)

    @wp.func
    def emit(
        k: t.work,
        r: t.report,
        o: t.settings,
        a: int,
        b: int,
        normal: vec3,
        point: vec3,
        gap: real,
        feature: int,
        w: int,
    ):
        """Put a point into the list; when it is full, count it as lost."""
        i = k.contact_count[w]
        if i < o.contacts:
            k.contact_a[i, w] = a
            k.contact_b[i, w] = b
            k.contact_normal[i, w] = normal
            k.contact_point[i, w] = point
            k.contact_gap[i, w] = gap
            k.contact_feature[i, w] = feature
            k.contact_count[w] = i + 1
        else:
            r.contacts_lost[w] = r.contacts_lost[w] + 1

    return SimpleNamespace(emit=emit)
