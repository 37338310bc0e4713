"""Where two convex solids, or a solid and a plane, touch: the way that suits their kinds."""

from ...model.contacts import BOX, CAPSULE, CYLINDER, PLANE, SPHERE, WHEEL
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .boxes import make_boxes
from .convex_distance import make_distance
from .manifold import make_manifold
from .planes import make_planes
from .round import make_round
from .solids import make_solids


@factory
def make_narrow_phase(p: Precision, features: Features) -> Made:
    real = p.real
    func = large_functions(p)
    solids, shared, balls = make_solids(p, features), make_manifold(p, features), make_round(p, features)
    Solid, Manifold = solids.Solid, solids.Manifold
    closest = make_distance(p, features).closest
    on_plane, box_box = make_planes(p, features).on_plane, make_boxes(p, features).box_box
    has_box = "box" in features.contact_kinds

    @func
    def in_general(model, a: Solid, b: Solid, margin: real) -> Manifold:
        """The points of any two convex solids, from their closest pair."""
        c = closest(model, a, b, margin + solids.rounding(a) + solids.rounding(b))
        none = Manifold()
        if c.is_far == 1:
            return none
        return shared.spread(model, a, b, c, margin)

    @func
    def in_order(model, a: Solid, b: Solid, margin: real) -> Manifold:
        """The kind of a is not above that of b."""
        if b.kind == wp.static(PLANE):
            return on_plane(model, a, b, margin)
        if a.kind == wp.static(SPHERE):
            if b.kind == wp.static(SPHERE):
                return balls.sphere_sphere(a, b, margin)
            if b.kind == wp.static(CAPSULE):
                return balls.sphere_capsule(a, b, margin)
            if b.kind == wp.static(BOX):
                return balls.sphere_box(a, b, margin)
            if b.kind == wp.static(CYLINDER) or b.kind == wp.static(WHEEL):
                return balls.sphere_cylinder(a, b, solids.rounding(b), margin)
        if a.kind == wp.static(CAPSULE) and b.kind == wp.static(CAPSULE):
            return balls.capsule_capsule(a, b, margin)
        if wp.static(has_box):
            if a.kind == wp.static(BOX) and b.kind == wp.static(BOX):
                return box_box(model, a, b, margin)
        if a.kind == wp.static(CAPSULE):  # a long one at an angle has a wide box: most that is near that is far from it
            if balls.is_beyond(a, b, margin):
                return Manifold()
        return in_general(model, a, b, margin)

    @func
    def touch(model, a: Solid, b: Solid, margin: real) -> Manifold:
        """The points with a gap below the margin (m)."""
        first = a
        second = b
        if a.kind > b.kind:
            first = b
            second = a
        found = in_order(model, first, second, margin)  # written once, so that its code is made once
        if a.kind > b.kind:
            return shared.turned_round(found)
        return found

    return locals()
