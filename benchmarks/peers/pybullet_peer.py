"""A Sharnir scene of ball joints in PyBullet, in maximal coordinates: one ``btRigidBody`` per body.

Between such bodies PyBullet offers point-to-point, fixed and gear constraints only, and none of them carries friction:
the dry friction of a scene is left out here, so PyBullet does less work than the others. The world is a body without
mass, as PyBullet refuses constraints of a rigid body to the world itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial

from ..contender import BodyStates, NotInstalled, NotTranslatable, moving_bodies

_BASE = -1
_NO_SHAPE = -1


class PybulletRun:
    """A scene in PyBullet; damping off, no collision shapes, every iteration done (no residual threshold)."""

    name = "PyBullet"

    def __init__(self, scene: sh.Scene, dt: float, iterations: int = 50) -> None:
        try:
            import pybullet
        except ImportError:
            raise NotInstalled("pybullet") from None
        self._bullet: Any = pybullet
        self._dt = dt
        self._client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene.gravity, physicsClientId=self._client)
        self._set(numSolverIterations=iterations, solverResidualThreshold=0.0)
        self._inertial = {body.name: _inertial_pose(body) for body in moving_bodies(scene)}
        self._ids = {body.name: self._add_body(body) for body in moving_bodies(scene)}
        fixed = [scene.world, *(body for body in scene.bodies.values() if body.properties is None)]
        self._fixed = {body.name: self._add_fixed(body) for body in fixed}
        for joint in scene.joints.values():
            self._add_joint(joint)
        left_out = "; joint friction left out" if any(joint.friction for joint in scene.joints.values()) else ""
        self.settings = f"maximal coordinates, {iterations} iterations, no damping, no contacts{left_out}"
        self._steps_per_call = 0

    def _set(self, **parameters: Any) -> None:
        self._bullet.setPhysicsEngineParameter(**parameters, physicsClientId=self._client)

    def _add_body(self, body: sh.Body) -> int:
        bullet, client = self._bullet, self._client
        assert body.properties is not None
        place = body.pose @ self._inertial[body.name]
        principal = spatial.matrix(self._inertial[body.name].rotation)
        created: int = bullet.createMultiBody(
            baseMass=body.properties.mass,
            baseCollisionShapeIndex=_NO_SHAPE,
            basePosition=place.position.tolist(),
            baseOrientation=place.rotation.tolist(),
            useMaximalCoordinates=1,
            physicsClientId=client,
        )
        bullet.changeDynamics(
            created,
            _BASE,
            mass=body.properties.mass,  # with no shape the mass is lost unless it is set here again
            localInertiaDiagonal=np.diag(principal.T @ body.properties.inertia @ principal).tolist(),
            linearDamping=0.0,
            angularDamping=0.0,
            physicsClientId=client,
        )
        spin = np.array(body.spec.angular_velocity)
        velocity = np.array(body.spec.velocity) + np.cross(spin, place.position - body.pose.position)
        bullet.resetBaseVelocity(created, velocity.tolist(), spin.tolist(), physicsClientId=client)
        return created

    def _add_fixed(self, body: sh.Body) -> int:
        created: int = self._bullet.createMultiBody(
            baseMass=0.0,
            baseCollisionShapeIndex=_NO_SHAPE,
            basePosition=body.spec.position,
            baseOrientation=body.spec.rotation,
            useMaximalCoordinates=1,
            physicsClientId=self._client,
        )
        return created

    def _add_joint(self, joint: sh.Joint) -> None:
        if not isinstance(joint.type, sh.Spherical):
            raise NotTranslatable(f"{joint!r}: PyBullet in maximal coordinates has ball joints only")
        if joint.ranges:
            raise NotTranslatable(f"{joint!r} has limits, which are not translated")
        pivots = [self._pivot(joint.a, joint.frame_a), self._pivot(joint.b, joint.frame_b)]
        ids = self._ids | self._fixed
        self._bullet.createConstraint(
            ids[joint.a.name],
            _BASE,
            ids[joint.b.name],
            _BASE,
            self._bullet.JOINT_POINT2POINT,
            [0, 0, 0],
            *pivots,
            physicsClientId=self._client,
        )

    def _pivot(self, body: sh.Body, frame: spatial.Pose) -> list[float]:
        if body.name not in self._inertial:
            return [float(value) for value in frame.position]
        return [float(value) for value in self._inertial[body.name].inverse().point(frame.position)]

    def _prepare(self, steps_per_call: int) -> None:
        if self._steps_per_call != steps_per_call:
            self._set(fixedTimeStep=self._dt * steps_per_call, numSubSteps=steps_per_call)
            self._steps_per_call = steps_per_call

    def step(self, count: int) -> None:
        """Make ``count`` steps as substeps of one call."""
        self._prepare(count)
        self._bullet.stepSimulation(physicsClientId=self._client)

    def step_one_by_one(self, count: int) -> None:
        """Make ``count`` steps, one call each."""
        self._prepare(1)
        step, client = self._bullet.stepSimulation, self._client
        for _ in range(count):
            step(physicsClientId=client)

    def states(self) -> BodyStates:
        """Where the bodies are now."""
        centers, rotations, velocities, spins = [], [], [], []
        for name, body in self._ids.items():
            center, rotation = self._bullet.getBasePositionAndOrientation(body, physicsClientId=self._client)
            velocity, spin = self._bullet.getBaseVelocity(body, physicsClientId=self._client)
            centers.append(center)
            rotations.append(spatial.multiply(rotation, spatial.conjugate(self._inertial[name].rotation)))
            velocities.append(velocity)
            spins.append(spin)
        return BodyStates(*(np.array(values) for values in (centers, rotations, velocities, spins)))


def _inertial_pose(body: sh.Body) -> spatial.Pose:
    """The principal axes at the centre of mass, in the body's frame."""
    assert body.properties is not None
    inertia = body.properties.inertia
    if np.count_nonzero(inertia - np.diag(np.diag(inertia))) == 0:
        return spatial.Pose(body.properties.center, spatial.IDENTITY)
    axes = np.linalg.eigh(inertia).eigenvectors
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return spatial.Pose(body.properties.center, spatial.from_matrix(axes))
