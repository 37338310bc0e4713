"""A Sharnir scene of ball joints in PyBullet, in maximal coordinates: one ``btRigidBody`` per body.

Between such bodies PyBullet offers point-to-point, fixed and gear constraints only, and none of them carries friction:
the dry friction of a scene is left out here, so PyBullet does less work than the others. The world is a body without
mass, as PyBullet refuses constraints of a rigid body to the world itself. A scene with terrain is translated with its
contacts: boxes and spheres on planes, friction alone of the materials.
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
    """A scene in PyBullet, damping off; all iterations are done unless a ``threshold`` of the residual ends them."""

    name = "PyBullet"

    def __init__(self, scene: sh.Scene, dt: float, iterations: int = 50, threshold: float = 0.0) -> None:
        try:
            import pybullet
        except ImportError:
            raise NotInstalled("pybullet") from None
        self._bullet: Any = pybullet
        self._dt = dt
        self._client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene.gravity, physicsClientId=self._client)
        self._set(numSolverIterations=iterations, solverResidualThreshold=threshold)
        self._shapes: dict[sh.Shape, int] = {}
        self._touches = bool(scene.terrains)
        self._friction = scene.materials.between("default", "default").friction
        if len(scene.materials.names) > 1:
            raise NotTranslatable("contacts of several materials")
        self._inertial = {body.name: _inertial_pose(body) for body in moving_bodies(scene)}
        self._ids = {body.name: self._add_body(body) for body in moving_bodies(scene)}
        fixed = [scene.world, *(body for body in scene.bodies.values() if body.properties is None)]
        self._fixed = {body.name: self._add_fixed(body) for body in fixed}
        for terrain in scene.terrains.values():
            self._add_terrain(terrain)
        for joint in scene.joints.values():
            self._add_joint(joint)
        left_out = "; joint friction left out" if any(joint.friction for joint in scene.joints.values()) else ""
        contacts = "" if self._touches else ", no contacts"
        until = f" or a residual of {threshold:g}" if threshold else ""
        self.settings = f"maximal coordinates, {iterations} iterations{until}, no damping{contacts}{left_out}"
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
            baseCollisionShapeIndex=self._shape_of(body),
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
        self._rub(created)
        spin = np.array(body.spec.angular_velocity)
        velocity = np.array(body.spec.velocity) + np.cross(spin, place.position - body.pose.position)
        bullet.resetBaseVelocity(created, velocity.tolist(), spin.tolist(), physicsClientId=client)
        return created

    def _add_fixed(self, body: sh.Body) -> int:
        created: int = self._bullet.createMultiBody(
            baseMass=0.0,
            baseCollisionShapeIndex=self._shape_of(body),
            basePosition=body.spec.position,
            baseOrientation=body.spec.rotation,
            useMaximalCoordinates=1,
            physicsClientId=self._client,
        )
        self._rub(created)
        return created

    def _add_terrain(self, terrain: sh.Terrain) -> None:
        if not isinstance(terrain.spec.surface, sh.Plane):
            raise NotTranslatable(f"{terrain!r} is not a plane")
        self._rub(
            self._bullet.createMultiBody(
                baseMass=0.0,
                baseCollisionShapeIndex=self._bullet.createCollisionShape(
                    self._bullet.GEOM_PLANE, physicsClientId=self._client
                ),
                basePosition=terrain.spec.position,
                baseOrientation=terrain.spec.rotation,
                useMaximalCoordinates=1,
                physicsClientId=self._client,
            )
        )

    def _rub(self, body: int) -> None:
        """PyBullet multiplies the friction of two bodies; nothing else resists."""
        self._bullet.changeDynamics(
            body,
            _BASE,
            lateralFriction=self._friction**0.5,
            rollingFriction=0.0,
            spinningFriction=0.0,
            restitution=0.0,
            physicsClientId=self._client,
        )

    def _shape_of(self, body: sh.Body) -> int:
        """The collision shape of a body; equal ones are made once."""
        if not self._touches or not body.spec.shapes:
            return _NO_SHAPE
        shape = body.spec.shapes[0]
        if len(body.spec.shapes) > 1 or shape.position != (0.0, 0.0, 0.0) or shape.rotation != (0.0, 0.0, 0.0, 1.0):
            raise NotTranslatable(f"{body!r} has several shapes, or one that is not at its origin")
        if shape not in self._shapes:
            self._shapes[shape] = self._bullet.createCollisionShape(
                physicsClientId=self._client, **_collision_shape(self._bullet, shape)
            )
        return self._shapes[shape]

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


def _collision_shape(bullet: Any, shape: sh.Shape) -> dict[str, Any]:
    if isinstance(shape, sh.Box):
        return {"shapeType": bullet.GEOM_BOX, "halfExtents": [shape.x / 2, shape.y / 2, shape.z / 2]}
    if isinstance(shape, sh.Sphere):
        return {"shapeType": bullet.GEOM_SPHERE, "radius": shape.radius}
    raise NotTranslatable(f"contact of {shape!r}")


def _inertial_pose(body: sh.Body) -> spatial.Pose:
    """The principal axes at the centre of mass, in the body's frame."""
    assert body.properties is not None
    inertia = body.properties.inertia
    if np.count_nonzero(inertia - np.diag(np.diag(inertia))) == 0:
        return spatial.Pose(body.properties.center, spatial.IDENTITY)
    axes = np.linalg.eigh(inertia).eigenvectors
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return spatial.Pose(body.properties.center, spatial.from_matrix(axes))
