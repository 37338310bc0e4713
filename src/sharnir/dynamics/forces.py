"""Motion without the joints: gravity, forces from outside, and the gyroscopic torque.

    v' = v + dt (g + F/m)
    I (w' - w) + dt u x I u = 0,  u = (w + w')/2        (body axes; the leapfrog step has it in its drift instead)

The second is the implicit midpoint rule: it keeps 2T = w.Iw and |I w| exactly, where the explicit form gains energy and
backward Euler loses it (6 % in 9 s for a body tumbling about its middle axis). It is solved by Newton steps from w;
its Jacobian is I + dt/2 ([u]x I - [I u]x).
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import structs
from ..model.precision import Precision
from .algebra import make_algebra
from .coordinates import make_coordinates
from .pair import make_pair

wp = load_warp()

NEWTON_STEPS = 2


@cache
def make_forces(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    solved, packed = make_algebra(p).solved, make_algebra(p).packed

    NEGLIGIBLE = wp.constant(real(1e-20 if p.name == "float64" else 1e-12))

    @wp.func
    def is_first(n: t.memory, w: int) -> bool:
        """Whether this kick is the first after a start: its inputs are those of this step alone."""
        return n.kick[w] <= real(0.0)

    @wp.func
    def force_on(c: t.control, n: t.memory, b: int, w: int) -> vec3:
        """The force from outside on body b over the interval of the kick, N."""
        force = c.force[b, w]
        if wp.static(features.integrator.staggered):
            if not is_first(n, w):
                force = real(0.5) * (force + n.last_force[b, w])
            n.last_force[b, w] = c.force[b, w]
        return force

    @wp.func
    def torque_on(c: t.control, n: t.memory, b: int, w: int) -> vec3:
        """The torque likewise, N m."""
        torque = c.torque[b, w]
        if wp.static(features.integrator.staggered):
            if not is_first(n, w):
                torque = real(0.5) * (torque + n.last_torque[b, w])
            n.last_torque[b, w] = c.torque[b, w]
        return torque

    @wp.func
    def effort_on(c: t.control, n: t.memory, i: int, w: int) -> real:
        """The effort on coordinate i likewise, N or N m."""
        effort = c.effort[i, w]
        if wp.static(features.integrator.staggered):
            if not is_first(n, w):
                effort = real(0.5) * (effort + n.last_effort[i, w])
            n.last_effort[i, w] = c.effort[i, w]
        return effort

    @wp.func
    def gyroscopic(inertia: mat33, start: vec3, dt: real) -> vec3:
        """The spin after dt without torque, rad/s in body axes."""
        spin = start
        for _ in range(wp.static(NEWTON_STEPS)):
            middle = real(0.5) * (start + spin)
            momentum = inertia * middle
            error = inertia * (spin - start) + dt * wp.cross(middle, momentum)
            if wp.dot(error, error) > NEGLIGIBLE * wp.dot(momentum, momentum):
                slope = inertia + real(0.5) * dt * (wp.skew(middle) * inertia - wp.skew(momentum))
                spin = spin - solved(slope, error)
        return spin

    @wp.func
    def move_freely(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, dt: real, b: int, w: int):
        """Velocities of body b after the forces of this step, and its inverse inertia in world axes."""
        inv_mass = m.inv_mass[b, w]
        k.push[b, w] = vec3()
        k.push_spin[b, w] = vec3()
        if inv_mass == real(0.0):
            k.velocity[b, w] = vec3()
            k.spin[b, w] = vec3()
            k.inv_inertia[b, w] = packed(mat33())
        else:
            turn = wp.quat_to_matrix(s.rotation[b, w])
            back = wp.transpose(turn)
            inv_inertia = turn * m.inv_inertia[b, w] * back
            k.inv_inertia[b, w] = packed(inv_inertia)
            if wp.static(features.direct):
                k.inertia[b, w] = packed(turn * m.inertia[b, w] * back)
                k.stiffening[b, w] = p.sym33()
                k.following[b, w] = vec3()
            k.velocity[b, w] = s.velocity[b, w] + dt * (m.gravity[w] + inv_mass * force_on(c, n, b, w))
            spin = s.spin[b, w]
            if wp.static(not features.integrator.leads):
                spin = turn * gyroscopic(m.inertia[b, w], back * spin, dt)
            k.spin[b, w] = spin + dt * (inv_inertia * torque_on(c, n, b, w))

    @wp.func
    def apply_effort(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, dt: real, i: int, w: int):
        """The force or torque on free coordinate i, on b along its axis and on a against it."""
        effort = effort_on(c, n, i, w)
        if effort != real(0.0):
            j = m.coordinate_joint[i]
            kind = m.coordinate_kind[i]
            x = pair.load(m, k, j, w)
            d = dt * effort * geometry.coordinate_axis(geometry.frames_of(m, s, j, w), kind)
            if geometry.is_length(kind):
                x = pair.struck(x, d)
            else:
                x = pair.twisted(x, d)
            pair.store(m, k, j, w, x)

    return SimpleNamespace(move_freely=move_freely, apply_effort=apply_effort)
