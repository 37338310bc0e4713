"""Expressions in robots' files, worked out without executing anything of the file.

The text is parsed by Python's own grammar and walked over: numbers, texts, lists, dictionaries, arithmetic,
comparisons, and the functions named here. Whatever else the grammar has, attributes, comprehensions, lambdas, is
refused, so that an expression can reach nothing of Python; lengths and powers are bounded, so that it ends soon and
stays small.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import SceneError

LONGEST = 10_000  # characters of an expression, and characters or items of what it makes
DEEPEST = 60  # of an expression in an expression
LARGEST_POWER = 64
LARGEST_INTEGER = 2**256

CONSTANTS: dict[str, object] = {
    "pi": math.pi,
    "tau": math.tau,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "True": True,
    "False": False,
    "true": True,
    "false": False,
    "None": None,
}
OF_MATH = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh sqrt hypot exp log log10 floor ceil fabs fmod radians degrees "
    "copysign trunc pow"
)
OF_PYTHON = (abs, min, max, round, len, sum, int, float, str, bool, dict, list, tuple)
FUNCTIONS: dict[str, Callable[..., object]] = {name: getattr(math, name) for name in OF_MATH.split()}
FUNCTIONS |= {function.__name__: function for function in OF_PYTHON}
OPERATORS: dict[type[ast.AST], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class ExpressionError(ValueError):
    """Why an expression has no value."""


def evaluate(text: str, name_of: Callable[[str], object], functions: Mapping[str, Callable[..., object]]) -> object:
    """The value of an expression; ``name_of`` knows its names (KeyError for those it does not), ``functions`` are those
    besides the usual ones."""
    if len(text) > LONGEST:
        raise ExpressionError(f"is {len(text)} characters long; at most {LONGEST} are read")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError("is no expression") from None
    try:
        return _Walk(name_of, {**FUNCTIONS, **functions}).value(tree.body, 0)
    except (ExpressionError, SceneError):
        raise
    except (ArithmeticError, TypeError, ValueError, LookupError) as error:
        raise ExpressionError(f"has no value ({error})") from None


class _Walk:
    def __init__(self, name_of: Callable[[str], Any], functions: Mapping[str, Callable[..., Any]]) -> None:
        self.name_of, self.functions = name_of, functions

    def value(self, node: ast.AST, depth: int) -> Any:
        if depth > DEEPEST:
            raise ExpressionError(f"is nested deeper than {DEEPEST}")
        return _bounded(self._value(node, depth + 1))

    def _value(self, node: ast.AST, depth: int) -> object:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.UnaryOp):
            return self._operator(node.op)(self.value(node.operand, depth))
        if isinstance(node, ast.BinOp):
            return self._binary(node.op, self.value(node.left, depth), self.value(node.right, depth))
        if isinstance(node, ast.BoolOp):
            return self._logic(node, depth)
        if isinstance(node, ast.Compare):
            return self._compared(node, depth)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.value(node.test, depth) else node.orelse, depth)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(one, depth) for one in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {self.value(key, depth): self.value(one, depth) for key, one in pairs if key is not None}
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            return self.value(node.value, depth)[self.value(node.slice, depth)]
        if isinstance(node, ast.Attribute):
            return self._item(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        raise ExpressionError(f"uses {type(node).__name__}, which is not allowed")

    def _name(self, name: str) -> object:
        try:
            return self.name_of(name)
        except KeyError:
            if name in CONSTANTS:
                return CONSTANTS[name]
            raise ExpressionError(f"names '{name[:60]}', which is not known") from None

    def _operator(self, node: ast.AST) -> Callable[..., object]:
        if type(node) not in OPERATORS:
            raise ExpressionError(f"uses {type(node).__name__}, which is not allowed")
        return OPERATORS[type(node)]

    def _binary(self, node: ast.AST, left: Any, right: Any) -> object:
        if isinstance(node, ast.Pow) and not (_is_number(left) and _is_number(right) and abs(right) <= LARGEST_POWER):
            raise ExpressionError(f"raises to a power beyond {LARGEST_POWER}")
        if isinstance(node, ast.Mult) and not (_is_number(left) and _is_number(right)):
            raise ExpressionError("multiplies what are no numbers")
        if isinstance(node, ast.Mod) and not (_is_number(left) and _is_number(right)):
            raise ExpressionError("divides what are no numbers")
        return self._operator(node)(left, right)

    def _logic(self, node: ast.BoolOp, depth: int) -> object:
        found: object = None
        for part in node.values:
            found = self.value(part, depth)
            if bool(found) == isinstance(node.op, ast.Or):
                break
        return found

    def _compared(self, node: ast.Compare, depth: int) -> bool:
        left = self.value(node.left, depth)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, depth)
            if not self._operator(op)(left, right):
                return False
            left = right
        return True

    def _item(self, node: ast.Attribute, depth: int) -> object:
        """``a.b`` is the item b of a dictionary, and nothing else."""
        owner = self.value(node.value, depth)
        if isinstance(owner, dict) and node.attr in owner:
            return owner[node.attr]
        raise ExpressionError(f"asks for '{node.attr[:60]}' of what has no such item")

    def _call(self, node: ast.Call, depth: int) -> object:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            name = node.func.attr if node.func.value.id in ("math", "xacro", "python") else ""
        if name not in self.functions or any(word.arg is None for word in node.keywords):
            raise ExpressionError(f"calls '{name[:60] or type(node.func).__name__}', which is not allowed")
        words = {str(word.arg): self.value(word.value, depth) for word in node.keywords}
        return self.functions[name](*(self.value(one, depth) for one in node.args), **words)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _bounded(value: object) -> object:
    if isinstance(value, (str, bytes, list, tuple, dict)) and len(value) > LONGEST:
        raise ExpressionError(f"makes more than {LONGEST} items")
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ExpressionError("makes a number that is too large")
    if not isinstance(value, (str, int, float, bool, list, tuple, dict, type(None))):
        raise ExpressionError(f"makes a {type(value).__name__}")
    return value
