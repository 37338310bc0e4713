"""The words of the page in the browser's language: catalogues in ``static/texts``, by the English text.

What is not in a catalogue stays English; names that come from a scene are as the scene has them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent / "static" / "texts"
ENGLISH = "en"


@cache
def catalogue(language: str) -> dict[str, str]:
    """The texts of a language by the English ones; empty for English."""
    found: dict[str, str] = msgspec.json.decode((FOLDER / f"{language}.json").read_bytes())
    return found


def languages() -> tuple[str, ...]:
    """The languages there are catalogues of, and English."""
    return (ENGLISH, *sorted(file.stem for file in FOLDER.glob("*.json")))


def spoken(text: str, accepted: str) -> str:
    """A text in the language that a browser accepts."""
    language = chosen(accepted)
    return text if language == ENGLISH else catalogue(language).get(text, text)


def chosen(accepted: str) -> str:
    """The language that a browser wants most, of those we have, from its Accept-Language."""
    wanted = []
    for place, part in enumerate(accepted.split(",")):
        tag, _, weight = part.strip().partition(";q=")
        quality = float(weight) if weight.replace(".", "", 1).isdigit() else 1.0
        wanted.append((-quality, place, tag.partition("-")[0].lower()))
    return next((language for *_, language in sorted(wanted) if language in languages()), ENGLISH)
