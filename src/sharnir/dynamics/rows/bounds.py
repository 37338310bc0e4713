"""The bounded rows on the free axes of joints, of every kind, as one: pipeline and solvers know no kind by name.

A kind (a file beside this one, and a line in ``KINDS``) numbers its rows by itself and gives, for its row i:

    first(m, j), last(m, j)                the rows of joint j, as a range
    linear(m, i)                           1: it acts on lengths, 0: on angles
    prepare(m, s, n, k, view, i, w)        its direction and effective mass; ``view`` is what it needs of its joint
    warm(m, n, k, x, i, w) -> Pair         last step's impulse applied
    visit(m, n, k, u, dt, i, w) -> vec3    the change of its impulse at the slip or relative spin u, N s or N m s
    is_idle(m, n, k, i, w) -> bool         nothing to do as long as nothing else changes
    is_passed(k, i, w) -> bool             pseudo-velocities have something to put right
    push(m, k, u, rate, i, w) -> vec3      the change of its pseudo-impulse at the pseudo-velocity u, rate = ERP/dt
    end(m, n, k, i, w)                     what it remembers of a kick that is solved
    scale(n, share, i, w)                  its impulse for a kick of another length; 0 forgets it

Here all kinds together are numbered c = 0, 1, ... along joint j, and dispatched to by their number.
"""

from collections.abc import Callable
from functools import cache, reduce
from types import SimpleNamespace
from typing import Any

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..pair import make_pair
from .friction import make_friction
from .limit import make_limit
from .view import make_view

wp = load_warp()

# kind -> the feature of a scene that has rows of it, in the order in which they are visited
KINDS: dict[Callable[..., SimpleNamespace], str] = {make_limit: "limits", make_friction: "friction"}


