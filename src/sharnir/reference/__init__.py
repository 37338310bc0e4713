"""The exact twin: the same scene solved as differential-algebraic equations, slowly and exactly."""

from .solve import solve

__all__ = ["solve"]
