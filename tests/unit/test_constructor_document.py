"""The constructor's document: edits and their inverses, a text that keeps what did not change, two windows.

Random edits begin with texts written by hand and with every example's scene; ``SHARNIR_SLOW=1`` makes the short sample
1,000 sequences from the texts and 1,000 from the examples.
"""

from __future__ import annotations

import copy
import functools
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharnir.constructor.document import Refused, SceneDocument
from sharnir.constructor.patch import apply_all, difference, path_of, same
from sharnir.constructor.rewriting import SceneText
from sharnir.experiment import list_examples, load_example
from sharnir.files.text import parse_json, parse_yaml
from sharnir.scene.scene import Scene

HAND_WRITTEN = """\
# A door, written by hand.
sharnir: 1
name:   door     # spaces stay

gravity: [0, 0, -9.81]
bodies:
  # the leaf
  door:
    shapes:
      - type: box      # oak
        x: 0.9
        y: 4e-2
        z: 2.0
        mass: 26.5
      - {type: sphere, radius: 0.05,   mass: 1}
    position: [0.45,  0, 1]

  frame: {fixed: true, shapes: [{type: box, x: 1, y: 1, z: 1}]}
joints:
  hinge:   # greased
    joint: {type: revolute, axis: [0, 0, 1]}
    between: ["world", 'door']
    limits: [
      -2,   # closed
      2
    ]
# the end
"""


def edited(text: str, *operations: dict[str, Any]) -> str:
    document = SceneDocument(text)
    document.edit("test", list(operations))
    assert same(parse_yaml(document.text), document.data)
    return document.text


def changed_lines(before: str, after: str) -> list[tuple[str, str]]:
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [(was, now) for was, now in pairs if was != now]


def test_an_edit_changes_its_own_line_alone():
    after = edited(HAND_WRITTEN, {"op": "replace", "path": "/bodies/door/shapes/0/y", "value": 0.05})
    assert changed_lines(HAND_WRITTEN, after) == [("        y: 4e-2", "        y: 0.05")]
    after = edited(HAND_WRITTEN, {"op": "replace", "path": "/joints/hinge/limits/0", "value": -1.5})
    assert changed_lines(HAND_WRITTEN, after) == [("      -2,   # closed", "      -1.5,   # closed")]
    after = edited(HAND_WRITTEN, {"op": "replace", "path": "/bodies/door/position/2", "value": 1.1})
    assert changed_lines(HAND_WRITTEN, after) == [("    position: [0.45,  0, 1]", "    position: [0.45,  0, 1.1]")]


def test_an_edit_inside_a_long_line_changes_its_own_number_alone():
    line = "  cart: {shapes: [{type: box, x: 0.8,  mass: 40}],   position: [0, 0, 1]}   # heavy"
    item = "  - {a: {b: [1, {c: 2}]}, d:   3}  # one"
    text = f"bodies:\n{line}\nlist:\n{item}\n"
    after = edited(text, {"op": "replace", "path": "/bodies/cart/shapes/0/mass", "value": 41})
    assert changed_lines(text, after) == [(line, line.replace("40", "41"))]
    after = edited(text, {"op": "replace", "path": "/list/0/a/b/1/c", "value": 4})
    assert changed_lines(text, after) == [(item, item.replace("c: 2", "c: 4"))]


def test_comments_go_and_stay_with_what_they_are_about():
    without = edited(HAND_WRITTEN, {"op": "remove", "path": "/bodies/door"})
    assert "# the leaf" not in without and "# greased" in without and without.endswith("# the end\n")
    renamed = edited(HAND_WRITTEN, {"op": "replace", "path": "/name", "value": "gate"})
    assert "name:   gate     # spaces stay" in renamed
    added = edited(HAND_WRITTEN, {"op": "add", "path": "/bodies/knob", "value": {"shapes": [], "mass": 2}})
    assert added.replace("  knob: {shapes: [], mass: 2}\n", "") == HAND_WRITTEN


