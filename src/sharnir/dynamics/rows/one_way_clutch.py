"""A one-way clutch: free one way, held against the other up to its capacity C.

s u >= 0,  0 <= s p <= C T        s = 1: free to go up, -1: down; u the rate, p the impulse, T the kick

s p <- min(max(0, s (p - u/w)), C T),  w = J M^-1 J^T
"""

from ..factory import Features, Made, Precision, factory, functions, wp
from .catch import make_catch


@factory
def make_one_way_clutch(p: Precision, features: Features) -> Made:
    real, vec3, func, catch = p.real, p.vec3, functions(p), make_catch(p, features)

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The change of its impulse at the slip or relative spin u."""
        side = model.one_way_clutch_side[i, world]
        most = model.one_way_clutch_capacity[i, world] * work.kick[world]
        held = wp.clamp(side * catch.wanted(memory, work, u, real(0.0), i, world), real(0.0), most)
        return catch.take(memory, work, side * held, i, world)

    return vars(catch) | locals()
