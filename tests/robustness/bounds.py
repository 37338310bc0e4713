"""What one semi-implicit step may do at most: to the energy of a scene, and to its joints.

Every bound is derived, and holds for any dt, masses and stiffnesses. Parts of it are not of the step itself:

* **Rounding.** The matrix is factored in blocks of three: of a body's six, turning comes after sliding, so what a heavy
  neighbour M at an arm r adds to the inertia, M r^2, is added and taken away again before I is left. This loses
  M r^2/I of the 1/EPS that a number holds; :func:`lost` is what is left uncertain, as a share.
* **Iterations.** Limits and friction are visited one by one. A row obeys its law when it is visited; later visits of
  the last iteration, none of which changes an impulse by more than the reported residual d, move it by
  |W_ij| d <= sqrt(W_ii W_jj) d. The sliding direction of friction lags by its own change, W_ii d once more. Contacts
  are visited likewise; of each the last change is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from watching import Watched, kinetic_of

import sharnir as sh
from sharnir.dynamics.pipeline import MOST_PUSHED
from sharnir.model.compile import BRISTLE
from sharnir.model.softs import softs_of
from sharnir.scene.joints import Basis
from sharnir.spatial import Pose, conjugate, rotate

EPS = 16.0 * 2.0**-52  # of a handful of operations, each of which rounds: a product of two blocks of three has five
ERP = 0.2  # the default of a simulation
SOLVED = 1e-12  # share to which the scalar equation of bristles is solved


@dataclass
class Row:
    """An impulse of a joint: its size (N s or N m s), [step], and an upper bound of its inverse mass, [step]."""

    impulse: Any
    ease: Any
    settles: bool  # whether iterations look for it (a limit, friction)


def arms(seen: Watched, joint: sh.Joint) -> tuple[Any, Any]:
    """From the centres of mass of a and b to b's anchor, where both feel the joint, m, [step, 3]."""
    names = ["world", *seen.scene.bodies]
    anchor = seen.frames(joint)[1].position
    return tuple(anchor - seen.position[:, names.index(body.name)] for body in (joint.a, joint.b))


def eases(seen: Watched, joint: sh.Joint) -> tuple[Any, Any]:
    """At least the inverse mass of a joint's slip (1/kg) and of its relative spin (1/(kg m^2)), alone, [step]."""
    slip, spin = np.zeros(len(seen.position)), np.zeros(len(seen.position))
    for body, arm in zip((joint.a, joint.b), arms(seen, joint), strict=True):
        inverse_mass, turning = ease_of(body)
        spin += turning
        slip += inverse_mass + turning * np.sum(arm * arm, axis=-1)
    return slip, spin


@lru_cache(maxsize=1)  # three bounds of one run ask for it
def rows_of(seen: Watched) -> list[Row]:
    """The impulses of all rows."""
    joints, model = list(seen.scene.joints.values()), seen.sim.model
    ease = [eases(seen, joint) for joint in joints]
    rows = []
    for name, values in seen.impulses.items():
        what = name.split("_")[0]
        for i in range(values.shape[1]):
            if what == "lock":
                joint, linear = i, name == "lock_impulse"
            else:
                kind = {"low": "limit", "high": "limit"}.get(what, what)
                joint = getattr(model, f"{kind}_joint").numpy()[i]
                linear = getattr(model, f"{kind}_linear").numpy()[i] == 1
            size = np.linalg.norm(values[:, i].reshape(len(values), -1), axis=-1)
            rows.append(Row(size, ease[joint][0 if linear else 1], what in ("low", "high", "friction")))
    return rows


@dataclass
class Touches:
    """The contacts of each step, [step]: how many, and sums over them.

    Of |p| sqrt(W), of p^2 W, of |last dp| sqrt(W), and of |p*| sqrt(W) with p* the pseudo-impulse.
    """

    count: Any
    held: Any
    energy: Any
    nudged: Any
    pushed: Any


