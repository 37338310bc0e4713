"""The stages of one step, in order; the only place where that order is written.

    begin     free motion (forces, gyroscopic torque)  ->  rows of every joint  ->  efforts  ->  last step's impulses
    iterate   the solver, until no impulse changes by more than epsilon
    finish    check  ->  new poses  ->  turns and sticking remembered

Between begin and finish lies the kick, which changes velocities at fixed poses. What it acts on, and the drift that
follows, are the integrator's (``integrators/``). Steps of fourth order are made in one piece as long as the motion is
smooth; where it is not, one with a kick and a drift follows.

``step`` runs the three in one launch; with a wall-clock budget they are three launches and the clock is read between.
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.features import Features
from ..model.fields import struct_values, structs
from ..model.precision import Precision
from .bias import make_bias
from .coordinates import make_coordinates
from .forces import make_forces
from .integrators import make_integrator
from .integrators.fourth_order import make_fourth_order
from .ropes.give import ROUNDS
from .ropes.stages import make_ropes
from .rows.groups import make_rows
from .solvers.direct import make_direct
from .solvers.sequential import make_sequential
from .stiffen import make_stiffen
from .watch import make_watch

wp = load_warp()

# By measurement (benchmarks/gpu.py): threads of a block, and blocks that must fit a multiprocessor together, which
# bounds the registers of a thread: few for sequential impulses, more for the direct kernel, most with contacts, ropes.
GPU_BLOCK = 128
GPU_BLOCKS_TOGETHER = {"sequential": 4, "direct": 3, "large": 2}
REVISIONS = 6  # times that a step is solved again as rows of the matrix come and go
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
    real, t = p.real, structs(p)
    rows, forces, integrator = make_rows(p, features), make_forces(p, features), make_integrator(p, features)
    solver = make_direct(p, features) if features.direct else make_sequential(p, features)
    iterate, conclude, resume = solver.iterate, solver.conclude, solver.resume
    factor, clear_bias = make_direct(p, features).factor, make_bias(p, features).clear_bias
    stiffness, watch, count_turns = make_stiffen(p, features), make_watch(p, features), make_coordinates(p).count_turns
    smooth_steps = make_fourth_order(p, features).smooth_steps
    ropes = make_ropes(p, features)

    @wp.func
    def begin_kick(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """All that a velocity problem over the kick needs before it is solved."""
        kick = k.kick[w]
        for b in range(o.bodies):
            forces.move_freely(m, c, s, n, k, kick, b, w)
        if wp.static(features.integrator.leads):
            clear_bias(k, o, w)
        rows.place(m, s, n, k, r, o, w)
        if wp.static(features.ropes):
            ropes.place_ropes(m, s, n, k, o, w)
        if wp.static(features.direct):
            for b in range(1, o.bodies):
                stiffness.add_stiffness(m, s, n, k, o.dt, b, w)
        if o.warm_start == 0:
            rows.scale(m, n, o, real(0.0), w)
        rows.prepare(m, c, s, n, k, r, o, w)
        if wp.static(features.direct):
            factor(m, n, k, o, w)
        rows.reach(m, s, n, k, o, w)
        for i in range(o.coordinates):
            forces.apply_effort(m, c, s, n, k, kick, i, w)
        rows.warm(m, n, k, o, w)
        if wp.static(features.ropes):
            ropes.begin_ropes(m, s, n, k, o, kick, w)
        r.iterations[w] = 0
        r.residual[w] = real(0.0)
        r.done[w] = 0

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
        """Mark the world as faulty where something has no sensible velocity."""
        for b in range(1, o.bodies):
            watch.check(k, r, o.top_speed, b, w)
        if wp.static(features.ropes):
            ropes.check_ropes(m, s, k, r, o, w)

    @wp.func
    def measure_twists(m: t.model, s: t.state, o: t.settings, w: int):
        """The twists of the present poses, turns counted on."""
        if wp.static(features.twists):
            for i in range(o.twists):
                count_turns(m, s, o.dt, i, w)

    @wp.func
    def begin(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """The velocities that the step starts from, and the velocity problem of its kick."""
        share = integrator.start(m, s, n, k, o, w)
        if share != real(1.0):
            rows.scale(m, n, o, share, w)
        begin_kick(m, c, s, n, k, r, o, w)

    @wp.func
    def move(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """New poses."""
        integrator.drift(m, s, n, k, o, w)
        if wp.static(features.ropes):
            ropes.move_ropes(m, s, n, k, o, w)
        measure_twists(m, s, o, w)

    @wp.func
    def let_ropes_give_way(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Solve again as long as an element of a rope would push, or comes to pull."""
        left = int(wp.static(ROUNDS))
        while left > 0 and ropes.give_way(m, s, n, k, o, w):
            left -= 1
            ropes.resume_ropes(m, s, n, k, o, w)
            resume(m, n, k, r, o, w)
            iterate(m, s, n, k, r, o, o.iterations, w)
            conclude(m, n, k, o, w)
            ropes.end_ropes(m, s, n, k, o, w)

    @wp.func
    def let_rows_change(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Solve again as long as rows of the matrix come and go."""
        left = int(wp.static(REVISIONS))
        while left > 0 and rows.revise(m, n, k, o, w):
            left -= 1
            factor(m, n, k, o, w)
            rows.reach(m, s, n, k, o, w)
            resume(m, n, k, r, o, w)
            iterate(m, s, n, k, r, o, o.iterations, w)
            conclude(m, n, k, o, w)

    @wp.func
    def finish(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """Check what was solved, remember what belongs to the next step, and move."""
        conclude(m, n, k, o, w)
        if wp.static(rows.revises):
            let_rows_change(m, s, n, k, r, o, w)
        if wp.static(features.ropes):
            ropes.end_ropes(m, s, n, k, o, w)
            let_ropes_give_way(m, s, n, k, r, o, w)
            ropes.close_ropes(m, s, n, k, o, w)
        calm_pushes(k, o, w)
        check_bodies(m, s, k, r, o, w)
        if r.fault[w] == 0:
            rows.end(m, s, n, k, o, w)
            if wp.static(features.integrator.leads and features.direct):
                if n.kick[w] <= real(0.0):
                    for j in range(o.joints):
                        stiffness.note_jerk(m, s, n, k, j, w)
            move(m, s, n, k, o, w)
            n.kick[w] = k.kick[w]
            r.step[w] = r.step[w] + 1
            watch.watch_step(m, s, n, k, r, o, w)
        else:
            integrator.abandon(m, s, n, k, o, w)

    return SimpleNamespace(begin=begin, iterate=iterate, finish=finish, smooth_steps=smooth_steps)


def tables_in_memory(p: Precision, features: Features) -> bool:
    """Whether the kernels find the tables in the GPU's memory, not among their arguments.

    Arguments are the faster, as long as no function that refers to them is left to be called: then every thread would
    have to keep a copy for it.
    """
    return p.by_reference and features.large


def launched(p: Precision, features: Features, run: object, **options: object) -> object:
    """A kernel that runs a device function for every world from the first one given.

    ``task`` is the first world, and how many steps or iterations are asked for; for the device function its own world.
    """
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
            task: wp.vec2i,
        ):
            """One thread a world, the tables in the GPU's memory."""
            run(m[0], c[0], s[0], n[0], k[0], r[0], o, wp.vec2i(task[0] + wp.tid(), task[1]))

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
        task: wp.vec2i,
    ):
        """One thread a world."""
        run(m, c, s, n, k, r, o, wp.vec2i(task[0] + wp.tid(), task[1]))

    return sharnir


