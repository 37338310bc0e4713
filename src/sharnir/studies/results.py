"""Results: what a study measured, as a labelled dataset, opened lazily; any point of it as a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..scene.scene import Scene
from ..scene.values import Plain, file_path
from ..spatial import Array
from .batch import run_point, scene_of_point
from .design import SAMPLE
from .measures import SERIES, Measure
from .plan import Drive, Factory, Plan
from .store import INSTANT, Store, variable_names

if TYPE_CHECKING:
    import xarray as xr

    from ..record.trajectory import Trajectory


class Results:
    """What a study measured: ``data`` is an ``xarray.Dataset`` with an axis for every grid, and ``sample`` for draws.

    Values are read from disk when they are used. Points that are not done are NaN, as are those that failed: ``reason``
    tells why.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __repr__(self) -> str:
        done, total = self.finished
        return f"<results of '{self._store.where}': {done} of {total} points>"

    @property
    def finished(self) -> tuple[int, int]:
        """How many points are done, and how many there are."""
        total = len(self._store.points)
        left = sum(len(range(total)[self._store.rows(piece)]) for piece in self._store.missing())
        return total - left, total

    @property
    def plan(self) -> Plan:
        """What was simulated; a function that made the scene is not kept in the file."""
        return _plan_of(json.loads(self._store.about["plan"]))

    @property
    def about(self) -> Plain:
        """Versions, processor, spreads and seed of the study."""
        return self._store.about

    @property
    def points(self) -> Array:
        """The points [point, name], each column in the unit of its name."""
        return self._store.points

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured."""
        return self.plan.measures

    @property
    def data(self) -> xr.Dataset:
        """The measures over the axes of the study; what was drawn is a coordinate along ``sample``."""
        import dask.array as da
        import xarray as xr

        about, plan, group = self._store.about, self.plan, self._store.group
        axes = [
            (name, np.arange(count) if values is None else np.array(values)) for name, values, count in about["axes"]
        ]
        shape = tuple(len(values) for _, values in axes)
        dims = [name for name, _ in axes]
        units = about["units"]
        coords: Plain = {name: (name, values, {"units": units.get(name, "")}) for name, values in axes}
        drawn = [name for name in about["names"] if name not in dims]
        points = self._store.points
        for name in drawn:
            column = points[:, about["names"].index(name)][: shape[-1]]
            coords[name] = (SAMPLE, column, {"units": units.get(name, "")})
        variables: Plain = {}
        for measure in plan.measures:
            lazy = da.from_zarr(group[variable_names(plan)[measure.name]])
            is_series = measure.reduction == SERIES
            reshaped = lazy.reshape((*shape, *lazy.shape[1:]))
            attributes = {"units": units.get(measure.name, ""), "long_name": measure.name}
            variables[measure.name] = ([*dims, *([INSTANT] if is_series else [])], reshaped, attributes)
            if is_series:
                coords[INSTANT] = (INSTANT, plan.instants, {"units": "s"})
        variables["reason"] = (dims, self._store.reasons().reshape(shape), {"long_name": "why a point has no result"})
        return xr.Dataset(variables, coords, attrs={"title": self._store.where, "seed": about["study"]["seed"]})

    def values(self, measure: str) -> tuple[Array, Array]:
        """The points [point, name] and a ``measure`` of them [point], in its unit, as plain arrays."""
        known = {m.name: name for m, name in zip(self.plan.measures, variable_names(self.plan).values(), strict=True)}
        if measure not in known:
            raise SceneError(f"the study has no measure '{measure}'{nearest(measure, known)}")
        return self._store.points, np.asarray(self._store.group[known[measure]][...])

    def faults(self) -> dict[int, str]:
        """The points that have no result, by number, and why."""
        return {int(i): str(reason) for i, reason in enumerate(self._store.reasons()) if reason}

    def never(self) -> list[str]:
        """The measures that are a number at no point: events that never happened."""
        if self.finished[0] < self.finished[1] or len(self.faults()) == self.finished[1]:
            return []
        return [m.name for m in self.plan.measures if m.reduction != SERIES and np.isnan(self.values(m.name)[1]).all()]

    def nearest_point(self, at: Mapping[str, float]) -> int:
        """The number of the point nearest to ``at``: values in the units of their names, ``sample`` among them."""
        names, points = list(self._store.about["names"]), self._store.points
        axes = {name: count for name, _, count in self._store.about["axes"]}
        known = [*names, *([SAMPLE] if SAMPLE in axes else [])]
        distance = np.zeros(len(points))
        for name, value in at.items():
            if name not in known:
                raise SceneError(f"the study does not vary '{name}'{nearest(name, known)}")
            if name == SAMPLE and value not in range(axes[SAMPLE]):
                raise SceneError(f"there is no sample {value:g}; this study has samples 0 to {axes[SAMPLE] - 1}")
            column = np.arange(len(points)) % axes[SAMPLE] if name == SAMPLE else points[:, names.index(name)]
            if name != SAMPLE and not column.min() <= value <= column.max():
                raise SceneError(
                    f"{name} is {value:g}; this study has {column.min():g} to {column.max():g}: take one of them"
                )
            distance += ((column - value) / (np.ptp(column) or 1.0)) ** 2
        return int(np.argmin(distance))

    def open(self, at: Mapping[str, float] | int, factory: Factory | None = None) -> Trajectory:
        """Simulate one point again, every step of it recorded: the point ``at`` values (in their units) or by number.

        ``factory`` is the function that made the scene, where one did: the file does not keep it.
        """
        number = at if isinstance(at, int) else self.nearest_point(at)
        if not 0 <= number < len(self._store.points):
            raise SceneError(f"there is no point {number}; this study has points 0 to {len(self._store.points) - 1}")
        return run_point(self._runnable(factory), self._store.points[number])

    def scene_at(self, number: int, factory: Factory | None = None) -> Scene:
        """The scene of the point ``number``, all of its numbers set; ``factory`` as for ``open``."""
        return scene_of_point(self._runnable(factory), self._store.points[number])

    def _runnable(self, factory: Factory | None) -> Plan:
        plan = self.plan
        if plan.scene:
            return plan
        if factory is None:
            raise SceneError(
                "the scene of this study was made by a function, which its file does not keep; give factory="
            )
        return replace(plan, factory=factory)


def open_study(path: str | Path) -> Results:
    """The results in the .zarr folder ``path`` of a study that is finished, interrupted or still running."""
    return Results(Store.open(file_path(path, "open_study: the folder")))


def _plan_of(plain: Plain) -> Plan:
    plain = dict(plain) | {"factory": None}
    plain["measures"] = tuple(Measure(**measure) for measure in plain["measures"])
    drives = [
        drive | {"values": np.array(drive["values"]) if drive["per_step"] else drive["values"]}
        for drive in plain["drives"]
    ]
    plain["drives"] = tuple(Drive(**drive) for drive in drives)
    plain["names"], plain["arguments"] = tuple(plain["names"]), tuple(plain["arguments"])
    return Plan(**plain)
