"""A scene and all the files that it names as one archive, and back; nothing is read or written outside of a folder.

The archive is a ZIP file with ``scene.yaml`` and, in ``files/``, the folders that meshes and pictures come from, so
that a mesh finds its materials beside it. It is the same to the bit whenever it is packed.
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..errors import SceneError
from ..scene.scene import Scene
from ..scene.values import file_path
from . import text as texts
from .scene_file import content_of
from .typed import to_plain

SCENE = "scene.yaml"
FILES = "files"
MOST_FILES = 10_000
MOST_BYTES = 2 * 2**30  # of all files together
LARGEST_TEXT = 64 * 2**20  # bytes of a mesh file that is searched for the names of others
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time that archives give their files: they are the same at any time
OBJ = re.compile(rb"^\s*mtllib\s+(.+?)\s*$", re.MULTILINE)
MTL = re.compile(rb"^\s*(?:map_\w+|bump|disp|norm|refl)\s+(?:-\S+\s+\S+\s+)*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
DAE = re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<]+?)\s*<")


def pack_scene(scene: Scene, path: str | Path) -> Path:
    """Write a scene with all files that it names to one archive, and return its path."""
    path = file_path(path, "pack: the archive")
    folders: dict[Path, str] = {}
    wanted: dict[str, Path] = {}

    def renamed(name: str) -> str:
        file = Path(name).resolve()
        above = file.parent.parent  # a mesh may name a picture in a folder beside its own
        place = folders.setdefault(above, f"{FILES}/{len(folders) + 1}")
        for one in (file, *companions(file)):
            wanted[f"{place}/{one.relative_to(above).as_posix()}"] = one
        return f"{place}/{file.relative_to(above).as_posix()}"

    text = texts.write_yaml(to_plain(content_of(scene, renamed)))
    _check_size(path, [file.stat().st_size for file in wanted.values()])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(SCENE, LONG_AGO), text, zipfile.ZIP_DEFLATED)
        for name, file in sorted(wanted.items()):
            with file.open("rb") as source, archive.open(zipfile.ZipInfo(name, LONG_AGO), "w") as target:
                shutil.copyfileobj(source, target)
    return path


def unpack_scene(path: str | Path, folder: str | Path) -> Path:
    """Write the files of an archive into a folder, which must not hold them yet, and return the scene file's path."""
    path, folder = file_path(path, "unpack: the archive"), file_path(folder, "unpack: the folder")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_entries(path, entries)
            _check_size(path, [entry.file_size for entry in entries])
            for entry in entries:
                _extract(archive, entry, folder)
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise SceneError(f"{path} cannot be unpacked ({error}); pack it again, or give an empty folder") from None
    return folder / SCENE


def _check_entries(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    if SCENE not in [entry.filename for entry in entries]:
        raise SceneError(f"{path} holds no {SCENE}; archives are made by: sharnir pack")
    for entry in entries:
        parts = PurePosixPath(entry.filename).parts
        inside = parts == (SCENE,) or (len(parts) > 2 and parts[0] == FILES)
        kind = entry.external_attr >> 28  # of Unix: 8 is a plain file, 10 a link
        if not inside or ".." in parts or "\\" in entry.filename or ":" in entry.filename or kind not in (0, 8):
            raise SceneError(f"{path} holds '{entry.filename[:100]}', which is no file of a scene; do not trust it")


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    """One file, no longer than the archive says it is."""
    target = folder.joinpath(*PurePosixPath(entry.filename).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as file:
        left = entry.file_size
        while left > 0 and (block := source.read(min(left, 2**20))):
            file.write(block)
            left -= len(block)


def _check_size(path: Path, sizes: list[int]) -> None:
    if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
        raise SceneError(
            f"{path} has {len(sizes)} files of {sum(sizes) / 2**20:.0f} MiB; at most {MOST_FILES} of "
            f"{MOST_BYTES / 2**20:.0f} MiB are packed"
        )


def companions(file: Path) -> list[Path]:
    """The files that a mesh names: materials and pictures, below its own folder or in one beside it."""
    found: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        for name in _named(waiting.pop()):
            one = (file.parent / name).resolve()
            if one.is_file() and one.is_relative_to(file.parent.parent) and one != file and one not in found:
                found[one] = None
                waiting.append(one)
    return list(found)


def _named(file: Path) -> Iterator[str]:
    """The names in a file, as they stand there."""
    kind = file.suffix.lower()
    pattern = {".obj": OBJ, ".mtl": MTL, ".dae": DAE}.get(kind)
    if (pattern is None and kind != ".gltf") or file.stat().st_size > LARGEST_TEXT:
        return
    data = file.read_bytes()
    if pattern is not None:
        yield from (name.decode(errors="replace") for name in pattern.findall(data))
        return
    try:
        document = json.loads(data)
        parts = [*document.get("buffers", []), *document.get("images", [])]
        names = [part.get("uri", "") for part in parts]
    except (ValueError, AttributeError, RecursionError):
        return
    yield from (name for name in names if isinstance(name, str) and name and not name.startswith("data:"))
