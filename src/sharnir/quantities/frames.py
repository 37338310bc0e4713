"""Frames: the raw numbers of a run, one row per recorded instant; quantities are derived from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..model.compile import parameters_of
from ..model.layout import Layout, layout_of
from ..scene.scene import Scene
from ..spatial import IDENTITY, Array


class Raw(NamedTuple):
    """What is copied: an array of a table, what it runs over, and the shape of one item's value."""

    table: str
    array: str
    items: str | None
    shape: tuple[int, ...]
    note: str

    @property
    def is_parameter(self) -> bool:
        """Whether it seldom changes: a copy is kept where it does."""
        return self.table == "model"


# Arrays [frame, item, world, ...].
RAW = {
    "center": Raw("state", "position", "body", (3,), "m, of the centre of mass"),
    "rotation": Raw("state", "rotation", "body", (4,), "of the body's frame"),
    "center_velocity": Raw("state", "velocity", "body", (3,), "m/s, of the centre of mass"),
    "angular_velocity": Raw("state", "spin", "body", (3,), "rad/s, world axes"),
    "twist": Raw("state", "twist", "twist", (), "rad, turns counted"),
    "kick": Raw("memory", "kick_velocity", "body", (3,), "m/s by which a whole step of the frame's forces changes it"),
    "kick_spin": Raw("memory", "kick_spin", "body", (3,), "rad/s likewise, without the gyroscopic torque"),
    "force": Raw("control", "force", "body", (3,), "N from outside at the centre of mass, world axes"),
    "torque": Raw("control", "torque", "body", (3,), "N m from outside, world axes"),
    "effort": Raw("control", "effort", "axis", (), "N or N m from outside"),
    "drive_input": Raw("control", "drive_input", "soft", (), "voltage of a drive or target of a servo"),
    "command": Raw("control", "command", "actuator", (), "of an actuator: N, N m, an opening or an excitation"),
    "coupling_target": Raw("control", "coupling_target", "coupling", (), "rad or m, beside what it keeps"),
    "term_factor": Raw("model", "term_factor", "term", (), "factor of a coordinate in the sum of its coupling"),
    "coupling_gap": Raw("model", "coupling_gap", "coupling", (), "rad or m, by which it may be off"),
    "coupling_offset": Raw("model", "coupling_offset", "coupling", (), "rad or m, what it keeps"),
    "reaction": Raw(
        "memory", "reaction_now", "joint", (3,), "N of the locked axes on body b at its anchor, world axes"
    ),
    "reaction_torque": Raw("memory", "reaction_torque_now", "joint", (3,), "N m likewise"),
    "low_impulse": Raw("memory", "low_impulse", "limit", (), "N s or N m s of the lower limit, >= 0"),
    "high_impulse": Raw("memory", "high_impulse", "limit", (), "of the upper limit, >= 0"),
    "friction_impulse": Raw("memory", "friction_impulse", "friction", (3,), "N s or N m s on body b, world axes"),
    "bristle": Raw("memory", "bristle", "friction", (3,), "m or rad, bend of the bristles, world axes"),
    "stuck": Raw("memory", "sticking", "friction", (), "1: the friction held"),
    "coupling_effort": Raw("memory", "coupling_effort", "coupling", (), "N or N m on a coordinate of factor 1"),
    "coupling_loss": Raw("memory", "coupling_loss", "coupling", (), "N or N m of its losses on its first coordinate"),
    "actuator_effort": Raw("memory", "actuator_effort", "actuator", (), "N or N m"),
    "actuator_a": Raw("memory", "actuator_a", "actuator", (), "Pa beside the start, K or activation"),
    "actuator_b": Raw("memory", "actuator_b", "actuator", (), "Pa beside the start, of chamber b"),
    "catch_impulse": Raw("memory", "catch_impulse", "catch", (), "N s or N m s on the coordinate"),
    "voltage": Raw("work", "voltage", "soft", (), "what each drive was given, -1 to 1"),
    "closing_energy": Raw("work", "closing_energy", "joint", (), "J, in a joint that closes a loop"),
    "contact_force": Raw("work", "touch_force", "body", (3,), "N, all contacts of a body, world axes"),
    "contacts": Raw("work", "contact_count", None, (), "contact points"),
    "rays": Raw("work", "ray_distance", "ray", (), "m"),
    "reading": Raw("sensing", "reading", "sensor", (), "what a sensor reads, in its unit"),
    "beam": Raw("sensing", "beam", "beam", (), "m"),
    "vector_reading": Raw("sensing", "vector", "vector_sensor", (3,), "what a sensor reads, in its unit"),
    "iterations": Raw("report", "iterations", None, (), "of the last step"),
    "residual": Raw("report", "residual", None, (), "N s, largest change of an impulse in the last iteration"),
    "rope_position": Raw("state", "rope_position", "node", (3,), "m"),
    "rope_velocity": Raw("state", "rope_velocity", "node", (3,), "m/s"),
    "rope_rotation": Raw("state", "rope_rotation", "node", (4,), "of the element after the node"),
    "rope_spin": Raw("state", "rope_spin", "node", (3,), "rad/s of the element"),
    "rope_length": Raw("state", "rope_length", "node", (), "m of the element"),
    "rope_slack": Raw("state", "rope_slack", "node", (), "m by which the element is slack"),
    "rope_first": Raw("state", "rope_first", "rope", (), "first node that is not on a drum"),
    "rope_parted": Raw("state", "rope_parted", "node", (), "1: the element is broken"),
    "rope_tension": Raw("memory", "rope_tension", "node", (), "N of the element"),
    "inv_mass": Raw("model", "inv_mass", "body", (), "1/kg; 0 for fixed bodies"),
    "inertia": Raw("model", "inertia", "body", (3, 3), "kg m^2 about the centre of mass, body axes"),
    "gravity": Raw("model", "gravity", None, (3,), "m/s^2"),
    "lower": Raw("model", "lower", "limit", (), "m or rad"),
    "upper": Raw("model", "upper", "limit", (), "m or rad"),
    "dynamic_level": Raw("model", "dynamic_level", "friction", (), "N, N m, or a coefficient"),
    "drive_stall": Raw("model", "drive_stall", "soft", (), "N m"),
    "rope_strength": Raw("model", "rope_strength", "rope", (), "N"),
}

