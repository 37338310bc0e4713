"""The safe state: what drives, brakes and pushes go to when the operator presses the emergency stop or disconnects.

No voltage, no speed, position servos stay where they are, brakes are on, nothing is pushed. It acts after the diagram,
so no block can overrule it, and before the faults: a brake that has failed does not brake. When it acts is the safety
chain's to say (``safety_chain.py``), which is why neither a reset nor a snapshot knows of it: the plant holds the
drives anew after either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..control.controller import Controller
from ..control.sinks import Brake, Command, Effort, Force, Servo, Sink, Torque
from ..model.softs import softs_of
from ..scene.elements.drive import AnyDrive, DcDrive, PositionServo
from ..scene.joint import Joint

if TYPE_CHECKING:
    from ..simulation.live_access import Reader, Writer
    from ..simulation.simulation import Simulation

FOREVER = 1 << 60  # steps
SAME = 1e-6  # relative; the least that float32 tells apart is a tenth of it


@dataclass
class Place:
    """A number that the safe state sets: its ``safe`` value, or for a position servo its coordinate."""

    write: Writer
    safe: float = 0.0
    coordinate: Reader | None = None
    target: Reader | None = None
    held: float = math.nan  # what it was set to last

    def settle(self) -> float:
        """Choose the value to be held at.

        A servo whose target nobody has changed since it was held last is held there again: at its coordinate, which
        its load has pulled down a little, every stop would let it sink further.
        """
        if self.coordinate is None or self.target is None:
            self.held = self.safe
        elif not math.isclose(float(self.target()), self.held, rel_tol=SAME, abs_tol=SAME):
            self.held = float(self.coordinate())
        return self.held


class Safety:
    """Attached to a simulation like its controller."""

    rank = 1
    world = 0

    def __init__(self, simulation: Simulation, controller: Controller) -> None:
        self._simulation, self._controller = simulation, controller
        self.on = False
        self._places: list[Place] = []
        self._servos: dict[tuple[str, str], Place] = {}  # by joint and axis
        self._brakes: list[tuple[Writer, Reader]] = []  # a writer and a reader of each brake's friction
        self._braked: list[float] = []  # what the brakes were at before
        self._stays: dict[str, Place] = {}  # inputs that are targets of position servos
        for row in softs_of(simulation.scene):
            if row.drive is not None:
                self._add_drive(row.joint, row.name, row.drive)
        for sink in controller.diagram.outputs.values():
            self._add_sink(sink)
        simulation.attach(self)

    def _add_drive(self, joint: Joint, axis: str, drive: AnyDrive) -> None:
        taps = self._simulation.taps
        if isinstance(drive, PositionServo):
            target = joint.target(axis)
            place = Place(
                taps.writer(target), coordinate=taps.reader(joint.coordinate(axis)), target=taps.reader(target)
            )
            self._servos[joint.name, axis] = place
        else:
            place = Place(taps.writer(joint.voltage(axis) if isinstance(drive, DcDrive) else joint.target(axis)))
        self._places.append(place)

    def _add_sink(self, sink: Sink) -> None:
        scene, taps = self._simulation.scene, self._simulation.taps
        if isinstance(sink, (Command, Effort, Force, Torque)):
            for quantity, component in sink.acts_on(scene):
                self._places.append(Place(taps.writer(quantity, component)))
        elif isinstance(sink, Brake):
            quantity = sink.quantity(scene)
            law = sink.on(scene)[0].friction[str(quantity.item).partition(".")[2]]
            self._places.append(Place(taps.writer(quantity), float(getattr(law, "level", 0.0)) + sink.level))
            self._brakes.append((taps.writer(quantity), taps.reader(quantity)))
        elif isinstance(sink, Servo) and sink.value in self._controller.diagram.inputs:
            joint, axis = sink.on(scene)
            place = self._servos.get((joint.name, axis or next(iter(joint.drives))))
            if place is not None:
                self._stays[str(sink.value)] = place

    def hold(self) -> None:
        """Go to the safe state, and the inputs with it, so that nothing jumps when it ends."""
        self._simulation.taps.refresh()
        if not self.on:
            self._braked = [float(read()) for _, read in self._brakes]
        self.on = True
        for place in self._places:
            place.settle()
        for name, spec in self._controller.diagram.inputs.items():
            self._controller.inputs[name] = self._stays[name].held if name in self._stays else spec.start

    def let_go(self) -> None:
        """Leave the safe state."""
        if self.on:
            for (write, _), value in zip(self._brakes, self._braked, strict=True):
                write(value)
            self._simulation.taps.flush()
        self.on = False

    def tick(self) -> int:
        """Put the safe values over those of the diagram."""
        if not self.on:
            return FOREVER
        for place in self._places:
            place.write(place.held)
        self._simulation.taps.flush()
        return 1

    def snapshot(self) -> tuple[float, ...]:
        """What servos were held at."""
        return tuple(place.held for place in self._places)

    def restore(self, held: tuple[float, ...]) -> None:
        """Go on from a snapshot; the plant holds the drives again where the chain says so."""
        self.let_go()
        for place, value in zip(self._places, held, strict=True):
            place.held = value

    def reset(self) -> None:
        """From the start; the plant holds the drives again where the chain says so."""
        self.restore((math.nan,) * len(self._places))

    def release(self) -> None:
        """Not held."""
        self.let_go()
