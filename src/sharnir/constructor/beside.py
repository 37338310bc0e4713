"""Files beside the document that a field may name: meshes, pictures, height fields, robots."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..importing import ROBOT_FILES
from ..scene.values import Plain

MESHES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".dae", ".off", ".3mf")
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
ENDINGS = {
    "mesh": MESHES,
    "picture": PICTURES,
    "heights": (".npy", *PICTURES, ".tif", ".tiff"),
    "robot": (*ROBOT_FILES, ".yaml", ".yml", ".json"),
}
PASSED_OVER = ("node_modules", "__pycache__", "venv")  # folders, beside those whose names begin with a dot
MOST_FILES = 500  # told to a window
MOST_SEEN = 50_000  # entries looked at: a home folder may be large


def files_beside(document: Path, kind: str) -> Plain:
    """The files of a kind in the folder of a document and below it, named from there, nearest first.

    ``more`` tells that there are others, ``endings`` which ones are looked for.
    """
    endings = ENDINGS.get(kind, ())
    folder = document.absolute().parent
    found: list[str] = []
    more = False
    for seen, file in enumerate(_files(folder)):
        if seen >= MOST_SEEN or len(found) >= MOST_FILES:
            more = True
            break
        if file.suffix.lower() in endings and file.name != document.name:
            found.append(file.relative_to(folder).as_posix())
    return {"kind": kind, "files": found, "more": more, "endings": list(endings)}


def _files(folder: Path) -> Iterator[Path]:
    """All files of a folder, then those of the folders in it, by name; links to folders are not followed."""
    waiting = [folder]
    while waiting:
        here = waiting.pop(0)
        try:
            with os.scandir(here) as entries:
                inside = sorted(entries, key=lambda entry: entry.name.lower())
        except OSError:  # a folder that may not be read
            continue
        for entry in inside:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in PASSED_OVER:
                    waiting.append(here / entry.name)
            elif entry.is_file():
                yield here / entry.name
