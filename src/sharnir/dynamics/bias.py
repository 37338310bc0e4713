"""J' V: what the relative motion in a joint accelerates by when no body does, because its directions turn.

    u slip of b against a at b's anchor, s relative spin, r arms from the centres of mass to b's anchor

    translations in a's axes   w_b x (w_b x r_b) - w_a x (w_a x r_a) - 2 w_a x u
    radial, along n = d/|d|    n.(w_b x (w_b x r_b) - w_a x (w_a x r_a0)) + (|d'|^2 - (n.d')^2)/|d|
    rotations in a's axes      -w_a x s
    cardan, c = x_a x y_b      c'.s, along the free axes x_a'.s and y_b'.s

V is ``work.velocity`` and ``work.spin``, which satisfy J V = 0.

The leapfrog step asks for velocities that lead onto the joint at the end of the step (J V + (h/2) J' V = 0).
During its drift a body keeps its angular momentum, so that its spin changes by a = -I^-1 (w x I w), which adds
a_b x r_b - a_a x r_a and a_b - a_a. The bias (h/2)(...) is right as long as bodies turn by a fraction of a radian in a
step; where a light part turns by more it is cut, or the impulses it asks for would add energy.
"""

from ..scene.joints import Basis
from .coordinates import make_coordinates
from .factory import Features, Made, Precision, factory, functions, wp
from .integrators.leapfrog import make_leapfrog
from .moving import make_moving

RADIAL, CARDAN = wp.constant(int(Basis.RADIAL)), wp.constant(int(Basis.CARDAN))
# Gaps are closed by real impulses as far as earlier biases may have left them, and as far as it adds no energy to speak
# of, a share of the way that the sides of the joint turn in a step; the rest by pseudo-velocities, which add none but
# do not keep the angular momentum
OWN_GAP = 0.25  # of what the bias moves in a step
SMALL_GAP = 5e-3
SMALL_WORK = 1e-2  # of the kinetic energy of a joint's sides
SMALL_TURN, MOST_TURN = 0.2, 0.5  # rad in a step: up to which the bias is taken whole, and what it is cut to
GROWTH = 1.05  # of the bias from step to step, beyond a small turn
# The answer of the drift to a change of spin up to which that is foreseen
FORESEEABLE = 0.05


