"""Studies: many simulations of one scene. Sweeps, Monte Carlo, optimisation, identification."""

from .measures import Measure
from .results import Results, open_study
from .sensitivity import Index, sobol_indices
from .study import Study

__all__ = ["Index", "Measure", "Results", "Study", "open_study", "sobol_indices"]
