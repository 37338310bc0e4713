"""The triangles of height fields and meshes, by their numbers, with the vertices across their edges."""

from ...model.contacts import HEIGHTS
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .triangles import make_triangles


@factory
def make_facets(p: Precision, features: Features) -> Made:
    real = p.real
    func = large_functions(p)
    triangles = make_triangles(p, features)
    Triangle = triangles.Triangle
    has_heights = "heights" in features.contact_kinds

    @func
    def cell_top(model, g: int, i: int, j: int) -> real:
        """The highest corner of the cell with its lower corner in row i, column j, m."""
        columns = model.height_columns[g]
        at = model.height_start[g] + i * columns + j
        return wp.max(
            wp.max(model.height[at], model.height[at + 1]),
            wp.max(model.height[at + columns], model.height[at + columns + 1]),
        )

    @func
    def cell_triangle(model, g: int, i: int, j: int, half: int) -> Triangle:
        """One half of the cell with its lower corner in row i, column j, cut from there to the opposite corner."""
        x = Triangle()
        first = i * model.height_columns[g] + j
        opposite = first + model.height_columns[g] + 1
        x.is_ground = 1
        x.ground = g
        x.corner_a = first
        x.a = triangles.height_at(model, g, i, j)
        if half == 0:
            x.b = triangles.height_at(model, g, i + 1, j)
            x.c = triangles.height_at(model, g, i + 1, j + 1)
            x.corner_b = opposite - 1
            x.corner_c = opposite
        else:
            x.b = triangles.height_at(model, g, i + 1, j + 1)
            x.c = triangles.height_at(model, g, i, j + 1)
            x.corner_b = opposite
            x.corner_c = first + 1
        x.normal = wp.normalize(wp.cross(x.b - x.a, x.c - x.a))
        return x

    @func
    def cell_neighbours(model, g: int, i: int, j: int, half: int, x: Triangle) -> Triangle:
        """The same triangle with the vertices across its edges."""
        if half == 0:
            x.across_ca = triangles.height_at(model, g, i, j + 1)
            x.has_ca = 1
            if j > 0:
                x.across_ab = triangles.height_at(model, g, i, j - 1)
                x.has_ab = 1
            if i + 2 < model.height_rows[g]:
                x.across_bc = triangles.height_at(model, g, i + 2, j + 1)
                x.has_bc = 1
        else:
            x.across_ab = triangles.height_at(model, g, i + 1, j)
            x.has_ab = 1
            if j + 2 < model.height_columns[g]:
                x.across_bc = triangles.height_at(model, g, i + 1, j + 2)
                x.has_bc = 1
            if i > 0:
                x.across_ca = triangles.height_at(model, g, i - 1, j)
                x.has_ca = 1
        return x

    @func
    def mesh_triangle(model, i: int) -> Triangle:
        """Triangle i of a mesh."""
        x = Triangle()
        x.corner_a = model.triangle[6 * i]
        x.corner_b = model.triangle[6 * i + 1]
        x.corner_c = model.triangle[6 * i + 2]
        x.a = model.mesh_vertex[x.corner_a]
        x.b = model.mesh_vertex[x.corner_b]
        x.c = model.mesh_vertex[x.corner_c]
        x.normal = wp.normalize(wp.cross(x.b - x.a, x.c - x.a))
        return x

    @func
    def mesh_neighbours(model, i: int, x: Triangle) -> Triangle:
        """The triangle with the corners across its edges."""
        ab = model.triangle[6 * i + 3]
        bc = model.triangle[6 * i + 4]
        ca = model.triangle[6 * i + 5]
        if ab >= 0:
            x.across_ab = model.mesh_vertex[ab]
            x.has_ab = 1
        if bc >= 0:
            x.across_bc = model.mesh_vertex[bc]
            x.has_bc = 1
        if ca >= 0:
            x.across_ca = model.mesh_vertex[ca]
            x.has_ca = 1
        return x

    @func
    def triangle_at(model, g: int, number: int) -> Triangle:
        """The triangle of terrain g with a number, neighbours and all."""
        if wp.static(has_heights):
            if model.shape_kind[g] == wp.static(HEIGHTS):
                cell = number // 2
                i = cell // model.height_columns[g]
                j = cell % model.height_columns[g]
                return cell_neighbours(model, g, i, j, number % 2, cell_triangle(model, g, i, j, number % 2))
        return mesh_neighbours(model, number, mesh_triangle(model, number))

    return locals()
