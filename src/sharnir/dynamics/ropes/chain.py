"""The velocity problem of a rope, solved exactly by one sweep forth and one back.

Unknown are the spins w_j of the elements and the impulses y_j that hold each element to its two nodes; v_i follow.

    v_i = a_i + W_i (y_i - y_{i-1})                                        nodes: W the inverse mass, a free velocity
    (D_j + S_{j-1} + S_j) w_j - S_{j-1} w_{j-1} - S_j w_{j+1} + T_j^T y_j = b_j          elements
    v_{j+1} - v_j + T_j w_j - g y_j = c_j,   T_j w = l_j d_j x w                         length and tangent at once

D is the inertia of an element (with geometric stiffness), S the implicit stiffness of a bend, d the unit vector along
the element; g, 1e-10 of the inverse mass, keeps a straight rope between two fixed ends regular. The third line is
[002]'s equations 6 and 18 together: with d as the direction it holds the length (its part along d) and the tangent
(the parts across). Put into the third, the first gives a block-tridiagonal system in (w_j, y_j),

    (W_j + W_{j+1} + g) y_j - W_j y_{j-1} - W_{j+1} y_{j+1} - T_j w_j = e_j,   e_j = a_{j+1} - a_j - c_j

the tridiagonal matrix of [002], equation 11, with the bending beside it. Every pivot is a sum of positive matrices.

At an eyelet or a winch the rope runs through node i with a speed s (see ``slide.py``): v_i + s d_{i-1} takes the place
of v_i in the row before it, v_i + s d_i in the row after it, and s = s_0 + c (d_i.y_i - d_{i-1}.y_{i-1}) with c the
inverse of the mass that runs. W_i then becomes W_i + c d d^T with the d of the rows it couples.

What touches element j along its length holds node j and the element together, v_j = a_j + W_j (y_j - y_{j-1}) + H_j w_j
(see ``contact_elimination.py``): T_j becomes T_j - H_j, and row j - 1 is coupled with w_j by H_j.
"""

from ..algebra import make_algebra
from ..factory import Features, Made, Precision, factory, functions, wp
from .compression import SLACK


