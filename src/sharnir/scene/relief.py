"""Reliefs: heights as functions of x and y (m), described by a few numbers; added with ``+`` they lie on each other.

Each runs along a ``direction`` (rad, from x towards y): s = x cos(direction) + y sin(direction).
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import SceneError
from ..spatial import Array
from .values import Description, not_negative, number, positive

WAVES = 48  # plane waves that make up a roughness


class Relief(Description, frozen=True, kw_only=True, tag_field="type"):
    """What all reliefs share: the ``direction`` they run along, rad from x."""

    direction: float = 0.0

    def __add__(self, other: Relief | tuple[Relief, ...]) -> tuple[Relief, ...]:
        return (self, *other) if isinstance(other, tuple) else (self, other)

    def __radd__(self, other: tuple[Relief, ...]) -> tuple[Relief, ...]:
        return (*other, self)

    def __call__(self, x: Array, y: Array) -> Array:
        """The height (m) at x and y (m)."""
        return self.profile(np.asarray(x) * math.cos(self.direction) + np.asarray(y) * math.sin(self.direction))

    def profile(self, s: Array) -> Array:
        """The height at s (m) along the direction."""
        raise NotImplementedError

    def checked(self, owner: str) -> Relief:
        """This relief with its numbers checked; the error names the owner."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            check = positive if name in ("length", "tread", "wavelength", "radius", "shortest", "longest") else number
            check(value, f"{owner}: {type(self).__name__} {name}")
        return self


class Ramp(Relief, frozen=True, tag="ramp"):
    """A slope that rises by ``rise`` (m) over ``length`` (m) from ``start`` (m), and stays up."""

    rise: float
    length: float
    start: float = 0.0

    def profile(self, s: Array) -> Array:
        return self.rise * np.clip((s - self.start) / self.length, 0.0, 1.0)


class Stairs(Relief, frozen=True, tag="stairs"):
    """Steps of ``rise`` and ``tread`` (m), ``count`` of them, the first at ``start`` (m); one step is a kerb."""

    rise: float
    tread: float = 1.0
    count: int = 1
    start: float = 0.0

    def profile(self, s: Array) -> Array:
        return self.rise * np.clip(np.floor((s - self.start) / self.tread) + 1.0, 0.0, self.count)


class Sine(Relief, frozen=True, tag="sine"):
    """Waves of ``amplitude`` and ``wavelength`` (m), with a crest at a quarter of it after ``start`` (m)."""

    amplitude: float
    wavelength: float
    start: float = 0.0

    def profile(self, s: Array) -> Array:
        return self.amplitude * np.sin(2.0 * math.pi * (s - self.start) / self.wavelength)


class HalfRound(Relief, frozen=True, tag="half_round"):
    """A bump whose section is half a circle of ``radius`` (m), its middle at ``at`` (m)."""

    radius: float
    at: float = 0.0

    def profile(self, s: Array) -> Array:
        return np.sqrt(np.maximum(self.radius**2 - (s - self.at) ** 2, 0.0))


class Roughness(Relief, frozen=True, tag="roughness"):
    """Random ground: ``rms`` (m) is the root mean square of the height; waves are ``shortest`` to ``longest`` (m) long.

    It is a sum of plane waves in random directions, their height in proportion to their length; the same ``seed``
    gives the same ground, whatever the spacing of the field.
    """

    rms: float
    shortest: float = 0.5
    longest: float = 5.0
    seed: int = 0

    def checked(self, owner: str) -> Relief:
        super().checked(owner)
        not_negative(self.rms, f"{owner}: Roughness rms (m)")
        not_negative(self.seed, f"{owner}: Roughness seed")
        if self.shortest > self.longest:
            raise SceneError(
                f"{owner}: Roughness shortest is {self.shortest:g} m, above longest, {self.longest:g} m; swap them"
            )
        return self

    def __call__(self, x: Array, y: Array) -> Array:
        random = np.random.default_rng(int(self.seed))
        lengths = self.shortest * (self.longest / self.shortest) ** random.uniform(size=WAVES)
        headings, phases = random.uniform(0.0, 2.0 * math.pi, (2, WAVES))
        heights = lengths * (self.rms / math.sqrt(0.5 * float(lengths @ lengths)))  # the square of a sine averages 1/2
        total = np.zeros(np.broadcast(x, y).shape)
        for length, heading, phase, height in zip(lengths, headings, phases, heights, strict=True):
            along = np.asarray(x) * math.cos(heading) + np.asarray(y) * math.sin(heading)
            total = total + height * np.sin(2.0 * math.pi * along / length + phase)
        return total


AnyRelief = Ramp | Stairs | Sine | HalfRound | Roughness
