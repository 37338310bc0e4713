"""Solids in world axes: the farthest point and the supporting face in a direction, for every convex kind.

A solid is a core (point, segment, disc, box, hull, ellipsoid) grown by a ball of radius ``rounding``. A sphere's core
is its centre, a capsule's its segment; the distance of two solids is that of their cores less both roundings. A
triangle of terrain is a prism below it: its turn holds two edges and the way down, its place a corner.
"""

from ...model.contacts import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE, WHEEL
from ..factory import Features, Made, Precision, factory, large_functions, wp

CORNERS = 8  # of a face, at most
FLAT = 0.1  # a capsule's side is a supporting edge while its axis leans less than this (rad) towards the direction
CAP = 0.7  # a cylinder's end is its supporting face when the direction is within 45 degrees of its axis
LIES = 0.98  # cosine: a wheel whose axle is within 11 degrees of the direction lies on its side, which is flat
PHASE = 0.02  # a cylinder's end that leans more than this (rad) has a corner at its lowest point


@factory
def make_solids(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = large_functions(p)
    has_box = "box" in features.contact_kinds
    has_convex = "convex" in features.contact_kinds
    has_terrain = bool({"heights", "mesh"} & features.contact_kinds)
    corners = wp.types.matrix((CORNERS, 3), real)

    @wp.struct
    class Solid:
        """A convex shape in world axes; ``radius`` (m) of a ball about its place that holds it."""

        kind: int
        size: vec3
        place: vec3
        turn: mat33
        radius: real
        hull_start: int
        hull_end: int
        face_start: int
        face_end: int

    @wp.struct
    class Face:
        """What supports a direction: a point, an edge or a polygon (counterclockwise) with its normal and number."""

        count: int
        corner: corners
        normal: vec3
        number: int

    @wp.struct
    class Manifold:
        """Up to four points where two solids touch, or nearly: the unit normal points from a to b."""

        count: int
        normal: vec3
        point: wp.types.matrix((4, 3), real)
        gap: wp.types.vector(4, real)
        feature: wp.vec4i

    @func
    def sign(x: real) -> real:
        """1 or -1; 1 for zero."""
        if x < real(0.0):
            return real(-1.0)
        return real(1.0)

    @func
    def rounding(s: Solid) -> real:
        """The radius by which a solid's core is rounded, m."""
        if s.kind == wp.static(SPHERE) or s.kind == wp.static(CAPSULE):
            return s.size[0]
        if s.kind == wp.static(WHEEL):
            return s.size[1]
        return real(0.0)

    @func
    def flat_half(s: Solid) -> real:
        """Half of the length of a cylinder, or of a wheel's flat tread."""
        if s.kind == wp.static(WHEEL):
            return s.size[2]
        return s.size[1]

    @func
    def rolls(s: Solid, d: vec3) -> bool:
        """Whether a solid is a wheel that touches in one point along the unit direction d: it does not lie flat."""
        if s.kind != wp.static(WHEEL):
            return False
        return wp.abs(s.turn[0, 2] * d[0] + s.turn[1, 2] * d[1] + s.turn[2, 2] * d[2]) <= real(LIES)

    @func
    def rim(s: Solid, u: vec3) -> vec3:
        """The point of a cylinder's or wheel's circle farthest along u, shape axes; its middle when there is none."""
        radial = wp.sqrt(u[0] * u[0] + u[1] * u[1])
        if radial < real(1.0e-12) * wp.abs(u[2]) or radial == real(0.0):
            return vec3()
        return (s.size[0] / radial) * vec3(u[0], u[1], real(0.0))

    @func
    def farthest_vertex(model, s: Solid, u: vec3) -> vec3:
        """The vertex of a hull farthest along u, the hull's axes."""
        best = model.hull_vertex[s.hull_start]
        most = wp.dot(best, u)
        for i in range(s.hull_start + 1, s.hull_end):
            x = model.hull_vertex[i]
            far = wp.dot(x, u)
            if far > most:
                most = far
                best = x
        return best

    @func
    def pole(s: Solid, u: vec3) -> vec3:
        """The point of an ellipsoid farthest along u, shape axes: A^2 u/|A u| with A its half axes."""
        stretched = wp.cw_mul(s.size, u)
        return wp.cw_mul(s.size, stretched) / wp.max(wp.length(stretched), real(1.0e-30))

    @func
    def prism_corner(u: vec3) -> vec3:
        """Shares of the edges and of the way down in the corner farthest along u, which is given along those."""
        far = vec3()
        if u[0] > real(0.0) and u[0] >= u[1]:
            far[0] = real(1.0)
        elif u[1] > real(0.0):
            far[1] = real(1.0)
        if u[2] > real(0.0):
            far[2] = real(1.0)
        return far

    @func
    def support(model, s: Solid, d: vec3) -> vec3:
        """The point of the core farthest along d."""
        if s.kind == wp.static(SPHERE):
            return s.place
        u = wp.transpose(s.turn) * d
        far = vec3()
        if wp.static(has_terrain):
            if s.kind == TRIANGLE:
                far = prism_corner(u)
        if s.kind == wp.static(CAPSULE):
            far = vec3(real(0.0), real(0.0), sign(u[2]) * s.size[1])
        if s.kind == wp.static(WHEEL):
            far = rim(s, u) + vec3(real(0.0), real(0.0), sign(u[2]) * s.size[2])
        if wp.static(has_box):
            if s.kind == wp.static(BOX):
                far = vec3(sign(u[0]) * s.size[0], sign(u[1]) * s.size[1], sign(u[2]) * s.size[2])
        if wp.static(has_convex):
            if s.kind == wp.static(CYLINDER):
                far = rim(s, u) + vec3(real(0.0), real(0.0), sign(u[2]) * s.size[1])
            elif s.kind == wp.static(HULL):
                far = farthest_vertex(model, s, u)
            elif s.kind == wp.static(ELLIPSOID):
                far = pole(s, u)
        return s.place + s.turn * far

    @func
    def point_face(at: vec3) -> Face:
        """A single point as a face."""
        f = Face()
        f.count = 1
        all = corners()
        all[0] = at
        f.corner = all
        return f

    @func
    def edge_face(s: Solid, x: vec3, half: real) -> Face:
        """The edge through x (shape axes) along the shape's z."""
        f = Face()
        f.count = 2
        all = corners()
        all[0] = s.place + s.turn * (x + vec3(real(0.0), real(0.0), half))
        all[1] = s.place + s.turn * (x - vec3(real(0.0), real(0.0), half))
        f.corner = all
        return f

    @func
    def box_face(s: Solid, u: vec3) -> Face:
        """The face of a box that looks most along u, the box's axes."""
        axis = int(0)
        if wp.abs(u[1]) > wp.abs(u[0]):
            axis = 1
        if wp.abs(u[2]) > wp.abs(u[axis]):
            axis = 2
        side = sign(u[axis])
        i = (axis + 1) % 3
        j = (axis + 2) % 3
        n = vec3()
        x = vec3()
        y = vec3()
        n[axis] = side
        x[i] = side * s.size[i]
        y[j] = s.size[j]
        f = Face()
        f.count = 4
        f.normal = s.turn * n
        f.number = 2 * axis
        if side < real(0.0):
            f.number = 2 * axis + 1
        center = s.place + s.size[axis] * f.normal
        x = s.turn * x
        y = s.turn * y
        all = corners()
        all[0] = center + x + y
        all[1] = center - x + y
        all[2] = center - x - y
        all[3] = center + x - y
        f.corner = all
        return f

    @func
    def cap_face(s: Solid, u: vec3) -> Face:
        """A cylinder's end or a wheel's side: eight points of its rim, the first the farthest along u when it leans."""
        side = sign(u[2])
        x = vec3(s.size[0], real(0.0), real(0.0))
        if u[0] * u[0] + u[1] * u[1] > real(PHASE * PHASE):
            x = rim(s, u)
        y = side * vec3(-x[1], x[0], real(0.0))
        middle = vec3(real(0.0), real(0.0), side * flat_half(s))
        f = Face()
        f.count = CORNERS
        f.normal = s.turn * vec3(real(0.0), real(0.0), side)
        if side < real(0.0):
            f.number = 1
        all = corners()
        for i in range(CORNERS):
            angle = real(i) * real(wp.static(6.283185307179586 / CORNERS))
            all[i] = s.place + s.turn * (middle + wp.cos(angle) * x + wp.sin(angle) * y)
        f.corner = all
        return f

    @func
    def hull_face(model, s: Solid, u: vec3) -> Face:
        """The face of a hull that looks most along u, the hull's axes."""
        best = s.face_start
        most = wp.dot(model.face_normal[best], u)
        for i in range(s.face_start + 1, s.face_end):
            far = wp.dot(model.face_normal[i], u)
            if far > most:
                most = far
                best = i
        f = Face()
        f.normal = s.turn * model.face_normal[best]
        f.number = best - s.face_start
        first = model.face_corner_start[best]
        f.count = model.face_corner_end[best] - first
        all = corners()
        for i in range(f.count):
            all[i] = s.place + s.turn * model.hull_vertex[model.face_corner[first + i]]
        f.corner = all
        return f

    @func
    def triangle_face(s: Solid) -> Face:
        """A triangle as a face."""
        x = vec3(s.turn[0, 0], s.turn[1, 0], s.turn[2, 0])
        y = vec3(s.turn[0, 1], s.turn[1, 1], s.turn[2, 1])
        f = Face()
        f.count = 3
        f.normal = wp.normalize(wp.cross(x, y))
        all = corners()
        all[0] = s.place
        all[1] = s.place + x
        all[2] = s.place + y
        f.corner = all
        return f

    @func
    def face(model, s: Solid, d: vec3) -> Face:
        """The point, edge or polygon of the core that supports the unit direction d."""
        if wp.static(has_terrain):
            if s.kind == TRIANGLE:
                return triangle_face(s)
        u = wp.transpose(s.turn) * d
        if s.kind == wp.static(CAPSULE):
            if wp.abs(u[2]) < real(FLAT):
                return edge_face(s, vec3(), s.size[1])
        if s.kind == wp.static(WHEEL):
            if not rolls(s, d):
                return cap_face(s, u)
            if s.size[2] > real(0.0):
                return edge_face(s, rim(s, u), s.size[2])
        if wp.static(has_box):
            if s.kind == wp.static(BOX):
                return box_face(s, u)
        if wp.static(has_convex):
            if s.kind == wp.static(CYLINDER):
                if wp.abs(u[2]) > real(CAP):
                    return cap_face(s, u)
                return edge_face(s, rim(s, u), s.size[1])
            if s.kind == wp.static(HULL):
                return hull_face(model, s, u)
        return point_face(support(model, s, d))

    return locals()
