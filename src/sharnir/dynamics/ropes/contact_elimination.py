"""What touches an element, put into the rope's equations (``chain.py``), so that they are solved with it exactly.

At the share x of element i a thing with the velocity u_0 is touched. The rope moves there with u = v_i - x T_i w_i and
gets an impulse z that is linear in it (``rope_contact.py`` says how it sticks and slides):

    z = z_0 - Y u         acts on node i, and as the torque -x T_i^T z on the element that hangs on it

With v = a + W y + H w before (y the difference of the elements' impulses at the node) and G = H - x T, this gives

    N = (E + W Y)^-1      a <- N (a + W z_0)      W <- N W      H <- N (H + W Y x T)
    D <- D + G^T Y N G    b <- b + G^T (N^T z_0 - Y N a)

place by place. A node that is touched itself has x = 0, and H and the element stay as they are.
"""

from ...model.contacts import BOX, HULL
from ...model.rope_arrays import TOUCHES
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .prepare import make_prepare
from .touch_points import CREEPS, FREE, STICKS

YIELD = 1e-3  # of the inverse mass of a node
ROCKS = 0.1  # of an element's mass and length squared: geometric stiffness that stays explicit


@factory
def make_contact_elimination(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    node_mass = make_prepare(p, features).node_mass

    @wp.struct
    class Law:
        """z = source - conductance u."""

        conductance: mat33
        source: vec3

    @func
    def point(state, work, radius: real, q: int, world: int) -> vec3:
        """Where place q is on the rope's surface."""
        i = q // wp.static(TOUCHES)
        at = state.rope_position[i, world]
        share = work.touch_share[q, world]
        if share > real(0.0):
            at = at + share * (state.rope_position[i + 1, world] - at)
        return at - radius * work.touch_normal[q, world]

    @func
    def rope_velocity(work, velocity: wp.array2d(dtype=vec3), q: int, world: int) -> vec3:
        """Velocity of the rope at place q, given those of its nodes."""
        i = q // wp.static(TOUCHES)
        v = velocity[i, world]
        share = work.touch_share[q, world]
        if share > real(0.0):
            v = v + share * (velocity[i + 1, world] - v)
        return v

    @func
    def thing_velocity(model, state, work, radius: real, q: int, world: int) -> vec3:
        """Velocity of what is touched at place q, with the impulses so far."""
        b = model.shape_body[work.touch_shape[q, world]]
        if model.inv_mass[b, world] == real(0.0):
            return vec3()
        return work.velocity[b, world] + wp.cross(
            work.spin[b, world], point(state, work, radius, q, world) - state.position[b, world]
        )

    @func
    def held_velocity(model, state, work, dt: real, radius: real, q: int, world: int) -> vec3:
        """The velocity at which the rope is held: to the surface within the step."""
        to_surface = wp.max(work.touch_gap[q, world], real(0.0)) / dt
        return thing_velocity(model, state, work, radius, q, world) - to_surface * work.touch_normal[q, world]

    @func
    def softness(model, state, work, rope: int, q: int, world: int) -> mat33:
        """Velocity by which rope and thing part for an impulse, less that of the rope: what keeps redundant places
        regular, and the thing's own, shared by all that touch it (so that what each does at once is not too much)."""
        b = model.shape_body[work.touch_shape[q, world]]
        soft = algebra.diagonal(wp.static(real(YIELD)) / node_mass(model, state, rope, q // wp.static(TOUCHES), world))
        if model.inv_mass[b, world] > real(0.0):
            arm = wp.skew(point(state, work, model.rope_radius[rope, world], q, world) - state.position[b, world])
            own = algebra.diagonal(model.inv_mass[b, world]) - arm * algebra.full(work.inv_inertia[b, world]) * arm
            soft = soft + real(wp.max(work.touch_count[b, world], 1)) * own
        return soft

    @func
    def law_of(model, state, memory, work, dt: real, rope: int, q: int, world: int) -> Law:
        """The law of place q in its state; see ``rope_contact.py``."""
        law = Law()
        before = memory.touch_impulse[q, world]
        soft = softness(model, state, work, rope, q, world)
        radius = model.rope_radius[rope, world]
        held = held_velocity(model, state, work, dt, radius, q, world)
        if memory.touch_state[q, world] == wp.static(STICKS):
            law.conductance = wp.inverse(soft)
            law.source = before + law.conductance * held
        else:
            normal = work.touch_normal[q, world]
            square = wp.outer(normal, normal)
            press = real(1.0) / wp.dot(normal, soft * normal)
            loose = algebra.diagonal(real(1.0)) - square
            rubbing = vec3()
            gripped = mat33()
            grip = memory.touch_grip[q, world]
            if grip > real(0.0):
                if memory.touch_state[q, world] != wp.static(CREEPS):
                    rubbing = loose * before
                    loose = loose - wp.outer(rubbing, rubbing) / wp.length_sq(rubbing)
                gripped = grip * loose
            law.conductance = press * square + gripped
            law.source = square * (before + press * held) + rubbing
            law.source = law.source + gripped * thing_velocity(model, state, work, radius, q, world)
        return law

    @func
    def bulge(model, shape: int) -> real:
        """Radius of a round shape, m; 0 for what has faces and edges."""
        kind = model.shape_kind[shape]
        if kind == wp.static(BOX) or kind >= wp.static(HULL):
            return real(0.0)
        return model.shape_size[shape][0]

    @func
    def rocking(model, state, memory, work, dt: real, rope: int, q: int, world: int) -> mat33:
        """Geometric stiffness: on a round thing of radius R the place moves by (R + r) times the angle by which the
        element turns, and the pressing force turns it back. What would be unstable is taken implicitly."""
        i = q // wp.static(TOUCHES)
        normal = work.touch_normal[q, world]
        radius = bulge(model, work.touch_shape[q, world]) + model.rope_radius[rope, world]
        length = state.rope_length[i, world]
        excess = dt * radius * wp.dot(memory.touch_impulse[q, world], normal)
        excess = excess - wp.static(real(ROCKS)) * model.rope_line[rope, world] * length * length * length
        if excess <= real(0.0):
            return mat33()
        axis = wp.cross(work.rope_axis[i, world], normal)
        return excess * wp.outer(axis, axis)

    @func
    def is_firm(model, memory, work, q: int, world: int) -> bool:
        """Whether a node sticks to something that cannot move: then conductance and answer are numbers times E."""
        if memory.touch_state[q, world] != wp.static(STICKS) or work.touch_share[q, world] > real(0.0):
            return False
        return model.inv_mass[model.shape_body[work.touch_shape[q, world]], world] == real(0.0)

    @func
    def hold(model, state, memory, work, dt: real, rope: int, i: int, world: int):
        """Node i and element i with what touches them."""
        velocity = work.rope_open[i, world]
        weight = work.touch_weight[i, world]
        inverse = algebra.diagonal(weight)
        torque = work.rope_open_torque[i, world]
        inertia = algebra.full(work.rope_open_inertia[i, world])
        lever = mat33()
        firm = bool(True)  # whether all places so far are
        leans = bool(False)  # whether something touches the element itself
        one = algebra.diagonal(real(1.0))
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if memory.touch_state[q, world] != wp.static(FREE):
                firm = firm and is_firm(model, memory, work, q, world)
                if firm:
                    grip = node_mass(model, state, rope, i, world) / wp.static(real(YIELD))
                    held = held_velocity(model, state, work, dt, model.rope_radius[rope, world], q, world)
                    share = real(1.0) / (real(1.0) + weight * grip)
                    velocity = share * (velocity + weight * (memory.touch_impulse[q, world] + grip * held))
                    weight = share * weight
                    inverse = algebra.diagonal(weight)
                else:
                    law = law_of(model, state, memory, work, dt, rope, q, world)
                    y = law.conductance
                    reply = wp.inverse(one + inverse * y)
                    if work.touch_share[q, world] > real(0.0):
                        leans = True
                    if leans:
                        extent = state.rope_length[i, world] - state.rope_slack[i, world]
                        arm = (work.touch_share[q, world] * extent) * wp.skew(work.rope_axis[i, world])
                        both = lever - arm
                        back = wp.transpose(both)
                        taken = y * reply
                        torque = torque + back * (wp.transpose(reply) * law.source - taken * velocity)
                        inertia = (
                            inertia + back * taken * both + rocking(model, state, memory, work, dt, rope, q, world)
                        )
                        lever = reply * (lever + inverse * y * arm)
                    velocity = reply * (velocity + inverse * law.source)
                    inverse = reply * inverse
        work.rope_inverse[i, world] = algebra.packed(inverse)
        work.rope_free[i, world] = velocity
        work.rope_lever[i, world] = lever
        work.rope_torque[i, world] = torque
        work.rope_inertia[i, world] = algebra.packed(inertia)

    return locals()
