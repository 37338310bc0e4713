"""The document: a scene file being edited, with its history. All editors of all windows write to this one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import SceneError
from ..files.text import TextError
from ..scene.values import Plain
from .patch import Operation, apply_all, clashes, difference, same
from .rewriting import SceneText

EMPTY = "sharnir: 1\nname: scene\n"
TEXT_EDIT = "Edit the text"


class Refused(Exception):
    """An edit that was not made, in words for the one who made it."""


@dataclass(frozen=True)
class Edit:
    """One edit: what was done, what undoes it, and the text that the words around the data come from."""

    label: str
    operations: list[Operation]
    inverse: list[Operation]
    before: SceneText
    after: SceneText
    typing: bool = False  # one of several that are undone together: a number that is being typed


@dataclass(frozen=True)
class Change:
    """What has happened to the document: its new revision, and the operations that led to it."""

    revision: int
    operations: list[Operation]


class SceneDocument:
    """Plain data with a revision, edits by operations, undo and redo without end, and the text that says it."""

    def __init__(self, text: str = EMPTY, is_json: bool = False) -> None:
        self._base = _parsed(text, is_json)
        self.data: Plain = copy.deepcopy(self._base.data)
        self.revision = 0
        self._entries: list[Edit] = []
        self._done = 0  # of the entries; the others were undone
        self._saved: Edit | None = None
        self._log: list[tuple[list[Operation], object]] = []  # by revision, with who has made them

    # --- what there is ----------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The document as the text of a file."""
        return self._base.saying(self.data)

    @property
    def undo_label(self) -> str | None:
        """What would be undone."""
        return self._entries[self._done - 1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """What would be done again."""
        return self._entries[self._done].label if self._done < len(self._entries) else None

    @property
    def saved(self) -> bool:
        """Whether the file has all that was done."""
        return self._last is self._saved

    @property
    def _last(self) -> Edit | None:
        return self._entries[self._done - 1] if self._done else None

    def mark_saved(self) -> None:
        """The file has it now."""
        self._saved = self._last

    # --- edits ------------------------------------------------------------------------------------------------------

    def edit(
        self,
        label: str,
        operations: Sequence[Operation],
        revision: int | None = None,
        typing: bool = False,
        by: object = None,
    ) -> Change:
        """Make an edit that was thought of at a ``revision``; Refused where another edit of since is in its way.

        A window does not stand in its own way: what it has sent before is its own, told ``by`` whom. While somebody
        is ``typing``, edits of one label go into one step of the history.
        """
        if revision is not None and not 0 <= revision <= self.revision:
            raise Refused(f"the edit is for revision {revision}; the document is at {self.revision}: load it again")
        later = [] if revision is None else self._log[revision:]
        since = [one for made, author in later if by is None or author is not by for one in made]
        try:
            if met := clashes(operations, since):
                raise Refused(
                    f"'{label}' was not done: another window has just changed {met[0]}; look at it and try again"
                )
            inverse = apply_all(self.data, operations)
        except SceneError as error:
            raise Refused(f"'{label}' was not done: {error}") from None
        entry = Edit(label, copy.deepcopy(list(operations)), inverse, self._base, self._base, typing)
        last = self._last
        if typing and last is not None and last.typing and last.label == label and last is not self._saved:
            self._done -= 1
            both = Edit(
                label, last.operations + entry.operations, inverse + last.inverse, last.before, entry.after, True
            )
            return self._did(both, entry.operations, by)
        return self._did(entry, by=by)

    def edit_text(self, text: str, label: str = TEXT_EDIT) -> Change | None:
        """Take a text for the document's; None where it says the same in the same words. TextError as files give it."""
        if text == self.text:
            return None
        new = _parsed(text, self._base.is_json)
        operations = difference(self.data, new.data)
        entry = Edit(label, operations, apply_all(self.data, operations), self._base, new)
        self._base = new
        return self._did(entry)

    def undo(self) -> Change | None:
        """Take back the last edit that was not taken back yet."""
        if not self._done:
            return None
        self._done -= 1
        entry = self._entries[self._done]
        self._base = entry.before
        apply_all(self.data, entry.inverse)
        return self._changed(entry.inverse)

    def redo(self) -> Change | None:
        """Do again what was undone."""
        if self._done == len(self._entries):
            return None
        entry = self._entries[self._done]
        self._done += 1
        self._base = entry.after
        apply_all(self.data, entry.operations)
        return self._changed(entry.operations)

    def merge(self, base: Plain, text: str, label: str = "Changes on disk") -> tuple[Change | None, list[str]]:
        """Take over what somebody else has made of ``base`` in a ``text``; returns the paths where ours stays."""
        theirs = _parsed(text, self._base.is_json)
        changes = difference(base, theirs.data)
        clashing = clashes(changes, difference(base, self.data))
        fitting = [one for one in changes if one["path"] not in clashing]
        wanted = copy.deepcopy(self.data)
        try:
            apply_all(wanted, fitting)
        except SceneError:  # what both have changed does not go together
            return None, [one["path"] for one in changes]
        words = SceneText(theirs.saying(wanted), self._base.is_json)
        operations = difference(self.data, wanted)
        entry = Edit(label, operations, apply_all(self.data, operations), self._base, words)
        self._base = words
        return self._did(entry), clashing

    def _did(self, entry: Edit, now: list[Operation] | None = None, by: object = None) -> Change:
        """Keep an entry; ``now`` are its operations that were not done before."""
        del self._entries[self._done :]
        self._entries.append(entry)
        self._done += 1
        return self._changed(entry.operations if now is None else now, by)

    def _changed(self, operations: list[Operation], by: object = None) -> Change:
        self._log.append((operations, by))
        self.revision += 1
        return Change(self.revision, operations)

    def says(self, data: object) -> bool:
        """Whether the document's data is this."""
        return same(self.data, data)


def _parsed(text: str, is_json: bool) -> SceneText:
    parsed = SceneText(text, is_json)
    if parsed.data is None:
        parsed.data = {}
    if not isinstance(parsed.data, dict):
        raise TextError("is no scene; a scene file has keys such as sharnir, bodies and joints", 1)
    for key in parsed.data:
        if not isinstance(key, str):
            raise TextError(f"has the key {key!r} at its top, which is not a text; put it in quotes", 1)
    return parsed
