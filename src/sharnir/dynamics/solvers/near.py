"""An outer iteration of the direct solver in which only the joint itself reacts at once (``near`` in direct.py)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..pair import make_pair
from ..rows.bounds import make_bounds
from ..rows.joint_rows import make_joints

wp = load_warp()


@cache
def make_near(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2 = p.real, p.vec2
    t = structs(p)
    pair, joints, led = make_pair(p), make_joints(p, features), make_bias(p, features).led
    bounds, pushing = make_bounds(p, features).rows, make_bounds(p, features).pushing
    has_bounds, pushes = bounds is not None, pushing is not None

    @wp.func
    def visit_bounds(m: t.model, n: t.memory, k: t.work, o: t.settings, j: int, w: int) -> real:
        """Bounded rows of joint j, each with the joint's own reaction; the square of the largest impulse."""
        x = pair.load(m, k, j, w)
        change = real(0.0)
        for c in range(bounds.count(m, j)):
            linear = bounds.linear(m, c, j)
            u = led(k, pair.motion(x, linear), linear, j, w)
            d = bounds.visit(m, n, k, u, o.dt, c, j, w)
            size = wp.dot(d, d)
            change = wp.max(change, size)
            if size > real(0.0):
                x = joints.react(m, n, k, pair.acted(x, linear, d), j, w)
        pair.store(m, k, j, w, x)
        return change

    @wp.func
    def push_bounds(m: t.model, k: t.work, o: t.settings, j: int, w: int) -> real:
        """Pseudo-impulses of joint j's bounded rows, each with the joint's own reaction; the square of the largest."""
        rate = o.erp / o.dt
        x = pair.load_push(m, k, pair.load(m, k, j, w), j, w)
        change = real(0.0)
        for c in range(pushing.count(m, j)):
            if pushing.is_passed(m, k, c, j, w):
                linear = pushing.linear(m, c, j)
                d = pushing.push(m, k, pair.motion(x, linear), rate, c, j, w)
                change = wp.max(change, wp.dot(d, d))
                x = joints.react_push(m, k, pair.acted(x, linear, d), rate, j, w)
        pair.store_push(m, k, j, w, x)
        return change

    @wp.func
    def sweep(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> vec2:
        """All joints once; the squares of the largest impulse and pseudo-impulse."""
        change = real(0.0)
        push = real(0.0)
        if wp.static(has_bounds):
            for j in range(o.joints):
                if bounds.count(m, j) > 0:
                    change = wp.max(change, visit_bounds(m, n, k, o, j, w))
                    if wp.static(pushes):
                        push = wp.max(push, push_bounds(m, k, o, j, w))
        return vec2(change, push)

    return SimpleNamespace(sweep=sweep)
