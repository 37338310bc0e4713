"""Plain data to the typed descriptions of a scene and back, by their annotations.

msgspec could do most of this, but it refuses a union of a mapping by axis name and a tagged description, which is what
``friction``, ``limits``, ``spring`` and ``drive`` are, and its errors do not say which body or joint is meant.
"""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from ..errors import SceneError, nearest
from ..scene.values import Content, Description, Plain, shown
from .text import Path

_WORDS = {float: "a number", int: "a whole number", str: "a text", bool: "true or false", NoneType: "null"}


Hint = Any  # a type as annotations have it: a class, a union, Literal[...], tuple[...]


class Misfit(Exception):
    """Data that does not fit: where (as a path from the top of the file), why, and the path whose line shows it."""

    def __init__(self, where: Path, message: str, at: Path | None = None) -> None:
        super().__init__(message)
        self.where = where
        self.at = where if at is None else at


def to_plain(value: object) -> Content:
    """A description as dict, list, number and text; what has its default value is left out.

    Whole numbers are written without a point, whether they came in as int or float, so that the same scene always
    gives the same text.
    """
    if isinstance(value, Description):
        given = {name: (getattr(value, name), default) for name, default in _defaults(type(value)).items()}
        changed = {name: to_plain(now) for name, (now, default) in given.items() if not _same(now, default)}
        return _tag(type(value)) | changed
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
        is_whole = number.is_integer() and abs(number) < 1e15 and str(number) != "-0.0"
        return int(number) if is_whole else number
    return value


def to_typed(hint: Hint, value: object, where: Path = ()) -> Content:
    """Plain data as the annotated type, or a Misfit that says what does not fit."""
    if is_description(hint):
        return _union((hint,), value, where) if _tag(hint) else _description(hint, value, where)
    origin: object = get_origin(hint)
    if origin is Annotated:
        return to_typed(get_args(hint)[0], value, where)
    if origin in (Union, UnionType):
        return _union(get_args(hint), value, where)
    if origin is Literal:
        if value not in get_args(hint) or isinstance(value, bool):
            raise _unlike(hint, value, where)
        return value
    if origin is tuple:
        return _tuple(hint, value, where)
    if origin is dict:
        return _dict(hint, value, where)
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise Misfit(where, "is too large a number") from None
    if hint is float or type(value) is not hint:
        raise _unlike(hint, value, where)
    return value


def is_description(hint: Hint) -> bool:
    """Whether an annotation is a description."""
    return isinstance(hint, type) and issubclass(hint, Description)


def _tag(kind: type[Description]) -> dict[str, str]:
    tag = kind.__struct_config__.tag
    return {} if tag is None else {"type": str(tag)}


@cache
def _fields(kind: type[Description]) -> dict[str, msgspec.structs.FieldInfo]:
    """By name; looking up their types takes longer than all the rest of reading a file."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


@cache
def _defaults(kind: type[Description]) -> Plain:
    """The fields of a description with their default values."""
    return {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in _fields(kind).values()
    }


def _same(value: object, default: object) -> bool:
    """Equal to the bit: 0 and -0.0 differ here, 1 and 1.0 do not."""
    return default is not msgspec.NODEFAULT and repr(to_plain(value)) == repr(to_plain(default))


def _description(kind: type[Description], value: object, where: Path) -> Description:
    if not isinstance(value, dict):
        raise _unlike(kind, value, where)
    fields = _fields(kind)
    known = [*_tag(kind), *fields]
    for key in value:
        if key not in known:
            raise Misfit(where, f"unknown key {shown(str(key))}{nearest(str(key), known)}", (*where, str(key)))
    for name, field in fields.items():
        if name not in value and field.required:
            raise Misfit(where, f"missing key '{name}'; give {_words(field.type)}")
    given = {name: to_typed(field.type, value[name], (*where, name)) for name, field in fields.items() if name in value}
    try:
        return kind(**given)
    except SceneError as error:
        raise Misfit(where, str(error)) from None


def _is_of(hint: Hint, kind: type) -> bool:
    origin: object = get_origin(hint)
    return origin is kind


def _union(options: tuple[Hint, ...], value: object, where: Path) -> object:
    """The option that a value can only mean: tagged descriptions and mappings by name are told apart by 'type'."""
    tagged = {_tag(kind)["type"]: kind for kind in options if is_description(kind) and _tag(kind)}
    mapping = next((option for option in options if _is_of(option, dict)), None)
    if isinstance(value, dict) and tagged and ("type" in value or mapping is None):
        name = value.get("type")
        if name is None:
            raise Misfit(where, f"missing key 'type'; give one of {', '.join(tagged)}")
        if not isinstance(name, str) or name not in tagged:
            raise Misfit(where, f"unknown type {shown(str(name))}{nearest(str(name), tagged)}", (*where, "type"))
        return _description(tagged[name], value, where)
    if isinstance(value, dict) and mapping is not None:
        try:
            return to_typed(mapping, value, where)
        except Misfit as misfit:
            if any(key in kind.__struct_fields__ for kind in tagged.values() for key in value):
                remedy = f"{misfit}; or give {where[-1]} a type: {', '.join(tagged)}"
                raise Misfit(misfit.where, remedy, misfit.at) from None
            raise
    for option in options:
        fits_mapping = is_description(option) and isinstance(value, dict)
        fits_list = _is_of(option, tuple) and isinstance(value, list)
        fits_null = option is NoneType and value is None
        fits_scalar = type(value) is option or (option is float and type(value) is int)
        if fits_mapping or fits_list or fits_null or fits_scalar:
            return to_typed(option, value, where)
    raise _unlike(Union[options], value, where)  # noqa: UP007


def _tuple(hint: Hint, value: object, where: Path) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise _unlike(hint, value, where)
    kinds = get_args(hint)
    if kinds[-1] is Ellipsis:
        return tuple(to_typed(kinds[0], item, (*where, i)) for i, item in enumerate(value))
    if len(value) != len(kinds):
        raise Misfit(where, f"has {len(value)} items; give {len(kinds)}")
    return tuple(to_typed(kind, item, (*where, i)) for i, (kind, item) in enumerate(zip(kinds, value, strict=True)))


def _dict(hint: Hint, value: object, where: Path) -> Plain:
    if not isinstance(value, dict):
        raise _unlike(hint, value, where)
    for key in value:
        if not isinstance(key, str):
            raise Misfit(where, f"the name {_shown(key)} is not a text; put it in quotes", (*where, str(key)))
    return {key: to_typed(get_args(hint)[1], item, (*where, key)) for key, item in value.items()}


def _unlike(hint: Hint, value: object, where: Path) -> Misfit:
    return Misfit(where, f"is {_shown(value)}; give {_words(hint)}")


def _words(hint: Hint) -> str:
    """What an annotation asks for, in words."""
    origin: object = get_origin(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        return _words(arguments[0])
    if origin in (Union, UnionType):
        given = [option for option in arguments if option is not NoneType]
        if len(given) > 1 and all(is_description(option) for option in given):
            return f"a mapping with a type: {', '.join(_tag(option)['type'] for option in given)}"
        return " or ".join(_words(option) for option in given)
    if origin is Literal:
        return " or ".join(repr(choice) for choice in arguments)
    if origin is tuple:
        return "a list" if arguments[-1] is Ellipsis else f"a list of {len(arguments)}"
    if origin is dict:
        return "a mapping by name"
    if is_description(hint):
        return f"a mapping with {', '.join([*_tag(hint), *hint.__struct_fields__])}"
    return _WORDS[hint]


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
    return {"None": "null", "True": "true", "False": "false"}.get(repr(value), shown(value))
