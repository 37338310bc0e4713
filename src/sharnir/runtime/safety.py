"""The safe state: what drives, brakes and pushes go to when the operator presses the stop, or is gone.

No voltage, no speed, position servos stay where they are, brakes are on, nothing is pushed. It acts after the diagram,
so no block can overrule it, and before the faults: a brake that has failed does not brake.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..control.controller import Controller
from ..control.sinks import Brake, Effort, Force, Servo, Torque
from ..model.softs import softs_of
from ..scene.elements.drive import DcDrive, PositionServo
from ..scene.joint import Joint

FOREVER = 1 << 60  # steps


class Held(NamedTuple):
    """Why the plant is held, the numbers it is held at, and what the brakes were at before."""

    why: str  # "emergency" or "connection"; empty when it is not held
    values: tuple[float, ...] = ()
    brakes: tuple[float, ...] = ()


FREE = Held("")


class Safety:
    """Attached to a simulation like its controller; part of snapshots and resets."""

    rank = 1

    def __init__(self, simulation: Any, controller: Controller) -> None:
        self._simulation, self._controller = simulation, controller
        self.held = FREE
        self._places: list[tuple[Any, Any]] = []  # a writer, and a reader of the safe value or the value itself
        self._brakes: list[tuple[Any, Any]] = []  # a writer and a reader of each brake's friction
        self._stays: dict[str, Any] = {}  # inputs that are targets of position servos, and readers of their coordinates
        for row in softs_of(simulation.scene):
            if row.drive is not None:
                self._add_drive(row.joint, row.name, row.drive)
        for sink in controller.diagram.outputs.values():
            self._add_sink(sink)
        simulation.attach(self)

    def _add_drive(self, joint: Joint, axis: str, drive: Any) -> None:
        taps = self._simulation.taps
        writer = taps.writer(joint.voltage(axis) if isinstance(drive, DcDrive) else joint.target(axis))
        stays = isinstance(drive, PositionServo)
        self._places.append((writer, taps.reader(joint.coordinate(axis)) if stays else 0.0))

    def _add_sink(self, sink: Any) -> None:
        scene, taps = self._simulation.scene, self._simulation.taps
        if isinstance(sink, (Effort, Force, Torque)):
            for quantity, component in sink.acts_on(scene):
                self._places.append((taps.writer(quantity, component), 0.0))
        elif isinstance(sink, Brake):
            quantity = sink.quantity(scene)
            law = sink.on(scene)[0].friction[str(quantity.item).partition(".")[2]]
            self._places.append((taps.writer(quantity), float(getattr(law, "level", 0.0)) + sink.level))
            self._brakes.append((taps.writer(quantity), taps.reader(quantity)))
        elif isinstance(sink, Servo) and sink.value in self._controller.diagram.inputs:
            joint, axis = sink.on(scene)
            if isinstance(joint.drives[axis or next(iter(joint.drives))], PositionServo):
                self._stays[str(sink.value)] = taps.reader(joint.coordinate(axis))

    def hold(self, why: str) -> None:
        """Go to the safe state, and the inputs with it, so that nothing jumps when it ends."""
        self._simulation.taps.refresh()
        values = tuple(float(safe() if callable(safe) else safe) for _, safe in self._places)
        brakes = self.held.brakes if self.held.why else tuple(float(read()) for _, read in self._brakes)
        self.held = Held(why, values, brakes)
        for name, spec in self._controller.diagram.inputs.items():
            self._controller.inputs[name] = float(self._stays[name]()) if name in self._stays else spec.start

    def let_go(self) -> None:
        """Leave the safe state."""
        for (write, _), value in zip(self._brakes, self.held.brakes, strict=False):
            write(value)
        self._simulation.taps.flush()
        self.held = FREE

    def tick(self) -> int:
        """Put the safe values over those of the diagram."""
        if not self.held.why:
            return FOREVER
        for (write, _), value in zip(self._places, self.held.values, strict=True):
            write(value)
        self._simulation.taps.flush()
        return 1

    def snapshot(self) -> Held:
        """All that it remembers."""
        return self.held

    def restore(self, held: Held) -> None:
        """Go on from a snapshot."""
        self.let_go()
        self.held = held

    def reset(self) -> None:
        """Not held."""
        self.let_go()

    def release(self) -> None:
        """Not held."""
        self.let_go()
