"""What sensors read, on the device: the truth, what the device adds to it, and the samples on their way.

A sample is taken when its period begins and read ``delay`` later; the world's own count of steps tells when.

The acceleration of a body is that of the kick to come, which follows from the last ones, D and D', if these change
smoothly: D + r (D - D'), r = max(0, 2 c.c'/(c^2 + c'^2)) of the last two changes c and c'. r is 1 - O(h^2) in smooth
motion, or the change itself is of third order; after an impact it is 0, and the last kick counts.
"""

from functools import cache

from ..device import load_warp
from ..model.features import Features
from ..model.fields import struct_values, structs
from ..model.precision import Precision
from ..scene.sensors import Kind
from .contacts.rays import make_rays
from .coordinates import RADIAL, SLIDE_Z, make_coordinates
from .philox import make_philox

wp = load_warp()

WHITE, WALK, SPREAD = 0, 1, 2  # what a random number is for


@cache
def beam_kernel(p: Precision, features: Features) -> object:
    """The kernel that casts the beams that are due; one thread per reading and world."""
    v = struct_values(p)
    cast = make_rays(p, features).cast

    @wp.kernel(enable_backward=False, module="unique")
    def sharnir_beams(m: v.model, s: v.state, r: v.report, q: v.sensing, shapes: int):
        """One beam of one world."""
        i, w = wp.tid()
        if q.kind[i] == wp.static(int(Kind.BEAM)) and r.step[w] % q.every[i] == 0:
            body = q.item[i]
            turn = s.rotation[body, w]
            origin = s.position[body, w] + wp.quat_rotate(turn, q.place[i])
            ahead = wp.quat_rotate(q.turn[i], p.vec3(p.real(1.0), p.real(0.0), p.real(0.0)))
            hit = cast(m, s, shapes, origin, wp.quat_rotate(turn, ahead), q.size[i], body, w)
            q.distance[i, w] = hit.distance

    return sharnir_beams


