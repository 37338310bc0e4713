"""Units of signals: SI only, multiplied and divided as blocks do, compared by their dimensions.

A radian counts as 1, so that rad/s times a radius is m/s.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from ..errors import SceneError, nearest

Exponents = dict[str, Fraction]

# Exponents of m, kg, s, A, K.
DIMENSIONS: dict[str, tuple[int, int, int, int, int]] = {
    "m": (1, 0, 0, 0, 0),
    "kg": (0, 1, 0, 0, 0),
    "s": (0, 0, 1, 0, 0),
    "A": (0, 0, 0, 1, 0),
    "K": (0, 0, 0, 0, 1),
    "rad": (0, 0, 0, 0, 0),
    "Hz": (0, 0, -1, 0, 0),
    "N": (1, 1, -2, 0, 0),
    "J": (2, 1, -2, 0, 0),
    "W": (2, 1, -3, 0, 0),
    "Pa": (-1, 1, -2, 0, 0),
    "V": (2, 1, -3, -1, 0),
    "ohm": (2, 1, -3, -2, 0),
}
_FACTOR = re.compile(r"([A-Za-z]+)(?:\^(-?\d+(?:\.5)?))?")


@cache
def _parsed(unit: str) -> tuple[tuple[str, Fraction], ...]:
    over, _, under = unit.partition("/")
    powers: Exponents = {}
    for text, sign in ((over, 1), (under.strip().removeprefix("(").removesuffix(")"), -1)):
        for word in text.split():
            if word == "1":
                continue
            match = _FACTOR.fullmatch(word)
            if match is None or match[1] not in DIMENSIONS:
                hint = nearest(word, DIMENSIONS)
                raise SceneError(f"unit '{unit}': '{word}' is not known{hint} (write them as in N m, rad/s or kg m^2)")
            powers[match[1]] = powers.get(match[1], Fraction(0)) + sign * Fraction(match[2] or 1)
    return tuple((symbol, power) for symbol, power in powers.items() if power)


@cache
def dimension(unit: str) -> tuple[Fraction, ...]:
    """The exponents of m, kg, s, A and K."""
    total = [Fraction(0)] * 5
    for symbol, power in _parsed(unit):
        for i, exponent in enumerate(DIMENSIONS[symbol]):
            total[i] += power * exponent
    return tuple(total)


def same_unit(a: str, b: str) -> bool:
    """Whether two units may be added."""
    return dimension(a) == dimension(b)


def checked_unit(unit: str, what: str) -> str:
    """A unit that can be read, or an error that names what carries it."""
    try:
        dimension(unit)
    except SceneError as error:
        raise SceneError(f"{what}: {error}") from None
    return unit


def product(a: str, b: str, power: Fraction | int = 1) -> str:
    """The unit of a times b to a power."""
    total: Exponents = dict(_parsed(a))
    for symbol, exponent in _parsed(b):
        total[symbol] = total.get(symbol, Fraction(0)) + power * exponent
    return _written(total)


def _written(powers: Exponents) -> str:
    over = " ".join(_factor(symbol, power) for symbol, power in powers.items() if power > 0)
    under = " ".join(_factor(symbol, -power) for symbol, power in powers.items() if power < 0)
    if not under:
        return over or "1"
    return f"{over or '1'}/{f'({under})' if ' ' in under else under}"


def _factor(symbol: str, power: Fraction) -> str:
    if power == 1:
        return symbol
    return f"{symbol}^{int(power) if power.denominator == 1 else float(power)}"