@lru_cache(maxsize=1)  # three bounds of one run ask for it
def touches_of(seen: Watched) -> Touches:
    """What the contacts did, with W at least the inverse mass of a point where two bodies touch."""
    inverse_mass, turning = np.array([(0.0, 0.0)] + [ease_of(body) for body in seen.scene.bodies.values()]).T
    sums = Touches(*np.zeros((5, len(seen.position))))
    for i, touch in enumerate(seen.touches):
        ease = np.zeros(len(touch["contact_force"]))
        for side in "ab":
            body, arm = touch[f"contact_body_{side}"], touch[f"contact_arm_{side}"]
            ease += inverse_mass[body] + turning[body] * np.sum(arm * arm, axis=-1)
        impulse = seen.dt * np.linalg.norm(touch["contact_force"], axis=-1)
        sums.count[i] = len(ease)
        sums.held[i] = impulse @ np.sqrt(ease)
        sums.energy[i] = impulse**2 @ ease
        sums.nudged[i] = np.linalg.norm(touch["contact_step"], axis=-1) @ np.sqrt(ease)
        sums.pushed[i] = np.abs(touch["contact_push"]) @ np.sqrt(ease)
    return sums


def ease_of(body: sh.Body) -> tuple[float, float]:
    """The inverses of a body's mass (1/kg) and of its least moment of inertia (1/(kg m^2)); 0 if it does not move."""
    if body.properties is None:
        return 0.0, 0.0
    return 1.0 / body.properties.mass, 1.0 / float(np.linalg.eigvalsh(body.properties.inertia)[0])


def lost(seen: Watched) -> float:
    """The share of a number that rounding leaves uncertain: EPS (1 + M r^2/I), once for every joint on the way."""
    moving = [body.properties for body in seen.scene.bodies.values() if body.properties is not None]
    reach = max(np.linalg.norm(arm, axis=-1).max() for j in seen.scene.joints.values() for arm in moving_arms(seen, j))
    least = min(np.linalg.eigvalsh(properties.inertia)[0] for properties in moving)
    return float(len(seen.scene.joints) * EPS * (1.0 + total_mass(seen) * reach**2 / least))


def unseen(seen: Watched) -> float:
    """The speed, m/s or rad/s, that does not move a body in a step: less than places are rounded by."""
    return float(EPS * np.abs(seen.position).max() / seen.dt)


def total_mass(seen: Watched) -> float:
    """Of all bodies, kg."""
    return sum(body.properties.mass for body in seen.scene.bodies.values() if body.properties is not None)


def moving_arms(seen: Watched, joint: sh.Joint) -> list[Any]:
    """The arms of a joint on bodies that can move."""
    both = zip((joint.a, joint.b), arms(seen, joint), strict=True)
    return [arm for body, arm in both if body.properties is not None]


# --- energy -----------------------------------------------------------------------------------------------------------


def work_of_solver(seen: Watched) -> tuple[Any, Any]:
    """What all impulses of each step together gave to the scene, J, [step], and what they may give.

    The velocity problem of a step is M (v' - v) = h f + J^T p at frozen poses, with the new velocities v' in every law:

        T(v') - T(v) = v'.M (v' - v) - |v' - v|^2/2        in the inertia at the start of the step
                     = h f.v' + p.(J v') - |v' - v|^2/2

    Locked rows have J v' = 0; limits and contacts p >= 0, p (J v' + chi/h) = 0; friction p.(J v') <= 0; a spring, which
    is implicit, gives at most what its straight line from x to x + h u' loses. So, with no source,

        T(v') - T(v) + h grad V.v' + sum (f(x) h u' + k (h u')^2/2) <= 0

    where T is also that of the rotor of a motor without voltage, p = -I r^2 (u' - u) - c u'. A joint that closes a loop
    is elastic, J v' = -Gamma (p - p0) with p0 the last step's impulse, and stores Gamma p^2/2. What it gives back in a
    step is in store beforehand, so that over any number of steps it gives nothing:

        p.(J v') = -Gamma p.(p - p0) <= Gamma p0^2/2 - Gamma p^2/2

    and so do bristles, which store s z^2/2: with p = -h s z' and z' = z + h u' - h a z', a >= 0,

        p.u' = -s z'.(z' - z + h a z') <= s z^2/2 - s z'^2/2

    To rounding, of the energies that are moved about in the step, also those of last step's impulses (applied first
    and then corrected, p^2 W/2 each, and their sum over n rows at most n times as much), and to the iterations.
    """
    change, moved = energies(seen)
    noise = total_mass(seen) * unseen(seen) ** 2
    settling, touches = [row for row in rows_of(seen) if row.settles], touches_of(seen)
    held = touches.held[1:] + sum(row.impulse[1:] * np.sqrt(row.ease[:-1]) for row in settling)
    nudged = touches.nudged[1:] + seen.residual[1:, 0] * sum(np.sqrt(row.ease[:-1]) for row in settling)
    unsolved = SOLVED * held * (2.0 * held + np.sqrt(2.0 * moved))  # p (w p + |u|) of the scalar equations
    gained = change - released(seen) - relaxed(seen)
    return gained, lost(seen) * moved + blurred(seen) + 2.0 * held * nudged + unsolved + noise


