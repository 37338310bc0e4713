"""The stages of one step, in order; the only place where that order is written.

    begin     free motion (forces, gyroscopic torque)  ->  rows of every joint  ->  efforts  ->  last step's impulses
    iterate   the solver, until no impulse changes by more than epsilon
    finish    check  ->  new poses  ->  turns and sticking remembered

Between begin and finish lies the kick, which changes velocities at fixed poses. What it acts on, and the drift that
follows, are the integrator's (``integrators/``). Steps of fourth order are made in one piece as long as the motion is
smooth; where it is not, one with a kick and a drift follows.

A launch runs the three; with a wall-clock budget each is a launch of its own and the clock is read between.
"""

from functools import cache

from .bias import make_bias
from .coordinates import make_coordinates
from .factory import Device, Features, Made, Precision, factory, functions, wp
from .forces import make_forces
from .integrators import make_integrator
from .integrators.fourth_order import make_fourth_order
from .movers import make_movers
from .moving import make_moving
from .ropes.compression import ROUNDS
from .ropes.stages import make_ropes
from .rows.groups import make_rows
from .shells import BEGIN, FINISH, ITERATE, WHOLE
from .solvers.direct import make_direct
from .solvers.factors import make_factors
from .solvers.sequential import make_sequential
from .stiffen import make_stiffen
from .tape import make_tape
from .watch import make_watch

REVISIONS = 6  # times that a step is solved again as rows of the matrix come and go
MOST_PUSHED = 0.2  # rad: pseudo-velocities are right for small turns only; near singular poses they ask for whole ones


@factory
def make_stages(p: Precision, features: Features) -> Made:
    """The three stages as device functions."""
    real, func = p.real, functions(p)
    rows, forces, integrator = make_rows(p, features), make_forces(p, features), make_integrator(p, features)
    solver = make_direct(p, features) if features.direct else make_sequential(p, features)
    iterate, conclude, resume = solver.iterate, solver.conclude, solver.resume
    factor, clear_bias = make_factors(p, features).factor, make_bias(p, features).clear_bias
    stiffness, watch, count_turns = make_stiffen(p, features), make_watch(p, features), make_coordinates(p).count_turns
    smooth_steps, lead_movers = make_fourth_order(p, features).smooth_steps, make_movers(p).lead_movers
    moves = make_moving(p, features).moves
    ropes = make_ropes(p, features)

    @func
    def begin_kick(model, control, state, memory, work, report, settings, world: int):
        """All that a velocity problem over the kick needs before it is solved."""
        kick = work.kick[world]
        forces.find_gravity(model, memory, work, world)
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
                if moves(model, b, world):
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

    @func
    def is_loose(model, b: int) -> bool:
        """Whether the direct solver knows body b to be in no joint."""
        if wp.static(features.reach):
            return model.body_node[b] < 0
        return False

    @func
    def calm_pushes(model, work, settings, world: int):
        """All pseudo-velocities of joints shrunk together, if one of them would turn its body too far.

        Of a body without joints it is its own turn alone: where it is after an impact is what keeps its energy.
        """
        fastest = real(0.0)
        for b in range(1, settings.bodies):
            square = wp.length_sq(work.push_spin[b, world])
            if is_loose(model, b):
                turn = settings.dt * wp.sqrt(square)
                if turn > real(MOST_PUSHED):
                    work.push_spin[b, world] = (real(MOST_PUSHED) / turn) * work.push_spin[b, world]
            else:
                fastest = wp.max(fastest, square)
        turn = settings.dt * wp.sqrt(fastest)
        if turn > real(MOST_PUSHED):
            share = real(MOST_PUSHED) / turn
            for b in range(1, settings.bodies):
                if not is_loose(model, b):
                    work.push[b, world] = share * work.push[b, world]
                    work.push_spin[b, world] = share * work.push_spin[b, world]

    @func
    def check_bodies(model, state, work, report, settings, world: int):
        """Mark the world as faulty where something has no sensible velocity."""
        for b in range(1, settings.bodies):
            if moves(model, b, world):
                watch.check(work, report, settings.top_speed, b, world)
        if wp.static(features.ropes):
            ropes.check_ropes(model, state, work, report, settings, world)

    @func
    def measure_twists(model, state, settings, world: int):
        """The twists of the present poses, turns counted on."""
        if wp.static(features.twists):
            for i in range(settings.twists):
                count_turns(model, state, settings.dt, i, world)

    @func
    def begin(model, control, state, memory, work, report, settings, world: int):
        """The velocities that the step starts from, and the velocity problem of its kick."""
        share = integrator.start(model, state, memory, work, settings, world)
        if share != real(1.0):
            rows.scale(model, memory, settings, share, world)
        begin_kick(model, control, state, memory, work, report, settings, world)

    @func
    def move(model, state, memory, work, settings, world: int):
        """New poses."""
        integrator.drift(model, state, memory, work, settings, world)
        if wp.static(features.ropes):
            ropes.move_ropes(model, state, memory, work, settings, world)
        measure_twists(model, state, settings, world)

    @func
    def let_ropes_give_way(model, state, memory, work, report, settings, world: int):
        """Solve again as long as an element of a rope would push, or comes to pull."""
        left = int(wp.static(ROUNDS))
        while left > 0 and ropes.give_way(model, state, memory, work, settings, world):
            left -= 1
            ropes.resume_ropes(model, state, memory, work, settings, world)
            resume(model, memory, work, report, settings, world)
            iterate(model, state, memory, work, report, settings, settings.iterations, world)
            conclude(model, memory, work, settings, world)
            ropes.end_ropes(model, state, memory, work, settings, world)

    @func
    def let_rows_change(model, state, memory, work, report, settings, world: int):
        """Solve again as long as rows of the matrix come and go."""
        left = int(wp.static(REVISIONS))
        while left > 0 and rows.revise(model, memory, work, settings, world):
            left -= 1
            factor(model, memory, work, settings, world)
            rows.reach(model, state, memory, work, settings, world)
            resume(model, memory, work, report, settings, world)
            iterate(model, state, memory, work, report, settings, settings.iterations, world)
            conclude(model, memory, work, settings, world)

    @func
    def finish(model, control, state, memory, work, report, settings, world: int):
        """Check what was solved, remember what belongs to the next step, and move."""
        conclude(model, memory, work, settings, world)
        if wp.static(rows.revises):
            let_rows_change(model, state, memory, work, report, settings, world)
        if wp.static(features.ropes):
            ropes.end_ropes(model, state, memory, work, settings, world)
            let_ropes_give_way(model, state, memory, work, report, settings, world)
            ropes.close_ropes(model, state, memory, work, settings, world)
        calm_pushes(model, work, settings, world)
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

    return locals()