@cache
def sense_kernel(p: Precision) -> object:
    """The kernel that takes and hands over samples; one thread per reading and world."""
    real, vec3, quat = p.real, p.vec3, p.quat
    t, v = structs(p), struct_values(p)
    measures, random = make_coordinates(p), make_philox(p)
    Words = random.Words

    @wp.func
    def point_velocity(s: t.state, b: int, point: vec3, w: int) -> vec3:
        """Of body b at a point, m/s."""
        return s.velocity[b, w] + wp.cross(s.spin[b, w], point - s.position[b, w])

    @wp.func
    def coming(kick: vec3, change: vec3, change_before: vec3) -> vec3:
        """The next kick."""
        size = wp.dot(change, change) + wp.dot(change_before, change_before)
        if size == real(0.0):
            return kick
        return kick + wp.max(real(2.0) * wp.dot(change, change_before) / size, real(0.0)) * change

    @wp.func
    def acceleration(m: t.model, s: t.state, n: t.memory, q: t.sensing, dt: real, arm: vec3, i: int, w: int) -> vec3:
        """Of the point of its body at an arm from the centre of mass, world axes: a + w' x r + w x (w x r)."""
        b = q.item[i]
        if m.inv_mass[b, w] == real(0.0):
            return vec3()
        kick = coming(n.kick_velocity[b, w], n.kick_change[b, w], q.change[i, w])
        kick_spin = coming(n.kick_spin[b, w], n.kick_spin_change[b, w], q.change_spin[i, w])
        turn = s.rotation[b, w]
        spin = s.spin[b, w]
        own = wp.quat_rotate_inv(turn, spin)
        gyroscopic = m.inv_inertia[b, w] * wp.cross(m.inertia[b, w] * own, own)  # body axes
        angular = kick_spin / dt + wp.quat_rotate(turn, gyroscopic)
        return kick / dt + wp.cross(angular, arm) + wp.cross(spin, wp.cross(spin, arm))

    @wp.func
    def rotation_vector(turn: quat) -> vec3:
        """The rotation vector of a quaternion, rad, by the shorter way."""
        v = vec3(turn[0], turn[1], turn[2])
        size = wp.length(v)
        if size < real(1.0e-12):
            return real(2.0) * v
        angle = real(2.0) * wp.atan2(size, wp.abs(turn[3]))
        if turn[3] < real(0.0):
            angle = -angle
        return (angle / size) * v

    @wp.func
    def touched(s: t.state, k: t.work, q: t.sensing, i: int, w: int) -> vec3:
        """All contacts of a body within a pad: their force, body axes, or how much they press, first component."""
        body = q.item[i]
        middle = s.position[body, w] + wp.quat_rotate(s.rotation[body, w], q.place[i])
        total = vec3()
        pressing = real(0.0)
        for c in range(k.contact_count[w]):
            off = k.contact_point[c, w] - middle
            if wp.dot(off, off) <= q.size[i] * q.size[i]:
                side = real(0.0)
                if k.contact_body_b[c, w] == body:
                    side = real(1.0)
                elif k.contact_body_a[c, w] == body:
                    side = real(-1.0)
                total = total + side * k.contact_force[c, w]
                pressing = pressing + wp.abs(side) * wp.dot(k.contact_force[c, w], k.contact_normal[c, w])
        if q.kind[i] == wp.static(int(Kind.PRESSURE)):
            return vec3(q.factor[i] * pressing, real(0.0), real(0.0))
        return wp.quat_rotate_inv(s.rotation[body, w], total)

    @wp.func
    def of_coordinate(m: t.model, s: t.state, q: t.sensing, i: int, w: int) -> real:
        """The value or the rate of a coordinate, as in ``measure.py``."""
        c = q.item[i]
        j = m.coordinate_joint[c]
        kind = m.coordinate_kind[c]
        f = measures.frames_of(m, s, j, w)
        if q.kind[i] == wp.static(int(Kind.COORDINATE)):
            if q.twist[i] >= 0:  # turns cannot be told from one instant
                return s.twist[q.twist[i], w]
            return measures.coordinate_value(f, kind)
        a = m.joint_a[j]
        b = m.joint_b[j]
        relative = s.spin[b, w] - s.spin[a, w]
        if kind <= SLIDE_Z or kind == RADIAL:
            point = s.position[b, w] + wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
            relative = point_velocity(s, b, point, w) - point_velocity(s, a, point, w)
        return wp.dot(measures.coordinate_axis(f, kind), relative)

    @wp.func
    def of_joint(m: t.model, s: t.state, n: t.memory, q: t.sensing, i: int, w: int) -> vec3:
        """A joint's reaction on its body b, in its frame there."""
        j = q.item[i]
        reaction = vec3()
        if q.kind[i] == wp.static(int(Kind.FORCE)):
            reaction = n.reaction_now[j, w]
        elif n.reaction_torque_now.shape[0] > 0:
            reaction = n.reaction_torque_now[j, w]
        return wp.quat_rotate_inv(s.rotation[m.joint_b[j], w] * q.turn[i], reaction)

    @wp.func
    def of_body(m: t.model, s: t.state, n: t.memory, q: t.sensing, dt: real, i: int, w: int) -> vec3:
        """How a point of a body moves."""
        b = q.item[i]
        turn = s.rotation[b, w]
        arm = wp.quat_rotate(turn, q.place[i])
        kind = q.kind[i]
        if kind == wp.static(int(Kind.POSITION)):
            return s.position[b, w] + arm
        if kind == wp.static(int(Kind.VELOCITY)):
            return s.velocity[b, w] + wp.cross(s.spin[b, w], arm)
        if kind == wp.static(int(Kind.TURN)):
            return rotation_vector(turn)
        if kind == wp.static(int(Kind.SPIN)):
            return wp.quat_rotate_inv(turn * q.turn[i], s.spin[b, w])
        return wp.quat_rotate_inv(turn * q.turn[i], acceleration(m, s, n, q, dt, arm, i, w) - m.gravity[w])

    @wp.func
    def truth(m: t.model, s: t.state, n: t.memory, k: t.work, q: t.sensing, dt: real, i: int, w: int) -> vec3:
        """What there is to be read; of a single number the first component."""
        kind = q.kind[i]
        if kind == wp.static(int(Kind.COORDINATE)) or kind == wp.static(int(Kind.RATE)):
            return vec3(q.factor[i] * of_coordinate(m, s, q, i, w), real(0.0), real(0.0))
        if kind == wp.static(int(Kind.BEAM)):
            return vec3(q.distance[i, w], real(0.0), real(0.0))
        if kind == wp.static(int(Kind.TOUCH)) or kind == wp.static(int(Kind.PRESSURE)):
            return touched(s, k, q, i, w)
        if kind == wp.static(int(Kind.FORCE)) or kind == wp.static(int(Kind.TORQUE)):
            return of_joint(m, s, n, q, i, w)
        return of_body(m, s, n, q, dt, i, w)

    @wp.func
    def drawn(q: t.sensing, number: int, use: int, i: int, w: int) -> vec3:
        """Three normal numbers for a sample."""
        counter = Words(wp.uint32(number), wp.uint32(q.stream[i]), wp.uint32(use), wp.uint32(0))
        return random.normals(counter, wp.uint32(q.key[i]), wp.uint32(q.seed[w]))

    @wp.func
    def spoilt(q: t.sensing, x: vec3, number: int, i: int, w: int) -> vec3:
        """The truth with all that the device adds."""
        if number == 0:
            q.wander[i, w] = vec3(q.bias[i], q.bias[i], q.bias[i])
            if q.spread[i] > real(0.0):
                q.wander[i, w] = q.wander[i, w] + q.spread[i] * drawn(q, 0, wp.static(SPREAD), i, w)
        elif q.walk[i] > real(0.0):
            q.wander[i, w] = q.wander[i, w] + q.walk[i] * drawn(q, number, wp.static(WALK), i, w)
        y = x + q.wander[i, w]
        if q.white[i] > real(0.0):
            y = y + q.white[i] * drawn(q, number, wp.static(WHITE), i, w)
        if q.resolution[i] > real(0.0):
            y = vec3(q.resolution[i] * wp.floor(y[0] / q.resolution[i]), y[1], y[2])
        if q.kind[i] == wp.static(int(Kind.BEAM)):
            if x[0] >= q.size[i]:
                return x
            return vec3(wp.clamp(y[0], real(0.0), q.size[i]), real(0.0), real(0.0))
        return y

    @wp.func
    def hand_over(q: t.sensing, x: vec3, i: int, w: int):
        """A sample becomes what the sensor reads."""
        beams = q.reading.shape[0]
        vectors = beams + q.beam.shape[0]
        if i < beams:
            q.reading[i, w] = x[0]
        elif i < vectors:
            q.beam[i - beams, w] = x[0]
        else:
            q.vector[i - vectors, w] = x

    @wp.kernel(enable_backward=False, module="unique")
    def sharnir_sensors(m: v.model, s: v.state, n: v.memory, k: v.work, r: v.report, q: v.sensing, dt: p.real):
        """One reading of one world: its sample, noise and delay."""
        i, w = wp.tid()
        step = r.step[w]
        every = q.every[i]
        first = q.first_slot[i]
        number = step / every
        if step % every == 0 and q.taken[i, w] == number:  # each sample once
            x = spoilt(q, truth(m, s, n, k, q, dt, i, w), number, i, w)
            q.sample[first + number % q.slots[i], w] = x
            q.taken[i, w] = number + 1
            if number == 0:
                hand_over(q, x, i, w)  # until one is old enough
        if q.kind[i] == wp.static(int(Kind.ACCELERATION)):
            q.change[i, w] = n.kick_change[q.item[i], w]
            q.change_spin[i, w] = n.kick_spin_change[q.item[i], w]
        age = step - q.delay[i]
        if age >= 0 and age % every == 0:
            hand_over(q, q.sample[first + (age / every) % q.slots[i], w], i, w)

    return sharnir_sensors
