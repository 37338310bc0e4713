"""The document's file: read, written in one piece, watched, and a second one that a crash leaves behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import SceneError


class DiskFile:
    """A scene file on disk, and the text that it had when it was last seen."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: str | None = self.read()
        self._stamp = self._stamped()

    @property
    def is_json(self) -> bool:
        """Whether it is JSON."""
        return self.path.suffix.lower() == ".json"

    @property
    def recovery(self) -> Path:
        """Where edits are kept that were not saved."""
        return self.path.with_name(f".{self.path.name}.unsaved")

    def read(self) -> str | None:
        """Its text; None where there is no file yet."""
        try:
            return self.path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise SceneError(f"{self.path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
        except OSError as error:
            raise SceneError(f"{self.path} cannot be read: {error.strerror}; check the path") from None

    def changed(self) -> str | None:
        """The text that somebody else has written since; None where nobody has."""
        stamp = self._stamped()
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        text = self.read()
        if text is None or text == self.seen:
            return None
        return text

    def write(self, text: str) -> None:
        """Write the file, whole or not at all, and drop what was kept of unsaved edits."""
        _write(self.path, text)
        self.seen, self._stamp = text, self._stamped()
        self.recovery.unlink(missing_ok=True)

    def keep(self, text: str) -> None:
        """Keep unsaved edits for after a crash."""
        _write(self.recovery, text)

    def kept(self) -> str | None:
        """Edits that were never saved; None where there are none."""
        try:
            text = self.recovery.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return None if text == self.seen else text

    def forget(self) -> None:
        """Drop unsaved edits."""
        self.recovery.unlink(missing_ok=True)

    def _stamped(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


@contextmanager
def only_builder(path: Path) -> Iterator[Callable[[str], None]]:
    """Hold a file for one builder, and tell others its address; SceneError where another builder holds it.

    Each of two would keep its unsaved edits in the other's place, and drop them with its own. The lock ends with the
    process, however it ends.
    """
    try:
        import fcntl
    except ImportError:  # Windows: whoever opens a file twice has two builders
        yield lambda address: None
        return
    mark = path.with_name(f".{path.name}.open")
    try:
        held = mark.open("a+", encoding="utf-8")
    except OSError:  # a folder that cannot be written; saving will tell
        yield lambda address: None
        return
    with held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.seek(0)
            raise SceneError(
                f"{path} is open in another 'sharnir build'; go on there in the same browser"
                f" ({held.read().strip() or 'its address comes in a moment'}), or end it with Ctrl-C"
            ) from None
        held.truncate(0)

        def tell(address: str) -> None:
            held.write(address)
            held.flush()

        try:
            yield tell
        finally:
            mark.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    """Beside the old file first, so that a crash leaves one of the two."""
    beside = path.with_name(f".{path.name}.writing")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except UnicodeEncodeError as error:
        raise SceneError(f"{path}: it holds {error.object[error.start]!r}, which no file can; rename it") from None
    except OSError as error:
        raise SceneError(f"{path} cannot be written: {error.strerror}; check the folder and its permissions") from None
