"""What the state means, measured on the device: joint coordinates and their rates, frames of bodies.

The same numbers are derived from recorded frames in ``quantities/``; a test holds them together. This function
makes them while a simulation runs, all of them in one launch, for controllers and displays.
"""

from functools import cache

from .coordinates import RADIAL, SLIDE_Z, make_coordinates
from .factory import Device, Precision, functions, wp


@cache
def make_measure(p: Precision) -> Device:
    """The device function, for one world."""
    vec3 = p.vec3
    func = functions(p)
    measures = make_coordinates(p)

    @func
    def point_velocity(state, b: int, point: vec3, world: int) -> vec3:
        """Of body b at a point, m/s."""
        return state.velocity[b, world] + wp.cross(state.spin[b, world], point - state.position[b, world])

    @func
    def measure(model, state, reading, world: int):
        """Coordinates, rates and body frames of one world."""
        for i in range(reading.coordinate.shape[0]):
            j = model.coordinate_joint[i]
            kind = model.coordinate_kind[i]
            a = model.joint_a[j]
            b = model.joint_b[j]
            f = measures.frames_of(model, state, j, world)
            value = measures.coordinate_value(f, kind)
            if reading.turns[i] >= 0:  # turns cannot be told from one instant
                value = state.twist[reading.turns[i], world]
            relative = state.spin[b, world] - state.spin[a, world]
            if kind <= SLIDE_Z or kind == RADIAL:
                point = state.position[b, world] + wp.quat_rotate(state.rotation[b, world], model.anchor_b[j])
                relative = point_velocity(state, b, point, world) - point_velocity(state, a, point, world)
            reading.coordinate[i, world] = value
            reading.rate[i, world] = wp.dot(measures.coordinate_axis(f, kind), relative)
        for b in range(reading.origin.shape[0]):
            origin = state.position[b, world] - wp.quat_rotate(state.rotation[b, world], reading.center[b])
            reading.origin[b, world] = origin
            reading.origin_velocity[b, world] = point_velocity(state, b, origin, world)

    return measure
