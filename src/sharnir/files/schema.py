"""The JSON Schema of scene files, from the annotations, docstrings and checks of the descriptions.

It is published as ``docs/scene.schema.json``: ``sharnir schema`` writes it when a description has changed.
"""

from __future__ import annotations

import inspect
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import msgspec

from ..scene.values import Description, Plain
from .field_units import unit_and_limits
from .scene_file import SceneFile
from .text import write_json
from .typed import Hint, is_description, to_plain

_SCALARS = {float: "number", int: "integer", str: "string", bool: "boolean", NoneType: "null"}


def scene_schema() -> Plain:
    """The JSON Schema (draft 2020-12) that every scene file, YAML or JSON, obeys."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sharnir scene",
        **schema_of(SceneFile),
    }


def schema_of(kind: type[Description]) -> Plain:
    """The schema of a description, with the definitions that it refers to."""
    definitions: Plain = {}
    top = _schema(kind, definitions)
    return {**top, "$defs": dict(sorted(definitions.items()))}


def schema_text() -> str:
    """The schema as the text of a file."""
    return write_json(scene_schema())


def _schema(hint: Hint, definitions: Plain) -> Plain:
    origin: object = get_origin(hint)
    arguments = get_args(hint)
    if is_description(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if origin is Annotated:
        return _schema(arguments[0], definitions)
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(option, definitions) for option in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is tuple and arguments[-1] is Ellipsis:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is tuple:
        items = [_schema(item, definitions) for item in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return {"type": _SCALARS[hint]}


def _object(kind: type[Description], definitions: Plain) -> Plain:
    tag = kind.__struct_config__.tag
    properties: Plain = {} if tag is None else {"type": {"const": tag}}
    required = list(properties)
    for field in msgspec.structs.fields(kind):
        properties[field.name] = _schema(field.type, definitions)
        if _is_numeric(field.type):
            properties[field.name] |= unit_and_limits(kind, field.name)
        if field.required:
            required.append(field.name)
        elif field.default is not msgspec.NODEFAULT and field.default is not None:
            properties[field.name]["default"] = to_plain(field.default)
        elif field.default_factory is not msgspec.NODEFAULT and (begun := field.default_factory()):
            properties[field.name]["default"] = to_plain(begun)
    return {
        "type": "object",
        "description": inspect.cleandoc(kind.__doc__ or "").replace("``", "`"),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _is_numeric(hint: Hint) -> bool:
    """Whether it is a number, may be one, or is made of numbers."""
    return hint in (float, int) or any(_is_numeric(inner) for inner in get_args(hint) if not is_description(inner))
