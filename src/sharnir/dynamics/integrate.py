"""New poses from the velocities and pseudo-velocities ([001]): X += dt H (V + V*), V* then forgotten.

The rotation over a step is exact for a constant spin: exp(dt (w + w*)).
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.fields import structs
from ..model.precision import Precision
from .algebra import make_algebra
from .coordinates import make_coordinates

wp = load_warp()

NOT_FINITE, RUNAWAY, EMPTY_DRUM = 1, 2, 3


@cache
def make_integrate(p: Precision) -> SimpleNamespace:
    """The functions in a precision."""
    t = structs(p)
    rotated = make_algebra(p).rotated
    geometry = make_coordinates(p)
    frames_of, coordinate_value, unwrapped = geometry.frames_of, geometry.coordinate_value, geometry.unwrapped
    coordinate_axis = geometry.coordinate_axis

    @wp.func
    def check(k: t.work, r: t.report, top_speed: p.real, b: int, w: int):
        """Mark the world as faulty if body b has no sensible velocity, before its last good state is overwritten."""
        v = k.velocity[b, w] + k.push[b, w]
        u = k.spin[b, w] + k.push_spin[b, w]
        if r.fault[w] == 0:
            if not (wp.isfinite(v) and wp.isfinite(u)):
                r.fault[w] = wp.static(NOT_FINITE)
                r.fault_body[w] = b
            elif wp.length(v) > top_speed or wp.length(u) > top_speed:
                r.fault[w] = wp.static(RUNAWAY)
                r.fault_body[w] = b

    @wp.func
    def integrate(s: t.state, k: t.work, dt: p.real, b: int, w: int):
        v = k.velocity[b, w]
        u = k.spin[b, w]
        s.velocity[b, w] = v
        s.spin[b, w] = u
        s.position[b, w] = s.position[b, w] + dt * (v + k.push[b, w])
        s.rotation[b, w] = rotated(s.rotation[b, w], dt * (u + k.push_spin[b, w]))

    @wp.func
    def count_turns(m: t.model, s: t.state, dt: p.real, i: int, w: int):
        """The turn that is nearest to where the present rate leads in a step: it may be more than half a turn."""
        j = m.twist_joint[i]
        f = frames_of(m, s, j, w)
        turning = s.spin[m.joint_b[j], w] - s.spin[m.joint_a[j], w]
        ahead = s.twist[i, w] + dt * wp.dot(coordinate_axis(f, m.twist_kind[i]), turning)
        s.twist[i, w] = unwrapped(coordinate_value(f, m.twist_kind[i]), ahead)

    return SimpleNamespace(check=check, integrate=integrate, count_turns=count_turns)
