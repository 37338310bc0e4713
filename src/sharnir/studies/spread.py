"""How a number of a study is spread: over a grid, a list of values, or at random. The text form is the only one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError, nearest
from ..spatial import Array

_CALL = re.compile(r"(\w+)\s*\((.*)\)\Z")


@dataclass(frozen=True)
class Spread:
    """One number that varies; ``text`` is as it was written, ``values`` are those of a grid or list (None: random).

    ``quantile`` is the inverse of the cumulative distribution: from shares between 0 and 1 to values.
    """

    text: str
    values: tuple[float, ...] | None = None
    quantile: Callable[[Array], Array] | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value; infinite for a distribution without ends."""
        if self.values is not None:
            return min(self.values), max(self.values)
        assert self.quantile is not None
        low, high = self.quantile(np.array([0.0, 1.0]))
        return float(low), float(high)


def parse_spread(name: str, text: object) -> Spread:
    """The spread of the number ``name`` from its text.

    ``10:30:21`` is a grid, ``1, 2, 5`` a list, ``10:30`` uniform between the two; ``uniform(a, b)``, ``normal(mean,
    deviation)``, ``normal(mean, deviation, low, high)``, ``loguniform(a, b)``, ``lognormal(median, factor)`` and
    ``triangular(low, mode, high)`` are random; ``log(a, b, n)`` is a grid with a constant ratio.
    """
    if isinstance(text, Spread):
        return text
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return _listed(name, (float(text),), f"{text}")
    if isinstance(text, (list, tuple, np.ndarray)):
        values = tuple(_number(name, value) for value in text)
        return _listed(name, values, ", ".join(repr(value) for value in values))
    if not isinstance(text, str):
        raise SceneError(f"'{name}' varies over {text!r}; give a text such as '10:30:21' or 'normal(26, 2)', or a list")
    text = text.strip()
    if called := _CALL.match(text):
        return _called(name, text, called[1], [_number(name, part) for part in called[2].split(",")])
    if ":" in text:
        return _ranged(name, text)
    return _listed(name, tuple(_number(name, part) for part in text.split(",") if part.strip()), text)


def _number(name: str, text: object) -> float:
    try:
        value = float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise SceneError(
            f"'{name}' varies over {str(text).strip()!r}, which is no number; give 10:30:21, 1, 2, 5 or normal(26, 2)"
        ) from None
    if not math.isfinite(value):
        raise SceneError(f"'{name}' varies over {value}; give finite numbers")
    return value


def _listed(name: str, values: tuple[float, ...], text: str) -> Spread:
    if not values:
        raise SceneError(f"'{name}' varies over nothing: '{text}' is empty; give one value or more")
    if len(set(values)) != len(values):
        raise SceneError(f"'{name}' varies over {text}, where a value stands twice; leave one of them out")
    return Spread(text, values)


def _ranged(name: str, text: str) -> Spread:
    parts = [_number(name, part) for part in text.split(":")]
    if len(parts) == 2:
        return _called(name, text, "uniform", parts)
    if len(parts) != 3:
        raise SceneError(f"'{name}' varies over '{text}'; give from:to:how many, such as 10:30:21, or from:to")
    count = parts[2]
    if count != int(count) or count < 1 or (count > 1) == (parts[0] == parts[1]):
        raise SceneError(f"'{name}' varies over '{text}', an empty range; give from:to:how many, such as 10:30:21")
    return Spread(text, tuple(np.linspace(parts[0], parts[1], int(count)).tolist()))


def _called(name: str, text: str, kind: str, given: list[float]) -> Spread:
    counts = {"uniform": (2,), "loguniform": (2,), "normal": (2, 4), "lognormal": (2,), "triangular": (3,), "log": (3,)}
    if kind not in counts:
        raise SceneError(f"'{name}' varies over '{text}': '{kind}' is unknown{nearest(kind, counts)}")
    if len(given) not in counts[kind]:
        raise SceneError(f"'{name}' varies over '{text}'; {kind} takes {' or '.join(map(str, counts[kind]))} numbers")
    if _is_empty(kind, given):
        raise SceneError(f"'{name}' varies over '{text}', an empty range; give the smaller end first")
    if kind in ("log", "loguniform", "lognormal") and min(given[:2]) <= 0.0:
        raise SceneError(f"'{name}' varies over '{text}'; {kind} takes numbers above zero")
    if kind == "normal" and given[1] <= 0.0:
        raise SceneError(f"'{name}' varies over '{text}'; the deviation must be above zero")
    if kind == "log":
        return Spread(text, tuple(np.geomspace(given[0], given[1], int(given[2])).tolist()))
    return Spread(text, None, _quantile(kind, given))


def _is_empty(kind: str, given: list[float]) -> bool:
    if kind == "triangular":
        return not (given[0] <= given[1] <= given[2] and given[0] < given[2])
    ends = {"normal": given[2:], "lognormal": []}.get(kind, given[:2])
    return len(ends) == 2 and ends[0] >= ends[1]


def _quantile(kind: str, given: list[float]) -> Callable[[Array], Array]:
    """The inverse cumulative distributions."""
    if kind == "uniform":
        return lambda u: given[0] + (given[1] - given[0]) * u
    if kind == "loguniform":
        return lambda u: given[0] * (given[1] / given[0]) ** u
    if kind == "triangular":
        low, mode, high = given
        turn = (mode - low) / (high - low)
        up, down = (high - low) * (mode - low), (high - low) * (high - mode)
        return lambda u: np.where(u < turn, low + np.sqrt(u * up), high - np.sqrt((1.0 - u) * down))
    from scipy.special import ndtr, ndtri

    if kind == "lognormal":
        return lambda u: given[0] * given[1] ** ndtri(u)
    mean, deviation = given[:2]
    low, high = ndtr((np.array(given[2:]) - mean) / deviation) if len(given) == 4 else (0.0, 1.0)
    return lambda u: mean + deviation * ndtri(low + (high - low) * u)
