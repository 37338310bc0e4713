"""Signals as Python sees them while a diagram is built: they calculate by making blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..errors import SceneError, nearest

if TYPE_CHECKING:
    from .blocks import Wire
    from .diagram import Diagram

    Source: TypeAlias = "Pin | Wire"  # what a block takes: a signal, the name of one, or a plain value


def _joining(tag: str, swapped: bool = False) -> Callable[[Pin, Source], Pin]:
    """An operator that makes a block of its two sides."""

    def join(self: Pin, other: Source) -> Pin:
        return self.diagram.make(tag, other, self) if swapped else self.diagram.make(tag, self, other)

    return join


class Pin:
    """A signal of a diagram: an input, or an output of a block. Hand it to blocks, calculate with it.

    ``+ - * / % **``, ``-x``, ``abs(x)``, ``< <= > >=``, and ``& | ^ ~`` for truth values make the blocks they stand
    for. Further outputs of a block are attributes: ``timer.et``.
    """

    def __init__(self, diagram: Diagram, wire: str) -> None:
        self.diagram = diagram
        self.wire = wire

    def __repr__(self) -> str:
        return f"<signal '{self.wire}' of {self.diagram!r}>"

    def __getattr__(self, port: str) -> Pin:
        if port.startswith("_"):
            raise AttributeError(port)
        known = self.diagram.outputs_of(self.wire)
        if port not in known:
            raise AttributeError(f"'{self.wire}' has no output '{port}'{nearest(port, known)}")
        return Pin(self.diagram, f"{self.wire}.{port}")

    __add__, __radd__ = _joining("add"), _joining("add", swapped=True)
    __sub__, __rsub__ = _joining("sub"), _joining("sub", swapped=True)
    __mul__, __rmul__ = _joining("mul"), _joining("mul", swapped=True)
    __truediv__, __rtruediv__ = _joining("div"), _joining("div", swapped=True)
    __mod__ = _joining("mod")
    __pow__ = _joining("expt")
    __lt__ = _joining("lt")
    __le__ = _joining("le")
    __gt__ = _joining("gt")
    __ge__ = _joining("ge")
    __and__ = _joining("and")
    __or__ = _joining("or")
    __xor__ = _joining("xor")

    def __neg__(self) -> Pin:
        return self.diagram.make("sub", 0.0, self)

    def __abs__(self) -> Pin:
        return self.diagram.make("abs", self)

    def __invert__(self) -> Pin:
        return self.diagram.make("not", self)

    def __bool__(self) -> bool:
        raise SceneError(
            f"'{self.wire}' is a signal, not a value: use & | ~ instead of and, or, not; "
            "d.sel(condition, no, yes) instead of if; (a <= x) & (x <= b) instead of a <= x <= b"
        )