@cache
def make_step(p: Precision, features: Features) -> Device:
    """The device function that makes whole steps of a world, or single stages of one step."""
    func = functions(p)
    stages, tape = make_stages(p, features), make_tape(p)

    @func
    def step(model, control, state, memory, work, report, settings, task: wp.vec3i):
        """As many steps as the task says, unless one fails; each on a row of the tape, if it is recorded.

        Or the stages that the task names, of one step. Each stage is called from one place, so it is compiled once.
        """
        world = task[0]
        left = int(task[1])
        iterations = settings.iterations
        whole = task[2] == wp.static(WHOLE)
        if not whole:
            left = int(1)
            iterations = task[1]
        while left > 0 and report.fault[world] == 0:
            at_once = int(1)
            if whole:
                at_once = tape.play(work, settings, left, world)
            made = int(0)
            rough = bool(True)
            if wp.static(features.fourth_order):
                if (task[2] & wp.static(BEGIN)) != 0:
                    made = stages.smooth_steps(
                        model, control, state, memory, work, report, settings, wp.vec2i(world, at_once)
                    )
                    work.smooth[world] = made
                    rough = made < at_once
                else:
                    rough = work.smooth[world] == 0
            if rough:
                if (task[2] & wp.static(BEGIN)) != 0:
                    stages.begin(model, control, state, memory, work, report, settings, world)
                if (task[2] & wp.static(ITERATE)) != 0:
                    stages.iterate(model, state, memory, work, report, settings, iterations, world)
                if (task[2] & wp.static(FINISH)) != 0:
                    stages.finish(model, control, state, memory, work, report, settings, world)
                made += 1
            if whole:
                left -= made
                tape.record(work, settings, 1, world)
            else:
                left = 0
        if whole:
            tape.record(work, settings, left, world)

    return step
