"""What sensors read, on the device: the truth, what the device adds to it, and the samples on their way.

A sample is taken when its period begins and read ``delay`` later; the world's own count of steps tells when.

The acceleration of a body is that of the kick to come, which follows from the last ones, D and D', if these change
smoothly: D + r (D - D'), r = max(0, 2 c.c'/(c^2 + c'^2)) of the last two changes c and c'. r is 1 - O(h^2) in smooth
motion, or the change itself is of third order; after an impact it is 0, and the last kick counts.
"""

from functools import cache

from ..scene.sensors import ReadingKind
from .contacts.rays import make_rays
from .coordinates import make_coordinates
from .factory import Device, Features, Precision, functions, wp
from .philox import make_philox

WHITE, WALK, SPREAD = 0, 1, 2  # what a random number is for


@cache
def make_beams(p: Precision, features: Features) -> Device:
    """The device function that casts a beam if it is due."""
    func = functions(p)
    cast = make_rays(p, features).cast

    @func
    def cast_beam(model, state, report, sensing, shapes: int, i: int, world: int):
        """One beam of one world."""
        if sensing.kind[i] == wp.static(int(ReadingKind.BEAM)) and report.step[world] % sensing.every[i] == 0:
            body = sensing.item[i]
            turn = state.rotation[body, world]
            origin = state.position[body, world] + wp.quat_rotate(turn, sensing.place[i])
            ahead = wp.quat_rotate(sensing.turn[i], p.vec3(p.real(1.0), p.real(0.0), p.real(0.0)))
            hit = cast(model, state, shapes, origin, wp.quat_rotate(turn, ahead), sensing.size[i], body, world)
            sensing.distance[i, world] = hit.distance

    return cast_beam


