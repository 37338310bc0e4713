"""The broad phase: which shapes are near enough to look at closely.

Every shape gets a box in world axes that holds it now and, at its present speed, throughout the step. The boxes of
convex shapes are sorted along the axis on which they are spread most, and swept: only those that overlap on it are
compared on the other two. The order of the last step is nearly right, so an insertion sort costs little; ties go by
number, so the order does not depend on the past. Terrain is compared with every shape that can move.
"""

from ...model.contacts import BOX, CAPSULE, CYLINDER, PLANE, SPHERE, WHEEL
from ..factory import Features, Made, Precision, factory, functions, large_functions, wp
from .collide import make_collide

SLACK = 0.02  # of a shape's radius: how far apart surfaces may be and still have their points looked at


@factory
def make_broad(p: Precision, features: Features) -> Made:
    if not features.contacts:
        return None
    real, vec3, vec6 = p.real, p.vec3, p.sym33
    func, entry = large_functions(p), functions(p)
    collide, Candidates = make_collide(p, features).collide, make_collide(p, features).Candidates

    @func
    def is_about_axis(kind: int) -> bool:
        """Whether a kind is round about its z axis; a ball is treated by itself."""
        return kind == wp.static(CAPSULE) or kind == wp.static(CYLINDER) or kind == wp.static(WHEEL)

    @func
    def half_extent(model, turn: p.mat33, i: int) -> vec3:
        """Half the box of shape i in world axes."""
        size = model.shape_size[i]
        kind = model.shape_kind[i]
        if kind == wp.static(BOX):
            return vec3(
                wp.abs(turn[0, 0]) * size[0] + wp.abs(turn[0, 1]) * size[1] + wp.abs(turn[0, 2]) * size[2],
                wp.abs(turn[1, 0]) * size[0] + wp.abs(turn[1, 1]) * size[1] + wp.abs(turn[1, 2]) * size[2],
                wp.abs(turn[2, 0]) * size[0] + wp.abs(turn[2, 1]) * size[1] + wp.abs(turn[2, 2]) * size[2],
            )
        if not is_about_axis(kind):
            r = model.shape_radius[i]
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

    @func
    def travel(model, work, dt: real, i: int, world: int) -> vec3:
        """How far shape i moves in the step, of its middle."""
        body = model.shape_body[i]
        return dt * work.velocity[body, world]

    @func
    def turning(model, state, work, dt: real, i: int, world: int) -> real:
        """How far the surface of shape i may move by turning.

        A ball shows no difference, what is round about its axis none by turning about that; terrain stands still.
        """
        kind = model.shape_kind[i]
        if kind == wp.static(SPHERE) or kind >= wp.static(PLANE):
            return real(0.0)
        body = model.shape_body[i]
        spin = work.spin[body, world]
        swept = wp.min(dt * wp.length(spin), real(2.0)) * wp.length(model.shape_place[i])
        if is_about_axis(kind):
            axis = wp.quat_rotate(
                state.rotation[body, world] * model.shape_turn[i], vec3(real(0.0), real(0.0), real(1.0))
            )
            spin = spin - wp.dot(spin, axis) * axis
        return swept + wp.min(dt * wp.length(spin), real(2.0)) * model.shape_radius[i]

    @func
    def place_box(model, state, work, dt: real, i: int, world: int):
        """The box about shape i on its way through the step, m."""
        body = model.shape_body[i]
        turn = wp.quat_to_matrix(state.rotation[body, world] * model.shape_turn[i])
        center = state.position[body, world] + wp.quat_rotate(state.rotation[body, world], model.shape_place[i])
        slack = real(SLACK) * model.shape_radius[i] + turning(model, state, work, dt, i, world)
        half = half_extent(model, turn, i) + vec3(slack, slack, slack)
        path = travel(model, work, dt, i, world)
        work.box_low[i, world] = center - half + wp.min(path, vec3())
        work.box_high[i, world] = center + half + wp.max(path, vec3())

    @func
    def is_excluded(model, settings, a: int, b: int) -> bool:
        """Whether shapes a < b never touch, by bisection in the sorted list of such pairs."""
        key = a * settings.shapes + b
        low = int(0)
        high = settings.exclusions
        while low < high:
            middle = (low + high) // 2
            if model.excluded[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low < settings.exclusions and model.excluded[low] == key

    @func
    def may_touch(model, settings, a: int, b: int, world: int) -> bool:
        """Whether shapes a < b may touch at all: different bodies, one of them moves, no group ignored."""
        body_a = model.shape_body[a]
        body_b = model.shape_body[b]
        if body_a == body_b or (
            model.inv_mass[body_a, world] == real(0.0) and model.inv_mass[body_b, world] == real(0.0)
        ):
            return False
        if model.shape_groups[a] & model.shape_ignores[b] != 0 or model.shape_groups[b] & model.shape_ignores[a] != 0:
            return False
        return not is_excluded(model, settings, a, b)

    @func
    def add_pair(model, work, report, settings, one: int, other: int, world: int):
        """Note two shapes that are near each other, to be looked at closely."""
        a = wp.min(one, other)
        b = wp.max(one, other)
        if may_touch(model, settings, a, b, world):
            i = work.near_count[world]
            if i < settings.near_room:
                work.near_a[i, world] = a
                work.near_b[i, world] = b
                work.near_count[world] = i + 1
            else:
                report.contacts_lost[world] = report.contacts_lost[world] + 1

    @func
    def look_closely(model, state, work, report, settings, i: int, world: int):
        """All points of near pair i that may touch in this step."""
        a = work.near_a[i, world]
        b = work.near_b[i, world]
        path = wp.length(travel(model, work, settings.dt, a, world) - travel(model, work, settings.dt, b, world))
        slack = real(SLACK) * wp.min(model.shape_radius[a], model.shape_radius[b])
        pair = Candidates()
        pair.a = a
        pair.b = b
        pair.margin = (
            slack
            + path
            + turning(model, state, work, settings.dt, a, world)
            + turning(model, state, work, settings.dt, b, world)
        )
        collide(model, state, work, report, settings, pair, world)

    @func
    def widest_axis(model, work, settings, world: int) -> int:
        """The axis along which the boxes are spread most."""
        total = vec3()
        squares = vec3()
        for i in range(settings.swept):
            x = work.box_low[model.swept[i], world]
            total = total + x
            squares = squares + wp.cw_mul(x, x)
        spread = squares - wp.cw_mul(total, total) / wp.max(real(settings.swept), real(1.0))
        axis = int(0)
        if spread[1] > spread[axis]:
            axis = 1
        if spread[2] > spread[axis]:
            axis = 2
        return axis

    @func
    def comes_before(work, axis: int, i: int, j: int, world: int) -> bool:
        """Whether box i begins before box j along an axis; by number where they begin together."""
        x = work.box_low[i, world]
        y = work.box_low[j, world]
        return x[axis] < y[axis] or (x[axis] == y[axis] and i < j)

    @func
    def sort_boxes(model, work, settings, axis: int, world: int):
        """Insertion sort of the boxes along an axis, from the order of the last step."""
        if work.sweep_ready[world] == 0:
            work.sweep_ready[world] = 1
            for i in range(settings.swept):
                work.sweep_order[i, world] = model.swept[i]
        for i in range(1, settings.swept):
            moved = work.sweep_order[i, world]
            j = i
            while j > 0 and comes_before(work, axis, moved, work.sweep_order[j - 1, world], world):
                work.sweep_order[j, world] = work.sweep_order[j - 1, world]
                j -= 1
            work.sweep_order[j, world] = moved

    @func
    def lay_in_row(work, settings, world: int):
        """The boxes one after the other in their order, so that those looked at together lie together."""
        for i in range(settings.swept):
            shape = work.sweep_order[i, world]
            low = work.box_low[shape, world]
            high = work.box_high[shape, world]
            work.sweep_box[i, world] = vec6(low[0], low[1], low[2], high[0], high[1], high[2])

    @func
    def overlap(x: vec6, y: vec6) -> bool:
        """Whether two boxes overlap."""
        return x[0] <= y[3] and y[0] <= x[3] and x[1] <= y[4] and y[1] <= x[4] and x[2] <= y[5] and y[2] <= x[5]

    @func
    def sweep_boxes(model, work, report, settings, axis: int, world: int):
        """List the pairs of boxes that overlap, from their order along an axis."""
        for i in range(settings.swept):
            one = work.sweep_box[i, world]
            end = one[3 + axis]
            j = i + 1
            going = j < settings.swept
            while going:
                other = work.sweep_box[j, world]
                if other[axis] > end:
                    going = False
                else:
                    if overlap(one, other):
                        add_pair(
                            model,
                            work,
                            report,
                            settings,
                            work.sweep_order[i, world],
                            work.sweep_order[j, world],
                            world,
                        )
                    j += 1
                    going = j < settings.swept

    @entry
    def find_contacts(model, state, work, report, settings, world: int):
        """All points where shapes touch or may do so within the step."""
        work.contact_count[world] = 0
        work.near_count[world] = 0
        report.contacts_lost[world] = 0
        for i in range(settings.swept):
            place_box(model, state, work, settings.dt, model.swept[i], world)
        for g in range(settings.terrains):
            for i in range(settings.swept):
                if model.inv_mass[model.shape_body[model.swept[i]], world] > real(0.0):
                    add_pair(model, work, report, settings, model.terrain[g], model.swept[i], world)
        axis = widest_axis(model, work, settings, world)
        sort_boxes(model, work, settings, axis, world)
        lay_in_row(work, settings, world)
        sweep_boxes(model, work, report, settings, axis, world)
        for i in range(work.near_count[world]):
            look_closely(model, state, work, report, settings, i, world)

    return locals()
