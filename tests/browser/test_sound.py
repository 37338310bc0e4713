"""What is heard of a run: motors by speed and effort, contact when it begins, wind by speed; off until asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stills import PRESS, Still

import sharnir as sh

HEARD = "(i) => sharnir.view.sound.heard(sharnir.link.at(i), 0)"
PLAYED = """async (i) => {
    const { sound } = sharnir.view;
    sound.play(sharnir.link.at(i), 0);
    await new Promise((done) => setTimeout(done, 600));
    const [{ tone, volume }] = sound.voices;
    const gains = [volume, sound.wind, sound.contact].map(({ gain }) => gain.value);
    return [sound.context.state, tone.frequency.value, ...gains];
}"""


def winch() -> sh.Scene:
    scene = sh.Scene("sound")
    drum = scene.body("drum", sh.Cylinder(0.2, 0.3, mass=10.0), position=(0.0, 0.0, 1.0))
    motor = sh.DcDrive(stall_torque=20.0, idle_speed=30.0, time_constant=0.02, ratio=1.0)
    scene.joint("shaft", sh.Revolute(axis=(0, 0, 1), anchor=(0, 0, 1.0)), scene.world, drum, drive=motor)
    scene.ground()
    return scene


@pytest.fixture
def still(open_still: Callable[..., Still]) -> Still:
    """Stands; runs; runs with all its torque; flies; and lands."""
    weight = 98.1  # N
    standing = {"contacts": [(0.0, 0.0, 0.0, 0.0, 0.0, weight)]}
    runs = {"shaft.angle rate": 10.0}
    frames = [
        standing,
        standing | runs,
        standing | runs | {"shaft.angle effort": 20.0},
        {"velocities": {"drum": (8.0, 0.0, 0.0, 0.0, 0.0, 0.0)}},
        {"contacts": [(0.0, 0.0, 0.0, 0.0, 0.0, 3 * weight)]},
    ]
    return open_still(winch(), frames, ["shaft.angle rate", "shaft.angle effort"])


def test_pitch_loudness_hits_and_wind_follow_from_the_signals(still: Still) -> None:
    still.do("() => (sharnir.view.sound.force = 98.1)")
    stands, runs, pulls, flies, lands = (still.do(HEARD, i) for i in range(5))
    assert [stands["motors"][0]["loud"], stands["hit"], stands["wind"]] == [0, 0, 0]
    assert runs["motors"][0]["pitch"] > 2 * stands["motors"][0]["pitch"] > 0
    assert pulls["motors"][0]["loud"] > 2 * runs["motors"][0]["loud"] > 0
    assert flies["wind"] > 0.05 and flies["hit"] == 0
    assert lands["hit"] > 0.1 and lands["wind"] == 0


def test_it_is_silent_until_it_is_asked_for_and_begins_without_a_bang(still: Still) -> None:
    assert still.do("() => sharnir.view.sound.on") is False
    assert still.do(PRESS, "Sound") == "true"
    assert still.do(HEARD, 0)["hit"] == 0  # what lies on the ground already hits nothing
    state, *heard = still.do(PLAYED, 0)
    assert state == "running" and heard[1:] == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    _, pitch, loud, wind, _ = still.do(PLAYED, 2)
    assert pitch > 400 and loud > 0.05 and wind < 1e-3
    assert still.do(PLAYED, 3)[3] > 0.04
    context = still.page.evaluate_handle("() => sharnir.view.sound.context")
    assert still.do(PRESS, "Sound") == "false"
    assert context.evaluate("(context) => context.state") == "closed"
