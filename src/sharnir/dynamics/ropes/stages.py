"""The stages of a step for ropes, as ``pipeline.py`` calls them.

place_ropes    arms of the ports, and geometric stiffness of the bodies they pull at
begin_ropes    rows and factors of every rope; the ports' matrix; last step's impulses at the ports
(the solver visits the ports: ``couple``)
end_ropes      final velocities
give_way       elements that would push; with them ``resume_ropes``, the solver and ``end_ropes`` once more
close_ropes    impulses and pseudo-velocities that close the gaps
move_ropes     new places
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import BODY_POINT
from ..nothing import NOTHING, Nothing
from ..stiffen import make_stiffen
from .attach import make_attach
from .chain import make_chain
from .close import make_close
from .give import make_give
from .move import make_move
from .port_matrix import make_port_matrix
from .prepare import make_prepare
from .rope_contact import make_rope_touch
from .rope_mechanism import make_mechanism

wp = load_warp()


@cache
def make_ropes(p: Precision, features: Features) -> SimpleNamespace | Nothing:
    """The functions in a precision, for a scene's features."""
    if not features.ropes:
        return NOTHING
    real = p.real
    t = structs(p)
    prepare, attach, move = make_prepare(p, features), make_attach(p, features), make_move(p, features)
    factor = make_chain(p, features).factor
    factor_ports = make_port_matrix(p, features).factor_ports
    mechanism_answers = make_mechanism(p, features).mechanism_answers
    stiffen = make_stiffen(p, features).stiffen
    settle_touches = (make_rope_touch(p, features) if features.rope_touch else NOTHING).settle_touches

    @wp.func
    def last_kick(n: t.memory, o: t.settings, w: int) -> real:
        """Over which the impulses in the memory acted, s."""
        if n.kick[w] == real(0.0):
            return o.dt
        return wp.abs(n.kick[w])

    @wp.func
    def place_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Arms of the ports, and what the pull of a rope adds to the stiffness of its bodies."""
        if wp.static(features.rope_ports):
            attach.place_ports(m, s, k, o, w)
            if wp.static(features.direct):
                for i in range(o.ports):
                    if m.port_kind[i] == wp.static(BODY_POINT):
                        push = -o.dt * o.dt / last_kick(n, o, w) * n.port_impulse[i, w]
                        stiffen(m, n, k, m.port_body[i], k.port_arm[i, w], push, p.vec3(), w)

    @wp.func
    def begin_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, w: int):
        """Rows and factors of every rope, and last step's impulses at the ports."""
        prepare.prepare_ropes(m, s, n, k, o, kick, w)
        if wp.static(features.rope_touch):
            settle_touches(m, s, n, k, o, w)
        if wp.static(features.rope_ports):
            attach.rope_answers(m, s, k, o, w)
            if wp.static(features.direct):
                mechanism_answers(m, k, o, w)
            else:
                attach.body_answers(m, k, o, w)
            factor_ports(m, n, k, o, False, w)
            attach.warm_ports(m, s, n, k, o, w)

    @wp.func
    def end_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Final velocities of the ropes."""
        if wp.static(features.rope_ports):
            attach.solve_with_ports(m, s, n, k, o, w)
        else:
            prepare.solve_alone(m, s, n, k, o, w)

    @wp.func
    def resume_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Factors anew after elements gave way, with all that acts on the ropes as it was."""
        if wp.static(features.rope_ports):
            attach.load_ports(m, s, n, k, o, real(-1.0), w)
        for rope in range(o.ropes):
            factor(m, s, n, k, k.rope_inertia, rope, w)
        if wp.static(features.rope_ports):
            attach.rope_answers(m, s, k, o, w)
            factor_ports(m, n, k, o, False, w)
            attach.move_with_ports(m, s, n, k, o, w)

    return SimpleNamespace(
        give_way=make_give(p, features).give_way,
        resume_ropes=resume_ropes,
        place_ropes=place_ropes,
        begin_ropes=begin_ropes,
        end_ropes=end_ropes,
        close_ropes=make_close(p, features).close_ropes,
        check_ropes=move.check_ropes,
        move_ropes=move.move_ropes,
    )
