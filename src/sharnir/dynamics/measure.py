"""What the state means, measured on the device: joint coordinates and their rates, frames of bodies.

The same numbers are derived from recorded frames in ``quantities/``; a test holds them together. This function
makes them while a simulation runs, all of them in one launch, for controllers and displays.
"""

from functools import cache

from .coordinates import make_coordinates
from .factory import Device, Precision, functions, wp


@cache
def make_measure(p: Precision) -> Device:
    """The device function, for one world."""
    func = functions(p)
    measures = make_coordinates(p)

    @func
    def measure(model, state, reading, world: int):
        """Coordinates, rates and body frames of one world."""
        for i in range(reading.coordinate.shape[0]):
            j = model.coordinate_joint[i]
            kind = model.coordinate_kind[i]
            f = measures.frames_of(model, state, j, world)
            value = measures.coordinate_value(f, kind)
            if reading.turns[i] >= 0:  # turns cannot be told from one instant
                value = state.twist[reading.turns[i], world]
            reading.coordinate[i, world] = value
            reading.rate[i, world] = measures.coordinate_rate(model, state, f, kind, j, world)
        for b in range(reading.origin.shape[0]):
            origin = state.position[b, world] - wp.quat_rotate(state.rotation[b, world], reading.center[b])
            reading.origin[b, world] = origin
            reading.origin_velocity[b, world] = measures.point_velocity(state, b, origin, world)

    return measure
