"""The second-order step: leapfrog, with joints that are led onto by real impulses.

    kick    v_{n+1/2} = v_{n-1/2} + h M^-1 (F(q_n) + J_n^T l),   J_n v_{n+1/2} + (h/2) J'_n v = 0     see bias.py
    drift   x_{n+1} = x_n + h v_{n+1/2},   R_{n+1} = R_n exp(h u),   I u = exp(-h u/2) R_n^T L

The angular momentum L of a body is constant during the drift, and the rotation is the implicit midpoint one: the
gyroscopic torque needs no term of its own. A kick at t_n stands for the interval [t_n - h/2, t_n + h/2]: inputs, which
are held from one step to the next, act with the mean of two steps. The first kick after a start, or after a velocity
was set, is half of one: [t_n, t_n + h/2].

Velocities between steps belong to the middle of a step (``memory.mid_velocity``). Those at t_n are the mean of the two
around it: known once the kick at t_n is made, one step later (``memory.start_velocity``), which is what a run records.
Until then the state holds an estimate of v_{n+1}, by half of the kick that is to come, extrapolated from the last
three, D, D' and D":

    v_{n+1} = v_{n+1/2} + (1/2) r (2 D - D' + r' (D - 2 D' + D")),   r = max(0, 2 D.D'/(D^2 + D'^2)), r' of D' and D"

r is 1 - O(h^2) in smooth motion and 0 across an impact, which must not be extrapolated (van Albada's limiter); bodies
whose friction begins or ceases to hold are not, either. Reactions are brought there likewise.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from ..moving import make_moving

MIDPOINT_STEPS = 4
JOLTED, CAUGHT = 1, 2  # friction has begun or ceased to hold a body in a kick; it has begun to hold it to what is fixed


@factory
def make_leapfrog(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    algebra, moves = make_algebra(p), make_moving(p, features).moves
    NEGLIGIBLE = wp.constant(real(1e-20 if p.name == "float64" else 1e-12))
    Vectors = wp.array(dtype=vec3, ndim=2)
    ENOUGH = wp.constant(real(1e-26 if p.name == "float64" else 1e-12))
    SERIES = wp.constant(real(0.01))  # k of the series of a spin's gain, that it may have
    SIXTH = wp.constant(real(1.0 / 6.0))
    EXACT = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))  # rad, of a turn

    # --- before the kick ----------------------------------------------------------------------------------------------

    @func
    def swap(now: Vectors, kept: Vectors, i: int, world: int):
        """Exchange two vectors."""
        vector = now[i, world]
        now[i, world] = kept[i, world]
        kept[i, world] = vector

    @func
    def swap_velocities(model, state, memory, settings, world: int):
        """Velocities in the middle of the last step against those at its end, if they were not set since."""
        if memory.kick[world] > real(0.0):
            for b in range(1, settings.bodies):
                if moves(model, b, world):
                    swap(state.velocity, memory.mid_velocity, b, world)
                    swap(state.spin, memory.mid_spin, b, world)
            if wp.static(features.ropes):
                for rope in range(settings.ropes):
                    for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                        swap(state.rope_velocity, memory.rope_mid_velocity, i, world)
                        swap(state.rope_spin, memory.rope_mid_spin, i, world)

    @func
    def start(model, state, memory, work, settings, world: int) -> real:
        """The length of the kick, and the velocities it starts from; the share of the last kick's impulses in it."""
        for b in range(settings.bodies):
            work.jolted[b, world] = 0
        last = wp.abs(memory.kick[world])
        work.kick[world] = settings.dt
        if memory.kick[world] <= real(0.0):
            work.kick[world] = real(0.5) * settings.dt
        swap_velocities(model, state, memory, settings, world)
        if last > real(0.0) and last != work.kick[world]:
            return work.kick[world] / last
        return real(1.0)

    @func
    def abandon(model, state, memory, work, settings, world: int):
        """A step that cannot be ended leaves the state as it was."""
        swap_velocities(model, state, memory, settings, world)

    # --- after the kick -----------------------------------------------------------------------------------------------

    @func
    def alike(x: vec3, y: vec3) -> real:
        """1 for equal vectors, 0 for such as are square to each other or opposite, or of very different lengths."""
        size = wp.dot(x, x) + wp.dot(y, y)
        if size == real(0.0):
            return real(0.0)
        return wp.max(real(2.0) * wp.dot(x, y) / size, real(0.0))

    @func
    def extrapolated(now: vec3, before: vec3, change_before: vec3) -> vec3:
        """The next of three values that follow each other smoothly; zero after a jump."""
        change = now - before
        share = alike(now, before)
        return share * (now + change + alike(before, before - change_before) * (change - change_before))

    @func
    def before_jolt(before: vec3, kick: vec3, after: vec3) -> vec3:
        """In the middle of a kick in which friction began to hold: the motion before, up to the velocity after."""
        onward = before + real(0.5) * kick
        if wp.dot(onward - after, before - after) > real(0.0):
            return onward
        return after

    @func
    def brought_on(now: vec3, before: vec3) -> vec3:
        """The next of two values that follow each other smoothly; the last one after a jump."""
        return now + alike(now, before) * (now - before)

    @func
    def foreseen(now: vec3, before: vec3) -> vec3:
        """The same of kicks, the next of which is zero after a jump."""
        return alike(now, before) * (real(2.0) * now - before)

    @func
    def midpoint_spin(inertia: p.mat33, momentum: vec3, start: vec3, dt: real) -> vec3:
        """The u with I u = exp(-e u) I w = l, e = dt/2, body axes, by Newton steps.

        dF/du = I - e [l]x (E - e [u]x/2 + O(e^2)). Newton and not a fixed point, which would diverge for a thin rod:
        its smallest moment is nearly zero.
        """
        u = start
        half = real(0.5) * dt
        left = int(wp.static(MIDPOINT_STEPS))
        while left > 0:
            turned = algebra.rotated_vector(momentum, -half * u)
            slope = wp.skew(half * turned)
            change = algebra.solved(inertia - slope + slope * wp.skew(real(0.5) * half * u), inertia * u - turned)
            u = u - change
            left -= 1
            size = wp.dot(u, u)
            angle = dt * dt * size  # squared; the next change is smaller by about as much
            if angle * angle * wp.dot(change, change) <= ENOUGH * size:
                left = 0
        return u

    @func
    def is_exact(first: vec3, second: vec3, third: vec3, exact_to: real, half: real) -> bool:
        """Whether the fourth order turns a body by less than ``exact_to`` rad.

        Orders shrink by about the same factor each. As one of them may happen to be small, the third counts for no less
        than what the first two lead to, and the factor is the larger of two: max(T, S^2/F) max(T/S, S/F).
        """
        f = wp.dot(first, first)
        s = wp.dot(second, second)
        largest = wp.max(f * wp.dot(third, third), s * s)
        square = half * half
        fourth = square * square * largest
        return real(4.0) * square * fourth * fourth <= exact_to * exact_to * f * f * s

    @func
    def spin_gain(inertia: p.mat33, inverse: p.mat33, spin: vec3, exact_to: real, dt: real) -> vec3:
        """By how much the mean spin in the drift differs from that at its start: u - w, body axes.

        The first three orders where they are enough, the turn being exact to ``exact_to`` rad. With L = I w, e = h/2,

            u - w = e g + e^2 g' + e^3 g" + O(e^4)
            I g = L x w,   I g' = L x g - w x I g/2,   I g" = L x g' - (g x I g + w x (L x g))/2 + w x (w x I g)/6

        A thin rod that turns end over end has k = h^2 |I w| |w| tr(I^-1)/8 above one: there the series multiplies the
        spin about the rod's own axis, rounding too, by -k in every step; the exact u divides it by 1 + k.
        """
        momentum = inertia * spin
        torque = wp.cross(momentum, spin)
        if wp.dot(torque, torque) <= NEGLIGIBLE * wp.dot(momentum, momentum) * wp.dot(spin, spin):
            return vec3()
        half = real(0.5) * dt
        first = inverse * torque
        k = half * half * real(0.5) * wp.trace(inverse)
        if k * k * wp.dot(momentum, momentum) * wp.dot(spin, spin) > SERIES * SERIES:
            return midpoint_spin(inertia, momentum, spin + half * first, dt) - spin
        along = wp.cross(momentum, first)
        across = wp.cross(spin, torque)
        second = inverse * (along - real(0.5) * across)
        third = wp.cross(momentum, second) - real(0.5) * (wp.cross(first, torque) + wp.cross(spin, along))
        third = inverse * (third + SIXTH * wp.cross(spin, across))
        gain = half * (first + half * (second + half * third))
        if is_exact(first, second, third, exact_to, half):
            return gain
        return midpoint_spin(inertia, momentum, spin + gain, dt) - spin

    @func
    def turn_body(model, state, work, dt: real, b: int, world: int) -> vec3:
        """Turn body b; its spin afterwards, of the same angular momentum."""
        turn = state.rotation[b, world]
        world_spin = work.spin[b, world]
        spin = wp.quat_rotate_inv(turn, world_spin)
        inertia = model.inertia[b, world]
        gain = spin_gain(inertia, model.inv_inertia[b, world], spin, EXACT, dt)
        turning = dt * (spin + gain)
        push_spin = work.push_spin[b, world]
        if wp.dot(push_spin, push_spin) > real(0.0):
            turning = turning + dt * wp.quat_rotate_inv(turn, push_spin)
        after = algebra.rotated_in(turn, turning)
        state.rotation[b, world] = after
        if gain == vec3():
            return world_spin
        momentum = algebra.rotated_vector(inertia * spin, -turning)
        return wp.quat_rotate(after, model.inv_inertia[b, world] * momentum)

    @func
    def drift_body(model, state, memory, work, dt: real, b: int, world: int):
        """The pose of body b a step later, and its velocity there."""
        whole = dt / work.kick[world]
        kick = whole * (work.velocity[b, world] - state.velocity[b, world])
        kick_spin = whole * (work.spin[b, world] - state.spin[b, world])
        memory.start_velocity[b, world] = state.velocity[b, world]
        memory.start_spin[b, world] = state.spin[b, world]
        coming = kick
        coming_spin = kick_spin
        if memory.kick[world] > real(0.0):
            memory.start_velocity[b, world] = state.velocity[b, world] + real(0.5) * kick
            memory.start_spin[b, world] = state.spin[b, world] + real(0.5) * kick_spin
            coming = extrapolated(kick, memory.kick_velocity[b, world], memory.kick_change[b, world])
            coming_spin = extrapolated(kick_spin, memory.kick_spin[b, world], memory.kick_spin_change[b, world])
        if work.jolted[b, world] == wp.static(CAUGHT):
            memory.start_velocity[b, world] = before_jolt(
                state.velocity[b, world], memory.kick_velocity[b, world], work.velocity[b, world]
            )
            memory.start_spin[b, world] = before_jolt(
                state.spin[b, world], memory.kick_spin[b, world], work.spin[b, world]
            )
        if work.jolted[b, world] != 0:
            coming = vec3()
            coming_spin = vec3()
        memory.kick_change[b, world] = kick - memory.kick_velocity[b, world]
        memory.kick_spin_change[b, world] = kick_spin - memory.kick_spin[b, world]
        memory.kick_velocity[b, world] = kick
        memory.kick_spin[b, world] = kick_spin
        state.position[b, world] = state.position[b, world] + dt * (work.velocity[b, world] + work.push[b, world])
        memory.mid_velocity[b, world] = work.velocity[b, world]
        memory.mid_spin[b, world] = turn_body(model, state, work, dt, b, world)
        state.velocity[b, world] = memory.mid_velocity[b, world] + real(0.5) * coming
        state.spin[b, world] = memory.mid_spin[b, world] + real(0.5) * coming_spin

    @func
    def drift(model, state, memory, work, settings, world: int):
        """Poses and velocities of all bodies at the end of the step."""
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                drift_body(model, state, memory, work, settings.dt, b, world)

    return locals()
