"""The contacts of mechanisms as one small dense problem, solved by Newton's method.

A visit of a contact knows its own inverse mass; what it does to the others the next sweep has to find out, and wheels
that share a load or a side force take fifty sweeps and more. Through the factors (solvers/reach.py) the answer of each
contact to an impulse on each other is a 3x3 block, in the frames of the two:

    W_ik = T_i^T Y_i^T D^-1 Y_k T_k         Y is nonzero on the paths of i and k: a product over what they share

With it a sweep costs a fraction of one through the paths, and all contacts that press are solved at once:

    presses  u_n = source, or u_n + (p_n - source)/y = 0 where it is soft
    sticks   u_t = 0
    slides   against a = -p_t/|p_t|: a.p_t + mu p_n = 0; across it: s.u_t + (a.u_t/(mu p_n)) s.p_t = 0
    open     p = 0

    (own_i + seen_i W_ii) dp_i + sum_k seen_i W_ik dp_k = right_i

This is Newton's method for the equations that the visits of contact.py solve one by one. A sweep of the same visits
between two solves tells which contacts are open, stick or slide, and is the measure of convergence. Joints whose
bounded rows have something to do take part in the sweeps. Rows that press or stick yield by a share of their inverse
mass, on the *change* of the impulse only: much at first, so that few contacts change sides at once and redundant ones
share what comes evenly; less after every solve that helped.

Tyres, rolling friction and bodies without joints keep the sweeps through the paths, as do more contacts than
``MOST_TOGETHER``, and a step in which the rounds do not end.
"""

from ...model.contacts import MOST_TOGETHER
from ..algebra import make_algebra
from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from ..rows.bounds import make_bounds
from ..rows.contact_laws import make_contact_laws
from ..solvers.reach import make_reach
from .contact_bodies import make_contact_bodies

ROUNDS = 30  # solves at most; where they are not enough, sweeps through the paths have to be
PUSH_SWEEPS = 60  # of pseudo-impulses; they are scalars
CLOSE = 1e-6  # of an impulse: a change in a sweep that ends the rounds
# By how much rows yield in the first solve, and at most, of their inverse mass; by which factor less after a solve that
# helped, and more after one that did not, but at least by so much. Wheels that stand against each other through a stiff
# frame hardly answer to what they share: with too little to yield the solves throw it from cone to cone for ever, so
# the factor comes nearer to 1 with each one that did not help, up to the last
SOFT_FIRST, HARDER, SOFTER, SOFT_AGAIN = 1e-2, 1e-2, 10.0, 1e-3
GENTLER, GENTLEST = 3.0, 0.3
AT_BOUND = 1.0 - 1e-9  # of its bound: friction beyond that slides


