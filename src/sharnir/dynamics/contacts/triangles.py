"""A solid on one triangle of terrain, in the frame of the terrain.

The triangle is the top of a prism, so that what has sunk in is pushed out. A body that rolls or slides over a surface
of many triangles must feel the surface and not their edges: a normal u at a point q of an edge or corner is the
surface's own only if the surface there lies behind it,

    u . (y - q) <= 0        for the vertices y across the edge, or about the corner

which where it is flat or hollow holds for no other normal than the faces'. What is left out, the neighbour has found.
"""

from ...model.contacts import SPHERE, TRIANGLE
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .convex_distance import make_distance
from .manifold import SQUARE, make_manifold
from .simplex import make_simplex
from .solids import make_solids

TILT = 1e-6  # rad: how far a normal may lie outside of what an edge or corner allows
OWN = 1e-3  # rad: a normal this near to the face's is the face's
SMOOTH = 0.8  # cosine: neighbours that lean less than 37 degrees from a face continue it
SHALLOW = 0.1  # of a solid's radius: up to here a face's own normal is the shortest way out of smooth terrain
MESH_DEPTH = 0.5  # of a solid's radius: how far a mesh is solid below its triangles
GROUND_DEPTH = 2.0  # the same for a height field
UNDECIDED = -1
LOWERINGS = 8  # steps of letting a solid down onto a triangle


