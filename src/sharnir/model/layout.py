"""The order in which the items of a scene lie in flat arrays, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..scene.elements.friction_laws import Coulomb, Dahl, LuGre, Stribeck, Viscous
from ..scene.joint import Joint
from ..scene.joints import Coordinate, FreeAxes
from ..scene.scene import Scene
from ..scene.sensors import Reading, Sensor, variable_of
from .catch_rows import catches_of
from .softs import PLACES, softs_of

# What gives the mechanism energy or takes it away.
SOURCES = (
    *("efforts", "forces", "drives", "gears", "dampers", "friction", "limits", "couplings", "actuators", "movers"),
    "catches",
)


@dataclass(frozen=True)
class Layout:
    """Names along the item axis of every array, in scene order.

    On the device the world is body 0, so the body at place i here is body i + 1 there; everything else keeps its place.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    coordinates: tuple[str, ...]  # "hinge.angle": every free coordinate of every joint
    limits: tuple[str, ...]  # the coordinates that have limits
    frictions: tuple[
        str, ...
    ]  # "hinge.angle", "ball.rotation": free axes with dry friction; "hinge.angle gear", "hinge.angle pair"
    couplings: tuple[str, ...]
    terms: tuple[str, ...]  # "gear.hinge.angle": the coordinates of couplings
    softs: tuple[str, ...]  # "hinge.angle": coordinates and axes with springs, dampers or drives
    actuators: tuple[str, ...]  # "lift.displacement": coordinates with actuators
    catches: tuple[str, ...]  # "winch.angle": coordinates with catches
    movers: tuple[str, ...]  # fixed bodies that are moved
    rulers: tuple[str, ...]
    rays: tuple[str, ...]
    readings: tuple[str, ...]  # "encoder.position": single numbers that sensors read
    beams: tuple[str, ...]  # "lidar.0"
    vector_readings: tuple[str, ...]  # "imu.acceleration"
    ropes: tuple[str, ...]
    nodes: tuple[str, ...]  # "cable.0": the nodes of all ropes
    elements: tuple[str, ...]
    sources: tuple[str, ...]  # what gives or takes energy


def coordinates_of(scene: Scene) -> list[tuple[str, Joint, Coordinate]]:
    """Every free coordinate of a scene with its label, in the order of the arrays."""
    return [(f"{j.name}.{c.name}", j, c) for j in scene.joints.values() for c in j.type.coordinates]


def frictions_of(scene: Scene) -> list[tuple[str, Joint, FreeAxes]]:
    """Every set of free axes that carries dry friction with its label, in the order of the arrays."""
    return [
        (f"{j.name}.{axes.name}", j, axes)
        for j in scene.joints.values()
        for axes in j.type.free_axes
        if axes.name in j.friction and not isinstance(j.friction[axes.name], Viscous)
    ]


class FrictionRow(NamedTuple):
    """Something that rubs on free axes of a joint: a friction, the gear of a drive, or a coupling that loses power."""

    label: str
    joint: Joint
    axes: FreeAxes
    soft: int = -1  # soft row of the drive whose gear it is
    coupling: int = -1  # coupling whose loss it is

    @property
    def kind(self) -> str:
        """Which kind of bounded row it is, see ``bound_ranges.py``."""
        return "gear" if self.soft >= 0 else "loss" if self.coupling >= 0 else "friction"


def friction_rows_of(scene: Scene) -> list[FrictionRow]:
    """Dry frictions and, after those of its joint, each gear and coupling that loses power."""
    rows = [FrictionRow(*found) for found in frictions_of(scene)]
    for place, soft in enumerate(softs_of(scene)):
        if soft.motor is not None and soft.motor.loses_power:
            axes = FreeAxes("gear", soft.linear, (soft.column,))
            rows.append(FrictionRow(f"{soft.label} gear", soft.joint, axes, soft=place))
    for place, coupling in enumerate(scene.couplings.values()):
        if coupling.loses_power:
            joint, free = coupling.terms[0]
            linear, column = PLACES[free.kind]
            axes = FreeAxes("loss", linear, (column,))
            rows.append(FrictionRow(f"{coupling.labels[0]} {coupling.name}", joint, axes, coupling=place))
    names = list(scene.joints)
    return sorted(rows, key=lambda row: names.index(row.joint.name))


def dry_friction_of(joint: Joint, axes: FreeAxes) -> Coulomb | Stribeck | LuGre | Dahl:
    """The law of free axes that carry dry friction."""
    law = joint.friction[axes.name]
    assert not isinstance(law, Viscous)
    return law


def readings_of(scene: Scene, variable: str) -> list[tuple[str, Sensor, Reading]]:
    """The readings of a kind with their labels, in the order of the arrays."""
    return [
        (f"{sensor.name}.{reading.name}", sensor, reading)
        for sensor in scene.sensors.values()
        for reading in sensor.readings.values()
        if variable_of(sensor, reading) == variable
    ]


def layout_of(scene: Scene) -> Layout:
    """The layout of a scene."""
    coordinates = coordinates_of(scene)
    read = {name: tuple(row[0] for row in readings_of(scene, name)) for name in ("reading", "beam", "vector_reading")}
    return Layout(
        sources=SOURCES,
        bodies=tuple(scene.bodies),
        joints=tuple(scene.joints),
        coordinates=tuple(label for label, _, _ in coordinates),
        limits=tuple(label for label, joint, coordinate in coordinates if coordinate.name in joint.ranges),
        frictions=tuple(row.label for row in friction_rows_of(scene)),
        couplings=tuple(scene.couplings),
        terms=tuple(f"{c.name}.{label}" for c in scene.couplings.values() for label in c.labels),
        softs=tuple(row.label for row in softs_of(scene)),
        actuators=tuple(row.label for row in softs_of(scene) if row.actuator is not None),
        catches=tuple(row.label for row in catches_of(scene)),
        movers=tuple(name for name, body in scene.bodies.items() if body.spec.moved),
        rulers=tuple(scene.rulers),
        rays=tuple(scene.rays),
        readings=read["reading"],
        beams=read["beam"],
        vector_readings=read["vector_reading"],
        ropes=tuple(scene.ropes),
        nodes=tuple(f"{rope.name}.{i}" for rope in scene.ropes.values() for i in range(rope.elements + 1)),
        elements=tuple(f"{rope.name}.{i}" for rope in scene.ropes.values() for i in range(rope.elements)),
    )
