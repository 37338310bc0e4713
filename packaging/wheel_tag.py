"""A wheel with compiled kernels is for one kind of machine; without them it is for all."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelTag(BuildHookInterface):
    """Names the machine in the wheel's file name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds; ``version`` is "editable" for an installation of a checkout."""
        if version == "standard" and any(Path(self.root, "src/sharnir/kernels").glob("*.o")):
            machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{machine}"
