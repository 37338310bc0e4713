"""All rows of a scene, as pipeline and solvers see them: they know no kind of row by name.

A group of rows is a file beside this one and a line in ``GROUPS``. It gives those of these device functions that it
needs, each with the tables that it reads and writes, and the world:

    place        where it acts: arms of joints, points of contact
    prepare      directions, errors and effective masses at the present poses
    reach        the same, where they follow from the factored matrix
    warm         last step's impulses applied
    strike       before the first sweep: impacts
    visit        every row once, applied at once; the square of the largest impulse
    sweep        the same for rows beside the matrix of the direct solver: the squares of the largest impulse and
                 pseudo-impulse
    lead         from now on rows lead onto where they should be at the end of the step
    end          what it remembers of a kick that is solved
    scale        its impulses for a kick of another length; 0 forgets them

and, for rows in the matrix of the direct solver (``solvers/factors.py``):

    assemble     blocks and pivots
    lack         right-hand sides: what the velocities lack
    lack_push    what the pseudo-velocities lack, which close gaps at the rate ERP/dt
    take         the solution added to the impulses
    take_apart   the same beside the warm start, where rows are redundant
    revise       after a solve: rows that come or go; whether there are any

Bounded rows on the free axes of joints have an interface of their own, ``bounds.py``.
"""

from collections.abc import Callable
from types import SimpleNamespace

from ..factory import Device, Features, Made, Precision, factory, functions, wp
from .contact import make_contact
from .coupling import make_coupling
from .joint_rows import make_joints
from .port import make_port

# group -> the feature of a scene that has rows of it (every scene has joints), in the order in which they are visited
GROUPS: dict[Callable[..., SimpleNamespace], str | None] = {
    make_joints: None,
    make_coupling: "couplings",
    make_contact: "contacts",
    make_port: "rope_ports",
}
# stages of which the tables are all that they take
PLAIN = ("warm", "strike", "lead", "assemble", "lack", "lack_push", "take", "take_apart")

Stage = tuple[Device, Device]  # the device function that does nothing, and what makes one of two


@factory
def make_rows(p: Precision, features: Features) -> Made:
    """All groups that a scene has as one; ``revises`` tells whether rows of the matrix come and go in a step."""
    groups = [make(p, features) for make, has in GROUPS.items() if has is None or getattr(features, has)]
    stages = dict.fromkeys(PLAIN, _plain(p)) | dict.fromkeys(("reach", "end"), _with_state(p))
    stages |= {"place": _placing(p), "prepare": _preparing(p), "scale": _scaling(p)}
    stages |= {"visit": _visiting(p), "sweep": _sweeping(p), "revise": _revising(p)}
    rows = {
        name: _chain(p, stage, name, [vars(group)[name] for group in groups if hasattr(group, name)])
        for name, stage in stages.items()
    }
    return rows | {"revises": any(hasattr(group, "revise") for group in groups)}


def _chain(p: Precision, stage: Stage, name: str, made: list[Device]) -> Device:
    """The functions that groups have for a stage, one after the other."""
    nothing, both = stage
    for place, function in enumerate(made[1:]):
        made[0] = both(functions(p, f"{name}{place}"), made[0], function)
    return made[0] if made else nothing


def _plain(p: Precision) -> Stage:
    func = functions(p)

    @func
    def nothing(model, memory, work, settings, world: int):
        """No group has anything to do."""

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def in_turn(model, memory, work, settings, world: int):
            """Both groups, one after the other."""
            first(model, memory, work, settings, world)
            second(model, memory, work, settings, world)

        return in_turn

    return nothing, both


def _with_state(p: Precision) -> Stage:
    func = functions(p)

    @func
    def nothing(model, state, memory, work, settings, world: int):
        """No group has anything to do."""

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def in_turn(model, state, memory, work, settings, world: int):
            """Both groups, one after the other."""
            first(model, state, memory, work, settings, world)
            second(model, state, memory, work, settings, world)

        return in_turn

    return nothing, both


def _placing(p: Precision) -> Stage:
    func = functions(p)

    @func
    def nothing(model, state, memory, work, report, settings, world: int):
        """No group has anything to do."""

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def in_turn(model, state, memory, work, report, settings, world: int):
            """Both groups, one after the other."""
            first(model, state, memory, work, report, settings, world)
            second(model, state, memory, work, report, settings, world)

        return in_turn

    return nothing, both


def _preparing(p: Precision) -> Stage:
    func = functions(p)

    @func
    def nothing(model, control, state, memory, work, report, settings, world: int):
        """No group has anything to do."""

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def in_turn(model, control, state, memory, work, report, settings, world: int):
            """Both groups, one after the other."""
            first(model, control, state, memory, work, report, settings, world)
            second(model, control, state, memory, work, report, settings, world)

        return in_turn

    return nothing, both


def _scaling(p: Precision) -> Stage:
    real, func = p.real, functions(p)

    @func
    def nothing(model, memory, settings, share: real, world: int):
        """No group has anything to do."""

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def in_turn(model, memory, settings, share: real, world: int):
            """Both groups, one after the other."""
            first(model, memory, settings, share, world)
            second(model, memory, settings, share, world)

        return in_turn

    return nothing, both


def _visiting(p: Precision) -> Stage:
    real, func = p.real, functions(p)

    @func
    def nothing(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """No group has anything to visit."""
        return real(0.0)

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def largest(model, memory, work, settings, stabilise: bool, world: int) -> real:
            """Both groups; the larger of what they return."""
            change = first(model, memory, work, settings, stabilise, world)
            return wp.max(change, second(model, memory, work, settings, stabilise, world))

        return largest

    return nothing, both


def _sweeping(p: Precision) -> Stage:
    vec2, func = p.vec2, functions(p)

    @func
    def nothing(model, memory, work, settings, world: int) -> vec2:
        """No group has anything to sweep."""
        return vec2()

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def largest(model, memory, work, settings, world: int) -> vec2:
            """Both groups; the larger of what they return."""
            change = first(model, memory, work, settings, world)
            return wp.max(change, second(model, memory, work, settings, world))

        return largest

    return nothing, both


def _revising(p: Precision) -> Stage:
    func = functions(p)

    @func
    def nothing(model, memory, work, settings, world: int) -> bool:
        """No group has rows that come or go."""
        return False

    def both(func: Device, first: Device, second: Device) -> Device:
        @func
        def either(model, memory, work, settings, world: int) -> bool:
            """Both groups; whether one of them has something."""
            changed = first(model, memory, work, settings, world)
            return second(model, memory, work, settings, world) or changed

        return either

    return nothing, both
