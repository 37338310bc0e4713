"""A run as data: a trajectory (netCDF, CSV) and a log for robotics tools (MCAP)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..errors import SceneError
from ..record.trajectory import Trajectory
from ..runtime.journal import LoggedRun
from ..runtime.replay import Replay
from ..scene.values import Plain
from ..spatial import Array
from . import mcap_scene
from .recording import Recording

if TYPE_CHECKING:
    from mcap.writer import Writer

Progress = Callable[[int, int], object] | None

POSE_SCHEMA = {
    "type": "object",
    "properties": {
        "transforms": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "timestamp": {"type": "object"},
                    "parent_frame_id": {"type": "string"},
                    "child_frame_id": {"type": "string"},
                    "translation": {"type": "object"},
                    "rotation": {"type": "object"},
                },
            },
        }
    },
}
SIGNAL_SCHEMA = {"type": "object", "additionalProperties": {"type": "number"}}
LOG_SCHEMA = {
    "type": "object",
    "properties": {"timestamp": {"type": "object"}, "level": {"type": "integer"}, "message": {"type": "string"}},
}
LEVELS = {"info": 2, "warning": 3, "alarm": 4}  # as in foxglove.Log; commands are information


def trajectory(run: LoggedRun, progress: Progress = None, source: str | None = None) -> Trajectory:
    """The whole run as a trajectory, every step of it; the time is that of the run, over resets and restores."""
    replay = Replay(run, source)
    recorder = replay.plant.recorder(replay.ticks + 1)
    for plant in replay:
        recorder.capture(plant.tick * run.header.dt)
        if progress is not None and plant.tick % 100 == 0:
            progress(plant.tick, max(replay.ticks, 1))
    return Trajectory.from_frames(replay.plant.scene, recorder.frames(), kernels=replay.plant.simulation.kernels)


def write_csv(recording: Recording, path: Path) -> Path:
    """A table: a row per frame, the inputs and channels as columns, units in the heads."""
    layout = recording.world["layout"]
    inputs, channels = block(recording, "inputs"), block(recording, "channels")
    heads = [f"{given['name']} [{given['unit']}]" for given in recording.world["inputs"]]
    heads += [f"{channel['name']} [{channel['unit']}]" for channel in layout["channels"]]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", *heads])
        for i, row in enumerate(np.concatenate([inputs, channels], axis=1)):
            table.writerow([f"{i * recording.every:.6g}", *(f"{value:.7g}" for value in row)])
    return path


def write_mcap(recording: Recording, path: Path) -> Path:
    """An MCAP file with poses (foxglove.FrameTransforms), shapes and ropes (foxglove.SceneUpdate), signals, inputs and
    the log, all as JSON."""
    try:
        from mcap.writer import Writer
    except ImportError:
        raise SceneError("MCAP files need the package mcap; install it with: pip install 'sharnir[view]'") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="", library="sharnir")
        topics = {
            "poses": ("foxglove.FrameTransforms", POSE_SCHEMA),
            "scene": ("foxglove.SceneUpdate", mcap_scene.SCHEMA),
            "signals": ("sharnir.Signals", SIGNAL_SCHEMA),
            "inputs": ("sharnir.Inputs", SIGNAL_SCHEMA),
            "log": ("foxglove.Log", LOG_SCHEMA),
        }
        channels = {topic: _channel(writer, topic, *described) for topic, described in topics.items()}

        def add(topic: str, seconds: float, content: Plain) -> None:
            now = round(seconds * 1e9)
            writer.add_message(channels[topic], log_time=now, publish_time=now, data=msgspec.json.encode(content))

        for seconds, topic, content in _messages(recording):
            add(topic, seconds, content)
        writer.finish()
    return path


def _channel(writer: Writer, topic: str, schema: str, described: Plain) -> int:
    number = writer.register_schema(name=schema, encoding="jsonschema", data=json.dumps(described).encode())
    return int(writer.register_channel(topic=f"/{topic}", message_encoding="json", schema_id=number))


def _messages(recording: Recording) -> list[tuple[float, str, Plain]]:
    """Everything in the order of time."""
    names = [body["name"] for body in recording.world["bodies"]]
    signals = [channel["name"] for channel in recording.world["layout"]["channels"]]
    inputs = [given["name"] for given in recording.world["inputs"]]
    poses = block(recording, "poses").reshape(len(recording.frames), -1, 7)
    values, given = block(recording, "channels"), block(recording, "inputs")
    found: list[tuple[float, str, Plain]] = [(0.0, "scene", mcap_scene.bodies(recording.world))]
    for i, frame in enumerate(poses.tolist()):
        seconds = i * recording.every
        turns = [_transform(seconds, name, pose) for name, pose in zip(names, frame, strict=True)]
        found.append((seconds, "poses", {"transforms": turns}))
        if recording.world["ropes"]:
            found.append((seconds, "scene", mcap_scene.ropes(recording.world, partial(block, recording), i)))
        found.append((seconds, "signals", dict(zip(signals, values[i].tolist(), strict=True))))
        found.append((seconds, "inputs", dict(zip(inputs, given[i].tolist(), strict=True))))
    for event in recording.events:
        line = {"timestamp": _stamp(event["time"]), "level": LEVELS.get(event["level"], 2), "message": event["text"]}
        found.append((event["time"], "log", line | {"name": recording.world["name"], "file": "", "line": 0}))
    return sorted(found, key=lambda entry: entry[0])


def _transform(seconds: float, name: str, pose: list[float]) -> Plain:
    return {
        "timestamp": _stamp(seconds),
        "parent_frame_id": "world",
        "child_frame_id": name,
        "translation": dict(zip("xyz", pose[:3], strict=True)),
        "rotation": dict(zip("xyzw", pose[3:], strict=True)),
    }


def _stamp(seconds: float) -> dict[str, int]:
    return {"sec": int(seconds), "nsec": round(seconds % 1 * 1e9) % 1_000_000_000}


def block(recording: Recording, name: str) -> Array:
    """A block of all frames, [frame, number]."""
    block = recording.world["layout"]["blocks"][name]
    count = int(np.prod(block["shape"]))
    raw = recording.frames[:, block["offset"] : block["offset"] + 4 * count]
    return np.ascontiguousarray(raw).view("<f4").reshape(len(recording.frames), count)
