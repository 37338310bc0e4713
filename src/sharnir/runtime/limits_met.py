"""Limits that joints have met, told once each; one that a joint starts at is not told until it has left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.layout import layout_of
from ..scene.check import LIMIT_TOLERANCE
from ..scene.joint_coordinates import start_value

if TYPE_CHECKING:
    from ..scene.scene import Scene
    from ..simulation.live_access import Reader
    from ..simulation.simulation import Simulation

LEFT = 1e-3  # rad or m: further from the limit that it begins at, a joint has left it


class LimitsMet:
    """Looks at a simulation now and then."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._labels = layout_of(simulation.scene).limits
        self._at = [0] * len(self._labels)
        self._begun = _begun(simulation.scene, self._labels)
        self._readers: dict[str, Reader] = {}
        for label in self._begun:
            joint, _, axis = label.rpartition(".")
            coordinate = simulation.scene.joints[joint].coordinate(axis)
            self._readers[label] = simulation.taps.reader(coordinate)

    def look(self) -> list[str]:
        """What has been met since the last look."""
        if self._begun:
            self._simulation.taps.refresh()
        for label, (_, start) in list(self._begun.items()):
            if abs(float(self._readers[label]()) - start) > LEFT:
                del self._begun[label]
        memory, found = self._simulation.memory, []
        low, high = memory.low_impulse.numpy()[:, 0], memory.high_impulse.numpy()[:, 0]
        for i, label in enumerate(self._labels):
            side = 1 if high[i] > 0 else -1 if low[i] > 0 else 0
            begun, _ = self._begun.get(label, (0, 0.0))
            if side not in (0, begun, self._at[i]):
                found.append(f"{label} is at its {'upper' if side > 0 else 'lower'} limit")
            self._at[i] = side
        return found


def _begun(scene: Scene, labels: tuple[str, ...]) -> dict[str, tuple[int, float]]:
    """The joints that begin at a limit: at which side, and where (rad or m)."""
    found = {}
    for joint in scene.joints.values():
        for free in joint.type.coordinates:
            label = f"{joint.name}.{free.name}"
            if label not in labels:
                continue
            start, (low, high) = start_value(joint, free), joint.ranges[free.name]
            if high is not None and abs(start - high) <= LIMIT_TOLERANCE:
                found[label] = (1, start)
            if low is not None and abs(start - low) <= LIMIT_TOLERANCE:
                found[label] = (-1, start)
    return found
