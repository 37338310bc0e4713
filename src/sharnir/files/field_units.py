"""Units and limits of the numbers in descriptions, for the schema: from what docstrings say and what checks refuse.

The checks are where limits live, and their messages name the unit, as in "RoadWheel radius (m) is -1; it must be above
zero". A description is therefore built with numbers that a check would refuse, and the refusal is read.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from ..errors import SceneError
from ..scene.values import Description, Plain
from .typed import Hint, is_description

OWNER = "it"
NAMES = r"``\w+``(?:(?:, | and |, and )``\w+``)*"
UNIT = r"[A-Za-z°%1][\w^/°%. ()-]*?"
SAID = (
    re.compile(rf"({NAMES}) \(({UNIT})[,;)]"),  # ``radius`` and ``width`` (m)
    re.compile(rf"\(({NAMES}), ({UNIT})[,;)]"),  # (``anchor``, m)
    re.compile(rf"({NAMES}) (?:is in|are in|in) ({UNIT})(?=[,;]|\. |\.$| and |$)"),
)
WORDS = re.compile(r"[a-z]{4,}|\b(?:the|of|is|are|an?|in|to|at|by|it|for|all|one|none|any|axes|if)\b")
REFUSED = {"above zero": {"exclusiveMinimum": 0}, "must not be negative": {"minimum": 0}}


def unit_and_limits(kind: type[Description], field: str) -> Plain:
    """What is known of a number: its ``unit``, and ``minimum`` or ``exclusiveMinimum`` as JSON Schema has them."""
    refusal = _refusal(kind, field)
    named = re.search(rf"\b{field} \((.+?)\)(?=\W*(?:\[\d\] )?(?:is|are) )", refusal)
    unit = named[1] if named else units_said(kind).get(field)
    limit: Plain = next((limits for words, limits in REFUSED.items() if words in refusal), {})
    return ({} if unit is None else {"unit": unit + ")" * (unit.count("(") - unit.count(")"))}) | limit


@cache
def units_said(kind: type[Description]) -> dict[str, str]:
    """The units that the docstrings of a description and of those it is derived from tell, by field."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if not issubclass(one, Description) or not one.__doc__:
            continue
        text = " ".join(inspect.cleandoc(one.__doc__).split())
        for pattern in reversed(SAID):
            for names, unit in pattern.findall(text):
                if not WORDS.search(unit):
                    found |= dict.fromkeys(re.findall(r"``(\w+)``", names), unit.strip())
    return found


def _refusal(kind: type[Description], field: str) -> str:
    """What a check says of the number -1 in a field; empty where it takes it."""
    hint = next(known.type for known in msgspec.structs.fields(kind) if known.name == field)
    try:
        made = kind(**_sample(kind))
    except (SceneError, TypeError):
        return ""
    try:
        wrong: object = (-1.0, -1.0, -1.0) if get_origin(hint) is tuple else -1.0
        changed = msgspec.structs.replace(made, **{field: wrong})
        check: Callable[[str], object] | None = getattr(changed, "checked", None)
        if check is not None:
            check(OWNER)
    except SceneError as error:
        return str(error)
    except (TypeError, ValueError, AttributeError):  # a check that needs more than a description
        return ""
    return ""


@cache
def _sample(kind: type[Description]) -> Plain:
    """Values that the fields without a default may have."""
    return {field.name: _value(field.type) for field in msgspec.structs.fields(kind) if field.required}


def _value(hint: Hint) -> Any:
    origin: object = get_origin(hint)
    arguments = get_args(hint)
    if is_description(hint):
        return hint(**_sample(hint))
    if origin in (Annotated, Union, UnionType):
        return _value(arguments[0])
    if origin is Literal:
        return arguments[0]
    if origin is tuple:
        return () if arguments[-1] is Ellipsis else tuple(_value(item) for item in arguments)
    if origin is dict:
        return {}
    return {float: 1.0, int: 1, str: "x", bool: True}.get(hint)
