"""Ropes that run through an eyelet or over a pulley, and off the drum of a winch.

The node there stays at its point of a body; the rope runs through it with the speed s, towards its end. The elements
before and after it change their length by -h s and h s. At a winch there is no element before: s is the speed of the
drum's surface, by a port.

Friction of an eyelet is a port of its own, see ``rub.py``.

A short element is taken out on one side and one is put in on the other before it becomes too short: the node moves on
by one place, and what was cut lies on the straight element that was there, with its velocity. A drum that is empty and
turns on is a fault: its world stops.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import FEED, RUB
from ..algebra import make_algebra

wp = load_warp()

SHORT = 0.5  # of the usual length: an element that is taken out
SHORTEST = 0.25  # of the usual length: where the end of a rope stops before an eyelet


@cache
def make_slide(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, quat = p.real, p.quat
    t = structs(p)
    along = make_algebra(p).ahead

    @wp.func
    def runs(m: t.model, k: t.work, i: int, node: int, w: int) -> real:
        """The speed with which the rope runs through node, from the elements' impulses as last solved for."""
        pull = wp.dot(k.rope_impulse[node, w], k.rope_axis[node, w])
        if m.slide_winch[i] == 0:
            pull = pull - wp.dot(k.rope_impulse[node - 1, w], k.rope_axis[node - 1, w])
        return k.rope_slip[node, w] * pull

    @wp.func
    def lengthen(m: t.model, s: t.state, i: int, node: int, by: real, w: int):
        """Pass a length of rope (m) through slide i, from one element to the next."""
        s.rope_length[node, w] = s.rope_length[node, w] + by
        if m.slide_winch[i] == 0:
            s.rope_length[node - 1, w] = s.rope_length[node - 1, w] - by

    @wp.func
    def stop_at_the_end(m: t.model, s: t.state, i: int, node: int, w: int):
        """The end of a rope does not run through an eyelet."""
        least = wp.static(real(SHORTEST)) * m.slide_length[i]
        rope = m.slide_rope[i]
        speed = s.slide_speed[i, w]
        ends_before = node - 1 == s.rope_first[rope, w] and s.rope_length[node - 1, w] < least and speed > real(0.0)
        ends_after = node + 2 == m.rope_end[rope] and s.rope_length[node, w] < least and speed < real(0.0)
        if m.slide_winch[i] == 0 and (ends_before or ends_after):
            s.slide_speed[i, w] = real(0.0)

    @wp.func
    def set_speed(m: t.model, s: t.state, n: t.memory, k: t.work, i: int, w: int):
        """How fast the rope runs through slide i, m/s."""
        node = s.slide_node[i, w]
        s.slide_speed[i, w] = k.rope_feed[node, w] + runs(m, k, i, node, w)
        if n.slide_holds[i, w] == 1:
            s.slide_speed[i, w] = real(0.0)
        stop_at_the_end(m, s, i, node, w)

    @wp.func
    def run_slides(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Speeds of all slides after the velocities are final, and the lengths at the end of the step."""
        for i in range(o.slides):
            node = s.slide_node[i, w]
            k.slide_before[i, w] = s.slide_speed[i, w]
            set_speed(m, s, n, k, i, w)
            k.slide_fed[i, w] = o.dt * s.slide_speed[i, w]
            lengthen(m, s, i, node, k.slide_fed[i, w], w)

    @wp.func
    def push_slides(m: t.model, s: t.state, k: t.work, o: t.settings, w: int):
        """The part of the pseudo-velocities that runs through the slides."""
        for i in range(o.slides):
            node = s.slide_node[i, w]
            by = o.dt * runs(m, k, i, node, w)
            if wp.static(features.rope_ports):
                for q in range(o.ports):
                    drives = m.port_kind[q] == wp.static(FEED) or m.port_kind[q] == wp.static(RUB)
                    if drives and m.port_slide[q] == i:
                        change = k.port_change[q, w]
                        by = by + o.dt * k.rope_slip[node, w] * change[0]
            k.slide_fed[i, w] = k.slide_fed[i, w] + by
            lengthen(m, s, i, node, by, w)

    @wp.func
    def freeze_slides(m: t.model, s: t.state, k: t.work, o: t.settings, w: int):
        """Forget what the pseudo-velocities let run through, and let them do so no more."""
        for i in range(o.slides):
            node = s.slide_node[i, w]
            fed = o.dt * s.slide_speed[i, w]
            lengthen(m, s, i, node, fed - k.slide_fed[i, w], w)
            k.slide_fed[i, w] = fed
            k.rope_slip[node, w] = real(0.0)

    @wp.func
    def unrun_slides(m: t.model, s: t.state, k: t.work, o: t.settings, w: int):
        """Back to the lengths before a step that went wrong."""
        for i in range(o.slides):
            lengthen(m, s, i, s.slide_node[i, w], -k.slide_fed[i, w], w)
            s.slide_speed[i, w] = k.slide_before[i, w]

    @wp.func
    def copy_element(s: t.state, n: t.memory, source: int, target: int, w: int):
        """Element ``target`` as element ``source``."""
        s.rope_rotation[target, w] = s.rope_rotation[source, w]
        s.rope_spin[target, w] = s.rope_spin[source, w]
        n.rope_pull[target, w] = n.rope_pull[source, w]
        n.rope_tension[target, w] = n.rope_tension[source, w]
        n.rope_gives[target, w] = 0
        s.rope_slack[target, w] = real(0.0)

    @wp.func
    def lay_between(s: t.state, j: int, w: int):
        """Turn element j onto the line between its nodes, and give it that length, and what it is slack by."""
        step = s.rope_position[j + 1, w] - s.rope_position[j, w]
        axis = along(s.rope_rotation[j, w])
        ahead = wp.normalize(step)
        side = wp.cross(axis, ahead)
        turn = wp.normalize(quat(side[0], side[1], side[2], real(1.0) + wp.dot(axis, ahead)))
        s.rope_rotation[j, w] = turn * s.rope_rotation[j, w]
        s.rope_length[j, w] = wp.length(step) + s.rope_slack[j, w]

    @wp.func
    def put_node(s: t.state, i: int, base: int, j: int, distance: real, speed: real, w: int):
        """Place node i on element j, at a distance from ``base``, the node of it that the rope runs through."""
        axis = along(s.rope_rotation[j, w])
        s.rope_position[i, w] = s.rope_position[base, w] + distance * axis
        s.rope_velocity[i, w] = s.rope_velocity[base, w] + speed * axis + distance * wp.cross(s.rope_spin[j, w], axis)

    @wp.func
    def copy_node(s: t.state, source: int, target: int, w: int):
        """Node ``target`` where node ``source`` is."""
        s.rope_position[target, w] = s.rope_position[source, w]
        s.rope_velocity[target, w] = s.rope_velocity[source, w]

    @wp.func
    def cut_winch(m: t.model, s: t.state, n: t.memory, i: int, w: int):
        """An element more when the first has become long, one less when it has become short."""
        rope = m.slide_rope[i]
        node = s.slide_node[i, w]
        usual = m.slide_length[i]
        length = s.rope_length[node, w]
        if length > usual * wp.static(real(1.0 + SHORT)) and node > m.rope_start[rope]:
            copy_node(s, node, node - 1, w)
            copy_element(s, n, node, node - 1, w)
            put_node(s, node, node - 1, node, length - usual, s.slide_speed[i, w], w)
            s.rope_length[node - 1, w] = length - usual
            s.rope_length[node, w] = usual
            s.slide_node[i, w] = node - 1
        elif length < usual * wp.static(real(SHORT)) and node + 2 < m.rope_end[rope]:
            copy_node(s, node, node + 1, w)
            lay_between(s, node + 1, w)
            s.slide_node[i, w] = node + 1
        s.rope_first[rope, w] = s.slide_node[i, w]
        for j in range(m.rope_start[rope], s.slide_node[i, w]):
            copy_node(s, s.slide_node[i, w], j, w)
            n.rope_tension[j, w] = n.rope_tension[s.slide_node[i, w], w]

    @wp.func
    def cut_eyelet(m: t.model, s: t.state, n: t.memory, i: int, w: int):
        """Move on by one place when the element before or after has become short."""
        rope = m.slide_rope[i]
        node = s.slide_node[i, w]
        short = m.slide_length[i] * wp.static(real(SHORT))
        before = s.rope_length[node - 1, w]
        after = s.rope_length[node, w]
        speed = s.slide_speed[i, w]
        if before < short and after > before and node - 1 > s.rope_first[rope, w]:
            cut = real(0.5) * (after - before)
            copy_element(s, n, node, node - 1, w)
            copy_node(s, node, node - 1, w)
            put_node(s, node, node - 1, node, cut, speed, w)
            s.rope_length[node - 1, w] = cut
            s.rope_length[node, w] = after - cut
            lay_between(s, node - 2, w)
            s.slide_node[i, w] = node - 1
        elif after < short and before > after and node + 2 < m.rope_end[rope]:
            cut = real(0.5) * (before - after)
            copy_element(s, n, node - 1, node, w)
            copy_node(s, node, node + 1, w)
            put_node(s, node, node + 1, node, -cut, speed, w)
            s.rope_length[node, w] = cut
            s.rope_length[node - 1, w] = before - cut
            lay_between(s, node + 1, w)
            s.slide_node[i, w] = node + 1

    @wp.func
    def empty(m: t.model, s: t.state, i: int, w: int) -> bool:
        """Whether slide i is a drum that has paid out all its rope, and half an element more."""
        node = s.slide_node[i, w]
        most = wp.static(real(1.0 + SHORT)) * m.slide_length[i]
        return m.slide_winch[i] == 1 and node == m.rope_start[m.slide_rope[i]] and s.rope_length[node, w] > most

    @wp.func
    def end_slides(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """After a good step: elements taken out and put in."""
        for i in range(o.slides):
            if m.slide_winch[i] == 1:
                cut_winch(m, s, n, i, w)
            else:
                cut_eyelet(m, s, n, i, w)

    return SimpleNamespace(
        run_slides=run_slides,
        push_slides=push_slides,
        freeze_slides=freeze_slides,
        unrun_slides=unrun_slides,
        end_slides=end_slides,
        empty=empty,
    )
