"""The text of a scene file, YAML or JSON, to plain data (dict, list, str, int, float, bool, None) and back.

YAML is read by the core schema of YAML 1.2: ``1e-9`` is a number, ``on`` and ``2001-01-01`` are texts. Only plain data
can come out, so a file cannot run anything. Aliases are refused: a few of them can stand for gigabytes.
"""

from __future__ import annotations

import json
import re

import yaml
from yaml.composer import Composer, ComposerError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.parser import Parser
from yaml.reader import Reader, ReaderError
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner

from ..scene.values import Plain

Path = tuple[str | int, ...]

LINES_UP_TO = 2_000_000  # characters; in a longer text the line of an error is not looked up
ONE_LINE = 100  # characters; what is longer and not a plain list is spread over several
_TAG = "tag:yaml.org,2002:"
_WORDS = {"null": None, "": None, "~": None, "true": True, "false": False}
_PATTERNS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
}


Scalar = str | float | bool | None


class TextError(Exception):
    """A text that is not what its ending says, with the line (from 1) where that shows, if known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


class _Loader(Reader, Scanner, Parser, Composer, BaseResolver):
    """Text to nodes; there is no constructor in it."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_mark()
            raise ComposerError(None, None, "aliases (*name) are not read, write the value out", mark)
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):
    """Plain data to text, every value written out where it stands."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_data(self, data: object) -> Node:
        node = super().represent_data(data)
        if isinstance(node, (MappingNode, SequenceNode)):
            node.flow_style = _on_one_line(data)
        return node


# A text that looks like a number to YAML 1.1 or to 1.2 is written in quotes.
for _name, (_pattern, _first) in _PATTERNS.items():
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern})\Z"), _first)


def parse_yaml(text: str) -> object:
    """YAML text as plain data."""
    node = compose(text)
    return None if node is None else value_of(node)


def parse_json(text: str) -> object:
    """JSON text as plain data."""
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise TextError(f"is not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise TextError("is nested too deeply", None) from None
    except ValueError as error:  # a number of thousands of digits
        raise TextError(f"cannot be read: {error}", None) from None


def line_of(text: str, path: Path) -> int | None:
    """The line (from 1) of a value or key in YAML or JSON text; of what holds it when it is not there itself."""
    if len(text) > LINES_UP_TO:
        return None
    try:
        node = compose(text)
    except TextError:
        return None
    mark = None if node is None else node.start_mark
    for step in path:
        if isinstance(node, MappingNode):
            found = [(key, value) for key, value in node.value if key.value == str(step)]
            if not found:
                break
            mark, node = found[0][0].start_mark, found[0][1]
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            mark = node.start_mark
        else:
            break
    return None if mark is None else mark.line + 1


def write_yaml(data: object) -> str:
    """Plain data as YAML, short lists and mappings on one line."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def write_json(data: object) -> str:
    """Plain data as JSON, short lists and mappings on one line."""
    return _json(data, "") + "\n"


def _json(data: object, indent: str) -> str:
    if _on_one_line(data):
        return json.dumps(data, ensure_ascii=False, allow_nan=False)
    deeper = indent + "  "
    if isinstance(data, dict):
        lines = [f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_json(item, deeper)}" for key, item in data.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    assert isinstance(data, list)  # anything else is on one line
    lines = [deeper + _json(item, deeper) for item in data]
    return "[\n" + ",\n".join(lines) + f"\n{indent}]"


def _on_one_line(data: object) -> bool:
    """Whether data reads best on one line: a single value, a list of them, or a short mapping with such lists."""
    depth = depth_of(data)
    return depth < 2 or (depth == 2 and len(json.dumps(data)) <= ONE_LINE)


def depth_of(data: object) -> int:
    """How deep lists and dictionaries are nested."""
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else None
    return 0 if inside is None else 1 + max(map(depth_of, inside), default=0)


def compose(text: str) -> Node | None:
    """YAML (or JSON) text as nodes that know their places in it."""
    try:
        return _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise TextError(f"is not YAML: {error.problem}", None if mark is None else mark.line + 1) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise TextError("is not text: it holds a character that YAML does not allow", line) from None
    except RecursionError:
        raise TextError("is nested too deeply", None) from None


def value_of(node: Node) -> object:
    """The plain data that a node stands for."""
    if isinstance(node, ScalarNode):
        return _scalar(node)
    if isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
        return [value_of(item) for item in node.value]
    if not isinstance(node, MappingNode) or node.tag != f"{_TAG}map":
        raise TextError(f"has a value of type {node.tag}, which scene files do not hold", node.start_mark.line + 1)
    result: dict[Scalar, object] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, ScalarNode):
            raise TextError("has a key that is not a text", key_node.start_mark.line + 1)
        key = _scalar(key_node)
        if key in result:
            raise TextError(f"has the key '{key}' twice in one place; drop one of them", key_node.start_mark.line + 1)
        result[key] = value_of(value_node)
    return result


def _scalar(node: ScalarNode) -> Scalar:
    text, kind = node.value, node.tag.removeprefix(_TAG)
    try:
        if kind == "str":
            return text
        if kind == "float":
            return float(re.sub(r"\.(?=[iInN])", "", text))
        if kind == "int":
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        if kind in ("null", "bool"):
            return _WORDS[text.lower()]
    except (ValueError, KeyError):
        raise TextError(f"has '{text[:40]}' where it says {kind}", node.start_mark.line + 1) from None
    raise TextError(f"has a value of type {node.tag}, which scene files do not hold", node.start_mark.line + 1)


def _without_duplicates(pairs: list[tuple[str, object]]) -> Plain:
    result: Plain = {}
    for key, value in pairs:
        if key in result:
            raise TextError(f"has the key '{key}' twice in one place; drop one of them", None)
        result[key] = value
    return result
