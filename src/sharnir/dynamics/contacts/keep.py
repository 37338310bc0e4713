"""Contacts kept from step to step, so that the solver starts from the impulses of the last one.

A new point is the old one of the same pair of shapes that lies nearest, seen from the body that moves: a wheel that
rolls and a box that slides keep theirs. What was found but cannot be reached within the step is dropped.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..nothing import NOTHING, Nothing
from .broad import SLACK

wp = load_warp()

SAME = 0.25  # of a shape's radius: a point that moved no farther is the same one


@cache
def make_keep(p: Precision, features: Features) -> SimpleNamespace | Nothing:
    """The functions in a precision, for a scene's features."""
    if not features.contacts:
        return NOTHING
    real, vec3 = p.real, p.vec3
    t = structs(p)

    @wp.func
    def seen_from(m: t.model, s: t.state, i: int, k: t.work, w: int) -> vec3:
        """The contact's point from the body that moves."""
        body = m.shape_body[k.contact_a[i, w]]
        if m.inv_mass[body, w] == real(0.0):
            body = m.shape_body[k.contact_b[i, w]]
        return k.contact_point[i, w] - s.position[body, w]

    @wp.func
    def size_of(m: t.model, k: t.work, i: int, w: int) -> real:
        """The smaller radius of the two shapes of contact i, m."""
        return wp.min(m.shape_radius[k.contact_a[i, w]], m.shape_radius[k.contact_b[i, w]])

    @wp.func
    def velocity_at(m: t.model, s: t.state, k: t.work, body: int, point: vec3, w: int) -> vec3:
        """Of a body at a point, m/s."""
        return k.velocity[body, w] + wp.cross(k.spin[body, w], point - s.position[body, w])

    @wp.func
    def is_reachable(m: t.model, s: t.state, k: t.work, dt: real, i: int, w: int) -> bool:
        """Whether contact i can close within about two steps."""
        gap = k.contact_gap[i, w]
        if gap <= real(SLACK) * size_of(m, k, i, w):
            return True
        point = k.contact_point[i, w]
        a = m.shape_body[k.contact_a[i, w]]
        b = m.shape_body[k.contact_b[i, w]]
        approach = velocity_at(m, s, k, a, point, w) - velocity_at(m, s, k, b, point, w)
        return gap < real(2.0) * dt * wp.dot(approach, k.contact_normal[i, w])

    @wp.func
    def move(k: t.work, source: int, target: int, w: int):
        """Copy a point of the list to another place in it."""
        k.contact_a[target, w] = k.contact_a[source, w]
        k.contact_b[target, w] = k.contact_b[source, w]
        k.contact_normal[target, w] = k.contact_normal[source, w]
        k.contact_point[target, w] = k.contact_point[source, w]
        k.contact_gap[target, w] = k.contact_gap[source, w]
        k.contact_feature[target, w] = k.contact_feature[source, w]

    @wp.func
    def drop_unreachable(m: t.model, s: t.state, k: t.work, dt: real, w: int):
        """Take the points off the list that cannot close in this step."""
        used = int(0)
        for i in range(k.contact_count[w]):
            if is_reachable(m, s, k, dt, i, w):
                if used < i:
                    move(k, i, used, w)
                used += 1
        k.contact_count[w] = used

    @wp.func
    def link_kept(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The kept contacts of each shape a as a chain."""
        for i in range(o.shapes):
            k.kept_first[i, w] = -1
        for i in range(n.kept_count[w]):
            shape = n.kept_a[i, w]
            k.kept_next[i, w] = k.kept_first[shape, w]
            k.kept_first[shape, w] = i

    @wp.func
    def nearest_kept(m: t.model, n: t.memory, k: t.work, place: vec3, i: int, w: int) -> int:
        """The contact of the last step that point i continues, or -1."""
        best = int(-1)
        limit = real(SAME) * size_of(m, k, i, w)
        least = limit * limit
        old = k.kept_first[k.contact_a[i, w], w]
        while old >= 0:
            if n.kept_b[old, w] == k.contact_b[i, w]:
                away = n.kept_place[old, w] - place
                square = wp.dot(away, away)
                if square < least:
                    least = square
                    best = old
            old = k.kept_next[old, w]
        return best

    @wp.func
    def keep_contacts(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Give the contacts found now the impulses of the last step, and remember them for the next."""
        drop_unreachable(m, s, k, o.dt, w)
        link_kept(m, n, k, o, w)
        count = k.contact_count[w]
        for i in range(count):
            place = seen_from(m, s, i, k, w)
            k.contact_place[i, w] = place
            k.contact_start[i, w] = vec3()
            if wp.static(features.rolling):
                k.contact_start_spin[i, w] = vec3()
            if wp.static(features.tyres):
                k.contact_start_bend[i, w] = vec3()
            old = nearest_kept(m, n, k, place, i, w)
            if old >= 0:
                k.contact_start[i, w] = n.contact_impulse[old, w]
                if wp.static(features.rolling):
                    k.contact_start_spin[i, w] = n.contact_spin[old, w]
                if wp.static(features.tyres):
                    k.contact_start_bend[i, w] = n.contact_bend[old, w]
                n.kept_b[old, w] = -1  # taken
        for i in range(count):
            n.kept_a[i, w] = k.contact_a[i, w]
            n.kept_b[i, w] = k.contact_b[i, w]
            n.kept_place[i, w] = k.contact_place[i, w]
            n.contact_impulse[i, w] = k.contact_start[i, w]
            if wp.static(features.rolling):
                n.contact_spin[i, w] = k.contact_start_spin[i, w]
            if wp.static(features.tyres):
                n.contact_bend[i, w] = k.contact_start_bend[i, w]
        n.kept_count[w] = count

    return SimpleNamespace(keep_contacts=keep_contacts)
