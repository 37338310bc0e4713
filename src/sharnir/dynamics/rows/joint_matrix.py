"""The locked and soft rows of joints in the direct solver's matrix (``solvers/factors.py``), see ``groups.py``."""

from ..algebra import make_algebra
from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from .held import make_held

A_LINEAR, A_ANGULAR, B_LINEAR, B_ANGULAR, TURN_A, TURN_B = range(6)  # places in a joint's six couplings


@factory
def make_joint_matrix(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    diagonal, bias, held = make_algebra(p).diagonal, make_bias(p, features), make_held(p, features)

    @func
    def linear_rows(work, j: int, world: int) -> mat33:
        """The locked and soft translations of joint j; the world's axes where every joint locks them all."""
        if wp.static(features.partial_locks):
            return work.rows_l[j, world]
        return diagonal(real(1.0))

    @func
    def put(work, block: int, row: int, column: int, value: mat33, world: int):
        """Store the coupling of a joint's row node with a body's column node, the later node's index first."""
        if block >= 0:
            if row > column:
                work.block[block, world] = value
            else:
                work.block[block, world] = wp.transpose(value)

    @func
    def pivot_of(model, work, locked: int, linear: int, softness: real, j: int, world: int) -> p.sym33:
        """-Gamma on locked rows and on frictions, -1/conductance on soft rows, -1 on free ones."""
        if wp.static(not features.partial_locks and not features.soft):
            if locked == 7:
                return p.sym33(-softness, -softness, -softness, real(0.0), real(0.0), real(0.0))
        d = vec3(real(-1.0), real(-1.0), real(-1.0))
        for i in range(3):
            if locked & (1 << i) != 0:
                d[i] = -softness
        if wp.static(features.soft):
            for i in range(model.soft_start[j], model.soft_end[j]):
                if model.soft_linear[i] == linear and work.soft_y[i, world] > real(0.0):
                    d[model.soft_column[i]] = real(-1.0) / work.soft_y[i, world]
        if wp.static(features.held):
            d = held.on_diagonal(model, work, d, linear, j, world)
        return p.sym33(d[0], d[1], d[2], real(0.0), real(0.0), real(0.0))

    @func
    def assemble_joint(model, work, j: int, world: int):
        """J of joint j beside the blocks of its bodies, -Gamma on the diagonal."""
        a = model.body_node[model.joint_a[j]]
        b = model.body_node[model.joint_b[j]]
        row = model.joint_node_l[j]
        first = 6 * j
        if row >= 0:
            q = linear_rows(work, j, world)
            put(work, model.joint_block[first + wp.static(A_LINEAR)], row, a, -q, world)
            put(
                work,
                model.joint_block[first + wp.static(A_ANGULAR)],
                row,
                a + 1,
                q * wp.skew(work.arm_a[j, world]),
                world,
            )
            put(work, model.joint_block[first + wp.static(B_LINEAR)], row, b, q, world)
            put(
                work,
                model.joint_block[first + wp.static(B_ANGULAR)],
                row,
                b + 1,
                -(q * wp.skew(work.arm_b[j, world])),
                world,
            )
            work.pivot[row, world] = pivot_of(model, work, model.linear_lock[j], 1, work.softness_l[j, world], j, world)
        if wp.static(features.angular_rows):
            turn = model.joint_node_a[j]
            if turn >= 0:
                q = work.rows_a[j, world]
                put(work, model.joint_block[first + wp.static(TURN_A)], turn, a + 1, -q, world)
                put(work, model.joint_block[first + wp.static(TURN_B)], turn, b + 1, q, world)
                work.pivot[turn, world] = pivot_of(
                    model, work, model.angular_lock[j], 0, work.softness_a[j, world], j, world
                )

    @func
    def on_locked(x: vec3, locked: int) -> vec3:
        """The entries of the locked rows alone."""
        for i in range(3):
            if locked & (1 << i) == 0:
                x[i] = real(0.0)
        return x

    @func
    def linear_impulse(model, work, j: int, world: int) -> vec3:
        """What the solution asks of the locked translations of joint j, N s in world axes."""
        x = -work.solution[model.joint_node_l[j], world]
        if wp.static(features.partial_locks):
            x = on_locked(x, model.linear_lock[j]) * linear_rows(work, j, world)
        return x

    @func
    def angular_impulse(model, work, j: int, world: int) -> vec3:
        """The same of its locked rotations, N m s."""
        return on_locked(-work.solution[model.joint_node_a[j], world], model.angular_lock[j]) * work.rows_a[j, world]

    @func
    def take_locked(model, memory, work, j: int, world: int):
        """Add the solution to the impulses of joint j's locked axes, N s and N m s."""
        if model.joint_node_l[j] >= 0:
            memory.lock_impulse[j, world] = memory.lock_impulse[j, world] + linear_impulse(model, work, j, world)
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0 and model.angular_lock[j] != 0:
                memory.lock_angular[j, world] = memory.lock_angular[j, world] + angular_impulse(model, work, j, world)

    @func
    def take_locked_apart(model, work, j: int, world: int):
        """Impulses that belong to the bias of a mechanism with redundant rows.

        They are a part of the reaction but not of the warm start: what is inconsistent in the bias of redundant rows
        would grow there without end.
        """
        if model.joint_node_l[j] >= 0:
            work.bias_impulse[j, world] = work.bias_impulse[j, world] + linear_impulse(model, work, j, world)
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0 and model.angular_lock[j] != 0:
                work.bias_angular[j, world] = work.bias_angular[j, world] + angular_impulse(model, work, j, world)

    @func
    def take_soft(model, memory, work, j: int, world: int):
        """Add the solution to the impulses of joint j's soft rows."""
        if wp.static(features.soft):
            for i in range(model.soft_start[j], model.soft_end[j]):
                if work.soft_y[i, world] > real(0.0):
                    memory.soft_impulse[i, world] = memory.soft_impulse[i, world] - soft_entry(model, work, i, j, world)

    @func
    def soft_entry(model, work, i: int, j: int, world: int) -> real:
        """The entry of soft row i in the solution."""
        node = model.joint_node_a[j]
        if model.soft_linear[i] == 1:
            node = model.joint_node_l[j]
        x = work.solution[node, world]
        return x[model.soft_column[i]]

    @func
    def soft_error(model, memory, work, linear: int, j: int, world: int) -> vec3:
        """gamma (p - source) of the soft rows of joint j, in their places."""
        e = vec3()
        for i in range(model.soft_start[j], model.soft_end[j]):
            if model.soft_linear[i] == linear and work.soft_y[i, world] > real(0.0):
                e[model.soft_column[i]] = (memory.soft_impulse[i, world] - work.soft_source[i, world]) / work.soft_y[
                    i, world
                ]
        return e

    @func
    def velocity_error(model, memory, work, j: int, world: int):
        """The right-hand side of joint j: what its locked and soft rows lack."""
        if model.joint_node_l[j] >= 0:
            u = bias.led(work, bias.slip_of(model, work, j, world), 1, j, world)
            e = u
            if wp.static(features.partial_locks):
                e = linear_rows(work, j, world) * u
            if wp.static(features.held and features.partial_locks):
                e = e + held.lacking(model, memory, work, work.rows_l[j, world], u, 1, j, world)
            if wp.static(features.soft):
                e = e + soft_error(model, memory, work, 1, j, world)
            work.solution[model.joint_node_l[j], world] = -e
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0:
                turning = work.spin[model.joint_b[j], world] - work.spin[model.joint_a[j], world]
                turning = bias.led(work, turning, 0, j, world)
                e = work.rows_a[j, world] * turning
                if wp.static(features.held):
                    e = e + held.lacking(model, memory, work, work.rows_a[j, world], turning, 0, j, world)
                if wp.static(features.soft):
                    e = e + soft_error(model, memory, work, 0, j, world)
                work.solution[model.joint_node_a[j], world] = -e

    @func
    def push_error(model, work, rate: real, j: int, world: int):
        """The same for the pseudo-velocities, which close the gaps at ``rate``."""
        a = model.joint_a[j]
        b = model.joint_b[j]
        if model.joint_node_l[j] >= 0:
            at_a = work.push[a, world] + wp.cross(work.push_spin[a, world], work.arm_a[j, world])
            e = (
                work.push[b, world]
                + wp.cross(work.push_spin[b, world], work.arm_b[j, world])
                - at_a
                + rate * work.gap[j, world]
            )
            if wp.static(features.partial_locks):
                e = linear_rows(work, j, world) * e
            work.push_solution[model.joint_node_l[j], world] = -e
        if wp.static(features.angular_rows):
            if model.joint_node_a[j] >= 0:
                turn = work.push_spin[b, world] - work.push_spin[a, world]
                if model.angular_lock[j] != 0:
                    turn = turn + rate * work.tilt[j, world]
                work.push_solution[model.joint_node_a[j], world] = -(work.rows_a[j, world] * turn)

    # --- all joints ---------------------------------------------------------------------------------------------------

    @func
    def assemble(model, memory, work, settings, world: int):
        """Blocks and pivots of all joints."""
        for j in range(settings.joints):
            assemble_joint(model, work, j, world)

    @func
    def lack(model, memory, work, settings, world: int):
        """The right-hand sides of all joints, m/s and rad/s."""
        for j in range(settings.joints):
            velocity_error(model, memory, work, j, world)

    @func
    def lack_push(model, memory, work, settings, world: int):
        """The same for the pseudo-velocities, which close the gaps at the rate ERP/dt."""
        rate = settings.erp / settings.dt
        for j in range(settings.joints):
            push_error(model, work, rate, j, world)

    @func
    def take(model, memory, work, settings, world: int):
        """Add the solution to the impulses."""
        for j in range(settings.joints):
            take_locked(model, memory, work, j, world)
            take_soft(model, memory, work, j, world)
            if wp.static(features.held):
                held.take(model, memory, work, j, world)

    @func
    def take_apart(model, memory, work, settings, world: int):
        """The same for what leads onto the joints, where rows are redundant."""
        for j in range(settings.joints):
            take_locked_apart(model, work, j, world)
            take_soft(model, memory, work, j, world)
            if wp.static(features.held):
                held.take(model, memory, work, j, world)

    return locals()
