"""A pair of shapes: placed in the world, touched, and their points put into the world's list of contacts."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.contacts import PLANE
from ...model.features import Features
from ...model.fields import references
from ...model.precision import Precision
from .lists import make_lists
from .solids import make_solids
from .terrain import make_terrain
from .touch import make_touch

wp = load_warp()


@cache
def make_collide(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for the kinds a scene has."""
    t = references(p)
    Solid, touch = make_solids(p, features).Solid, make_touch(p, features).touch
    lists, touch_terrain = make_lists(p), make_terrain(p, features).touch_terrain
    Point, Candidates = lists.Point, lists.Candidates
    has_terrain = bool({"heights", "mesh"} & features.contact_kinds)

    @wp.func
    def solid_of(m: t.model, s: t.state, i: int, w: int) -> Solid:
        """Shape i where its body is now."""
        body = m.shape_body[i]
        turn = s.rotation[body, w]
        x = Solid()
        x.kind = m.shape_kind[i]
        x.size = m.shape_size[i]
        x.place = s.position[body, w] + wp.quat_rotate(turn, m.shape_place[i])
        x.turn = wp.quat_to_matrix(turn * m.shape_turn[i])
        x.radius = m.shape_radius[i]
        x.hull_start = m.hull_start[i]
        x.hull_end = m.hull_end[i]
        x.face_start = m.hull_face_start[i]
        x.face_end = m.hull_face_end[i]
        return x

    @wp.func
    def collide(m: t.model, s: t.state, k: t.work, r: t.report, o: t.settings, pair: Candidates, w: int):
        """All points of two shapes with a gap below the margin (m)."""
        x = solid_of(m, s, pair.a, w)
        y = solid_of(m, s, pair.b, w)
        if wp.static(has_terrain):
            if x.kind > wp.static(PLANE):
                touch_terrain(m, k, r, o, x, y, pair, w)
                return
            if y.kind > wp.static(PLANE):
                touch_terrain(m, k, r, o, y, x, pair, w)
                return
        f = touch(m, x, y, pair.margin)
        point = Point()
        point.a = pair.a
        point.b = pair.b
        point.normal = f.normal
        for i in range(f.count):
            point.point = f.point[i]
            point.gap = f.gap[i]
            point.feature = f.feature[i]
            lists.emit(k, r, o, point, w)

    return SimpleNamespace(solid_of=solid_of, collide=collide, Candidates=Candidates)