@factory
def make_bias(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    geometry = make_coordinates(p)
    spin_gain, moves = make_leapfrog(p, features).spin_gain, make_moving(p, features).moves
    SIXTH, TWENTIETH = wp.constant(real(1.0 / 6.0)), wp.constant(real(1.0 / 20.0))
    CUBE, THIRTIETH = wp.constant(real(1.0 / 24.0)), wp.constant(real(1.0 / 30.0))
    CLOSED = wp.constant(real(1e-26 if p.name == "float64" else 1e-14))  # m^2 or rad^2: rounding
    # rad, of a turn, and so of an arm that it leaves open
    NOTEWORTHY = wp.constant(real(1e-9 if p.name == "float64" else 1e-6))

    @func
    def slip_of(model, work, j: int, world: int) -> vec3:
        """Velocity of b relative to a at b's anchor, of the velocities on the joints."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        at_b = work.velocity[b, world] + wp.cross(work.spin[b, world], work.arm_b[j, world])
        return at_b - work.velocity[a, world] - wp.cross(work.spin[a, world], work.arm_a[j, world])

    @func
    def linear_bias(model, state, work, j: int, world: int) -> vec3:
        """J' V of the translations, m/s^2 in world axes."""
        spin_a = work.spin[model.joint_a[j], world]
        spin_b = work.spin[model.joint_b[j], world]
        arm_a = work.arm_a[j, world]
        pull = wp.cross(spin_b, wp.cross(spin_b, work.arm_b[j, world]))
        if wp.static(features.partial_locks):
            slip = slip_of(model, work, j, world)
            if model.basis[j] == RADIAL:
                d = geometry.frames_of(model, state, j, world).offset
                rate = slip + wp.cross(spin_a, d)
                length = wp.length(d)
                n = d / length
                along = wp.dot(n, rate)
                turning = (wp.dot(rate, rate) - along * along) / length
                return pull - wp.cross(spin_a, wp.cross(spin_a, arm_a - d)) + turning * n
            return pull - wp.cross(spin_a, wp.cross(spin_a, arm_a) + real(2.0) * slip)
        return pull - wp.cross(spin_a, wp.cross(spin_a, arm_a))

    @func
    def angular_bias(model, state, work, j: int, world: int) -> vec3:
        """J' V of the rotations, rad/s^2 in world axes."""
        spin_a = work.spin[model.joint_a[j], world]
        spin_b = work.spin[model.joint_b[j], world]
        turning = spin_b - spin_a
        if model.basis[j] == CARDAN:
            f = geometry.frames_of(model, state, j, world)
            x = geometry.axis_of(f.qa, 0)
            y = geometry.axis_of(f.qb, 1)
            change_x = wp.cross(spin_a, x)
            change_y = wp.cross(spin_b, y)
            change = wp.cross(change_x, y) + wp.cross(x, change_y)
            held = wp.dot(change, turning) * wp.normalize(wp.cross(x, y))
            return held + wp.dot(change_x, turning) * x + wp.dot(change_y, turning) * y
        return -wp.cross(spin_a, turning)

    @func
    def spin_gain_of(model, state, spin: vec3, dt: real, b: int, world: int) -> vec3:
        """By how much the mean spin in the drift, of the same momentum throughout, differs from that at its start."""
        turn = state.rotation[b, world]
        local = wp.quat_rotate_inv(turn, spin)
        gain = spin_gain(model.inertia[b, world], model.inv_inertia[b, world], local, NOTEWORTHY, dt)
        return wp.quat_rotate(turn, gain)

    @func
    def square_speed(model, work, j: int, world: int) -> real:
        """Of the two sides of a joint against the centres of their bodies, (m/s)^2."""
        side_a = wp.cross(work.spin_ahead[model.joint_a[j], world], work.arm_a[j, world])
        side_b = wp.cross(work.spin_ahead[model.joint_b[j], world], work.arm_b[j, world])
        return wp.dot(side_a, side_a) + wp.dot(side_b, side_b)

    @func
    def is_laborious(model, memory, work, gap: vec3, dt: real, j: int, world: int) -> bool:
        """Whether closing the gap of a joint that closes a loop by real impulses takes work, -l.G/2h, worth a mention.

        Such a joint is elastic: near a singular pose, where its impulse l is large, its gap is what it yields. The
        measure is the kinetic energy of its sides.
        """
        if wp.static(features.direct):
            if model.closes_loop[j] == 1:
                ease = model.inv_mass[model.joint_a[j], world] + model.inv_mass[model.joint_b[j], world]
                labour = -ease * wp.dot(memory.lock_impulse[j, world], gap) / dt
                return labour > wp.static(real(SMALL_WORK)) * square_speed(model, work, j, world)
        return False

    @func
    def is_own(gap: vec3, bias: vec3, dt: real) -> bool:
        """Whether a gap may have been left by earlier biases: real impulses close it whole."""
        return wp.dot(gap, gap) <= wp.static(real(OWN_GAP**2)) * dt * dt * wp.dot(bias, bias)

    @func
    def own_gap(gap: vec3, bias: vec3, speed: real, dt: real) -> vec3:
        """The part of a gap that is closed by real impulses, m or rad; ``speed`` is the square of that of its sides."""
        square = wp.static(real(OWN_GAP**2)) * wp.dot(bias, bias) + wp.static(real(SMALL_GAP**2)) * speed
        square = dt * dt * square
        size = wp.dot(gap, gap)
        if size > square:
            return wp.sqrt(square / size) * gap
        return gap

    @func
    def foreseen_spin(model, state, memory, dt: real, b: int, world: int) -> vec3:
        """The spin of body b after the kick: w + 2 (w_n - w), w in the middle of the last step, w_n at its end.

        The drift answers to a change of the spin about a principal axis by -k/(1 + k) of it, k = h^2 w.I w/(8 I_i),
        which is large for thin rods about themselves. Joints answer to what they foresee of it, and with the whole
        foresight both feed each other from k = 0.1 or so: 1/(1 + (k/0.05)^2) of it is taken.
        """
        spin = state.spin[b, world]
        more = real(2.0) * (memory.mid_spin[b, world] - spin)
        inertia = model.inertia[b, world]
        size = wp.trace(inertia)
        spread = real(0.125) * dt * dt * wp.trace(model.inv_inertia[b, world])
        if real(0.5) * spread * size * wp.dot(spin, spin) > wp.static(real(FORESEEABLE)):  # no moment is above size/2
            turn = state.rotation[b, world]
            local = wp.quat_rotate_inv(turn, spin)
            energy = wp.dot(local, inertia * local)
            if spread * energy > wp.static(real(FORESEEABLE)):
                inertia = (real(1.0) / size) * inertia
                k = real(0.125) * dt * dt * energy / (wp.static(real(FORESEEABLE)) * size)  # times I_i in units of size
                square = inertia * inertia
                taken = square * wp.quat_rotate_inv(turn, more)
                more = wp.quat_rotate(turn, wp.inverse(square + wp.diag(vec3(k * k))) * taken)
        return spin + more

    @func
    def find_turn(model, state, work, more: vec3, dt: real, b: int, world: int):
        """How body b turns in the drift: exp(h u) r = r + (1 + x) h u x r + y h u x (u x r), u its mean spin.

        ``more`` is what leading onto the joints will add to its spin, as far as it is known.
        """
        u = work.spin[b, world] + more
        work.spin_gain[b, world] = vec3()
        if model.inv_mass[b, world] > real(0.0):
            work.spin_gain[b, world] = spin_gain_of(model, state, u, dt, b, world)
        u = u + work.spin_gain[b, world]
        work.spin_ahead[b, world] = u
        square = dt * dt * wp.dot(u, u)
        sine = SIXTH * square * (TWENTIETH * square - real(1.0))  # sin(a)/a - 1, to a part in 5000 at 1 rad
        cosine = real(0.5) - CUBE * square * (real(1.0) - THIRTIETH * square)  # (1 - cos(a))/a^2
        work.turning[b, world] = p.vec2(sine, dt * cosine)

    @func
    def bow(work, arm: vec3, dt: real, b: int, world: int) -> vec3:
        """How the end of an arm leaves its straight path in a drift, over dt: (h/2) w x (w x r) + ..., m/s."""
        u = work.spin_ahead[b, world]
        turning = work.turning[b, world]
        along = wp.cross(u, arm)
        return turning[0] * along + turning[1] * wp.cross(u, along) + wp.cross(work.spin_gain[b, world], arm)

    @func
    def start_slip(model, state, work, j: int, world: int) -> vec3:
        """The slip when the step began, m/s: the bias of the last step, seen from its other side."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        at_b = state.velocity[b, world] + wp.cross(state.spin[b, world], work.arm_b[j, world])
        return at_b - state.velocity[a, world] - wp.cross(state.spin[a, world], work.arm_a[j, world])

    @func
    def is_small(bias: vec3, square_reach: real, dt: real) -> bool:
        """Whether the bias is one of small turns; the reach of the arms squared, m^2, or 1."""
        return dt * dt * wp.dot(bias, bias) <= wp.static(real(0.25 * SMALL_TURN**4)) * square_reach

    @func
    def share_of(bias: vec3, before: vec3, square_reach: real, dt: real, first: bool) -> real:
        """The share of the bias of a large turn that adds no energy to speak of."""
        size = wp.dot(bias, bias)
        unit = real(0.25) * square_reach / (dt * dt)
        most = wp.static(real(MOST_TURN**4)) * unit
        if not first:
            least = wp.static(real(SMALL_TURN**4)) * unit
            most = wp.clamp(wp.static(real(GROWTH * GROWTH)) * wp.dot(before, before), least, most)
        if size <= most:
            return real(1.0)
        return wp.sqrt(most / size)

    @func
    def turned_back(work, x: vec3, dt: real, a: int, world: int) -> vec3:
        """x - exp(-h u) x: what a vector loses when it is seen in the axes of body a after the drift."""
        u = work.spin_ahead[a, world]
        turning = work.turning[a, world]
        along = wp.cross(u, x)
        return dt * ((real(1.0) + turning[0]) * along - turning[1] * wp.cross(u, along))

    @func
    def radial_bias(model, state, work, dt: real, j: int, world: int) -> vec3:
        """Of a length l = |d|, along n = d/l: (1/h)(l - sqrt(l^2 - p^2)) with p < l the way of its end across n."""
        a = model.joint_a[j]
        d = geometry.frames_of(model, state, j, world).offset
        length = wp.length(d)
        n = wp.normalize(d)
        bows = bow(work, work.arm_b[j, world], dt, model.joint_b[j], world) - bow(
            work, work.arm_a[j, world] - d, dt, a, world
        )
        way = dt * (slip_of(model, work, j, world) + wp.cross(work.spin[a, world], d) + bows)
        along = wp.dot(n, way)
        across = wp.dot(way, way) - along * along
        square = real(1.0)  # a slack strut may be shorter than the way of its end
        if across < length * length:
            square = across / (length * length)
        return (wp.dot(n, bows) + real(0.5) * length * square * (real(1.0) + real(0.25) * square) / dt) * n

    @func
    def translation_bias(model, state, work, dt: real, j: int, world: int) -> vec3:
        """(h/2) J' V of joint j's translations, and the higher orders, to the end of the drift, m/s."""
        a = model.joint_a[j]
        if wp.static(features.partial_locks):
            if model.basis[j] == RADIAL:
                return radial_bias(model, state, work, dt, j, world)
        bias = bow(work, work.arm_b[j, world], dt, model.joint_b[j], world)
        if model.inv_mass[a, world] > real(0.0):
            bias = bias - bow(work, work.arm_a[j, world], dt, a, world)
            if wp.static(features.partial_locks):
                if model.linear_lock[j] != 7:
                    bias = bias - turned_back(work, slip_of(model, work, j, world) + bias, dt, a, world)
        return bias

    @func
    def rotation_bias(model, state, work, dt: real, j: int, world: int) -> vec3:
        """The same of its rotations, rad/s: log(exp(-h u_a) exp(h u_b))/h - (w_b - w_a), to third order."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        bias = work.spin_gain[b, world] - work.spin_gain[a, world]
        if model.basis[j] == CARDAN:
            return bias + real(0.5) * dt * angular_bias(model, state, work, j, world)
        u_a = work.spin_ahead[a, world]
        u_b = work.spin_ahead[b, world]
        turning = wp.cross(u_a, u_b)
        return bias - real(0.5) * dt * (turning - SIXTH * dt * wp.cross(u_a + u_b, turning))

    @func
    def find_translation_bias(model, state, memory, work, dt: real, j: int, world: int) -> bool:
        """Returns whether a gap is left to the pseudo-velocities."""
        bias = translation_bias(model, state, work, dt, j, world)
        reach = wp.dot(work.arm_a[j, world], work.arm_a[j, world]) + wp.dot(work.arm_b[j, world], work.arm_b[j, world])
        if not is_small(bias, reach, dt):
            locked = bias
            before = start_slip(model, state, work, j, world)
            if wp.static(features.partial_locks):
                locked = work.rows_l[j, world] * bias
                before = work.rows_l[j, world] * before
            if not is_small(locked, reach, dt):
                bias = share_of(locked, before, reach, dt, memory.kick[world] <= real(0.0)) * bias
        gap = work.gap[j, world]
        if is_laborious(model, memory, work, gap, dt, j, world):
            gap = vec3()
        if not is_own(gap, bias, dt):
            gap = own_gap(gap, bias, square_speed(model, work, j, world), dt)
        rest = work.gap[j, world] - gap
        work.gap[j, world] = rest
        work.bow[j, world] = bias
        work.bias[j, world] = bias + gap / dt
        return wp.dot(rest, rest) > CLOSED

    @func
    def find_rotation_bias(model, state, memory, work, dt: real, j: int, world: int) -> bool:
        """The same for its rotations."""
        bias = rotation_bias(model, state, work, dt, j, world)
        if not is_small(bias, real(1.0), dt):
            locked = work.rows_a[j, world] * bias
            before = work.rows_a[j, world] * (state.spin[model.joint_b[j], world] - state.spin[model.joint_a[j], world])
            if not is_small(locked, real(1.0), dt):
                bias = share_of(locked, before, real(1.0), dt, memory.kick[world] <= real(0.0)) * bias
        work.bow_spin[j, world] = bias
        work.bias_spin[j, world] = bias
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                spin_a = work.spin_ahead[model.joint_a[j], world]
                spin_b = work.spin_ahead[model.joint_b[j], world]
                tilt = own_gap(work.tilt[j, world], bias, wp.dot(spin_a, spin_a) + wp.dot(spin_b, spin_b), dt)
                rest = work.tilt[j, world] - tilt
                work.tilt[j, world] = rest
                work.bias_spin[j, world] = bias + tilt / dt
                return wp.dot(rest, rest) > CLOSED
        return False

    @func
    def is_foreseen(memory, settings, world: int) -> bool:
        """Whether the spins after the kick are known well enough before the joints are solved for.

        They are 2 w_n - w_{n-1/2}, w_n as the state held it at the end of the last step; ``leapfrog.start`` has put it
        into the memory. Where rows are redundant, J V = 0 is solved first: see ``factors.take_apart``.
        """
        known = wp.static(features.direct and features.integrator.staggered)
        return known and settings.redundant == 0 and settings.warm_start == 1 and memory.kick[world] > real(0.0)

    @func
    def find_bias(model, state, memory, work, settings, world: int) -> bool:
        """(h/2) J' V of every joint, with the change of spin during the drift; whether some joint is left open."""
        known = is_foreseen(memory, settings, world)
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                more = memory.led_spin[b, world]
                if known:
                    more = foreseen_spin(model, state, memory, settings.dt, b, world) - work.spin[b, world]
                find_turn(model, state, work, more, settings.dt, b, world)
        work.is_led[world] = 1
        is_open = bool(False)
        for j in range(settings.joints):
            if find_translation_bias(model, state, memory, work, settings.dt, j, world):
                is_open = True
            if wp.static(features.angular_rows):
                if find_rotation_bias(model, state, memory, work, settings.dt, j, world):
                    is_open = True
        return is_open

    @func
    def side_distance(work, arm: vec3, b: int, world: int) -> real:
        """The square of what the end of an arm on body b is off by, over dt^2, (m/s^2)^2."""
        u = work.spin_ahead[b, world]
        off = wp.cross(work.spin[b, world] + work.spin_gain[b, world] - u, arm)
        return wp.dot(off, off) * wp.dot(u, u)

    @func
    def is_near(model, work, settings, share: real, world: int) -> bool:
        """Whether no arm on any body, however it points, stays open by more than a share of it: see ``distance``."""
        most = share / (settings.dt * settings.dt)
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                u = work.spin_ahead[b, world]
                off = work.spin[b, world] + work.spin_gain[b, world] - u
                if wp.dot(off, off) * wp.dot(u, u) > most * most:
                    return False
        return True

    @func
    def distance(model, work, settings, share: real, world: int) -> real:
        """The square of the share of an arm that stays open, as the spins are others than the bias was found for.

        It is looked for joint by joint only where it may be more than ``share``.
        """
        worst = real(0.0)
        if is_near(model, work, settings, share, world):
            return worst
        for j in range(settings.joints):
            arm_a = work.arm_a[j, world]
            arm_b = work.arm_b[j, world]
            off = side_distance(work, arm_a, model.joint_a[j], world) + side_distance(
                work, arm_b, model.joint_b[j], world
            )
            reach = wp.dot(arm_a, arm_a) + wp.dot(arm_b, arm_b)
            if off > worst * reach:
                worst = off / reach
        square = settings.dt * settings.dt
        return worst * square * square

    @func
    def led(work, u: vec3, linear: int, j: int, world: int) -> vec3:
        """The slip or relative spin u of joint j as it is on average over the drift."""
        if wp.static(features.integrator.leads):
            if linear == 1:
                return u + work.bias[j, world]
            if wp.static(features.angular_rows):
                return u + work.bias_spin[j, world]
        return u

    @func
    def slack(model, work, settings, world: int) -> real:
        """The square of the share of an arm that soft, redundant rows leave open in joints that close loops.

        Leading onto them asks for impulses that no warm start holds, and their rows give way to these.
        """
        worst = real(0.0)
        if wp.static(features.direct):
            for j in range(settings.joints):
                if model.is_redundant[j] == 1:
                    off = led(work, slip_of(model, work, j, world), 1, j, world)
                    if wp.static(features.partial_locks):
                        off = work.rows_l[j, world] * off
                    reach = wp.dot(work.arm_a[j, world], work.arm_a[j, world])
                    reach = reach + wp.dot(work.arm_b[j, world], work.arm_b[j, world])
                    if reach > real(0.0):
                        worst = wp.max(worst, wp.dot(off, off) / reach)
        return worst * settings.dt * settings.dt

    @func
    def find_bias_again(model, state, memory, work, settings, world: int):
        """The bias with the spins that it led to; what closes gaps stays."""
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                find_turn(model, state, work, vec3(), settings.dt, b, world)
        for j in range(settings.joints):
            bow = work.bow[j, world]
            rest = work.bias[j, world] - bow
            gap = work.gap[j, world]
            work.gap[j, world] = vec3()
            find_translation_bias(model, state, memory, work, settings.dt, j, world)
            work.gap[j, world] = gap
            work.bias[j, world] = work.bow[j, world] + rest
            if wp.static(features.angular_rows):
                rest = work.bias_spin[j, world] - work.bow_spin[j, world]
                if wp.static(features.angular_locks):
                    gap = work.tilt[j, world]
                    work.tilt[j, world] = vec3()
                find_rotation_bias(model, state, memory, work, settings.dt, j, world)
                if wp.static(features.angular_locks):
                    work.tilt[j, world] = gap
                work.bias_spin[j, world] = work.bow_spin[j, world] + rest

    @func
    def clear_bias(work, settings, world: int):
        """No bias, and no impulse that belongs to it."""
        work.is_led[world] = 0
        for j in range(settings.joints):
            work.bias[j, world] = vec3()
            work.bias_impulse[j, world] = vec3()
            if wp.static(features.angular_rows):
                work.bias_spin[j, world] = vec3()
                work.bias_angular[j, world] = vec3()

    return locals()
