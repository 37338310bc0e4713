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
from .movers import make_movers
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
    smooth_steps, lead_movers = make_fourth_order(p, features).smooth_steps, make_movers(p).lead_movers
    ropes = make_ropes(p, features)

    @wp.func
    def begin_kick(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        world: int,
    ):
        """All that a velocity problem over the kick needs before it is solved."""
        kick = work.kick[world]
        for b in range(settings.bodies):
            forces.move_freely(model, control, state, memory, work, kick, b, world)
        if wp.static(features.movers):
            lead_movers(model, control, state, work, settings, world)
        if wp.static(features.integrator.leads):
            clear_bias(work, settings, world)
        rows.place(model, state, memory, work, report, settings, world)
        if wp.static(features.ropes):
            ropes.place_ropes(model, state, memory, work, settings, world)
        if wp.static(features.direct):
            for b in range(1, settings.bodies):
                stiffness.add_stiffness(model, state, memory, work, settings.dt, b, world)
        if settings.warm_start == 0:
            rows.scale(model, memory, settings, real(0.0), world)
        rows.prepare(model, control, state, memory, work, report, settings, world)
        if wp.static(features.direct):
            factor(model, memory, work, settings, world)
        rows.reach(model, state, memory, work, settings, world)
        for i in range(settings.coordinates):
            forces.apply_effort(model, control, state, memory, work, kick, i, world)
        rows.warm(model, memory, work, settings, world)
        if wp.static(features.ropes):
            ropes.begin_ropes(model, state, memory, work, settings, kick, world)
        report.iterations[world] = 0
        report.residual[world] = real(0.0)
        report.done[world] = 0

    @wp.func
    def calm_pushes(work: t.work, settings: t.settings, world: int):
        """All pseudo-velocities shrunk together, if one of them would turn its body too far."""
        fastest = real(0.0)
        for b in range(1, settings.bodies):
            fastest = wp.max(fastest, wp.length_sq(work.push_spin[b, world]))
        turn = settings.dt * wp.sqrt(fastest)
        if turn > real(MOST_PUSHED):
            share = real(MOST_PUSHED) / turn
            for b in range(1, settings.bodies):
                work.push[b, world] = share * work.push[b, world]
                work.push_spin[b, world] = share * work.push_spin[b, world]

    @wp.func
    def check_bodies(model: t.model, state: t.state, work: t.work, report: t.report, settings: t.settings, world: int):
        """Mark the world as faulty where something has no sensible velocity."""
        for b in range(1, settings.bodies):
            watch.check(work, report, settings.top_speed, b, world)
        if wp.static(features.ropes):
            ropes.check_ropes(model, state, work, report, settings, world)

    @wp.func
    def measure_twists(model: t.model, state: t.state, settings: t.settings, world: int):
        """The twists of the present poses, turns counted on."""
        if wp.static(features.twists):
            for i in range(settings.twists):
                count_turns(model, state, settings.dt, i, world)

    @wp.func
    def begin(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        world: int,
    ):
        """The velocities that the step starts from, and the velocity problem of its kick."""
        share = integrator.start(model, state, memory, work, settings, world)
        if share != real(1.0):
            rows.scale(model, memory, settings, share, world)
        begin_kick(model, control, state, memory, work, report, settings, world)

    @wp.func
    def move(model: t.model, state: t.state, memory: t.memory, work: t.work, settings: t.settings, world: int):
        """New poses."""
        integrator.drift(model, state, memory, work, settings, world)
        if wp.static(features.ropes):
            ropes.move_ropes(model, state, memory, work, settings, world)
        measure_twists(model, state, settings, world)

    @wp.func
    def let_ropes_give_way(
        model: t.model,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        world: int,
    ):
        """Solve again as long as an element of a rope would push, or comes to pull."""
        left = int(wp.static(ROUNDS))
        while left > 0 and ropes.give_way(model, state, memory, work, settings, world):
            left -= 1
            ropes.resume_ropes(model, state, memory, work, settings, world)
            resume(model, memory, work, report, settings, world)
            iterate(model, state, memory, work, report, settings, settings.iterations, world)
            conclude(model, memory, work, settings, world)
            ropes.end_ropes(model, state, memory, work, settings, world)

    @wp.func
    def let_rows_change(
        model: t.model,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        world: int,
    ):
        """Solve again as long as rows of the matrix come and go."""
        left = int(wp.static(REVISIONS))
        while left > 0 and rows.revise(model, memory, work, settings, world):
            left -= 1
            factor(model, memory, work, settings, world)
            rows.reach(model, state, memory, work, settings, world)
            resume(model, memory, work, report, settings, world)
            iterate(model, state, memory, work, report, settings, settings.iterations, world)
            conclude(model, memory, work, settings, world)

    @wp.func
    def finish(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        world: int,
    ):
        """Check what was solved, remember what belongs to the next step, and move."""
        conclude(model, memory, work, settings, world)
        if wp.static(rows.revises):
            let_rows_change(model, state, memory, work, report, settings, world)
        if wp.static(features.ropes):
            ropes.end_ropes(model, state, memory, work, settings, world)
            let_ropes_give_way(model, state, memory, work, report, settings, world)
            ropes.close_ropes(model, state, memory, work, settings, world)
        calm_pushes(work, settings, world)
        check_bodies(model, state, work, report, settings, world)
        if report.fault[world] == 0:
            rows.end(model, state, memory, work, settings, world)
            if wp.static(features.integrator.leads and features.direct):
                if memory.kick[world] <= real(0.0):
                    for j in range(settings.joints):
                        stiffness.note_jerk(model, state, memory, work, j, world)
            move(model, state, memory, work, settings, world)
            memory.kick[world] = work.kick[world]
            report.step[world] = report.step[world] + 1
            watch.watch_step(model, state, memory, work, report, settings, world)
        else:
            integrator.abandon(model, state, memory, work, settings, world)

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
            model: one.model,
            control: one.control,
            state: one.state,
            memory: one.memory,
            work: one.work,
            report: one.report,
            settings: v.settings,
            task: wp.vec2i,
        ):
            """One thread a world, the tables in the GPU's memory."""
            run(
                model[0],
                control[0],
                state[0],
                memory[0],
                work[0],
                report[0],
                settings,
                wp.vec2i(task[0] + wp.tid(), task[1]),
            )

        return sharnir_in_memory

    @wp.kernel(enable_backward=False, module="unique", module_options=module, **options)
    def sharnir(
        model: v.model,
        control: v.control,
        state: v.state,
        memory: v.memory,
        work: v.work,
        report: v.report,
        settings: v.settings,
        task: wp.vec2i,
    ):
        """One thread a world."""
        run(model, control, state, memory, work, report, settings, wp.vec2i(task[0] + wp.tid(), task[1]))

    return sharnir


