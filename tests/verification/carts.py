"""A cart of four wheels on hinges without suspension, for verification tests: little more than its closed forms.

Every cart carries drives and brakes, and every scene knows tyres, belts and rolling friction, wanted or not: kernels
are specialised on these, and one that serves every test is compiled once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mechanisms as mech
import numpy as np
import touching

import sharnir as sh
from sharnir import spatial

RADIUS = 0.15  # m
MASS = 40.0  # kg, chassis
WHEEL_MASS = 2.0  # kg
WHEEL_INERTIA = 0.02  # kg m^2, about the axle
TOTAL = MASS + 4 * WHEEL_MASS
PLACES = {"front left": (0.4, 0.3), "front right": (0.4, -0.3), "rear left": (-0.4, 0.3), "rear right": (-0.4, -0.3)}
DRIVE = sh.DcDrive(stall_torque=1.0, idle_speed=300.0, time_constant=0.02, ratio=30.0)
FREE_DRIVE = sh.DcDrive(stall_torque=1e-12, idle_speed=1e6, time_constant=0.0, ratio=1.0)  # turns without effort


@dataclass
class Cart:
    """The scene, the chassis, and wheels and axles by their places."""

    scene: sh.Scene
    chassis: sh.Body
    wheels: dict[str, sh.Body]
    axles: dict[str, sh.Joint]


def cart(
    friction: float = 0.7,
    angle: float = 0.0,
    speed: float = 0.0,
    sideways: float = 0.0,
    brake: float = 0.0,
    drive: sh.DcDrive = FREE_DRIVE,
    tyre: sh.Tyre | None = None,
    center: float | None = None,
) -> Cart:
    """A cart that rolls along x at a ``speed`` (m/s), on a slope that falls towards x at an ``angle`` (rad).

    ``brake`` is the friction of each axle (N m); ``sideways`` (m/s) is added to all velocities. With a ``center`` (m)
    the axles all point at the place (0, center), about which everything turns: the front and rear wheels are steered.
    """
    scene = ground(friction, angle)
    axes = np.array([touching.downhill(angle), [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])  # rows: x, y, up
    yaw = 0.0 if center is None else speed / center
    spin = yaw * axes[2]
    height = RADIUS if tyre is None else RADIUS - TOTAL * mech.GRAVITY * np.cos(angle) / 4 / tyre.stiffness

    def velocity(place: Any) -> Any:
        return speed * axes[0] + sideways * axes[1] + np.cross(spin, place)

    chassis = scene.body(
        "chassis",
        sh.Box(0.8, 0.4, 0.1, mass=MASS, collides=False),
        position=height * axes[2],
        rotation=touching.tilt(angle),
        velocity=velocity(np.zeros(3)),
        angular_velocity=spin,
    )
    wheels, axles = {}, {}
    for name, (x, y) in PLACES.items():
        place = x * axes[0] + y * axes[1] + height * axes[2]
        pointing = axes[1] if center is None else np.sign(center) * (center * axes[1] - x * axes[0] - y * axes[1])
        axle = pointing / np.linalg.norm(pointing)
        rolling = velocity(place) @ np.cross(axle, axes[2])
        turn = spatial.from_matrix(np.stack([np.cross(axle, axes[2]), -axes[2], axle], axis=1))
        wheels[name] = scene.body(
            name,
            sh.Wheel(RADIUS, 0.06, tyre=tyre),
            position=place,
            rotation=turn,
            velocity=velocity(place),
            angular_velocity=spin + rolling / RADIUS * axle,
            mass=WHEEL_MASS,
            inertia=(WHEEL_INERTIA / 2, WHEEL_INERTIA / 2, WHEEL_INERTIA),
        )
        axles[name] = scene.joint(
            f"{name} axle",
            sh.Revolute(axis=tuple(axle), anchor=tuple(place)),
            chassis,
            wheels[name],
            friction=sh.Coulomb(brake),
            drive=drive,
        )
    know_all(scene, "front left axle")
    return Cart(scene, chassis, wheels, axles)


def ground(friction: float, angle: float = 0.0) -> sh.Scene:
    """A plane with a friction that falls towards x at an angle (rad)."""
    scene = sh.Scene("cart")
    scene.material("default", sh.Material(friction=friction))
    scene.material("rolling", sh.Material(friction=friction, rolling_friction=0.01))
    scene.terrain("slope", sh.Plane(), rotation=touching.tilt(angle))
    return scene


def know_all(scene: sh.Scene, sprocket: str) -> None:
    """A post far below that has what the scene may not have: a tyre and a belt."""
    contact = sh.Contact(belt=sh.Belt(sprocket=sprocket, radius=0.1))
    scene.body("post", sh.Wheel(0.1, 0.1, tyre=sh.Tyre()), position=(0, 0, -1e3), fixed=True, contact=contact)
