"""The command ``sharnir``: its arguments, what it prints, and the demo."""

from .command import main

__all__ = ["main"]
