"""Signals as Python sees them while a diagram is built: they calculate by making blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..errors import SceneError, nearest

if TYPE_CHECKING:
    from .blocks import Wire
    from .diagram import Diagram

    Source: TypeAlias = "Pin | Wire"  # what a block takes: a signal, the name of one, or a plain value


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

    def __add__(self, other: Source) -> Pin:
        return self.diagram.make("add", self, other)

    def __radd__(self, other: Source) -> Pin:
        return self.diagram.make("add", other, self)

    def __sub__(self, other: Source) -> Pin:
        return self.diagram.make("sub", self, other)

    def __rsub__(self, other: Source) -> Pin:
        return self.diagram.make("sub", other, self)

    def __mul__(self, other: Source) -> Pin:
        return self.diagram.make("mul", self, other)

    def __rmul__(self, other: Source) -> Pin:
        return self.diagram.make("mul", other, self)

    def __truediv__(self, other: Source) -> Pin:
        return self.diagram.make("div", self, other)

    def __rtruediv__(self, other: Source) -> Pin:
        return self.diagram.make("div", other, self)

    def __mod__(self, other: Source) -> Pin:
        return self.diagram.make("mod", self, other)

    def __pow__(self, other: Source) -> Pin:
        return self.diagram.make("expt", self, other)

    def __neg__(self) -> Pin:
        return self.diagram.make("sub", 0.0, self)

    def __abs__(self) -> Pin:
        return self.diagram.make("abs", self)

    def __lt__(self, other: Source) -> Pin:
        return self.diagram.make("lt", self, other)

    def __le__(self, other: Source) -> Pin:
        return self.diagram.make("le", self, other)

    def __gt__(self, other: Source) -> Pin:
        return self.diagram.make("gt", self, other)

    def __ge__(self, other: Source) -> Pin:
        return self.diagram.make("ge", self, other)

    def __and__(self, other: Source) -> Pin:
        return self.diagram.make("and", self, other)

    def __or__(self, other: Source) -> Pin:
        return self.diagram.make("or", self, other)

    def __xor__(self, other: Source) -> Pin:
        return self.diagram.make("xor", self, other)

    def __invert__(self) -> Pin:
        return self.diagram.make("not", self)

    def __bool__(self) -> bool:
        raise SceneError(
            f"'{self.wire}' is a signal, not a value: use & | ~ instead of and, or, not; "
            "d.sel(condition, no, yes) instead of if; (a <= x) & (x <= b) instead of a <= x <= b"
        )
