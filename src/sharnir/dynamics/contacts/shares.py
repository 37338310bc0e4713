"""How a rigid patch with more points than it needs shares its load: the same way whatever the order of the visits.

Three points carry a rigid body, the fourth is one too many: impulses p on the normals and p + n do the same to all
bodies if W n = 0, W = J M^-1 J^T over the normals. The sweeps end somewhere on that line, by the order in which they
visit the points, and step by step go on along it: a tracked robot turning on the spot ended on two opposite corners.
Of all p with the same effect the one of least |p| is taken, which for a patch is the linear pressure of an elastic bed:
conjugate gradients from zero for W q = W p stay in the range of W and end there, after as many steps as W has different
eigenvalues (three for a rigid body). Last step's p then goes towards q as far as no point would pull.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..nothing import NOTHING, Nothing
from .sides import make_sides

wp = load_warp()

FEWEST = 4  # points: fewer are not redundant
MOST_STEPS = 6  # of conjugate gradients; where they do not end in time the loads stay as they are
ROUNDS = 3  # points left out because they would have to pull, at most so many times
TOUCHES = 1e-6  # of a shape's radius: a gap that counts as none


@cache
def make_shares(p: Precision, features: Features) -> SimpleNamespace | Nothing:
    """The function in a precision, for a scene's features."""
    if not features.contacts:
        return NOTHING
    real, vec2, vec3 = p.real, p.vec2, p.vec3
    t = structs(p)
    sides = make_sides(p, features)
    ENDED = wp.constant(real(1e-12 if p.name == "float64" else 1e-6))  # share of |W p|^2 that may be left

    @wp.func
    def speed(m: t.model, k: t.work, i: int, w: int) -> real:
        """Along the normal of contact i, m/s."""
        return wp.dot(k.contact_normal[i, w], sides.velocity_between(m, k, i, w))

    @wp.func
    def load(n: t.memory, k: t.work, i: int, w: int) -> real:
        """The normal impulse of contact i, N s."""
        return wp.dot(k.contact_normal[i, w], n.contact_impulse[i, w])

    @wp.func
    def choose(m: t.model, n: t.memory, k: t.work, w: int) -> int:
        """Which points take part: rigid ones that touch. Their number."""
        count = int(0)
        for i in range(k.contact_count[w]):
            size = wp.min(m.shape_radius[k.contact_a[i, w]], m.shape_radius[k.contact_b[i, w]])
            touches = load(n, k, i, w) > real(0.0) or k.contact_gap[i, w] < real(TOUCHES) * size
            takes_part = touches and k.contact_y[i, w] == real(0.0)
            k.contact_shares[i, w] = int(takes_part)
            count += int(takes_part)
        return count

    @wp.func
    def answer(m: t.model, k: t.work, w: int):
        """W d into ``contact_answer``, for the directions d in ``contact_share``; nothing is moved in the end."""
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                sides.strike_contact(m, k, k.contact_share[i, w][2] * k.contact_normal[i, w], i, w)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                at_rest = k.contact_answer[i, w][0]
                k.contact_answer[i, w] = vec2(at_rest, speed(m, k, i, w) - at_rest)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                sides.strike_contact(m, k, -k.contact_share[i, w][2] * k.contact_normal[i, w], i, w)

    @wp.func
    def start(m: t.model, n: t.memory, k: t.work, w: int) -> real:
        """q = 0, and W p as residual and direction; its square."""
        for i in range(k.contact_count[w]):
            k.contact_share[i, w] = vec3(real(0.0), real(0.0), load(n, k, i, w))
            k.contact_answer[i, w] = vec2(speed(m, k, i, w), real(0.0))
        answer(m, k, w)
        square = real(0.0)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                b = k.contact_answer[i, w][1]
                k.contact_share[i, w] = vec3(real(0.0), b, b)
                square += b * b
        return square

    @wp.func
    def gradient_step(m: t.model, k: t.work, square: real, w: int) -> real:
        """One step of conjugate gradients from a residual of that square; the new square."""
        answer(m, k, w)
        along = real(0.0)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                along += k.contact_share[i, w][2] * k.contact_answer[i, w][1]
        if along <= real(0.0):
            return square
        far = square / along
        left = real(0.0)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                x = k.contact_share[i, w]
                residual = x[1] - far * k.contact_answer[i, w][1]
                k.contact_share[i, w] = vec3(x[0] + far * x[2], residual, x[2])
                left += residual * residual
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                x = k.contact_share[i, w]
                k.contact_share[i, w] = vec3(x[0], x[1], x[1] + left / square * x[2])
        return left

    @wp.func
    def least_loads(m: t.model, n: t.memory, k: t.work, w: int) -> bool:
        """q into ``contact_share``; whether it was found."""
        whole = start(m, n, k, w)
        left = whole + real(0.0)
        steps = int(wp.static(MOST_STEPS))
        while steps > 0 and left > ENDED * whole:
            steps -= 1
            left = gradient_step(m, k, left, w)
        return whole > real(0.0) and left <= ENDED * whole

    @wp.func
    def leave_out(n: t.memory, k: t.work, w: int) -> int:
        """Points without a load that would have to pull take no part; their number."""
        count = int(0)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1 and k.contact_share[i, w][0] < real(0.0) and load(n, k, i, w) <= real(0.0):
                k.contact_shares[i, w] = 0
                count += 1
        return count

    @wp.func
    def go_towards(m: t.model, n: t.memory, k: t.work, w: int):
        """From p towards q, until a point carries nothing."""
        way = real(1.0)
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1 and k.contact_share[i, w][0] < real(0.0):
                mine = load(n, k, i, w)
                way = wp.min(way, mine / (mine - k.contact_share[i, w][0]))
        for i in range(k.contact_count[w]):
            if k.contact_shares[i, w] == 1:
                more = way * (k.contact_share[i, w][0] - load(n, k, i, w)) * k.contact_normal[i, w]
                n.contact_impulse[i, w] = n.contact_impulse[i, w] + more
                sides.strike_contact(m, k, more, i, w)

    @wp.func
    def share_loads(m: t.model, n: t.memory, k: t.work, w: int):
        """Last step's impulses along the normals, shared out evenly; no body feels a difference."""
        count = choose(m, n, k, w)
        rounds = int(wp.static(ROUNDS))
        while rounds > 0 and count >= wp.static(FEWEST):
            rounds -= 1
            if not least_loads(m, n, k, w):
                return
            out = leave_out(n, k, w)
            count -= out
            if out == 0:
                go_towards(m, n, k, w)
                return

    return SimpleNamespace(share_loads=share_loads)
