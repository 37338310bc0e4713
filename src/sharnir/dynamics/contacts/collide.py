"""A pair of shapes: placed in the world, touched, and their points put into the world's list of contacts."""

from ...model.contacts import PLANE
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .contact_list import make_contact_list
from .narrow_phase import make_narrow_phase
from .solids import make_solids
from .terrain import make_terrain


@factory
def make_collide(p: Precision, features: Features) -> Made:
    func = large_functions(p)
    Solid, touch = make_solids(p, features).Solid, make_narrow_phase(p, features).touch
    lists, touch_terrain = make_contact_list(p), make_terrain(p, features).touch_terrain
    Point, Candidates = lists.Point, lists.Candidates
    has_terrain = bool({"heights", "mesh"} & features.contact_kinds)

    @func
    def solid_of(model, state, i: int, world: int) -> Solid:
        """Shape i where its body is now."""
        body = model.shape_body[i]
        turn = state.rotation[body, world]
        x = Solid()
        x.kind = model.shape_kind[i]
        x.size = model.shape_size[i]
        x.place = state.position[body, world] + wp.quat_rotate(turn, model.shape_place[i])
        x.turn = wp.quat_to_matrix(turn * model.shape_turn[i])
        x.radius = model.shape_radius[i]
        x.hull_start = model.hull_start[i]
        x.hull_end = model.hull_end[i]
        x.face_start = model.hull_face_start[i]
        x.face_end = model.hull_face_end[i]
        return x

    @func
    def collide(model, state, work, report, settings, pair: Candidates, world: int):
        """All points of two shapes with a gap below the margin (m)."""
        x = solid_of(model, state, pair.a, world)
        y = solid_of(model, state, pair.b, world)
        if wp.static(has_terrain):
            if x.kind > wp.static(PLANE):
                touch_terrain(model, work, report, settings, x, y, pair, world)
                return
            if y.kind > wp.static(PLANE):
                touch_terrain(model, work, report, settings, y, x, pair, world)
                return
        f = touch(model, x, y, pair.margin)
        point = Point()
        point.a = pair.a
        point.b = pair.b
        point.normal = f.normal
        for i in range(f.count):
            point.point = f.point[i]
            point.gap = f.gap[i]
            point.feature = f.feature[i]
            lists.emit(work, report, settings, point, world)

    return locals()
