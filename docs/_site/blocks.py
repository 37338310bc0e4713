"""The directive ``blocks``: every function block with its ports, their types and units, and its law."""

from __future__ import annotations

import inspect
import re
from typing import Any

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sharnir.control.blocks import BLOCKS, Block, Port


class Blocks(SphinxDirective):
    """A section per file of ``control/blocks``, an entry per block."""

    def run(self) -> list[nodes.Node]:
        lines: list[str] = []
        for room in dict.fromkeys(block.__module__ for block in BLOCKS.values()):
            module = inspect.getmodule(next(block for block in BLOCKS.values() if block.__module__ == room))
            lines += [f"## {_heading(module)}", ""]
            for tag, block in BLOCKS.items():
                if block.__module__ == room:
                    lines += _entry(tag, block)
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def _heading(module: Any) -> str:
    """What a file says that it holds, in a few words."""
    return re.split(r"[.:]|, after|, and the gates", inspect.getdoc(module) or "")[0]


def _entry(tag: str, block: type[Block]) -> list[str]:
    """A definition: the call, then the ports and the law."""
    fields = {field.name: field for field in msgspec.structs.fields(block)}
    call = ", ".join(name if field.required else f"{name}={_default(field)}" for name, field in fields.items())
    takes = ", ".join(f"`{name}` ({_port(port)})" for name, port in block.ports.items())
    gives = ", ".join(f"`{name}` ({_port(port)})" for name, port in block.outs.items())
    text = " ".join((inspect.getdoc(block) or "").replace("``", "`").replace("*", r"\*").split())
    ports = "; ".join(words for words in (takes and f"takes {takes}", gives and f"gives {gives}") if words)
    return [f"`{tag}({call})`", f": {text}", "", f"  {ports}", ""]


def _default(field: Any) -> str:
    return "..." if field.default is msgspec.NODEFAULT else f"{field.default!r}"


def _port(port: Port) -> str:
    if port.type == "bool" or port.unit == "*":
        return port.type
    return f"{port.type}, {port.unit}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("blocks", Blocks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
