"""How hard the sweep looks: a short fixed sample by default, a long hunt with SHARNIR_SLOW=1."""

import os

from hypothesis import HealthCheck, Phase, settings

COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
FIND = (Phase.explicit, Phase.generate)  # a smaller case is looked for in a hunt only
settings.register_profile("quick", max_examples=60, derandomize=True, database=None, phases=FIND, **COMMON)
settings.register_profile("hunt", max_examples=5000, **COMMON)
settings.load_profile("hunt" if os.environ.get("SHARNIR_SLOW") else "quick")
