"""When a simulation looks for what it should warn of: before it moves, after steps, and when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import SimulationWarning
from ..model.fields import read
from ..model.integrator import INTEGRATORS
from ..quantities.frames import Frames
from ..scene.couplings import Prescribed
from ..spatial import Array
from ..watching.changes import changed, described
from ..watching.collected import Collected
from ..watching.descriptions import locked, odd_units, repeated
from ..watching.servos import beyond_limits, bounded_servos, unstable
from ..watching.steps import fallen_back, noticed, uneven
from ..watching.unexplained import unexplained

if TYPE_CHECKING:
    from .inputs import Inputs
    from .simulation import Simulation


class Warner:
    """The warnings of one simulation; those whose names are ``ignored`` are not given."""

    def __init__(self, simulation: Simulation, ignored: Iterable[str]) -> None:
        self._simulation = simulation
        self._warned = Collected(ignored)
        self._described = described(simulation.scene)
        self._servos = bounded_servos(simulation.scene, simulation._layout)
        self._view, self._known = simulation.report_arrays.noticed.numpy(), 0

    @property
    def all(self) -> tuple[SimulationWarning, ...]:
        """What was warned of so far."""
        return self._warned.all

    def before(self) -> None:
        """Warn of what the description tells before anything moves."""
        sim = self._simulation
        checks: dict[str, Callable[[], Iterator[SimulationWarning]]] = {
            "odd-units": lambda: odd_units(sim._scene, sim.dt),
            "repeated-joint": lambda: repeated(sim._scene),
            "locked-loop": lambda: locked(sim._scene),
            "unstable-servo": lambda: unstable(sim._scene, sim.dt),
        }
        for name, check in checks.items():
            if self._warned.wants(name):
                self._warned.tell(check())
        if INTEGRATORS[sim._integrator].fourth_order and not sim._compiled.has.fourth_order:
            self._warned.tell(fallen_back(1, 1, sim._integrator))

    def reset(self) -> None:
        """Take what the steps have noticed as told."""
        self._known = int(self._view[0])

    def after_step(self) -> None:
        """Warn of what the steps just made have noticed; only where looking costs nothing."""
        if self._simulation.device != "cpu":
            return
        if self._view[0] != self._known:
            self._known = int(self._view[0])
            self._warned.tell(self._noticed())
        self.targets()

    def targets(self) -> None:
        """Warn of targets that the limits exclude."""
        if self._servos:
            self._targets(self._simulation.control.drive_input.numpy())

    def targets_on(self, rows: Array) -> None:
        """The same of steps on the tape, by their rows."""
        if self._servos:
            targets = self._simulation.block.values(rows, ("control", "drive_input"))
            self._targets(targets.min(axis=0))
            self._targets(targets.max(axis=0))

    def _targets(self, targets: Array) -> None:
        model = self._simulation.model
        self._warned.tell(beyond_limits(self._servos, targets, model.lower.numpy(), model.upper.numpy()))

    def before_run(self, duration: float, steps: int) -> None:
        """Warn of a duration that is no multiple of the step, and of a scene that was changed."""
        self._warned.tell(uneven(duration, self._simulation.dt, steps))
        self.changes()

    def changes(self) -> None:
        """Warn of a scene that was changed since it was compiled."""
        self._warned.tell(changed(self._described, self._simulation.scene))

    def energy(self, frames: Frames) -> None:
        """Warn of energy that no source explains."""
        if self._warned.wants("energy-gain") or self._warned.wants("energy-loss"):
            known = {"long-step", "open-joint"} & {
                warning.name for warning in self._noticed()
            }  # these lose energy, too
            found = unexplained(self._simulation._scene, frames)
            self._warned.tell(warning for warning in found if warning.name != "energy-loss" or not known)

    def look_back(self) -> tuple[SimulationWarning, ...]:
        """Warn of what the steps so far have noticed, and of what was changed meanwhile; returns all warnings."""
        sim = self._simulation
        self._warned.tell(self._noticed())
        made, fallen = (int(read(array).sum()) for array in (sim.report_arrays.step, sim.report_arrays.fall_backs))
        self._warned.tell(fallen_back(fallen, made, sim._integrator))
        self.changes()
        return self._warned.all

    def _noticed(self) -> Iterator[SimulationWarning]:
        sim = self._simulation
        return noticed(sim.report_arrays, sim._layout, sim.dt, sim._solver)

    def is_closed(self, inputs: Inputs) -> bool:
        """Whether all energy that comes in goes through joints, and nothing but joints and springs keeps any."""
        sim, features = self._simulation, self._simulation._compiled.has
        pushed = inputs.on_bodies or any(read(array).any() for array in (sim.control.force, sim.control.torque))
        moved = any(isinstance(coupling.type, Prescribed) for coupling in sim._scene.couplings.values())
        moved = moved or features.movers
        pushed = pushed or features.actuators
        return not (pushed or moved or sim.attached or features.contacts or features.ropes)
