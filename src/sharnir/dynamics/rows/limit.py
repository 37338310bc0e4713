"""Limits of a free coordinate, both bounds ([001]).

    lower:  chi = c - lower >= 0        upper:  chi = upper - c >= 0        restitution 0

    chi > 0   J V + chi/dt >= 0: speculative, so that the bound is met and not passed in this step
    chi <= 0  J V >= 0, and pseudo-velocities with J V* + (ERP/dt) chi + compliance p* >= 0

    p <- max(0, p - (J V + max(chi, 0)/dt)/w),  w = J M^-1 J^T

    compliance, a small share of the bodies' inverse mass, keeps p* in bounds where other joints leave no way back

J is the coordinate's axis d on the slip (lengths) or on the relative spin (angles), with -d for the upper bound.
"""

from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from .joint_view import make_view
from .soft import make_soft


def push_compliance(p: Precision) -> float:
    """The share of its bodies' inverse mass by which a pseudo-impulse gives way.

    What cannot move would be pushed without end; so it is pushed by 1/compliance at most: half of the digits are left.
    """
    return 1e-8 if p.name == "float64" else 1e-4


@factory
def make_limit(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    conductance_along = make_soft(p, features).conductance_along
    view_of = make_view(p)
    View = view_of.View
    COMPLIANCE = wp.constant(real(push_compliance(p)))

    @func
    def linear(model, i: int) -> int:
        """1: of a length, 0: of an angle."""
        return model.limit_linear[i]

    @func
    def limit_value(model, state, f: Frames, i: int, world: int) -> real:
        """The coordinate of limit i, turns counted."""
        return geometry.counted(state, f, model.limit_kind[i], model.limit_twist[i], world)

    @func
    def limit_passed(model, state, i: int, world: int) -> bool:
        """Whether the coordinate is beyond a bound at the present poses."""
        value = limit_value(model, state, geometry.frames_of(model, state, model.limit_joint[i], world), i, world)
        return value < model.lower[i, world] or value > model.upper[i, world]

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """Its direction, effective mass, and how far both bounds are."""
        axis = geometry.coordinate_axis(view.frames, model.limit_kind[i])
        value = limit_value(model, state, view.frames, i, world)
        work.limit_axis[i, world] = axis
        mass = real(1.0) / view_of.inverse_mass_along(view, model.limit_linear[i], axis)
        if wp.static(features.soft and features.direct and not features.reach):
            mass = mass + conductance_along(model, work, model.limit_linear[i], axis, model.limit_joint[i], world)
        work.limit_mass[i, world] = mass
        work.low_gap[i, world] = value - model.lower[i, world]
        work.high_gap[i, world] = model.upper[i, world] - value
        work.low_push[i, world] = real(0.0)
        work.high_push[i, world] = real(0.0)

    @func
    def warm(model, memory, work, x: Pair, i: int, world: int) -> Pair:
        """Last step's impulse applied."""
        impulse = memory.low_impulse[i, world] - memory.high_impulse[i, world]
        if impulse == real(0.0):
            return x
        return pair.acted(x, model.limit_linear[i], impulse * work.limit_axis[i, world])

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The impulse that keeps both bounds at the slip or relative spin u; at most one of the two acts."""
        axis = work.limit_axis[i, world]
        mass = work.limit_mass[i, world]
        speed = wp.dot(axis, u)
        old = memory.low_impulse[i, world] - memory.high_impulse[i, world]
        low = wp.max(real(0.0), old - mass * (speed + wp.max(work.low_gap[i, world], real(0.0)) / dt))
        high = wp.max(real(0.0), mass * (speed - wp.max(work.high_gap[i, world], real(0.0)) / dt) - old)
        memory.low_impulse[i, world] = low
        memory.high_impulse[i, world] = high
        d = low - high - old
        return d * axis

    @func
    def is_passed(work, i: int, world: int) -> bool:
        """Whether the coordinate was beyond a bound when the step began."""
        return work.low_gap[i, world] < real(0.0) or work.high_gap[i, world] < real(0.0)

    @func
    def inverse_mass_scale(model, i: int, world: int) -> real:
        """The scale of the inverse masses of the bodies at limit i, 1/kg or 1/(kg m^2)."""
        a = model.joint_a[model.limit_joint[i]]
        b = model.joint_b[model.limit_joint[i]]
        if model.limit_linear[i] == 1:
            return model.inv_mass[a, world] + model.inv_mass[b, world]
        return wp.trace(model.inv_inertia[a, world]) + wp.trace(model.inv_inertia[b, world])

    @func
    def push(model, work, u: vec3, rate: real, i: int, world: int) -> vec3:
        """The pseudo-impulse of a bound that is passed, at the pseudo-velocity u."""
        low = work.low_gap[i, world]
        high = work.high_gap[i, world]
        axis = work.limit_axis[i, world]
        compliance = COMPLIANCE * inverse_mass_scale(model, i, world)
        mass = work.limit_mass[i, world] / (real(1.0) + compliance * work.limit_mass[i, world])
        speed = wp.dot(axis, u)
        d = real(0.0)
        if low < real(0.0):
            old = work.low_push[i, world]
            work.low_push[i, world] = wp.max(real(0.0), old - mass * (speed + rate * low + compliance * old))
            d = work.low_push[i, world] - old
        if high < real(0.0):
            old = work.high_push[i, world]
            work.high_push[i, world] = wp.max(real(0.0), old - mass * (rate * high - speed + compliance * old))
            d = d - (work.high_push[i, world] - old)
        return d * axis

    @func
    def is_idle(model, memory, work, i: int, world: int) -> bool:
        """Whether neither bound is passed or at work."""
        return not (
            memory.low_impulse[i, world] + memory.high_impulse[i, world] > real(0.0) or is_passed(work, i, world)
        )

    @func
    def end(model, memory, work, i: int, world: int):
        """A limit remembers nothing but its impulses."""

    @func
    def scale(memory, share: real, i: int, world: int):
        """Its impulses for a kick of another length."""
        memory.low_impulse[i, world] = share * memory.low_impulse[i, world]
        memory.high_impulse[i, world] = share * memory.high_impulse[i, world]

    return locals()
