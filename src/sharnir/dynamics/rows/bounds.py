"""The bounded rows on the free axes of joints, of every kind, as one: pipeline and solvers know no kind by name.

A kind is a file beside this one and a line in ``model/bound_ranges.py``, or a catch (``catch.py``). It gives, for its
row i in a world, with the tables that it reads and writes:

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

Here the rows of all kinds together are numbered c = 0, 1, ... along joint j, and dispatched to by their number. Loops
over kinds are unrolled; what is of none before is of the last.
"""

from importlib import import_module
from types import SimpleNamespace

from ...model.bound_ranges import BOUND_KINDS, KINDS
from ..factory import Device, Features, Made, Precision, factory, functions, wp
from ..pair import make_pair
from .joint_view import make_view
from .ranges import make_ranges


def kinds_of(p: Precision, features: Features) -> dict[int, SimpleNamespace]:
    """The device functions of the kinds that a scene has, by the number of the kind."""
    has = {kind for kind, feature in KINDS.items() if getattr(features, feature)} | features.catches
    modules = {k: import_module(f".{kind}", __package__) for k, kind in enumerate(BOUND_KINDS) if kind in has}
    return {k: getattr(module, f"make_{BOUND_KINDS[k]}")(p, features) for k, module in modules.items()}


@factory
def make_bounds(p: Precision, features: Features) -> Made:
    """All kinds that a scene has as one, and ``pushing``, those of them that push; None where there are none."""
    kinds = kinds_of(p, features)
    pushing = {number: kind for number, kind in kinds.items() if hasattr(kind, "push")}
    return {
        "rows": SimpleNamespace(**_counted(p, kinds, "rows"), **_bounded(p, kinds)) if kinds else None,
        "pushing": SimpleNamespace(**_counted(p, pushing, "pushing"), **_pushed(p, pushing)) if pushing else None,
    }


def _counted(p: Precision, kinds: dict[int, SimpleNamespace], tag: str) -> dict[str, Device]:
    """How many rows a joint has, and on what they act."""
    func, rows_of = functions(p, tag), make_ranges(p).rows_of
    numbers, made = list(kinds), list(kinds.values())

    @func
    def count(model, j: int) -> int:
        """How many rows joint j has."""
        total = int(0)
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            total = total + rows[1] - rows[0]
        return total

    @func
    def linear(model, c: int, j: int) -> int:
        """1: row c of joint j acts on lengths, 0: on angles."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            i = rows[0] + c
            if wp.static(k == len(made) - 1) or i < rows[1]:
                return wp.static(made[k].linear)(model, i)
            c = i - rows[1]  # counted on from the next kind's first
        return 0

    return {"count": count, "linear": linear}


def _bounded(p: Precision, kinds: dict[int, SimpleNamespace]) -> dict[str, Device]:
    """What acts on velocities."""
    real, vec3, Pair, View = p.real, p.vec3, make_pair(p).Pair, make_view(p).View
    func, rows_of = functions(p), make_ranges(p).rows_of
    numbers, made = list(kinds), list(kinds.values())

    @func
    def prepare(model, state, memory, work, view: View, world: int):
        """All rows of a joint."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), view.joint)
            for i in range(rows[0], rows[1]):
                wp.static(made[k].prepare)(model, state, memory, work, view, i, world)

    @func
    def warm(model, memory, work, x: Pair, j: int, world: int) -> Pair:
        """Last step's impulses of joint j applied."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            for i in range(rows[0], rows[1]):
                x = wp.static(made[k].warm)(model, memory, work, x, i, world)
        return x

    @func
    def visit(model, memory, work, u: vec3, dt: real, c: int, j: int, world: int) -> vec3:
        """The change of the impulse of row c at the slip or relative spin u."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            i = rows[0] + c
            if wp.static(k == len(made) - 1) or i < rows[1]:
                return wp.static(made[k].visit)(model, memory, work, u, dt, i, world)
            c = i - rows[1]
        return vec3()

    @func
    def is_idle(model, memory, work, j: int, world: int) -> bool:
        """Whether no row of joint j has anything to do."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            for i in range(rows[0], rows[1]):
                if not wp.static(made[k].is_idle)(model, memory, work, i, world):
                    return False
        return True

    @func
    def end(model, memory, work, j: int, world: int):
        """What the rows of joint j remember of a kick that is solved."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            for i in range(rows[0], rows[1]):
                wp.static(made[k].end)(model, memory, work, i, world)

    @func
    def scale(model, memory, share: real, j: int, world: int):
        """Impulses of joint j for a kick of another length."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            for i in range(rows[0], rows[1]):
                wp.static(made[k].scale)(memory, share, i, world)

    return locals()


def _pushed(p: Precision, kinds: dict[int, SimpleNamespace]) -> dict[str, Device]:
    """What acts on pseudo-velocities."""
    real, vec3, func, rows_of = p.real, p.vec3, functions(p), make_ranges(p).rows_of
    numbers, made = list(kinds), list(kinds.values())

    @func
    def is_passed(model, work, c: int, j: int, world: int) -> bool:
        """Whether pseudo-velocities have something to put right."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            i = rows[0] + c
            if wp.static(k == len(made) - 1) or i < rows[1]:
                return wp.static(made[k].is_passed)(work, i, world)
            c = i - rows[1]
        return False

    @func
    def push(model, work, u: vec3, rate: real, c: int, j: int, world: int) -> vec3:
        """The change of the pseudo-impulse of row c at the pseudo-velocity u."""
        for k in range(wp.static(len(made))):
            rows = rows_of(model, wp.static(numbers[k]), j)
            i = rows[0] + c
            if wp.static(k == len(made) - 1) or i < rows[1]:
                return wp.static(made[k].push)(model, work, u, rate, i, world)
            c = i - rows[1]
        return vec3()

    return {"is_passed": is_passed, "push": push}
