"""Trajectory: a recorded run as a labelled ``xarray.Dataset``, read by quantity, saved as netCDF, plotted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np
import xarray as xr

from ..errors import SceneError, SimulationWarning, nearest
from ..quantities import Frames
from ..quantities.registry import OWNERS
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import file_path, shown, whole
from ..spatial import Array
from .derived import Derived

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Trajectory:
    """What a run recorded.

    ``run[hinge.angle]`` is a labelled ``xarray.DataArray`` over time; ``run.data`` is the whole dataset, with the axes
    ``time``, ``body``, ``joint``, ``axis`` (joint coordinates), ``limit``, ``friction``, ``soft`` (springs, drives) and
    perhaps ``world``. Units are in the attribute ``units``; where they differ along an axis, in
    ``axis_unit`` and so on. ``run.warnings`` is what looked wrong until its end.
    """

    def __init__(self, data: xr.Dataset | Derived) -> None:
        self._data = data

    def __reduce__(self) -> tuple[type[Trajectory], tuple[xr.Dataset]]:
        return Trajectory, (self.data,)

    @classmethod
    def from_frames(
        cls, scene: Scene, frames: Frames, warnings: Sequence[SimulationWarning] = (), kernels: str | None = None
    ) -> Trajectory:
        """The trajectory of raw frames, what was warned of, and the kernels that made them."""
        return cls(Derived(scene, frames, warnings, kernels))

    @property
    def data(self) -> xr.Dataset:
        """All that was recorded, labelled, with units."""
        if isinstance(self._data, Derived):
            self._data = self._data.dataset
        return self._data

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read a trajectory from the netCDF file ``path``."""
        path = file_path(path, "Trajectory.load: the file")
        if not path.is_file():
            raise SceneError(f"there is no trajectory file '{path}'; check the path")
        try:
            with h5py.File(path) as file:
                dict(file.attrs)  # where these are damaged h5netcdf would leave a file half open, which ends noisily
            data = xr.load_dataset(path, engine="h5netcdf", decode_times=False)
        except Exception as error:  # a damaged file fails in a hundred ways inside the library
            why = " ".join(str(error).split())[:200]
            raise SceneError(f"'{path}' is not a netCDF file ({why}); give one written by Trajectory.save") from error
        if "scene_name" not in data.attrs or not data.sizes.get("time"):
            raise SceneError(f"'{path}' holds no trajectory; give a file written by Trajectory.save")
        return cls(data)

    def save(self, path: str | Path) -> Path:
        """Write the trajectory to the netCDF4 file ``path`` (``.nc``)."""
        path = file_path(path, "Trajectory.save: the file")
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = {name: {"zlib": True, "complevel": 4} for name, values in self.data.items() if values.size > 1000}
        self.data.to_netcdf(path, engine="h5netcdf", encoding=packed)
        return path

    def __getitem__(self, quantity: Quantity) -> xr.DataArray:
        if not isinstance(quantity, Quantity):
            raise SceneError(f"{shown(quantity)} is not a quantity; give one such as hinge.angle or body.position")
        known = [str(name) for name in (self._data.names if isinstance(self._data, Derived) else self._data.data_vars)]
        if quantity.variable not in known:
            raise SceneError(f"this trajectory has no '{quantity.variable}'{nearest(quantity.variable, known)}")
        values = self._data[quantity.variable]
        axis = next((str(axis) for axis in values.dims if axis in OWNERS), None)
        if axis is not None:
            labels = [str(label) for label in values[axis].values]
            if quantity.item not in labels:
                raise SceneError(
                    f"there is no {quantity.variable} of '{quantity.item}'{nearest(str(quantity.item), labels)}"
                )
            values = values.isel({axis: labels.index(str(quantity.item))}, drop=True)
        values.attrs["units"] = quantity.unit
        return values.rename(quantity.label)

    @property
    def time(self) -> Array:
        """The recorded instants, s."""
        return np.asarray(self.data["time"].values)

    @property
    def warnings(self) -> tuple[SimulationWarning, ...]:
        """What the simulation has warned of until the end of the run; see ``Simulation.warnings``."""
        return tuple(SimulationWarning(*args) for args in json.loads(self.data.attrs.get("warnings", "[]")))

    @property
    def worlds(self) -> int:
        """The number of worlds recorded."""
        return int(self.data.sizes.get("world", 1))

    def world(self, number: int) -> Trajectory:
        """The world ``number`` of several; a run of one world has world 0 only."""
        if whole(number, "world", 0) >= self.worlds:
            raise SceneError(f"there is no world {number}; this trajectory has worlds 0 to {self.worlds - 1}")
        return self if "world" not in self.data.dims else Trajectory(self.data.isel(world=number, drop=True))

    def plot(self, *quantities: Quantity, file: str | Path | None = None) -> Figure:
        """Draw quantities over time, those of one unit together; ``file`` saves the picture (PNG, SVG, PDF)."""
        from .plots import plot

        return plot(self, quantities, file)

    def __len__(self) -> int:
        return int(self.data.sizes["time"])

    def __repr__(self) -> str:
        worlds = f", {self.worlds} worlds" if self.worlds > 1 else ""
        return f"<trajectory of '{self.data.attrs['scene_name']}': {len(self)} instants to {self.time[-1]:g} s{worlds}>"
