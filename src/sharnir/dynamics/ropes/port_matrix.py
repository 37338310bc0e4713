"""The matrix of all ports, factored densely: Y + K of ``attach.py``, one 3x3 block per pair of ports.

The eyelets that rub come last. For the velocities only the ports before them are eliminated: what is left in their rows
is how they answer to friction with all ports reacting (the Schur complement), which ``rub.py`` works with. Where gaps
are closed an eyelet that holds is a port as any other, and one that slips is none.
"""

from ...model.rope_arrays import CLAMP, FEED, RUB
from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp


@factory
def make_port_matrix(p: Precision, features: Features) -> Made:
    real, mat33 = p.real, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    SOFTNESS = wp.constant(real(1e-10 if p.name == "float64" else 1e-6))

    @func
    def soften(model, work, i: int, own: mat33, world: int) -> mat33:
        """The diagonal block of port i, with its own softness; regular where the port has one row only."""
        own = own + algebra.diagonal(SOFTNESS * wp.trace(own))
        if model.port_kind[i] == wp.static(CLAMP):
            own = own + algebra.full(work.port_softness[i, world])
        if model.port_kind[i] == wp.static(FEED) or model.port_kind[i] == wp.static(RUB):
            own[1, 1] = real(1.0)
            own[2, 2] = real(1.0)
            if own[0, 0] <= real(0.0):  # nothing runs there now
                own[0, 0] = real(1.0)
        return own

    @func
    def is_out(model, memory, closing: bool, i: int, world: int) -> bool:
        """Whether port i is an eyelet that slips, while gaps are closed."""
        return closing and model.port_kind[i] == wp.static(RUB) and memory.slide_holds[model.port_slide[i], world] == 0

    @func
    def assemble(model, memory, work, settings, closing: bool, world: int):
        """The matrix of all ports: what an impulse at one does to the slip at another."""
        for i in range(settings.ports):
            for q in range(settings.ports):
                place = i * settings.ports + q
                work.port_matrix[place, world] = work.port_body_side[place, world] + work.port_rope_side[place, world]
                if is_out(model, memory, closing, i, world) or is_out(model, memory, closing, q, world):
                    work.port_matrix[place, world] = mat33()
        for i in range(settings.ports):
            own = work.port_matrix[i * settings.ports + i, world]
            if is_out(model, memory, closing, i, world):
                own = algebra.diagonal(real(1.0))
            work.port_matrix[i * settings.ports + i, world] = soften(model, work, i, own, world)

    @func
    def ports_to_solve(settings, closing: bool) -> int:
        """How many ports take part; those that rub only while gaps are closed."""
        if closing:
            return settings.ports
        return settings.ports - settings.rubs

    @func
    def factor_ports(model, memory, work, settings, closing: bool, world: int):
        """Y + K + softness as L D L^T: L below, the inverses of D on the diagonal."""
        assemble(model, memory, work, settings, closing, world)
        count = settings.ports
        for i in range(ports_to_solve(settings, closing)):
            inverse = wp.inverse(work.port_matrix[i * count + i, world])
            work.port_matrix[i * count + i, world] = inverse
            for reverse in range(count - 1 - i):
                high = count - 1 - reverse
                lower = work.port_matrix[high * count + i, world] * inverse
                for low in range(i + 1, high + 1):
                    place = high * count + low
                    work.port_matrix[place, world] = work.port_matrix[place, world] - lower * wp.transpose(
                        work.port_matrix[low * count + i, world]
                    )
                work.port_matrix[high * count + i, world] = lower

    @func
    def substitute_ports(work, settings, closing: bool, world: int):
        """The right-hand side in ``port_change`` becomes the solution; eyelets that rub only if gaps are closed."""
        count = settings.ports
        last = ports_to_solve(settings, closing)
        for i in range(last):
            x = work.port_change[i, world]
            for high in range(i + 1, last):
                work.port_change[high, world] = (
                    work.port_change[high, world] - work.port_matrix[high * count + i, world] * x
                )
            work.port_change[i, world] = work.port_matrix[i * count + i, world] * x
        for reverse in range(last):
            i = last - 1 - reverse
            x = work.port_change[i, world]
            for high in range(i + 1, last):
                x = x - work.port_change[high, world] * work.port_matrix[high * count + i, world]
            work.port_change[i, world] = x

    return locals()
