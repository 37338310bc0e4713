"""What a rope is near to: every node a ball and every element a capsule, against shapes of all kinds.

A plane and the faces of solids and terrain are met by the nodes, and so is what bends gently; what is between the nodes
meets edges and things that are small.
"""

from ...model.contacts import BOX, CAPSULE, CYLINDER, HULL, PLANE, SPHERE, WHEEL
from ..algebra import make_algebra
from ..contacts.collide import make_collide
from ..contacts.narrow_phase import make_narrow_phase
from ..factory import Features, Made, Precision, factory, functions, large_functions, wp
from .attach import make_attach
from .contact_elimination import make_contact_elimination
from .ground import INSIDE, SINKS, make_rope_ground
from .touch_points import make_touch_points

ONE_PLACE = 0.1  # of the radius: places that are closer together are one


@factory
def make_near(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func, entry = large_functions(p), functions(p)
    places, narrow = make_touch_points(p, features), make_narrow_phase(p, features)
    terrain = make_rope_ground(p, features)
    solid_of, Solid = make_collide(p, features).solid_of, narrow.Solid
    Piece = terrain.Piece
    port_place, frame_of = make_attach(p, features).port_place, make_algebra(p).frame_of
    bulge = make_contact_elimination(p, features).bulge
    has_ground = bool({"heights", "mesh"} & features.contact_kinds)

    @func
    def is_held(model, state, settings, i: int, world: int) -> bool:
        """Whether something that moves, an eyelet or a drum holds node i: it and its element touch nothing."""
        if wp.static(features.rope_ports):
            for q in range(settings.ports):
                if port_place(model, state, q, world) == i or model.port_other[q] == i:
                    return True
        if wp.static(features.rope_slides):
            for q in range(settings.slides):
                if state.slide_node[q, world] == i:
                    return True
        return False

    @func
    def passes_through(model, settings, rope: int, shape: int) -> bool:
        """Whether rope and shape never touch: a group ignored, or the rope is tied to the shape's body."""
        if (
            model.shape_groups[shape] & model.rope_ignores[rope] != 0
            or model.rope_groups[rope] & model.shape_ignores[shape] != 0
        ):
            return True
        for q in range(settings.skips):
            if model.skip_rope[q] == rope and model.skip_body[q] == model.shape_body[shape]:
                return True
        return False

    @func
    def capsule(x: Piece) -> Solid:
        """An element in world axes as a solid."""
        length = wp.length(x.along)
        a = Solid()
        a.kind = wp.static(CAPSULE)
        a.size = vec3(x.radius, real(0.5) * length, real(0.0))
        a.place = x.start + real(0.5) * x.along
        a.turn = frame_of(x.along / length)
        a.radius = x.radius + real(0.5) * length
        return a

    @func
    def is_gentle(model, b: Solid, normal: vec3, x: Piece) -> bool:
        """Whether an element with both nodes on a round solid of radius R would be little in it: by l^2/(8 (R + r))."""
        if b.kind == wp.static(BOX) or b.kind >= wp.static(HULL):
            return False
        if b.kind == wp.static(CYLINDER) or b.kind == wp.static(WHEEL):  # round at its side alone
            axis = vec3(b.turn[0, 2], b.turn[1, 2], b.turn[2, 2])
            if wp.abs(wp.dot(axis, normal)) > real(0.1):
                return False
        most = real(8.0) * (bulge(model, x.shape) + x.radius) * wp.static(real(SINKS)) * x.radius
        return wp.length_sq(x.along) < most

    @func
    def over_solid(model, state, memory, work, x: Piece, with_node: bool, world: int):
        """Node and element against a convex shape."""
        b = solid_of(model, state, x.shape, world)
        square = wp.length_sq(x.along)
        for part in range(2):  # the ball, then the capsule: one call, so that its code is made once
            a = Solid()
            a.kind = wp.static(SPHERE)
            a.size = vec3(x.radius, real(0.0), real(0.0))
            a.place = x.start
            a.radius = x.radius
            if part == 1 and square > real(0.0):
                a = capsule(x)
            wanted = (part == 0 and with_node) or (part == 1 and square > real(0.0))
            if wanted and wp.length(a.place - b.place) < a.radius + b.radius + x.margin:
                f = narrow.touch(model, a, b, x.margin)
                for i in range(f.count):
                    share = real(0.0)
                    if part == 1:
                        share = wp.dot(f.point[i] - x.start, x.along) / square
                    inside = share > wp.static(real(INSIDE)) and share < wp.static(real(1.0 - INSIDE))
                    if part == 0 or (inside and not is_gentle(model, b, f.normal, x)):
                        places.note(
                            memory,
                            work,
                            places.place_of(x.shape, share, x.apart, -f.normal, f.gap[i]),
                            x.element,
                            world,
                        )

    @func
    def look(model, state, memory, work, piece: Piece, with_node: bool, world: int):
        """Note where an element, and its first node if wanted, touches a shape."""
        x = piece
        kind = model.shape_kind[x.shape]
        if kind == wp.static(PLANE):
            normal = wp.quat_rotate(model.shape_turn[x.shape], vec3(real(0.0), real(0.0), real(1.0)))
            gap = wp.dot(normal, x.start - model.shape_place[x.shape]) - x.radius
            if with_node and gap < x.margin:
                places.note(memory, work, places.place_of(x.shape, real(0.0), x.apart, normal, gap), x.element, world)
        elif kind < wp.static(PLANE):
            over_solid(model, state, memory, work, x, with_node, world)
        if wp.static(has_ground):
            if kind > wp.static(PLANE):
                g = solid_of(model, state, x.shape, world)
                if wp.length(x.start - g.place) < g.radius + wp.length(x.along) + x.radius + x.margin:
                    x.turn = g.turn
                    x.start = wp.transpose(g.turn) * (x.start - g.place)
                    x.along = wp.transpose(g.turn) * x.along
                    terrain.over_ground(model, memory, work, x, with_node, world)

    @func
    def find_touches_of(model, state, memory, work, settings, rope: int, i: int, world: int):
        """All places where element i of a rope, or its first node, touches something or may do so in this step."""
        places.clear_places(work, i, world)
        if model.rope_touches[rope] == 1 and not is_held(model, state, settings, i, world):
            x = Piece()
            x.element = i
            x.start = state.rope_position[i, world]
            x.radius = model.rope_radius[rope, world]
            speed = wp.length(work.rope_free[i, world])
            if i < model.rope_end[rope] - 1:
                x.apart = wp.static(real(ONE_PLACE)) * x.radius / state.rope_length[i, world]
                speed = wp.max(speed, wp.length(work.rope_free[i + 1, world]))
                if state.rope_parted[i, world] == 0:
                    x.along = state.rope_position[i + 1, world] - x.start
            x.margin = x.radius + real(2.0) * settings.dt * speed
            for shape in range(settings.shapes):
                if not passes_through(model, settings, rope, shape):
                    x.shape = shape
                    look(model, state, memory, work, x, model.rope_pinned[i] == 0, world)
        places.keep_places(memory, work, settings, i, world)

    @entry
    def find_touches(model, state, memory, work, settings, rope: int, world: int):
        """The places of all elements of a rope."""
        for i in range(state.rope_first[rope, world], model.rope_end[rope]):
            find_touches_of(model, state, memory, work, settings, rope, i, world)

    return locals()
