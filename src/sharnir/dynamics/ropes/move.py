"""New places of nodes and elements from their velocities and pseudo-velocities."""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from ..integrators.leapfrog import make_leapfrog
from ..watch import EMPTY_DRUM, NOT_FINITE, RUNAWAY
from .attach import make_attach
from .compression import TAUT
from .gap_projection import make_gap_projection
from .slide import make_slide


@factory
def make_move(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    next_place, next_turn = make_attach(p, features).next_place, make_gap_projection(p, features).next_turn
    ahead = make_algebra(p).ahead
    foreseen = make_leapfrog(p, features).foreseen
    slides = make_slide(p, features)

    @func
    def check_ropes(model, state, work, report, settings, world: int):
        """Mark the world as faulty if a rope has no sensible velocity, or its drum no rope; they count down from -1."""
        for rope in range(settings.ropes):
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                v = work.rope_moving[i, world] + work.rope_push[i, world]
                if report.fault[world] == 0:
                    if not wp.isfinite(v):
                        report.fault[world] = wp.static(NOT_FINITE)
                        report.fault_body[world] = -(rope + 1)
                    elif wp.dot(v, v) > settings.top_speed * settings.top_speed:
                        report.fault[world] = wp.static(RUNAWAY)
                        report.fault_body[world] = -(rope + 1)
        if wp.static(features.rope_slides):
            for i in range(settings.slides):
                if report.fault[world] == 0 and slides.empty(model, state, i, world):
                    report.fault[world] = wp.static(EMPTY_DRUM)
                    report.fault_body[world] = -(model.slide_rope[i] + 1)
            if report.fault[world] != 0:
                slides.unrun_slides(model, state, work, settings, world)

    @func
    def part(model, state, memory, work, rope: int, world: int):
        """The element that pulls hardest parts, where it pulls harder than the rope bears."""
        worst = state.rope_first[rope, world]
        for j in range(worst, model.rope_end[rope] - 1):
            if memory.rope_tension[j, world] > memory.rope_tension[worst, world]:
                worst = j
        if memory.rope_tension[worst, world] > model.rope_strength[rope]:
            state.rope_parted[worst, world] = 1

    @func
    def remember_ropes(model, state, memory, work, settings, world: int):
        """After a good step: what parts, what is taken out and put in at slides."""
        for rope in range(settings.ropes):
            part(model, state, memory, work, rope, world)
        if wp.static(features.rope_slides):
            slides.end_slides(model, state, memory, work, settings, world)

    @func
    def turn_element(state, work, dt: real, j: int, world: int):
        """A new orientation; the angular momentum (m r^2/4)(u + d (d.u)) is kept on the way."""
        spin = work.rope_spinning[j, world]
        before = ahead(state.rope_rotation[j, world])
        momentum = spin + before * wp.dot(before, spin)
        turn = next_turn(state, work, dt, j, world)
        axis = ahead(turn)
        state.rope_rotation[j, world] = turn
        state.rope_spin[j, world] = momentum - real(0.5) * axis * wp.dot(axis, momentum)

    @func
    def measure_slack(state, memory, j: int, world: int):
        """By how much element j is shorter than its length, if it gave way."""
        slack = real(0.0)
        if memory.rope_gives[j, world] != wp.static(TAUT):
            extent = wp.dot(
                ahead(state.rope_rotation[j, world]), state.rope_position[j + 1, world] - state.rope_position[j, world]
            )
            slack = wp.clamp(state.rope_length[j, world] - extent, real(0.0), state.rope_length[j, world])
        state.rope_slack[j, world] = slack

    @func
    def note_kick(state, memory, work, settings, i: int, world: int):
        """Velocities when the step began, in the middle of its kick or those of a start; what the next will add."""
        whole = settings.dt / work.kick[world]
        kick = whole * (work.rope_moving[i, world] - state.rope_velocity[i, world])
        kick_spin = whole * (work.rope_spinning[i, world] - state.rope_spin[i, world])
        memory.rope_start_velocity[i, world] = state.rope_velocity[i, world]
        memory.rope_start_spin[i, world] = state.rope_spin[i, world]
        work.rope_coming[i, world] = kick
        work.rope_coming_spin[i, world] = kick_spin
        if memory.kick[world] > real(0.0):
            memory.rope_start_velocity[i, world] = state.rope_velocity[i, world] + real(0.5) * kick
            memory.rope_start_spin[i, world] = state.rope_spin[i, world] + real(0.5) * kick_spin
            work.rope_coming[i, world] = foreseen(kick, memory.rope_kick_velocity[i, world])
            work.rope_coming_spin[i, world] = foreseen(kick_spin, memory.rope_kick_spin[i, world])
        memory.rope_kick_velocity[i, world] = kick
        memory.rope_kick_spin[i, world] = kick_spin

    @func
    def end_leap(model, state, memory, work, settings, world: int):
        """Velocities at the end of the step in the state, those in its middle in the memory (see ``leapfrog.py``)."""
        for rope in range(settings.ropes):
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                memory.rope_mid_velocity[i, world] = state.rope_velocity[i, world]
                memory.rope_mid_spin[i, world] = state.rope_spin[i, world]
                state.rope_velocity[i, world] = state.rope_velocity[i, world] + real(0.5) * work.rope_coming[i, world]
                state.rope_spin[i, world] = state.rope_spin[i, world] + real(0.5) * work.rope_coming_spin[i, world]

    @func
    def move_ropes(model, state, memory, work, settings, world: int):
        """New places and orientations of all ropes, and what belongs to the next step."""
        for rope in range(settings.ropes):
            first = state.rope_first[rope, world]
            if wp.static(features.integrator.staggered):
                if first > model.rope_start[rope]:  # a node that may come off the drum in this step
                    work.rope_coming[first - 1, world] = vec3()
                    work.rope_coming_spin[first - 1, world] = vec3()
            for i in range(first, model.rope_end[rope]):
                if wp.static(features.integrator.staggered):
                    note_kick(state, memory, work, settings, i, world)
                state.rope_position[i, world] = next_place(state, work, settings.dt, i, world)
                state.rope_velocity[i, world] = work.rope_moving[i, world]
                if i < model.rope_end[rope] - 1:
                    axis = ahead(state.rope_rotation[i, world])
                    memory.rope_tension[i, world] = wp.dot(memory.rope_pull[i, world], axis) / work.kick[world]
                    turn_element(state, work, settings.dt, i, world)
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                measure_slack(state, memory, j, world)
        remember_ropes(model, state, memory, work, settings, world)
        if wp.static(features.integrator.staggered):
            end_leap(model, state, memory, work, settings, world)

    return locals()
