"""An outer iteration of the direct solver in which the whole mechanism reacts at once (``reach`` in direct.py)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..pair import make_pair
from ..rows.bounds import make_bounds
from ..rows.groups import make_rows
from .reach import make_reach

wp = load_warp()


@cache
def make_sweep(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t = structs(p)
    pair, reach, led = make_pair(p), make_reach(p, features), make_bias(p, features).led
    rows, bounds, pushing = make_rows(p, features), make_bounds(p, features).rows, make_bounds(p, features).pushing
    has_bounds, pushes = bounds is not None, pushing is not None

    @wp.struct
    class Part:
        """The lengths (linear = 1) or the angles of a joint, and its path through the factors (``reach.py``)."""

        joint: int
        linear: int
        start: int
        end: int

    @wp.func
    def visit_part(m: t.model, n: t.memory, k: t.work, o: t.settings, part: Part, u: vec3, w: int) -> real:
        """Bounded rows at the slip or relative spin u before the iterations; the square of the largest impulse."""
        j = part.joint
        u = led(k, u, part.linear, j, w) + reach.answer(k, k.solution, part.start, part.end, w)
        mass = reach.inverse_mass(k, part.linear, j, w)
        total = vec3()
        change = real(0.0)
        for c in range(bounds.count(m, j)):
            if bounds.linear(m, c, j) == part.linear:
                d = bounds.visit(m, n, k, u, o.dt, c, j, w)
                u = u + mass * d
                total = total + d
                change = wp.max(change, wp.dot(d, d))
        if change > real(0.0):
            reach.strike(k, k.solution, part.start, part.end, total, w)
        return change

    @wp.func
    def push_part(m: t.model, k: t.work, o: t.settings, part: Part, u: vec3, w: int) -> real:
        """Pseudo-impulses of the rows that are passed; the square of the largest."""
        j = part.joint
        change = real(0.0)
        for c in range(pushing.count(m, j)):
            if pushing.linear(m, c, j) == part.linear and pushing.is_passed(m, k, c, j, w):
                now = u + reach.answer(k, k.push_solution, part.start, part.end, w)
                d = pushing.push(m, k, now, o.erp / o.dt, c, j, w)
                reach.strike(k, k.push_solution, part.start, part.end, d, w)
                change = wp.max(change, wp.dot(d, d))
        return change

    @wp.func
    def part_of(m: t.model, linear: int, j: int) -> Part:
        """The lengths or the angles of joint j."""
        part = Part()
        part.joint = j
        part.linear = linear
        part.start = m.reach_angular[j]
        part.end = m.reach_end[j]
        if linear == 1:
            part.start = m.reach_linear[j]
            part.end = m.reach_angular[j]
        return part

    @wp.func
    def visit_joint(m: t.model, n: t.memory, k: t.work, o: t.settings, j: int, w: int) -> vec2:
        """Bounded rows of joint j; the squares of the largest impulse and pseudo-impulse."""
        x = pair.load(m, k, j, w)
        lengths = part_of(m, 1, j)
        angles = part_of(m, 0, j)
        change = real(0.0)
        push = real(0.0)
        if lengths.start < lengths.end:
            change = visit_part(m, n, k, o, lengths, pair.motion(x, 1), w)
        if angles.start < angles.end:
            change = wp.max(change, visit_part(m, n, k, o, angles, pair.motion(x, 0), w))
        if wp.static(pushes):
            x = pair.load_push(m, k, x, j, w)
            push = push_part(m, k, o, lengths, pair.motion(x, 1), w)
            push = wp.max(push, push_part(m, k, o, angles, pair.motion(x, 0), w))
        return vec2(change, push)

    @wp.func
    def sweep(m: t.model, n: t.memory, k: t.work, o: t.settings, everywhere: bool, w: int) -> vec2:
        """All bounded rows once, idle ones only if told; the squares of the largest impulse and pseudo-impulse."""
        worst = vec2()
        if wp.static(has_bounds):
            for j in range(o.joints):
                if m.reach_linear[j] < m.reach_end[j] and (everywhere or not bounds.is_idle(m, n, k, j, w)):
                    worst = wp.max(worst, visit_joint(m, n, k, o, j, w))
        return wp.max(worst, rows.sweep(m, n, k, o, w))

    return SimpleNamespace(sweep=sweep)
