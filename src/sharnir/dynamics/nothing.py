"""The null object for device functions that a scene does not need: making hundreds of them takes a second."""

from typing import Any


class Nothing:
    """Any function by name is None; the branches that would call it are left out by ``wp.static``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # by such names Warp asks whether it is a number
            raise AttributeError(name)
        return None


NOTHING = Nothing()
