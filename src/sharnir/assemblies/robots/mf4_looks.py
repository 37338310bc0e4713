"""What is seen of MF-4: hull, lamps, the joints of its arm, and a gripper."""

from __future__ import annotations

from ...scene.shapes import AnyShape
from ..dressing import DARK, GLASS, STEEL, bar, block, hull, lamp, painted, pipe, plates

GREY, YELLOW = painted("#4c5a63"), painted("#c99a2e")


def chassis() -> tuple[AnyShape, ...]:
    """The hull between the tracks, and the deck above them."""
    outline = ((0.3, 0.11), (0.4, 0.2), (0.32, 0.33), (-0.58, 0.33), (-0.6, 0.16), (-0.54, 0.11))
    lower = plates([(x, y, z) for x, z in outline for y in (-0.19, 0.19)], GREY)
    deck = hull(((-0.6, -0.33, 0.29), (0.36, 0.33, 0.29)), ((-0.56, -0.25, 0.41), (0.26, 0.25, 0.41)), GREY)
    stripes = [
        plates(
            [
                (x + d, s * (y + e), z)
                for d in (-0.04, 0.04)
                for y, z in ((0.323, 0.3), (0.29, 0.35))
                for e in (-0.01, 0.004)
            ],
            YELLOW,
        )
        for x in (-0.5, -0.3, -0.1, 0.1)
        for s in (-1, 1)
    ]  # on the sloping sides
    ring = [pipe((0.15, 0.0, 0.4), (0.15, 0.0, 0.44), 0.13, DARK)]
    battery: list[AnyShape] = [
        block((0.22, 0.34, 0.07), (-0.4, 0.0, 0.44), DARK),
        bar((-0.48, 0.1, 0.49), (-0.32, 0.1, 0.49), 0.008),
    ]
    lamps = [part for y in (-0.14, 0.14) for part in lamp((0.385, y, 0.25), (1.0, 0.0, -0.1), 0.026)]
    antenna = [pipe((-0.54, y, 0.41), (-0.54, y, 0.85), 0.004, DARK) for y in (-0.18, 0.18)]
    return (lower, deck, *stripes, *ring, *battery, *lamps, *antenna)


def turret() -> tuple[AnyShape, ...]:
    """The turret, from its middle."""
    cheeks = [block((0.14, 0.025, 0.16), (0.0, y, 0.05), GREY) for y in (-0.07, 0.07)]
    return (pipe((0, 0, -0.075), (0, 0, 0.0), 0.1, GREY), *cheeks)


def upper() -> tuple[AnyShape, ...]:
    """The upper arm, from its middle: the shoulder's drum, two struts, a cylinder beside them."""
    drum = pipe((-0.21, -0.1, -0.21), (-0.21, 0.1, -0.21), 0.06, DARK)
    struts = [bar((-0.21, y, -0.21), (0.21, y, 0.21), 0.022, YELLOW) for y in (-0.06, 0.06)]
    return (
        drum,
        *struts,
        bar((-0.2, 0.0, -0.13), (0.08, 0.0, 0.15), 0.026, DARK),
        bar((0.08, 0.0, 0.15), (0.18, 0.0, 0.25), 0.012, STEEL),
    )


def fore() -> tuple[AnyShape, ...]:
    """The forearm, from its middle."""
    drum = pipe((-0.275, -0.09, 0.0), (-0.275, 0.09, 0.0), 0.05, DARK)
    return (drum, *(bar((-0.275, y, 0.0), (0.275, y, 0.0), 0.018, YELLOW) for y in (-0.05, 0.05)))


def wrist() -> tuple[AnyShape, ...]:
    """The wrist with its gripper and camera, from its middle."""
    drum = pipe((-0.125, -0.07, 0.0), (-0.125, 0.07, 0.0), 0.038, DARK)
    palm = block((0.03, 0.13, 0.05), (0.05, 0.0, 0.0), DARK)
    fingers = [block((0.1, 0.014, 0.03), (0.11, y, 0.0), STEEL) for y in (-0.055, 0.055)]
    camera: list[AnyShape] = [
        block((0.06, 0.05, 0.035), (0.08, 0.0, 0.045), DARK),
        pipe((0.11, 0, 0.045), (0.125, 0, 0.045), 0.013, GLASS),
    ]
    return (drum, palm, *fingers, *camera)