def test_undo_gives_the_text_back_to_the_byte():
    document = SceneDocument(HAND_WRITTEN)
    document.edit("Delete the bodies", [{"op": "remove", "path": "/bodies"}])
    document.edit_text(document.text.replace("# the end", "# not the end"))
    document.edit("Rename", [{"op": "move", "from": "/joints/hinge", "path": "/joints/pivot"}])
    assert "# not the end" in document.text and "pivot:" in document.text
    for _ in range(3):
        document.undo()
    assert document.text == HAND_WRITTEN
    for _ in range(3):
        document.redo()
    assert "# not the end" in document.text and "bodies" not in document.data


@functools.cache
def example_text(name: str, ending: str = "yaml") -> str:
    """The scene of an example, its diagram and panel included, as a file has it."""
    with tempfile.TemporaryDirectory() as folder:
        return load_example(name).scene.save(Path(folder) / f"scene.{ending}").read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize("name", list_examples())
def test_examples_go_through_the_editor_unchanged(name, ending, tmp_path):
    text = example_text(name, ending)
    document = SceneDocument(text, ending == "json")
    assert document.text == text
    document.edit("Rename", [{"op": "replace", "path": "/name", "value": "other"}])
    reread = parse_json if ending == "json" else parse_yaml
    assert same(reread(document.text), document.data)
    assert len(changed_lines(text, document.text)) == 1
    document.edit("Rename", [{"op": "replace", "path": "/name", "value": parse_yaml(text)["name"]}])
    file = tmp_path / f"scene.{ending}"
    file.write_text(document.text, encoding="utf-8", newline="")
    assert Scene.load(file).save(tmp_path / f"again.{ending}").read_text(encoding="utf-8") == text
    document.undo()
    document.undo()
    assert document.text == text


# --- any edits at all -------------------------------------------------------------------------------------------------

