"""How quantities are set in a running simulation, for all worlds or one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import spatial
from ..device import Table
from ..errors import SceneError, nearest
from ..model.compile import Compiled, mass_fields
from ..model.fields import checked_values, read, write, write_row
from ..model.layout import coordinates_of
from ..scene import joint_coordinates
from ..scene.couplings import NEUTRAL, Gearbox
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..spatial import Array

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


@dataclass(frozen=True)
class Access:
    """A simulation, its arrays by table, and the quantity that is being set in them."""

    simulation: Simulation
    quantity: Quantity

    @property
    def scene(self) -> Scene:
        """The scene as it was compiled."""
        return self.simulation._scene

    @property
    def compiled(self) -> Compiled:
        """What the scene was compiled to."""
        return self.simulation._compiled

    @property
    def tables(self) -> dict[str, Table]:
        """The arrays on the device."""
        return self.simulation._tables

    def write(self, table: str, array: str, row: int, values: ArrayLike) -> None:
        """Copy values into a row of an array."""
        write_row(getattr(self.tables[table], array), row, values)

    def read(self, table: str, array: str) -> Array:
        """A copy of an array."""
        return np.asarray(read(getattr(self.tables[table], array)))


def set_quantity(simulation: Simulation, quantity: Quantity, values: ArrayLike) -> None:
    """Write values (one, or a row per world) of a quantity into the arrays that hold it."""
    from .registry import definition_of, those

    definition = definition_of(quantity, "set: ")
    if definition.set is None:
        known = those(lambda other: other.set)
        raise SceneError(f"'{quantity.label}' cannot be set{nearest(quantity.variable, known)}")
    place = definition.place(simulation._layout, quantity.item)
    given = checked_values(f"'{quantity.label}'", values, quantity.components, simulation.worlds)
    definition.set(Access(simulation, quantity), place, given)


def plain(to: Access, place: int, values: Array) -> None:
    """An input of the step, kept in the array of its name."""
    to.write("control", to.quantity.variable, place, values)


def coordinate(to: Access, _: int, values: Array) -> None:
    """What hangs on the joint moves along."""
    to.simulation.pose({to.quantity: values})


def rate(to: Access, _: int, values: Array) -> None:
    """All velocities agree with the joints."""
    to.simulation.pose({}, {to.quantity: values})


def motion(to: Access, place: int, values: Array) -> None:
    """Where a prescribed coordinate is to be by the end of the next step; the control has it from its start on."""
    to.write("control", "coupling_target", place, values - to.read("model", "coupling_offset")[place])


def gears_in_use(box: Gearbox, factor: Array, gap: Array) -> Array:
    """The gears of a gearbox, from the factor of its second coordinate and its play."""
    ratios = np.array(box.ratios)
    found = np.argmin(np.abs(np.asarray(factor)[..., None] + ratios), axis=-1) + 1.0
    return np.where(np.asarray(gap) >= NEUTRAL, 0.0, found)


def gear(to: Access, place: int, values: Array) -> None:
    """The gear that comes in meshes as both sides stand: what the coupling keeps is what its new sum is now."""
    sim, name = to.simulation, str(to.quantity.item)
    coupling, second = to.scene.couplings[name], to.compiled.model["coupling_start"][place] + 1
    box = coupling.type
    assert isinstance(box, Gearbox)  # has the quantity
    model, memory = to.tables["model"], to.tables["memory"]
    factor, offset, gap = (read(array) for array in (model.term_factor, model.coupling_offset, model.coupling_gap))
    in_use = gears_in_use(box, factor[second], gap[place])
    sides = [np.broadcast_to(sim.get(joint.coordinate(free.name)), sim.worlds) for joint, free in coupling.terms]
    impulse, flank = read(memory.coupling_impulse), read(memory.coupling_side)
    for world, value in enumerate(np.broadcast_to(values, sim.worlds)):
        wanted = box.checked_gear(float(value), f"the gear of '{name}'")
        if wanted != in_use[world]:
            if wanted:
                factor[second, world] = -box.ratio(wanted)
                offset[place, world] = sides[0][world] + factor[second, world] * sides[1][world]
            gap[place, world] = coupling.gap_in(wanted)
            impulse[place, world], flank[place, world] = 0.0, 0
    for array, row in ((model.term_factor, factor), (model.coupling_offset, offset), (model.coupling_gap, gap)):
        write(array, row)
    write(memory.coupling_impulse, impulse)
    write(memory.coupling_side, flank)


def first_gears(simulation: Simulation, mask: Array) -> None:
    """Gearboxes of the worlds of a mask in the gears that they start in, meshed as the scene starts."""
    model, layout = simulation.model, simulation._layout
    for place, coupling in enumerate(simulation._scene.couplings.values()):
        if isinstance(coupling.type, Gearbox):
            second = layout.terms.index(f"{coupling.name}.{coupling.labels[0]}") + 1
            for world in np.flatnonzero(mask).tolist():
                own = simulation.scene_of(world).couplings[coupling.name]
                only = np.arange(len(mask)) == world
                for array, row, value in (
                    (model.term_factor, second, own.factors[1]),
                    (model.coupling_offset, place, own.offset),
                    (model.coupling_gap, place, own.gap),
                ):
                    write_row(array, row, np.where(only, value, read(array)[row]))


def shift(to: Access, place: int, values: Array) -> None:
    """Where a body that is moved is to be by the end of the next step."""
    to.write("control", "mover_shift", place, values)


def turn(to: Access, place: int, values: Array) -> None:
    """How it is to be turned by then."""
    to.write("control", "mover_turn", place, values)


def drive(to: Access, place: int, values: Array) -> None:
    """The voltage of a drive, or the target of a servo."""
    to.write("control", "drive_input", place, values)


def gravity(to: Access, _: int, values: Array) -> None:
    """Gravity is one vector per world."""
    write(to.tables["model"].gravity, values)


def mass(to: Access, place: int, values: Array) -> None:
    """A body's inertia scales with its mass."""
    i, compiled, model = place + 1, to.compiled, to.tables["model"]
    if (values <= 0).any() or compiled.model["inv_mass"][i, 0] == 0:
        raise SceneError(
            f"mass of body '{to.quantity.item}' is set to {values}; it must be above zero, and the body not fixed"
        )
    start = 1.0 / compiled.model["inv_mass"][i, 0]
    worlds = model.inv_mass.shape[1]
    masses = np.broadcast_to(values, worlds).reshape(1, worlds)
    tensors = compiled.model["inertia"][i, 0] * (masses / start)[..., None, None]
    for field, row in mass_fields(masses, tensors).items():
        to.write("model", field, i, row[0])


