"""Limits of a free coordinate, both bounds ([001]).

    lower:  chi = c - lower >= 0        upper:  chi = upper - c >= 0        restitution 0

    chi > 0   J V + chi/dt >= 0: speculative, so that the bound is met and not passed in this step
    chi <= 0  J V >= 0, and pseudo-velocities with J V* + (ERP/dt) chi + give p* >= 0

    p <- max(0, p - (J V + max(chi, 0)/dt)/w),  w = J M^-1 J^T

    give, a small share of the bodies' inverse mass, keeps p* in bounds where other joints leave no way back

J is the coordinate's axis d on the slip (lengths) or on the relative spin (angles), with -d for the upper bound.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..coordinates import make_coordinates
from ..pair import make_pair
from .joint_view import make_view
from .soft import make_soft

wp = load_warp()


def push_give(p: Precision) -> float:
    """The share of its bodies' inverse mass by which a pseudo-impulse gives way.

    What cannot move would be pushed without end; so it is pushed by 1/give at most, which leaves half of the digits.
    """
    return 1e-8 if p.name == "float64" else 1e-4


@cache
def make_limit(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    conductance_along = make_soft(p, features).conductance_along
    view_of = make_view(p)
    View = view_of.View
    GIVE = wp.constant(real(push_give(p)))

    @wp.func
    def first(m: t.model, j: int) -> int:
        """The first limit of joint j."""
        return m.limit_start[j]

    @wp.func
    def last(m: t.model, j: int) -> int:
        """One past its last."""
        return m.limit_end[j]

    @wp.func
    def linear(m: t.model, i: int) -> int:
        """1: of a length, 0: of an angle."""
        return m.limit_linear[i]

    @wp.func
    def limit_value(m: t.model, s: t.state, f: Frames, i: int, w: int) -> real:
        """The coordinate of limit i, turns counted."""
        value = geometry.coordinate_value(f, m.limit_kind[i])
        if m.limit_twist[i] >= 0:
            value = geometry.unwrapped(value, s.twist[m.limit_twist[i], w])
        return value

    @wp.func
    def limit_passed(m: t.model, s: t.state, i: int, w: int) -> bool:
        """Whether the coordinate is beyond a bound at the present poses."""
        value = limit_value(m, s, geometry.frames_of(m, s, m.limit_joint[i], w), i, w)
        return value < m.lower[i, w] or value > m.upper[i, w]

    @wp.func
    def prepare(m: t.model, s: t.state, n: t.memory, k: t.work, view: View, i: int, w: int):
        """Its direction, effective mass, and how far both bounds are."""
        axis = geometry.coordinate_axis(view.frames, m.limit_kind[i])
        value = limit_value(m, s, view.frames, i, w)
        k.limit_axis[i, w] = axis
        mass = real(1.0) / view_of.inverse_mass_along(view, m.limit_linear[i], axis)
        if wp.static(features.soft and features.direct and not features.reach):
            mass = mass + conductance_along(m, k, m.limit_linear[i], axis, m.limit_joint[i], w)
        k.limit_mass[i, w] = mass
        k.low_gap[i, w] = value - m.lower[i, w]
        k.high_gap[i, w] = m.upper[i, w] - value
        k.low_push[i, w] = real(0.0)
        k.high_push[i, w] = real(0.0)

    @wp.func
    def warm(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        """Last step's impulse applied."""
        impulse = n.low_impulse[i, w] - n.high_impulse[i, w]
        if impulse == real(0.0):
            return x
        return pair.acted(x, m.limit_linear[i], impulse * k.limit_axis[i, w])

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, u: vec3, dt: real, i: int, w: int) -> vec3:
        """The impulse that keeps both bounds at the slip or relative spin u; at most one of the two acts."""
        axis = k.limit_axis[i, w]
        mass = k.limit_mass[i, w]
        speed = wp.dot(axis, u)
        old = n.low_impulse[i, w] - n.high_impulse[i, w]
        low = wp.max(real(0.0), old - mass * (speed + wp.max(k.low_gap[i, w], real(0.0)) / dt))
        high = wp.max(real(0.0), mass * (speed - wp.max(k.high_gap[i, w], real(0.0)) / dt) - old)
        n.low_impulse[i, w] = low
        n.high_impulse[i, w] = high
        d = low - high - old
        return d * axis

    @wp.func
    def is_passed(k: t.work, i: int, w: int) -> bool:
        """Whether the coordinate was beyond a bound when the step began."""
        return k.low_gap[i, w] < real(0.0) or k.high_gap[i, w] < real(0.0)

    @wp.func
    def ease(m: t.model, i: int, w: int) -> real:
        """The scale of the inverse masses of the bodies at limit i, 1/kg or 1/(kg m^2)."""
        a = m.joint_a[m.limit_joint[i]]
        b = m.joint_b[m.limit_joint[i]]
        if m.limit_linear[i] == 1:
            return m.inv_mass[a, w] + m.inv_mass[b, w]
        return wp.trace(m.inv_inertia[a, w]) + wp.trace(m.inv_inertia[b, w])

    @wp.func
    def push(m: t.model, k: t.work, u: vec3, rate: real, i: int, w: int) -> vec3:
        """The pseudo-impulse of a bound that is passed, at the pseudo-velocity u."""
        low = k.low_gap[i, w]
        high = k.high_gap[i, w]
        axis = k.limit_axis[i, w]
        give = GIVE * ease(m, i, w)
        mass = k.limit_mass[i, w] / (real(1.0) + give * k.limit_mass[i, w])
        speed = wp.dot(axis, u)
        d = real(0.0)
        if low < real(0.0):
            old = k.low_push[i, w]
            k.low_push[i, w] = wp.max(real(0.0), old - mass * (speed + rate * low + give * old))
            d = k.low_push[i, w] - old
        if high < real(0.0):
            old = k.high_push[i, w]
            k.high_push[i, w] = wp.max(real(0.0), old - mass * (rate * high - speed + give * old))
            d = d - (k.high_push[i, w] - old)
        return d * axis

    @wp.func
    def is_idle(m: t.model, n: t.memory, k: t.work, i: int, w: int) -> bool:
        """Whether neither bound is passed or at work."""
        return not (n.low_impulse[i, w] + n.high_impulse[i, w] > real(0.0) or is_passed(k, i, w))

    @wp.func
    def end(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """A limit remembers nothing but its impulses."""

    @wp.func
    def scale(n: t.memory, share: real, i: int, w: int):
        """Its impulses for a kick of another length."""
        n.low_impulse[i, w] = share * n.low_impulse[i, w]
        n.high_impulse[i, w] = share * n.high_impulse[i, w]

    return SimpleNamespace(
        limit_passed=limit_passed,
        first=first,
        last=last,
        linear=linear,
        prepare=prepare,
        warm=warm,
        visit=visit,
        is_idle=is_idle,
        is_passed=is_passed,
        push=push,
        end=end,
        scale=scale,
    )
