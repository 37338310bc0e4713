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

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import TOUCHES

wp = load_warp()

TAUT, SLACK, HEAPED = 0, 1, 2
ROUNDS = 12  # of solving again


@cache
def make_give(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real = p.real
    t = structs(p)

    @wp.func
    def pull(n: t.memory, k: t.work, j: int, w: int) -> real:
        """The impulse along element j, N s; negative where it pushes."""
        return wp.dot(n.rope_pull[j, w], k.rope_axis[j, w])

    @wp.func
    def is_at_a_slide(s: t.state, o: t.settings, j: int, w: int) -> bool:
        """Whether element j is beside an eyelet or drum, which may take it out or cut it, or next to such a one."""
        if wp.static(features.rope_slides):
            for i in range(o.slides):
                away = j - s.slide_node[i, w]
                if away >= -2 and away <= 1:
                    return True
        return False

    @wp.func
    def touches(k: t.work, j: int, w: int) -> bool:
        """Whether element j or one of its nodes touches anything: that may hold it straight."""
        if wp.static(features.rope_touch):
            for q in range(j * wp.static(TOUCHES), (j + 2) * wp.static(TOUCHES)):
                if k.touch_shape[q, w] >= 0:
                    return True
        if wp.static(features.rope_tangles):
            return k.tangle_count[j, w] + k.tangle_count[j + 1, w] > 0
        return False

    @wp.func
    def is_loose(s: t.state, n: t.memory, k: t.work, j: int, w: int) -> bool:
        """Whether element j gives way in this step, comes to be taut in it, or touches something."""
        return n.rope_gives[j, w] != wp.static(TAUT) or s.rope_slack[j, w] > real(0.0) or touches(k, j, w)

    @wp.func
    def may_give(s: t.state, n: t.memory, k: t.work, o: t.settings, j: int, w: int) -> bool:
        """Whether element j is taut and can become slack."""
        if n.rope_gives[j, w] != wp.static(TAUT) or s.rope_parted[j, w] == 1:
            return False
        return not (is_at_a_slide(s, o, j, w) or touches(k, j, w))

    @wp.func
    def is_hardest_pressed(
        m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, j: int, w: int
    ) -> bool:
        """Whether element j may give way, and no neighbour that may is pressed harder."""
        if not may_give(s, n, k, o, j, w):
            return False
        mine = pull(n, k, j, w)
        if j > s.rope_first[rope, w]:
            if may_give(s, n, k, o, j - 1, w) and pull(n, k, j - 1, w) <= mine:
                return False
        if j + 2 < m.rope_end[rope]:
            if may_give(s, n, k, o, j + 1, w) and pull(n, k, j + 1, w) < mine:
                return False
        return True

    @wp.func
    def revised(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rope: int, j: int, w: int) -> int:
        """The state of element j after the velocities that were found."""
        now = n.rope_gives[j, w]
        if s.rope_parted[j, w] == 1:
            return wp.static(TAUT)
        length = s.rope_length[j, w]
        slack = s.rope_slack[j, w]
        if now == wp.static(SLACK):
            apart = o.dt * wp.dot(k.rope_axis[j, w], k.rope_moving[j + 1, w] - k.rope_moving[j, w])
            if apart > slack:
                return wp.static(TAUT)
            if apart < slack - length:
                return wp.static(HEAPED)
            return now
        mine = pull(n, k, j, w)
        if now == wp.static(HEAPED):
            if mine > real(0.0):
                return wp.static(SLACK)
            return now
        least = real(0.0)
        if slack == real(0.0):
            stiffness = m.rope_stiffness[rope, w]
            least = -k.kick[w] * real(4.0) * stiffness[0] / (length * length)
        if mine < least and is_hardest_pressed(m, s, n, k, o, rope, j, w):
            return wp.static(SLACK)
        return now

    @wp.func
    def give_way(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """The states of all elements anew; whether any has changed."""
        changed = bool(False)
        for rope in range(o.ropes):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                k.rope_revised[j, w] = revised(m, s, n, k, o, rope, j, w)
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                if k.rope_revised[j, w] != n.rope_gives[j, w]:
                    n.rope_gives[j, w] = k.rope_revised[j, w]
                    changed = True
        return changed

    return SimpleNamespace(give_way=give_way, is_loose=is_loose)
