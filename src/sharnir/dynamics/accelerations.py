"""Accelerations and reactions at a given state, through the factors of the direct solver.

    [ M   J^T   ] [  a ]   [     F - w x I w      ]
    [ J  -Gamma ] [ -l ] = [ -J' V + Gamma l_start ]

J' V, what the locked axes of a joint accelerate by when no body does, is in ``bias.py``.

Inside a step the poses are a little off the joints, and there redundant rows of a loop (Bricard's mechanism) contradict
each other. Gamma is therefore larger there than at the start, and acts on the change of the reactions since the start
only, so that it does not soften the joints. Springs and dampers are forces here, not rows.

V in J' V is ``work.velocity`` and ``work.spin``, which satisfy J V = 0; forces take the state's own velocities.
"""

from .algebra import make_algebra
from .bias import make_bias
from .coordinates import make_coordinates
from .factory import Features, Made, Precision, factory, functions, wp
from .rows.joint_matrix import make_joint_matrix
from .rows.lock import make_lock
from .rows.soft import make_soft
from .solvers.factors import make_factors

OFF_JOINTS = 10.0  # how much larger Gamma is inside a step


@factory
def make_accelerations(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    algebra, geometry, factors = make_algebra(p), make_coordinates(p), make_factors(p, features)
    Frames, bias_of, slip_of = geometry.Frames, make_bias(p, features), make_bias(p, features).slip_of
    Vectors, Numbers = wp.array(dtype=vec3, ndim=2), wp.array(dtype=real, ndim=2)  # for every joint
    linear_rows = make_joint_matrix(p, features).linear_rows
    pick = make_lock(p, features).pick
    soft = make_soft(p, features)

    GAMMA = wp.constant(real(1e-7 if p.name == "float64" else 1e-5))  # of a joint's own inverse mass

    # --- what depends on the poses ------------------------------------------------------------------------------------

    @func
    def place_body(model, state, work, b: int, world: int):
        """The inertia of body b in world axes, kg m^2."""
        turn = wp.quat_to_matrix(state.rotation[b, world])
        work.inertia[b, world] = algebra.packed(turn * model.inertia[b, world] * wp.transpose(turn))

    @func
    def place_joint(model, state, work, f: Frames, j: int, world: int):
        """Arms and locked directions of joint j."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        arm = wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
        work.arm_b[j, world] = arm
        work.arm_a[j, world] = state.position[b, world] + arm - state.position[a, world]
        if wp.static(features.partial_locks):
            work.rows_l[j, world] = algebra.diagonal(real(1.0))
            if model.linear_lock[j] != 7:
                work.rows_l[j, world] = pick(geometry.linear_basis(f, model.basis[j]), model.linear_lock[j])
        if wp.static(features.angular_rows):
            work.rows_a[j, world] = pick(geometry.angular_basis(f, model.basis[j]), model.angular_lock[j])

    @func
    def turning_inverse_mass(model, b: int, world: int) -> real:
        """The inverse of a body's inertia, for a slender one that across it, 1/(kg m^2)."""
        if model.inv_mass[b, world] == real(0.0):
            return real(0.0)
        return real(2.0) / wp.trace(model.inertia[b, world])

    @func
    def set_softness(model, work, share: real, j: int, world: int):
        """A share of the least inverse mass in any direction: a point mass on an arm is hard along it, soft across."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        work.softness_l[j, world] = share * (model.inv_mass[a, world] + model.inv_mass[b, world])
        work.softness_a[j, world] = share * (
            turning_inverse_mass(model, a, world) + turning_inverse_mass(model, b, world)
        )

    @func
    def factor_poses(model, state, memory, work, settings, at_start: bool, world: int):
        """Everything that depends on the poses alone, up to the factors."""
        for b in range(1, settings.bodies):
            if model.body_node[b] >= 0:
                place_body(model, state, work, b, world)
        for j in range(settings.joints):
            place_joint(model, state, work, geometry.frames_of(model, state, j, world), j, world)
            if at_start:
                set_softness(model, work, GAMMA, j, world)
                work.start_reaction[j, world] = vec3()
                if wp.static(features.angular_locks):
                    work.start_reaction_torque[j, world] = vec3()
            if wp.static(features.soft):
                for i in range(model.soft_start[j], model.soft_end[j]):
                    work.soft_y[i, world] = real(0.0)  # no row in the matrix
        factors.factor(model, memory, work, settings, world)

    # --- right-hand sides ---------------------------------------------------------------------------------------------

    @func
    def forces_on_body(model, control, state, work, b: int, world: int):
        """F and -w x I w as right-hand sides of body b, N and N m."""
        node = model.body_node[b]
        if node >= 0:
            spin = state.spin[b, world]
            work.solution[node, world] = model.gravity[world] / model.inv_mass[b, world] + control.force[b, world]
            work.solution[node + 1, world] = control.torque[b, world] - wp.cross(
                spin, algebra.full(work.inertia[b, world]) * spin
            )

    @func
    def rows_of_joint(model, state, work, j: int, world: int):
        """-J' V + Gamma l_start as right-hand sides of joint j, m/s^2 and rad/s^2."""
        if model.joint_node_l[j] >= 0:
            bias = (
                bias_of.linear_bias(model, state, work, j, world)
                - work.softness_l[j, world] * work.start_reaction[j, world]
            )
            if wp.static(features.partial_locks):
                bias = linear_rows(work, j, world) * bias
            work.solution[model.joint_node_l[j], world] = -bias
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0:
                bias = work.rows_a[j, world] * bias_of.angular_bias(model, state, work, j, world)
                if wp.static(features.angular_locks):
                    bias = bias - work.softness_a[j, world] * (
                        work.rows_a[j, world] * work.start_reaction_torque[j, world]
                    )
                work.solution[model.joint_node_a[j], world] = -bias

    @func
    def pull_body(work, node: int, force: vec3, torque: vec3, world: int):
        """Add a force (N) and a torque (N m) to the right-hand side of a body."""
        if node >= 0:
            work.solution[node, world] = work.solution[node, world] + force
            work.solution[node + 1, world] = work.solution[node + 1, world] + torque

    @func
    def push_apart(model, work, linear: bool, d: vec3, j: int, world: int):
        """A force d at b's anchor, or a torque d: on b as it is, on a reversed."""
        a = model.body_node[model.joint_a[j]]
        b = model.body_node[model.joint_b[j]]
        if linear:
            pull_body(work, a, -d, -wp.cross(work.arm_a[j, world], d), world)
            pull_body(work, b, d, wp.cross(work.arm_b[j, world], d), world)
        else:
            pull_body(work, a, vec3(), -d, world)
            pull_body(work, b, vec3(), d, world)

    @func
    def apply_soft(model, state, memory, work, time: real, i: int, world: int):
        """Springs and dampers of soft row i; their impulse over ``time`` is noted."""
        j = model.soft_joint[i]
        f = geometry.frames_of(model, state, j, world)
        axis = soft.soft_direction(model, f, i, j)
        linear = model.soft_linear[i]
        force = soft.soft_force(model, state, f, soft.rate_before(model, state, work, axis, linear, j, world), i, world)
        memory.soft_impulse[i, world] = memory.soft_impulse[i, world] + time * force
        push_apart(model, work, linear == 1, force * axis, j, world)

    @func
    def apply_effort(model, control, state, work, i: int, world: int):
        """The effort on free coordinate i, N or N m, between the bodies of its joint."""
        effort = control.effort[i, world]
        if effort != real(0.0):
            j = model.coordinate_joint[i]
            kind = model.coordinate_kind[i]
            push_apart(
                model,
                work,
                geometry.is_length(kind),
                effort * geometry.coordinate_axis(geometry.frames_of(model, state, j, world), kind),
                j,
                world,
            )

    @func
    def share_of(stage: int) -> real:
        """The share of a stage in the impulses of the step."""
        if stage == 1 or stage == 2:
            return real(1.0) / real(3.0)
        return real(1.0) / real(6.0)

    # --- the solution -------------------------------------------------------------------------------------------------

    @func
    def note_start(reaction: Vectors, start: Vectors, softness: Numbers, x: vec3, j: int, world: int):
        """The reaction at the start, against x; from now on a redundant joint yields as off its joints."""
        reaction[j, world] = -x
        start[j, world] = -x
        softness[j, world] = wp.static(real(OFF_JOINTS)) * softness[j, world]

    @func
    def note_reaction(model, memory, work, stage: int, time: real, j: int, world: int):
        """Add the impulse of joint j's locked axes over ``time``; the reactions at the start and the end are kept."""
        if model.joint_node_l[j] >= 0:
            x = work.solution[model.joint_node_l[j], world]
            if wp.static(features.partial_locks):
                x = x * linear_rows(work, j, world)
            memory.lock_impulse[j, world] = memory.lock_impulse[j, world] - time * x
            memory.reaction_now[j, world] = -x
            if stage == 0:
                note_start(memory.reaction, work.start_reaction, work.softness_l, x, j, world)
        if wp.static(features.angular_locks):
            if model.angular_lock[j] != 0:
                x = work.solution[model.joint_node_a[j], world] * work.rows_a[j, world]
                memory.lock_angular[j, world] = memory.lock_angular[j, world] - time * x
                memory.reaction_torque_now[j, world] = -x
                if stage == 0:
                    note_start(memory.reaction_torque, work.start_reaction_torque, work.softness_a, x, j, world)

    @func
    def accelerate(model, control, state, memory, work, settings, stage: int, world: int):
        """Accelerations of the bodies into ``solution``; the impulses over the stage are added to the memory."""
        time = share_of(stage) * settings.dt
        for b in range(1, settings.bodies):
            forces_on_body(model, control, state, work, b, world)
        for j in range(settings.joints):
            rows_of_joint(model, state, work, j, world)
        if wp.static(features.soft):
            for i in range(settings.softs):
                apply_soft(model, state, memory, work, time, i, world)
        for i in range(settings.coordinates):
            apply_effort(model, control, state, work, i, world)
        factors.substitute(model, work, settings, world)
        for j in range(settings.joints):
            note_reaction(model, memory, work, stage, time, j, world)

    return locals()
