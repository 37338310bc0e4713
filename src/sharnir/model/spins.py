"""Which part of a body's angular velocity limits the step: not that about an axis of symmetry.

A wheel that turns about its own axle, or a ball about its middle, may do so at any speed: its pose over a step is exact
and nothing is attached beside the axis. Other spins carry joints or an uneven inertia around, and a step is right
only as long as it turns the body by little.
"""

from __future__ import annotations

import numpy as np

from ..scene.body import Body
from ..scene.scene import Scene
from ..spatial import Array

SAME = 1e-3  # of the largest moment of inertia, and of the radius of gyration: as good as none


def felt_spins(scene: Scene) -> Array:
    """For the world and every body the projection (body axes) that leaves of a spin what counts, [body, 3, 3]."""
    anchors: dict[str, list[Array]] = {name: [] for name in scene.bodies}
    for joint in scene.joints.values():
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b)):
            if body.properties is not None:
                anchors[body.name].append(frame.position - body.properties.center)
    return np.array([np.zeros((3, 3)), *(_felt(body, anchors[body.name]) for body in scene.bodies.values())])


def _felt(body: Body, anchors: list[Array]) -> Array:
    if body.properties is None:
        return np.zeros((3, 3))
    moments, axes = np.linalg.eigh(body.properties.inertia)
    close = SAME * moments[2]
    near = SAME * np.sqrt(moments[2] / body.properties.mass)
    beside = [arm for arm in anchors if np.linalg.norm(arm) > near]
    if moments[2] - moments[0] <= close and not beside:
        return np.zeros((3, 3))
    if moments[2] - moments[0] <= close:
        axis = beside[0] / np.linalg.norm(beside[0])
    elif moments[1] - moments[0] <= close:
        axis = axes[:, 2]
    elif moments[2] - moments[1] <= close:
        axis = axes[:, 0]
    else:
        return np.eye(3)
    is_on_axis = all(np.linalg.norm(np.cross(axis, arm)) <= near for arm in beside)
    return np.eye(3) - np.outer(axis, axis) if is_on_axis else np.eye(3)
