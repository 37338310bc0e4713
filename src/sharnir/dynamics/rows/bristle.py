"""LuGre and Dahl friction: bristles that bend before they slip ([004]).

    z' = v - s0 |v| z/g(v),   F = -S (s0 z + s1 z' + s2 v),   g = level + (static - level) exp(-(v/v_s)^2)

    v   R u, the surface speed: R the radius with a load, else 1        S   R N with a load, else 1
    h   the duration of the kick                                        s2  is a soft row of its own

Implicit in the bristles, so that no stiffness s0 bounds the step: with a = s0 |v|/g at the end of the step

    z_end = (z + h v)/(1 + h a),   p = -h S ((s0 + s1/h) z_end - s1 z/h)

Along one axis u_end + w h S phi(u_end) = u - w p_old is solved by Newton steps; in a ball joint a is taken from the
last visit and the rest, linear in u_end, is solved as it stands: (M + y E) p = M (source - y u) + y p_old. On two axes
M is zero along the third, where any mass will do: without a load y is zero, too.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra

wp = load_warp()

NEWTON_STEPS = 30  # the bracket alone halves in each; Newton's steps need three or four


@cache
def make_bristle(p: Precision) -> SimpleNamespace:
    """The functions in a precision."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    algebra = make_algebra(p)

    ENOUGH = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))
    TINY = wp.constant(real(1e-30 if p.name == "float64" else 1e-20))

    @wp.func
    def slip_rate(m: t.model, speed: real, i: int, w: int) -> real:
        """a = s0 |v|/g(v), 1/s."""
        level = m.dynamic_level[i, w]
        if m.friction_speed[i, w] > real(0.0):
            x = speed / m.friction_speed[i, w]
            level = level + (m.static_level[i, w] - level) * wp.exp(-x * x)
        return m.friction_stiffness[i, w] * speed / level

    @wp.func
    def along_one_axis(
        m: t.model, n: t.memory, k: t.work, u: real, inverse_mass: real, scale: real, i: int, w: int
    ) -> real:
        """The impulse on a single axis, the scalar equation solved by Newton steps from the present speed."""
        kick = k.kick[w]
        axis = k.friction_axis[i, w]
        radius = m.friction_radius[i, w]
        z = wp.dot(n.bristle[i, w], axis)
        grip = m.friction_stiffness[i, w] + m.friction_damping[i, w] / kick
        loss = m.friction_damping[i, w] * z / kick
        free = u - inverse_mass * wp.dot(n.friction_impulse[i, w], axis)
        gain = inverse_mass * kick * scale
        # phi rises with v, so the root of v + gain phi(v) - free lies between 0 and the step that phi(0) allows
        low = wp.min(real(0.0), free - gain * (grip * z - loss))
        high = wp.max(real(0.0), free - gain * (grip * z - loss))
        v = wp.clamp(u, low, high)
        phi = real(0.0)
        left = int(wp.static(NEWTON_STEPS))
        while left > 0:
            left -= 1
            bend = z + kick * radius * v
            speed = wp.max(radius * wp.abs(v), TINY)
            a = slip_rate(m, speed, i, w)
            rest = real(1.0) / (real(1.0) + kick * a)
            phi = grip * bend * rest - loss
            push = gain * phi
            error = v + push - free
            if wp.abs(error) <= ENOUGH * (wp.abs(push) + wp.abs(free)):
                left = 0
            else:
                if error > real(0.0):
                    high = v
                else:
                    low = v
                slope = grip * kick * radius * rest * (real(1.0) - wp.sign(v) * bend * a * rest / speed)
                v = v - error / (real(1.0) + gain * wp.max(slope, real(0.0)))
                if v < low or v > high:
                    v = real(0.5) * (low + high)
        n.friction_ratio[i, w] = wp.abs(phi)
        return -kick * scale * phi

    @wp.func
    def bristle_impulse(m: t.model, n: t.memory, k: t.work, u: vec3, scale: real, i: int, w: int) -> vec3:
        """The new impulse at the slip or relative spin u."""
        kick = k.kick[w]
        mass = algebra.full(k.friction_mass[i, w])
        if m.friction_single[i] == 1:
            axis = k.friction_axis[i, w]
            inverse_mass = real(1.0) / wp.dot(axis, mass * axis)
            return along_one_axis(m, n, k, wp.dot(axis, u), inverse_mass, scale, i, w) * axis
        radius = m.friction_radius[i, w]
        z = n.bristle[i, w]
        grip = m.friction_stiffness[i, w] + m.friction_damping[i, w] / kick
        rest = real(1.0) / (real(1.0) + kick * slip_rate(m, radius * wp.length(u), i, w))
        source = -kick * scale * (grip * rest - m.friction_damping[i, w] / kick) * z
        y = kick * scale * grip * kick * radius * rest
        right = mass * (source - y * u) + y * n.friction_impulse[i, w]
        if m.friction_axes[i] != 7:
            mass = mass + wp.trace(mass) * wp.outer(k.friction_axis[i, w], k.friction_axis[i, w])
        new = algebra.solved(mass + algebra.diagonal(y), right)
        n.friction_ratio[i, w] = wp.length(new) / wp.max(kick * scale, TINY)
        return new

    @wp.func
    def bristle_after(m: t.model, n: t.memory, u: vec3, kick: real, i: int, w: int) -> vec3:
        """Where the bristles are at the end of a kick that ended with slip or spin u."""
        radius = m.friction_radius[i, w]
        a = slip_rate(m, radius * wp.length(u), i, w)
        return (n.bristle[i, w] + kick * radius * u) / (real(1.0) + kick * a)

    return SimpleNamespace(bristle_impulse=bristle_impulse, bristle_after=bristle_after)
