"""Locked axes of a joint, solved together as one block ([000], reactions; [001], stabilisation).

    J V = 0,   V* from zero with   J V* + (ERP/dt) G = 0

    u   slip of b against a at b's anchor: v_b + w_b x r_b - v_a - w_a x r_a      s   relative spin w_b - w_a
    P   rows: the locked directions       W   P (J M^-1 J^T) P^T, the inverse effective mass
    K   P^T W^-1 P, kept in world axes as three 3x3 blocks: (force, torque) = -K (slip, spin)
    G   error of the locked axes: gap (m), tilt (rad)

In world axes every joint type is the same code: a free direction is one in which K is zero.

"Held" inverse masses belong to the direct solver: there an impulse on a free axis comes with the reaction of its own
joint, so the free axis answers with W - W K W instead of W.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..pair import make_pair

wp = load_warp()


@cache
def make_lock(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra, geometry, pair = make_algebra(p), make_coordinates(p), make_pair(p)
    Pair, Frames = pair.Pair, geometry.Frames
    needs_mass = not features.direct or features.axis_bounds or features.soft
    led = make_bias(p, features).led
    has_rows = features.direct or features.integrator.leads  # the directions of the rows are kept
    # of a joint's own inverse mass, see set_elasticity
    SOFTNESS, LEAST_SOFTNESS = wp.constant(real(1e-4)), wp.constant(real(1e-8))

    @wp.func
    def inverse_mass_ll(x: Pair) -> mat33:
        """Slip from an impulse at the anchor."""
        sa = wp.skew(x.ra)
        sb = wp.skew(x.rb)
        return algebra.diagonal(x.ma + x.mb) - sa * x.ia * sa - sb * x.ib * sb

    @wp.func
    def inverse_mass_al(x: Pair) -> mat33:
        """Relative spin from an impulse at the anchor."""
        return x.ia * wp.skew(x.ra) + x.ib * wp.skew(x.rb)

    @wp.func
    def pick(basis: mat33, axes: int) -> mat33:
        """Rows: the chosen columns of the basis, zero for the others."""
        rows = wp.transpose(basis)
        for i in range(3):
            if axes & (1 << i) == 0:
                for j in range(3):
                    rows[i, j] = real(0.0)
        return rows

    @wp.func
    def ease_at(m: t.model, b: int, anchor: vec3, w: int) -> real:
        """The trace of body b's inverse mass at an anchor on it, 1/kg."""
        inv_inertia = m.inv_inertia[b, w]
        turning = wp.dot(anchor, anchor) * wp.trace(inv_inertia) - wp.dot(anchor, inv_inertia * anchor)
        return real(3.0) * m.inv_mass[b, w] + turning

    @wp.func
    def set_elasticity(m: t.model, k: t.work, j: int, w: int):
        """Gamma: none, or for a joint that closes a loop what keeps its redundant rows regular.

        Semi-implicit steps leave gaps of the order dt^2, which make redundant rows (Bricard's mechanism) seem
        independent and would lock the loop; the joint that closes it yields by more than that. As its impulse stores
        Gamma p^2/2, Gamma must not change from step to step: it is that of the joint's own anchors, not of the present
        arms.
        """
        a = m.joint_a[j]
        b = m.joint_b[j]
        k.softness_l[j, w] = real(0.0)
        k.softness_a[j, w] = real(0.0)
        if m.closes_loop[j] == 1:
            softness = LEAST_SOFTNESS
            if m.is_redundant[j] == 1:
                softness = SOFTNESS
            k.softness_l[j, w] = softness * (ease_at(m, a, m.anchor_a[j], w) + ease_at(m, b, m.anchor_b[j], w))
            k.softness_a[j, w] = softness * wp.trace(m.inv_inertia[a, w] + m.inv_inertia[b, w])

    @wp.func
    def prepare_translations(m: t.model, n: t.memory, k: t.work, f: Frames, w_ll: mat33, j: int, w: int) -> real:
        """Gap, locked directions and effective mass of the translations alone; the length of the gap."""
        locked = m.linear_lock[j]
        gap = f.offset
        if wp.static(features.direct):
            set_elasticity(m, k, j, w)
        if wp.static(has_rows and features.partial_locks):
            k.rows_l[j, w] = algebra.diagonal(real(1.0))
        if wp.static(features.partial_locks):
            if locked != 7:
                basis = geometry.linear_basis(f, m.basis[j])
                gap = basis * geometry.linear_error(f, basis, m.basis[j], locked, m.length[j])
                n.lock_impulse[j, w] = algebra.onto(n.lock_impulse[j, w], basis, locked)
                if wp.static(has_rows):
                    k.rows_l[j, w] = pick(basis, locked)
                if wp.static(needs_mass):
                    k.mass_ll[j, w] = algebra.packed(algebra.inverse_on(w_ll, basis, locked))
            elif wp.static(needs_mass):
                k.mass_ll[j, w] = algebra.packed(wp.inverse(w_ll))
        elif wp.static(needs_mass):
            k.mass_ll[j, w] = algebra.packed(wp.inverse(w_ll))
        k.gap[j, w] = gap
        return wp.length(gap)

    @wp.func
    def prepare_rotations(m: t.model, n: t.memory, k: t.work, f: Frames, x: Pair, j: int, w: int) -> real:
        """Tilt, locked axes and the whole block's effective mass (translations eliminated); the tilt's size."""
        locked = m.angular_lock[j]
        basis = geometry.angular_basis(f, m.basis[j])
        tilt = basis * geometry.angular_error(f, basis, locked)
        k.tilt[j, w] = tilt
        n.lock_angular[j, w] = algebra.onto(n.lock_angular[j, w], basis, locked)
        if wp.static(has_rows):
            k.rows_a[j, w] = pick(basis, locked)
        if wp.static(needs_mass):
            w_al = inverse_mass_al(x)
            cross = w_al * algebra.full(k.mass_ll[j, w])
            mass_aa = algebra.inverse_on(x.ia + x.ib - cross * wp.transpose(w_al), basis, locked)
            mass_al = -(mass_aa * cross)
            k.mass_aa[j, w] = algebra.packed(mass_aa)
            k.mass_al[j, w] = mass_al
            k.mass_ll[j, w] = algebra.packed(algebra.full(k.mass_ll[j, w]) - wp.transpose(cross) * mass_al)
        return wp.length(tilt)

    @wp.func
    def prepare_lock(m: t.model, n: t.memory, k: t.work, f: Frames, x: Pair, w_ll: mat33, j: int, w: int) -> real:
        """Errors and effective masses of joint j; keeps the last impulses on its locked axes. The worst error."""
        worst = prepare_translations(m, n, k, f, w_ll, j, w)
        if wp.static(has_rows and features.angular_rows):
            k.rows_a[j, w] = mat33()
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                worst = wp.max(worst, prepare_rotations(m, n, k, f, x, j, w))
        return worst

    @wp.func
    def add_soft_rows(m: t.model, k: t.work, j: int, w: int):
        """Add the axes of the active soft rows to the joint's matrix rows."""
        for i in range(m.soft_start[j], m.soft_end[j]):
            if k.soft_y[i, w] > real(0.0):
                axis = k.soft_axis[i, w]
                row = m.soft_column[i]
                if m.soft_linear[i] == 1:
                    k.rows_l[j, w] = with_row(k.rows_l[j, w], row, axis)
                else:
                    k.rows_a[j, w] = with_row(k.rows_a[j, w], row, axis)

    @wp.func
    def with_row(rows: mat33, i: int, value: vec3) -> mat33:
        """The matrix with row i replaced."""
        for c in range(3):
            rows[i, c] = value[c]
        return rows

    @wp.func
    def held_mass_ll(m: t.model, k: t.work, x: Pair, w_ll: mat33, j: int, w: int) -> mat33:
        """Slip from an impulse at the anchor when the joint's own locks react to it at once: W - W K W."""
        w_al = inverse_mass_al(x)
        d = algebra.full(k.mass_ll[j, w]) * w_ll
        held = w_ll - w_ll * d
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                c = k.mass_al[j, w] * w_ll + algebra.full(k.mass_aa[j, w]) * w_al
                d = wp.transpose(k.mass_al[j, w]) * w_al
                held = held - w_ll * d - wp.transpose(w_al) * c
        return held

    @wp.func
    def held_mass_aa(m: t.model, k: t.work, x: Pair, j: int, w: int) -> mat33:
        """Relative spin from an angular impulse when the joint's own locks react to it at once."""
        w_al = inverse_mass_al(x)
        w_la = wp.transpose(w_al)
        w_aa = x.ia + x.ib
        d = algebra.full(k.mass_ll[j, w]) * w_la
        held = w_aa - w_al * d
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                c = k.mass_al[j, w] * w_la + algebra.full(k.mass_aa[j, w]) * w_aa
                d = wp.transpose(k.mass_al[j, w]) * w_aa
                held = held - w_al * d - w_aa * c
        return held

    @wp.func
    def warm_lock(m: t.model, n: t.memory, x: Pair, j: int, w: int) -> Pair:
        """Last step's impulses of joint j applied."""
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                return pair.kicked(x, n.lock_impulse[j, w], n.lock_angular[j, w])
        return pair.struck(x, n.lock_impulse[j, w])

    @wp.func
    def note_impulse(n: t.memory, k: t.work, d: vec3, j: int, w: int):
        """Add to the impulse of the step: to the warm start, or apart from it once sequential impulses are led."""
        if wp.static(features.integrator.leads and not features.direct):
            if k.is_led[w] == 1:
                k.bias_impulse[j, w] = k.bias_impulse[j, w] + d
                return
        n.lock_impulse[j, w] = n.lock_impulse[j, w] + d

    @wp.func
    def note_torque(n: t.memory, k: t.work, c: vec3, j: int, w: int):
        """The same for the angular impulse."""
        if wp.static(features.integrator.leads and not features.direct):
            if k.is_led[w] == 1:
                k.bias_angular[j, w] = k.bias_angular[j, w] + c
                return
        n.lock_angular[j, w] = n.lock_angular[j, w] + c

    @wp.func
    def visit_lock(m: t.model, n: t.memory, k: t.work, x: Pair, j: int, w: int) -> Pair:
        """One visit: impulses that stop the slip of the locked axes."""
        u = led(k, pair.slip(x), 1, j, w)
        d = -(algebra.full(k.mass_ll[j, w]) * u)
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                s = led(k, x.wb - x.wa, 0, j, w)
                d = d - s * k.mass_al[j, w]
                c = -(k.mass_al[j, w] * u + algebra.full(k.mass_aa[j, w]) * s)
                note_torque(n, k, c, j, w)
                note_impulse(n, k, d, j, w)
                return pair.kicked(x, d, c)
        note_impulse(n, k, d, j, w)
        return pair.struck(x, d)

    @wp.func
    def push_lock(m: t.model, k: t.work, x: Pair, rate: real, j: int, w: int) -> Pair:
        """The same for the pseudo-velocities: pseudo-impulses that close the gap at ``rate`` = ERP/dt."""
        u = pair.slip(x) + rate * k.gap[j, w]
        d = -(algebra.full(k.mass_ll[j, w]) * u)
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                s = x.wb - x.wa + rate * k.tilt[j, w]
                d = d - s * k.mass_al[j, w]
                return pair.kicked(x, d, -(k.mass_al[j, w] * u + algebra.full(k.mass_aa[j, w]) * s))
        return pair.struck(x, d)

    return SimpleNamespace(
        inverse_mass_ll=inverse_mass_ll,
        pick=pick,
        prepare_lock=prepare_lock,
        add_soft_rows=add_soft_rows,
        held_mass_ll=held_mass_ll,
        held_mass_aa=held_mass_aa,
        warm_lock=warm_lock,
        visit_lock=visit_lock,
        push_lock=push_lock,
    )
