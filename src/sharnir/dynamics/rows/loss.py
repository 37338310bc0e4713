"""What a gear or its like loses: friction on its first coordinate, in proportion to the effort of the mesh on it.

With e = c_1 l the effort of the exact row (``coupling.py``) on the first coordinate, u that coordinate's rate and f the
friction on it, which opposes u:

    e u < 0   the first coordinate drives        |f| <= b |e|,  of its power 1/(1 + b) comes out on the other side
    e u > 0   it is driven                       |f| <= d |e|,  of the power that comes in 1 - d goes on; d >= 1 locks
    u = 0     f is anything between the two

So f e lies between -d e^2 and b e^2 and holds the coordinate if it can. It is a row of its own beside those of dry
friction, visited as they are. The effort answers the friction: e' = e + s (f' - f), with s between 0 (a light first
side) and -1 (a light second side), which two visits tell. Bounds that follow e along with f,

    f' <= b (e - s f)/(1 - b s),    f' >= -d (e - s f)/(1 + d s), without end if 1 + d s <= 0: it jams

make the visits converge at any loss; where they end does not depend on s. Its impulses are kept with those of friction.
"""

from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from .friction import HELD, make_friction
from .joint_view import make_view
from .soft import make_soft

UNKNOWN = -0.5  # s before two visits have told it
ROUNDING = 1e-9  # of the friction: changes below that tell nothing
JAMS = 1e-9  # 1 + d s at and below which no friction short of holding is enough


@factory
def make_loss(p: Precision, features: Features) -> Made:
    real, vec3, vec2 = p.real, p.vec3, p.vec2
    func, friction = functions(p), make_friction(p, features)
    coordinate_axis, view_of = make_coordinates(p).coordinate_axis, make_view(p)
    View = view_of.View
    conductance_along = make_soft(p, features).conductance_along
    NEGLIGIBLE = wp.constant(real(1e-30 if p.name == "float64" else 1e-20))  # inverse mass of what cannot move
    ENDLESS = wp.constant(real(1e30))

    @func
    def along(impulse: vec3, axis: vec3) -> real:
        """The component of an impulse along an axis, over the length of the axis."""
        return wp.dot(impulse, axis) / wp.dot(axis, axis)

    @func
    def prepare(model, state, memory, work, view: View, i: int, world: int):
        """The axis of the first coordinate, its inverse mass, and last step's impulse along it."""
        axis = coordinate_axis(view.frames, model.term_kind[model.coupling_start[model.friction_coupling[i]]])
        inverse_mass = view_of.inverse_mass_along(view, model.friction_linear[i], axis)
        if wp.static(features.soft and features.direct and not features.reach):
            inverse_mass = inverse_mass / (
                real(1.0)
                + inverse_mass * conductance_along(model, work, model.friction_linear[i], axis, view.joint, world)
            )
        work.friction_axis[i, world] = axis
        work.friction_bound[i, world] = inverse_mass
        work.loss_seen[i, world] = vec3()
        memory.friction_impulse[i, world] = along(memory.friction_impulse[i, world], axis) * axis

    @func
    def mesh_impulse(model, memory, work, i: int, world: int) -> real:
        """Of the exact row on the first coordinate."""
        g = model.friction_coupling[i]
        return model.term_factor[model.coupling_start[g], world] * (
            memory.coupling_impulse[g, world] + work.coupling_bias_impulse[g, world]
        )

    @func
    def answer(work, rubbing: real, effort: real, i: int, world: int) -> real:
        """s, from what the effort has become since the friction was changed."""
        seen = work.loss_seen[i, world]
        work.loss_seen[i, world] = vec3(rubbing, effort, real(1.0))
        change = rubbing - seen[0]
        if seen[2] == real(0.0) or wp.abs(change) <= real(ROUNDING) * wp.abs(rubbing):
            return real(UNKNOWN)
        return wp.clamp((effort - seen[1]) / change, real(-1.0), real(0.0))

    @func
    def bounds(model, rubbing: real, effort: real, s: real, i: int, world: int) -> vec2:
        """The least and the largest friction impulse along the direction of the effort."""
        g = model.friction_coupling[i]
        driving = model.coupling_driving[g, world]
        driven = model.coupling_driven[g, world]
        still = effort - s * rubbing
        most = wp.max(driving * still / (real(1.0) - driving * s), real(0.0))
        margin = real(1.0) + driven * s
        if margin <= real(JAMS):
            return vec2(-ENDLESS, most)
        return vec2(wp.min(-driven * still / margin, real(0.0)), most)

    @func
    def visit(model, memory, work, u: vec3, dt: real, i: int, world: int) -> vec3:
        """The change of its impulse at the slip or relative spin u."""
        inverse_mass = work.friction_bound[i, world]
        if inverse_mass < NEGLIGIBLE:
            return vec3()
        axis = work.friction_axis[i, world]
        old = along(memory.friction_impulse[i, world], axis)
        effort = mesh_impulse(model, memory, work, i, world)
        s = answer(work, old, effort, i, world)
        side = real(1.0)
        if effort < real(0.0):
            side = real(-1.0)
        interval = bounds(model, side * old, side * effort, s, i, world)
        new = side * wp.clamp(side * (old - wp.dot(axis, u) / inverse_mass), interval[0], interval[1])
        memory.friction_impulse[i, world] = new * axis
        return (new - old) * axis

    @func
    def end(model, memory, work, i: int, world: int):
        """Note the friction's effort, N or N m, and whether it holds."""
        impulse = along(memory.friction_impulse[i, world], work.friction_axis[i, world])
        effort = mesh_impulse(model, memory, work, i, world)
        memory.coupling_loss[model.friction_coupling[i], world] = impulse / work.kick[world]
        interval = bounds(model, real(0.0), wp.abs(effort), real(0.0), i, world)
        toward = impulse * wp.sign(effort)
        holds = toward > real(HELD) * interval[0] and toward < real(HELD) * interval[1]
        friction.note_sticking(model, memory, work, holds, i, model.friction_joint[i], world)

    linear, warm, is_idle, scale = friction.linear, friction.warm, friction.is_idle, friction.scale
    return locals()
