"""All tests share general kernels, so that a run compiles thirty of them instead of a hundred and thirty.

That a scene moves alike in its own kernel is what ``tests/determinism/test_kernels.py`` is for.
"""

import os

os.environ.setdefault("SHARNIR_KERNELS", "general")
