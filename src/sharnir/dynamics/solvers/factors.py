"""The matrix of all locked and soft rows, factored once a step and solved for velocities and pseudo-velocities.

    [ M   J^T   ] [  dV ]   [  0  ]
    [ J  -Gamma ] [ -dl ] = [ -JV ]        factored as L D L^T, in the order of model/ordering.py

Gamma keeps the redundant rows of a joint that closes a loop regular, and is zero elsewhere; because the equation is for
the *change* of the impulses, it makes that joint elastic and does not soften it for good (see rows/lock.py). Soft rows
put their 1/conductance there. Pseudo-velocities use the same factors.

The loops over nodes and edges are written with ``while``: they are short and many. Warp's ``for`` over a range known at
run time carries its step along and cannot tell that an index is not negative, which costs a tenth of the time.
"""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..bias import make_bias
from ..rows.coupling import make_coupling

wp = load_warp()

SLOW = 0.3  # share of its distance that the bias may keep when it is found again, if that is to go on
MORE_BIASES = 3  # times that the bias is found again in a step
A_LINEAR, A_ANGULAR, B_LINEAR, B_ANGULAR, TURN_A, TURN_B = range(6)  # places in a joint's six couplings


@cache
def make_factors(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra = make_algebra(p)
    diagonal, packed, full = algebra.diagonal, algebra.packed, algebra.full
    bias = make_bias(p, features)
    slip_of = bias.slip_of
    led, find_bias, distance, find_bias_again = bias.led, bias.find_bias, bias.distance, bias.find_bias_again
    coupling = make_coupling(p, features)
    assemble_couplings, take_couplings = coupling.assemble_couplings, coupling.take_couplings
    couplings_lack, couplings_lack_push = coupling.couplings_lack, coupling.couplings_lack_push
    take_couplings_apart, lead_couplings = coupling.take_couplings_apart, coupling.lead_couplings
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the matrix
    # of an arm, that a bias may leave open before it is found again; limits, friction and contacts leave more by far
    has_bounds = features.limits or features.friction or features.contacts
    FAR = wp.constant(real(1e-5 if has_bounds else 1e-6))

    @wp.func
    def linear_rows(k: t.work, j: int, w: int) -> mat33:
        """The locked and soft translations of joint j; the world's axes where every joint locks them all."""
        if wp.static(features.partial_locks):
            return k.rows_l[j, w]
        return diagonal(real(1.0))

    @wp.func
    def put(k: t.work, block: int, row: int, column: int, value: mat33, w: int):
        """Store the coupling of a joint's row node with a body's column node, the later node's index first."""
        if block >= 0:
            if row > column:
                k.block[block, w] = value
            else:
                k.block[block, w] = wp.transpose(value)

    @wp.func
    def pivot_of(m: t.model, k: t.work, locked: int, linear: int, softness: real, j: int, w: int) -> p.sym33:
        """-Gamma on locked rows, -1/conductance on soft ones, -1 on free ones."""
        if wp.static(not features.partial_locks and not features.soft):
            if locked == 7:
                return p.sym33(-softness, -softness, -softness, real(0.0), real(0.0), real(0.0))
        d = vec3(real(-1.0), real(-1.0), real(-1.0))
        for i in range(3):
            if locked & (1 << i) != 0:
                d[i] = -softness
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                if m.soft_linear[i] == linear and k.soft_y[i, w] > real(0.0):
                    d[m.soft_column[i]] = real(-1.0) / k.soft_y[i, w]
        return p.sym33(d[0], d[1], d[2], real(0.0), real(0.0), real(0.0))

    @wp.func
    def assemble_joint(m: t.model, k: t.work, j: int, w: int):
        a = m.body_node[m.joint_a[j]]
        b = m.body_node[m.joint_b[j]]
        row = m.joint_node_l[j]
        first = 6 * j
        if row >= 0:
            q = linear_rows(k, j, w)
            put(k, m.joint_block[first + wp.static(A_LINEAR)], row, a, -q, w)
            put(k, m.joint_block[first + wp.static(A_ANGULAR)], row, a + 1, q * wp.skew(k.arm_a[j, w]), w)
            put(k, m.joint_block[first + wp.static(B_LINEAR)], row, b, q, w)
            put(k, m.joint_block[first + wp.static(B_ANGULAR)], row, b + 1, -(q * wp.skew(k.arm_b[j, w])), w)
            k.pivot[row, w] = pivot_of(m, k, m.linear_lock[j], 1, k.softness_l[j, w], j, w)
        if wp.static(features.angular_rows):
            turn = m.joint_node_a[j]
            if turn >= 0:
                q = k.rows_a[j, w]
                put(k, m.joint_block[first + wp.static(TURN_A)], turn, a + 1, -q, w)
                put(k, m.joint_block[first + wp.static(TURN_B)], turn, b + 1, q, w)
                k.pivot[turn, w] = pivot_of(m, k, m.angular_lock[j], 0, k.softness_a[j, w], j, w)

    @wp.func
    def assemble_body(m: t.model, k: t.work, b: int, w: int):
        node = m.body_node[b]
        if node >= 0:
            k.pivot[node, w] = packed(diagonal(real(1.0) / m.inv_mass[b, w]))
            k.pivot[node + 1, w] = k.inertia[b, w]

    @wp.func
    def factor(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Assemble the matrix and replace it by its factors: L below, the inverses of D on the diagonal."""
        for i in range(o.fills):
            k.block[m.fill_block[i], w] = mat33()
        for b in range(o.bodies):
            assemble_body(m, k, b, w)
        for j in range(o.joints):
            assemble_joint(m, k, j, w)
        if wp.static(features.couplings):
            assemble_couplings(m, n, k, o, w)
        update = int(0)
        i = int(0)
        while i < o.nodes:
            inverse = wp.inverse(full(k.pivot[i, w]))
            k.pivot[i, w] = packed(inverse)
            start = m.edge_start[i]
            high = m.edge_start[i + 1] - 1
            while high >= start:
                own = k.block[high, w]
                lower = own * inverse
                low = start + 0
                while low < high:
                    target = m.update_block[update]
                    k.block[target, w] = k.block[target, w] - lower * wp.transpose(k.block[low, w])
                    update += 1
                    low += 1
                node = m.edge_node[high]
                k.pivot[node, w] = k.pivot[node, w] - packed(lower * wp.transpose(own))
                k.block[high, w] = lower
                high -= 1
            i += 1

    @wp.func
    def forward(m: t.model, k: t.work, o: t.settings, w: int):
        """The right-hand side in ``solution`` becomes D^-1 L^-1 of it."""
        i = int(0)
        while i < o.nodes:
            x = k.solution[i, w]
            e = m.edge_start[i]
            end = m.edge_start[i + 1]
            while e < end:
                target = m.edge_node[e]
                k.solution[target, w] = k.solution[target, w] - k.block[e, w] * x
                e += 1
            k.solution[i, w] = full(k.pivot[i, w]) * x
            i += 1

    @wp.func
    def backward(m: t.model, k: t.work, o: t.settings, y: Nodes, w: int):
        """L^-T of what is in ``solution`` or ``push_solution``."""
        i = o.nodes - 1
        while i >= 0:
            x = y[i, w]
            e = m.edge_start[i]
            end = m.edge_start[i + 1]
            while e < end:
                x = x - y[m.edge_node[e], w] * k.block[e, w]
                e += 1
            y[i, w] = x
            i -= 1

    @wp.func
    def substitute(m: t.model, k: t.work, o: t.settings, w: int):
        """The right-hand side in ``solution`` becomes the solution."""
        forward(m, k, o, w)
        backward(m, k, o, k.solution, w)

    @wp.func
    def substitute_both(m: t.model, k: t.work, o: t.settings, w: int):
        """The same for two right-hand sides at once."""
        i = int(0)
        while i < o.nodes:
            x = k.solution[i, w]
            y = k.push_solution[i, w]
            e = m.edge_start[i]
            end = m.edge_start[i + 1]
            while e < end:
                target = m.edge_node[e]
                lower = k.block[e, w]
                k.solution[target, w] = k.solution[target, w] - lower * x
                k.push_solution[target, w] = k.push_solution[target, w] - lower * y
                e += 1
            inverse = full(k.pivot[i, w])
            k.solution[i, w] = inverse * x
            k.push_solution[i, w] = inverse * y
            i += 1
        i = o.nodes - 1
        while i >= 0:
            x = k.solution[i, w]
            y = k.push_solution[i, w]
            e = m.edge_start[i]
            end = m.edge_start[i + 1]
            while e < end:
                lower = k.block[e, w]
                x = x - k.solution[m.edge_node[e], w] * lower
                y = y - k.push_solution[m.edge_node[e], w] * lower
                e += 1
            k.solution[i, w] = x
            k.push_solution[i, w] = y
            i -= 1

    @wp.func
    def clear_bodies(m: t.model, k: t.work, o: t.settings, w: int):
        """No right-hand side for the bodies: their momentum balance holds already."""
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.solution[node, w] = vec3()
                k.solution[node + 1, w] = vec3()

    @wp.func
    def on_locked(x: vec3, locked: int) -> vec3:
        """The entries of the locked rows alone."""
        for i in range(3):
            if locked & (1 << i) == 0:
                x[i] = real(0.0)
        return x

    @wp.func
    def linear_impulse(m: t.model, k: t.work, j: int, w: int) -> vec3:
        """What the solution asks of the locked translations of joint j, N s in world axes."""
        x = -k.solution[m.joint_node_l[j], w]
        if wp.static(features.partial_locks):
            x = on_locked(x, m.linear_lock[j]) * linear_rows(k, j, w)
        return x

    @wp.func
    def angular_impulse(m: t.model, k: t.work, j: int, w: int) -> vec3:
        """The same of its locked rotations, N m s."""
        return on_locked(-k.solution[m.joint_node_a[j], w], m.angular_lock[j]) * k.rows_a[j, w]

    @wp.func
    def take_locked(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        if m.joint_node_l[j] >= 0:
            n.lock_impulse[j, w] = n.lock_impulse[j, w] + linear_impulse(m, k, j, w)
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0 and m.angular_lock[j] != 0:
                n.lock_angular[j, w] = n.lock_angular[j, w] + angular_impulse(m, k, j, w)

    @wp.func
    def take_apart(m: t.model, k: t.work, j: int, w: int):
        """Impulses that belong to the bias of a mechanism with redundant rows.

        They are a part of the reaction but not of the warm start: what is inconsistent in the bias of redundant rows
        would grow there without end.
        """
        if m.joint_node_l[j] >= 0:
            k.bias_impulse[j, w] = k.bias_impulse[j, w] + linear_impulse(m, k, j, w)
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0 and m.angular_lock[j] != 0:
                k.bias_angular[j, w] = k.bias_angular[j, w] + angular_impulse(m, k, j, w)

    @wp.func
    def take_soft(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                if k.soft_y[i, w] > real(0.0):
                    n.soft_impulse[i, w] = n.soft_impulse[i, w] - soft_entry(m, k, i, j, w)

    @wp.func
    def soft_entry(m: t.model, k: t.work, i: int, j: int, w: int) -> real:
        """The entry of soft row i in the solution."""
        node = m.joint_node_a[j]
        if m.soft_linear[i] == 1:
            node = m.joint_node_l[j]
        x = k.solution[node, w]
        return x[m.soft_column[i]]

    @wp.func
    def take_velocities(m: t.model, k: t.work, o: t.settings, w: int):
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.velocity[b, w] = k.velocity[b, w] + k.solution[node, w]
                k.spin[b, w] = k.spin[b, w] + k.solution[node + 1, w]

    @wp.func
    def take_solution(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Add the solution to velocities and impulses."""
        take_velocities(m, k, o, w)
        for j in range(o.joints):
            take_locked(m, n, k, j, w)
            take_soft(m, n, k, j, w)
        if wp.static(features.couplings):
            take_couplings(m, n, k, o, w)

    @wp.func
    def take_bias(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same for what leads onto the joints."""
        if o.redundant == 0:
            take_solution(m, n, k, o, w)
        else:
            take_velocities(m, k, o, w)
            for j in range(o.joints):
                take_apart(m, k, j, w)
                take_soft(m, n, k, j, w)
            if wp.static(features.couplings):
                take_couplings_apart(m, k, o, w)

    @wp.func
    def soft_error(m: t.model, n: t.memory, k: t.work, linear: int, j: int, w: int) -> vec3:
        """gamma (p - source) of the soft rows of joint j, in their places."""
        e = vec3()
        for i in range(m.soft_start[j], m.soft_end[j]):
            if m.soft_linear[i] == linear and k.soft_y[i, w] > real(0.0):
                e[m.soft_column[i]] = (n.soft_impulse[i, w] - k.soft_source[i, w]) / k.soft_y[i, w]
                if wp.static(features.leapfrog):
                    share = k.soft_bias[i, w] - real(1.0)  # locked rows feel the bias whole
                    turning = wp.dot(k.soft_axis[i, w], led(k, vec3(), linear, j, w))
                    e[m.soft_column[i]] = e[m.soft_column[i]] + share * turning
        return e

    @wp.func
    def velocity_error(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        """The right-hand side of joint j: what its locked and soft rows lack."""
        if m.joint_node_l[j] >= 0:
            e = led(k, slip_of(m, k, j, w), 1, j, w)
            if wp.static(features.partial_locks):
                e = linear_rows(k, j, w) * e
            if wp.static(features.soft):
                e = e + soft_error(m, n, k, 1, j, w)
            k.solution[m.joint_node_l[j], w] = -e
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                e = k.rows_a[j, w] * led(k, k.spin[m.joint_b[j], w] - k.spin[m.joint_a[j], w], 0, j, w)
                if wp.static(features.soft):
                    e = e + soft_error(m, n, k, 0, j, w)
                k.solution[m.joint_node_a[j], w] = -e

    @wp.func
    def push_error(m: t.model, k: t.work, rate: real, j: int, w: int):
        """The same for the pseudo-velocities, which close the gaps at ``rate``."""
        a = m.joint_a[j]
        b = m.joint_b[j]
        if m.joint_node_l[j] >= 0:
            at_a = k.push[a, w] + wp.cross(k.push_spin[a, w], k.arm_a[j, w])
            e = k.push[b, w] + wp.cross(k.push_spin[b, w], k.arm_b[j, w]) - at_a + rate * k.gap[j, w]
            if wp.static(features.partial_locks):
                e = linear_rows(k, j, w) * e
            k.push_solution[m.joint_node_l[j], w] = -e
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                turn = k.push_spin[b, w] - k.push_spin[a, w]
                if m.angular_lock[j] != 0:
                    turn = turn + rate * k.tilt[j, w]
                k.push_solution[m.joint_node_a[j], w] = -(k.rows_a[j, w] * turn)

    @wp.func
    def clear_push(m: t.model, k: t.work, o: t.settings, w: int):
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.push_solution[node, w] = vec3()
                k.push_solution[node + 1, w] = vec3()

    @wp.func
    def take_push(m: t.model, k: t.work, o: t.settings, w: int):
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.push[b, w] = k.push[b, w] + k.push_solution[node, w]
                k.push_spin[b, w] = k.push_spin[b, w] + k.push_solution[node + 1, w]

    @wp.func
    def solve_velocity(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Change velocities and impulses so that every locked and soft row holds."""
        clear_bodies(m, k, o, w)
        for j in range(o.joints):
            velocity_error(m, n, k, j, w)
        if wp.static(features.couplings):
            couplings_lack(m, n, k, o, w)
        substitute(m, k, o, w)
        take_solution(m, n, k, o, w)

    @wp.func
    def errors_of_both(m: t.model, n: t.memory, k: t.work, o: t.settings, rate: real, w: int):
        clear_bodies(m, k, o, w)
        clear_push(m, k, o, w)
        for j in range(o.joints):
            velocity_error(m, n, k, j, w)
            push_error(m, k, rate, j, w)
        if wp.static(features.couplings):
            couplings_lack(m, n, k, o, w)
            couplings_lack_push(m, n, k, o, w)

    @wp.func
    def solve_both(m: t.model, n: t.memory, k: t.work, o: t.settings, rate: real, w: int):
        """Velocities and pseudo-velocities together: the factors are read once for both."""
        errors_of_both(m, n, k, o, rate, w)
        substitute_both(m, k, o, w)
        take_solution(m, n, k, o, w)
        take_push(m, k, o, w)

    @wp.func
    def solve_bias(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """What leads onto the joints, from velocities on them or from what an earlier bias led to."""
        clear_bodies(m, k, o, w)
        for j in range(o.joints):
            velocity_error(m, n, k, j, w)
        if wp.static(features.couplings):
            couplings_lack(m, n, k, o, w)
        substitute(m, k, o, w)
        take_bias(m, n, k, o, w)

    @wp.func
    def solve_bias_and_push(m: t.model, n: t.memory, k: t.work, o: t.settings, rate: real, w: int):
        """The same along with the pseudo-velocities."""
        errors_of_both(m, n, k, o, rate, w)
        substitute_both(m, k, o, w)
        take_bias(m, n, k, o, w)
        take_push(m, k, o, w)

    @wp.func
    def lead_onto_joints(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, rate: real, w: int):
        """Velocities that lead onto the joints; pseudo-velocities are found along with them."""
        is_open = find_bias(m, s, n, k, o, w)
        if wp.static(features.couplings):
            lead_couplings(k, o, w)
        if o.redundant > 0:
            for b in range(1, o.bodies):
                n.led_spin[b, w] = -k.spin[b, w]
        if is_open:
            solve_bias_and_push(m, n, k, o, rate, w)
        else:
            solve_bias(m, n, k, o, w)
        left = int(wp.static(MORE_BIASES))
        before = distance(m, k, o, w)
        while left > 0 and before > FAR * FAR:
            find_bias_again(m, s, n, k, o, w)
            solve_bias(m, n, k, o, w)
            left -= 1
            after = distance(m, k, o, w)
            if after > wp.static(real(SLOW * SLOW)) * before:
                left = 0  # a singular pose is near: the impulses that the bias asks for are huge
            before = after
        if o.redundant > 0:
            for b in range(1, o.bodies):
                n.led_spin[b, w] = n.led_spin[b, w] + k.spin[b, w]

    @wp.func
    def lead_again(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """The same where limits, friction or contacts have changed the motion since; whether they did."""
        if distance(m, k, o, w) <= FAR * FAR:
            return False
        find_bias_again(m, s, n, k, o, w)
        solve_bias(m, n, k, o, w)
        return True

    @wp.func
    def clear(o: t.settings, y: Nodes, w: int):
        for i in range(o.nodes):
            y[i, w] = vec3()

    @wp.func
    def settle(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Bring velocities and joint impulses up to date with the impulses in ``solution`` (see reach.py)."""
        backward(m, k, o, k.solution, w)
        take_solution(m, n, k, o, w)
        clear(o, k.solution, w)

    @wp.func
    def settle_push(m: t.model, k: t.work, o: t.settings, w: int):
        backward(m, k, o, k.push_solution, w)
        take_push(m, k, o, w)
        clear(o, k.push_solution, w)

    return SimpleNamespace(
        factor=factor,
        clear_bodies=clear_bodies,
        clear_push=clear_push,
        linear_rows=linear_rows,
        substitute=substitute,
        substitute_both=substitute_both,
        take_solution=take_solution,
        solve_velocity=solve_velocity,
        solve_both=solve_both,
        lead_onto_joints=lead_onto_joints,
        lead_again=lead_again,
        clear=clear,
        settle=settle,
        settle_push=settle_push,
    )
