"""Frames: the raw numbers of a run, as the simulation hands them over, one row per recorded instant."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..spatial import Array


@dataclass
class Frames:
    """Arrays indexed [frame, item, world] (vectors: one more axis), in the order of the scene's ``Layout``.

    Impulses and efforts of frame k are those of the step that led to it; at the first frame they are zero.
    """

    time: Array  # [frame] s
    center: Array  # [frame, body, world, 3] position of the centre of mass, m
    rotation: Array  # [frame, body, world, 4] orientation of the body's frame
    center_velocity: Array  # [frame, body, world, 3] velocity of the centre of mass, m/s
    angular_velocity: Array  # [frame, body, world, 3] rad/s, world axes
    counted: tuple[int, ...]  # the places of the coordinates whose turns the simulation counts
    twist: Array  # [frame, counted coordinate, world] rad
    effort: Array  # [frame, coordinate, world] N or N m from outside
    reaction: Array  # [frame, joint, world, 3] N of the locked axes on body b at its anchor, world axes
    reaction_torque: Array  # [frame, joint, world, 3] N m
    limit_impulse: Array  # [frame, limit, world] N s or N m s, positive towards larger coordinates
    friction_impulse: Array  # [frame, friction, world, 3] on body b, world axes
    stuck: Array  # [frame, friction, world] bool
    voltage: Array  # [frame, soft, world] what each drive was given, -1 to 1
    contact_force: Array  # [frame, body, world, 3] N, all contacts of a body, world axes
    contacts: Array  # [frame, world] number of contact points
    iterations: Array  # [frame, world]
    residual: Array  # [frame, world] largest change of an impulse in the last iteration
    out_of_budget: Array  # [frame, world] bool: the wall-clock budget ended the iterations
    mass: Array  # [body, world] kg; 0 for fixed bodies
    inertia: Array  # [body, world, 3, 3] kg m^2 about the centre of mass, body axes; 0 for fixed bodies
    gravity: Array  # [world, 3] m/s^2
    dt: float  # s
    stall_torque: Array | None = None  # [frame, soft, world] N m of each motor; None: as the scene says
    rays: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))  # [frame, ray, world] m
    ropes: dict[str, Array] = field(default_factory=dict)  # by the names in record/ropes.py
