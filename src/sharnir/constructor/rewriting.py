"""New data written into an old text, so that all that did not change stays as it was, byte for byte.

A round trip through a YAML library keeps comments but writes the rest anew, with its own indentation, quotes and line
breaks. Here the old text is cut along the nodes that the reader of scene files finds in it: a mapping or list in block
style is a row of chunks, one per entry with the comments above it, and chunks whose data did not change are taken over
as they stand. JSON is YAML in flow style, and goes the same way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..files.text import compose, depth_of, value_of, write_json, write_yaml
from ..scene.values import Content, Plain
from .patch import same


@dataclass(frozen=True)
class Part:
    """A node of the text with its data, and its parts by key or index."""

    node: Node
    data: Content
    parts: dict[Content, Part]
    keys: dict[Content, Node]  # of a mapping

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return int(self.node.start_mark.index)

    @property
    def end(self) -> int:
        """Where its last character is; blank lines and comments after a block are not its own."""
        if self.is_block and self.parts:
            return max(list(self.parts.values())[-1].end, *(key.end_mark.index + 1 for key in self.keys.values()), 0)
        return int(self.node.end_mark.index)

    @property
    def is_block(self) -> bool:
        """Whether it is a mapping or list in block style."""
        return isinstance(self.node, (MappingNode, SequenceNode)) and not self.node.flow_style


class SceneText:
    """A text with its data."""

    def __init__(self, text: str, is_json: bool = False) -> None:
        self.text, self.is_json = text, is_json
        node = compose(text)
        self.data: Content = None if node is None else value_of(node)
        self._root = None if node is None else _part(node)

    def saying(self, data: Plain) -> str:
        """The text that says ``data``, and keeps all of the old text that still holds."""
        root = self._root
        if same(self.data or {}, data):
            return self.text
        if root is None or not root.parts:
            start, end = (len(self.text), len(self.text)) if root is None else (root.start, root.end)
            fresh = write_json(data) if self.is_json else "".join(line + "\n" for line in _block_lines(data))
            return _lined(self.text[:start]) + fresh + self.text[end:]
        if not data:
            return self.text[: root.start] + "{}\n" + self.text[self._tail(root) :]
        return self.text[: self._head(root)] + self._said(root, data) + self.text[self._tail(root) :]

    def _head(self, part: Part) -> int:
        """Where a part begins, a block with the comments above its first entry; those above all are the file's own."""
        if not part.is_block or not self._begins_line(part.start):
            return part.start
        head = self._line_start(part.start)
        while (
            part is not self._root and head and self.text[self._line_start(head - 1) : head].lstrip()[:1] in ("", "#")
        ):
            head = self._line_start(head - 1)
        return head

    def _tail(self, part: Part) -> int:
        return self._line_end(part.end) if part.is_block else part.end

    # --- one value --------------------------------------------------------------------------------------------------

    def _said(self, part: Part, data: object) -> str:
        """The text of a part with new data: from its head to its tail."""
        if same(part.data, data):
            return self.text[self._head(part) : self._tail(part)]
        if isinstance(data, dict) and isinstance(part.data, dict) and data and part.parts:
            said = self._block_mapping(part, data) if part.is_block else self._flow_mapping(part, data)
        elif isinstance(data, list) and isinstance(part.data, list) and data and part.parts:
            said = self._block_list(part, data) if part.is_block else self._flow_list(part, data)
        else:
            said = None
        return self._anew(part, data) if said is None else said

    def _anew(self, part: Part, data: object) -> str:
        """Written anew in the old one's place."""
        if not part.is_block:
            lines = 1 if _is_folded(part.node) else 0
            return self._one_line(data) + "\n" * lines
        column = part.node.start_mark.column
        whole = _block(data, column) if isinstance(data, (dict, list)) and data else self._one_line(data) + "\n"
        begins = self._begins_line(part.start)
        return " " * column + whole if begins else whole

    def _one_line(self, data: object) -> str:
        return json.dumps(data, ensure_ascii=False) if self.is_json else one_line(data)

    # --- block style ------------------------------------------------------------------------------------------------

    def _block_mapping(self, part: Part, data: Plain) -> str | None:
        if not self._begins_line(part.start) and next(iter(data)) != next(iter(part.data)):
            return None  # the first entry stands behind a dash
        chunks = self._chunks(part)
        column = part.node.start_mark.column
        written = []
        for key, value in data.items():
            if key in part.parts:
                written.append(self._with_value(part, key, chunks[key], value, column))
            else:
                written.append(" " * column + _block({key: value}, column))
        return "".join(map(_lined, written[:-1])) + written[-1]

    def _with_value(self, part: Part, key: object, chunk: tuple[int, int], value: object, column: int) -> str:
        """The chunk of an entry with a new value."""
        old, (start, end) = part.parts[key], chunk
        if same(old.data, value):
            return self.text[start:end]
        is_nested = old.is_block and bool(old.parts)
        if is_nested and isinstance(value, (dict, list)) and value and type(value) is type(old.data):
            head, tail = self._head(old), self._tail(old)
            return self.text[start:head] + self._said(old, value) + self.text[tail:end]
        if is_nested or _outgrows(old, value):
            return self._entry_anew(part, key, start, value, column)
        if isinstance(old.node, ScalarNode) and old.start == old.end:  # nothing after the colon
            return self.text[start : old.start] + " " + self._one_line(value) + self.text[old.end : end]
        return self.text[start : old.start] + self._said(old, value) + self.text[old.end : end]

    def _entry_anew(self, part: Part, key: object, start: int, value: object, column: int) -> str:
        """The comments above an entry, and the entry written anew."""
        comments = self.text[start : part.keys[key].start_mark.index] if part.keys else self.text[start:start]
        return comments + _block({key: value}, column)

    def _block_list(self, part: Part, data: list[object]) -> str | None:
        if not self._begins_line(part.start) and not same(part.data[0], data[0]):
            return None  # the first item stands behind a dash
        chunks, column = self._chunks(part), part.node.start_mark.column
        written = []
        for item, old in zip(data, _origins(part.data, data), strict=True):
            if old is not None and same(part.data[old], item):
                written.append(self.text[slice(*chunks[old])])
            elif old is not None and _goes_inside(part.parts[old], item):
                start, end = chunks[old]
                inner = part.parts[old]
                # an item in block style begins behind its dash or on the line below
                head = inner.start if self._head(inner) < start else self._head(inner)
                said = self._said(inner, item)
                written.append(self.text[start:head] + said + self.text[self._tail(inner) : end])
            else:
                written.append(" " * column + _block([item], column))
        return "".join(map(_lined, written[:-1])) + written[-1]

    def _chunks(self, part: Part) -> dict[object, tuple[int, int]]:
        """Where each entry begins and ends: whole lines, with the comments and blank lines above it."""
        chunks = {}
        start = self._head(part)
        for key, inner in part.parts.items():
            last = max(inner.end, part.keys[key].end_mark.index) if part.keys else inner.end
            end = self._line_end(last)
            chunks[key] = (start, end)
            start = end
        return chunks

    # --- flow style -------------------------------------------------------------------------------------------------

    def _flow_mapping(self, part: Part, data: Plain) -> str:
        entries = []
        for key, value in data.items():
            if key in part.parts:
                start, old = part.keys[key].start_mark.index, part.parts[key]
                between = self.text[start : old.start]
                if old.start == old.end and not same(old.data, value):
                    between = between.rstrip(": ") + ": "
                entries.append(between + self._said(old, value))
            else:
                entries.append(f"{self._one_line(key)}: {self._one_line(value)}")
        places = [
            (part.keys[key].start_mark.index, max(inner.end, part.keys[key].end_mark.index))
            for key, inner in part.parts.items()
        ]
        return self._joined(part, entries, places, list(part.data) == list(data))

    def _flow_list(self, part: Part, data: list[object]) -> str:
        old = part.parts
        entries = [self._said(old[i], item) if i in old else self._one_line(item) for i, item in enumerate(data)]
        return self._joined(part, entries, [(inner.start, inner.end) for inner in old.values()], len(old) == len(data))

    def _joined(self, part: Part, entries: list[str], places: Sequence[tuple[int, int]], kept: bool) -> str:
        """Entries between the old brackets, with the old separators."""
        text, end = self.text, int(part.node.end_mark.index)
        if kept:
            between = [text[a:b] for (_, a), (b, _) in pairwise(places)]
        else:
            usual = text[places[0][1] : places[1][0]] if len(places) > 1 else self._usual(part, places[0][0])
            between = [", " if "#" in usual or usual.count(",") != 1 else usual] * (len(entries) - 1)
        inside = "".join(entry + after for entry, after in zip(entries, [*between, ""], strict=True))
        return text[part.start : places[0][0]] + inside + text[places[-1][1] : end]

    def _usual(self, part: Part, first: int) -> str:
        opening = self.text[part.start + 1 : first]
        return "," + opening if "\n" in opening and "#" not in opening else ", "

    # --- lines ------------------------------------------------------------------------------------------------------

    def _begins_line(self, index: int) -> bool:
        return not self.text[self._line_start(index) : index].strip(" ")

    def _line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        """After the line break that follows; the index itself where it stands behind one."""
        if index and self.text[index - 1] == "\n":
            return index
        found = self.text.find("\n", index)
        return len(self.text) if found < 0 else found + 1


