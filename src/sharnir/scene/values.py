"""The numbers a scene is made of, and the checks they pass when they come in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, ClassVar, SupportsFloat, SupportsIndex, TypeVar, get_args

import msgspec
import numpy as np

from .. import spatial
from ..errors import WARNINGS, SceneError, nearest

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Range = tuple[float | None, float | None]
Content = Any  # of JSON and YAML: numbers, texts, truth values, lists, dictionaries, nothing
Plain = dict[str, Content]

LARGEST = 1e12  # m and others: what is larger leaves no digits for the size of a robot
LONGEST_PATH = 1000  # characters; a longer one is no path, and no system opens it

ORIGIN: Vec3 = (0.0, 0.0, 0.0)
UPRIGHT: Quat = (0.0, 0.0, 0.0, 1.0)


Described = TypeVar("Described")


def units(**units: str) -> Mapping[str, str]:
    """Fields of a description with their units, "" where there is none."""
    return MappingProxyType(units)


class Description(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A plain, immutable, typed piece of a scene; everything that a scene file can hold is one.

    A subclass names the numbers that must be ``above_zero``, not below it (``from_zero``), or ``finite``, with their
    units; None passes where a field may be None.
    """

    above_zero: ClassVar[Mapping[str, str]] = units()
    from_zero: ClassVar[Mapping[str, str]] = units()
    finite: ClassVar[Mapping[str, str]] = units()

    def __post_init__(self) -> None:
        """Numpy numbers and rows, and lists, become plain numbers and tuples: what is saved is what was used."""
        for name in self.__struct_fields__:
            given = getattr(self, name)
            plain = _plain(given)
            if plain is not given:
                msgspec.structs.force_setattr(self, name, plain)
        for check, wanted in ((positive, self.above_zero), (not_negative, self.from_zero), (number, self.finite)):
            for name, unit in wanted.items():
                given = getattr(self, name)
                if given is not None or name not in _optional(type(self)):
                    check(given, f"{self.called()} {name}{f' ({unit})' if unit else ''}")

    @classmethod
    def called(cls) -> str:
        """What errors call it."""
        return cls.__name__


@cache
def _optional(kind: type[Description]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(kind) if NoneType in get_args(field.type)}


def as_vec3(values: spatial.Array) -> Vec3:
    """An array as three plain numbers."""
    x, y, z = values
    return (float(x), float(y), float(z))


def as_quat(values: spatial.Array) -> Quat:
    """A row of four numbers as a tuple."""
    x, y, z, w = values.tolist()
    return (x, y, z, w)


def number(value: object, what: str) -> float:
    """A finite float, or an error that names the quantity."""
    try:
        if type(value) not in (float, int) and (
            isinstance(value, (str, bytes)) or not isinstance(value, (SupportsFloat, SupportsIndex))
        ):
            raise TypeError
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise SceneError(f"{what} is {shown(value)}; give a number") from None
    if not math.isfinite(result):
        raise SceneError(f"{what} is {result}; give a finite number")
    return result


def positive(value: object, what: str) -> float:
    """A finite float above zero."""
    result = number(value, what)
    if result <= 0.0:
        raise SceneError(f"{what} is {result:g}; it must be above zero")
    return result


def not_negative(value: object, what: str) -> float:
    """A finite float of at least zero."""
    result = number(value, what)
    if result < 0.0:
        raise SceneError(f"{what} is {result:g}; it must not be negative")
    return result


