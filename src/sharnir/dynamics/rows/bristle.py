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

from ..algebra import make_algebra
from ..factory import Made, Precision, factory, functions, wp

NEWTON_STEPS = 30  # the bracket alone halves in each; Newton's steps need three or four


@factory
def make_bristle(p: Precision) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    algebra = make_algebra(p)

    ENOUGH = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))
    TINY = wp.constant(real(1e-30 if p.name == "float64" else 1e-20))

    @func
    def slip_rate(model, speed: real, i: int, world: int) -> real:
        """a = s0 |v|/g(v), 1/s."""
        level = model.dynamic_level[i, world]
        if model.friction_speed[i, world] > real(0.0):
            x = speed / model.friction_speed[i, world]
            level = level + (model.static_level[i, world] - level) * wp.exp(-x * x)
        return model.friction_stiffness[i, world] * speed / level

    @func
    def along_one_axis(model, memory, work, u: real, inverse_mass: real, scale: real, i: int, world: int) -> real:
        """The impulse on a single axis, the scalar equation solved by Newton steps from the present speed."""
        kick = work.kick[world]
        axis = work.friction_axis[i, world]
        radius = model.friction_radius[i, world]
        z = wp.dot(memory.bristle[i, world], axis)
        grip = model.friction_stiffness[i, world] + model.friction_damping[i, world] / kick
        loss = model.friction_damping[i, world] * z / kick
        free = u - inverse_mass * wp.dot(memory.friction_impulse[i, world], axis)
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
            a = slip_rate(model, speed, i, world)
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
        memory.friction_ratio[i, world] = wp.abs(phi)
        return -kick * scale * phi

    @func
    def bristle_impulse(model, memory, work, u: vec3, scale: real, i: int, world: int) -> vec3:
        """The new impulse at the slip or relative spin u."""
        kick = work.kick[world]
        mass = algebra.full(work.friction_mass[i, world])
        if model.friction_single[i] == 1:
            axis = work.friction_axis[i, world]
            inverse_mass = real(1.0) / wp.dot(axis, mass * axis)
            return along_one_axis(model, memory, work, wp.dot(axis, u), inverse_mass, scale, i, world) * axis
        radius = model.friction_radius[i, world]
        z = memory.bristle[i, world]
        grip = model.friction_stiffness[i, world] + model.friction_damping[i, world] / kick
        rest = real(1.0) / (real(1.0) + kick * slip_rate(model, radius * wp.length(u), i, world))
        source = -kick * scale * (grip * rest - model.friction_damping[i, world] / kick) * z
        y = kick * scale * grip * kick * radius * rest
        right = mass * (source - y * u) + y * memory.friction_impulse[i, world]
        if model.friction_axes[i] != 7:
            mass = mass + wp.trace(mass) * wp.outer(work.friction_axis[i, world], work.friction_axis[i, world])
        new = algebra.solved(mass + algebra.diagonal(y), right)
        memory.friction_ratio[i, world] = wp.length(new) / wp.max(kick * scale, TINY)
        return new

    @func
    def bristle_after(model, memory, u: vec3, kick: real, i: int, world: int) -> vec3:
        """Where the bristles are at the end of a kick that ended with slip or spin u."""
        radius = model.friction_radius[i, world]
        a = slip_rate(model, radius * wp.length(u), i, world)
        return (memory.bristle[i, world] + kick * radius * u) / (real(1.0) + kick * a)

    return locals()
