"""Geometric stiffness: what keeps light links stable under a heavy load.

After Tournier et al., "Stable constrained dynamics", 2015. A reaction f at an arm r pulls a body straight: turning it
by dq changes the torque by -((f.r) E - r f^T) dq, for an arm along the pull by -(f.r)(E - nn^T) dq, n = f/|f|; about
the pull itself it turns freely. With a frozen arm this spring is explicit, and a link of inertia I under tension shakes
itself apart once dt^2 (f.r) exceeds several I (10^6 kg on links of 1 kg at 5 ms). What is beyond the stable range,

    x = dt^2 (f.r) - c (I + m r^2),    f from the last step

is added to the inertia: in the papers' step all of it, as by implicit Euler, which damps. In the leapfrog step half of
it resists the change of the spin, and half holds the spin to the rate u at which the pull itself turns:

    (I + x) w' = I w + ...              (I + x/2) (w' - w) + x/2 (w' - u) = ... - (x - x_last)/4 w

A link that swings with its load turns with its pull, and is not braked; one that shakes about it is. u is two steps
old, which adds an inertia of x and takes the share (w h)^3 w of the energy of a swing per second. What is on the right
beside forces keeps w.(I + x/2) w while x changes, or noise in the reactions would feed the shaking. In all the swing of
a load on such a link is slower by the share 3/4 (w h)^2. The stable range is measured by the inertia about the joint: a
compact bob on a long arm swings about its joint and not about its own centre, however small its own inertia is.

The reactions of the first kick after a start may consist of what brought velocities onto the joints that were not: then
they do not count.
"""

from .algebra import make_algebra
from .bias import make_bias
from .factory import Features, Made, Precision, factory, functions, wp

# c, what the frozen arm of one joint still bears, and the share of x that is added. A slender link of inertia I about
# its centre has 4 I about its end. With two such ends dt^2 K is at most 4 I at the limit in the papers' step, and twice
# the inertia always in the leapfrog step, which would bear four times.
PAPERS, LEAPFROG = (0.5, 1.0), (0.25, 0.5)
USUAL, STARTED, JERKED = 0, 1, 2  # whether what was added last counts; if not even the reactions do, JERKED
CALM = 1.0  # what holds a spin to that of the pull, over what resists its change
BLOW = 1.0  # dt^2 f.r over the inertia about the joint from which the pull of one step is a blow, see is_blow
JERK = 0.1  # of the velocity that the impulse of a joint gives its bodies


