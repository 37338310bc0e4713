"""A trajectory as a recording: the player shows the numbers of the run."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir import spatial
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


def fallen(ground: bool) -> tuple[float, sh.Trajectory]:
    """The floor of a recording of a rod of 1 m that swings down from the horizontal."""
    scene = sh.Scene("rod")
    if ground:
        scene.ground(height=-3.0)
    rod = scene.body("rod", sh.Box(1.0, 0.1, 0.1, mass=1.0), position=(0.5, 0.0, 0.0))
    scene.joint("hinge", sh.Revolute(axis=(0, 1, 0)), scene.world, rod)
    run = sh.Simulation(scene, dt=0.01).run(0.8)
    return recording_of(scene, run).world["extent"]["floor"], run


def test_what_moves_stays_above_the_grid_of_a_scene_without_ground() -> None:
    floor, run = fallen(ground=False)
    position, rotation = run.data["position"].values[:, 0], run.data["rotation"].values[:, 0]
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.05, 0.05) for z in (-0.05, 0.05)])
    lowest = min((p + spatial.rotate(q, corners))[:, 2].min() for p, q in zip(position, rotation, strict=True))
    assert lowest < -0.9
    assert floor == pytest.approx(lowest, abs=0.02)  # a recording has fewer frames
    assert fallen(ground=True)[0] == -3.0


def test_what_falls_away_falls_through_the_grid() -> None:
    scene = sh.Scene("stone")
    scene.body("stone", sh.Sphere(0.1, mass=1.0))
    run = sh.Simulation(scene, dt=0.01).run(5.0)
    floor = recording_of(scene, run).world["extent"]["floor"]
    assert -2.0 < floor < -0.1
