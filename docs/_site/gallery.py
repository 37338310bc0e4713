"""The gallery: a page per example, written when the site is built, and the directive ``gallery`` that lists them.

The pictures lie in ``docs/pictures/gallery``; ``make gallery`` takes them.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from sharnir.experiment import examples_folder, list_examples

logger = logging.getLogger(__name__)
DOCS = Path(__file__).resolve().parents[1]
PICTURES = DOCS / "pictures" / "gallery"
PAGES = DOCS / "gallery"  # written here, ignored by git

PAGE = """---
orphan: true
---

# {name}

{picture}

{text}

```sh
sharnir run {name} --plot
```

{plots}

## Source

`examples/{name}.py`

```{{literalinclude}} ../../examples/{name}.py
:language: python
```
"""


class Gallery(SphinxDirective):
    """A grid of all examples: picture, name, one line of text."""

    def run(self) -> list[nodes.Node]:
        lines = ["::::{container} gallery"]
        for name, title in list_examples().items():
            lines += [
                ":::{container} card",
                f"[{_picture(name, 'pictures/gallery')}](gallery/{name}.md)",
                "",
                f"[{name}](gallery/{name}.md)",
                "",
                f"{title}.",
                ":::",
            ]
        return self.parse_text_to_nodes("\n".join([*lines, "::::"]))


def write_pages(app: Sphinx) -> None:
    """A page for every example; pages of examples that are gone go too."""
    PAGES.mkdir(exist_ok=True)
    names = list_examples()
    for page in PAGES.glob("*.md"):
        if page.stem not in names:
            page.unlink()
    for name in names:
        file = PAGES / f"{name}.md"
        text = _page(name)
        if not file.exists() or file.read_text(encoding="utf-8") != text:  # an unchanged page is not read again
            file.write_text(text, encoding="utf-8")


def _page(name: str) -> str:
    source = (examples_folder() / f"{name}.py").read_text(encoding="utf-8")
    plots = sorted(PICTURES.glob(f"{name}-plot*.webp"))
    return PAGE.format(
        name=name,
        picture=_picture(name, "../pictures/gallery"),
        text=ast.get_docstring(ast.parse(source)) or "",
        plots="\n".join(f"![Plot of the run](../pictures/gallery/{plot.name})" for plot in plots),
    )


def _picture(name: str, folder: str) -> str:
    if not (PICTURES / f"{name}.webp").exists():
        logger.warning("the example %s has no picture; take it with: make gallery", name)
    return f"![The example {name}]({folder}/{name}.webp)"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and write the pages before they are read."""
    app.add_directive("gallery", Gallery)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
