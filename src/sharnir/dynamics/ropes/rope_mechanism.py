"""The answer of a whole mechanism to impulses at the ports of its ropes: K of ``attach.py``, by the direct solver.

[M J^T; J -Gamma][dV; -dl] = [P; 0] with P a unit impulse at one port, solved with the factors that are there.
"""

from ...model.rope_arrays import BODY_POINT, CLAMP, FEED, OTHER_ROPE
from ..factory import Features, Made, Precision, factory, functions, wp
from ..solvers.factors import make_factors
from .attach import make_attach


@factory
def make_mechanism(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    body_answers = make_attach(p, features).body_answers
    substitute = make_factors(p, features).substitute

    @func
    def strike(model, work, settings, q: int, unit: vec3, world: int):
        """A unit impulse at port q as the right-hand side."""
        for i in range(settings.nodes):
            work.solution[i, world] = vec3()
        node = model.body_node[model.port_body[q]]
        if model.port_kind[q] == wp.static(BODY_POINT):
            work.solution[node, world] = unit
            work.solution[node + 1, world] = wp.cross(work.port_arm[q, world], unit)
        elif model.port_kind[q] == wp.static(CLAMP):
            work.solution[node + 1, world] = unit
        else:
            turn = unit[0] * work.port_arm[q, world]
            if node >= 0:
                work.solution[node + 1, world] = -turn
            work.solution[model.body_node[model.port_drum[q]] + 1, world] = turn

    @func
    def answer(model, work, i: int, world: int) -> vec3:
        """What the solution does to the motion at port i."""
        if model.port_kind[i] == wp.static(OTHER_ROPE):
            return vec3()
        node = model.body_node[model.port_body[i]]
        if model.port_kind[i] == wp.static(FEED):
            turn = work.solution[model.body_node[model.port_drum[i]] + 1, world]
            if node >= 0:
                turn = turn - work.solution[node + 1, world]
            return vec3(wp.dot(work.port_arm[i, world], turn), real(0.0), real(0.0))
        if node < 0:
            return vec3()
        spin = work.solution[node + 1, world]
        if model.port_kind[i] == wp.static(CLAMP):
            return spin
        return work.solution[node, world] + wp.cross(spin, work.port_arm[i, world])

    @func
    def mechanism_answers(model, work, settings, world: int):
        """K into ``port_body_side``: free bodies by themselves, those in joints through the mechanism."""
        body_answers(model, work, settings, world)
        for q in range(settings.ports):
            in_joints = model.body_node[model.port_body[q]] >= 0 or model.port_kind[q] == wp.static(FEED)
            if model.port_kind[q] != wp.static(OTHER_ROPE) and in_joints:
                for axis in range(3):
                    unit = vec3()
                    unit[axis] = real(1.0)
                    strike(model, work, settings, q, unit, world)
                    substitute(model, work, settings, world)
                    for i in range(settings.ports):
                        place = i * settings.ports + q
                        block = work.port_body_side[place, world]
                        motion = answer(model, work, i, world)
                        for row in range(3):
                            block[row, axis] = motion[row]
                        work.port_body_side[place, world] = block

    return locals()
