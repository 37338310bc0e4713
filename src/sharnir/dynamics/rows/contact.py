"""Contact of two shapes in a point: they do not pass through each other, and rub (papers 001 and 003 stand on this).

    u   velocity of b against a at the point, in the contact's frame: two tangents, then the normal from a to b
    W   J M^-1 J^T, 3x3 in that frame: u after an impulse p is u + W p
    g   gap (m), negative where the shapes overlap

    normal      u_n + max(g, 0)/dt >= 0,  p_n >= 0,  one of the two zero: speculative, nothing passes through
    compliant   p_n = max(0, -h (k (g + dt u_n) + c u_n)): implicit Euler, as for springs; c acts where g <= 0
    friction    |p_t| <= mu p_n in a true cone; sticks where W_t^-1 can stop u_t, else p_t <- the nearest point of the
                cone to p_t - u_t/max eig W_t, whose fixed point has p_t against u_t: maximum dissipation
    overlap     pseudo-velocities with u*_n + (ERP/dt) g >= 0, as for limits
    impact      before all this, where u_n < -threshold would close the gap within the step: p_n = -(1 + e) u_n/W_nn
                at once, contact after contact, until none approaches (a row of balls hands the blow on). The step ends
                where the true path would, up to dt^2: u*_n = -(1 + e) g/dt

Rolling and spinning friction are torques against the relative spin: about the tangents at most rho_r p_n, about the
normal at most rho_s p_n, with rho a length (m).
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..solvers.reach import make_reach

wp = load_warp()

IMPACT_SWEEPS = 20  # a row of this many balls hands a blow on within a step


@cache
def make_contact(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    t = structs(p)
    algebra, reach = make_algebra(p), make_reach(p, features)
    diagonal, packed, full, frame_of = algebra.diagonal, algebra.packed, algebra.full, algebra.frame_of
    reach_contact, answer, strike = reach.reach_contact, reach.answer, reach.strike

    # --- velocities and impulses of the two sides -------------------------------------------------------------------

    @wp.func
    def is_alone(m: t.model, body: int, w: int) -> bool:
        """Whether impulses change the velocity of this body and of nothing else."""
        if m.inv_mass[body, w] == real(0.0):
            return False
        if wp.static(features.reach):
            return m.body_node[body] < 0
        return True

    @wp.func
    def frame(k: t.work, i: int, w: int) -> mat33:
        z = k.contact_normal[i, w]
        x = k.contact_tangent[i, w]
        return wp.matrix_from_cols(x, wp.cross(z, x), z)

    @wp.func
    def point_velocity(k: t.work, i: int, w: int) -> vec3:
        """Velocity of b against a at the point, world axes."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        u = k.velocity[b, w] + wp.cross(k.spin[b, w], k.contact_arm_b[i, w])
        u = u - k.velocity[a, w] - wp.cross(k.spin[a, w], k.contact_arm_a[i, w])
        if wp.static(features.reach):
            u = u + answer(k, k.solution, k.contact_reach[i, w], k.contact_reach_end[i, w], w)
        return u

    @wp.func
    def strike_body(m: t.model, k: t.work, body: int, arm: vec3, d: vec3, w: int):
        k.velocity[body, w] = k.velocity[body, w] + m.inv_mass[body, w] * d
        k.spin[body, w] = k.spin[body, w] + full(k.inv_inertia[body, w]) * wp.cross(arm, d)

    @wp.func
    def strike_contact(m: t.model, k: t.work, d: vec3, i: int, w: int):
        """Apply an impulse d (world axes) on b, and against a."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if is_alone(m, a, w):
            strike_body(m, k, a, k.contact_arm_a[i, w], -d, w)
        if is_alone(m, b, w):
            strike_body(m, k, b, k.contact_arm_b[i, w], d, w)
        if wp.static(features.reach):
            strike(k, k.solution, k.contact_reach[i, w], k.contact_reach_end[i, w], d, w)

    @wp.func
    def push_velocity(k: t.work, i: int, w: int) -> vec3:
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        u = k.push[b, w] + wp.cross(k.push_spin[b, w], k.contact_arm_b[i, w])
        u = u - k.push[a, w] - wp.cross(k.push_spin[a, w], k.contact_arm_a[i, w])
        if wp.static(features.reach):
            u = u + answer(k, k.push_solution, k.contact_reach[i, w], k.contact_reach_end[i, w], w)
        return u

    @wp.func
    def push_body(m: t.model, k: t.work, body: int, arm: vec3, d: vec3, w: int):
        k.push[body, w] = k.push[body, w] + m.inv_mass[body, w] * d
        k.push_spin[body, w] = k.push_spin[body, w] + full(k.inv_inertia[body, w]) * wp.cross(arm, d)

    @wp.func
    def push_strike(m: t.model, k: t.work, d: vec3, i: int, w: int):
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if is_alone(m, a, w):
            push_body(m, k, a, k.contact_arm_a[i, w], -d, w)
        if is_alone(m, b, w):
            push_body(m, k, b, k.contact_arm_b[i, w], d, w)
        if wp.static(features.reach):
            strike(k, k.push_solution, k.contact_reach[i, w], k.contact_reach_end[i, w], d, w)

    # --- before the iterations --------------------------------------------------------------------------------------

    @wp.func
    def inverse_mass_alone(m: t.model, k: t.work, body: int, arm: vec3, w: int) -> mat33:
        if is_alone(m, body, w):
            s = wp.skew(arm)
            return diagonal(m.inv_mass[body, w]) - s * full(k.inv_inertia[body, w]) * s
        return mat33()

    @wp.func
    def prepare_contact(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, i: int, w: int):
        a = m.shape_body[k.contact_a[i, w]]
        b = m.shape_body[k.contact_b[i, w]]
        arm_a = k.contact_point[i, w] - s.position[a, w]
        arm_b = k.contact_point[i, w] - s.position[b, w]
        k.contact_body_a[i, w] = a
        k.contact_body_b[i, w] = b
        k.contact_arm_a[i, w] = arm_a
        k.contact_arm_b[i, w] = arm_b
        inverse = inverse_mass_alone(m, k, a, arm_a, w) + inverse_mass_alone(m, k, b, arm_b, w)
        if wp.static(features.reach):
            inverse = inverse + reach_contact(m, k, o, a, b, arm_a, arm_b, i, w)
        turn = frame_of(k.contact_normal[i, w])
        k.contact_tangent[i, w] = vec3(turn[0, 0], turn[1, 0], turn[2, 0])
        mass = wp.transpose(turn) * inverse * turn
        k.contact_mass[i, w] = packed(mass)
        pair = m.shape_material[k.contact_a[i, w]] * o.materials + m.shape_material[k.contact_b[i, w]]
        k.contact_pair[i, w] = pair
        gap = k.contact_gap[i, w]
        k.contact_push[i, w] = real(0.0)
        k.contact_search[i, w] = vec3()
        if wp.static(features.restitution):
            k.contact_blow[i, w] = vec3()
        k.contact_y[i, w] = real(0.0)
        k.contact_source[i, w] = -wp.max(gap, real(0.0)) / o.dt
        if wp.static(features.compliance):
            stiffness = m.pair_stiffness[pair]
            if wp.isfinite(stiffness):
                c = m.pair_damping[pair]
                if gap > real(0.0):
                    c = real(0.0)
                k.contact_y[i, w] = kick * (c + o.dt * stiffness)
                k.contact_source[i, w] = -kick * stiffness * gap
        start = wp.transpose(turn) * n.contact_impulse[i, w]
        bound = m.pair_friction[pair] * wp.max(start[2], real(0.0))
        size = wp.sqrt(start[0] * start[0] + start[1] * start[1])
        share = real(1.0)
        if size > bound:
            share = bound / size
        n.contact_impulse[i, w] = turn * vec3(share * start[0], share * start[1], wp.max(start[2], real(0.0)))

    @wp.func
    def warm_contact(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """Apply last step's impulse; bodies in joints take it as if alone, the joints answer in the first solve."""
        d = n.contact_impulse[i, w]
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if m.inv_mass[a, w] > real(0.0):
            strike_body(m, k, a, k.contact_arm_a[i, w], -d, w)
        if m.inv_mass[b, w] > real(0.0):
            strike_body(m, k, b, k.contact_arm_b[i, w], d, w)

    # --- impact -----------------------------------------------------------------------------------------------------

    @wp.func
    def is_struck(m: t.model, k: t.work, dt: real, speed: real, i: int, w: int) -> bool:
        """Whether the contact closes within the step, fast enough to bounce."""
        pair = k.contact_pair[i, w]
        closes = k.contact_gap[i, w] + dt * speed < real(0.0)
        return m.pair_restitution[pair] > real(0.0) and closes and speed < -m.pair_threshold[pair]

    @wp.func
    def bounce(m: t.model, k: t.work, dt: real, i: int, w: int) -> bool:
        turn = frame(k, i, w)
        u = wp.transpose(turn) * point_velocity(k, i, w)
        if not is_struck(m, k, dt, u[2], i, w):
            return False
        pair = k.contact_pair[i, w]
        mass = full(k.contact_mass[i, w])
        d = vec3(real(0.0), real(0.0), -(real(1.0) + m.pair_restitution[pair]) * u[2] / mass[2, 2])
        d = rubbed(mass, u + mass * d, d, m.pair_friction[pair])
        d = turn * d
        k.contact_blow[i, w] = k.contact_blow[i, w] + d
        strike_contact(m, k, d, i, w)
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
    def visit_contact(m: t.model, n: t.memory, k: t.work, i: int, w: int) -> real:
        """One visit; the square of the impulse's change."""
        turn = frame(k, i, w)
        u = wp.transpose(turn) * point_velocity(k, i, w)
        mass = full(k.contact_mass[i, w])
        old = wp.transpose(turn) * n.contact_impulse[i, w]
        normal = old[2]
        y = k.contact_y[i, w]
        if y > real(0.0):
            normal = normal - (y * u[2] + normal - k.contact_source[i, w]) / (y * mass[2, 2] + real(1.0))
        else:
            normal = normal - (u[2] - k.contact_source[i, w]) / mass[2, 2]
        normal = wp.max(normal, real(0.0))
        change = normal - old[2]
        new = vec3(old[0], old[1], normal)
        if normal > real(0.0) or old[2] > real(0.0):
            u = u + change * vec3(mass[0, 2], mass[1, 2], mass[2, 2])
            new = rubbed(mass, u, new, m.pair_friction[k.contact_pair[i, w]])
        d = turn * (new - old)
        k.contact_step[i, w] = d
        square = wp.dot(d, d)
        if square > real(0.0):
            n.contact_impulse[i, w] = n.contact_impulse[i, w] + d
            strike_contact(m, k, d, i, w)
        return square

    @wp.func
    def push_contact(m: t.model, k: t.work, o: t.settings, i: int, w: int) -> real:
        """Pseudo-impulse of an overlap, or of an impact that happens on the way; the square of its change."""
        gap = k.contact_gap[i, w]
        target = -o.erp * gap / o.dt
        struck = bool(False)
        if wp.static(features.restitution):
            if wp.dot(k.contact_blow[i, w], k.contact_blow[i, w]) > real(0.0) and gap > real(0.0):
                struck = True
                target = -(real(1.0) + m.pair_restitution[k.contact_pair[i, w]]) * gap / o.dt
        if (gap >= real(0.0) and not struck) or k.contact_y[i, w] > real(0.0):
            return real(0.0)
        normal = k.contact_normal[i, w]
        old = k.contact_push[i, w]
        new = old - (wp.dot(normal, push_velocity(k, i, w)) - target) / k.contact_mass[i, w][2]
        if not struck:
            new = wp.max(new, real(0.0))
        k.contact_push[i, w] = new
        push_strike(m, k, (new - old) * normal, i, w)
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
                strike_contact(m, k, more, i, w)

    @wp.func
    def sweep_contacts(m: t.model, n: t.memory, k: t.work, w: int) -> real:
        """Every contact once, what lies on the ground last; the square of the largest change."""
        if k.contact_squares[w][1] > real(0.0):
            accelerate(m, n, k, w)
        worst = real(0.0)
        total = real(0.0)
        count = k.contact_count[w]
        for reverse in range(count):
            square = visit_contact(m, n, k, count - 1 - reverse, w)
            worst = wp.max(worst, square)
            total = total + square
        k.contact_squares[w] = vec2(k.contact_squares[w][1], total)
        return worst

    @wp.func
    def push_contacts(m: t.model, k: t.work, o: t.settings, w: int) -> real:
        """Pseudo-impulses of every contact once; the square of the largest change."""
        worst = real(0.0)
        for i in range(k.contact_count[w]):
            worst = wp.max(worst, push_contact(m, k, o, i, w))
        return worst

    @wp.func
    def add_contact_force(n: t.memory, k: t.work, kick: real, i: int, w: int):
        """The force of contact i, added to what its bodies feel."""
        d = n.contact_impulse[i, w]
        if wp.static(features.restitution):
            d = d + k.contact_blow[i, w]
        force = d / kick
        k.contact_force[i, w] = force
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        k.touch_force[a, w] = k.touch_force[a, w] - force
        k.touch_force[b, w] = k.touch_force[b, w] + force

    return SimpleNamespace(
        add_contact_force=add_contact_force,
        prepare_contact=prepare_contact,
        warm_contact=warm_contact,
        bounce_all=bounce_all,
        sweep_contacts=sweep_contacts,
        push_contacts=push_contacts,
    )