@lru_cache(maxsize=1)  # three bounds of one run ask for it
def energies(seen: Watched) -> tuple[Any, Any]:
    """The left-hand side of the inequality, J, [step], and all that is moved about in the step."""
    h = seen.dt
    change, moved = np.zeros(len(seen.position) - 1), np.zeros(len(seen.position) - 1)
    for i, body in enumerate(seen.scene.bodies.values(), start=1):
        if body.properties is not None:
            turn = seen.rotation[:-1, i]
            before = kinetic_of(body.properties, turn, seen.velocity[:-1, i], seen.spin[:-1, i])
            after = kinetic_of(body.properties, turn, seen.velocity[1:, i], seen.spin[1:, i])
            fall = -h * body.properties.mass * seen.velocity[1:, i] @ np.array(seen.scene.gravity)
            change += after - before + fall
            moved += after + before + np.abs(fall)
    for row in softs_of(seen.scene):
        if row.spring is not None:
            gained = spring_line_energy(seen, row)
            change += gained
            moved += np.abs(gained)
        if row.motor is not None:
            inertia = row.motor.stall_torque * row.motor.time_constant / row.motor.idle_speed * row.motor.ratio**2
            before, after = 0.5 * inertia * seen.rate(row, 0) ** 2, 0.5 * inertia * seen.rate(row, 1) ** 2
            change += after - before
            moved += after + before
    rows, touches = rows_of(seen), touches_of(seen)
    energy = 0.5 * (len(rows) + touches.count) * (touches.energy + sum(row.ease * row.impulse**2 for row in rows))
    return change, moved + energy[1:] + energy[:-1] + bent(seen)[1:] + bent(seen)[:-1]


def blurred(seen: Watched) -> Any:
    """What springs and limits give because their coordinate x is known to rounding only, J, [step].

    The places of bodies are rounded, so x is to d = EPS of the scene's size: k d h u' of a spring, p d/h of a limit.
    """
    h, far = seen.dt, np.abs(seen.position).max()
    total = np.zeros(len(seen.position) - 1)
    for row in softs_of(seen.scene):
        if row.spring is not None:
            xs, fs = np.array(row.spring.table or ((0.0, 0.0), (1.0, row.spring.stiffness))).T
            stiffness = np.abs(np.diff(fs) / np.diff(xs)).max()
            total += stiffness * h * np.abs(seen.rate(row, 1)) * (far if row.linear else 1.0)
    for name in ("low_impulse", "high_impulse"):
        total += seen.impulses[name][1:] @ np.where(seen.sim.model.limit_linear.numpy() == 1, far, 1.0) / h
    return EPS * total


def released(seen: Watched) -> Any:
    """What the joints that close loops give back of what they have stored, J, [step]."""
    total = np.zeros(len(seen.position) - 1)
    for impulse, softness in (("lock_impulse", "softness_l"), ("lock_angular", "softness_a")):
        values, gamma = seen.impulses[impulse], getattr(seen.sim.work, softness).numpy()[:, 0]
        stored = 0.5 * np.einsum("tji,j->t", values**2, gamma[: values.shape[1]])
        total += stored[:-1] - stored[1:]
    return total


def bent(seen: Watched) -> Any:
    """The energy in bristles, J, [step]."""
    model = seen.sim.model
    stiffness = np.where(model.friction_law.numpy() == BRISTLE, model.friction_stiffness.numpy()[:, 0], 0.0)
    return 0.5 * np.einsum("tij,i->t", seen.bristle**2, stiffness)


def relaxed(seen: Watched) -> Any:
    """What bristles give back of what they have stored, J, [step]."""
    return bent(seen)[:-1] - bent(seen)[1:]


