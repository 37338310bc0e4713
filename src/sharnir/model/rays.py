"""Distance sensors as flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scene.scene import WORLD, Scene


def ray_arrays(scene: Scene) -> dict[str, Any]:
    """The model's fields of rays."""
    place = {name: i for i, name in enumerate([WORLD, *scene.bodies])}
    rays = [ray.spec for ray in scene.rays.values()]
    centers = [(scene.world if ray.body == WORLD else scene.bodies[ray.body]).center for ray in rays]
    return {
        "ray_body": [place[ray.body] for ray in rays],
        "ray_place": [np.array(ray.position) - center for ray, center in zip(rays, centers, strict=True)],
        "ray_direction": [np.array(ray.direction) / np.linalg.norm(ray.direction) for ray in rays],
        "ray_reach": [ray.reach for ray in rays],
    }
