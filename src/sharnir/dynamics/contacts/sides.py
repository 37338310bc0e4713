"""The two sides of a contact: how fast they move against each other, and what an impulse on them does.

A body without joints takes an impulse by itself. One in joints hands it on to the whole mechanism where the direct
solver knows how (solvers/reach.py). A side may be a belt: its surface runs at the speed of a sprocket,

    u += rate belt,   rate = axis . (w_sprocket - w_frame),   belt = radius axis x outward

and by virtual work an impulse d turns the sprocket with axis (belt . d), and the frame the other way.
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


@cache
def make_sides(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra, reach = make_algebra(p), make_reach(p, features)
    Bodies = wp.array(dtype=vec3, ndim=2)  # a vector for every body: velocities or pseudo-velocities
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the direct solver's matrix

    @wp.func
    def is_alone(m: t.model, body: int, w: int) -> bool:
        """Whether impulses change the velocity of this body and of nothing else."""
        if m.inv_mass[body, w] == real(0.0):
            return False
        if wp.static(features.reach):
            return m.body_node[body] < 0
        return True

    @wp.func
    def relative(m: t.model, k: t.work, v: Bodies, s: Bodies, x: Nodes, i: int, w: int) -> vec3:
        """Velocity (or pseudo-velocity) of b against a at the point, world axes."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        u = v[b, w] + wp.cross(s[b, w], k.contact_arm_b[i, w]) - v[a, w] - wp.cross(s[a, w], k.contact_arm_a[i, w])
        if wp.static(features.belts):
            j = k.contact_sprocket[i, w]
            if j >= 0:
                rate = wp.dot(k.contact_axle[i, w], s[m.joint_b[j], w] - s[m.joint_a[j], w])
                u = u + rate * k.contact_belt[i, w]
        if wp.static(features.reach):
            u = u + reach.answer(k, x, k.contact_reach[i, w], k.contact_reach_end[i, w], w)
        return u

    @wp.func
    def velocity_between(m: t.model, k: t.work, i: int, w: int) -> vec3:
        """Of b against a at contact i, m/s."""
        return relative(m, k, k.velocity, k.spin, k.solution, i, w)

    @wp.func
    def push_between(m: t.model, k: t.work, i: int, w: int) -> vec3:
        """The pseudo-velocity of b against a at contact i, m/s."""
        return relative(m, k, k.push, k.push_spin, k.push_solution, i, w)

    @wp.func
    def strike_body(m: t.model, k: t.work, v: Bodies, s: Bodies, body: int, arm: vec3, d: vec3, w: int):
        """An impulse d (N s) at an arm on a body: v += d/m, w += I^-1 (r x d)."""
        v[body, w] = v[body, w] + m.inv_mass[body, w] * d
        s[body, w] = s[body, w] + algebra.full(k.inv_inertia[body, w]) * wp.cross(arm, d)

    @wp.func
    def turn_sprocket(m: t.model, k: t.work, s: Bodies, d: vec3, i: int, w: int):
        """What an impulse on a belt does to its sprocket and to the frame it turns in."""
        j = k.contact_sprocket[i, w]
        if j >= 0:
            torque = wp.dot(k.contact_belt[i, w], d) * k.contact_axle[i, w]
            a = m.joint_a[j]
            b = m.joint_b[j]
            s[a, w] = s[a, w] - algebra.full(k.inv_inertia[a, w]) * torque
            s[b, w] = s[b, w] + algebra.full(k.inv_inertia[b, w]) * torque

    @wp.func
    def strike_sides(m: t.model, k: t.work, v: Bodies, s: Bodies, x: Nodes, d: vec3, i: int, w: int):
        """An impulse (or pseudo-impulse) d on b, and against a."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if is_alone(m, a, w):
            strike_body(m, k, v, s, a, k.contact_arm_a[i, w], -d, w)
        if is_alone(m, b, w):
            strike_body(m, k, v, s, b, k.contact_arm_b[i, w], d, w)
        if wp.static(features.reach):
            reach.strike(k, x, k.contact_reach[i, w], k.contact_reach_end[i, w], d, w)
        elif wp.static(features.belts):
            turn_sprocket(m, k, s, d, i, w)

    @wp.func
    def strike_contact(m: t.model, k: t.work, d: vec3, i: int, w: int):
        """Apply an impulse d (N s) at contact i."""
        strike_sides(m, k, k.velocity, k.spin, k.solution, d, i, w)

    @wp.func
    def push_contact(m: t.model, k: t.work, d: vec3, i: int, w: int):
        """Apply a pseudo-impulse d (N s) at contact i."""
        strike_sides(m, k, k.push, k.push_spin, k.push_solution, d, i, w)

    @wp.func
    def warm_sides(m: t.model, k: t.work, d: vec3, i: int, w: int):
        """The same with every body as if alone, before the joints answer in the first solve."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if m.inv_mass[a, w] > real(0.0):
            strike_body(m, k, k.velocity, k.spin, a, k.contact_arm_a[i, w], -d, w)
        if m.inv_mass[b, w] > real(0.0):
            strike_body(m, k, k.velocity, k.spin, b, k.contact_arm_b[i, w], d, w)
        if wp.static(features.belts):
            turn_sprocket(m, k, k.spin, d, i, w)

    @wp.func
    def inverse_mass_alone(m: t.model, k: t.work, body: int, arm: vec3, w: int) -> mat33:
        """E/m - [r]x I^-1 [r]x of a body that is in no joint, 1/kg; else zero."""
        if is_alone(m, body, w):
            s = wp.skew(arm)
            return algebra.diagonal(m.inv_mass[body, w]) - s * algebra.full(k.inv_inertia[body, w]) * s
        return mat33()

    @wp.func
    def belt_inverse_mass(m: t.model, k: t.work, i: int, w: int) -> mat33:
        """What a sprocket adds where no factors know it; that the frame turns too is left to the iterations."""
        j = k.contact_sprocket[i, w]
        if j < 0:
            return mat33()
        axle = k.contact_axle[i, w]
        yields = wp.dot(axle, algebra.full(k.inv_inertia[m.joint_b[j], w]) * axle)
        return yields * wp.outer(k.contact_belt[i, w], k.contact_belt[i, w])

    # --- turning against each other ---------------------------------------------------------------------------------

    @wp.func
    def spin_between(k: t.work, i: int, w: int) -> vec3:
        """Spin of b against a, world axes."""
        u = k.spin[k.contact_body_b[i, w], w] - k.spin[k.contact_body_a[i, w], w]
        if wp.static(features.reach):
            u = u + reach.answer(k, k.solution, k.roll_reach[i, w], k.roll_reach_end[i, w], w)
        return u

    @wp.func
    def twist_body(m: t.model, k: t.work, body: int, c: vec3, w: int):
        """An angular impulse (N m s) on a body."""
        k.spin[body, w] = k.spin[body, w] + algebra.full(k.inv_inertia[body, w]) * c

    @wp.func
    def twist_contact(m: t.model, k: t.work, c: vec3, i: int, w: int):
        """An angular impulse c on b, and against a."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if is_alone(m, a, w):
            twist_body(m, k, a, -c, w)
        if is_alone(m, b, w):
            twist_body(m, k, b, c, w)
        if wp.static(features.reach):
            reach.strike(k, k.solution, k.roll_reach[i, w], k.roll_reach_end[i, w], c, w)

    @wp.func
    def turn_alone(m: t.model, k: t.work, body: int, w: int) -> mat33:
        """Spin from an angular impulse, of a body without joints."""
        if is_alone(m, body, w):
            return algebra.full(k.inv_inertia[body, w])
        return mat33()

    return SimpleNamespace(
        velocity_between=velocity_between,
        push_between=push_between,
        strike_contact=strike_contact,
        push_contact=push_contact,
        warm_sides=warm_sides,
        inverse_mass_alone=inverse_mass_alone,
        belt_inverse_mass=belt_inverse_mass,
        spin_between=spin_between,
        twist_contact=twist_contact,
        twist_body=twist_body,
        turn_alone=turn_alone,
    )
