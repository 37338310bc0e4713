"""What the rows on a joint's free axes need of their joint."""

from ..coordinates import make_coordinates
from ..factory import Made, Precision, factory, wp


@factory
def make_view(p: Precision) -> Made:
    mat33, vec3, real, Frames = p.mat33, p.vec3, p.real, make_coordinates(p).Frames

    @wp.struct
    class View:
        """A joint, its two frames, the inverse masses of its slip (1/kg) and spin (1/(kg m^2)), and the step (s)."""

        joint: int
        frames: Frames
        linear: mat33
        angular: mat33
        dt: real

    @wp.func
    def inverse_mass(view: View, linear: int) -> mat33:
        """Of the slip (linear = 1), 1/kg, or of the relative spin, 1/(kg m^2)."""
        if linear == 1:
            return view.linear
        return view.angular

    @wp.func
    def inverse_mass_along(view: View, linear: int, axis: vec3) -> real:
        """d.W d of a coordinate along the axis d."""
        if linear == 1:
            return wp.dot(axis, view.linear * axis)
        return wp.dot(axis, view.angular * axis)

    return locals()
