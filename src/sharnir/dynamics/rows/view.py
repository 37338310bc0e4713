"""What the rows on a joint's free axes need of their joint."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.precision import Precision
from ..coordinates import make_coordinates

wp = load_warp()


@cache
def make_view(p: Precision) -> SimpleNamespace:
    """The struct in a precision."""
    mat33, Frames = p.mat33, make_coordinates(p).Frames

    @wp.struct
    class View:
        """A joint, its two frames, and the inverse masses of its slip (1/kg) and relative spin (1/(kg m^2))."""

        joint: int
        frames: Frames
        linear: mat33
        angular: mat33

    return SimpleNamespace(View=View)
