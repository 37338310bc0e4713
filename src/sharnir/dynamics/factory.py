"""What every file of device code begins with: Warp, the types of its tables, and how it hands out its functions.

Device functions depend on the precision and on the features of a scene, so a file has a factory, which makes them
once for each of both, as closures, and hands out all that it has made:

    @factory
    def make_pair(p: Precision, features: Features) -> Made:
        func = functions(p)

        @func
        def load(work, b: int, world: int) -> Pair:
            ...

        return locals()

    pair = make_pair(p, features)       # and in a device function: pair.load(...)

A parameter called ``model``, ``state``, ``control``, ``memory``, ``work``, ``report``, ``settings``, ``reading`` or
``sensing`` is the table of that name (``model/fields.py``); its type is not written again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial, wraps
from inspect import signature
from types import SimpleNamespace
from typing import Any

from ..device import load_warp
from ..model.features import Features
from ..model.fields import references, structs
from ..model.precision import Precision

__all__ = [
    "Device",
    "Features",
    "Made",
    "Precision",
    "factory",
    "functions",
    "large_functions",
    "references",
    "structs",
    "wp",
]

wp = load_warp()

Device = Any  # a device function, a kernel or a struct, which only Warp knows
Made = dict[str, Device] | None  # device functions, structs and what they share, by name; None where a scene needs none


class Nothing(SimpleNamespace):
    """The null object for device functions that a scene does not need: making hundreds of them takes a second.

    Every function by name is None; the branches that would call it are left out by ``wp.static``.
    """

    def __getattr__(self, name: str) -> None:
        if name.startswith("_"):  # by such names Warp asks whether it is a number
            raise AttributeError(name)


def factory(make: Callable[..., Made]) -> Callable[..., SimpleNamespace]:
    """A function that makes device functions, so that it makes them once and hands them out by name."""

    @cache
    @wraps(make)
    def made(*precision_and_features: object) -> SimpleNamespace:
        names = make(*precision_and_features)
        return Nothing() if names is None else SimpleNamespace(**names)

    return made


def functions(p: Precision, tag: str = "") -> Device:
    """``wp.func`` for device functions that call their tables by name.

    Warp tells functions apart by their qualified names, so that two closures of one factory would be one function to
    it: where one definition is made several times in a kernel, each has a tag.
    """
    return partial(_device_function, structs(p), tag)


def large_functions(p: Precision) -> Device:
    """The same for those that are too large to be inlined where they are called: by reference, see ``fields.py``."""
    return partial(_device_function, references(p), "")


def _device_function(tables: SimpleNamespace, tag: str, function: Callable[..., object]) -> Device:
    types = vars(tables) | function.__annotations__
    function.__annotations__ = {
        name: types[name] for name in (*signature(function).parameters, "return") if name in types
    }
    if tag:
        function.__qualname__ = f"{function.__qualname__}_{tag}"
    return wp.func(function)
