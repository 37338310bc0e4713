"""How hard the sweep looks: a short fixed sample by default, a long hunt with SHARNIR_SLOW=1."""

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture.providers import HypothesisProvider

COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
FIND = (Phase.explicit, Phase.generate)  # a smaller case is looked for in a hunt only
settings.register_profile("quick", max_examples=60, derandomize=True, database=None, phases=FIND, **COMMON)
settings.register_profile("hunt", max_examples=5000, **COMMON)
if os.environ.get("SHARNIR_SLOW"):
    settings.load_profile("hunt")
else:
    settings.load_profile("quick")
    # Hypothesis mixes in numbers from the source of whatever modules are loaded: without them the sample is a fixed one
    HypothesisProvider._maybe_draw_constant = lambda *_, **__: None  # type: ignore[method-assign]
