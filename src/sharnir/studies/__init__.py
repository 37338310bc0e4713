"""Studies: many simulations of one scene. Sweeps, Monte Carlo, optimisation, identification."""

from .fit import Estimate
from .identify import Found, Identification, Trial, compare_inputs
from .laws import Ranked
from .laws import rank as rank_laws
from .logs import Log, make_log, read_log
from .measures import Measure
from .optimise import Optimisation, Optimised
from .results import Results, open_study
from .sensitivity import Index, sobol_indices
from .study import Study

__all__ = [
    "Estimate",
    "Found",
    "Identification",
    "Index",
    "Log",
    "Measure",
    "Optimisation",
    "Optimised",
    "Ranked",
    "Results",
    "Study",
    "Trial",
    "compare_inputs",
    "make_log",
    "open_study",
    "rank_laws",
    "read_log",
    "sobol_indices",
]
