"""The matrix of all ports, factored densely: Y + K of ``attach.py``, one 3x3 block per pair of ports.

The eyelets that rub come last. For the velocities only the ports before them are eliminated: what is left in their rows
is how they answer to friction with all ports reacting (the Schur complement), which ``rub.py`` works with. Where gaps
are closed an eyelet that holds is a port as any other, and one that slips is none.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ...model.rope_arrays import CLAMP, FEED, RUB
from ..algebra import make_algebra

wp = load_warp()


@cache
def make_port_matrix(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, mat33 = p.real, p.mat33
    t = structs(p)
    algebra = make_algebra(p)
    SOFTNESS = wp.constant(real(1e-10 if p.name == "float64" else 1e-6))

    @wp.func
    def soften(m: t.model, k: t.work, i: int, own: mat33, w: int) -> mat33:
        """The diagonal block of port i, with its own softness; regular where the port has one row only."""
        own = own + algebra.diagonal(SOFTNESS * wp.trace(own))
        if m.port_kind[i] == wp.static(CLAMP):
            own = own + algebra.full(k.port_softness[i, w])
        if m.port_kind[i] == wp.static(FEED) or m.port_kind[i] == wp.static(RUB):
            own[1, 1] = real(1.0)
            own[2, 2] = real(1.0)
            if own[0, 0] <= real(0.0):  # nothing runs there now
                own[0, 0] = real(1.0)
        return own

    @wp.func
    def is_out(m: t.model, n: t.memory, closing: bool, i: int, w: int) -> bool:
        """Whether port i is an eyelet that slips, while gaps are closed."""
        return closing and m.port_kind[i] == wp.static(RUB) and n.slide_holds[m.port_slide[i], w] == 0

    @wp.func
    def assemble(m: t.model, n: t.memory, k: t.work, o: t.settings, closing: bool, w: int):
        """The matrix of all ports: what an impulse at one does to the slip at another."""
        for i in range(o.ports):
            for q in range(o.ports):
                place = i * o.ports + q
                k.port_matrix[place, w] = k.port_body_side[place, w] + k.port_rope_side[place, w]
                if is_out(m, n, closing, i, w) or is_out(m, n, closing, q, w):
                    k.port_matrix[place, w] = mat33()
        for i in range(o.ports):
            own = k.port_matrix[i * o.ports + i, w]
            if is_out(m, n, closing, i, w):
                own = algebra.diagonal(real(1.0))
            k.port_matrix[i * o.ports + i, w] = soften(m, k, i, own, w)

    @wp.func
    def ports_to_solve(o: t.settings, closing: bool) -> int:
        """How many ports take part; those that rub only while gaps are closed."""
        if closing:
            return o.ports
        return o.ports - o.rubs

    @wp.func
    def factor_ports(m: t.model, n: t.memory, k: t.work, o: t.settings, closing: bool, w: int):
        """Y + K + softness as L D L^T: L below, the inverses of D on the diagonal."""
        assemble(m, n, k, o, closing, w)
        count = o.ports
        for i in range(ports_to_solve(o, closing)):
            inverse = wp.inverse(k.port_matrix[i * count + i, w])
            k.port_matrix[i * count + i, w] = inverse
            for reverse in range(count - 1 - i):
                high = count - 1 - reverse
                lower = k.port_matrix[high * count + i, w] * inverse
                for low in range(i + 1, high + 1):
                    place = high * count + low
                    k.port_matrix[place, w] = k.port_matrix[place, w] - lower * wp.transpose(
                        k.port_matrix[low * count + i, w]
                    )
                k.port_matrix[high * count + i, w] = lower

    @wp.func
    def substitute_ports(k: t.work, o: t.settings, closing: bool, w: int):
        """The right-hand side in ``port_change`` becomes the solution; eyelets that rub only if gaps are closed."""
        count = o.ports
        last = ports_to_solve(o, closing)
        for i in range(last):
            x = k.port_change[i, w]
            for high in range(i + 1, last):
                k.port_change[high, w] = k.port_change[high, w] - k.port_matrix[high * count + i, w] * x
            k.port_change[i, w] = k.port_matrix[i * count + i, w] * x
        for reverse in range(last):
            i = last - 1 - reverse
            x = k.port_change[i, w]
            for high in range(i + 1, last):
                x = x - k.port_change[high, w] * k.port_matrix[high * count + i, w]
            k.port_change[i, w] = x

    return SimpleNamespace(factor_ports=factor_ports, substitute_ports=substitute_ports, is_out=is_out)
