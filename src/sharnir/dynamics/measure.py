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
    def point_velocity(state: t.state, b: int, point: vec3, world: int) -> vec3:
        """Of body b at a point, m/s."""
        return state.velocity[b, world] + wp.cross(state.spin[b, world], point - state.position[b, world])

    @wp.kernel(enable_backward=False, module="unique")
    def sharnir_measure(model: v.model, state: v.state, out: v.reading):
        """Coordinates, rates and body frames of one world."""
        world = wp.tid()
        for i in range(out.coordinate.shape[0]):
            j = model.coordinate_joint[i]
            kind = model.coordinate_kind[i]
            a = model.joint_a[j]
            b = model.joint_b[j]
            f = measures.frames_of(model, state, j, world)
            value = measures.coordinate_value(f, kind)
            if out.turns[i] >= 0:  # turns cannot be told from one instant
                value = state.twist[out.turns[i], world]
            relative = state.spin[b, world] - state.spin[a, world]
            if kind <= SLIDE_Z or kind == RADIAL:
                point = state.position[b, world] + wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
                relative = point_velocity(state, b, point, world) - point_velocity(state, a, point, world)
            out.coordinate[i, world] = value
            out.rate[i, world] = wp.dot(measures.coordinate_axis(f, kind), relative)
        for b in range(out.origin.shape[0]):
            origin = state.position[b, world] - wp.quat_rotate(state.rotation[b, world], out.center[b])
            out.origin[b, world] = origin
            out.origin_velocity[b, world] = point_velocity(state, b, origin, world)

    return sharnir_measure
