"""Where the files of a robot lie: meshes, textures, included files; never outside the folders that belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import SceneError
from ..scene.meshes import check_picture
from ..scene.values import LONGEST_PATH

LARGEST_MESH = 256 * 2**20  # bytes
SCHEMES = ("package://", "model://")
LONGEST_NAME = 255  # bytes of a file's or a folder's own name
ANCESTORS = 8  # folders above a robot's file in which its package is looked for


class Places:
    """Finds the files that a robot's file names.

    The robot's own folder and the one above it belong to it (``urdf/`` beside ``meshes/``), and so do the ROS package
    that it lies in and the folders of ``search``. Nothing else is opened.
    """

    def __init__(self, robot: Path, search: Iterable[Path] = ()) -> None:
        self.robot = robot.resolve()
        self.search = [folder.resolve() for folder in search]
        self.package = _package_of(self.robot)
        home = self.robot.parent
        above = home.parent if home.parent not in (Path.home().resolve(), Path(home.anchor)) else home
        self.roots = [above, *([self.package] if self.package else []), *self.search]

    def find(self, name: str, who: str, folder: Path | None = None, most: int = LARGEST_MESH) -> Path:
        """The file of a name, relative to a folder (that of the robot by default); ``who`` asks for it."""
        if not name or "\0" in name or len(name) > LONGEST_PATH:
            raise SceneError(f"{who} names the file '{name[:40]}'; give a path")
        if max(map(len, name.encode().split(b"/"))) > LONGEST_NAME:
            raise FileNotFoundError(f"{name[:40]}...")  # no file system has it, and asking for it is an error
        for path in self._candidates(name.strip(), folder or self.robot.parent):
            try:
                resolved = path.resolve()
            except (OSError, RuntimeError):  # links that lead in a circle
                continue
            if not resolved.is_file():
                continue
            if not any(resolved.is_relative_to(root) for root in self.roots):
                raise SceneError(
                    f"{who} names the file '{name}', which lies outside of the robot's folder '{self.roots[0]}'; "
                    "move it there, or give its folder in search"
                )
            size = resolved.stat().st_size
            if size > most:
                raise SceneError(
                    f"{who} names '{name}' of {size / 2**20:.0f} MiB; at most {most / 2**20:.0f} MiB are read, "
                    "simplify it"
                )
            return resolved
        raise FileNotFoundError(name)

    def picture(self, name: str, who: str, folder: Path | None = None) -> Path:
        """The file of a picture, which is refused if it has too many pixels."""
        found = self.find(name, who, folder)
        try:
            check_picture(found, name)
        except SceneError as error:
            raise SceneError(f"{who} names {error}") from None
        return found

    def _candidates(self, name: str, folder: Path) -> Iterable[Path]:
        for scheme in SCHEMES:
            if name.startswith(scheme):
                package, _, rest = name.removeprefix(scheme).partition("/")
                yield from self._in_package(package, rest)
                return
        plain = name.removeprefix("file://")
        yield folder / plain
        yield self.robot.parent.parent / plain
        for root in self.search:
            yield root / plain.lstrip("/")

    def _in_package(self, package: str, rest: str) -> Iterable[Path]:
        """Folders of the package's name, among the ancestors of the robot's file and in the search path."""
        for root in self.search:
            yield root / package / rest
            if root.name == package:
                yield root / rest
        for ancestor in list(self.robot.parents)[:ANCESTORS]:
            if ancestor.name == package or (ancestor / "package.xml").is_file():
                yield ancestor / rest
            if (ancestor / package).is_dir():
                yield ancestor / package / rest


def _package_of(robot: Path) -> Path | None:
    """The folder of the ROS package that a file lies in: the nearest above it with a package.xml."""
    for ancestor in list(robot.parents)[:ANCESTORS]:
        if (ancestor / "package.xml").is_file():
            return ancestor
    return None
