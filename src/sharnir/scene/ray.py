"""Distance sensors: a ray from a point of a body, and how far it is to what it meets."""

from __future__ import annotations

from .quantity import Quantity, declared
from .values import ORIGIN, Description, Vec3, direction, positive, vector


class RaySpec(Description, frozen=True):
    """What a scene file says of a ray: the ``body`` that carries it, its start and direction in that body's frame.

    ``position`` and ``reach`` are in m; the length of ``direction`` does not matter. It sees what takes part in
    contact, except for its own body.
    """

    body: str
    position: Vec3 = ORIGIN
    direction: Vec3 = (1.0, 0.0, 0.0)
    reach: float = 10.0


class Ray:
    """A ray of a scene, as returned by ``scene.ray``."""

    def __init__(self, name: str, spec: RaySpec) -> None:
        self.name = name
        self.spec = spec
        what = f"ray '{name}'"
        vector(spec.position, f"{what} position (m)")
        direction(spec.direction, f"{what} direction")
        positive(spec.reach, f"{what} reach (m)")

    def __repr__(self) -> str:
        return f"<ray '{self.name}'>"

    @property
    def distance(self) -> Quantity:
        """How far the ray goes until it meets something, m; its reach when there is nothing."""
        return declared("ray_distance").address(self.name)
