"""Device functions that are made several times in one kernel, from one definition.

Warp tells functions apart by their qualified names, so that two closures of one factory would be one
function to it.
"""

from collections.abc import Callable
from typing import Any

from ...device import load_warp

wp = load_warp()


def distinct(tag: str) -> Callable[[Any], Any]:
    """``wp.func`` for a function whose name shall end with a tag."""

    def decorate(function: Any) -> Any:
        function.__qualname__ = f"{function.__qualname__}_{tag}"
        return wp.func(function)

    return decorate
