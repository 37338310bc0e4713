"""What browsers may say over the websocket, and who of them may say it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..runtime import commands as c


class Alive(c.Command, frozen=True, tag="alive"):
    """The operator is there."""


class Take(c.Command, frozen=True, tag="take"):
    """Ask for the controls."""


class Give(c.Command, frozen=True, tag="give"):
    """Leave the controls to another."""


class LetGo(c.Command, frozen=True, tag="let_go"):
    """The operator's hand is off the controls, as his browser has noticed: hold the drives."""

    why: Literal["hidden", "blurred", "gamepad"]


class Unlatch(c.Command, frozen=True, tag="unlatch"):
    """The release of the emergency stop is pressed, and has to be for a while before ``release`` is taken."""


class Again(c.Command, frozen=True, tag="again"):
    """Start a new run of the same scene, after one has ended."""


class Home(c.Command, frozen=True, tag="home"):
    """Back to the start page, after a run has ended."""


REASONS = {
    "hidden": "the operator's page was hidden",
    "blurred": "the operator's window lost the focus while a control was held",
    "gamepad": "the operator's gamepad is gone",
}
FromBrowser = (
    Alive | Take | Give | LetGo | Unlatch | Again | Home | c.Run | c.Pause | c.Step | c.Reset | c.Scale | c.Save
    | c.Restore | c.Set | c.Pull | c.Loosen | c.Stop | c.Release | c.Enable | c.Inject | c.Clear | c.Note | c.End
)  # fmt: skip


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a browser sends: a number that grows, the clock of the newest frame it has, the inputs that a hand holds."""

    number: int
    seen: float
    command: FromBrowser
    holding: Annotated[tuple[c.Name, ...], msgspec.Meta(max_length=64)] = ()


class Beat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a browser's worker sends: how long its page has not spoken to it (s)."""

    page: Annotated[float, msgspec.Meta(ge=0.0)]


decode = msgspec.json.Decoder(Message).decode
decode_beat = msgspec.json.Decoder(Beat).decode

# --- rights -----------------------------------------------------------------------------------------------------------

CLOCK = (c.Run, c.Pause, c.Step, c.Scale)
START = (c.Reset, c.Save, c.Restore)
RELEASE = (Unlatch, c.Release)
PULL = (c.Pull, c.Loosen)
RIGHTS: dict[str, tuple[type[c.Command], ...]] = {
    "watcher": (c.Stop,),  # an emergency stop is everybody's
    "operator": (c.Stop, Take, Again, Home),
    "instructor": (c.Stop, Take, Again, Home, *CLOCK, *START, *RELEASE, *PULL, c.Inject, c.Clear, c.Note, c.End),
    "in control": (c.Stop, Give, Alive, LetGo, *CLOCK, *START, *RELEASE, *PULL, c.Set, c.Enable),
}


def refusal(role: str, in_control: bool, command: c.Command) -> str:
    """Why a command is not for whoever sent it; empty where it is."""
    kind = type(command)
    if kind in RIGHTS[role] or (in_control and kind in RIGHTS["in control"]):
        return ""
    if kind in RIGHTS["instructor"] and kind not in RIGHTS["in control"]:
        return (
            "that is the instructor's" if kind is not Take else "a watcher does not drive; ask for an operator's link"
        )
    return "you are watching; whoever is in control does that"
