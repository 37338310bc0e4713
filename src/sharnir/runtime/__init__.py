"""Simulations in real time: in a process of their own, paced by the clock, commanded, logged and repeatable.

From Python: a :class:`Plant` is what that process steps, changed by ``commands`` alone; :func:`create_run` starts the
folder of a run, and :class:`LoggedRun` reads one back.
"""

from . import commands
from .journal import LoggedRun, create_run
from .plant import Plant

__all__ = ["LoggedRun", "Plant", "commands", "create_run"]
