"""What a rope's velocity problem consists of: masses, free motion, bends, geometric stiffness (see ``chain.py``).

Geometric stiffness (as in ``stiffen.py``, after Tournier et al. 2015): an element under tension T turns as on a spring
T l (E - dd^T). Taken with the direction of the start of the step it is explicit, and stable while h^2 T < l m. Half of
that stays explicit. What is beyond, x, is implicit: x w' on the left in the papers' step, which damps. In the leapfrog
step x/4 is added to the inertia, (m r^2/4 + x/4)(w' - w), which does not, up to h^2 T = 2 l m; and what is beyond that
is y (w' - u), u being the mean of the spins, weighted by y, that the rope has. A load that swings on a straight rope
turns all elements alike and keeps its swing; all else is damped, as sum y w.(w - u) >= 0 (Cauchy and Schwarz).

The kick of the leapfrog step aims at the end of the drift,

    r_{j+1} - r_j = l R(h w) d  there:   v_{j+1} - v_j + T_j w_j = (l/h) (R(h w) d - d - h w x d)

with the spin before the kick on the right, so that less is left to close (``gap_projection.py``). Elements that give
way or touch something (``compression.py``) are left out: where the nodes of an element nearly meet, its spin has no
bound.
"""

import math

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .bend_twist import make_bend
from .chain import make_chain
from .compression import HEAPED, make_compression

UNEVEN = 0.2  # rad/s^2: a rope that is pressed beyond its Euler load is turned aside by it
TAUT = 0.5  # h^2 T/(l m) that stays explicit
FOLLOWED = 2.0  # h^2 T/(l m) up to which waves are followed; beyond, what is not the swing of all is damped
BROAD = 1 / 3  # of what is implicit of a bend that acts on the change of its rate; 1/4 would be barely stable
CALM = 0.5  # share of it, times h and the rope's lowest frequency, that damps: of second order


