"""The bounded rows on the free axes of joints, of every kind, as one: pipeline and solvers know no kind by name.

A kind is a file beside this one and a line in ``KINDS``, or a catch (``catch.py``). It numbers its rows by itself and
gives, for its row i in a world, with the tables that it reads and writes:

    first, last   the rows of joint j, as a range
    linear        1: it acts on lengths, 0: on angles
    prepare       its direction and effective mass; ``view`` is what it needs of its joint
    warm          last step's impulse applied to the pair of bodies
    visit         the change of its impulse at the slip or relative spin u, N s or N m s
    is_idle       nothing to do as long as nothing else changes
    end           what it remembers of a kick that is solved
    scale         its impulse for a kick of another length; 0 forgets it

and, if positions that it has passed are put right by pseudo-velocities:

    is_passed     there is something to put right
    push          the change of its pseudo-impulse at the pseudo-velocity u, rate = ERP/dt

Here the rows of all kinds together are numbered c = 0, 1, ... along joint j, and dispatched to by their number.
"""

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from types import SimpleNamespace

from ...model.features import CATCH_KINDS
from ..factory import Features, Made, Precision, factory, functions
from ..pair import make_pair
from .friction import make_friction
from .gear import make_gear
from .joint_view import make_view
from .limit import make_limit
from .loss import make_loss

# kind -> the feature of a scene that has rows of it, in the order in which they are visited
KINDS: dict[Callable[..., SimpleNamespace], str] = {
    make_limit: "limits",
    make_friction: "friction",
    make_gear: "gears",
    make_loss: "losses",
}


def catches(features: Features) -> list[Callable[..., SimpleNamespace]]:
    """The kinds of catches that a scene has, each in a file of its name."""
    found = [kind for kind in CATCH_KINDS if kind in features.catches]
    return [getattr(import_module(f".{kind}", __package__), f"make_{kind}") for kind in found]


@factory
def make_bounds(p: Precision, features: Features) -> Made:
    """All kinds that a scene has as one, and ``pushing``, those of them that push; None where there are none."""
    present = [make for make, has in KINDS.items() if getattr(features, has)] + catches(features)
    made = [make(p, features) for make in present]
    kinds = [_numbered(p, kind, str(number)) for number, kind in enumerate(made)]
    return {"rows": _as_one(p, kinds), "pushing": _as_one(p, [kind for kind in kinds if hasattr(kind, "push")])}


def _as_one(p: Precision, kinds: list[SimpleNamespace]) -> SimpleNamespace | None:
    return reduce(lambda before, after: _joined(p, before, after), kinds) if kinds else None


def _numbered(p: Precision, kind: SimpleNamespace, tag: str) -> SimpleNamespace:
    """A single kind, its rows numbered along each joint."""
    real, vec3, func, Pair, View = p.real, p.vec3, functions(p), make_pair(p).Pair, make_view(p).View
    func = functions(p, tag)

    @func
    def count(model, j: int) -> int:
        """How many rows joint j has."""
        return kind.last(model, j) - kind.first(model, j)

    @func
    def linear(model, c: int, j: int) -> int:
        """1: row c of joint j acts on lengths, 0: on angles."""
        return kind.linear(model, kind.first(model, j) + c)

    @func
    def prepare(model, state, memory, work, view: View, world: int):
        """All rows of a joint."""
        for i in range(kind.first(model, view.joint), kind.last(model, view.joint)):
            kind.prepare(model, state, memory, work, view, i, world)

    @func
    def warm(model, memory, work, x: Pair, j: int, world: int) -> Pair:
        """Last step's impulses of joint j applied."""
        for i in range(kind.first(model, j), kind.last(model, j)):
            x = kind.warm(model, memory, work, x, i, world)
        return x

    @func
    def visit(model, memory, work, u: vec3, dt: real, c: int, j: int, world: int) -> vec3:
        """The change of the impulse of row c at the slip or relative spin u."""
        return kind.visit(model, memory, work, u, dt, kind.first(model, j) + c, world)

    @func
    def is_idle(model, memory, work, j: int, world: int) -> bool:
        """Whether no row of joint j has anything to do."""
        for i in range(kind.first(model, j), kind.last(model, j)):
            if not kind.is_idle(model, memory, work, i, world):
                return False
        return True

    @func
    def end(model, memory, work, j: int, world: int):
        """What the rows of joint j remember of a kick that is solved."""
        for i in range(kind.first(model, j), kind.last(model, j)):
            kind.end(model, memory, work, i, world)

    @func
    def scale(model, memory, share: real, j: int, world: int):
        """Impulses of joint j for a kick of another length."""
        for i in range(kind.first(model, j), kind.last(model, j)):
            kind.scale(memory, share, i, world)

    rows = SimpleNamespace(tag=tag, count=count, linear=linear, prepare=prepare, warm=warm, visit=visit)
    rows.is_idle, rows.end, rows.scale = is_idle, end, scale
    if hasattr(kind, "push"):

        @func
        def is_passed(model, work, c: int, j: int, world: int) -> bool:
            """Whether pseudo-velocities have something to put right."""
            return kind.is_passed(work, kind.first(model, j) + c, world)

        @func
        def push(model, work, u: vec3, rate: real, c: int, j: int, world: int) -> vec3:
            """The change of the pseudo-impulse of row c at the pseudo-velocity u."""
            return kind.push(model, work, u, rate, kind.first(model, j) + c, world)

        rows.is_passed, rows.push = is_passed, push
    return rows


