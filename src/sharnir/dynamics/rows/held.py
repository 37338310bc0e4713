"""Dry friction in the direct solver's matrix: of long trees, where visits alone hand an impulse on joint by joint.

    sticks   B V = 0 on all its axes, as if they were locked
    slides   u = -s p on the sphere |p| = p_max: T (u + s p) = 0 with T the directions square to p, and only T p changes
    free     no row: it has no bound to speak of, or iterations have to go on without (see ``solvers/near.py``)

This is Newton's method for the equations that the visits of ``friction.py`` solve one by one. They decide, sweep by
sweep, which friction sticks; where that is another one than in the matrix, or the sweeps gain little, it is factored
again. A step begins with what the last one ended with, so that most need one or two solves.

Its rows lie in the columns of its joint's node that are free; Gamma is 0 where it sticks, s where it slides.
"""

from ...model.bound_ranges import BOUND_KINDS
from ..algebra import make_algebra
from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from .ranges import make_ranges

STICKS, SLIDES, FREE = range(3)
FRICTION = BOUND_KINDS.index("friction")
AT_BOUND = 1.0 - 1e-9  # of its bound: friction beyond that slides
HOLDING = 25  # iterations with friction in the matrix; where they do not end, they go on without


@factory
def make_held(p: Precision, features: Features) -> Made:
    if not features.held:
        return None
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra, bias, rows_of = make_algebra(p), make_bias(p, features), make_ranges(p).rows_of
    NEGLIGIBLE = wp.constant(real(1e-30 if p.name == "float64" else 1e-15))  # N s

    @func
    def motion(model, work, linear: int, j: int, world: int) -> vec3:
        """Slip or relative spin of joint j over the drift, as friction sees it."""
        u = work.spin[model.joint_b[j], world] - work.spin[model.joint_a[j], world]
        if linear == 1:
            u = bias.slip_of(model, work, j, world)
        return bias.led(work, u, linear, j, world)

    @func
    def slope(u: vec3, impulse: vec3) -> real:
        """s of friction that slides: u = -s p."""
        return wp.max(-wp.dot(u, impulse) / wp.dot(impulse, impulse), real(0.0))

    @func
    def turning_rows(basis: mat33, axes: int, impulse: vec3) -> mat33:
        """Rows: the directions on the axes that are square to the impulse, in the first columns of the axes."""
        if axes == 7:
            frame = algebra.frame_of(wp.normalize(impulse))
            return wp.matrix_from_rows(algebra.column(frame, 0), algebra.column(frame, 1), vec3())
        along = wp.normalize(wp.transpose(basis) * impulse)
        if axes == 3:
            return wp.matrix_from_rows(basis * vec3(-along[1], along[0], real(0.0)), vec3(), vec3())
        if axes == 5:
            return wp.matrix_from_rows(basis * vec3(-along[2], real(0.0), along[0]), vec3(), vec3())
        if axes == 6:
            return wp.matrix_from_rows(vec3(), basis * vec3(real(0.0), -along[2], along[1]), vec3())
        return mat33()  # a single axis has no other direction

    @func
    def replaced(rows: mat33, axes: int, new: mat33) -> mat33:
        """The rows of a joint with those of the axes taken from ``new``."""
        for k in range(3):
            if axes & (1 << k) != 0:
                for c in range(3):
                    rows[k, c] = new[k, c]
        return rows

    @func
    def put_rows(model, memory, work, i: int, world: int):
        """Friction i among the rows of its joint."""
        axes = model.friction_axes[i]
        j = model.friction_joint[i]
        basis = work.held_basis[i, world]
        new = mat33()
        if work.held[i, world] == wp.static(STICKS):
            new = wp.transpose(basis)
        elif work.held[i, world] == wp.static(SLIDES):
            new = turning_rows(basis, axes, memory.friction_impulse[i, world])
        if model.friction_linear[i] == 1:
            work.rows_l[j, world] = replaced(work.rows_l[j, world], axes, new)
        else:
            work.rows_a[j, world] = replaced(work.rows_a[j, world], axes, new)

    @func
    def start(model, memory, work, basis: mat33, before: vec3, i: int, world: int):
        """Friction i as the last step has left it, at the motion before the kick."""
        axes = model.friction_axes[i]
        impulse = memory.friction_impulse[i, world]
        bound = work.friction_bound[i, world]
        for k in range(3):
            if axes & (1 << k) == 0:
                for c in range(3):
                    basis[c, k] = real(0.0)
        work.held_basis[i, world] = basis
        work.held[i, world] = wp.static(STICKS)
        work.held_slope[i, world] = real(0.0)
        if bound <= NEGLIGIBLE:
            work.held[i, world] = wp.static(FREE)
        elif memory.sticking[i, world] == 0 and wp.dot(impulse, impulse) > real(0.25) * bound * bound:
            work.held[i, world] = wp.static(SLIDES)
            work.held_slope[i, world] = slope(before, impulse)
        put_rows(model, memory, work, i, world)

    @func
    def is_other(model, memory, work, settings, world: int) -> bool:
        """Whether some friction sticks in the matrix that the visits let slide, or the other way round."""
        for i in range(settings.frictions):
            if work.held[i, world] != wanted(memory, work, i, world):
                return True
        return False

    @func
    def wanted(memory, work, i: int, world: int) -> int:
        """What friction i does by its impulse."""
        impulse = memory.friction_impulse[i, world]
        bound = work.friction_bound[i, world]
        if bound <= NEGLIGIBLE:
            return wp.static(FREE)
        if wp.dot(impulse, impulse) < wp.static(real(AT_BOUND * AT_BOUND)) * bound * bound:
            return wp.static(STICKS)
        return wp.static(SLIDES)

    @func
    def revise(model, memory, work, settings, hold: bool, world: int):
        """All frictions as the visits have left them; or none of them in the matrix any more."""
        for i in range(settings.frictions):
            work.held[i, world] = wp.static(FREE)
            if hold:
                work.held[i, world] = wanted(memory, work, i, world)
            if work.held[i, world] == wp.static(SLIDES):
                u = motion(model, work, model.friction_linear[i], model.friction_joint[i], world)
                work.held_slope[i, world] = slope(u, memory.friction_impulse[i, world])
            put_rows(model, memory, work, i, world)

    @func
    def hold(model, memory, work, settings, made: int, slow: bool, world: int) -> bool:
        """After a sweep: put into the matrix what sticks now, or what slides how; whether it must be factored again."""
        if made < wp.static(HOLDING):
            if not (slow or is_other(model, memory, work, settings, world)):
                return False
            revise(model, memory, work, settings, True, world)
            return True
        if made == wp.static(HOLDING):
            revise(model, memory, work, settings, False, world)
            return True
        return False

    # --- in the matrix ------------------------------------------------------------------------------------------------

    @func
    def on_diagonal(model, work, d: vec3, linear: int, j: int, world: int) -> vec3:
        """The diagonal d of joint j's node with -Gamma of its frictions."""
        span = rows_of(model, wp.static(FRICTION), j)
        for i in range(span[0], span[1]):
            if model.friction_linear[i] == linear:
                left = int(3)  # rows that stick
                if work.held[i, world] == wp.static(SLIDES):
                    left = 1 - model.friction_single[i]
                    if model.friction_axes[i] == 7:
                        left = 2
                elif work.held[i, world] == wp.static(FREE):
                    left = 0
                for k in range(3):
                    if model.friction_axes[i] & (1 << k) != 0:
                        if left > 0:
                            d[k] = real(0.0)
                            if work.held[i, world] == wp.static(SLIDES):
                                d[k] = -work.held_slope[i, world]
                        left -= 1
        return d

    @func
    def on_axes(x: vec3, axes: int) -> vec3:
        """The entries of the axes alone."""
        for k in range(3):
            if axes & (1 << k) == 0:
                x[k] = real(0.0)
        return x

    @func
    def lacking(model, memory, work, rows: mat33, u: vec3, linear: int, j: int, world: int) -> vec3:
        """T s p of the frictions of joint j that slide, in their places, at the slip or relative spin u."""
        e = vec3()
        span = rows_of(model, wp.static(FRICTION), j)
        for i in range(span[0], span[1]):
            if model.friction_linear[i] == linear and work.held[i, world] == wp.static(SLIDES):
                impulse = memory.friction_impulse[i, world]
                e = e + slope(u, impulse) * on_axes(rows * impulse, model.friction_axes[i])
        return e

    @func
    def take(model, memory, work, j: int, world: int):
        """Add the solution to the impulses of joint j's frictions."""
        span = rows_of(model, wp.static(FRICTION), j)
        for i in range(span[0], span[1]):
            if work.held[i, world] != wp.static(FREE):
                d = vec3()
                if model.friction_linear[i] == 1:
                    d = (
                        on_axes(work.solution[model.joint_node_l[j], world], model.friction_axes[i])
                        * work.rows_l[j, world]
                    )
                else:
                    d = (
                        on_axes(work.solution[model.joint_node_a[j], world], model.friction_axes[i])
                        * work.rows_a[j, world]
                    )
                memory.friction_impulse[i, world] = memory.friction_impulse[i, world] - d

    return locals()
