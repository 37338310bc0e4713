"""Any solid on a plane: the supporting face or edge, and the deepest point where it is not a corner of that."""

from ..factory import Features, Made, Precision, factory, large_functions, wp
from .manifold import make_manifold
from .solids import CORNERS, make_solids


@factory
def make_planes(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    solids, shared = make_solids(p, features), make_manifold(p, features)
    Solid, Manifold = solids.Solid, solids.Manifold

    @func
    def on_plane(model, a: Solid, b: Solid, margin: real) -> Manifold:
        """Solid a on plane b, solid below the xy plane of its frame."""
        up = vec3(b.turn[0, 2], b.turn[1, 2], b.turn[2, 2])
        ra = solids.rounding(a)
        none = Manifold()
        lowest = solids.support(model, a, -up)
        depth = wp.dot(up, lowest - b.place) - ra
        if depth >= margin:
            return none
        points = wp.zeros(shape=wp.static(CORNERS + 1), dtype=vec3)
        gaps = wp.zeros(shape=wp.static(CORNERS + 1), dtype=real)
        tags = wp.zeros(shape=wp.static(CORNERS + 1), dtype=int)
        f = solids.face(model, a, -up)
        count = int(0)
        deepest = margin
        for i in range(f.count):
            gap = wp.dot(up, f.corner[i] - b.place) - ra
            deepest = wp.min(deepest, gap)
            if gap < margin:
                points[count] = f.corner[i] - (ra + real(0.5) * gap) * up
                gaps[count] = gap
                tags[count] = 16 * f.number + i + 1
                count = count + 1
        if depth < deepest - real(1.0e-9) * a.radius:
            points[count] = lowest - (ra + real(0.5) * depth) * up
            gaps[count] = depth
            count = count + 1
        found = shared.pick(points, gaps, tags, count, -up)
        if solids.rolls(a, up) and found.count > 1:
            found = shared.in_one_point(found, a.radius)
        return found

    return locals()
