"""The impulses that joints carry from step to step, scaled: for a kick of another length, or to none at all."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from .bounds import make_bounds

wp = load_warp()


@cache
def make_memory(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real = p.real
    t = structs(p)
    bounds, has_bounds = make_bounds(p, features), features.limits or features.friction

    @wp.func
    def scale_joint(m: t.model, n: t.memory, share: real, j: int, w: int):
        """All impulses of joint j times ``share``; 0 forgets them."""
        n.lock_impulse[j, w] = share * n.lock_impulse[j, w]
        if wp.static(features.angular_locks):
            n.lock_angular[j, w] = share * n.lock_angular[j, w]
        if wp.static(has_bounds):
            bounds.scale(m, n, share, j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                n.soft_impulse[i, w] = share * n.soft_impulse[i, w]

    return SimpleNamespace(scale_joint=scale_joint)
