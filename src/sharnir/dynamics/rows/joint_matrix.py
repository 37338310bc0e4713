"""The locked and soft rows of joints in the direct solver's matrix (``solvers/factors.py``), see ``groups.py``."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..algebra import make_algebra
from ..bias import make_bias

wp = load_warp()

A_LINEAR, A_ANGULAR, B_LINEAR, B_ANGULAR, TURN_A, TURN_B = range(6)  # places in a joint's six couplings


@cache
def make_joint_matrix(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    diagonal, bias = make_algebra(p).diagonal, make_bias(p, features)

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
        """J of joint j beside the blocks of its bodies, -Gamma on the diagonal."""
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
        """Add the solution to the impulses of joint j's locked axes, N s and N m s."""
        if m.joint_node_l[j] >= 0:
            n.lock_impulse[j, w] = n.lock_impulse[j, w] + linear_impulse(m, k, j, w)
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0 and m.angular_lock[j] != 0:
                n.lock_angular[j, w] = n.lock_angular[j, w] + angular_impulse(m, k, j, w)

    @wp.func
    def take_locked_apart(m: t.model, k: t.work, j: int, w: int):
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
        """Add the solution to the impulses of joint j's soft rows."""
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
    def soft_error(m: t.model, n: t.memory, k: t.work, linear: int, j: int, w: int) -> vec3:
        """gamma (p - source) of the soft rows of joint j, in their places."""
        e = vec3()
        for i in range(m.soft_start[j], m.soft_end[j]):
            if m.soft_linear[i] == linear and k.soft_y[i, w] > real(0.0):
                e[m.soft_column[i]] = (n.soft_impulse[i, w] - k.soft_source[i, w]) / k.soft_y[i, w]
                if wp.static(features.integrator.leads):
                    share = k.soft_bias[i, w] - real(1.0)  # locked rows feel the bias whole
                    turning = wp.dot(k.soft_axis[i, w], bias.led(k, vec3(), linear, j, w))
                    e[m.soft_column[i]] = e[m.soft_column[i]] + share * turning
        return e

    @wp.func
    def velocity_error(m: t.model, n: t.memory, k: t.work, j: int, w: int):
        """The right-hand side of joint j: what its locked and soft rows lack."""
        if m.joint_node_l[j] >= 0:
            e = bias.led(k, bias.slip_of(m, k, j, w), 1, j, w)
            if wp.static(features.partial_locks):
                e = linear_rows(k, j, w) * e
            if wp.static(features.soft):
                e = e + soft_error(m, n, k, 1, j, w)
            k.solution[m.joint_node_l[j], w] = -e
        if wp.static(features.angular_rows):
            if m.joint_node_a[j] >= 0:
                e = k.rows_a[j, w] * bias.led(k, k.spin[m.joint_b[j], w] - k.spin[m.joint_a[j], w], 0, j, w)
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

    # --- all joints ---------------------------------------------------------------------------------------------------

    @wp.func
    def assemble(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Blocks and pivots of all joints."""
        for j in range(o.joints):
            assemble_joint(m, k, j, w)

    @wp.func
    def lack(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The right-hand sides of all joints, m/s and rad/s."""
        for j in range(o.joints):
            velocity_error(m, n, k, j, w)

    @wp.func
    def lack_push(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same for the pseudo-velocities, which close the gaps at the rate ERP/dt."""
        rate = o.erp / o.dt
        for j in range(o.joints):
            push_error(m, k, rate, j, w)

    @wp.func
    def take(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Add the solution to the impulses."""
        for j in range(o.joints):
            take_locked(m, n, k, j, w)
            take_soft(m, n, k, j, w)

    @wp.func
    def take_apart(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same for what leads onto the joints, where rows are redundant."""
        for j in range(o.joints):
            take_locked_apart(m, k, j, w)
            take_soft(m, n, k, j, w)

    return SimpleNamespace(
        linear_rows=linear_rows, assemble=assemble, lack=lack, lack_push=lack_push, take=take, take_apart=take_apart
    )
