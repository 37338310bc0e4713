"""Contact of two shapes in a point: they do not pass through each other, and rub ([001] and [003] stand on this).

    u   velocity of b against a at the point, in the contact's frame: two tangents, then the normal from a to b; as it
        is in the middle of the drift (contacts/lead.py)
    W   J M^-1 J^T, 3x3 in that frame: u after an impulse p is u + W p
    g   gap (m), negative where the shapes overlap

    normal      u_n + max(g, 0)/dt >= 0,  p_n >= 0,  one of the two zero: speculative, nothing passes through
    compliant   p_n = max(0, -h (k (g + dt u_n) + c u_n)): implicit Euler, as for springs; c acts where g <= 0
    friction    |p_t| <= mu p_n in a true cone; sticks where W_t^-1 can stop u_t, else p_t <- the nearest point of the
                cone to p_t - u_t/max eig W_t, whose fixed point has p_t against u_t: maximum dissipation
    overlap     pseudo-velocities with u*_n + (ERP/dt) g + give p* >= 0, as for limits
    impact      before all this, where u_n < -threshold closes the gap within the step, at a time t < dt of it:
                p_n = -(1 + e) u_n/W_nn, contact after contact, until none approaches (a row of balls passes impulses
                on). Velocities after a kick belong to the middle of the step, so those at t are V - (dt/2 - t) g; and
                pseudo-velocities take back what it has changed before t, -(t/dt) M^-1 J^T p: the step ends where the
                path through the impact does. Two free bodies are struck in one point where they are at t, which
                keeps their angular momentum; and no more than what makes p.(u + W p/2) zero, which friction else may

All contacts together are a group of rows, see ``groups.py``. Rolling and spinning friction are in rolling.py, tyres in
tyre.py; a moving belt is in contacts/contact_bodies.py.
"""

from ...model.contacts import SPHERE
from ...scene.joints import CoordinateKind
from ..algebra import make_algebra
from ..contacts.broad import make_broad
from ..contacts.contact_bodies import make_contact_bodies
from ..contacts.heap import MANY, make_heap
from ..contacts.matching import make_matching
from ..contacts.shares import make_shares
from ..contacts.together import make_together
from ..coordinates import make_coordinates
from ..factory import Features, Made, Precision, factory, functions, wp
from ..solvers.reach import make_reach
from .contact_laws import make_contact_laws
from .rolling import make_rolling
from .tyre import make_tyre

CLOSINGS = 3  # steps towards the time of an impact
IMPACT_SWEEPS = 20  # a row of this many balls passes an impact on within a step