@cache
def make_bounds(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, of the kinds that a scene has."""
    kinds = [_numbered(p, make(p, features), i) for i, (make, has) in enumerate(KINDS.items()) if getattr(features, has)]
    return reduce(lambda before, after: _joined(p, before, after), kinds) if kinds else SimpleNamespace()


def _distinct(tag: str) -> Callable[[Any], Any]:
    """``wp.func`` for functions that are made several times in one kernel, which Warp tells apart by their names."""

    def decorate(function: Any) -> Any:
        function.__qualname__ = f"{function.__qualname__}_{tag}"
        return wp.func(function)

    return decorate


def _numbered(p: Precision, kind: SimpleNamespace, number: int) -> SimpleNamespace:
    """A single kind, its rows numbered along each joint."""
    real, vec3, t, Pair, View = p.real, p.vec3, structs(p), make_pair(p).Pair, make_view(p).View
    func = _distinct(f"of_{number}")

    @func
    def count(m: t.model, j: int) -> int:
        """How many rows joint j has."""
        return kind.last(m, j) - kind.first(m, j)

    @func
    def linear(m: t.model, c: int, j: int) -> int:
        """1: row c of joint j acts on lengths, 0: on angles."""
        return kind.linear(m, kind.first(m, j) + c)

    @func
    def prepare(m: t.model, s: t.state, n: t.memory, k: t.work, view: View, w: int):
        """All rows of a joint."""
        for i in range(kind.first(m, view.joint), kind.last(m, view.joint)):
            kind.prepare(m, s, n, k, view, i, w)

    @func
    def warm(m: t.model, n: t.memory, k: t.work, x: Pair, j: int, w: int) -> Pair:
        """Last step's impulses of joint j applied."""
        for i in range(kind.first(m, j), kind.last(m, j)):
            x = kind.warm(m, n, k, x, i, w)
        return x

    @func
    def visit(m: t.model, n: t.memory, k: t.work, u: vec3, dt: real, c: int, j: int, w: int) -> vec3:
        """The change of the impulse of row c at the slip or relative spin u."""
        return kind.visit(m, n, k, u, dt, kind.first(m, j) + c, w)

    @func
    def is_idle(m: t.model, n: t.memory, k: t.work, j: int, w: int) -> bool:
        """Whether no row of joint j has anything to do."""
        for i in range(kind.first(m, j), kind.last(m, j)):
            if not kind.is_idle(m, n, k, i, w):
                return False
        return True

    @func
    def is_passed(m: t.model, k: t.work, c: int, j: int, w: int) -> bool:
        """Whether pseudo-velocities have something to put right."""
        return kind.is_passed(k, kind.first(m, j) + c, w)

    @func
    def push(m: t.model, k: t.work, u: vec3, rate: real, c: int, j: int, w: int) -> vec3:
        """The change of the pseudo-impulse of row c at the pseudo-velocity u."""
        return kind.push(m, k, u, rate, kind.first(m, j) + c, w)

    @func
    def end(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        """What the rows of joint j remember of a kick that is solved."""
        for i in range(kind.first(m, j), kind.last(m, j)):
            kind.end(m, n, k, i, w)

    @func
    def scale(m: t.model, n: t.memory, share: real, j: int, w: int):
        """Impulses of joint j for a kick of another length."""
        for i in range(kind.first(m, j), kind.last(m, j)):
            kind.scale(n, share, i, w)

    made = locals()
    names = "count linear prepare warm visit is_idle is_passed push end scale".split()
    return SimpleNamespace(**{name: made[name] for name in names}, tag=str(number))


def _joined(p: Precision, before: SimpleNamespace, after: SimpleNamespace) -> SimpleNamespace:
    """Two kinds, or groups of kinds, as one: the rows of the second follow those of the first."""
    real, vec3, t, Pair, View = p.real, p.vec3, structs(p), make_pair(p).Pair, make_view(p).View
    tag = before.tag + after.tag
    func = _distinct(f"of_{tag}")

    @func
    def count(m: t.model, j: int) -> int:
        return before.count(m, j) + after.count(m, j)

    @func
    def linear(m: t.model, c: int, j: int) -> int:
        past = c - before.count(m, j)
        if past < 0:
            return before.linear(m, c, j)
        return after.linear(m, past, j)

    @func
    def prepare(m: t.model, s: t.state, n: t.memory, k: t.work, view: View, w: int):
        before.prepare(m, s, n, k, view, w)
        after.prepare(m, s, n, k, view, w)

    @func
    def warm(m: t.model, n: t.memory, k: t.work, x: Pair, j: int, w: int) -> Pair:
        return after.warm(m, n, k, before.warm(m, n, k, x, j, w), j, w)

    @func
    def visit(m: t.model, n: t.memory, k: t.work, u: vec3, dt: real, c: int, j: int, w: int) -> vec3:
        past = c - before.count(m, j)
        if past < 0:
            return before.visit(m, n, k, u, dt, c, j, w)
        return after.visit(m, n, k, u, dt, past, j, w)

    @func
    def is_idle(m: t.model, n: t.memory, k: t.work, j: int, w: int) -> bool:
        if before.is_idle(m, n, k, j, w):
            return after.is_idle(m, n, k, j, w)
        return False

    @func
    def is_passed(m: t.model, k: t.work, c: int, j: int, w: int) -> bool:
        past = c - before.count(m, j)
        if past < 0:
            return before.is_passed(m, k, c, j, w)
        return after.is_passed(m, k, past, j, w)

    @func
    def push(m: t.model, k: t.work, u: vec3, rate: real, c: int, j: int, w: int) -> vec3:
        past = c - before.count(m, j)
        if past < 0:
            return before.push(m, k, u, rate, c, j, w)
        return after.push(m, k, u, rate, past, j, w)

    @func
    def end(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        before.end(m, n, k, j, w)
        after.end(m, n, k, j, w)

    @func
    def scale(m: t.model, n: t.memory, share: real, j: int, w: int):
        before.scale(m, n, share, j, w)
        after.scale(m, n, share, j, w)

    made = locals()
    return SimpleNamespace(**{name: made[name] for name in vars(before) if name != "tag"}, tag=tag)
