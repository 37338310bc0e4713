"""What a simulation hands out: snapshots, the report of a step, contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..device import Table
from ..scene.scene import Scene
from ..spatial import Array

if TYPE_CHECKING:
    from ..studies.address import Address


@dataclass(frozen=True)
class Varied:
    """What differs between worlds, see :meth:`Simulation.vary`: numbers [world] by address, the scene of every world.

    ``starts`` are the states in which the worlds start, ``places`` the arrays of the model and the items written there.
    ``models`` are those of worlds in which numbers differ that a model holds once: each for a first world and how many
    follow; none where one serves all.
    """

    numbers: dict[Address, Array] = field(default_factory=dict)
    scenes: tuple[Scene, ...] = ()
    starts: dict[str, Array] = field(default_factory=dict)
    places: frozenset[tuple[str, int]] = frozenset()
    models: tuple[tuple[int, int, Table], ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """Everything a simulation needs to go on bit for bit, as ``sim.snapshot()`` returns it.

    ``arrays`` hold state, warm-start impulses, efforts, parameters such as masses and friction levels, and the step
    count; ``attached`` is what diagrams and faults remember, ``varied`` what differs between worlds.
    """

    arrays: dict[str, dict[str, Array]]
    attached: tuple[object, ...] = ()
    varied: Varied = Varied()


@dataclass(frozen=True)
class Report:
    """What the last step says of itself, one value per world.

    ``iterations`` were made; ``residual`` (N s or N m s) is the largest change of an impulse in the last of them;
    ``joint_error`` (m or rad) the worst error of a locked axis when the step began; ``out_of_budget`` whether the
    wall-clock budget ended the iterations. Since the start, ``largest_turn`` (rad) is that of a body in one step, and
    ``fall_backs`` are the steps that another integrator had to make.
    """

    iterations: Array
    residual: Array
    joint_error: Array
    out_of_budget: bool
    largest_turn: Array
    fall_backs: Array


@dataclass(frozen=True)
class Touch:
    """A point where the bodies ``a`` and ``b`` (names) touch, or are about to; vectors in world axes, on body b.

    ``point`` (m) is where, ``normal`` a unit vector from a to b, ``gap`` (m) negative where they overlap, ``force``
    in N, ``slip`` (m/s) the velocity of b against a.
    """

    a: str
    b: str
    point: Array
    normal: Array
    gap: float
    force: Array
    slip: Array
