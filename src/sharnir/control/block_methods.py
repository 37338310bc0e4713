"""The methods of a diagram that make blocks, one for each block type, made from the blocks' own descriptions.

Editors and type checkers read the same methods in ``block_methods.pyi``, which ``make blocks`` writes.
"""

from .blocks import BLOCKS
from .blocks.describe import call_of, docstring_of, method_name

BY_HAND = ("function", "signal", "use")  # Diagram has methods of its own for these


class BlockMethods:
    """Every block type as a method: ``d.pid(sp, pv, kp=2.0)``, ``d.ton(pressed, pt=0.5)``, ``d.and_(a, b)``."""


def _method(tag, kind):
    def method(self, *given, **more):
        return self.make(tag, *given, **more)

    method.__name__ = method_name(tag)
    method.__qualname__ = f"Diagram.{method.__name__}"
    method.__doc__ = docstring_of(kind)
    method.__signature__ = call_of(kind)
    return method


for _tag, _kind in BLOCKS.items():
    if _tag not in BY_HAND:
        setattr(BlockMethods, method_name(_tag), _method(_tag, _kind))
