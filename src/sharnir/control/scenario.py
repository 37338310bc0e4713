"""Scenarios as data: what an operator has to do in a scene, what happens to him meanwhile, and how it is scored.

A scenario is in a file of its own, or in a scene's file under ``scenarios``. Who keeps the score is the referee of
:mod:`sharnir.runtime.referee`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..errors import SceneError, nearest
from ..scene.values import Description, Vec3, not_negative, positive
from .faults import AnyFault, checked_effects

if TYPE_CHECKING:
    from ..scene.scene import Scene

Pair = tuple[float, float]


class Goal(Description, frozen=True, kw_only=True, tag_field="type"):
    """Base of all goals: a ``name``, and the ``weight`` of its score. A ``required`` one has to be reached to pass."""

    name: str
    weight: float = 1.0
    required: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        not_negative(self.weight, f"goal '{self.name}' weight")


class Reach(Goal, frozen=True, kw_only=True, tag="reach"):
    """The middle of a ``body`` comes within ``radius`` (m) of ``at`` (m, from above), ``before`` a time (s)."""

    body: str
    at: Pair
    radius: float
    before: float | None = None


class Attain(Goal, frozen=True, kw_only=True, tag="attain"):
    """A ``signal`` comes to ``value`` or beyond, ``before`` a time (s)."""

    signal: str
    value: float
    before: float | None = None


class Stay(Goal, frozen=True, kw_only=True, tag="stay"):
    """A ``signal`` stays below ``limit``. Its score falls to nothing over ``allowed`` seconds above it."""

    signal: str
    limit: float
    allowed: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.allowed, f"goal '{self.name}' allowed (s)")


class Avoid(Goal, frozen=True, kw_only=True, tag="avoid"):
    """No touch of ``bodies`` by anything that moves, but for ``allowed`` ones."""

    bodies: tuple[str, ...]
    allowed: int = 0


AnyGoal = Reach | Attain | Stay | Avoid


class Event(Description, frozen=True, kw_only=True):
    """Something that happens, once: ``at`` a time (s), when a goal was reached (``after`` its name), or when a
    ``signal`` comes ``above`` or ``below`` a value; each ``delay`` (s) later. A fault is injected under a ``name``, one
    is cleared, a ``message`` is shown."""

    at: float | None = None
    after: str | None = None
    signal: str | None = None
    above: float | None = None
    below: float | None = None
    delay: float = 0.0
    name: str = ""
    inject: AnyFault | None = None
    clear: str | None = None
    message: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(given is not None for given in (self.at, self.after, self.signal)) != 1:
            raise SceneError("an event needs a time 'at', a goal 'after' which, or a 'signal'; give one of them")
        if (self.signal is not None) != ((self.above is None) != (self.below is None)):
            raise SceneError("an event by a signal needs a value that it comes 'above' or 'below'; give one of them")


class Place(Description, frozen=True, kw_only=True):
    """Where a body starts: its ``position`` (m), and its ``heading`` (rad) seen from above, where it is turned."""

    position: Vec3
    heading: float | None = None


class Start(Description, frozen=True, kw_only=True):
    """The state that a scenario starts from, where it is not that of its scene.

    ``coordinates`` (rad, m) and ``speeds`` (rad/s, m/s) are by joint and axis, such as hinge.angle; ``places`` by body,
    and all that joints hold to it comes along; ``inputs`` are what the operator's controls start at, by name.
    """

    coordinates: dict[str, float] = msgspec.field(default_factory=dict)
    speeds: dict[str, float] = msgspec.field(default_factory=dict)
    places: dict[str, Place] = msgspec.field(default_factory=dict)
    inputs: dict[str, float] = msgspec.field(default_factory=dict)


class Scenario(Description, frozen=True, kw_only=True):
    """What an operator has to do, what happens to him, and how it is scored.

    ``scene`` is a robot, an example, or a file beside the scenario's; in a scene's own file it is left out. It ends
    after ``time`` (s), or when everything that can be reached has been; ``pass_at`` is the share of the score that it
    takes to pass. ``briefing`` is what the operator is told.
    """

    name: str
    time: float
    goals: tuple[AnyGoal, ...]
    scene: str = ""
    briefing: str = ""
    events: tuple[Event, ...] = ()
    start: Start | None = None
    pass_at: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self.time, "scenario time (s)")
        names = [goal.name for goal in self.goals]
        for name in names:
            if names.count(name) > 1:
                raise SceneError(f"there are two goals '{name}'; rename one")
        for event in self.events:
            if event.after is not None and event.after not in names:
                raise SceneError(f"an event is after '{event.after}', which is no goal{nearest(event.after, names)}")

    def check(self, scene: Scene) -> None:
        """Refuse what the scene does not have. Signals are known when it runs."""
        for goal in self.goals:
            named = (goal.body,) if isinstance(goal, Reach) else goal.bodies if isinstance(goal, Avoid) else ()
            for body in named:
                if body not in scene.bodies:
                    raise SceneError(f"goal '{goal.name}': there is no body '{body}'{nearest(body, scene.bodies)}")
        for event in self.events:
            if event.inject is not None:
                checked_effects(event.name or "an event's fault", event.inject, scene)
