"""Distance of two convex cores, and how deep they overlap.

Apart: the method of Gilbert, Johnson and Keerthi (GJK), which walks simplices of support points towards the point of
the difference a - b nearest to the origin.

Overlapping: along the unit direction n the cores overlap by

    h(n) = max_a n.x - min_b n.x

and the depth is its smallest value. Where n is not the best direction, b is moved out along n by h(n) + delta; the
nearest points of the cores then give a direction n' with h(n') <= h(n), with equality only at a minimum:

    q = n (h(n) + delta),  p its foot on the difference,  n' = (q - p)/|q - p|
    h(n') = q.n' - |q - p| <= |q| - delta = h(n)           because |q.n'| <= |q| and |q - p| >= delta

So the same method serves apart and overlapping, and there is no polytope to store.
"""

from ...model.contacts import HULL, SPHERE
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .simplex import make_simplex
from .solids import make_solids

ROUNDS = 48  # of GJK; polytopes need about 6, curved rims up to 30
DESCENTS = 32  # of the overlap
DEEP = 0.1  # of the smaller solid's radius
HOPEFUL = 2.5  # times the depth so far: from directions along which they overlap more no descent is tried


@factory
def make_distance(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    solids, simplex = make_solids(p, features), make_simplex(p)
    Solid = solids.Solid
    has_convex = "convex" in features.contact_kinds

    CONVERGED = wp.constant(real(1e-11 if p.name == "float64" else 1e-6))  # of the square of the distance
    APART = wp.constant(real(1e-5 if p.name == "float64" else 1e-3))  # of the size: closer ones count as overlapping
    STAND_OFF = wp.constant(real(1e-3 if p.name == "float64" else 2e-2))  # delta, of the size
    SAME = wp.constant(real(1e-10 if p.name == "float64" else 1e-5))  # of the size: no deeper than before

    @wp.struct
    class Closest:
        """Distance of the cores (negative: overlap), the unit normal from a to b, and the points that realise it."""

        distance: real
        normal: vec3
        on_a: vec3
        on_b: vec3
        is_far: int  # 1: farther than asked for, the rest is not computed

    @func
    def walk(model, a: Solid, b: Solid, shift: vec3, start: vec3, limit: real) -> Closest:
        """GJK with b moved by shift, from a first direction (b to a), giving up beyond the limit.

        The distance is 0 when the cores overlap.
        """
        c = Closest()
        world = simplex.mat43()  # corners of the simplex in a - b
        pa = simplex.mat43()  # the same on a
        count = int(0)
        v = start
        size = a.radius + b.radius
        for i in range(ROUNDS):
            far_a = solids.support(model, a, -v)
            x = far_a - solids.support(model, b, v) - shift
            vv = wp.dot(v, v)
            vx = wp.dot(v, x)
            if vx > real(0.0) and vx * vx > limit * limit * vv:
                c.is_far = 1
                c.distance = vx / wp.sqrt(vv)
                c.normal = v * (real(-1.0) / wp.sqrt(vv))
                return c
            if i > 0 and vv - vx <= CONVERGED * vv:
                break
            is_known = bool(False)
            for j in range(count):
                if world[j] == x:
                    is_known = True
            if is_known:
                break
            world[count] = x
            pa[count] = far_a
            count = count + 1
            share = simplex.nearest(world, count)
            if count == 4 and wp.min(share) > real(0.0):
                return c
            kept = int(0)
            for j in range(count):
                if share[j] > real(0.0):
                    world[kept] = world[j]
                    pa[kept] = pa[j]
                    share[kept] = share[j]
                    kept = kept + 1
            count = kept
            v = simplex.weighted(world, share, count)
            c.on_a = simplex.weighted(pa, share, count)
            now = wp.dot(v, v)
            if now <= CONVERGED * CONVERGED * size * size:
                return c
            if i > 0 and count > 1 and now >= vv:
                break
        c.on_b = c.on_a - v - shift
        c.distance = wp.length(v)
        c.normal = v * (real(-1.0) / c.distance)
        return c

    @func
    def overlap(model, a: Solid, b: Solid, n: vec3) -> real:
        """h(n): how far b must move along n until the cores are apart."""
        return wp.dot(n, solids.support(model, a, n) - solids.support(model, b, -n))

    @func
    def axis_of(s: Solid, i: int) -> vec3:
        """The directions +x, -x, +y and so on of a solid, i from 0 to 5."""
        j = i // 2
        axis = vec3(s.turn[0, j], s.turn[1, j], s.turn[2, j])
        if i % 2 == 1:
            return -axis
        return axis

    @func
    def best_face(model, hull: Solid, other: Solid, outward: real, best: vec3, least: real) -> vec3:
        """The direction along which the cores overlap least: the best so far, or one square to a face of a hull.

        The hull's own reach is that of the face. ``outward`` is 1 when the hull is a, -1 when it is b.
        """
        for i in range(hull.face_start, hull.face_end):
            n = hull.turn * model.face_normal[i]
            reach = wp.dot(model.face_normal[i], model.hull_vertex[model.face_corner[model.face_corner_start[i]]])
            depth = reach + wp.dot(n, hull.place - solids.support(model, other, -n))
            if depth < least:
                least = depth
                best = outward * n
        return best

    @func
    def best_axis(model, a: Solid, b: Solid, s: Solid, best: vec3, least: real) -> vec3:
        """The best so far, or an axis of s."""
        for i in range(6):
            n = axis_of(s, i)
            depth = overlap(model, a, b, n)
            if depth < least:
                least = depth
                best = n
        return best

    @func
    def best_start(model, a: Solid, b: Solid, start: vec3) -> vec3:
        """The best of a first direction and those square to the faces of both."""
        best = start
        if a.kind == wp.static(HULL):
            if wp.static(has_convex):
                best = best_face(model, a, b, real(1.0), best, overlap(model, a, b, best))
        elif a.kind != wp.static(SPHERE):
            best = best_axis(model, a, b, a, best, overlap(model, a, b, best))
        if b.kind == wp.static(HULL):
            if wp.static(has_convex):
                best = best_face(model, b, a, real(-1.0), best, overlap(model, a, b, best))
        elif b.kind != wp.static(SPHERE):
            best = best_axis(model, a, b, b, best, overlap(model, a, b, best))
        return best

    @func
    def away(model, a: Solid, b: Solid, n: vec3, depth: real) -> Closest:
        """The nearest points with b moved out along n, by a little more than the depth."""
        off = (depth + STAND_OFF * wp.min(a.radius, b.radius)) * n
        c = walk(model, a, b, off, -n, real(1.0e30))
        if c.distance == real(0.0):  # rounding alone can bring it here: they are apart
            c.normal = n
            c.on_a = solids.support(model, a, n)
            c.on_b = c.on_a - depth * n
        return c

    @func
    def descend(model, a: Solid, b: Solid, start: vec3) -> Closest:
        """The overlap's minimum below a first direction (a to b)."""
        n = start
        depth = overlap(model, a, b, n)
        c = away(model, a, b, n, depth)
        for _ in range(DESCENTS):
            next = overlap(model, a, b, c.normal)
            if c.distance == real(0.0) or next > depth - SAME * (a.radius + b.radius):
                break
            n = c.normal
            depth = next
            c = away(model, a, b, n, depth)
        c.distance = -depth
        c.normal = n
        return c

    @func
    def sink(model, a: Solid, b: Solid, start: vec3) -> Closest:
        """How deep the cores overlap, from a first direction (a to b).

        A shallow overlap has one minimum worth looking for; a deep one is searched from several sides.
        """
        c = descend(model, a, b, best_start(model, a, b, start))
        if -c.distance > real(DEEP) * wp.min(a.radius, b.radius):
            for i in range(12):
                s = a
                if i >= 6:
                    s = b
                n = axis_of(s, i % 6)
                if overlap(model, a, b, n) < real(HOPEFUL) * -c.distance:
                    other = descend(model, a, b, n)
                    if other.distance > c.distance:
                        c = other
        return c

    @func
    def closest(model, a: Solid, b: Solid, limit: real) -> Closest:
        """Distance or overlap of two cores; ``is_far`` beyond the limit."""
        apart = b.place - a.place
        if wp.dot(apart, apart) == real(0.0):
            apart = vec3(real(0.0), real(0.0), real(1.0))
        c = walk(model, a, b, vec3(), -apart, limit)
        if c.is_far == 1 or c.distance > APART * wp.min(a.radius, b.radius):
            return c
        if c.distance > real(0.0):
            apart = c.normal
        return sink(model, a, b, wp.normalize(apart))

    @func
    def closest_to_face(model, a: Solid, b: Solid, n: vec3, limit: real) -> Closest:
        """The same where the way out of b is known to be near -n, the way in."""
        c = walk(model, a, b, vec3(), -n, limit)
        if c.is_far == 1 or c.distance > APART * wp.min(a.radius, b.radius):
            return c
        return descend(model, a, b, n)

    return locals()
