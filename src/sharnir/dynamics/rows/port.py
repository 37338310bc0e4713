"""The ports of ropes, where they pull at bodies and at each other, as a group of rows (see ``groups.py``)."""

from ..factory import Features, Made, Precision, factory, functions
from ..ropes.attach import make_attach


@factory
def make_port(p: Precision, features: Features) -> Made:
    real, func, attach = p.real, functions(p), make_attach(p, features)

    @func
    def visit(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """Impulses at all ports that stop their slips; the square of the largest change, (N s)^2 or (N m s)^2."""
        return attach.couple(model, memory, work, settings, world)

    @func
    def scale(model, memory, settings, share: real, world: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for i in range(settings.ports):
            memory.port_impulse[i, world] = share * memory.port_impulse[i, world]

    return locals()
