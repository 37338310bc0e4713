"""Xacro, the macros of ROS: a document with properties, macros and conditions as the plain document it stands for.

Nothing of the file is executed: expressions are walked over (``expressions.py``), included files and YAML come from the
robot's own folders, and the environment is not read. What a document expands to is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import SceneError, nearest
from .expressions import ExpressionError, evaluate
from .report import ImportReport
from .robot_files import Places
from .xml import Node, parse, read_bounded

PREFIX = "xacro:"
DEEPEST = 80  # macros in macros, and properties that name properties
LARGEST_YAML = 2**20  # bytes
MOST_INCLUDES = 200
MOST_MADE = 100_000  # elements and calls of macros
PARAMETER = re.compile(r"(\*{0,2}[^\s:=]+)(?::?=(\^\|?)?((?:'[^']*')|(?:\"[^\"]*\")|\S+)?)?")
OWN_WORDS = ("property", "macro", "include", "if", "unless", "arg", "insert_block", "call", "element", "attribute")


@dataclass
class _Macro:
    name: str
    node: Node
    parameters: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    defaults: dict[str, tuple[bool, str | None]] = field(default_factory=dict)  # forwarded from outside, its text


class _Scope:
    """Names and their values; those that are not here are looked for outside. A text is worked out when it is asked
    for, as it may name what comes later."""

    def __init__(self, outer: _Scope | None = None) -> None:
        self.outer = outer
        self.values: dict[str, object] = {}
        self.texts: dict[str, str] = {}
        self.blocks: dict[str, list[Node]] = {}

    def owner(self, name: str) -> _Scope | None:
        scope: _Scope | None = self
        while scope is not None and name not in scope.values and name not in scope.texts:
            scope = scope.outer
        return scope

    def block(self, name: str) -> list[Node] | None:
        scope: _Scope | None = self
        while scope is not None and name not in scope.blocks:
            scope = scope.outer
        return None if scope is None else scope.blocks[name]

    @property
    def outermost(self) -> _Scope:
        return self if self.outer is None else self.outer.outermost


def is_xacro(root: Node) -> bool:
    """Whether a document has macros."""
    return any(name.startswith("xmlns:xacro") for name in root.attributes)


def expand(root: Node, places: Places, report: ImportReport, arguments: Mapping[str, str]) -> Node:
    """The plain document; ``arguments`` are what ``$(arg name)`` stands for."""
    return _Expander(places, report, arguments).document(root)


class _Expander:
    def __init__(self, places: Places, report: ImportReport, arguments: Mapping[str, str]) -> None:
        self.places, self.report = places, report
        self.given = dict(arguments)
        self.arguments = dict(arguments)
        self.macros: dict[str, _Macro] = {}
        self.count = self.includes = 0
        self.waiting: list[str] = []  # properties that are being worked out

    def document(self, root: Node) -> Node:
        scope = _Scope()
        made = self._copy(root, scope, None)
        made.attributes = {name: text for name, text in made.attributes.items() if not name.startswith("xmlns:")}
        self._children(root, made, scope, 0)
        for name in self.given:
            known = [one for one in self.arguments if one not in self.given]
            raise root.fail(f"has no argument '{name}'{nearest(name, known)}")
        return made

    # --- elements ---------------------------------------------------------------------------------------------------

    def _copy(self, node: Node, scope: _Scope, parent: Node | None) -> Node:
        attributes = {name: str(_plain(self.text(text, scope, node))) for name, text in node.attributes.items()}
        made = Node(node.tag, attributes, node.file, node.line, parent, self.report)
        made.text = str(_plain(self.text(node.text, scope, node))) if "$" in node.text else node.text
        return made

    def _children(self, source: Node, target: Node, scope: _Scope, depth: int) -> None:
        for child in source.children:
            self._element(child, target, scope, depth)

    def _element(self, node: Node, target: Node, scope: _Scope, depth: int) -> None:
        self.count += 1
        if self.count > MOST_MADE:
            raise node.fail(f"expands to more than {MOST_MADE} elements and calls; no robot has them")
        if depth > DEEPEST:
            raise node.fail(f"is nested deeper than {DEEPEST} macros and conditions; one of them calls itself")
        if not node.tag.startswith(PREFIX):
            made = self._copy(node, scope, target)
            target.children.append(made)
            self._children(node, made, scope, depth + 1)
            return
        word = node.tag.removeprefix(PREFIX)
        makers: dict[str, Callable[[Node, Node, _Scope, int], None]] = {
            "property": self._property,
            "macro": self._define,
            "include": self._include,
            "arg": self._argument,
            "insert_block": self._insert,
            "if": self._condition,
            "unless": self._condition,
        }
        if word in makers and word not in self.macros:
            makers[word](node, target, scope, depth)
        else:
            self._call(node, word, target, scope, depth)

    def _property(self, node: Node, _: Node, scope: _Scope, depth: int) -> None:
        name = str(self.text(node.need("name"), scope, node))
        where = {"parent": scope.outer or scope, "global": scope.outermost}.get(node.get("scope"), scope)
        if node.has("default") and not node.has("value"):
            if scope.owner(name) is None:
                where.texts[name] = node.attributes["default"]
        elif node.has("value"):
            where.values.pop(name, None)
            text = node.attributes["value"]
            if where is scope and node.get("lazy_eval", "true") == "true":
                where.texts[name] = text
            else:
                where.texts.pop(name, None)
                where.values[name] = _typed(self.text(text, scope, node))
        else:
            where.blocks[name] = node.children

    def _define(self, node: Node, _: Node, __: _Scope, ___: int) -> None:
        macro = _Macro(node.need("name").removeprefix(PREFIX), node)
        for found in PARAMETER.finditer(node.get("params")):
            name, forward, default = found[1], found[2], found[3]
            if name.startswith("*"):
                macro.blocks.append(name)
                continue
            macro.parameters.append(name)
            if forward is not None or ("=" in found[0]):
                macro.defaults[name] = (forward is not None, None if forward == "^" else _unquoted(default or ""))
        self.macros[macro.name] = macro

    def _include(self, node: Node, target: Node, scope: _Scope, depth: int) -> None:
        self.includes += 1
        if self.includes > MOST_INCLUDES:
            raise node.fail(f"is beyond {MOST_INCLUDES} includes; one of them includes itself")
        name = str(self.text(node.need("filename"), scope, node))
        try:
            file = self.places.find(name, f"{node.file}, {node.where}", node.file.parent)
        except FileNotFoundError:
            raise node.fail(f"there is no file '{name[:200]}' to include") from None
        self._children(parse(file, self.report), target, scope, depth + 1)

    def _argument(self, node: Node, _: Node, scope: _Scope, __: int) -> None:
        name = node.need("name")
        if name not in self.arguments and node.has("default"):
            self.arguments[name] = str(_plain(self.text(node.attributes["default"], scope, node)))
        self.given.pop(name, None)

    def _insert(self, node: Node, target: Node, scope: _Scope, depth: int) -> None:
        name = str(self.text(node.need("name"), scope, node))
        block = scope.block(name)
        if block is None:
            raise node.fail(f"there is no block '{name[:60]}' to insert")
        for one in block:
            self._element(one, target, scope, depth + 1)

    def _condition(self, node: Node, target: Node, scope: _Scope, depth: int) -> None:
        value = _typed(self.text(node.need("value"), scope, node))
        if not isinstance(value, (bool, int, float)):
            raise node.fail(f"its value is '{str(value)[:40]}'; give true or false")
        if bool(value) == (node.tag == f"{PREFIX}if"):
            self._children(node, target, scope, depth + 1)

    def _call(self, node: Node, word: str, target: Node, scope: _Scope, depth: int) -> None:
        if word == "call":
            word = str(self.text(node.need("macro"), scope, node)).removeprefix(PREFIX)
        macro = self.macros.get(word)
        if macro is None:
            raise node.fail(f"there is no macro '{word[:60]}'{nearest(word, [*self.macros, *OWN_WORDS])}")
        inner = _Scope(scope)
        for name, text in node.attributes.items():
            if name in macro.parameters:
                inner.values[name] = _typed(self.text(text, scope, node))
            elif name != "macro":
                raise node.fail(f"'{word}' has no parameter '{name[:60]}'{nearest(name, macro.parameters)}")
        for name in macro.parameters:
            if name not in inner.values:
                inner.values[name] = self._default(macro, name, scope, node)
        blocks = Node(word, {}, node.file, node.line, None, self.report)
        self._children(node, blocks, scope, depth + 1)
        passed = iter(blocks.children)
        for name in macro.blocks:
            block = next(passed, None)
            if block is None:
                raise node.fail(f"'{word}' needs a block '{name.lstrip('*')}'; put an element into the call")
            inner.blocks[name.lstrip("*")] = block.children if name.startswith("**") else [block]
        self._children(macro.node, target, inner, depth + 1)

    def _default(self, macro: _Macro, name: str, scope: _Scope, node: Node) -> object:
        forwards, text = macro.defaults.get(name, (False, None))
        if forwards and scope.owner(name) is not None:
            return self._value(name, scope, node)
        if text is None:
            raise node.fail(f"'{macro.name}' needs the parameter '{name}'; give it")
        return _typed(self.text(text, scope, node))

    # --- texts ------------------------------------------------------------------------------------------------------

    def text(self, text: str, scope: _Scope, node: Node) -> object:
        """A text with everything in ``${}`` and ``$()`` worked out; the value itself where there is nothing else."""
        if "$" not in text:
            return text
        parts = [self._piece(kind, piece, scope, node) for kind, piece in _pieces(text, node)]
        if len(parts) == 1:
            return parts[0]
        return "".join(str(_plain(part)) for part in parts)

    def _piece(self, kind: str, piece: str, scope: _Scope, node: Node) -> object:
        if kind == "text":
            return piece
        if kind == "expression":
            return self._expression(piece, scope, node)
        word, _, rest = piece.strip().partition(" ")
        rest = str(_plain(self.text(rest.strip(), scope, node))) if word != "eval" else rest
        if word == "arg":
            if rest not in self.arguments:
                raise node.fail(f"there is no argument '{rest[:60]}'{nearest(rest, self.arguments)}")
            return self.arguments[rest]
        if word == "find":
            return f"package://{rest}"
        if word == "dirname":
            return str(node.file.parent)
        if word == "eval":
            return self._expression(rest, scope, node)
        if word == "optenv":  # the environment is not read
            return rest.partition(" ")[2].strip()
        raise node.fail(f"$({word[:40]} ...) is not read; write its value into the file")

    def _expression(self, text: str, scope: _Scope, node: Node) -> object:
        def load_yaml(name: str) -> object:
            return self._yaml(str(name), node)

        if "$(" in text:  # commands come first: '$(arg name)' == 'ur5'
            text = str(_plain(self.text(text, scope, node)))
        functions: dict[str, Callable[..., object]] = {"load_yaml": load_yaml, "arg": lambda name: self.arguments[name]}
        try:
            return evaluate(text, lambda name: self._value(name, scope, node), functions)
        except ExpressionError as error:
            raise node.fail(f"'${{{text[:80]}}}' {error}") from None

    def _value(self, name: str, scope: _Scope, node: Node) -> object:
        owner = scope.owner(name)
        if owner is None:
            raise KeyError(name)
        if name in owner.texts:
            if name in self.waiting or len(self.waiting) > DEEPEST:
                raise node.fail(f"property '{name[:60]}' is made of itself")
            self.waiting.append(name)
            value = _typed(self.text(owner.texts[name], owner, node))
            self.waiting.pop()
            return value
        return owner.values[name]

    def _yaml(self, name: str, node: Node) -> object:
        import yaml

        try:
            file = self.places.find(name, f"{node.file}, {node.where}", node.file.parent)
        except FileNotFoundError:
            raise node.fail(f"there is no file '{name[:200]}' to load") from None
        raw = read_bounded(file, LARGEST_YAML)
        if b"&" in raw and b"*" in raw:
            raise node.fail(f"'{file.name}' has anchors and aliases, which can grow without bound; write them out")
        try:
            return yaml.safe_load(raw)
        except yaml.YAMLError as error:
            raise SceneError(f"{file}: is not YAML ({' '.join(str(error).split())[:200]})") from None


def _pieces(text: str, node: Node) -> Iterator[tuple[str, str]]:
    """The pieces of a text: plain text, ``${expression}`` and ``$(command)``; two dollars before a bracket are one."""
    plain, at = "", 0
    while at < len(text):
        if text.startswith(("$${", "$$("), at):
            plain, at = plain + text[at + 1 : at + 3], at + 3
            continue
        if not text.startswith(("${", "$("), at):
            plain, at = plain + text[at], at + 1
            continue
        if plain:
            yield "text", plain
            plain = ""
        end = _closing(text, at + 1)
        if end < 0:
            raise node.fail(f"'{text[at : at + 40]}' has no closing bracket")
        yield ("expression" if text[at + 1] == "{" else "command"), text[at + 2 : end]
        at = end + 1
    if plain:
        yield "text", plain


def _closing(text: str, start: int) -> int:
    """The place of the bracket that closes the one at ``start``; brackets in quotes do not count."""
    opening, closing = text[start], {"{": "}", "(": ")"}[text[start]]
    depth, quote = 0, ""
    for at in range(start, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if depth == 0:
                return at
    return -1


def _typed(value: object) -> object:
    """A text as the number, truth or quoted text that it is."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text) if "_" not in text else value
        except ValueError:
            continue
    return value


def _plain(value: object) -> object:
    """A value as it stands in an attribute."""
    return str(value).lower() if isinstance(value, bool) else value


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" else text