@factory
def make_stiffen(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    start_slip = make_bias(p, features).start_slip
    borne, share = LEAPFROG if features.integrator.leads else PAPERS

    @func
    def pull_turning(last: vec3, now: vec3, dt: real) -> vec3:
        """How fast a pull turns, rad/s, from it and from where it is brought on to."""
        square = wp.dot(last, last)
        if square == real(0.0):
            return vec3()
        return wp.cross(last, now - last) / (square * dt)

    @func
    def excess_of(model, memory, arm: vec3, push: vec3, b: int, world: int) -> real:
        """What a joint at ``arm``, which pulls body b with dt^2 f = ``push``, asks beyond what it bears, kg m^2."""
        if model.inv_mass[b, world] == real(0.0):
            return real(0.0)
        if wp.static(features.integrator.leads):
            if memory.stiffness_mark[b, world] == wp.static(JERKED):
                return real(0.0)
        own = real(0.5) * wp.trace(model.inertia[b, world])  # for a slender link the moment across it
        own = own + wp.dot(arm, arm) / model.inv_mass[b, world]
        return wp.dot(push, arm) - wp.static(real(borne)) * own

    @func
    def stiffen(work, excess: real, along: vec3, turning: vec3, b: int, world: int):
        """Note what body b needs for a pull along a unit vector that turns with ``turning``."""
        across = algebra.diagonal(real(1.0)) - wp.outer(along, along)
        needed = wp.static(real(share)) * excess
        work.stiffening[b, world] = work.stiffening[b, world] + algebra.packed(needed * across)
        if wp.static(features.integrator.leads):
            work.following[b, world] = work.following[b, world] + needed * (across * turning)

    @func
    def note_jerk(model, state, memory, work, j: int, world: int):
        """At the end of the first kick: whether the impulse of joint j brought the velocities onto it."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        slip = start_slip(model, state, work, j, world)
        if wp.static(features.partial_locks):
            slip = work.rows_l[j, world] * slip
        pulled = (model.inv_mass[a, world] + model.inv_mass[b, world]) * memory.lock_impulse[j, world]
        if wp.dot(slip, slip) > wp.static(real(JERK * JERK)) * wp.dot(pulled, pulled):
            memory.stiffness_mark[a, world] = wp.static(JERKED)
            memory.stiffness_mark[b, world] = wp.static(JERKED)

    @func
    def is_new(memory, dt: real, world: int) -> bool:
        """Whether the last kick was the first after a start, half of one, or was before it."""
        return wp.static(features.integrator.leads) and memory.kick[world] < real(0.75) * dt

    @func
    def stiffen_joint(model, memory, work, dt: real, j: int, world: int):
        """Note what the reaction of joint j asks of its two bodies."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        push = dt * dt * memory.reaction[j, world]
        excess_a = excess_of(model, memory, work.arm_a[j, world], -push, a, world)
        excess_b = excess_of(model, memory, work.arm_b[j, world], push, b, world)
        if excess_a > real(0.0) or excess_b > real(0.0):
            along = wp.normalize(push)
            turning = vec3()
            if wp.static(features.integrator.leads):
                turning = pull_turning(memory.reaction[j, world], memory.reaction_now[j, world], dt)
            if excess_a > real(0.0):
                stiffen(work, excess_a, along, turning, a, world)
            if excess_b > real(0.0):
                stiffen(work, excess_b, along, turning, b, world)

    @func
    def is_struck(model, work, arm: vec3, push: vec3, b: int, world: int) -> bool:
        """Whether a pull at ``arm`` with dt^2 f = ``push`` swings body b faster than a step can follow."""
        if model.inv_mass[b, world] == real(0.0):
            return False
        added = work.stiffening[b, world]
        inertia = real(0.5) * wp.trace(model.inertia[b, world]) + wp.dot(arm, arm) / model.inv_mass[b, world]
        return wp.dot(push, arm) > wp.static(real(BLOW)) * (inertia + added[0] + added[1] + added[2])

    @func
    def is_blow(model, memory, work, dt: real, j: int, world: int) -> bool:
        """Whether joint j, pulled as in this kick, is beyond what the last reaction let foresee: a chain goes taut.

        A link of inertia I about its end that is pulled at both is a spring of 2 f.r, which a frozen arm bears up to
        dt^2 f.r = 2 I: with half of that a step still follows it. With more, leading onto the joint would give the link
        an energy that nothing else loses.
        """
        push = (dt * dt / work.kick[world]) * (memory.lock_impulse[j, world] + work.bias_impulse[j, world])
        if is_struck(model, work, work.arm_b[j, world], push, model.joint_b[j], world):
            return True
        return is_struck(model, work, work.arm_a[j, world], -push, model.joint_a[j], world)

    @func
    def take_blows(model, memory, work, settings, world: int) -> bool:
        """Joints that go taut with a blow are not led onto: they lose what comes together there; whether there are."""
        found = bool(False)
        if memory.kick[world] > real(0.0):
            for j in range(settings.joints):
                if is_blow(model, memory, work, settings.dt, j, world):
                    work.bias[j, world] = vec3()
                    work.bow[j, world] = vec3()
                    found = True
        return found

    @func
    def add_stiffness(model, state, memory, work, dt: real, b: int, world: int):
        """Add what was noted to body b's inertia."""
        added = algebra.full(work.stiffening[b, world])
        change = mat33()
        start = vec3()
        felt = vec3()
        if wp.static(features.integrator.leads):
            start = state.spin[b, world]
            if memory.stiffness_mark[b, world] == wp.static(USUAL):
                change = added - algebra.full(memory.stiffened[b, world])
                felt = wp.static(real(CALM)) * (work.following[b, world] - added * start)
            memory.stiffened[b, world] = work.stiffening[b, world]
            memory.stiffness_mark[b, world] = wp.static(USUAL)
            if is_new(memory, dt, world):
                memory.stiffness_mark[b, world] = wp.static(STARTED)
                change = mat33()
                felt = vec3()
        if wp.trace(added) > real(0.0) or wp.trace(change) != real(0.0):
            inertia = algebra.full(work.inertia[b, world])
            stiff = inertia + added
            if wp.static(features.integrator.leads):
                stiff = stiff + wp.static(real(CALM)) * added
            inverse = wp.inverse(stiff)
            work.spin[b, world] = start + inverse * (
                inertia * (work.spin[b, world] - start) - real(0.5) * (change * start) + felt
            )
            work.inertia[b, world] = algebra.packed(stiff)
            work.inv_inertia[b, world] = algebra.packed(inverse)

    return locals()
