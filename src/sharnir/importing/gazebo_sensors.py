"""Sensors as Gazebo describes them, in the links and joints of an SDF and in the extensions of a URDF.

White noise of a standard deviation s at a rate f has the density s/sqrt(f).
"""

from __future__ import annotations

import math

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.camera import CameraSpec
from ..scene.sensors import (
    AnySensor,
    ForceTorque,
    Imu,
    Lidar,
    Noise,
    PoseSensor,
    PressurePad,
    RangeFinder,
)
from ..scene.values import Plain, Vec3, as_vec3
from ..spatial import Pose
from .report import ImportReport
from .tree import Sense, from_rpy
from .xml import Node

LIDARS = ("ray", "gpu_ray", "lidar", "gpu_lidar")
CAMERAS = ("camera", "depth", "depth_camera", "rgbd_camera", "wideanglecamera", "multicamera")
USUAL_RATE = 1000.0  # Hz: of a sensor that is read as often as Gazebo steps
MOST_BEAMS = 2000
# children of a sensor that say how Gazebo runs it, not what it measures
RUNNING = ("always_on", "visualize", "topic", "plugin", "enable_metrics", "gz_frame_id", "ignition_frame_id")


def read_sensor(node: Node, on: str, is_joint: bool, report: ImportReport, pose: Pose | None = None) -> Sense | None:
    """A sensor of a link or a joint; None for one that has no counterpart, which is told.

    Its ``pose`` on the link is that of its element unless it is given.
    """
    kind, name = node.get("type"), node.get("name") or on
    for child in node.children:
        if child.tag in RUNNING:
            child.leave(report, "is how Gazebo runs its sensors", "nothing")
    if node.child("update_rate") is not None:
        why = "is read at every step, as a step may not divide it; white noise keeps its density"
        report.ignore(node.where, "update_rate", why, "sensing")
    try:
        made = _of_joint(node, kind) if is_joint else _of_link(node, kind, pose or _pose(node), report)
    except SceneError as error:
        node.leave(report, str(error), "sensing")
        return None
    return Sense(name, made, on, node.where)


def _of_joint(node: Node, kind: str) -> AnySensor:
    if kind not in ("force_torque", "force"):
        raise SceneError(f"a sensor of the kind '{kind[:40]}' has no counterpart on a joint")
    inner, rate = node.child("force_torque"), _rate(node)
    noises = {side: _noise(inner and inner.child(side), rate) for side in ("force", "torque")}
    return ForceTorque(force_noise=noises["force"], torque_noise=noises["torque"])


def _of_link(node: Node, kind: str, pose: Pose, report: ImportReport) -> AnySensor | CameraSpec:
    rate = _rate(node)
    ahead = as_vec3(spatial.rotate(pose.rotation, (1.0, 0.0, 0.0)))
    up = as_vec3(spatial.rotate(pose.rotation, (0.0, 0.0, 1.0)))
    if kind == "imu":
        inner = node.child("imu")
        return Imu(
            position=as_vec3(pose.position),
            rotation=tuple(pose.rotation.tolist()),
            accelerometer=_noise(inner and inner.child("linear_acceleration"), rate),
            gyro=_noise(inner and inner.child("angular_velocity"), rate),
        )
    if kind in LIDARS:
        return _lidar(node, pose, ahead, up, report)
    if kind == "sonar":
        inner = node.child("sonar")
        reach = _number(inner, "max", 10.0)
        return RangeFinder(position=as_vec3(pose.position), direction=ahead, reach=reach)
    if kind in ("contact", "force_torque"):
        return PressurePad()
    if kind in ("gps", "navsat", "altimeter"):
        return PoseSensor(position=as_vec3(pose.position))
    if kind in CAMERAS:
        return _camera(node, pose, ahead, up, report)
    raise SceneError(f"a sensor of the kind '{kind[:40]}' has no counterpart")


def _lidar(node: Node, pose: Pose, ahead: Vec3, up: Vec3, report: ImportReport) -> AnySensor:
    inner = node.child("ray") or node.child("lidar")
    scan = inner and inner.child("scan")
    across, along = scan and scan.child("horizontal"), scan and scan.child("vertical")
    reach = _number(inner and inner.child("range"), "max", 10.0)
    beams = max(1, round(_number(across, "samples", 1.0) * _number(across, "resolution", 1.0)))
    low, high = _number(across, "min_angle", 0.0), _number(across, "max_angle", 0.0)
    if beams > MOST_BEAMS:
        report.repair(node.where, "samples", f"are {beams}; now {MOST_BEAMS}", "sensing")
        beams = MOST_BEAMS
    if _number(along, "samples", 1.0) > 1.0:
        report.ignore(node.where, "vertical samples", "a lidar has one plane of beams here", "sensing")
    middle = spatial.rotate(spatial.about(up, 0.5 * (low + high)), ahead)
    noise = _noise(inner, _rate(node))
    given: Plain = {"position": as_vec3(pose.position), "direction": as_vec3(middle), "reach": reach, "noise": noise}
    if beams == 1:
        return RangeFinder(**given)
    view = min(max(high - low, 1e-3), 2.0 * math.pi)
    return Lidar(beams=beams, up=up, field_of_view=view, **given)


def _camera(node: Node, pose: Pose, ahead: Vec3, up: Vec3, report: ImportReport) -> CameraSpec:
    """Gazebo gives the angle between left and right, ours is that between below and above."""
    inner = node.child("camera")
    picture = inner and inner.child("image")
    across = min(_number(inner, "horizontal_fov", 1.047), 3.0)
    tall = _number(picture, "height", 240.0) / max(_number(picture, "width", 320.0), 1.0)
    report.ignore(node.where, "pictures", "a camera is the console's; nothing records what it sees", "sensing")
    view = 2.0 * math.atan(math.tan(0.5 * across) * tall)
    return CameraSpec(body="", position=as_vec3(pose.position), direction=ahead, up=up, field_of_view=view)


# --- small parts ------------------------------------------------------------------------------------------------------


def _rate(node: Node) -> float:
    return _number(node, "update_rate", 0.0) or USUAL_RATE


def _noise(node: Node | None, rate: float) -> Noise:
    """The noise of a reading, of whose three axes the first holds."""
    if node is None:
        return Noise()
    holder = node.child("x") or node
    if holder is not node:
        for other in ("y", "z"):
            if (axis := node.child(other)) is not None:
                axis.take()
    noise = holder.child("noise")
    if noise is None:
        return Noise()
    noise.get("type")
    if (said := noise.child("type")) is not None:
        said.content()
    spread = abs(_number(noise, "stddev", 0.0))
    bias = _number(noise, "mean", 0.0) + _number(noise, "bias_mean", 0.0)
    return Noise(density=spread / math.sqrt(rate), bias=bias, spread=abs(_number(noise, "bias_stddev", 0.0)))


def _pose(node: Node) -> Pose:
    given = node.child("pose") or node.child("origin")
    if given is None:
        return Pose(np.zeros(3), spatial.IDENTITY)
    if given.tag == "origin":
        return Pose(np.array(given.numbers("xyz", 3, (0, 0, 0))), from_rpy(*given.numbers("rpy", 3, (0, 0, 0))))
    x, y, z, *turn = given.split(given.content(), "pose", 6)
    return Pose(np.array([x, y, z]), from_rpy(*turn))


def _number(node: Node | None, tag: str, default: float) -> float:
    child = None if node is None else node.child(tag)
    return default if child is None or not child.content() else child.parsed(child.content(), tag)
