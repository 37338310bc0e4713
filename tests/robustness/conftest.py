"""How hard the sweep looks: a short fixed sample by default, a long hunt with SHARNIR_SLOW=1."""

import os

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True}
settings.register_profile("quick", max_examples=60, derandomize=True, database=None, **COMMON)
settings.register_profile("hunt", max_examples=5000, **COMMON)
settings.load_profile("hunt" if os.environ.get("SHARNIR_SLOW") else "quick")
