"""Limits of a free coordinate, both bounds (paper 001).

    lower:  chi = c - lower >= 0        upper:  chi = upper - c >= 0        restitution 0

    chi > 0   J V + chi/dt >= 0: speculative, so that the bound is met and not passed in this step
    chi <= 0  J V >= 0, and pseudo-velocities with J V* + (ERP/dt) chi >= 0

    p <- max(0, p - (J V + max(chi, 0)/dt)/w),  w = J M^-1 J^T

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
from .soft import make_soft

wp = load_warp()


@cache
def make_limit(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    geometry, pair = make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    coordinate_axis, coordinate_value = geometry.coordinate_axis, geometry.coordinate_value
    frames_of, unwrapped = geometry.frames_of, geometry.unwrapped
    conductance_along = make_soft(p, features).conductance_along
    slip, push_slip = pair.slip, pair.push_slip
    struck, twisted, pushed, shoved = pair.struck, pair.twisted, pair.pushed, pair.shoved

    @wp.func
    def limit_value(m: t.model, s: t.state, f: Frames, i: int, w: int) -> real:
        """The coordinate of limit i, turns counted."""
        value = coordinate_value(f, m.limit_kind[i])
        if m.limit_twist[i] >= 0:
            value = unwrapped(value, s.twist[m.limit_twist[i], w])
        return value

    @wp.func
    def limit_passed(m: t.model, s: t.state, i: int, w: int) -> bool:
        value = limit_value(m, s, frames_of(m, s, m.limit_joint[i], w), i, w)
        return value < m.lower[i, w] or value > m.upper[i, w]

    @wp.func
    def prepare_limit(m: t.model, s: t.state, k: t.work, f: Frames, w_ll: mat33, w_aa: mat33, i: int, w: int):
        axis = coordinate_axis(f, m.limit_kind[i])
        value = limit_value(m, s, f, i, w)
        inverse_mass = real(0.0)
        if m.limit_linear[i] == 1:
            inverse_mass = wp.dot(axis, w_ll * axis)
        else:
            inverse_mass = wp.dot(axis, w_aa * axis)
        k.limit_axis[i, w] = axis
        mass = real(1.0) / inverse_mass
        if wp.static(features.soft and features.direct):
            mass = mass + conductance_along(m, k, m.limit_linear[i], axis, m.limit_joint[i], w)
        k.limit_mass[i, w] = mass
        k.low_gap[i, w] = value - m.lower[i, w]
        k.high_gap[i, w] = m.upper[i, w] - value
        k.low_push[i, w] = real(0.0)
        k.high_push[i, w] = real(0.0)

    @wp.func
    def limit_kick(m: t.model, x: Pair, d: vec3, i: int) -> Pair:
        if m.limit_linear[i] == 1:
            return struck(x, d)
        return twisted(x, d)

    @wp.func
    def warm_limit(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        p = n.low_impulse[i, w] - n.high_impulse[i, w]
        if p == real(0.0):
            return x
        return limit_kick(m, x, p * k.limit_axis[i, w], i)

    @wp.func
    def visit_limit(m: t.model, n: t.memory, k: t.work, x: Pair, dt: real, i: int, w: int) -> Pair:
        axis = k.limit_axis[i, w]
        mass = k.limit_mass[i, w]
        speed = real(0.0)
        if m.limit_linear[i] == 1:
            speed = wp.dot(axis, slip(x))
        else:
            speed = wp.dot(axis, x.wb - x.wa)
        old = n.low_impulse[i, w]
        new = wp.max(real(0.0), old - mass * (speed + wp.max(k.low_gap[i, w], real(0.0)) / dt))
        d = new - old
        n.low_impulse[i, w] = new
        speed = speed + d / mass
        old = n.high_impulse[i, w]
        new = wp.max(real(0.0), old - mass * (wp.max(k.high_gap[i, w], real(0.0)) / dt - speed))
        d = d - (new - old)
        n.high_impulse[i, w] = new
        if d != real(0.0):
            x = limit_kick(m, x, d * axis, i)
        return x

    @wp.func
    def push_limit(m: t.model, k: t.work, x: Pair, rate: real, i: int, w: int) -> Pair:
        """Pseudo-impulses of a bound that is passed."""
        low = k.low_gap[i, w]
        high = k.high_gap[i, w]
        if low >= real(0.0) and high >= real(0.0):
            return x
        axis = k.limit_axis[i, w]
        mass = k.limit_mass[i, w]
        linear = m.limit_linear[i] == 1
        speed = wp.dot(axis, x.pwb - x.pwa)
        if linear:
            speed = wp.dot(axis, push_slip(x))
        d = real(0.0)
        if low < real(0.0):
            old = k.low_push[i, w]
            k.low_push[i, w] = wp.max(real(0.0), old - mass * (speed + rate * low))
            d = k.low_push[i, w] - old
        if high < real(0.0):
            old = k.high_push[i, w]
            k.high_push[i, w] = wp.max(real(0.0), old - mass * (rate * high - speed))
            d = d - (k.high_push[i, w] - old)
        if linear:
            return shoved(x, d * axis)
        return pushed(x, vec3(), d * axis)

    return SimpleNamespace(
        limit_passed=limit_passed,
        prepare_limit=prepare_limit,
        warm_limit=warm_limit,
        visit_limit=visit_limit,
        push_limit=push_limit,
    )
