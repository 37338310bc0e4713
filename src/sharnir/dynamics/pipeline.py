"""The stages of one step, in order; the only place where that order is written.

    begin     free motion (forces, gyroscopic torque)  ->  rows of every joint  ->  efforts  ->  last step's impulses
    iterate   the solver, until no impulse changes by more than epsilon
    finish    check  ->  new poses  ->  turns and sticking remembered

The leapfrog step (``leapfrog.py``) has the same stages: it starts from the velocities in the middle of the last step
and ends with those at the new poses. Fourth-order steps (``fourth_order.py``) are made as long as the motion is smooth;
where it is not, a leapfrog one follows.

``step`` runs the three in one launch; with a wall-clock budget they are three launches and the clock is read between.
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import struct_values, structs
from ..model.precision import Precision
from .bias import make_bias
from .contacts.broad import make_broad
from .contacts.keep import make_keep
from .coordinates import make_coordinates
from .forces import make_forces
from .fourth_order import make_fourth_order
from .integrate import make_integrate
from .leapfrog import make_leapfrog
from .movers import make_movers
from .pair import make_pair
from .ropes.give import ROUNDS
from .ropes.stages import make_ropes
from .rows.contact import make_contact
from .rows.coupling import make_coupling
from .rows.friction import make_friction
from .rows.limit import make_limit
from .rows.lock import make_lock
from .rows.soft import make_soft
from .solvers.direct import make_direct
from .solvers.reach import make_reach
from .solvers.sequential import make_sequential
from .stiffen import make_stiffen
from .watch import make_watch

wp = load_warp()

# By measurement (benchmarks/gpu.py): threads of a block, and blocks that must fit a multiprocessor together, which
# bounds the registers of a thread: few for sequential impulses, more for the direct kernel, most with contacts, ropes.
GPU_BLOCK = 128
GPU_BLOCKS_TOGETHER = {"sequential": 4, "direct": 3, "large": 2}
FLANK_ROUNDS = 6  # times that a step is solved again as flanks of gears with play part or meet
MOST_PUSHED = 0.2  # rad: pseudo-velocities are right for small turns only; near singular poses they ask for whole ones
# A call on the CPU hands over whole tables, 20 kB, unless the compiler puts the function into its caller. It does so up
# to this size: small scenes step in 0.6 to 0.85 of the time, but a kernel with contacts would compile for minutes.
ONE_PIECE = (
    "-march=native -mllvm=-inline-threshold=1000000 -mllvm=-inline-cold-callsite-threshold=3000"
    " -mllvm=-slp-recursion-max-depth=4"
)


@cache
def make_stages(p: Precision, features: Features) -> SimpleNamespace:
    """The three stages as device functions."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    geometry, pair, forces, motion = make_coordinates(p), make_pair(p), make_forces(p, features), make_integrate(p)
    lock, limit, friction = make_lock(p, features), make_limit(p, features), make_friction(p, features)
    frames_of, Frames = geometry.frames_of, geometry.Frames
    load, store, acted = pair.load, pair.store, pair.acted
    move_freely, apply_effort = forces.move_freely, forces.apply_effort
    inverse_mass_ll, prepare_lock, warm_lock = lock.inverse_mass_ll, lock.prepare_lock, lock.warm_lock
    prepare_limit, warm_limit = limit.prepare_limit, limit.warm_limit
    prepare_friction, end_friction = friction.prepare_friction, friction.end_friction
    soft = make_soft(p, features)
    lead_movers = make_movers(p).lead_movers
    coupling = make_coupling(p, features)
    prepare_couplings, warm_couplings = coupling.prepare_couplings, coupling.warm_couplings
    note_couplings, change_flanks = coupling.note_couplings, coupling.change_flanks
    end_actuator = soft.end_actuator
    prepare_soft, soft_kick, add_soft_rows = soft.prepare_soft, soft.soft_kick, lock.add_soft_rows
    held_mass_ll, held_mass_aa = lock.held_mass_ll, lock.held_mass_aa
    solver = make_direct(p, features) if features.direct else make_sequential(p, features)
    iterate, conclude, factor = solver.iterate, solver.conclude, make_direct(p, features).factor
    resume = solver.resume
    leapfrog, clear_bias = make_leapfrog(p, features), make_bias(p, features).clear_bias
    start_leap, abandon_leap, drift_body = leapfrog.start, leapfrog.abandon, leapfrog.drift
    brought_on = leapfrog.brought_on
    smooth_steps = make_fourth_order(p, features).smooth_steps
    stiffness = make_stiffen(p, features)
    stiffen_joint, add_stiffness, note_jerk = stiffness.stiffen_joint, stiffness.add_stiffness, stiffness.note_jerk
    watch_step = make_watch(p, features).watch_step
    has_bounds = features.limits or features.friction
    near_bounds = has_bounds and not features.reach
    contact = make_contact(p, features)
    prepare_contact, warm_contact = contact.prepare_contact, contact.warm_contact
    end_contact = contact.end_contact
    find_contacts, keep_contacts = make_broad(p, features).find_contacts, make_keep(p, features).keep_contacts
    reach = make_reach(p, features)
    reach_joint, inverse_mass = reach.reach_joint, reach.inverse_mass
    ropes = make_ropes(p, features)
    place_ropes, begin_ropes, end_ropes = ropes.place_ropes, ropes.begin_ropes, ropes.end_ropes
    close_ropes, check_ropes = ropes.close_ropes, ropes.check_ropes
    move_ropes, swap_rope_velocities = ropes.move_ropes, ropes.swap_rope_velocities
    give_way, resume_ropes = ropes.give_way, ropes.resume_ropes
    check, integrate, count_turns = motion.check, motion.integrate, motion.count_turns

    @wp.func
    def place_arms(m: t.model, s: t.state, k: t.work, j: int, w: int):
        """From the centres of mass to b's anchor, where both bodies feel the joint's impulses."""
        b = m.joint_b[j]
        arm = wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
        k.arm_b[j, w] = arm
        k.arm_a[j, w] = s.position[b, w] + arm - s.position[m.joint_a[j], w]

    @wp.func
    def has_rows(m: t.model, j: int) -> bool:
        """Whether the free axes of joint j carry anything."""
        rows = m.limit_end[j] - m.limit_start[j] + m.friction_end[j] - m.friction_start[j]
        return rows + m.soft_end[j] - m.soft_start[j] > 0

    @wp.func
    def prepare_bounds(
        m: t.model, s: t.state, n: t.memory, k: t.work, f: Frames, w_ll: mat33, w_aa: mat33, kick: real, j: int, w: int
    ):
        """Limits and friction of joint j, given the inverse masses of its slip and relative spin."""
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                prepare_limit(m, s, k, f, w_ll, w_aa, i, w)
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                prepare_friction(m, s, n, k, f, w_ll, w_aa, kick, i, j, w)

    @wp.func
    def prepare_joint(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, j: int, w: int
    ) -> real:
        """Locked and soft rows of joint j; returns its worst error."""
        f = frames_of(m, s, j, w)
        x = load(m, k, j, w)
        w_ll = inverse_mass_ll(x)
        worst = prepare_lock(m, n, k, f, x, w_ll, j, w)
        w_aa = x.ia + x.ib
        if wp.static(features.direct and (near_bounds or features.soft)):
            if has_rows(m, j):
                w_ll = held_mass_ll(m, k, x, w_ll, j, w)
                w_aa = held_mass_aa(m, k, x, j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                prepare_soft(m, c, s, n, k, f, w_ll, w_aa, kick, o.dt, i, j, w)
            if wp.static(features.direct):
                add_soft_rows(m, k, j, w)
        if wp.static(has_bounds and not features.reach):
            prepare_bounds(m, s, n, k, f, w_ll, w_aa, kick, j, w)
        return worst

    @wp.func
    def reach_bounds(m: t.model, s: t.state, n: t.memory, k: t.work, kick: real, j: int, w: int):
        """Limits and friction of joint j, with the inverse masses that the factors give."""
        if m.reach_linear[j] < m.reach_end[j]:
            reach_joint(m, k, j, w)
            f = frames_of(m, s, j, w)
            prepare_bounds(m, s, n, k, f, inverse_mass(k, 1, j, w), inverse_mass(k, 0, j, w), kick, j, w)

    @wp.func
    def reach_everywhere(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, kick: real, w: int):
        """Limits, friction and contacts, as far as they follow from the factors."""
        if wp.static(features.reach and has_bounds):
            for j in range(o.joints):
                reach_bounds(m, s, n, k, kick, j, w)
        if wp.static(features.contacts):
            if wp.static(features.reach):
                k.reach_used[w] = o.joint_paths
            for i in range(k.contact_count[w]):
                prepare_contact(m, s, n, k, o, kick, i, w)
            k.contact_squares[w] = p.vec2()

    @wp.func
    def warm_joint(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        """Apply the impulses that joint j had in the last step."""
        x = warm_lock(m, n, load(m, k, j, w), j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                x = soft_kick(m, k, x, n.soft_impulse[i, w], i, w)
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                x = warm_limit(m, n, k, x, i, w)
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                x = acted(x, m.friction_linear[i], n.friction_impulse[i, w])
        store(m, k, j, w, x)

    @wp.func
    def forget_joint(m: t.model, n: t.memory, j: int, w: int):
        """Start from no impulses instead."""
        n.lock_impulse[j, w] = p.vec3()
        if wp.static(features.angular_locks):
            n.lock_angular[j, w] = p.vec3()
        if wp.static(features.limits):
            for i in range(m.limit_start[j], m.limit_end[j]):
                n.low_impulse[i, w] = real(0.0)
                n.high_impulse[i, w] = real(0.0)
        if wp.static(features.friction):
            for i in range(m.friction_start[j], m.friction_end[j]):
                n.friction_impulse[i, w] = p.vec3()
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                n.soft_impulse[i, w] = real(0.0)

    @wp.func
    def begin_kick(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, kick: real, w: int
    ):
        """All that a velocity problem over ``kick`` seconds needs before it is solved."""
        for b in range(o.bodies):
            move_freely(m, c, s, n, k, kick, b, w)
        if wp.static(features.movers):
            lead_movers(m, c, s, k, o, w)
        if wp.static(features.contacts):
            if o.warm_start == 0:
                n.kept_count[w] = 0
            find_contacts(m, s, k, r, o, w)
            keep_contacts(m, s, n, k, o, w)
        if wp.static(features.leapfrog):
            clear_bias(k, o, w)
        for j in range(o.joints):
            if o.warm_start == 0:
                forget_joint(m, n, j, w)
            place_arms(m, s, k, j, w)
            if wp.static(features.direct):
                stiffen_joint(m, n, k, o.dt, j, w)
        if wp.static(features.ropes):
            place_ropes(m, s, n, k, o, w)
        if wp.static(features.direct):
            for b in range(1, o.bodies):
                add_stiffness(m, s, n, k, o.dt, b, w)
        worst = real(0.0)
        for j in range(o.joints):
            worst = wp.max(worst, prepare_joint(m, c, s, n, k, o, kick, j, w))
        if wp.static(features.couplings):
            prepare_couplings(m, c, s, n, k, o, w)
        if wp.static(features.direct):
            factor(m, n, k, o, w)
        reach_everywhere(m, s, n, k, o, kick, w)
        for i in range(o.coordinates):
            apply_effort(m, c, s, n, k, kick, i, w)
        for j in range(o.joints):
            warm_joint(m, n, k, j, w)
        if wp.static(features.couplings):
            warm_couplings(m, n, k, o, w)
        if wp.static(features.contacts):
            for i in range(k.contact_count[w]):
                warm_contact(m, n, k, i, w)
        if wp.static(features.ropes):
            begin_ropes(m, s, n, k, o, kick, w)
        r.joint_error[w] = worst
        r.iterations[w] = 0
        r.residual[w] = real(0.0)
        r.done[w] = 0

    @wp.func
    def note_reaction(n: t.memory, k: t.work, o: t.settings, kick: real, j: int, w: int):
        """The mean reaction of joint j over the kick, and as it is at the end of the step."""
        impulse = n.lock_impulse[j, w]
        if wp.static(features.leapfrog):
            impulse = impulse + k.bias_impulse[j, w]
        force = impulse / kick
        n.reaction_now[j, w] = force
        if wp.static(features.leapfrog):
            if n.kick[w] > real(0.0):
                n.reaction_now[j, w] = brought_on(force, n.reaction[j, w])
        n.reaction[j, w] = force

    @wp.func
    def note_reaction_torque(n: t.memory, k: t.work, o: t.settings, kick: real, j: int, w: int):
        impulse = n.lock_angular[j, w]
        if wp.static(features.leapfrog):
            impulse = impulse + k.bias_angular[j, w]
        torque = impulse / kick
        n.reaction_torque_now[j, w] = torque
        if wp.static(features.leapfrog):
            if n.kick[w] > real(0.0):
                n.reaction_torque_now[j, w] = brought_on(torque, n.reaction_torque[j, w])
        n.reaction_torque[j, w] = torque

    @wp.func
    def end_kick(m: t.model, n: t.memory, k: t.work, o: t.settings, kick: real, w: int):
        """Reactions, and what friction and contacts remember of a velocity problem that is solved."""
        for j in range(o.joints):
            note_reaction(n, k, o, kick, j, w)
            if wp.static(features.angular_locks):
                note_reaction_torque(n, k, o, kick, j, w)
        if wp.static(features.couplings):
            note_couplings(n, k, o, kick, w)
        if wp.static(features.contacts):
            for b in range(o.bodies):
                k.touch_force[b, w] = vec3()
            for i in range(k.contact_count[w]):
                end_contact(m, n, k, kick, i, w)
        if wp.static(features.friction):
            for i in range(o.frictions):
                end_friction(m, n, k, kick, i, w)

    @wp.func
    def calm_pushes(k: t.work, o: t.settings, w: int):
        """All pseudo-velocities shrunk together, if one of them would turn its body too far."""
        fastest = real(0.0)
        for b in range(1, o.bodies):
            fastest = wp.max(fastest, wp.length_sq(k.push_spin[b, w]))
        turn = o.dt * wp.sqrt(fastest)
        if turn > real(MOST_PUSHED):
            share = real(MOST_PUSHED) / turn
            for b in range(1, o.bodies):
                k.push[b, w] = share * k.push[b, w]
                k.push_spin[b, w] = share * k.push_spin[b, w]

    @wp.func
    def check_bodies(m: t.model, s: t.state, k: t.work, r: t.report, o: t.settings, w: int):
        for b in range(1, o.bodies):
            check(k, r, o.top_speed, b, w)
        if wp.static(features.ropes):
            check_ropes(m, s, k, r, o, w)

    @wp.func
    def measure_twists(m: t.model, s: t.state, o: t.settings, w: int):
        """The twists of the present poses, turns counted on."""
        if wp.static(features.twists):
            for i in range(o.twists):
                count_turns(m, s, o.dt, i, w)

    @wp.func
    def begin(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        k.kick[w] = o.dt
        if wp.static(features.leapfrog):
            start_leap(s, n, k, o, w)
            if wp.static(features.ropes):
                swap_rope_velocities(m, s, n, o, w)
        begin_kick(m, c, s, n, k, r, o, k.kick[w], w)

    @wp.func
    def move(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """New poses."""
        for b in range(1, o.bodies):
            if wp.static(features.leapfrog):
                drift_body(m, s, n, k, o.dt, b, w)
            else:
                integrate(s, k, o.dt, b, w)
        if wp.static(features.ropes):
            move_ropes(m, s, n, k, o, w)
        measure_twists(m, s, o, w)

    @wp.func
    def let_ropes_give_way(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Solve again as long as an element of a rope would push, or comes to pull."""
        left = int(wp.static(ROUNDS))
        while left > 0 and give_way(m, s, n, k, o, w):
            left -= 1
            resume_ropes(m, s, n, k, o, w)
            resume(m, n, k, r, o, w)
            iterate(m, s, n, k, r, o, o.iterations, w)
            conclude(m, n, k, o, w)
            end_ropes(m, s, n, k, o, w)

    @wp.func
    def let_flanks_change(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Solve again as long as a flank of a gear with play would pull, or be passed."""
        left = int(wp.static(FLANK_ROUNDS))
        while left > 0 and change_flanks(m, n, k, o, w):
            left -= 1
            factor(m, n, k, o, w)
            reach_everywhere(m, s, n, k, o, k.kick[w], w)
            resume(m, n, k, r, o, w)
            iterate(m, s, n, k, r, o, o.iterations, w)
            conclude(m, n, k, o, w)

    @wp.func
    def finish(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        conclude(m, n, k, o, w)
        if wp.static(features.backlash and features.direct):
            let_flanks_change(m, s, n, k, r, o, w)
        if wp.static(features.ropes):
            end_ropes(m, s, n, k, o, w)
            let_ropes_give_way(m, s, n, k, r, o, w)
            close_ropes(m, s, n, k, o, w)
        calm_pushes(k, o, w)
        check_bodies(m, s, k, r, o, w)
        if r.fault[w] == 0:
            end_kick(m, n, k, o, k.kick[w], w)
            if wp.static(features.actuators):
                for i in range(o.softs):
                    if m.soft_actuator[i] >= 0:
                        end_actuator(m, s, n, k, k.kick[w], o.dt, i, w)
            if wp.static(features.leapfrog and features.direct):
                if n.kick[w] <= real(0.0):
                    for j in range(o.joints):
                        note_jerk(m, s, n, k, j, w)
            move(m, s, n, k, o, w)
            n.kick[w] = k.kick[w]
            r.step[w] = r.step[w] + 1
            watch_step(m, s, n, k, r, o, w)
        elif wp.static(features.leapfrog):
            abandon_leap(s, n, o, w)
            if wp.static(features.ropes):
                swap_rope_velocities(m, s, n, o, w)

    return SimpleNamespace(begin=begin, iterate=iterate, finish=finish, smooth_steps=smooth_steps)


def tables_in_memory(p: Precision, features: Features) -> bool:
    """Whether the kernels find the tables in the GPU's memory, not among their arguments.

    Arguments are the faster, as long as no function that refers to them is left to be called: then every thread would
    have to keep a copy for it.
    """
    return p.by_reference and features.large


def launched(p: Precision, features: Features, run: object, **options: object) -> object:
    """A kernel that runs a device function for every world from the first one given."""
    v = struct_values(p)
    module = {"cpu_compiler_flags": ONE_PIECE} if features.small and not p.by_reference else {}
    if tables_in_memory(p, features):
        one = SimpleNamespace(**{table: wp.array(dtype=made) for table, made in vars(v).items()})

        @wp.kernel(enable_backward=False, module="unique", module_options=module, **options)
        def sharnir_in_memory(
            m: one.model,
            c: one.control,
            s: one.state,
            n: one.memory,
            k: one.work,
            r: one.report,
            o: v.settings,
            first_world: int,
            count: int,
        ):
            run(m[0], c[0], s[0], n[0], k[0], r[0], o, count, first_world + wp.tid())

        return sharnir_in_memory

    @wp.kernel(enable_backward=False, module="unique", module_options=module, **options)
    def sharnir(
        m: v.model,
        c: v.control,
        s: v.state,
        n: v.memory,
        k: v.work,
        r: v.report,
        o: v.settings,
        first_world: int,
        count: int,
    ):
        run(m, c, s, n, k, r, o, count, first_world + wp.tid())

    return sharnir


@cache
def step_kernel(p: Precision, features: Features) -> object:
    """The kernel that makes whole steps: one thread per world, ``steps`` steps a launch."""
    t = structs(p)
    stages = make_stages(p, features)
    begin, iterate, finish = stages.begin, stages.iterate, stages.finish
    smooth_steps = stages.smooth_steps

    @wp.func
    def step(
        m: t.model,
        c: t.control,
        s: t.state,
        n: t.memory,
        k: t.work,
        r: t.report,
        o: t.settings,
        steps: int,
        w: int,
    ):
        left = steps + 0
        while left > 0 and r.fault[w] == 0:
            if wp.static(features.fourth_order):
                left -= smooth_steps(m, c, s, n, k, r, o, left, w)
            if left > 0:
                begin(m, c, s, n, k, r, o, w)
                iterate(m, s, n, k, r, o, o.iterations, w)
                finish(m, c, s, n, k, r, o, w)
                left -= 1

    size = "large" if features.large else "direct" if features.direct else "sequential"
    together = GPU_BLOCKS_TOGETHER[size]
    return launched(p, features, step, launch_bounds=(GPU_BLOCK, together))


@cache
def budget_kernels(p: Precision, features: Features) -> SimpleNamespace:
    """The same stages as three kernels, for steps that must end in time."""
    t = structs(p)
    stages = make_stages(p, features)
    begin, iterate, finish = stages.begin, stages.iterate, stages.finish
    smooth_steps = stages.smooth_steps

    @wp.func
    def is_rough(k: t.work, w: int) -> bool:
        """Whether the step was not made in one piece when it began."""
        if wp.static(features.fourth_order):
            return k.smooth[w] == 0
        return True

    @wp.func
    def begin_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, _: int, w: int
    ):
        if r.fault[w] == 0:
            if wp.static(features.fourth_order):
                k.smooth[w] = smooth_steps(m, c, s, n, k, r, o, 1, w)
                if k.smooth[w] == 1:
                    return
            begin(m, c, s, n, k, r, o, w)

    @wp.func
    def iterate_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, count: int, w: int
    ):
        if r.fault[w] == 0 and is_rough(k, w):
            iterate(m, s, n, k, r, o, count, w)

    @wp.func
    def finish_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, _: int, w: int
    ):
        if r.fault[w] == 0 and is_rough(k, w):
            finish(m, c, s, n, k, r, o, w)

    return SimpleNamespace(
        begin=launched(p, features, begin_step),
        iterate=launched(p, features, iterate_step),
        finish=launched(p, features, finish_step),
    )
