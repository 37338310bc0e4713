"""Ways to spoil a file that knows its structure: keys dropped, renamed and doubled, values of other types and sizes."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

NAN, INF = float("nan"), float("inf")
NUMBERS = (0, -1, 1, 2, 1e-308, 5e-324, 1e308, -1e308, 1e400, 10**30, 10**400, NAN, INF, -INF, 1e9, 1e-9, 0.5, -0.0)
TEXTS = (
    "",
    "world",
    "no such thing",
    "x" * 20_000,
    "a.b",
    "../../../../etc/passwd",
    "\u0000",
    "шарнир",
    "1e5",
    "\ud800",
)
OTHERS = (None, True, False, [], {}, [[]], [0, 0, 0], [1, 2], [[0, 0, 0], [1, 1, 1]], {"type": "cone"}, {"": {}})
VALUES = st.one_of(st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.sampled_from(OTHERS))


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container of plain data with each of its keys or places."""
    found = []
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        found.append((data, key))
        if isinstance(data[key], (dict, list)):
            found += places(data[key])
    return found


@st.composite
def spoilt(draw: st.DrawFn, data: Any) -> Any:
    """Plain data with one to three things changed."""
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        found = places(data)
        if not found:
            break
        # deep places outnumber all others: a level is drawn first
        node, key = draw(st.sampled_from(found))
        _change(draw, node, key, found)
    return data


def _change(draw: st.DrawFn, node: Any, key: Any, found: list[tuple[Any, Any]]) -> None:
    way = draw(st.sampled_from(("value", "drop", "rename", "move", "repeat", "scale", "deep")))
    if way == "drop":
        del node[key]
    elif way == "rename" and isinstance(node, dict):
        node[draw(st.sampled_from((f"{key}x", "type", "", "name", str(key).upper())))] = node.pop(key)
    elif way == "move":  # something from elsewhere in the file
        other, place = draw(st.sampled_from(found))
        node[key] = copy.deepcopy(other[place])
    elif way == "repeat" and isinstance(node, list):
        node.extend([copy.deepcopy(node[key])] * draw(st.sampled_from((1, 2, 50))))
    elif way == "scale" and isinstance(node[key], (int, float)) and not isinstance(node[key], bool):
        node[key] = node[key] * draw(st.sampled_from((-1, 1e-6, 1e6, 1e30)))
    elif way == "deep":
        for _ in range(draw(st.sampled_from((1, 5, 200)))):
            node[key] = [node[key]]
    else:
        node[key] = draw(VALUES)
