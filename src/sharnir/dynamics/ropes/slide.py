"""Ropes that run through an eyelet or over a pulley, and off the drum of a winch.

The node there stays at its point of a body; the rope runs through it with the speed s, towards its end. The elements
before and after it change their length by -h s and h s. At a winch there is no element before: s is the speed of the
drum's surface, by a port.

Friction of an eyelet is a port of its own, see ``rub.py``.

A short element is taken out on one side and one is put in on the other before it becomes too short: the node moves on
by one place, and what was cut lies on the straight element that was there, with its velocity. A drum that is empty and
turns on is a fault: its world stops.
"""

from ...model.rope_arrays import FEED, RUB
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp

SHORT = 0.5  # of the usual length: an element that is taken out
SHORTEST = 0.25  # of the usual length: where the end of a rope stops before an eyelet


@factory
def make_slide(p: Precision, features: Features) -> Made:
    real, quat = p.real, p.quat
    func = functions(p)
    along = make_algebra(p).ahead

    @func
    def runs(model, work, i: int, node: int, world: int) -> real:
        """The speed with which the rope runs through node, from the elements' impulses as last solved for."""
        pull = wp.dot(work.rope_impulse[node, world], work.rope_axis[node, world])
        if model.slide_winch[i] == 0:
            pull = pull - wp.dot(work.rope_impulse[node - 1, world], work.rope_axis[node - 1, world])
        return work.rope_slip[node, world] * pull

    @func
    def lengthen(model, state, i: int, node: int, by: real, world: int):
        """Pass a length of rope (m) through slide i, from one element to the next."""
        state.rope_length[node, world] = state.rope_length[node, world] + by
        if model.slide_winch[i] == 0:
            state.rope_length[node - 1, world] = state.rope_length[node - 1, world] - by

    @func
    def stop_at_the_end(model, state, i: int, node: int, world: int):
        """The end of a rope does not run through an eyelet."""
        least = wp.static(real(SHORTEST)) * model.slide_length[i]
        rope = model.slide_rope[i]
        speed = state.slide_speed[i, world]
        ends_before = (
            node - 1 == state.rope_first[rope, world]
            and state.rope_length[node - 1, world] < least
            and speed > real(0.0)
        )
        ends_after = node + 2 == model.rope_end[rope] and state.rope_length[node, world] < least and speed < real(0.0)
        if model.slide_winch[i] == 0 and (ends_before or ends_after):
            state.slide_speed[i, world] = real(0.0)

    @func
    def set_speed(model, state, memory, work, i: int, world: int):
        """How fast the rope runs through slide i, m/s."""
        node = state.slide_node[i, world]
        state.slide_speed[i, world] = work.rope_feed[node, world] + runs(model, work, i, node, world)
        if memory.slide_holds[i, world] == 1:
            state.slide_speed[i, world] = real(0.0)
        stop_at_the_end(model, state, i, node, world)

    @func
    def run_slides(model, state, memory, work, settings, world: int):
        """Speeds of all slides after the velocities are final, and the lengths at the end of the step."""
        for i in range(settings.slides):
            node = state.slide_node[i, world]
            work.slide_before[i, world] = state.slide_speed[i, world]
            set_speed(model, state, memory, work, i, world)
            work.slide_fed[i, world] = settings.dt * state.slide_speed[i, world]
            lengthen(model, state, i, node, work.slide_fed[i, world], world)

    @func
    def push_slides(model, state, work, settings, world: int):
        """The part of the pseudo-velocities that runs through the slides."""
        for i in range(settings.slides):
            node = state.slide_node[i, world]
            by = settings.dt * runs(model, work, i, node, world)
            if wp.static(features.rope_ports):
                for q in range(settings.ports):
                    drives = model.port_kind[q] == wp.static(FEED) or model.port_kind[q] == wp.static(RUB)
                    if drives and model.port_slide[q] == i:
                        change = work.port_change[q, world]
                        by = by + settings.dt * work.rope_slip[node, world] * change[0]
            work.slide_fed[i, world] = work.slide_fed[i, world] + by
            lengthen(model, state, i, node, by, world)

    @func
    def freeze_slides(model, state, work, settings, world: int):
        """Forget what the pseudo-velocities let run through, and let them do so no more."""
        for i in range(settings.slides):
            node = state.slide_node[i, world]
            fed = settings.dt * state.slide_speed[i, world]
            lengthen(model, state, i, node, fed - work.slide_fed[i, world], world)
            work.slide_fed[i, world] = fed
            work.rope_slip[node, world] = real(0.0)

    @func
    def unrun_slides(model, state, work, settings, world: int):
        """Back to the lengths before a step that went wrong."""
        for i in range(settings.slides):
            lengthen(model, state, i, state.slide_node[i, world], -work.slide_fed[i, world], world)
            state.slide_speed[i, world] = work.slide_before[i, world]

    @func
    def copy_element(state, memory, source: int, target: int, world: int):
        """Element ``target`` as element ``source``."""
        state.rope_rotation[target, world] = state.rope_rotation[source, world]
        state.rope_spin[target, world] = state.rope_spin[source, world]
        memory.rope_pull[target, world] = memory.rope_pull[source, world]
        memory.rope_tension[target, world] = memory.rope_tension[source, world]
        memory.rope_gives[target, world] = 0
        state.rope_slack[target, world] = real(0.0)

    @func
    def lay_between(state, j: int, world: int):
        """Turn element j onto the line between its nodes, and give it that length, and what it is slack by."""
        step = state.rope_position[j + 1, world] - state.rope_position[j, world]
        axis = along(state.rope_rotation[j, world])
        ahead = wp.normalize(step)
        side = wp.cross(axis, ahead)
        turn = wp.normalize(quat(side[0], side[1], side[2], real(1.0) + wp.dot(axis, ahead)))
        state.rope_rotation[j, world] = turn * state.rope_rotation[j, world]
        state.rope_length[j, world] = wp.length(step) + state.rope_slack[j, world]

    @func
    def put_node(state, i: int, base: int, j: int, distance: real, speed: real, world: int):
        """Place node i on element j, at a distance from ``base``, the node of it that the rope runs through."""
        axis = along(state.rope_rotation[j, world])
        state.rope_position[i, world] = state.rope_position[base, world] + distance * axis
        state.rope_velocity[i, world] = (
            state.rope_velocity[base, world] + speed * axis + distance * wp.cross(state.rope_spin[j, world], axis)
        )

    @func
    def copy_node(state, source: int, target: int, world: int):
        """Node ``target`` where node ``source`` is."""
        state.rope_position[target, world] = state.rope_position[source, world]
        state.rope_velocity[target, world] = state.rope_velocity[source, world]

    @func
    def cut_winch(model, state, memory, i: int, world: int):
        """An element more when the first has become long, one less when it has become short."""
        rope = model.slide_rope[i]
        node = state.slide_node[i, world]
        usual = model.slide_length[i]
        length = state.rope_length[node, world]
        if length > usual * wp.static(real(1.0 + SHORT)) and node > model.rope_start[rope]:
            copy_node(state, node, node - 1, world)
            copy_element(state, memory, node, node - 1, world)
            put_node(state, node, node - 1, node, length - usual, state.slide_speed[i, world], world)
            state.rope_length[node - 1, world] = length - usual
            state.rope_length[node, world] = usual
            state.slide_node[i, world] = node - 1
        elif length < usual * wp.static(real(SHORT)) and node + 2 < model.rope_end[rope]:
            copy_node(state, node, node + 1, world)
            lay_between(state, node + 1, world)
            state.slide_node[i, world] = node + 1
        state.rope_first[rope, world] = state.slide_node[i, world]
        for j in range(model.rope_start[rope], state.slide_node[i, world]):
            copy_node(state, state.slide_node[i, world], j, world)
            memory.rope_tension[j, world] = memory.rope_tension[state.slide_node[i, world], world]

    @func
    def cut_eyelet(model, state, memory, i: int, world: int):
        """Move on by one place when the element before or after has become short."""
        rope = model.slide_rope[i]
        node = state.slide_node[i, world]
        short = model.slide_length[i] * wp.static(real(SHORT))
        before = state.rope_length[node - 1, world]
        after = state.rope_length[node, world]
        speed = state.slide_speed[i, world]
        if before < short and after > before and node - 1 > state.rope_first[rope, world]:
            cut = real(0.5) * (after - before)
            copy_element(state, memory, node, node - 1, world)
            copy_node(state, node, node - 1, world)
            put_node(state, node, node - 1, node, cut, speed, world)
            state.rope_length[node - 1, world] = cut
            state.rope_length[node, world] = after - cut
            lay_between(state, node - 2, world)
            state.slide_node[i, world] = node - 1
        elif after < short and before > after and node + 2 < model.rope_end[rope]:
            cut = real(0.5) * (before - after)
            copy_element(state, memory, node - 1, node, world)
            copy_node(state, node, node + 1, world)
            put_node(state, node, node + 1, node, -cut, speed, world)
            state.rope_length[node, world] = cut
            state.rope_length[node - 1, world] = before - cut
            lay_between(state, node + 1, world)
            state.slide_node[i, world] = node + 1

    @func
    def empty(model, state, i: int, world: int) -> bool:
        """Whether slide i is a drum that has paid out all its rope, and half an element more."""
        node = state.slide_node[i, world]
        most = wp.static(real(1.0 + SHORT)) * model.slide_length[i]
        return (
            model.slide_winch[i] == 1
            and node == model.rope_start[model.slide_rope[i]]
            and state.rope_length[node, world] > most
        )

    @func
    def end_slides(model, state, memory, work, settings, world: int):
        """After a good step: elements taken out and put in."""
        for i in range(settings.slides):
            if model.slide_winch[i] == 1:
                cut_winch(model, state, memory, i, world)
            else:
                cut_eyelet(model, state, memory, i, world)

    return locals()
