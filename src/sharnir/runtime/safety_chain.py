"""The safety chain: a state machine that says whether the operator's inputs reach the drives.

    free     they do
    held     the drives are in their safe state, because the operator is gone or has let go; he has to enable them again
    stopped  the emergency stop is on: latched until it is released, which leaves the drives held

Only the commands in ``NEXT`` change the state. In particular a reset, a restored snapshot, another operator or a new
connection do not, and a second press of the stop is the stop again.
"""

from __future__ import annotations

from enum import StrEnum

from ..errors import SceneError
from . import commands as c


class State(StrEnum):
    """Where the chain is."""

    FREE = "free"
    STOPPED = "stopped"
    HELD = "held"


NEXT: dict[State, dict[type[c.Command], State]] = {
    State.FREE: {c.Stop: State.STOPPED, c.Hold: State.HELD},
    State.HELD: {c.Stop: State.STOPPED, c.Hold: State.HELD, c.Enable: State.FREE},
    State.STOPPED: {c.Stop: State.STOPPED, c.Hold: State.STOPPED, c.Release: State.HELD},
}
REFUSED: dict[State, dict[type[c.Command], str]] = {
    State.FREE: {c.Release: "the emergency stop is not on; there is nothing to release"},
    State.HELD: {
        c.Set: "the drives are held in their safe state; enable them first",
        c.Pull: "the drives are held in their safe state, and nothing is pulled; enable them first",
        c.Release: "the emergency stop is not on; enable the drives to go on",
    },
    State.STOPPED: {
        c.Set: "the emergency stop is on; release it, then enable the drives",
        c.Pull: "the emergency stop is on, and nothing is pulled; release it, then enable the drives",
        c.Enable: "the emergency stop is on; release it first",
    },
}


def after(state: State, command: c.Command) -> State:
    """The state after a command; ``SceneError`` where the command is refused in this state."""
    kind = type(command)
    if kind in REFUSED[state]:
        raise SceneError(REFUSED[state][kind])
    return NEXT[state].get(kind, state)
