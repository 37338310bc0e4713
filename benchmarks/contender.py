"""What every engine must offer here, and the two figures measured on all of them alike: joint gap and energy."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.scene.joints import Basis
from sharnir.spatial import Array


class NotInstalled(Exception):
    """A peer's package is missing; the benchmarks say so and go on."""

    def __init__(self, package: str) -> None:
        super().__init__(f"{package} is not installed: make bench installs it")


class NotTranslatable(Exception):
    """A scene holds something that a peer has no counterpart for."""


class BodyStates(NamedTuple):
    """The moving bodies of a scene in its order, world axes: m, quaternions (x, y, z, w), m/s, rad/s."""

    center: Array  # [body, 3] centre of mass
    rotation: Array  # [body, 4] orientation of the body's frame
    center_velocity: Array  # [body, 3]
    angular_velocity: Array  # [body, 3]


class Contender(Protocol):
    """One engine with one scene loaded."""

    name: str
    settings: str  # what a reader must know to judge the numbers

    def step(self, count: int) -> None:
        """Make ``count`` steps in as few calls as the engine allows."""

    def step_one_by_one(self, count: int) -> None:
        """Make ``count`` steps, one call each, as a control loop in Python would."""

    def states(self) -> BodyStates:
        """Where the bodies are now."""


class Traceable(Contender, Protocol):
    """One whose path can be compared with a reference, and which can be timed again from the start."""

    def restart(self) -> None:
        """Back to the start of the scene."""

    def path(self, steps: int, samples: int) -> Array:
        """The centres of mass (m) [sample, body, 3] at ``samples`` instants, evenly over the next ``steps`` steps."""


def path_by_blocks(contender: Contender, steps: int, samples: int) -> Array:
    """The path of an engine that may be stopped and read at any step without losing accuracy."""
    centers = []
    for _ in range(samples):
        contender.step(steps // samples)
        centers.append(contender.states().center)
    return np.array(centers)


def moving_bodies(scene: sh.Scene) -> list[sh.Body]:
    """The bodies that have mass, in scene order."""
    return [body for body in scene.bodies.values() if body.properties is not None]


def worst_gap(scene: sh.Scene, states: BodyStates) -> float:
    """The largest distance (m) by which the locked translations of any joint are apart."""
    poses = _poses(scene, states)
    return max((_gap(joint, poses) for joint in scene.joints.values()), default=0.0)


def worst_slip(scene: sh.Scene, states: BodyStates) -> float:
    """The largest speed (m/s) at which the locked translations of any joint move apart."""
    poses = _poses(scene, states)
    moving = {body.name: i for i, body in enumerate(moving_bodies(scene))}

    def velocity(body: sh.Body, point: Array) -> Array:
        if body.name not in moving:
            return np.zeros(3)
        i = moving[body.name]
        return states.center_velocity[i] + np.cross(states.angular_velocity[i], point - states.center[i])

    worst = 0.0
    for joint in scene.joints.values():
        if joint.type.basis == Basis.FRAME:
            a, b = poses[joint.a.name] @ joint.frame_a, poses[joint.b.name] @ joint.frame_b
            apart = velocity(joint.b, b.position) - velocity(joint.a, b.position)
            seen_from_a = spatial.rotate(spatial.conjugate(a.rotation), apart)
            worst = max(worst, float(np.linalg.norm(seen_from_a[np.array(joint.type.locked_translations)])))
    return worst


def energy(scene: sh.Scene, states: BodyStates) -> float:
    """Kinetic plus potential energy, J; the potential is zero at the world's origin."""
    total = 0.0
    for i, body in enumerate(moving_bodies(scene)):
        assert body.properties is not None
        mass, _, inertia = body.properties
        spin = spatial.rotate(spatial.conjugate(states.rotation[i]), states.angular_velocity[i])
        velocity = states.center_velocity[i]
        total += 0.5 * (mass * float(velocity @ velocity) + float(spin @ inertia @ spin))
        total -= mass * float(np.array(scene.gravity) @ states.center[i])
    return total


def _poses(scene: sh.Scene, states: BodyStates) -> dict[str, spatial.Pose]:
    poses = {name: body.pose for name, body in scene.bodies.items()} | {scene.world.name: scene.world.pose}
    for i, body in enumerate(moving_bodies(scene)):
        assert body.properties is not None
        rotation = states.rotation[i]
        poses[body.name] = spatial.Pose(states.center[i] - spatial.rotate(rotation, body.properties.center), rotation)
    return poses


def _gap(joint: sh.Joint, poses: dict[str, spatial.Pose]) -> float:
    a, b = poses[joint.a.name] @ joint.frame_a, poses[joint.b.name] @ joint.frame_b
    apart = b.position - a.position
    if joint.type.basis == Basis.RADIAL:
        return abs(float(np.linalg.norm(apart)) - joint.length)
    seen_from_a = spatial.rotate(spatial.conjugate(a.rotation), apart)
    return float(np.linalg.norm(seen_from_a[np.array(joint.type.locked_translations)]))


def start_states(scene: sh.Scene) -> BodyStates:
    """Where the bodies of a scene start."""
    rows = []
    for body in moving_bodies(scene):
        assert body.properties is not None
        spin = np.array(body.spec.angular_velocity)
        arm = spatial.rotate(body.pose.rotation, body.properties.center)
        velocity = np.array(body.spec.velocity) + np.cross(spin, arm)
        rows.append((body.pose.position + arm, body.pose.rotation, velocity, spin))
    return BodyStates(*(np.array(column) for column in zip(*rows, strict=True)))
