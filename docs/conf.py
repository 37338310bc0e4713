"""The site: Sphinx reads the pages as Markdown (MyST), the API from the docstrings; `make docs` builds it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_site"), str(HERE.parent / "src")]

from sharnir import __version__  # noqa: E402

project = "Sharnir"
author = "the authors of Sharnir"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "gallery"]
exclude_patterns = ["_site", "_build"]
default_role = "any"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# shown by these names, and not as the long unions that they stand for
ALIASES = (
    *("AnyDrive", "AnyFault", "AnyFriction", "AnyHitch", "AnyJoint", "AnyLimits", "AnyShape", "AnySuspension"),
    *("AnySurface", "AnyWheelSpring", "AnyWidget", "Array", "Input", "JointDrive", "JointFriction", "JointSpring"),
    *("Quat", "Range", "Type", "Vec3", "Wire"),
)
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ALIASES}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Sharnir {release}"
html_static_path = ["_site/static"]
html_css_files = ["sharnir.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style, pygments_dark_style = "tango", "github-dark"


def plain_aliases(
    app: Any, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> Any:
    """Aliases within a union by their names alone."""
    found = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
    return tuple(None if text is None else found.sub(r"\1", text) for text in (signature, returns))


def setup(app: Any) -> None:
    """What Sphinx calls."""
    app.connect("autodoc-process-signature", plain_aliases)
