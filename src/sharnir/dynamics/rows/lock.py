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

from ..algebra import make_algebra
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from .joint_view import make_view


@factory
def make_lock(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra, geometry, pair = make_algebra(p), make_coordinates(p), make_pair(p)
    Pair, Frames, View = pair.Pair, geometry.Frames, make_view(p).View
    Vectors = wp.array(dtype=vec3, ndim=2)  # for every joint
    needs_mass = not features.direct or features.axis_bounds or features.soft
    led = make_bias(p, features).led
    has_rows = features.direct or features.integrator.leads  # the directions of the rows are kept
    # of a joint's own inverse mass, see set_elasticity
    SOFTNESS, LEAST_SOFTNESS = wp.constant(real(1e-4)), wp.constant(real(1e-8))

    @func
    def inverse_mass_ll(x: Pair) -> mat33:
        """Slip from an impulse at the anchor."""
        sa = wp.skew(x.ra)
        sb = wp.skew(x.rb)
        return algebra.diagonal(x.ma + x.mb) - sa * x.ia * sa - sb * x.ib * sb

    @func
    def inverse_mass_al(x: Pair) -> mat33:
        """Relative spin from an impulse at the anchor."""
        return x.ia * wp.skew(x.ra) + x.ib * wp.skew(x.rb)

    @func
    def pick(basis: mat33, axes: int) -> mat33:
        """Rows: the chosen columns of the basis, zero for the others."""
        rows = wp.transpose(basis)
        for i in range(3):
            if axes & (1 << i) == 0:
                for j in range(3):
                    rows[i, j] = real(0.0)
        return rows

    @func
    def inverse_mass_at(model, b: int, anchor: vec3, world: int) -> real:
        """The trace of body b's inverse mass at an anchor on it, 1/kg."""
        inv_inertia = model.inv_inertia[b, world]
        turning = wp.dot(anchor, anchor) * wp.trace(inv_inertia) - wp.dot(anchor, inv_inertia * anchor)
        return real(3.0) * model.inv_mass[b, world] + turning

    @func
    def set_elasticity(model, work, j: int, world: int):
        """Gamma: none, or for a joint that closes a loop what keeps its redundant rows regular.

        Semi-implicit steps leave gaps of the order dt^2, which make redundant rows (Bricard's mechanism) seem
        independent and would lock the loop; the joint that closes it yields by more than that. As its impulse stores
        Gamma p^2/2, Gamma must not change from step to step: it is that of the joint's own anchors, not of the present
        arms.
        """
        a = model.joint_a[j]
        b = model.joint_b[j]
        work.softness_l[j, world] = real(0.0)
        work.softness_a[j, world] = real(0.0)
        if model.closes_loop[j] == 1:
            softness = LEAST_SOFTNESS
            if model.is_redundant[j] == 1:
                softness = SOFTNESS
            work.softness_l[j, world] = softness * (
                inverse_mass_at(model, a, model.anchor_a[j], world)
                + inverse_mass_at(model, b, model.anchor_b[j], world)
            )
            work.softness_a[j, world] = softness * wp.trace(model.inv_inertia[a, world] + model.inv_inertia[b, world])

    @func
    def prepare_translations(model, memory, work, f: Frames, w_ll: mat33, weighs: bool, j: int, world: int) -> real:
        """Gap, locked directions and effective mass of the translations alone; the length of the gap."""
        basis = algebra.diagonal(real(1.0))
        locked = model.linear_lock[j]
        gap = f.offset
        if wp.static(features.direct):
            set_elasticity(model, work, j, world)
        if wp.static(has_rows and features.partial_locks):
            work.rows_l[j, world] = algebra.diagonal(real(1.0))
        if wp.static(features.partial_locks):
            if locked != 7:
                basis = geometry.linear_basis(f, model.basis[j])
                gap = basis * geometry.linear_error(f, basis, model.basis[j], locked, model.length[j])
                memory.lock_impulse[j, world] = algebra.onto(memory.lock_impulse[j, world], basis, locked)
                if wp.static(has_rows):
                    work.rows_l[j, world] = pick(basis, locked)
        if wp.static(needs_mass):
            if weighs:
                work.mass_ll[j, world] = algebra.packed(algebra.inverse_on(w_ll, basis, locked))
        work.gap[j, world] = gap
        return wp.length(gap)

    @func
    def prepare_rotations(model, memory, work, f: Frames, x: Pair, weighs: bool, j: int, world: int) -> real:
        """Tilt, locked axes and the whole block's effective mass (translations eliminated); the tilt's size."""
        locked = model.angular_lock[j]
        basis = geometry.angular_basis(f, model.basis[j])
        tilt = basis * geometry.angular_error(f, basis, locked)
        work.tilt[j, world] = tilt
        memory.lock_angular[j, world] = algebra.onto(memory.lock_angular[j, world], basis, locked)
        if wp.static(has_rows):
            work.rows_a[j, world] = pick(basis, locked)
        if wp.static(needs_mass):
            if weighs:
                w_al = inverse_mass_al(x)
                cross = w_al * algebra.full(work.mass_ll[j, world])
                mass_aa = algebra.inverse_on(x.ia + x.ib - cross * wp.transpose(w_al), basis, locked)
                mass_al = -(mass_aa * cross)
                work.mass_aa[j, world] = algebra.packed(mass_aa)
                work.mass_al[j, world] = mass_al
                work.mass_ll[j, world] = algebra.packed(
                    algebra.full(work.mass_ll[j, world]) - wp.transpose(cross) * mass_al
                )
        return wp.length(tilt)

    @func
    def prepare_lock(model, memory, work, view: View, x: Pair, weighs: bool, world: int) -> real:
        """Errors of the joint in view, its effective masses if it ``weighs``; keeps the impulses on its locks.

        Returns the worst error.
        """
        j = view.joint
        worst = prepare_translations(model, memory, work, view.frames, view.linear, weighs, j, world)
        if wp.static(has_rows and features.angular_rows):
            work.rows_a[j, world] = mat33()
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                worst = wp.max(worst, prepare_rotations(model, memory, work, view.frames, x, weighs, j, world))
        return worst

    @func
    def add_soft_rows(model, work, j: int, world: int):
        """Add the axes of the active soft rows to the joint's matrix rows."""
        for i in range(model.soft_start[j], model.soft_end[j]):
            if work.soft_y[i, world] > real(0.0):
                axis = work.soft_axis[i, world]
                row = model.soft_column[i]
                if model.soft_linear[i] == 1:
                    work.rows_l[j, world] = with_row(work.rows_l[j, world], row, axis)
                else:
                    work.rows_a[j, world] = with_row(work.rows_a[j, world], row, axis)

    @func
    def with_row(rows: mat33, i: int, value: vec3) -> mat33:
        """The matrix with row i replaced."""
        for c in range(3):
            rows[i, c] = value[c]
        return rows

    @func
    def held_mass_ll(model, work, x: Pair, w_ll: mat33, j: int, world: int) -> mat33:
        """Slip from an impulse at the anchor when the joint's own locks react to it at once: W - W K W."""
        w_al = inverse_mass_al(x)
        d = algebra.full(work.mass_ll[j, world]) * w_ll
        held = w_ll - w_ll * d
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                c = work.mass_al[j, world] * w_ll + algebra.full(work.mass_aa[j, world]) * w_al
                d = wp.transpose(work.mass_al[j, world]) * w_al
                held = held - w_ll * d - wp.transpose(w_al) * c
        return held

    @func
    def held_mass_aa(model, work, x: Pair, j: int, world: int) -> mat33:
        """Relative spin from an angular impulse when the joint's own locks react to it at once."""
        w_al = inverse_mass_al(x)
        w_la = wp.transpose(w_al)
        w_aa = x.ia + x.ib
        d = algebra.full(work.mass_ll[j, world]) * w_la
        held = w_aa - w_al * d
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                c = work.mass_al[j, world] * w_la + algebra.full(work.mass_aa[j, world]) * w_aa
                d = wp.transpose(work.mass_al[j, world]) * w_aa
                held = held - w_al * d - w_aa * c
        return held

    @func
    def warm_lock(model, memory, x: Pair, j: int, world: int) -> Pair:
        """Last step's impulses of joint j applied."""
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                return pair.kicked(x, memory.lock_impulse[j, world], memory.lock_angular[j, world])
        return pair.struck(x, memory.lock_impulse[j, world])

    @func
    def note(work, kept: Vectors, apart: Vectors, d: vec3, j: int, world: int):
        """Add to the impulse of the step: to the warm start, or apart from it once sequential impulses are led."""
        if wp.static(features.integrator.leads and not features.direct):
            if work.is_led[world] == 1:
                apart[j, world] = apart[j, world] + d
                return
        kept[j, world] = kept[j, world] + d

    @func
    def visit_lock(model, memory, work, x: Pair, j: int, world: int) -> Pair:
        """One visit: impulses that stop the slip of the locked axes."""
        u = led(work, pair.slip(x), 1, j, world)
        d = -(algebra.full(work.mass_ll[j, world]) * u)
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                s = led(work, x.wb - x.wa, 0, j, world)
                d = d - s * work.mass_al[j, world]
                c = -(work.mass_al[j, world] * u + algebra.full(work.mass_aa[j, world]) * s)
                note(work, memory.lock_angular, work.bias_angular, c, j, world)
                note(work, memory.lock_impulse, work.bias_impulse, d, j, world)
                return pair.kicked(x, d, c)
        note(work, memory.lock_impulse, work.bias_impulse, d, j, world)
        return pair.struck(x, d)

    @func
    def push_lock(model, work, x: Pair, rate: real, j: int, world: int) -> Pair:
        """The same for the pseudo-velocities: pseudo-impulses that close the gap at ``rate`` = ERP/dt."""
        u = pair.slip(x) + rate * work.gap[j, world]
        d = -(algebra.full(work.mass_ll[j, world]) * u)
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                s = x.wb - x.wa + rate * work.tilt[j, world]
                d = d - s * work.mass_al[j, world]
                return pair.kicked(x, d, -(work.mass_al[j, world] * u + algebra.full(work.mass_aa[j, world]) * s))
        return pair.struck(x, d)

    return locals()
