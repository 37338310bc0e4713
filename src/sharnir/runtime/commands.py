"""What may be asked of a running simulation, as typed messages; the same words travel, are logged and are replayed."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..scene.values import Plain

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """One request. ``do`` names it."""


class Run(Command, frozen=True, tag="run"):
    """Go on, paced by the wall clock."""


class Pause(Command, frozen=True, tag="pause"):
    """Stand still between two steps."""


class Step(Command, frozen=True, tag="step"):
    """Make ``n`` steps and stand still again."""

    n: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1


class Reset(Command, frozen=True, tag="reset"):
    """Back to the start of the scene, inputs and faults included; the log goes on."""


class Scale(Command, frozen=True, tag="scale"):
    """Simulated seconds per second of the wall clock."""

    factor: Annotated[float, msgspec.Meta(ge=0.01, le=10.0)]


class Save(Command, frozen=True, tag="save"):
    """Keep a snapshot under a name."""

    name: Name


class Restore(Command, frozen=True, tag="restore"):
    """Go on from a snapshot."""

    name: Name


class Set(Command, frozen=True, tag="set"):
    """New values of operator inputs; values outside an input's range are clamped."""

    values: dict[Name, float]


class Tune(Command, frozen=True, tag="tune"):
    """A new ``value`` of the number at the ``port`` of a ``block`` of the diagram. No browser may send it."""

    block: Name
    port: Name
    value: float | bool


class Pull(Command, frozen=True, tag="pull"):
    """Pull a body by a spring, from a ``point`` on it (m, in its frame) to a ``target`` (m, in the world)."""

    body: Name
    point: tuple[float, float, float]
    target: tuple[float, float, float]


class Loosen(Command, frozen=True, tag="loosen"):
    """Let go of what is pulled."""


class Stop(Command, frozen=True, tag="stop"):
    """Emergency stop: every drive goes to its safe state and stays there, whatever else happens, until ``Release``."""


class Release(Command, frozen=True, tag="release"):
    """End an emergency stop. The drives stay in their safe state until ``Enable``."""


class Hold(Command, frozen=True, tag="hold"):
    """The operator is gone or has let go: drives go to their safe state until ``Enable``."""

    reason: Text = "the operator's connection is lost"


class Enable(Command, frozen=True, tag="enable"):
    """The operator takes hold again: from now on his inputs reach the drives."""


class Inject(Command, frozen=True, tag="inject"):
    """Inject a fault, described as in :mod:`sharnir.runtime.offered_faults`, under a name."""

    name: Name
    fault: Plain


class Clear(Command, frozen=True, tag="clear"):
    """Clear a fault."""

    name: Name


class Note(Command, frozen=True, tag="note"):
    """A remark for the report."""

    text: Text


class End(Command, frozen=True, tag="end"):
    """Close the run and its log."""


AnyCommand = (
    Run | Pause | Step | Reset | Scale | Save | Restore | Set | Tune | Pull | Loosen | Stop | Release | Hold | Enable
    | Inject | Clear | Note | End
)  # fmt: skip
# What changes the motion; a replay repeats these and skips the rest.
MOVING = (Reset, Save, Restore, Set, Tune, Pull, Loosen, Stop, Release, Hold, Enable, Inject, Clear)


class Order(msgspec.Struct, frozen=True):
    """A command and its author, as it travels to the physics; the server says who, never the browser."""

    by: str
    command: AnyCommand


decode = msgspec.json.Decoder(AnyCommand).decode
decode_order = msgspec.json.Decoder(Order).decode
encode = msgspec.json.Encoder().encode
