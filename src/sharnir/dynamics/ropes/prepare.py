"""What a rope's velocity problem consists of: masses, free motion, bends, geometric stiffness (see ``chain.py``).

Geometric stiffness (as in ``stiffen.py``, after Tournier et al. 2015): an element under tension T turns as on a spring
T l (E - dd^T). Taken with the direction of the start of the step it is explicit, and stable while h^2 T < l m. Half of
that stays explicit. What is beyond, x, is implicit: x w' on the left in the papers' step, which damps. In the leapfrog
step x/4 is added to the inertia, (m r^2/4 + x/4)(w' - w), which does not, up to h^2 T = 2 l m; and what is beyond that
is y (w' - u), u being the mean of the spins, weighted by y, that the rope has. A load that swings on a straight rope
turns all elements alike and keeps its swing; all else is damped, as sum y w.(w - u) >= 0 (Cauchy and Schwarz).

The kick of the leapfrog step aims at the end of the drift,

    r_{j+1} - r_j = l R(h w) d  there:   v_{j+1} - v_j + T_j w_j = (l/h) (R(h w) d - d - h w x d)

with the spin before the kick on the right, so that less is left to close (``close.py``). Elements that give way or
touch something (``give.py``) are left out: where the nodes of an element nearly meet, its spin has no bound.
"""

import math
from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from .bend_twist import make_bend
from .chain import make_chain
from .give import HEAPED, make_give

wp = load_warp()

UNEVEN = 0.2  # rad/s^2: a rope that is pressed beyond its Euler load is turned aside by it
TAUT = 0.5  # h^2 T/(l m) that stays explicit
FOLLOWED = 2.0  # h^2 T/(l m) up to which waves are followed; beyond, what is not the swing of all is damped
BROAD = 1 / 3  # of what is implicit of a bend that acts on the change of its rate; 1/4 would be barely stable
CALM = 0.5  # share of it, times h and the rope's lowest frequency, that damps: of second order


