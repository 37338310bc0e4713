"""An outer iteration of the direct solver in which only the joint itself reacts at once (``near`` in direct.py)."""

from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from ..rows.bounds import make_bounds
from ..rows.joint_rows import make_joints


@factory
def make_near(p: Precision, features: Features) -> Made:
    real, vec2 = p.real, p.vec2
    func = functions(p)
    pair, joints, led = make_pair(p), make_joints(p, features), make_bias(p, features).led
    bounds, pushing = make_bounds(p, features).rows, make_bounds(p, features).pushing
    has_bounds, pushes = bounds is not None, pushing is not None

    @func
    def visit_bounds(model, memory, work, settings, j: int, world: int) -> real:
        """Bounded rows of joint j, each with the joint's own reaction; the square of the largest impulse."""
        x = pair.load(model, work, j, world)
        change = real(0.0)
        for c in range(bounds.count(model, j)):
            linear = bounds.linear(model, c, j)
            u = led(work, pair.motion(x, linear), linear, j, world)
            d = bounds.visit(model, memory, work, u, settings.dt, c, j, world)
            size = wp.dot(d, d)
            change = wp.max(change, size)
            if size > real(0.0):
                x = joints.react(model, memory, work, pair.acted(x, linear, d), j, world)
        pair.store(model, work, j, world, x)
        return change

    @func
    def push_bounds(model, work, settings, j: int, world: int) -> real:
        """Pseudo-impulses of joint j's bounded rows, each with the joint's own reaction; the square of the largest."""
        rate = settings.erp / settings.dt
        x = pair.load_push(model, work, pair.load(model, work, j, world), j, world)
        change = real(0.0)
        for c in range(pushing.count(model, j)):
            if pushing.is_passed(model, work, c, j, world):
                linear = pushing.linear(model, c, j)
                d = pushing.push(model, work, pair.motion(x, linear), rate, c, j, world)
                change = wp.max(change, wp.dot(d, d))
                x = joints.react_push(model, work, pair.acted(x, linear, d), rate, j, world)
        pair.store_push(model, work, j, world, x)
        return change

    @func
    def sweep(model, memory, work, settings, world: int) -> vec2:
        """All joints once; the squares of the largest impulse and pseudo-impulse."""
        change = real(0.0)
        push = real(0.0)
        if wp.static(has_bounds):
            for j in range(settings.joints):
                if bounds.count(model, j) > 0:
                    change = wp.max(change, visit_bounds(model, memory, work, settings, j, world))
                    if wp.static(pushes):
                        push = wp.max(push, push_bounds(model, work, settings, j, world))
        return vec2(change, push)

    return locals()