NAMES = st.one_of(st.sampled_from(["a", "b", "on", "1", "x y", "null", "a/b", "~", "ключ"]), st.text(max_size=4))
NUMBERS = st.one_of(st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.one_of(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
STARTS = (
    HAND_WRITTEN,
    "{a: 1, b: [1, 2, {c: x}], 'on': {}}  # flow\n",
    "a:\n- - 1\n  - 2\n- x: 1\n  y: |\n    two\n    lines\n- {}\n- []\nb:\nc: ~ # none\n",
    "# nothing yet\n",
    'a: >-\n  folded\n  text\n"b": {x: , y: 2}\nc:\n    deep:\n        - 1\n\n        # two\n        - 2',
)


def places(data: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path for key, value in inside for path in ((*above, key), *places(value, (*above, key)))]


def holders(data: Any, above: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    own = [(above, data)] if isinstance(data, (dict, list)) else []
    return own + [found for key, value in inside for found in holders(value, (*above, key))]


@st.composite
def operations(draw: st.DrawFn, data: Any) -> list[dict[str, Any]]:
    there = [path for path in places(data) if all(isinstance(step, (str, int)) for step in path)]
    kinds = ["add", "remove", "replace", "rename"] if there else ["add"]
    kind = draw(st.sampled_from(kinds))
    if kind == "add":
        above, holder = draw(st.sampled_from(holders(data)))
        last = draw(NAMES) if isinstance(holder, dict) else draw(st.integers(0, len(holder)))
        before = {"before": draw(st.sampled_from(list(holder)))} if isinstance(holder, dict) and holder else {}
        return [{"op": "add", "path": path_of([*above, last]), "value": draw(VALUES), **before}]
    path = draw(st.sampled_from(there))
    if kind == "rename" and isinstance(path[-1], str):
        name = draw(NAMES)
        return (
            []
            if name in _at(data, path[:-1])
            else [{"op": "move", "from": path_of(path), "path": path_of([*path[:-1], name])}]
        )
    if kind == "replace":
        return [{"op": "replace", "path": path_of(path), "value": draw(VALUES)}]
    return [{"op": "remove", "path": path_of(path)}]


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


SLOW = bool(os.environ.get("SHARNIR_SLOW"))


@settings(max_examples=1000 if SLOW else 200, deadline=None)
@given(st.data(), st.sampled_from(STARTS))
def test_random_edits_save_load_and_undo_to_the_start(data, start):
    edit_and_undo(data, start)


@pytest.mark.parametrize("name", list_examples())
@settings(max_examples=-(-1000 // len(list_examples())) if SLOW else 2, deadline=None)
@given(data=st.data())
def test_random_edits_of_an_example_save_load_and_undo_to_the_start(name, data):
    edit_and_undo(data, example_text(name))


def edit_and_undo(data: st.DataObject, start: str) -> None:
    """Edits drawn at random: each state can be saved and loaded, and undo goes back through the same texts."""
    document = SceneDocument(start)
    texts = [document.text]
    assert texts == [start]
    for _ in range(data.draw(st.integers(1, 6))):
        document.edit("edit", data.draw(operations(document.data)))
        texts.append(document.text)
        assert same(parse_yaml(document.text) or {}, document.data)
    while texts:
        assert document.text == texts.pop()
        document.undo()


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES)
def test_a_difference_leads_from_one_to_the_other_and_back(old, new):
    before, after = {"x": old}, {"x": new}
    data = copy.deepcopy(before)
    inverse = apply_all(data, difference(before, after))
    assert same(data, after)
    apply_all(data, inverse)
    assert same(data, before)


# --- others ---------------------------------------------------------------------------------------------------------


def test_two_windows_meet_only_where_they_touch():
    document = SceneDocument(HAND_WRITTEN)
    document.edit("Make it heavier", [{"op": "replace", "path": "/bodies/door/shapes/0/mass", "value": 30}], 0)
    document.edit("Move", [{"op": "replace", "path": "/bodies/door/position", "value": [0, 0, 1]}], 0)
    with pytest.raises(Refused, match="another window has just changed /bodies/door/shapes/0/mass"):
        document.edit("Lighter", [{"op": "replace", "path": "/bodies/door/shapes/0/mass", "value": 1}], 0)
    with pytest.raises(Refused, match="another window"):
        document.edit("Delete", [{"op": "remove", "path": "/bodies/door"}], 0)
    assert document.data["bodies"]["door"]["shapes"][0]["mass"] == 30


def test_an_edit_that_does_not_fit_changes_nothing():
    document = SceneDocument(HAND_WRITTEN)
    good = {"op": "replace", "path": "/name", "value": "gate"}
    with pytest.raises(Refused, match="there is nothing at /bodies/window"):
        document.edit("Paint", [good, {"op": "replace", "path": "/bodies/window/mass", "value": 1}])
    assert document.text == HAND_WRITTEN and document.undo_label is None


def test_changes_on_disk_are_taken_over_beside_our_own():
    document = SceneDocument(HAND_WRITTEN)
    base = copy.deepcopy(document.data)
    document.edit("Heavier", [{"op": "replace", "path": "/bodies/door/shapes/0/mass", "value": 30}])
    theirs = HAND_WRITTEN.replace("z: 2.0", "z: 2.1").replace("# oak", "# pine").replace("mass: 26.5", "mass: 20")
    _, kept = document.merge(base, theirs)
    assert kept == ["/bodies/door/shapes/0/mass"]
    assert "mass: 30" in document.text and "z: 2.1" in document.text and "# pine" in document.text
    document.undo()
    assert document.data["bodies"]["door"]["shapes"][0] == {**base["bodies"]["door"]["shapes"][0], "mass": 30}


def test_a_text_of_a_text_is_itself():
    for start in STARTS:
        text = SceneText(start)
        assert text.saying(text.data if text.data is not None else {}) == start
