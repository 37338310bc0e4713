"""Rays in a running simulation: its distance sensors, and any ray one asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..device import Table, load_warp
from ..dynamics.compiled import ask
from ..dynamics.shells import hits_struct
from ..errors import SceneError
from ..model.compile import Compiled
from ..model.precision import Precision
from ..scene.values import shown
from ..spatial import Array
from .world_parts import WorldPart


@dataclass(frozen=True)
class RayHits:
    """Where rays ended, one row a ray; a single ray has no row axis.

    ``distance`` (m) is inf where nothing was met; ``body`` is the name of what was met, "world" for terrain, None for
    nothing; ``point`` (m) is in world axes, ``normal`` a unit vector of the surface met, against the ray.
    """

    distance: Array
    body: Array
    point: Array
    normal: Array


def _numbers(what: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError):
        raise SceneError(f"ray: {what} is {shown(given)}; give three numbers a ray") from None


class Rays:
    """The rays of one simulation."""

    def __init__(self, compiled: Compiled, precision: Precision, tables: dict[str, Table], device: str) -> None:
        self._compiled, self._precision, self._tables, self._device = compiled, precision, tables, device
        self._shapes = compiled.counts["shape"]
        self._parts: tuple[WorldPart, ...] = ()
        if compiled.counts["ray"]:
            ask("distances", precision, compiled.features, device)

    def use(self, parts: tuple[WorldPart, ...]) -> None:
        """Cast with the models of these parts of the worlds from now on; none: one for all."""
        self._parts = parts

    @property
    def are_sensed(self) -> bool:
        """Whether there are distance sensors."""
        return self._tables["work"].ray_distance.shape[0] > 0

    def sense(self) -> None:
        """Read all distance sensors as bodies are now."""
        sensors, worlds = self._tables["work"].ray_distance.shape
        if not self.are_sensed:
            return
        names = ("model", "state", "work")
        whole = worlds, [self._tables[name] for name in names]
        cuts = [(part.count, self._cut(part, names)) for part in self._parts] or [whole]
        kernel = ask("distances", self._precision, self._compiled.features, self._device).get()
        for count, arrays in cuts:
            load_warp().launch(kernel, (sensors, count), [*arrays, self._shapes], device=self._device)

    def _cut(self, part: WorldPart, names: tuple[str, ...]) -> list[Table]:
        tables = self._tables | {"model": part.model}
        return [part.cut(name, tables[name], self._precision) for name in names]

    def cast(self, origin: ArrayLike, direction: ArrayLike, reach: float, world: int) -> RayHits:
        """The nearest hits of rays from origins (m) in directions, within a reach (m)."""
        wp, p = load_warp(), self._precision
        origins, ways = _numbers("origin", origin), _numbers("direction", direction)
        try:
            start, way = np.broadcast_arrays(np.atleast_2d(origins), np.atleast_2d(ways))
        except ValueError:
            start = way = np.zeros((1, 0))
        lengths = np.linalg.norm(way, axis=-1, keepdims=True)
        if start.ndim != 2 or start.shape[1] != 3 or not np.isfinite(start).all() or not np.isfinite(way).all():
            raise SceneError(f"ray: origin {origins.shape} and direction {ways.shape}: give three finite numbers a ray")
        if not isinstance(reach, (int, float, np.number)) or not reach > 0.0 or (lengths < 1e-12).any():
            raise SceneError(
                f"ray: reach is {shown(reach)} m, shortest direction {lengths.min():g}; both must be above zero"
            )
        count, far = len(start), min(float(reach), 1e9)
        given = [wp.array(x, dtype=p.vec3, device=self._device) for x in (start, way / lengths)]
        made = hits_struct(p)()
        for name, kind in (("distance", p.real), ("shape", int), ("normal", p.vec3)):
            setattr(made, name, wp.zeros(count, dtype=kind, device=self._device))
        mine = (part.model for part in self._parts if part.first <= world < part.first + part.count)
        model = next(mine, self._tables["model"])
        arrays = [model, self._tables["state"], self._shapes, *given, far, world, made]
        kernel = ask("cast", p, self._compiled.features, self._device).get()
        wp.launch(kernel, count, arrays, device=self._device)
        distance, shape, normal = made.distance.numpy(), made.shape.numpy(), made.normal.numpy()
        met = shape >= 0
        bodies = np.array(["world", *self._compiled.layout.bodies], object)
        owners = np.asarray(self._compiled.model["shape_body"], int)
        body = np.full(count, None, object)
        body[met] = bodies[owners[shape[met]]]
        point = start + way / lengths * distance[:, None]
        hits = (np.where(met, distance, np.inf), body, np.where(met[:, None], point, np.nan), normal)
        return RayHits(*hits) if max(origins.ndim, ways.ndim) > 1 else RayHits(*(values[0] for values in hits))
