"""Motion without the joints: gravity, forces from outside, and the gyroscopic torque.

    v' = v + dt (g + F/m)
    I (w' - w) + dt u x I u = 0,  u = (w + w')/2        (body axes; the leapfrog step has it in its drift instead)

The second is the implicit midpoint rule: it keeps 2T = w.Iw and |I w| exactly, where the explicit form gains energy and
backward Euler loses it (6 % in 9 s for a body tumbling about its middle axis). It is solved by Newton steps from w;
its Jacobian is I + dt/2 ([u]x I - [I u]x).
"""

from .algebra import make_algebra
from .coordinates import make_coordinates
from .factory import Features, Made, Precision, factory, functions, wp
from .pair import make_pair

NEWTON_STEPS = 2


@factory
def make_forces(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    solved, packed = make_algebra(p).solved, make_algebra(p).packed

    Vectors = wp.array(dtype=vec3, ndim=2)  # for every body
    NEGLIGIBLE = wp.constant(real(1e-20 if p.name == "float64" else 1e-12))

    @func
    def is_first(memory, world: int) -> bool:
        """Whether this kick is the first after a start: its inputs are those of this step alone."""
        return memory.kick[world] <= real(0.0)

    @func
    def input_on(memory, given: Vectors, last: Vectors, b: int, world: int) -> vec3:
        """The force (N) or torque (N m) from outside on body b over the interval of the kick."""
        now = given[b, world]
        if wp.static(features.integrator.staggered):
            if not is_first(memory, world):
                now = real(0.5) * (now + last[b, world])
            last[b, world] = given[b, world]
        return now

    @func
    def find_gravity(model, memory, work, world: int):
        """Gravity over the interval of the kick, m/s^2."""
        work.gravity[world] = model.gravity[world]
        if wp.static(features.integrator.staggered):
            if not is_first(memory, world):
                work.gravity[world] = real(0.5) * (model.gravity[world] + memory.last_gravity[world])
            memory.last_gravity[world] = model.gravity[world]

    @func
    def effort_on(control, memory, i: int, world: int) -> real:
        """The effort on coordinate i over the interval of the kick, N or N m."""
        effort = control.effort[i, world]
        if wp.static(features.integrator.staggered):
            if not is_first(memory, world):
                effort = real(0.5) * (effort + memory.last_effort[i, world])
            memory.last_effort[i, world] = control.effort[i, world]
        return effort

    @func
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

    @func
    def move_freely(model, control, state, memory, work, dt: real, b: int, world: int):
        """Velocities of body b after the forces of this step, and its inverse inertia in world axes."""
        inv_mass = model.inv_mass[b, world]
        work.push[b, world] = vec3()
        work.push_spin[b, world] = vec3()
        if inv_mass == real(0.0):
            work.velocity[b, world] = vec3()
            work.spin[b, world] = vec3()
            work.inv_inertia[b, world] = packed(mat33())
        else:
            turn = wp.quat_to_matrix(state.rotation[b, world])
            back = wp.transpose(turn)
            inv_inertia = turn * model.inv_inertia[b, world] * back
            work.inv_inertia[b, world] = packed(inv_inertia)
            if wp.static(features.direct):
                work.inertia[b, world] = packed(turn * model.inertia[b, world] * back)
                work.stiffening[b, world] = p.sym33()
                work.following[b, world] = vec3()
            work.velocity[b, world] = state.velocity[b, world] + dt * (
                work.gravity[world] + inv_mass * input_on(memory, control.force, memory.last_force, b, world)
            )
            spin = state.spin[b, world]
            if wp.static(not features.integrator.leads):
                spin = turn * gyroscopic(model.inertia[b, world], back * spin, dt)
            work.spin[b, world] = spin + dt * (
                inv_inertia * input_on(memory, control.torque, memory.last_torque, b, world)
            )

    @func
    def apply_effort(model, control, state, memory, work, dt: real, i: int, world: int):
        """The force or torque on free coordinate i, on b along its axis and on a against it."""
        effort = effort_on(control, memory, i, world)
        if effort != real(0.0):
            j = model.coordinate_joint[i]
            kind = model.coordinate_kind[i]
            x = pair.load(model, work, j, world)
            d = dt * effort * geometry.coordinate_axis(geometry.frames_of(model, state, j, world), kind)
            if geometry.is_length(kind):
                x = pair.struck(x, d)
            else:
                x = pair.twisted(x, d)
            pair.store(model, work, j, world, x)

    return locals()
