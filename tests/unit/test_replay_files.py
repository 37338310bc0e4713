"""Frames in a page that plays a run: fewer, rounded to what can be seen, and there again when they are unpacked."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import msgspec
import numpy as np

import sharnir as sh
from sharnir.runtime.frame_bytes import HEADER, layout_of, views
from sharnir.view.export_html import FINEST_PLACE, write_html
from sharnir.view.recording import Recording
from sharnir.view.world import world_of


def test_frames_are_thinned_rounded_and_read_back(tmp_path: Path) -> None:
    scene = sh.Scene("thrown")
    scene.body("ball", sh.Sphere(0.1, mass=1.0))
    layout = layout_of(scene, [], ())
    time = np.arange(121) / 60.0
    frames = np.zeros((len(time), layout.size), np.uint8)
    header, blocks = views(frames, layout)
    header[:, HEADER.index("time")] = time
    blocks["poses"][:, 0, :3] = np.stack([3.0 * time, np.sin(time), 5.0 - 4.9 * time**2], axis=1)
    blocks["velocities"][:, 0, 0] = 1.0 / 3.0 * time
    blocks["pull"][5, 0] = np.inf
    panel = {"groups": [], "keys": [], "axes": [], "diagram": "", "plotted": [], "title": "", "seconds": 10}
    world = world_of(scene) | {"layout": msgspec.to_builtins(layout), "inputs": [], "panel": panel}
    page = write_html(Recording(world, frames, 1 / 60, "", "", []), tmp_path / "run.html").read_text(encoding="utf-8")
    packed = re.search(r'id="frames">([^<]*)<', page)
    about = re.search(r'id="about">(.*?)</script>', page)
    assert packed is not None and about is not None
    told = json.loads(about[1])
    assert told["count"] == 61 and told["every"] == 1 / 30
    raw = np.frombuffer(gzip.decompress(base64.b64decode(packed[1])), np.uint8).reshape(layout.size, 61).T
    back, read = views(np.ascontiguousarray(raw), layout)
    assert np.array_equal(back[:, HEADER.index("time")], time[::2])  # times are not rounded
    assert np.abs(read["poses"] - blocks["poses"][::2]).max() <= 0.5 * FINEST_PLACE + 1e-6
    speeds = blocks["velocities"][::2][1:, 0, 0]
    assert np.abs(read["velocities"][1:, 0, 0] / speeds - 1.0).max() < 2.0**-13
