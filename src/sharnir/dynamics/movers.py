"""Bodies that go where they are told: their velocities over a step lead from where they are to where they are to be.

    v = (x - x_n)/h,    w = log(R R_n^T)/h        x, R by the end of the step

A mover has no mass and is led by nothing; it leads a body by a weld, whose rows have v and w on their other side and
whose reaction is what the motion takes. v and w are constant over the drift, so that x and R are met to rounding.
"""

from .algebra import make_algebra
from .factory import Made, Precision, factory, functions, wp


@factory
def make_movers(p: Precision) -> Made:
    real, vec3, quat = p.real, p.vec3, p.quat
    func = functions(p)
    rotated = make_algebra(p).rotated
    TINY = wp.constant(real(1e-12))

    @func
    def turn_between(start: quat, end: quat) -> vec3:
        """The rotation vector of the shorter way from one orientation to another, world axes."""
        q = end * wp.quat_inverse(start)
        v = vec3(q[0], q[1], q[2])
        if q[3] < real(0.0):
            v = -v
        sine = wp.length(v)
        if sine < TINY:
            return real(2.0) * v
        return (real(2.0) * wp.atan2(sine, wp.abs(q[3])) / sine) * v

    @func
    def lead_movers(model, control, state, work, settings, world: int):
        """The velocities of all movers over the step."""
        for i in range(settings.movers):
            b = model.mover_body[i]
            goal = rotated(model.mover_rotation[i], control.mover_turn[i, world])
            way = model.mover_position[i] + control.mover_shift[i, world] - state.position[b, world]
            work.velocity[b, world] = way / settings.dt
            work.spin[b, world] = turn_between(state.rotation[b, world], goal) / settings.dt

    return locals()
