"""The plant: a simulation with its diagram, changed by commands only and only between two steps.

What it does depends on nothing but the scene and the sequence of commands and steps, so the same sequence gives the
same bits; the clock, the operator and the browser are elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from ..control import FaultBoard
from ..errors import SceneError, nearest
from ..model.fields import TABLES, read
from ..record.recorder import Recorder
from ..scene.scene import Scene
from ..scene.values import Plain
from . import commands as c
from . import safety_chain
from .channels import Channels
from .control import diagram_of, inputs_of
from .hand import Hand
from .limits_met import LimitsMet
from .offered_faults import fault_of
from .safety import Safety
from .symptoms import Symptoms

if TYPE_CHECKING:
    from ..simulation.outcomes import Snapshot


class Plant:
    """A scene in motion, stepped with ``dt`` (s) and the ``settings`` of :class:`Simulation`.

    ``alarms`` collects what is to be told, as (level, text); ``chain`` is the state of the safety chain, and ``why`` it
    is not free.
    """

    def __init__(self, scene: Scene, dt: float, settings: Plain) -> None:
        from ..simulation.simulation import Simulation

        scene.diagram = diagram_of(scene)
        self.scene = scene
        self.simulation = Simulation(scene, dt, **settings)
        controller = self.simulation.controller
        assert controller is not None
        self.controller = controller
        self.safety = Safety(self.simulation, controller)
        self.board = FaultBoard(self.simulation)
        self.hand = Hand(self.simulation)
        self.symptoms = Symptoms(self.simulation)
        self.inputs = inputs_of(scene.diagram)
        self.channels = Channels(scene, self.simulation, controller)
        self.tick = 0  # steps since the run began, over resets and restores
        self.chain, self.why = safety_chain.State.FREE, ""
        self.alarms: list[tuple[str, str]] = []
        self.snapshots: dict[str, Snapshot] = {}
        self.limits_met = LimitsMet(self.simulation)
        self._warned = 0  # how many of the simulation's warnings are told

    def step(self) -> None:
        """One step with the present inputs. Raises ``SimulationFault`` or ``ControlFault`` when it cannot go on."""
        self.tick += 1
        self.simulation.step()

    def apply(self, command: c.Command, by: str = "") -> None:
        """Do what moves the plant, for its author; other commands are the runtime's. Refusals are ``SceneError``."""
        following = safety_chain.after(self.chain, command)
        self.hand.lift()  # until the next step: what the command changes is what is there without it
        if isinstance(command, c.Set):
            self._set(command.values)
        elif isinstance(command, c.Tune):
            self.controller.tune(command.block, command.port, command.value)
        elif isinstance(command, c.Pull):
            self.hand.pull(command.body, command.point, command.target)
        elif isinstance(command, c.Loosen):
            self.hand.loosen()
        elif isinstance(command, c.Reset):
            self.simulation.reset()
        elif isinstance(command, c.Save):
            self.snapshots[command.name] = self.simulation.snapshot()
        elif isinstance(command, c.Restore):
            self._restore(command.name)
        elif isinstance(command, c.Inject):
            self._inject(command)
        elif isinstance(command, c.Clear):
            self._clear(command.name)
        self._move_on(following, command, by)

    def _move_on(self, following: safety_chain.State, command: c.Command, by: str) -> None:
        """Bring the drives to where the safety chain is after a command."""
        author = by or "the operator"
        if following is not safety_chain.State.FREE:
            self.hand.loosen()
        if following is safety_chain.State.FREE:
            if self.chain is not following:
                self.safety.let_go()
                self.why = ""
        elif self.chain is safety_chain.State.FREE or isinstance(command, (c.Reset, c.Restore)):
            self.safety.hold()
        if isinstance(command, c.Stop):
            self.why = f"emergency stop by {author}"
            self.alarms.append(("alarm", self.why))
        elif isinstance(command, c.Release):
            self.why = f"the emergency stop was released by {author}"
            self.alarms.append(("info", self.why))
        elif isinstance(command, c.Hold) and following is safety_chain.State.HELD:
            self.why = command.reason
            self.alarms.append(("alarm", f"{command.reason}; the drives are held until they are enabled"))
        self.chain = following

    def digest(self) -> str:
        """A fingerprint of the mechanical state, to the bit."""
        state = self.simulation.state
        hashed = hashlib.blake2b(digest_size=12)
        for field in TABLES["state"]:
            hashed.update(read(getattr(state, field.name)).tobytes())
        return hashed.hexdigest()

    def recorder(self, capacity: int) -> Recorder:
        """A recorder of full trajectories, for so many instants."""
        return self.simulation.recorder(capacity)

    def watch(self) -> None:
        """Tell of limits that were reached, warnings, and motors that do not turn, since the last look."""
        warned = self.simulation.warnings
        self.alarms += [("warning", str(warning)) for warning in warned[self._warned :]]
        self._warned = len(warned)
        self.alarms += [("warning", text) for text in self.symptoms.look()]
        self.alarms += [("warning", text) for text in self.limits_met.look()]

    def _set(self, values: dict[str, float]) -> None:
        for name, value in values.items():
            if name not in self.inputs:
                raise SceneError(f"there is no input '{name}'{nearest(name, self.inputs)}")
            if not math.isfinite(value):
                raise SceneError(f"input '{name}' is {value}; give a finite number")
        for name, value in values.items():
            known = self.inputs[name]
            within = min(max(value, known.low), known.high)
            if within != value:
                self.alarms.append(("warning", f"input '{name}' was {value:g}; clamped to {within:g} {known.unit}"))
            self.controller.inputs[name] = within > 0.5 if known.kind == "bool" else within

    def _restore(self, name: str) -> None:
        if name not in self.snapshots:
            raise SceneError(f"there is no snapshot '{name}'{nearest(name, self.snapshots)}")
        self.simulation.restore(self.snapshots[name])

    def _inject(self, command: c.Inject) -> None:
        fault = fault_of(command.fault)
        if command.name not in self.board.faults:
            self.board.add(command.name, fault)
        elif self.board.faults[command.name] != fault:
            raise SceneError(f"there is another fault '{command.name}' already; give this one another name")
        self.board.inject(command.name)
        self.alarms.append(("fault", f"fault injected: {command.name}"))

    def _clear(self, name: str) -> None:
        if name not in self.board.active:
            raise SceneError(f"there is no fault '{name}' in effect{nearest(name, self.board.active)}")
        self.board.clear(name)
        self.alarms.append(("fault", f"fault cleared: {name}"))
