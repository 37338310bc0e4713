"""The gear between a motor and its joint: what it loses, and that the load cannot turn a self-locking one.

Seen from the joint, over a kick: u its rate, t the rate at which the motor would run by itself, Y = r^2 D the motor's
impulse per rate (``soft.py``), p the impulse on the joint. The power p u that leaves the gear decides:

    p u > 0   the motor drives the load     p = eta Y (t - u)
    p u < 0   the load drives the motor     p = Y (t - u)/eta, or, if the gear locks, u = t whatever p
    u = 0     the gear rests                p anything between the two

Against u this falls throughout, with a step at u = 0: as for dry friction there is one solution, and nothing to switch.
The soft row has the first line for all u; the row here, visited as friction is, has the rest of it:

    q = p - eta Y (t - u)      0                          for u between 0 and t
                               between 0 and C t          for u = 0
                               C (t - u)                  elsewhere,  C = (1/eta - eta) Y, or without end if it locks

Its impulses are kept with those of friction.
"""

from ..factory import Features, Made, Precision, factory, functions, wp
from .friction import make_friction
from .joint_view import make_view


@factory
def make_gear(p: Precision, features: Features) -> Made:
    real, vec3, func = p.real, p.vec3, functions(p)
    friction, view_of = make_friction(p, features), make_view(p)
    View = view_of.View
    NEGLIGIBLE = wp.constant(real(1e-30 if p.name == "float64" else 1e-20))  # inverse mass of what cannot move

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """Its inverse mass, the motor's share in it, and last step's impulse along the present axis."""
        soft = model.friction_soft[i]
        axis = work.soft_axis[soft, world]
        inverse_mass = view_of.inverse_mass_along(view, model.friction_linear[i], axis)
        if wp.static(features.direct and not features.reach):
            inverse_mass = inverse_mass / (real(1.0) + inverse_mass * work.soft_y[soft, world])
        work.friction_bound[i, world] = inverse_mass
        memory.friction_impulse[i, world] = wp.dot(memory.friction_impulse[i, world], axis) / wp.dot(axis, axis) * axis

    @func
    def gear_impulse(free: real, inverse_mass: real, alone: real, loss: real, locks: int) -> real:
        """q for a joint that would have the rate ``free`` without it."""
        side = real(1.0)
        if alone < real(0.0):
            side = real(-1.0)
        u = side * free
        most = side * alone
        if u >= real(0.0) and u <= most:
            return real(0.0)
        if locks == 1:
            return side * (wp.clamp(u, real(0.0), most) - u) / inverse_mass
        hold = -u / inverse_mass
        if u < real(0.0) and hold <= loss * most:
            return side * hold
        return side * loss * (most - u) / (real(1.0) + inverse_mass * loss)

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The change of its impulse at the slip or relative spin u."""
        soft = model.friction_soft[i]
        axis = work.soft_axis[soft, world]
        inverse_mass = work.friction_bound[i, world]
        if inverse_mass < NEGLIGIBLE:
            return vec3()
        old = memory.friction_impulse[i, world]
        free = wp.dot(axis, u) - inverse_mass * wp.dot(old, axis) / wp.dot(axis, axis)
        new = (
            gear_impulse(
                free, inverse_mass, work.gear_rate[soft, world], work.gear_loss[soft, world], model.drive_locks[soft]
            )
            * axis
        )
        memory.friction_impulse[i, world] = new
        return new - old

    @func
    def end(model, memory, work, i: int, world: int):
        """Note whether the gear holds back what the load does to it."""
        memory.sticking[i, world] = int(wp.length_sq(memory.friction_impulse[i, world]) > real(0.0))

    linear, warm, is_idle, scale = friction.linear, friction.warm, friction.is_idle, friction.scale
    return locals()
