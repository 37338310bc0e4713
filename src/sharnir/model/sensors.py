"""Sensors as flat arrays: one item per reading, single numbers first, then beams of lidars, then vectors."""

from __future__ import annotations

import math
import zlib

import numpy as np

from .. import spatial
from ..errors import SceneError
from ..scene.scene import WORLD, Scene
from ..scene.sensors import ReadingKind, Sensor
from .field import Columns, Field, Fields, shared
from .layout import coordinates_of, readings_of

ORDER = ("reading", "beam", "vector_reading")

# The arrays of sensors, see dynamics/sensing.py; the step does not know of the table ``sensing``.
FIELDS: Fields = {
    "model": (
        shared("ray_body", "ray", "int", "body that carries it"),
        shared("ray_place", "ray", "vec3", "m from the body's centre of mass, body's axes"),
        shared("ray_direction", "ray", "vec3", "unit, body's axes"),
        shared("ray_reach", "ray", "real", "m"),
    ),
    "work": (
        # points where shapes touch or are about to; collide
        Field("ray_distance", "ray", "real", "m, of the distance sensors; sense"),
    ),
    "sensing": (
        shared("kind", "sense", "int", "scene.sensors.ReadingKind of the reading"),
        shared("item", "sense", "int", "body, joint or coordinate"),
        shared("twist", "sense", "int", "the coordinate's place among the twists, or -1"),
        shared("place", "sense", "vec3", "m from the body's centre of mass, body's axes"),
        shared("turn", "sense", "quat", "sensor's frame in the body's axes"),
        shared("factor", "sense", "real", "what the reading is multiplied by"),
        shared("resolution", "sense", "real", "of an encoder; 0: none"),
        shared("size", "sense", "real", "m, radius of a pad or reach of a beam"),
        shared("every", "sense", "int", "steps from sample to sample"),
        shared("delay", "sense", "int", "steps until a sample is read"),
        shared("slots", "sense", "int", "samples that are kept"),
        shared("first_slot", "sense", "int", "the first of them"),
        shared("white", "sense", "real", "standard deviation of a sample's white noise"),
        shared("walk", "sense", "real", "standard deviation by which the bias changes from sample to sample"),
        shared("bias", "sense", "real", "constant"),
        shared("spread", "sense", "real", "standard deviation of what is drawn at the start"),
        shared("key", "sense", "int", "seed of the sensor"),
        shared("stream", "sense", "int", "which random numbers are the reading's, by its name"),
        Field("seed", None, "int", "seed of the world"),
        Field("taken", "sense", "int", "samples taken"),
        Field("distance", "sense", "real", "m, of a beam"),
        Field("change", "sense", "vec3", "m/s, of an accelerometer's body: kick_change of the step before"),
        Field("change_spin", "sense", "vec3", "rad/s, likewise"),
        Field("wander", "sense", "vec3", "the bias now"),
        Field("sample", "slot", "vec3", "samples on their way"),
        Field("reading", "reading", "real", "what single numbers read"),
        Field("beam", "beam", "real", "m, what beams of lidars read"),
        Field("vector", "vector_reading", "vec3", "what vectors read"),
    ),
}


