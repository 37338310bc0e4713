"""The ports of ropes, where they pull at bodies and at each other, as a group of rows (see ``groups.py``)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..ropes.attach import make_attach

wp = load_warp()


@cache
def make_port(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, t, attach = p.real, structs(p), make_attach(p, features)

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, w: int) -> real:
        """Impulses at all ports that stop their slips; the square of the largest change, (N s)^2 or (N m s)^2."""
        return attach.couple(m, n, k, o, w)

    @wp.func
    def scale(m: t.model, n: t.memory, o: t.settings, share: real, w: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for i in range(o.ports):
            n.port_impulse[i, w] = share * n.port_impulse[i, w]

    return SimpleNamespace(visit=visit, scale=scale)
