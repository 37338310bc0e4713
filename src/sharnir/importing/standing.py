"""Ground placed under a robot."""

from __future__ import annotations

import numpy as np

from .. import spatial
from ..scene.meshes import ConvexHull, Mesh
from ..scene.scene import Scene
from ..scene.shapes import AnyShape, Box, Capsule, Ellipsoid, Sphere, Wheel
from ..spatial import Array


def put_ground(scene: Scene) -> None:
    """Level ground that the lowest point of all that collides stands on; at zero where nothing does."""
    lowest = [
        float(body.pose.point(_corners(shape))[:, 2].min()) - _rounding(shape)
        for body in scene.bodies.values()
        for shape in body.spec.shapes
        if shape.collides
    ]
    scene.ground(height=min(lowest, default=0.0))


def _corners(shape: AnyShape) -> Array:
    """Points of a shape, in its body's frame, whose convex hull, thickened by the rounding, holds it."""
    if isinstance(shape, (Mesh, ConvexHull)):
        points = np.asarray(shape.surface().vertices)
    elif isinstance(shape, Box):
        points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * [shape.x, shape.y, shape.z]
        points = points / 2.0
    elif isinstance(shape, Sphere):
        points = np.zeros((1, 3))
    elif isinstance(shape, Ellipsoid):
        a, b = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 64), np.linspace(-np.pi / 2.0, np.pi / 2.0, 33))
        ball = np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=-1)
        points = ball.reshape(-1, 3) * shape.contact_size()
    elif isinstance(shape, Capsule):
        points = np.array([[0.0, 0.0, -shape.length / 2.0], [0.0, 0.0, shape.length / 2.0]])
    else:
        length = shape.width if isinstance(shape, Wheel) else shape.length
        turns = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
        ring = shape.radius * np.stack([np.cos(turns), np.sin(turns), 0.0 * turns], axis=1)
        points = np.concatenate([ring + np.array([0.0, 0.0, z]) for z in (-length / 2.0, length / 2.0)])
    return spatial.Pose(np.array(shape.position), np.array(shape.rotation)).point(points)


def _rounding(shape: AnyShape) -> float:
    return shape.radius if isinstance(shape, (Sphere, Capsule)) else 0.0