@factory
def make_prepare(p: Precision, features: Features) -> Made:
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    func = functions(p)
    algebra, bends, chain = make_algebra(p), make_bend(p, features), make_chain(p, features)
    Bend = bends.Bend
    Law = bends.Law
    is_loose = make_compression(p, features).is_loose

    @func
    def element_mass(model, state, rope: int, j: int, world: int) -> real:
        """kg."""
        return model.rope_line[rope, world] * state.rope_length[j, world]

    @func
    def node_mass(model, state, rope: int, i: int, world: int) -> real:
        """Half of each neighbouring element ([002], equation 1)."""
        mass = real(0.0)
        if i > state.rope_first[rope, world]:
            mass = element_mass(model, state, rope, i - 1, world)
        if i < model.rope_end[rope] - 1:
            mass = mass + element_mass(model, state, rope, i, world)
        return real(0.5) * mass

    @func
    def weigh_node(model, state, work, rope: int, i: int, world: int):
        """The inverse mass of node i, 1/kg; zero where it is pinned."""
        if model.rope_pinned[i] == 1:
            work.rope_inverse[i, world] = algebra.packed(mat33())
        else:
            work.rope_inverse[i, world] = algebra.packed(
                algebra.diagonal(real(1.0) / node_mass(model, state, rope, i, world))
            )

    @func
    def free_node(model, state, work, kick: real, i: int, world: int):
        """The velocity of node i after gravity alone, m/s."""
        work.rope_push[i, world] = vec3()
        work.rope_push_spin[i, world] = vec3()
        if model.rope_pinned[i] == 1:
            work.rope_free[i, world] = vec3()
        else:
            work.rope_free[i, world] = state.rope_velocity[i, world] + kick * work.gravity[world]

    @func
    def round_inertia(model, state, rope: int, j: int, world: int) -> real:
        """m r^2/4 of element j, its inertia across; that along is twice as much."""
        return (
            real(0.25)
            * element_mass(model, state, rope, j, world)
            * model.rope_radius[rope, world]
            * model.rope_radius[rope, world]
        )

    @func
    def tautness(model, state, memory, dt: real, rope: int, j: int, world: int) -> vec2:
        """What element j gains by its geometric stiffness, kg m^2: of inertia, and of implicit stiffness."""
        length = state.rope_length[j, world]
        sure = element_mass(model, state, rope, j, world) * length * length
        stiff = length * dt * dt * memory.rope_tension[j, world]
        if wp.static(not features.integrator.leads):
            return vec2(real(0.0), wp.max(stiff - wp.static(real(TAUT)) * sure, real(0.0)))
        followed = wp.min(stiff, wp.static(real(FOLLOWED)) * sure)
        gain = real(0.25) * wp.max(followed - wp.static(real(TAUT)) * sure, real(0.0))
        return vec2(gain, wp.max(stiff - followed, real(0.0)))

    @func
    def mean_turning(model, state, memory, dt: real, rope: int, world: int) -> vec3:
        """Of the elements of a rope that are stiff by their tension, rad/s, before the kick."""
        turning = vec3()
        whole = real(0.0)
        for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
            stiff = tautness(model, state, memory, dt, rope, j, world)[1]
            turning = turning + stiff * state.rope_spin[j, world]
            whole = whole + stiff
        if whole > real(0.0):
            return turning / whole
        return turning

    @func
    def weigh_element(model, state, memory, work, dt: real, rope: int, j: int, world: int):
        """Its direction, and its inertia with geometric stiffness: (m r^2/4)(E + dd^T) + stiffness (E - dd^T)."""
        axis = algebra.ahead(state.rope_rotation[j, world])
        own = round_inertia(model, state, rope, j, world)
        taut = tautness(model, state, memory, dt, rope, j, world)
        across = own + taut[0] + taut[1]
        work.rope_axis[j, world] = axis
        work.rope_inertia[j, world] = algebra.packed(
            algebra.diagonal(across) + (real(2.0) * own - across) * wp.outer(axis, axis)
        )
        work.rope_bend[j, world] = algebra.packed(mat33())
        work.rope_bent[j, world] = vec3()

    @func
    def euler_load(model, state, rope: int, world: int) -> real:
        """pi^2 K/L^2 of the whole rope, N."""
        first = state.rope_first[rope, world]
        last = model.rope_end[rope] - 1
        length = real(last - first) * state.rope_length[last - 1, world]
        stiffness = model.rope_stiffness[rope, world]
        return wp.static(real(math.pi**2)) * stiffness[0] / (length * length)

    @func
    def tautened(model, state, memory, turning: vec3, dt: real, rope: int, j: int, world: int) -> vec3:
        """The momentum that geometric stiffness adds to that of element j, N m s."""
        taut = tautness(model, state, memory, dt, rope, j, world)
        return taut[0] * state.rope_spin[j, world] + taut[1] * turning

    @func
    def free_element(model, state, memory, work, gained: vec3, rope: int, j: int, world: int):
        """Its momentum, with what bending and geometric stiffness add to it, N m s."""
        axis = work.rope_axis[j, world]
        spin = state.rope_spin[j, world]
        momentum = round_inertia(model, state, rope, j, world) * (spin + wp.dot(axis, spin) * axis)
        if wp.static(features.integrator.leads):
            momentum = momentum + gained - wp.dot(axis, gained) * axis
        work.rope_torque[j, world] = momentum + work.rope_bent[j, world]

    @func
    def buckle(model, state, memory, work, dt: real, rope: int, j: int, world: int):
        """A little bend, where an element is pressed by more than the rope bears straight; the one before it reacts."""
        if j > state.rope_first[rope, world] and memory.rope_tension[j, world] < -euler_load(model, state, rope, world):
            length = state.rope_length[j, world]
            uneven = wp.static(real(UNEVEN)) * dt * wp.sin(real(1.7) * real(j))  # no mode of buckling is left out
            aside = uneven * element_mass(model, state, rope, j, world) * length * length
            twirl = aside * algebra.column(algebra.frame_of(work.rope_axis[j, world]), 0)
            work.rope_torque[j, world] = work.rope_torque[j, world] + twirl
            work.rope_torque[j - 1, world] = work.rope_torque[j - 1, world] - twirl

    @func
    def bow(state, work, dt: real, j: int, world: int):
        """How the tip of an element leaves a straight path in a drift, m/s."""
        axis = work.rope_axis[j, world]
        turn = dt * state.rope_spin[j, world]
        straight = axis + wp.cross(turn, axis)
        work.rope_bow[j, world] = state.rope_length[j, world] / dt * (algebra.rotated_vector(axis, turn) - straight)

    @func
    def own_inertia(model, rope: int, length: real, world: int) -> real:
        """m r^2/4 of an element of a length."""
        return (
            real(0.25)
            * model.rope_line[rope, world]
            * length
            * model.rope_radius[rope, world]
            * model.rope_radius[rope, world]
        )

    @func
    def shares(model, rope: int, length: real, dt: real, world: int) -> vec3:
        """The implicit share of bending and twist between elements of a length."""
        own = own_inertia(model, rope, length, world)
        stiffness = model.rope_stiffness[rope, world]
        bending = bends.implicit_share(stiffness[0], own, length, dt)
        return vec3(bending, bending, bends.implicit_share(stiffness[2], real(2.0) * own, length, dt))

    @func
    def lateness(damper: real, inertia: real, kick: real) -> real:
        """Where in the kick the rate is taken that a damper acts by: half way, or such that the quickest of a chain of
        them, with four times the damping, decays within the kick and does not swing."""
        decay = real(4.0) * kick * damper / inertia
        if decay <= real(2.0):
            return real(0.5)
        return real(1.0) - real(1.0) / decay

    @func
    def late(model, rope: int, length: real, kick: real, world: int) -> vec3:
        """Lateness of bending and twist; where elements bend against each other their nodes go to and fro."""
        own = own_inertia(model, rope, length, world)
        across = own + real(0.25) * model.rope_line[rope, world] * length * length * length
        dampers = model.rope_damping[rope, world] / length * model.rope_stiffness[rope, world]
        bending = lateness(dampers[0], across, kick)
        return vec3(bending, bending, lateness(dampers[2], real(2.0) * own, kick))

    @func
    def slowest(model, state, rope: int, world: int) -> vec3:
        """Frequencies of the slowest waves of bending and twist in the whole rope, rad/s."""
        last = model.rope_end[rope] - 1
        length = real(last - state.rope_first[rope, world]) * state.rope_length[last - 1, world]
        number = wp.static(real(math.pi)) / length
        stiffness = model.rope_stiffness[rope, world]
        bending = number * number * wp.sqrt(stiffness[0] / model.rope_line[rope, world])
        inertia = (
            real(0.5) * model.rope_line[rope, world] * model.rope_radius[rope, world] * model.rope_radius[rope, world]
        )
        return vec3(bending, bending, number * wp.sqrt(stiffness[2] / inertia))

    @func
    def follows(model, rope: int) -> bool:
        """Whether bending follows the motion to second order; a rope that may touch something needs what the papers'
        step damps, or it would snap through itself."""
        return wp.static(features.integrator.leads) and model.rope_touches[rope] == 0 and model.rope_tangles[rope] == 0

    @func
    def law_of(model, state, length: real, share: vec3, kick: real, dt: real, rope: int, world: int) -> Law:
        """Bending and twist over a length, of which a share is implicit."""
        law = Law()
        law.stiffness = model.rope_stiffness[rope, world]
        law.length = length
        damping = model.rope_damping[rope, world]
        one = vec3(real(1.0), real(1.0), real(1.0))
        if not follows(model, rope):
            law.after = dt * share + damping * one
            return law
        if damping > real(0.0):
            middle = late(model, rope, length, kick, world)
            law.after = damping * middle
            law.before = damping * (one - middle)
        if wp.max(share) > real(0.0):
            whole = dt * dt / kick * share
            calm = wp.min(wp.static(real(CALM)) * dt * slowest(model, state, rope, world), one)
            law.after = law.after + wp.static(real(BROAD)) * whole + wp.cw_mul(calm, whole)
            law.before = law.before - wp.static(real(BROAD)) * whole
        return law

    @func
    def in_eyelet(state, settings, i: int, world: int) -> bool:
        """Whether node i is in an eyelet now."""
        for slide in range(settings.slides):
            if state.slide_node[slide, world] == i:
                return True
        return False

    @func
    def prepare_bend(model, state, work, settings, kick: real, rope: int, j: int, world: int):
        """The bend between elements j and j + 1, or the twist alone where they meet in an eyelet."""
        if state.rope_parted[j, world] == 1 or state.rope_parted[j + 1, world] == 1:
            return
        length = real(0.5) * (state.rope_length[j, world] + state.rope_length[j + 1, world])
        share = shares(model, rope, length, settings.dt, world)
        law = law_of(model, state, length, share, kick, settings.dt, rope, world)
        law.rest = model.rope_rest[j]
        before = state.rope_rotation[j, world]
        after = state.rope_rotation[j + 1, world]
        turning = state.rope_spin[j + 1, world] - state.rope_spin[j, world]
        bend = Bend()
        free = True
        if wp.static(features.rope_slides):
            if in_eyelet(state, settings, j + 1, world):
                free = False
                bend = bends.twist_between(before, after, turning, law, kick)
        if free:
            bend = bends.bend_between(before, after, turning, law, kick)
        work.rope_bend[j, world] = algebra.packed(bend.stiff)
        work.rope_bent[j, world] = work.rope_bent[j, world] - bend.twirl
        work.rope_bent[j + 1, world] = work.rope_bent[j + 1, world] + bend.twirl

    @func
    def prepare_clamp(model, state, work, kick: real, dt: real, i: int, world: int):
        """A spring of twice the rope's stiffness over the element's length, all of it implicit."""
        rope = model.clamp_rope[i]
        j = model.clamp_element[i]
        half = real(0.5) * state.rope_length[j, world]
        law = law_of(model, state, half, vec3(real(1.0), real(1.0), real(1.0)), kick, dt, rope, world)
        law.rest = model.clamp_rest[i]
        if law.stiffness[2] == real(0.0):
            law.stiffness[2] = wp.static(real(1e-6)) * law.stiffness[0]
        body = model.clamp_body[i]
        wall = state.rotation[body, world] * model.clamp_turn[i]
        bend = bends.bend_between(
            wall, state.rope_rotation[j, world], state.rope_spin[j, world] - state.spin[body, world], law, kick
        )
        port = model.clamp_port[i]
        if port < 0:
            work.rope_inertia[j, world] = algebra.packed(algebra.full(work.rope_inertia[j, world]) + bend.stiff)
            work.rope_bent[j, world] = work.rope_bent[j, world] + bend.twirl
        else:
            work.port_source[port, world] = bend.twirl
            work.port_softness[port, world] = algebra.packed(wp.inverse(bend.stiff))

    @func
    def prepare_slide(model, state, work, i: int, world: int):
        """The mass that runs through an eyelet or off a drum is that of the node; see ``rub.py`` for friction."""
        node = state.slide_node[i, world]
        work.rope_slip[node, world] = real(1.0) / node_mass(model, state, model.slide_rope[i], node, world)
        work.rope_feed[node, world] = state.slide_speed[i, world]
        if model.slide_fixed[i] == 1:
            work.rope_inverse[node, world] = algebra.packed(mat33())
            work.rope_free[node, world] = vec3()

    @func
    def clear_bows(model, state, work, rope: int, world: int):
        """Elements that go straight."""
        if wp.static(features.integrator.leads):
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                work.rope_bow[j, world] = vec3()

    @func
    def free_gap(model, state, memory, work, dt: real, rope: int, world: int):
        """The right-hand side of the velocity problem as it was prepared."""
        for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
            work.rope_gap[j, world] = work.rope_free[j + 1, world] - work.rope_free[j, world]
            if state.rope_slack[j, world] > real(0.0):  # it comes to be taut, or heaped
                way = state.rope_slack[j, world]
                if memory.rope_gives[j, world] == wp.static(HEAPED):
                    way = way - state.rope_length[j, world]
                work.rope_gap[j, world] = work.rope_gap[j, world] - way / dt * work.rope_axis[j, world]
            if wp.static(features.rope_slides):
                feed = work.rope_feed[j + 1, world] - work.rope_feed[j, world]
                work.rope_gap[j, world] = work.rope_gap[j, world] + feed * work.rope_axis[j, world]
            if wp.static(features.integrator.leads):
                if not is_loose(state, memory, work, j, world):
                    work.rope_gap[j, world] = work.rope_gap[j, world] - work.rope_bow[j, world]
            work.rope_twirl[j, world] = work.rope_torque[j, world]

    @func
    def take_velocities(model, state, memory, work, rope: int, world: int):
        """The solution as velocities and impulses of the step."""
        for i in range(state.rope_first[rope, world], model.rope_end[rope]):
            work.rope_moving[i, world] = work.rope_free[i, world] + chain.pulled(model, state, work, rope, i, world)
            if i < model.rope_end[rope] - 1:
                work.rope_spinning[i, world] = work.rope_turning[i, world]
                memory.rope_pull[i, world] = work.rope_impulse[i, world]

    @func
    def weigh_ropes(model, state, memory, work, settings, kick: real, world: int):
        """What depends on places alone: masses, directions, bends."""
        for rope in range(settings.ropes):
            first = state.rope_first[rope, world]
            last = model.rope_end[rope] - 1
            for i in range(first, last + 1):
                weigh_node(model, state, work, rope, i, world)
                if wp.static(features.rope_slides):
                    work.rope_slip[i, world] = real(0.0)
                    work.rope_feed[i, world] = real(0.0)
            for j in range(first, last):
                weigh_element(model, state, memory, work, settings.dt, rope, j, world)
            for j in range(first, last - 1):
                prepare_bend(model, state, work, settings, kick, rope, j, world)
        for i in range(settings.clamps):
            prepare_clamp(model, state, work, kick, settings.dt, i, world)

    @func
    def prepare_ropes(model, state, memory, work, settings, kick: real, world: int):
        """Assemble and factor the velocity problem of every rope."""
        weigh_ropes(model, state, memory, work, settings, kick, world)
        for rope in range(settings.ropes):
            for i in range(state.rope_first[rope, world], model.rope_end[rope]):
                free_node(model, state, work, kick, i, world)
            turning = vec3()
            if wp.static(features.integrator.leads):
                turning = mean_turning(model, state, memory, settings.dt, rope, world)
            for j in range(state.rope_first[rope, world], model.rope_end[rope] - 1):
                gained = vec3()
                if wp.static(features.integrator.leads):
                    gained = tautened(model, state, memory, turning, settings.dt, rope, j, world)
                    bow(state, work, settings.dt, j, world)
                free_element(model, state, memory, work, gained, rope, j, world)
                buckle(model, state, memory, work, settings.dt, rope, j, world)
        if wp.static(features.rope_slides):
            for i in range(settings.slides):
                prepare_slide(model, state, work, i, world)
            if settings.slides > 0:  # what is fed through eyelets and winches is closed as in the papers' step
                for rope in range(settings.ropes):
                    clear_bows(model, state, work, rope, world)
        if wp.static(not features.rope_touch):  # else the touches decide on the masses, and factor
            for rope in range(settings.ropes):
                chain.factor(model, state, memory, work, work.rope_inertia, rope, world)

    @func
    def solve_alone(model, state, memory, work, settings, world: int):
        """Velocities of the ropes from what was prepared."""
        for rope in range(settings.ropes):
            free_gap(model, state, memory, work, settings.dt, rope, world)
            chain.solve(model, state, work, rope, world)
            take_velocities(model, state, memory, work, rope, world)

    return locals()