@factory
def make_together(p: Precision, features: Features) -> Made:
    if not features.together:
        return None
    real, vec2, vec3, mat33, vec2i = p.real, p.vec2, p.vec3, p.mat33, wp.vec2i
    func = functions(p)
    algebra, reach, sides, laws = (
        make_algebra(p),
        make_reach(p, features),
        make_contact_bodies(p, features),
        make_contact_laws(p, features),
    )
    pair, led, bounds = make_pair(p), make_bias(p, features).led, make_bounds(p, features).rows
    has_bounds = bounds is not None
    HARDEST = wp.constant(real(1e-8 if p.name == "float64" else 1e-4))
    ENDED = wp.constant(real((CLOSE if p.name == "float64" else 1e-5) ** 2))

    # --- the problem --------------------------------------------------------------------------------------------------

    @func
    def is_fit(model, work, i: int, world: int) -> bool:
        """Whether contact i is between bodies in joints and fixed ones, and has no law but dry friction."""
        if work.contact_reach[i, world] == work.contact_reach_end[i, world]:
            return False
        if sides.is_alone(model, work.contact_body_a[i, world], world):
            return False
        if sides.is_alone(model, work.contact_body_b[i, world], world):
            return False
        return laws.is_dry(model, work, i, world)

    @func
    def spread_answer(work, k: int, world: int):
        """D^-1 Y of row k at the nodes of its path, which are marked."""
        for e in range(work.dense_first[k, world], work.dense_last[k, world]):
            node = work.reach_node[e, world]
            work.spread[node, world] = algebra.full(work.pivot[node, world]) * work.reach[e, world]
            work.is_spread[node, world] = 1

    @func
    def clear_marks(work, k: int, world: int):
        """No node is on the path of row k any more."""
        for e in range(work.dense_first[k, world], work.dense_last[k, world]):
            work.is_spread[work.reach_node[e, world], world] = 0

    @func
    def between(work, i: int, world: int) -> mat33:
        """The velocity at row i from an impulse on the row whose answer is spread; world axes."""
        total = mat33()
        e = work.dense_last[i, world] - 1
        first = work.dense_first[i, world]
        while e >= first:
            node = work.reach_node[e, world]
            if work.is_spread[node, world] == 1:
                total = total + wp.transpose(work.reach[e, world]) * work.spread[node, world]
            elif work.dense_chain[i, world] == 1:
                return total  # paths that have parted do not meet again
            e -= 1
        return total

    @func
    def is_chain(model, work, i: int, world: int) -> bool:
        """Whether the path of contact i is that of one of its bodies, each node being followed by its successor."""
        own = work.contact_reach_end[i, world] - work.contact_reach[i, world]
        a = reach.path_length(model, work.contact_body_a[i, world])
        b = reach.path_length(model, work.contact_body_b[i, world])
        return own == wp.max(a, b)

    @func
    def add_part(work, count: int, part: int, first: int, last: int, world: int) -> int:
        """The lengths or angles of a joint as a row after ``count`` others, if there is room; the number of rows."""
        if first == last or count == wp.static(MOST_TOGETHER):
            return count
        work.dense_part[count, world] = part
        work.dense_chain[count, world] = 0
        work.dense_first[count, world] = first
        work.dense_last[count, world] = last
        return count + 1

    @func
    def list_rows(model, memory, work, settings, world: int) -> int:
        """All contacts, then the joints that have something to do; their number."""
        count = work.contact_count[world] + 0
        for i in range(count):
            work.dense_first[i, world] = work.contact_reach[i, world]
            work.dense_last[i, world] = work.contact_reach_end[i, world]
            work.dense_chain[i, world] = int(is_chain(model, work, i, world))
        if wp.static(has_bounds):
            for j in range(settings.joints):
                if model.reach_linear[j] < model.reach_end[j]:
                    if not bounds.is_idle(model, memory, work, j, world):
                        count = add_part(work, count, 2 * j + 1, model.reach_linear[j], model.reach_angular[j], world)
                        count = add_part(work, count, 2 * j, model.reach_angular[j], model.reach_end[j], world)
        return count

    @func
    def frame(work, i: int, world: int) -> mat33:
        """Columns: tangents and normal of a contact; the world's axes for a joint."""
        if i < work.contact_count[world]:
            return laws.frame(work, i, world)
        return algebra.diagonal(real(1.0))

    @func
    def own_answer(work, i: int, world: int) -> mat33:
        """The inverse mass of a row, in its frame."""
        if i < work.contact_count[world]:
            return algebra.full(work.contact_mass[i, world])
        return reach.inverse_mass(work, work.dense_part[i, world] % 2, work.dense_part[i, world] // 2, world)

    @func
    def form(model, memory, work, settings, world: int):
        """The answers of all rows to each other, if they can be solved together."""
        work.dense_count[world] = 0
        contacts = work.contact_count[world]
        if contacts == 0 or contacts > wp.static(MOST_TOGETHER):
            return
        for i in range(contacts):
            if not is_fit(model, work, i, world):
                return
        count = list_rows(model, memory, work, settings, world)
        for k in range(count):
            spread_answer(work, k, world)
            turn = frame(work, k, world)
            for i in range(k):
                answer = wp.transpose(frame(work, i, world)) * between(work, i, world) * turn
                work.dense[i * count + k, world] = answer
                work.dense[k * count + i, world] = wp.transpose(answer)
            work.dense[k * count + k, world] = own_answer(work, k, world)
            clear_marks(work, k, world)
        work.dense_count[world] = count
        work.dense_soft[world] = real(SOFT_FIRST)

    @func
    def load(model, memory, work, world: int):
        """Velocities and impulses of all contacts in their frames, velocities of the joints' axes."""
        contacts = work.contact_count[world]
        for i in range(contacts):
            back = wp.transpose(laws.frame(work, i, world))
            work.dense_velocity[i, world] = back * sides.led_between(model, work, i, world)
            work.dense_impulse[i, world] = back * memory.contact_impulse[i, world]
        for i in range(contacts, work.dense_count[world]):
            j = work.dense_part[i, world] // 2
            linear = work.dense_part[i, world] % 2
            u = led(work, pair.motion(pair.load(model, work, j, world), linear), linear, j, world)
            work.dense_velocity[i, world] = u + reach.answer(
                work, work.solution, work.dense_first[i, world], work.dense_last[i, world], world
            )
            work.dense_impulse[i, world] = vec3()

    @func
    def store(model, memory, work, solved: bool, world: int):
        """What was found handed to the mechanism; of contacts only if they are solved."""
        contacts = work.contact_count[world]
        if solved:
            for i in range(contacts):
                impulse = laws.frame(work, i, world) * work.dense_impulse[i, world]
                sides.strike_contact(model, work, impulse - memory.contact_impulse[i, world], i, world)
                memory.contact_impulse[i, world] = impulse
        for i in range(contacts, work.dense_count[world]):
            first = work.dense_first[i, world]
            reach.strike(work, work.solution, first, work.dense_last[i, world], work.dense_impulse[i, world], world)

    # --- sweeps -------------------------------------------------------------------------------------------------------

    @func
    def strike(work, d: vec3, i: int, world: int):
        """An impulse on row i, as all rows feel it."""
        count = work.dense_count[world]
        k = int(0)
        while k < count:
            work.dense_velocity[k, world] = work.dense_velocity[k, world] + d * work.dense[i * count + k, world]
            k += 1

    @func
    def visit(model, work, i: int, world: int) -> real:
        """As in contact.py; the square of the change of its impulse."""
        mass = algebra.full(work.contact_mass[i, world])
        u = work.dense_velocity[i, world]
        old = work.dense_impulse[i, world]
        normal = laws.normal_impulse(work, mass[2, 2], u[2], old[2], i, world)
        new = vec3(old[0], old[1], normal)
        if normal > real(0.0) or wp.dot(old, old) > real(0.0):
            u = u + (normal - old[2]) * vec3(mass[0, 2], mass[1, 2], mass[2, 2])
            new = laws.rubbed(mass, u, new, model.pair_friction[work.contact_pair[i, world], world])
        d = new - old
        square = wp.dot(d, d)
        if square > real(0.0):
            work.dense_impulse[i, world] = new
            strike(work, d, i, world)
        return square

    @func
    def visit_part(model, memory, work, dt: real, i: int, world: int) -> real:
        """Bounded rows of a joint's lengths or angles, as in ``solvers/sweep.py``; the square of the largest change."""
        change = real(0.0)
        if wp.static(has_bounds):
            j = work.dense_part[i, world] // 2
            linear = work.dense_part[i, world] % 2
            u = work.dense_velocity[i, world]
            mass = reach.inverse_mass(work, linear, j, world)
            total = vec3()
            for c in range(bounds.count(model, j)):
                if bounds.linear(model, c, j) == linear:
                    d = bounds.visit(model, memory, work, u, dt, c, j, world)
                    u = u + mass * d
                    total = total + d
                    change = wp.max(change, wp.dot(d, d))
            if change > real(0.0):
                work.dense_impulse[i, world] = work.dense_impulse[i, world] + total
                strike(work, total, i, world)
        return change

    @func
    def sweep(model, memory, work, settings, world: int) -> vec2:
        """Every row once; squares of the largest changes: one that is not settled, and one that goes on."""
        worst = vec2()
        contacts = work.contact_count[world]
        for i in range(contacts, work.dense_count[world]):
            square = visit_part(model, memory, work, settings.dt, i, world)
            worst[0] = wp.max(worst[0], square)
            if square > settings.epsilon * settings.epsilon:
                worst[1] = wp.max(worst[1], square)
        for reverse in range(contacts):
            i = contacts - 1 - reverse
            square = visit(model, work, i, world)
            carried = wp.length_sq(work.dense_impulse[i, world])
            worst[0] = wp.max(worst[0], laws.unsettled(square, carried, settings.epsilon))
            if square > ENDED * carried:
                worst[1] = wp.max(worst[1], square)
        return worst

    # --- Newton's method ----------------------------------------------------------------------------------------------

    @func
    def describe_sliding(work, friction: real, i: int, world: int):
        """The equations of contact i along its friction and across it."""
        u = work.dense_velocity[i, world]
        q = work.dense_impulse[i, world]
        scale = work.contact_mass[i, world][2]
        bound = friction * q[2]
        along = vec3(real(1.0), real(0.0), real(0.0))
        across = vec3(real(0.0), real(1.0), real(0.0))
        slope = scale  # without friction: p_t = 0 on both axes
        share = real(0.0)
        if bound > real(0.0):
            along = -wp.normalize(vec3(q[0], q[1], real(0.0)))
            across = vec3(-along[1], along[0], real(0.0))
            slope = wp.max(wp.dot(along, u), real(0.0)) / bound
            share = real(1.0)
        work.dense_own[i, world] = wp.matrix_from_rows(
            scale * vec3(along[0], along[1], friction),
            slope * across,
            vec3(real(0.0), real(0.0), work.dense_own[i, world][2, 2]),
        )
        work.dense_seen[i, world] = wp.matrix_from_rows(vec3(), share * across, vec3(real(0.0), real(0.0), real(1.0)))
        work.dense_change[i, world] = vec3(
            -scale * (wp.dot(along, q) + bound),
            -share * wp.dot(across, u) - slope * wp.dot(across, q),
            work.dense_change[i, world][2],
        )

    @func
    def describe(model, work, soft: real, i: int, world: int):
        """The equations of contact i, which presses: own dp_i + seen (what its velocity changes by) = right."""
        u = work.dense_velocity[i, world]
        q = work.dense_impulse[i, world]
        mass = work.contact_mass[i, world]
        own = algebra.diagonal(soft * (mass[0] + mass[1] + mass[2]))
        source = work.contact_source[i, world]
        y = work.contact_y[i, world]
        lacking = source - u[2]
        if y > real(0.0):
            own[2, 2] = real(1.0) / y
            lacking = (source - q[2]) / y - u[2]
        work.dense_own[i, world] = own
        work.dense_seen[i, world] = algebra.diagonal(real(1.0))
        work.dense_change[i, world] = vec3(-u[0], -u[1], lacking)
        friction = model.pair_friction[work.contact_pair[i, world], world]
        bound = wp.static(real(AT_BOUND)) * friction * q[2]
        if q[0] * q[0] + q[1] * q[1] >= bound * bound:
            describe_sliding(work, friction, i, world)

    @func
    def slides(work, i: int, world: int) -> bool:
        """Whether the equations of contact i are those of one that slides."""
        return work.dense_seen[i, world][0, 0] == real(0.0)

    @func
    def gather(model, work, soft: real, world: int) -> vec2i:
        """The equations of all contacts that press, those that stick first; how many stick, and how many there are."""
        sticking = int(0)
        for i in range(work.contact_count[world]):
            if work.dense_impulse[i, world][2] > real(0.0):
                describe(model, work, soft, i, world)
                if not slides(work, i, world):
                    work.dense_place[sticking, world] = i
                    sticking += 1
        used = sticking + 0
        for i in range(work.contact_count[world]):
            if work.dense_impulse[i, world][2] > real(0.0) and slides(work, i, world):
                work.dense_place[used, world] = i
                used += 1
        return vec2i(sticking, used)

    @func
    def assemble(work, sticking: int, used: int, world: int):
        """Their matrix, block by block; what sticks answers to what sticks symmetrically, so half of that is enough."""
        count = work.dense_count[world]
        for r in range(used):
            i = work.dense_place[r, world]
            own = r * used + r
            if r < sticking:
                for c in range(r, used):
                    work.dense_factor[r * used + c, world] = work.dense[i * count + work.dense_place[c, world], world]
            else:
                seen = work.dense_seen[i, world]
                for c in range(used):
                    work.dense_factor[r * used + c, world] = (
                        seen * work.dense[i * count + work.dense_place[c, world], world]
                    )
            work.dense_factor[own, world] = work.dense_factor[own, world] + work.dense_own[i, world]

    @func
    def take_from_row(work, share: mat33, used: int, r: int, first: int, e: int, world: int):
        """Row r less a share of row e, from column ``first`` on."""
        c = first + 0
        while c < used:
            work.dense_factor[r * used + c, world] = (
                work.dense_factor[r * used + c, world] - share * work.dense_factor[e * used + c, world]
            )
            c += 1

    @func
    def eliminate(work, sticking: int, used: int, world: int):
        """Their solution by elimination, into ``dense_change``."""
        for e in range(used):
            inverse = wp.inverse(work.dense_factor[e * used + e, world])
            work.dense_factor[e * used + e, world] = inverse
            right = work.dense_change[work.dense_place[e, world], world]
            r = e + 1
            while r < used:
                share = mat33()
                if r < sticking:
                    share = wp.transpose(work.dense_factor[e * used + r, world]) * inverse
                    take_from_row(work, share, used, r, r, e, world)
                else:
                    share = work.dense_factor[r * used + e, world] * inverse
                    take_from_row(work, share, used, r, e + 1, e, world)
                i = work.dense_place[r, world]
                work.dense_change[i, world] = work.dense_change[i, world] - share * right
                r += 1
        e = used - 1
        while e >= 0:
            i = work.dense_place[e, world]
            x = work.dense_change[i, world]
            c = e + 1
            while c < used:
                x = x - work.dense_factor[e * used + c, world] * work.dense_change[work.dense_place[c, world], world]
                c += 1
            work.dense_change[i, world] = work.dense_factor[e * used + e, world] * x
            e -= 1

    @func
    def solve_all(model, work, soft: real, world: int):
        """All contacts that press at once, each as the last sweep has left it."""
        found = gather(model, work, soft, world)
        assemble(work, found[0], found[1], world)
        eliminate(work, found[0], found[1], world)
        for r in range(found[1]):
            i = work.dense_place[r, world]
            d = work.dense_change[i, world]
            work.dense_impulse[i, world] = work.dense_impulse[i, world] + d
            strike(work, d, i, world)

    @func
    def push_all(model, work, settings, world: int) -> real:
        """Pseudo-impulses of all contacts; the square of the largest change in the last sweep that is not settled."""
        count = work.dense_count[world]
        contacts = work.contact_count[world]
        some = bool(False)
        for i in range(contacts):
            if laws.is_pushed(work, i, world):
                some = True
        if not some:
            return real(0.0)
        for i in range(contacts):
            speed = wp.dot(work.contact_normal[i, world], sides.push_between(model, work, i, world))
            work.dense_change[i, world] = vec3(speed, work.contact_push[i, world], real(0.0))
        work.is_pushed[world] = 1
        worst = real(0.0)
        left = int(wp.static(PUSH_SWEEPS))
        while left > 0:
            again = bool(False)
            worst = real(0.0)
            for i in range(contacts):
                if laws.is_pushed(work, i, world):
                    old = work.contact_push[i, world]
                    new = laws.pushed(model, work, settings, work.dense_change[i, world][0], i, world)
                    work.contact_push[i, world] = new
                    d = new - old
                    for k in range(contacts):
                        x = work.dense_change[k, world]
                        x[0] = x[0] + work.dense[k * count + i, world][2, 2] * d
                        work.dense_change[k, world] = x
                    worst = wp.max(worst, laws.unsettled(d * d, new * new, settings.epsilon))
                    if d * d > ENDED * new * new:
                        again = True
            left -= 1
            if not again:
                left = 0
        for i in range(contacts):
            d = work.contact_push[i, world] - work.dense_change[i, world][1]
            if d != real(0.0):
                sides.push_contact(model, work, d * work.contact_normal[i, world], i, world)
        return worst

    @func
    def solve(model, memory, work, settings, world: int) -> vec2:
        """All rows; squares of the last sweep's largest changes. Where rounds do not end, no contact is changed."""
        load(model, memory, work, world)
        changes = sweep(model, memory, work, settings, world)
        left = changes[1]
        soft = work.dense_soft[world]
        harder = real(HARDER)
        rounds = int(wp.static(ROUNDS))
        while left > real(0.0) and rounds > 0:
            rounds -= 1
            solve_all(model, work, soft, world)
            before = left
            changes = sweep(model, memory, work, settings, world)
            left = changes[1]
            if left >= before:
                soft = wp.clamp(real(SOFTER) * soft, real(SOFT_AGAIN), real(SOFT_FIRST))
                harder = wp.min(real(GENTLER) * harder, real(GENTLEST))
            else:
                soft = wp.max(harder * soft, HARDEST)
        work.dense_soft[world] = soft
        store(model, memory, work, left == real(0.0), world)
        if left > real(0.0):
            work.dense_count[world] = 0
            return vec2()
        return vec2(changes[0], push_all(model, work, settings, world))

    return locals()
