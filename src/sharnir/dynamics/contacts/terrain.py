"""A solid on a height field or a mesh: the triangles near it, and of all their points those that carry it.

Points are sorted by their normal into a few sides (floor, wall, ...). On each side the deepest point is kept and, of a
solid that can stand, the outermost one towards each of its eight corners; a point counts as less far out when it is
still above the surface. Their places in this table are the features by which contacts are known from step to step. Of a
wheel that rolls the two ends of its tread are kept beside the deepest point, and make one point, as on a plane.
"""

from ...model.contacts import HEIGHTS, MESH, PLANE, SPHERE, WHEEL
from ..factory import Features, Made, Precision, factory, large_functions, wp
from .contact_list import make_contact_list
from .facets import make_facets
from .manifold import BLEND
from .solids import make_solids
from .triangles import UNDECIDED, make_triangles

SIDES = 3
PLACES = 9  # of a side: the deepest, and eight corners
SAME_SIDE = {True: 0.94, False: 0.8}  # cosine between normals of one side, for what touches in one point and for others
LATER = 24  # triangles put off until the easy ones are done: many need no closer look then
HOVER = 10.0  # a point this much nearer the surface is worth one farther out by 1


@factory
def make_terrain(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = large_functions(p)
    solids, triangles = make_solids(p, features), make_triangles(p, features)
    Solid, Manifold = solids.Solid, solids.Manifold
    Triangle = triangles.Triangle
    facets = make_facets(p, features)
    lists = make_contact_list(p)
    Point, Candidates = lists.Point, lists.Candidates
    has_heights, has_mesh = "heights" in features.contact_kinds, "mesh" in features.contact_kinds
    TABLE = SIDES * PLACES
    NOTHING = wp.constant(real(-1.0e30))

    @func
    def corner(i: int) -> vec3:
        """The direction of one of eight corners."""
        return vec3(real(2 * (i & 1) - 1), real((i & 2) - 1), real((i & 4) // 2 - 1))

    @wp.struct
    class Spot:
        """A place of the table: a point with its normal and gap, and how good it is there. After the places of all
        sides follows one more a side, with the normal that opened it."""

        point: vec3
        normal: vec3
        gap: real
        score: real

    @func
    def side_of(spots: wp.array(dtype=Spot), n: vec3, alike: real) -> int:
        """The side that a normal belongs to; a new one while there is room."""
        best = int(0)
        most = real(-2.0)
        for i in range(SIDES):
            opened = spots[TABLE + i]
            if opened.score == NOTHING:
                if most < alike:
                    opened.normal = n
                    opened.score = real(0.0)
                    spots[TABLE + i] = opened
                    return i
            elif wp.dot(opened.normal, n) > most:
                most = wp.dot(opened.normal, n)
                best = i
        return best

    @func
    def keep(a: Solid, f: Manifold, spots: wp.array(dtype=Spot)):
        """Put the points of a triangle where they beat what is in the table."""
        alike = real(wp.static(SAME_SIDE[False]))
        places = int(PLACES)
        rolls = solids.rolls(a, f.normal)
        if a.kind == wp.static(SPHERE) or rolls:
            alike = real(wp.static(SAME_SIDE[True]))
            places = 1
            if rolls:
                places = 3
        first = side_of(spots, f.normal, alike) * PLACES
        for i in range(f.count):
            spot = Spot()
            spot.point = f.point[i]
            spot.normal = f.normal
            spot.gap = f.gap[i]
            out = wp.transpose(a.turn) * (spot.point - a.place)
            for j in range(places):
                spot.score = -spot.gap
                if j > 0:
                    aim = corner(j - 1)
                    if rolls:
                        aim = vec3(real(0.0), real(0.0), real(2 * j - 3))  # along the axle, one way and the other
                    spot.score = wp.dot(aim, out) - real(HOVER) * wp.max(spot.gap, real(0.0))
                old = spots[first + j]
                if spot.score > old.score:
                    spots[first + j] = spot

    @func
    def reach(model, a: Solid, margin: real) -> mat33:
        """The box that holds a solid and its margin: lower corner in row 0, upper one in row 1."""
        far = solids.rounding(a) + margin
        box = mat33()
        for i in range(3):
            d = vec3()
            d[i] = real(1.0)
            box[0, i] = solids.support(model, a, -d)[i] - far
            box[1, i] = solids.support(model, a, d)[i] + far
        return box

    @func
    def cell_of(x: real, step: real, count: int) -> int:
        """The cell along one side of a field that holds a coordinate, its middle at 0; not beyond the ends."""
        return wp.clamp(int(wp.floor(x / step + real(0.5) * real(count - 1))), 0, count - 2)

    @func
    def deepest_of(spots: wp.array(dtype=Spot), margin: real) -> real:
        """The least gap found so far, the margin if there is none, m."""
        deepest = margin
        for i in range(SIDES):
            spot = spots[i * PLACES]
            if spot.score != NOTHING:
                deepest = wp.min(deepest, spot.gap)
        return deepest

    @func
    def try_triangle(
        model, a: Solid, x: Triangle, number: int, margin: real, spots: wp.array(dtype=Spot), later: wp.array(dtype=int)
    ):
        """Keep what the triangle gives at once; what takes longer is put off, as far as there is room."""
        f = triangles.at_once(model, a, x, margin)
        if f.count == UNDECIDED:
            if later[0] < LATER:
                later[0] = later[0] + 1
                later[later[0]] = number
            else:
                f = triangles.thoroughly(model, a, x, deepest_of(spots, margin), margin)
        if f.count > 0:
            keep(a, f, spots)

    @func
    def outside(x: real, low: real, length: real) -> real:
        """How far x is from the stretch of a length that begins at low."""
        return wp.max(wp.max(low - x, x - low - length), real(0.0))

    @func
    def over_heights(model, a: Solid, g: int, margin: real, spots: wp.array(dtype=Spot), later: wp.array(dtype=int)):
        """Every cell of a height field below the solid that reaches up to it."""
        box = reach(model, a, margin)
        size = model.shape_size[g]
        if box[0, 2] > size[2]:
            return
        rows = model.height_rows[g]
        columns = model.height_columns[g]
        for i in range(cell_of(box[0, 0], size[0], rows), cell_of(box[1, 0], size[0], rows) + 1):
            for j in range(cell_of(box[0, 1], size[1], columns), cell_of(box[1, 1], size[1], columns) + 1):
                top = facets.cell_top(model, g, i, j)
                # from the solid's middle to the column under the cell
                off = vec3(
                    outside(a.place[0], (real(i) - real(0.5) * real(rows - 1)) * size[0], size[0]),
                    outside(a.place[1], (real(j) - real(0.5) * real(columns - 1)) * size[1], size[1]),
                    wp.max(a.place[2] - top, real(0.0)),
                )
                if box[0, 2] <= top and wp.dot(off, off) < (a.radius + margin) * (a.radius + margin):
                    for half in range(2):
                        x = facets.cell_triangle(model, g, i, j, half)
                        if triangles.may_touch(x, a, margin):
                            x = facets.cell_neighbours(model, g, i, j, half, x)
                            try_triangle(model, a, x, 2 * (i * columns + j) + half, margin, spots, later)

    @func
    def over_mesh(model, a: Solid, g: int, margin: real, spots: wp.array(dtype=Spot), later: wp.array(dtype=int)):
        """Every triangle of a mesh whose box meets that of the solid; looked for in float32, so a little wider."""
        box = reach(model, a, margin + real(1.0e-5) * (model.shape_radius[g] + a.radius))
        query = wp.mesh_query_aabb(
            model.shape_mesh[g],
            wp.vec3(float(box[0, 0]), float(box[0, 1]), float(box[0, 2])),
            wp.vec3(float(box[1, 0]), float(box[1, 1]), float(box[1, 2])),
        )
        found = int(0)
        while wp.mesh_query_aabb_next(query, found):
            number = model.triangle_start[g] + found
            x = facets.mesh_triangle(model, number)
            if triangles.may_touch(x, a, margin):
                try_triangle(model, a, facets.mesh_neighbours(model, number, x), number, margin, spots, later)

    @func
    def is_new(spots: wp.array(dtype=Spot), i: int, near: real) -> bool:
        """Whether place i of the table is filled, with a point that none of its side before it has."""
        mine = spots[i]
        if mine.score == NOTHING:
            return False
        for j in range((i // PLACES) * PLACES, i):
            other = spots[j]
            d = mine.point - other.point
            if other.score != NOTHING and wp.dot(d, d) < near * near:
                return False
        return True

    @func
    def join_tread(a: Solid, spots: wp.array(dtype=Spot), first: int):
        """The points of a wheel on one side as one, where a plane has it.

        It is the mean of the ends of the tread, as far as they are as deep as the deepest point.
        """
        deepest = spots[first]
        if deepest.score == NOTHING or not solids.rolls(a, deepest.normal):
            return
        ends = vec3()
        total = real(0.0)
        most = real(0.0)
        for j in range(1, 3):
            end = spots[first + j]
            share = wp.max(real(1.0) - (end.gap - deepest.gap) / (real(BLEND) * a.radius), real(0.0))
            ends += share * end.point
            total += share
            most = wp.max(most, share)
            end.score = NOTHING
            spots[first + j] = end
        deepest.point = (ends + (real(1.0) - most) * deepest.point) / (total + real(1.0) - most)
        spots[first] = deepest

    @func
    def touch_terrain(model, work, report, settings, ground: Solid, solid: Solid, pair: Candidates, world: int):
        """All points of a solid on terrain, either of which is shape a of the pair."""
        is_first = model.shape_kind[pair.a] > wp.static(PLANE)
        margin = pair.margin
        g = pair.b
        if is_first:
            g = pair.a
        a = solid
        a.place = wp.transpose(ground.turn) * (solid.place - ground.place)
        a.turn = wp.transpose(ground.turn) * solid.turn
        empty = Spot()
        empty.score = NOTHING
        spots = wp.zeros(shape=wp.static(TABLE + SIDES), dtype=Spot)
        for i in range(wp.static(TABLE + SIDES)):
            spots[i] = empty
        later = wp.zeros(shape=wp.static(LATER + 1), dtype=int)
        if wp.static(has_heights):
            if ground.kind == wp.static(HEIGHTS):
                over_heights(model, a, g, margin, spots, later)
        if wp.static(has_mesh):
            if ground.kind == wp.static(MESH):
                over_mesh(model, a, g, margin, spots, later)
        for i in range(later[0]):
            f = triangles.thoroughly(
                model, a, facets.triangle_at(model, g, later[i + 1]), deepest_of(spots, margin), margin
            )
            if f.count > 0:
                keep(a, f, spots)
        if a.kind == wp.static(WHEEL):
            for i in range(SIDES):
                join_tread(a, spots, i * PLACES)
        found = Point()
        found.a = pair.a
        found.b = pair.b
        for i in range(TABLE):
            if is_new(spots, i, real(1.0e-3) * a.radius):
                spot = spots[i]
                found.normal = ground.turn * spot.normal
                if is_first:
                    found.normal = -found.normal
                found.point = ground.place + ground.turn * spot.point
                found.gap = spot.gap
                found.feature = i
                lists.emit(work, report, settings, found, world)

    return locals()
