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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..accelerations import make_accelerations
from ..algebra import make_algebra
from ..coordinates import make_coordinates
from ..rows.groups import make_rows
from ..rows.joint_matrix import make_joint_matrix
from ..rows.limit import make_limit
from ..rows.soft import make_soft
from ..solvers.direct import make_direct
from ..watch import make_watch

wp = load_warp()

PROJECTIONS = 5


@cache
def make_fourth_order(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, quat = p.real, p.vec3, p.quat
    t = structs(p)
    rotated, direct = make_algebra(p).rotated, make_direct(p, features)
    geometry = make_coordinates(p)
    Frames = geometry.Frames
    linear_rows, rows = make_joint_matrix(p, features).linear_rows, make_rows(p, features)
    problem = make_accelerations(p, features)
    limit_passed = make_limit(p, features).limit_passed
    soft_is_stiff = make_soft(p, features).soft_is_stiff
    watch_turns = make_watch(p, features).watch_turns

    # m or rad, velocities times dt: what is left after one more projection is a thousandth of it or less
    NEAR_JOINTS = wp.constant(real(1e-5 if p.name == "float64" else 1e-3))

    # --- back onto the joints -----------------------------------------------------------------------------------------

    @wp.func
    def locked_slip(m: t.model, k: t.work, j: int, w: int) -> vec3:
        """The slip along the locked translations of joint j, m/s."""
        if wp.static(features.partial_locks):
            return linear_rows(k, j, w) * problem.slip_of(m, k, j, w)
        return problem.slip_of(m, k, j, w)

    @wp.func
    def locked_turning(m: t.model, k: t.work, j: int, w: int) -> vec3:
        """The relative spin about its locked rotations, rad/s."""
        return k.rows_a[j, w] * (k.spin[m.joint_b[j], w] - k.spin[m.joint_a[j], w])

    @wp.func
    def gaps_to_solution(m: t.model, k: t.work, f: Frames, j: int, w: int) -> real:
        """The error of joint j's pose as a right-hand side; the worst of its entries."""
        worst = real(0.0)
        if m.joint_node_l[j] >= 0:
            error = f.offset
            if m.linear_lock[j] != 7:
                basis = geometry.linear_basis(f, m.basis[j])
                error = geometry.linear_error(f, basis, m.basis[j], m.linear_lock[j], m.length[j])
            k.solution[m.joint_node_l[j], w] = -error
            worst = wp.length(error)
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                error = geometry.angular_error(f, geometry.angular_basis(f, m.basis[j]), m.angular_lock[j])
                k.solution[m.joint_node_a[j], w] = -error
                worst = wp.max(worst, wp.length(error))
        return worst

    @wp.func
    def joint_errors(m: t.model, s: t.state, k: t.work, dt: real, j: int, w: int) -> real:
        """The errors of joint j's locked axes, in pose and in velocity, as right-hand sides; the worst of them."""
        f = geometry.frames_of(m, s, j, w)
        problem.place_joint(m, s, k, f, j, w)
        worst = gaps_to_solution(m, k, f, j, w)
        if m.joint_node_l[j] >= 0:
            slip = locked_slip(m, k, j, w)
            k.push_solution[m.joint_node_l[j], w] = -slip
            worst = wp.max(worst, dt * wp.length(slip))
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                turning = locked_turning(m, k, j, w)
                k.push_solution[m.joint_node_a[j], w] = -turning
                worst = wp.max(worst, dt * wp.length(turning))
        return worst

    @wp.func
    def project(m: t.model, s: t.state, k: t.work, o: t.settings, w: int) -> real:
        """One Newton step towards G = 0 and J V = 0; the worst error before it."""
        direct.clear_bodies(m, k, o, w)
        direct.clear_push(m, k, o, w)
        worst = real(0.0)
        for j in range(o.joints):
            worst = wp.max(worst, joint_errors(m, s, k, o.dt, j, w))
        direct.substitute_both(m, k, o, w)
        for b in range(1, o.bodies):
            node = m.body_node[b]
            if node >= 0:
                s.position[b, w] = s.position[b, w] + k.solution[node, w]
                s.rotation[b, w] = rotated(s.rotation[b, w], k.solution[node + 1, w])
                k.velocity[b, w] = k.velocity[b, w] + k.push_solution[node, w]
                k.spin[b, w] = k.spin[b, w] + k.push_solution[node + 1, w]
        return worst

    @wp.func
    def project_velocities(m: t.model, k: t.work, o: t.settings, w: int):
        """J V = 0 at poses that have been factored."""
        direct.clear_bodies(m, k, o, w)
        for j in range(o.joints):
            if m.joint_node_l[j] >= 0:
                k.solution[m.joint_node_l[j], w] = -locked_slip(m, k, j, w)
            if wp.static(features.angular_rows):
                if m.joint_node_a[j] >= 0:
                    k.solution[m.joint_node_a[j], w] = -locked_turning(m, k, j, w)
        direct.substitute(m, k, o, w)
        for b in range(1, o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.velocity[b, w] = k.velocity[b, w] + k.solution[node, w]
                k.spin[b, w] = k.spin[b, w] + k.solution[node + 1, w]

    # --- the stages ---------------------------------------------------------------------------------------------------

    @wp.func
    def half_turn(spin: vec3, rotation: quat) -> quat:
        """w q/2."""
        return real(0.5) * (quat(spin[0], spin[1], spin[2], real(0.0)) * rotation)

    @wp.func
    def start_body(s: t.state, n: t.memory, k: t.work, b: int, w: int):
        """Write down where body b starts and how fast."""
        k.start_position[b, w] = s.position[b, w]
        k.start_rotation[b, w] = s.rotation[b, w]
        k.start_velocity[b, w] = s.velocity[b, w]
        k.start_spin[b, w] = s.spin[b, w]
        n.start_velocity[b, w] = s.velocity[b, w]
        n.start_spin[b, w] = s.spin[b, w]
        k.velocity[b, w] = s.velocity[b, w]
        k.spin[b, w] = s.spin[b, w]

    @wp.func
    def back_to_start(s: t.state, k: t.work, b: int, w: int):
        """Body b as it was when the step began."""
        s.position[b, w] = k.start_position[b, w]
        s.rotation[b, w] = k.start_rotation[b, w]
        s.velocity[b, w] = k.start_velocity[b, w]
        s.spin[b, w] = k.start_spin[b, w]

    @wp.func
    def move(s: t.state, k: t.work, h: real, pull: vec3, bend: quat, b: int, w: int) -> real:
        """The pose y + h y' + h^2/2 y''; the length of q before it is made a unit."""
        start = k.start_rotation[b, w]
        half = real(0.5) * h * h
        q = start + h * half_turn(k.start_spin[b, w], start) + half * bend
        size = wp.length(q)
        s.position[b, w] = k.start_position[b, w] + h * k.start_velocity[b, w] + half * pull
        s.rotation[b, w] = q / size
        return size

    @wp.func
    def speed_up(s: t.state, k: t.work, h: real, pull: vec3, bend: quat, size: real, b: int, w: int):
        """The velocity y' + h y'', the spin as w = 2 q' q^-1."""
        turning = half_turn(k.start_spin[b, w], k.start_rotation[b, w]) + h * bend
        twice = (real(2.0) / size) * (turning * wp.quat_inverse(s.rotation[b, w]))
        s.velocity[b, w] = k.start_velocity[b, w] + h * pull
        s.spin[b, w] = vec3(twice[0], twice[1], twice[2])
        k.velocity[b, w] = s.velocity[b, w]
        k.spin[b, w] = s.spin[b, w]

    @wp.func
    def next_stage(m: t.model, s: t.state, k: t.work, dt: real, stage: int, b: int, w: int):
        """Move body b by the accelerations just found: to the next stage, or after the last to the end of the step."""
        node = m.body_node[b]
        spin = s.spin[b, w]
        rotation = s.rotation[b, w]
        pull = k.solution[node, w]
        bend = half_turn(k.solution[node + 1, w], rotation) - real(0.25) * wp.dot(spin, spin) * rotation
        if stage == 0:
            k.first_pull[b, w] = pull
            k.first_bend[b, w] = bend
            k.size[b, w] = move(s, k, real(0.5) * dt, pull, bend, b, w)
            speed_up(s, k, real(0.5) * dt, pull, bend, k.size[b, w], b, w)
        elif stage == 1:
            k.middle_pull[b, w] = pull
            k.middle_bend[b, w] = bend
            speed_up(s, k, real(0.5) * dt, pull, bend, k.size[b, w], b, w)
        elif stage == 2:
            k.middle_pull[b, w] = k.middle_pull[b, w] + pull
            k.middle_bend[b, w] = k.middle_bend[b, w] + bend
            speed_up(s, k, dt, pull, bend, move(s, k, dt, pull, bend, b, w), b, w)
        else:
            third = real(1.0) / real(3.0)
            pose_pull = third * (k.first_pull[b, w] + k.middle_pull[b, w])
            pose_bend = third * (k.first_bend[b, w] + k.middle_bend[b, w])
            size = move(s, k, dt, pose_pull, pose_bend, b, w)
            sixth = real(1.0) / real(6.0)
            pull = sixth * (k.first_pull[b, w] + real(2.0) * k.middle_pull[b, w] + pull)
            bend = sixth * (k.first_bend[b, w] + real(2.0) * k.middle_bend[b, w] + bend)
            speed_up(s, k, dt, pull, bend, size, b, w)

    # --- is it smooth? ------------------------------------------------------------------------------------------------

    @wp.func
    def limits_are_free(m: t.model, s: t.state, o: t.settings, w: int) -> bool:
        """Whether no coordinate is beyond a limit."""
        for i in range(o.limits):
            if limit_passed(m, s, i, w):
                return False
        return True

    @wp.func
    def softs_are_slow(m: t.model, s: t.state, o: t.settings, w: int) -> bool:
        """Whether no spring or damper is too fast for an explicit step."""
        for i in range(o.softs):
            if soft_is_stiff(m, s, o.dt, i, w):
                return False
        return True

    @wp.func
    def may_begin(m: t.model, s: t.state, o: t.settings, w: int) -> bool:
        """Whether nothing at the start is too abrupt for an explicit step."""
        if wp.static(features.limits):
            if not limits_are_free(m, s, o, w):
                return False
        if wp.static(features.soft):
            return softs_are_slow(m, s, o, w)
        return True

    @wp.func
    def speeds_are_sound(k: t.work, o: t.settings, w: int) -> bool:
        """Whether all velocities are finite and below the top speed."""
        for b in range(1, o.bodies):
            # written so that a speed that is no number fails
            if not (wp.length(k.velocity[b, w]) < o.top_speed and wp.length(k.spin[b, w]) < o.top_speed):
                return False
        return True

    @wp.func
    def end_step(
        m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, error: real, w: int
    ) -> bool:
        """Keep the step if it was smooth, with an error of its joints that one more projection takes out."""
        smooth = error <= NEAR_JOINTS and speeds_are_sound(k, o, w)
        if wp.static(features.limits):
            smooth = smooth and limits_are_free(m, s, o, w)
        for b in range(1, o.bodies):
            if smooth:
                s.velocity[b, w] = k.velocity[b, w]
                s.spin[b, w] = k.spin[b, w]
            else:
                back_to_start(s, k, b, w)
        if smooth:
            if wp.static(features.twists):
                for i in range(o.twists):
                    geometry.count_turns(m, s, o.dt, i, w)
            n.kick[w] = -o.dt  # velocities are those of the state: a leapfrog step would start anew
            watch_turns(m, s, r, o, w)
            r.step[w] = r.step[w] + 1
            r.joint_error[w] = error
            r.iterations[w] = 0
            r.residual[w] = real(0.0)
            r.done[w] = 1
        return smooth

    @wp.func
    def smooth_steps(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, task: wp.vec2i
    ) -> int:
        """Make steps, at most as many as the task says, as long as the motion is smooth; returns how many were made.

        The state is left as it was before the first step that is not smooth. All steps are made in here, and each
        stage is written once, because Warp hands structs over by value: a call costs as much as the stage of a small
        mechanism.
        """
        w = task[0]
        made = int(0)
        while made < task[1] and may_begin(m, s, o, w):
            for b in range(1, o.bodies):
                start_body(s, n, k, b, w)
            rows.scale(m, n, o, real(0.0), w)
            error = real(0.0)
            stage = int(0)
            while stage < 4 or (stage < wp.static(4 + PROJECTIONS) and (stage == 4 or error > NEAR_JOINTS)):
                if stage == 1 or stage > 2:
                    error = project(m, s, k, o, w)
                if stage == 2:
                    project_velocities(m, k, o, w)
                elif stage < 4:
                    problem.factor_poses(m, s, n, k, o, stage == 0, w)
                if stage < 4:
                    problem.accelerate(m, c, s, n, k, o, stage, w)
                    for b in range(1, o.bodies):
                        if m.body_node[b] >= 0:
                            next_stage(m, s, k, o.dt, stage, b, w)
                stage += 1
            if not end_step(m, s, n, k, r, o, error, w):
                return made
            made += 1
        return made

    return SimpleNamespace(smooth_steps=smooth_steps)