def whole(value: object, what: str, least: int) -> int:
    """A whole number of at least ``least``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise SceneError(f"{what} is {shown(value)}; give a whole number of at least {least}")
    return int(value)


def one_of(value: object, choices: object, what: str) -> None:
    """Refuse what is not among the texts of a Literal."""
    if value not in get_args(choices):
        raise SceneError(f"{what} is {shown(value)}{nearest(str(value), get_args(choices))}")


def truth(value: object, what: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise SceneError(f"{what} is {shown(value)}; give True or False")
    return value


def file_path(value: object, what: str) -> Path:
    """The path of a file or folder."""
    if not isinstance(value, (str, Path)) or "\0" in str(value) or len(str(value)) > LONGEST_PATH:
        raise SceneError(f"{what} is {shown(value)}; give a path, as text or pathlib.Path")
    return Path(value)


def existing_file(value: object, what: str) -> None:
    """Refuse the path of a file that is not there."""
    if not file_path(value, what).is_file():
        raise SceneError(f"{what}: there is no file '{value}'; check the path")


def vector(value: object, what: str) -> Vec3:
    """Three finite floats."""
    items = _sequence(value, 3, what)
    x, y, z = (number(item, f"{what}[{i}]") for i, item in enumerate(items))
    return (x, y, z)


def place(value: object, what: str) -> Vec3:
    """A point that is not too far away to compute with."""
    result = vector(value, what)
    if max(abs(part) for part in result) > LARGEST:
        raise SceneError(f"{what} is {result}; keep it within {LARGEST:g}")
    return result


def direction(value: object, what: str) -> Vec3:
    """A vector that is not zero; its length does not matter."""
    result = vector(value, what)
    if not 1e-12 <= math.hypot(*result) <= LARGEST:
        raise SceneError(f"{what} is {result}, which has no direction; give a vector that is not zero, nor endless")
    return result


def quaternion(value: object, what: str) -> Quat:
    """A unit quaternion (x, y, z, w); kept to the bit when its norm is 1 to rounding, refused when far from it."""
    items = _sequence(value, 4, what)
    x, y, z, w = (number(item, f"{what}[{i}]") for i, item in enumerate(items))
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if abs(norm - 1.0) > 1e-3:
        raise SceneError(f"{what} is {(x, y, z, w)} with norm {norm:g}; give a unit quaternion (x, y, z, w)")
    if abs(norm - 1.0) > 1e-15:
        return (x / norm, y / norm, z / norm, w / norm)
    return (x, y, z, w)


def bounds(value: object, what: str) -> Range:
    """A (lower, upper) pair with lower <= upper; None leaves that side open."""
    items = _sequence(value, 2, what)
    lower, upper = (None if item is None else number(item, what) for item in items)
    if lower is not None and upper is not None and lower > upper:
        raise SceneError(f"{what} are ({lower:g}, {upper:g}): the lower one is above the upper; swap them")
    return (lower, upper)


def _sequence(value: object, length: int, what: str) -> list[object]:
    is_text = isinstance(value, (str, bytes)) or (isinstance(value, np.ndarray) and value.ndim == 0)
    if is_text or not isinstance(value, (Sequence, np.ndarray)) or len(value) != length:
        raise SceneError(f"{what} is {shown(value)}; give {length} numbers")
    return list(value)


def _plain(value: object) -> object:
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        plain = tuple(_plain(item) for item in value)
        return value if isinstance(value, tuple) and all(a is b for a, b in zip(value, plain, strict=True)) else plain
    return value


def shown(value: object) -> str:
    """A value as an error shows it: not longer than a line."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "an integer of more than 30 digits"
    text = " ".join(repr(value).split())
    if " at 0x" in text:  # what cannot be shown is named by its kind
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def warning_names(what: str, names: object) -> tuple[str, ...]:
    """The names of warnings that are not wanted, or a refusal of what is no such name."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise SceneError(f"{what} is {shown(names)}; give a list of names such as ['open-joint']")
    given = tuple(names)
    for name in given:
        if name not in WARNINGS:
            raise SceneError(f"{what} names a warning {shown(name)} that there is not{nearest(str(name), WARNINGS)}")
    return given


def floats(values: Iterable[float]) -> Any:
    """Numbers of any kind (a numpy row, a list) as a tuple of floats; what is not a number is left for the checks."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        return values
    return tuple(map(_float, values))


def _float(value: object) -> object:
    """A number of any kind as a float; what is not one is left for the checks."""
    try:
        return value if isinstance(value, (str, bytes)) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return value


def described(kind: type[Described], arguments: Plain) -> Described:
    """A description, or settings, by the ``locals()`` of a method whose arguments have the names of its fields."""
    return kind(**{name: arguments[name] for name in kind.__annotations__ if name in arguments})
