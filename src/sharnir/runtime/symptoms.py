"""Symptoms: what an operator could notice by himself when something has failed, told as an alarm. Never the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..model.softs import softs_of
from ..scene.elements.drive import DcDrive

if TYPE_CHECKING:
    from ..simulation.live_access import Reader
    from ..simulation.simulation import Simulation

AT_LEAST = 0.3  # of its full voltage, below which a motor may stand still because of friction
STANDS = 0.01  # of the speed that its voltage asks for
AFTER = 1.0  # s for which that has to last


class Motor(NamedTuple):
    """A motor that is given a voltage."""

    name: str
    voltage: Reader
    rate: Reader
    idle: float  # rad/s or m/s of the joint at full voltage


class Symptoms:
    """Looks at a simulation now and then."""

    def __init__(self, simulation: Simulation) -> None:
        taps = simulation.taps
        self._simulation = simulation
        self._motors = [
            Motor(
                row.joint.name,
                taps.reader(row.joint.voltage(row.name)),
                taps.reader(row.joint.rate(row.name)),
                row.drive.idle_speed / abs(row.drive.ratio),
            )
            for row in softs_of(simulation.scene)
            if isinstance(row.drive, DcDrive)
        ]
        self._since: dict[str, float] = {}  # simulated time from which a motor has not done what it should
        self._told: set[str] = set()

    def look(self) -> list[str]:
        """What has become noticeable since the last look."""
        self._simulation.taps.refresh()
        now, found = self._simulation.time, []
        for motor in self._motors:
            voltage, rate = float(motor.voltage()), float(motor.rate())
            if abs(voltage) < AT_LEAST or abs(rate) > STANDS * motor.idle * abs(voltage):
                self._since.pop(motor.name, None)
                self._told.discard(motor.name)
            elif motor.name not in self._told:
                if now < self._since.setdefault(motor.name, now):  # reset or restored
                    self._since[motor.name] = now
                if now - self._since[motor.name] > AFTER:
                    self._told.add(motor.name)
                    share = f"{100 * voltage:.0f} % of its voltage"
                    found.append(f"{motor.name} does not turn, though its motor has {share}")
        return found
