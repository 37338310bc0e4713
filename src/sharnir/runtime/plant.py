"""The plant: a simulation with its controller, changed by commands only and only between two steps.

What it does depends on nothing but the scene and the sequence of commands and steps, so the same sequence gives the
same bits; the clock, the operator and the browser are elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

from ..errors import SceneError, nearest
from ..model.fields import read, write_row
from ..model.layout import layout_of
from ..model.softs import softs_of
from ..scene.elements.drive import PositionServo
from ..scene.scene import Scene
from . import commands as c
from .channels import Channels
from .faults import AnyFault, fault_of
from .inputs import DirectControl, InputSpec

DIGESTED = ("position", "rotation", "velocity", "spin", "twist")


class Plant:
    """A scene in motion. ``alarms`` collects what the operator should know, as (level, text)."""

    def __init__(self, scene: Scene, dt: float, settings: dict[str, Any]) -> None:
        from ..simulation import Simulation

        self.scene = scene
        self.simulation = Simulation(scene, dt, **settings)
        self.controller = DirectControl(scene, self.simulation)
        self.specs: dict[str, InputSpec] = {spec.name: spec for spec in self.controller.specs}
        self.channels = Channels(scene, self.simulation, self.controller)
        self.tick = 0
        self.held = ""  # one of frames.HOLDS
        self.alarms: list[tuple[str, str]] = []
        self.snapshots: dict[str, Any] = {}
        self.faults: dict[str, tuple[AnyFault, Any, int]] = {}  # by name: the fault, what it keeps, its first tick
        self._safe: list[tuple[int, float]] = []
        self._limits = layout_of(scene).limits
        self._at_limit = [0] * len(self._limits)

    def step(self) -> None:
        """One step with the present inputs. Raises ``SimulationFault`` when the scene comes apart."""
        self.controller.tick()
        for place, value in self._safe:
            write_row(self.simulation.control.drive_input, place, value)
        for fault, _, since in self.faults.values():
            fault.act(self.simulation, (self.tick - since) * self.simulation.dt)
        self.tick += 1
        self.simulation.step()

    def apply(self, command: c.Command) -> None:
        """Do what moves the plant; other commands are the runtime's. Refusals are ``SceneError``."""
        if isinstance(command, c.Set):
            self._set(command.values)
        elif isinstance(command, c.Stop):
            self._hold("emergency")
        elif isinstance(command, c.Hold):
            if self.held != "emergency":
                self._hold("connection")
            self.alarms.append(("alarm", f"{command.reason}; drives are in their safe state until the next input"))
        elif isinstance(command, c.Release):
            self._let_go()
        elif isinstance(command, c.Reset):
            self._reset()
        elif isinstance(command, c.Save):
            self.snapshots[command.name] = self._snapshot()
        elif isinstance(command, c.Restore):
            self._restore(command.name)
        elif isinstance(command, c.Inject):
            self._inject(command)
        elif isinstance(command, c.Withdraw):
            self._withdraw(command.name)

    def digest(self) -> str:
        """A fingerprint of the mechanical state, to the bit."""
        state = self.simulation.state
        hashed = hashlib.blake2b(digest_size=12)
        for name in DIGESTED:
            hashed.update(read(getattr(state, name)).tobytes())
        return hashed.hexdigest()

    def watch_limits(self) -> None:
        """Tell of limits that were reached since the last look."""
        memory = self.simulation.memory
        low, high = memory.low_impulse.numpy()[:, 0], memory.high_impulse.numpy()[:, 0]
        for i, label in enumerate(self._limits):
            side = 1 if high[i] > 0 else -1 if low[i] > 0 else 0
            if side and side != self._at_limit[i]:
                self.alarms.append(("warning", f"{label} is at its {'upper' if side > 0 else 'lower'} limit"))
            self._at_limit[i] = side

    # --- inputs -----------------------------------------------------------------------------------------------------

    def _set(self, values: dict[str, float]) -> None:
        if self.held == "emergency":
            raise SceneError("the emergency stop is on; release it first")
        for name, value in values.items():
            if name not in self.specs:
                raise SceneError(f"there is no input '{name}'{nearest(name, self.specs)}")
            if not math.isfinite(value):
                raise SceneError(f"input '{name}' is {value}; give a finite number")
        self._let_go()
        for name, value in values.items():
            spec = self.specs[name]
            within = min(max(value, spec.low), spec.high)
            if within != value:
                text = f"input '{name}' was {value:g} {spec.unit}; clamped to {within:g}"
                self.alarms.append(("warning", text))
            self.controller.inputs[name] = within

    def _hold(self, why: str) -> None:
        """Drives to their safe state: no voltage, no speed, position servos where they are."""
        self.held = why
        self.controller.release()
        self._safe = []
        coordinates, labels = self.channels.coordinates, layout_of(self.scene).coordinates
        coordinates.read(self.channels.bodies.read(self.simulation.state), self.simulation.state.twist.numpy()[:, 0])
        for place, row in enumerate(softs_of(self.scene)):
            if row.drive is not None:
                stays = isinstance(row.drive, PositionServo)
                self._safe.append((place, float(coordinates.value[labels.index(row.label)]) if stays else 0.0))
        self.controller.take_over(dict(self._safe))

    def _let_go(self) -> None:
        """Inputs act again; a position servo goes on from where it was held."""
        self.held, self._safe = "", []

    # --- starting over ----------------------------------------------------------------------------------------------

    def _reset(self) -> None:
        for name in list(self.faults):
            self._withdraw(name)
        self.held, self._safe = "", []
        self.controller.release()
        self.simulation.reset()
        for array in ("force", "torque", "effort", "drive_input"):
            control = getattr(self.simulation.control, array)
            for place in range(control.shape[0]):
                write_row(control, place, 0.0)

    def _snapshot(self) -> Any:
        return self.simulation.snapshot(), self.controller.snapshot(), self.held, list(self._safe), dict(self.faults)

    def _restore(self, name: str) -> None:
        if name not in self.snapshots:
            raise SceneError(f"there is no snapshot '{name}'{nearest(name, self.snapshots)}")
        state, inputs, held, safe, faults = self.snapshots[name]
        for known in list(self.faults):
            self._withdraw(known)
        self.simulation.restore(state)
        self.controller.restore(inputs)
        self.held, self._safe = held, list(safe)
        for known, (fault, _, since) in faults.items():
            self.faults[known] = (fault, fault.apply(self.simulation), since)

    # --- faults -----------------------------------------------------------------------------------------------------

    def _inject(self, command: c.Inject) -> None:
        if command.name in self.faults:
            raise SceneError(f"the fault '{command.name}' is in already; withdraw it first")
        fault = fault_of(command.fault, self.scene)
        self.faults[command.name] = (fault, fault.apply(self.simulation), self.tick)
        self.alarms.append(("info", f"fault '{command.name}' brought in"))

    def _withdraw(self, name: str) -> None:
        if name not in self.faults:
            raise SceneError(f"there is no fault '{name}'{nearest(name, self.faults)}")
        fault, kept, _ = self.faults.pop(name)
        fault.withdraw(self.simulation, kept)
        self.alarms.append(("info", f"fault '{name}' taken back"))
