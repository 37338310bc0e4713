"""Setting quantities of a running simulation, for all worlds or one by one, and reading its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import spatial
from .errors import SceneError, nearest
from .model.compile import Compiled, mass_fields
from .model.fields import checked_values, read, write, write_row
from .model.layout import coordinates_of
from .scene.measure import coordinate
from .scene.quantity import Quantity
from .scene.scene import Scene
from .scene.values import shown

SETTABLE = (
    "mass",
    "friction_level",
    "lower",
    "upper",
    "gravity",
    "effort",
    "voltage",
    "target",
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
)


PARAMETERS = ("mass", "friction_level", "lower", "upper", "gravity", "target")  # what no recorded frame holds


def parameter(compiled: Compiled, tables: dict[str, Any], quantity: Quantity) -> Any:
    """A parameter as it is now, one row per world."""
    variable, layout, model = quantity.variable, compiled.layout, tables["model"]
    if variable == "gravity":
        return read(model.gravity)
    if variable == "mass":
        with np.errstate(divide="ignore"):  # of a fixed body: inf
            return 1.0 / read(model.inv_mass)[_place(quantity, layout.bodies) + 1]
    if variable == "target":
        return read(tables["control"].drive_input)[_place(quantity, layout.softs)]
    if variable == "friction_level":
        return read(model.dynamic_level)[_place(quantity, layout.frictions)]
    return read(getattr(model, variable))[_place(quantity, layout.limits)]


def _place(quantity: Quantity, names: Sequence[str]) -> int:
    if quantity.item not in names:
        raise SceneError(f"there is no {quantity.variable} of '{quantity.item}'{nearest(str(quantity.item), names)}")
    return names.index(quantity.item)


def set_quantity(scene: Scene, compiled: Compiled, tables: dict[str, Any], quantity: Quantity, values: Any) -> None:
    """Write values (one, or a row per world) of a quantity into the arrays that hold it."""
    if not isinstance(quantity, Quantity):
        raise SceneError(f"set: {shown(quantity)} is not a quantity; give one such as body.mass or joint.upper()")
    variable, layout = quantity.variable, compiled.layout
    if variable not in SETTABLE:
        raise SceneError(f"'{quantity.label}' cannot be set{nearest(variable, SETTABLE)}")
    worlds = tables["state"].position.shape[1]
    given = checked_values(f"'{quantity.label}'", values, quantity.components, worlds)
    if variable == "mass":
        _set_mass(compiled, tables["model"], _place(quantity, layout.bodies), given)
    elif variable == "gravity":
        write(tables["model"].gravity, given)
    elif variable in ("lower", "upper"):
        _set_bound(compiled, tables["model"], variable, quantity.item, given)
    elif variable == "friction_level":
        _set_friction(compiled, tables["model"], _place(quantity, layout.frictions), given)
    elif variable == "effort":
        write_row(tables["control"].effort, _place(quantity, layout.coordinates), given)
    elif variable in ("voltage", "target"):
        write_row(tables["control"].drive_input, _place(quantity, layout.softs), given)
    else:
        _set_body(scene, compiled, tables["state"], variable, _place(quantity, layout.bodies), given)
        _start_anew(tables["memory"])


def _start_anew(memory: Any) -> None:
    """Let the next step start from the velocities of the state, not from those in the middle of the last step."""
    write(memory.kick, -np.abs(read(memory.kick)))


def _set_mass(compiled: Compiled, model: Any, place: int, mass: Any) -> None:
    i, name = place + 1, compiled.layout.bodies[place]
    if (mass <= 0).any() or compiled.model["inv_mass"][i, 0] == 0:
        raise SceneError(f"mass of body '{name}' is set to {mass}; it must be above zero, and the body not fixed")
    start = 1.0 / compiled.model["inv_mass"][i, 0]
    worlds = model.inv_mass.shape[1]
    masses = np.broadcast_to(mass, worlds).reshape(1, worlds)
    tensors = compiled.model["inertia"][i, 0] * (masses / start)[..., None, None]
    for field, row in mass_fields(masses, tensors).items():
        write_row(getattr(model, field), i, row[0])


def _set_bound(compiled: Compiled, model: Any, side: str, label: str | None, value: Any) -> None:
    if label not in compiled.layout.limits:
        raise SceneError(
            f"'{label}' has no limits in the scene{nearest(str(label), compiled.layout.limits)}; add them there"
        )
    i = compiled.layout.limits.index(label)
    bounds = {"lower": read(model.lower)[i], "upper": read(model.upper)[i], side: value}
    if (bounds["lower"] > bounds["upper"]).any():
        raise SceneError(f"the {side} limit of '{label}' is set to {value}: the lower one is above the upper")
    write_row(getattr(model, side), i, value)


def _set_friction(compiled: Compiled, model: Any, i: int, level: Any) -> None:
    if (level < 0).any():
        raise SceneError(f"friction of '{compiled.layout.frictions[i]}' is set to {level}; it must not be negative")
    dynamic, static = compiled.model["dynamic_level"][i][0], compiled.model["static_level"][i][0]
    write_row(model.dynamic_level, i, level)
    write_row(model.static_level, i, level * (static / dynamic if dynamic > 0 else 1.0))


def _set_body(scene: Scene, compiled: Compiled, state: Any, variable: str, place: int, values: Any) -> None:
    """Body quantities are of the body's frame; the state holds the centre of mass."""
    i, name = place + 1, compiled.layout.bodies[place]
    body = scene.bodies[name]
    center = np.zeros(3) if body.properties is None else body.properties.center
    place, turn = read(state.position)[i], read(state.rotation)[i]
    arm = spatial.rotate(turn, center)
    if variable == "position":
        write_row(state.position, i, values + arm)
    elif variable == "rotation":
        norm = np.linalg.norm(values, axis=-1, keepdims=True)
        if (np.abs(norm - 1) > 1e-3).any():
            raise SceneError(f"rotation of body '{name}' is set to {values}; give unit quaternions (x, y, z, w)")
        write_row(state.rotation, i, values / norm)
        write_row(state.position, i, place - arm + spatial.rotate(values / norm, center))
    elif variable == "velocity":
        write_row(state.velocity, i, values + np.cross(read(state.spin)[i], arm))
    else:
        origin = read(state.velocity)[i] - np.cross(read(state.spin)[i], arm)
        write_row(state.spin, i, values)
        write_row(state.velocity, i, origin + np.cross(read(state.spin)[i], arm))
    if variable in ("position", "rotation"):
        _count_turns_anew(scene, compiled, state)


def _count_turns_anew(scene: Scene, compiled: Compiled, state: Any) -> None:
    """After a body was moved by hand, its joints' twists are those within one turn."""
    rows = coordinates_of(scene)
    places = ["world", *scene.bodies]
    position, rotation = read(state.position), read(state.rotation)
    for k, i in enumerate(compiled.twists):
        _, joint, found = rows[i]
        frames = []
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            n = places.index(body.name)
            center = np.zeros(3) if body.properties is None else body.properties.center
            pose = spatial.Pose(position[n] - spatial.rotate(rotation[n], center), rotation[n])
            frames.append(pose @ frame)
        write_row(state.twist, k, coordinate(found.kind, frames[0], frames[1]))
