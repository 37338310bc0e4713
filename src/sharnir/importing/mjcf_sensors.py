"""Sensors and cameras of a MuJoCo model: each becomes a sensor of its own name, on the body, joint or coordinate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.camera import CameraSpec
from ..scene.sensors import AnySensor, Encoder, ForceTorque, Imu, PoseSensor, PressurePad, RangeFinder, Tachometer
from ..scene.values import Plain, as_vec3
from ..spatial import Pose
from .report import ImportReport
from .tree import Sense, Tree

BALL = 2  # of mjtGeom: the shape of a site
FAR = 100.0  # m: the reach of a range finder without a cutoff
BODY, XBODY, SITE = 1, 2, 6  # of mjtObj
FIXED_CAMERA = 0  # of mjtCamLight
DERIVED = "is computed from what a simulation has; read it there"


class Sensors:
    """The sensors of a model; ``bodies`` and ``joints`` are names, ``spools`` those of fixed tendons."""

    def __init__(
        self, model: Any, bodies: list[str], joints: dict[int, str], spools: dict[int, str], report: ImportReport
    ) -> None:
        self.model, self.report = model, report
        self.bodies, self.joints, self.spools = bodies, joints, spools

    def add(self, tree: Tree) -> None:
        """All sensors that have a counterpart, and the cameras that ride on bodies."""
        import mujoco

        for i in range(self.model.nsensor):
            kind = mujoco.mjtSensor(int(self.model.sensor_type[i])).name.removeprefix("mjSENS_").lower()
            name = str(self.model.sensor(i).name) or f"{kind} {i}"
            where = f"sensor '{name}'"
            try:
                tree.senses.append(Sense(name, *self._sensor(tree, kind, i, where), where))
                self.report.use(f"sensor {kind}")
            except SceneError as error:
                self.report.ignore(where, kind, str(error), "sensing")
        for i in range(self.model.ncam):
            self._camera(tree, i)

    def _sensor(self, tree: Tree, kind: str, i: int, where: str) -> tuple[AnySensor, str]:
        """What a sensor of a kind is here, and the link or joint that it sits on."""
        obj, what = int(self.model.sensor_objid[i]), int(self.model.sensor_objtype[i])
        if kind in ("jointpos", "jointvel", "tendonpos", "tendonvel", "actuatorpos", "actuatorvel"):
            return (Encoder() if kind.endswith("pos") else Tachometer()), self._coordinate(tree, kind, obj)
        if kind in ("framepos", "framequat", "framelinvel") and int(self.model.sensor_refid[i]) < 0:
            body, pose = self._frame(what, obj)
            return PoseSensor(position=as_vec3(pose.position)), body
        if kind not in ("accelerometer", "gyro", "velocimeter", "force", "torque", "touch", "rangefinder"):
            raise SceneError(DERIVED)
        body, pose = self._frame(what, obj)
        position: Plain = {"position": as_vec3(pose.position)}
        if kind in ("accelerometer", "gyro"):
            return Imu(rotation=tuple(pose.rotation.tolist()), **position), body
        if kind == "velocimeter":
            self.report.repair(where, kind, "reads in its site's axes; now a PoseSensor in the world's", "sensing")
            return PoseSensor(**position), body
        if kind == "rangefinder":
            reach = float(self.model.sensor_cutoff[i]) or FAR
            ahead = spatial.rotate(pose.rotation, (0.0, 0.0, 1.0))
            return RangeFinder(direction=as_vec3(ahead), reach=reach, **position), body
        if kind == "touch":
            radius = float(self.model.site_size[obj].max())
            if self.model.site_type[obj] != BALL:
                self.report.repair(where, "site", f"is no ball; now one of {radius:g} m", "sensing")
            return PressurePad(radius=radius, **position), body
        return ForceTorque(), self._cut(tree, obj, pose, where)

    def _coordinate(self, tree: Tree, kind: str, obj: int) -> str:
        """The joint whose coordinate is read."""
        if kind.startswith("tendon"):
            if obj not in self.spools:
                raise SceneError("reads the length of a tendon that carries nothing")
            return self.spools[obj]
        if kind.startswith("actuator"):
            gear = float(self.model.actuator_gear[obj, 0])
            if self.model.actuator_trntype[obj] not in (0, 1) or gear != 1.0:
                raise SceneError(f"reads an actuator behind a gear of {gear:g}; read its joint")
            obj = int(self.model.actuator_trnid[obj, 0])
        joint = tree.joints[self.joints[obj]]
        if not joint.has_coordinate:
            raise SceneError(f"reads '{joint.name}', which is no hinge and no slide")
        return joint.name

    def _frame(self, kind: int, obj: int) -> tuple[str, Pose]:
        """The body of a site or a body, and the frame in it."""
        model = self.model
        if kind == SITE:
            pose = Pose(model.site_pos[obj].copy(), np.roll(model.site_quat[obj], -1))
            return self.bodies[int(model.site_bodyid[obj])], pose
        if kind == BODY:
            return self.bodies[obj], Pose(model.body_ipos[obj].copy(), np.roll(model.body_iquat[obj], -1))
        if kind == XBODY:
            return self.bodies[obj], Pose(np.zeros(3), spatial.IDENTITY)
        raise SceneError("sits on something that is no body and no site")

    def _cut(self, tree: Tree, site: int, pose: Pose, where: str) -> str:
        """The joint that a force between a body and its parent goes through: a weld is cut at the site."""
        body = self.bodies[int(self.model.site_bodyid[site])]
        held = [joint for joint in tree.joints.values() if joint.child == body]
        if not held or held[0].kind == "floating":
            raise SceneError(f"body '{body}' hangs on nothing, so no force goes through")
        (joint,) = held
        if joint.kind != "fixed":
            why = f"now what the locked axes of '{joint.name}' carry, in its frame"
            self.report.repair(where, "force or torque", why, "sensing")
            return joint.name
        joint.kept, joint.anchor, joint.turn = True, pose.position, pose.rotation
        return joint.name

    def _camera(self, tree: Tree, i: int) -> None:
        model = self.model
        name = str(model.cam(i).name) or f"camera {i}"
        where, body = f"camera '{name}'", int(model.cam_bodyid[i])
        if model.cam_mode[i] != FIXED_CAMERA or model.body_weldid[body] == 0:
            self.report.ignore(where, "camera", "does not ride on a body; the view has cameras of its own", "looks")
            return
        turn, view = np.roll(model.cam_quat[i], -1), math.radians(float(model.cam_fovy[i]))
        spec = CameraSpec(
            body="",
            position=as_vec3(model.cam_pos[i]),
            direction=as_vec3(spatial.rotate(turn, (0.0, 0.0, -1.0))),
            up=as_vec3(spatial.rotate(turn, (0.0, 1.0, 0.0))),
            field_of_view=view,
        )
        tree.senses.append(Sense(name, spec, self.bodies[body], where))
