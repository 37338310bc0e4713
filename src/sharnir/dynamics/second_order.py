"""The second-order step: RATTLE (Andersen 1983) for rigid bodies, time-symmetric and free of energy drift.

    half kick   v += (h/2) M^-1 (F + J^T l)      at q_n: forces, and all rows of the solver with half a step's bounds
    drift       q_{n+1} = q_n + h v              with impulses J_n^T L on the way such that G(q_{n+1}) = 0
    half kick   v += (h/2) M^-1 (F + J^T l)      at q_{n+1}, ending with J_{n+1} v_{n+1} = 0

During the drift the angular momentum L = I w is constant and the rotation is the implicit midpoint one,
R_{n+1} = R_n exp(h u) with I u = exp(-h u/2) R_n^T L in body axes: the gyroscopic torque needs no term of its own.
The equation G(q_{n+1}) = 0 is solved by Newton steps with the factors of q_n. Where the gaps grow instead, a singular
pose is near (the cranks of a parallelogram lie flat) and the impulse that would close them is huge or does not exist:
the drift starts over with softer factors, which leave such gaps, of the order h^2, to the next steps. Where the
impulses would add much to the kinetic energy the step does not resolve the motion (a light link whips round): the drift
starts over and moves the poses alone, so that the second half kick loses energy there and none is gained.

Both halves are the ordinary velocity problem; friction and limits work as elsewhere: exact at standstill, first order
at an event.
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import structs
from ..model.precision import Precision
from .algebra import make_algebra
from .coordinates import make_coordinates
from .solvers.direct import make_direct

wp = load_warp()

MIDPOINT_STEPS = 3
PROJECTIONS = 10
GAINS = 1.25  # of kinetic energy by a drift's impulses: 1 + (turn in a step)^2 where the step resolves the motion
IMPULSES, SOFT_IMPULSES, POSES_ONLY = 0, 1, 2  # ways to close the joints in a drift
SOFTENING = 1e5  # of the compliance near a singular pose: 1e-3 of a joint's inverse mass


@cache
def make_second_order(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    algebra = make_algebra(p)
    rotated, solved, full = algebra.rotated, algebra.solved, algebra.full
    geometry, direct = make_coordinates(p), make_direct(p, features)
    Frames, frames_of = geometry.Frames, geometry.frames_of
    linear_basis, angular_basis = geometry.linear_basis, geometry.angular_basis
    linear_error, angular_error = geometry.linear_error, geometry.angular_error
    clear_bodies, substitute, take_solution = direct.clear_bodies, direct.substitute, direct.take_solution
    factor = direct.factor

    @wp.func
    def identity() -> p.quat:
        return p.quat(real(0.0), real(0.0), real(0.0), real(1.0))

    TOLERANCE = wp.constant(real(1e-11 if p.name == "float64" else 1e-5))
    NOTEWORTHY = wp.constant(real(1e-9 if p.name == "float64" else 1e-3))  # m or rad; less may be rounding

    @wp.func
    def remember_start(s: t.state, k: t.work, b: int, w: int):
        k.start_position[b, w] = s.position[b, w]
        k.start_rotation[b, w] = s.rotation[b, w]

    @wp.func
    def back_to_start(s: t.state, k: t.work, b: int, w: int):
        s.position[b, w] = k.start_position[b, w]
        s.rotation[b, w] = k.start_rotation[b, w]

    @wp.func
    def midpoint_spin(inertia: p.mat33, spin: vec3, dt: real) -> vec3:
        """The u with I u = exp(-dt u/2) I w, body axes, by Newton steps; dF/du = I - (dt/2) [I u]x + O(dt^2).

        Newton and not a fixed point, which would diverge for a thin rod: its smallest moment is nearly zero.
        """
        momentum = inertia * spin
        u = spin
        for _ in range(wp.static(MIDPOINT_STEPS)):
            turned = wp.quat_rotate_inv(rotated(identity(), real(0.5) * dt * u), momentum)
            u = u - solved(inertia - real(0.5) * dt * wp.skew(turned), inertia * u - turned)
        return u

    @wp.func
    def drift(m: t.model, s: t.state, k: t.work, dt: real, b: int, w: int):
        """The pose of body b a step later, for the velocities as they are now."""
        start = k.start_rotation[b, w]
        mean = wp.quat_rotate(start, midpoint_spin(m.inertia[b, w], wp.quat_rotate_inv(start, k.spin[b, w]), dt))
        s.position[b, w] = k.start_position[b, w] + dt * (k.velocity[b, w] + k.push[b, w])
        s.rotation[b, w] = rotated(start, dt * (mean + k.push_spin[b, w]))

    @wp.func
    def gaps_to_solution(m: t.model, k: t.work, f: Frames, rate: real, j: int, w: int) -> real:
        """The error of joint j at the new poses as a right-hand side; the worst of its entries."""
        worst = real(0.0)
        if m.joint_node_l[j] >= 0:
            error = f.offset
            if m.linear_lock[j] != 7:
                basis = linear_basis(f, m.basis[j])
                error = linear_error(f, basis, m.basis[j], m.linear_lock[j], m.length[j])
            k.solution[m.joint_node_l[j], w] = -rate * error
            worst = wp.length(error)
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                error = angular_error(f, angular_basis(f, m.basis[j]), m.angular_lock[j])
                k.solution[m.joint_node_a[j], w] = -rate * error
                worst = wp.max(worst, wp.length(error))
        return worst

    @wp.func
    def keep_first_half(n: t.memory, k: t.work, o: t.settings, w: int):
        for j in range(o.joints):
            k.half_lock[j, w] = n.lock_impulse[j, w]
            if wp.static(features.angular_locks):
                k.half_angular[j, w] = n.lock_angular[j, w]
        if wp.static(features.limits):
            for i in range(o.limits):
                k.half_low[i, w] = n.low_impulse[i, w]
                k.half_high[i, w] = n.high_impulse[i, w]
        if wp.static(features.friction):
            for i in range(o.frictions):
                k.half_friction[i, w] = n.friction_impulse[i, w]
        if wp.static(features.soft):
            for i in range(o.softs):
                k.half_soft[i, w] = n.soft_impulse[i, w]

    @wp.func
    def start_over(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Back to the plain drift."""
        for b in range(1, o.bodies):
            k.velocity[b, w] = s.velocity[b, w]
            k.spin[b, w] = s.spin[b, w]
            if m.inv_mass[b, w] > real(0.0):
                drift(m, s, k, o.dt, b, w)
        for j in range(o.joints):
            n.lock_impulse[j, w] = k.half_lock[j, w]
            if wp.static(features.angular_locks):
                n.lock_angular[j, w] = k.half_angular[j, w]
        if wp.static(features.soft):
            for i in range(o.softs):
                n.soft_impulse[i, w] = k.half_soft[i, w]

    @wp.func
    def soften(m: t.model, k: t.work, o: t.settings, w: int):
        """Factors that ignore directions in which this pose is nearly singular."""
        for j in range(o.joints):
            k.softness_l[j, w] = wp.static(real(SOFTENING)) * k.softness_l[j, w]
            if wp.static(features.angular_locks):
                k.softness_a[j, w] = wp.static(real(SOFTENING)) * k.softness_a[j, w]
        factor(m, k, o, w)

    @wp.func
    def kinetic_energy(m: t.model, k: t.work, o: t.settings, w: int) -> real:
        """Of all bodies, with the inertia at the start of the drift."""
        total = real(0.0)
        for b in range(1, o.bodies):
            if m.inv_mass[b, w] > real(0.0):
                v = k.velocity[b, w]
                spin = k.spin[b, w]
                total = total + wp.dot(v, v) / m.inv_mass[b, w] + wp.dot(spin, full(k.inertia[b, w]) * spin)
        return real(0.5) * total

    @wp.func
    def push_solution(m: t.model, k: t.work, o: t.settings, w: int):
        """Add the solution to the pseudo-velocities: it moves the bodies and gives them no energy."""
        for b in range(1, o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.push[b, w] = k.push[b, w] + k.solution[node, w]
                k.push_spin[b, w] = k.push_spin[b, w] + k.solution[node + 1, w]

    @wp.func
    def drift_on_joints(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Drift, and correct the velocities until the new poses satisfy every locked axis."""
        for b in range(1, o.bodies):
            remember_start(s, k, b, w)
            s.velocity[b, w] = k.velocity[b, w]
            s.spin[b, w] = k.spin[b, w]
            if m.inv_mass[b, w] > real(0.0):
                drift(m, s, k, o.dt, b, w)
        keep_first_half(n, k, o, w)
        left = int(wp.static(PROJECTIONS))
        energy = kinetic_energy(m, k, o, w)
        way = int(wp.static(IMPULSES))
        before = real(-1.0)
        while left > 0:
            clear_bodies(m, k, o, w)
            worst = real(0.0)
            for j in range(o.joints):
                worst = wp.max(worst, gaps_to_solution(m, k, frames_of(m, s, j, w), real(1.0) / o.dt, j, w))
            left -= 1
            if worst < TOLERANCE:
                left = 0
            elif way == wp.static(IMPULSES) and before > real(0.0) and worst > before and worst > NOTEWORTHY:
                start_over(m, s, n, k, o, w)
                soften(m, k, o, w)
                left = int(wp.static(PROJECTIONS))
                way = int(wp.static(SOFT_IMPULSES))
            else:
                before = worst
                substitute(m, k, o, w)
                if way == wp.static(POSES_ONLY):
                    push_solution(m, k, o, w)
                else:
                    take_solution(m, n, k, o, w)
                for b in range(1, o.bodies):
                    if m.inv_mass[b, w] > real(0.0):
                        drift(m, s, k, o.dt, b, w)
            if left == 0 and way != wp.static(POSES_ONLY) and kinetic_energy(m, k, o, w) > real(GAINS) * energy:
                start_over(m, s, n, k, o, w)
                if way == wp.static(IMPULSES):
                    soften(m, k, o, w)
                left = int(wp.static(PROJECTIONS))
                way = int(wp.static(POSES_ONLY))
        for b in range(1, o.bodies):
            if m.inv_mass[b, w] > real(0.0):
                momentum = wp.quat_rotate_inv(s.rotation[b, w], full(k.inertia[b, w]) * k.spin[b, w])
                s.velocity[b, w] = k.velocity[b, w]
                s.spin[b, w] = wp.quat_rotate(s.rotation[b, w], m.inv_inertia[b, w] * momentum)

    @wp.func
    def scale_memory(n: t.memory, o: t.settings, share: real, w: int):
        for j in range(o.joints):
            n.lock_impulse[j, w] = share * n.lock_impulse[j, w]
            if wp.static(features.angular_locks):
                n.lock_angular[j, w] = share * n.lock_angular[j, w]
        if wp.static(features.limits):
            for i in range(o.limits):
                n.low_impulse[i, w] = share * n.low_impulse[i, w]
                n.high_impulse[i, w] = share * n.high_impulse[i, w]
        if wp.static(features.friction):
            for i in range(o.frictions):
                n.friction_impulse[i, w] = share * n.friction_impulse[i, w]
        if wp.static(features.soft):
            for i in range(o.softs):
                n.soft_impulse[i, w] = share * n.soft_impulse[i, w]

    @wp.func
    def add_first_half(n: t.memory, k: t.work, o: t.settings, w: int):
        """The impulses of a step are those of both halves."""
        for j in range(o.joints):
            n.lock_impulse[j, w] = n.lock_impulse[j, w] + k.half_lock[j, w]
            if wp.static(features.angular_locks):
                n.lock_angular[j, w] = n.lock_angular[j, w] + k.half_angular[j, w]
        if wp.static(features.limits):
            for i in range(o.limits):
                n.low_impulse[i, w] = n.low_impulse[i, w] + k.half_low[i, w]
                n.high_impulse[i, w] = n.high_impulse[i, w] + k.half_high[i, w]
        if wp.static(features.friction):
            for i in range(o.frictions):
                n.friction_impulse[i, w] = n.friction_impulse[i, w] + k.half_friction[i, w]
        if wp.static(features.soft):
            for i in range(o.softs):
                n.soft_impulse[i, w] = n.soft_impulse[i, w] + k.half_soft[i, w]

    return SimpleNamespace(
        back_to_start=back_to_start,
        gaps_to_solution=gaps_to_solution,
        drift_on_joints=drift_on_joints,
        scale_memory=scale_memory,
        keep_first_half=keep_first_half,
        add_first_half=add_first_half,
    )
