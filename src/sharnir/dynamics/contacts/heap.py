"""The contacts of free bodies, swept in tables laid out for it.

A pile is swept hundreds of thousands of contacts a second, and what a visit costs is finding its numbers: in tables of
one number each some forty look-ups, each with its own address. Here a contact is one row, a body's motion another and
its inverse mass a third. The impulse stays in the contact's frame, whose tangents are those along which it moves
nothing across. The visits are those of contact.py, in the same order. Rows are laid out in the first sweep of a step,
and the impulses handed back at its end.

Conjugate directions (``accelerate`` in contact.py) are kept for bodies, too: what a sweep changes of a motion is
linear in what it changes of the impulses, so going on along the directions costs one addition a body.

Only where all contacts are between bodies without joints and fixed ones, and have no law but dry friction and
stiffness; others keep the sweeps of contact.py.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from ..rows.contact_laws import make_contact_laws
from .contact_bodies import make_contact_bodies

MANY = 64  # contacts: beyond that a heap is solved as well as can be seen, not to the last digit
SEEN = 1e-3  # share of all impulses of a heap: a sweep that changes less (root of the sums of squares) is the last one


@factory
def make_heap(p: Precision, features: Features) -> Made:
    if not features.together or features.rope_ports:
        return None
    real, vec2, vec3, vec6, vec7, Row = p.real, p.vec2, p.vec3, p.sym33, p.vec7, p.row
    func = functions(p)
    algebra, sides, laws = make_algebra(p), make_contact_bodies(p, features), make_contact_laws(p, features)
    Bodies = wp.array(dtype=vec3, ndim=2)  # velocities or pseudo-velocities
    Motions = wp.array(dtype=vec6, ndim=2)  # both of a body in one

    # --- before the iterations ----------------------------------------------------------------------------------------

    @func
    def is_fit(model, work, i: int, world: int) -> bool:
        """Whether contact i is between bodies that are alone or fixed, and has no law of its own."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if model.inv_mass[a, world] > real(0.0) and not sides.is_alone(model, a, world):
            return False
        if model.inv_mass[b, world] > real(0.0) and not sides.is_alone(model, b, world):
            return False
        if wp.static(features.belts):
            if work.contact_sprocket[i, world] >= 0:
                return False
        return laws.is_dry(model, work, i, world)

    @func
    def together(v: vec3, s: vec3) -> vec6:
        """A velocity and a spin as one motion."""
        return vec6(v[0], v[1], v[2], s[0], s[1], s[2])

    @func
    def normal_law(work, mass: real, i: int, world: int) -> vec3:
        """k, c and s of p <- max(0, p - k (u + c p - s)) at contact i: rigid, or elastic with the conductance y."""
        y = work.contact_y[i, world]
        source = work.contact_source[i, world]
        if y > real(0.0):
            return vec3(y / (y * mass + real(1.0)), real(1.0) / y, source / y)
        return vec3(real(1.0) / mass, real(0.0), source)

    @func
    def principal(xx: real, yy: real, xy: real) -> vec2:
        """Cosine and sine of the angle to the axes along which a symmetric 2x2 matrix is diagonal."""
        angle = real(0.5) * wp.atan2(real(2.0) * xy, xx - yy)
        return vec2(wp.cos(angle), wp.sin(angle))

    @func
    def form_contact(model, memory, work, settings, i: int, world: int):
        """The row of contact i, with all divisions made.

        Its places: 0 and 3 the arms, 6 the normal, 9 and 12 the tangents, 15 the normal's law, 18 and 19 what a unit of
        sliding velocity takes, 20 the same of the one that moves more, 21 and 22 sliding by an impulse along the
        normal, 23 friction, 24 the pseudo-velocity asked for, 25 what it yields, 26 what a unit of it takes, 27 whether
        it is asked for.
        """
        ra = work.contact_arm_a[i, world]
        rb = work.contact_arm_b[i, world]
        n = work.contact_normal[i, world]
        w = algebra.full(work.contact_mass[i, world])
        turn = principal(w[0, 0], w[1, 1], w[0, 1])
        t = work.contact_tangent[i, world]
        x = turn[0] * t + turn[1] * wp.cross(n, t)
        y = wp.cross(n, x)
        law = normal_law(work, w[2, 2], i, world)
        row = Row()
        for k in range(3):
            row[k] = ra[k]
            row[3 + k] = rb[k]
            row[6 + k] = n[k]
            row[9 + k] = x[k]
            row[12 + k] = y[k]
            row[15 + k] = law[k]
        across = real(2.0) * turn[0] * turn[1] * w[0, 1]
        xx = turn[0] * turn[0] * w[0, 0] + across + turn[1] * turn[1] * w[1, 1]
        yy = turn[1] * turn[1] * w[0, 0] - across + turn[0] * turn[0] * w[1, 1]
        row[18] = real(1.0) / xx
        row[19] = real(1.0) / yy
        row[20] = real(1.0) / wp.max(xx, yy)
        row[21] = turn[0] * w[0, 2] + turn[1] * w[1, 2]
        row[22] = turn[0] * w[1, 2] - turn[1] * w[0, 2]
        row[23] = model.pair_friction[work.contact_pair[i, world], world]
        give = laws.push_yield(model, work, i, world)
        row[24] = laws.push_speed(work, settings, i, world)
        row[25] = give
        row[26] = real(1.0) / (w[2, 2] + give)
        if laws.is_pushed(work, i, world):
            row[27] = real(1.0)
        work.heap_row[i, world] = row
        work.heap_change[i, world] = vec6()
        p = memory.contact_impulse[i, world]
        work.heap_impulse[i, world] = vec3(wp.dot(x, p), wp.dot(y, p), wp.dot(n, p))

    @func
    def count_contacts(model, work, world: int):
        """All contacts are swept here, or none; nothing is laid out yet."""
        work.heap_count[world] = 0
        work.heap_formed[world] = 0
        count = work.contact_count[world]
        for i in range(count):
            if not is_fit(model, work, i, world):
                return
        work.heap_count[world] = count

    @func
    def form_body(model, work, b: int, world: int):
        """How body b, which is touched, gives way."""
        if sides.is_alone(model, b, world):
            y = work.inv_inertia[b, world]
            work.heap_yield[b, world] = vec7(model.inv_mass[b, world], y[0], y[1], y[2], y[3], y[4], y[5])

    @func
    def form(model, memory, work, settings, world: int):
        """The rows of contacts and bodies; a body that nothing touches gives way to nothing."""
        for b in range(settings.bodies):
            work.heap_yield[b, world] = vec7()
            work.heap_search[b, world] = vec6()
            work.heap_motion[b, world] = together(work.velocity[b, world], work.spin[b, world])
            work.heap_push[b, world] = together(work.push[b, world], work.push_spin[b, world])
        for i in range(work.heap_count[world]):
            form_body(model, work, work.contact_body_a[i, world], world)
            form_body(model, work, work.contact_body_b[i, world], world)
            form_contact(model, memory, work, settings, i, world)
        work.heap_pushes[world] = 1
        work.heap_formed[world] = 1

    # --- motions ------------------------------------------------------------------------------------------------------

    @func
    def store(motions: Motions, v: Bodies, s: Bodies, work, settings, world: int):
        """The velocities and spins of what contacts move."""
        for b in range(settings.bodies):
            if work.heap_yield[b, world][0] > real(0.0):
                x = motions[b, world]
                v[b, world] = vec3(x[0], x[1], x[2])
                s[b, world] = vec3(x[3], x[4], x[5])

    @func
    def go_on(work, settings, world: int) -> real:
        """Motions taken on along the directions of the sweeps so far; by which share of these."""
        share = laws.conjugate_share(work, world)
        for b in range(settings.bodies):
            if work.heap_yield[b, world][0] > real(0.0):
                x = work.heap_motion[b, world]
                if share > real(0.0):
                    more = share * work.heap_search[b, world]
                    work.heap_search[b, world] = more + (x - work.heap_before[b, world])
                    x = x + more
                    work.heap_motion[b, world] = x
                else:
                    work.heap_search[b, world] = vec6()
                work.heap_before[b, world] = x
        return share

    @func
    def velocity(x: vec6) -> vec3:
        """Of the centre of mass."""
        return vec3(x[0], x[1], x[2])

    @func
    def at(x: vec6, arm: vec3) -> vec3:
        """The velocity of a moving body at an arm."""
        return velocity(x) + wp.cross(vec3(x[3], x[4], x[5]), arm)

    @func
    def struck(x: vec6, yields: vec7, arm: vec3, d: vec3) -> vec6:
        """A motion after an impulse d at an arm."""
        v = yields[0] * d
        inertia = vec6(yields[1], yields[2], yields[3], yields[4], yields[5], yields[6])
        s = algebra.full(inertia) * wp.cross(arm, d)
        return x + together(v, s)

    # --- sweeps -------------------------------------------------------------------------------------------------------

    @func
    def rubbed(row: Row, ux: real, uy: real, old: vec3, normal: real) -> vec3:
        """The impulse of a contact with a new normal part, at the tangential velocity that this leaves."""
        bound = row[23] * normal
        square = bound * bound
        x = old[0] - row[18] * ux
        y = old[1] - row[19] * uy
        if x * x + y * y > square:
            x = old[0] - row[20] * ux
            y = old[1] - row[20] * uy
            size = x * x + y * y
            if size > square:
                share = bound / wp.sqrt(size)
                x = share * x
                y = share * y
        return vec3(x, y, normal)

    @func
    def visit(work, share: real, i: int, world: int) -> vec2:
        """Contact i once, its impulse taken on along its direction; squares of its change and of the impulse."""
        row = work.heap_row[i, world]
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        ra = vec3(row[0], row[1], row[2])
        rb = vec3(row[3], row[4], row[5])
        n = vec3(row[6], row[7], row[8])
        motion_a = work.heap_motion[a, world]
        motion_b = work.heap_motion[b, world]
        u = sides.led(work, at(motion_b, rb) - at(motion_a, ra), i, world)
        change = work.heap_change[i, world]
        search = share * vec3(change[3], change[4], change[5])
        old = work.heap_impulse[i, world] + search
        if share > real(0.0):
            search = search + vec3(change[0], change[1], change[2])
        normal = wp.max(old[2] - row[15] * (wp.dot(n, u) + row[16] * old[2] - row[17]), real(0.0))
        if normal == real(0.0) and wp.dot(old, old) == real(0.0):
            work.heap_impulse[i, world] = old
            work.heap_change[i, world] = together(vec3(), search)
            return vec2()
        x = vec3(row[9], row[10], row[11])
        y = vec3(row[12], row[13], row[14])
        more = normal - old[2]
        new = rubbed(row, wp.dot(x, u) + more * row[21], wp.dot(y, u) + more * row[22], old, normal)
        step = new - old
        square = wp.dot(step, step)
        work.heap_impulse[i, world] = new
        work.heap_change[i, world] = together(step, search)
        if square > real(0.0):
            d = step[0] * x + step[1] * y + step[2] * n
            yields_a = work.heap_yield[a, world]
            yields_b = work.heap_yield[b, world]
            if yields_a[0] > real(0.0):
                work.heap_motion[a, world] = struck(motion_a, yields_a, ra, -d)
            if yields_b[0] > real(0.0):
                work.heap_motion[b, world] = struck(motion_b, yields_b, rb, d)
        return vec2(square, wp.dot(new, new))

    @func
    def push_out(work, i: int, world: int) -> vec2:
        """Pseudo-impulse of the overlap at contact i; squares of its change and of itself."""
        row = work.heap_row[i, world]
        if row[27] == real(0.0):
            return vec2()
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        ra = vec3(row[0], row[1], row[2])
        rb = vec3(row[3], row[4], row[5])
        n = vec3(row[6], row[7], row[8])
        motion_a = work.heap_push[a, world]
        motion_b = work.heap_push[b, world]
        speed = wp.dot(n, at(motion_b, rb) - at(motion_a, ra))
        old = work.contact_push[i, world]
        new = wp.max(old - row[26] * (speed - row[24] + row[25] * old), real(0.0))
        d = new - old
        if d != real(0.0):
            work.contact_push[i, world] = new
            yields_a = work.heap_yield[a, world]
            yields_b = work.heap_yield[b, world]
            if yields_a[0] > real(0.0):
                work.heap_push[a, world] = struck(motion_a, yields_a, ra, -d * n)
            if yields_b[0] > real(0.0):
                work.heap_push[b, world] = struck(motion_b, yields_b, rb, d * n)
        return vec2(d * d, new * new)

    @func
    def hand_back(memory, work, world: int):
        """The impulses in world axes, if it was these sweeps that found them."""
        if work.heap_formed[world] == 0:
            return
        for i in range(work.heap_count[world]):
            row = work.heap_row[i, world]
            p = work.heap_impulse[i, world]
            memory.contact_impulse[i, world] = (
                p[0] * vec3(row[9], row[10], row[11])
                + p[1] * vec3(row[12], row[13], row[14])
                + p[2] * vec3(row[6], row[7], row[8])
            )

    @func
    def sweep_impulses(work, settings, world: int) -> vec3:
        """Every contact once, what lies on the ground last.

        Squares: the largest change that is not settled, the sum of all changes, the sum of all impulses.
        """
        share = go_on(work, settings, world)
        worst = real(0.0)
        total = vec2()
        count = work.heap_count[world]
        for reverse in range(count):
            squares = visit(work, share, count - 1 - reverse, world)
            total = total + squares
            if squares[0] > worst:
                worst = wp.max(worst, laws.unsettled(squares[0], squares[1], settings.epsilon))
        store(work.heap_motion, work.velocity, work.spin, work, settings, world)
        work.contact_squares[world] = vec2(work.contact_squares[world][1], total[0])
        return vec3(worst, total[0], total[1])

    @func
    def sweep_pushes(work, settings, world: int) -> vec2:
        """Pseudo-impulses of every contact once; squares: the largest change that is not settled, and the sum."""
        worst = real(0.0)
        total = real(0.0)
        for i in range(work.heap_count[world]):
            squares = push_out(work, i, world)
            total = total + squares[0]
            if squares[0] > worst:
                worst = wp.max(worst, laws.unsettled(squares[0], squares[1], settings.epsilon))
        store(work.heap_push, work.push, work.push_spin, work, settings, world)
        return vec2(worst, total)

    @func
    def sweep(model, memory, work, settings, world: int) -> vec2:
        """Every contact once; the squares of the largest changes of an impulse and of a pseudo-impulse.

        Of a heap, pseudo-impulses are not visited again once nobody could see it, and a change that nobody can see is
        none.
        """
        if work.heap_formed[world] == 0:
            form(model, memory, work, settings, world)
        impulses = sweep_impulses(work, settings, world)
        pushes = vec2()
        if work.heap_pushes[world] == 1:
            pushes = sweep_pushes(work, settings, world)
        if settings.epsilon > real(0.0) and work.heap_count[world] > wp.static(MANY):
            seen = wp.static(real(SEEN * SEEN)) * impulses[2]
            if pushes[1] < seen:
                pushes[0] = real(0.0)
                work.heap_pushes[world] = 0
            if impulses[1] < seen:
                impulses[0] = real(0.0)
        return vec2(impulses[0], pushes[0])

    return locals()
