"""Terrain: surfaces that never move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import spatial
from ..errors import SceneError, nearest
from ..spatial import Array
from .materials import DEFAULT
from .meshes import Mesh
from .relief import AnyRelief
from .values import ORIGIN, UPRIGHT, Description, Quat, Vec3, existing_file, number, positive, quaternion, shown, vector

LARGEST = 4_000_000  # heights of a field


class Plane(Description, frozen=True, tag="plane", tag_field="type"):
    """The plane z = 0 of its frame, solid below, without end."""

    def checked(self, owner: str) -> Plane:
        """A plane has no numbers of its own."""
        return self


class HeightField(Description, frozen=True, tag="heights", tag_field="type"):
    """Ground given by its height (m) over a grid: solid below, its middle at the origin of its frame.

    The heights come from one of: ``heights`` (m), rows along x and columns along y; ``file``, an array (.npy) or a
    picture (PNG and others, rows along x, black and white meaning the two heights of ``range``, m); ``relief``, shapes
    of ground that are added up over ``size`` (m along x and y). ``spacing`` (m) is that of the grid along x and y.
    """

    heights: tuple[tuple[float, ...], ...] | None = None
    file: str | None = None
    relief: tuple[AnyRelief, ...] | None = None
    spacing: tuple[float, float] = (1.0, 1.0)
    size: tuple[float, float] | None = None
    range: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        """One number for the spacing is taken for both directions, one relief for a list of one."""
        import msgspec

        if isinstance(self.spacing, (int, float)):
            msgspec.structs.force_setattr(self, "spacing", (self.spacing, self.spacing))
        if isinstance(self.relief, AnyRelief):
            msgspec.structs.force_setattr(self, "relief", (self.relief,))
        super().__post_init__()

    @staticmethod
    def sampled(
        function: Callable[[Array, Array], ArrayLike], size: tuple[float, float], spacing: float | tuple[float, float]
    ) -> HeightField:
        """A field with the heights of a function of x and y (arrays, m) over ``size`` (m)."""
        sides = spacing if isinstance(spacing, tuple) else (spacing, spacing)
        x, y = _grid(size, sides, "HeightField.sampled")
        values = np.broadcast_to(np.asarray(function(x, y), float), x.shape)
        exact = (size[0] / (x.shape[0] - 1), size[1] / (x.shape[1] - 1))
        return HeightField(heights=tuple(map(tuple, values.tolist())), spacing=exact)

    def checked(self, owner: str) -> HeightField:
        """This field with its numbers checked; the error names the owner."""
        what = f"{owner}: HeightField"
        if sum(given is not None for given in (self.heights, self.file, self.relief)) != 1:
            raise SceneError(f"{what}: give one of heights, file and relief")
        for given in (self.spacing, self.size or (1.0, 1.0)):
            if not isinstance(given, tuple) or len(given) != 2:
                raise SceneError(f"{what} spacing and size are two numbers (m), along x and y; one is {shown(given)}")
            for value in given:
                positive(value, f"{what} spacing and size (m)")
        if self.relief is not None and self.size is None:
            raise SceneError(f"{what}: a relief needs a size (m along x and y)")
        if self.file is not None:
            existing_file(self.file, what)
        for relief in self.relief or ():
            relief.checked(what)
        for value in self.range:
            number(value, f"{what} range (m)")
        self.sample(owner)
        return self

    def sample(self, owner: str) -> tuple[spatial.Array, tuple[float, float]]:
        """The heights [row, column] (m), and the spacing (m) of rows and columns."""
        what = f"{owner}: HeightField"
        if self.relief is not None:
            assert self.size is not None
            x, y = _grid(self.size, self.spacing, what)
            values = sum((relief(x, y) for relief in self.relief), np.zeros(x.shape))
            spacing = (self.size[0] / (x.shape[0] - 1), self.size[1] / (x.shape[1] - 1))
        else:
            values, spacing = (self._read(what) if self.file is not None else self._given(what)), self.spacing
        if values.ndim != 2 or min(values.shape) < 2 or values.size > LARGEST:
            raise SceneError(
                f"{what} has heights of shape {values.shape}; give a grid of at least 2 by 2 and at most {LARGEST}"
            )
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise SceneError(
                f"{what}: the height in row {row}, column {column} is {values[row, column]}; give a finite number"
            )
        return values, spacing

    def _given(self, what: str) -> spatial.Array:
        try:
            return np.array(self.heights, float)
        except (ValueError, TypeError):
            raise SceneError(f"{what} heights are not a grid of numbers; give rows of the same length") from None

    def _read(self, what: str) -> spatial.Array:
        try:
            if str(self.file).endswith(".npy"):
                return np.asarray(np.load(str(self.file), allow_pickle=False), float)
            from PIL import Image

            with Image.open(str(self.file)) as picture:
                pixels = np.asarray(picture.convert("I" if picture.mode.startswith("I") else "L"), float)
            full = 65535.0 if pixels.max() > 255.0 else 255.0
            return self.range[0] + (self.range[1] - self.range[0]) * pixels / full
        except (OSError, ValueError, TypeError) as error:
            raise SceneError(
                f"{what}: '{self.file}' cannot be read ({error}); give a .npy array or a picture"
            ) from None


def _grid(size: tuple[float, float], spacing: tuple[float, float], what: str) -> tuple[Array, ...]:
    """Coordinates over a size, about its middle, with at most the spacing."""
    across = [positive(a, what) / positive(b, what) for a, b in zip(size, spacing, strict=True)]
    if max(across) > LARGEST:
        raise SceneError(f"{what} would have {max(across):g} heights on one side; widen the spacing")
    steps = [max(1, round(count)) for count in across]
    if (steps[0] + 1) * (steps[1] + 1) > LARGEST:
        raise SceneError(f"{what} would have {steps[0] + 1} by {steps[1] + 1} heights; widen the spacing")
    sides = [np.linspace(-a / 2.0, a / 2.0, n + 1) for a, n in zip(size, steps, strict=True)]
    return tuple(np.meshgrid(*sides, indexing="ij"))


AnySurface = Plane | HeightField | Mesh
GroundLook = Literal["grid", "grass", "gravel", "sand", "asphalt", "concrete"]


class TerrainSpec(Description, frozen=True):
    """What a scene file says of terrain: its ``surface`` and its ``material``, and where it lies in the world.

    ``position`` (m) and ``rotation`` (quaternion) place the surface's frame. ``look`` is what it is drawn as, whatever
    its material; a ``color``, as in CSS, takes the place of that look's own.
    """

    surface: AnySurface
    material: str = DEFAULT
    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT
    look: GroundLook = "grid"
    color: str | None = None


class Terrain:
    """Terrain of a scene, as returned by ``scene.terrain`` and ``scene.ground``."""

    def __init__(self, name: str, spec: TerrainSpec) -> None:
        self.name = name
        self.spec = spec
        what = f"terrain '{name}'"
        if not isinstance(spec.surface, AnySurface):
            raise SceneError(f"{what}: {shown(spec.surface)} is not a surface; give Plane, HeightField or Mesh")
        if spec.look not in get_args(GroundLook):
            raise SceneError(f"{what}: look is {spec.look!r}{nearest(str(spec.look), get_args(GroundLook))}")
        spec.surface.checked(what)
        if isinstance(spec.surface, Mesh):
            spec.surface.triangulated(what)
        vector(spec.position, f"{what} position (m)")
        quaternion(spec.rotation, f"{what} rotation")

    def __repr__(self) -> str:
        return f"<terrain '{self.name}'>"
