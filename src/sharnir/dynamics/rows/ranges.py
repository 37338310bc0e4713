"""Which bounded rows of a kind a joint has; kinds are numbered as in ``model/bound_ranges.py``."""

from ...model.bound_ranges import BOUND_KINDS
from ..factory import Made, Precision, factory, functions, wp


@factory
def make_ranges(p: Precision) -> Made:
    func = functions(p)

    @func
    def rows_of(model, kind: int, j: int) -> wp.vec2i:
        """The first row of a kind on joint j, and one past the last."""
        place = wp.static(len(BOUND_KINDS)) * j + kind
        return wp.vec2i(model.bound_start[place], model.bound_end[place])

    return locals()
