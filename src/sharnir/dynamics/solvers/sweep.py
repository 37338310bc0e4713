"""An outer iteration of the direct solver in which the whole mechanism reacts at once (``reach`` in direct.py)."""

from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from ..rows.bounds import make_bounds
from ..rows.groups import make_rows
from .reach import make_reach


@factory
def make_sweep(p: Precision, features: Features) -> Made:
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    func = functions(p)
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

    @func
    def visit_part(model, memory, work, settings, part: Part, u: vec3, world: int) -> real:
        """Bounded rows at the slip or relative spin u before the iterations; the square of the largest impulse."""
        j = part.joint
        u = led(work, u, part.linear, j, world) + reach.answer(work, work.solution, part.start, part.end, world)
        mass = reach.inverse_mass(work, part.linear, j, world)
        total = vec3()
        change = real(0.0)
        for c in range(bounds.count(model, j)):
            if bounds.linear(model, c, j) == part.linear:
                d = bounds.visit(model, memory, work, u, settings.dt, c, j, world)
                u = u + mass * d
                total = total + d
                change = wp.max(change, wp.dot(d, d))
        if change > real(0.0):
            reach.strike(work, work.solution, part.start, part.end, total, world)
        return change

    @func
    def push_part(model, work, settings, part: Part, u: vec3, world: int) -> real:
        """Pseudo-impulses of the rows that are passed; the square of the largest."""
        j = part.joint
        change = real(0.0)
        for c in range(pushing.count(model, j)):
            if pushing.linear(model, c, j) == part.linear and pushing.is_passed(model, work, c, j, world):
                now = u + reach.answer(work, work.push_solution, part.start, part.end, world)
                d = pushing.push(model, work, now, settings.erp / settings.dt, c, j, world)
                reach.strike(work, work.push_solution, part.start, part.end, d, world)
                change = wp.max(change, wp.dot(d, d))
        return change

    @func
    def part_of(model, linear: int, j: int) -> Part:
        """The lengths or the angles of joint j."""
        part = Part()
        part.joint = j
        part.linear = linear
        part.start = model.reach_angular[j]
        part.end = model.reach_end[j]
        if linear == 1:
            part.start = model.reach_linear[j]
            part.end = model.reach_angular[j]
        return part

    @func
    def visit_joint(model, memory, work, settings, j: int, world: int) -> vec2:
        """Bounded rows of joint j; the squares of the largest impulse and pseudo-impulse."""
        x = pair.load(model, work, j, world)
        lengths = part_of(model, 1, j)
        angles = part_of(model, 0, j)
        change = real(0.0)
        push = real(0.0)
        if lengths.start < lengths.end:
            change = visit_part(model, memory, work, settings, lengths, pair.motion(x, 1), world)
        if angles.start < angles.end:
            change = wp.max(change, visit_part(model, memory, work, settings, angles, pair.motion(x, 0), world))
        if wp.static(pushes):
            x = pair.load_push(model, work, x, j, world)
            push = push_part(model, work, settings, lengths, pair.motion(x, 1), world)
            push = wp.max(push, push_part(model, work, settings, angles, pair.motion(x, 0), world))
        return vec2(change, push)

    @func
    def sweep(model, memory, work, settings, everywhere: bool, world: int) -> vec2:
        """All bounded rows once, idle ones only if told; the squares of the largest impulse and pseudo-impulse."""
        worst = vec2()
        if wp.static(features.together):  # they are solved at once; whether joints hold still with them is seen after
            worst = rows.sweep(model, memory, work, settings, world)
        if wp.static(has_bounds):
            for j in range(settings.joints):
                if model.reach_linear[j] < model.reach_end[j] and (
                    everywhere or not bounds.is_idle(model, memory, work, j, world)
                ):
                    worst = wp.max(worst, visit_joint(model, memory, work, settings, j, world))
        if wp.static(not features.together):
            worst = wp.max(worst, rows.sweep(model, memory, work, settings, world))
        return worst

    return locals()