def spring_line_energy(seen: Watched, row: Any) -> Any:
    """What a spring gains along its straight line over each step, J; nothing where it does not act."""
    h, spring = seen.dt, row.spring
    x = (seen.coordinate(row) - (spring.rest or 0.0))[:-1]
    before, after = seen.rate(row, 0), seen.rate(row, 1)
    force, slope = spring.stiffness * x, np.full_like(x, spring.stiffness)
    if spring.table is not None:
        xs, fs = np.array(spring.table).T
        slopes = np.diff(fs) / np.diff(xs)
        at = np.clip(np.searchsorted(xs, x) - 1, 0, len(slopes) - 1)
        force, slope = fs[at] + slopes[at] * (x - xs[at]), slopes[at]
    gained = (force - spring.preload) * h * after + 0.5 * slope * (h * after) ** 2
    blur = EPS * (np.abs(seen.position).max() if row.linear else 1.0)
    acts = [_acts(spring.side, x + nudge, x + nudge + h * before) for nudge in (-blur, blur)]
    # at its very edge a spring may be taken to act or not, as rounding wants it
    return np.where(acts[0] & acts[1], gained, np.where(acts[0] | acts[1], np.minimum(gained, 0.0), 0.0))


def _acts(side: str, x: Any, ahead: Any) -> Any:
    """Whether a one-sided spring is, or is about to be, on its side."""
    return {"both": x == x, "push": np.minimum(x, ahead) < 0.0, "pull": np.maximum(x, ahead) > 0.0}[side]


# --- joints -----------------------------------------------------------------------------------------------------------


def slip_excess(seen: Watched) -> dict[str, float]:
    """By how much each joint slips faster than it may, m/s or rad/s; negative if it holds.

        |J v'| <= Gamma |p - p0| + rounding

    at the poses of the step's start: nothing for a joint of a tree, and what its elasticity gives for one that closes a
    loop. A velocity that is right to ``lost`` in the norm of the energy E, |dV|^2 = 2 E lost^2, slips by
    |J dV| <= sqrt(W) |dV| at most; and the slip is a difference of speeds, known to their rounding.
    """
    energy, work, share = energies(seen)[1], seen.sim.work, lost(seen)
    speeds = np.linalg.norm(np.concatenate([seen.velocity[1:], seen.spin[1:]], axis=1), axis=-1)
    fastest = speeds.max(axis=-1)
    excess = {}
    for j, (name, joint) in enumerate(seen.scene.joints.items()):
        for slip, ease, impulse, softness in zip(
            locked_slip(seen, joint),
            eases(seen, joint),
            ("lock_impulse", "lock_angular"),
            (work.softness_l, work.softness_a),
            strict=True,
        ):
            change = np.linalg.norm(np.diff(seen.impulses[impulse][:, j], axis=0), axis=-1)
            yields = softness.numpy()[j, 0] * change
            rounding = share * np.sqrt(2.0 * energy * ease[:-1]) + EPS * fastest + unseen(seen)
            excess[name] = max(excess.get(name, -np.inf), float(np.max(slip - yields - rounding)))
    return excess


def locked_slip(seen: Watched, joint: sh.Joint) -> tuple[Any, Any]:
    """The rates of a joint's locked axes after each step, at the poses of its start, m/s and rad/s, [step]."""
    names = ["world", *seen.scene.bodies]
    moving = []
    for body, arm in zip((joint.a, joint.b), arms(seen, joint), strict=True):
        i = names.index(body.name)
        moving.append((seen.velocity[1:, i] + np.cross(seen.spin[1:, i], arm[:-1]), seen.spin[1:, i]))
    slip, spin = moving[1][0] - moving[0][0], moving[1][1] - moving[0][1]
    frame_a, frame_b = (Pose(frame.position[:-1], frame.rotation[:-1]) for frame in seen.frames(joint))
    lengths = np.where(joint.type.locked_translations, rotate(conjugate(frame_a.rotation), slip), 0.0)
    if joint.type.basis == Basis.RADIAL:
        along = frame_b.position - frame_a.position
        along = along / np.linalg.norm(along, axis=-1, keepdims=True)
        lengths = np.sum(slip * along, axis=-1, keepdims=True) * joint.type.locked_translations[2]
    turns = np.where(joint.type.locked_rotations, rotate(conjugate(frame_a.rotation), spin), 0.0)
    if joint.type.basis == Basis.CARDAN:
        across = np.cross(rotate(frame_a.rotation, np.eye(3)[0]), rotate(frame_b.rotation, np.eye(3)[1]))
        turns = np.sum(spin * across, axis=-1, keepdims=True) / np.linalg.norm(across, axis=-1, keepdims=True)
    return np.linalg.norm(lengths, axis=-1), np.linalg.norm(turns, axis=-1)


