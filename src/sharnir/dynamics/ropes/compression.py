"""Ropes pull, and do not push: elements that are pressed together give way.

An exactly straight chain of elements of fixed length carries any load along it, in an unstable equilibrium that nothing
disturbs. What its bending stiffness K can hold is Euler's load; of all shapes in which a chain of elements of length l
can give way the zigzag holds out longest, to

    P = 4 K/l^2

An element that is pressed harder buckles within itself: from then on its two nodes are free to come nearer to each
other along it (between 0 and l), without a force, until they are l apart again and it pulls. Where they have met it is
heaped, and hands the push on.

    taut     nodes are l apart           while the pull is above -P; above 0 in the step in which they come to be so
    slack    between 0 and l, no pull    while the step does not end outside of that
    heaped   nodes meet                  while it is pressed

All is decided at the end of the velocity problem, which is solved again where something has changed. Of a stretch that
is pressed the element that is pressed hardest gives way first: the others may then be pulled. An element that touches
something stays as it is.
"""

from ...model.rope_arrays import TOUCHES
from ..factory import Features, Made, Precision, factory, functions, wp

TAUT, SLACK, HEAPED = 0, 1, 2
ROUNDS = 12  # of solving again


@factory
def make_compression(p: Precision, features: Features) -> Made:
    real = p.real
    func = functions(p)

    @func
    def pull(memory, work, j: int, world: int) -> real:
        """The impulse along element j, N s; negative where it pushes."""
        return wp.dot(memory.rope_pull[j, world], work.rope_axis[j, world])

    @func
    def is_at_a_slide(state, settings, j: int, world: int) -> bool:
        """Whether element j is beside an eyelet or drum, which may take it out or cut it, or next to such a one."""
        if wp.static(features.rope_slides):
            for i in range(settings.slides):
                away = j - state.slide_node[i, world]
                if away >= -2 and away <= 1:
                    return True
        return False

    @func
    def touches(work, j: int, world: int) -> bool:
        """Whether element j or one of its nodes touches anything: that may hold it straight."""
        if wp.static(features.rope_touch):
            for q in range(j * wp.static(TOUCHES), (j + 2) * wp.static(TOUCHES)):
                if work.touch_shape[q, world] >= 0:
                    return True
        if wp.static(features.rope_tangles):
            return work.tangle_count[j, world] + work.tangle_count[j + 1, world] > 0
        return False

    @func
    def is_loose(state, memory, work, j: int, world: int) -> bool:
        """Whether element j gives way in this step, comes to be taut in it, or touches something."""
        return (
            memory.rope_gives[j, world] != wp.static(TAUT)
            or state.rope_slack[j, world] > real(0.0)
            or touches(work, j, world)
        )

    @func
    def may_give(state, memory, work, settings, j: int, world: int) -> bool:
        """Whether element j is taut and can become slack."""
        if memory.rope_gives[j, world] != wp.static(TAUT) or state.rope_parted[j, world] == 1:
            return False
        return not (is_at_a_slide(state, settings, j, world) or touches(work, j, world))

    @func
    def is_hardest_pressed(model, state, memory, work, settings, rope: int, j: int, world: int) -> bool:
        """Whether element j may give way, and no neighbour that may is pressed harder."""
        if not may_give(state, memory, work, settings, j, world):
            return False
        mine = pull(memory, work, j, world)
        if j > state.rope_first[rope, world]:
            if may_give(state, memory, work, settings, j - 1, world) and pull(memory, work, j - 1, world) <= mine:
                return False
        if j + 2 < model.rope_end[rope]:
            if may_give(state, memory, work, settings, j + 1, world) and pull(memory, work, j + 1, world) < mine:
                return False
        return True

    @func
    def revised(model, state, memory, work, settings, rope: int, j: int, world: int) -> int:
        """The state of element j after the velocities that were found."""
        now = memory.rope_gives[j, world]
        if state.rope_parted[j, world] == 1:
            return wp.static(TAUT)
        length = state.rope_length[j, world]
        slack = state.rope_slack[j, world]
        if now == wp.static(SLACK):
            apart = settings.dt * wp.dot(
                work.rope_axis[j, world], work.rope_moving[j + 1, world] - work.rope_moving[j, world]
            )
            if apart > slack:
                return wp.static(TAUT)
            if apart < slack - length:
                return wp.static(HEAPED)
            return now
        mine = pull(memory, work, j, world)
        if now == wp.static(HEAPED):
            if mine > real(0.0):
                return wp.static(SLACK)
            return now
        least = real(0.0)
        if slack == real(0.0):
            stiffness = model.rope_stiffness[rope, world]
            least = -work.kick[world] * real(4.0) * stiffness[0] / (length * length)
        if mine < least and is_hardest_pressed(model, state, memory, work, settings, rope, j, world):
            return wp.static(SLACK)
        return now

    @func
    def give_way(model, state, memory, work, settings, world: int) -> bool:
        """The states of all elements anew; whether any has changed."""
        changed = bool(False)
        for rope in range(settings.ropes):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                work.rope_revised[j, world] = revised(model, state, memory, work, settings, rope, j, world)
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                if work.rope_revised[j, world] != memory.rope_gives[j, world]:
                    memory.rope_gives[j, world] = work.rope_revised[j, world]
                    changed = True
        return changed

    return locals()
