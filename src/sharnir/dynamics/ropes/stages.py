"""The stages of a step for ropes, as ``pipeline.py`` calls them.

place_ropes    arms of the ports, and geometric stiffness of the bodies they pull at
begin_ropes    rows and factors of every rope; the ports' matrix; last step's impulses at the ports
(the solver visits the ports: ``couple``)
end_ropes      final velocities
give_way       elements that would push; with them ``resume_ropes``, the solver and ``end_ropes`` once more
close_ropes    impulses and pseudo-velocities that close the gaps
move_ropes     new places
"""

from ...model.rope_arrays import BODY_POINT
from ..factory import Features, Made, Precision, factory, functions, wp
from ..stiffen import make_stiffen
from .attach import make_attach
from .chain import make_chain
from .compression import make_compression
from .gap_projection import make_gap_projection
from .move import make_move
from .port_matrix import make_port_matrix
from .prepare import make_prepare
from .rope_contact import make_rope_touch
from .rope_mechanism import make_mechanism


@factory
def make_ropes(p: Precision, features: Features) -> Made:
    if not features.ropes:
        return None
    real = p.real
    func = functions(p)
    prepare, attach, move = make_prepare(p, features), make_attach(p, features), make_move(p, features)
    factor = make_chain(p, features).factor
    factor_ports = make_port_matrix(p, features).factor_ports
    mechanism_answers = make_mechanism(p, features).mechanism_answers
    stiffness = make_stiffen(p, features)
    settle_touches = make_rope_touch(p, features).settle_touches

    @func
    def last_kick(memory, settings, world: int) -> real:
        """Over which the impulses in the memory acted, s."""
        if memory.kick[world] == real(0.0):
            return settings.dt
        return wp.abs(memory.kick[world])

    @func
    def place_ropes(model, state, memory, work, settings, world: int):
        """Arms of the ports, and what the pull of a rope adds to the stiffness of its bodies."""
        if wp.static(features.rope_ports):
            attach.place_ports(model, state, work, settings, world)
            if wp.static(features.direct):
                for i in range(settings.ports):
                    if model.port_kind[i] == wp.static(BODY_POINT):
                        push = (
                            -settings.dt
                            * settings.dt
                            / last_kick(memory, settings, world)
                            * memory.port_impulse[i, world]
                        )
                        b = model.port_body[i]
                        excess = stiffness.excess_of(model, memory, work.port_arm[i, world], push, b, world)
                        if excess > real(0.0):
                            stiffness.stiffen(work, excess, wp.normalize(push), p.vec3(), b, world)

    @func
    def begin_ropes(model, state, memory, work, settings, kick: real, world: int):
        """Rows and factors of every rope, and last step's impulses at the ports."""
        prepare.prepare_ropes(model, state, memory, work, settings, kick, world)
        if wp.static(features.rope_touch):
            settle_touches(model, state, memory, work, settings, world)
        if wp.static(features.rope_ports):
            attach.rope_answers(model, state, work, settings, world)
            if wp.static(features.direct):
                mechanism_answers(model, work, settings, world)
            else:
                attach.body_answers(model, work, settings, world)
            factor_ports(model, memory, work, settings, False, world)
            attach.warm_ports(model, state, memory, work, settings, world)

    @func
    def end_ropes(model, state, memory, work, settings, world: int):
        """Final velocities of the ropes."""
        if wp.static(features.rope_ports):
            attach.solve_with_ports(model, state, memory, work, settings, world)
        else:
            prepare.solve_alone(model, state, memory, work, settings, world)

    @func
    def resume_ropes(model, state, memory, work, settings, world: int):
        """Factors anew after elements gave way, with all that acts on the ropes as it was."""
        if wp.static(features.rope_ports):
            attach.load_ports(model, state, memory, work, settings, real(-1.0), world)
        for rope in range(settings.ropes):
            factor(model, state, memory, work, work.rope_inertia, rope, world)
        if wp.static(features.rope_ports):
            attach.rope_answers(model, state, work, settings, world)
            factor_ports(model, memory, work, settings, False, world)
            attach.move_with_ports(model, state, memory, work, settings, world)

    give_way, close_ropes = make_compression(p, features).give_way, make_gap_projection(p, features).close_ropes
    check_ropes, move_ropes = move.check_ropes, move.move_ropes
    return locals()
