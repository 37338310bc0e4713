"""Friction of eyelets, the capstan's: the pulls T on both sides differ by at most (exp(mu a) - 1) min(T).

a is the angle by which the rope is turned. An eyelet that rubs is a port with one row: an impulse f on the rope that
runs through it with the speed s. As any dry friction

    s = 0 while |f| <= (exp(mu a) - 1) min(T),   else f against s with that bound

and f, the pulls and all other ports are found together: s and T are linear in f, with all ports reacting (``S`` is the
Schur complement that ``port_matrix.py`` leaves). Eyelets along one rope move together, so S is nearly singular, and it
is visited eyelet by eyelet; the bounds follow the pulls from round to round, and shrink by their ratio in each.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision

wp = load_warp()

SWEEPS = 20  # over the eyelets in each of them
SETTLED = 1e-12  # of the largest pull: a change of friction that is none


@cache
def make_rub(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)

    @wp.func
    def grip(m: t.model, k: t.work, node: int, slide: int, w: int) -> real:
        """exp(mu a) - 1 of an eyelet at a node."""
        turn = wp.acos(wp.clamp(wp.dot(k.rope_axis[node - 1, w], k.rope_axis[node, w]), real(-1.0), real(1.0)))
        return wp.exp(m.slide_friction[slide] * turn) - real(1.0)

    @wp.func
    def most(k: t.work, i: int, w: int) -> real:
        """The bound of eyelet i over a kick, N s."""
        pulls = k.port_tension[i, w]
        return k.port_grip[i, w] * wp.max(wp.min(pulls[0], pulls[1]), real(0.0))

    @wp.func
    def between(k: t.work, o: t.settings, i: int, q: int, w: int) -> real:
        """S: the speed through eyelet i from friction at eyelet q."""
        return k.port_matrix[wp.max(i, q) * o.ports + wp.min(i, q), w][0, 0]

    @wp.func
    def sweep(n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """Every eyelet that rubs once, its friction's change in ``port_change``; the largest change of this sweep."""
        largest = real(0.0)
        for i in range(o.ports - o.rubs, o.ports):
            speed = k.port_motion[i, w][0]
            for q in range(o.ports - o.rubs, o.ports):
                speed = speed + between(k, o, i, q, w) * k.port_change[q, w][0]
            bound = most(k, i, w)
            before = n.port_impulse[i, w][0]
            old = before + k.port_change[i, w][0]
            new = wp.clamp(old - speed / between(k, o, i, i, w), -bound, bound)
            largest = wp.max(largest, wp.abs(new - old))
            k.port_change[i, w] = vec3(new - before, real(0.0), real(0.0))
        return largest

    @wp.func
    def find_friction(n: t.memory, k: t.work, o: t.settings, w: int) -> real:
        """The changes of all frictions at the present pulls into ``port_change``; the largest, 0 if it is none."""
        pull = real(0.0)
        for i in range(o.ports - o.rubs, o.ports):
            k.port_change[i, w] = vec3()
            pull = wp.max(pull, wp.max(wp.abs(k.port_tension[i, w][0]), wp.abs(k.port_tension[i, w][1])))
        left = int(wp.static(SWEEPS))
        while left > 0:
            left -= 1
            if sweep(n, k, o, w) <= wp.static(real(SETTLED)) * pull:
                left = 0
        largest = real(0.0)
        for i in range(o.ports - o.rubs, o.ports):
            largest = wp.max(largest, wp.abs(k.port_change[i, w][0]))
        if largest <= wp.static(real(SETTLED)) * pull:
            return real(0.0)
        return largest

    @wp.func
    def end_friction(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Note which eyelets hold the rope."""
        for i in range(o.ports - o.rubs, o.ports):
            holds = wp.abs(n.port_impulse[i, w][0]) < real(0.999999) * most(k, i, w)
            n.slide_holds[m.port_slide[i], w] = int(holds)

    return SimpleNamespace(grip=grip, find_friction=find_friction, end_friction=end_friction)
