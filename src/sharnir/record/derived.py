"""The quantities of frames as labelled arrays, each derived when it is first asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import xarray as xr

from ..errors import SimulationWarning
from ..files import scene_text
from ..model.catch_rows import catches_of
from ..model.layout import coordinates_of, friction_rows_of, readings_of
from ..model.softs import softs_of
from ..quantities import QUANTITIES, Definition, Frames, Worlds
from ..quantities.registry import OWNERS
from ..scene.scene import Scene
from ..scene.values import Plain

COMPONENT_AXIS = {3: "xyz", 4: "xyzw"}


class Derived:
    """All quantities of a scene over frames, and what was warned of."""

    def __init__(
        self, scene: Scene, frames: Frames, warnings: Sequence[SimulationWarning], kernels: str | None = None
    ) -> None:
        self._scene, self._frames, self._warnings = scene, frames, tuple(warnings)
        self._kernels = {} if kernels is None else {"kernels": kernels}
        self._variables: dict[str, xr.Variable] = {}

    @cached_property
    def _found(self) -> Worlds:
        return Worlds(self._scene, self._frames)

    @cached_property
    def _labels(self) -> dict[str, Sequence[str]]:
        return {owner: getattr(self._found.layout, field) for owner, field in OWNERS.items()}

    @cached_property
    def names(self) -> list[str]:
        """The quantities that the scene has."""
        return [name for name, one in QUANTITIES.items() if one.owner is None or self._labels[one.owner]]

    def variable(self, name: str) -> xr.Variable:
        """A quantity of all its items."""
        if name not in self._variables:
            with np.errstate(all="ignore"):  # a world that a fault has stopped may hold no numbers
                self._variables[name] = _variable(QUANTITIES[name], self._found, self._frames.shape[1] > 1)
        return self._variables[name]

    def __getitem__(self, name: str) -> xr.DataArray:
        """The same with its labels."""
        variable = self.variable(name)
        coords = {key: value for key, value in self._coords.items() if set(_dims(key, value)) <= set(variable.dims)}
        return xr.DataArray(variable, coords, name=name)

    @cached_property
    def _coords(self) -> Plain:
        coords: Plain = {"time": ("time", self._frames.time, {"units": "s", "long_name": "time"})}
        coords |= {axis: list(labels) for axis, labels in self._labels.items() if labels}
        coords |= _item_units(self._scene) | {"xyz": list("xyz"), "xyzw": list("xyzw")}
        if self._frames.shape[1] > 1:
            coords["world"] = np.arange(self._frames.shape[1])
        return coords

    @cached_property
    def dataset(self) -> xr.Dataset:
        """All of them together."""
        warned = {"warnings": json.dumps([warning.args for warning in self._warnings])}
        variables = {name: self.variable(name) for name in self.names}
        return xr.Dataset(
            variables, self._coords, attrs=_attributes(self._scene, self._frames) | warned | self._kernels
        )


def _dims(name: str, coordinate: object) -> tuple[str, ...]:
    """The axes that a coordinate runs over."""
    return (coordinate[0],) if isinstance(coordinate, tuple) else (name,)


def _variable(definition: Definition, found: Worlds, several: bool) -> xr.Variable:
    dims = ["time", "world"]
    if definition.owner is None:
        values = found.derive(definition, 0)
    else:
        count = len(definition.names(found.layout))
        values = np.stack([found.derive(definition, i) for i in range(count)], axis=1)
        dims.insert(1, definition.owner)
    if definition.components:
        dims.append(COMPONENT_AXIS[len(definition.components)])
    if not several:
        values = np.take(values, 0, axis=dims.index("world"))
        dims.remove("world")
    units = {"units": definition.unit} if isinstance(definition.unit, str) and definition.unit else {}
    return xr.Variable(dims, values, attrs={"long_name": definition.about} | units)


def _item_units(scene: Scene) -> dict[str, tuple[str, list[str]]]:
    """Units along the axes whose items differ; rates and efforts follow from the unit of the coordinate."""
    coordinates = coordinates_of(scene)
    limited = [found for _, joint, found in coordinates if found.name in joint.ranges]
    units = {
        "axis_unit": ("axis", [found.unit for _, _, found in coordinates]),
        "limit_unit": ("limit", ["N s" if found.kind.is_linear else "N m s" for found in limited]),
        "friction_unit": ("friction", [row.axes.unit for row in friction_rows_of(scene)]),
        "term_unit": ("term", [c.effort(k).unit for c in scene.couplings.values() for k in range(len(c.terms))]),
        "sensor_unit": ("sensor", [reading.unit for _, _, reading in readings_of(scene, "reading")]),
        "vector_sensor_unit": ("vector_sensor", [row[2].unit for row in readings_of(scene, "vector_reading")]),
        "actuator_unit": (
            "actuator",
            ["N" if row.linear else "N m" for row in softs_of(scene) if row.actuator is not None],
        ),
        "catch_unit": ("catch", ["N" if row.coordinate.kind.is_linear else "N m" for row in catches_of(scene)]),
        "soft_unit": ("soft", ["N" if row.linear else "N m" for row in softs_of(scene)]),
    }
    return {name: entry for name, entry in units.items() if entry[1]}


def _attributes(scene: Scene, frames: Frames) -> Plain:
    from .. import __version__

    return {
        "title": f"Sharnir run of '{scene.name}'",
        "scene_name": scene.name,
        "scene": scene_text(scene),  # so that a saved run tells what it was a run of
        "sharnir_version": __version__,
        "dt": frames.dt,
    }
