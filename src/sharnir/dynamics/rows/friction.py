"""Dry friction on free axes of a joint ([000], equations 13-16), and what sets its bound ([000] and [004]).

    B V = 0 while |p| <= p_max = F_max h, the length taken over the axes that share the bound

    u   slip or relative spin along the free axes
    M   (B M^-1 B^T)^-1 on the space of those axes, zero beside it, in world axes
    p'  the sticking impulse p - M u

If |p'| > p_max it slides. The paper shortens p' to p_max. True Coulomb friction (maximum dissipation) wants p against
the final velocity: u_end = -s p with s >= 0, which is (E + s M) p = p'. On each visit s is taken from the current
velocity, s = -u.p/p^2; the fixed point satisfies both equations, and for isotropic M it is the paper's rule.

The bound: F_max = level while sliding, static at rest, with Stribeck's law level + (static - level) exp(-(v/v_s)^2) of
the speed v when the step began. With a load the levels are coefficients and F_max is multiplied by the normal force of
the joint's own reaction in this step, and by the radius for turning axes: for a pin or a ball the reaction F contains
the friction itself, F^2 = N^2 (1 + mu^2) ([004]: the multipliers are the normal force only).
"""

from ...model.compile import ACROSS_PIN, BRISTLE, NO_LOAD, TRUE_COULOMB, WHOLE
from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..integrators.leapfrog import CAUGHT, JOLTED
from ..pair import make_pair
from .bristle import make_bristle
from .held import make_held
from .joint_view import make_view
from .soft import make_soft

HELD = 0.999999  # of its bound: friction below that holds
BRISTLES_HELD = 0.98  # of their largest bend: bristles below that hold


