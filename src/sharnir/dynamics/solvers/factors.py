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
from ..rows.groups import make_rows

wp = load_warp()

SLOW = 0.3  # share of its distance that the bias may keep when it is found again, if that is to go on
MORE_BIASES = 3  # times that the bias is found again in a step


@cache
def make_factors(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    t = structs(p)
    algebra = make_algebra(p)
    bias = make_bias(p, features)
    rows = make_rows(p, features)
    Nodes = wp.array(dtype=vec3, ndim=2)  # a vector for every node of the matrix
    # of an arm, that a bias may leave open before it is found again; limits, friction and contacts leave more by far
    FAR = wp.constant(real(1e-5 if features.bounded else 1e-6))

    @wp.func
    def assemble_body(m: t.model, k: t.work, b: int, w: int):
        """M on the diagonal: kg, and kg m^2 in world axes."""
        node = m.body_node[b]
        if node >= 0:
            k.pivot[node, w] = algebra.packed(algebra.diagonal(real(1.0) / m.inv_mass[b, w]))
            k.pivot[node + 1, w] = k.inertia[b, w]

    @wp.func
    def factor(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Assemble the matrix and replace it by its factors: L below, the inverses of D on the diagonal."""
        for i in range(o.fills):
            k.block[m.fill_block[i], w] = mat33()
        for b in range(o.bodies):
            assemble_body(m, k, b, w)
        rows.assemble(m, n, k, o, w)
        update = int(0)
        i = int(0)
        while i < o.nodes:
            inverse = wp.inverse(algebra.full(k.pivot[i, w]))
            k.pivot[i, w] = algebra.packed(inverse)
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
                k.pivot[node, w] = k.pivot[node, w] - algebra.packed(lower * wp.transpose(own))
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
            k.solution[i, w] = algebra.full(k.pivot[i, w]) * x
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
            inverse = algebra.full(k.pivot[i, w])
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
    def take_velocities(m: t.model, k: t.work, o: t.settings, w: int):
        """Add the solution to the velocities of the bodies."""
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.velocity[b, w] = k.velocity[b, w] + k.solution[node, w]
                k.spin[b, w] = k.spin[b, w] + k.solution[node + 1, w]

    @wp.func
    def take_solution(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Add the solution to velocities and impulses."""
        take_velocities(m, k, o, w)
        rows.take(m, n, k, o, w)

    @wp.func
    def take_bias(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same for what leads onto the joints."""
        take_velocities(m, k, o, w)
        if o.redundant == 0:
            rows.take(m, n, k, o, w)
        else:
            rows.take_apart(m, n, k, o, w)

    @wp.func
    def clear_push(m: t.model, k: t.work, o: t.settings, w: int):
        """The same for the pseudo-velocities."""
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.push_solution[node, w] = vec3()
                k.push_solution[node + 1, w] = vec3()

    @wp.func
    def take_push(m: t.model, k: t.work, o: t.settings, w: int):
        """Add the solution to the pseudo-velocities."""
        for b in range(o.bodies):
            node = m.body_node[b]
            if node >= 0:
                k.push[b, w] = k.push[b, w] + k.push_solution[node, w]
                k.push_spin[b, w] = k.push_spin[b, w] + k.push_solution[node + 1, w]

    @wp.func
    def solve_velocity(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Change velocities and impulses so that every row of the matrix holds."""
        clear_bodies(m, k, o, w)
        rows.lack(m, n, k, o, w)
        substitute(m, k, o, w)
        take_solution(m, n, k, o, w)

    @wp.func
    def errors_of_both(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Right-hand sides for velocities and for pseudo-velocities, which close gaps at the rate ERP/dt."""
        clear_bodies(m, k, o, w)
        clear_push(m, k, o, w)
        rows.lack(m, n, k, o, w)
        rows.lack_push(m, n, k, o, w)

    @wp.func
    def solve_both(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Velocities and pseudo-velocities together: the factors are read once for both."""
        errors_of_both(m, n, k, o, w)
        substitute_both(m, k, o, w)
        take_solution(m, n, k, o, w)
        take_push(m, k, o, w)

    @wp.func
    def solve_bias(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """What leads onto the joints, from velocities on them or from what an earlier bias led to."""
        clear_bodies(m, k, o, w)
        rows.lack(m, n, k, o, w)
        substitute(m, k, o, w)
        take_bias(m, n, k, o, w)

    @wp.func
    def solve_bias_and_push(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """The same along with the pseudo-velocities."""
        errors_of_both(m, n, k, o, w)
        substitute_both(m, k, o, w)
        take_bias(m, n, k, o, w)
        take_push(m, k, o, w)

    @wp.func
    def lead_onto_joints(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Velocities that lead onto the joints; pseudo-velocities are found along with them."""
        is_open = bias.find_bias(m, s, n, k, o, w)
        rows.lead(m, n, k, o, w)
        if o.redundant > 0:
            for b in range(1, o.bodies):
                n.led_spin[b, w] = -k.spin[b, w]
        if is_open:
            solve_bias_and_push(m, n, k, o, w)
        else:
            solve_bias(m, n, k, o, w)
        left = int(wp.static(MORE_BIASES))
        before = bias.distance(m, k, o, w)
        while left > 0 and before > FAR * FAR:
            bias.find_bias_again(m, s, n, k, o, w)
            solve_bias(m, n, k, o, w)
            left -= 1
            after = bias.distance(m, k, o, w)
            if after > wp.static(real(SLOW * SLOW)) * before:
                left = 0  # a singular pose is near: the impulses that the bias asks for are huge
            before = after
        if o.redundant > 0:
            for b in range(1, o.bodies):
                n.led_spin[b, w] = n.led_spin[b, w] + k.spin[b, w]

    @wp.func
    def lead_again(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int) -> bool:
        """The same where limits, friction or contacts have changed the motion since; whether they did."""
        if bias.distance(m, k, o, w) <= FAR * FAR:
            return False
        bias.find_bias_again(m, s, n, k, o, w)
        solve_bias(m, n, k, o, w)
        return True

    @wp.func
    def clear(o: t.settings, y: Nodes, w: int):
        """Nothing in any node."""
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
        """The same for the pseudo-velocities."""
        backward(m, k, o, k.push_solution, w)
        take_push(m, k, o, w)
        clear(o, k.push_solution, w)

    return SimpleNamespace(
        factor=factor,
        clear_bodies=clear_bodies,
        clear_push=clear_push,
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
