"""Contact of two shapes in a point: they do not pass through each other, and rub ([001] and [003] stand on this).

    u   velocity of b against a at the point, in the contact's frame: two tangents, then the normal from a to b
    W   J M^-1 J^T, 3x3 in that frame: u after an impulse p is u + W p
    g   gap (m), negative where the shapes overlap

    normal      u_n + max(g, 0)/dt >= 0,  p_n >= 0,  one of the two zero: speculative, nothing passes through
    compliant   p_n = max(0, -h (k (g + dt u_n) + c u_n)): implicit Euler, as for springs; c acts where g <= 0
    friction    |p_t| <= mu p_n in a true cone; sticks where W_t^-1 can stop u_t, else p_t <- the nearest point of the
                cone to p_t - u_t/max eig W_t, whose fixed point has p_t against u_t: maximum dissipation
    overlap     pseudo-velocities with u*_n + (ERP/dt) g + give p* >= 0, as for limits
    impact      before all this, where u_n < -threshold would close the gap within the step: p_n = -(1 + e) u_n/W_nn
                at once, contact after contact, until none approaches (a row of balls passes impulses on). The step ends
                where the true path would, up to dt^2: u*_n = -(1 + e) g/dt

All contacts together are a group of rows, see ``groups.py``. Rolling and spinning friction are in rolling.py, tyres in
tyre.py; a moving belt is in contacts/sides.py.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...scene.joints import Kind
from ..algebra import make_algebra
from ..contacts.broad import make_broad
from ..contacts.keep import make_keep
from ..contacts.shares import make_shares
from ..contacts.sides import make_sides
from ..coordinates import make_coordinates
from ..solvers.reach import make_reach
from .limit import push_give
from .rolling import make_rolling
from .tyre import make_tyre

wp = load_warp()

IMPACT_SWEEPS = 20  # a row of this many balls hands a blow on within a step
SETTLED = 1e-6  # of an impulse: a contact that changes by less has converged


@cache
def make_contact(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    t = structs(p)
    algebra, sides, geometry = make_algebra(p), make_sides(p, features), make_coordinates(p)
    reach_contact = make_reach(p, features).reach_contact
    rolling, tyres = make_rolling(p, features), make_tyre(p, features)
    visit_rolling = rolling.visit_rolling
    Brush = tyres.Brush
    find_contacts, keep_contacts = make_broad(p, features).find_contacts, make_keep(p, features).keep_contacts
    share_loads = make_shares(p, features).share_loads
    GIVE = wp.constant(real(push_give(p)))

    @wp.func
    def frame(k: t.work, i: int, w: int) -> mat33:
        """Columns: the two tangents and the normal of contact i, world axes."""
        z = k.contact_normal[i, w]
        x = k.contact_tangent[i, w]
        return wp.matrix_from_cols(x, wp.cross(z, x), z)

    # --- before the iterations --------------------------------------------------------------------------------------

    @wp.func
    def prepare_belt(m: t.model, s: t.state, k: t.work, i: int, w: int):
        """The sprocket that moves the surface of one of the sides, if any."""
        belt = wp.max(m.shape_belt[k.contact_a[i, w]], m.shape_belt[k.contact_b[i, w]])
        k.contact_sprocket[i, w] = -1
        k.contact_belt[i, w] = vec3()
        if belt >= 0:
            j = m.belt_joint[belt]
            axle = geometry.coordinate_axis(geometry.frames_of(m, s, j, w), wp.static(int(Kind.TWIST)))
            k.contact_sprocket[i, w] = j
            k.contact_axle[i, w] = axle
            k.contact_belt[i, w] = -m.belt_radius[belt] * wp.cross(axle, k.contact_normal[i, w])

    @wp.func
    def tyre_of(m: t.model, k: t.work, i: int, w: int) -> int:
        """The tyre of one of the sides of contact i, or -1."""
        return wp.max(m.shape_tyre[k.contact_a[i, w]], m.shape_tyre[k.contact_b[i, w]])

    @wp.func
    def heading(m: t.model, s: t.state, k: t.work, tyre: int, i: int, w: int) -> vec3:
        """Along which a wheel rolls: square to its axle and to the normal. Notes how fast it rolls, too."""
        shape = k.contact_a[i, w]
        if m.shape_tyre[shape] < 0:
            shape = k.contact_b[i, w]
        body = m.shape_body[shape]
        turn = s.rotation[body, w] * m.shape_turn[shape]
        axle = wp.quat_rotate(turn, vec3(real(0.0), real(0.0), real(1.0)))
        speed = wp.abs(wp.dot(axle, s.spin[body, w])) * (m.shape_size[shape][0] + m.shape_size[shape][1])
        k.tyre_rate[i, w] = speed / m.tyre_relaxation[tyre]
        return wp.normalize(wp.cross(axle, k.contact_normal[i, w]))

    @wp.func
    def soften(k: t.work, dt: real, stiffness: real, damping: real, i: int, w: int):
        """The normal as a spring and damper; the damper acts once the shapes overlap."""
        kick = k.kick[w]
        gap = k.contact_gap[i, w]
        c = damping
        if gap > real(0.0):
            c = real(0.0)
        k.contact_y[i, w] = kick * (c + dt * stiffness)
        k.contact_source[i, w] = -kick * stiffness * gap

    @wp.func
    def prepare_normal(m: t.model, k: t.work, o: t.settings, pair: int, i: int, w: int):
        """The normal's source, speculative or elastic, and no pseudo-impulse yet."""
        k.contact_push[i, w] = real(0.0)
        k.contact_search[i, w] = vec3()
        k.contact_y[i, w] = real(0.0)
        k.contact_source[i, w] = -wp.max(k.contact_gap[i, w], real(0.0)) / o.dt
        if wp.static(features.restitution):
            k.contact_blow[i, w] = vec3()
        if wp.static(features.compliance):
            if wp.isfinite(m.pair_stiffness[pair, w]):
                soften(k, o.dt, m.pair_stiffness[pair, w], m.pair_damping[pair, w], i, w)

    @wp.func
    def prepare_tyre(m: t.model, n: t.memory, k: t.work, o: t.settings, pair: int, i: int, w: int):
        """The normal of a tyre as a spring and damper, and how far its bristles are stretched."""
        tyre = tyre_of(m, k, i, w)
        if tyre >= 0:
            soften(k, o.dt, m.tyre_stiffness[tyre], m.tyre_damping[tyre], i, w)
            z = wp.transpose(frame(k, i, w)) * n.contact_bend[i, w]
            k.tyre_stretch[i, w] = wp.length(tyres.stretch(m, m.pair_friction[pair, w], vec2(z[0], z[1]), tyre))

    @wp.func
    def clipped(start: vec3, friction: real) -> vec3:
        """Last step's impulse, brought into the cone; contact's frame."""
        normal = wp.max(start[2], real(0.0))
        size = wp.sqrt(start[0] * start[0] + start[1] * start[1])
        share = real(1.0)
        if size > friction * normal:
            share = friction * normal / size
        return vec3(share * start[0], share * start[1], normal)

    @wp.func
    def prepare_contact(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, i: int, w: int):
        """Arms, effective mass and bounds of contact i; last step's impulse brought into its cone."""
        a = m.shape_body[k.contact_a[i, w]]
        b = m.shape_body[k.contact_b[i, w]]
        arm_a = k.contact_point[i, w] - s.position[a, w]
        arm_b = k.contact_point[i, w] - s.position[b, w]
        k.contact_body_a[i, w] = a
        k.contact_body_b[i, w] = b
        k.contact_arm_a[i, w] = arm_a
        k.contact_arm_b[i, w] = arm_b
        inverse = sides.inverse_mass_alone(m, k, a, arm_a, w) + sides.inverse_mass_alone(m, k, b, arm_b, w)
        if wp.static(features.belts):
            prepare_belt(m, s, k, i, w)
            if wp.static(not features.reach):
                inverse = inverse + sides.belt_inverse_mass(m, k, i, w)
        if wp.static(features.reach):
            inverse = inverse + reach_contact(m, k, o, i, w)
        turn = algebra.frame_of(k.contact_normal[i, w])
        tangent = vec3(turn[0, 0], turn[1, 0], turn[2, 0])
        if wp.static(features.tyres):
            tyre = tyre_of(m, k, i, w)
            if tyre >= 0:
                tangent = heading(m, s, k, tyre, i, w)
        k.contact_tangent[i, w] = tangent
        turn = frame(k, i, w)
        k.contact_mass[i, w] = algebra.packed(wp.transpose(turn) * inverse * turn)
        pair = m.shape_material[k.contact_a[i, w]] * o.materials + m.shape_material[k.contact_b[i, w]]
        k.contact_pair[i, w] = pair
        prepare_normal(m, k, o, pair, i, w)
        if wp.static(features.tyres):
            prepare_tyre(m, n, k, o, pair, i, w)
        if wp.static(features.rolling):
            rolling.prepare_rolling(m, k, o, turn, i, w)
        n.contact_impulse[i, w] = turn * clipped(wp.transpose(turn) * n.contact_impulse[i, w], m.pair_friction[pair, w])

    @wp.func
    def warm_contact(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """Apply last step's impulse."""
        sides.warm_sides(m, k, n.contact_impulse[i, w], i, w)
        if wp.static(features.rolling):
            rolling.warm_rolling(m, n, k, i, w)

    # --- impact -----------------------------------------------------------------------------------------------------

    @wp.func
    def is_struck(m: t.model, k: t.work, dt: real, speed: real, i: int, w: int) -> bool:
        """Whether the contact closes within the step, fast enough to bounce."""
        pair = k.contact_pair[i, w]
        closes = k.contact_gap[i, w] + dt * speed < real(0.0)
        return m.pair_restitution[pair, w] > real(0.0) and closes and speed < -m.pair_threshold[pair, w]

    @wp.func
    def bounce(m: t.model, k: t.work, dt: real, i: int, w: int) -> bool:
        """The impact of contact i, if there is one; whether there was."""
        turn = frame(k, i, w)
        u = wp.transpose(turn) * sides.velocity_between(m, k, i, w)
        if not is_struck(m, k, dt, u[2], i, w):
            return False
        pair = k.contact_pair[i, w]
        mass = algebra.full(k.contact_mass[i, w])
        d = vec3(real(0.0), real(0.0), -(real(1.0) + m.pair_restitution[pair, w]) * u[2] / mass[2, 2])
        d = rubbed(mass, u + mass * d, d, m.pair_friction[pair, w])
        d = turn * d
        k.contact_blow[i, w] = k.contact_blow[i, w] + d
        sides.strike_contact(m, k, d, i, w)
        return True

    @wp.func
    def bounce_all(m: t.model, k: t.work, dt: real, w: int):
        """Impacts, one after the other, until none is left."""
        left = int(wp.static(IMPACT_SWEEPS))
        while left > 0:
            left -= 1
            again = bool(False)
            for i in range(k.contact_count[w]):
                if bounce(m, k, dt, i, w):
                    again = True
            if not again:
                left = 0

    # --- one visit --------------------------------------------------------------------------------------------------

    @wp.func
    def rubbed(mass: mat33, u: vec3, q: vec3, friction: real) -> vec3:
        """The impulse q with its tangential part corrected for the velocity u; contact's frame."""
        bound = friction * q[2]
        det = mass[0, 0] * mass[1, 1] - mass[0, 1] * mass[0, 1]
        x = q[0] - (mass[1, 1] * u[0] - mass[0, 1] * u[1]) / det
        y = q[1] - (mass[0, 0] * u[1] - mass[0, 1] * u[0]) / det
        if x * x + y * y > bound * bound:
            half = real(0.5) * (mass[0, 0] - mass[1, 1])
            largest = real(0.5) * (mass[0, 0] + mass[1, 1]) + wp.sqrt(half * half + mass[0, 1] * mass[0, 1])
            x = q[0] - u[0] / largest
            y = q[1] - u[1] / largest
            size = wp.sqrt(x * x + y * y)
            if size > bound:
                x = x * bound / size
                y = y * bound / size
        return vec3(x, y, q[2])

    @wp.func
    def normal_impulse(k: t.work, mass: real, speed: real, old: real, i: int, w: int) -> real:
        """The normal impulse after a visit, N s: rigid, or elastic with the conductance y."""
        y = k.contact_y[i, w]
        new = old - (speed - k.contact_source[i, w]) / mass
        if y > real(0.0):
            new = old - (y * speed + old - k.contact_source[i, w]) / (y * mass + real(1.0))
        return wp.max(new, real(0.0))

    @wp.func
    def tangential(m: t.model, n: t.memory, k: t.work, turn: mat33, u: vec3, q: vec3, i: int, w: int) -> vec3:
        """The impulse q with its tangential part corrected, by the tyre or by dry friction; contact's frame."""
        mass = algebra.full(k.contact_mass[i, w])
        friction = m.pair_friction[k.contact_pair[i, w], w]
        if wp.static(features.tyres):
            tyre = tyre_of(m, k, i, w)
            if tyre >= 0:
                bend = wp.transpose(turn) * n.contact_bend[i, w]
                brush = Brush()
                brush.bend = vec2(bend[0], bend[1])
                brush.friction = friction
                brush.rate = k.tyre_rate[i, w]
                brush.stretch = k.tyre_stretch[i, w]
                brush.kick = k.kick[w]
                new = tyres.tyre_impulse(m, mass, u, q, brush, tyre)
                ahead = tyres.bend_after(u + mass * (new - q), brush.bend, brush.rate, brush.kick)
                k.tyre_stretch[i, w] = wp.length(tyres.stretch(m, friction, ahead, tyre))
                return new
        return rubbed(mass, u, q, friction)

    @wp.func
    def visit_contact(m: t.model, n: t.memory, k: t.work, i: int, w: int) -> vec2:
        """One visit; the squares of the changes of its impulse and of its rolling friction."""
        turn = frame(k, i, w)
        u = wp.transpose(turn) * sides.velocity_between(m, k, i, w)
        mass = algebra.full(k.contact_mass[i, w])
        old = wp.transpose(turn) * n.contact_impulse[i, w]
        normal = normal_impulse(k, mass[2, 2], u[2], old[2], i, w)
        new = vec3(old[0], old[1], normal)
        if normal > real(0.0) or old[2] > real(0.0):
            u = u + (normal - old[2]) * vec3(mass[0, 2], mass[1, 2], mass[2, 2])
            new = tangential(m, n, k, turn, u, new, i, w)
        d = turn * (new - old)
        k.contact_step[i, w] = d
        square = wp.dot(d, d)
        if square > real(0.0):
            n.contact_impulse[i, w] = n.contact_impulse[i, w] + d
            sides.strike_contact(m, k, d, i, w)
        rolling = real(0.0)
        if wp.static(features.rolling):
            rolling = visit_rolling(m, n, k, turn, normal, i, w)
        return vec2(square, rolling)

    @wp.func
    def push_out(m: t.model, k: t.work, o: t.settings, i: int, w: int) -> real:
        """Pseudo-impulse of an overlap, or of an impact that happens on the way; the square of its change."""
        gap = k.contact_gap[i, w]
        target = -o.erp * gap / o.dt
        struck = bool(False)
        if wp.static(features.restitution):
            if wp.dot(k.contact_blow[i, w], k.contact_blow[i, w]) > real(0.0) and gap > real(0.0):
                struck = True
                target = -(real(1.0) + m.pair_restitution[k.contact_pair[i, w], w]) * gap / o.dt
        if (gap >= real(0.0) and not struck) or k.contact_y[i, w] > real(0.0):
            return real(0.0)
        normal = k.contact_normal[i, w]
        old = k.contact_push[i, w]
        give = GIVE * (m.inv_mass[k.contact_body_a[i, w], w] + m.inv_mass[k.contact_body_b[i, w], w])
        speed = wp.dot(normal, sides.push_between(m, k, i, w))
        new = old - (speed - target + give * old) / (k.contact_mass[i, w][2] + give)
        if not struck:
            new = wp.max(new, real(0.0))
        k.contact_push[i, w] = new
        sides.push_contact(m, k, (new - old) * normal, i, w)
        return (new - old) * (new - old)

    @wp.func
    def accelerate(m: t.model, n: t.memory, k: t.work, w: int):
        """Before a sweep over all contacts: go on in the direction of the sweeps so far, as conjugate gradients do.

        Silcowitz-Hansen, Niebe and Erleben (2010): with g the change of impulses in a sweep and b = |g|^2/|g_old|^2,
        add b times the last direction and remember g + b times it; start over where b > 1.
        """
        squares = k.contact_squares[w]
        share = real(0.0)
        if squares[0] > real(0.0) and squares[1] < squares[0]:
            share = squares[1] / squares[0]
        for i in range(k.contact_count[w]):
            if share == real(0.0):
                k.contact_search[i, w] = vec3()
            else:
                more = share * k.contact_search[i, w]
                k.contact_search[i, w] = more + k.contact_step[i, w]
                n.contact_impulse[i, w] = n.contact_impulse[i, w] + more
                sides.strike_contact(m, k, more, i, w)

    @wp.func
    def unsettled(change: real, carried: real, epsilon: real) -> real:
        """The square of a change, 0 if it is a small share of what is carried (squares); not where epsilon is 0."""
        if epsilon > real(0.0) and change < real(SETTLED * SETTLED) * carried:
            return real(0.0)
        return change

    @wp.func
    def sweep_contacts(m: t.model, n: t.memory, k: t.work, epsilon: real, w: int) -> real:
        """Every contact once, what lies on the ground last; the square of the largest change that is not settled."""
        if k.contact_squares[w][1] > real(0.0):
            accelerate(m, n, k, w)
        worst = real(0.0)
        total = real(0.0)
        count = k.contact_count[w]
        for reverse in range(count):
            i = count - 1 - reverse
            squares = visit_contact(m, n, k, i, w)
            total = total + wp.max(squares[0], squares[1])
            worst = wp.max(worst, unsettled(squares[0], wp.length_sq(n.contact_impulse[i, w]), epsilon))
            worst = wp.max(worst, squares[1])
        k.contact_squares[w] = vec2(k.contact_squares[w][1], total)
        return worst

    @wp.func
    def push_contacts(m: t.model, k: t.work, o: t.settings, w: int) -> real:
        """Pseudo-impulses of every contact once; the square of the largest change that is not settled."""
        worst = real(0.0)
        for i in range(k.contact_count[w]):
            square = push_out(m, k, o, i, w)
            worst = wp.max(worst, unsettled(square, k.contact_push[i, w] * k.contact_push[i, w], o.epsilon))
        return worst

    # --- after the iterations ---------------------------------------------------------------------------------------

    @wp.func
    def keep_bend(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """Where the bristles of a tyre are at the end of the kick."""
        tyre = tyre_of(m, k, i, w)
        if tyre >= 0:
            turn = frame(k, i, w)
            bend = wp.transpose(turn) * n.contact_bend[i, w]
            u = wp.transpose(turn) * sides.velocity_between(m, k, i, w)
            z = tyres.bend_after(u, vec2(bend[0], bend[1]), k.tyre_rate[i, w], k.kick[w])
            z = tyres.kept_bend(m, m.pair_friction[k.contact_pair[i, w], w], z, tyre)
            if n.contact_impulse[i, w][0] == real(0.0) and wp.length_sq(n.contact_impulse[i, w]) == real(0.0):
                z = vec2()
            n.contact_bend[i, w] = turn * vec3(z[0], z[1], real(0.0))

    @wp.func
    def end_contact(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """The force of contact i, added to what its bodies feel; the bend of a tyre."""
        d = n.contact_impulse[i, w]
        if wp.static(features.restitution):
            d = d + k.contact_blow[i, w]
        force = d / k.kick[w]
        k.contact_force[i, w] = force
        k.contact_slip[i, w] = sides.velocity_between(m, k, i, w)
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        k.touch_force[a, w] = k.touch_force[a, w] - force
        k.touch_force[b, w] = k.touch_force[b, w] + force
        if wp.static(features.tyres):
            keep_bend(m, n, k, i, w)

    # --- all of them, as a group of rows ------------------------------------------------------------------------------

    @wp.func
    def place(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Find the contact points, and match them with those of the last step."""
        if o.warm_start == 0:
            n.kept_count[w] = 0
        find_contacts(m, s, k, r, o, w)
        keep_contacts(m, s, n, k, o, w)

    @wp.func
    def reach(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Every contact, with the inverse mass that the factors give."""
        if wp.static(features.reach):
            k.reach_used[w] = o.joint_paths
        for i in range(k.contact_count[w]):
            prepare_contact(m, s, n, k, o, i, w)
        k.contact_squares[w] = vec2()

    @wp.func
    def warm(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Last step's impulses applied."""
        for i in range(k.contact_count[w]):
            warm_contact(m, n, k, i, w)

    @wp.func
    def strike(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Before the first sweep: loads shared between the points, impacts."""
        if wp.static(features.direct):
            share_loads(m, n, k, w)
        if wp.static(features.restitution):
            bounce_all(m, k, o.dt, w)

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, w: int) -> real:
        """Every contact once; the square of the largest change of an impulse."""
        # changes shrink slowly here: a small one is no sign of having converged, hence no epsilon
        change = sweep_contacts(m, n, k, real(0.0), w)
        if stabilise:
            push_contacts(m, k, o, w)
        return change

    @wp.func
    def sweep(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> vec2:
        """Every contact once; the squares of the largest changes of an impulse and of a pseudo-impulse."""
        change = sweep_contacts(m, n, k, o.epsilon, w)
        return vec2(change, push_contacts(m, k, o, w))

    @wp.func
    def end(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The force of every contact, N, and of all contacts of a body together."""
        for b in range(o.bodies):
            k.touch_force[b, w] = vec3()
        for i in range(k.contact_count[w]):
            end_contact(m, n, k, i, w)

    @wp.func
    def scale(m: t.model, n: t.memory, o: t.settings, share: real, w: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for i in range(n.kept_count[w]):
            n.contact_impulse[i, w] = share * n.contact_impulse[i, w]
            if wp.static(features.rolling):
                n.contact_spin[i, w] = share * n.contact_spin[i, w]

    return SimpleNamespace(
        place=place, reach=reach, warm=warm, strike=strike, visit=visit, sweep=sweep, end=end, scale=scale
    )
