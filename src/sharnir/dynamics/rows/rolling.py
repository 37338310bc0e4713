"""Rolling and spinning friction of a contact: torques against the relative spin, bounded by the normal force.

    about the tangents   |c_t| <= rho_r p_n          about the normal   |c_n| <= rho_s p_n          rho a length, m

Each sticks where it can stop the spin and else slides on its bound, by the same projection as friction in contact.py.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..contacts.sides import make_sides
from ..solvers.reach import make_reach

wp = load_warp()


@cache
def make_rolling(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t = structs(p)
    algebra, sides, reach = make_algebra(p), make_sides(p, features), make_reach(p, features)

    @wp.func
    def prepare_rolling(m: t.model, k: t.work, o: t.settings, turn: p.mat33, i: int, w: int):
        """Effective mass and bounds of rolling and spinning friction in contact i."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        inverse = sides.turn_alone(m, k, a, w) + sides.turn_alone(m, k, b, w)
        if wp.static(features.reach):
            inverse = inverse + reach.reach_roll(m, k, o, a, b, i, w)
        k.roll_mass[i, w] = algebra.packed(wp.transpose(turn) * inverse * turn)
        pair = k.contact_pair[i, w]
        rolling = m.pair_rolling[pair, w]
        if wp.static(features.tyres):
            tyre = wp.max(m.shape_tyre[k.contact_a[i, w]], m.shape_tyre[k.contact_b[i, w]])
            if tyre >= 0:
                rolling = rolling + m.tyre_rolling[tyre]
        k.roll_arms[i, w] = vec2(rolling, m.pair_spinning[pair, w])

    @wp.func
    def warm_rolling(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """Last step's angular impulse applied."""
        c = n.contact_spin[i, w]
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        if m.inv_mass[a, w] > real(0.0):
            sides.twist_body(m, k, a, -c, w)
        if m.inv_mass[b, w] > real(0.0):
            sides.twist_body(m, k, b, c, w)

    @wp.func
    def rolled(mass: p.mat33, u: vec3, old: vec3, bounds: vec2) -> vec3:
        """The new angular impulse at the relative spin u; contact's frame, bounds about the tangents and the normal."""
        half = real(0.5) * (mass[0, 0] - mass[1, 1])
        largest = real(0.5) * (mass[0, 0] + mass[1, 1]) + wp.sqrt(half * half + mass[0, 1] * mass[0, 1])
        x = old[0] - u[0] / largest
        y = old[1] - u[1] / largest
        size = wp.sqrt(x * x + y * y)
        if size > bounds[0]:
            x = x * bounds[0] / size
            y = y * bounds[0] / size
        return vec3(x, y, wp.clamp(old[2] - u[2] / mass[2, 2], -bounds[1], bounds[1]))

    @wp.func
    def visit_rolling(m: t.model, n: t.memory, k: t.work, turn: p.mat33, press: real, i: int, w: int) -> real:
        """One visit under the normal impulse ``press``; the square of the change."""
        bounds = press * k.roll_arms[i, w]
        old = wp.transpose(turn) * n.contact_spin[i, w]
        if bounds[0] + bounds[1] <= real(0.0) and wp.dot(old, old) == real(0.0):
            return real(0.0)
        u = wp.transpose(turn) * sides.spin_between(k, i, w)
        c = turn * (rolled(algebra.full(k.roll_mass[i, w]), u, old, bounds) - old)
        n.contact_spin[i, w] = n.contact_spin[i, w] + c
        sides.twist_contact(m, k, c, i, w)
        return wp.dot(c, c)

    return SimpleNamespace(prepare_rolling=prepare_rolling, warm_rolling=warm_rolling, visit_rolling=visit_rolling)
