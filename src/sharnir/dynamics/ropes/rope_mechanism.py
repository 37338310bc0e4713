"""The answer of a whole mechanism to impulses at the ports of its ropes: K of ``attach.py``, by the direct solver.

[M J^T; J -Gamma][dV; -dl] = [P; 0] with P a unit impulse at one port, solved with the factors that are there.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import BODY_POINT, CLAMP, FEED, OTHER_ROPE
from ..solvers.factors import make_factors
from .attach import make_attach

wp = load_warp()


@cache
def make_mechanism(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    body_answers = make_attach(p, features).body_answers
    substitute = make_factors(p, features).substitute

    @wp.func
    def strike(m: t.model, k: t.work, o: t.settings, q: int, unit: vec3, w: int):
        """A unit impulse at port q as the right-hand side."""
        for i in range(o.nodes):
            k.solution[i, w] = vec3()
        node = m.body_node[m.port_body[q]]
        if m.port_kind[q] == wp.static(BODY_POINT):
            k.solution[node, w] = unit
            k.solution[node + 1, w] = wp.cross(k.port_arm[q, w], unit)
        elif m.port_kind[q] == wp.static(CLAMP):
            k.solution[node + 1, w] = unit
        else:
            turn = unit[0] * k.port_arm[q, w]
            if node >= 0:
                k.solution[node + 1, w] = -turn
            k.solution[m.body_node[m.port_drum[q]] + 1, w] = turn

    @wp.func
    def answer(m: t.model, k: t.work, i: int, w: int) -> vec3:
        """What the solution does to the motion at port i."""
        if m.port_kind[i] == wp.static(OTHER_ROPE):
            return vec3()
        node = m.body_node[m.port_body[i]]
        if m.port_kind[i] == wp.static(FEED):
            turn = k.solution[m.body_node[m.port_drum[i]] + 1, w]
            if node >= 0:
                turn = turn - k.solution[node + 1, w]
            return vec3(wp.dot(k.port_arm[i, w], turn), real(0.0), real(0.0))
        if node < 0:
            return vec3()
        spin = k.solution[node + 1, w]
        if m.port_kind[i] == wp.static(CLAMP):
            return spin
        return k.solution[node, w] + wp.cross(spin, k.port_arm[i, w])

    @wp.func
    def mechanism_answers(m: t.model, k: t.work, o: t.settings, w: int):
        """K into ``port_body_side``: free bodies by themselves, those in joints through the mechanism."""
        body_answers(m, k, o, w)
        for q in range(o.ports):
            in_joints = m.body_node[m.port_body[q]] >= 0 or m.port_kind[q] == wp.static(FEED)
            if m.port_kind[q] != wp.static(OTHER_ROPE) and in_joints:
                for axis in range(3):
                    unit = vec3()
                    unit[axis] = real(1.0)
                    strike(m, k, o, q, unit, w)
                    substitute(m, k, o, w)
                    for i in range(o.ports):
                        place = i * o.ports + q
                        block = k.port_body_side[place, w]
                        motion = answer(m, k, i, w)
                        for row in range(3):
                            block[row, axis] = motion[row]
                        k.port_body_side[place, w] = block

    return SimpleNamespace(mechanism_answers=mechanism_answers)
