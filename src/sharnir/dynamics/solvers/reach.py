"""What an impulse on a limit, a friction or a contact does to the whole mechanism, from the direct solver's factors.

    A = L D L^T        the factored matrix of all locked and soft rows (direct.py)
    Y = L^-1 J^T       three columns for a row block J; nonzero only on the path from its bodies to the end of the
                       elimination, so it is found and used in a few 3x3 products
    W = Y^T D^-1 Y     the block's inverse mass with every joint reacting
    x = D^-1 Y p       summed over all blocks, kept in ``solution``: the velocity at a block is J V + Y^T x

An iteration therefore never leaves the joints, and never needs a substitution: one backward pass, V += L^-T x, at the
end of all iterations brings the velocities and the joints' own impulses up to date.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra

wp = load_warp()

LAST = 2**31 - 1  # beyond every node
NO_ROOM = 1e30  # inverse mass of a contact that found no room: it does nothing


@cache
def make_reach(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra = make_algebra(p)
    ROUNDING = wp.constant(real(1e-11 if p.name == "float64" else 1e-5))
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the matrix: ``solution`` or ``push_solution``

    @wp.func
    def start_at(m: t.model, k: t.work, body: int, sign: real, force: int, arm: vec3, w: int):
        """Add the rows of J^T that belong to a body: unit forces at an arm, or unit torques."""
        node = m.body_node[body]
        if node >= 0:
            if force == 1:
                k.spread[node, w] = k.spread[node, w] + algebra.diagonal(sign)
                k.spread[node + 1, w] = k.spread[node + 1, w] + sign * wp.skew(arm)
            else:
                k.spread[node + 1, w] = k.spread[node + 1, w] + algebra.diagonal(sign)

    @wp.func
    def start_belt(m: t.model, k: t.work, body: int, torque: mat33, w: int):
        """Add the rows of J^T that belong to a belt's sprocket or frame."""
        node = m.body_node[body]
        if node >= 0:
            k.spread[node + 1, w] = k.spread[node + 1, w] + torque

    @wp.func
    def spread(m: t.model, k: t.work, start: int, end: int, w: int) -> mat33:
        """Y along a path from what was put at its bodies; returns W.

        Bodies add to W and joints take away, so that an axis held by a stiff gear keeps hardly more than rounding. A
        little of all that was summed is added: a larger W makes a visit more careful and changes no solution.
        """
        total = mat33()
        summed = real(0.0)
        for e in range(start, end):
            node = k.reach_node[e, w]
            y = k.spread[node, w]
            k.reach[e, w] = y
            for edge in range(m.edge_start[node], m.edge_start[node + 1]):
                target = m.edge_node[edge]
                k.spread[target, w] = k.spread[target, w] - k.block[edge, w] * y
            part = wp.transpose(y) * algebra.full(k.pivot[node, w]) * y
            total = total + part
            summed = summed + wp.abs(wp.trace(part))
        return total + algebra.diagonal(ROUNDING * summed)

    @wp.func
    def inverse_mass(k: t.work, force: int, j: int, w: int) -> mat33:
        """Of the slip (force = 1), 1/kg, or of the relative spin of joint j, 1/(kg m^2), with every joint reacting."""
        if force == 1:
            return algebra.full(k.reach_mass_l[j, w])
        return algebra.full(k.reach_mass_a[j, w])

    @wp.func
    def reach_part(m: t.model, k: t.work, force: int, j: int, w: int) -> mat33:
        """Find what unit forces (or torques) between the bodies of joint j reach; returns their inverse mass."""
        start = m.reach_angular[j]
        end = m.reach_end[j]
        if force == 1:
            end = start
            start = m.reach_linear[j]
        for e in range(start, end):
            node = m.joint_path[e]
            k.reach_node[e, w] = node
            k.spread[node, w] = mat33()
        start_at(m, k, m.joint_a[j], real(-1.0), force, k.arm_a[j, w], w)
        start_at(m, k, m.joint_b[j], real(1.0), force, k.arm_b[j, w], w)
        return spread(m, k, start, end, w)

    @wp.func
    def reach_joint(m: t.model, k: t.work, j: int, w: int):
        """Paths and inverse masses of joint j's free axes."""
        if m.reach_linear[j] < m.reach_angular[j]:
            k.reach_mass_l[j, w] = algebra.packed(reach_part(m, k, 1, j, w))
        if m.reach_angular[j] < m.reach_end[j]:
            k.reach_mass_a[j, w] = algebra.packed(reach_part(m, k, 0, j, w))

    @wp.func
    def next_node(m: t.model, at: int, body: int, soonest: int) -> int:
        """The node at a place of a body's path, if it comes sooner."""
        if at < m.path_end[body]:
            return wp.min(soonest, m.path_node[at])
        return soonest

    @wp.func
    def past(m: t.model, at: int, body: int, node: int) -> int:
        """The next place of a body's path, if it is at the node."""
        if at < m.path_end[body]:
            if m.path_node[at] == node:
                return at + 1
        return at

    @wp.func
    def add_path(m: t.model, k: t.work, at: int, a: int, b: int, c: int, d: int, w: int) -> int:
        """Write down the nodes that impulses on four bodies reach, ascending, from place ``at``; returns the end."""
        i = m.path_start[a]
        j = m.path_start[b]
        x = m.path_start[c]
        y = m.path_start[d]
        going = bool(True)
        while going:
            node = next_node(m, i, a, next_node(m, j, b, next_node(m, x, c, next_node(m, y, d, wp.static(LAST)))))
            if node == wp.static(LAST):
                going = False
            else:
                i = past(m, i, a, node)
                j = past(m, j, b, node)
                x = past(m, x, c, node)
                y = past(m, y, d, node)
                k.reach_node[at, w] = node
                k.spread[node, w] = mat33()
                at += 1
        return at

    @wp.func
    def path_length(m: t.model, body: int) -> int:
        """How many nodes an impulse on a body reaches."""
        return m.path_end[body] - m.path_start[body]

    @wp.func
    def has_room(m: t.model, k: t.work, o: t.settings, longest: int, w: int) -> bool:
        """Whether a path of this length still fits into the list."""
        return k.reach_used[w] + longest <= o.reach_room

    @wp.func
    def reach_contact(m: t.model, k: t.work, o: t.settings, i: int, w: int) -> mat33:
        """What unit forces in contact i reach through the joints; returns the joints' share of the inverse mass."""
        a = k.contact_body_a[i, w]
        b = k.contact_body_b[i, w]
        start = k.reach_used[w]
        frame = int(0)
        sprocket = int(0)
        if wp.static(features.belts):
            j = k.contact_sprocket[i, w]
            if j >= 0:
                frame = m.joint_a[j]
                sprocket = m.joint_b[j]
        longest = path_length(m, a) + path_length(m, b) + path_length(m, frame) + path_length(m, sprocket)
        end = start
        share = mat33()
        if longest > 0 and not has_room(m, k, o, longest, w):
            share = algebra.diagonal(real(NO_ROOM))
        elif longest > 0:
            end = add_path(m, k, start, a, b, frame, sprocket, w)
            start_at(m, k, a, real(-1.0), 1, k.contact_arm_a[i, w], w)
            start_at(m, k, b, real(1.0), 1, k.contact_arm_b[i, w], w)
            if wp.static(features.belts):
                torque = wp.outer(k.contact_axle[i, w], k.contact_belt[i, w])
                start_belt(m, k, frame, -torque, w)
                start_belt(m, k, sprocket, torque, w)
            share = spread(m, k, start, end, w)
        k.contact_reach[i, w] = start
        k.contact_reach_end[i, w] = end
        k.reach_used[w] = end
        return share

    @wp.func
    def reach_roll(m: t.model, k: t.work, o: t.settings, a: int, b: int, i: int, w: int) -> mat33:
        """The same for unit torques between the bodies of contact i."""
        start = k.reach_used[w]
        longest = path_length(m, a) + path_length(m, b)
        end = start
        share = mat33()
        if longest > 0 and not has_room(m, k, o, longest, w):
            share = algebra.diagonal(real(NO_ROOM))
        elif longest > 0:
            end = add_path(m, k, start, a, b, 0, 0, w)
            start_at(m, k, a, real(-1.0), 0, vec3(), w)
            start_at(m, k, b, real(1.0), 0, vec3(), w)
            share = spread(m, k, start, end, w)
        k.roll_reach[i, w] = start
        k.roll_reach_end[i, w] = end
        k.reach_used[w] = end
        return share

    @wp.func
    def answer(k: t.work, x: Nodes, start: int, end: int, w: int) -> vec3:
        """What the impulses so far have changed of a block's velocity: Y^T x."""
        u = vec3()
        for e in range(start, end):
            u = u + x[k.reach_node[e, w], w] * k.reach[e, w]
        return u

    @wp.func
    def strike(k: t.work, x: Nodes, start: int, end: int, d: vec3, w: int):
        """Apply an impulse: x += D^-1 Y d."""
        for e in range(start, end):
            node = k.reach_node[e, w]
            x[node, w] = x[node, w] + algebra.full(k.pivot[node, w]) * (k.reach[e, w] * d)

    return SimpleNamespace(
        start_at=start_at,
        spread=spread,
        reach_joint=reach_joint,
        reach_contact=reach_contact,
        reach_roll=reach_roll,
        inverse_mass=inverse_mass,
        answer=answer,
        strike=strike,
    )
