"""Neighbouring worlds that share a model, and tables cut to them: kernels that know one model serve all worlds in turn.

Where sizes, frames or sensors differ between worlds, runs of neighbours that agree have a model of their own. A cut of
a table holds views of the same memory, so what is written to either is in both.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..device import Table
from ..model.fields import TABLES, struct_values
from ..model.precision import Precision
from ..scene.scene import Scene


@dataclass(frozen=True)
class WorldPart:
    """``count`` worlds from the ``first`` on, the ``model`` that they share, and a ``scene`` with its numbers."""

    first: int
    count: int
    model: Table
    scene: Scene

    def cut(self, name: str, table: Table, precision: Precision) -> Table:
        """A table by its ``name``, as these worlds see it."""
        cut = getattr(struct_values(precision), name)()
        mine = slice(self.first, self.first + self.count)
        for field in TABLES[name]:
            array = getattr(table, field.name)
            if field.per_world and array.size > 0:
                array = array[mine] if array.ndim == 1 else array[:, mine]
            setattr(cut, field.name, array)
        return cut

    def own_model(self, precision: Precision) -> Table:
        """Its model, cut to these worlds."""
        return self.cut("model", self.model, precision)
