"""New places of nodes and elements from their velocities and pseudo-velocities."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..integrators.leapfrog import make_leapfrog
from ..watch import EMPTY_DRUM, NOT_FINITE, RUNAWAY
from .attach import make_attach
from .close import make_close
from .give import TAUT
from .slide import make_slide

wp = load_warp()


@cache
def make_move(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    next_place, next_turn = make_attach(p, features).next_place, make_close(p, features).next_turn
    ahead = make_algebra(p).ahead
    foreseen = make_leapfrog(p, features).foreseen
    slides = make_slide(p, features)

    @wp.func
    def check_ropes(m: t.model, s: t.state, k: t.work, r: t.report, o: t.settings, w: int):
        """Mark the world as faulty if a rope has no sensible velocity, or its drum no rope; they count down from -1."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                v = k.rope_moving[i, w] + k.rope_push[i, w]
                if r.fault[w] == 0:
                    if not wp.isfinite(v):
                        r.fault[w] = wp.static(NOT_FINITE)
                        r.fault_body[w] = -(rope + 1)
                    elif wp.dot(v, v) > o.top_speed * o.top_speed:
                        r.fault[w] = wp.static(RUNAWAY)
                        r.fault_body[w] = -(rope + 1)
        if wp.static(features.rope_slides):
            for i in range(o.slides):
                if r.fault[w] == 0 and slides.empty(m, s, i, w):
                    r.fault[w] = wp.static(EMPTY_DRUM)
                    r.fault_body[w] = -(m.slide_rope[i] + 1)
            if r.fault[w] != 0:
                slides.unrun_slides(m, s, k, o, w)

    @wp.func
    def part(m: t.model, s: t.state, n: t.memory, k: t.work, rope: int, w: int):
        """The element that pulls hardest parts, where it pulls harder than the rope bears."""
        worst = s.rope_first[rope, w]
        for j in range(worst, m.rope_end[rope] - 1):
            if n.rope_tension[j, w] > n.rope_tension[worst, w]:
                worst = j
        if n.rope_tension[worst, w] > m.rope_strength[rope]:
            s.rope_parted[worst, w] = 1

    @wp.func
    def remember_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """After a good step: what parts, what is taken out and put in at slides."""
        for rope in range(o.ropes):
            part(m, s, n, k, rope, w)
        if wp.static(features.rope_slides):
            slides.end_slides(m, s, n, k, o, w)

    @wp.func
    def turn_element(s: t.state, k: t.work, dt: real, j: int, w: int):
        """A new orientation; the angular momentum (m r^2/4)(u + d (d.u)) is kept on the way."""
        spin = k.rope_spinning[j, w]
        before = ahead(s.rope_rotation[j, w])
        momentum = spin + before * wp.dot(before, spin)
        turn = next_turn(s, k, dt, j, w)
        axis = ahead(turn)
        s.rope_rotation[j, w] = turn
        s.rope_spin[j, w] = momentum - real(0.5) * axis * wp.dot(axis, momentum)

    @wp.func
    def measure_slack(s: t.state, n: t.memory, j: int, w: int):
        """By how much element j is shorter than its length, if it gave way."""
        slack = real(0.0)
        if n.rope_gives[j, w] != wp.static(TAUT):
            extent = wp.dot(ahead(s.rope_rotation[j, w]), s.rope_position[j + 1, w] - s.rope_position[j, w])
            slack = wp.clamp(s.rope_length[j, w] - extent, real(0.0), s.rope_length[j, w])
        s.rope_slack[j, w] = slack

    @wp.func
    def note_kick(s: t.state, n: t.memory, k: t.work, o: t.settings, i: int, w: int):
        """Velocities when the step began, in the middle of its kick or those of a start; what the next will add."""
        whole = o.dt / k.kick[w]
        kick = whole * (k.rope_moving[i, w] - s.rope_velocity[i, w])
        kick_spin = whole * (k.rope_spinning[i, w] - s.rope_spin[i, w])
        n.rope_start_velocity[i, w] = s.rope_velocity[i, w]
        n.rope_start_spin[i, w] = s.rope_spin[i, w]
        k.rope_coming[i, w] = kick
        k.rope_coming_spin[i, w] = kick_spin
        if n.kick[w] > real(0.0):
            n.rope_start_velocity[i, w] = s.rope_velocity[i, w] + real(0.5) * kick
            n.rope_start_spin[i, w] = s.rope_spin[i, w] + real(0.5) * kick_spin
            k.rope_coming[i, w] = foreseen(kick, n.rope_kick_velocity[i, w])
            k.rope_coming_spin[i, w] = foreseen(kick_spin, n.rope_kick_spin[i, w])
        n.rope_kick_velocity[i, w] = kick
        n.rope_kick_spin[i, w] = kick_spin

    @wp.func
    def end_leap(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Velocities at the end of the step in the state, those in its middle in the memory (see ``leapfrog.py``)."""
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                n.rope_mid_velocity[i, w] = s.rope_velocity[i, w]
                n.rope_mid_spin[i, w] = s.rope_spin[i, w]
                s.rope_velocity[i, w] = s.rope_velocity[i, w] + real(0.5) * k.rope_coming[i, w]
                s.rope_spin[i, w] = s.rope_spin[i, w] + real(0.5) * k.rope_coming_spin[i, w]

    @wp.func
    def move_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """New places and orientations of all ropes, and what belongs to the next step."""
        for rope in range(o.ropes):
            first = s.rope_first[rope, w]
            if wp.static(features.integrator.staggered):
                if first > m.rope_start[rope]:  # a node that may come off the drum in this step
                    k.rope_coming[first - 1, w] = vec3()
                    k.rope_coming_spin[first - 1, w] = vec3()
            for i in range(first, m.rope_end[rope]):
                if wp.static(features.integrator.staggered):
                    note_kick(s, n, k, o, i, w)
                s.rope_position[i, w] = next_place(s, k, o.dt, i, w)
                s.rope_velocity[i, w] = k.rope_moving[i, w]
                if i < m.rope_end[rope] - 1:
                    axis = ahead(s.rope_rotation[i, w])
                    n.rope_tension[i, w] = wp.dot(n.rope_pull[i, w], axis) / k.kick[w]
                    turn_element(s, k, o.dt, i, w)
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                measure_slack(s, n, j, w)
        remember_ropes(m, s, n, k, o, w)
        if wp.static(features.integrator.staggered):
            end_leap(m, s, n, k, o, w)

    return SimpleNamespace(check_ropes=check_ropes, move_ropes=move_ropes)
