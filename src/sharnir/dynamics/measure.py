"""What the state means, measured on the device: joint coordinates and their rates, frames of bodies.

The same numbers are derived from recorded frames in ``quantities/``; a test holds them together. This kernel
makes them while a simulation runs, all of them in one launch, for controllers and displays.
"""

from functools import cache

from ..device import load_warp
from ..model.fields import struct_values, structs
from ..model.precision import Precision
from .coordinates import RADIAL, SLIDE_Z, make_coordinates

wp = load_warp()


@cache
def measure_kernel(p: Precision) -> object:
    """The kernel, one thread per world."""
    vec3 = p.vec3
    t, v = structs(p), struct_values(p)
    measures = make_coordinates(p)

    @wp.func
    def point_velocity(s: t.state, b: int, point: vec3, w: int) -> vec3:
        """Of body b at a point, m/s."""
        return s.velocity[b, w] + wp.cross(s.spin[b, w], point - s.position[b, w])

    @wp.kernel(enable_backward=False, module="unique")
    def sharnir_measure(m: v.model, s: v.state, out: v.reading):
        """Coordinates, rates and body frames of one world."""
        w = wp.tid()
        for i in range(out.coordinate.shape[0]):
            j = m.coordinate_joint[i]
            kind = m.coordinate_kind[i]
            a = m.joint_a[j]
            b = m.joint_b[j]
            f = measures.frames_of(m, s, j, w)
            value = measures.coordinate_value(f, kind)
            if out.turns[i] >= 0:  # turns cannot be told from one instant
                value = s.twist[out.turns[i], w]
            relative = s.spin[b, w] - s.spin[a, w]
            if kind <= SLIDE_Z or kind == RADIAL:
                point = s.position[b, w] + wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
                relative = point_velocity(s, b, point, w) - point_velocity(s, a, point, w)
            out.coordinate[i, w] = value
            out.rate[i, w] = wp.dot(measures.coordinate_axis(f, kind), relative)
        for b in range(out.origin.shape[0]):
            origin = s.position[b, w] - wp.quat_rotate(s.rotation[b, w], out.center[b])
            out.origin[b, w] = origin
            out.origin_velocity[b, w] = point_velocity(s, b, origin, w)

    return sharnir_measure
