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
PATTERNS = tuple((re.compile(pattern), remedy) for pattern, remedy in REMEDIES)


def in_hand_words(message: str) -> str:
    """A message whose remedy can be followed in the constructor."""
    for pattern, remedy in PATTERNS:
        message = pattern.sub(remedy, message)
    return message
