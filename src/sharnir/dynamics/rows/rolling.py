"""Rolling and spinning friction of a contact: torques against the relative spin, bounded by the normal force.

    about the tangents   |c_t| <= rho_r p_n          about the normal   |c_n| <= rho_s p_n          rho a length, m

Each sticks where it can stop the spin and else slides on its bound, by the same projection as friction in contact.py.
"""

from ..algebra import make_algebra
from ..contacts.contact_bodies import make_contact_bodies
from ..factory import Features, Made, Precision, factory, functions, wp
from ..solvers.reach import make_reach


@factory
def make_rolling(p: Precision, features: Features) -> Made:
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    func = functions(p)
    algebra, sides, reach = make_algebra(p), make_contact_bodies(p, features), make_reach(p, features)

    @func
    def prepare_rolling(model, work, settings, turn: p.mat33, i: int, world: int):
        """Effective mass and bounds of rolling and spinning friction in contact i."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        inverse = sides.turn_alone(model, work, a, world) + sides.turn_alone(model, work, b, world)
        if wp.static(features.reach):
            inverse = inverse + reach.reach_roll(model, work, settings, a, b, i, world)
        work.roll_mass[i, world] = algebra.packed(wp.transpose(turn) * inverse * turn)
        pair = work.contact_pair[i, world]
        rolling = model.pair_rolling[pair, world]
        if wp.static(features.tyres):
            tyre = wp.max(model.shape_tyre[work.contact_a[i, world]], model.shape_tyre[work.contact_b[i, world]])
            if tyre >= 0:
                rolling = rolling + model.tyre_rolling[tyre]
        work.roll_arms[i, world] = vec2(rolling, model.pair_spinning[pair, world])

    @func
    def warm_rolling(model, memory, work, i: int, world: int):
        """Last step's angular impulse applied."""
        c = memory.contact_roll_impulse[i, world]
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if model.inv_mass[a, world] > real(0.0):
            sides.twist_body(model, work, a, -c, world)
        if model.inv_mass[b, world] > real(0.0):
            sides.twist_body(model, work, b, c, world)

    @func
    def rolled(mass: p.mat33, u: vec3, old: vec3, bounds: vec2) -> vec3:
        """The new angular impulse at the relative spin u; contact's frame, bounds about the tangents and the normal."""
        largest = algebra.largest_of(mass)
        x = old[0] - u[0] / largest
        y = old[1] - u[1] / largest
        held = algebra.within(vec2(x, y), wp.sqrt(x * x + y * y), bounds[0])
        return vec3(held[0], held[1], wp.clamp(old[2] - u[2] / mass[2, 2], -bounds[1], bounds[1]))

    @func
    def visit_rolling(model, memory, work, turn: p.mat33, press: real, i: int, world: int) -> real:
        """One visit under the normal impulse ``press``; the square of the change."""
        bounds = press * work.roll_arms[i, world]
        old = wp.transpose(turn) * memory.contact_roll_impulse[i, world]
        if bounds[0] + bounds[1] <= real(0.0) and wp.dot(old, old) == real(0.0):
            return real(0.0)
        u = wp.transpose(turn) * sides.spin_between(work, i, world)
        c = turn * (rolled(algebra.full(work.roll_mass[i, world]), u, old, bounds) - old)
        memory.contact_roll_impulse[i, world] = memory.contact_roll_impulse[i, world] + c
        sides.twist_contact(model, work, c, i, world)
        return wp.dot(c, c)

    return locals()
