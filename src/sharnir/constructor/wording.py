"""What scenes and diagrams refuse, told to somebody who builds by hand: remedies in Python become things to do."""

from __future__ import annotations

import re

# What is said in Python, and what is to be done in the constructor instead.
REMEDIES = (
    (r"add one with scene\.body\(name, shape\)", "add one from the palette, or take the tick off its field 'fixed'"),
    (r"move a body, change the length, or call scene\.assemble\(\)", "move a body or change the length"),
    (r", or call scene\.assemble\(\)", ""),
    (r"give True, False or sh\.Contact\(\.\.\.\)", "choose one of the kinds of contact"),
    (r"give sh\.Material\(\.\.\.\)", "choose a material"),
    (
        r"first let it be: scene\.couple\('name', sh\.Prescribed\(\), joint\)",
        "select its joint and add the coupling 'prescribed' from the palette",
    ),
    (
        r"first let it be: scene\.prescribe\('name', body\)",
        "add a body without shapes that is fixed and moved, and weld this one to it with a fixed joint",
    ),
    (r", or let scene\.prescribe\('name', body\) do so", " with a fixed joint"),
)
# Why a run has stopped, and what is to be done: steps, iterations and snapshots are none of a trial's.
STOPPED = re.compile(
    r"world \d+ stopped at step \d+ \((t = [^)]+)\): (.*?); the last good states are in .*?\.nc\. (.*)"
    r"\. Reset the run, or restore a snapshot",
    re.DOTALL,
)
CALMER_IN_PYTHON = "Try a smaller dt or more iterations; check the inputs"
CALMER = (
    "Press Back and look for springs that are stiff for what they carry, servos with much gain on light parts, "
    "and what is pulled on after it has met its end"
)
PATTERNS = tuple((re.compile(pattern), remedy) for pattern, remedy in REMEDIES)


def in_trial_words(message: str) -> str:
    """What a run says of itself, to somebody who tries what he builds."""
    stopped = STOPPED.fullmatch(message)
    if stopped is None:
        return message
    when, why, remedy = stopped.groups()
    return f"stopped at {when}: {why}. {remedy.replace(CALMER_IN_PYTHON, CALMER)}"


def in_hand_words(message: str) -> str:
    """A message whose remedy can be followed in the constructor."""
    for pattern, remedy in PATTERNS:
        message = pattern.sub(remedy, message)
    return message
