"""Writes what is said of the function blocks from their descriptions: the page ``api/blocks.md``, and the stub that
editors and type checkers read the methods of a diagram from. Run it with ``make blocks`` after changing a block."""

from __future__ import annotations

import inspect
import re
from inspect import Parameter
from pathlib import Path
from textwrap import indent

import sharnir.control
from sharnir.control.block_methods import BY_HAND
from sharnir.control.blocks import BLOCKS, Block
from sharnir.control.blocks.describe import call_of, docstring_of, inputs_told, law_of, method_name, outputs_told

PAGE = Path(__file__).resolve().parents[1] / "api" / "blocks.md"
STUB = Path(sharnir.control.__file__).with_name("block_methods.pyi")

INTRODUCTION = """\
# Function blocks

Every block type, as the method of a [diagram](control.md) that makes it: `d.pid(...)`. A port is shown with its type
and unit; *u* stands for one unit on which all ports marked so agree. Ports and settings with a default may be left
out. `name="..."` gives any block a name. [Control diagrams](../control.md) tells how they work together.

This page is made from the blocks' descriptions (`make blocks`).
"""
STUB_INTRODUCTION = '''\
"""The methods of a diagram that make blocks, as editors and type checkers see them. Written by ``make blocks``."""

from typing import Literal

from .pin import Pin, Source

BY_HAND: tuple[str, ...]

class BlockMethods:
'''


def page_text() -> str:
    """The page: a section per file of ``control/blocks``, an entry per block."""
    lines = [INTRODUCTION]
    for module in dict.fromkeys(inspect.getmodule(block) for block in BLOCKS.values()):
        lines += [f"## {_heading(inspect.getdoc(module) or '')}", ""]
        for tag, block in BLOCKS.items():
            if inspect.getmodule(block) is module:
                lines += _entry(tag, block)
    return "\n".join(lines).rstrip() + "\n"


def _heading(text: str) -> str:
    """What a file says that it holds, in a few words."""
    return re.split(r"[.:]|, after|, and the gates", text)[0]


def _entry(tag: str, block: type[Block]) -> list[str]:
    call = ", ".join(str(p) for p in call_of(block).parameters.values() if p.name not in ("self", "name"))
    text = " ".join(law_of(block).replace("``", "`").split())
    text = re.sub(r"(?<!`)\*", r"\\*", text)
    lines = [f"### {tag}", "", f"`{method_name(tag)}({call})`", "", text, ""]
    for word, ports in (("takes", inputs_told(block)), ("gives", outputs_told(block))):
        if ports:
            lines.append(f"- {word} " + ", ".join(f"`{name}` ({told})" for name, told in ports.items()))
    return [*lines, ""] if lines[-1] else lines


def stub_text() -> str:
    """The stub: every block type as a method with its parameters and its docstring. Ruff formats it."""
    methods = [_stub_method(tag, block) for tag, block in BLOCKS.items() if tag not in BY_HAND]
    return STUB_INTRODUCTION + "\n".join(methods)


def _stub_method(tag: str, block: type[Block]) -> str:
    parameters = [_stub_parameter(parameter, block) for parameter in call_of(block).parameters.values()]
    if not any(part.startswith("*") for part in parameters):
        parameters.insert(-1, "*")
    text = docstring_of(block)
    quoted = f'"""{text}"""' if "\n" not in text else f'"""{text}\n"""'
    return f"    def {method_name(tag)}({', '.join(parameters)}) -> Pin:\n{indent(quoted, ' ' * 8)}\n"


def _stub_parameter(parameter: Parameter, block: type[Block]) -> str:
    if parameter.name in ("self", "inputs", "name"):
        return {"self": "self", "inputs": "*inputs: Source", "name": 'name: str = ""'}[parameter.name]
    default = "" if parameter.default is Parameter.empty else f" = {_literal(parameter.default)}"
    return f"{parameter.name}: {_type(parameter.name, block)}{default}"


def _type(name: str, block: type[Block]) -> str:
    hint = next(base.__annotations__[name] for base in block.__mro__ if name in getattr(base, "__annotations__", {}))
    hint = str(hint).replace("Between", 'Literal["linear", "step"]')
    return re.sub(r"\b(Wire|takes\.\w+)\b", "Source", hint)


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
    STUB.write_text(stub_text(), encoding="utf-8")