@cache
def make_prepare(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    t = structs(p)
    algebra, bends, chain = make_algebra(p), make_bend(p, features), make_chain(p, features)
    Bend = bends.Bend
    Law = bends.Law
    is_loose = make_give(p, features).is_loose

    @wp.func
    def element_mass(m: t.model, s: t.state, rope: int, j: int, w: int) -> real:
        """kg."""
        return m.rope_line[rope, w] * s.rope_length[j, w]

    @wp.func
    def node_mass(m: t.model, s: t.state, rope: int, i: int, w: int) -> real:
        """Half of each neighbouring element ([002], equation 1)."""
        mass = real(0.0)
        if i > s.rope_first[rope, w]:
            mass = element_mass(m, s, rope, i - 1, w)
        if i < m.rope_end[rope] - 1:
            mass = mass + element_mass(m, s, rope, i, w)
        return real(0.5) * mass

    @wp.func
    def weigh_node(m: t.model, s: t.state, k: t.work, rope: int, i: int, w: int):
        """The inverse mass of node i, 1/kg; zero where it is pinned."""
        if m.rope_pinned[i] == 1:
            k.rope_inverse[i, w] = algebra.packed(mat33())
        else:
            k.rope_inverse[i, w] = algebra.packed(algebra.diagonal(real(1.0) / node_mass(m, s, rope, i, w)))

    @wp.func
    def free_node(m: t.model, s: t.state, k: t.work, kick: real, i: int, w: int):
        """The velocity of node i after gravity alone, m/s."""
        k.rope_push[i, w] = vec3()
        k.rope_push_spin[i, w] = vec3()
        if m.rope_pinned[i] == 1:
            k.rope_free[i, w] = vec3()
        else:
            k.rope_free[i, w] = s.rope_velocity[i, w] + kick * m.gravity[w]

    @wp.func
    def round_inertia(m: t.model, s: t.state, rope: int, j: int, w: int) -> real:
        """m r^2/4 of element j, its inertia across; that along is twice as much."""
        return real(0.25) * element_mass(m, s, rope, j, w) * m.rope_radius[rope, w] * m.rope_radius[rope, w]

    @wp.func
    def tautness(m: t.model, s: t.state, n: t.memory, dt: real, rope: int, j: int, w: int) -> vec2:
        """What element j gains by its geometric stiffness, kg m^2: of inertia, and of implicit stiffness."""
        length = s.rope_length[j, w]
        sure = element_mass(m, s, rope, j, w) * length * length
        stiff = length * dt * dt * n.rope_tension[j, w]
        if wp.static(not features.integrator.leads):
            return vec2(real(0.0), wp.max(stiff - wp.static(real(TAUT)) * sure, real(0.0)))
        followed = wp.min(stiff, wp.static(real(FOLLOWED)) * sure)
        gain = real(0.25) * wp.max(followed - wp.static(real(TAUT)) * sure, real(0.0))
        return vec2(gain, wp.max(stiff - followed, real(0.0)))

    @wp.func
    def mean_turning(m: t.model, s: t.state, n: t.memory, dt: real, rope: int, w: int) -> vec3:
        """Of the elements of a rope that are stiff by their tension, rad/s, before the kick."""
        turning = vec3()
        whole = real(0.0)
        for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
            stiff = tautness(m, s, n, dt, rope, j, w)[1]
            turning = turning + stiff * s.rope_spin[j, w]
            whole = whole + stiff
        if whole > real(0.0):
            return turning / whole
        return turning

    @wp.func
    def weigh_element(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, j: int, w: int):
        """Its direction, and its inertia with geometric stiffness: (m r^2/4)(E + dd^T) + stiffness (E - dd^T)."""
        axis = algebra.ahead(s.rope_rotation[j, w])
        own = round_inertia(m, s, rope, j, w)
        taut = tautness(m, s, n, dt, rope, j, w)
        across = own + taut[0] + taut[1]
        k.rope_axis[j, w] = axis
        k.rope_inertia[j, w] = algebra.packed(
            algebra.diagonal(across) + (real(2.0) * own - across) * wp.outer(axis, axis)
        )
        k.rope_bend[j, w] = algebra.packed(mat33())
        k.rope_bent[j, w] = vec3()

    @wp.func
    def euler_load(m: t.model, s: t.state, rope: int, w: int) -> real:
        """pi^2 K/L^2 of the whole rope, N."""
        first = s.rope_first[rope, w]
        last = m.rope_end[rope] - 1
        length = real(last - first) * s.rope_length[last - 1, w]
        stiffness = m.rope_stiffness[rope, w]
        return wp.static(real(math.pi**2)) * stiffness[0] / (length * length)

    @wp.func
    def tautened(m: t.model, s: t.state, n: t.memory, turning: vec3, dt: real, rope: int, j: int, w: int) -> vec3:
        """The momentum that geometric stiffness adds to that of element j, N m s."""
        taut = tautness(m, s, n, dt, rope, j, w)
        return taut[0] * s.rope_spin[j, w] + taut[1] * turning

    @wp.func
    def free_element(m: t.model, s: t.state, n: t.memory, k: t.work, gained: vec3, rope: int, j: int, w: int):
        """Its momentum, with what bending and geometric stiffness add to it, N m s."""
        axis = k.rope_axis[j, w]
        spin = s.rope_spin[j, w]
        momentum = round_inertia(m, s, rope, j, w) * (spin + wp.dot(axis, spin) * axis)
        if wp.static(features.integrator.leads):
            momentum = momentum + gained - wp.dot(axis, gained) * axis
        k.rope_torque[j, w] = momentum + k.rope_bent[j, w]

    @wp.func
    def buckle(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, j: int, w: int):
        """A little push aside, where an element is pressed by more than the rope bears straight."""
        if n.rope_tension[j, w] < -euler_load(m, s, rope, w):
            length = s.rope_length[j, w]
            uneven = wp.static(real(UNEVEN)) * dt * wp.sin(real(1.7) * real(j))  # no mode of buckling is left out
            aside = uneven * element_mass(m, s, rope, j, w) * length * length
            k.rope_torque[j, w] = k.rope_torque[j, w] + aside * algebra.column(algebra.frame_of(k.rope_axis[j, w]), 0)

    @wp.func
    def bow(s: t.state, k: t.work, dt: real, j: int, w: int):
        """How the tip of an element leaves a straight path in a drift, m/s."""
        axis = k.rope_axis[j, w]
        turn = dt * s.rope_spin[j, w]
        straight = axis + wp.cross(turn, axis)
        k.rope_bow[j, w] = s.rope_length[j, w] / dt * (algebra.rotated_vector(axis, turn) - straight)

    @wp.func
    def own_inertia(m: t.model, rope: int, length: real, w: int) -> real:
        """m r^2/4 of an element of a length."""
        return real(0.25) * m.rope_line[rope, w] * length * m.rope_radius[rope, w] * m.rope_radius[rope, w]

    @wp.func
    def shares(m: t.model, rope: int, length: real, dt: real, w: int) -> vec3:
        """The implicit share of bending and twist between elements of a length."""
        own = own_inertia(m, rope, length, w)
        stiffness = m.rope_stiffness[rope, w]
        bending = bends.implicit_share(stiffness[0], own, length, dt)
        return vec3(bending, bending, bends.implicit_share(stiffness[2], real(2.0) * own, length, dt))

    @wp.func
    def lateness(damper: real, inertia: real, kick: real) -> real:
        """Where in the kick the rate is taken that a damper acts by: half way, or such that the quickest of a chain of
        them, with four times the damping, decays within the kick and does not swing."""
        decay = real(4.0) * kick * damper / inertia
        if decay <= real(2.0):
            return real(0.5)
        return real(1.0) - real(1.0) / decay

    @wp.func
    def late(m: t.model, rope: int, length: real, kick: real, w: int) -> vec3:
        """Lateness of bending and twist; where elements bend against each other their nodes go to and fro."""
        own = own_inertia(m, rope, length, w)
        across = own + real(0.25) * m.rope_line[rope, w] * length * length * length
        dampers = m.rope_damping[rope, w] / length * m.rope_stiffness[rope, w]
        bending = lateness(dampers[0], across, kick)
        return vec3(bending, bending, lateness(dampers[2], real(2.0) * own, kick))

    @wp.func
    def slowest(m: t.model, s: t.state, rope: int, w: int) -> vec3:
        """Frequencies of the slowest waves of bending and twist in the whole rope, rad/s."""
        last = m.rope_end[rope] - 1
        length = real(last - s.rope_first[rope, w]) * s.rope_length[last - 1, w]
        number = wp.static(real(math.pi)) / length
        stiffness = m.rope_stiffness[rope, w]
        bending = number * number * wp.sqrt(stiffness[0] / m.rope_line[rope, w])
        inertia = real(0.5) * m.rope_line[rope, w] * m.rope_radius[rope, w] * m.rope_radius[rope, w]
        return vec3(bending, bending, number * wp.sqrt(stiffness[2] / inertia))

    @wp.func
    def follows(m: t.model, rope: int) -> bool:
        """Whether bending follows the motion to second order; a rope that may touch something needs what the papers'
        step damps, or it would snap through itself."""
        return wp.static(features.integrator.leads) and m.rope_touches[rope] == 0 and m.rope_tangles[rope] == 0

    @wp.func
    def law_of(m: t.model, s: t.state, length: real, share: vec3, kick: real, dt: real, rope: int, w: int) -> Law:
        """Bending and twist over a length, of which a share is implicit."""
        law = Law()
        law.stiffness = m.rope_stiffness[rope, w]
        law.length = length
        damping = m.rope_damping[rope, w]
        one = vec3(real(1.0), real(1.0), real(1.0))
        if not follows(m, rope):
            law.after = dt * share + damping * one
            return law
        if damping > real(0.0):
            middle = late(m, rope, length, kick, w)
            law.after = damping * middle
            law.before = damping * (one - middle)
        if wp.max(share) > real(0.0):
            whole = dt * dt / kick * share
            calm = wp.min(wp.static(real(CALM)) * dt * slowest(m, s, rope, w), one)
            law.after = law.after + wp.static(real(BROAD)) * whole + wp.cw_mul(calm, whole)
            law.before = law.before - wp.static(real(BROAD)) * whole
        return law

    @wp.func
    def in_eyelet(s: t.state, o: t.settings, i: int, w: int) -> bool:
        """Whether node i is in an eyelet now."""
        for slide in range(o.slides):
            if s.slide_node[slide, w] == i:
                return True
        return False

    @wp.func
    def prepare_bend(m: t.model, s: t.state, k: t.work, o: t.settings, kick: real, rope: int, j: int, w: int):
        """The bend between elements j and j + 1, or the twist alone where they meet in an eyelet."""
        if s.rope_parted[j, w] == 1 or s.rope_parted[j + 1, w] == 1:
            return
        length = real(0.5) * (s.rope_length[j, w] + s.rope_length[j + 1, w])
        share = shares(m, rope, length, o.dt, w)
        law = law_of(m, s, length, share, kick, o.dt, rope, w)
        law.rest = m.rope_rest[j]
        before = s.rope_rotation[j, w]
        after = s.rope_rotation[j + 1, w]
        turning = s.rope_spin[j + 1, w] - s.rope_spin[j, w]
        bend = Bend()
        free = True
        if wp.static(features.rope_slides):
            if in_eyelet(s, o, j + 1, w):
                free = False
                bend = bends.twist_between(before, after, turning, law, kick)
        if free:
            bend = bends.bend_between(before, after, turning, law, kick)
        k.rope_bend[j, w] = algebra.packed(bend.stiff)
        k.rope_bent[j, w] = k.rope_bent[j, w] - bend.twirl
        k.rope_bent[j + 1, w] = k.rope_bent[j + 1, w] + bend.twirl

    @wp.func
    def prepare_clamp(m: t.model, s: t.state, k: t.work, kick: real, dt: real, i: int, w: int):
        """A spring of twice the rope's stiffness over the element's length, all of it implicit."""
        rope = m.clamp_rope[i]
        j = m.clamp_element[i]
        half = real(0.5) * s.rope_length[j, w]
        law = law_of(m, s, half, vec3(real(1.0), real(1.0), real(1.0)), kick, dt, rope, w)
        law.rest = m.clamp_rest[i]
        if law.stiffness[2] == real(0.0):
            law.stiffness[2] = wp.static(real(1e-6)) * law.stiffness[0]
        body = m.clamp_body[i]
        wall = s.rotation[body, w] * m.clamp_turn[i]
        bend = bends.bend_between(wall, s.rope_rotation[j, w], s.rope_spin[j, w] - s.spin[body, w], law, kick)
        port = m.clamp_port[i]
        if port < 0:
            k.rope_inertia[j, w] = algebra.packed(algebra.full(k.rope_inertia[j, w]) + bend.stiff)
            k.rope_bent[j, w] = k.rope_bent[j, w] + bend.twirl
        else:
            k.port_source[port, w] = bend.twirl
            k.port_softness[port, w] = algebra.packed(wp.inverse(bend.stiff))

    @wp.func
    def prepare_slide(m: t.model, s: t.state, k: t.work, i: int, w: int):
        """The mass that runs through an eyelet or off a drum is that of the node; see ``rub.py`` for friction."""
        node = s.slide_node[i, w]
        k.rope_slip[node, w] = real(1.0) / node_mass(m, s, m.slide_rope[i], node, w)
        k.rope_feed[node, w] = s.slide_speed[i, w]
        if m.slide_fixed[i] == 1:
            k.rope_inverse[node, w] = algebra.packed(mat33())
            k.rope_free[node, w] = vec3()

    @wp.func
    def clear_bows(m: t.model, s: t.state, k: t.work, rope: int, w: int):
        """Elements that go straight."""
        if wp.static(features.integrator.leads):
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                k.rope_bow[j, w] = vec3()

    @wp.func
    def free_gap(m: t.model, s: t.state, n: t.memory, k: t.work, dt: real, rope: int, w: int):
        """The right-hand side of the velocity problem as it was prepared."""
        for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
            k.rope_gap[j, w] = k.rope_free[j + 1, w] - k.rope_free[j, w]
            if s.rope_slack[j, w] > real(0.0):  # it comes to be taut, or heaped
                way = s.rope_slack[j, w]
                if n.rope_gives[j, w] == wp.static(HEAPED):
                    way = way - s.rope_length[j, w]
                k.rope_gap[j, w] = k.rope_gap[j, w] - way / dt * k.rope_axis[j, w]
            if wp.static(features.rope_slides):
                feed = k.rope_feed[j + 1, w] - k.rope_feed[j, w]
                k.rope_gap[j, w] = k.rope_gap[j, w] + feed * k.rope_axis[j, w]
            if wp.static(features.integrator.leads):
                if not is_loose(s, n, k, j, w):
                    k.rope_gap[j, w] = k.rope_gap[j, w] - k.rope_bow[j, w]
            k.rope_twirl[j, w] = k.rope_torque[j, w]

    @wp.func
    def take_velocities(m: t.model, s: t.state, n: t.memory, k: t.work, rope: int, w: int):
        """The solution as velocities and impulses of the step."""
        for i in range(s.rope_first[rope, w], m.rope_end[rope]):
            k.rope_moving[i, w] = k.rope_free[i, w] + chain.pulled(m, s, k, rope, i, w)
            if i < m.rope_end[rope] - 1:
                k.rope_spinning[i, w] = k.rope_turning[i, w]
                n.rope_pull[i, w] = k.rope_impulse[i, w]

    @wp.func
    def weigh_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, w: int):
        """What depends on places alone: masses, directions, bends."""
        for rope in range(o.ropes):
            first = s.rope_first[rope, w]
            last = m.rope_end[rope] - 1
            for i in range(first, last + 1):
                weigh_node(m, s, k, rope, i, w)
                if wp.static(features.rope_slides):
                    k.rope_slip[i, w] = real(0.0)
                    k.rope_feed[i, w] = real(0.0)
            for j in range(first, last):
                weigh_element(m, s, n, k, o.dt, rope, j, w)
            for j in range(first, last - 1):
                prepare_bend(m, s, k, o, kick, rope, j, w)
        for i in range(o.clamps):
            prepare_clamp(m, s, k, kick, o.dt, i, w)

    @wp.func
    def prepare_ropes(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, w: int):
        """Assemble and factor the velocity problem of every rope."""
        weigh_ropes(m, s, n, k, o, kick, w)
        for rope in range(o.ropes):
            for i in range(s.rope_first[rope, w], m.rope_end[rope]):
                free_node(m, s, k, kick, i, w)
            turning = vec3()
            if wp.static(features.integrator.leads):
                turning = mean_turning(m, s, n, o.dt, rope, w)
            for j in range(s.rope_first[rope, w], m.rope_end[rope] - 1):
                gained = vec3()
                if wp.static(features.integrator.leads):
                    gained = tautened(m, s, n, turning, o.dt, rope, j, w)
                    bow(s, k, o.dt, j, w)
                free_element(m, s, n, k, gained, rope, j, w)
                buckle(m, s, n, k, o.dt, rope, j, w)
        if wp.static(features.rope_slides):
            for i in range(o.slides):
                prepare_slide(m, s, k, i, w)
            if o.slides > 0:  # what is fed through eyelets and winches is closed as in the papers' step
                for rope in range(o.ropes):
                    clear_bows(m, s, k, rope, w)
        if wp.static(not features.rope_touch):  # else the touches decide on the masses, and factor
            for rope in range(o.ropes):
                chain.factor(m, s, n, k, k.rope_inertia, rope, w)

    @wp.func
    def solve_alone(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Velocities of the ropes from what was prepared."""
        for rope in range(o.ropes):
            free_gap(m, s, n, k, o.dt, rope, w)
            chain.solve(m, s, k, rope, w)
            take_velocities(m, s, n, k, rope, w)

    return SimpleNamespace(
        prepare_ropes=prepare_ropes,
        solve_alone=solve_alone,
        free_gap=free_gap,
        take_velocities=take_velocities,
        node_mass=node_mass,
    )
