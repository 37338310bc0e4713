"""Sensors and cameras of a robot's file, put onto the bodies, joints and coordinates of the scene."""

from __future__ import annotations

from collections.abc import Container
from typing import TypeVar

import msgspec
import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.camera import CameraSpec
from ..scene.scene import WORLD, Scene
from ..scene.sensors import SensorSpec
from ..scene.values import Description, Plain
from ..spatial import Pose
from .report import ImportReport
from .tree import Sense, Tree

Placed = TypeVar("Placed", bound=Description)


def add_sensors(
    scene: Scene, tree: Tree, places: dict[str, tuple[str, Pose]], joints: dict[str, str], report: ImportReport
) -> None:
    """Add the sensors and cameras of a tree.

    Links are known by the body that they are part of, with their place in it, in ``places``; ``joints`` by their names
    in the scene.
    """
    for sense in tree.senses:
        kind = "camera" if isinstance(sense.sensor, CameraSpec) else "sensor"
        try:
            name = _free(sense.name, scene.cameras if kind == "camera" else scene.sensors)
            if isinstance(sense.sensor, CameraSpec):
                body, place = places[sense.on]
                if body == WORLD:
                    raise SceneError("stands still in the world; cameras ride on bodies here")
                scene.add_camera(name, _placed(msgspec.structs.replace(sense.sensor, body=body), place))
                continue
            _add_sensor(scene, name, sense, places, joints)
        except SceneError as error:
            report.ignore(sense.where, f"{kind} '{sense.name}'", str(error), "sensing")


def _add_sensor(
    scene: Scene, name: str, sense: Sense, places: dict[str, tuple[str, Pose]], joints: dict[str, str]
) -> None:
    sensor = sense.sensor
    assert not isinstance(sensor, CameraSpec)
    if sensor.carrier == "body":
        body, place = places[sense.on]
        scene.add_sensor(name, SensorSpec(sensor=_placed(sensor, place), on=body))
        return
    if sense.on not in joints:
        raise SceneError(f"sits on the joint '{sense.on}', which welds two links into one body")
    joint = scene.joints[joints[sense.on]]
    if sensor.carrier == "joint":
        scene.add_sensor(name, SensorSpec(sensor=sensor, on=joint.name))
        return
    coordinates = joint.type.coordinates
    if len(coordinates) != 1:
        raise SceneError(f"reads joint '{joint.name}', which is no hinge and no slide")
    scene.add_sensor(name, SensorSpec(sensor=sensor, on=f"{joint.name}.{coordinates[0].name}"))


def _placed(what: Placed, place: Pose) -> Placed:
    """A sensor or a camera of a link in the frame of the link's body."""
    moved: Plain = {}
    if hasattr(what, "position"):
        moved["position"] = tuple(place.point(np.array(what.position)).tolist())
    if hasattr(what, "rotation"):
        moved["rotation"] = tuple(spatial.multiply(place.rotation, np.array(what.rotation)).tolist())
    for name in ("direction", "up"):
        if hasattr(what, name):
            moved[name] = tuple(spatial.rotate(place.rotation, getattr(what, name)).tolist())
    return msgspec.structs.replace(what, **moved)


def _free(name: str, known: Container[str]) -> str:
    stem = free = name.replace(".", "_").replace("/", " ") or "sensor"
    count = 1
    while free in known:
        count += 1
        free = f"{stem} {count}"
    return free
