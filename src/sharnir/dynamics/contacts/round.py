"""Spheres and capsules against each other and against boxes, cylinders and wheels, in closed form."""

from ..factory import Features, Made, Precision, factory, wp
from .convex_distance import make_distance
from .manifold import make_manifold
from .solids import make_solids


@factory
def make_round(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    solids, shared = make_solids(p, features), make_manifold(p, features)
    Solid, Manifold = solids.Solid, solids.Manifold
    Closest = make_distance(p, features).Closest

    PARALLEL = wp.constant(real(1e-3))  # sine: capsules that cross at less touch in two points
    TINY = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))

    @wp.func
    def between(x: vec3, y: vec3, fallback: vec3) -> Closest:
        """Two points; where they coincide the normal is the fallback."""
        c = Closest()
        c.on_a = x
        c.on_b = y
        c.distance = wp.length(y - x)
        c.normal = fallback
        if c.distance > TINY:
            c.normal = (y - x) / c.distance
        return c

    @wp.func
    def along(s: Solid) -> vec3:
        """The z axis of a solid."""
        return vec3(s.turn[0, 2], s.turn[1, 2], s.turn[2, 2])

    @wp.func
    def sphere_sphere(a: Solid, b: Solid, margin: real) -> Manifold:
        """The point of two spheres."""
        up = vec3(real(0.0), real(0.0), real(1.0))
        return shared.single(between(a.place, b.place, up), a.size[0], b.size[0], margin)

    @wp.func
    def sphere_capsule(a: Solid, b: Solid, margin: real) -> Manifold:
        """The point of a sphere and a capsule."""
        z = along(b)
        s = wp.clamp(wp.dot(a.place - b.place, z), -b.size[1], b.size[1])
        side = vec3(b.turn[0, 0], b.turn[1, 0], b.turn[2, 0])
        return shared.single(between(a.place, b.place + s * z, side), a.size[0], b.size[0], margin)

    @wp.func
    def is_beyond(a: Solid, b: Solid, margin: real) -> bool:
        """Whether the ball about b, which holds it, is farther from a capsule than the margin (m)."""
        z = along(a)
        s = wp.clamp(wp.dot(b.place - a.place, z), -a.size[1], a.size[1])
        reach = a.size[0] + b.radius + margin
        return wp.length_sq(b.place - a.place - s * z) > reach * reach

    @wp.func
    def nearest_on(z: vec3, half: real, from_: vec3, x: vec3) -> vec3:
        """The point of a segment (its middle at from_) nearest to x."""
        return from_ + wp.clamp(wp.dot(x - from_, z), -half, half) * z

    @wp.func
    def capsule_capsule(a: Solid, b: Solid, margin: real) -> Manifold:
        """Nearest points of two segments; two pairs of them when the segments run side by side."""
        za = along(a)
        zb = along(b)
        d = b.place - a.place
        cosine = wp.dot(za, zb)
        sine2 = real(1.0) - cosine * cosine
        across = wp.cross(za, zb)
        if wp.dot(across, across) < PARALLEL * PARALLEL:
            first = wp.max(-a.size[1], wp.dot(d, za) - b.size[1])
            last = wp.min(a.size[1], wp.dot(d, za) + b.size[1])
            if last - first > TINY:
                f = Manifold()
                for i in range(2):
                    s = first
                    if i == 1:
                        s = last
                    on_a = a.place + s * za
                    on_b = nearest_on(zb, b.size[1], b.place, on_a)
                    c = between(on_a, on_b, vec3(a.turn[0, 0], a.turn[1, 0], a.turn[2, 0]))
                    one = shared.single(c, a.size[0], b.size[0], margin)
                    f.normal = c.normal
                    if one.count == 1:
                        f = shared.put(f, one.point[0], one.gap[0], 1 + i)
                return f
        s = real(0.0)
        if sine2 > TINY:
            s = wp.clamp((wp.dot(d, za) - cosine * wp.dot(d, zb)) / sine2, -a.size[1], a.size[1])
        on_b = nearest_on(zb, b.size[1], b.place, a.place + s * za)
        on_a = nearest_on(za, a.size[1], a.place, on_b)
        return shared.single(between(on_a, on_b, wp.normalize(across)), a.size[0], b.size[0], margin)

    @wp.func
    def placed(b: Solid, x: vec3, on_b: vec3, outward: vec3, depth: real) -> Closest:
        """From the sphere's centre x to a point on b, both in b's axes; when x is inside by a depth, outward counts."""
        c = between(b.place + b.turn * x, b.place + b.turn * on_b, -(b.turn * outward))
        if depth > real(0.0):
            c.distance = -depth
            c.normal = -(b.turn * outward)
        return c

    @wp.func
    def sphere_box(a: Solid, b: Solid, margin: real) -> Manifold:
        """The point of a sphere and a box; inside, by the nearest face."""
        x = wp.transpose(b.turn) * (a.place - b.place)
        on = vec3()
        axis = int(0)
        depth = real(1.0e30)
        for i in range(3):
            on[i] = wp.clamp(x[i], -b.size[i], b.size[i])
            inside = b.size[i] - wp.abs(x[i])
            if inside < depth:
                depth = inside
                axis = i
        outward = vec3()
        outward[axis] = solids.sign(x[axis])
        if depth >= real(0.0):
            on[axis] = outward[axis] * b.size[axis]
        return shared.single(placed(b, x, on, outward, depth), a.size[0], real(0.0), margin)

    @wp.func
    def sphere_cylinder(a: Solid, b: Solid, rb: real, margin: real) -> Manifold:
        """A cylinder, or the core of a wheel with its rounding rb."""
        x = wp.transpose(b.turn) * (a.place - b.place)
        half = solids.flat_half(b)
        radius = b.size[0]
        rho = wp.sqrt(x[0] * x[0] + x[1] * x[1])
        radial = vec3(real(1.0), real(0.0), real(0.0))
        if rho > TINY:
            radial = vec3(x[0] / rho, x[1] / rho, real(0.0))
        to_side = radius - rho
        to_end = half - wp.abs(x[2])
        z = vec3(real(0.0), real(0.0), real(1.0))
        on = wp.min(rho, radius) * radial + wp.clamp(x[2], -half, half) * z
        outward = solids.sign(x[2]) * z
        if to_side < to_end:
            outward = radial
        depth = wp.min(to_side, to_end)
        if depth >= real(0.0):
            on = x + depth * outward
        return shared.single(placed(b, x, on, outward, depth), a.size[0], rb, margin)

    return locals()