# What a leapfrog step knows of the instant at which it began: arrays of the memory
KNOWN_LATER = {
    "center_velocity": "start_velocity",
    "angular_velocity": "start_spin",
    "kick": "kick_velocity",
    "kick_spin": "kick_spin",
    "reaction": "reaction",
    "reaction_torque": "reaction_torque",
    "coupling_effort": "coupling_effort",
    "coupling_loss": "coupling_loss",
    "actuator_effort": "actuator_effort",
    "rope_velocity": "rope_start_velocity",
    "rope_spin": "rope_start_spin",
}

KICK = ("memory", "kick")
# The arrays of all tables that frames are made of, but for the parameters.
RECORDED = frozenset(
    [(raw.table, raw.array) for raw in RAW.values() if not raw.is_parameter]
    + [("memory", array) for array in KNOWN_LATER.values()]
    + [KICK, ("memory", "mid_velocity"), ("memory", "mid_spin"), ("report", "fault")]
)


@dataclass
class Frames:
    """The instants ``time`` (s) of a run in steps of ``dt`` (s), and what is known of them by the names of ``RAW``.

    ``counted`` are the places of the coordinates whose turns were counted. Impulses and inputs of a frame are those of
    the step that led to it.
    """

    time: Array
    dt: float
    counted: tuple[int, ...]
    out_of_budget: Array  # [frame, world] bool: the wall-clock budget ended the iterations
    raw: Mapping[str, Array]
    is_leapfrog: bool = False  # impulses of a frame act at the poses of the frame before
    scenes: tuple[Scene, ...] = ()  # that of every world, where their numbers differ

    def __getitem__(self, name: str) -> Array:
        return self.raw[name]

    @property
    def shape(self) -> tuple[int, int]:
        """Frames and worlds."""
        frames, worlds = self.raw["residual"].shape
        return frames, worlds

    def of_worlds(self, worlds: Sequence[int]) -> Frames:
        """The frames of some worlds, of which the numbers are alike."""
        chosen = list(worlds)
        raw = {
            name: values[:, chosen] if RAW[name].items is None else values[:, :, chosen]
            for name, values in self.raw.items()
        }
        return replace(self, raw=raw, out_of_budget=self.out_of_budget[:, chosen], scenes=())


def still_frames(scene: Scene, time: Array, worlds: int, dt: float) -> Frames:
    """Frames in which a scene without ropes rests at the origin, with its parameters; to be filled."""
    layout = layout_of(scene)
    given = parameters_of(scene)
    raw = {}
    for name, (table, array, items, shape, _) in RAW.items():
        count = () if items is None else (item_count(layout, items),)
        raw[name] = np.zeros((len(time), *count, worlds, *shape))
        if table == "sensing":
            raw[name][:] = np.nan  # nothing reads them
        if table == "model":
            values = np.asarray(given[array], float)
            raw[name][:] = (values[1:] if items == "body" else values).reshape(*count, 1, *shape)
    raw["rotation"][:] = IDENTITY
    counted = tuple(range(len(layout.coordinates)))
    return Frames(time, dt, counted, np.zeros((len(time), worlds), bool), raw)


def item_count(layout: Layout, items: str) -> int:
    """How many there are of what a raw array runs over."""
    from .registry import OWNERS

    return len(layout.coordinates if items == "twist" else getattr(layout, OWNERS[items]))
