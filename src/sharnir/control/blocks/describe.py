"""Blocks in words, for docstrings and documentation: the call that makes one, what its ports take and give."""

from __future__ import annotations

import inspect
import keyword
from inspect import Parameter, Signature

import msgspec

from .block import Block, Port

SELF = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
NAME = Parameter("name", Parameter.KEYWORD_ONLY, default="")
ONE_UNIT = "u is one unit, on which all ports marked so agree."


def method_name(tag: str) -> str:
    """The name of the method that makes a block: its type, with an underscore where Python has the word for itself."""
    return f"{tag}_" if keyword.iskeyword(tag) else tag


def call_of(kind: type[Block]) -> Signature:
    """The parameters of the method that makes a block: its fields in order, a list of inputs last, and ``name``."""
    fields = msgspec.structs.fields(kind)
    has_list = "inputs" in kind.ports()
    single = [field for field in fields if not has_list or field.required]
    parameters = [_parameter(field) for field in single if field.name != "inputs"]
    if has_list:
        parameters.append(Parameter("inputs", Parameter.VAR_POSITIONAL))
    return Signature([SELF, *parameters, NAME])


def _parameter(field: msgspec.structs.FieldInfo) -> Parameter:
    default = Parameter.empty if field.required else field.default
    return Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default)


def law_of(kind: type[Block]) -> str:
    """What a block does: its docstring."""
    return inspect.getdoc(kind) or ""


def inputs_told(kind: type[Block]) -> dict[str, str]:
    """What each input takes: its type and, for numbers, its unit."""
    return {name: _told(port) for name, port in kind.ports().items()}


def outputs_told(kind: type[Block]) -> dict[str, str]:
    """What each output gives; nothing where the block's own description decides, and its law tells it."""
    if "outputs" in vars(kind):
        return {}
    return {
        name: _told(port if _has_unit(kind) else Port(port.type, _known(port.unit))) for name, port in kind.outs.items()
    }


def _has_unit(kind: type[Block]) -> bool:
    """Whether the inputs agree on a unit u that the outputs could have."""
    return any(port.unit == "u" and port.type != "bool" for port in kind.ports().values())


def _known(unit: str) -> str:
    return "*" if unit == "u" else unit


def _told(port: Port) -> str:
    return port.type if port.type == "bool" or port.unit == "*" else f"{port.type}, {port.unit}"


def docstring_of(kind: type[Block]) -> str:
    """The docstring of the method that makes a block: the law, then every port with its type and unit."""
    takes, gives = inputs_told(kind), outputs_told(kind)
    lines = [law_of(kind), ""]
    for title, ports in (("Takes:", takes), ("Gives:", gives)):
        if ports:
            lines += [title, *(f"    {name}: {told}" for name, told in ports.items())]
    return "\n".join([*lines, "", ONE_UNIT] if _has_unit(kind) else lines).rstrip()
