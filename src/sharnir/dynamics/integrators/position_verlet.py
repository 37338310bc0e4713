"""Position Verlet (Tuckerman, Berne and Martyna, 1992): half a drift, the kick, half a drift.

    x_{n+1/2} = x_n + (h/2) v_n
    v_{n+1}   = v_n + h M^-1 (F(q_{n+1/2}) + J^T l)
    x_{n+1}   = x_{n+1/2} + (h/2) v_{n+1}

From kick to kick it is the leapfrog step (``leapfrog.py``), with the same bias (``bias.py``) and the same rotations of
constant angular momentum. It is looked at half a step later, in the middle of a drift, where the velocities are those
of the motion to second order: none has to be estimated, and inputs, which are held over a step, act over it. The price
is paid by the joints. They are met where the kicks are, and open by (h/2)^2 |w|^2 r/2 where steps end.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions
from .leapfrog import make_leapfrog


@factory
def make_position_verlet(p: Precision, features: Features) -> Made:
    real, vec3, func = p.real, p.vec3, functions(p)
    rotated, turn_body = make_algebra(p).rotated, make_leapfrog(p, features).turn_body

    @func
    def drift_freely(model, state, work, settings, time: real, world: int):
        """Poses a time (s) later, or earlier, with the velocities of the state."""
        for b in range(1, settings.bodies):
            work.spin[b, world] = state.spin[b, world]
            work.push_spin[b, world] = vec3()
            state.position[b, world] = state.position[b, world] + time * state.velocity[b, world]
            state.spin[b, world] = turn_body(model, state, work, time, b, world)

    @func
    def start(model, state, memory, work, settings, world: int) -> real:
        """Half a drift to where the kick acts; it lasts the whole step."""
        work.kick[world] = settings.dt
        drift_freely(model, state, work, settings, real(0.5) * settings.dt, world)
        return real(1.0)

    @func
    def drift(model, state, memory, work, settings, world: int):
        """The other half, and all that pseudo-velocities put right."""
        half = real(0.5) * settings.dt
        for b in range(1, settings.bodies):
            state.velocity[b, world] = work.velocity[b, world]
            state.position[b, world] = (
                state.position[b, world] + half * work.velocity[b, world] + settings.dt * work.push[b, world]
            )
            state.spin[b, world] = turn_body(model, state, work, half, b, world)
            state.rotation[b, world] = rotated(state.rotation[b, world], half * work.push_spin[b, world])

    @func
    def abandon(model, state, memory, work, settings, world: int):
        """Back to where the step began, to rounding: the rotation is symmetric in time."""
        drift_freely(model, state, work, settings, real(-0.5) * settings.dt, world)

    return locals()
