"""Sequential impulses ([000]): joint by joint, reactions, then limits, then friction, each applied at once.

Pseudo-impulses ([001]) travel in the same visit: they solve the same matrix from zero and touch nothing else, so
the order does not matter and the joint's data are loaded once. They are made in the first sweeps only (half of them
unless told otherwise): ERP removes a share of the error anyway.

In the leapfrog step the first half of the sweeps leads to J V = 0, or as near as they get; then the bias is found
(``bias.py``), and the other half leads onto the joints.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..rows.groups import make_rows

wp = load_warp()


@cache
def make_sequential(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    t = structs(p)
    rows, find_bias = make_rows(p, features), make_bias(p, features).find_bias

    @wp.func
    def iterate(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, count: int, w: int):
        """At most ``count`` sweeps over all rows, until no impulse changes by more than epsilon."""
        if r.iterations[w] == 0:
            rows.strike(m, n, k, o, w)
        sweep = int(0)
        while sweep < count and r.done[w] == 0:
            change = rows.visit(m, n, k, o, r.iterations[w] + sweep < o.stabilisations, w)
            sweep += 1
            r.residual[w] = wp.sqrt(change)
            if r.residual[w] < o.epsilon:
                r.done[w] = 1
            if wp.static(features.integrator.leads):
                if k.is_led[w] == 0 and (r.done[w] == 1 or 2 * (r.iterations[w] + sweep) >= o.iterations):
                    find_bias(m, s, n, k, o, w)
                    rows.lead(m, n, k, o, w)
                    r.done[w] = 0
        r.iterations[w] = r.iterations[w] + sweep

    @wp.func
    def conclude(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Nothing is left to do: every impulse was applied at once."""

    @wp.func
    def resume(m: t.model, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Go on after the ropes were factored anew."""
        r.done[w] = 0

    return SimpleNamespace(iterate=iterate, conclude=conclude, resume=resume)
