"""A tyre in its contact: a brush of bristles that bend, roll out of the contact and slide at its rear.

    z    mean bend of the bristles (m): along the heading, and across it
    z' = u - |v_r| z/s          v_r the rolling speed, s the relaxation length: steady slip k = u/|v_r| bends by s k
    F  = -mu N f(q) zeta/q,     zeta = c z/(3 mu s) on each axis, q = |zeta|, f = 3q - 3q^2 + q^3 up to q = 1, then 1

The brush with a parabolic pressure (Pacejka, Tire and Vehicle Dynamics, chapter 3): c N is the slip stiffness, mu may
differ across, which makes the friction ellipse. At standstill the bristles are springs: a parked vehicle stays parked,
and a damping time calms it: z + T z' takes the place of z in F, T = T_0/(1 + T_0 |v_r|/s) fading with the speed.

Implicit, like bristles in a joint: z_end = (z + h u)/(1 + h a), a = |v_r|/s, and p = source - y u on each axis with the
secant g = F/z of the last visit.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp

CALM = 0.02  # s, damping time of the bristles


@factory
def make_tyre(p: Precision, features: Features) -> Made:
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    func, within = functions(p), make_algebra(p).within

    @wp.struct
    class Brush:
        """The bristles of a tyre before a visit."""

        bend: vec2  # m, z
        friction: real  # coefficient
        rate: real  # 1/s, a = |v_r|/s
        stretch: real  # of the last visit
        kick: real  # s, how long it lasts

    @func
    def stretch(model, friction: real, z: vec2, i: int) -> vec2:
        """zeta: the bend over the one at which everything slides."""
        return vec2(
            model.tyre_longitudinal[i] * z[0] / (real(3.0) * friction * model.tyre_relaxation[i]),
            model.tyre_lateral[i] * z[1] / (real(3.0) * friction * model.tyre_grip[i] * model.tyre_relaxation[i]),
        )

    @func
    def held_share(q: real) -> real:
        """f(q)/(3 q): 1 with little bend, 1/(3 q) when everything slides."""
        if q >= real(1.0):
            return real(1.0) / (real(3.0) * q)
        return real(1.0) - q + q * q / real(3.0)

    @func
    def tyre_impulse(model, mass: mat33, u: vec3, old: vec3, brush: Brush, i: int) -> vec3:
        """The impulse with its tangential part made by the tyre; contact's frame, first axis along the heading."""
        rate = brush.rate
        h = brush.kick
        z = brush.bend
        share = old[2] * held_share(brush.stretch) / model.tyre_relaxation[i]  # g h, N s/m, over the slip coefficient
        g = vec2(share * model.tyre_longitudinal[i], share * model.tyre_lateral[i])
        left = real(1.0) / (real(1.0) + h * rate)
        calm = real(CALM) / (h * (real(1.0) + real(CALM) * rate))
        y = (real(1.0) + calm) * left * h * g
        s = -((real(1.0) + calm) * left - calm) * wp.cw_mul(g, z)
        # (E + y W) p = s - y (u - W p_old), two by two
        free_x = u[0] - mass[0, 0] * old[0] - mass[0, 1] * old[1]
        free_y = u[1] - mass[0, 1] * old[0] - mass[1, 1] * old[1]
        a = real(1.0) + y[0] * mass[0, 0]
        b = y[0] * mass[0, 1]
        c = y[1] * mass[0, 1]
        d = real(1.0) + y[1] * mass[1, 1]
        right_x = s[0] - y[0] * free_x
        right_y = s[1] - y[1] * free_y
        det = a * d - b * c
        x = (d * right_x - b * right_y) / det
        y_ = (a * right_y - c * right_x) / det
        bound = brush.friction * old[2]
        across = y_ / model.tyre_grip[i]
        held = within(vec2(x, y_), wp.sqrt(x * x + across * across), bound)
        return vec3(held[0], held[1], old[2])

    @func
    def bend_after(u: vec3, z: vec2, rate: real, h: real) -> vec2:
        """Where the bristles are after a kick of h seconds that ends with the slip u, m."""
        left = real(1.0) / (real(1.0) + h * rate)
        return left * vec2(z[0] + h * u[0], z[1] + h * u[1])

    @func
    def kept_bend(model, friction: real, z: vec2, i: int) -> vec2:
        """Bristles that slide bend no further."""
        q = wp.length(stretch(model, friction, z, i))
        if q > real(1.0):
            return z / q
        return z

    return locals()
