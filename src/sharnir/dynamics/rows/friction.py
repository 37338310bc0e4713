"""Dry friction on free axes of a joint (paper 000, equations 13-16).

    B V = 0 while |p| <= p_max = F_max dt, the length taken over the axes that share the bound

    u   slip or relative spin along the free axes
    M   (B M^-1 B^T)^-1 on the space of those axes, zero beside it, in world axes
    p'  the sticking impulse p - M u

If |p'| > p_max it slides. The paper shortens p' to p_max. True Coulomb friction (maximum dissipation) wants p against
the final velocity: u_end = -s p with s >= 0, which is (E + s M) p = p'. On each visit s is taken from the current
velocity, s = -u.p/p^2; the fixed point satisfies both equations, and for isotropic M it is the paper's rule.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..coordinates import make_coordinates
from ..pair import make_pair

wp = load_warp()


@cache
def make_friction(p: Precision) -> SimpleNamespace:
    """The functions in a precision."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra, geometry, pair = make_algebra(p), make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    diagonal, inverse_on, onto = algebra.diagonal, algebra.inverse_on, algebra.onto
    solved_to_scale, packed, full = algebra.solved_to_scale, algebra.packed, algebra.full
    linear_basis, angular_basis = geometry.linear_basis, geometry.angular_basis
    slip, struck, twisted = pair.slip, pair.struck, pair.twisted

    @wp.func
    def prepare_friction(
        m: t.model, n: t.memory, k: t.work, f: Frames, w_ll: mat33, w_aa: mat33, dt: real, i: int, j: int, w: int
    ):
        axes = m.friction_axes[i]
        if m.friction_linear[i] == 1:
            basis = linear_basis(f, m.basis[j])
            k.friction_mass[i, w] = packed(inverse_on(w_ll, basis, axes))
            n.friction_impulse[i, w] = onto(n.friction_impulse[i, w], basis, axes)
        elif axes == 7:
            k.friction_mass[i, w] = packed(wp.inverse(w_aa))
        else:
            basis = angular_basis(f, m.basis[j])
            k.friction_mass[i, w] = packed(inverse_on(w_aa, basis, axes))
            n.friction_impulse[i, w] = onto(n.friction_impulse[i, w], basis, axes)
        level = m.dynamic_level[i, w]
        if n.sticking[i, w] == 1:
            level = m.static_level[i, w]
        k.friction_bound[i, w] = level * dt

    @wp.func
    def friction_kick(m: t.model, x: Pair, d: vec3, i: int) -> Pair:
        if m.friction_linear[i] == 1:
            return struck(x, d)
        return twisted(x, d)

    @wp.func
    def sliding_impulse(u: vec3, old: vec3, stick: vec3, mass: mat33, bound: real, clamp: int) -> vec3:
        """The impulse of length ``bound`` when the sticking one is longer."""
        new = stick
        if bound <= real(0.0):
            return vec3()
        if clamp == 0:
            square = wp.dot(old, old)
            s = real(0.0)
            if square > real(0.25) * bound * bound:
                s = wp.max(-wp.dot(u, old) / square, real(0.0))
            else:
                # nothing to start from: the Newton step for |p(s)| = bound from s = 0
                size = wp.length(stick)
                s = (size - bound) / bound * size * size / wp.dot(stick, mass * stick)
            new = solved_to_scale(diagonal(real(1.0)) + s * mass, stick)
        return new * (bound / wp.length(new))

    @wp.func
    def visit_friction(m: t.model, n: t.memory, k: t.work, x: Pair, i: int, w: int) -> Pair:
        u = x.wb - x.wa
        if m.friction_linear[i] == 1:
            u = slip(x)
        old = n.friction_impulse[i, w]
        bound = k.friction_bound[i, w]
        mass = full(k.friction_mass[i, w])
        new = old - mass * u
        if wp.dot(new, new) > bound * bound:
            new = sliding_impulse(u, old, new, mass, bound, m.friction_clamp[i])
        n.friction_impulse[i, w] = new
        return friction_kick(m, x, new - old, i)

    @wp.func
    def is_sticking(n: t.memory, k: t.work, i: int, w: int) -> int:
        """1 if the impulse stayed inside the bound."""
        bound = k.friction_bound[i, w] * real(0.999999)
        impulse = n.friction_impulse[i, w]
        if wp.dot(impulse, impulse) < bound * bound:
            return 1
        return 0

    return SimpleNamespace(
        prepare_friction=prepare_friction,
        friction_kick=friction_kick,
        visit_friction=visit_friction,
        is_sticking=is_sticking,
    )
