"""Geometric stiffness: what keeps light links stable under a heavy load.

After Tournier et al., "Stable constrained dynamics", 2015. A reaction f at an arm r pulls a body straight: turning it
by dq changes the torque by -(f.r)(E - nn^T) dq, n = r/|r|. With a frozen arm this spring is explicit, and a link of
inertia I under tension shakes itself apart once dt^2 (f.r) exceeds several I (10^6 kg on links of 1 kg at 5 ms). Taken
implicitly it adds to the inertia:

    (I + dt^2 K) w' = I w + ...,    K = (f.r)(E - nn^T) for f.r > 0, f from the last step

Only the part beyond the stable range is added, so ordinary mechanisms keep their own inertia to the bit. That range is
measured by the inertia about the joint, I + m r^2: a compact bob on a long arm swings about its joint and not about its
own centre, however small its own inertia is, and must not be damped.
"""

from functools import cache
from types import SimpleNamespace

from ..device import load_warp
from ..model.fields import structs
from ..model.precision import Precision
from .algebra import make_algebra

wp = load_warp()

# dt^2 (f.r)/(I + m r^2) of one joint that the frozen arm still bears. A slender link of inertia I about its centre has
# 4 I about its end, so that this is 2 I there; two such ends make the limit of 4 I.
STABLE = 0.5


@cache
def make_stiffen(p: Precision) -> SimpleNamespace:
    """The functions in a precision."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    algebra = make_algebra(p)
    diagonal, packed, full = algebra.diagonal, algebra.packed, algebra.full

    @wp.func
    def stiffen(m: t.model, k: t.work, b: int, arm: vec3, pull: real, w: int):
        """Add to body b's inertia what a joint at ``arm`` needs that pulls with dt^2 (f.r) = ``pull``."""
        own = real(0.5) * wp.trace(m.inertia[b, w])  # for a slender link the moment across it
        own = own + wp.dot(arm, arm) / m.inv_mass[b, w]
        excess = pull - real(STABLE) * own
        if excess > real(0.0):
            n = wp.normalize(arm)
            inertia = full(k.inertia[b, w])
            stiff = inertia + excess * (diagonal(real(1.0)) - wp.outer(n, n))
            inverse = wp.inverse(stiff)
            k.spin[b, w] = inverse * (inertia * k.spin[b, w])
            k.inertia[b, w] = packed(stiff)
            k.inv_inertia[b, w] = packed(inverse)

    @wp.func
    def stiffen_joint(m: t.model, n: t.memory, k: t.work, dt: real, j: int, w: int):
        a = m.joint_a[j]
        b = m.joint_b[j]
        square = dt * dt
        reaction = n.reaction[j, w]
        if m.inv_mass[a, w] > real(0.0):
            stiffen(m, k, a, k.arm_a[j, w], -square * wp.dot(reaction, k.arm_a[j, w]), w)
        if m.inv_mass[b, w] > real(0.0):
            stiffen(m, k, b, k.arm_b[j, w], square * wp.dot(reaction, k.arm_b[j, w]), w)

    return SimpleNamespace(stiffen=stiffen, stiffen_joint=stiffen_joint)
