"""Simulation: a scene, stepped; one world or many."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as made_by
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .device import core_count, resolve_device
from .dynamics.stepper import Stepper
from .dynamics.watch import EMPTY_DRUM, NOT_FINITE, RUNAWAY
from .errors import SceneError, SimulationFault, SimulationWarning
from .inputs import Input, Inputs
from .model.compile import build_model, compile_scene
from .model.fields import PARAMETERS, SENSED, STATE, allocate, read, write, write_worlds
from .model.precision import precision_of
from .quantities import evaluate
from .quantities.setting import set_quantity
from .rays import RayHits, Rays
from .record.recorder import Recorder
from .scene.couplings import Prescribed
from .scene.quantity import Quantity
from .scene.scene import Scene
from .scene.values import file_path, positive, shown, warning_names, whole
from .sensing import Sensing
from .settings import EPSILON, check_settings, device_settings, lightness, wants_general_kernels
from .taps import Attached, Taps, tick_all
from .watching.changes import changed, described
from .watching.collected import Collected
from .watching.descriptions import locked, odd_units, repeated
from .watching.energy import gained
from .watching.servos import beyond_limits, bounded_servos, unstable
from .watching.steps import fallen_back, noticed, uneven

if TYPE_CHECKING:
    from xarray import DataArray

    from .analysis.linear import Linear
    from .analysis.matrices import Matrices
    from .control.controller import Controller
    from .control.diagram import Diagram
    from .record.trajectory import Trajectory
    from .scene.body import Body
    from .scene.joint import Joint

CALMER = "Try a smaller dt or more iterations; check the inputs"
FAULTS = {  # why a world stopped, and the remedy
    NOT_FINITE: ("the velocity of {} is no longer a number", CALMER),
    RUNAWAY: ("the velocity of {} ran away", CALMER),
    EMPTY_DRUM: ("the drum of {} is empty and still pays out", "Give its winch more stored rope, or its joint a limit"),
}
# What of a step's scratch is read after it: the columns of ``contacts()``, and what recordings copy.
TOUCH = tuple(f"contact_{name}" for name in ("body_a", "body_b", "point", "normal", "gap", "force", "slip"))
MEASURED = ("voltage", "touch_force", "contact_count", *TOUCH)


@dataclass(frozen=True)
class Varied:
    """What differs between worlds, see :meth:`Simulation.vary`: numbers [world] by address, the scene of every world.

    ``starts`` are the states in which the worlds start, ``places`` the arrays of the model and the items written there.
    """

    numbers: dict[Any, Any] = made_by(default_factory=dict)
    scenes: tuple[Scene, ...] = ()
    starts: dict[str, Any] = made_by(default_factory=dict)
    places: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True)
class Snapshot:
    """Everything a simulation needs to go on bit for bit, as ``sim.snapshot()`` returns it.

    ``arrays`` hold state, warm-start impulses, efforts, parameters such as masses and friction levels, and the step
    count; ``attached`` is what diagrams and faults remember, ``varied`` what differs between worlds.
    """

    arrays: dict[str, dict[str, Any]]
    attached: tuple[Any, ...] = ()
    varied: Varied = Varied()


@dataclass(frozen=True)
class Report:
    """What the last step says of itself, one value per world.

    ``iterations`` were made; ``residual`` (N s or N m s) is the largest change of an impulse in the last of them;
    ``joint_error`` (m or rad) the worst error of a locked axis when the step began; ``out_of_budget`` whether the
    wall-clock budget ended the iterations. Since the start, ``largest_turn`` (rad) is that of a body in one step, and
    ``fall_backs`` are the steps that another integrator had to make.
    """

    iterations: Any
    residual: Any
    joint_error: Any
    out_of_budget: bool
    largest_turn: Any
    fall_backs: Any


@dataclass(frozen=True)
class Touch:
    """A point where the bodies ``a`` and ``b`` (names) touch, or are about to; vectors in world axes, on body b.

    ``point`` (m) is where, ``normal`` a unit vector from a to b, ``gap`` (m) negative where they overlap, ``force``
    in N, ``slip`` (m/s) the velocity of b against a.
    """

    a: str
    b: str
    point: Any
    normal: Any
    gap: float
    force: Any
    slip: Any


class Simulation:
    """A scene compiled and stepped with a fixed time step ``dt`` (s).

    ``solver`` is ``"direct"`` (joints exact at any mass ratio) or ``"sequential-impulses"`` (the papers' method).
    ``integrator`` is ``"leapfrog"`` (second order), ``"position-verlet"`` (second order, its velocities
    not estimated), ``"semi-implicit-euler"`` (first order, the papers') or ``"rk4"`` (fourth order where the motion
    is smooth, leapfrog elsewhere; direct solver only). Velocities and reactions of a
    run are those at the times of its frames; ``get`` and the last frame have them extrapolated. ``iterations`` and
    ``epsilon`` (N s, N m s; 1e-10, or as much less as the heaviest body is lighter than 1 kg) end the solver,
    whichever comes first; ``budget`` (s of wall-clock time per step) ends it earlier. ``erp`` is the share of a
    joint's error that pseudo-velocities remove in a step; sequential impulses make them in their first
    ``stabilisation_iterations`` (half of all by default). ``worlds`` runs many copies side by side, on the CPU by
    ``threads`` (all cores) or on a GPU (``device="cuda"``). ``top_speed`` (m/s, rad/s) is where a body counts as a
    runaway; ``fault_folder`` receives the last good states then. The noise of sensors in world w is drawn with
    ``seed`` + w. ``warm_start`` starts the solver from the impulses of the last step; ``precision`` is ``"float64"``
    or ``"float32"``. ``ignored_warnings`` are names of :class:`SimulationWarning` that are not to be given.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float = 0.005,
        *,
        worlds: int = 1,
        solver: str = "direct",
        integrator: str = "leapfrog",
        iterations: int = 50,
        epsilon: float | None = None,
        erp: float = 0.2,
        stabilisation_iterations: int | None = None,
        warm_start: bool = True,
        budget: float | None = None,
        precision: str = "float64",
        device: str = "cpu",
        threads: int | None = None,
        top_speed: float = 1e5,
        seed: int = 0,
        fault_folder: str | Path = "out",
        ignored_warnings: Iterable[str] = (),
    ) -> None:
        others: dict[str, Any] = {
            "worlds": worlds,
            "iterations": iterations,
            "epsilon": EPSILON if epsilon is None else epsilon,
            "erp": erp,
            "budget": budget,
        }
        others |= {"stabilisation_iterations": stabilisation_iterations, "warm_start": warm_start}
        others |= {"precision": precision, "device": device, "threads": threads, "top_speed": top_speed}
        check_settings(scene, dt, solver, integrator, others)
        if epsilon is None:
            others["epsilon"] = EPSILON * lightness(scene)
        ignored = warning_names("ignored_warnings", ignored_warnings)
        self._warned = Collected((*ignored, *warning_names("scene.ignored_warnings", scene.ignored_warnings)))
        scene.take_initial()
        self.scene = scene
        self._scene, self._described = scene.as_it_is(), described(scene)
        self._solver, self._integrator = solver, integrator
        self._varied = Varied()
        self.dt = float(dt)
        self.worlds = int(worlds)
        self.device = resolve_device(device)
        self.budget = budget
        self.iterations = int(iterations)
        self.fault_folder = file_path(fault_folder, "fault_folder")
        self._compiled = compile_scene(scene, solver, integrator, wants_general_kernels())
        self._precision = precision_of(precision, by_reference=self.device != "cpu")
        self._layout = self._compiled.layout
        self._out_of_budget = False
        counts = self._compiled.counts
        self.model = build_model(self._compiled, self._precision, self.worlds, self.device)
        self.state, self.control, self.memory, self.work, self.report_arrays = (
            allocate(table, self._precision, counts, self.worlds, self.device)
            for table in ("state", "control", "memory", "work", "report")
        )
        self._tables = {
            "model": self.model,
            "state": self.state,
            "control": self.control,
            "memory": self.memory,
            "work": self.work,
            "report": self.report_arrays,
        }
        self.rays = Rays(self._compiled, self._precision, self._tables, self.device)
        self._sensing = Sensing(
            self._compiled, self._precision, self._tables, self.device, self.dt, whole(seed, "seed", 0)
        )
        self._tables["sensing"] = self._sensing.table
        settings = device_settings(self._precision, counts, float(dt), others)
        arrays = (self.model, self.control, self.state, self.memory, self.work, self.report_arrays, settings)
        workers = core_count() if threads is None else threads
        self._stepper = Stepper(self._precision, self._compiled.features, arrays, self.worlds, self.device, workers)
        self._known_faults: set[int] = set()
        self._fault_view = self.report_arrays.fault.numpy()  # on the CPU this is the array itself, not a copy
        self._noticed_view, self._known_notices = self.report_arrays.noticed.numpy(), 0
        self._servos = bounded_servos(scene, self._layout)
        self.attached: list[Attached] = []
        self._steps, self._started = 0, np.zeros(self.worlds, int)
        self._analysed: dict[tuple[Any, ...], Matrices] = {}
        self.reset()
        self._warned.tell(self._seen_beforehand())
        if scene.diagram is not None:
            for world in range(self.worlds):
                scene.diagram.start(self, world=world)

    def __repr__(self) -> str:
        return f"<simulation of {self.scene!r}, dt {self.dt:g} s, {self.worlds} world(s) on {self.device}>"

    # --- stepping ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time, s; of worlds that were reset by themselves see :attr:`times`."""
        return self._steps * self.dt

    @property
    def times(self) -> Any:
        """The time of every world, s: since the start, or since it was last reset."""
        return (self._steps - self._started) * self.dt

    def steps_of(self, world: int) -> int:
        """Steps that a ``world`` has made since the start, or since it was last reset."""
        return self._steps - int(self._started[world])

    @property
    def steps(self) -> int:
        """Steps made since the start."""
        return self._steps

    def step(self, steps: int = 1) -> None:
        """Make steps with the present efforts. Raises ``SimulationFault`` if a world stops; the others go on."""
        self._advance(steps)
        if self.device == "cpu":
            if self._noticed_view[0] != self._known_notices:
                self._known_notices = int(self._noticed_view[0])
                self._warned.tell(noticed(self.report_arrays, self._layout, self.dt, self._solver))
            if self._servos:
                self._warned.tell(self._wild_targets())
        self._raise_new_faults(None)

    def run(
        self,
        duration: float,
        *,
        torque: Mapping[Any, Input] | None = None,
        force: Mapping[Any, Input] | None = None,
        voltage: Mapping[Any, Input] | None = None,
        target: Mapping[Any, Input] | None = None,
        motion: Mapping[Any, Input] | None = None,
        command: Mapping[Any, Input] | None = None,
        control: Diagram | None = None,
        every: int = 1,
        before_step: Callable[[Simulation], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Trajectory:
        """Simulate ``duration`` seconds, recording every ``every``-th step.

        ``torque`` (N m) and ``force`` (N) map a joint, one of its efforts, or a body to a number or to a function of
        time, which is taken at the middle of each step; ``voltage`` and ``target`` do so for drives and servos,
        ``motion`` for prescribed coordinates (rad, m), which are there at the end of each step, or for their rates
        (``hinge.speed``: rad/s, m/s), ``command`` for actuators.
        ``control`` is a diagram that runs along. All of them are back at zero after the run. ``before_step`` is called
        before every step, ``progress`` with the steps done and the steps in all. Ctrl-C ends the run and keeps what was
        recorded.
        """
        from .record.trajectory import Trajectory

        total = round(positive(duration, "run: duration (s)") / self.dt)
        whole(every, "run: every", 1)
        given = {"torque": torque, "force": force, "voltage": voltage, "target": target, "motion": motion}
        given["command"] = command
        inputs = Inputs(self._scene, self._layout, given, self.dt)
        self._warned.tell(uneven(float(duration), self.dt, total))
        self._warned.tell(changed(self._described, self.scene))
        is_closed = before_step is None and control is None and (every == 1 or not any(given.values()))
        is_closed = is_closed and self._is_closed(inputs)
        _check_callables(control, before_step, progress)
        controllers = [] if control is None else [control.start(self, world=world) for world in range(self.worlds)]
        recorder = self._recorder(total // every + 1)
        recorder.capture(self.time)
        chunk = every if before_step is None and inputs.constant else 1
        done = 0
        captured = True
        try:
            while done < total:
                if before_step is not None:
                    before_step(self)
                inputs.apply(self.control, self._input_times())
                steps = 1 if captured and recorder.learns_later else min(chunk, total - done, every - done % every)
                self._advance(steps)
                if self._servos and (done == 0 or self.device == "cpu"):
                    self._warned.tell(self._wild_targets())
                done += steps
                if captured:
                    recorder.complete()
                captured = done % every == 0
                if captured:
                    recorder.capture(self.time, self._out_of_budget)
                if self.worlds == 1:
                    self._raise_new_faults(recorder)
                if progress is not None:
                    progress(done, total)
        except KeyboardInterrupt:
            pass
        finally:
            inputs.release(self.control)
            for controller in controllers:
                self.detach(controller)
        frames = recorder.frames()
        self._look_back()
        if is_closed and self._warned.wants("energy-gain"):
            self._warned.tell(gained(self._scene, frames))
        self._raise_new_faults(recorder)
        return Trajectory.from_frames(self._scene, frames, self._warned.all)

    def _input_times(self) -> Any:
        """When inputs are taken, s: in the middle of the next step, of each world where their clocks differ."""
        return (self.times if self._started.any() else self.time) + 0.5 * self.dt

    def _advance(self, steps: int) -> None:
        whole(steps, "step: steps", 1)
        while steps > 0:
            chunk = min(steps, tick_all(self.attached, steps), self._unsensed(steps))
            self._make(chunk)
            self._sensing.sense()
            steps -= chunk

    def _unsensed(self, steps: int) -> int:
        """How many of the steps can be made before a sensor has anything to do."""
        if self._started.any():  # the clocks of the worlds differ
            return 1 if self._sensing.steps_until(0) else steps
        return self._sensing.steps_until(self._steps) or steps

    def _make(self, steps: int) -> None:
        """Steps in one launch, with the present controls."""
        if self.budget is None:
            self._stepper.step(steps)
        else:
            for _ in range(steps):
                done = self.report_arrays.done
                self._out_of_budget = self._stepper.step_within(self.budget, self.iterations, done)
        self._steps += steps

    @property
    def report(self) -> Report:
        """Iterations, residual and joint error of the last step."""
        r = self.report_arrays
        solved = read(r.iterations), read(r.residual), read(r.joint_error), self._out_of_budget
        return Report(*solved, read(r.largest_turn), read(r.fall_backs))

    # --- warnings ---------------------------------------------------------------------------------------------------

    @property
    def warnings(self) -> tuple[SimulationWarning, ...]:
        """What looked wrong so far, each once; they were also given through Python's ``warnings``."""
        self._look_back()
        return self._warned.all

    def _seen_beforehand(self) -> Iterator[SimulationWarning]:
        """What the description tells before anything moves."""
        checks: dict[str, Callable[[], Iterator[SimulationWarning]]] = {
            "odd-units": lambda: odd_units(self._scene, self.dt),
            "repeated-joint": lambda: repeated(self._scene),
            "locked-loop": lambda: locked(self._scene),
            "unstable-servo": lambda: unstable(self._scene, self.dt),
        }
        for name, check in checks.items():
            if self._warned.wants(name):
                yield from check()
        features = self._compiled.features
        if features.integrator.fourth_order and not features.fourth_order:
            yield from fallen_back(1, 1, self._integrator)

    def _look_back(self) -> None:
        """Warn of what the steps so far have noticed, and of what was changed meanwhile."""
        self._warned.tell(noticed(self.report_arrays, self._layout, self.dt, self._solver))
        made, fallen = (int(read(array).sum()) for array in (self.report_arrays.step, self.report_arrays.fall_backs))
        self._warned.tell(fallen_back(fallen, made, self._integrator))
        self._warned.tell(changed(self._described, self.scene))

    def _wild_targets(self) -> Iterator[SimulationWarning]:
        limits = self.model.lower.numpy(), self.model.upper.numpy()
        return beyond_limits(self._servos, self.control.drive_input.numpy(), *limits)

    def _is_closed(self, inputs: Inputs) -> bool:
        """Whether all energy that comes in goes through joints, and nothing but joints and springs keeps any."""
        features = self._compiled.features
        pushed = inputs.on_bodies or any(read(array).any() for array in (self.control.force, self.control.torque))
        moved = any(isinstance(coupling.type, Prescribed) for coupling in self._scene.couplings.values())
        pushed = pushed or features.actuators
        return not (pushed or moved or self.attached or features.contacts or features.ropes)

    # --- reading and setting ----------------------------------------------------------------------------------------

    def get(self, quantity: Quantity) -> Any:
        """A quantity now, in its unit: a number or vector; with many worlds one row per world."""
        recorder = self._recorder(1)
        recorder.capture(self.time)
        self._warned.tell(changed(self._described, self.scene))
        values = evaluate(self._scene, recorder.frames(), quantity)[0]
        return values if self.worlds > 1 else (float(values[0]) if values[0].ndim == 0 else values[0])

    def set(self, quantity: Quantity, values: Any) -> None:
        """Set a quantity to ``values``, in its unit: for all worlds, or one value (or vector) per world.

        Masses, friction levels, limits, gravity; efforts, voltages and targets; positions, rotations and velocities of
        bodies; coordinates of joints and their rates, as :meth:`pose` does.
        """
        set_quantity(self, quantity, values)

    def scene_of(self, world: int) -> Scene:
        """The scene of a ``world``, with the numbers that it was given by :meth:`vary`."""
        self._check_world("scene_of", world)
        return self._varied.scenes[world] if self._varied.scenes else self._scene

    def vary(self, numbers: Mapping[str, Any]) -> None:
        """Let ``numbers`` of the scene differ between the worlds, by the names they have in studies, one per world.

        ``sim.vary({"strut.spring.stiffness": [1e4, 2e4, 3e4]})``: masses, inertias, friction laws, springs, motors,
        gears, materials, in the units of their descriptions; initial poses and velocities hold from the next
        :meth:`reset` on. A world moves to the bit as a scene alone that was built with its numbers, and all quantities
        follow. What changes more than numbers is refused by name.
        """
        from .studies.vary import vary

        vary(self, numbers)

    def pose(self, values: Any, speeds: Mapping[Any, Any] | None = None, worlds: Any = None) -> None:
        """Bring joint coordinates to ``values`` (rad, m), and rates to ``speeds`` (rad/s, m/s).

        Both are by joint, or by quantity such as ``ball.coordinate("twist")``, one number or one per world; or values
        are what :meth:`inverse_kinematics` returned. Other coordinates and rates stay as they are, what hangs on a
        joint moves along with it, all joints stay closed and all velocities agree with them. Loops that cannot close,
        and values beyond limits, are refused by name. ``worlds``, a mask or a list, are those that are posed.
        """
        from .analysis.setting import pose_simulation

        pose_simulation(self, values, speeds, self._mask("pose", worlds))

    def _mask(self, what: str, worlds: Any) -> Any:
        """Worlds as a mask: from None for all, a mask, or a list of numbers."""
        if worlds is None:
            return np.ones(self.worlds, bool)
        given = np.asarray(worlds)
        if given.dtype == bool and given.shape == (self.worlds,):
            return given
        if given.dtype.kind not in "iu" or ((given < 0) | (given >= self.worlds)).any():
            raise SceneError(
                f"{what}: worlds is {shown(worlds)}; give a list of numbers below {self.worlds}, or a mask of as many"
            )
        mask = np.zeros(self.worlds, bool)
        mask[given.ravel()] = True
        return mask

    def contacts(self, world: int = 0) -> list[Touch]:
        """Every point where shapes of a ``world`` touched in the last step, or were about to."""
        self._check_world("contacts", world)
        count = int(self.work.contact_count.numpy()[world])
        columns = [getattr(self.work, name).numpy()[:count, world] for name in TOUCH]
        bodies = ("world", *self._layout.bodies)
        return [
            Touch(bodies[a], bodies[b], np.array(point), np.array(normal), float(gap), np.array(force), np.array(slip))
            for a, b, point, normal, gap, force, slip in zip(*columns, strict=True)
        ]

    def ray(self, origin: Any, direction: Any, reach: float = np.inf, world: int = 0) -> RayHits:
        """What rays meet first, from one origin (m) or many in one direction or many, in world axes.

        They end at their ``reach`` (m), and see all that takes part in contact, terrain among it.
        """
        self._check_world("ray", world)
        return self.rays.cast(origin, direction, reach, world)

    def _check_world(self, what: str, world: int) -> None:
        if whole(world, f"{what}: world", 0) >= self.worlds:
            raise SceneError(f"{what}: there is no world {world}; this simulation has {self.worlds}, counted from 0")

    # --- mechanics --------------------------------------------------------------------------------------------------

    def mass_matrix(self, freedoms: Iterable[Any] = ()) -> DataArray:
        """The mass matrix M of M u' + h = e over the freedoms (kg, kg m, kg m^2), labelled, one per world.

        Freedoms are the coordinates of a tree's joints, and the velocities of a body that nothing ties to the ground;
        of a loop, as many coordinates as it has freedoms, driven ones first, or the ``freedoms`` that you choose. u are
        their rates. Motors count with their inertia behind the gear.
        """
        return self._matrices(freedoms).mass_matrix()

    def bias(self, freedoms: Iterable[Any] = ()) -> DataArray:
        """The bias h of M u' + h = e over the ``freedoms`` (N, N m): gravity, Coriolis and centrifugal forces."""
        return self._matrices(freedoms).bias()

    def jacobian(
        self, frame: Body | Joint, point: Iterable[float] = (0.0, 0.0, 0.0), *, freedoms: Iterable[Any] = ()
    ) -> DataArray:
        """Velocity (m/s) and angular velocity (rad/s), world axes, of a point by the rates of the ``freedoms``.

        ``point`` (m) is in the ``frame``: that of a body, or of a joint on its body b.
        """
        return self._matrices(freedoms).jacobian(frame, point)

    def inverse_dynamics(self, accelerations: Any, freedoms: Iterable[Any] = ()) -> DataArray:
        """The efforts (N, N m) on the ``freedoms`` that make ``accelerations`` (m/s^2, rad/s^2) of them.

        They come beside what springs, dampers, drives and forces on bodies do already; efforts set now do not count.
        Accelerations are an array over the freedoms, one row per world, or a dictionary by joint, the rest zero. Dry
        friction, limits, contacts and ropes take no part.
        """
        return self._matrices(freedoms).inverse_dynamics(accelerations)

    def forward_dynamics(self, efforts: Any = None, freedoms: Iterable[Any] = ()) -> DataArray:
        """The accelerations (m/s^2, rad/s^2) of the ``freedoms`` by ``efforts`` (N, N m), those set now if not given.

        The same forces take part as in :meth:`inverse_dynamics`. Efforts are an array over the freedoms, or a
        dictionary by joint, also of coordinates that are no freedoms.
        """
        return self._matrices(freedoms).forward_dynamics(efforts)

    def linearise(
        self,
        inputs: Iterable[Any] | None = None,
        outputs: Iterable[Any] | None = None,
        freedoms: Iterable[Any] = (),
    ) -> Linear:
        """The linear system x' = A x + B u, y = C x + D u about the present state; see :class:`sharnir.Linear`.

        The state is that of the ``freedoms``, their rates, and integrals of servos. ``inputs`` are efforts (N, N m),
        voltages or targets, or joints for their efforts: all freedoms' efforts if not given. ``outputs`` are
        coordinates, rates, positions and velocities of bodies: all freedoms' coordinates (rad, m) if not given.
        Contacts that stick are frozen as they are; dry friction and limits take no part.
        """
        from .analysis.linear import linearised

        return linearised(self, inputs, outputs, freedoms)

    def inverse_kinematics(
        self, targets: Mapping[Any, Any], *, tolerance: float = 1e-8, freedoms: Iterable[Any] = ()
    ) -> DataArray:
        """Coordinates (rad, m) of the ``freedoms``, within their limits, at which frames are at ``targets``.

        Targets are positions (m), or pairs of a position and a quaternion, of which one may be None, by body, by joint
        (its frame on body b) or by a pair of body and point. Bodies that nothing ties to the ground stay where they
        are, and nothing is moved: hand the result to :meth:`pose`. It is within ``tolerance`` (m, rad), or refused.
        """
        return self._matrices(freedoms).inverse_kinematics(targets, tolerance)

    def _matrices(self, chosen: Iterable[Any]) -> Matrices:
        from .analysis.matrices import Matrices

        if self._varied.scenes:
            names = ", ".join(address.name for address in self._varied.numbers)
            raise SceneError(f"the matrices are of one scene, and here {names} differ between worlds; take one world")
        key = tuple(chosen)
        if key not in self._analysed:
            self._analysed[key] = Matrices(self, key)
        return self._analysed[key]

    # --- diagrams ---------------------------------------------------------------------------------------------------

    @cached_property
    def taps(self) -> Taps:
        """Single numbers of the running simulation, read and written quickly."""
        return Taps(self)

    @property
    def controller(self) -> Controller | None:
        """The diagram that runs along in world 0, if there is one."""
        from .control.controller import Controller

        return next((part for part in self.attached if isinstance(part, Controller) and part.world == 0), None)

    def attach(self, part: Attached) -> None:
        """Let a ``part``, such as a controller, tick before the steps and belong to snapshots and resets."""
        self.attached.append(part)
        self.attached.sort(key=lambda other: other.rank)

    def detach(self, part: Attached) -> None:
        """Detach a ``part``; what it had set goes back to rest."""
        self.attached.remove(part)
        part.release()

    # --- starting over ----------------------------------------------------------------------------------------------

    def reset(self, worlds: Any = None) -> None:
        """Back to the start of the scene, in all worlds, or in those that a mask or a list ``worlds`` names.

        The state, the clock and what the solver, diagrams and faults remember start over; efforts, forces, voltages and
        targets are zero again. Parameters stay as they were set: masses, friction levels, limits, gravity. A world
        goes on bit for bit as if it had been started alone.
        """
        mask = self._mask("reset", worlds)
        for part in self.attached:
            if mask[part.world]:
                part.reset()
        for struct in (self.control, self.memory, self.work, self.report_arrays):
            for name in struct._cls.vars:
                write_worlds(getattr(struct, name), mask, 0)
        for field in STATE:
            start = self._varied.starts.get(field.name, self._compiled.state[field.name])
            write_worlds(getattr(self.state, field.name), mask, start)
        self._known_faults -= set(np.flatnonzero(mask).tolist())
        self._known_notices = int(self._noticed_view[0])
        if mask.all():
            self._steps = 0
        self._started[mask] = self._steps
        self._sensing.reset(mask)

    def snapshot(self) -> Snapshot:
        """A copy of all that changes or can be set; restoring it continues bit for bit."""
        names = {table: tuple(self._tables[table]._cls.vars) for table in ("state", "memory", "control", "report")}
        names |= {"model": PARAMETERS, "work": MEASURED, "sensing": SENSED}
        arrays = {
            table: {name: read(getattr(self._tables[table], name)) for name in found} for table, found in names.items()
        }
        attached = tuple(part.snapshot() for part in self.attached)
        clock = {"steps": self._steps, "started": self._started.copy()}
        return Snapshot(arrays | {"clock": clock}, attached, self._varied)

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot of this simulation, or of another one of the same scene and number of worlds.

        Parameters set since then (masses, friction levels, limits, gravity) are taken back, too.
        """
        if not isinstance(snapshot, Snapshot):
            raise SceneError(f"restore: {shown(snapshot)} is not a snapshot; give what sim.snapshot() returned")
        if len(snapshot.attached) != len(self.attached):
            raise SceneError(
                f"the snapshot was taken with {len(snapshot.attached)} diagrams and fault boards attached, here are "
                f"{len(self.attached)}; start the same ones before restoring it"
            )
        for table, struct in self._tables.items():
            for name, values in snapshot.arrays[table].items():
                if getattr(struct, name).numpy().shape != values.shape:
                    raise SceneError(
                        f"the snapshot's {table}.{name} has shape {values.shape}, this simulation's "
                        f"{getattr(struct, name).numpy().shape}; restore it into the same scene with as many worlds"
                    )
                write(getattr(struct, name), values)
        self._steps = int(snapshot.arrays["clock"]["steps"])
        self._started = np.array(snapshot.arrays["clock"]["started"])
        self._known_faults = set(np.flatnonzero(self.report_arrays.fault.numpy()).tolist())
        self._varied = snapshot.varied
        for part, remembered in zip(self.attached, snapshot.attached, strict=True):
            part.restore(remembered)

    # --- faults -----------------------------------------------------------------------------------------------------

    @property
    def stopped_worlds(self) -> tuple[int, ...]:
        """The worlds that a fault has stopped."""
        return tuple(np.flatnonzero(self.report_arrays.fault.numpy()).tolist())

    def _recorder(self, capacity: int) -> Recorder:
        given = self._tables, self._layout, self._compiled.twists, self.dt
        return Recorder(*given, capacity, self.rays.sense, self._varied.scenes)

    def _raise_new_faults(self, recorder: Recorder | None) -> None:
        faults = self._fault_view if self.device == "cpu" else self.report_arrays.fault.numpy()
        if not np.count_nonzero(faults):
            return
        new = [world for world in np.flatnonzero(faults).tolist() if world not in self._known_faults]
        if not new:
            return
        self._known_faults.update(new)
        raise self._fault(new, recorder)

    def why_stopped(self, world: int) -> str:
        """Why and when (s) a fault stopped a ``world``, in words; empty for one that goes on."""
        self._check_world("why_stopped", world)
        if not self.report_arrays.fault.numpy()[world]:
            return ""
        step, _, _, why, _ = self._stop_of(world)
        return f"stopped at step {step} (t = {step * self.dt:g} s): {why}"

    def _stop_of(self, world: int) -> tuple[int, str, str | None, str, str]:
        """The step at which a world stopped, the body or rope, the joint that holds it, why, and the remedy."""
        step = int(self.report_arrays.step.numpy()[world])
        body = int(self.report_arrays.fault_body.numpy()[world])
        is_rope = body < 0  # ropes count down from -1
        name = self._layout.ropes[-body - 1] if is_rope else self._layout.bodies[body - 1]
        joint = None if is_rope else self._worst_joint(body, world)
        what = f"{'rope' if is_rope else 'body'} '{name}'" + (f", held by joint '{joint}'," if joint else "")
        why, remedy = FAULTS[int(self.report_arrays.fault.numpy()[world])]
        return step, name, joint, why.format(what), remedy

    def _fault(self, worlds: list[int], recorder: Recorder | None) -> SimulationFault:
        from .record.trajectory import Trajectory

        world = worlds[0]
        step, name, joint, why, remedy = self._stop_of(world)
        if recorder is None:
            recorder = self._recorder(1)
            recorder.capture(step * self.dt)
        run = Trajectory.from_frames(self._scene, recorder.frames(), self.warnings)
        self.fault_folder.mkdir(parents=True, exist_ok=True)
        file = run.save(self.fault_folder / f"fault-{_file_name(self.scene.name)}-world{world}-step{step}.nc")
        others = "" if len(worlds) == 1 else f" ({len(worlds)} worlds stopped)"
        return SimulationFault(
            f"world {world} stopped at step {step} (t = {step * self.dt:g} s): {why}{others}; "
            f"the last good states are in {file}. {remedy}",
            world=world,
            step=step,
            body=name,
            joint=joint,
            worlds=tuple(worlds),
            file=Path(file),
            run=run,
        )

    def _worst_joint(self, body: int, world: int) -> str | None:
        """The joint of a body whose locked axes were farthest off in the last step."""
        gaps = np.linalg.norm(self.work.gap.numpy()[:, world], axis=-1)
        mine = [
            (not np.isfinite(gap), gap, name)
            for gap, name, a, b in zip(
                gaps, self._layout.joints, self.model.joint_a.numpy(), self.model.joint_b.numpy(), strict=True
            )
            if body in (a, b)
        ]
        return max(mine)[2] if mine else None


def _check_callables(control: Any, before_step: Any, progress: Any) -> None:
    """Refuse what a run cannot call or start."""
    from .control.diagram import Diagram

    if control is not None and not isinstance(control, Diagram):
        raise SceneError(f"run: control is {shown(control)}; give a sh.Diagram")
    for name, given in (("before_step", before_step), ("progress", progress)):
        if given is not None and not callable(given):
            raise SceneError(f"run: {name} is {shown(given)}; give a function")


def _file_name(name: str) -> str:
    """A scene's name without what a file name cannot hold."""
    return re.sub(r"[^\w-]+", "_", name)
