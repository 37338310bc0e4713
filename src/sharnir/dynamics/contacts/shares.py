"""How a rigid patch with more points than it needs shares its load: the same way whatever the order of the visits.

Three points carry a rigid body, the fourth is one too many: impulses p on the normals and p + n do the same to all
bodies if W n = 0, W = J M^-1 J^T over the normals. The sweeps end somewhere on that line, by the order in which they
visit the points, and step by step go on along it: a tracked robot turning on the spot ended on two opposite corners.
Of all p with the same effect the one of least |p| is taken, which for a patch is the linear pressure of an elastic bed:
conjugate gradients from zero for W q = W p stay in the range of W and end there, after as many steps as W has different
eigenvalues (three for a rigid body). Last step's p then goes towards q as far as no point would pull.
"""

from ..factory import Features, Made, Precision, factory, functions, wp
from .contact_bodies import make_contact_bodies

FEWEST = 4  # points: fewer are not redundant
MOST_STEPS = 6  # of conjugate gradients; where they do not end in time the loads stay as they are
ROUNDS = 3  # points left out because they would have to pull, at most so many times
TOUCHES = 1e-6  # of a shape's radius: a gap that counts as none


@factory
def make_shares(p: Precision, features: Features) -> Made:
    if not features.contacts:
        return None
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    func = functions(p)
    sides = make_contact_bodies(p, features)
    ENDED = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))  # share of |W p|^2 that may be left

    @func
    def speed(model, work, i: int, world: int) -> real:
        """Along the normal of contact i, m/s."""
        return wp.dot(work.contact_normal[i, world], sides.velocity_between(model, work, i, world))

    @func
    def load(memory, work, i: int, world: int) -> real:
        """The normal impulse of contact i, N s."""
        return wp.dot(work.contact_normal[i, world], memory.contact_impulse[i, world])

    @func
    def choose(model, memory, work, world: int) -> int:
        """Which points take part: rigid ones that touch. Their number."""
        count = int(0)
        for i in range(work.contact_count[world]):
            size = wp.min(model.shape_radius[work.contact_a[i, world]], model.shape_radius[work.contact_b[i, world]])
            touches = load(memory, work, i, world) > real(0.0) or work.contact_gap[i, world] < real(TOUCHES) * size
            takes_part = touches and work.contact_y[i, world] == real(0.0)
            work.contact_shares[i, world] = int(takes_part)
            count += int(takes_part)
        return count

    @func
    def known_answer(work, world: int):
        """The same where the answers of the contacts to each other are known (together.py)."""
        count = work.dense_count[world]
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                total = real(0.0)
                for k in range(work.contact_count[world]):
                    if work.contact_shares[k, world] == 1:
                        total += work.dense[i * count + k, world][2, 2] * work.contact_share[k, world][2]
                work.contact_answer[i, world] = vec2(work.contact_answer[i, world][0], total)

    @func
    def answer(model, work, world: int):
        """W d into ``contact_answer``, for the directions d in ``contact_share``; nothing is moved in the end."""
        if wp.static(features.together):
            if work.dense_count[world] > 0:
                known_answer(work, world)
                return
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                sides.strike_contact(
                    model, work, work.contact_share[i, world][2] * work.contact_normal[i, world], i, world
                )
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                at_rest = work.contact_answer[i, world][0]
                work.contact_answer[i, world] = vec2(at_rest, speed(model, work, i, world) - at_rest)
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                sides.strike_contact(
                    model, work, -work.contact_share[i, world][2] * work.contact_normal[i, world], i, world
                )

    @func
    def start(model, memory, work, world: int) -> real:
        """q = 0, and W p as residual and direction; its square."""
        for i in range(work.contact_count[world]):
            work.contact_share[i, world] = vec3(real(0.0), real(0.0), load(memory, work, i, world))
            work.contact_answer[i, world] = vec2(speed(model, work, i, world), real(0.0))
        answer(model, work, world)
        square = real(0.0)
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                b = work.contact_answer[i, world][1]
                work.contact_share[i, world] = vec3(real(0.0), b, b)
                square += b * b
        return square

    @func
    def gradient_step(model, work, square: real, world: int) -> real:
        """One step of conjugate gradients from a residual of that square; the new square."""
        answer(model, work, world)
        along = real(0.0)
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                along += work.contact_share[i, world][2] * work.contact_answer[i, world][1]
        if along <= real(0.0):
            return square
        far = square / along
        left = real(0.0)
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                x = work.contact_share[i, world]
                residual = x[1] - far * work.contact_answer[i, world][1]
                work.contact_share[i, world] = vec3(x[0] + far * x[2], residual, x[2])
                left += residual * residual
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                x = work.contact_share[i, world]
                work.contact_share[i, world] = vec3(x[0], x[1], x[1] + left / square * x[2])
        return left

    @func
    def least_loads(model, memory, work, world: int) -> bool:
        """q into ``contact_share``; whether it was found."""
        whole = start(model, memory, work, world)
        left = whole + real(0.0)
        steps = int(wp.static(MOST_STEPS))
        while steps > 0 and left > ENDED * whole:
            steps -= 1
            left = gradient_step(model, work, left, world)
        return whole > real(0.0) and left <= ENDED * whole

    @func
    def leave_out(memory, work, world: int) -> int:
        """Points without a load that would have to pull take no part; their number."""
        count = int(0)
        for i in range(work.contact_count[world]):
            if (
                work.contact_shares[i, world] == 1
                and work.contact_share[i, world][0] < real(0.0)
                and load(memory, work, i, world) <= real(0.0)
            ):
                work.contact_shares[i, world] = 0
                count += 1
        return count

    @func
    def go_towards(model, memory, work, world: int):
        """From p towards q, until a point carries nothing."""
        way = real(1.0)
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1 and work.contact_share[i, world][0] < real(0.0):
                mine = load(memory, work, i, world)
                way = wp.min(way, mine / (mine - work.contact_share[i, world][0]))
        for i in range(work.contact_count[world]):
            if work.contact_shares[i, world] == 1:
                more = (
                    way
                    * (work.contact_share[i, world][0] - load(memory, work, i, world))
                    * work.contact_normal[i, world]
                )
                memory.contact_impulse[i, world] = memory.contact_impulse[i, world] + more
                sides.strike_contact(model, work, more, i, world)

    @func
    def share_loads(model, memory, work, world: int):
        """Last step's impulses along the normals, shared out evenly; no body feels a difference."""
        count = choose(model, memory, work, world)
        rounds = int(wp.static(ROUNDS))
        while rounds > 0 and count >= wp.static(FEWEST):
            rounds -= 1
            if not least_loads(model, memory, work, world):
                return
            out = leave_out(memory, work, world)
            count -= out
            if out == 0:
                go_towards(model, memory, work, world)
                return

    return locals()
