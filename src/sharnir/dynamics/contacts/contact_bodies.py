"""The two sides of a contact: how fast they move against each other, and what an impulse on them does.

A body without joints takes an impulse by itself. One in joints hands it on to the whole mechanism where the direct
solver knows how (solvers/reach.py). A side may be a belt: its surface runs at the speed of a sprocket,

    u += rate belt,   rate = axis . (w_sprocket - w_frame),   belt = radius axis x outward

and by virtual work an impulse d turns the sprocket with axis (belt . d), and the frame the other way.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from ..solvers.reach import make_reach


@factory
def make_contact_bodies(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra, reach = make_algebra(p), make_reach(p, features)
    Bodies = wp.array(dtype=vec3, ndim=2)  # a vector for every body: velocities or pseudo-velocities
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the direct solver's matrix

    @func
    def is_alone(model, body: int, world: int) -> bool:
        """Whether impulses change the velocity of this body and of nothing else."""
        if model.inv_mass[body, world] == real(0.0):
            return False
        if wp.static(features.reach):
            return model.body_node[body] < 0
        return True

    @func
    def settled(model, work, v: Bodies, s: Bodies, i: int, world: int) -> vec3:
        """Velocity (or pseudo-velocity) of b against a at the point, world axes, as the bodies have it."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        u = (
            v[b, world]
            + wp.cross(s[b, world], work.contact_arm_b[i, world])
            - v[a, world]
            - wp.cross(s[a, world], work.contact_arm_a[i, world])
        )
        if wp.static(features.belts):
            j = work.contact_sprocket[i, world]
            if j >= 0:
                rate = wp.dot(work.contact_axle[i, world], s[model.joint_b[j], world] - s[model.joint_a[j], world])
                u = u + rate * work.contact_belt[i, world]
        return u

    @func
    def relative(model, work, v: Bodies, s: Bodies, x: Nodes, i: int, world: int) -> vec3:
        """The same with what impulses have changed that the bodies do not know yet."""
        u = settled(model, work, v, s, i, world)
        if wp.static(features.reach):
            u = u + reach.answer(work, x, work.contact_reach[i, world], work.contact_reach_end[i, world], world)
        return u

    @func
    def velocity_between(model, work, i: int, world: int) -> vec3:
        """Of b against a at contact i, m/s."""
        return relative(model, work, work.velocity, work.spin, work.solution, i, world)

    @func
    def led(work, u: vec3, i: int, world: int) -> vec3:
        """The velocity u between the sides of contact i as it is in the middle of the drift (lead.py)."""
        if wp.static(features.integrator.leads):
            return u + work.contact_lead[i, world]
        return u

    @func
    def led_between(model, work, i: int, world: int) -> vec3:
        """Of b against a at contact i in the middle of the drift, m/s."""
        return led(work, velocity_between(model, work, i, world), i, world)

    @func
    def settled_between(model, work, i: int, world: int) -> vec3:
        """The same where the bodies know all impulses."""
        return led(work, settled(model, work, work.velocity, work.spin, i, world), i, world)

    @func
    def push_between(model, work, i: int, world: int) -> vec3:
        """The pseudo-velocity of b against a at contact i, m/s."""
        return relative(model, work, work.push, work.push_spin, work.push_solution, i, world)

    @func
    def strike_body(model, work, v: Bodies, s: Bodies, body: int, arm: vec3, d: vec3, world: int):
        """An impulse d (N s) at an arm on a body: v += d/m, w += I^-1 (r x d)."""
        v[body, world] = v[body, world] + model.inv_mass[body, world] * d
        s[body, world] = s[body, world] + algebra.full(work.inv_inertia[body, world]) * wp.cross(arm, d)

    @func
    def turn_sprocket(model, work, s: Bodies, d: vec3, i: int, world: int):
        """What an impulse on a belt does to its sprocket and to the frame it turns in."""
        j = work.contact_sprocket[i, world]
        if j >= 0:
            torque = wp.dot(work.contact_belt[i, world], d) * work.contact_axle[i, world]
            a = model.joint_a[j]
            b = model.joint_b[j]
            s[a, world] = s[a, world] - algebra.full(work.inv_inertia[a, world]) * torque
            s[b, world] = s[b, world] + algebra.full(work.inv_inertia[b, world]) * torque

    @func
    def strike_sides(model, work, v: Bodies, s: Bodies, x: Nodes, d: vec3, i: int, world: int):
        """An impulse (or pseudo-impulse) d on b, and against a."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if is_alone(model, a, world):
            strike_body(model, work, v, s, a, work.contact_arm_a[i, world], -d, world)
        if is_alone(model, b, world):
            strike_body(model, work, v, s, b, work.contact_arm_b[i, world], d, world)
        if wp.static(features.reach):
            reach.strike(work, x, work.contact_reach[i, world], work.contact_reach_end[i, world], d, world)
        elif wp.static(features.belts):
            turn_sprocket(model, work, s, d, i, world)

    @func
    def strike_contact(model, work, d: vec3, i: int, world: int):
        """Apply an impulse d (N s) at contact i."""
        strike_sides(model, work, work.velocity, work.spin, work.solution, d, i, world)

    @func
    def push_contact(model, work, d: vec3, i: int, world: int):
        """Apply a pseudo-impulse d (N s) at contact i."""
        strike_sides(model, work, work.push, work.push_spin, work.push_solution, d, i, world)

    @func
    def warm_sides(model, work, d: vec3, i: int, world: int):
        """The same with every body as if alone, before the joints answer in the first solve."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if model.inv_mass[a, world] > real(0.0):
            strike_body(model, work, work.velocity, work.spin, a, work.contact_arm_a[i, world], -d, world)
        if model.inv_mass[b, world] > real(0.0):
            strike_body(model, work, work.velocity, work.spin, b, work.contact_arm_b[i, world], d, world)
        if wp.static(features.belts):
            turn_sprocket(model, work, work.spin, d, i, world)

    @func
    def inverse_mass_alone(model, work, body: int, arm: vec3, world: int) -> mat33:
        """E/m - [r]x I^-1 [r]x of a body that is in no joint, 1/kg; else zero."""
        if is_alone(model, body, world):
            s = wp.skew(arm)
            return algebra.diagonal(model.inv_mass[body, world]) - s * algebra.full(work.inv_inertia[body, world]) * s
        return mat33()

    @func
    def belt_inverse_mass(model, work, i: int, world: int) -> mat33:
        """What a sprocket adds where no factors know it; that the frame turns too is left to the iterations."""
        j = work.contact_sprocket[i, world]
        if j < 0:
            return mat33()
        axle = work.contact_axle[i, world]
        yields = wp.dot(axle, algebra.full(work.inv_inertia[model.joint_b[j], world]) * axle)
        return yields * wp.outer(work.contact_belt[i, world], work.contact_belt[i, world])

    # --- turning against each other ---------------------------------------------------------------------------------

    @func
    def spin_between(work, i: int, world: int) -> vec3:
        """Spin of b against a, world axes."""
        u = work.spin[work.contact_body_b[i, world], world] - work.spin[work.contact_body_a[i, world], world]
        if wp.static(features.reach):
            u = u + reach.answer(work, work.solution, work.roll_reach[i, world], work.roll_reach_end[i, world], world)
        return u

    @func
    def twist_body(model, work, body: int, c: vec3, world: int):
        """An angular impulse (N m s) on a body."""
        work.spin[body, world] = work.spin[body, world] + algebra.full(work.inv_inertia[body, world]) * c

    @func
    def twist_contact(model, work, c: vec3, i: int, world: int):
        """An angular impulse c on b, and against a."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if is_alone(model, a, world):
            twist_body(model, work, a, -c, world)
        if is_alone(model, b, world):
            twist_body(model, work, b, c, world)
        if wp.static(features.reach):
            reach.strike(work, work.solution, work.roll_reach[i, world], work.roll_reach_end[i, world], c, world)

    @func
    def turn_alone(model, work, body: int, world: int) -> mat33:
        """Spin from an angular impulse, of a body without joints."""
        if is_alone(model, body, world):
            return algebra.full(work.inv_inertia[body, world])
        return mat33()

    return locals()