def one_line(data: Content) -> str:
    """Data in flow style, right in a block and inside brackets."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{one_line(key)}: {one_line(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(one_line, data)) + "]"
    written = write_yaml([data]).strip()
    if isinstance(data, str) and ("\n" in written or not data.isprintable() or data != data.strip()):
        return yaml.safe_dump(data, default_style='"', width=math.inf).strip()  # with escapes, on one line
    return written[1:-1]


def _block(data: Content, column: int) -> str:
    """A mapping or list in block style, the lines after the first one indented by a column."""
    lines = _block_lines(data)
    return lines[0] + "\n" + "".join(" " * column + line + "\n" for line in lines[1:])


def _block_lines(data: Content) -> list[str]:
    lines: list[str] = []
    if isinstance(data, dict):
        for key, value in data.items():
            if isinstance(value, (dict, list)) and value and not _fits(value):
                lines += [f"{one_line(key)}:", *("  " + line for line in _block_lines(value))]
            else:
                lines.append(f"{one_line(key)}: {one_line(value)}")
        return lines
    for item in data:
        if isinstance(item, (dict, list)) and item and not _fits(item):
            first, *others = _block_lines(item)
            lines += [f"- {first}", *("  " + line for line in others)]
        else:
            lines.append(f"- {one_line(item)}")
    return lines


def _fits(data: object) -> bool:
    """Whether data reads best on one line: a list of single values, or a short mapping."""
    depth = depth_of(data)
    return depth < 2 or (depth == 2 and len(one_line(data)) <= 100)


def _part(node: Node) -> Part:
    if isinstance(node, MappingNode):
        keys = {value_of(key): key for key, _ in node.value}
        parts = {value_of(key): _part(value) for key, value in node.value}
        return Part(node, {key: part.data for key, part in parts.items()}, parts, keys)
    if isinstance(node, SequenceNode):
        items = {i: _part(item) for i, item in enumerate(node.value)}
        return Part(node, [part.data for part in items.values()], items, {})
    return Part(node, value_of(node), {}, {})


def _goes_inside(part: Part, item: object) -> bool:
    """Whether an item of a list in block style is changed inside, not written anew."""
    if part.is_block:
        return type(item) is type(part.data) and bool(item) and bool(part.parts)
    return not _outgrows(part, item)


def _outgrows(part: Part, value: object) -> bool:
    """Whether a value is too much for the line on which the old one stands; a long one by hand stays a long one."""
    if not isinstance(value, (dict, list)) or _fits(value):
        return False
    is_long_by_hand = type(value) is type(part.data) and bool(value) and bool(part.parts) and not _fits(part.data)
    return not is_long_by_hand


def _origins(old: list[object], new: list[object]) -> list[int | None]:
    """Where each item comes from: the same ones at both ends, those between in their order, None for what is new."""
    before = _common(old, new)
    after = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - before)
    middle = [i if i < len(old) - after else None for i in range(before, len(new) - after)]
    return [*range(before), *middle, *range(len(old) - after, len(old))]


def _is_folded(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style in ("|", ">")


def _common(a: Sequence[object], b: Sequence[object]) -> int:
    """How many entries are the same from the beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if not same(x, y)), min(len(a), len(b)))


def _lined(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