def sensor_arrays(scene: Scene, dt: float, twists: tuple[int, ...]) -> tuple[Columns, dict[str, int]]:
    """The arrays of the table ``sensing`` that never change, and the counts of its items; ``dt`` (s) is the step."""
    found = {variable: readings_of(scene, variable) for variable in ORDER}
    rows = [row for variable in ORDER for row in found[variable]]
    bodies = {name: i for i, name in enumerate([WORLD, *scene.bodies])}
    joints = {name: i for i, name in enumerate(scene.joints)}
    labels = [label for label, _, _ in coordinates_of(scene)]
    every = [_steps(sensor, "1/rate", _period(sensor, dt), dt) for _, sensor, _ in rows]
    delay = [_steps(sensor, "delay", sensor.type.delay, dt) for _, sensor, _ in rows]
    slots = [-(-late // each) + 1 for each, late in zip(every, delay, strict=True)]
    ends = np.cumsum([0, *slots])
    period = np.array(every) * dt
    noises = [reading.noise for _, _, reading in rows]
    items = [_item(sensor, bodies, joints, labels) for _, sensor, _ in rows]
    carried = [_centers(sensor) for _, sensor, _ in rows]
    arrays = {
        "kind": [int(reading.kind) for _, _, reading in rows],
        "item": items,
        "twist": [
            twists.index(item) if reading.kind == ReadingKind.COORDINATE and item in twists else -1
            for (_, _, reading), item in zip(rows, items, strict=True)
        ],
        "place": [np.array(reading.place) - center for (_, _, reading), center in zip(rows, carried, strict=True)],
        "turn": [reading.turn for _, _, reading in rows],
        "factor": [reading.factor for _, _, reading in rows],
        "resolution": [reading.resolution for _, _, reading in rows],
        "size": [min(reading.size, 1e9) for _, _, reading in rows],
        "every": every,
        "delay": delay,
        "slots": slots,
        "first_slot": ends[:-1],
        "white": [noise.density / math.sqrt(each) for noise, each in zip(noises, period, strict=True)],
        "walk": [noise.walk * math.sqrt(each) for noise, each in zip(noises, period, strict=True)],
        "bias": [noise.bias for noise in noises],
        "spread": [noise.spread for noise in noises],
        "key": [sensor.type.seed % 2**31 for _, sensor, _ in rows],
        "stream": [zlib.crc32(label.encode()) % 2**31 for label, _, _ in rows],
    }
    counts = {variable: len(found[variable]) for variable in ORDER}
    return arrays, counts | {"sense": len(rows), "slot": int(ends[-1])}


def _period(sensor: Sensor, dt: float) -> float:
    return dt if sensor.type.rate is None else 1.0 / sensor.type.rate


def _steps(sensor: Sensor, what: str, seconds: float, dt: float) -> int:
    """A time as a number of steps, or a refusal of one that is none."""
    steps = round(seconds / dt)
    if abs(steps * dt - seconds) > 1e-6 * dt * max(steps, 1) or (what != "delay" and steps < 1):
        near = max(steps, 0 if what == "delay" else 1) * dt
        other = "" if what == "delay" else f", a rate of {1 / near:g} Hz"
        raise SceneError(
            f"sensor '{sensor.name}': its {what} is {seconds:g} s and the step {dt:g} s; "
            f"give a multiple of the step, such as {near:g} s{other}"
        )
    return steps


def _item(sensor: Sensor, bodies: dict[str, int], joints: dict[str, int], labels: list[str]) -> int:
    known: dict[str, int] | None = {"body": bodies, "joint": joints}.get(sensor.type.carrier)
    return int(labels.index(sensor.spec.on) if known is None else known[sensor.spec.on])


def _centers(sensor: Sensor) -> spatial.Array:
    """Where the centre of mass is in the frame that places are given in."""
    return np.asarray(sensor.on.center) if sensor.type.carrier == "body" else np.zeros(3)


def ray_arrays(scene: Scene) -> Columns:
    """The model's fields of the scene's rays."""
    place = {name: i for i, name in enumerate([WORLD, *scene.bodies])}
    rays = [ray.spec for ray in scene.rays.values()]
    centers = [(scene.world if ray.body == WORLD else scene.bodies[ray.body]).center for ray in rays]
    return {
        "ray_body": [place[ray.body] for ray in rays],
        "ray_place": [np.array(ray.position) - center for ray, center in zip(rays, centers, strict=True)],
        "ray_direction": [np.array(ray.direction) / np.linalg.norm(ray.direction) for ray in rays],
        "ray_reach": [ray.reach for ray in rays],
    }
