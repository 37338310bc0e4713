"""What is seen of the car: body, cabin, lamps."""

from __future__ import annotations

from ...scene.shapes import AnyShape
from ..dressing import DARK, GLASS, RED_LIGHT, Finish, block, hull, lamp, plates

RED = Finish(color="#9c2f2f", roughness=0.28, metalness=0.35)


def chassis() -> tuple[AnyShape, ...]:
    """The body: a floor between the wheels, doors, fenders over them, bonnet, cabin and bumpers."""
    floor = block((3.3, 1.24, 0.16), (0.08, 0.0, 0.32), DARK)
    tunnel = hull(((-1.66, -0.6, 0.4), (1.84, 0.6, 0.4)), ((-1.66, -0.64, 0.72), (1.84, 0.64, 0.72)), RED)
    doors = [
        hull(((-0.92, 0.7 * s, 0.27), (0.92, 0.8 * s, 0.27)), ((-0.86, 0.7 * s, 0.72), (0.86, 0.85 * s, 0.72)), RED)
        for s in (1, -1)
    ]
    ends = [
        hull(((x, -0.8, 0.34), (x + d, 0.8, 0.34)), ((x, -0.83, 0.72), (x + 0.9 * d, 0.83, 0.72)), RED)
        for x, d in ((1.68, 0.22), (-1.66, -0.12))
    ]
    shoulder = plates(
        [
            (x, s * y, z)
            for x, y, z in (
                (-1.76, 0.82, 0.7),
                (1.87, 0.82, 0.7),
                (-1.7, 0.8, 0.95),
                (0.72, 0.8, 1.04),
                (1.62, 0.76, 0.97),
                (1.84, 0.72, 0.84),
            )
            for s in (1, -1)
        ],
        RED,
    )
    cabin = hull(((-1.5, -0.76, 0.93), (0.92, 0.74, 0.93)), ((-1.02, -0.58, 1.4), (0.28, 0.58, 1.4)), GLASS)
    roof = hull(((-1.05, -0.6, 1.4), (0.3, 0.6, 1.4)), ((-0.98, -0.55, 1.44), (0.2, 0.55, 1.44)), RED)
    bumpers = [block((0.06, 1.5, 0.1), (x, 0.0, 0.45), DARK) for x in (1.89, -1.77)]
    lamps = [part for y in (-0.6, 0.6) for part in lamp((1.885, y, 0.64), (1.0, 0.0, -0.08), 0.075)]
    rear = [block((0.02, 0.24, 0.1), (-1.78, y, 0.66), RED_LIGHT) for y in (-0.62, 0.62)]
    return (floor, tunnel, *doors, *ends, shoulder, cabin, roof, *bumpers, *lamps, *rear)
