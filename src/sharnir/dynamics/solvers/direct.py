"""The direct solver: all locked and soft rows at once, exactly; limits, friction and contacts projected around them.

An outer iteration visits limits, friction and contacts one by one. Two ways of it, chosen when the scene is compiled:

near    A visit applies its impulse together with the reaction of its own joint, and knows the effective mass that goes
        with it (see ``rows/lock.py``), so a single hinge converges in one iteration; after all visits the matrix is
        solved again. Cheap for long chains. Where these are trees, dry friction is in the matrix (``rows/held.py``).
reach   A visit knows what its impulse does to the whole mechanism (see ``reach.py``); the matrix is not solved again
        until the iterations end. Cheap where the paths through the elimination are short, and the only way that holds
        at any mass ratio when the parts of a mechanism touch the ground in several places.

Either way the last act is a solve: joints are exact whatever the number of iterations.
"""

from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..ropes.attach import make_attach
from ..rows.bounds import make_bounds
from ..rows.groups import make_rows
from ..rows.joint_rows import make_joints
from .factors import MORE_BIASES, make_factors
from .near import make_near
from .sweep import make_sweep

SLOW = 0.3  # share of the last changes that a sweep may leave, if friction in the matrix is not to be looked at again
IDLE_EVERY = 4  # iterations between two looks at limits that nothing has reached


@factory
def make_direct(p: Precision, features: Features) -> Made:
    real, vec2 = p.real, p.vec2
    func = functions(p)
    factors = make_factors(p, features)
    sweep_near = make_near(p, features).sweep
    sweep_reach = make_sweep(p, features).sweep
    rows, hold = make_rows(p, features), make_joints(p, features).hold
    pushes = make_bounds(p, features).pushing is not None or features.contacts
    couple = make_attach(p, features).couple
    loaded = features.friction_laws
    is_foreseen = make_bias(p, features).is_foreseen

    @func
    def solve_ports(model, memory, work, settings, world: int) -> real:
        """Ropes and bodies at their ports, then the joints' part of it; the square of the largest impulse."""
        change = couple(model, memory, work, settings, world)
        factors.solve_velocity(model, memory, work, settings, world)
        if wp.static(features.reach):
            factors.clear(settings, work.solution, world)
        return change

    @func
    def first_solve(model, state, memory, work, settings, world: int):
        """The joints alone, with last step's impulses of everything else."""
        work.is_settled[world] = 0
        if wp.static(features.integrator.leads):
            if not is_foreseen(memory, settings, world):
                factors.solve_velocity(model, memory, work, settings, world)
            factors.lead_onto_joints(model, state, memory, work, settings, world)
        else:
            factors.solve_both(model, memory, work, settings, world)
        if wp.static(features.reach):
            factors.clear(settings, work.solution, world)
            if wp.static(pushes):
                factors.clear(settings, work.push_solution, world)
                work.is_pushed[world] = 0
        rows.strike(model, memory, work, settings, world)
        if wp.static(features.rope_ports):
            solve_ports(model, memory, work, settings, world)

    @func
    def sweep_bounds(model, memory, work, settings, made: int, everywhere: bool, before: real, world: int) -> vec2:
        """One outer iteration; the squares of the largest impulse and pseudo-impulse."""
        if wp.static(features.reach):
            work.is_settled[world] = 0
            changes = sweep_reach(model, memory, work, settings, everywhere, world)
            if changes[1] > real(0.0):
                work.is_pushed[world] = 1
            if wp.static(loaded):
                factors.settle(
                    model, memory, work, settings, world
                )  # friction that depends on the joint's reaction wants to know it
            return changes
        changes = sweep_near(model, memory, work, settings, world)
        if wp.static(features.held):
            if changes[0] > settings.epsilon * settings.epsilon:
                slow = changes[0] > wp.static(real(SLOW * SLOW)) * before * before and before > real(0.0)
                if hold(model, memory, work, settings, made, slow, world):
                    factors.factor(model, memory, work, settings, world)
        if changes[1] > real(0.0):
            factors.solve_both(model, memory, work, settings, world)
        elif changes[0] > real(0.0):
            factors.solve_velocity(model, memory, work, settings, world)
        return changes

    @func
    def lead_on(model, state, memory, work, settings, world: int) -> bool:
        """After limits, friction or contacts have changed the motion; whether there is something to iterate on."""
        work.is_led[world] = work.is_led[world] + 1
        if wp.static(features.reach):
            factors.settle(model, memory, work, settings, world)
            work.is_settled[world] = 1
        changed = factors.lead_again(model, state, memory, work, settings, world)
        if wp.static(features.reach):
            if changed:
                factors.clear(settings, work.solution, world)
        return changed

    @func
    def iterate(model, state, memory, work, report, settings, count: int, world: int):
        """At most ``count`` outer iterations, until no limit or friction impulse changes by more than epsilon."""
        if report.iterations[world] == 0:
            first_solve(model, state, memory, work, settings, world)
        sweep = int(0)
        settled = bool(False)
        while sweep < count and report.done[world] == 0:
            before = report.residual[world]
            # idle limits are looked at now and then, and before declaring convergence; counted over all launches of a
            # step with a budget, so that it makes the same bits as one without
            made = report.iterations[world] + sweep
            everywhere = settled or made % IDLE_EVERY == 0 or made + 1 == settings.iterations
            if wp.static(features.together):
                everywhere = everywhere or made < IDLE_EVERY
            sweep += 1
            if wp.static(features.bounded):
                changes = sweep_bounds(model, memory, work, settings, made, everywhere, before, world)
                if wp.static(features.rope_ports):
                    if wp.static(features.reach):
                        factors.settle(model, memory, work, settings, world)
                    changes[0] = wp.max(changes[0], solve_ports(model, memory, work, settings, world))
                # changes shrink by about the same factor each time: done if the next one would be below epsilon
                report.residual[world] = wp.sqrt(wp.max(changes[0], changes[1]))
                coming = report.residual[world]
                if before > real(0.0):
                    coming = coming * wp.min(coming / before, real(1.0))
                settled = coming <= settings.epsilon
                if settled and everywhere:
                    report.done[world] = 1
                    if wp.static(features.integrator.leads):
                        changed = made > 0 or wp.static(features.together)
                        if work.is_led[world] <= wp.static(MORE_BIASES) and changed:
                            if lead_on(model, state, memory, work, settings, world):
                                report.done[world] = 0
                                settled = False
            else:
                report.done[world] = 1
        report.iterations[world] = report.iterations[world] + sweep

    @func
    def conclude(model, memory, work, settings, world: int):
        """After the last iteration: velocities and joint impulses brought up to date, if they are not."""
        if wp.static(features.reach):
            if work.is_settled[world] == 0:
                factors.settle(model, memory, work, settings, world)
            if wp.static(pushes):
                if work.is_pushed[world] == 1:
                    factors.settle_push(model, work, settings, world)

    @func
    def resume(model, memory, work, report, settings, world: int):
        """Go on after the ropes, or the matrix, were factored anew."""
        report.done[world] = 0
        if wp.static(features.rope_ports):
            solve_ports(model, memory, work, settings, world)
        elif wp.static(features.backlash):
            factors.solve_velocity(model, memory, work, settings, world)
            if wp.static(features.reach):
                factors.clear(settings, work.solution, world)

    return locals()
