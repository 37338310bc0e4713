"""What is seen of KRT-100: its hull, lamps and antenna, the camera's head, the trailer's body and drawbar."""

from __future__ import annotations

from ...scene.shapes import AnyShape
from ..dressing import DARK, GLASS, RED_LIGHT, STEEL, Finish, bar, block, hull, lamp, painted, pipe, plates

OLIVE, KHAKI = painted("#5b6d3c"), painted("#7a8450")
CANVAS = Finish(color="#6d6a4a", roughness=0.95, metalness=0.0)


def chassis() -> tuple[AnyShape, ...]:
    """The robot's hull, about its box."""
    sides = [(x, y, z) for x, z in ((0.46, 0.14), (0.55, 0.24), (0.53, 0.36)) for y in (-0.15, 0.15)]
    lower = plates([*sides, *((-x, y, z) for x, y, z in sides)], OLIVE)
    deck = hull(((-0.54, -0.27, 0.375), (0.54, 0.27, 0.375)), ((-0.5, -0.2, 0.43), (0.42, 0.2, 0.43)), OLIVE)
    skirts = [block((1.08, 0.012, 0.05), (0.0, y, 0.36), OLIVE) for y in (-0.27, 0.27)]
    hatch = [block((0.3, 0.3, 0.05), (-0.28, 0.0, 0.45), OLIVE), block((0.02, 0.12, 0.02), (-0.2, 0.0, 0.48), DARK)]
    vents = [block((0.012, 0.22, 0.012), (-0.38 + 0.03 * i, 0.0, 0.478), DARK) for i in range(4)]
    lamps = [part for y in (-0.1, 0.1) for part in lamp((0.55, y, 0.29), (1.0, 0.0, -0.12), 0.028)]
    rear = [block((0.01, 0.06, 0.03), (-0.548, y, 0.31), RED_LIGHT) for y in (-0.11, 0.11)]
    hangers = [block((0.06, 0.22, 0.07), (x, 0.0, 0.108), OLIVE) for x in (-0.4, 0.0, 0.4)]  # of the lower arms
    bumper = [bar((0.555, -0.13, 0.19), (0.555, 0.13, 0.19), 0.012)]
    hook = [bar((-0.52, y, 0.2), (-0.69, 0.0, 0.2), 0.012) for y in (-0.08, 0.08)]
    antenna = [
        pipe((-0.46, 0.15, 0.43), (-0.46, 0.15, 0.49), 0.012, DARK),
        pipe((-0.46, 0.15, 0.49), (-0.46, 0.15, 0.8), 0.003, DARK),
    ]
    turntable = [pipe((0.25, 0.0, 0.42), (0.25, 0.0, 0.46), 0.075, DARK)]
    return (lower, deck, *skirts, *hatch, *vents, *lamps, *rear, *hangers, *bumper, *hook, *antenna, *turntable)


def mast() -> tuple[AnyShape, ...]:
    """Collars on the mast, from its middle."""
    return (pipe((0, 0, 0.2), (0, 0, 0.25), 0.055, DARK), pipe((0, 0, -0.19), (0, 0, -0.14), 0.052, STEEL))


def camera() -> tuple[AnyShape, ...]:
    """The camera's head, from the middle of its arm."""
    head = [
        block((0.1, 0.16, 0.085), (0.01, 0.0, 0.0), painted("#c9ccc6")),
        block((0.12, 0.17, 0.008), (0.02, 0.0, 0.048)),
    ]
    eyes = [pipe((0.06, y, 0.0), (0.072, y, 0.0), 0.026, GLASS) for y in (-0.042, 0.042)]
    return (*head, *eyes, pipe((-0.075, -0.06, 0.0), (-0.075, 0.06, 0.0), 0.03, DARK))


def trailer() -> tuple[AnyShape, ...]:
    """The trailer's body about its box: a tub with a cover, and the drawbar."""
    tub = hull(((-0.36, -0.13, 0.18), (0.36, 0.13, 0.18)), ((-0.4, -0.17, 0.385), (0.4, 0.17, 0.385)), KHAKI)
    rim = [block((0.82, 0.02, 0.03), (0.0, y, 0.385), KHAKI) for y in (-0.18, 0.18)]
    rim += [block((0.02, 0.36, 0.03), (x, 0.0, 0.385), KHAKI) for x in (-0.41, 0.41)]
    cover = hull(((-0.39, -0.16, 0.39), (0.39, 0.16, 0.39)), ((-0.33, -0.07, 0.46), (0.33, 0.07, 0.46)), CANVAS)
    straps = [
        hull(((x, -0.163, 0.391), (x + 0.02, 0.163, 0.391)), ((x, -0.073, 0.464), (x + 0.02, 0.073, 0.464)), DARK)
        for x in (-0.21, -0.01, 0.19)
    ]
    drawbar = [bar((0.38, y, 0.22), (0.64, 0.0, 0.2), 0.013) for y in (-0.11, 0.11)]
    rear = [block((0.01, 0.06, 0.03), (-0.4, y, 0.33), RED_LIGHT) for y in (-0.12, 0.12)]
    return (tub, *rim, cover, *straps, *drawbar, *rear)
