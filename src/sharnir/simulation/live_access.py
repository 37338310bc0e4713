"""Live access: single numbers of a running simulation, read and written in well under a microsecond.

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

from ..device import Launch, Table, load_warp
from ..dynamics.compiled import ask
from ..errors import SceneError, nearest
from ..model.fields import allocate, write
from ..model.layout import Layout
from ..model.softs import softs_of
from ..quantities.registry import definition_of, those
from ..quantities.setting import gears_in_use, static_share
from ..scene.couplings import Gearbox
from ..scene.elements.drive import DcDrive
from ..scene.quantity import XYZ, XYZW, Quantity, declared
from ..scene.scene import Scene
from ..spatial import Array
from .world_parts import WorldPart

if TYPE_CHECKING:
    from .simulation import Simulation

Reader = Callable[[], Any]
Writer = Callable[[float], None]

MOTOR = ("motor_speed", "motor_torque", "drive_effort")  # followed quickly, though no array holds them
LIVE_OF_MOTORS = ("rate", "voltage", "stall_torque")


class Attached(Protocol):
    """What runs along with a simulation: a controller, a board of faults."""

    rank: int  # those with a lower rank act first
    world: int  # the one it belongs to

    def tick(self) -> int:
        """Act before a step; returns the number of steps until it wants to act again."""
        ...

    def snapshot(self) -> object: ...
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
        self._tables: dict[str, Table] = dict(simulation._tables)
        self._on_cpu = simulation.device == "cpu"
        self._reading: Table | None = None
        self._measure: list[Launch] = []
        self._mirrors: dict[tuple[str, str], Array] = {}  # of arrays on a GPU
        self._written: set[tuple[str, str]] = set()

    def refresh(self) -> None:
        """Measure what was asked for, as it is now."""
        for launch in self._measure:
            launch.launch()
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
        definition = definition_of(quantity)
        if quantity.variable in MOTOR:
            return self._motor(quantity, world)
        if definition.live is None:
            return self._slow(quantity, component, world)
        table, array = definition.live
        if table == "reading":
            self._prepare()
        row = definition.row(definition.place(self._layout, quantity.item))
        if len(self._host(table, array)) == 0:  # the kernel was made without it: no joint locks a rotation
            return lambda: 0.0
        view, i = self._view(table, array, row, component, world)
        if quantity.variable == "stuck":
            return lambda: view[i] != 0
        return partial(getitem, view, i)

    def rows(self, quantity: Quantity) -> Reader:
        """A function that gives a quantity in all worlds, [world] or [world, component], as at the last ``refresh``."""
        definition = definition_of(quantity)
        if definition.live is None:
            worlds = self._simulation.worlds
            return lambda: np.reshape(self._simulation.get(quantity), (worlds, *([-1] if quantity.components else [])))
        table, array = definition.live
        if table == "reading":
            self._prepare()
        row = definition.row(definition.place(self._layout, quantity.item))
        if len(self._host(table, array)) == 0:
            none = np.zeros((self._simulation.worlds, *([len(quantity.components)] if quantity.components else [])))
            return lambda: none
        return lambda: self._host(table, array)[row]

    def writer(self, quantity: Quantity, component: str | None = None, world: int = 0) -> Writer:
        """A function that sets a number of one world; it holds after the next ``flush``."""
        definition = definition_of(quantity)
        if quantity.variable == "gear":
            return self._shifter(quantity, world)
        if definition.sent is None:
            known = those(lambda other: other.sent)
            raise SceneError(f"'{quantity.label}' cannot be set while running{nearest(quantity.variable, known)}")
        table, array = definition.sent
        place = definition.place(self._layout, quantity.item)
        view, i = self._view(table, array, definition.row(place), component, world)
        self._written.add((table, array))
        if quantity.variable != "friction_level":
            return partial(view.__setitem__, i)
        self._written.add((table, "static_level"))
        static, _ = self._view(table, "static_level", place, None, world)
        share = static_share(self._simulation._compiled, place)

        def set_level(level: float) -> None:
            view[i], static[0] = level, level * share

        return set_level

    def _shifter(self, quantity: Quantity, world: int) -> Writer:
        """What changes the gear of a gearbox, where it is to be another one than it is in."""
        sim, place = self._simulation, declared("gear").place(self._layout, quantity.item)
        coupling = sim._scene.couplings[str(quantity.item)]
        second = self._layout.terms.index(f"{coupling.name}.{coupling.labels[0]}") + 1
        box = coupling.type
        if not isinstance(box, Gearbox):
            raise SceneError(f"{coupling!r} has one ratio for good and no gear to set; give it Gearbox(ratios)")

        def shift(gear: float) -> None:
            factor, gap = sim.model.term_factor.numpy()[second], sim.model.coupling_gap.numpy()[place]
            gears = gears_in_use(box, factor, gap)
            if gears[world] != round(gear):
                gears[world] = round(gear)
                sim.set(quantity, gears)

        return shift

    def _view(self, table: str, array: str, place: int, component: str | None, world: int) -> tuple[Any, int]:
        """The memory of one item, and the place of the component in it."""
        host = self._host(table, array)
        if host.ndim == 1:  # the same in all worlds
            return host[place : place + 1].data, 0
        row = host[place, world]
        if row.ndim == 0:
            return host[place : place + 1, world].data, 0
        return row.data, (XYZ if len(row) == 3 else XYZW).index(str(component))

    def _host(self, table: str, array: str) -> Array:
        source = getattr(self._tables[table], array)
        if self._on_cpu:
            return source.numpy()
        if (table, array) not in self._mirrors:
            self._mirrors[table, array] = np.array(source.numpy())
        return self._mirrors[table, array]

    def _prepare(self) -> None:
        """Measure coordinates, rates and body frames at every refresh from now on."""
        if self._reading is None:
            sim, compiled = self._simulation, self._simulation._compiled
            self._reading = allocate("reading", sim._precision, compiled.counts, sim.worlds, sim.device)
            indices = range(compiled.counts["coordinate"])
            turns = [compiled.twists.index(i) if i in compiled.twists else -1 for i in indices]
            write(self._reading.turns, np.array(turns, np.int32))
            self._tables["reading"] = self._reading
            self.use(sim.parts)

    def use(self, parts: tuple[WorldPart, ...]) -> None:
        """Measure with the models and centres of mass of these parts of the worlds from now on; none: one for all."""
        reading, sim = self._reading, self._simulation
        if reading is None:
            return
        p = sim._precision
        write(reading.center, _centers(sim.scene))
        cuts = [(sim.worlds, sim.model, sim.state, reading)]
        if parts:
            cuts = [(x.count, x.own_model(p), x.cut("state", sim.state, p), self._own(x, reading)) for x in parts]
        kernel = ask("measure", p, sim._compiled.features, sim.device).get()
        record = partial(load_warp().launch, kernel, device=sim.device, record_cmd=True)
        self._measure = [record(dim=count, inputs=tables) for count, *tables in cuts]

    def _own(self, part: WorldPart, reading: Table) -> Table:
        cut = part.cut("reading", reading, self._simulation._precision)
        center = load_warp().zeros_like(reading.center)
        write(center, _centers(part.scene))
        setattr(cut, "center", center)  # noqa: B010 - a field of the struct
        return cut

    def _motor(self, quantity: Quantity, world: int) -> Reader:
        """Speed, torque and effort of a motor, from the numbers they follow from."""
        place = declared(quantity.variable).place(self._layout, quantity.item)
        if softs_of(self._simulation.scene)[place].motor is None:
            raise SceneError(f"there is no motor on '{quantity.item}'")
        motors: dict[int, DcDrive | None] = {}  # by the scene of the world, which may change

        def motor() -> DcDrive:
            scene = self._simulation.scene_of(world)
            if id(scene) not in motors:
                motors[id(scene)] = softs_of(scene)[place].motor
            found = motors[id(scene)]
            assert found is not None  # as in the scene that was compiled
            return found

        read = {name: self.reader(declared(name).address(quantity.item), None, world) for name in LIVE_OF_MOTORS}
        rate, voltage, stall = (read[name] for name in LIVE_OF_MOTORS)
        if quantity.variable == "motor_speed":
            return lambda: motor().ratio * rate()
        is_effort = quantity.variable == "drive_effort"

        def torque() -> float:
            found = motor()
            scale = found.ratio if is_effort else 1.0
            return scale * found.torque_at(stall(), voltage(), found.ratio * rate())

        return torque

    def _slow(self, quantity: Quantity, component: str | None, world: int) -> Reader:
        """All other quantities, by way of a recorded frame."""
        sim, several = self._simulation, self._simulation.worlds > 1
        part = quantity.components.index(str(component)) if quantity.components else None

        def read() -> float:
            values = sim.get(quantity)
            mine = values[world] if several else values
            return float(mine if part is None else mine[part])

        return read


def _centers(scene: Scene) -> Array:
    """Of mass, of the ground and all bodies, each in its frame."""
    return np.array([body.center for body in (scene.world, *scene.bodies.values())])
