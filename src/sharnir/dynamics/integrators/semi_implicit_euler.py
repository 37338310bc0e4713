"""Semi-implicit Euler, the papers' step ([001]): X += dt H (V + V*), V* then forgotten.

The kick stands for the whole step. The rotation over a step is exact for a constant spin: exp(dt (w + w*)).
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra

wp = load_warp()


@cache
def make_semi_implicit_euler(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision."""
    real, t = p.real, structs(p)
    rotated = make_algebra(p).rotated

    @wp.func
    def start(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """A kick of the length of the step, s, on the state as it is."""
        k.kick[w] = o.dt
        return real(1.0)

    @wp.func
    def drift(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """New velocities, and poses that follow them."""
        for b in range(1, o.bodies):
            v = k.velocity[b, w]
            u = k.spin[b, w]
            s.velocity[b, w] = v
            s.spin[b, w] = u
            s.position[b, w] = s.position[b, w] + o.dt * (v + k.push[b, w])
            s.rotation[b, w] = rotated(s.rotation[b, w], o.dt * (u + k.push_spin[b, w]))

    @wp.func
    def abandon(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The state is as it was: only the drift changes it."""

    return SimpleNamespace(start=start, drift=drift, abandon=abandon)
