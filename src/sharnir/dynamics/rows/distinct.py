"""Device functions that are made several times in one kernel, from one definition.

Warp tells functions apart by their qualified names, so that two closures of one factory would be one
function to it.
"""

from collections.abc import Callable
from typing import Any

from ...device import load_warp

wp = load_warp()


Device = Callable[..., Any]  # a device function, or what makes one of a Python function


def distinct(tag: str) -> Device:
    """``wp.func`` for a function whose name shall end with a tag."""

    def decorate(function: Device) -> Device:
        function.__qualname__ = f"{function.__qualname__}_{tag}"
        return wp.func(function)

    return decorate
