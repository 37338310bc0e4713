"""COLLADA files whose materials name their pictures wrongly, as an old exporter of Blender has written them."""

from __future__ import annotations

import re

END = b"</effect>"
SURFACE = re.compile(rb'<newparam\s+sid="([^"]+)"\s*>\s*<surface\b')
SOURCE = re.compile(rb"(<source>)[^<]*(</source>)")


def mended(text: bytes) -> bytes:
    """The text of a file in which the samplers of an effect with one surface are of that surface.

    One that names a surface that is not there breaks its material, and readers leave out the whole mesh that wears it.
    """
    return END.join(map(_sampled, text.split(END)))


def _sampled(effect: bytes) -> bytes:
    surfaces = SURFACE.findall(effect)
    if len(surfaces) != 1:
        return effect
    return SOURCE.sub(lambda source: source[1] + surfaces[0] + source[2], effect)
