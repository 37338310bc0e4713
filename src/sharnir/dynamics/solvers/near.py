"""An outer iteration of the direct solver in which only the joint itself reacts at once (``near`` in direct.py)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..pair import make_pair
from ..rows.friction import make_friction
from ..rows.limit import make_limit
from ..rows.lock import make_lock
from ..rows.soft import make_soft

wp = load_warp()


@cache
def make_near(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2 = p.real, p.vec2
    t = structs(p)
    pair, lock = make_pair(p), make_lock(p, features)
    limit, friction = make_limit(p, features), make_friction(p, features)
    Pair = pair.Pair
    load, store, load_push, store_push = pair.load, pair.store, pair.load_push, pair.store_push
    motion, acted = pair.motion, pair.acted
    visit_lock, push_lock, visit_soft = lock.visit_lock, lock.push_lock, make_soft(p, features).visit_soft
    visit_limit, push_limit, is_passed = limit.visit_limit, limit.push_limit, limit.is_passed
    visit_friction = friction.visit_friction
    led = make_bias(p, features).led

    @wp.func
    def react(m: t.model, n: t.memory, k: t.work, x: Pair, j: int, w: int) -> Pair:
        """The answer of the joint's own locked and soft rows to an impulse on one of its free axes."""
        x = visit_lock(m, n, k, x, j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                x = visit_lock(m, n, k, visit_soft(m, n, k, x, i, w), j, w)
        return x

    @wp.func
    def visit_bounds(m: t.model, n: t.memory, k: t.work, o: t.settings, j: int, w: int) -> real:
        """Limits and friction of joint j, each with the joint's own reaction; the square of the largest impulse."""
        x = load(m, k, j, w)
        change = real(0.0)
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                linear = m.limit_linear[i]
                d = visit_limit(n, k, led(k, motion(x, linear), linear, j, w), o.dt, i, w)
                size = wp.dot(d, d)
                change = wp.max(change, size)
                if size > real(0.0):
                    x = react(m, n, k, acted(x, linear, d), j, w)
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                linear = m.friction_linear[i]
                d = visit_friction(m, n, k, led(k, motion(x, linear), linear, j, w), k.kick[w], i, w)
                size = wp.dot(d, d)
                change = wp.max(change, size)
                if size > real(0.0):
                    x = react(m, n, k, acted(x, linear, d), j, w)
        store(m, k, j, w, x)
        return change

    @wp.func
    def push_bounds(m: t.model, k: t.work, o: t.settings, j: int, w: int) -> real:
        """Pseudo-impulses of joint j's limits, each with the joint's own reaction; the square of the largest."""
        rate = o.erp / o.dt
        x = load_push(m, k, load(m, k, j, w), j, w)
        change = real(0.0)
        for i in range(m.limit_start[j], m.limit_end[j]):
            if is_passed(k, i, w):
                linear = m.limit_linear[i]
                d = push_limit(m, k, motion(x, linear), rate, i, w)
                change = wp.max(change, wp.dot(d, d))
                x = push_lock(m, k, acted(x, linear, d), rate, j, w)
        store_push(m, k, j, w, x)
        return change

    @wp.func
    def sweep(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> vec2:
        """All joints once; the squares of the largest impulse and pseudo-impulse."""
        change = real(0.0)
        push = real(0.0)
        for j in range(o.joints):
            if m.limit_start[j] < m.limit_end[j] or m.friction_start[j] < m.friction_end[j]:
                change = wp.max(change, visit_bounds(m, n, k, o, j, w))
                if wp.static(features.limits):
                    push = wp.max(push, push_bounds(m, k, o, j, w))
        return vec2(change, push)

    return SimpleNamespace(sweep=sweep)
