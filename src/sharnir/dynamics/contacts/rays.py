"""Rays: how far from a point in a direction to the nearest shape or terrain.

Convex shapes cut a span out of the ray (``spans.py``). A height field is walked cell by cell; the triangles of a mesh
are searched by Warp in float32, and the one found is met in full precision. A ray that starts inside a solid goes 0 m.
"""

from functools import cache

from ...model.contacts import BOX, CAPSULE, CYLINDER, HEIGHTS, HULL, MESH, PLANE, SPHERE, WHEEL
from ..factory import Device, Features, Made, Precision, factory, functions, wp
from ..shells import hits_struct
from .collide import make_collide
from .convex_distance import make_distance
from .facets import make_facets
from .solids import make_solids
from .spans import APPROACHES, NEVER, make_spans
from .terrain import make_terrain
from .triangles import make_triangles


@factory
def make_rays(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    Solid, solid_of = make_solids(p, features).Solid, make_collide(p, features).solid_of
    facets, cell_of = make_facets(p, features), make_terrain(p, features).cell_of
    Triangle = make_triangles(p, features).Triangle
    walk = make_distance(p, features).walk
    spans = make_spans(p, features)
    Span, NEAR = spans.Span, spans.NEAR
    kinds = features.contact_kinds
    has_convex, has_heights, has_mesh = "convex" in kinds, "heights" in kinds, "mesh" in kinds

    @func
    def to_triangle(x: Triangle, o: vec3, d: vec3) -> real:
        """Where the ray meets a triangle, or NEVER."""
        slope = wp.dot(x.normal, d)
        if slope == real(0.0):
            return real(NEVER)
        at = wp.dot(x.normal, x.a - o) / slope
        q = o + at * d
        slack = real(-1.0e-9) * wp.dot(x.b - x.a, x.b - x.a)
        if (
            wp.dot(wp.cross(x.b - x.a, q - x.a), x.normal) < slack
            or wp.dot(wp.cross(x.c - x.b, q - x.b), x.normal) < slack
            or wp.dot(wp.cross(x.a - x.c, q - x.c), x.normal) < slack
        ):
            return real(NEVER)
        return at

    @func
    def to_border(o: real, d: real, i: int, step: real, count: int) -> real:
        """Where the ray leaves cell i along one side of a field."""
        if d == real(0.0):
            return real(NEVER)
        border = int(i)
        if d > real(0.0):
            border = i + 1
        return ((real(border) - real(0.5) * real(count - 1)) * step - o) / d

    @func
    def to_heights(model, g: int, o: vec3, d: vec3, reach: real) -> Span:
        """Walk the cells under the ray, from where it comes over the field and below its highest point."""
        size = model.shape_size[g]
        rows = model.height_rows[g]
        columns = model.height_columns[g]
        x = spans.endless()
        for i in range(2):
            n = vec3()
            n[i] = real(1.0)
            half = real(0.5) * size[i] * real(rows - 1)
            if i == 1:
                half = real(0.5) * size[i] * real(columns - 1)
            x = spans.cut(spans.cut(x, n, half, o, d), -n, half, o, d)
        x = spans.cut(x, vec3(real(0.0), real(0.0), real(1.0)), size[2], o, d)
        found = spans.endless()
        found.leave = real(-NEVER)
        start = wp.max(x.enter, real(0.0))
        stop = wp.min(x.leave, reach)
        if start > stop:
            return found
        q = o + start * d
        i = cell_of(q[0], size[0], rows)
        j = cell_of(q[1], size[1], columns)
        while start <= stop and i >= 0 and j >= 0 and i < rows - 1 and j < columns - 1:
            for part in range(2):
                y = facets.cell_triangle(model, g, i, j, part)
                at = to_triangle(y, o, d)
                if at >= real(0.0) and at <= stop and (found.leave < real(0.0) or at < found.enter):
                    found.enter = at
                    found.leave = real(NEVER)
                    found.normal = y.normal
            if found.leave > real(0.0):
                return found
            along_x = to_border(o[0], d[0], i, size[0], rows)
            along_y = to_border(o[1], d[1], j, size[1], columns)
            start = wp.min(along_x, along_y)
            if along_x <= along_y:
                i = i + int(wp.sign(d[0]))
            else:
                j = j + int(wp.sign(d[1]))
        return found

    @func
    def to_mesh(model, g: int, o: vec3, d: vec3, reach: real) -> Span:
        """Where a ray meets a mesh, looked for in float32."""
        x = spans.endless()
        x.leave = real(-NEVER)
        query = wp.mesh_query_ray(
            model.shape_mesh[g],
            wp.vec3(float(o[0]), float(o[1]), float(o[2])),
            wp.vec3(float(d[0]), float(d[1]), float(d[2])),
            float(reach),
        )
        if query.result:
            y = facets.mesh_triangle(model, model.triangle_start[g] + query.face)
            slope = wp.dot(y.normal, d)
            x.enter = real(query.t)
            if wp.abs(slope) > real(1.0e-6):
                x.enter = wp.dot(y.normal, y.a - o) / slope
            x.leave = real(NEVER)
            x.normal = y.normal
        return x

    @func
    def to_convex(model, s: Solid, o: vec3, d: vec3, reach: real) -> Span:
        """Any other convex shape, in its axes: from plane to plane that parts the point from it, see ``walk``.

        A point at the distance h with the normal n towards the shape can go h/(n.d) along the ray without meeting it.
        """
        x = spans.endless()
        x.leave = real(-NEVER)
        shape = s
        shape.place = vec3()
        shape.turn = wp.identity(n=3, dtype=real)
        point = Solid()  # a ball without a radius
        point.kind = wp.static(SPHERE)
        at = wp.max(-wp.dot(o, d) - s.radius, real(0.0))
        for _ in range(APPROACHES):
            point.place = o + at * d
            c = walk(model, point, shape, vec3(), point.place, real(NEVER))
            if c.distance < NEAR:
                x.enter = at
                x.leave = real(NEVER)
                if c.distance > real(0.0):
                    x.normal = -c.normal
                return x
            x.normal = -c.normal
            slope = wp.dot(c.normal, d)
            if slope <= real(0.0):
                return x
            at = at + c.distance / slope
            if at > reach or at > -wp.dot(o, d) + s.radius:
                return x
        return x

    @func
    def to_solid(model, s: Solid, i: int, o: vec3, d: vec3, reach: real) -> Span:
        """Shape i, the ray in its axes."""
        x = spans.endless()
        x.leave = real(-NEVER)
        if s.kind == wp.static(SPHERE):
            return spans.through_ball(o, d, s.size[0])
        if s.kind == wp.static(CAPSULE):
            return spans.through_capsule(o, d, s.size[0], s.size[1])
        if s.kind == wp.static(WHEEL):
            return spans.to_wheel(s, o, d, reach)
        if s.kind == wp.static(BOX):
            return spans.through_box(s, o, d)
        if s.kind == wp.static(PLANE):
            return spans.cut(spans.endless(), vec3(real(0.0), real(0.0), real(1.0)), real(0.0), o, d)
        if wp.static(has_heights):
            if s.kind == wp.static(HEIGHTS):
                return to_heights(model, i, o, d, reach)
        if wp.static(has_mesh):
            if s.kind == wp.static(MESH):
                return to_mesh(model, i, o, d, reach)
        if wp.static(has_convex):
            if s.kind == wp.static(CYLINDER):
                return spans.through_cylinder(o, d, s.size[0], s.size[1])
            if s.kind == wp.static(HULL):
                return spans.through_hull(model, s, o, d)
            return to_convex(model, s, o, d, reach)
        return x

    @wp.struct
    class Hit:
        """The distance (m), the shape met (-1 if none) and its normal against the ray."""

        distance: real
        shape: int
        normal: vec3

    @func
    def cast(model, state, shapes: int, origin: vec3, d: vec3, reach: real, own: int, world: int) -> Hit:
        """The nearest hit of a ray with a unit direction; shapes of the body ``own`` are looked through."""
        hit = Hit()
        hit.distance = reach
        hit.shape = -1
        for i in range(shapes):
            if model.shape_body[i] != own or own == 0:
                a = solid_of(model, state, i, world)
                o = origin - a.place
                past = wp.dot(o, o) - wp.dot(o, d) * wp.dot(o, d)
                if a.radius > real(NEVER) or past <= a.radius * a.radius:
                    x = to_solid(model, a, i, wp.transpose(a.turn) * o, wp.transpose(a.turn) * d, hit.distance)
                    at = wp.max(x.enter, real(0.0))
                    if x.leave > x.enter and x.leave > real(0.0) and at < hit.distance:
                        hit.distance = at
                        hit.shape = i
                        hit.normal = a.turn * x.normal
                        if wp.dot(hit.normal, d) > real(0.0):
                            hit.normal = -hit.normal
        return hit

    return locals()


@cache
def make_distances(p: Precision, features: Features) -> Device:
    """The device function that reads a distance sensor of a world."""
    func = functions(p)
    cast = make_rays(p, features).cast

    @func
    def read_distance(model, state, work, shapes: int, i: int, world: int):
        """One distance sensor of one world."""
        body = model.ray_body[i]
        turn = state.rotation[body, world]
        origin = state.position[body, world] + wp.quat_rotate(turn, model.ray_place[i])
        d = wp.quat_rotate(turn, model.ray_direction[i])
        hit = cast(model, state, shapes, origin, d, model.ray_reach[i], body, world)
        work.ray_distance[i, world] = hit.distance

    return read_distance


@cache
def make_cast(p: Precision, features: Features) -> Device:
    """The device function that casts a ray of a batch."""
    func, Hits = functions(p), hits_struct(p)
    cast = make_rays(p, features).cast

    @func
    def cast_ray(
        model,
        state,
        shapes: int,
        origin: wp.array(dtype=p.vec3),
        direction: wp.array(dtype=p.vec3),
        reach: p.real,
        place: wp.vec2i,
        hits: Hits,
    ):
        """One ray of a batch."""
        i = place[0]
        world = place[1]
        hit = cast(model, state, shapes, origin[i], direction[i], reach, 0, world)
        hits.distance[i] = hit.distance
        hits.shape[i] = hit.shape
        hits.normal[i] = hit.normal

    return cast_ray
