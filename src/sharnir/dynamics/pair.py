"""Two bodies in a joint: their velocities while rows of that joint are solved, kept in registers."""

from .algebra import make_algebra
from .factory import Made, Precision, factory, functions, wp


@factory
def make_pair(p: Precision) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    full = make_algebra(p).full
    Vectors = wp.array(dtype=vec3, ndim=2)  # for every body: velocities or pseudo-velocities

    @wp.struct
    class Pair:
        """Velocities or pseudo-velocities (v, w), inverse masses (m, i) and arms to the anchor of a and b."""

        va: vec3
        wa: vec3
        vb: vec3
        wb: vec3
        ma: real
        mb: real
        ia: mat33
        ib: mat33
        ra: vec3
        rb: vec3
        change: real  # square of the largest impulse applied so far in this iteration

    @func
    def load(model, work, j: int, world: int) -> Pair:
        """The two bodies of joint j, with their velocities."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        x = Pair()
        x.va = work.velocity[a, world]
        x.wa = work.spin[a, world]
        x.vb = work.velocity[b, world]
        x.wb = work.spin[b, world]
        x.ma = model.inv_mass[a, world]
        x.mb = model.inv_mass[b, world]
        x.ia = full(work.inv_inertia[a, world])
        x.ib = full(work.inv_inertia[b, world])
        x.ra = work.arm_a[j, world]
        x.rb = work.arm_b[j, world]
        return x

    @func
    def put(model, v: Vectors, w: Vectors, j: int, world: int, x: Pair):
        """Write what moves back to where it came from."""
        v[model.joint_a[j], world] = x.va
        w[model.joint_a[j], world] = x.wa
        v[model.joint_b[j], world] = x.vb
        w[model.joint_b[j], world] = x.wb

    @func
    def store(model, work, j: int, world: int, x: Pair):
        """Write the velocities back."""
        put(model, work.velocity, work.spin, j, world, x)

    @func
    def load_push(model, work, x: Pair, j: int, world: int) -> Pair:
        """The pseudo-velocities in place of the velocities, for those who stabilise."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        x.va = work.push[a, world]
        x.wa = work.push_spin[a, world]
        x.vb = work.push[b, world]
        x.wb = work.push_spin[b, world]
        return x

    @func
    def store_push(model, work, j: int, world: int, x: Pair):
        """Write the pseudo-velocities back."""
        put(model, work.push, work.push_spin, j, world, x)

    @func
    def slip(x: Pair) -> vec3:
        """Velocity of b relative to a at b's anchor."""
        return x.vb + wp.cross(x.wb, x.rb) - x.va - wp.cross(x.wa, x.ra)

    @func
    def kicked(x: Pair, d: vec3, c: vec3) -> Pair:
        """After an impulse d at b's anchor and an angular impulse c: on b as they are, on a reversed."""
        x.va = x.va - x.ma * d
        x.wa = x.wa - x.ia * (wp.cross(x.ra, d) + c)
        x.vb = x.vb + x.mb * d
        x.wb = x.wb + x.ib * (wp.cross(x.rb, d) + c)
        x.change = wp.max(x.change, wp.max(wp.dot(d, d), wp.dot(c, c)))
        return x

    @func
    def struck(x: Pair, d: vec3) -> Pair:
        """After an impulse at b's anchor alone."""
        x.va = x.va - x.ma * d
        x.wa = x.wa - x.ia * wp.cross(x.ra, d)
        x.vb = x.vb + x.mb * d
        x.wb = x.wb + x.ib * wp.cross(x.rb, d)
        x.change = wp.max(x.change, wp.dot(d, d))
        return x

    @func
    def twisted(x: Pair, c: vec3) -> Pair:
        """After an angular impulse alone."""
        x.wa = x.wa - x.ia * c
        x.wb = x.wb + x.ib * c
        x.change = wp.max(x.change, wp.dot(c, c))
        return x

    @func
    def motion(x: Pair, linear: int) -> vec3:
        """Slip (linear = 1) or relative spin."""
        if linear == 1:
            return slip(x)
        return x.wb - x.wa

    @func
    def acted(x: Pair, linear: int, d: vec3) -> Pair:
        """After an impulse (linear = 1) or an angular impulse."""
        if linear == 1:
            return struck(x, d)
        return twisted(x, d)

    return locals()
