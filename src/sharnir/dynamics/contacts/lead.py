"""What leads a contact through the drift: by how much its velocity changes until the middle of a step, V being kept.

    u = v_b + w_b x r_b - v_a - w_a x r_a            the velocity of b against a in the contact, r = c - x the arms
    u' = w_b x (c' - v_b) - w_a x (c' - v_a) + a_b x r_b - a_a x r_a                      with V as it is

c' is how fast the contact moves in space: with the surfaces where it sticks, on over them where it rolls. Without
relative spin it does not matter, and u' is what it is for a joint (bias.py, with a = -I^-1 (w x I w)): a box on a
turntable would else be thrown outwards by w^2 r h/2. Where bodies roll on each other, c' is what the contact did in
the last step, c being known from step to step: the point below a ball stays below it, so that u' = -w_a x (v_b - v_a)
there, while a box that tips over its edge turns about a point of its own.

The gap g changes by g' = n.u, so g" = n.u' + n'.u: along the normal n the second term belongs to it, for what slides
over something curved. With u + (h/2)(u' + (n'.u) n) in place of u in all laws of a contact, it sticks, presses and
closes as the middle of the drift has it, to second order in the step, as joints do.

Points that are new or jump, as where another corner comes to carry, tell nothing: the contact then counts as a point
of the body that moves, unless that turns too much against the other one for it to be no matter.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp

WANDERS = 1.5  # of the radius of the smaller side times the relative spin: a contact that rolls on moves no faster
TURNS = 1e-3  # rad of relative rotation in a step: up to which it matters little how a contact moves
MOST_TURN = 0.5  # rad in a step, to which the lead is cut
BENDS = 0.3  # rad: a normal that turns by more in a step is another one


@factory
def make_lead(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    algebra = make_algebra(p)
    TINY = wp.constant(real(1e-30))

    @func
    def turning(model, state, work, arm: vec3, b: int, world: int) -> vec3:
        """a x r of body b, whose momentum is constant, m/s^2."""
        if model.inv_mass[b, world] == real(0.0):
            return vec3()
        spin = state.spin[b, world]
        local = wp.quat_rotate_inv(state.rotation[b, world], spin)
        momentum = wp.quat_rotate(state.rotation[b, world], model.inertia[b, world] * local)
        return wp.cross(algebra.full(work.inv_inertia[b, world]) * wp.cross(momentum, spin), arm)

    @func
    def velocity_at(state, arm: vec3, b: int, world: int) -> vec3:
        """Of a body at an arm when the kick begins, m/s."""
        return state.velocity[b, world] + wp.cross(state.spin[b, world], arm)

    @func
    def find_lead(model, state, work, dt: real, shift: vec3, turned: vec3, i: int, world: int):
        """The lead of contact i, m/s; ``shift`` (m) is what its place has changed by against the body that moves.

        ``turned`` is the change of its normal; both without end where they are not known.
        """
        work.contact_lead[i, world] = vec3()
        a = model.shape_body[work.contact_a[i, world]]
        b = model.shape_body[work.contact_b[i, world]]
        point = work.contact_point[i, world]
        arm_a = point - state.position[a, world]
        arm_b = point - state.position[b, world]
        at_a = velocity_at(state, arm_a, a, world)
        at_b = velocity_at(state, arm_b, b, world)
        slip = at_b - at_a
        spin = state.spin[b, world] - state.spin[a, world]
        moved = state.velocity[b, world]
        own = at_b
        if model.inv_mass[a, world] > real(0.0):
            moved = state.velocity[a, world]
            own = at_a
        moved = moved + shift / dt
        size = wp.min(model.shape_radius[work.contact_a[i, world]], model.shape_radius[work.contact_b[i, world]])
        relative = dt * wp.length(spin)
        if dt * wp.length(moved - own) > real(WANDERS) * size * relative + dt * wp.length(slip):
            moved = own
            if relative > real(TURNS):
                return
        change = wp.cross(state.spin[b, world], moved - state.velocity[b, world]) - wp.cross(
            state.spin[a, world], moved - state.velocity[a, world]
        )
        change = change + turning(model, state, work, arm_b, b, world) - turning(model, state, work, arm_a, a, world)
        if wp.length_sq(turned) < wp.static(real(BENDS * BENDS)):
            change = change + (wp.dot(turned, slip) / dt) * work.contact_normal[i, world]
        turn = dt * wp.max(wp.length(state.spin[a, world]), wp.length(state.spin[b, world]))
        work.contact_lead[i, world] = real(0.5) * dt * wp.min(real(MOST_TURN) / wp.max(turn, TINY), real(1.0)) * change

    return locals()
