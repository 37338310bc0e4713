"""Terrain: surfaces that never move."""

from __future__ import annotations

from ..errors import SceneError
from .materials import DEFAULT
from .shapes import Mesh
from .values import ORIGIN, UPRIGHT, Description, Quat, Vec3, quaternion, shown, vector


class Plane(Description, frozen=True, tag="plane", tag_field="type"):
    """The plane z = 0 of its frame, solid below, without end."""

    def checked(self, owner: str) -> Plane:
        """A plane has no numbers of its own."""
        return self


AnySurface = Plane | Mesh


class TerrainSpec(Description, frozen=True):
    """What a scene file says of terrain: its surface, its material, and its place in the world (m)."""

    surface: AnySurface
    material: str = DEFAULT
    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT


class Terrain:
    """Terrain of a scene, as returned by ``scene.terrain`` and ``scene.ground``."""

    def __init__(self, name: str, spec: TerrainSpec) -> None:
        self.name = name
        self.spec = spec
        what = f"terrain '{name}'"
        if not isinstance(spec.surface, AnySurface):
            raise SceneError(f"{what}: {shown(spec.surface)} is not a surface; give Plane, HeightField or Mesh")
        spec.surface.checked(what)
        vector(spec.position, f"{what} position (m)")
        quaternion(spec.rotation, f"{what} rotation")

    def __repr__(self) -> str:
        return f"<terrain '{self.name}'>"