@factory
def make_triangles(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    solids, distances, shared = make_solids(p, features), make_distance(p, features), make_manifold(p, features)
    Solid, Face, Manifold, Closest = solids.Solid, solids.Face, solids.Manifold, distances.Closest
    shares_of = make_simplex(p).on_triangle
    has_heights, has_mesh = "heights" in features.contact_kinds, "mesh" in features.contact_kinds

    @wp.struct
    class Triangle:
        """Corners counterclockwise seen from outside, and the vertices across ab, bc, ca where there is a neighbour."""

        a: vec3
        b: vec3
        c: vec3
        across_ab: vec3
        across_bc: vec3
        across_ca: vec3
        has_ab: int
        has_bc: int
        has_ca: int
        normal: vec3
        is_ground: int  # 1: of a height field, solid all the way down
        ground: int  # the shape it belongs to
        corner_a: int  # numbers of its corners, in the field or among all vertices of meshes
        corner_b: int
        corner_c: int

    @func
    def height_at(model, g: int, i: int, j: int) -> vec3:
        """The vertex in row i and column j of height field g."""
        rows = model.height_rows[g]
        columns = model.height_columns[g]
        size = model.shape_size[g]
        return vec3(
            (real(i) - real(0.5) * real(rows - 1)) * size[0],
            (real(j) - real(0.5) * real(columns - 1)) * size[1],
            model.height[model.height_start[g] + i * columns + j],
        )

    @func
    def prism(x: Triangle, radius: real) -> Solid:
        """The triangle with what is below it, for a solid of a radius."""
        back = (real(-MESH_DEPTH) * radius) * x.normal
        if x.is_ground == 1:
            back = vec3(real(0.0), real(0.0), real(-GROUND_DEPTH) * radius)
        s = Solid()
        s.kind = TRIANGLE
        s.place = x.a
        s.turn = wp.matrix_from_cols(x.b - x.a, x.c - x.a, back)
        s.radius = wp.max(wp.length(x.b - x.a), wp.length(x.c - x.a))
        return s

    @func
    def goes_on(normal: vec3, q: vec3, r: vec3, across: vec3) -> bool:
        """Whether the neighbour at the edge q r, which has its third corner across, bends little from the normal."""
        beyond = wp.cross(q - r, across - r)
        along = wp.dot(normal, beyond)
        return along > real(0.0) and along * along > real(SMOOTH * SMOOTH) * wp.dot(beyond, beyond)

    @func
    def is_behind(u: vec3, q: vec3, y: vec3) -> bool:
        """Whether the point y of the surface lies behind the plane through q with the normal u."""
        return wp.dot(u, y - q) <= real(TILT) * wp.length(y - q)

    @func
    def corner_allows(model, x: Triangle, u: vec3, corner: int) -> bool:
        """Whether all vertices about a corner lie behind its normal u."""
        if wp.static(has_heights):
            if x.is_ground == 1:
                columns = model.height_columns[x.ground]
                i = corner // columns
                j = corner % columns
                q = height_at(model, x.ground, i, j)
                for k in range(wp.max(i - 1, 0), wp.min(i + 2, model.height_rows[x.ground])):
                    for n in range(wp.max(j - 1, 0), wp.min(j + 2, columns)):
                        # cells are cut along (1, 1): there is no edge to the neighbours along (1, -1)
                        if (k - i) * (n - j) >= 0 and not is_behind(u, q, height_at(model, x.ground, k, n)):
                            return False
                return True
        if wp.static(has_mesh):
            q = model.mesh_vertex[corner]
            for i in range(model.ring_start[corner], model.ring_start[corner + 1]):
                if not is_behind(u, q, model.mesh_vertex[model.ring[i]]):
                    return False
        return True

    @func
    def is_allowed(model, x: Triangle, u: vec3, share: vec3) -> bool:
        """Whether u is the surface's normal at the point with these shares of a, b, c, and not an edge's.

        It points out of the surface, and out of the ground upwards.
        """
        if wp.dot(u, x.normal) < real(-TILT) or (x.is_ground == 1 and u[2] <= real(0.0)):
            return False
        whole = real(1.0 - 1.0e-4)
        if share[0] > whole:
            return corner_allows(model, x, u, x.corner_a)
        if share[1] > whole:
            return corner_allows(model, x, u, x.corner_b)
        if share[2] > whole:
            return corner_allows(model, x, u, x.corner_c)
        none = real(1.0e-4)
        q = share[0] * x.a + share[1] * x.b + share[2] * x.c
        if share[2] < none:
            return x.has_ab == 0 or is_behind(u, q, x.across_ab)
        if share[0] < none:
            return x.has_bc == 0 or is_behind(u, q, x.across_bc)
        if share[1] < none:
            return x.has_ca == 0 or is_behind(u, q, x.across_ca)
        return False

    @func
    def is_smooth(x: Triangle) -> bool:
        """Whether the surface goes on over all three edges without a sharp bend."""
        if x.has_ab + x.has_bc + x.has_ca < 3:
            return False
        return (
            goes_on(x.normal, x.a, x.b, x.across_ab)
            and goes_on(x.normal, x.b, x.c, x.across_bc)
            and goes_on(x.normal, x.c, x.a, x.across_ca)
        )

    @func
    def from_face(x: Triangle, low: vec3, height: real) -> Closest:
        """The face's own normal, with the solid's lowest point at a height over it."""
        c = Closest()
        c.normal = -x.normal
        c.distance = height
        c.on_a = low
        c.on_b = low - height * x.normal
        return c

    @func
    def is_over(x: Triangle, q: vec3, height: real) -> bool:
        """Whether q, at a height over its plane, lies over the triangle; below ground, whether right under it."""
        slack = real(-1.0e-9)
        n = x.normal
        if x.is_ground == 1 and height < real(0.0):
            n = vec3(real(0.0), real(0.0), real(1.0))
        return (
            wp.dot(wp.cross(n, x.b - x.a), q - x.a) > slack
            and wp.dot(wp.cross(n, x.c - x.b), q - x.b) > slack
            and wp.dot(wp.cross(n, x.a - x.c), q - x.c) > slack
        )

    @func
    def ball_on(model, x: Triangle, a: Solid, q: vec3, share: vec3, height: real, margin: real) -> Manifold:
        """A sphere: the nearest point q of the triangle is all there is to know."""
        none = Manifold()
        if wp.min(share) > real(0.0) or height <= real(0.0):
            if is_over(x, a.place, height):
                return shared.single(from_face(x, a.place, height), a.size[0], real(0.0), margin)
            return none
        c = Closest()
        c.distance = wp.length(q - a.place)
        c.normal = (q - a.place) / c.distance
        c.on_a = a.place
        c.on_b = q
        if not is_allowed(model, x, -c.normal, share):
            return none
        return shared.single(c, a.size[0], real(0.0), margin)

    @func
    def lifted(model, a: Solid, s: Solid, x: Triangle, depth: real, ra: real) -> Manifold:
        """How far the solid must rise along the face's normal to leave the prism; it does after the depth given.

        From there it is let down by what the distance surely allows, until it touches.
        """
        f = Manifold()
        f.normal = -x.normal
        rise = depth
        c = Closest()
        for _ in range(LOWERINGS):
            c = distances.walk(model, a, s, -rise * x.normal, x.normal, real(1.0e30))
            clearance = c.distance - ra
            if clearance < real(1.0e-6) * a.radius:
                break
            rise = rise - clearance / wp.max(-wp.dot(c.normal, x.normal), real(0.05))
        if rise > real(0.0):
            f = shared.put(f, c.on_b - (real(0.5) * rise) * x.normal, -rise, 0)
        return f

    @func
    def may_touch(x: Triangle, a: Solid, margin: real) -> bool:
        """Whether the ball that holds a solid comes near the triangle, or is under ground there."""
        above = wp.dot(x.normal, a.place - x.a)
        if above > a.radius + margin:
            return False
        if x.is_ground == 1:
            if above < real(0.0):
                return True
        elif above < real(0.0):
            return False
        share = shares_of(x.a - a.place, x.b - a.place, x.c - a.place)
        off = share[0] * x.a + share[1] * x.b + share[2] * x.c - a.place
        return wp.dot(off, off) < (a.radius + margin) * (a.radius + margin)

    @func
    def is_flat_on(x: Triangle, bottom: Face) -> bool:
        """Whether the solid's lowest edge or face is nearly parallel to the triangle."""
        if bottom.count == 2:
            d = bottom.corner[1] - bottom.corner[0]
            rise = wp.dot(d, x.normal)
            return rise * rise < real(wp.static(1.0 - SQUARE * SQUARE)) * wp.dot(d, d)
        return bottom.count > 2 and -wp.dot(bottom.normal, x.normal) > real(SQUARE)

    @func
    def at_once(model, a: Solid, x: Triangle, margin: real) -> Manifold:
        """Where a solid touches a triangle, if that can be said by its lowest face; else the count is UNDECIDED.

        The normal points from the solid into the surface.
        """
        f = Manifold()
        if a.kind == wp.static(SPHERE):
            share = shares_of(x.a - a.place, x.b - a.place, x.c - a.place)
            q = share[0] * x.a + share[1] * x.b + share[2] * x.c
            return ball_on(model, x, a, q, share, wp.dot(x.normal, a.place - x.a), margin)
        ra = solids.rounding(a)
        low = solids.support(model, a, -x.normal)
        height = wp.dot(x.normal, low - x.a)
        if height - ra >= margin:
            return f
        is_low = is_over(x, low, height)
        is_sunk = x.is_ground == 1 and is_low and height < ra
        is_easy = ra - height < real(SHALLOW) * a.radius and is_smooth(x)
        if is_sunk or (is_easy and (is_low or is_flat_on(x, solids.face(model, a, -x.normal)))):
            own = from_face(x, low, height)
            s = prism(x, a.radius)
            f = shared.over_faces(model, a, s, own, margin)
            if is_low:
                f = shared.completed(f, a, s, own, margin)
        if f.count == 0:
            f.count = UNDECIDED
        return f

    @func
    def thoroughly(model, a: Solid, x: Triangle, deepest: real, margin: real) -> Manifold:
        """The same by the distance; nothing where smooth ground cannot be deeper than what was found, ``deepest``."""
        none = Manifold()
        ra = solids.rounding(a)
        height = wp.dot(x.normal, solids.support(model, a, -x.normal) - x.a)
        smooth = is_smooth(x)
        share = shares_of(x.a - a.place, x.b - a.place, x.c - a.place)
        at_least = height - ra
        if wp.dot(x.normal, a.place - x.a) > real(0.0):
            to_middle = wp.length(share[0] * x.a + share[1] * x.b + share[2] * x.c - a.place)
            at_least = wp.max(at_least, to_middle - a.radius)
        if smooth and at_least > deepest - real(1.0e-4) * a.radius:
            return none
        s = prism(x, a.radius)
        c = distances.closest_to_face(model, a, s, -x.normal, margin + ra)
        if c.is_far == 1:
            return none
        on = shares_of(x.a - c.on_b, x.b - c.on_b, x.c - c.on_b)
        is_own = -wp.dot(c.normal, x.normal) > real(wp.static(1.0 - 0.5 * OWN * OWN))
        if is_own:
            c.normal = -x.normal
        if is_own or is_allowed(model, x, -c.normal, on):
            return shared.spread(model, a, s, c, margin)
        if c.distance < ra and (x.is_ground == 1 or (smooth and ra - height < a.radius)):
            return lifted(model, a, s, x, ra - height, ra)
        return none

    return locals()
