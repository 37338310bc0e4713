"""Taps: single numbers of a running simulation, read and written in well under a microsecond.

``Simulation.get`` derives a quantity from a recorded frame, which is right for every quantity and slow. A controller
reads a hundred of them five hundred times a second. Its taps are prepared once: most are one place in an array; joint
coordinates, rates and body frames are measured by one kernel for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import getitem
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .device import load_warp
from .dynamics.measure import measure_kernel
from .errors import SceneError, nearest
from .model.fields import allocate, write
from .model.layout import Layout
from .model.softs import softs_of
from .scene.quantity import XYZ, XYZW, Quantity

if TYPE_CHECKING:
    from .simulation import Simulation

Reader = Callable[[], Any]
Writer = Callable[[float], None]

# Where quantities lie: the table, the array, and the names along it. Bodies have the world before them.
READABLE = {
    "coordinate": ("reading", "coordinate", "coordinates"),
    "rate": ("reading", "rate", "coordinates"),
    "position": ("reading", "origin", "bodies"),
    "velocity": ("reading", "origin_velocity", "bodies"),
    "rotation": ("state", "rotation", "bodies"),
    "angular_velocity": ("state", "spin", "bodies"),
    "effort": ("control", "effort", "coordinates"),
    "voltage": ("work", "voltage", "softs"),
    "target": ("control", "drive_input", "softs"),
    "stuck": ("memory", "sticking", "frictions"),
    "friction_level": ("model", "dynamic_level", "frictions"),
    "stall_torque": ("model", "drive_stall", "softs"),
    "ray_distance": ("work", "ray_distance", "rays"),
    "rope_strength": ("model", "rope_strength", "ropes"),
    "force": ("control", "force", "bodies"),
    "torque": ("control", "torque", "bodies"),
}
WRITABLE = {
    "effort": ("control", "effort", "coordinates"),
    "voltage": ("control", "drive_input", "softs"),
    "target": ("control", "drive_input", "softs"),
    "force": ("control", "force", "bodies"),
    "torque": ("control", "torque", "bodies"),
    "friction_level": ("model", "dynamic_level", "frictions"),
    "stall_torque": ("model", "drive_stall", "softs"),
    "rope_strength": ("model", "rope_strength", "ropes"),
}


class Attached(Protocol):
    """What runs along with a simulation: a controller, a board of faults."""

    rank: int  # those with a lower rank act first
    world: int  # the one it belongs to

    def tick(self) -> int:
        """Act before a step; returns the number of steps until it wants to act again."""
        ...

    def snapshot(self) -> Any: ...
    def restore(self, state: Any) -> None: ...
    def reset(self) -> None: ...
    def release(self) -> None: ...


def tick_all(attached: Sequence[Attached], steps: int) -> int:
    """Tick everything that runs along; returns how many of the steps may be made before the next tick."""
    for part in attached:
        steps = min(steps, part.tick())
    return steps


class Taps:
    """The taps of one simulation. ``refresh`` before reading, ``flush`` after writing."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._layout: Layout = simulation._layout
        self._tables: dict[str, Any] = dict(simulation._tables)
        self._on_cpu = simulation.device == "cpu"
        self._measure: Any = None
        self._mirrors: dict[tuple[str, str], Any] = {}  # of arrays on a GPU
        self._written: set[tuple[str, str]] = set()

    def refresh(self) -> None:
        """Measure what was asked for, as it is now."""
        if self._measure is not None:
            self._measure.launch()
        self._simulation.rays.sense()
        for (table, array), mirror in self._mirrors.items():
            mirror[...] = getattr(self._tables[table], array).numpy()

    def flush(self) -> None:
        """Hand what was written to a GPU; on a CPU it is there already."""
        if not self._on_cpu:
            for table, array in self._written:
                write(getattr(self._tables[table], array), self._mirrors[table, array])

    def reader(self, quantity: Quantity, component: str | None = None, world: int = 0) -> Reader:
        """A function that gives a number of one world as it was at the last ``refresh``."""
        if quantity.variable in ("motor_speed", "motor_torque"):
            return self._motor(quantity, world)
        if quantity.variable not in READABLE:
            return self._slow(quantity, component, world)
        table, array, items = READABLE[quantity.variable]
        if table == "reading":
            self._prepare()
        view, i = self._view(table, array, self._place(quantity, items), component, world)
        if quantity.variable == "stuck":
            return lambda: view[i] != 0
        return partial(getitem, view, i)

    def rows(self, quantity: Quantity) -> Reader:
        """A function that gives a quantity in all worlds, [world] or [world, component], as at the last ``refresh``."""
        if quantity.variable not in READABLE:
            worlds = self._simulation.worlds
            return lambda: np.reshape(self._simulation.get(quantity), (worlds, *([-1] if quantity.components else [])))
        table, array, items = READABLE[quantity.variable]
        if table == "reading":
            self._prepare()
        self._host(table, array)
        place = self._place(quantity, items)
        return lambda: self._host(table, array)[place]

    def writer(self, quantity: Quantity, component: str | None = None, world: int = 0) -> Writer:
        """A function that sets a number of one world; it holds after the next ``flush``."""
        if quantity.variable not in WRITABLE:
            raise SceneError(f"'{quantity.label}' cannot be set while running{nearest(quantity.variable, WRITABLE)}")
        table, array, items = WRITABLE[quantity.variable]
        place = self._place(quantity, items)
        view, i = self._view(table, array, place, component, world)
        self._written.add((table, array))
        if quantity.variable != "friction_level":
            return partial(view.__setitem__, i)
        self._written.add((table, "static_level"))
        static, _ = self._view(table, "static_level", place, None, world)
        compiled = self._simulation._compiled.model
        dynamic_start, static_start = compiled["dynamic_level"][place][0], compiled["static_level"][place][0]
        share = static_start / dynamic_start if dynamic_start > 0 else 1.0

        def set_level(level: float) -> None:
            view[i], static[0] = level, level * share

        return set_level

    def _place(self, quantity: Quantity, items: str) -> int:
        names: tuple[str, ...] = getattr(self._layout, items)
        if quantity.item not in names:
            raise SceneError(
                f"there is no {quantity.variable} of '{quantity.item}'{nearest(str(quantity.item), names)}"
            )
        return names.index(quantity.item) + (1 if items == "bodies" else 0)

    def _view(self, table: str, array: str, place: int, component: str | None, world: int) -> tuple[Any, int]:
        """The memory of one item, and the place of the component in it."""
        host = self._host(table, array)
        if host.ndim == 1:  # the same in all worlds
            return memoryview(host[place : place + 1]), 0
        row = host[place, world]
        if row.ndim == 0:
            return memoryview(host[place : place + 1, world]), 0
        return memoryview(row), (XYZ if len(row) == 3 else XYZW).index(str(component))

    def _host(self, table: str, array: str) -> Any:
        source = getattr(self._tables[table], array)
        if self._on_cpu:
            return source.numpy()
        if (table, array) not in self._mirrors:
            self._mirrors[table, array] = np.array(source.numpy())
        return self._mirrors[table, array]

    def _prepare(self) -> None:
        """Record the launch of the measuring kernel."""
        if self._measure is not None:
            return
        sim = self._simulation
        compiled = sim._compiled
        reading = allocate("reading", sim._precision, compiled.counts, sim.worlds, sim.device)
        centers = [None if body.properties is None else body.properties.center for body in sim.scene.bodies.values()]
        write(reading.center, np.array([np.zeros(3), *(np.zeros(3) if c is None else c for c in centers)]))
        turns = [compiled.twists.index(i) if i in compiled.twists else -1 for i in range(compiled.counts["coordinate"])]
        write(reading.turns, np.array(turns, np.int32))
        self._tables["reading"] = reading
        self._measure = load_warp().launch(
            measure_kernel(sim._precision),
            dim=sim.worlds,
            inputs=[sim.model, sim.state, reading],
            device=sim.device,
            record_cmd=True,
        )

    def _motor(self, quantity: Quantity, world: int) -> Reader:
        """Speed w = ratio times the rate; torque M_s (U - w/w_idle)."""
        motor = softs_of(self._simulation.scene)[self._place(quantity, "softs")].motor
        if motor is None:
            raise SceneError(f"there is no motor on '{quantity.item}'")
        rate = self.reader(Quantity("rate", quantity.item, ""), None, world)
        ratio, idle = motor.ratio, motor.idle_speed
        if quantity.variable == "motor_speed":
            return lambda: ratio * rate()
        voltage = self.reader(Quantity("voltage", quantity.item, "1"), None, world)
        stall = self.reader(Quantity("stall_torque", quantity.item, "N m"), None, world)  # a fault may have changed it
        return lambda: stall() * (voltage() - ratio * rate() / idle)

    def _slow(self, quantity: Quantity, component: str | None, world: int) -> Reader:
        """Any other quantity, by way of a recorded frame."""
        sim, several = self._simulation, self._simulation.worlds > 1
        part = quantity.components.index(str(component)) if quantity.components else None

        def read() -> float:
            values = sim.get(quantity)
            mine = values[world] if several else values
            return float(mine if part is None else mine[part])

        return read
