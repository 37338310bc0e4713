"""What is drawn between two bodies, as long as they are apart: coil springs with dampers, cylinders, tie rods; and bars
that show how far they are twisted."""

from __future__ import annotations

import numpy as np

from ..model.softs import softs_of
from ..scene.elements.actuators import HydraulicCylinder, PneumaticSpring
from ..scene.joint import Joint
from ..scene.joints import Distance, Revolute, Strut
from ..scene.scene import Scene
from ..scene.values import Plain

SLENDER = 0.17  # radius of a coil over its length as it starts
ROD = 0.035  # the same, of a tie rod


def springs_of(scene: Scene) -> list[Plain]:
    """Coils, cylinders and torsion bars, each by the joint that it sits in."""
    found = []
    for row in softs_of(scene):
        if isinstance(row.joint.type, Strut) and isinstance(row.actuator, (HydraulicCylinder, PneumaticSpring)):
            found.append({"kind": "cylinder", **_between(scene, row.joint)})
        elif isinstance(row.joint.type, Strut) and row.spring is not None:
            damped = row.spring.damping > 0.0
            found.append({"kind": "coil", "damped": damped, **_between(scene, row.joint)})
        elif isinstance(row.joint.type, Revolute) and row.spring is not None:
            found.append({"kind": "torsion", "angle": row.label, **_between(scene, row.joint)})
    return found


def rods_of(scene: Scene) -> list[Plain]:
    """Rods of a constant length that no body stands for: distance joints."""
    return [_between(scene, joint) for joint in scene.joints.values() if isinstance(joint.type, Distance)]


def _between(scene: Scene, joint: Joint) -> Plain:
    places = {scene.world.name: -1} | {name: i for i, name in enumerate(scene.bodies)}
    ends = [body.pose.point(frame.position) for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b))]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    return {
        "a": places[joint.a.name],
        "b": places[joint.b.name],
        "frame_a": [*joint.frame_a.position.tolist(), *joint.frame_a.rotation.tolist()],
        "frame_b": [*joint.frame_b.position.tolist(), *joint.frame_b.rotation.tolist()],
        "length": length,
        "radius": (ROD if isinstance(joint.type, Distance) else SLENDER) * length,
    }
