"""The matrix of all locked and soft rows, factored once a step and solved for velocities and pseudo-velocities.

    [ M   J^T   ] [  dV ]   [  0  ]
    [ J  -Gamma ] [ -dl ] = [ -JV ]        factored as L D L^T, in the order of model/ordering.py

Gamma keeps the redundant rows of a joint that closes a loop regular, and is zero elsewhere; because the equation is for
the *change* of the impulses, it makes that joint elastic and does not soften it for good (see rows/lock.py). Soft rows
put their 1/conductance there. Pseudo-velocities use the same factors.

The loops over nodes and edges are written with ``while``: they are short and many. Warp's ``for`` over a range known at
run time carries its step along and cannot tell that an index is not negative, which costs a tenth of the time.
"""

from ..algebra import make_algebra
from ..bias import make_bias
from ..factory import Features, Made, Precision, factory, functions, wp
from ..moving import make_moving
from ..rows.groups import make_rows
from ..stiffen import make_stiffen

SLOW = 0.3  # share of its distance that the bias may keep when it is found again, if that is to go on
MORE_BIASES = 3  # times that the bias is found again in a step
TIGHT, TOUCHING = 1e-10, 1e-7  # of an arm, that the softness of a joint that closes a loop may leave open


@factory
def make_factors(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    bias, take_blows = make_bias(p, features), make_stiffen(p, features).take_blows
    rows, moves = make_rows(p, features), make_moving(p, features).moves
    Vectors = wp.array(dtype=vec3, ndim=2)  # for every node of the matrix, or every body
    # of an arm, that a bias may leave open before it is found again; limits, friction and contacts leave more by far
    FAR = wp.constant(real(1e-5 if features.bounded else 1e-6))

    @func
    def assemble_body(model, work, b: int, world: int):
        """M on the diagonal: kg, and kg m^2 in world axes."""
        node = model.body_node[b]
        if node >= 0:
            work.pivot[node, world] = algebra.packed(algebra.diagonal(real(1.0) / model.inv_mass[b, world]))
            work.pivot[node + 1, world] = work.inertia[b, world]

    @func
    def factor(model, memory, work, settings, world: int):
        """Assemble the matrix and replace it by its factors: L below, the inverses of D on the diagonal."""
        for i in range(settings.fills):
            work.block[model.fill_block[i], world] = mat33()
        for b in range(settings.bodies):
            assemble_body(model, work, b, world)
        rows.assemble(model, memory, work, settings, world)
        update = int(0)
        i = int(0)
        while i < settings.nodes:
            inverse = wp.inverse(algebra.full(work.pivot[i, world]))
            work.pivot[i, world] = algebra.packed(inverse)
            start = model.edge_start[i]
            high = model.edge_start[i + 1] - 1
            while high >= start:
                own = work.block[high, world]
                lower = own * inverse
                low = start + 0
                while low < high:
                    target = model.update_block[update]
                    work.block[target, world] = work.block[target, world] - lower * wp.transpose(work.block[low, world])
                    update += 1
                    low += 1
                node = model.edge_node[high]
                work.pivot[node, world] = work.pivot[node, world] - algebra.packed(lower * wp.transpose(own))
                work.block[high, world] = lower
                high -= 1
            i += 1

    @func
    def forward(model, work, settings, world: int):
        """The right-hand side in ``solution`` becomes D^-1 L^-1 of it."""
        i = int(0)
        while i < settings.nodes:
            x = work.solution[i, world]
            e = model.edge_start[i]
            end = model.edge_start[i + 1]
            while e < end:
                target = model.edge_node[e]
                work.solution[target, world] = work.solution[target, world] - work.block[e, world] * x
                e += 1
            work.solution[i, world] = algebra.full(work.pivot[i, world]) * x
            i += 1

    @func
    def backward(model, work, settings, y: Vectors, world: int):
        """L^-T of what is in ``solution`` or ``push_solution``."""
        i = settings.nodes - 1
        while i >= 0:
            x = y[i, world]
            e = model.edge_start[i]
            end = model.edge_start[i + 1]
            while e < end:
                x = x - y[model.edge_node[e], world] * work.block[e, world]
                e += 1
            y[i, world] = x
            i -= 1

    @func
    def substitute(model, work, settings, world: int):
        """The right-hand side in ``solution`` becomes the solution."""
        forward(model, work, settings, world)
        backward(model, work, settings, work.solution, world)

    @func
    def substitute_both(model, work, settings, world: int):
        """The same for two right-hand sides at once."""
        i = int(0)
        while i < settings.nodes:
            x = work.solution[i, world]
            y = work.push_solution[i, world]
            e = model.edge_start[i]
            end = model.edge_start[i + 1]
            while e < end:
                target = model.edge_node[e]
                lower = work.block[e, world]
                work.solution[target, world] = work.solution[target, world] - lower * x
                work.push_solution[target, world] = work.push_solution[target, world] - lower * y
                e += 1
            inverse = algebra.full(work.pivot[i, world])
            work.solution[i, world] = inverse * x
            work.push_solution[i, world] = inverse * y
            i += 1
        i = settings.nodes - 1
        while i >= 0:
            x = work.solution[i, world]
            y = work.push_solution[i, world]
            e = model.edge_start[i]
            end = model.edge_start[i + 1]
            while e < end:
                lower = work.block[e, world]
                x = x - work.solution[model.edge_node[e], world] * lower
                y = y - work.push_solution[model.edge_node[e], world] * lower
                e += 1
            work.solution[i, world] = x
            work.push_solution[i, world] = y
            i -= 1

    @func
    def clear_bodies(model, solution: Vectors, settings, world: int):
        """No right-hand side for the bodies: their momentum balance holds already."""
        for b in range(settings.bodies):
            node = model.body_node[b]
            if node >= 0:
                solution[node, world] = vec3()
                solution[node + 1, world] = vec3()

    @func
    def add_bodies(model, solution: Vectors, velocity: Vectors, spin: Vectors, settings, world: int):
        """Add the solution to velocities of the bodies, true ones or pseudo-velocities."""
        for b in range(settings.bodies):
            node = model.body_node[b]
            if node >= 0:
                velocity[b, world] = velocity[b, world] + solution[node, world]
                spin[b, world] = spin[b, world] + solution[node + 1, world]

    @func
    def take_solution(model, memory, work, settings, world: int):
        """Add the solution to velocities and impulses."""
        add_bodies(model, work.solution, work.velocity, work.spin, settings, world)
        rows.take(model, memory, work, settings, world)

    @func
    def take_bias(model, memory, work, settings, world: int):
        """The same for what leads onto the joints."""
        add_bodies(model, work.solution, work.velocity, work.spin, settings, world)
        if settings.redundant == 0:
            rows.take(model, memory, work, settings, world)
        else:
            rows.take_apart(model, memory, work, settings, world)

    @func
    def solve_velocity(model, memory, work, settings, world: int):
        """Change velocities and impulses so that every row of the matrix holds."""
        clear_bodies(model, work.solution, settings, world)
        rows.lack(model, memory, work, settings, world)
        substitute(model, work, settings, world)
        take_solution(model, memory, work, settings, world)

    @func
    def errors_of_both(model, memory, work, settings, world: int):
        """Right-hand sides for velocities and for pseudo-velocities, which close gaps at the rate ERP/dt."""
        clear_bodies(model, work.solution, settings, world)
        clear_bodies(model, work.push_solution, settings, world)
        rows.lack(model, memory, work, settings, world)
        rows.lack_push(model, memory, work, settings, world)

    @func
    def solve_both(model, memory, work, settings, world: int):
        """Velocities and pseudo-velocities together: the factors are read once for both."""
        errors_of_both(model, memory, work, settings, world)
        substitute_both(model, work, settings, world)
        take_solution(model, memory, work, settings, world)
        add_bodies(model, work.push_solution, work.push, work.push_spin, settings, world)

    @func
    def solve_bias(model, memory, work, settings, world: int):
        """What leads onto the joints, from velocities on them or from what an earlier bias led to."""
        clear_bodies(model, work.solution, settings, world)
        rows.lack(model, memory, work, settings, world)
        substitute(model, work, settings, world)
        take_bias(model, memory, work, settings, world)

    @func
    def solve_bias_and_push(model, memory, work, settings, world: int):
        """The same along with the pseudo-velocities."""
        errors_of_both(model, memory, work, settings, world)
        substitute_both(model, work, settings, world)
        take_bias(model, memory, work, settings, world)
        add_bodies(model, work.push_solution, work.push, work.push_spin, settings, world)

    @func
    def is_slack(model, work, settings, world: int) -> bool:
        """Whether joints that close loops give way by more than they may; contacts leave more than that by far."""
        most = wp.static(real(TIGHT))
        if wp.static(features.contacts):
            if work.contact_count[world] > 0:
                most = wp.static(real(TOUCHING))
        return bias.slack(model, work, settings, world) > most * most

    @func
    def lead_onto_joints(model, state, memory, work, settings, world: int):
        """Velocities that lead onto the joints; pseudo-velocities are found along with them."""
        is_open = bias.find_bias(model, state, memory, work, settings, world)
        rows.lead(model, memory, work, settings, world)
        if settings.redundant > 0:
            for b in range(1, settings.bodies):
                if moves(model, b, world):
                    memory.led_spin[b, world] = -work.spin[b, world]
        if is_open:
            solve_bias_and_push(model, memory, work, settings, world)
        else:
            solve_bias(model, memory, work, settings, world)
        left = int(wp.static(MORE_BIASES))
        before = bias.distance(model, work, settings, FAR, world)
        while left > 0 and before > FAR * FAR:
            bias.find_bias_again(model, state, memory, work, settings, world)
            solve_bias(model, memory, work, settings, world)
            left -= 1
            after = bias.distance(model, work, settings, FAR, world)
            if after > wp.static(real(SLOW * SLOW)) * before:
                left = 0  # a singular pose is near: the impulses that the bias asks for are huge
            before = after
        if take_blows(model, memory, work, settings, world):
            solve_bias(model, memory, work, settings, world)
        if settings.redundant > 0:
            if is_slack(model, work, settings, world):
                solve_bias(model, memory, work, settings, world)
            for b in range(1, settings.bodies):
                if moves(model, b, world):
                    memory.led_spin[b, world] = memory.led_spin[b, world] + work.spin[b, world]

    @func
    def lead_again(model, state, memory, work, settings, world: int) -> bool:
        """The same where limits, friction or contacts have changed the motion since; whether they did."""
        if bias.distance(model, work, settings, FAR, world) <= FAR * FAR:
            return False
        bias.find_bias_again(model, state, memory, work, settings, world)
        solve_bias(model, memory, work, settings, world)
        return True

    @func
    def clear(settings, y: Vectors, world: int):
        """Nothing in any node."""
        for i in range(settings.nodes):
            y[i, world] = vec3()

    @func
    def settle(model, memory, work, settings, world: int):
        """Bring velocities and joint impulses up to date with the impulses in ``solution`` (see reach.py)."""
        backward(model, work, settings, work.solution, world)
        take_solution(model, memory, work, settings, world)
        clear(settings, work.solution, world)

    @func
    def settle_push(model, work, settings, world: int):
        """The same for the pseudo-velocities."""
        backward(model, work, settings, work.push_solution, world)
        add_bodies(model, work.push_solution, work.push, work.push_spin, settings, world)
        clear(settings, work.push_solution, world)

    return locals()
