"""A Sharnir scene in Exudyn: rigid bodies with Euler parameters and generic joints that take our axis masks.

Friction and limits are refused: Exudyn's joints have no counterpart of them. Its fast build (no range checks) is used.
"""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.scene.joints import Basis
from sharnir.spatial import Array

from ..contender import BodyStates, NotInstalled, NotTranslatable, moving_bodies

_COORDINATES = ("ODE2Coordinates", "ODE2Coordinates_t", "ODE2Coordinates_tt", "AECoordinates")


def _modules() -> tuple[Any, Any, Any]:
    """Exudyn, its items and its inertia type; quietly, and the fast build where nobody has imported the other one."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import exudyn
            from exudyn import itemInterface, rigidBodyUtilities
    except ImportError:
        raise NotInstalled("exudyn") from None
    exudyn.config.printToConsole = False  # what goes wrong comes as an exception as well
    return exudyn, itemInterface, rigidBodyUtilities.RigidBodyInertia


class ExudynRun:
    """A scene in Exudyn; ``integrator`` "generalized-alpha" (index 3) or "trapezoidal" (index 2), both implicit.

    ``linear_solver`` is the name of one of Exudyn's: its default "EXUdense", "EigenSparse" or "EigenDense".
    ``ignore_singular`` goes on through a singular Jacobian with Exudyn's pseudo-pivots, which redundant rows need.
    ``efforts`` (N m) are constant torques by joint.
    """

    name = "Exudyn"

    def __init__(
        self,
        scene: sh.Scene,
        dt: float,
        integrator: str = "generalized-alpha",
        linear_solver: str = "EXUdense",
        ignore_singular: bool = False,
        efforts: dict[str, float] | None = None,
    ) -> None:
        self._exudyn, self._items, self._inertia = _modules()
        self._dt = dt
        self._container: Any = self._exudyn.SystemContainer()
        self._system: Any = self._container.AddSystem()
        self._ground: Any = self._system.AddObject(self._items.ObjectGround())
        self._centers = {body.name: body.properties.center for body in moving_bodies(scene) if body.properties}
        self._bodies = {body.name: self._add_body(scene, body) for body in moving_bodies(scene)}
        for joint in scene.joints.values():
            self._add_joint(joint)
        for name, torque in (efforts or {}).items():
            self._add_torque(scene.joints[name], torque)
        self._sensors = [self._add_sensor(body) for body in self._bodies.values()]
        self._system.Assemble()
        self._start = self._initial_values()
        self._solver_settings = self._settings(integrator, linear_solver, ignore_singular)
        self.settings = f"{integrator}, {linear_solver}" + (", singular Jacobian ignored" if ignore_singular else "")

    def _settings(self, integrator: str, linear_solver: str, ignore_singular: bool) -> Any:
        settings = self._exudyn.SimulationSettings()
        types = self._exudyn.DynamicSolverType
        solvers = {"generalized-alpha": types.GeneralizedAlpha, "trapezoidal": types.TrapezoidalIndex2}
        settings.timeIntegration.solverType = solvers[integrator]
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        settings.linearSolver.solverType = getattr(self._exudyn.LinearSolverType, linear_solver)
        settings.linearSolver.ignoreSingularJacobian = ignore_singular
        return settings

    def _add_body(self, scene: sh.Scene, body: sh.Body) -> Any:
        assert body.properties is not None
        mass, center, inertia = body.properties
        arm = spatial.rotate(body.pose.rotation, center)
        return self._system.CreateRigidBody(
            name=body.name,
            referencePosition=(body.pose.position + arm).tolist(),
            referenceRotationMatrix=spatial.matrix(body.pose.rotation),
            initialVelocity=(np.array(body.spec.velocity) + np.cross(body.spec.angular_velocity, arm)).tolist(),
            initialAngularVelocity=list(body.spec.angular_velocity),
            inertia=self._inertia(mass=mass, inertiaTensor=inertia, com=np.zeros(3)),
            gravity=list(scene.gravity),
            show=False,
        )

    def _add_joint(self, joint: sh.Joint) -> None:
        if joint.friction or joint.ranges:
            raise NotTranslatable(f"{joint!r} has friction or limits, which Exudyn's joints do not carry")
        if isinstance(joint.type, sh.Strut):
            self._add_spring(joint)
            return
        if joint.type.basis != Basis.FRAME or joint.springs or joint.drives:
            raise NotTranslatable(f"{joint!r} has no counterpart in Exudyn's generic joint")
        ends = [self._marker(joint.a, joint.frame_a), self._marker(joint.b, joint.frame_b)]
        locked = joint.type.locked_translations + joint.type.locked_rotations
        self._system.AddObject(
            self._items.ObjectJointGeneric(
                name=joint.name,
                markerNumbers=[marker for marker, _ in ends],
                constrainedAxes=[int(is_locked) for is_locked in locked],
                rotationMarker0=ends[0][1],
                rotationMarker1=ends[1][1],
            )
        )

    def _add_spring(self, joint: sh.Joint) -> None:
        for spring in joint.springs.values():
            if spring.side != "both" or spring.table is not None or spring.rest is None:
                raise NotTranslatable(f"{joint!r} carries a spring that is not linear")
            self._system.AddObject(
                self._items.ObjectConnectorSpringDamper(
                    name=joint.name,
                    markerNumbers=[
                        self._marker(joint.a, joint.frame_a)[0],
                        self._marker(joint.b, joint.frame_b)[0],
                    ],
                    referenceLength=spring.rest,
                    stiffness=spring.stiffness,
                    damping=spring.damping,
                    force=-spring.preload,
                )
            )

    def _add_torque(self, joint: sh.Joint, torque: float) -> None:
        if joint.a.name in self._bodies or not isinstance(joint.type, sh.Revolute):
            raise NotTranslatable(f"a torque on {joint!r}: only on hinges of the world")
        axis = spatial.rotate((joint.a.pose @ joint.frame_a).rotation, (0.0, 0.0, 1.0))
        marker, _ = self._marker(joint.b, joint.frame_b)
        self._system.AddLoad(self._items.LoadTorqueVector(markerNumber=marker, loadVector=(torque * axis).tolist()))

    def _add_sensor(self, body: Any) -> Any:
        position = self._exudyn.OutputVariableType.Position
        sensor = self._items.SensorBody(bodyNumber=body, outputVariableType=position, storeInternal=True)
        return self._system.AddSensor(sensor)

    def _marker(self, body: sh.Body, frame: spatial.Pose) -> tuple[Any, Any]:
        """A marker at a joint's frame, and that frame's orientation, in the coordinates of the marker's body."""
        if body.name in self._bodies:
            number, place = (
                self._bodies[body.name],
                spatial.Pose(frame.position - self._centers[body.name], frame.rotation),
            )
        else:
            number, place = self._ground, body.pose @ frame
        marker = self._items.MarkerBodyRigid(bodyNumber=number, localPosition=place.position.tolist())
        return self._system.AddMarker(marker), spatial.matrix(place.rotation)

    def _initial_values(self) -> dict[str, Any]:
        data, initial = self._system.systemData, self._exudyn.ConfigurationType.Initial
        return {name: np.array(getattr(data, f"Get{name}")(initial)) for name in _COORDINATES}

    def restart(self) -> None:
        """Back to the start of the scene."""
        data, initial = self._system.systemData, self._exudyn.ConfigurationType.Initial
        for name, values in self._start.items():
            getattr(data, f"Set{name}")(values, initial)

    def path(self, steps: int, samples: int) -> Array:
        """The centres of mass at evenly spaced instants, by sensors: a call per instant would start the scheme anew."""
        recording = self._solver_settings.solution.sensors
        recording.active, recording.writePeriod = True, steps // samples * self._dt
        self.step(steps)
        recording.active = False
        stored = [self._system.GetSensorStoredData(sensor)[1:, 1:] for sensor in self._sensors]
        return np.stack(stored, axis=1)

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call; the next call goes on from there."""
        integration = self._solver_settings.timeIntegration
        integration.numberOfSteps = count
        integration.endTime = count * self._dt
        if not self._system.SolveDynamic(self._solver_settings, updateInitialValues=True, showHints=False):
            raise RuntimeError(f"Exudyn ({self.settings}) did not converge")

    def step_one_by_one(self, count: int) -> None:
        """Make ``count`` steps, one call each."""
        for _ in range(count):
            self.step(1)

    def states(self) -> BodyStates:
        """Where the bodies are now."""
        types = self._exudyn.OutputVariableType
        wanted = (types.Position, types.RotationMatrix, types.Velocity, types.AngularVelocity)
        rows = [[self._output(body, variable) for variable in wanted] for body in self._bodies.values()]
        center, rotation, velocity, spin = (np.array(column) for column in zip(*rows, strict=True))
        return BodyStates(center, np.array([spatial.from_matrix(m.reshape(3, 3)) for m in rotation]), velocity, spin)

    def _output(self, body: Any, variable: Any) -> Any:
        return np.array(self._system.GetObjectOutputBody(body, variable, [0.0, 0.0, 0.0]))
