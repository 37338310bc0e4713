"""The documentation is true: every Python block of README.md and docs/ runs and is not warned of, every link leads
somewhere, the API pages show what is public, docstrings tell every field with its unit, and the site builds without a
warning."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
import warnings
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import sharnir
from sharnir.experiment import list_examples

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md")), *sorted((DOCS / "api").glob("*.md"))]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
SHOWN = re.compile(r"^\.\. (?:currentmodule:: (\S+)|auto(?:class|exception|function):: (\S+))$", re.MULTILINE)

PUBLIC = (
    "sharnir",
    "sharnir.control",
    "sharnir.assemblies.robots",
    "sharnir.assemblies.rig",
    "sharnir.importing",
    "sharnir.reference",
    "sharnir.runtime",
    "sharnir.studies",
)
NOT_ON_A_PAGE = {"__version__", "AnyBlock", "AnyFault", "BLOCKS", "commands"}  # a text; lists of what is on the pages
NUMERIC = re.compile(r"float|Vec3|Range|tuple\[float|\bTable\b")
UNIT = re.compile(
    r"(?<![\w`])(?:N|kg|m|s|rad|Hz|Pa|J|V|K|ohm)(?![\w`])"  # alone, or the beginning of m/s, kg m^2, N m s/rad
    r"|share|ratio|coefficient|quaternion|unit|axis|axes|direction|range|-1 to 1|0 to 1"
)


def blocks(page: Path) -> list[tuple[int, str]]:
    """The Python blocks of a page with the lines before them. Other fences are not run."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start(2)), m[2]) for m in BLOCK.finditer(text) if m[1] == "python"]


