"""Simulation: a scene, stepped; one world or many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..device import Table, core_count, resolve_device
from ..dynamics.compiled import ask
from ..dynamics.stepper import Stepper
from ..errors import SceneError, SimulationWarning
from ..model.compile import build_model
from ..model.fields import PARAMETERS, SENSED, TABLES, allocate, read, write, write_worlds
from ..model.precision import precision_of
from ..model.recorded_block import RecordedBlock
from ..quantities import evaluate
from ..quantities.frames import RECORDED
from ..quantities.setting import first_gears, set_quantity
from ..record.recorder import Recorder
from ..scene.joint import Joint
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import described, file_path, shown, warning_names, whole
from ..spatial import Array
from .inputs import InputsOf
from .kernel_choice import compile_for, kind_of
from .live_access import Attached, Taps, tick_all
from .mechanics import ByCoordinate, Mechanics
from .outcomes import Report, Snapshot, Touch, Varied
from .ray_casting import RayHits, Rays
from .running import BeforeStep, Progress, run
from .sampling import Sensing
from .settings import Settings
from .stops import Stops
from .warner import Warner
from .world_parts import WorldPart

if TYPE_CHECKING:
    from xarray import DataArray

    from ..analysis.freedoms import Chosen
    from ..analysis.linear import Linear
    from ..analysis.matrices import AllMatrices
    from ..control.controller import Controller
    from ..control.diagram import Diagram
    from ..record.trajectory import Trajectory
    from ..view.camera_pictures import CameraPicture

# What of a step's scratch is read after it: the columns of ``contacts()``, and what recordings copy.
TOUCH = tuple(f"contact_{name}" for name in ("body_a", "body_b", "point", "normal", "gap", "force", "slip"))
MEASURED = ("voltage", "touch_force", "contact_count", "closing_energy", *TOUCH)
MADE_WITH = ("scene", "dt", "worlds", "device", "iterations", "kernels")  # attributes that the step has taken over
Worlds = Iterable[int] | Iterable[bool] | None  # numbers of worlds, a mask over them, or None for all


class Simulation(Mechanics):
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
    ``kernels`` are ``"special"``, ``"general"`` or ``"auto"``, as ``SHARNIR_KERNELS`` says if not given
    (docs/choosing.md); the attribute of the same name says which of the two they are.
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
        kernels: str | None = None,
    ) -> None:
        settings = described(Settings, locals())
        settings.check(scene)
        ignored = warning_names("ignored_warnings", ignored_warnings)
        ignored += warning_names("scene.ignored_warnings", scene.ignored_warnings)
        scene.take_initial()
        self.scene = scene
        self._scene = scene.as_it_is()
        self._solver, self._integrator = solver, integrator
        self._varied = Varied()
        self.dt = float(dt)
        self.worlds = int(worlds)
        self.device = resolve_device(device)
        self.budget = budget
        self.iterations = int(iterations)
        self.fault_folder = file_path(fault_folder, "fault_folder")
        self._compiled = compile_for(scene, solver, integrator, precision, self.device, kernels)
        self.kernels = kind_of(self._compiled)
        self._precision = precision_of(precision, by_reference=self.device != "cpu")
        if scene.diagram is not None:
            scene.diagram.check(scene)  # before a compiler is started
        ask("measure", self._precision, self._compiled.features, self.device)
        self._layout = self._compiled.layout
        self.out_of_budget = False  # whether the wall-clock budget ended the iterations of the last step
        counts = self._allocate()
        self.rays = Rays(self._compiled, self._precision, self._tables, self.device)
        self._sensing = Sensing(
            self._compiled, self._precision, self._tables, self.device, self.dt, whole(seed, "seed", 0)
        )
        self._tables["sensing"] = self._sensing.table
        tables = (self.model, self.control, self.state, self.memory, self.work, self.report_arrays)
        scalars = settings.on_device(self._precision, counts, scene)
        workers = core_count() if threads is None else threads
        arrays = (*tables, scalars)
        self._launched = self._precision, self._compiled.features, arrays, self.worlds, self.device, workers
        self._stepper = Stepper(*self._launched)
        self.stops, self.warner = Stops(self), Warner(self, ignored)
        self.attached: list[Attached] = []
        self._steps, self._started = 0, np.zeros(self.worlds, int)
        self._analysed: dict[tuple[tuple[Chosen, ...], tuple[Scene, ...]], AllMatrices] = {}
        self.reset()
        self.warner.before()
        if scene.diagram is not None:
            for world in range(self.worlds):
                scene.diagram.start(self, world=world)

    def _allocate(self) -> dict[str, int]:
        """Make the tables that kernels take; returns how many items their arrays have."""
        self.model = build_model(self._compiled, self._precision, self.worlds, self.device)
        self.block = RecordedBlock(RECORDED, self._precision, self._compiled.counts, self.worlds, self.device)
        counts = self._compiled.counts | self.block.counts
        self.state, self.control, self.memory, self.work, self.report_arrays = (
            allocate(table, self._precision, counts, self.worlds, self.device, self.block)
            for table in ("state", "control", "memory", "work", "report")
        )
        self.block.attach(self.work)
        self._tables: dict[str, Table] = {
            "model": self.model,
            "state": self.state,
            "control": self.control,
            "memory": self.memory,
            "work": self.work,
            "report": self.report_arrays,
        }
        return counts

    def __setattr__(self, name: str, value: object) -> None:
        if name in MADE_WITH and name in vars(self):
            raise SceneError(
                f"sim.{name} is {shown(vars(self)[name])} and cannot be set to {shown(value)}: the step was made "
                f"with it; make another one, sh.Simulation(scene, {name}=...)"
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<simulation of {self.scene!r}, dt {self.dt:g} s, {self.worlds} world(s) on {self.device}>"

    # --- stepping ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time, s; of worlds that were reset by themselves see :attr:`times`."""
        return self._steps * self.dt

    @property
    def times(self) -> Array:
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
        self.advance(steps)
        self.warner.after_step()
        self.stops.raise_new(None)

    def run(
        self,
        duration: float,
        *,
        torque: InputsOf | None = None,
        force: InputsOf | None = None,
        voltage: InputsOf | None = None,
        target: InputsOf | None = None,
        motion: InputsOf | None = None,
        command: InputsOf | None = None,
        control: Diagram | None = None,
        every: int = 1,
        before_step: BeforeStep | None = None,
        progress: Progress | None = None,
    ) -> Trajectory:
        """Simulate ``duration`` seconds, recording every ``every``-th step.

        ``torque`` (N m) and ``force`` (N) map a joint, one of its efforts, or a body to a number, to a function of
        time (s), which is taken at the middle of each step, perhaps for many steps ahead, or to a function of time and
        this simulation, which is called before each step; ``voltage`` and ``target`` do so for drives and servos,
        ``motion`` for prescribed coordinates (rad, m), which are there at the end of each step, or for their rates
        (``hinge.speed``: rad/s, m/s), and for prescribed bodies (see :class:`Mover`), ``command`` for actuators.
        ``control`` is a diagram that runs along. All of them are back at zero after the run. ``before_step`` is called
        before every step, ``progress`` with the steps done and the steps in all. Ctrl-C ends the run and keeps what was
        recorded.
        """
        from ..record.trajectory import Trajectory

        given = {"torque": torque, "force": force, "voltage": voltage, "target": target, "motion": motion}
        frames = run(self, duration, given | {"command": command}, control, every, before_step, progress)
        return Trajectory.from_frames(self._scene, frames, self.warner.all, kernels=self.kernels)

    def input_times(self) -> ArrayLike:
        """When inputs are taken, s: in the middle of the next step, of each world where their clocks differ."""
        return (self.times if self._started.any() else self.time) + 0.5 * self.dt

    def advance(self, steps: int) -> None:
        """Make steps without looking for faults and warnings."""
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
                self.out_of_budget = self._stepper.step_within(self.budget, self.iterations, done)
        self._steps += steps

    @property
    def can_record(self) -> bool:
        """Whether steps can be made on the tape: on the CPU, in the time they take, with nothing to do between them."""
        alone = self.budget is None and not self.attached and not self._started.any()
        return alone and self.block.rows > 0 and not self._sensing.steps_until(0) and not self.rays.are_sensed

    def record(self, steps: int) -> None:
        """Make steps on the first rows of the tape, in one launch."""
        write(self.work.tape_row, 1)
        self._make(steps)
        write(self.work.tape_row, 0)

    @property
    def report(self) -> Report:
        """Iterations, residual and joint error of the last step."""
        r = self.report_arrays
        solved = read(r.iterations), read(r.residual), read(r.joint_error), self.out_of_budget
        return Report(*solved, read(r.largest_turn), read(r.fall_backs))

    # --- warnings ---------------------------------------------------------------------------------------------------

    @property
    def warnings(self) -> tuple[SimulationWarning, ...]:
        """What looked wrong so far, each once; they were also given through Python's ``warnings``."""
        return self.warner.look_back()

    # --- reading and setting ----------------------------------------------------------------------------------------

    def get(self, quantity: Quantity) -> Any:
        """A quantity now, in its unit: a number or vector; with many worlds one row per world."""
        recorder = self.recorder(1)
        recorder.capture(self.time)
        self.warner.changes()
        values = evaluate(self._scene, recorder.frames(), quantity)[0]
        return values if self.worlds > 1 else (float(values[0]) if values[0].ndim == 0 else values[0])

    def set(self, quantity: Quantity, values: ArrayLike) -> None:
        """Set a quantity to ``values``, in its unit: for all worlds, or one value (or vector) per world.

        Masses, friction levels, limits, gravity; efforts, voltages and targets; positions, rotations and velocities of
        bodies; coordinates of joints and their rates, as :meth:`pose` does.
        """
        set_quantity(self, quantity, values)

    def scene_of(self, world: int) -> Scene:
        """The scene of a ``world``, with the numbers that it was given by :meth:`vary`."""
        self._check_world("scene_of", world)
        return self._varied.scenes[world] if self._varied.scenes else self._scene

    def vary(self, numbers: Mapping[str, ArrayLike]) -> None:
        """Let ``numbers`` of the scene differ between the worlds, by the names they have in studies, one per world.

        ``sim.vary({"strut.spring.stiffness": [1e4, 2e4, 3e4]})``: masses, inertias, friction laws, springs, motors,
        gears, materials, centres of mass, sizes of shapes, frames of joints, noise of sensors, in their own units;
        initial poses and velocities hold from the next :meth:`reset` on. A world moves to the bit as a scene alone that
        was built with its numbers, and all quantities follow. What changes more than numbers is refused by name.
        """
        from ..studies.vary import vary

        self._use(vary(self, numbers))

    def _use(self, varied: Varied) -> None:
        """Step with what differs between worlds from now on."""
        before, self._varied = self._varied, varied
        if varied.models != before.models:
            self._stepper = Stepper(*self._launched, varied.models)
            for reader in (self.rays, self._sensing, self.taps):
                reader.use(self.parts)

    @property
    def parts(self) -> tuple[WorldPart, ...]:
        """Runs of neighbouring worlds with a model of their own; none where one serves all."""
        scenes = self._varied.scenes
        return tuple(WorldPart(first, count, model, scenes[first]) for first, count, model in self._varied.models)

    def pose(
        self,
        values: ByCoordinate | DataArray,
        speeds: ByCoordinate | None = None,
        worlds: Worlds = None,
    ) -> None:
        """Bring joint coordinates to ``values`` (rad, m), and rates to ``speeds`` (rad/s, m/s).

        Both are by joint, or by quantity such as ``ball.coordinate("twist")``, one number or one per world; or values
        are what :meth:`inverse_kinematics` returned. Other coordinates and rates stay as they are, what hangs on a
        joint moves along with it, all joints stay closed and all velocities agree with them. Loops that cannot close,
        and values beyond limits, are refused by name. ``worlds``, a mask or a list, are those that are posed.
        """
        from ..analysis.set_coordinates import pose_simulation

        pose_simulation(self, values, speeds, self._mask("pose", worlds))

    def _mask(self, what: str, worlds: Worlds) -> Array:
        """Worlds as a mask: from None for all, a mask, or a list of numbers."""
        if worlds is None:
            return np.ones(self.worlds, bool)
        given: Array = np.asarray(worlds)
        if given.shape == (0,):  # a list of none, such as np.flatnonzero gives
            return np.zeros(self.worlds, bool)
        if given.dtype == bool and given.shape == (self.worlds,):
            return given
        if given.dtype.kind not in "iu" or ((given < 0) | (given >= self.worlds)).any():
            raise SceneError(
                f"{what}: worlds is {shown(worlds)}; give a list of numbers below {self.worlds}, or a mask of as many"
            )
        mask = np.zeros(self.worlds, bool)
        mask[given.ravel()] = True
        if mask.sum() < given.size:  # a mask of ones and zeros, most likely
            raise SceneError(
                f"{what}: worlds is {shown(worlds)}, which names worlds twice; give a mask of True and False"
            )
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

    def ray(self, origin: ArrayLike, direction: ArrayLike, reach: float = np.inf, world: int = 0) -> RayHits:
        """What rays meet first, from one origin (m) or many in one direction or many, in world axes.

        They end at their ``reach`` (m), and see all that takes part in contact, terrain among it.
        """
        self._check_world("ray", world)
        return self.rays.cast(origin, direction, reach, world)

    def picture(self, camera: str, size: tuple[int, int] = (640, 480), world: int = 0) -> CameraPicture:
        """What a ``camera`` of the scene sees now: colour, depth and the body at each pixel; ``size`` in pixels.

        ``world`` is counted from 0. It needs Chromium and ``pip install 'sharnir[pictures]'``.
        """
        from ..view.camera_pictures import picture_of

        self._check_world("picture", world)
        return picture_of(self, camera, size, world)

    def _check_world(self, what: str, world: int) -> None:
        if whole(world, f"{what}: world", 0) >= self.worlds:
            raise SceneError(f"{what}: there is no world {world}; this simulation has {self.worlds}, counted from 0")

    # --- mechanics --------------------------------------------------------------------------------------------------

    def linearise(
        self,
        inputs: Iterable[Joint | Quantity] | None = None,
        outputs: Iterable[Joint | Quantity] | None = None,
        freedoms: Iterable[Chosen] = (),
    ) -> Linear:
        """The linear system x' = A x + B u, y = C x + D u about the present state; see :class:`sharnir.Linear`.

        The state is that of the ``freedoms``, their rates, and integrals of servos. ``inputs`` are efforts (N, N m),
        voltages or targets, or joints for their efforts: all freedoms' efforts if not given. ``outputs`` are
        coordinates, rates, positions and velocities of bodies: all freedoms' coordinates (rad, m) if not given.
        Contacts that stick are frozen as they are; dry friction and limits take no part.
        """
        from ..analysis.linear import linearised

        return linearised(self, inputs, outputs, freedoms)

    def _matrices(self, chosen: Iterable[Chosen]) -> AllMatrices:
        from ..analysis.matrices import AllMatrices

        key = tuple(chosen), self._varied.scenes
        if key not in self._analysed:
            self._analysed[key] = AllMatrices(self, key[0])
        return self._analysed[key]

    # --- diagrams ---------------------------------------------------------------------------------------------------

    @cached_property
    def taps(self) -> Taps:
        """Single numbers of the running simulation, read and written quickly."""
        return Taps(self)

    @property
    def controller(self) -> Controller | None:
        """The diagram that runs along in world 0, if there is one."""
        from ..control.controller import Controller

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

    def reset(self, worlds: Worlds = None) -> None:
        """Back to the start of the scene, in all worlds, or in those that a mask or a list ``worlds`` names.

        The state, the clock and what the solver, diagrams and faults remember start over; efforts, forces, voltages and
        targets are zero again, and gearboxes in the gear that they start in. Parameters stay as they were set: masses,
        friction levels, limits, gravity. A world goes on bit for bit as if it had been started alone.
        """
        mask = self._mask("reset", worlds)
        for part in self.attached:
            if mask[part.world]:
                part.reset()
        for table in ("control", "memory", "work", "report"):
            for field in TABLES[table]:
                if field.per_world:
                    write_worlds(getattr(self._tables[table], field.name), mask, 0)
        for field in TABLES["state"]:
            starts = self._varied.starts if field.name in self._varied.starts else self._compiled.state
            write_worlds(getattr(self.state, field.name), mask, starts[field.name])
        first_gears(self, mask)
        self.stops.forget(mask)
        self.warner.reset()
        if mask.all():
            self._steps = 0
        self._started[mask] = self._steps
        self._sensing.reset(mask)

    def snapshot(self) -> Snapshot:
        """A copy of all that changes or can be set; restoring it continues bit for bit."""
        whole_tables = ("state", "memory", "control", "report")
        names = {table: tuple(field.name for field in TABLES[table]) for table in whole_tables}
        names |= {"model": PARAMETERS, "work": MEASURED, "sensing": SENSED}
        arrays = {
            table: {name: read(getattr(self._tables[table], name)) for name in found} for table, found in names.items()
        }
        attached = tuple(part.snapshot() for part in self.attached)
        clock = {"steps": np.array(self._steps), "started": self._started.copy()}
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
        self.stops.know()
        self._use(snapshot.varied)
        for part, remembered in zip(self.attached, snapshot.attached, strict=True):
            part.restore(remembered)

    # --- faults -----------------------------------------------------------------------------------------------------

    @property
    def stopped_worlds(self) -> tuple[int, ...]:
        """The worlds that a fault has stopped."""
        return self.stops.worlds

    def recorder(self, capacity: int) -> Recorder:
        """A recorder of frames of this simulation, for so many instants."""
        given = self._tables, self.block, self._layout, self._compiled.twists, self.dt
        return Recorder(*given, capacity, self.rays.sense, self._varied.scenes)

    def why_stopped(self, world: int) -> str:
        """Why and when (s) a fault stopped a ``world``, in words; empty for one that goes on."""
        self._check_world("why_stopped", world)
        return self.stops.why(world)
