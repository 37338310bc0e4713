"""Accelerations and reactions at a given state, through the factors of the direct solver.

    [ M   J^T   ] [  a ]   [     F - w x I w      ]
    [ J  -Gamma ] [ -l ] = [ -J' V + Gamma l_start ]

J' V, what the locked axes of a joint accelerate by when no body does, is in ``bias.py``.

Inside a step the poses are a little off the joints, and there redundant rows of a loop (Bricard's mechanism) contradict
each other. Gamma is therefore larger there than at the start, and acts on the change of the reactions since the start
only, so that it does not soften the joints. Springs and dampers are forces here, not rows.

V in J' V is ``work.velocity`` and ``work.spin``, which satisfy J V = 0; forces take the state's own velocities.
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import structs
from ..model.precision import Precision
from .algebra import make_algebra
from .bias import make_bias
from .coordinates import make_coordinates
from .rows.joint_matrix import make_joint_matrix
from .rows.lock import make_lock
from .rows.soft import make_soft
from .solvers.direct import make_direct

wp = load_warp()

OFF_JOINTS = 10.0  # how much larger Gamma is inside a step


@cache
def make_accelerations(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    algebra, geometry, direct = make_algebra(p), make_coordinates(p), make_direct(p, features)
    Frames = geometry.Frames
    bias_of = make_bias(p, features)
    slip_of = bias_of.slip_of
    linear_rows = make_joint_matrix(p, features).linear_rows
    pick = make_lock(p, features).pick
    soft = make_soft(p, features)

    GAMMA = wp.constant(real(1e-7 if p.name == "float64" else 1e-5))  # of a joint's own inverse mass

    # --- what depends on the poses ------------------------------------------------------------------------------------

    @wp.func
    def place_body(m: t.model, s: t.state, k: t.work, b: int, w: int):
        """The inertia of body b in world axes, kg m^2."""
        turn = wp.quat_to_matrix(s.rotation[b, w])
        k.inertia[b, w] = algebra.packed(turn * m.inertia[b, w] * wp.transpose(turn))

    @wp.func
    def place_joint(m: t.model, s: t.state, k: t.work, f: Frames, j: int, w: int):
        """Arms and locked directions of joint j."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        arm = wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
        k.arm_b[j, w] = arm
        k.arm_a[j, w] = s.position[b, w] + arm - s.position[a, w]
        if wp.static(features.partial_locks):
            k.rows_l[j, w] = algebra.diagonal(real(1.0))
            if m.linear_lock[j] != 7:
                k.rows_l[j, w] = pick(geometry.linear_basis(f, m.basis[j]), m.linear_lock[j])
        if wp.static(features.angular_rows):
            k.rows_a[j, w] = pick(geometry.angular_basis(f, m.basis[j]), m.angular_lock[j])

    @wp.func
    def turn_ease(m: t.model, b: int, w: int) -> real:
        """The inverse of a body's inertia, for a slender one that across it, 1/(kg m^2)."""
        if m.inv_mass[b, w] == real(0.0):
            return real(0.0)
        return real(2.0) / wp.trace(m.inertia[b, w])

    @wp.func
    def set_softness(m: t.model, k: t.work, share: real, j: int, w: int):
        """A share of the least inverse mass in any direction: a point mass on an arm is hard along it, soft across."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        k.softness_l[j, w] = share * (m.inv_mass[a, w] + m.inv_mass[b, w])
        k.softness_a[j, w] = share * (turn_ease(m, a, w) + turn_ease(m, b, w))

    @wp.func
    def factor_poses(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, at_start: bool, w: int):
        """Everything that depends on the poses alone, up to the factors."""
        for b in range(1, o.bodies):
            if m.body_node[b] >= 0:
                place_body(m, s, k, b, w)
        for j in range(o.joints):
            place_joint(m, s, k, geometry.frames_of(m, s, j, w), j, w)
            if at_start:
                set_softness(m, k, GAMMA, j, w)
                k.start_reaction[j, w] = vec3()
                if wp.static(features.angular_locks):
                    k.start_reaction_torque[j, w] = vec3()
            if wp.static(features.soft):
                for i in range(m.soft_start[j], m.soft_end[j]):
                    k.soft_y[i, w] = real(0.0)  # no row in the matrix
        direct.factor(m, n, k, o, w)

    # --- right-hand sides ---------------------------------------------------------------------------------------------

    @wp.func
    def forces_on_body(m: t.model, c: t.control, s: t.state, k: t.work, b: int, w: int):
        """F and -w x I w as right-hand sides of body b, N and N m."""
        node = m.body_node[b]
        if node >= 0:
            spin = s.spin[b, w]
            k.solution[node, w] = m.gravity[w] / m.inv_mass[b, w] + c.force[b, w]
            k.solution[node + 1, w] = c.torque[b, w] - wp.cross(spin, algebra.full(k.inertia[b, w]) * spin)

    @wp.func
    def rows_of_joint(m: t.model, s: t.state, k: t.work, j: int, w: int):
        """-J' V + Gamma l_start as right-hand sides of joint j, m/s^2 and rad/s^2."""
        if m.joint_node_l[j] >= 0:
            bias = bias_of.linear_bias(m, s, k, j, w) - k.softness_l[j, w] * k.start_reaction[j, w]
            if wp.static(features.partial_locks):
                bias = linear_rows(k, j, w) * bias
            k.solution[m.joint_node_l[j], w] = -bias
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                bias = k.rows_a[j, w] * bias_of.angular_bias(m, s, k, j, w)
                if wp.static(features.angular_locks):
                    bias = bias - k.softness_a[j, w] * (k.rows_a[j, w] * k.start_reaction_torque[j, w])
                k.solution[m.joint_node_a[j], w] = -bias

    @wp.func
    def pull_body(k: t.work, node: int, force: vec3, torque: vec3, w: int):
        """Add a force (N) and a torque (N m) to the right-hand side of a body."""
        if node >= 0:
            k.solution[node, w] = k.solution[node, w] + force
            k.solution[node + 1, w] = k.solution[node + 1, w] + torque

    @wp.func
    def push_apart(m: t.model, k: t.work, linear: bool, d: vec3, j: int, w: int):
        """A force d at b's anchor, or a torque d: on b as it is, on a reversed."""
        a = m.body_node[m.joint_a[j]]
        b = m.body_node[m.joint_b[j]]
        if linear:
            pull_body(k, a, -d, -wp.cross(k.arm_a[j, w], d), w)
            pull_body(k, b, d, wp.cross(k.arm_b[j, w], d), w)
        else:
            pull_body(k, a, vec3(), -d, w)
            pull_body(k, b, vec3(), d, w)

    @wp.func
    def apply_soft(m: t.model, s: t.state, n: t.memory, k: t.work, time: real, i: int, w: int):
        """Springs and dampers of soft row i; their impulse over ``time`` is noted."""
        j = m.soft_joint[i]
        f = geometry.frames_of(m, s, j, w)
        axis = soft.soft_direction(m, f, i, j)
        linear = m.soft_linear[i]
        force = soft.soft_force(m, s, f, soft.rate_before(m, s, k, axis, linear, j, w), i, w)
        n.soft_impulse[i, w] = n.soft_impulse[i, w] + time * force
        push_apart(m, k, linear == 1, force * axis, j, w)

    @wp.func
    def apply_effort(m: t.model, c: t.control, s: t.state, k: t.work, i: int, w: int):
        """The effort on free coordinate i, N or N m, between the bodies of its joint."""
        effort = c.effort[i, w]
        if effort != real(0.0):
            j = m.coordinate_joint[i]
            kind = m.coordinate_kind[i]
            push_apart(
                m,
                k,
                geometry.is_length(kind),
                effort * geometry.coordinate_axis(geometry.frames_of(m, s, j, w), kind),
                j,
                w,
            )

    @wp.func
    def share_of(stage: int) -> real:
        """The share of a stage in the impulses of the step."""
        if stage == 1 or stage == 2:
            return real(1.0) / real(3.0)
        return real(1.0) / real(6.0)

    # --- the solution -------------------------------------------------------------------------------------------------

    @wp.func
    def note_reaction(m: t.model, n: t.memory, k: t.work, stage: int, time: real, j: int, w: int):
        """Add the impulse of joint j's locked axes over ``time``; the reactions at the start and the end are kept."""
        if m.joint_node_l[j] >= 0:
            x = k.solution[m.joint_node_l[j], w]
            if wp.static(features.partial_locks):
                x = x * linear_rows(k, j, w)
            n.lock_impulse[j, w] = n.lock_impulse[j, w] - time * x
            n.reaction_now[j, w] = -x
            if stage == 0:
                n.reaction[j, w] = -x
                k.start_reaction[j, w] = -x
                k.softness_l[j, w] = wp.static(real(OFF_JOINTS)) * k.softness_l[j, w]
        if wp.static(features.angular_locks):
            if m.angular_lock[j] != 0:
                x = k.solution[m.joint_node_a[j], w] * k.rows_a[j, w]
                n.lock_angular[j, w] = n.lock_angular[j, w] - time * x
                n.reaction_torque_now[j, w] = -x
                if stage == 0:
                    n.reaction_torque[j, w] = -x
                    k.start_reaction_torque[j, w] = -x
                    k.softness_a[j, w] = wp.static(real(OFF_JOINTS)) * k.softness_a[j, w]

    @wp.func
    def accelerate(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, o: t.settings, stage: int, w: int):
        """Accelerations of the bodies into ``solution``; the impulses over the stage are added to the memory."""
        time = share_of(stage) * o.dt
        for b in range(1, o.bodies):
            forces_on_body(m, c, s, k, b, w)
        for j in range(o.joints):
            rows_of_joint(m, s, k, j, w)
        if wp.static(features.soft):
            for i in range(o.softs):
                apply_soft(m, s, n, k, time, i, w)
        for i in range(o.coordinates):
            apply_effort(m, c, s, k, i, w)
        direct.substitute(m, k, o, w)
        for j in range(o.joints):
            note_reaction(m, n, k, stage, time, j, w)

    return SimpleNamespace(place_joint=place_joint, slip_of=slip_of, factor_poses=factor_poses, accelerate=accelerate)
