"""What became of everything a robot's file says: used, repaired, or ignored with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

from ..errors import SceneError
from ..scene.values import Plain

Fate = Literal["used", "repaired", "ignored"]
Matters = Literal["motion", "contact", "looks", "sensing", "nothing"]

SHOWN_IN_ERROR = 3  # losses that a strict import names before it says how many more there are


@dataclass(frozen=True)
class Entry:
    """One thing of the source and its ``fate``.

    ``where`` is its place in the file, ``what`` the thing itself, ``why`` what it was and became or why it was left
    out, ``matters`` what of a simulation would differ; ``count`` how many alike there are.
    """

    fate: Fate
    where: str
    what: str
    why: str
    matters: Matters
    count: int = 1

    def as_dict(self) -> Plain:
        """The entry for a JSON file."""
        return {name: getattr(self, name) for name in ("fate", "where", "what", "why", "matters", "count")}


@dataclass
class ImportReport:
    """The fate of every element and attribute of a ``source``: what was ``used`` is counted, ``losses`` are listed."""

    source: str
    used: Counter[str] = field(default_factory=Counter)
    losses: list[Entry] = field(default_factory=list)

    def use(self, what: str, count: int = 1) -> None:
        """``what`` was taken over as it is, ``count`` times."""
        self.used[what] += count

    def repair(self, where: str, what: str, why: str, matters: Matters = "motion") -> None:
        """At ``where``, ``what`` could not be taken as it is.

        ``why`` tells what it was and what it became, ``matters`` what of a simulation differs by it.
        """
        self.losses.append(Entry("repaired", where, what, why, matters))

    def ignore(self, where: str, what: str, why: str, matters: Matters) -> None:
        """At ``where``, ``what`` was left out; ``why`` tells the reason, ``matters`` what would differ with it."""
        self.losses.append(Entry("ignored", where, what, why, matters))

    @contextmanager
    def naming(self, where: str) -> Iterator[None]:
        """A refusal of what is made meanwhile is one of the source, at ``where`` in it."""
        try:
            yield
        except SceneError as error:
            raise SceneError(f"{self.source}, {where}: {error}") from None

    def beside(self, name: str, others: ImportReport | None) -> ImportReport:
        """This report of a part of a scene with a ``name``, after those of ``others``."""
        sources = [self.source] if others is None else [others.source, self.source]
        joined = ImportReport(", ".join(dict.fromkeys(sources)))
        joined.used = self.used + (Counter() if others is None else others.used)
        own = [replace(entry, where=f"{name}: {entry.where}") for entry in self.losses]
        joined.losses = [*([] if others is None else others.losses), *own]
        return joined

    def of(self, fate: Fate) -> list[Entry]:
        """The losses of one ``fate``, those that are alike as one."""
        found: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.losses:
            if entry.fate == fate:
                found.setdefault((entry.what, entry.why), []).append(entry)
        return [
            replace(first, where=f"{first.where} and others" if more else first.where, count=1 + len(more))
            for first, *more in found.values()
        ]

    @property
    def entries(self) -> list[Entry]:
        """Repairs first, then what was ignored and matters, then the rest."""
        ignored = self.of("ignored")
        return self.of("repaired") + sorted(ignored, key=lambda entry: entry.matters == "nothing")

    def refuse_losses(self) -> None:
        """Raise for a strict import if anything that matters was repaired or ignored."""
        lost = [entry for entry in self.entries if entry.matters != "nothing"]
        if not lost:
            return
        shown = "; ".join(f"{entry.where}: {entry.what}: {entry.why}" for entry in lost[:SHOWN_IN_ERROR])
        more = f"; and {len(lost) - SHOWN_IN_ERROR} more" if len(lost) > SHOWN_IN_ERROR else ""
        raise SceneError(
            f"{self.source} cannot be imported without loss: {shown}{more}; mend the file, or import without strict"
        )

    def as_dict(self) -> Plain:
        """The report for a JSON file."""
        return {
            "source": self.source,
            "used": dict(sorted(self.used.items())),
            "repaired": [entry.as_dict() for entry in self.of("repaired")],
            "ignored": [entry.as_dict() for entry in self.of("ignored")],
        }

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """The losses as rows of a table: fate, where, what, why, matters to."""
        return [
            (
                entry.fate,
                entry.where,
                entry.what if entry.count == 1 else f"{entry.what} ({entry.count} times)",
                entry.why,
                entry.matters,
            )
            for entry in self.entries
        ]

    def lines(self) -> Iterable[str]:
        """The report as lines of text, for the head of a scene file."""
        yield f"from {self.source}: {sum(self.used.values())} elements and attributes used"
        for fate, where, what, why, matters in self.rows():
            yield f"{fate}: {where}: {what}: {why}" + ("" if matters == "nothing" else f" (matters to {matters})")

    def __str__(self) -> str:
        return "\n".join(self.lines())
