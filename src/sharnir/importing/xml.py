"""XML of unknown origin as a tree that remembers what was read of it.

Entities and document types are refused, so that nothing expands and nothing is fetched; size, depth and the number of
elements are bounded. Every element and attribute that a reader asks for is marked; what is left unmarked at the end is
what the reader did not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ..errors import SceneError
from .report import ImportReport, Matters

LARGEST_FILE = 64 * 2**20  # bytes
MOST_ELEMENTS = 500_000
DEEPEST = 200
WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 begins, in which zeros are no padding
LARGEST_NUMBER = 1e30  # beyond it no length, mass or torque of a robot lies


BEGINNING = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?=[^\w]|$)")  # of a text that goes on after a number


@dataclass(eq=False, repr=False, slots=True)
class Node:
    """An element: its tag, attributes, children and text, where it stands, and what was read of it."""

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int
    parent: Node | None
    report: ImportReport
    children: list[Node] = field(default_factory=list)
    text: str = ""
    read: set[str] = field(default_factory=set)
    taken: bool = False
    left: bool = False  # named as ignored already

    @property
    def where(self) -> str:
        """The element as a report names it: ``line 12: joint 'elbow' limit``."""
        named: list[str] = []
        node: Node | None = self
        while node is not None:
            name = node.attributes.get("name") or node.attributes.get("reference")
            named.append(f"{node.tag} '{name}'" if name else node.tag)
            if name:
                break
            node = node.parent if node.parent is not None and node.parent.parent is not None else None
        return f"line {self.line}: {' '.join(reversed(named))}"

    def fail(self, text: str) -> SceneError:
        """A refusal that names the file, the line and the element."""
        return SceneError(f"{self.file}, {self.where}: {text}")

    # --- reading marks what is read ---------------------------------------------------------------------------------

    def get(self, name: str, default: str = "") -> str:
        """An attribute as text."""
        self.read.add(name)
        return self.attributes.get(name, default).strip()

    def need(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.get(name)
        if not value:
            raise self.fail(f"has no {name}; give one")
        return value

    def has(self, name: str) -> bool:
        """Whether an attribute is there."""
        return name in self.attributes

    def number(self, name: str, default: float) -> float:
        """An attribute as a finite number; one that is not there, or is empty, is the default."""
        text = self.get(name)
        return self.parsed(text, name) if text else default

    def numbers(self, name: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
        """An attribute as finite numbers."""
        text = self.get(name)
        return self.split(text, name, count) if text else default

    def parsed(self, text: str, name: str) -> float:
        """A text as a finite number."""
        try:
            value = float(text)
        except ValueError:
            begun = BEGINNING.match(text)
            if begun is None:
                raise self.fail(f"{name} is '{text[:40]}'; give a number") from None
            value = float(begun[0])
            self.report.repair(self.where, name, f"is '{text[:40]}'; now {value:g}")
        if not math.isfinite(value) or abs(value) > LARGEST_NUMBER:
            raise self.fail(f"{name} is {text[:40]}; give a finite number below {LARGEST_NUMBER:g}")
        return value

    def split(self, text: str, name: str, count: int) -> tuple[float, ...]:
        """A text as so many finite numbers."""
        parts = text.replace(",", " ").split()
        if len(parts) < count:
            raise self.fail(f"{name} has {len(parts)} numbers; give {count}")
        if len(parts) > count:
            self.report.repair(self.where, name, f"has {len(parts)} numbers; the first {count} are taken")
        return tuple(self.parsed(part, name) for part in parts[:count])

    def child(self, tag: str) -> Node | None:
        """The first child of a tag."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator[Node]:
        """The children of a tag."""
        for child in self.children:
            if child.tag == tag:
                child.taken = True
                yield child

    def content(self) -> str:
        """The text of the element."""
        self.read.add("")
        return self.text.strip()

    def take(self) -> Node:
        """Mark the element and everything in it as read."""
        for node in self.walk():
            node.taken = True
            node.read.update(("", *node.attributes))
        return self

    def walk(self) -> Iterator[Node]:
        """The element and everything in it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def leave(self, report: ImportReport, why: str, matters: Matters) -> None:
        """Name the element, with all that is in it, as ignored."""
        self.left = True
        report.ignore(self.where, f"<{self.tag}>", why, matters)


def parse(path: Path, report: ImportReport) -> Node:
    """The tree of an XML file; what is not well formed, too large or hostile is refused by name."""
    raw = read_bounded(path)
    data = raw if raw.startswith(WIDE) else raw.strip(b"\0 \t\r\n")
    if raw[:1] != data[:1] or raw[-1:] == b"\0":
        report.repair("line 1", "text of the file", "has blanks before its beginning, or zeros at its end", "nothing")
    parser = expat.ParserCreate()
    top: list[Node] = []
    stack: list[Node] = []
    count = 0

    def refuse(what: str) -> SceneError:
        return SceneError(f"{path}, line {parser.CurrentLineNumber}: {what}")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS:
            raise refuse(f"has more than {MOST_ELEMENTS} elements; no robot does")
        if len(stack) >= DEEPEST:
            raise refuse(f"is nested deeper than {DEEPEST} elements; no robot is")
        node = Node(tag, attributes, path, parser.CurrentLineNumber, stack[-1] if stack else None, report)
        (stack[-1].children if stack else top).append(node)
        stack.append(node)

    def end(_: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].text += text

    def doctype(*_: object) -> None:
        raise refuse("declares a document type, through which entities come in; take the declaration out")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise SceneError(f"{path}, line {error.lineno}: is not XML ({expat.errors.messages[error.code]})") from None
    except SceneError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that there is not
        raise SceneError(f"{path}: cannot be read ({error}); save it as UTF-8") from None
    if not top:
        raise SceneError(f"{path}: is empty; a robot's file is XML")
    return top[0]


def read_bounded(path: Path, most: int = LARGEST_FILE) -> bytes:
    """A file's bytes, unless there are too many."""
    try:
        if path.exists() and not path.is_file():
            raise SceneError(f"{path} is no plain file; give the path of one")
        size = path.stat().st_size
        if size > most:
            raise SceneError(f"{path} has {size / 2**20:.0f} MiB; at most {most / 2**20:.0f} are read")
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise SceneError(f"{path} cannot be read: {error.strerror}; check the path") from None


def account(
    root: Node, report: ImportReport, known: dict[str, tuple[str, Matters]], else_matters: Matters = "nothing"
) -> None:
    """Count what was read, and name what was not, with the reason where ``known`` has one for its tag or attribute.

    What ``known`` has no reason for counts as ``else_matters``: of a format that others may add to, to nothing.
    """
    unknown: tuple[str, Matters]
    stack = [root]
    root.taken = True
    while stack:
        node = stack.pop()
        if node.left:
            continue
        if not node.taken:
            foreign = ":" in node.tag  # of a namespace that is none of the format's
            unknown = ("Sharnir does not know this element", "nothing" if foreign else else_matters)
            why, matters = known.get(node.tag, unknown)
            node.leave(report, why, matters)
            continue
        report.use(node.tag)
        for name in node.attributes:
            if name in node.read:
                report.use(f"{node.tag}.{name}")
            else:
                parent = "" if node.parent is None else node.parent.tag
                keys = (f"{node.tag}.{name}", f"{parent}/.{name}", f".{name}")
                foreign = ":" in node.tag or ":" in name
                unknown = ("Sharnir does not know this attribute", "nothing" if foreign else else_matters)
                why, matters = next((known[key] for key in keys if key in known), unknown)
                report.ignore(node.where, f"{node.tag} {name}", why, matters)
        stack.extend(reversed(node.children))
