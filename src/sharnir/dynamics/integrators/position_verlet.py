"""Position Verlet (Tuckerman, Berne and Martyna, 1992): half a drift, the kick, half a drift.

    x_{n+1/2} = x_n + (h/2) v_n
    v_{n+1}   = v_n + h M^-1 (F(q_{n+1/2}) + J^T l)
    x_{n+1}   = x_{n+1/2} + (h/2) v_{n+1}

From kick to kick it is the leapfrog step (``leapfrog.py``), with the same bias (``bias.py``) and the same rotations of
constant angular momentum. It is looked at half a step later, in the middle of a drift, where the velocities are those
of the motion to second order: none has to be estimated, and inputs, which are held over a step, act over it. The price
is paid by the joints. They are met where the kicks are, and open by (h/2)^2 |w|^2 r/2 where steps end.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from .leapfrog import make_leapfrog

wp = load_warp()


@cache
def make_position_verlet(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, t = p.real, p.vec3, structs(p)
    rotated, turn_body = make_algebra(p).rotated, make_leapfrog(p, features).turn_body

    @wp.func
    def drift_freely(m: t.model, s: t.state, k: t.work, o: t.settings, time: real, w: int):
        """Poses a time (s) later, or earlier, with the velocities of the state."""
        for b in range(1, o.bodies):
            k.spin[b, w] = s.spin[b, w]
            k.push_spin[b, w] = vec3()
            s.position[b, w] = s.position[b, w] + time * s.velocity[b, w]
            s.spin[b, w] = turn_body(m, s, k, time, b, w)

    @wp.func
    def start(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Half a drift to where the kick acts; it lasts the whole step."""
        k.kick[w] = o.dt
        drift_freely(m, s, k, o, real(0.5) * o.dt, w)
        return real(1.0)

    @wp.func
    def drift(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The other half, and all that pseudo-velocities put right."""
        half = real(0.5) * o.dt
        for b in range(1, o.bodies):
            s.velocity[b, w] = k.velocity[b, w]
            s.position[b, w] = s.position[b, w] + half * k.velocity[b, w] + o.dt * k.push[b, w]
            s.spin[b, w] = turn_body(m, s, k, half, b, w)
            s.rotation[b, w] = rotated(s.rotation[b, w], half * k.push_spin[b, w])

    @wp.func
    def abandon(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Back to where the step began, to rounding: the rotation is symmetric in time."""
        drift_freely(m, s, k, o, real(-0.5) * o.dt, w)

    return SimpleNamespace(start=start, drift=drift, abandon=abandon)
