"""A ratchet: free one way, back to the last tooth that was passed.

n = max(n, floor(s c/P) - n_0)        s = 1: free to go up, -1: down; c the coordinate, P the pitch
clearance = s c - (n_0 + n) P >= 0    from the last tooth that was passed

s u + clearance/dt >= 0, s p >= 0: speculative, so that the tooth is met and not passed in this step

s p <- max(0, s p - (s u + max(clearance, 0)/dt)/w),  w = J M^-1 J^T
"""

from ...scene.elements.catches import ON_TOOTH
from ..factory import Features, Made, Precision, factory, functions, wp
from .catch import make_catch
from .joint_view import make_view


@factory
def make_ratchet(p: Precision, features: Features) -> Made:
    real, vec3, func, catch = p.real, p.vec3, functions(p), make_catch(p, features)
    View = make_view(p).View

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """Its direction and effective mass, the teeth that it has passed, and how far it is from the last of them."""
        catch.prepare(model, state, memory, work, view, i, world)
        along = model.ratchet_side[i, world] * catch.value(model, state, view, i, world)
        pitch = model.ratchet_pitch[i, world]
        here = wp.floor(along / pitch + real(ON_TOOTH)) - model.ratchet_first[i, world]
        passed = wp.max(memory.ratchet_passed[i, world], here)
        memory.ratchet_passed[i, world] = passed
        memory.ratchet_clearance[i, world] = along - (model.ratchet_first[i, world] + passed) * pitch

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The change of its impulse at the slip or relative spin u."""
        side = model.ratchet_side[i, world]
        slowest = -side * wp.max(memory.ratchet_clearance[i, world], real(0.0)) / dt
        held = wp.max(side * catch.wanted(memory, work, u, slowest, i, world), real(0.0))
        return catch.take(memory, work, side * held, i, world)

    return vars(catch) | locals()
