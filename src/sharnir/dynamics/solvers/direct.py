"""The direct solver: all locked and soft rows at once, exactly; limits, friction and contacts projected around them.

An outer iteration visits limits, friction and contacts one by one. Two ways of it, chosen when the scene is compiled:

near    A visit applies its impulse together with the reaction of its own joint, and knows the effective mass that goes
        with it (see ``rows/lock.py``), so a single hinge converges in one iteration; after all visits the matrix is
        solved again. Cheap for long chains.
reach   A visit knows what its impulse does to the whole mechanism (see ``reach.py``); the matrix is not solved again
        until the iterations end. Cheap where the paths through the elimination are short, and the only way that holds
        at any mass ratio when the parts of a mechanism touch the ground in several places.

Either way the last act is a solve: joints are exact whatever the number of iterations.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..ropes.attach import make_attach
from ..rows.bounds import make_bounds
from ..rows.groups import make_rows
from .factors import MORE_BIASES, make_factors
from .near import make_near
from .sweep import make_sweep

wp = load_warp()

IDLE_EVERY = 4  # iterations between two looks at limits that nothing has reached


@cache
def make_direct(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2 = p.real, p.vec2
    t = structs(p)
    factors = make_factors(p, features)
    sweep_near = make_near(p, features).sweep
    sweep_reach = make_sweep(p, features).sweep
    rows = make_rows(p, features)
    pushes = make_bounds(p, features).pushing is not None or features.contacts
    couple = make_attach(p, features).couple
    loaded = features.friction_laws
    is_foreseen = make_bias(p, features).is_foreseen

    @wp.func
    def solve_ports(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Ropes and bodies at their ports, then the joints' part of it; the square of the largest impulse."""
        change = couple(m, n, k, o, w)
        factors.solve_velocity(m, n, k, o, w)
        if wp.static(features.reach):
            factors.clear(o, k.solution, w)
        return change

    @wp.func
    def first_solve(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """The joints alone, with last step's impulses of everything else."""
        if wp.static(features.integrator.leads):
            if not is_foreseen(n, o, w):
                factors.solve_velocity(m, n, k, o, w)
            factors.lead_onto_joints(m, s, n, k, o, w)
        else:
            factors.solve_both(m, n, k, o, w)
        if wp.static(features.reach):
            factors.clear(o, k.solution, w)
            if wp.static(pushes):
                factors.clear(o, k.push_solution, w)
        rows.strike(m, n, k, o, w)
        if wp.static(features.rope_ports):
            solve_ports(m, n, k, o, w)

    @wp.func
    def sweep_bounds(m: t.model, n: t.memory, k: t.work, o: t.settings, everywhere: bool, w: int) -> vec2:
        """One outer iteration; the squares of the largest impulse and pseudo-impulse."""
        if wp.static(features.reach):
            changes = sweep_reach(m, n, k, o, everywhere, w)
            if wp.static(loaded):
                factors.settle(m, n, k, o, w)  # friction that depends on the joint's reaction wants to know it
            return changes
        changes = sweep_near(m, n, k, o, w)
        if changes[1] > real(0.0):
            factors.solve_both(m, n, k, o, w)
        elif changes[0] > real(0.0):
            factors.solve_velocity(m, n, k, o, w)
        return changes

    @wp.func
    def lead_on(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """After limits, friction or contacts have changed the motion; whether there is something to iterate on."""
        k.is_led[w] = k.is_led[w] + 1
        if wp.static(features.reach):
            factors.settle(m, n, k, o, w)
        changed = factors.lead_again(m, s, n, k, o, w)
        if wp.static(features.reach):
            if changed:
                factors.clear(o, k.solution, w)
        return changed

    @wp.func
    def iterate(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, count: int, w: int):
        """At most ``count`` outer iterations, until no limit or friction impulse changes by more than epsilon."""
        if r.iterations[w] == 0:
            first_solve(m, s, n, k, o, w)
        sweep = int(0)
        settled = bool(False)
        while sweep < count and r.done[w] == 0:
            before = r.residual[w]
            # idle limits are looked at now and then, and before declaring convergence; counted over all launches of a
            # step with a budget, so that it makes the same bits as one without
            made = r.iterations[w] + sweep
            everywhere = settled or made % IDLE_EVERY == 0 or made + 1 == o.iterations
            sweep += 1
            if wp.static(features.bounded):
                changes = sweep_bounds(m, n, k, o, everywhere, w)
                if wp.static(features.rope_ports):
                    if wp.static(features.reach):
                        factors.settle(m, n, k, o, w)
                    changes[0] = wp.max(changes[0], solve_ports(m, n, k, o, w))
                # changes shrink by about the same factor each time: done if the next one would be below epsilon
                r.residual[w] = wp.sqrt(wp.max(changes[0], changes[1]))
                coming = r.residual[w]
                if before > real(0.0):
                    coming = coming * wp.min(coming / before, real(1.0))
                settled = coming <= o.epsilon
                if settled and everywhere:
                    r.done[w] = 1
                    if wp.static(features.integrator.leads):
                        if k.is_led[w] <= wp.static(MORE_BIASES) and made > 0:
                            if lead_on(m, s, n, k, o, w):
                                r.done[w] = 0
                                settled = False
            else:
                r.done[w] = 1
        r.iterations[w] = r.iterations[w] + sweep

    @wp.func
    def conclude(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """After the last iteration: velocities and joint impulses brought up to date."""
        if wp.static(features.reach):
            factors.settle(m, n, k, o, w)
            if wp.static(pushes):
                factors.settle_push(m, k, o, w)

    @wp.func
    def resume(m: t.model, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Go on after the ropes, or the matrix, were factored anew."""
        r.done[w] = 0
        if wp.static(features.rope_ports):
            solve_ports(m, n, k, o, w)
        elif wp.static(features.backlash):
            factors.solve_velocity(m, n, k, o, w)
            if wp.static(features.reach):
                factors.clear(o, k.solution, w)

    return SimpleNamespace(
        resume=resume,
        factor=factors.factor,
        iterate=iterate,
        conclude=conclude,
        clear_bodies=factors.clear_bodies,
        clear_push=factors.clear_push,
        substitute=factors.substitute,
        substitute_both=factors.substitute_both,
        take_solution=factors.take_solution,
    )