@factory
def make_friction(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra, geometry, pair = make_algebra(p), make_coordinates(p), make_pair(p)
    Pair, view_of = pair.Pair, make_view(p)
    View, inverse_mass_of = view_of.View, view_of.inverse_mass
    led = make_bias(p, features).led
    bristle, start_held = make_bristle(p), make_held(p, features).start
    conductance_on = make_soft(p, features).conductance_on
    NEGLIGIBLE = wp.constant(real(1e-30 if p.name == "float64" else 1e-15))  # N s: the rule below divides by less
    # s M beyond which E + s M has no digits left beside the friction's axes; the friction is a share 1/STEEPEST then
    STEEPEST = wp.constant(real(1e7 if p.name == "float64" else 1e3))

    @func
    def normal_force(model, memory, work, ratio: real, kick: real, i: int, j: int, world: int) -> real:
        """What presses the sliding surfaces together, N; ``ratio`` is friction over normal force."""
        kind = model.friction_load[i]
        press = memory.lock_impulse[j, world]
        if wp.static(features.integrator.leads):
            press = press + work.bias_impulse[j, world]
        if kind == wp.static(ACROSS_PIN):
            press = press - wp.dot(press, work.friction_axis[i, world]) * work.friction_axis[i, world]
        force = wp.length(press) / kick
        if kind != wp.static(WHOLE):
            force = force / wp.sqrt(real(1.0) + ratio * ratio)
        return model.friction_preload[i, world] + force

    @func
    def levels_on(model, memory, i: int, world: int) -> p.vec2:
        """Dynamic and static level over the interval of the kick: they may have been set since the last one."""
        levels = p.vec2(model.dynamic_level[i, world], model.static_level[i, world])
        mean = levels
        if wp.static(features.integrator.staggered):
            if memory.kick[world] > real(0.0):
                mean = real(0.5) * (levels + memory.last_levels[i, world])
            memory.last_levels[i, world] = levels
        return mean

    @func
    def level_before(model, state, memory, work, i: int, j: int, world: int) -> real:
        """The level for this step: static at rest, else by the speed when it began."""
        levels = levels_on(model, memory, i, world)
        if memory.sticking[i, world] == 1:
            return levels[1]
        level = levels[0]
        if wp.static(not features.friction_laws):
            return level
        if model.friction_speed[i, world] > real(0.0):
            v = relative_before(model, state, work, i, j, world)
            speed = model.friction_speed[i, world]
            share = wp.dot(v, v) * model.friction_radius[i, world] * model.friction_radius[i, world] / (speed * speed)
            level = level + (levels[1] - level) * wp.exp(-share)
        return level

    @func
    def relative_before(model, state, work, i: int, j: int, world: int) -> vec3:
        """Slip or relative spin along the friction's axes when the step began."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        v = state.spin[b, world] - state.spin[a, world]
        if model.friction_linear[i] == 1:
            v = state.velocity[b, world] + wp.cross(state.spin[b, world], work.arm_b[j, world])
            v = v - state.velocity[a, world] - wp.cross(state.spin[a, world], work.arm_a[j, world])
        if wp.static(features.friction_laws):
            if model.friction_single[i] == 1:
                return wp.dot(v, work.friction_axis[i, world]) * work.friction_axis[i, world]
        return v

    @func
    def linear(model, i: int) -> int:
        """1: of sliding axes, 0: of turning ones."""
        return model.friction_linear[i]

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """Its effective mass on its axes, and its bound; last step's impulse brought onto them."""
        axes = model.friction_axes[i]
        j = view.joint
        is_linear = model.friction_linear[i]
        inverse_mass = inverse_mass_of(view, is_linear)
        mass = mat33()
        held_on = algebra.diagonal(real(1.0))
        if axes == 7:
            mass = wp.inverse(inverse_mass)
        else:
            basis = geometry.angular_basis(view.frames, model.basis[j])
            if is_linear == 1:
                basis = geometry.linear_basis(view.frames, model.basis[j])
            mass = algebra.inverse_on(inverse_mass, basis, axes)
            held_on = basis
            memory.friction_impulse[i, world] = algebra.onto(memory.friction_impulse[i, world], basis, axes)
            if wp.static(features.friction_laws):
                memory.bristle[i, world] = algebra.onto(memory.bristle[i, world], basis, axes)
                chosen = axes // 2  # 1, 2, 4 -> column 0, 1, 2
                if model.friction_single[i] == 0:
                    chosen = (7 - axes) // 2  # of two axes the one across them
                work.friction_axis[i, world] = algebra.column(basis, chosen)
        if wp.static(features.soft and features.direct and not features.reach):
            mass = mass + conductance_on(model, work, is_linear, axes, j, world)
        work.friction_mass[i, world] = algebra.packed(mass)
        work.friction_bound[i, world] = level_before(model, state, memory, work, i, j, world) * work.kick[world]
        if wp.static(features.held):
            before = relative_before(model, state, work, i, j, world)
            start_held(model, memory, work, held_on, before, i, world)

    @func
    def sliding_impulse(u: vec3, old: vec3, stick: vec3, mass: mat33, bound: real, law: int) -> vec3:
        """The impulse of length ``bound`` when the sticking one is longer."""
        new = stick
        if bound <= NEGLIGIBLE:
            return vec3()
        if law == wp.static(TRUE_COULOMB):
            square = wp.dot(old, old)
            s = real(0.0)
            if square > real(0.25) * bound * bound:
                s = wp.max(-wp.dot(u, old) / square, real(0.0))
            else:
                # nothing to start from: the Newton step for |p(s)| = bound from s = 0
                size = wp.length(stick)
                s = (size - bound) / bound * size * size / wp.dot(stick, mass * stick)
            s = wp.min(s, STEEPEST / wp.trace(mass))
            new = algebra.solved_to_scale(algebra.diagonal(real(1.0)) + s * mass, stick)
        return new * (bound / wp.length(new))

    @func
    def dry_impulse(model, memory, work, u: vec3, kick: real, i: int, world: int) -> vec3:
        """The new impulse under Coulomb's or Stribeck's law."""
        old = memory.friction_impulse[i, world]
        bound = work.friction_bound[i, world]
        mass = algebra.full(work.friction_mass[i, world])
        if wp.static(features.friction_laws):
            if model.friction_load[i] != wp.static(NO_LOAD):
                ratio = bound / kick
                j = model.friction_joint[i]
                bound = (
                    bound
                    * model.friction_radius[i, world]
                    * normal_force(model, memory, work, ratio, kick, i, j, world)
                )
        new = old - mass * u
        if wp.dot(new, new) > bound * bound:
            new = sliding_impulse(u, old, new, mass, bound, model.friction_law[i])
        return new

    @func
    def warm(model, memory, work, x: Pair, i: int, world: int) -> Pair:
        """Last step's impulse applied."""
        return pair.acted(x, model.friction_linear[i], memory.friction_impulse[i, world])

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The change of the friction's impulse at the slip or relative spin u."""
        kick = work.kick[world]
        old = memory.friction_impulse[i, world]
        new = vec3()
        if wp.static(features.bristles):
            if model.friction_law[i] == wp.static(BRISTLE):
                scale = real(1.0)
                if model.friction_load[i] != wp.static(NO_LOAD):
                    scale = normal_force(
                        model, memory, work, memory.friction_ratio[i, world], kick, i, model.friction_joint[i], world
                    )
                new = bristle.bristle_impulse(model, memory, work, u, scale * model.friction_radius[i, world], i, world)
            else:
                new = dry_impulse(model, memory, work, u, kick, i, world)
        else:
            new = dry_impulse(model, memory, work, u, kick, i, world)
        memory.friction_impulse[i, world] = new
        return new - old

    @func
    def note_sticking(model, memory, work, holds: bool, i: int, j: int, world: int):
        """Whether the friction held; the velocities of its bodies are not smooth where that changes."""
        if wp.static(features.integrator.staggered):
            if memory.sticking[i, world] != int(holds):
                jolt = wp.static(JOLTED)
                # where both can move, the mean of before and after is taken, which keeps their momentum
                if holds and (
                    model.inv_mass[model.joint_a[j], world] == real(0.0)
                    or model.inv_mass[model.joint_b[j], world] == real(0.0)
                ):
                    jolt = wp.static(CAUGHT)
                work.jolted[model.joint_a[j], world] = jolt
                work.jolted[model.joint_b[j], world] = jolt
        memory.sticking[i, world] = int(holds)

    @func
    def is_idle(model, memory, work, i: int, world: int) -> bool:
        """Friction always has something to do."""
        return False

    @func
    def scale(memory, share: real, i: int, world: int):
        """Its impulse for a kick of another length."""
        memory.friction_impulse[i, world] = share * memory.friction_impulse[i, world]

    @func
    def end(model, memory, work, i: int, world: int):
        """Note at the end of a kick whether the friction held, and where its bristles are."""
        kick = work.kick[world]
        j = model.friction_joint[i]
        if wp.static(features.bristles):
            if model.friction_law[i] == wp.static(BRISTLE):
                u = led(
                    work,
                    pair.motion(pair.load(model, work, j, world), model.friction_linear[i]),
                    model.friction_linear[i],
                    j,
                    world,
                )
                if model.friction_single[i] == 1:
                    u = wp.dot(u, work.friction_axis[i, world]) * work.friction_axis[i, world]
                memory.bristle[i, world] = bristle.bristle_after(model, memory, u, kick, i, world)
                bend = wp.length(memory.bristle[i, world]) * model.friction_stiffness[i, world]
                held = bend < real(BRISTLES_HELD) * model.dynamic_level[i, world]
                note_sticking(model, memory, work, held, i, j, world)
                return
        bound = work.friction_bound[i, world] * real(HELD)
        if wp.static(features.friction_laws):
            if model.friction_load[i] != wp.static(NO_LOAD):
                bound = (
                    bound
                    * model.friction_radius[i, world]
                    * normal_force(model, memory, work, bound / kick, kick, i, j, world)
                )
        impulse = memory.friction_impulse[i, world]
        note_sticking(model, memory, work, wp.dot(impulse, impulse) < bound * bound, i, j, world)

    return locals()
