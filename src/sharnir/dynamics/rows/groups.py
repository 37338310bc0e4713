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
# The stages by the tables that they take.
PLAIN = ("warm", "strike", "lead", "assemble", "lack", "lack_push", "take", "take_apart")
WITH_STATE = ("reach", "end")


@factory
def make_rows(p: Precision, features: Features) -> Made:
    """All groups that a scene has as one; ``revises`` tells whether rows of the matrix come and go in a step."""
    groups = [make(p, features) for make, has in GROUPS.items() if has is None or getattr(features, has)]

    def of(stage: str) -> list[Device]:
        return [getattr(group, stage) for group in groups if hasattr(group, stage)]

    rows = {stage: _plain(p, stage, of(stage)) for stage in PLAIN}
    rows |= {stage: _with_state(p, stage, of(stage)) for stage in WITH_STATE}
    rows |= {
        "place": _placing(p, of("place")),
        "prepare": _preparing(p, of("prepare")),
        "scale": _scaling(p, of("scale")),
    }
    rows |= {
        "visit": _visiting(p, of("visit")),
        "sweep": _sweeping(p, of("sweep")),
        "revise": _revising(p, of("revise")),
    }
    return rows | {"revises": bool(of("revise"))}


def _plain(p: Precision, stage: str, made: list[Device]) -> Device:
    @functions(p, stage)
    def in_turn(model, memory, work, settings, world: int):
        """A stage of every group that takes part, one after the other; the loop is unrolled."""
        for k in range(wp.static(len(made))):
            wp.static(made[k])(model, memory, work, settings, world)

    return in_turn


def _with_state(p: Precision, stage: str, made: list[Device]) -> Device:
    @functions(p, stage)
    def in_turn(model, state, memory, work, settings, world: int):
        """The same for stages that look at poses."""
        for k in range(wp.static(len(made))):
            wp.static(made[k])(model, state, memory, work, settings, world)

    return in_turn


def _placing(p: Precision, made: list[Device]) -> Device:
    @functions(p)
    def place(model, state, memory, work, report, settings, world: int):
        """Where the rows act."""
        for k in range(wp.static(len(made))):
            wp.static(made[k])(model, state, memory, work, report, settings, world)

    return place


def _preparing(p: Precision, made: list[Device]) -> Device:
    @functions(p)
    def prepare(model, control, state, memory, work, report, settings, world: int):
        """Directions, errors and effective masses."""
        for k in range(wp.static(len(made))):
            wp.static(made[k])(model, control, state, memory, work, report, settings, world)

    return prepare


def _scaling(p: Precision, made: list[Device]) -> Device:
    real, func = p.real, functions(p)

    @func
    def scale(model, memory, settings, share: real, world: int):
        """All impulses for a kick of another length."""
        for k in range(wp.static(len(made))):
            wp.static(made[k])(model, memory, settings, share, world)

    return scale


def _visiting(p: Precision, made: list[Device]) -> Device:
    real, func = p.real, functions(p)

    @func
    def visit(model, memory, work, settings, stabilise: bool, world: int) -> real:
        """Every row once; the square of the largest impulse."""
        change = real(0.0)
        for k in range(wp.static(len(made))):
            change = wp.max(change, wp.static(made[k])(model, memory, work, settings, stabilise, world))
        return change

    return visit


def _sweeping(p: Precision, made: list[Device]) -> Device:
    vec2, func = p.vec2, functions(p)

    @func
    def sweep(model, memory, work, settings, world: int) -> vec2:
        """Every row beside the matrix once; the squares of the largest impulse and pseudo-impulse."""
        change = vec2()
        for k in range(wp.static(len(made))):
            change = wp.max(change, wp.static(made[k])(model, memory, work, settings, world))
        return change

    return sweep


def _revising(p: Precision, made: list[Device]) -> Device:
    @functions(p)
    def revise(model, memory, work, settings, world: int) -> bool:
        """Whether a group has rows that come or go."""
        changed = bool(False)
        for k in range(wp.static(len(made))):
            changed = wp.static(made[k])(model, memory, work, settings, world) or changed
        return changed

    return revise
