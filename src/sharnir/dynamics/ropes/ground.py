"""A rope on the triangles of a height field or a mesh, in the terrain's own axes.

The node at the start of an element is a ball; between its nodes an element, a segment grown by the rope's radius, can
only touch edges that stand out, and peaks. An edge where the surface bends by the angle b stands out of an element of
length l between nodes on both sides by at most l b/4; as long as that is little, the nodes are enough. Where an element
crosses an edge with the nearest points x and y,

    n = u x e/|u x e|       upwards,   gap n.(x - y) - r

if the triangles on both sides lie behind n; at a peak n points from the peak to x (see ``contacts/triangles.py``).
"""

from ...model.contacts import HEIGHTS, MESH, SPHERE
from ..algebra import make_algebra
from ..contacts.facets import make_facets
from ..contacts.solids import make_solids
from ..contacts.terrain import make_terrain
from ..contacts.triangles import make_triangles
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .segments import make_segments
from .touch_points import make_touch_points

INSIDE = 1e-3  # share of an element's length: nearer to its ends the nodes answer for it
SINKS = 0.1  # of the radius: how deep an element may be in a gentle curve between its nodes, which then carry it alone


@factory
def make_rope_ground(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = large_functions(p)
    triangles, facets = make_triangles(p, features), make_facets(p, features)
    Triangle = triangles.Triangle
    Solid, cell_of = make_solids(p, features).Solid, make_terrain(p, features).cell_of
    places, nearest_shares = make_touch_points(p, features), make_segments(p).nearest_shares
    diagonal = make_algebra(p).diagonal
    has_heights, has_mesh = "heights" in features.contact_kinds, "mesh" in features.contact_kinds

    @wp.struct
    class Piece:
        """An element in the terrain's axes, from its first node; ``along`` is zero after the last node."""

        element: int
        shape: int
        turn: p.mat33  # terrain's axes to the world's
        start: vec3
        along: vec3
        radius: real
        margin: real
        apart: real  # share of the length within which two places are one

    @func
    def ball(x: Piece) -> Solid:
        """The node as a solid."""
        a = Solid()
        a.kind = wp.static(SPHERE)
        a.size = vec3(x.radius, real(0.0), real(0.0))
        a.place = x.start
        a.turn = diagonal(real(1.0))
        a.radius = x.radius
        return a

    @func
    def turned(f: Triangle) -> Triangle:
        """The triangle from its next corner on."""
        x = Triangle()
        x.a = f.b
        x.b = f.c
        x.c = f.a
        x.across_ab = f.across_bc
        x.across_bc = f.across_ca
        x.across_ca = f.across_ab
        x.has_ab = f.has_bc
        x.has_bc = f.has_ca
        x.has_ca = f.has_ab
        x.corner_a = f.corner_b
        x.corner_b = f.corner_c
        x.corner_c = f.corner_a
        x.normal = f.normal
        x.is_ground = f.is_ground
        x.ground = f.ground
        return x

    @func
    def over_edge(model, memory, work, x: Piece, f: Triangle, world: int):
        """The edge ab of a triangle; of two triangles that share it, the one that has it upwards by number counts."""
        if f.has_ab == 1:
            if f.corner_a > f.corner_b:
                return
            bend = wp.length(wp.cross(f.normal, wp.normalize(wp.cross(f.a - f.b, f.across_ab - f.b))))
            if real(0.25) * bend * wp.length(x.along) < wp.static(real(SINKS)) * x.radius:
                return
        edge = f.b - f.a
        shares = nearest_shares(x.start, x.along, f.a, edge, real(0.0))
        if shares[0] < wp.static(real(INSIDE)) or shares[0] > wp.static(real(1.0 - INSIDE)):
            return
        on = f.a + shares[1] * edge
        off = x.start + shares[0] * x.along - on
        normal = wp.cross(x.along, edge)
        size = wp.length(normal)
        at_peak = shares[1] == real(0.0) or shares[1] == real(1.0)
        if at_peak:
            normal = off
            size = wp.length(off)
        elif size < wp.static(real(1e-6)) * wp.length(x.along) * wp.length(edge):
            return
        if size == real(0.0):
            return
        normal = normal / size
        if wp.dot(normal, f.normal) < real(0.0):
            normal = -normal
        gap = wp.dot(normal, off) - x.radius
        deepest = -x.radius
        if f.is_ground == 1:
            deepest = real(-2.0) * x.radius - x.margin
        if gap > x.margin or gap < deepest:
            return
        allowed = bool(False)
        if at_peak:
            corner = f.corner_a
            if shares[1] == real(1.0):
                corner = f.corner_b
            allowed = triangles.corner_allows(model, f, normal, corner)
        else:
            allowed = triangles.is_behind(normal, on, f.c) and (
                f.has_ab == 0 or triangles.is_behind(normal, on, f.across_ab)
            )
        if allowed:
            places.note(
                memory, work, places.place_of(x.shape, shares[0], x.apart, x.turn * normal, gap), x.element, world
            )

    @func
    def over_triangle(model, memory, work, x: Piece, f: Triangle, with_node: bool, world: int):
        """Node and element over one triangle, its neighbours known."""
        if with_node:
            a = ball(x)
            if triangles.may_touch(f, a, x.margin):
                found = triangles.at_once(model, a, f, x.margin)
                if found.count > 0:
                    place = places.place_of(x.shape, real(0.0), x.apart, -(x.turn * found.normal), found.gap[0])
                    places.note(memory, work, place, x.element, world)
        if wp.length_sq(x.along) > real(0.0):
            low = wp.min(wp.dot(f.normal, x.start - f.a), wp.dot(f.normal, x.start + x.along - f.a))
            if low < x.radius + x.margin:
                for _ in range(3):
                    over_edge(model, memory, work, x, f, world)
                    f = turned(f)

    @func
    def over_cells(model, memory, work, x: Piece, low: vec3, high: vec3, with_node: bool, world: int):
        """All cells of a height field under the element."""
        g = x.shape
        size = model.shape_size[g]
        rows = model.height_rows[g]
        columns = model.height_columns[g]
        if low[2] > size[2]:
            return
        for i in range(cell_of(low[0], size[0], rows), cell_of(high[0], size[0], rows) + 1):
            for j in range(cell_of(low[1], size[1], columns), cell_of(high[1], size[1], columns) + 1):
                if low[2] <= facets.cell_top(model, g, i, j):
                    for half in range(2):
                        f = facets.cell_neighbours(model, g, i, j, half, facets.cell_triangle(model, g, i, j, half))
                        over_triangle(model, memory, work, x, f, with_node, world)

    @func
    def over_mesh(model, memory, work, x: Piece, low: vec3, high: vec3, with_node: bool, world: int):
        """All triangles of a mesh near the element; looked for in float32, so a little wider."""
        slack = real(1.0e-5) * (model.shape_radius[x.shape] + x.radius)
        query = wp.mesh_query_aabb(
            model.shape_mesh[x.shape],
            wp.vec3(float(low[0] - slack), float(low[1] - slack), float(low[2] - slack)),
            wp.vec3(float(high[0] + slack), float(high[1] + slack), float(high[2] + slack)),
        )
        found = int(0)
        while wp.mesh_query_aabb_next(query, found):
            number = model.triangle_start[x.shape] + found
            over_triangle(
                model,
                memory,
                work,
                x,
                facets.mesh_neighbours(model, number, facets.mesh_triangle(model, number)),
                with_node,
                world,
            )

    @func
    def over_ground(model, memory, work, x: Piece, with_node: bool, world: int):
        """Note where an element, and its first node if wanted, touches a height field or a mesh."""
        far = x.radius + x.margin
        wide = vec3(far, far, far)
        low = wp.min(x.start, x.start + x.along) - wide
        high = wp.max(x.start, x.start + x.along) + wide
        if wp.static(has_heights):
            if model.shape_kind[x.shape] == wp.static(HEIGHTS):
                over_cells(model, memory, work, x, low, high, with_node, world)
        if wp.static(has_mesh):
            if model.shape_kind[x.shape] == wp.static(MESH):
                over_mesh(model, memory, work, x, low, high, with_node, world)

    return locals()
