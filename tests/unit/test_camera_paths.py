"""Ways of a camera through a video: what a file may say, and what is said of what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

import sharnir as sh
from sharnir.view.camera_path import Key, camera_path


def test_a_path_is_a_word_a_file_or_keys(tmp_path: Path) -> None:
    assert camera_path("around").rows is None
    file = tmp_path / "way.json"
    file.write_text(
        '[{"time": 0, "eye": [3, -4, 2], "target": [0, 0, 0.5]}, {"time": 2, "eye": [1, 1, 1], "target": [0, 0, 0]}]'
    )
    rows = [[0.0, 3.0, -4.0, 2.0, 0.0, 0.0, 0.5], [2.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]]
    assert camera_path(str(file)).rows == rows
    assert camera_path([Key(row[0], (row[1], row[2], row[3]), (row[4], row[5], row[6])) for row in rows]).rows == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "there are 0 places; give at least two"),
        ('[{"time": 0, "eye": [1, 2], "target": [0, 0, 0]}]', "length 3"),
        ("not json", "give a list such as"),
        (
            '[{"time": 1, "eye": [1, 2, 3], "target": [0, 0, 0]}, {"time": 1, "eye": [1, 2, 3], "target": [0, 0, 0]}]',
            "place 2: its time is 1 s, not after",
        ),
        (
            '[{"time": 0, "eye": [1, 2, 3], "target": [0, 0, 0]}, {"time": 1, "eye": [0, 0, 0], "target": [0, 0, 0]}]',
            "the camera looks nowhere",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "way.json"
    file.write_text(text)
    with pytest.raises(sh.SceneError, match=said):
        camera_path(str(file))
    with pytest.raises(sh.SceneError, match="cannot be read"):
        camera_path(str(tmp_path / "none.json"))
