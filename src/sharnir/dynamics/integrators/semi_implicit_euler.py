"""Semi-implicit Euler, the papers' step ([001]): X += dt H (V + V*), V* then forgotten.

The kick stands for the whole step. The rotation over a step is exact for a constant spin: exp(dt (w + w*)).
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions
from ..moving import make_moving


@factory
def make_semi_implicit_euler(p: Precision, features: Features) -> Made:
    real, func = p.real, functions(p)
    rotated, moves = make_algebra(p).rotated, make_moving(p, features).moves

    @func
    def start(model, state, memory, work, settings, world: int) -> real:
        """A kick of the length of the step, s, on the state as it is."""
        work.kick[world] = settings.dt
        return real(1.0)

    @func
    def drift(model, state, memory, work, settings, world: int):
        """New velocities, and poses that follow them."""
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                v = work.velocity[b, world]
                u = work.spin[b, world]
                turn = settings.dt * (u + work.push_spin[b, world])
                state.velocity[b, world] = v
                state.spin[b, world] = u
                state.position[b, world] = state.position[b, world] + settings.dt * (v + work.push[b, world])
                state.rotation[b, world] = rotated(state.rotation[b, world], turn)

    @func
    def abandon(model, state, memory, work, settings, world: int):
        """The state is as it was: only the drift changes it."""

    return locals()
