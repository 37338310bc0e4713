"""The measures of a study in numbers."""

from __future__ import annotations

import numpy as np

from ..scene.values import Plain
from .measures import SERIES
from .results import Results

QUANTILES = (0.05, 0.5, 0.95)


def summary(results: Results) -> list[Plain]:
    """Mean, deviation and quantiles of every measure, in its unit."""
    found = []
    for measure in results.measures:
        if measure.reduction == SERIES:
            continue
        values = results.values(measure.name)[1]
        good = values[np.isfinite(values)]
        row = {"measure": measure.name, "unit": results.about["units"].get(measure.name, ""), "points": len(good)}
        if len(good):
            low, middle, high = (float(value) for value in np.quantile(good, QUANTILES))
            row |= {"mean": float(good.mean()), "deviation": float(good.std(ddof=1)) if len(good) > 1 else 0.0}
            row |= {"low": low, "median": middle, "high": high, "least": float(good.min()), "most": float(good.max())}
        found.append(row)
    return found
