"""Mechanisms that several verification tests share, and how to read events off a run."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sh

PAPERS = {"solver": "sequential-impulses", "integrator": "semi-implicit-euler"}
DIRECT = {"solver": "direct", "integrator": "semi-implicit-euler"}
LEAPFROG = {"solver": "direct", "integrator": "leapfrog"}
RK4 = {"solver": "direct", "integrator": "rk4"}

GRAVITY = 9.81
FREE = (0.0, 0.0, 0.0)


def pinned_rod(
    angle: float = 0.0, spin: float = 0.0, gravity: tuple[float, ...] = FREE, **joint: Any
) -> tuple[sh.Scene, sh.Joint]:
    """A rod m = L = 1 pinned at its end, turning about y; at angle 0 it hangs down. I about the pin is 1/3.

    The thickness is small against the length, so that I = 1/3 to 1e-8.
    """
    scene = sh.Scene("pinned rod", gravity=gravity)
    turn = (0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2))
    center = np.array([-np.sin(angle), 0.0, -np.cos(angle)]) / 2
    rod = scene.body(
        "rod",
        sh.Box(1e-4, 1e-4, 1.0, mass=1.0),
        position=center,
        rotation=turn,
        velocity=np.cross([0, spin, 0], center),
        angular_velocity=(0, spin, 0),
    )
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0), drawn_at=angle), scene.world, rod, **joint)
    return scene, pin


def rotor(spin: float = 0.0, **joint: Any) -> tuple[sh.Scene, sh.Joint]:
    """A rotor with I = 1/3 on an axle through its centre of mass, no gravity."""
    scene = sh.Scene("rotor", gravity=FREE)
    body = scene.body("rotor", mass=1.0, inertia=(0.3, 0.3, 1 / 3), angular_velocity=(0, 0, spin))
    axle = scene.joint("axle", sh.Revolute(axis=(0, 0, 1)), scene.world, body, **joint)
    return scene, axle


def slider(mass: float, slope: float = 0.0, gravity: float = GRAVITY, **joint: Any) -> tuple[sh.Scene, sh.Joint]:
    """A block on a straight guide that falls at ``slope`` rad below the horizontal."""
    scene = sh.Scene("slider", gravity=(0, 0, -gravity))
    block = scene.body("block", sh.Box(0.1, 0.1, 0.1, mass=mass))
    guide = scene.joint("guide", sh.Prismatic(axis=(np.cos(slope), 0, -np.sin(slope))), scene.world, block, **joint)
    return scene, guide


def free_or_ball_body(inertia: tuple[float, ...], spin: tuple[float, ...], **joint: Any) -> sh.Scene:
    """A body in a ball joint at its own centre of mass, no gravity."""
    scene = sh.Scene("ball", gravity=FREE)
    body = scene.body("body", mass=1.0, inertia=inertia, angular_velocity=spin)
    scene.joint("ball", sh.Spherical(), scene.world, body, **joint)
    return scene


def values(run: sh.Trajectory, quantity: sh.Quantity) -> Any:
    """A quantity of a run as a numpy array."""
    return run[quantity].values


def times(run: sh.Trajectory) -> Any:
    """The recorded instants, s."""
    return run.data["time"].values


def first_time(run: sh.Trajectory, condition: Any) -> float:
    """The first recorded instant at which a condition holds, s."""
    return float(times(run)[np.argmax(condition)])


def away_from(run: sh.Trajectory, event: float) -> Any:
    """The instants that are further than a step from an event; the leapfrog step is first order within one of it."""
    time = times(run)
    return np.abs(time - event) > 1.01 * (time[1] - time[0])


def turning_points(angle: Any, speed: Any) -> Any:
    """The angles at which the motion reverses; standstill in between does not count twice."""
    moving = np.flatnonzero(np.abs(speed) > 1e-9)
    reverses = np.flatnonzero(np.diff(np.sign(speed[moving])) != 0)
    return angle[moving[reverses]]
