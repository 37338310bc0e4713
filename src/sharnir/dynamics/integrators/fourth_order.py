"""The fourth-order step: Nyström's rule (1925) on the accelerations, and a projection onto the joints.

    k1 = a(y, y')                                       y = (x, q),  y' = (v, w q/2),  y'' = (a, w' q/2 - |w|^2 q/4)
    k2 = a(y + h y'/2 + h^2 k1/8, y' + h k1/2)
    k3 = a(the same pose,         y' + h k2/2)          y_new  = y  + h y' + h^2 (k1 + k2 + k3)/6
    k4 = a(y + h y' + h^2 k3/2,   y' + h k3)            y_new' = y' + h (k1 + 2 k2 + 2 k3 + k4)/6

The accelerations a, with the reactions of the joints (``accelerations.py``), need the direct solver's factors at three
poses. Each stage, and the end, is brought back onto the joints, G = 0 and J V = 0, by the factors that are there: those
of the pose before. In the stages the velocities so corrected serve J' V alone; they differ from the projection at the
pose itself by the order h^3 in directions M^-1 J^T, which the projection at the end takes out again.

All that acts is explicit here, so the step is for smooth motion: gravity, forces, efforts, springs and dampers slower
than the step. Where a limit is met, a spring or damper is too stiff for the step, or the joints do not close, the
attempt is given up and the step is a leapfrog one (``leapfrog.py``).
"""

from ..accelerations import make_accelerations
from ..algebra import make_algebra
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..rows.groups import make_rows
from ..rows.joint_matrix import make_joint_matrix
from ..rows.limit import make_limit
from ..rows.soft import make_soft
from ..solvers.factors import make_factors
from ..stiffen import STARTED
from ..watch import make_watch

PROJECTIONS = 5


