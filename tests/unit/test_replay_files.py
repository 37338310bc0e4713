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
from sharnir.view.export_html import write_html
from sharnir.view.packing import FINEST_PLACE, Coding, packed, place_coding
from sharnir.view.recording import Recording
from sharnir.view.world import world_of


def unpacked(data: bytes, rows: int, columns: int, coding: Coding) -> np.ndarray:
    """What ``static/unpacking.js`` does, written another way."""
    told = np.frombuffer(data, np.uint8).reshape(4, columns, rows).astype(np.uint64)
    signs_last = sum(told[k] << np.uint64(8 * k) for k in range(4)).astype(np.int64)
    changes = np.where(signs_last & 1, -(signs_last >> 1) - 1, signs_last >> 1)
    whole = np.cumsum(np.cumsum(changes, axis=1), axis=1).T
    whole = (whole + 2**31) % 2**32 - 2**31
    if "quantum" in coding:
        return (whole * coding["quantum"]).astype("<f4")
    bits = (np.abs(whole) << coding["dropped"]) | np.where(whole < 0, 2**31, 0)
    return bits.astype("<u4").view("<f4")


def test_tables_come_back_as_rounded() -> None:
    random = np.random.default_rng(4)
    walk = np.cumsum(random.normal(size=(300, 7)), axis=0).astype("<f4")
    coding = place_coding(walk)
    back = unpacked(packed(walk, coding), *walk.shape, coding)
    assert np.abs(back - walk).max() <= 0.5 * FINEST_PLACE
    jumping = (walk * 10.0 ** random.integers(-30, 30, walk.shape)).astype("<f4")
    jumping[3, 2], jumping[4, 2], jumping[5, 3] = np.inf, -np.inf, 0.0
    for dropped, apart in ((0, 0.0), (5, 2.0**-19), (9, 2.0**-15)):
        back = unpacked(packed(jumping, {"dropped": dropped}), *walk.shape, {"dropped": dropped})
        finite = np.isfinite(jumping)
        assert np.array_equal(back[~finite], jumping[~finite])
        assert np.all(np.abs(back[finite] - jumping[finite]) <= apart * np.abs(jumping[finite]))


def test_what_runs_away_is_kept_whole_and_what_is_small_is_finer() -> None:
    assert place_coding(np.array([[1e9]])) == place_coding(np.array([[np.nan]])) == {"dropped": 0}
    assert place_coding(np.array([[1.0]]), radius=100.0) == {"quantum": FINEST_PLACE}
    assert place_coding(np.array([[1e-3]]), radius=0.01)["quantum"] <= 0.01 / 2**14


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
    packed_frames = re.search(r'id="frames">([^<]*)<', page)
    about = re.search(r'id="about">(.*?)</script>', page)
    assert packed_frames is not None and about is not None
    told = json.loads(about[1])
    assert told["count"] == 61 and told["every"] == 1 / 30
    raw = gzip.decompress(base64.b64decode(packed_frames[1]))
    headed = 8 * len(HEADER) * 61
    back = np.frombuffer(raw[:headed], np.uint8).reshape(-1, 61).T.copy().view("<f8")
    assert np.array_equal(back[:, HEADER.index("time")], time[::2])  # times are not rounded
    read, at = {}, headed
    for name, block in layout.blocks.items():
        size = int(np.prod(block.shape))
        read[name] = unpacked(raw[at : at + 4 * size * 61], 61, size, told["codings"][name]).reshape(61, *block.shape)
        at += 4 * size * 61
    assert at == len(raw)
    assert np.abs(read["poses"] - blocks["poses"][::2]).max() <= 0.5 * FINEST_PLACE + 1e-6
    speeds = blocks["velocities"][::2][1:, 0, 0]
    assert np.abs(read["velocities"][1:, 0, 0] / speeds - 1.0).max() < 2.0**-13
