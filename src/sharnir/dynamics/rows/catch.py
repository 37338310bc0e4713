"""What all kinds of catches share: one coordinate, one impulse along it (see ``scene/elements/catches.py``).

A kind is a file beside this one, called after its tag. It gives ``visit``, and what else it does its own way (see
``bounds.py``), and takes the rest from here.
"""

from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from .joint_view import make_view
from .soft import make_soft


@factory
def make_catch(p: Precision, features: Features) -> Made:
    real, vec3, func = p.real, p.vec3, functions(p)
    geometry, pair, view_of = make_coordinates(p), make_pair(p), make_view(p)
    Pair, View = pair.Pair, view_of.View
    conductance_along = make_soft(p, features).conductance_along

    @func
    def linear(model, i: int) -> int:
        """1: of a length, 0: of an angle."""
        return model.catch_linear[i]

    @func
    def value(model, state, view: View, i: int, world: int) -> real:
        """The coordinate of catch i, turns counted."""
        return geometry.counted(state, view.frames, model.catch_kind[i], model.catch_twist[i], world)

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """Its direction and effective mass."""
        axis = geometry.coordinate_axis(view.frames, model.catch_kind[i])
        mass = real(1.0) / view_of.inverse_mass_along(view, model.catch_linear[i], axis)
        if wp.static(features.soft and features.direct and not features.reach):
            mass = mass + conductance_along(model, work, model.catch_linear[i], axis, view.joint, world)
        work.catch_axis[i, world] = axis
        work.catch_mass[i, world] = mass

    @func
    def warm(model, memory, work, x: Pair, i: int, world: int) -> Pair:
        """Last step's impulse applied."""
        return pair.acted(x, model.catch_linear[i], memory.catch_impulse[i, world] * work.catch_axis[i, world])

    @func
    def wanted(memory, work, u: vec3, rate: real, i: int, world: int) -> real:
        """The impulse that would bring the coordinate, at the slip or relative spin u, to a rate, N s or N m s."""
        slip = wp.dot(work.catch_axis[i, world], u) - rate
        return memory.catch_impulse[i, world] - work.catch_mass[i, world] * slip

    @func
    def take(memory, work, new: real, i: int, world: int) -> vec3:
        """The change to a new impulse, which is kept."""
        change = new - memory.catch_impulse[i, world]
        memory.catch_impulse[i, world] = new
        return change * work.catch_axis[i, world]

    @func
    def is_idle(model, memory, work, i: int, world: int) -> bool:
        """Whether it holds nothing."""
        return memory.catch_impulse[i, world] == real(0.0)

    @func
    def end(model, memory, work, i: int, world: int):
        """It remembers nothing but its impulse."""

    @func
    def scale(memory, share: real, i: int, world: int):
        """Its impulse for a kick of another length."""
        memory.catch_impulse[i, world] = share * memory.catch_impulse[i, world]

    return locals()
