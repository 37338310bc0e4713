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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.compile import ACROSS_PIN, BRISTLE, NO_LOAD, TRUE_COULOMB, WHOLE
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..integrators.leapfrog import CAUGHT, JOLTED
from ..pair import make_pair
from .bristle import make_bristle
from .joint_view import make_view
from .soft import make_soft

wp = load_warp()

HELD = 0.999999  # of its bound: friction below that holds
BRISTLES_HELD = 0.98  # of their largest bend: bristles below that hold


@cache
def make_friction(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra, geometry, pair = make_algebra(p), make_coordinates(p), make_pair(p)
    Pair, view_of = pair.Pair, make_view(p)
    View, inverse_mass_of = view_of.View, view_of.inverse_mass
    led = make_bias(p, features).led
    bristle = make_bristle(p)
    conductance_on = make_soft(p, features).conductance_on
    NEGLIGIBLE = wp.constant(real(1e-30 if p.name == "float64" else 1e-15))  # N s: the rule below divides by less
    # s M beyond which E + s M has no digits left beside the friction's axes; the friction is a share 1/STEEPEST then
    STEEPEST = wp.constant(real(1e7 if p.name == "float64" else 1e3))

    @wp.func
    def normal_force(m: t.model, n: t.memory, k: t.work, ratio: real, kick: real, i: int, j: int, w: int) -> real:
        """What presses the sliding surfaces together, N; ``ratio`` is friction over normal force."""
        kind = m.friction_load[i]
        press = n.lock_impulse[j, w]
        if wp.static(features.integrator.leads):
            press = press + k.bias_impulse[j, w]
        if kind == wp.static(ACROSS_PIN):
            press = press - wp.dot(press, k.friction_axis[i, w]) * k.friction_axis[i, w]
        force = wp.length(press) / kick
        if kind != wp.static(WHOLE):
            force = force / wp.sqrt(real(1.0) + ratio * ratio)
        return m.friction_preload[i, w] + force

    @wp.func
    def level_before(m: t.model, s: t.state, n: t.memory, k: t.work, i: int, j: int, w: int) -> real:
        """The level for this step: static at rest, else by the speed when it began."""
        if n.sticking[i, w] == 1:
            return m.static_level[i, w]
        level = m.dynamic_level[i, w]
        if wp.static(not features.friction_laws):
            return level
        if m.friction_speed[i, w] > real(0.0):
            v = relative_before(m, s, k, i, j, w)
            speed = m.friction_speed[i, w]
            share = wp.dot(v, v) * m.friction_radius[i, w] * m.friction_radius[i, w] / (speed * speed)
            level = level + (m.static_level[i, w] - level) * wp.exp(-share)
        return level

    @wp.func
    def relative_before(m: t.model, s: t.state, k: t.work, i: int, j: int, w: int) -> vec3:
        """Slip or relative spin along the friction's axes when the step began."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        v = s.spin[b, w] - s.spin[a, w]
        if m.friction_linear[i] == 1:
            v = s.velocity[b, w] + wp.cross(s.spin[b, w], k.arm_b[j, w])
            v = v - s.velocity[a, w] - wp.cross(s.spin[a, w], k.arm_a[j, w])
        if m.friction_single[i] == 1:
            return wp.dot(v, k.friction_axis[i, w]) * k.friction_axis[i, w]
        return v

    @wp.func
    def first(m: t.model, j: int) -> int:
        """The first friction of joint j."""
        return m.friction_start[j]

    @wp.func
    def last(m: t.model, j: int) -> int:
        """One past its last."""
        return m.gear_start[j]

    @wp.func
    def linear(m: t.model, i: int) -> int:
        """1: of sliding axes, 0: of turning ones."""
        return m.friction_linear[i]

    @wp.func
    def prepare(m: t.model, s: t.state, n: t.memory, k: t.work, view: View, i: int, w: int):
        """Its effective mass on its axes, and its bound; last step's impulse brought onto them."""
        axes = m.friction_axes[i]
        j = view.joint
        is_linear = m.friction_linear[i]
        inverse_mass = inverse_mass_of(view, is_linear)
        mass = mat33()
        if axes == 7:
            mass = wp.inverse(inverse_mass)
        else:
            basis = geometry.angular_basis(view.frames, m.basis[j])
            if is_linear == 1:
                basis = geometry.linear_basis(view.frames, m.basis[j])
            mass = algebra.inverse_on(inverse_mass, basis, axes)
            n.friction_impulse[i, w] = algebra.onto(n.friction_impulse[i, w], basis, axes)
            if wp.static(features.friction_laws):
                n.bristle[i, w] = algebra.onto(n.bristle[i, w], basis, axes)
                chosen = axes // 2  # 1, 2, 4 -> column 0, 1, 2
                if m.friction_single[i] == 0:
                    chosen = (7 - axes) // 2  # of two axes the one across them
                k.friction_axis[i, w] = algebra.column(basis, chosen)
        if wp.static(features.soft and features.direct and not features.reach):
            mass = mass + conductance_on(m, k, is_linear, axes, j, w)
        k.friction_mass[i, w] = algebra.packed(mass)
        k.friction_bound[i, w] = level_before(m, s, n, k, i, j, w) * k.kick[w]

    @wp.func
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

    @wp.func
    def dry_impulse(m: t.model, n: t.memory, k: t.work, u: vec3, kick: real, i: int, w: int) -> vec3:
        """The new impulse under Coulomb's or Stribeck's law."""
        old = n.friction_impulse[i, w]
        bound = k.friction_bound[i, w]
        mass = algebra.full(k.friction_mass[i, w])
        if wp.static(features.friction_laws):
            if m.friction_load[i] != wp.static(NO_LOAD):
                ratio = bound / kick
                j = m.friction_joint[i]
                bound = bound * m.friction_radius[i, w] * normal_force(m, n, k, ratio, kick, i, j, w)
        new = old - mass * u
        if wp.dot(new, new) > bound * bound:
            new = sliding_impulse(u, old, new, mass, bound, m.friction_law[i])
        return new

    @wp.func
    def warm(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        """Last step's impulse applied."""
        return pair.acted(x, m.friction_linear[i], n.friction_impulse[i, w])

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, u: vec3, dt: real, i: int, w: int) -> vec3:
        """The change of the friction's impulse at the slip or relative spin u."""
        kick = k.kick[w]
        old = n.friction_impulse[i, w]
        new = vec3()
        if wp.static(features.bristles):
            if m.friction_law[i] == wp.static(BRISTLE):
                scale = real(1.0)
                if m.friction_load[i] != wp.static(NO_LOAD):
                    scale = normal_force(m, n, k, n.friction_ratio[i, w], kick, i, m.friction_joint[i], w)
                new = bristle.bristle_impulse(m, n, k, u, scale * m.friction_radius[i, w], i, w)
            else:
                new = dry_impulse(m, n, k, u, kick, i, w)
        else:
            new = dry_impulse(m, n, k, u, kick, i, w)
        n.friction_impulse[i, w] = new
        return new - old

    @wp.func
    def note_sticking(m: t.model, n: t.memory, k: t.work, holds: bool, i: int, j: int, w: int):
        """Whether the friction held; the velocities of its bodies are not smooth where that changes."""
        if wp.static(features.integrator.staggered):
            if n.sticking[i, w] != int(holds):
                jolt = wp.static(JOLTED)
                # where both can move, the mean of before and after is taken, which keeps their momentum
                if holds and (m.inv_mass[m.joint_a[j], w] == real(0.0) or m.inv_mass[m.joint_b[j], w] == real(0.0)):
                    jolt = wp.static(CAUGHT)
                k.jolted[m.joint_a[j], w] = jolt
                k.jolted[m.joint_b[j], w] = jolt
        n.sticking[i, w] = int(holds)

    @wp.func
    def is_idle(m: t.model, n: t.memory, k: t.work, i: int, w: int) -> bool:
        """Friction always has something to do."""
        return False

    @wp.func
    def scale(n: t.memory, share: real, i: int, w: int):
        """Its impulse for a kick of another length."""
        n.friction_impulse[i, w] = share * n.friction_impulse[i, w]

    @wp.func
    def end(m: t.model, n: t.memory, k: t.work, i: int, w: int):
        """Note at the end of a kick whether the friction held, and where its bristles are."""
        kick = k.kick[w]
        j = m.friction_joint[i]
        if wp.static(features.bristles):
            if m.friction_law[i] == wp.static(BRISTLE):
                u = led(k, pair.motion(pair.load(m, k, j, w), m.friction_linear[i]), m.friction_linear[i], j, w)
                if m.friction_single[i] == 1:
                    u = wp.dot(u, k.friction_axis[i, w]) * k.friction_axis[i, w]
                n.bristle[i, w] = bristle.bristle_after(m, n, u, kick, i, w)
                bend = wp.length(n.bristle[i, w]) * m.friction_stiffness[i, w]
                held = bend < real(BRISTLES_HELD) * m.dynamic_level[i, w]
                note_sticking(m, n, k, held, i, j, w)
                return
        bound = k.friction_bound[i, w] * real(HELD)
        if wp.static(features.friction_laws):
            if m.friction_load[i] != wp.static(NO_LOAD):
                bound = bound * m.friction_radius[i, w] * normal_force(m, n, k, bound / kick, kick, i, j, w)
        impulse = n.friction_impulse[i, w]
        note_sticking(m, n, k, wp.dot(impulse, impulse) < bound * bound, i, j, w)

    return SimpleNamespace(
        first=first,
        last=last,
        linear=linear,
        prepare=prepare,
        warm=warm,
        visit=visit,
        is_idle=is_idle,
        note_sticking=note_sticking,
        end=end,
        scale=scale,
    )