def joint_excess(seen: Watched) -> dict[str, float]:
    """By how much each joint that closes no loop is further open than a step explains, m or rad; negative if it holds.

        G' <= (1 - ERP) G + drift + rounding        of a tilt also + G^3, as its rows are linear in the angle

    What was open closes by ERP, less where pseudo-velocities are shrunk because they would turn a body too far, and a
    step opens by its second order (:func:`joint_drift`). A velocity that is right to ``lost`` in the norm of the energy
    E, |dV|^2 = 2 E lost^2, slips by |J dV| <= sqrt(W) |dV| at most; the pseudo-velocities, of ERP G/h at the joints,
    have an energy of (ERP G/h)^2 M/2 at most with M all masses; those of limits and contacts that are passed come with
    impulses of their own, large ones where nothing gives way.
    """
    share, far, pushed = lost(seen), np.abs(seen.position).max(), pushes(seen)[1:]
    energy = energies(seen)[1]
    errors = {name: seen.joint_error(joint) for name, joint in seen.scene.joints.items()}
    turned = seen.dt * np.linalg.norm(seen.push_spin[1:], axis=-1).max(axis=-1)
    closes = np.where(turned < 0.999 * MOST_PUSHED, ERP, 0.0)
    all_open = sum(gap + tilt for gap, tilt in errors.values())[:-1]
    excess = {}
    for j, (name, joint) in enumerate(seen.scene.joints.items()):
        if seen.sim.model.closes_loop.numpy()[j] == 1:
            continue
        for error, drift, ease, size, curved in zip(
            errors[name], joint_drift(seen, joint), eases(seen, joint), (far, 1.0), (0.0, 1.0), strict=True
        ):
            slip = seen.dt * np.sqrt(2.0 * energy * ease[:-1]) + np.sqrt(total_mass(seen) * ease[:-1]) * all_open
            slip += seen.dt * np.sqrt(ease[:-1]) * pushed
            explained = (1.0 - closes) * error[:-1] + curved * error[:-1] ** 3 + drift + share * slip + EPS * size
            excess[name] = max(excess.get(name, -np.inf), float(np.max(error[1:] - explained)))
    return excess


def pushes(seen: Watched) -> Any:
    """The sum of |p*| sqrt(W) over all limits and contacts, [step]."""
    model, joints = seen.sim.model, list(seen.scene.joints.values())
    total = touches_of(seen).pushed.copy()
    for i in range(seen.low_push.shape[1]):
        ease = eases(seen, joints[model.limit_joint.numpy()[i]])[1 - model.limit_linear.numpy()[i]]
        total += (np.abs(seen.low_push[:, i]) + np.abs(seen.high_push[:, i])) * np.sqrt(ease)
    return total


def joint_drift(seen: Watched, joint: sh.Joint) -> tuple[Any, Any]:
    """The most that a semi-implicit step can open a joint by, m and rad, [step].

    Over a step the new velocities keep the joint's rates at zero in directions that are frozen at its start. What is
    left is of second order: a point at an arm r that turns by t leaves its tangent by at most r t^2/2; directions that
    body a carries turn by t_a while the other point slides by s along them; a rod of length l across which its end
    moves by s grows by at most s^2/(2 l).
    """
    names = ["world", *seen.scene.bodies]
    turns = seen.dt * np.linalg.norm(seen.spin + seen.push_spin, axis=-1)[1:]
    turn_a, turn_b = (turns[:, names.index(body.name)] for body in (joint.a, joint.b))
    arm_a, arm_b = (np.linalg.norm(arm, axis=-1)[:-1] for arm in arms(seen, joint))
    frame_a, frame_b = seen.frames(joint)
    between = frame_b.position - frame_a.position
    offset = np.linalg.norm(between, axis=-1)[:-1]
    slid = np.linalg.norm(np.diff(between, axis=0), axis=-1) + turn_a * offset
    across = slid**2 / (2.0 * offset) if joint.length > 0.0 else 0.0
    gap = 0.5 * turn_a**2 * arm_a + 0.5 * turn_b**2 * arm_b + turn_a * slid + across
    return gap, (turn_a + turn_b) ** 2
