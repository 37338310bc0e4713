"""An outer iteration of the direct solver in which the whole mechanism reacts at once (``reach`` in direct.py)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..pair import make_pair
from ..rows.contact import make_contact
from ..rows.friction import make_friction
from ..rows.limit import make_limit
from .reach import make_reach

wp = load_warp()


@cache
def make_sweep(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t = structs(p)
    pair, reach = make_pair(p), make_reach(p, features)
    limit, friction = make_limit(p, features), make_friction(p, features)
    load, load_push, motion = pair.load, pair.load_push, pair.motion
    answer, strike = reach.answer, reach.strike
    visit_limit, push_limit, is_passed = limit.visit_limit, limit.push_limit, limit.is_passed
    visit_friction = friction.visit_friction
    inverse_mass = reach.inverse_mass
    contact = make_contact(p, features)
    sweep_contacts, push_contacts = contact.sweep_contacts, contact.push_contacts
    led = make_bias(p, features).led

    @wp.func
    def visit_part(
        m: t.model, n: t.memory, k: t.work, o: t.settings, linear: int, start: int, end: int, u: vec3, j: int, w: int
    ) -> real:
        """Limits and friction on the lengths (linear = 1) or angles of joint j; the square of the largest impulse."""
        u = led(k, u, linear, j, w) + answer(k, k.solution, start, end, w)
        mass = inverse_mass(k, linear, j, w)
        total = vec3()
        change = real(0.0)
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                if m.limit_linear[i] == linear:
                    d = visit_limit(n, k, u, o.dt, i, w)
                    u = u + mass * d
                    total = total + d
                    change = wp.max(change, wp.dot(d, d))
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                if m.friction_linear[i] == linear:
                    d = visit_friction(m, n, k, u, k.kick[w], i, w)
                    u = u + mass * d
                    total = total + d
                    change = wp.max(change, wp.dot(d, d))
        if change > real(0.0):
            strike(k, k.solution, start, end, total, w)
        return change

    @wp.func
    def push_part(
        m: t.model, k: t.work, rate: real, linear: int, start: int, end: int, u: vec3, j: int, w: int
    ) -> real:
        """Pseudo-impulses of the limits that are passed; the square of the largest."""
        change = real(0.0)
        for i in range(m.limit_start[j], m.limit_end[j]):
            if m.limit_linear[i] == linear and is_passed(k, i, w):
                d = push_limit(m, k, u + answer(k, k.push_solution, start, end, w), rate, i, w)
                strike(k, k.push_solution, start, end, d, w)
                change = wp.max(change, wp.dot(d, d))
        return change

    @wp.func
    def visit_joint(m: t.model, n: t.memory, k: t.work, o: t.settings, j: int, w: int) -> vec2:
        x = load(m, k, j, w)
        first = m.reach_linear[j]
        middle = m.reach_angular[j]
        last = m.reach_end[j]
        change = real(0.0)
        push = real(0.0)
        if first < middle:
            change = visit_part(m, n, k, o, 1, first, middle, motion(x, 1), j, w)
        if middle < last:
            change = wp.max(change, visit_part(m, n, k, o, 0, middle, last, motion(x, 0), j, w))
        if wp.static(features.limits):
            rate = o.erp / o.dt
            x = load_push(m, k, x, j, w)
            push = push_part(m, k, rate, 1, first, middle, motion(x, 1), j, w)
            push = wp.max(push, push_part(m, k, rate, 0, middle, last, motion(x, 0), j, w))
        return vec2(change, push)

    @wp.func
    def is_idle(m: t.model, n: t.memory, k: t.work, j: int, w: int) -> bool:
        """Whether joint j has limits only, none of them passed or at work."""
        if wp.static(features.friction):
            if m.friction_start[j] < m.friction_end[j]:
                return False
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                if n.low_impulse[i, w] + n.high_impulse[i, w] > real(0.0) or is_passed(k, i, w):
                    return False
        return True

    @wp.func
    def sweep(m: t.model, n: t.memory, k: t.work, o: t.settings, everywhere: bool, w: int) -> vec2:
        """All rows once, idle limits only if told; the squares of the largest impulse and pseudo-impulse."""
        worst = vec2()
        for j in range(o.joints):
            if m.reach_linear[j] < m.reach_end[j] and (everywhere or not is_idle(m, n, k, j, w)):
                worst = wp.max(worst, visit_joint(m, n, k, o, j, w))
        if wp.static(features.contacts):
            change = sweep_contacts(m, n, k, o.epsilon, k.kick[w], w)
            worst = wp.max(worst, vec2(change, push_contacts(m, k, o, w)))
        return worst

    return SimpleNamespace(sweep=sweep)
