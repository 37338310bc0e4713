"""What a contact does by itself: its frame, its normal impulse, its dry friction, its overlap (see contact.py)."""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .limit import push_compliance

SETTLED = 1e-6  # of an impulse: a contact that changes by less has converged


@factory
def make_contact_laws(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func, algebra = functions(p), make_algebra(p)
    COMPLIANCE = wp.constant(real(push_compliance(p)))

    @func
    def frame(work, i: int, world: int) -> mat33:
        """Columns: the two tangents and the normal of contact i, world axes."""
        z = work.contact_normal[i, world]
        x = work.contact_tangent[i, world]
        return wp.matrix_from_cols(x, wp.cross(z, x), z)

    @func
    def rubbed(mass: mat33, u: vec3, q: vec3, friction: real) -> vec3:
        """The impulse q with its tangential part corrected for the velocity u; contact's frame."""
        bound = friction * q[2]
        det = mass[0, 0] * mass[1, 1] - mass[0, 1] * mass[0, 1]
        x = q[0] - (mass[1, 1] * u[0] - mass[0, 1] * u[1]) / det
        y = q[1] - (mass[0, 0] * u[1] - mass[0, 1] * u[0]) / det
        if x * x + y * y > bound * bound:
            largest = algebra.largest_of(mass)
            x = q[0] - u[0] / largest
            y = q[1] - u[1] / largest
            slid = algebra.within(p.vec2(x, y), wp.sqrt(x * x + y * y), bound)
            return vec3(slid[0], slid[1], q[2])
        return vec3(x, y, q[2])

    @func
    def normal_impulse(work, mass: real, speed: real, old: real, i: int, world: int) -> real:
        """The normal impulse after a visit, N s: rigid, or elastic with the conductance y."""
        y = work.contact_y[i, world]
        new = old - (speed - work.contact_source[i, world]) / mass
        if y > real(0.0):
            new = old - (y * speed + old - work.contact_source[i, world]) / (y * mass + real(1.0))
        return wp.max(new, real(0.0))

    @func
    def unsettled(change: real, carried: real, epsilon: real) -> real:
        """The square of a change, 0 if it is a small share of what is carried (squares); not where epsilon is 0."""
        if epsilon > real(0.0) and change < real(SETTLED * SETTLED) * carried:
            return real(0.0)
        return change

    @func
    def is_dry(model, work, i: int, world: int) -> bool:
        """Whether contact i has no law but dry friction: no tyre, nothing that resists rolling."""
        if wp.static(features.tyres):
            if model.shape_tyre[work.contact_a[i, world]] >= 0 or model.shape_tyre[work.contact_b[i, world]] >= 0:
                return False
        if wp.static(features.rolling):
            if wp.length_sq(work.roll_arms[i, world]) > real(0.0):
                return False
        return True

    @func
    def conjugate_share(work, world: int) -> real:
        """The share of the direction of the sweeps so far that the next one goes on by; 0 to start over."""
        squares = work.contact_squares[world]
        if squares[0] > real(0.0) and squares[1] < squares[0]:
            return squares[1] / squares[0]
        return real(0.0)

    # --- overlap ----------------------------------------------------------------------------------------------------

    @func
    def is_pushed(work, i: int, world: int) -> bool:
        """Whether pseudo-velocities have something to put right at contact i."""
        return work.contact_y[i, world] == real(0.0) and work.contact_gap[i, world] < real(0.0)

    @func
    def push_speed(work, settings, i: int, world: int) -> real:
        """The pseudo-velocity along the normal that contact i asks for, m/s."""
        return -settings.erp * work.contact_gap[i, world] / settings.dt

    @func
    def push_yield(model, work, i: int, world: int) -> real:
        """By how much contact i gives way to a pseudo-impulse, 1/kg."""
        return COMPLIANCE * (
            model.inv_mass[work.contact_body_a[i, world], world] + model.inv_mass[work.contact_body_b[i, world], world]
        )

    @func
    def pushed(model, work, settings, speed: real, i: int, world: int) -> real:
        """The pseudo-impulse of contact i after a visit at a pseudo-velocity along its normal."""
        target = push_speed(work, settings, i, world)
        compliance = push_yield(model, work, i, world)
        old = work.contact_push[i, world]
        new = old - (speed - target + compliance * old) / (work.contact_mass[i, world][2] + compliance)
        return wp.max(new, real(0.0))

    return locals()