@cache
def step_kernel(p: Precision, features: Features) -> object:
    """The kernel that makes whole steps: one thread per world, ``steps`` steps a launch."""
    t = structs(p)
    stages = make_stages(p, features)

    @wp.func
    def step(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, task: wp.vec2i):
        """As many steps of a world as the task says, unless one fails."""
        w = task[0]
        left = int(task[1])
        while left > 0 and r.fault[w] == 0:
            if wp.static(features.fourth_order):
                left -= stages.smooth_steps(m, c, s, n, k, r, o, wp.vec2i(w, left))
            if left > 0:
                stages.begin(m, c, s, n, k, r, o, w)
                stages.iterate(m, s, n, k, r, o, o.iterations, w)
                stages.finish(m, c, s, n, k, r, o, w)
                left -= 1

    size = "large" if features.large else "direct" if features.direct else "sequential"
    together = GPU_BLOCKS_TOGETHER[size]
    return launched(p, features, step, launch_bounds=(GPU_BLOCK, together))


@cache
def budget_kernels(p: Precision, features: Features) -> SimpleNamespace:
    """The same stages as three kernels, for steps that must end in time."""
    t = structs(p)
    stages = make_stages(p, features)

    @wp.func
    def is_rough(k: t.work, w: int) -> bool:
        """Whether the step was not made in one piece when it began."""
        if wp.static(features.fourth_order):
            return k.smooth[w] == 0
        return True

    @wp.func
    def begin_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, task: wp.vec2i
    ):
        """The first stage, or the whole step where it is smooth."""
        w = task[0]
        if r.fault[w] == 0:
            if wp.static(features.fourth_order):
                k.smooth[w] = stages.smooth_steps(m, c, s, n, k, r, o, wp.vec2i(w, 1))
                if k.smooth[w] == 1:
                    return
            stages.begin(m, c, s, n, k, r, o, w)

    @wp.func
    def iterate_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, task: wp.vec2i
    ):
        """As many iterations as the task says."""
        w = task[0]
        if r.fault[w] == 0 and is_rough(k, w):
            stages.iterate(m, s, n, k, r, o, task[1], w)

    @wp.func
    def finish_step(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, task: wp.vec2i
    ):
        """The last stage."""
        w = task[0]
        if r.fault[w] == 0 and is_rough(k, w):
            stages.finish(m, c, s, n, k, r, o, w)

    return SimpleNamespace(
        begin=launched(p, features, begin_step),
        iterate=launched(p, features, iterate_step),
        finish=launched(p, features, finish_step),
    )