@cache
def make_sensors(p: Precision) -> Device:
    """The device function that takes and hands over the samples of a reading."""
    real, vec3, quat = p.real, p.vec3, p.quat
    func = functions(p)
    measures, random = make_coordinates(p), make_philox(p)
    Words = random.Words

    @func
    def coming(kick: vec3, change: vec3, change_before: vec3) -> vec3:
        """The next kick."""
        size = wp.dot(change, change) + wp.dot(change_before, change_before)
        if size == real(0.0):
            return kick
        return kick + wp.max(real(2.0) * wp.dot(change, change_before) / size, real(0.0)) * change

    @func
    def acceleration(model, state, memory, sensing, dt: real, arm: vec3, i: int, world: int) -> vec3:
        """Of the point of its body at an arm from the centre of mass, world axes: a + w' x r + w x (w x r)."""
        b = sensing.item[i]
        if model.inv_mass[b, world] == real(0.0):
            return vec3()
        kick = coming(memory.kick_velocity[b, world], memory.kick_change[b, world], sensing.change[i, world])
        kick_spin = coming(memory.kick_spin[b, world], memory.kick_spin_change[b, world], sensing.change_spin[i, world])
        turn = state.rotation[b, world]
        spin = state.spin[b, world]
        own = wp.quat_rotate_inv(turn, spin)
        gyroscopic = model.inv_inertia[b, world] * wp.cross(model.inertia[b, world] * own, own)  # body axes
        angular = kick_spin / dt + wp.quat_rotate(turn, gyroscopic)
        return kick / dt + wp.cross(angular, arm) + wp.cross(spin, wp.cross(spin, arm))

    @func
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

    @func
    def touched(state, work, sensing, i: int, world: int) -> vec3:
        """All contacts of a body within a pad: their force, body axes, or how much they press, first component."""
        body = sensing.item[i]
        middle = state.position[body, world] + wp.quat_rotate(state.rotation[body, world], sensing.place[i])
        total = vec3()
        pressing = real(0.0)
        for c in range(work.contact_count[world]):
            off = work.contact_point[c, world] - middle
            if wp.dot(off, off) <= sensing.size[i] * sensing.size[i]:
                side = real(0.0)
                if work.contact_body_b[c, world] == body:
                    side = real(1.0)
                elif work.contact_body_a[c, world] == body:
                    side = real(-1.0)
                total = total + side * work.contact_force[c, world]
                pressing = pressing + wp.abs(side) * wp.dot(work.contact_force[c, world], work.contact_normal[c, world])
        if sensing.kind[i] == wp.static(int(ReadingKind.PRESSURE)):
            return vec3(sensing.factor[i] * pressing, real(0.0), real(0.0))
        return wp.quat_rotate_inv(state.rotation[body, world], total)

    @func
    def of_coordinate(model, state, sensing, i: int, world: int) -> real:
        """The value or the rate of a coordinate, as in ``measure.py``."""
        c = sensing.item[i]
        j = model.coordinate_joint[c]
        kind = model.coordinate_kind[c]
        f = measures.frames_of(model, state, j, world)
        if sensing.kind[i] == wp.static(int(ReadingKind.COORDINATE)):
            if sensing.twist[i] >= 0:  # turns cannot be told from one instant
                return state.twist[sensing.twist[i], world]
            return measures.coordinate_value(f, kind)
        return measures.coordinate_rate(model, state, f, kind, j, world)

    @func
    def of_joint(model, state, memory, sensing, i: int, world: int) -> vec3:
        """A joint's reaction on its body b, in its frame there."""
        j = sensing.item[i]
        reaction = vec3()
        if sensing.kind[i] == wp.static(int(ReadingKind.FORCE)):
            reaction = memory.reaction_now[j, world]
        elif memory.reaction_torque_now.shape[0] > 0:
            reaction = memory.reaction_torque_now[j, world]
        return wp.quat_rotate_inv(state.rotation[model.joint_b[j], world] * sensing.turn[i], reaction)

    @func
    def of_body(model, state, memory, sensing, dt: real, i: int, world: int) -> vec3:
        """How a point of a body moves."""
        b = sensing.item[i]
        turn = state.rotation[b, world]
        arm = wp.quat_rotate(turn, sensing.place[i])
        kind = sensing.kind[i]
        if kind == wp.static(int(ReadingKind.POSITION)):
            return state.position[b, world] + arm
        if kind == wp.static(int(ReadingKind.VELOCITY)):
            return state.velocity[b, world] + wp.cross(state.spin[b, world], arm)
        if kind == wp.static(int(ReadingKind.TURN)):
            return rotation_vector(turn)
        if kind == wp.static(int(ReadingKind.SPIN)):
            return wp.quat_rotate_inv(turn * sensing.turn[i], state.spin[b, world])
        return wp.quat_rotate_inv(
            turn * sensing.turn[i],
            acceleration(model, state, memory, sensing, dt, arm, i, world) - model.gravity[world],
        )

    @func
    def truth(model, state, memory, work, sensing, dt: real, i: int, world: int) -> vec3:
        """What there is to be read; of a single number the first component."""
        kind = sensing.kind[i]
        if kind == wp.static(int(ReadingKind.COORDINATE)) or kind == wp.static(int(ReadingKind.RATE)):
            return vec3(sensing.factor[i] * of_coordinate(model, state, sensing, i, world), real(0.0), real(0.0))
        if kind == wp.static(int(ReadingKind.BEAM)):
            return vec3(sensing.distance[i, world], real(0.0), real(0.0))
        if kind == wp.static(int(ReadingKind.TOUCH)) or kind == wp.static(int(ReadingKind.PRESSURE)):
            return touched(state, work, sensing, i, world)
        if kind == wp.static(int(ReadingKind.FORCE)) or kind == wp.static(int(ReadingKind.TORQUE)):
            return of_joint(model, state, memory, sensing, i, world)
        return of_body(model, state, memory, sensing, dt, i, world)

    @func
    def drawn(sensing, number: int, use: int, i: int, world: int) -> vec3:
        """Three normal numbers for a sample."""
        counter = Words(wp.uint32(number), wp.uint32(sensing.stream[i]), wp.uint32(use), wp.uint32(0))
        return random.normals(counter, wp.uint32(sensing.key[i]), wp.uint32(sensing.seed[world]))

    @func
    def spoilt(sensing, x: vec3, number: int, i: int, world: int) -> vec3:
        """The truth with all that the device adds."""
        if number == 0:
            sensing.wander[i, world] = vec3(sensing.bias[i], sensing.bias[i], sensing.bias[i])
            if sensing.spread[i] > real(0.0):
                sensing.wander[i, world] = sensing.wander[i, world] + sensing.spread[i] * drawn(
                    sensing, 0, wp.static(SPREAD), i, world
                )
        elif sensing.walk[i] > real(0.0):
            sensing.wander[i, world] = sensing.wander[i, world] + sensing.walk[i] * drawn(
                sensing, number, wp.static(WALK), i, world
            )
        y = x + sensing.wander[i, world]
        if sensing.white[i] > real(0.0):
            y = y + sensing.white[i] * drawn(sensing, number, wp.static(WHITE), i, world)
        if sensing.resolution[i] > real(0.0):
            y = vec3(sensing.resolution[i] * wp.floor(y[0] / sensing.resolution[i]), y[1], y[2])
        if sensing.kind[i] == wp.static(int(ReadingKind.BEAM)):
            if x[0] >= sensing.size[i]:
                return x
            return vec3(wp.clamp(y[0], real(0.0), sensing.size[i]), real(0.0), real(0.0))
        return y

    @func
    def hand_over(sensing, x: vec3, i: int, world: int):
        """A sample becomes what the sensor reads."""
        beams = sensing.reading.shape[0]
        vectors = beams + sensing.beam.shape[0]
        if i < beams:
            sensing.reading[i, world] = x[0]
        elif i < vectors:
            sensing.beam[i - beams, world] = x[0]
        else:
            sensing.vector[i - vectors, world] = x

    @func
    def sense(model, state, memory, work, report, sensing, dt: real, place: wp.vec2i):
        """One reading of one world: its sample, noise and delay."""
        i = place[0]
        world = place[1]
        step = report.step[world]
        every = sensing.every[i]
        first = sensing.first_slot[i]
        number = step / every
        if step % every == 0 and sensing.taken[i, world] == number:  # each sample once
            x = spoilt(sensing, truth(model, state, memory, work, sensing, dt, i, world), number, i, world)
            sensing.sample[first + number % sensing.slots[i], world] = x
            sensing.taken[i, world] = number + 1
            if number == 0:
                hand_over(sensing, x, i, world)  # until one is old enough
        if sensing.kind[i] == wp.static(int(ReadingKind.ACCELERATION)):
            sensing.change[i, world] = memory.kick_change[sensing.item[i], world]
            sensing.change_spin[i, world] = memory.kick_spin_change[sensing.item[i], world]
        age = step - sensing.delay[i]
        if age >= 0 and age % every == 0:
            hand_over(sensing, sensing.sample[first + (age / every) % sensing.slots[i], world], i, world)

    return sense
