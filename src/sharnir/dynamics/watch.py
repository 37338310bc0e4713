"""What a step notices of itself, for the host to warn of: turns that are too large, joints that are too far open.

A body of spin w turns by w h in a step of h. Anchors at r from its centre move on arcs; a step with constant spin goes
along the tangent and leaves at most (w h)^2 r/2 of it as a gap. With u the slip along a joint's free translations,
whose directions turn with body a, the gap and tilt that one step adds to a joint are at most

    gap    h^2/2 (|w_a|^2 r_a + |w_b|^2 r_b) + h^2 |w_a| |u|       of a distance l also h^2 |u|^2/(2 l)
    tilt   h^2/2 (|w_a| + |w_b|)^2

and stabilisation leaves 1 - ERP of what was there. So A' = (1 - ERP) A + (what one step adds), from zero, is the most
that should be found: for a link that turns steadily l (w h)^2/(2 ERP). Steps of a higher order leave less. A joint that
is open by more than twice that, and by what can be seen, was not held.
"""

from ..scene.joints import Basis
from .factory import Features, Made, Precision, factory, functions, wp
from .moving import make_moving

NOT_FINITE, RUNAWAY, EMPTY_DRUM = 1, 2, 3  # faults that end a run
LONG_STEP, OPEN_JOINT = 1, 2  # bits of what is noticed
LARGEST_TURN = 0.5  # rad
SLACK = 2.0  # times the derived bound
SEEN = 1e-2  # rad, and share of the joint's arms: a joint that is open by less does no harm, and loops yield a little


@factory
def make_watch(p: Precision, features: Features) -> Made:
    real, vec2 = p.real, p.vec2
    func, moves = functions(p), make_moving(p, features).moves

    @func
    def check(work, report, top_speed: real, b: int, world: int):
        """Mark the world as faulty if body b has no sensible velocity, before its last good state is overwritten."""
        v = work.velocity[b, world] + work.push[b, world]
        u = work.spin[b, world] + work.push_spin[b, world]
        if report.fault[world] == 0:
            if not (wp.isfinite(v) and wp.isfinite(u)):
                report.fault[world] = wp.static(NOT_FINITE)
                report.fault_body[world] = b
            elif wp.length(v) > top_speed or wp.length(u) > top_speed:
                report.fault[world] = wp.static(RUNAWAY)
                report.fault_body[world] = b

    @func
    def watch_turns(model, state, report, settings, world: int):
        """Keep the largest turn of a body in a step."""
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                felt = model.felt_spin[b] * wp.quat_rotate_inv(state.rotation[b, world], state.spin[b, world])
                turn = settings.dt * wp.length(felt)
                if turn > report.largest_turn[world]:
                    report.largest_turn[world] = turn
                    report.turned_body[world] = b
        if report.largest_turn[world] > real(LARGEST_TURN):
            report.noticed[world] = report.noticed[world] | wp.static(LONG_STEP)

    @func
    def added(model, state, work, h: real, j: int, world: int) -> vec2:
        """The most gap (m) and tilt (rad) that a step adds to joint j."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        spin_a = state.spin[a, world] + work.push_spin[a, world]
        spin_b = state.spin[b, world] + work.push_spin[b, world]
        arm_a = work.arm_a[j, world]
        arm_b = work.arm_b[j, world]
        slip = state.velocity[b, world] + wp.cross(spin_b, arm_b) - state.velocity[a, world] - wp.cross(spin_a, arm_a)
        turn_a = h * wp.length(spin_a)
        turn_b = h * wp.length(spin_b)
        slide = h * wp.length(slip)
        gap = real(0.5) * (turn_a * turn_a * wp.length(arm_a) + turn_b * turn_b * wp.length(arm_b)) + turn_a * slide
        if model.basis[j] == wp.static(int(Basis.RADIAL)) and model.linear_lock[j] != 0:
            gap = gap + real(0.5) * slide * slide / model.length[j]
        return vec2(gap, real(0.5) * (turn_a + turn_b) * (turn_a + turn_b))

    @func
    def keep_opening(report, found: real, allowed: real, seen: real, which: int, world: int):
        """Keep the joint that is open furthest beyond what is allowed."""
        if (
            found > wp.max(real(SLACK) * allowed, seen)
            and found - allowed > report.opening[world] - report.opening_allowed[world]
        ):
            report.opening[world] = found
            report.opening_allowed[world] = allowed
            report.opened_joint[world] = which
            report.noticed[world] = report.noticed[world] | wp.static(OPEN_JOINT)

    @func
    def watch_joints(model, state, memory, work, report, settings, world: int):
        """Compare how far the joints were open when the step began with what the steps before should have left."""
        for j in range(settings.joints):
            allowed = memory.opening_left[j, world]
            seen = real(SEEN) * (wp.length(work.arm_a[j, world]) + wp.length(work.arm_b[j, world]))
            keep_opening(report, wp.length(work.gap[j, world]), allowed[0], wp.max(seen, real(1e-6)), j, world)
            if wp.static(features.angular_locks):
                keep_opening(report, wp.length(work.tilt[j, world]), allowed[1], real(SEEN), -1 - j, world)
            memory.opening_left[j, world] = (real(1.0) - settings.erp) * allowed + added(
                model, state, work, settings.dt, j, world
            )

    @func
    def watch_step(model, state, memory, work, report, settings, world: int):
        """What is noticed of a step that the solver has made; a fourth-order one is noticed where it is made."""
        watch_turns(model, state, report, settings, world)
        watch_joints(model, state, memory, work, report, settings, world)
        if wp.static(features.fourth_order):
            report.fall_backs[world] = report.fall_backs[world] + 1

    return locals()