@cache
def step_kernel(p: Precision, features: Features) -> object:
    """The kernel that makes whole steps: one thread per world, ``steps`` steps a launch."""
    t = structs(p)
    stages = make_stages(p, features)

    @wp.func
    def step(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        task: wp.vec2i,
    ):
        """As many steps of a world as the task says, unless one fails."""
        world = task[0]
        left = int(task[1])
        while left > 0 and report.fault[world] == 0:
            if wp.static(features.fourth_order):
                left -= stages.smooth_steps(
                    model, control, state, memory, work, report, settings, wp.vec2i(world, left)
                )
            if left > 0:
                stages.begin(model, control, state, memory, work, report, settings, world)
                stages.iterate(model, state, memory, work, report, settings, settings.iterations, world)
                stages.finish(model, control, state, memory, work, report, settings, world)
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
    def is_rough(work: t.work, world: int) -> bool:
        """Whether the step was not made in one piece when it began."""
        if wp.static(features.fourth_order):
            return work.smooth[world] == 0
        return True

    @wp.func
    def begin_step(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        task: wp.vec2i,
    ):
        """The first stage, or the whole step where it is smooth."""
        world = task[0]
        if report.fault[world] == 0:
            if wp.static(features.fourth_order):
                work.smooth[world] = stages.smooth_steps(
                    model, control, state, memory, work, report, settings, wp.vec2i(world, 1)
                )
                if work.smooth[world] == 1:
                    return
            stages.begin(model, control, state, memory, work, report, settings, world)

    @wp.func
    def iterate_step(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        task: wp.vec2i,
    ):
        """As many iterations as the task says."""
        world = task[0]
        if report.fault[world] == 0 and is_rough(work, world):
            stages.iterate(model, state, memory, work, report, settings, task[1], world)

    @wp.func
    def finish_step(
        model: t.model,
        control: t.control,
        state: t.state,
        memory: t.memory,
        work: t.work,
        report: t.report,
        settings: t.settings,
        task: wp.vec2i,
    ):
        """The last stage."""
        world = task[0]
        if report.fault[world] == 0 and is_rough(work, world):
            stages.finish(model, control, state, memory, work, report, settings, world)

    return SimpleNamespace(
        begin=launched(p, features, begin_step),
        iterate=launched(p, features, iterate_step),
        finish=launched(p, features, finish_step),
    )
