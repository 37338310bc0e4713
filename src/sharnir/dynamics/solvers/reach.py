"""What an impulse on a limit, a friction or a contact does to the whole mechanism, from the direct solver's factors.

    A = L D L^T        the factored matrix of all locked and soft rows (direct.py)
    Y = L^-1 J^T       three columns for a row block J; nonzero only on the path from its bodies to the end of the
                       elimination, so it is found and used in a few 3x3 products
    W = Y^T D^-1 Y     the block's inverse mass with every joint reacting
    x = D^-1 Y p       summed over all blocks, kept in ``solution``: the velocity at a block is J V + Y^T x

An iteration therefore never leaves the joints, and never needs a substitution: one backward pass, V += L^-T x, at the
end of all iterations brings the velocities and the joints' own impulses up to date.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp

LAST = 2**31 - 1  # beyond every node
NO_ROOM = 1e30  # inverse mass of a contact that found no room: it does nothing


@factory
def make_reach(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    ROUNDING = wp.constant(real(1e-11 if p.name == "float64" else 1e-5))
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the matrix: ``solution`` or ``push_solution``

    @func
    def start_at(model, work, body: int, sign: real, force: int, arm: vec3, world: int):
        """Add the rows of J^T that belong to a body: unit forces at an arm, or unit torques."""
        node = model.body_node[body]
        if node >= 0:
            if force == 1:
                work.spread[node, world] = work.spread[node, world] + algebra.diagonal(sign)
                work.spread[node + 1, world] = work.spread[node + 1, world] + sign * wp.skew(arm)
            else:
                work.spread[node + 1, world] = work.spread[node + 1, world] + algebra.diagonal(sign)

    @func
    def start_belt(model, work, body: int, torque: mat33, world: int):
        """Add the rows of J^T that belong to a belt's sprocket or frame."""
        node = model.body_node[body]
        if node >= 0:
            work.spread[node + 1, world] = work.spread[node + 1, world] + torque

    @func
    def spread(model, work, start: int, end: int, world: int) -> mat33:
        """Y along a path from what was put at its bodies; returns W.

        Bodies add to W and joints take away, so that an axis held by a stiff gear keeps hardly more than rounding. A
        little of all that was summed is added: a larger W makes a visit more careful and changes no solution.
        """
        total = mat33()
        summed = real(0.0)
        e = start + 0
        while e < end:
            node = work.reach_node[e, world]
            y = work.spread[node, world]
            work.reach[e, world] = y
            edge = model.edge_start[node]
            last = model.edge_start[node + 1]
            while edge < last:
                target = model.edge_node[edge]
                work.spread[target, world] = work.spread[target, world] - work.block[edge, world] * y
                edge += 1
            part = wp.transpose(y) * algebra.full(work.pivot[node, world]) * y
            total = total + part
            summed = summed + wp.abs(wp.trace(part))
            e += 1
        return total + algebra.diagonal(ROUNDING * summed)

    @func
    def inverse_mass(work, force: int, j: int, world: int) -> mat33:
        """Of the slip (force = 1), 1/kg, or of the relative spin of joint j, 1/(kg m^2), with every joint reacting."""
        if force == 1:
            return algebra.full(work.reach_mass_l[j, world])
        return algebra.full(work.reach_mass_a[j, world])

    @func
    def reach_part(model, work, force: int, j: int, world: int) -> mat33:
        """Find what unit forces (or torques) between the bodies of joint j reach; returns their inverse mass."""
        start = model.reach_angular[j]
        end = model.reach_end[j]
        if force == 1:
            end = start
            start = model.reach_linear[j]
        for e in range(start, end):
            node = model.joint_path[e]
            work.reach_node[e, world] = node
            work.spread[node, world] = mat33()
        start_at(model, work, model.joint_a[j], real(-1.0), force, work.arm_a[j, world], world)
        start_at(model, work, model.joint_b[j], real(1.0), force, work.arm_b[j, world], world)
        return spread(model, work, start, end, world)

    @func
    def reach_joint(model, work, j: int, world: int):
        """Paths and inverse masses of joint j's free axes."""
        if model.reach_linear[j] < model.reach_angular[j]:
            work.reach_mass_l[j, world] = algebra.packed(reach_part(model, work, 1, j, world))
        if model.reach_angular[j] < model.reach_end[j]:
            work.reach_mass_a[j, world] = algebra.packed(reach_part(model, work, 0, j, world))

    @func
    def next_node(model, at: int, body: int, soonest: int) -> int:
        """The node at a place of a body's path, if it comes sooner."""
        if at < model.path_end[body]:
            return wp.min(soonest, model.path_node[at])
        return soonest

    @func
    def past(model, at: int, body: int, node: int) -> int:
        """The next place of a body's path, if it is at the node."""
        if at < model.path_end[body]:
            if model.path_node[at] == node:
                return at + 1
        return at

    @func
    def add_path(model, work, at: int, a: int, b: int, c: int, d: int, world: int) -> int:
        """Write down the nodes that impulses on four bodies reach, ascending, from place ``at``; returns the end."""
        i = model.path_start[a]
        j = model.path_start[b]
        x = model.path_start[c]
        y = model.path_start[d]
        going = bool(True)
        while going:
            node = next_node(
                model, i, a, next_node(model, j, b, next_node(model, x, c, next_node(model, y, d, wp.static(LAST))))
            )
            if node == wp.static(LAST):
                going = False
            else:
                i = past(model, i, a, node)
                j = past(model, j, b, node)
                x = past(model, x, c, node)
                y = past(model, y, d, node)
                work.reach_node[at, world] = node
                work.spread[node, world] = mat33()
                at += 1
        return at

    @func
    def path_length(model, body: int) -> int:
        """How many nodes an impulse on a body reaches."""
        return model.path_end[body] - model.path_start[body]

    @func
    def has_room(model, work, settings, longest: int, world: int) -> bool:
        """Whether a path of this length still fits into the list."""
        return work.reach_used[world] + longest <= settings.reach_room

    @func
    def reach_contact(model, work, settings, i: int, world: int) -> mat33:
        """What unit forces in contact i reach through the joints; returns the joints' share of the inverse mass."""
        a = work.contact_body_a[i, world]
        b = work.contact_body_b[i, world]
        start = work.reach_used[world]
        frame = int(0)
        sprocket = int(0)
        if wp.static(features.belts):
            j = work.contact_sprocket[i, world]
            if j >= 0:
                frame = model.joint_a[j]
                sprocket = model.joint_b[j]
        longest = (
            path_length(model, a) + path_length(model, b) + path_length(model, frame) + path_length(model, sprocket)
        )
        end = start
        share = mat33()
        if longest > 0 and not has_room(model, work, settings, longest, world):
            share = algebra.diagonal(real(NO_ROOM))
        elif longest > 0:
            end = add_path(model, work, start, a, b, frame, sprocket, world)
            start_at(model, work, a, real(-1.0), 1, work.contact_arm_a[i, world], world)
            start_at(model, work, b, real(1.0), 1, work.contact_arm_b[i, world], world)
            if wp.static(features.belts):
                torque = wp.outer(work.contact_axle[i, world], work.contact_belt[i, world])
                start_belt(model, work, frame, -torque, world)
                start_belt(model, work, sprocket, torque, world)
            share = spread(model, work, start, end, world)
        work.contact_reach[i, world] = start
        work.contact_reach_end[i, world] = end
        work.reach_used[world] = end
        return share

    @func
    def reach_roll(model, work, settings, a: int, b: int, i: int, world: int) -> mat33:
        """The same for unit torques between the bodies of contact i."""
        start = work.reach_used[world]
        longest = path_length(model, a) + path_length(model, b)
        end = start
        share = mat33()
        if longest > 0 and not has_room(model, work, settings, longest, world):
            share = algebra.diagonal(real(NO_ROOM))
        elif longest > 0:
            end = add_path(model, work, start, a, b, 0, 0, world)
            start_at(model, work, a, real(-1.0), 0, vec3(), world)
            start_at(model, work, b, real(1.0), 0, vec3(), world)
            share = spread(model, work, start, end, world)
        work.roll_reach[i, world] = start
        work.roll_reach_end[i, world] = end
        work.reach_used[world] = end
        return share

    @func
    def answer(work, x: Nodes, start: int, end: int, world: int) -> vec3:
        """What the impulses so far have changed of a block's velocity: Y^T x."""
        u = vec3()
        e = start + 0
        while e < end:
            u = u + x[work.reach_node[e, world], world] * work.reach[e, world]
            e += 1
        return u

    @func
    def strike(work, x: Nodes, start: int, end: int, d: vec3, world: int):
        """Apply an impulse: x += D^-1 Y d."""
        e = start + 0
        while e < end:
            node = work.reach_node[e, world]
            x[node, world] = x[node, world] + algebra.full(work.pivot[node, world]) * (work.reach[e, world] * d)
            e += 1

    return locals()