def limit(to: Access, place: int, values: Array) -> None:
    """The lower limit stays below the upper one."""
    side, label = to.quantity.variable, to.quantity.item
    bounds = {name: to.read("model", name)[place] for name in ("lower", "upper")} | {side: values}
    if (bounds["lower"] > bounds["upper"]).any():
        raise SceneError(f"the {side} limit of '{label}' is set to {values}: the lower one is above the upper")
    to.write("model", side, place, values)


def static_share(compiled: Compiled, place: int) -> float:
    """The static friction level over the dynamic one, which is kept when the level is set."""
    dynamic, static = compiled.model["dynamic_level"][place][0], compiled.model["static_level"][place][0]
    return float(static / dynamic) if dynamic > 0 else 1.0


def friction_level(to: Access, place: int, values: Array) -> None:
    """The static level scales with the dynamic one."""
    if (values < 0).any():
        raise SceneError(f"friction of '{to.quantity.item}' is set to {values}; it must not be negative")
    to.write("model", "dynamic_level", place, values)
    to.write("model", "static_level", place, values * static_share(to.compiled, place))


# --- bodies: their quantities are of their frames, the state holds the centre of mass ---------------------------------


def position(to: Access, place: int, values: Array) -> None:
    """The centre of mass goes along."""
    to.write("state", "position", place + 1, values + _arm(to, place))
    _moved(to)


def rotation(to: Access, place: int, values: Array) -> None:
    """The origin of the body's frame stays where it is."""
    norm = np.linalg.norm(values, axis=-1, keepdims=True)
    if (np.abs(norm - 1) > 1e-3).any():
        raise SceneError(
            f"rotation of body '{to.quantity.item}' is set to {values}; give unit quaternions (x, y, z, w)"
        )
    origin = to.read("state", "position")[place + 1] - _arm(to, place)
    to.write("state", "rotation", place + 1, values / norm)
    to.write("state", "position", place + 1, origin + _arm(to, place))
    _moved(to)


def velocity(to: Access, place: int, values: Array) -> None:
    """The angular velocity stays as it is."""
    spin = to.read("state", "spin")[place + 1]
    to.write("state", "velocity", place + 1, values + np.cross(spin, _arm(to, place)))
    _start_anew(to)


def angular_velocity(to: Access, place: int, values: Array) -> None:
    """The velocity of the origin stays as it is."""
    arm, i = _arm(to, place), place + 1
    origin = to.read("state", "velocity")[i] - np.cross(to.read("state", "spin")[i], arm)
    to.write("state", "spin", i, values)
    to.write("state", "velocity", i, origin + np.cross(to.read("state", "spin")[i], arm))
    _start_anew(to)


def _arm(to: Access, place: int) -> Array:
    """From the origin of the body's frame to its centre of mass, world axes."""
    name, scenes = to.compiled.layout.bodies[place], to.simulation._varied.scenes or (to.scene,)
    center = np.array([scene.bodies[name].center for scene in scenes])
    return spatial.rotate(to.read("state", "rotation")[place + 1], center)


def _start_anew(to: Access) -> None:
    """Let the next step start from the velocities of the state, not from those in the middle of the last step."""
    memory = to.tables["memory"]
    write(memory.kick, -np.abs(read(memory.kick)))
    write(memory.was_smooth, np.zeros_like(read(memory.was_smooth)))


def _moved(to: Access) -> None:
    """After a body was moved by hand, its joints' twists are those within one turn."""
    scenes = to.simulation._varied.scenes or (to.scene,)
    places = ["world", *to.scene.bodies]
    position, rotation = to.read("state", "position"), to.read("state", "rotation")
    all_rows = [coordinates_of(scene) for scene in scenes]
    for k, i in enumerate(to.compiled.twists):
        joints = [rows[i][1] for rows in all_rows]
        found, frames = all_rows[0][i][2], []
        for sides in ([(j.a, j.frame_a) for j in joints], [(j.b, j.frame_b) for j in joints]):
            n = places.index(sides[0][0].name)
            centers = np.array([body.center for body, _ in sides])
            pose = spatial.Pose(position[n] - spatial.rotate(rotation[n], centers), rotation[n])
            own = (np.array([frame.position for _, frame in sides]), np.array([frame.rotation for _, frame in sides]))
            frames.append(pose @ spatial.Pose(*own))
        to.write("state", "twist", k, joint_coordinates.coordinate(found.kind, frames[0], frames[1]))
    _start_anew(to)
