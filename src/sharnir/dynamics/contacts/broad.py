"""The broad phase: which shapes are near enough to look at closely.

Every shape gets a box in world axes that holds it now and, at its present speed, throughout the step. The boxes of
convex shapes are sorted along the axis on which they are spread most, and swept: only those that overlap on it are
compared on the other two. The order of the last step is nearly right, so an insertion sort costs little; ties go by
number, so the order does not depend on the past. Terrain is compared with every shape that can move.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.contacts import BOX, CAPSULE, CYLINDER, PLANE, SPHERE, WHEEL
from ...model.features import Features
from ...model.fields import references, structs
from ...model.precision import Precision
from ..nothing import NOTHING, Nothing
from .collide import make_collide

wp = load_warp()

SLACK = 0.02  # of a shape's radius: how far apart surfaces may be and still have their points looked at


@cache
def make_broad(p: Precision, features: Features) -> SimpleNamespace | Nothing:
    """The functions in a precision, for a scene's features."""
    if not features.contacts:
        return NOTHING
    real, vec3 = p.real, p.vec3
    t, given = references(p), structs(p)
    collide, Candidates = make_collide(p, features).collide, make_collide(p, features).Candidates

    @wp.func
    def is_about_axis(kind: int) -> bool:
        """Whether a kind is round about its z axis; a ball is treated by itself."""
        return kind == wp.static(CAPSULE) or kind == wp.static(CYLINDER) or kind == wp.static(WHEEL)

    @wp.func
    def half_extent(m: t.model, turn: p.mat33, i: int) -> vec3:
        """Half the box of shape i in world axes."""
        size = m.shape_size[i]
        kind = m.shape_kind[i]
        if kind == wp.static(BOX):
            return vec3(
                wp.abs(turn[0, 0]) * size[0] + wp.abs(turn[0, 1]) * size[1] + wp.abs(turn[0, 2]) * size[2],
                wp.abs(turn[1, 0]) * size[0] + wp.abs(turn[1, 1]) * size[1] + wp.abs(turn[1, 2]) * size[2],
                wp.abs(turn[2, 0]) * size[0] + wp.abs(turn[2, 1]) * size[1] + wp.abs(turn[2, 2]) * size[2],
            )
        if not is_about_axis(kind):
            r = m.shape_radius[i]
            return vec3(r, r, r)
        # along the axis a half length, across it a disc of radius r: r sqrt(1 - z^2) on each world axis
        ball = real(0.0)
        disc = size[0]
        half = size[1]
        if kind == wp.static(CAPSULE):
            ball = size[0]
            disc = real(0.0)
        if kind == wp.static(WHEEL):
            ball = size[1]
            half = size[2]
        e = vec3()
        for c in range(3):
            z = wp.abs(turn[c, 2])
            e[c] = half * z + disc * wp.sqrt(wp.max(real(1.0) - z * z, real(0.0))) + ball
        return e

    @wp.func
    def travel(m: t.model, k: t.work, dt: real, i: int, w: int) -> vec3:
        """How far shape i moves in the step, of its middle."""
        body = m.shape_body[i]
        return dt * k.velocity[body, w]

    @wp.func
    def turning(m: t.model, s: t.state, k: t.work, dt: real, i: int, w: int) -> real:
        """How far the surface of shape i may move by turning.

        A ball shows no difference, what is round about its axis none by turning about that; terrain stands still.
        """
        kind = m.shape_kind[i]
        if kind == wp.static(SPHERE) or kind >= wp.static(PLANE):
            return real(0.0)
        body = m.shape_body[i]
        spin = k.spin[body, w]
        swept = wp.min(dt * wp.length(spin), real(2.0)) * wp.length(m.shape_place[i])
        if is_about_axis(kind):
            axis = wp.quat_rotate(s.rotation[body, w] * m.shape_turn[i], vec3(real(0.0), real(0.0), real(1.0)))
            spin = spin - wp.dot(spin, axis) * axis
        return swept + wp.min(dt * wp.length(spin), real(2.0)) * m.shape_radius[i]

    @wp.func
    def place_box(m: t.model, s: t.state, k: t.work, dt: real, i: int, w: int):
        """The box about shape i on its way through the step, m."""
        body = m.shape_body[i]
        turn = wp.quat_to_matrix(s.rotation[body, w] * m.shape_turn[i])
        center = s.position[body, w] + wp.quat_rotate(s.rotation[body, w], m.shape_place[i])
        slack = real(SLACK) * m.shape_radius[i] + turning(m, s, k, dt, i, w)
        half = half_extent(m, turn, i) + vec3(slack, slack, slack)
        path = travel(m, k, dt, i, w)
        k.box_low[i, w] = center - half + wp.min(path, vec3())
        k.box_high[i, w] = center + half + wp.max(path, vec3())

    @wp.func
    def is_excluded(m: t.model, o: t.settings, a: int, b: int) -> bool:
        """Whether shapes a < b never touch, by bisection in the sorted list of such pairs."""
        key = a * o.shapes + b
        low = int(0)
        high = o.exclusions
        while low < high:
            middle = (low + high) // 2
            if m.excluded[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low < o.exclusions and m.excluded[low] == key

    @wp.func
    def may_touch(m: t.model, o: t.settings, a: int, b: int, w: int) -> bool:
        """Whether shapes a < b may touch at all: different bodies, one of them moves, no group ignored."""
        body_a = m.shape_body[a]
        body_b = m.shape_body[b]
        if body_a == body_b or (m.inv_mass[body_a, w] == real(0.0) and m.inv_mass[body_b, w] == real(0.0)):
            return False
        if m.shape_groups[a] & m.shape_ignores[b] != 0 or m.shape_groups[b] & m.shape_ignores[a] != 0:
            return False
        return not is_excluded(m, o, a, b)

    @wp.func
    def add_pair(m: t.model, k: t.work, r: t.report, o: t.settings, one: int, other: int, w: int):
        """Note two shapes that are near each other, to be looked at closely."""
        a = wp.min(one, other)
        b = wp.max(one, other)
        if may_touch(m, o, a, b, w):
            i = k.near_count[w]
            if i < o.near_room:
                k.near_a[i, w] = a
                k.near_b[i, w] = b
                k.near_count[w] = i + 1
            else:
                r.contacts_lost[w] = r.contacts_lost[w] + 1

    @wp.func
    def look_closely(m: t.model, s: t.state, k: t.work, r: t.report, o: t.settings, i: int, w: int):
        """All points of near pair i that may touch in this step."""
        a = k.near_a[i, w]
        b = k.near_b[i, w]
        path = wp.length(travel(m, k, o.dt, a, w) - travel(m, k, o.dt, b, w))
        slack = real(SLACK) * wp.min(m.shape_radius[a], m.shape_radius[b])
        pair = Candidates()
        pair.a = a
        pair.b = b
        pair.margin = slack + path + turning(m, s, k, o.dt, a, w) + turning(m, s, k, o.dt, b, w)
        collide(m, s, k, r, o, pair, w)

    @wp.func
    def widest_axis(m: t.model, k: t.work, o: t.settings, w: int) -> int:
        """The axis along which the boxes are spread most."""
        total = vec3()
        squares = vec3()
        for i in range(o.swept):
            x = k.box_low[m.swept[i], w]
            total = total + x
            squares = squares + wp.cw_mul(x, x)
        spread = squares - wp.cw_mul(total, total) / wp.max(real(o.swept), real(1.0))
        axis = int(0)
        if spread[1] > spread[axis]:
            axis = 1
        if spread[2] > spread[axis]:
            axis = 2
        return axis

    @wp.func
    def comes_before(k: t.work, axis: int, i: int, j: int, w: int) -> bool:
        """Whether box i begins before box j along an axis; by number where they begin together."""
        x = k.box_low[i, w]
        y = k.box_low[j, w]
        return x[axis] < y[axis] or (x[axis] == y[axis] and i < j)

    @wp.func
    def sort_boxes(m: t.model, k: t.work, o: t.settings, axis: int, w: int):
        """Insertion sort of the boxes along an axis, from the order of the last step."""
        if k.sweep_ready[w] == 0:
            k.sweep_ready[w] = 1
            for i in range(o.swept):
                k.sweep_order[i, w] = m.swept[i]
        for i in range(1, o.swept):
            moved = k.sweep_order[i, w]
            j = i
            while j > 0 and comes_before(k, axis, moved, k.sweep_order[j - 1, w], w):
                k.sweep_order[j, w] = k.sweep_order[j - 1, w]
                j -= 1
            k.sweep_order[j, w] = moved

    @wp.func
    def overlap(k: t.work, i: int, j: int, w: int) -> bool:
        """Whether two boxes overlap."""
        low_i = k.box_low[i, w]
        high_i = k.box_high[i, w]
        low_j = k.box_low[j, w]
        high_j = k.box_high[j, w]
        return (
            low_i[0] <= high_j[0]
            and low_j[0] <= high_i[0]
            and low_i[1] <= high_j[1]
            and low_j[1] <= high_i[1]
            and low_i[2] <= high_j[2]
            and low_j[2] <= high_i[2]
        )

    @wp.func
    def sweep_boxes(m: t.model, k: t.work, r: t.report, o: t.settings, axis: int, w: int):
        """List the pairs of boxes that overlap, from their order along an axis."""
        for i in range(o.swept):
            one = k.sweep_order[i, w]
            end = k.box_high[one, w]
            j = i + 1
            going = j < o.swept
            while going:
                other = k.sweep_order[j, w]
                start = k.box_low[other, w]
                if start[axis] > end[axis]:
                    going = False
                else:
                    if overlap(k, one, other, w):
                        add_pair(m, k, r, o, one, other, w)
                    j += 1
                    going = j < o.swept

    @wp.func
    def find_contacts(m: given.model, s: given.state, k: given.work, r: given.report, o: given.settings, w: int):
        """All points where shapes touch or may do so within the step."""
        k.contact_count[w] = 0
        k.near_count[w] = 0
        r.contacts_lost[w] = 0
        for i in range(o.swept):
            place_box(m, s, k, o.dt, m.swept[i], w)
        for g in range(o.terrains):
            for i in range(o.swept):
                if m.inv_mass[m.shape_body[m.swept[i]], w] > real(0.0):
                    add_pair(m, k, r, o, m.terrain[g], m.swept[i], w)
        axis = widest_axis(m, k, o, w)
        sort_boxes(m, k, o, axis, w)
        sweep_boxes(m, k, r, o, axis, w)
        for i in range(k.near_count[w]):
            look_closely(m, s, k, r, o, i, w)

    return SimpleNamespace(find_contacts=find_contacts)
