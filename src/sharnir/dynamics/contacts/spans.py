"""The span of a ray o + t d inside a convex shape, in the shape's axes.

Boxes, hulls and the ends of cylinders are cut out by their planes, n.(o + t d) <= c; round sides by the roots of a
square equation. A wheel is approached by its distance.
"""

from ..factory import Features, Made, Precision, factory, large_functions, wp
from .solids import make_solids

APPROACHES = 100  # steps towards a wheel, or a convex shape in general
NEVER = 1.0e30


@factory
def make_spans(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    Solid = make_solids(p, features).Solid

    NEAR = wp.constant(real(1e-9 if p.name == "float64" else 1e-5))  # m, to a wheel

    @wp.struct
    class Span:
        """The part of a ray inside something: where it enters and leaves (m), and the surface's normal there."""

        enter: real
        leave: real
        normal: vec3

    @func
    def endless() -> Span:
        """The whole ray."""
        x = Span()
        x.enter = real(-NEVER)
        x.leave = real(NEVER)
        return x

    @func
    def cut(x: Span, n: vec3, c: real, o: vec3, d: vec3) -> Span:
        """The part on the inner side of the plane n.x = c."""
        slope = wp.dot(n, d)
        distance = c - wp.dot(n, o)
        if slope > real(0.0):
            x.leave = wp.min(x.leave, distance / slope)
        elif slope < real(0.0):
            if distance / slope > x.enter:
                x.enter = distance / slope
                x.normal = n
        elif distance < real(0.0):
            x.leave = real(-NEVER)
        return x

    @func
    def within(a: real, b: real, c: real) -> Span:
        """Where a t^2 + 2 b t + c < 0, a >= 0; the normal is left to the caller."""
        x = endless()
        square = b * b - a * c
        if a < real(1.0e-20):
            if c > real(0.0):
                x.leave = real(-NEVER)
        elif square < real(0.0):
            x.leave = real(-NEVER)
        else:
            x.enter = (-b - wp.sqrt(square)) / a
            x.leave = (-b + wp.sqrt(square)) / a
        return x

    @func
    def through_ball(o: vec3, d: vec3, r: real) -> Span:
        """The part of a ray within a ball about the origin."""
        x = within(real(1.0), wp.dot(o, d), wp.dot(o, o) - r * r)
        if x.leave > real(-NEVER):
            x.normal = (o + x.enter * d) / r
        return x

    @func
    def through_tube(o: vec3, d: vec3, r: real) -> Span:
        """A cylinder without ends."""
        flat_o = vec3(o[0], o[1], real(0.0))
        flat_d = vec3(d[0], d[1], real(0.0))
        x = within(wp.dot(flat_d, flat_d), wp.dot(flat_o, flat_d), wp.dot(flat_o, flat_o) - r * r)
        if x.leave > real(-NEVER) and x.enter > real(-NEVER):
            x.normal = (flat_o + x.enter * flat_d) / r
        return x

    @func
    def through_cylinder(o: vec3, d: vec3, r: real, half: real) -> Span:
        """The part of a ray within a cylinder about z."""
        z = vec3(real(0.0), real(0.0), real(1.0))
        return cut(cut(through_tube(o, d, r), z, half, o, d), -z, half, o, d)

    @func
    def through_capsule(o: vec3, d: vec3, r: real, half: real) -> Span:
        """What is inside the tube or one of the balls at its ends: convex, so from the first entry to the last exit."""
        up = vec3(real(0.0), real(0.0), half)
        x = through_cylinder(o, d, r, half)
        for i in range(2):
            y = through_ball(o - up, d, r)
            if i == 1:
                y = through_ball(o + up, d, r)
            if y.enter < y.leave:
                if x.enter >= x.leave:
                    x = y
                else:
                    if y.enter < x.enter:
                        x.enter = y.enter
                        x.normal = y.normal
                    x.leave = wp.max(x.leave, y.leave)
        return x

    @func
    def from_core(s: Solid, q: vec3) -> vec3:
        """From the nearest point of a wheel's core to q, shape's axes."""
        rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
        in_core = vec3(q[0], q[1], wp.clamp(q[2], -s.size[2], s.size[2]))
        if rho > s.size[0]:
            in_core = vec3(q[0] * s.size[0] / rho, q[1] * s.size[0] / rho, in_core[2])
        return q - in_core

    @func
    def to_wheel(s: Solid, o: vec3, d: vec3, reach: real) -> Span:
        """Steps of the distance never go too far; nearing the surface they are what is left."""
        x = endless()
        x.leave = real(-NEVER)
        at = wp.max(-wp.dot(o, d) - s.radius, real(0.0))
        for _ in range(APPROACHES):
            away = from_core(s, o + at * d)
            distance = wp.length(away) - s.size[1]
            if distance < NEAR:
                x.enter = at
                x.leave = real(NEVER)
                x.normal = wp.normalize(away)
                return x
            at = at + distance
            if at > reach or at > -wp.dot(o, d) + s.radius:
                return x
        return x

    @func
    def through_box(s: Solid, o: vec3, d: vec3) -> Span:
        """The part of a ray within a box."""
        x = endless()
        for i in range(3):
            n = vec3()
            n[i] = real(1.0)
            x = cut(cut(x, n, s.size[i], o, d), -n, s.size[i], o, d)
        return x

    @func
    def through_hull(model, s: Solid, o: vec3, d: vec3) -> Span:
        """The part of a ray within a hull: cut by the planes of its faces."""
        x = endless()
        for i in range(s.face_start, s.face_end):
            n = model.face_normal[i]
            x = cut(x, n, wp.dot(n, model.hull_vertex[model.face_corner[model.face_corner_start[i]]]), o, d)
        return x

    return locals()