@factory
def make_fourth_order(p: Precision, features: Features) -> Made:
    real, vec3, quat = p.real, p.vec3, p.quat
    func = functions(p)
    rotated, factors = make_algebra(p).rotated, make_factors(p, features)
    geometry = make_coordinates(p)
    Frames = geometry.Frames
    linear_rows, rows = make_joint_matrix(p, features).linear_rows, make_rows(p, features)
    problem = make_accelerations(p, features)
    limit_passed = make_limit(p, features).limit_passed
    soft_is_stiff = make_soft(p, features).soft_is_stiff
    watch_turns = make_watch(p, features).watch_turns

    # m or rad, velocities times dt: what is left after one more projection is a thousandth of it or less
    NEAR_JOINTS = wp.constant(real(1e-5 if p.name == "float64" else 1e-3))

    STEADY = wp.constant(real(0.03))  # 13 steps in a period, see is_steady
    STILL = wp.constant(real(1e-12))  # J/kg: what moves by a micrometre a second is at rest

    # --- back onto the joints -----------------------------------------------------------------------------------------

    @func
    def locked_slip(model, work, j: int, world: int) -> vec3:
        """The slip along the locked translations of joint j, m/s."""
        if wp.static(features.partial_locks):
            return linear_rows(work, j, world) * problem.slip_of(model, work, j, world)
        return problem.slip_of(model, work, j, world)

    @func
    def locked_turning(model, work, j: int, world: int) -> vec3:
        """The relative spin about its locked rotations, rad/s."""
        return work.rows_a[j, world] * (work.spin[model.joint_b[j], world] - work.spin[model.joint_a[j], world])

    @func
    def gaps_to_solution(model, work, f: Frames, j: int, world: int) -> real:
        """The error of joint j's pose as a right-hand side; the worst of its entries."""
        worst = real(0.0)
        if model.joint_node_l[j] >= 0:
            error = f.offset
            if model.linear_lock[j] != 7:
                basis = geometry.linear_basis(f, model.basis[j])
                error = geometry.linear_error(f, basis, model.basis[j], model.linear_lock[j], model.length[j])
            work.solution[model.joint_node_l[j], world] = -error
            worst = wp.length(error)
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0:
                error = geometry.angular_error(f, geometry.angular_basis(f, model.basis[j]), model.angular_lock[j])
                work.solution[model.joint_node_a[j], world] = -error
                worst = wp.max(worst, wp.length(error))
        return worst

    @func
    def joint_errors(model, state, work, dt: real, j: int, world: int) -> real:
        """The errors of joint j's locked axes, in pose and in velocity, as right-hand sides; the worst of them."""
        f = geometry.frames_of(model, state, j, world)
        problem.place_joint(model, state, work, f, j, world)
        worst = gaps_to_solution(model, work, f, j, world)
        if model.joint_node_l[j] >= 0:
            slip = locked_slip(model, work, j, world)
            work.push_solution[model.joint_node_l[j], world] = -slip
            worst = wp.max(worst, dt * wp.length(slip))
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0:
                turning = locked_turning(model, work, j, world)
                work.push_solution[model.joint_node_a[j], world] = -turning
                worst = wp.max(worst, dt * wp.length(turning))
        return worst

    @func
    def project(model, state, work, settings, world: int) -> real:
        """One Newton step towards G = 0 and J V = 0; the worst error before it."""
        factors.clear_bodies(model, work.solution, settings, world)
        factors.clear_bodies(model, work.push_solution, settings, world)
        worst = real(0.0)
        for j in range(settings.joints):
            worst = wp.max(worst, joint_errors(model, state, work, settings.dt, j, world))
        factors.substitute_both(model, work, settings, world)
        for b in range(1, settings.bodies):
            node = model.body_node[b]
            if node >= 0:
                state.position[b, world] = state.position[b, world] + work.solution[node, world]
                state.rotation[b, world] = rotated(state.rotation[b, world], work.solution[node + 1, world])
                work.velocity[b, world] = work.velocity[b, world] + work.push_solution[node, world]
                work.spin[b, world] = work.spin[b, world] + work.push_solution[node + 1, world]
        return worst

    @func
    def project_velocities(model, work, settings, world: int):
        """J V = 0 at poses that have been factored."""
        factors.clear_bodies(model, work.solution, settings, world)
        for j in range(settings.joints):
            if model.joint_node_l[j] >= 0:
                work.solution[model.joint_node_l[j], world] = -locked_slip(model, work, j, world)
            if wp.static(features.angular_rows):
                if model.joint_node_a[j] >= 0:
                    work.solution[model.joint_node_a[j], world] = -locked_turning(model, work, j, world)
        factors.substitute(model, work, settings, world)
        factors.add_bodies(model, work.solution, work.velocity, work.spin, settings, world)

    # --- the stages ---------------------------------------------------------------------------------------------------

    @func
    def half_turn(spin: vec3, rotation: quat) -> quat:
        """w q/2."""
        return real(0.5) * (quat(spin[0], spin[1], spin[2], real(0.0)) * rotation)

    @func
    def start_body(state, memory, work, b: int, world: int):
        """Write down where body b starts and how fast."""
        work.start_position[b, world] = state.position[b, world]
        work.start_rotation[b, world] = state.rotation[b, world]
        work.start_velocity[b, world] = state.velocity[b, world]
        work.start_spin[b, world] = state.spin[b, world]
        memory.start_velocity[b, world] = state.velocity[b, world]
        memory.start_spin[b, world] = state.spin[b, world]
        work.velocity[b, world] = state.velocity[b, world]
        work.spin[b, world] = state.spin[b, world]

    @func
    def back_to_start(state, work, b: int, world: int):
        """Body b as it was when the step began."""
        state.position[b, world] = work.start_position[b, world]
        state.rotation[b, world] = work.start_rotation[b, world]
        state.velocity[b, world] = work.start_velocity[b, world]
        state.spin[b, world] = work.start_spin[b, world]

    @func
    def move(state, work, h: real, pull: vec3, bend: quat, b: int, world: int) -> real:
        """The pose y + h y' + h^2/2 y''; the length of q before it is made a unit."""
        start = work.start_rotation[b, world]
        half = real(0.5) * h * h
        q = start + h * half_turn(work.start_spin[b, world], start) + half * bend
        size = wp.length(q)
        state.position[b, world] = work.start_position[b, world] + h * work.start_velocity[b, world] + half * pull
        state.rotation[b, world] = q / size
        return size

    @func
    def speed_up(state, work, h: real, pull: vec3, bend: quat, size: real, b: int, world: int):
        """The velocity y' + h y'', the spin as w = 2 q' q^-1."""
        turning = half_turn(work.start_spin[b, world], work.start_rotation[b, world]) + h * bend
        twice = (real(2.0) / size) * (turning * wp.quat_inverse(state.rotation[b, world]))
        state.velocity[b, world] = work.start_velocity[b, world] + h * pull
        state.spin[b, world] = vec3(twice[0], twice[1], twice[2])
        work.velocity[b, world] = state.velocity[b, world]
        work.spin[b, world] = state.spin[b, world]

    @func
    def kinetic_energy(model, velocity: vec3, spin: vec3, b: int, world: int) -> real:
        """Of body b at these velocities, with the mean of its moments, J."""
        moving = real(0.5) * wp.dot(velocity, velocity) / model.inv_mass[b, world]
        return moving + wp.trace(model.inertia[b, world]) * wp.dot(spin, spin) / real(6.0)

    @func
    def next_stage(model, state, work, dt: real, stage: int, b: int, world: int):
        """Move body b by the accelerations just found: to the next stage, or after the last to the end of the step."""
        node = model.body_node[b]
        spin = state.spin[b, world]
        rotation = state.rotation[b, world]
        pull = work.solution[node, world]
        bend = half_turn(work.solution[node + 1, world], rotation) - real(0.25) * wp.dot(spin, spin) * rotation
        if stage == 0:
            work.start_acceleration[b, world] = pull
            work.start_rotation_acceleration[b, world] = bend
            work.size[b, world] = move(state, work, real(0.5) * dt, pull, bend, b, world)
            speed_up(state, work, real(0.5) * dt, pull, bend, work.size[b, world], b, world)
        elif stage == 1:
            work.middle_acceleration[b, world] = pull
            work.middle_rotation_acceleration[b, world] = bend
            speed_up(state, work, real(0.5) * dt, pull, bend, work.size[b, world], b, world)
        elif stage == 2:
            work.middle_acceleration[b, world] = work.middle_acceleration[b, world] + pull
            work.middle_rotation_acceleration[b, world] = work.middle_rotation_acceleration[b, world] + bend
            speed_up(state, work, dt, pull, bend, move(state, work, dt, pull, bend, b, world), b, world)
        else:
            jump = dt * (pull - work.start_acceleration[b, world])
            turn = real(2.0) * dt * (bend - work.start_rotation_acceleration[b, world])
            work.jump[b, world] = kinetic_energy(model, jump, vec3(turn[0], turn[1], turn[2]), b, world)
            third = real(1.0) / real(3.0)
            pose_pull = third * (work.start_acceleration[b, world] + work.middle_acceleration[b, world])
            pose_bend = third * (
                work.start_rotation_acceleration[b, world] + work.middle_rotation_acceleration[b, world]
            )
            size = move(state, work, dt, pose_pull, pose_bend, b, world)
            sixth = real(1.0) / real(6.0)
            pull = sixth * (work.start_acceleration[b, world] + real(2.0) * work.middle_acceleration[b, world] + pull)
            bend = sixth * (
                work.start_rotation_acceleration[b, world]
                + real(2.0) * work.middle_rotation_acceleration[b, world]
                + bend
            )
            speed_up(state, work, dt, pull, bend, size, b, world)

    # --- is it smooth? ------------------------------------------------------------------------------------------------

    @func
    def limits_are_free(model, state, settings, world: int) -> bool:
        """Whether no coordinate is beyond a limit."""
        for i in range(settings.limits):
            if limit_passed(model, state, i, world):
                return False
        return True

    @func
    def softs_are_slow(model, state, settings, world: int) -> bool:
        """Whether no spring or damper is too fast for an explicit step."""
        for i in range(settings.softs):
            if soft_is_stiff(model, state, settings.dt, i, world):
                return False
        return True

    @func
    def has_calmed(model, state, memory, settings, world: int) -> bool:
        """Whether leapfrog steps before have ended in smooth motion: else their last velocities are a guess."""
        jump = real(0.0)
        motion = real(0.0)
        for b in range(1, settings.bodies):
            if model.body_node[b] >= 0:
                now = kinetic_energy(model, state.velocity[b, world], state.spin[b, world], b, world)
                motion = motion + real(2.0) * now + STILL / model.inv_mass[b, world]
                jump = jump + kinetic_energy(
                    model, memory.kick_change[b, world], memory.kick_spin_change[b, world], b, world
                )
        return jump <= STEADY * motion

    @func
    def may_begin(model, state, memory, settings, world: int) -> bool:
        """Whether nothing at the start is too abrupt for an explicit step."""
        if memory.kick[world] > real(0.0):
            if not has_calmed(model, state, memory, settings, world):
                return False
        if wp.static(features.limits):
            if not limits_are_free(model, state, settings, world):
                return False
        if wp.static(features.soft):
            return softs_are_slow(model, state, settings, world)
        return True

    @func
    def speeds_are_sound(work, settings, world: int) -> bool:
        """Whether all velocities are finite and below the top speed."""
        for b in range(1, settings.bodies):
            # written so that a speed that is no number fails
            if not (
                wp.length(work.velocity[b, world]) < settings.top_speed
                and wp.length(work.spin[b, world]) < settings.top_speed
            ):
                return False
        return True

    @func
    def is_steady(model, work, settings, world: int) -> bool:
        """Whether the accelerations of a step change little beside the motion: over dt, by a share of its energy.

        A mass on a spring has (w h)^4/2. A slack chain that goes taut turns round within a step, and an explicit step
        may give it any energy then.
        """
        jump = real(0.0)
        motion = real(0.0)
        for b in range(1, settings.bodies):
            if model.body_node[b] >= 0:
                start = kinetic_energy(model, work.start_velocity[b, world], work.start_spin[b, world], b, world)
                end = kinetic_energy(model, work.velocity[b, world], work.spin[b, world], b, world)
                motion = motion + start + end + STILL / model.inv_mass[b, world]
                jump = jump + work.jump[b, world]
        return jump <= STEADY * motion

    @func
    def hand_over_body(model, memory, work, dt: real, b: int, world: int):
        """What a leapfrog step keeps of the one before, as if one had led here: v_{n-1/2} = v_n - (h/2) a_n."""
        rotation = work.start_rotation[b, world]
        turned = work.start_rotation_acceleration[b, world] * wp.quat_inverse(rotation)
        spin = wp.quat_rotate_inv(rotation, work.start_spin[b, world])
        gyroscopic = model.inv_inertia[b, world] * wp.cross(spin, model.inertia[b, world] * spin)
        kick = dt * work.start_acceleration[b, world]
        kick_spin = dt * (real(2.0) * vec3(turned[0], turned[1], turned[2]) + wp.quat_rotate(rotation, gyroscopic))
        memory.mid_velocity[b, world] = work.start_velocity[b, world] - real(0.5) * kick
        memory.mid_spin[b, world] = work.start_spin[b, world] - real(0.5) * kick_spin
        memory.kick_velocity[b, world] = kick
        memory.kick_spin[b, world] = kick_spin
        memory.stiffness_mark[b, world] = wp.static(STARTED)

    @func
    def hand_over(model, control, memory, work, settings, world: int):
        """Let a leapfrog step go on from smooth ones: one that starts anew in the middle of a blow may gain energy."""
        if memory.kick[world] < real(0.0) and memory.was_smooth[world] == 1:
            memory.kick[world] = settings.dt
            for b in range(1, settings.bodies):
                if model.body_node[b] >= 0:
                    hand_over_body(model, memory, work, settings.dt, b, world)
                    memory.last_force[b, world] = control.force[b, world]
                    memory.last_torque[b, world] = control.torque[b, world]
            for i in range(settings.coordinates):
                memory.last_effort[i, world] = control.effort[i, world]
            memory.last_gravity[world] = model.gravity[world]

    @func
    def end_step(model, state, memory, work, report, settings, error: real, world: int) -> bool:
        """Keep the step if it was smooth, with an error of its joints that one more projection takes out."""
        smooth = error <= NEAR_JOINTS and speeds_are_sound(work, settings, world)
        if wp.static(features.limits):
            smooth = smooth and limits_are_free(model, state, settings, world)
        if smooth:
            smooth = is_steady(model, work, settings, world)
        for b in range(1, settings.bodies):
            if smooth:
                state.velocity[b, world] = work.velocity[b, world]
                state.spin[b, world] = work.spin[b, world]
            else:
                back_to_start(state, work, b, world)
        if smooth:
            if wp.static(features.twists):
                for i in range(settings.twists):
                    geometry.count_turns(model, state, settings.dt, i, world)
            for j in range(settings.joints):  # what kept the equations of accelerations regular stores no energy
                work.closing_energy[j, world] = real(0.0)
            memory.was_smooth[world] = 1
            memory.kick[world] = -settings.dt  # velocities are those of the state: a leapfrog step would start anew
            watch_turns(model, state, report, settings, world)
            report.step[world] = report.step[world] + 1
            report.joint_error[world] = error
            report.iterations[world] = 0
            report.residual[world] = real(0.0)
            report.done[world] = 1
        return smooth

    @func
    def smooth_steps(model, control, state, memory, work, report, settings, task: wp.vec2i) -> int:
        """Make steps, at most as many as the task says, as long as the motion is smooth; returns how many were made.

        The state is left as it was before the first step that is not smooth. All steps are made in here, and each
        stage is written once, because Warp hands structs over by value: a call costs as much as the stage of a small
        mechanism.
        """
        world = task[0]
        made = int(0)
        while made < task[1] and may_begin(model, state, memory, settings, world):
            for b in range(1, settings.bodies):
                start_body(state, memory, work, b, world)
            rows.scale(model, memory, settings, real(0.0), world)
            error = real(0.0)
            stage = int(0)
            while stage < 4 or (stage < wp.static(4 + PROJECTIONS) and (stage == 4 or error > NEAR_JOINTS)):
                if stage == 1 or stage > 2:
                    error = project(model, state, work, settings, world)
                if stage == 2:
                    project_velocities(model, work, settings, world)
                elif stage < 4:
                    problem.factor_poses(model, state, memory, work, settings, stage == 0, world)
                if stage < 4:
                    problem.accelerate(model, control, state, memory, work, settings, stage, world)
                    for b in range(1, settings.bodies):
                        if model.body_node[b] >= 0:
                            next_stage(model, state, work, settings.dt, stage, b, world)
                stage += 1
            if not end_step(model, state, memory, work, report, settings, error, world):
                hand_over(model, control, memory, work, settings, world)
                return made
            made += 1
        return made

    return locals()
