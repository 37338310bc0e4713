"""Integrators, one file each: how the pose and velocity of every body come from a step's kick and drift.

The kick is made by rows and solver (``pipeline.py``); an integrator says what it acts on and what follows from it. In a
file ``name.py`` the function ``make_name(p, features)`` gives these device functions:

    start     before the kick: its length, ``work.kick``, and the poses and velocities that it acts on; returns what
              share of the last kick's impulses it should start with
    drift     after the kick: poses and velocities at the end of the step
    abandon   instead of the drift: the state as it was before ``start``

``model/integrator.py`` lists them by name, with what else the rows and the solver have to know of each.
"""

from functools import cache
from importlib import import_module
from types import SimpleNamespace

from ..factory import Features, Precision


@cache
def make_integrator(p: Precision, features: Features) -> SimpleNamespace:
    """The functions of the scene's integrator in a precision."""
    code = features.integrator.code
    made: SimpleNamespace = getattr(import_module(f"{__name__}.{code}"), f"make_{code}")(p, features)
    return made