def short(value: Any) -> str:
    """A page by its path, a class by its name."""
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else getattr(value, "__name__", str(value))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=short)
def test_the_blocks_of_a_page_run_in_order(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": page.stem}
    with warnings.catch_warnings():
        warnings.simplefilter("error", sharnir.SimulationWarning)
        for line, code in blocks(page):
            exec(compile("\n" * line + code, page, "exec", dont_inherit=True), names)  # errors show page and line


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_version_is_the_same_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [sharnir.__version__]
    sections = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[:2] == ["Unreleased", sharnir.__version__]


CITED = re.compile(r"\[(00\d)\]")


def test_every_citation_is_in_the_bibliography() -> None:
    listed = set(re.findall(r"^### \[(\d+)\]$", (DOCS / "bibliography.md").read_text(encoding="utf-8"), re.MULTILINE))
    texts = [*PAGES, *(file for folder in ("src", "examples", "tests") for file in (ROOT / folder).rglob("*.py"))]
    cited = {number for file in texts for number in CITED.findall(file.read_text(encoding="utf-8"))}
    assert listed == cited == {"000", "001", "002", "003", "004"}
    bare = [short(file) for file in texts if re.search(r"papers? 00\d", file.read_text(encoding="utf-8"))]
    assert bare == [], "cite as [000]"


def test_every_page_is_listed() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    missing = {page.name for page in DOCS.glob("*.md") if f"]({page.name})" not in index}
    assert missing == {"index.md"}


def test_every_example_has_a_picture() -> None:
    missing = [name for name in list_examples() if not (DOCS / "pictures" / "gallery" / f"{name}.webp").exists()]
    assert missing == [], "take them with: make gallery"


def test_what_is_said_of_the_blocks_is_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of the blocks, and the stub that editors show their methods from, are made from the blocks."""
    monkeypatch.syspath_prepend(str(DOCS / "_site"))
    written = importlib.import_module("blocks")
    assert written.PAGE.read_text(encoding="utf-8") == written.page_text(), "write them with: make blocks"
    stub = ast.dump(ast.parse(written.STUB.read_text(encoding="utf-8")))
    assert stub == ast.dump(ast.parse(written.stub_text())), "write them with: make blocks"
    quantities = importlib.import_module("quantities")
    assert quantities.PAGE.read_text(encoding="utf-8") == quantities.page_text(), "write them with: make blocks"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--doctree-dir", tmp_path / "doctrees"]
    command += ["--fail-on-warning", "--keep-going", "--quiet", DOCS, tmp_path / "html"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


# --- the API ----------------------------------------------------------------------------------------------------------


def shown_names() -> set[str]:
    """The full names that the API pages show."""
    names, module = set(), ""
    for page in (DOCS / "api").glob("*.md"):
        for module_named, name in SHOWN.findall(page.read_text(encoding="utf-8")):
            if module_named:
                module = module_named
            else:
                names.add(f"{module}.{name}")
    return names


def public_names() -> dict[str, Any]:
    """Everything public by its full name; what several modules list is counted where it is listed first."""
    found: dict[str, Any] = {}
    for module in map(importlib.import_module, PUBLIC):
        for name in sorted(set(module.__all__) - NOT_ON_A_PAGE):
            thing = getattr(module, name)
            if not any(thing is other for other in found.values()):
                found[f"{module.__name__}.{name}"] = thing
    return found


CLASSES = sorted({thing for thing in public_names().values() if inspect.isclass(thing)}, key=lambda c: c.__name__)


def docstring_of(kind: type) -> str:
    """What a class and those it is built on say of themselves."""
    own = [
        inspect.cleandoc(base.__dict__.get("__doc__") or "") for base in kind.__mro__ if "sharnir" in base.__module__
    ]
    return " ".join("\n\n".join(own).split())


def fields_of(kind: type) -> list[str]:
    """The fields of a description or dataclass."""
    return (
        [field.name for field in fields(kind)] if is_dataclass(kind) else list(getattr(kind, "__struct_fields__", ()))
    )


def test_the_pages_show_what_is_public() -> None:
    assert set(public_names()) - shown_names() == set()
    assert {name for name in shown_names() if name.rpartition(".")[0] in PUBLIC} - set(public_names()) == set()


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if ">>>" in (kind.__doc__ or "")], ids=short)
def test_examples_in_docstrings_run(kind: type) -> None:
    names = {name: getattr(sharnir, name) for name in sharnir.__all__}
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(kind) or "", names, kind.__name__, None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if fields_of(kind)], ids=short)
def test_every_field_is_described(kind: type) -> None:
    text = docstring_of(kind)
    missing = [name for name in fields_of(kind) if not re.search(rf"``{name}\b", text)]
    assert missing == []


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if fields_of(kind)], ids=short)
def test_every_number_has_a_unit(kind: type) -> None:
    """A unit, or what a number without one is, stands in a sentence that names the field."""
    hints = {name: str(hint) for base in kind.__mro__ for name, hint in getattr(base, "__annotations__", {}).items()}
    sentences = re.split(r"(?<=[a-z)`])[.;] |: ", docstring_of(kind))
    numbers = [name for name in fields_of(kind) if NUMERIC.search(hints[name])]
    bare = [
        name
        for name in numbers
        if not any(re.search(rf"``{name}\b", sentence) and UNIT.search(sentence) for sentence in sentences)
    ]
    assert bare == []


def methods_of(kind: type) -> dict[str, Any]:
    """The functions of a class, and those behind its properties, by name."""
    # simulations and scenes are written in several files; elsewhere what is inherited is described where it stands
    several = ("sharnir.simulation", "sharnir.scene.scene_quantities")
    own = [base for base in reversed(kind.__mro__) if base is kind or base.__module__.startswith(several)]
    members = {name: thing for base in own for name, thing in vars(base).items() if not name.startswith("_")}
    members = {name: getattr(thing, "fget", thing) for name, thing in members.items()}
    members = {name: getattr(thing, "__func__", thing) for name, thing in members.items()}
    return {name: thing for name, thing in members.items() if inspect.isfunction(thing)}


# What joints, suspensions and shapes implement for the engine; a user of them calls none of these.
HOOKS = {"world_frames", "on_bodies", "radial_length", "frames", "links", "emit", "connect", "tie_rod", "checked"}
HOOKS |= {
    "pose",
    "describe",
    "sampled",
    "sample",
    "triangulated",
    "from_frames",
    "node_at",
    "recorder",
    "contact_size",
    "bounding_radius",
    "drawn",
    "weight",
    "apply",
    "readings",
}


@pytest.mark.parametrize("kind", CLASSES, ids=short)
def test_methods_name_their_parameters(kind: type) -> None:
    """An editor shows what each parameter is; none hides behind ``**details: Any``."""
    for name, function in methods_of(kind).items():
        text = inspect.getdoc(getattr(kind, name)) or ""
        given = [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
        if name not in HOOKS:
            assert [p.name for p in given if not re.search(rf"\b{p.name}\b", text)] == [], name
        hidden = [p.name for p in given if p.kind is p.VAR_KEYWORD and p.annotation in ("Any", "object")]
        assert not hidden or (kind.__name__, name) in {("Diagram", "make"), ("Suspension", "scaled")}, name


FUNCTIONS = {name: thing for name, thing in public_names().items() if inspect.isfunction(thing)}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_name_their_parameters(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert [
        given for given in inspect.signature(FUNCTIONS[name]).parameters if not re.search(rf"\b{given}\b", text)
    ] == []


@pytest.mark.parametrize(
    ("method", "spec"),
    [
        (sharnir.Scene.body, sharnir.BodySpec),
        (sharnir.Scene.rope, sharnir.RopeSpec),
        (sharnir.Scene.ray, sharnir.RaySpec),
    ],
    ids=short,
)
def test_a_scene_takes_what_a_file_holds(method: Any, spec: Any) -> None:
    """``scene.rope`` and its like have the fields of a description as parameters, with the same defaults."""
    given = dict(inspect.signature(method).parameters)
    for name, field in inspect.signature(spec).parameters.items():
        is_list = given[name].kind is inspect.Parameter.VAR_POSITIONAL
        assert is_list or given[name].default == field.default, name
    assert set(given) - {"self", "name"} == set(inspect.signature(spec).parameters)


@pytest.mark.parametrize("kind", CLASSES, ids=short)
def test_methods_tell_what_they_do_and_the_units_of_numbers(kind: type) -> None:
    """Arguments that are numbers, and properties that are, need a unit in the method's docstring."""
    assert kind.__doc__
    for name, function in methods_of(kind).items():
        text = inspect.getdoc(getattr(kind, name))
        assert text, name
        signature = inspect.signature(function)
        numbers = [p for p in signature.parameters.values() if re.search("float|Vec3", str(p.annotation))]
        is_number = isinstance(inspect.getattr_static(kind, name), property) and re.search(
            "float|Quantity|Array", str(signature.return_annotation)
        )
        assert UNIT.search(text) or not (numbers or is_number), name
