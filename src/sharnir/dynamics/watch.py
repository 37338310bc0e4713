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

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import structs
from ..model.precision import Precision
from ..scene.joints import Basis

wp = load_warp()

NOT_FINITE, RUNAWAY, EMPTY_DRUM = 1, 2, 3  # faults that end a run
LONG_STEP, OPEN_JOINT = 1, 2  # bits of what is noticed
LARGEST_TURN = 0.5  # rad
SLACK = 2.0  # times the derived bound
SEEN = 1e-2  # rad, and share of the joint's arms: a joint that is open by less does no harm, and loops yield a little


@cache
def make_watch(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2 = p.real, p.vec2
    t = structs(p)

    @wp.func
    def check(k: t.work, r: t.report, top_speed: real, b: int, w: int):
        """Mark the world as faulty if body b has no sensible velocity, before its last good state is overwritten."""
        v = k.velocity[b, w] + k.push[b, w]
        u = k.spin[b, w] + k.push_spin[b, w]
        if r.fault[w] == 0:
            if not (wp.isfinite(v) and wp.isfinite(u)):
                r.fault[w] = wp.static(NOT_FINITE)
                r.fault_body[w] = b
            elif wp.length(v) > top_speed or wp.length(u) > top_speed:
                r.fault[w] = wp.static(RUNAWAY)
                r.fault_body[w] = b

    @wp.func
    def watch_turns(m: t.model, s: t.state, r: t.report, o: t.settings, w: int):
        """Keep the largest turn of a body in a step."""
        for b in range(1, o.bodies):
            felt = m.felt_spin[b] * wp.quat_rotate_inv(s.rotation[b, w], s.spin[b, w])
            turn = o.dt * wp.length(felt)
            if turn > r.largest_turn[w]:
                r.largest_turn[w] = turn
                r.turned_body[w] = b
        if r.largest_turn[w] > real(LARGEST_TURN):
            r.noticed[w] = r.noticed[w] | wp.static(LONG_STEP)

    @wp.func
    def added(m: t.model, s: t.state, k: t.work, h: real, j: int, w: int) -> vec2:
        """The most gap (m) and tilt (rad) that a step adds to joint j."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        spin_a = s.spin[a, w] + k.push_spin[a, w]
        spin_b = s.spin[b, w] + k.push_spin[b, w]
        arm_a = k.arm_a[j, w]
        arm_b = k.arm_b[j, w]
        slip = s.velocity[b, w] + wp.cross(spin_b, arm_b) - s.velocity[a, w] - wp.cross(spin_a, arm_a)
        turn_a = h * wp.length(spin_a)
        turn_b = h * wp.length(spin_b)
        slide = h * wp.length(slip)
        gap = real(0.5) * (turn_a * turn_a * wp.length(arm_a) + turn_b * turn_b * wp.length(arm_b)) + turn_a * slide
        if m.basis[j] == wp.static(int(Basis.RADIAL)):
            gap = gap + real(0.5) * slide * slide / m.length[j]
        return vec2(gap, real(0.5) * (turn_a + turn_b) * (turn_a + turn_b))

    @wp.func
    def keep_opening(r: t.report, found: real, allowed: real, seen: real, which: int, w: int):
        """Keep the joint that is open furthest beyond what is allowed."""
        if found > wp.max(real(SLACK) * allowed, seen) and found - allowed > r.opening[w] - r.opening_allowed[w]:
            r.opening[w] = found
            r.opening_allowed[w] = allowed
            r.opened_joint[w] = which
            r.noticed[w] = r.noticed[w] | wp.static(OPEN_JOINT)

    @wp.func
    def watch_joints(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Compare how far the joints were open when the step began with what the steps before should have left."""
        for j in range(o.joints):
            allowed = n.opening_left[j, w]
            seen = real(SEEN) * (wp.length(k.arm_a[j, w]) + wp.length(k.arm_b[j, w]))
            keep_opening(r, wp.length(k.gap[j, w]), allowed[0], wp.max(seen, real(1e-6)), j, w)
            if wp.static(features.angular_locks):
                keep_opening(r, wp.length(k.tilt[j, w]), allowed[1], real(SEEN), -1 - j, w)
            n.opening_left[j, w] = (real(1.0) - o.erp) * allowed + added(m, s, k, o.dt, j, w)

    @wp.func
    def watch_step(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """What is noticed of a step that the solver has made; a fourth-order one is noticed where it is made."""
        watch_turns(m, s, r, o, w)
        watch_joints(m, s, n, k, r, o, w)
        if wp.static(features.fourth_order):
            r.fall_backs[w] = r.fall_backs[w] + 1

    return SimpleNamespace(check=check, watch_step=watch_step, watch_turns=watch_turns)
