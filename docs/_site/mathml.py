"""Equations as MathML, which browsers draw by themselves: no script, no font and no network is needed.

The translator is the one that docutils has for its own writer.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def visit(self: Any, node: nodes.math | nodes.math_block) -> None:
    """Write an equation, within a line or on its own."""
    block = isinstance(node, nodes.math_block)
    text = node.astext()
    try:
        math = latex2mathml.tex2mathml(text, as_block=block)
    except MathError as error:
        logger.warning("the equation %r cannot be drawn: %s", text, error, location=node)
        raise nodes.SkipNode from error
    self.body.append(f'<div class="math">{math}</div>\n' if block else math)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit, None), (visit, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