@factory
def make_chain(p: Precision, features: Features) -> Made:
    real, vec3, mat33 = p.real, p.vec3, p.mat33
    func = functions(p)
    algebra = make_algebra(p)
    SOFTNESS = wp.constant(real(1e-10 if p.name == "float64" else 1e-6))
    LOOSE = wp.constant(real(1e18 if p.name == "float64" else 1e10))  # times that: no force along a slack element

    plain = not (features.rope_touch or features.rope_slides)  # W is a number times E

    @func
    def coupling(work, i: int, before: int, after: int, world: int) -> mat33:
        """What an impulse of element ``after`` on node i does to the row of element ``before``."""
        inverse = algebra.full(work.rope_inverse[i, world])
        if wp.static(features.rope_slides):
            inverse = inverse + work.rope_slip[i, world] * wp.outer(
                work.rope_axis[before, world], work.rope_axis[after, world]
            )
        return inverse

    @func
    def passed_back(work, i: int, x: vec3, world: int) -> vec3:
        """What an impulse x of the element after node i does to the row of the element before it."""
        if wp.static(plain):
            return work.rope_inverse[i, world][0] * x
        return coupling(work, i, i - 1, i, world) * x

    @func
    def passed_on(work, i: int, x: vec3, world: int) -> vec3:
        """What an impulse x of the element before node i does to the row of the element after it."""
        if wp.static(plain):
            return work.rope_inverse[i, world][0] * x
        return x * coupling(work, i, i - 1, i, world)

    @func
    def bends(bend: p.sym33) -> bool:
        """Whether a bend has an implicit part; in a soft rope few have, and the elimination is short there."""
        if wp.static(features.rope_touch):  # what touches an element couples it with the one before as a bend does
            return True
        return bend[0] + bend[1] + bend[2] > real(0.0)

    @func
    def factor(model, state, memory, work, inertia: wp.array2d(dtype=p.sym33), rope: int, world: int):
        """Eliminate element by element from the first node on."""
        spin = mat33()  # what the elements before leave on this element's diagonal,
        fill = mat33()  # on its coupling with its length row,
        held = mat33()  # and on that row's diagonal
        last = model.rope_end[rope] - 1
        for j in range(state.rope_first[rope, world], last):
            bend = algebra.full(work.rope_bend[j, world])
            spin = spin + algebra.full(inertia[j, world])
            pivot = wp.inverse(spin + bend)
            arm = wp.skew((state.rope_length[j, world] - state.rope_slack[j, world]) * work.rope_axis[j, world]) + fill
            if wp.static(features.rope_touch):
                arm = arm - work.rope_lever[j, world]
            soft = SOFTNESS / (model.rope_line[rope, world] * state.rope_length[j, world])
            swung = arm * pivot
            row = coupling(work, j, j, j, world) + coupling(work, j + 1, j, j, world) + held + algebra.diagonal(soft)
            if memory.rope_gives[j, world] == wp.static(SLACK):  # its ends may come together and go apart
                row = row + (LOOSE * soft) * wp.outer(work.rope_axis[j, world], work.rope_axis[j, world])
            hold = wp.inverse(row + swung * wp.transpose(arm))
            if state.rope_parted[j, world] == 1:
                hold = mat33()
            work.rope_pivot[j, world] = algebra.packed(pivot)
            work.rope_hold[j, world] = algebra.packed(hold)
            work.rope_swing[j, world] = swung
            held_cross = mat33()
            if bends(work.rope_bend[j, world]):
                relay = bend * pivot
                cross = swung * bend
                if wp.static(features.rope_touch):
                    cross = cross + work.rope_lever[j + 1, world]
                held_cross = hold * cross
                work.rope_relay[j, world] = relay
                work.rope_cross[j, world] = cross
                work.rope_held[j, world] = held_cross
                spin = relay * spin + wp.transpose(cross) * held_cross  # S - S A^-1 S without cancellation
            else:
                spin = mat33()
            if j + 1 < last:
                if wp.static(plain):
                    inverse = work.rope_inverse[j + 1, world][0]
                    fill = inverse * held_cross
                    held = -(inverse * inverse) * hold
                else:
                    onward = coupling(work, j + 1, j, j + 1, world)
                    back = wp.transpose(onward)
                    fill = back * held_cross
                    held = -(back * hold * onward)

    @func
    def solve(model, state, work, rope: int, world: int):
        """From ``rope_gap`` (e) and ``rope_twirl`` (b) to ``rope_impulse`` (y) and ``rope_turning`` (w).

        Each element waits for the one before: what can be multiplied when the factors are made is not done here.
        """
        first = state.rope_first[rope, world]
        last = model.rope_end[rope] - 1
        turn = vec3()
        gap = vec3()
        for j in range(first, last):
            freely = vec3()
            gap = gap + work.rope_gap[j, world]
            twirl = work.rope_twirl[j, world] + turn
            if wp.dot(twirl, twirl) > real(0.0):  # there is none where gaps are closed and nothing bends implicitly
                freely = algebra.full(work.rope_pivot[j, world]) * twirl
                gap = gap + work.rope_swing[j, world] * twirl
            pull = algebra.full(work.rope_hold[j, world]) * gap
            work.rope_turning[j, world] = freely
            work.rope_impulse[j, world] = pull
            turn = vec3()
            if bends(work.rope_bend[j, world]):
                turn = work.rope_relay[j, world] * twirl - pull * work.rope_cross[j, world]
            gap = passed_on(work, j + 1, pull, world)
        pull = vec3()
        turn = vec3()
        for back in range(last - first):
            j = last - 1 - back
            more = vec3()
            freely = work.rope_turning[j, world]
            if j + 1 < last:
                more = algebra.full(work.rope_hold[j, world]) * passed_back(work, j + 1, pull, world)
            if bends(work.rope_bend[j, world]):
                more = more + work.rope_held[j, world] * turn
                freely = freely + turn * work.rope_relay[j, world]
            pull = work.rope_impulse[j, world] + more
            turn = freely - pull * work.rope_swing[j, world]
            work.rope_impulse[j, world] = pull
            work.rope_turning[j, world] = turn

    @func
    def pulled(model, state, work, rope: int, i: int, world: int) -> vec3:
        """What the elements' impulses and spins add to the velocity of node i."""
        pull = vec3()
        if i < model.rope_end[rope] - 1:
            pull = work.rope_impulse[i, world]
        if i > state.rope_first[rope, world]:
            pull = pull - work.rope_impulse[i - 1, world]
        if wp.static(features.rope_touch):
            return (
                algebra.full(work.rope_inverse[i, world]) * pull
                + work.rope_lever[i, world] * work.rope_turning[i, world]
            )
        return work.rope_inverse[i, world][0] * pull

    return locals()
