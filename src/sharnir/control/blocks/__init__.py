"""Function blocks. A block is a description: ports with types and units, its law, and how it is built to be run."""

from typing import get_args

from .arithmetic import AnyArithmetic
from .block import Block, Places, Port, SignalKind, Type, Value, Wire
from .convert import AnyConversion, literal, literal_kind
from .dynamic import AnyDynamic
from .events import AnyEvent
from .filters import AnyFilter
from .functions import AnyFunction
from .logic import AnyLogic
from .plant_signals import Signal
from .subdiagram import Use
from .tables import AnyTable, Function

AnyPlain = AnyArithmetic | AnyFunction | AnyLogic | AnyConversion | AnyEvent | AnyFilter | AnyDynamic | AnyTable
AnyBlock = AnyPlain | Signal | Use
BLOCKS: dict[str, type[Block]] = {kind.tag(): kind for kind in get_args(AnyBlock)}

__all__ = [
    "BLOCKS",
    "AnyBlock",
    "Block",
    "Function",
    "Places",
    "Port",
    "Signal",
    "SignalKind",
    "Type",
    "Use",
    "Value",
    "Wire",
    "literal",
    "literal_kind",
]
