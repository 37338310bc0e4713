"""What touches an element, put into the rope's equations (``chain.py``), so that they are solved with it exactly.

At the share x of element i a thing with the velocity u_0 is touched. The rope moves there with u = v_i - x T_i w_i and
gets an impulse z that is linear in it (``rope_contact.py`` says how it sticks and slides):

    z = z_0 - Y u         acts on node i, and as the torque -x T_i^T z on the element that hangs on it

With v = a + W y + H w before (y the difference of the elements' impulses at the node) and G = H - x T, this gives

    N = (E + W Y)^-1      a <- N (a + W z_0)      W <- N W      H <- N (H + W Y x T)
    D <- D + G^T Y N G    b <- b + G^T (N^T z_0 - Y N a)

place by place. A node that is touched itself has x = 0, and H and the element stay as they are.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.contacts import BOX, HULL
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import TOUCHES
from ..algebra import make_algebra
from .places import CREEPS, FREE, STICKS
from .prepare import make_prepare

wp = load_warp()

YIELD = 1e-3  # of the inverse mass of a node
ROCKS = 0.1  # of an element's mass and length squared: geometric stiffness that stays explicit


@cache
def make_hold(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra = make_algebra(p)
    node_mass = make_prepare(p, features).node_mass

    @wp.struct
    class Law:
        """z = source - conductance u."""

        conductance: mat33
        source: vec3

    @wp.func
    def point(s: t.state, k: t.work, radius: real, q: int, w: int) -> vec3:
        """Where place q is on the rope's surface."""
        i = q // wp.static(TOUCHES)
        at = s.rope_position[i, w]
        share = k.touch_share[q, w]
        if share > real(0.0):
            at = at + share * (s.rope_position[i + 1, w] - at)
        return at - radius * k.touch_normal[q, w]

    @wp.func
    def rope_velocity(k: t.work, velocity: wp.array2d(dtype=vec3), q: int, w: int) -> vec3:
        """Velocity of the rope at place q, given those of its nodes."""
        i = q // wp.static(TOUCHES)
        v = velocity[i, w]
        share = k.touch_share[q, w]
        if share > real(0.0):
            v = v + share * (velocity[i + 1, w] - v)
        return v

    @wp.func
    def thing_velocity(m: t.model, s: t.state, k: t.work, radius: real, q: int, w: int) -> vec3:
        """Velocity of what is touched at place q, with the impulses so far."""
        b = m.shape_body[k.touch_shape[q, w]]
        if m.inv_mass[b, w] == real(0.0):
            return vec3()
        return k.velocity[b, w] + wp.cross(k.spin[b, w], point(s, k, radius, q, w) - s.position[b, w])

    @wp.func
    def held_velocity(m: t.model, s: t.state, k: t.work, dt: real, radius: real, q: int, w: int) -> vec3:
        """The velocity at which the rope is held: to the surface within the step."""
        to_surface = wp.max(k.touch_gap[q, w], real(0.0)) / dt
        return thing_velocity(m, s, k, radius, q, w) - to_surface * k.touch_normal[q, w]

    @wp.func
    def softness(m: t.model, s: t.state, k: t.work, rope: int, q: int, w: int) -> mat33:
        """Velocity by which rope and thing part for an impulse, less that of the rope: what keeps redundant places
        regular, and the thing's own, shared by all that touch it (so that what each does at once is not too much)."""
        b = m.shape_body[k.touch_shape[q, w]]
        soft = algebra.diagonal(wp.static(real(YIELD)) / node_mass(m, s, rope, q // wp.static(TOUCHES), w))
        if m.inv_mass[b, w] > real(0.0):
            arm = wp.skew(point(s, k, m.rope_radius[rope, w], q, w) - s.position[b, w])
            own = algebra.diagonal(m.inv_mass[b, w]) - arm * algebra.full(k.inv_inertia[b, w]) * arm
            soft = soft + real(wp.max(k.touch_count[b, w], 1)) * own
        return soft

    @wp.func
    def law_of(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, q: int, w: int) -> Law:
        """The law of place q in its state; see ``rope_contact.py``."""
        law = Law()
        before = n.touch_impulse[q, w]
        soft = softness(m, s, k, rope, q, w)
        radius = m.rope_radius[rope, w]
        held = held_velocity(m, s, k, dt, radius, q, w)
        if n.touch_state[q, w] == wp.static(STICKS):
            law.conductance = wp.inverse(soft)
            law.source = before + law.conductance * held
        else:
            normal = k.touch_normal[q, w]
            square = wp.outer(normal, normal)
            press = real(1.0) / wp.dot(normal, soft * normal)
            loose = algebra.diagonal(real(1.0)) - square
            rubbing = vec3()
            gripped = mat33()
            grip = n.touch_grip[q, w]
            if grip > real(0.0):
                if n.touch_state[q, w] != wp.static(CREEPS):
                    rubbing = loose * before
                    loose = loose - wp.outer(rubbing, rubbing) / wp.length_sq(rubbing)
                gripped = grip * loose
            law.conductance = press * square + gripped
            law.source = square * (before + press * held) + rubbing
            law.source = law.source + gripped * thing_velocity(m, s, k, radius, q, w)
        return law

    @wp.func
    def bulge(m: t.model, shape: int) -> real:
        """Radius of a round shape, m; 0 for what has faces and edges."""
        kind = m.shape_kind[shape]
        if kind == wp.static(BOX) or kind >= wp.static(HULL):
            return real(0.0)
        return m.shape_size[shape][0]

    @wp.func
    def rocking(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, q: int, w: int) -> mat33:
        """Geometric stiffness: on a round thing of radius R the place moves by (R + r) times the angle by which the
        element turns, and the pressing force turns it back. What would be unstable is taken implicitly."""
        i = q // wp.static(TOUCHES)
        normal = k.touch_normal[q, w]
        radius = bulge(m, k.touch_shape[q, w]) + m.rope_radius[rope, w]
        length = s.rope_length[i, w]
        excess = dt * radius * wp.dot(n.touch_impulse[q, w], normal)
        excess = excess - wp.static(real(ROCKS)) * m.rope_line[rope, w] * length * length * length
        if excess <= real(0.0):
            return mat33()
        axis = wp.cross(k.rope_axis[i, w], normal)
        return excess * wp.outer(axis, axis)

    @wp.func
    def is_firm(m: t.model, n: t.memory, k: t.work, q: int, w: int) -> bool:
        """Whether a node sticks to something that cannot move: then conductance and answer are numbers times E."""
        if n.touch_state[q, w] != wp.static(STICKS) or k.touch_share[q, w] > real(0.0):
            return False
        return m.inv_mass[m.shape_body[k.touch_shape[q, w]], w] == real(0.0)

    @wp.func
    def hold(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, i: int, w: int):
        """Node i and element i with what touches them."""
        velocity = k.rope_open[i, w]
        weight = k.touch_weight[i, w]
        inverse = algebra.diagonal(weight)
        torque = k.rope_open_torque[i, w]
        inertia = algebra.full(k.rope_open_inertia[i, w])
        lever = mat33()
        firm = bool(True)  # whether all places so far are
        leans = bool(False)  # whether something touches the element itself
        one = algebra.diagonal(real(1.0))
        for q in range(wp.static(TOUCHES) * i, wp.static(TOUCHES) * (i + 1)):
            if n.touch_state[q, w] != wp.static(FREE):
                firm = firm and is_firm(m, n, k, q, w)
                if firm:
                    grip = node_mass(m, s, rope, i, w) / wp.static(real(YIELD))
                    held = held_velocity(m, s, k, dt, m.rope_radius[rope, w], q, w)
                    share = real(1.0) / (real(1.0) + weight * grip)
                    velocity = share * (velocity + weight * (n.touch_impulse[q, w] + grip * held))
                    weight = share * weight
                    inverse = algebra.diagonal(weight)
                else:
                    law = law_of(m, s, n, k, dt, rope, q, w)
                    y = law.conductance
                    reply = wp.inverse(one + inverse * y)
                    if k.touch_share[q, w] > real(0.0):
                        leans = True
                    if leans:
                        extent = s.rope_length[i, w] - s.rope_slack[i, w]
                        arm = (k.touch_share[q, w] * extent) * wp.skew(k.rope_axis[i, w])
                        both = lever - arm
                        back = wp.transpose(both)
                        taken = y * reply
                        torque = torque + back * (wp.transpose(reply) * law.source - taken * velocity)
                        inertia = inertia + back * taken * both + rocking(m, s, n, k, dt, rope, q, w)
                        lever = reply * (lever + inverse * y * arm)
                    velocity = reply * (velocity + inverse * law.source)
                    inverse = reply * inverse
        k.rope_inverse[i, w] = algebra.packed(inverse)
        k.rope_free[i, w] = velocity
        k.rope_lever[i, w] = lever
        k.rope_torque[i, w] = torque
        k.rope_inertia[i, w] = algebra.packed(inertia)

    return SimpleNamespace(
        hold=hold,
        bulge=bulge,
        softness=softness,
        held_velocity=held_velocity,
        thing_velocity=thing_velocity,
        rope_velocity=rope_velocity,
        point=point,
    )
