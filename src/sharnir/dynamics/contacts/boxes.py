"""Two boxes: the axis along which they are farthest apart, of their 6 face normals and 9 products of edges.

    s(L) = |d.L| - sum_i a_i |A_i.L| - sum_i b_i |B_i.L|

is the separation along the unit axis L (d from a's to b's centre); the largest s is the overlap's depth when it is
negative, and a lower bound of the distance when it is not.
"""

from ..factory import Features, Made, Precision, factory, large_functions, wp
from .convex_distance import make_distance
from .manifold import make_manifold
from .solids import make_solids


@factory
def make_boxes(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = large_functions(p)
    solids, distances, shared = make_solids(p, features), make_distance(p, features), make_manifold(p, features)
    Solid, Manifold = solids.Solid, solids.Manifold
    Closest = distances.Closest

    NO_CROSS = wp.constant(real(1e-10 if p.name == "float64" else 1e-6))  # square of the sine of nearly parallel edges
    EDGE_BIAS = wp.constant(real(1e-7 if p.name == "float64" else 1e-4))  # of the size: faces win ties
    SLACK = wp.constant(real(1e-7 if p.name == "float64" else 1e-4))  # of the size

    @wp.struct
    class Axis:
        """Separation (m) and unit direction in a's axes."""

        separation: real
        direction: vec3

    @func
    def best_axis(a: Solid, b: Solid, margin: real) -> Axis:
        """The axis of 15 along which two boxes are farthest apart or overlap least, a's axes."""
        turn = wp.transpose(a.turn) * b.turn
        d = wp.transpose(a.turn) * (b.place - a.place)
        grow = mat33()
        best = Axis()
        best.separation = real(-1.0e30)
        for i in range(3):
            for j in range(3):
                grow[i, j] = wp.abs(turn[i, j])
        for i in range(3):
            s = wp.abs(d[i]) - a.size[i] - (grow[i, 0] * b.size[0] + grow[i, 1] * b.size[1] + grow[i, 2] * b.size[2])
            if s > best.separation:
                best.separation = s
                axis = vec3()
                axis[i] = real(1.0)
                best.direction = axis
        for j in range(3):
            column = vec3(turn[0, j], turn[1, j], turn[2, j])
            reach = grow[0, j] * a.size[0] + grow[1, j] * a.size[1] + grow[2, j] * a.size[2]
            s = wp.abs(wp.dot(d, column)) - b.size[j] - reach
            if s > best.separation + EDGE_BIAS * b.radius:
                best.separation = s
                best.direction = column
        if best.separation > margin:
            return best
        for i in range(3):
            i1 = (i + 1) % 3
            i2 = (i + 2) % 3
            for j in range(3):
                square = real(1.0) - turn[i, j] * turn[i, j]
                if square > NO_CROSS:
                    j1 = (j + 1) % 3
                    j2 = (j + 2) % 3
                    far = wp.abs(d[i2] * turn[i1, j] - d[i1] * turn[i2, j])
                    reach = (
                        a.size[i1] * grow[i2, j]
                        + a.size[i2] * grow[i1, j]
                        + b.size[j1] * grow[i, j2]
                        + b.size[j2] * grow[i, j1]
                    )
                    scale = real(1.0) / wp.sqrt(square)
                    s = (far - reach) * scale
                    if s > best.separation + EDGE_BIAS * a.radius:
                        best.separation = s
                        axis = vec3()
                        axis[i1] = -turn[i2, j] * scale
                        axis[i2] = turn[i1, j] * scale
                        best.direction = axis
        if wp.dot(best.direction, d) < real(0.0):
            best.direction = -best.direction
        return best

    @func
    def box_box(model, a: Solid, b: Solid, margin: real) -> Manifold:
        """The points of two boxes."""
        axis = best_axis(a, b, margin)
        none = Manifold()
        if axis.separation > margin:
            return none
        n = a.turn * axis.direction
        c = Closest()
        c.normal = n
        c.distance = axis.separation
        f = shared.over_faces(model, a, b, c, margin)
        if shared.deepest_gap(f, margin) <= axis.separation + SLACK * wp.min(a.radius, b.radius):
            return f
        # the deepest corner does not lie over the face: the separation is not the distance, and edges may cross
        if axis.separation > real(0.0):
            c = distances.closest(model, a, b, margin)
            if c.is_far == 1:
                return none
        else:
            c = distances.away(model, a, b, n, -axis.separation)
            c.normal = n
            c.distance = axis.separation
        return shared.spread(model, a, b, c, margin)

    return locals()
