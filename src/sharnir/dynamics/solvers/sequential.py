"""Sequential impulses ([000]): joint by joint, reactions, then limits, then friction, each applied at once.

Pseudo-impulses ([001]) travel in the same visit: they solve the same matrix from zero and touch nothing else, so
the order does not matter and the joint's data are loaded once. They are made in the first sweeps only (half of them
unless told otherwise): ERP removes a share of the error anyway.

In the leapfrog step the first half of the sweeps leads to J V = 0, or as near as they get; then the bias is found
(``bias.py``), and the other half leads onto the joints.
"""

from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..rows.groups import make_rows


@factory
def make_sequential(p: Precision, features: Features) -> Made:
    func = functions(p)
    rows, find_bias = make_rows(p, features), make_bias(p, features).find_bias

    @func
    def iterate(model, state, memory, work, report, settings, count: int, world: int):
        """At most ``count`` sweeps over all rows, until no impulse changes by more than epsilon."""
        if report.iterations[world] == 0:
            rows.strike(model, memory, work, settings, world)
        sweep = int(0)
        while sweep < count and report.done[world] == 0:
            change = rows.visit(
                model, memory, work, settings, report.iterations[world] + sweep < settings.stabilisations, world
            )
            sweep += 1
            report.residual[world] = wp.sqrt(change)
            if report.residual[world] < settings.epsilon:
                report.done[world] = 1
            if wp.static(features.integrator.leads):
                if work.is_led[world] == 0 and (
                    report.done[world] == 1 or 2 * (report.iterations[world] + sweep) >= settings.iterations
                ):
                    find_bias(model, state, memory, work, settings, world)
                    rows.lead(model, memory, work, settings, world)
                    report.done[world] = 0
        report.iterations[world] = report.iterations[world] + sweep

    @func
    def conclude(model, memory, work, settings, world: int):
        """Nothing is left to do: every impulse was applied at once."""

    @func
    def resume(model, memory, work, report, settings, world: int):
        """Go on after the ropes were factored anew."""
        report.done[world] = 0

    return locals()
