"""How many prims the layers of a USD stage make, counted before usd-core composes them.

A layer that refers to one twice, which refers to another one twice, and so on, doubles with every line. Each prim is
counted once, with all that it refers to, so that the count takes no longer than the files are long.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SceneError

if TYPE_CHECKING:
    from pxr.Sdf import Layer

MOST_PRIMS = 200_000
Layers = dict[Path, tuple["Layer", dict[str, Path]]]  # by file, with the files of the names in it


def check_prims(layers: Layers, path: Path) -> None:
    """Refuse a stage of too many prims; each layer may be a sublayer of the first."""
    known: dict[tuple[Path, str], int] = {}
    try:
        made = sum(_made(layers, path.resolve(), prim, known) for prim in layers[path.resolve()][0].rootPrims)
    except RecursionError:
        raise SceneError(f"{path}: its prims are nested too deeply; no robot's are") from None
    if made > MOST_PRIMS:
        raise SceneError(f"{path} makes more than {MOST_PRIMS} prims, with all that it refers to; no robot does")


def _made(layers: Layers, file: Path, prim: Any, known: dict[tuple[Path, str], int]) -> int:
    """The prims that one makes, at most: with those in it, in its variants, and in what it refers to."""
    key = (file, str(prim.path))
    if key not in known:
        known[key] = 1  # of one that leads back to itself
        inside = [*prim.nameChildren]
        inside += [variant.primSpec for of in prim.variantSets for variant in of.variants]
        made = 1 + sum(_made(layers, file, one, known) for one in inside)
        made += sum(_made(layers, other, one, known) for other, one in _referred(layers, file, prim))
        known[key] = min(made, 10 * MOST_PRIMS)
    return known[key]


def _referred(layers: Layers, file: Path, prim: Any) -> Iterator[tuple[Path, Any]]:
    """The prims that one takes over, with their files."""
    targets = [
        (str(item.assetPath), str(item.primPath))
        for items in (prim.referenceList, prim.payloadList)
        for item in items.GetAddedOrExplicitItems()
    ]
    for paths in (prim.inheritPathList, prim.specializesList):
        targets += [("", str(path)) for path in paths.GetAddedOrExplicitItems()]
    for name, path in targets:
        other = layers[file][1].get(name)
        if other not in layers:
            continue
        layer = layers[other][0]
        found = layer.GetPrimAtPath(path or f"/{layer.defaultPrim}")
        if found:
            yield other, found
