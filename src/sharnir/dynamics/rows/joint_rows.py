"""The rows of joints: locks, soft rows, and the bounded rows on their free axes, as a group of rows (``groups.py``)."""

from functools import cache
from types import SimpleNamespace

from ...device import load_warp
from ...model.features import Features
from ...model.fields import structs
from ...model.precision import Precision
from ..bias import make_bias
from ..coordinates import make_coordinates
from ..integrators.leapfrog import make_leapfrog
from ..pair import make_pair
from ..solvers.reach import make_reach
from ..stiffen import make_stiffen
from .bounds import make_bounds
from .joint_matrix import make_joint_matrix
from .joint_view import make_view
from .lock import make_lock
from .soft import make_soft

wp = load_warp()


@cache
def make_joints(p: Precision, features: Features) -> SimpleNamespace:
    """The functions in a precision, for a scene's features."""
    real, vec3 = p.real, p.vec3
    t = structs(p)
    pair, lock, soft, matrix = (
        make_pair(p),
        make_lock(p, features),
        make_soft(p, features),
        make_joint_matrix(p, features),
    )
    bounds, pushing = make_bounds(p, features).rows, make_bounds(p, features).pushing
    frames_of, reach_of = make_coordinates(p).frames_of, make_reach(p, features)
    led, brought_on = make_bias(p, features).led, make_leapfrog(p, features).brought_on
    stiffen_joint = make_stiffen(p, features).stiffen_joint
    Pair, View = pair.Pair, make_view(p).View
    has_bounds, pushes = bounds is not None, pushing is not None
    prepares_bounds = has_bounds and not features.reach
    holds = features.direct and (prepares_bounds or features.soft)  # inverse masses with the joint's own reaction

    # --- before the iterations --------------------------------------------------------------------------------------

    @wp.func
    def place(m: t.model, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """From the centres of mass to b's anchor, where both bodies feel a joint's impulses, m."""
        for j in range(o.joints):
            b = m.joint_b[j]
            arm = wp.quat_rotate(s.rotation[b, w], m.anchor_b[j])
            k.arm_b[j, w] = arm
            k.arm_a[j, w] = s.position[b, w] + arm - s.position[m.joint_a[j], w]
            if wp.static(features.direct):
                stiffen_joint(m, n, k, o.dt, j, w)

    @wp.func
    def has_rows(m: t.model, j: int) -> bool:
        """Whether the free axes of joint j carry anything."""
        rows = m.soft_end[j] - m.soft_start[j]
        if wp.static(has_bounds):
            rows = rows + bounds.count(m, j)
        return rows > 0

    @wp.func
    def prepare_joint(
        m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, o: t.settings, j: int, w: int
    ) -> real:
        """All rows of joint j, but those that follow from the factors; its worst error."""
        view = View()
        view.joint = j
        view.dt = o.dt
        view.frames = frames_of(m, s, j, w)
        x = pair.load(m, k, j, w)
        view.linear = lock.inverse_mass_ll(x)
        worst = lock.prepare_lock(m, n, k, view.frames, x, view.linear, j, w)
        view.angular = x.ia + x.ib
        if wp.static(holds):
            if has_rows(m, j):
                view.linear = lock.held_mass_ll(m, k, x, view.linear, j, w)
                view.angular = lock.held_mass_aa(m, k, x, j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                soft.prepare_soft(m, c, s, n, k, view, i, w)
            if wp.static(features.direct):
                lock.add_soft_rows(m, k, j, w)
        if wp.static(prepares_bounds):
            bounds.prepare(m, s, n, k, view, w)
        return worst

    @wp.func
    def prepare(m: t.model, c: t.control, s: t.state, n: t.memory, k: t.work, r: t.report, o: t.settings, w: int):
        """All joints; their worst error (m or rad) is reported."""
        worst = real(0.0)
        for j in range(o.joints):
            worst = wp.max(worst, prepare_joint(m, c, s, n, k, o, j, w))
        r.joint_error[w] = worst

    @wp.func
    def reach(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Bounded rows with the inverse masses that the factors give."""
        if wp.static(features.reach and has_bounds):
            for j in range(o.joints):
                if m.reach_linear[j] < m.reach_end[j]:
                    reach_of.reach_joint(m, k, j, w)
                    view = View()
                    view.joint = j
                    view.dt = o.dt
                    view.frames = frames_of(m, s, j, w)
                    view.linear = reach_of.inverse_mass(k, 1, j, w)
                    view.angular = reach_of.inverse_mass(k, 0, j, w)
                    bounds.prepare(m, s, n, k, view, w)

    @wp.func
    def warm(m: t.model, n: t.memory, k: t.work, o: t.settings, w: int):
        """Last step's impulses applied."""
        for j in range(o.joints):
            x = lock.warm_lock(m, n, pair.load(m, k, j, w), j, w)
            if wp.static(features.soft):
                for i in range(m.soft_start[j], m.soft_end[j]):
                    x = soft.soft_kick(m, k, x, n.soft_impulse[i, w], i, w)
            if wp.static(has_bounds):
                x = bounds.warm(m, n, k, x, j, w)
            pair.store(m, k, j, w, x)

    # --- visits -----------------------------------------------------------------------------------------------------

    @wp.func
    def react(m: t.model, n: t.memory, k: t.work, x: Pair, j: int, w: int) -> Pair:
        """The answer of joint j's own locked and soft rows to an impulse on one of its free axes."""
        x = lock.visit_lock(m, n, k, x, j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                x = lock.visit_lock(m, n, k, soft.visit_soft(m, n, k, x, i, w), j, w)
        return x

    @wp.func
    def push_joint(m: t.model, k: t.work, x: Pair, rate: real, j: int, w: int) -> Pair:
        """Pseudo-impulses of joint j's locks and of its bounded rows that are passed."""
        x = lock.push_lock(m, k, x, rate, j, w)
        if wp.static(pushes):
            for c in range(pushing.count(m, j)):
                if pushing.is_passed(m, k, c, j, w):
                    linear = pushing.linear(m, c, j)
                    x = pair.acted(x, linear, pushing.push(m, k, pair.motion(x, linear), rate, c, j, w))
        return x

    @wp.func
    def visit_joint(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, j: int, w: int) -> real:
        """One visit of joint j, every row applied at once; the square of the largest impulse."""
        x = lock.visit_lock(m, n, k, pair.load(m, k, j, w), j, w)
        if wp.static(features.soft):
            for i in range(m.soft_start[j], m.soft_end[j]):
                x = soft.visit_soft(m, n, k, x, i, w)
        if wp.static(has_bounds):
            for c in range(bounds.count(m, j)):
                linear = bounds.linear(m, c, j)
                u = led(k, pair.motion(x, linear), linear, j, w)
                x = pair.acted(x, linear, bounds.visit(m, n, k, u, o.dt, c, j, w))
        pair.store(m, k, j, w, x)
        if stabilise:
            x = push_joint(m, k, pair.load_push(m, k, x, j, w), o.erp / o.dt, j, w)
            pair.store_push(m, k, j, w, x)
        return x.change

    @wp.func
    def visit(m: t.model, n: t.memory, k: t.work, o: t.settings, stabilise: bool, w: int) -> real:
        """One visit of every joint; the square of the largest impulse."""
        change = real(0.0)
        for j in range(o.joints):
            change = wp.max(change, visit_joint(m, n, k, o, stabilise, j, w))
        return change

    # --- after the iterations ---------------------------------------------------------------------------------------

    @wp.func
    def at_the_end(n: t.memory, mean: vec3, last: vec3, w: int) -> vec3:
        """A reaction (N or N m) as it is at the end of the step, from its means over this kick and the last."""
        if wp.static(features.integrator.leads):
            if n.kick[w] > real(0.0):
                return brought_on(mean, last)
        return mean

    @wp.func
    def note_reaction(n: t.memory, k: t.work, j: int, w: int):
        """The mean reaction of joint j over the kick (N, N m), and as it is at the end of the step."""
        impulse = n.lock_impulse[j, w]
        if wp.static(features.integrator.leads):
            impulse = impulse + k.bias_impulse[j, w]
        force = impulse / k.kick[w]
        n.reaction_now[j, w] = at_the_end(n, force, n.reaction[j, w], w)
        n.reaction[j, w] = force
        if wp.static(features.angular_locks):
            impulse = n.lock_angular[j, w]
            if wp.static(features.integrator.leads):
                impulse = impulse + k.bias_angular[j, w]
            torque = impulse / k.kick[w]
            n.reaction_torque_now[j, w] = at_the_end(n, torque, n.reaction_torque[j, w], w)
            n.reaction_torque[j, w] = torque

    @wp.func
    def end(m: t.model, s: t.state, n: t.memory, k: t.work, o: t.settings, w: int):
        """Reactions, and what the rows remember of a kick that is solved."""
        for j in range(o.joints):
            note_reaction(n, k, j, w)
            if wp.static(has_bounds):
                bounds.end(m, n, k, j, w)
            if wp.static(features.actuators):
                for i in range(m.soft_start[j], m.soft_end[j]):
                    soft.end_soft(m, s, n, k, o.dt, i, w)

    @wp.func
    def scale(m: t.model, n: t.memory, o: t.settings, share: real, w: int):
        """Impulses for a kick of another length; 0 forgets them."""
        for j in range(o.joints):
            n.lock_impulse[j, w] = share * n.lock_impulse[j, w]
            if wp.static(features.angular_locks):
                n.lock_angular[j, w] = share * n.lock_angular[j, w]
            if wp.static(has_bounds):
                bounds.scale(m, n, share, j, w)
            if wp.static(features.soft):
                for i in range(m.soft_start[j], m.soft_end[j]):
                    soft.scale_soft(n, share, i, w)

    in_matrix = {name: function for name, function in vars(matrix).items() if name != "linear_rows"}
    return SimpleNamespace(
        place=place,
        prepare=prepare,
        reach=reach,
        warm=warm,
        react=react,
        react_push=lock.push_lock,
        visit=visit,
        end=end,
        scale=scale,
        **in_matrix,
    )
