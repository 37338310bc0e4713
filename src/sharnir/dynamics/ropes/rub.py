"""Friction of eyelets, the capstan's: the pulls T on both sides differ by at most (exp(mu a) - 1) min(T).

a is the angle by which the rope is turned. An eyelet that rubs is a port with one row: an impulse f on the rope that
runs through it with the speed s. As any dry friction

    s = 0 while |f| <= (exp(mu a) - 1) min(T),   else f against s with that bound

and f, the pulls and all other ports are found together: s and T are linear in f, with all ports reacting (``S`` is the
Schur complement that ``port_matrix.py`` leaves). Eyelets along one rope move together, so S is nearly singular, and it
is visited eyelet by eyelet; the bounds follow the pulls from round to round, and shrink by their ratio in each.
"""

from ..factory import Features, Made, Precision, factory, functions, wp

SWEEPS = 20  # over the eyelets in each of them
SETTLED = 1e-12  # of the largest pull: a change of friction that is none


@factory
def make_rub(p: Precision, features: Features) -> Made:
    real, vec3 = p.real, p.vec3
    func = functions(p)

    @func
    def grip(model, work, node: int, slide: int, world: int) -> real:
        """exp(mu a) - 1 of an eyelet at a node."""
        turn = wp.acos(
            wp.clamp(wp.dot(work.rope_axis[node - 1, world], work.rope_axis[node, world]), real(-1.0), real(1.0))
        )
        return wp.exp(model.slide_friction[slide] * turn) - real(1.0)

    @func
    def most(work, i: int, world: int) -> real:
        """The bound of eyelet i over a kick, N s."""
        pulls = work.port_tension[i, world]
        return work.port_grip[i, world] * wp.max(wp.min(pulls[0], pulls[1]), real(0.0))

    @func
    def between(work, settings, i: int, q: int, world: int) -> real:
        """S: the speed through eyelet i from friction at eyelet q."""
        return work.port_matrix[wp.max(i, q) * settings.ports + wp.min(i, q), world][0, 0]

    @func
    def sweep(memory, work, settings, world: int) -> real:
        """Every eyelet that rubs once, its friction's change in ``port_change``; the largest change of this sweep."""
        largest = real(0.0)
        for i in range(settings.ports - settings.rubs, settings.ports):
            speed = work.port_motion[i, world][0]
            for q in range(settings.ports - settings.rubs, settings.ports):
                speed = speed + between(work, settings, i, q, world) * work.port_change[q, world][0]
            bound = most(work, i, world)
            before = memory.port_impulse[i, world][0]
            old = before + work.port_change[i, world][0]
            new = wp.clamp(old - speed / between(work, settings, i, i, world), -bound, bound)
            largest = wp.max(largest, wp.abs(new - old))
            work.port_change[i, world] = vec3(new - before, real(0.0), real(0.0))
        return largest

    @func
    def find_friction(memory, work, settings, world: int) -> real:
        """The changes of all frictions at the present pulls into ``port_change``; the largest, 0 if it is none."""
        pull = real(0.0)
        for i in range(settings.ports - settings.rubs, settings.ports):
            work.port_change[i, world] = vec3()
            pull = wp.max(pull, wp.max(wp.abs(work.port_tension[i, world][0]), wp.abs(work.port_tension[i, world][1])))
        left = int(wp.static(SWEEPS))
        while left > 0:
            left -= 1
            if sweep(memory, work, settings, world) <= wp.static(real(SETTLED)) * pull:
                left = 0
        largest = real(0.0)
        for i in range(settings.ports - settings.rubs, settings.ports):
            largest = wp.max(largest, wp.abs(work.port_change[i, world][0]))
        if largest <= wp.static(real(SETTLED)) * pull:
            return real(0.0)
        return largest

    @func
    def end_friction(model, memory, work, settings, world: int):
        """Note which eyelets hold the rope."""
        for i in range(settings.ports - settings.rubs, settings.ports):
            holds = wp.abs(memory.port_impulse[i, world][0]) < real(0.999999) * most(work, i, world)
            memory.slide_holds[model.port_slide[i], world] = int(holds)

    return locals()
