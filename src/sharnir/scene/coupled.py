"""What couplings do to each other: coordinates that several of them lock, motions that contradict others.

In the space of the coordinates each coupling is a row of factors c, wherever the bodies are: what follows from these
rows alone is true throughout the motion, and not only at the start.
"""

from __future__ import annotations

import numpy as np

from ..errors import SceneError
from ..spatial import Array
from .couplings import Coupling, Prescribed
from .scene import Scene

NEGLIGIBLE = 1e-9  # of a unit row


def rows_of(couplings: list[Coupling]) -> tuple[list[str], Array]:
    """The coordinates of couplings by label, and their factors as unit rows [coupling, coordinate]."""
    labels = list(dict.fromkeys(label for one in couplings for label in one.labels))
    rows = np.zeros((len(couplings), len(labels)))
    for row, one in zip(rows, couplings, strict=True):
        row[[labels.index(label) for label in one.labels]] = np.array(one.factors) / np.linalg.norm(one.factors)
    return labels, rows


def locked_coordinates(scene: Scene) -> tuple[str, ...]:
    """Coordinates that couplings leave no way to move, by label: two gears of different ratios between two shafts."""
    labels, rows = rows_of([one for one in scene.couplings.values() if not (one.has_play or _is_motion(one))])
    if not labels:
        return ()
    _, sizes, directions = np.linalg.svd(rows)
    free = directions[int(np.sum(sizes > NEGLIGIBLE)) :]
    return tuple(label for label, part in zip(labels, free.T, strict=True) if np.linalg.norm(part) < NEGLIGIBLE)


def check_motions(scene: Scene) -> None:
    """Refuse a prescribed coordinate that follows from other couplings already: two motions cannot both be had."""
    couplings = [one for one in scene.couplings.values() if not one.has_play]
    _, rows = rows_of(couplings)
    for place, one in enumerate(couplings):
        others = np.delete(rows, place, axis=0)
        if not _is_motion(one) or not len(others):
            continue
        shares = np.linalg.lstsq(others.T, rows[place], rcond=None)[0]
        if np.linalg.norm(rows[place] - others.T @ shares) < NEGLIGIBLE:
            names = [c.name for c in couplings if c is not one]
            told = ", ".join(f"'{n}'" for n, s in zip(names, shares, strict=True) if abs(s) > NEGLIGIBLE)
            raise SceneError(
                f"coupling '{one.name}' prescribes '{one.labels[0]}', which is determined by {told} already; leave "
                "one of them out"
            )


def _is_motion(coupling: Coupling) -> bool:
    return isinstance(coupling.type, Prescribed)