def _joined(p: Precision, before: SimpleNamespace, after: SimpleNamespace) -> SimpleNamespace:
    """Two kinds, or groups of kinds, as one: the rows of the second follow those of the first."""
    real, vec3, func, Pair, View = p.real, p.vec3, functions(p), make_pair(p).Pair, make_view(p).View
    tag = f"{before.tag}{after.tag}"
    func = functions(p, tag)

    @func
    def count(model, j: int) -> int:
        """How many rows joint j has."""
        return before.count(model, j) + after.count(model, j)

    @func
    def linear(model, c: int, j: int) -> int:
        """1: row c of joint j acts on lengths, 0: on angles."""
        past = c - before.count(model, j)
        if past < 0:
            return before.linear(model, c, j)
        return after.linear(model, past, j)

    @func
    def prepare(model, state, memory, work, view: View, world: int):
        """All rows of a joint."""
        before.prepare(model, state, memory, work, view, world)
        after.prepare(model, state, memory, work, view, world)

    @func
    def warm(model, memory, work, x: Pair, j: int, world: int) -> Pair:
        """Last step's impulses of joint j applied."""
        return after.warm(model, memory, work, before.warm(model, memory, work, x, j, world), j, world)

    @func
    def visit(model, memory, work, u: vec3, dt: real, c: int, j: int, world: int) -> vec3:
        """The change of the impulse of row c at the slip or relative spin u."""
        past = c - before.count(model, j)
        if past < 0:
            return before.visit(model, memory, work, u, dt, c, j, world)
        return after.visit(model, memory, work, u, dt, past, j, world)

    @func
    def is_idle(model, memory, work, j: int, world: int) -> bool:
        """Whether no row of joint j has anything to do."""
        if before.is_idle(model, memory, work, j, world):
            return after.is_idle(model, memory, work, j, world)
        return False

    @func
    def end(model, memory, work, j: int, world: int):
        """What the rows of joint j remember of a kick that is solved."""
        before.end(model, memory, work, j, world)
        after.end(model, memory, work, j, world)

    @func
    def scale(model, memory, share: real, j: int, world: int):
        """Impulses of joint j for a kick of another length."""
        before.scale(model, memory, share, j, world)
        after.scale(model, memory, share, j, world)

    rows = SimpleNamespace(tag=tag, count=count, linear=linear, prepare=prepare, warm=warm, visit=visit)
    rows.is_idle, rows.end, rows.scale = is_idle, end, scale
    if hasattr(before, "push") and hasattr(after, "push"):

        @func
        def is_passed(model, work, c: int, j: int, world: int) -> bool:
            """Whether pseudo-velocities have something to put right."""
            past = c - before.count(model, j)
            if past < 0:
                return before.is_passed(model, work, c, j, world)
            return after.is_passed(model, work, past, j, world)

        @func
        def push(model, work, u: vec3, rate: real, c: int, j: int, world: int) -> vec3:
            """The change of the pseudo-impulse of row c at the pseudo-velocity u."""
            past = c - before.count(model, j)
            if past < 0:
                return before.push(model, work, u, rate, c, j, world)
            return after.push(model, work, u, rate, past, j, world)

        rows.is_passed, rows.push = is_passed, push
    return rows
