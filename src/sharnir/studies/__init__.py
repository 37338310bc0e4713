"""Studies: many simulations of one scene. Sweeps, Monte Carlo, optimisation, identification."""

from .measures import Measure
from .results import Results, open_study
from .study import Study

__all__ = ["Measure", "Results", "Study", "open_study"]
