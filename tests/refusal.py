"""How bad scenes are refused: in one line that names the thing, the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import sharnir as sh


def refused(*parts: str, action: Callable[[], object]) -> None:
    """The action raises a one-line SceneError whose message has all the parts."""
    with pytest.raises(sh.SceneError) as caught:
        action()
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message
