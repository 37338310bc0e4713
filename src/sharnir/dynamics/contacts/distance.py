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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.contacts import BOX, CYLINDER, HULL, WHEEL
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from .simplex import make_simplex
from .solids import make_solids

wp = load_warp()

ROUNDS = 48  # of GJK; polytopes need about 6, curved rims up to 30
DESCENTS = 12  # of the overlap


@cache
def make_distance(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for the kinds a scene has."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    solids, simplex = make_solids(p, features), make_simplex(p)
    Solid, support = solids.Solid, solids.support
    mat43, nearest, weighted = simplex.mat43, simplex.nearest, simplex.weighted
    has_flat = "box" in features.contact_kinds or "convex" in features.contact_kinds
    has_convex = "convex" in features.contact_kinds

    CONVERGED = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))  # of the square of the distance
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

    @wp.func
    def walk(m: t.model, a: Solid, b: Solid, shift: vec3, start: vec3, limit: real) -> Closest:
        """GJK with b moved by shift, from a first direction (b to a), giving up beyond the limit.

        The distance is 0 when the cores overlap.
        """
        c = Closest()
        w = mat43()  # corners of the simplex in a - b
        pa = mat43()  # the same on a
        count = int(0)
        v = start
        size = a.radius + b.radius
        for i in range(ROUNDS):
            far_a = support(m, a, -v)
            x = far_a - support(m, b, v) - shift
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
                if w[j] == x:
                    is_known = True
            if is_known:
                break
            w[count] = x
            pa[count] = far_a
            count = count + 1
            share = nearest(w, count)
            if count == 4 and wp.min(share) > real(0.0):
                return c
            kept = int(0)
            for j in range(count):
                if share[j] > real(0.0):
                    w[kept] = w[j]
                    pa[kept] = pa[j]
                    share[kept] = share[j]
                    kept = kept + 1
            count = kept
            v = weighted(w, share, count)
            c.on_a = weighted(pa, share, count)
            now = wp.dot(v, v)
            if now <= CONVERGED * CONVERGED * size * size:
                return c
            if i > 0 and count > 1 and now >= vv:
                break
        c.on_b = c.on_a - v - shift
        c.distance = wp.length(v)
        c.normal = v * (real(-1.0) / c.distance)
        return c

    @wp.func
    def overlap(m: t.model, a: Solid, b: Solid, n: vec3) -> real:
        """h(n): how far b must move along n until the cores are apart."""
        return wp.dot(n, support(m, a, n) - support(m, b, -n))

    @wp.func
    def better(m: t.model, a: Solid, b: Solid, n: vec3, best: vec3, least: real) -> vec3:
        """The direction along which the cores overlap less: n, or the best so far."""
        if overlap(m, a, b, n) < least:
            return n
        return best

    @wp.func
    def best_of(m: t.model, a: Solid, b: Solid, s: Solid, outward: real, best: vec3) -> vec3:
        """The best so far or a face of s; outward is 1 when s is a, -1 when it is b."""
        if wp.static(has_flat):
            if s.kind == wp.static(BOX) or s.kind == wp.static(CYLINDER) or s.kind == wp.static(WHEEL):
                for i in range(3):
                    axis = vec3(s.turn[0, i], s.turn[1, i], s.turn[2, i])
                    best = better(m, a, b, axis, best, overlap(m, a, b, best))
                    best = better(m, a, b, -axis, best, overlap(m, a, b, best))
        if wp.static(has_convex):
            if s.kind == wp.static(HULL):
                least = overlap(m, a, b, best)
                for i in range(s.face_start, s.face_end):
                    n = outward * (s.turn * m.face_normal[i])
                    depth = overlap(m, a, b, n)
                    if depth < least:
                        least = depth
                        best = n
        return best

    @wp.func
    def away(m: t.model, a: Solid, b: Solid, n: vec3, depth: real) -> Closest:
        """The nearest points with b moved out along n, by a little more than the depth."""
        off = (depth + STAND_OFF * wp.min(a.radius, b.radius)) * n
        c = walk(m, a, b, off, -n, real(1.0e30))
        return c

    @wp.func
    def sink(m: t.model, a: Solid, b: Solid, start: vec3) -> Closest:
        """How deep the cores overlap, from a first direction (a to b)."""
        n = best_of(m, a, b, a, real(1.0), start)
        n = best_of(m, a, b, b, real(-1.0), n)
        depth = overlap(m, a, b, n)
        c = away(m, a, b, n, depth)
        for _ in range(DESCENTS):
            next = overlap(m, a, b, c.normal)
            if c.distance == real(0.0) or next > depth - SAME * (a.radius + b.radius):
                break
            n = c.normal
            depth = next
            c = away(m, a, b, n, depth)
        c.distance = -depth
        c.normal = n
        return c

    @wp.func
    def closest(m: t.model, a: Solid, b: Solid, limit: real) -> Closest:
        """Distance or overlap of two cores; ``is_far`` beyond the limit."""
        apart = b.place - a.place
        if wp.dot(apart, apart) == real(0.0):
            apart = vec3(real(0.0), real(0.0), real(1.0))
        c = walk(m, a, b, vec3(), -apart, limit)
        if c.is_far == 1 or c.distance > APART * wp.min(a.radius, b.radius):
            return c
        if c.distance > real(0.0):
            apart = c.normal
        return sink(m, a, b, wp.normalize(apart))

    return SimpleNamespace(Closest=Closest, closest=closest, walk=walk, overlap=overlap, away=away)
