"""What is seen of the rover: its box, solar panels, mast with cameras, and antenna."""

from __future__ import annotations

from ...scene.shapes import AnyShape
from ..dressing import DARK, GLASS, Finish, bar, block, hull, lamp, painted, pipe

GOLD, WHITE = Finish(color="#b98a45", roughness=0.35, metalness=0.6), painted("#d9dad6")
CELLS: Finish = {"color": "#1d2c4d", "roughness": 0.15, "metalness": 0.4}
PIVOTS = (1.0, 0.3, -0.4)  # m, of the arms; their torsion bars run to the spine


def chassis() -> tuple[AnyShape, ...]:
    """The warm box with what stands on it, and below it what holds arms and torsion bars."""
    box = hull(((-0.46, -0.26, 0.25), (0.44, 0.26, 0.25)), ((-0.5, -0.3, 0.54), (0.5, 0.3, 0.54)), GOLD)
    deck = block((1.02, 0.64, 0.02), (-0.02, 0.0, 0.55), WHITE)
    panels = [block((0.29, 0.42, 0.012), (x, y, 0.575), CELLS) for x in (-0.4, -0.08) for y in (-0.24, 0.24)]
    mast: list[AnyShape] = [
        pipe((0.36, 0.0, 0.55), (0.36, 0.0, 1.0), 0.028, WHITE),
        block((0.09, 0.3, 0.09), (0.37, 0.0, 1.03), WHITE),
    ]
    eyes = [pipe((0.4, y, 1.03), (0.43, y, 1.03), 0.028, GLASS) for y in (-0.1, 0.1)]
    dish: list[AnyShape] = [
        pipe((-0.36, -0.2, 0.56), (-0.36, -0.2, 0.72), 0.012),
        pipe((-0.36, -0.2, 0.72), (-0.35, -0.19, 0.735), 0.12, WHITE),
    ]
    rails = [bar((x, -0.3, 0.22), (x, 0.3, 0.22), 0.02) for x in (-0.35, 0.3)]
    spine: list[AnyShape] = [block((1.5, 0.09, 0.05), (0.3, 0.0, 0.125)), block((0.1, 0.06, 0.1), (0.3, 0.0, 0.19))]
    for x in PIVOTS:
        spine += [block((0.07, 0.1, 0.08), (x, s * 0.34, 0.14)) for s in (-1, 1)]
        spine += [pipe((x, s * 0.28, 0.125), (x, s * 0.45, 0.125), 0.036) for s in (-1, 1)]
    lamps = [part for y in (-0.2, 0.2) for part in lamp((0.495, y, 0.44), (1.0, 0.0, -0.15), 0.026)]
    radio = block((0.14, 0.1, 0.08), (0.2, 0.2, 0.59), DARK)
    return (box, deck, *panels, *mast, *eyes, *dish, *rails, *spine, *lamps, radio)
