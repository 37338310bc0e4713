"""A trajectory as a recording: the player shows the numbers of the run."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.runtime.frame_bytes import FrameLayout, views
from sharnir.view.recording import TRAJECTORY_RATE, recording_of


@pytest.fixture(scope="module")
def made():
    scene = sh.Scene("bob on a rope")
    bob = scene.body("bob", sh.Sphere(0.1, mass=1.0), position=(1, 0, 0))
    rope = scene.rope("line", [(0, 0, 0), (1, 0, 0)], elements=5, radius=0.01, density=1000.0, end=sh.Tie(body=bob))
    return scene, bob, rope, sh.Simulation(scene, dt=0.01).run(1.0)


def test_frames_hold_poses_ropes_and_channels(made):
    import msgspec

    scene, bob, rope, run = made
    recording = recording_of(scene, run, ["line tension", "nobody"], [{"time": 1.0, "level": "info", "text": "done"}])
    assert recording.every == pytest.approx(1.0 / TRAJECTORY_RATE, rel=0.2)
    layout = msgspec.convert(recording.world["layout"], FrameLayout)
    header, blocks = views(recording.frames, layout)
    stride = round(recording.every / 0.01)
    np.testing.assert_allclose(header[:, layout.header.index("time")], run.time[::stride])
    np.testing.assert_allclose(blocks["poses"][:, 0, :3], run[bob.position].values[::stride], atol=1e-6)
    np.testing.assert_allclose(blocks["poses"][:, 0, 3:], run[bob.rotation].values[::stride], atol=1e-6)
    np.testing.assert_allclose(blocks["rope line"][..., :3], run.data["node_position"].values[::stride], atol=1e-6)
    names = [channel.name for channel in layout.channels]
    np.testing.assert_allclose(
        blocks["channels"][:, names.index("line tension")], run[rope.highest_tension].values[::stride], rtol=1e-6
    )
    assert recording.world["panel"]["plotted"] == ["line tension"]
    assert recording.events[0]["text"] == "done"
