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
from ..pair import make_pair
from ..ropes.attach import make_attach
from ..rows.contact import make_contact
from ..rows.coupling import make_coupling
from ..rows.friction import make_friction
from ..rows.limit import make_limit
from ..rows.lock import make_lock
from ..rows.soft import make_soft

wp = load_warp()


@cache
def make_sequential(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real = p.real
    t = structs(p)
    pair, lock, limit, friction = (
        make_pair(p),
        make_lock(p, features),
        make_limit(p, features),
        make_friction(p, features),
    )
    load, store, load_push, store_push = pair.load, pair.store, pair.load_push, pair.store_push
    visit_lock, visit_limit, visit_friction = lock.visit_lock, limit.visit_limit, friction.visit_friction
    push_lock, push_limit, is_passed = lock.push_lock, limit.push_limit, limit.is_passed
    motion, acted = pair.motion, pair.acted
    contact = make_contact(p, features)
    bounce_all, sweep_contacts, push_contacts = contact.bounce_all, contact.sweep_contacts, contact.push_contacts
    bias = make_bias(p, features)
    led, find_bias = bias.led, bias.find_bias
    visit_soft = make_soft(p, features).visit_soft
    coupling = make_coupling(p, features)
    visit_couplings, lead_couplings = coupling.visit_couplings, coupling.lead_couplings
    couple = make_attach(p, features).couple

    @wp.func
    def visit_joint(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, j: int, w: int) -> real:
        """One visit of joint j; returns the square of the largest impulse."""
        x = visit_lock(m, n, k, load(m, k, j, w), j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                x = visit_soft(m, n, k, x, i, w)
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                linear = m.limit_linear[i]
                x = acted(x, linear, visit_limit(n, k, led(k, motion(x, linear), linear, j, w), o.dt, i, w))
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                linear = m.friction_linear[i]
                x = acted(x, linear, visit_friction(m, n, k, led(k, motion(x, linear), linear, j, w), k.kick[w], i, w))
        store(m, k, j, w, x)
        if stabilise:
            rate = o.erp / o.dt
            x = push_lock(m, k, load_push(m, k, x, j, w), rate, j, w)
            if wp.static(features.limits):
                for i in range(m.limit_start[j], m.limit_end[j]):
                    if is_passed(k, i, w):
                        linear = m.limit_linear[i]
                        x = acted(x, linear, push_limit(m, k, motion(x, linear), rate, i, w))
            store_push(m, k, j, w, x)
        return x.change

    @wp.func
    def iterate(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, count: int, w: int):
        """At most ``count`` sweeps over all joints, until no impulse changes by more than epsilon."""
        if wp.static(features.restitution):
            if r.iterations[w] == 0:
                bounce_all(m, k, o.dt, w)
        sweep = int(0)
        while sweep < count and r.done[w] == 0:
            change = real(0.0)
            for j in range(o.joints):
                stabilise = r.iterations[w] + sweep < o.stabilisations
                change = wp.max(change, visit_joint(m, n, k, o, stabilise, j, w))
            if wp.static(features.couplings):
                change = wp.max(change, visit_couplings(m, n, k, o, w))
            if wp.static(features.contacts):
                # changes shrink slowly here: a small one is no sign of having converged, hence no epsilon
                change = wp.max(change, sweep_contacts(m, n, k, real(0.0), k.kick[w], w))
                if r.iterations[w] + sweep < o.stabilisations:
                    push_contacts(m, k, o, w)
            if wp.static(features.rope_ports):
                change = wp.max(change, couple(m, n, k, o, w))
            sweep += 1
            r.residual[w] = wp.sqrt(change)
            if r.residual[w] < o.epsilon:
                r.done[w] = 1
            if wp.static(features.leapfrog):
                if k.is_led[w] == 0 and (r.done[w] == 1 or 2 * (r.iterations[w] + sweep) >= o.iterations):
                    find_bias(m, s, n, k, o, w)
                    if wp.static(features.couplings):
                        lead_couplings(k, o, w)
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
