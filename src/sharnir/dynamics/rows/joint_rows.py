"""The rows of joints: locks, soft rows, and the bounded rows on their free axes, as a group of rows (``groups.py``)."""

from ..bias import make_bias
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..integrators.leapfrog import make_leapfrog
from ..pair import make_pair
from ..solvers.reach import make_reach
from ..stiffen import make_stiffen
from .bounds import make_bounds
from .held import make_held
from .joint_matrix import make_joint_matrix
from .joint_view import make_view
from .lock import make_lock
from .soft import make_soft


@factory
def make_joints(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)
    pair, lock, soft = make_pair(p), make_lock(p, features), make_soft(p, features)
    bounds, pushing = make_bounds(p, features).rows, make_bounds(p, features).pushing
    frames_of, reach_of = make_coordinates(p).frames_of, make_reach(p, features)
    led, brought_on = make_bias(p, features).led, make_leapfrog(p, features).brought_on
    stiffen_joint = make_stiffen(p, features).stiffen_joint
    Pair, View, Vectors = pair.Pair, make_view(p).View, wp.array(dtype=vec3, ndim=2)
    has_bounds, pushes = bounds is not None, pushing is not None
    prepares_bounds = has_bounds and not features.reach
    holds = features.direct and (prepares_bounds or features.soft)  # inverse masses with the joint's own reaction

    # --- before the iterations --------------------------------------------------------------------------------------

    @func
    def place(model, state, memory, work, report, settings, world: int):
        """From the centres of mass to b's anchor, where both bodies feel a joint's impulses, m."""
        for j in range(settings.joints):
            b = model.joint_b[j]
            arm = wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
            work.arm_b[j, world] = arm
            work.arm_a[j, world] = state.position[b, world] + arm - state.position[model.joint_a[j], world]
            if wp.static(features.direct):
                stiffen_joint(model, memory, work, settings.dt, j, world)

    @func
    def weighs_itself(model, j: int) -> bool:
        """Whether rows of joint j look at inverse masses that do not come from the factors."""
        if wp.static(not features.direct):
            return True
        rows = model.soft_end[j] - model.soft_start[j]
        if wp.static(prepares_bounds):
            rows = rows + bounds.count(model, j)
        return rows > 0

    @func
    def prepare_joint(model, control, state, memory, work, settings, j: int, world: int) -> real:
        """All rows of joint j, but those that follow from the factors; its worst error."""
        view = View()
        view.joint = j
        view.dt = settings.dt
        view.frames = frames_of(model, state, j, world)
        x = pair.load(model, work, j, world)
        weighs = weighs_itself(model, j)
        if weighs:
            view.linear = lock.inverse_mass_ll(x)
            view.angular = x.ia + x.ib
        worst = lock.prepare_lock(model, memory, work, view, x, weighs, world)
        if wp.static(holds):
            if weighs:
                view.linear = lock.held_mass_ll(model, work, x, view.linear, j, world)
                view.angular = lock.held_mass_aa(model, work, x, j, world)
        if wp.static(features.soft):
            for i in range(model.soft_start[j], model.soft_end[j]):
                soft.prepare_soft(model, control, state, memory, work, view, i, world)
            if wp.static(features.direct):
                lock.add_soft_rows(model, work, j, world)
        if wp.static(prepares_bounds):
            bounds.prepare(model, state, memory, work, view, world)
        return worst

    @func
    def prepare(model, control, state, memory, work, report, settings, world: int):
        """All joints; their worst error (m or rad) is reported."""
        worst = real(0.0)
        for j in range(settings.joints):
            worst = wp.max(worst, prepare_joint(model, control, state, memory, work, settings, j, world))
        report.joint_error[world] = worst

    @func
    def reach(model, state, memory, work, settings, world: int):
        """Bounded rows with the inverse masses that the factors give."""
        if wp.static(features.reach and has_bounds):
            for j in range(settings.joints):
                if model.reach_linear[j] < model.reach_end[j]:
                    reach_of.reach_joint(model, work, j, world)
                    view = View()
                    view.joint = j
                    view.dt = settings.dt
                    view.frames = frames_of(model, state, j, world)
                    view.linear = reach_of.inverse_mass(work, 1, j, world)
                    view.angular = reach_of.inverse_mass(work, 0, j, world)
                    bounds.prepare(model, state, memory, work, view, world)

    @func
    def warm(model, memory, work, settings, world: int):
        """Last step's impulses applied."""
        for j in range(settings.joints):
            x = lock.warm_lock(model, memory, pair.load(model, work, j, world), j, world)
            if wp.static(features.soft):
                for i in range(model.soft_start[j], model.soft_end[j]):
                    x = soft.soft_kick(model, work, x, memory.soft_impulse[i, world], i, world)
            if wp.static(has_bounds):
                x = bounds.warm(model, memory, work, x, j, world)
            pair.store(model, work, j, world, x)

    # --- visits -----------------------------------------------------------------------------------------------------

    @func
    def react(model, memory, work, x: Pair, j: int, world: int) -> Pair:
        """The answer of joint j's own locked and soft rows to an impulse on one of its free axes."""
        x = lock.visit_lock(model, memory, work, x, j, world)
        if wp.static(features.soft):
            for i in range(model.soft_start[j], model.soft_end[j]):
                x = lock.visit_lock(model, memory, work, soft.visit_soft(model, memory, work, x, i, world), j, world)
        return x

    @func
    def push_joint(model, work, x: Pair, rate: real, j: int, world: int) -> Pair:
        """Pseudo-impulses of joint j's locks and of its bounded rows that are passed."""
        x = lock.push_lock(model, work, x, rate, j, world)
        if wp.static(pushes):
            for c in range(pushing.count(model, j)):
                if pushing.is_passed(model, work, c, j, world):
                    linear = pushing.linear(model, c, j)
                    x = pair.acted(x, linear, pushing.push(model, work, pair.motion(x, linear), rate, c, j, world))
        return x

    @func
    def visit_joint(model, memory, work, settings, stabilise: bool, j: int, world: int) -> real:
        """One visit of joint j, every row applied at once; the square of the largest impulse."""
        x = lock.visit_lock(model, memory, work, pair.load(model, work, j, world), j, world)
        if wp.static(features.soft):
            for i in range(model.soft_start[j], model.soft_end[j]):
                x = soft.visit_soft(model, memory, work, x, i, world)
        if wp.static(has_bounds):
            for c in range(bounds.count(model, j)):
                linear = bounds.linear(model, c, j)
                u = led(work, pair.motion(x, linear), linear, j, world)
                x = pair.acted(x, linear, bounds.visit(model, memory, work, u, settings.dt, c, j, world))
        pair.store(model, work, j, world, x)
        if stabilise:
            x = push_joint(model, work, pair.load_push(model, work, x, j, world), settings.erp / settings.dt, j, world)
            pair.store_push(model, work, j, world, x)
        return x.change

    @func
    def visit(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """One visit of every joint; the square of the largest impulse."""
        change = real(0.0)
        for j in range(settings.joints):
            change = wp.max(change, visit_joint(model, memory, work, settings, stabilise, j, world))
        return change

    # --- after the iterations ---------------------------------------------------------------------------------------

    @func
    def at_the_end(memory, mean: vec3, last: vec3, world: int) -> vec3:
        """A reaction (N or N m) as it is at the end of the step, from its means over this kick and the last."""
        if wp.static(features.integrator.leads):
            if memory.kick[world] > real(0.0):
                return brought_on(mean, last)
        return mean

    @func
    def note_reaction(memory, work, kept: Vectors, apart: Vectors, mean: Vectors, now: Vectors, j: int, world: int):
        """The mean reaction of joint j over the kick (N or N m), and as it is at the end of the step."""
        impulse = kept[j, world]
        if wp.static(features.integrator.leads):
            impulse = impulse + apart[j, world]
        force = impulse / work.kick[world]
        now[j, world] = at_the_end(memory, force, mean[j, world], world)
        mean[j, world] = force

    @func
    def note_reactions(memory, work, j: int, world: int):
        """Those of its locked translations and rotations."""
        note_reaction(
            memory, work, memory.lock_impulse, work.bias_impulse, memory.reaction, memory.reaction_now, j, world
        )
        if wp.static(features.angular_locks):
            mean, now = memory.reaction_torque, memory.reaction_torque_now
            note_reaction(memory, work, memory.lock_angular, work.bias_angular, mean, now, j, world)

    @func
    def note_closing_energy(model, memory, work, dt: real, j: int, world: int):
        """Gamma p^2/2 of a joint that closes a loop, p the impulse that a whole step's kick would keep.

        What leads onto the joints is no part of p: it stretches nothing, but makes up for turns of which the redundant
        rows know differently, and near singular poses it is huge.
        """
        work.closing_energy[j, world] = real(0.0)
        if model.closes_loop[j] == 1:
            impulse = memory.lock_impulse[j, world]
            energy = work.softness_l[j, world] * wp.dot(impulse, impulse)
            if wp.static(features.angular_locks):
                impulse = memory.lock_angular[j, world]
                energy = energy + work.softness_a[j, world] * wp.dot(impulse, impulse)
            whole = real(1.0)
            if wp.static(features.integrator.leads):
                whole = dt / work.kick[world]
            work.closing_energy[j, world] = real(0.5) * whole * whole * energy

    @func
    def end(model, state, memory, work, settings, world: int):
        """Reactions, and what the rows remember of a kick that is solved."""
        for j in range(settings.joints):
            note_reactions(memory, work, j, world)
            if wp.static(features.direct):
                note_closing_energy(model, memory, work, settings.dt, j, world)
            if wp.static(has_bounds):
                bounds.end(model, memory, work, j, world)
            if wp.static(features.soft):
                for i in range(model.soft_start[j], model.soft_end[j]):
                    soft.end_soft(model, state, memory, work, settings.dt, i, world)

    @func
    def scale(model, memory, settings, share: real, world: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for j in range(settings.joints):
            memory.lock_impulse[j, world] = share * memory.lock_impulse[j, world]
            if wp.static(features.angular_locks):
                memory.lock_angular[j, world] = share * memory.lock_angular[j, world]
            if wp.static(has_bounds):
                bounds.scale(model, memory, share, j, world)
            if wp.static(features.soft):
                for i in range(model.soft_start[j], model.soft_end[j]):
                    soft.scale_soft(memory, share, i, world)

    react_push, hold = lock.push_lock, make_held(p, features).hold
    return vars(make_joint_matrix(p, features)) | locals()
