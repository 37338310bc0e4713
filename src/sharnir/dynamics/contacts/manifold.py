"""From one closest pair to a manifold: the supporting faces of two solids clipped against each other.

The face that is squarer to the normal is the reference; the other one, a polygon, an edge or a point, is cut by the
planes through the reference's edges along the normal (Sutherland and Hodgman). What is left touches, each point with
its own gap; of many points the four that span most are kept.
"""

from ...model.contacts import TRIANGLE
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .convex_distance import make_distance
from .solids import make_solids

SQUARE = 0.98  # cosine: a face that leans more than 11 degrees from the normal touches in its closest point alone
MOST = 16  # points of a clipped polygon
PARALLEL = 0.05  # rad: edges that cross at less touch in two points
BLEND = 0.02  # of a wheel's tread: gaps that differ by less move its one point towards the middle


@factory
def make_manifold(p: Precision, features: Features) -> Made:
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    func = large_functions(p)
    solids, distances = make_solids(p, features), make_distance(p, features)
    Solid, Face, Manifold = solids.Solid, solids.Face, solids.Manifold
    Closest = distances.Closest
    has_polygons = bool({"box", "convex", "heights", "mesh"} & features.contact_kinds)

    SLACK = wp.constant(real(1e-7 if p.name == "float64" else 1e-4))  # of the size

    @func
    def put(f: Manifold, point: vec3, gap: real, feature: int) -> Manifold:
        """One more point; there must be room."""
        i = f.count
        points = f.point
        gaps = f.gap
        features_ = f.feature
        points[i] = point
        gaps[i] = gap
        features_[i] = feature
        f.point = points
        f.gap = gaps
        f.feature = features_
        f.count = i + 1
        return f

    @func
    def turned_round(f: Manifold) -> Manifold:
        """The same seen from b to a."""
        f.normal = -f.normal
        return f

    @func
    def single(c: Closest, ra: real, rb: real, margin: real) -> Manifold:
        """The closest pair alone."""
        f = Manifold()
        f.normal = c.normal
        gap = c.distance - ra - rb
        if gap < margin:
            f = put(f, real(0.5) * (c.on_a + ra * c.normal + c.on_b - rb * c.normal), gap, 0)
        return f

    @func
    def pick(
        points: wp.array(dtype=vec3), gaps: wp.array(dtype=real), tags: wp.array(dtype=int), count: int, n: vec3
    ) -> Manifold:
        """The deepest point, the one farthest from it, and the two that make the largest triangles with both."""
        f = Manifold()
        f.normal = n
        if count == 0:
            return f
        first = int(0)
        for i in range(1, count):
            if gaps[i] < gaps[first]:
                first = i
        f = put(f, points[first], gaps[first], tags[first])
        a = points[first]
        second = int(-1)
        most = real(1.0e-20)
        for i in range(count):
            d = points[i] - a
            if wp.dot(d, d) > most:
                most = wp.dot(d, d)
                second = i
        if second < 0:
            return f
        f = put(f, points[second], gaps[second], tags[second])
        along = wp.cross(n, points[second] - a)
        left = int(-1)
        right = int(-1)
        least = real(-1.0e-6) * most
        largest = real(1.0e-6) * most
        for i in range(count):
            area = wp.dot(along, points[i] - a)
            if area > largest:
                largest = area
                left = i
            if area < least:
                least = area
                right = i
        if left >= 0:
            f = put(f, points[left], gaps[left], tags[left])
        if right >= 0:
            f = put(f, points[right], gaps[right], tags[right])
        return f

    @func
    def cut(
        given: wp.array(dtype=vec3),
        given_tags: wp.array(dtype=int),
        count: int,
        left: wp.array(dtype=vec3),
        left_tags: wp.array(dtype=int),
        inward: vec3,
        at: vec3,
        edge: int,
    ) -> int:
        """What of a polygon lies on the inner side of a plane."""
        kept = int(0)
        for i in range(count):
            j = (i + 1) % count
            x = given[i]
            y = given[j]
            hx = wp.dot(inward, x - at)
            hy = wp.dot(inward, y - at)
            if hx >= real(0.0) and kept < MOST:
                left[kept] = x
                left_tags[kept] = given_tags[i]
                kept = kept + 1
            if (hx >= real(0.0)) != (hy >= real(0.0)) and kept < MOST:
                left[kept] = x + (hx / (hx - hy)) * (y - x)
                left_tags[kept] = 8 + (given_tags[i] % 8) * 8 + edge
                kept = kept + 1
        return kept

    @func
    def clipped(
        ref: Face, other: Face, c: Closest, side: real, radii: vec2, margin: real, slack: real, shift: int
    ) -> Manifold:
        """The other face over the reference; side is 1 when the reference is a's, -1 when it is b's.

        ``radii`` (m) are those by which a and b are rounded.
        """
        x = wp.zeros(shape=MOST, dtype=vec3)
        y = wp.zeros(shape=MOST, dtype=vec3)
        tx = wp.zeros(shape=MOST, dtype=int)
        ty = wp.zeros(shape=MOST, dtype=int)
        gaps = wp.zeros(shape=MOST, dtype=real)
        count = int(other.count)
        for i in range(count):
            x[i] = other.corner[i]
            tx[i] = i
        flip = int(0)
        for e in range(ref.count):
            a = ref.corner[e]
            b = ref.corner[(e + 1) % ref.count]
            inward = wp.cross(ref.normal, b - a)
            if flip == 0:
                count = cut(x, tx, count, y, ty, inward, a, e)
            else:
                count = cut(y, ty, count, x, tx, inward, a, e)
            flip = 1 - flip
        kept = int(0)
        n = c.normal
        lean = wp.dot(ref.normal, n)
        for i in range(count):
            q = x[i]
            tag = tx[i]
            if flip == 1:
                q = y[i]
                tag = ty[i]
            # from the reference's plane to q along n, which points from a to b
            reach = wp.dot(ref.normal, q - ref.corner[0]) / lean
            gap = side * reach - radii[0] - radii[1]
            # a face that leans may seem deeper than the cores overlap anywhere: there it is not on its solid
            if gap < margin and side * reach > c.distance - slack:
                # q is on the other core; halfway between the surfaces
                x[kept] = q - (real(0.5) * reach) * n + (real(0.5) * (radii[0] - radii[1])) * n
                tx[kept] = shift + tag
                gaps[kept] = gap
                kept = kept + 1
        return pick(x, gaps, tx, kept, n)

    @func
    def side_by_side(fa: Face, fb: Face, c: Closest, ra: real, rb: real, margin: real) -> Manifold:
        """Two edges: the ends of where they run together, if they are parallel."""
        n = c.normal
        f = Manifold()
        f.normal = n
        da = fa.corner[1] - fa.corner[0]
        db = fb.corner[1] - fb.corner[0]
        across = wp.cross(da, db)
        square = wp.dot(da, da)
        if wp.dot(across, across) > real(PARALLEL * PARALLEL) * square * wp.dot(db, db):
            return f
        s0 = wp.dot(fb.corner[0] - fa.corner[0], da) / square
        s1 = wp.dot(fb.corner[1] - fa.corner[0], da) / square
        low = wp.max(real(0.0), wp.min(s0, s1))
        high = wp.min(real(1.0), wp.max(s0, s1))
        if high - low < real(1.0e-6):
            return f
        for i in range(2):
            s = low
            if i == 1:
                s = high
            on_a = fa.corner[0] + s * da
            on_b = fb.corner[0] + ((s - s0) / (s1 - s0)) * db
            gap = wp.max(wp.dot(on_b - on_a, n), c.distance) - ra - rb
            if gap < margin:
                f = put(f, real(0.5) * (on_a + on_b + (ra - rb) * n), gap, 1 + i)
        return f

    @func
    def in_one_point(f: Manifold, width: real) -> Manifold:
        """Several points as one with the deepest gap, at the mean of those that are nearly as deep."""
        deepest = f.gap[0]
        for i in range(1, f.count):
            deepest = wp.min(deepest, f.gap[i])
        total = real(0.0)
        mean = vec3()
        for i in range(f.count):
            share = wp.max(real(1.0) - (f.gap[i] - deepest) / (real(BLEND) * width), real(0.0))
            total += share
            mean += share * f.point[i]
        one = Manifold()
        one.normal = f.normal
        return put(one, mean / total, deepest, 0)

    @func
    def with_closest(f: Manifold, one: Manifold) -> Manifold:
        """The closest pair in front, the last point given up for it when there are four."""
        if one.count == 0:
            return f
        for i in range(wp.min(f.count, 3)):
            one = put(one, f.point[i], f.gap[i], f.feature[i])
        return one

    @func
    def over_faces(model, a: Solid, b: Solid, c: Closest, margin: real) -> Manifold:
        """Where the supporting faces or edges along the normal lie over each other; none if they do not."""
        ra = solids.rounding(a)
        rb = solids.rounding(b)
        fa = solids.face(model, a, c.normal)
        fb = solids.face(model, b, -c.normal)
        f = Manifold()
        f.normal = c.normal
        if fa.count == 1 or fb.count == 1:
            return f
        lean_a = real(0.0)
        lean_b = real(0.0)
        if fa.count > 2:
            lean_a = wp.dot(fa.normal, c.normal)
        if fb.count > 2:
            lean_b = -wp.dot(fb.normal, c.normal)
        if wp.max(lean_a, lean_b) > real(SQUARE):
            if wp.static(has_polygons):
                slack = SLACK * wp.min(a.radius, b.radius)
                number = (fa.number % 64) * 64 + fb.number % 64
                # a little in favour of a, so that two boxes do not change roles from step to step
                if fa.count > 2 and lean_a >= lean_b - real(1.0e-3):
                    return clipped(fa, fb, c, real(1.0), vec2(ra, rb), margin, slack, number * 256)
                return clipped(fb, fa, c, real(-1.0), vec2(ra, rb), margin, slack, (4096 + number) * 256)
        elif fa.count == 2 and fb.count == 2:
            return side_by_side(fa, fb, c, ra, rb, margin)
        return f

    @func
    def deepest_gap(f: Manifold, margin: real) -> real:
        """The least gap of the points, the margin if there are none, m."""
        deepest = margin
        for i in range(f.count):
            deepest = wp.min(deepest, f.gap[i])
        return deepest

    @func
    def completed(f: Manifold, a: Solid, b: Solid, c: Closest, margin: real) -> Manifold:
        """Points over faces with the closest pair added where it is not among them; one alone for a wheel that rolls.

        Not on a triangle: there its points belong together with those on the neighbours.
        """
        gap = c.distance - solids.rounding(a) - solids.rounding(b)
        if deepest_gap(f, margin) > gap + SLACK * wp.min(a.radius, b.radius):
            f = with_closest(f, single(c, solids.rounding(a), solids.rounding(b), margin))
        rolls = solids.rolls(a, c.normal) or solids.rolls(b, c.normal)
        if f.count > 1 and rolls and b.kind != wp.static(TRIANGLE):
            f = in_one_point(f, wp.min(a.radius, b.radius))
        return f

    @func
    def spread(model, a: Solid, b: Solid, c: Closest, margin: real) -> Manifold:
        """The manifold about a closest pair."""
        return completed(over_faces(model, a, b, c, margin), a, b, c, margin)

    return locals()
