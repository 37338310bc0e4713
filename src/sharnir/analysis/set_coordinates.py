"""Coordinates and rates that are set: bodies of a simulation, or of a scene at its start, posed by their joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..errors import SceneError, nearest
from ..model.fields import checked_values, read, write
from ..reference.mechanism import quaternions
from ..scene.joint import Joint
from ..scene.joint_coordinates import start_value
from ..scene.joints import Frame
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import shown
from ..spatial import Array, matrix, rotate
from .freedoms import FreedomRows
from .machine import Bodies, Machine, rows_of
from .matrices import refuse_shifted
from .passive import bodies_of, controls_of, coordinates_at
from .posing import followed, with_rates

if TYPE_CHECKING:
    from xarray import DataArray

    from ..simulation.mechanics import ByCoordinate
    from ..simulation.simulation import Simulation

TURN = 2.0 * np.pi
REACHED = 1e-6  # rad or m that a coordinate may be off which others determine


def pose_simulation(
    sim: Simulation, values: ByCoordinate | DataArray, speeds: ByCoordinate | None, worlds: Array
) -> None:
    """Bring coordinates to values (rad, m) and rates to speeds (rad/s, m/s) in the worlds that a mask names."""
    known = sim._layout.coordinates
    wanted = _given("pose", values, known, sim.worlds, "coordinate")
    rates = _given("pose", speeds, known, sim.worlds, "rate")
    chosen = np.flatnonzero(worlds).tolist()
    if not chosen or not (wanted or rates):
        return
    _check_limits(sim, wanted, chosen)
    refuse_shifted(sim)
    if any(read(array).any() for array in (sim.control.mover_shift, sim.control.mover_turn)):
        raise SceneError(
            f"pose: '{sim._layout.movers[0]}' has moved its body away from where it started; pose before it moves"
        )
    for part in sim._matrices(tuple(dict.fromkeys((*wanted, *rates)))).parts:
        if mine := [world for world in chosen if world in part.worlds]:
            _pose_alike(sim, part.machine, wanted, rates, mine)


def _pose_alike(
    sim: Simulation, machine: Machine, wanted: Mapping[str, Array], rates: Mapping[str, Array], chosen: list[int]
) -> None:
    """The same for worlds of which all numbers are alike."""
    bodies = rows_of(bodies_of(sim, machine.rows), chosen)
    turns = controls_of(sim, machine.rows).turns[chosen]
    given = {label: row[chosen] for label, row in wanted.items()}
    bodies, turns = posed(machine, bodies, turns, given, {label: row[chosen] for label, row in rates.items()})
    _write(sim, machine, bodies, turns, given, chosen)


def _check_limits(sim: Simulation, wanted: Mapping[str, Array], chosen: list[int]) -> None:
    limits = sim._layout.limits
    for label, row in wanted.items():
        if label in limits:
            low, high = (read(side)[limits.index(label)][chosen] for side in (sim.model.lower, sim.model.upper))
            value = row[chosen]
            if ((value < low - REACHED) | (value > high + REACHED)).any():
                raise SceneError(
                    f"pose: '{label}' is given {shown(_first(value))}, its limits are {_first(low):.6g} and "
                    f"{_first(high):.6g}; give a value between them"
                )


def posed(
    machine: Machine, bodies: Bodies, turns: Array, wanted: Mapping[str, Array], rates: Mapping[str, Array]
) -> tuple[Bodies, Array]:
    """The bodies with coordinates and rates as they are wanted, [world] each, and their turns counted anew."""
    labels = machine.rows.labels
    if wanted:
        now = coordinates_at(machine.rows, machine.motion(bodies), turns)
        change = np.zeros((len(bodies.x), len(machine.labels)))
        geared = {one for coupling in machine.rows.couplings for one in coupling.labels}
        for label, row in wanted.items():
            if label in machine.labels:
                far = row - now[:, labels.index(label)]
                whole = label in geared  # whole turns move what is geared to it
                change[:, machine.labels.index(label)] = far if whole else _apart(machine.rows, label, far)
        bodies, went = followed(machine, bodies, change)
        turns = turns + went
        _check_reached(machine, bodies, turns, wanted)
    if rates:
        speeds = machine.rates(bodies)
        for label, row in rates.items():
            if label in machine.labels:
                speeds[:, machine.labels.index(label)] = row
        bodies = with_rates(machine, bodies, speeds)
        _check_speeds(machine, bodies, rates)
    return bodies, turns


def _apart(rows: FreedomRows, label: str, difference: Array) -> Array:
    """A difference of coordinates; of angles, within half a turn: whole turns move nothing."""
    is_linear = rows.kinds[rows.labels.index(label)][1].is_linear
    return difference if is_linear else np.asarray(difference - TURN * np.round(difference / TURN))


def _check_reached(machine: Machine, bodies: Bodies, turns: Array, wanted: Mapping[str, Array]) -> None:
    now = coordinates_at(machine.rows, machine.motion(bodies), turns)
    for label, row in wanted.items():
        found = now[:, machine.rows.labels.index(label)]
        if np.max(np.abs(_apart(machine.rows, label, found - row))) > REACHED:
            raise SceneError(
                f"pose: '{label}' cannot be {shown(_first(row))} with the other coordinates that were given: the loop "
                f"it is in puts it at {_first(found):.6g}; leave one of them out"
            )


def _check_speeds(machine: Machine, bodies: Bodies, rates: Mapping[str, Array]) -> None:
    found = machine.motion(bodies).rate
    for label, row in rates.items():
        here = found[:, machine.rows.coordinate_rows[machine.rows.labels.index(label)]]
        if np.max(np.abs(here - row)) > REACHED * (1.0 + np.max(np.abs(row))):
            raise SceneError(
                f"pose: the rate of '{label}' cannot be {_first(row):.6g} with the others that were given: the loop it "
                f"is in makes it {_first(here):.6g}; leave one of them out"
            )


def _first(row: Array) -> float:
    return float(np.ravel(row)[0])


def _given(what: str, values: Any, known: Iterable[str], worlds: int, variable: str) -> dict[str, Array]:
    """Coordinates by label, a row over the worlds each: from a dictionary, or from what inverse kinematics returned."""
    if values is None:
        return {}
    names = tuple(known)
    if not isinstance(values, Mapping) and hasattr(values, "freedom"):
        labels = [str(label) for label in values.freedom.values]
        rows = np.asarray(values.values, float).reshape(-1, len(labels))
        values = {label: rows[:, i] if len(rows) > 1 else float(rows[0, i]) for i, label in enumerate(labels)}
    if not isinstance(values, Mapping):
        raise SceneError(f"{what}: {shown(values)} is no posture; give a dictionary such as {{hinge: 0.3}}")
    found = {}
    for key, value in values.items():
        label = key.coordinate().item if isinstance(key, Joint) else key
        if isinstance(label, Quantity) and label.variable in ("coordinate", variable):
            label = label.item
        if label not in names:
            raise SceneError(f"{what}: {shown(key)} is no coordinate of a joint{nearest(str(label), names)}")
        row = checked_values(f"{what}: '{label}'", value, (), worlds)
        found[str(label)] = np.array(np.broadcast_to(row, worlds), float)
    return found


def _write(
    sim: Simulation, machine: Machine, bodies: Bodies, turns: Array, wanted: Mapping[str, Array], chosen: list[int]
) -> None:
    """Poses and velocities into the state of some worlds, whose next step starts from them."""
    places = [sim._layout.bodies.index(body.name) + 1 for body in machine.mechanism.bodies]
    flat = bodies.rotation.reshape(-1, 3, 3)
    rotation = quaternions(flat).reshape(*bodies.rotation.shape[:2], 4)
    values = coordinates_at(machine.rows, machine.motion(bodies), turns)
    for label, row in wanted.items():
        values[:, machine.rows.labels.index(label)] = row  # as it was given, turns and all
    state = {"velocity": bodies.v, "spin": bodies.w}
    if wanted:
        state |= {"position": bodies.x, "rotation": rotation}
    for name, rows in state.items():
        array = read(getattr(sim.state, name))
        array[np.ix_(places, chosen)] = np.swapaxes(rows, 0, 1)
        write(getattr(sim.state, name), array)
    if wanted and sim._compiled.twists:
        array = read(sim.state.twist)
        array[np.ix_(range(len(sim._compiled.twists)), chosen)] = values[:, list(sim._compiled.twists)].T
        write(sim.state.twist, array)
    kick = read(sim.memory.kick)  # the next step starts from the velocities of the state
    kick[chosen] = -np.abs(kick[chosen])
    write(sim.memory.kick, kick)


def pose_scene(scene: Scene, values: ByCoordinate, speeds: ByCoordinate | None) -> None:
    """Let the bodies of a scene start where coordinates have values (rad, m) and rates speeds (rad/s, m/s)."""
    known = [f"{joint.name}.{free.name}" for joint in scene.joints.values() for free in joint.type.coordinates]
    wanted = _given("pose", values, known, 1, "coordinate")
    rates = _given("pose", speeds, known, 1, "rate")
    if not wanted and not rates:
        return
    machine = Machine(scene, tuple(dict.fromkeys((*wanted, *rates))))
    turns = np.full((1, len(known)), np.nan)
    counted = [(joint, free) for joint in scene.joints.values() for free in joint.type.coordinates]
    for i, (joint, free) in enumerate(counted):
        if free.kind.is_turn:
            turns[0, i] = start_value(joint, free)
    bodies, turns = posed(machine, _at_start(machine), turns, wanted, rates)
    center = rotate(quaternions(bodies.rotation[0]), machine.mechanism.center)
    for i, body in enumerate(machine.mechanism.bodies):
        spin = bodies.w[0, i]
        body.spec = msgspec.structs.replace(
            body.spec,
            position=tuple((bodies.x[0, i] - center[i]).tolist()),
            rotation=tuple(quaternions(bodies.rotation[0, i : i + 1])[0].tolist()),
            velocity=tuple((bodies.v[0, i] - np.cross(spin, center[i])).tolist()),
            angular_velocity=tuple(spin.tolist()),
        )
    for joint in scene.joints.values():
        frames = joint.type.frame_a or Frame.at(joint.frame_a), joint.type.frame_b or Frame.at(joint.frame_b)
        described = joint.type.on_bodies(*frames, joint.length)
        label = f"{joint.name}.angle"
        if label in known and hasattr(described, "drawn_at"):
            angle = wanted[label][0] if label in wanted else turns[0, known.index(label)]
            described = msgspec.structs.replace(described, drawn_at=float(angle))
        joint.describe(msgspec.structs.replace(joint.spec, joint=described))


def _at_start(machine: Machine) -> Bodies:
    """The moving bodies of a scene where they start, [1, body, ...]."""
    bodies = machine.mechanism.bodies
    rotation = matrix(np.array([body.pose.rotation for body in bodies]))
    arm = (rotation @ machine.mechanism.center[..., None])[..., 0]
    spin = np.array([body.spec.angular_velocity for body in bodies])
    velocity = np.array([body.spec.velocity for body in bodies]) + np.cross(spin, arm)
    center = np.array([body.pose.position for body in bodies]) + arm
    return Bodies(
        center[None],
        rotation[None],
        velocity[None],
        spin[None],
        machine.mechanism.mass[None],
        machine.mechanism.inertia[None],
        np.array([machine.scene.gravity]),
    )