@factory
def make_contact(p: Precision, features: Features) -> Made:
    real, vec2, vec3, mat33 = p.real, p.vec2, p.vec3, p.mat33
    func = functions(p)
    algebra, sides, geometry = make_algebra(p), make_contact_bodies(p, features), make_coordinates(p)
    reach_contact = make_reach(p, features).reach_contact
    rolling, tyres = make_rolling(p, features), make_tyre(p, features)
    visit_rolling = rolling.visit_rolling
    Brush = tyres.Brush
    find_contacts, keep_contacts = make_broad(p, features).find_contacts, make_matching(p, features).keep_contacts
    share_loads = make_shares(p, features).share_loads
    laws, together, heap = make_contact_laws(p, features), make_together(p, features), make_heap(p, features)
    has_heaps = features.together and not features.rope_ports
    frame, rubbed, normal_impulse, unsettled = laws.frame, laws.rubbed, laws.normal_impulse, laws.unsettled

    # --- before the iterations --------------------------------------------------------------------------------------

    @func
    def prepare_belt(model, state, work, i: int, world: int):
        """The sprocket that moves the surface of one of the sides, if any."""
        belt = wp.max(model.shape_belt[work.contact_a[i, world]], model.shape_belt[work.contact_b[i, world]])
        work.contact_sprocket[i, world] = -1
        work.contact_belt[i, world] = vec3()
        if belt >= 0:
            j = model.belt_joint[belt]
            axle = geometry.coordinate_axis(
                geometry.frames_of(model, state, j, world), wp.static(int(CoordinateKind.TWIST))
            )
            work.contact_sprocket[i, world] = j
            work.contact_axle[i, world] = axle
            work.contact_belt[i, world] = -model.belt_radius[belt] * wp.cross(axle, work.contact_normal[i, world])

    @func
    def tyre_of(model, work, i: int, world: int) -> int:
        """The tyre of one of the sides of contact i, or -1."""
        return wp.max(model.shape_tyre[work.contact_a[i, world]], model.shape_tyre[work.contact_b[i, world]])

    @func
    def heading(model, state, work, tyre: int, i: int, world: int) -> vec3:
        """Along which a wheel rolls: square to its axle and to the normal. Notes how fast it rolls, too."""
        shape = work.contact_a[i, world]
        if model.shape_tyre[shape] < 0:
            shape = work.contact_b[i, world]
        body = model.shape_body[shape]
        turn = state.rotation[body, world] * model.shape_turn[shape]
        axle = wp.quat_rotate(turn, vec3(real(0.0), real(0.0), real(1.0)))
        speed = wp.abs(wp.dot(axle, state.spin[body, world])) * (
            model.shape_size[shape][0] + model.shape_size[shape][1]
        )
        work.tyre_rate[i, world] = speed / model.tyre_relaxation[tyre]
        return wp.normalize(wp.cross(axle, work.contact_normal[i, world]))

    @func
    def soften(work, dt: real, stiffness: real, damping: real, i: int, world: int):
        """The normal as a spring and damper; the damper acts once the shapes overlap.

        The spring looks a step ahead as it is (implicit Euler), so nothing leads it through the drift.
        """
        kick = work.kick[world]
        gap = work.contact_gap[i, world]
        c = damping
        if gap > real(0.0):
            c = real(0.0)
        work.contact_y[i, world] = kick * (c + dt * stiffness)
        work.contact_source[i, world] = -kick * stiffness * gap
        if wp.static(features.integrator.leads):
            lead = work.contact_lead[i, world]
            n = work.contact_normal[i, world]
            work.contact_lead[i, world] = lead - wp.dot(n, lead) * n

    @func
    def prepare_normal(model, work, settings, pair: int, i: int, world: int):
        """The normal's source, speculative or elastic, and no pseudo-impulse yet."""
        work.contact_push[i, world] = real(0.0)
        work.contact_search[i, world] = vec3()
        work.contact_y[i, world] = real(0.0)
        work.contact_source[i, world] = -wp.max(work.contact_gap[i, world], real(0.0)) / settings.dt
        if wp.static(features.restitution):
            work.contact_blow[i, world] = vec3()
        if wp.static(features.compliance):
            if wp.isfinite(model.pair_stiffness[pair, world]):
                soften(work, settings.dt, model.pair_stiffness[pair, world], model.pair_damping[pair, world], i, world)

    @func
    def prepare_tyre(model, memory, work, settings, pair: int, i: int, world: int):
        """The normal of a tyre as a spring and damper, and how far its bristles are stretched."""
        tyre = tyre_of(model, work, i, world)
        if tyre >= 0:
            soften(work, settings.dt, model.tyre_stiffness[tyre], model.tyre_damping[tyre], i, world)
            z = wp.transpose(frame(work, i, world)) * memory.contact_deflection[i, world]
            work.tyre_stretch[i, world] = wp.length(
                tyres.stretch(model, model.pair_friction[pair, world], vec2(z[0], z[1]), tyre)
            )

    @func
    def clipped(start: vec3, friction: real) -> vec3:
        """Last step's impulse, brought into the cone; contact's frame."""
        normal = wp.max(start[2], real(0.0))
        size = wp.sqrt(start[0] * start[0] + start[1] * start[1])
        share = real(1.0)
        if size > friction * normal:
            share = friction * normal / size
        return vec3(share * start[0], share * start[1], normal)

    @func
    def prepare_contact(model, state, memory, work, settings, i: int, world: int):
        """Arms, effective mass and bounds of contact i; last step's impulse brought into its cone."""
        a = model.shape_body[work.contact_a[i, world]]
        b = model.shape_body[work.contact_b[i, world]]
        arm_a = work.contact_point[i, world] - state.position[a, world]
        arm_b = work.contact_point[i, world] - state.position[b, world]
        work.contact_body_a[i, world] = a
        work.contact_body_b[i, world] = b
        work.contact_arm_a[i, world] = arm_a
        work.contact_arm_b[i, world] = arm_b
        inverse = sides.inverse_mass_alone(model, work, a, arm_a, world) + sides.inverse_mass_alone(
            model, work, b, arm_b, world
        )
        if wp.static(features.belts):
            prepare_belt(model, state, work, i, world)
            if wp.static(not features.reach):
                inverse = inverse + sides.belt_inverse_mass(model, work, i, world)
        if wp.static(features.reach):
            inverse = inverse + reach_contact(model, work, settings, i, world)
        turn = algebra.frame_of(work.contact_normal[i, world])
        tangent = vec3(turn[0, 0], turn[1, 0], turn[2, 0])
        if wp.static(features.tyres):
            tyre = tyre_of(model, work, i, world)
            if tyre >= 0:
                tangent = heading(model, state, work, tyre, i, world)
        work.contact_tangent[i, world] = tangent
        turn = frame(work, i, world)
        work.contact_mass[i, world] = algebra.packed(wp.transpose(turn) * inverse * turn)
        pair = (
            model.shape_material[work.contact_a[i, world]] * settings.materials
            + model.shape_material[work.contact_b[i, world]]
        )
        work.contact_pair[i, world] = pair
        prepare_normal(model, work, settings, pair, i, world)
        if wp.static(features.tyres):
            prepare_tyre(model, memory, work, settings, pair, i, world)
        if wp.static(features.rolling):
            rolling.prepare_rolling(model, work, settings, turn, i, world)
        memory.contact_impulse[i, world] = turn * clipped(
            wp.transpose(turn) * memory.contact_impulse[i, world], model.pair_friction[pair, world]
        )

    @func
    def warm_contact(model, memory, work, i: int, world: int):
        """Apply last step's impulse."""
        sides.warm_sides(model, work, memory.contact_impulse[i, world], i, world)
        if wp.static(features.rolling):
            rolling.warm_rolling(model, memory, work, i, world)

    # --- impact -----------------------------------------------------------------------------------------------------

    @func
    def is_struck(model, work, dt: real, speed: real, i: int, world: int) -> bool:
        """Whether the contact closes within the step, fast enough to bounce."""
        pair = work.contact_pair[i, world]
        closes = work.contact_gap[i, world] + dt * speed < real(0.0)
        return model.pair_restitution[pair, world] > real(0.0) and closes and speed < -model.pair_threshold[pair, world]

    @func
    def pull_between(model, work, i: int, world: int) -> vec3:
        """The acceleration of b against a as gravity alone has it, m/s^2."""
        pull = vec3()
        if wp.static(features.integrator.staggered):
            if model.inv_mass[work.contact_body_b[i, world], world] > real(0.0):
                pull = pull + work.gravity[world]
            if model.inv_mass[work.contact_body_a[i, world], world] > real(0.0):
                pull = pull - work.gravity[world]
        return pull

    @func
    def time_to(gap: real, speed: real, pull: real, dt: real) -> real:
        """When a gap closes in the step, s: g + (u + (dt/2) pull (t/dt - 1)) t = 0 with u in its middle."""
        t = real(0.0)
        if gap > real(0.0):
            for _ in range(wp.static(CLOSINGS)):
                mean = wp.min(speed + real(0.5) * (t - dt) * pull, real(0.0))
                t = dt
                if gap + dt * mean < real(0.0):
                    t = -gap / mean
        return t

    @func
    def roundness(model, shape: int) -> real:
        """1/m: of a ball; what else touches is taken for flat."""
        if model.shape_kind[shape] == wp.static(SPHERE):
            return real(1.0) / model.shape_radius[shape]
        return real(0.0)

    @func
    def bring_together(model, work, t: real, i: int, world: int):
        """The arms of two free bodies to one point where both are at the time t of their impact, the normal with it.

        Sideways the point moves over each of them by its radius: it stays on a ball that meets something flat, and
        between two balls the normal turns.
        """
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        if not (sides.is_alone(model, a, world) and sides.is_alone(model, b, world)):
            return
        n = work.contact_normal[i, world]
        way = t * (work.velocity[b, world] - work.velocity[a, world])
        along = wp.dot(n, way) * n
        round_a = roundness(model, work.contact_a[i, world])
        round_b = roundness(model, work.contact_b[i, world])
        share = real(0.5)
        if round_a + round_b > real(0.0):
            share = round_b / (round_a + round_b)
            n = wp.normalize(n + (round_a * share) * (way - along))
        part = share * (way - along) + real(0.5) * along
        arm_a = work.contact_arm_a[i, world] + part
        arm_b = work.contact_arm_b[i, world] - (way - part)
        x = work.contact_tangent[i, world]
        work.contact_normal[i, world] = n
        work.contact_tangent[i, world] = wp.normalize(x - wp.dot(n, x) * n)
        work.contact_arm_a[i, world] = arm_a
        work.contact_arm_b[i, world] = arm_b
        inverse = sides.inverse_mass_alone(model, work, a, arm_a, world) + sides.inverse_mass_alone(
            model, work, b, arm_b, world
        )
        turn = frame(work, i, world)
        work.contact_mass[i, world] = algebra.packed(wp.transpose(turn) * inverse * turn)

    @func
    def blow_at(model, mass: mat33, u: vec3, pair: int, world: int) -> vec3:
        """The impulse of an impact at the velocity u, both in the contact's frame; it adds no energy."""
        d = vec3(real(0.0), real(0.0), -(real(1.0) + model.pair_restitution[pair, world]) * u[2] / mass[2, 2])
        d = rubbed(mass, u + mass * d, d, model.pair_friction[pair, world])
        return wp.min(-real(2.0) * wp.dot(d, u) / wp.dot(d, mass * d), real(1.0)) * d

    @func
    def bounce(model, work, dt: real, i: int, world: int) -> bool:
        """The impact of contact i, if there is one; whether there was."""
        back = wp.transpose(frame(work, i, world))
        u = back * sides.velocity_between(model, work, i, world)
        if not is_struck(model, work, dt, u[2], i, world):
            return False
        pull = back * pull_between(model, work, i, world)
        t = time_to(work.contact_gap[i, world], u[2], pull[2], dt)
        if wp.length_sq(work.contact_blow[i, world]) == real(0.0):
            bring_together(model, work, t, i, world)
            back = wp.transpose(frame(work, i, world))
            pull = back * pull_between(model, work, i, world)
            u = back * sides.velocity_between(model, work, i, world)
        u = u - (real(0.5) * dt - t) * pull
        if u[2] >= real(0.0):
            return False
        mass = algebra.full(work.contact_mass[i, world])
        d = wp.transpose(back) * blow_at(model, mass, u, work.contact_pair[i, world], world)
        work.contact_blow[i, world] = work.contact_blow[i, world] + d
        sides.strike_contact(model, work, d, i, world)
        if t > real(0.0):
            sides.push_contact(model, work, -(t / dt) * d, i, world)
            if wp.static(features.reach):
                work.is_pushed[world] = 1
        return True

    @func
    def bounce_all(model, work, dt: real, world: int):
        """Impacts, one after the other, until none is left."""
        left = int(wp.static(IMPACT_SWEEPS))
        while left > 0:
            left -= 1
            again = bool(False)
            for i in range(work.contact_count[world]):
                if bounce(model, work, dt, i, world):
                    again = True
            if not again:
                left = 0

    # --- one visit --------------------------------------------------------------------------------------------------

    @func
    def tangential(model, memory, work, turn: mat33, u: vec3, q: vec3, i: int, world: int) -> vec3:
        """The impulse q with its tangential part corrected, by the tyre or by dry friction; contact's frame."""
        mass = algebra.full(work.contact_mass[i, world])
        friction = model.pair_friction[work.contact_pair[i, world], world]
        if wp.static(features.tyres):
            tyre = tyre_of(model, work, i, world)
            if tyre >= 0:
                bend = wp.transpose(turn) * memory.contact_deflection[i, world]
                brush = Brush()
                brush.bend = vec2(bend[0], bend[1])
                brush.friction = friction
                brush.rate = work.tyre_rate[i, world]
                brush.stretch = work.tyre_stretch[i, world]
                brush.kick = work.kick[world]
                new = tyres.tyre_impulse(model, mass, u, q, brush, tyre)
                ahead = tyres.bend_after(u + mass * (new - q), brush.bend, brush.rate, brush.kick)
                work.tyre_stretch[i, world] = wp.length(tyres.stretch(model, friction, ahead, tyre))
                return new
        return rubbed(mass, u, q, friction)

    @func
    def visit_contact(model, memory, work, i: int, world: int) -> vec2:
        """One visit; the squares of the changes of its impulse and of its rolling friction."""
        turn = frame(work, i, world)
        u = wp.transpose(turn) * sides.led_between(model, work, i, world)
        mass = algebra.full(work.contact_mass[i, world])
        old = wp.transpose(turn) * memory.contact_impulse[i, world]
        normal = normal_impulse(work, mass[2, 2], u[2], old[2], i, world)
        new = vec3(old[0], old[1], normal)
        if normal > real(0.0) or wp.dot(old, old) > real(0.0):
            u = u + (normal - old[2]) * vec3(mass[0, 2], mass[1, 2], mass[2, 2])
            new = tangential(model, memory, work, turn, u, new, i, world)
        d = turn * (new - old)
        work.contact_step[i, world] = d
        square = wp.dot(d, d)
        if square > real(0.0):
            memory.contact_impulse[i, world] = memory.contact_impulse[i, world] + d
            sides.strike_contact(model, work, d, i, world)
        rolling = real(0.0)
        if wp.static(features.rolling):
            rolling = visit_rolling(model, memory, work, turn, normal, i, world)
        return vec2(square, rolling)

    @func
    def push_out(model, work, settings, i: int, world: int) -> real:
        """Pseudo-impulse of an overlap; the square of its change."""
        if not laws.is_pushed(work, i, world):
            return real(0.0)
        normal = work.contact_normal[i, world]
        speed = wp.dot(normal, sides.push_between(model, work, i, world))
        old = work.contact_push[i, world]
        new = laws.pushed(model, work, settings, speed, i, world)
        work.contact_push[i, world] = new
        sides.push_contact(model, work, (new - old) * normal, i, world)
        return (new - old) * (new - old)

    @func
    def accelerate(model, memory, work, world: int):
        """Before a sweep over all contacts: go on in the direction of the sweeps so far, as conjugate gradients do.

        Silcowitz-Hansen, Niebe and Erleben (2010): with g the change of impulses in a sweep and b = |g|^2/|g_old|^2,
        add b times the last direction and remember g + b times it; start over where b > 1.
        """
        share = laws.conjugate_share(work, world)
        for i in range(work.contact_count[world]):
            if share == real(0.0):
                work.contact_search[i, world] = vec3()
            else:
                more = share * work.contact_search[i, world]
                work.contact_search[i, world] = more + work.contact_step[i, world]
                memory.contact_impulse[i, world] = memory.contact_impulse[i, world] + more
                sides.strike_contact(model, work, more, i, world)

    @func
    def sweep_contacts(model, memory, work, epsilon: real, world: int) -> real:
        """Every contact once, what lies on the ground last; the square of the largest change that is not settled."""
        if work.contact_squares[world][1] > real(0.0):
            accelerate(model, memory, work, world)
        worst = real(0.0)
        total = real(0.0)
        count = work.contact_count[world]
        for reverse in range(count):
            i = count - 1 - reverse
            squares = visit_contact(model, memory, work, i, world)
            total = total + wp.max(squares[0], squares[1])
            worst = wp.max(worst, unsettled(squares[0], wp.length_sq(memory.contact_impulse[i, world]), epsilon))
            worst = wp.max(worst, squares[1])
        work.contact_squares[world] = vec2(work.contact_squares[world][1], total)
        return worst

    @func
    def push_contacts(model, work, settings, world: int) -> real:
        """Pseudo-impulses of every contact once; the square of the largest change that is not settled."""
        worst = real(0.0)
        for i in range(work.contact_count[world]):
            square = push_out(model, work, settings, i, world)
            worst = wp.max(
                worst, unsettled(square, work.contact_push[i, world] * work.contact_push[i, world], settings.epsilon)
            )
        return worst

    # --- after the iterations ---------------------------------------------------------------------------------------

    @func
    def keep_bend(model, memory, work, i: int, world: int):
        """Where the bristles of a tyre are at the end of the kick."""
        tyre = tyre_of(model, work, i, world)
        if tyre >= 0:
            turn = frame(work, i, world)
            bend = wp.transpose(turn) * memory.contact_deflection[i, world]
            u = wp.transpose(turn) * sides.led_between(model, work, i, world)
            z = tyres.bend_after(u, vec2(bend[0], bend[1]), work.tyre_rate[i, world], work.kick[world])
            z = tyres.kept_bend(model, model.pair_friction[work.contact_pair[i, world], world], z, tyre)
            if memory.contact_impulse[i, world][0] == real(0.0) and wp.length_sq(
                memory.contact_impulse[i, world]
            ) == real(0.0):
                z = vec2()
            memory.contact_deflection[i, world] = turn * vec3(z[0], z[1], real(0.0))

    @func
    def end_contact(model, memory, work, i: int, world: int):
        """The force of contact i, added to what its bodies feel; the bend of a tyre."""
        d = memory.contact_impulse[i, world]
        if wp.static(features.restitution):
            d = d + work.contact_blow[i, world]
        force = d / work.kick[world]
        work.contact_force[i, world] = force
        work.contact_slip[i, world] = sides.settled_between(model, work, i, world)
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        work.touch_force[a, world] = work.touch_force[a, world] - force
        work.touch_force[b, world] = work.touch_force[b, world] + force
        if wp.static(features.tyres):
            keep_bend(model, memory, work, i, world)

    # --- all of them, as a group of rows ------------------------------------------------------------------------------

    @func
    def place(model, state, memory, work, report, settings, world: int):
        """Find the contact points, and match them with those of the last step."""
        if settings.warm_start == 0:
            memory.kept_count[world] = 0
        if wp.static(has_heaps):
            work.heap_formed[world] = 0
        find_contacts(model, state, work, report, settings, world)
        keep_contacts(model, state, memory, work, settings, world)

    @func
    def reach(model, state, memory, work, settings, world: int):
        """Every contact, with the inverse mass that the factors give."""
        if wp.static(features.reach):
            work.reach_used[world] = settings.joint_paths
        if wp.static(has_heaps):
            heap.hand_back(memory, work, world)
        for i in range(work.contact_count[world]):
            prepare_contact(model, state, memory, work, settings, i, world)
        work.contact_squares[world] = vec2()
        if wp.static(features.together):
            together.form(model, memory, work, settings, world)
        if wp.static(has_heaps):
            heap.count_contacts(model, work, world)

    @func
    def warm(model, memory, work, settings, world: int):
        """Last step's impulses applied."""
        for i in range(work.contact_count[world]):
            warm_contact(model, memory, work, i, world)

    @func
    def strike(model, memory, work, settings, world: int):
        """Before the first sweep: loads shared between the points, impacts."""
        if wp.static(features.direct):
            shares = bool(True)
            if wp.static(has_heaps):
                shares = work.heap_count[world] <= wp.static(MANY)
            if shares:
                share_loads(model, memory, work, world)
        if wp.static(features.restitution):
            bounce_all(model, work, settings.dt, world)

    @func
    def visit(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """Every contact once; the square of the largest change of an impulse."""
        # changes shrink slowly here: a small one is no sign of having converged, hence no epsilon
        change = sweep_contacts(model, memory, work, real(0.0), world)
        if stabilise:
            push_contacts(model, work, settings, world)
        return change

    @func
    def sweep(model, memory, work, settings, world: int) -> vec2:
        """Every contact once; the squares of the largest changes of an impulse and of a pseudo-impulse."""
        if wp.static(features.together):
            if work.dense_count[world] > 0:
                changes = together.solve(model, memory, work, settings, world)
                if work.dense_count[world] > 0:
                    return changes
        if wp.static(has_heaps):
            if work.heap_count[world] > 0:
                return heap.sweep(model, memory, work, settings, world)
        change = sweep_contacts(model, memory, work, settings.epsilon, world)
        return vec2(change, push_contacts(model, work, settings, world))

    @func
    def end(model, state, memory, work, settings, world: int):
        """The force of every contact, N, and of all contacts of a body together."""
        if wp.static(has_heaps):
            heap.hand_back(memory, work, world)
        for b in range(settings.bodies):
            work.touch_force[b, world] = vec3()
        for i in range(work.contact_count[world]):
            end_contact(model, memory, work, i, world)

    @func
    def scale(model, memory, settings, share: real, world: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for i in range(memory.kept_count[world]):
            memory.contact_impulse[i, world] = share * memory.contact_impulse[i, world]
            if wp.static(features.rolling):
                memory.contact_roll_impulse[i, world] = share * memory.contact_roll_impulse[i, world]

    return locals()
