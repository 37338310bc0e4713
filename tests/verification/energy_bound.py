"""How much energy a passive mechanism may seem to gain, by the order of its integrator.

The leapfrog step keeps an energy that differs from the true one by the order h^2: that of a body which turns by q in a
step by about q^2/4 of its kinetic energy (the papers' step, of first order: by about q). Limits and friction only take.
So the energy may rise above that of the start by no more than the largest q^2 (or q) of a run times its largest kinetic
energy; a joint that opens or closes under load exchanges its reaction times its gap (and torque times tilt), and it may
do both. Steps in which a body turns by more than half a radian are warned of instead. Beside that:

The papers' step keeps H - (h/2) v.F instead of H (Hairer, Lubich and Wanner, "Geometric Numerical Integration", IX.3,
the first term of symplectic Euler's modified energy), with F the weight and the springs: h/2 times their power at both
ends.

Störmer's and Verlet's steps keep H + h^2 (v.V''v/12 - F.a/24) instead of H, V the potential, F the forces and a the
accelerations (same book, IX.3): F.a h^2/24 is a twelfth of the kinetic energy of a step's change of velocity, at the
instants between which the energy is compared.

Geometric stiffness (``dynamics/stiffen.py``) gives light links under load the torque -(x/2)((w' - w) + (w' - u))/h,
with x = h^2 f.r - (I + m r^2)/4 and u the rate at which the pull f has turned two steps before. It does work, of either
sign (on a link of 14 g between 7 kg and a tonne 3.6 J of 570 at 2 ms, 0.13 J at 0.5 ms): at most the sum of its size.

A spring of stiffness k whose coordinate has the rate u adds h^2 k u^2/12 to that; taken implicitly, as stiff ones are,
three times as much, at both ends.

Rounding is EPS (1 + M r^2/I) of all energies in a step and for every joint on the way (``tests/robustness/bounds.py``).
"""

from __future__ import annotations

from typing import Any

import mechanisms as mech
import numpy as np

import sharnir as sh
from sharnir.model.softs import softs_of
from sharnir.quantities.springs import spring_energy, spring_force

EPS = 16.0 * 2.0**-52  # of a handful of operations, each of which rounds


def energy_gain(run: sh.Trajectory, scene: sh.Scene, dt: float, order: int) -> tuple[float, float]:
    """By how much the energy rose above that of the start, and by how much it may have, J."""
    kinetic = mech.values(run, scene.kinetic_energy)
    energy = (kinetic + mech.values(run, scene.potential_energy) + in_springs(run, scene))[:-1]
    peak = int(energy.argmax())
    spin = max(np.abs(mech.values(run, body.angular_velocity)).max() for body in scene.bodies.values())
    allowed = min(spin * dt, 0.5) ** order * float(kinetic.max()) + 2.0 * work_of_gaps(run)
    if order == 1:
        allowed += half_step_of_gravity(run, scene, dt)
    else:
        changes = of_changes(run, scene)
        allowed += work_on_light_links(run, scene, dt) + (changes[0] + changes[peak]) / 12.0
    allowed += of_springs(run, scene, dt, order) + in_bristles(scene) + rounding(run, scene)
    return float(energy[peak] - energy[0]), allowed


def of_changes(run: sh.Trajectory, scene: sh.Scene) -> Any:
    """At most the kinetic energy of the change of all velocities in the step that begins at each frame, J."""
    total: Any = 0.0
    for body in moving(scene):
        velocity, spin = (np.diff(mech.values(run, q), axis=0) for q in (body.velocity, body.angular_velocity))
        most = np.linalg.eigvalsh(inertia_of(body))[-1]
        total = total + 0.5 * (body.properties.mass * (velocity**2).sum(axis=1) + most * (spin**2).sum(axis=1))
    return total


def rounding(run: sh.Trajectory, scene: sh.Scene) -> float:
    """What rounding leaves uncertain of the energy over a run, J."""
    bodies = moving(scene)
    mass = sum(body.properties.mass for body in bodies)
    reach = max(
        float(np.linalg.norm(frame.position))
        for joint in scene.joints.values()
        for body, frame in ((joint.a, joint.frame_a), (joint.b, joint.frame_b))
        if body is not scene.world
    )
    least = min(np.linalg.eigvalsh(inertia_of(body))[0] for body in bodies)
    potential = np.abs(mech.values(run, scene.potential_energy)).max()
    share = len(run.data["time"]) * (len(scene.joints) + 1) * EPS * (1.0 + mass * reach**2 / least)
    return float(share * (mech.values(run, scene.kinetic_energy).max() + potential))


def moving(scene: sh.Scene) -> list[Any]:
    """The bodies that have a mass."""
    return [body for body in scene.bodies.values() if body.properties is not None]


def work_of_gaps(run: Any) -> float:
    """|F| |G| + |T| |tilt| of all joints, at its largest, J."""
    force, torque = (np.linalg.norm(run.data[name], axis=-1) for name in ("reaction_force", "reaction_torque"))
    exchanged = force * run.data["gap"].values + torque * run.data["tilt"].values
    return float(exchanged.sum(axis=1).max())


def half_step_of_gravity(run: Any, scene: sh.Scene, dt: float) -> float:
    """h/2 times the power of gravity, at its largest at both ends of a run, J."""
    power = sum(
        body.properties.mass * mech.values(run, body.velocity) @ np.asarray(scene.gravity)
        for body in scene.bodies.values()
    )
    return 2.0 * 0.5 * dt * float(np.abs(power).max())


def in_springs(run: sh.Trajectory, scene: sh.Scene) -> Any:
    """Energy of all springs, J, [frame]."""
    return sum(
        spring_energy(row.spring, mech.values(run, row.joint.coordinate(row.name)))
        for row in softs_of(scene)
        if row.spring is not None
    )


def in_bristles(scene: sh.Scene) -> float:
    """The most that bristles of friction without a load can hold and give back, J: half the level squared over s."""
    laws = [law for joint in scene.joints.values() for law in joint.friction.values()]
    return sum(
        0.5 * max(law.level, getattr(law, "static", 0.0)) ** 2 / law.stiffness
        for law in laws
        if isinstance(law, (sh.LuGre, sh.Dahl)) and law.load is None
    )


def of_springs(run: sh.Trajectory, scene: sh.Scene, dt: float, order: int) -> float:
    """What springs move the kept energy away from the true one by, at its largest at both ends of a run, J."""
    total: Any = 0.0
    for row in softs_of(scene):
        if row.spring is not None:
            place = row.joint.coordinate(row.name)
            rate = mech.values(run, row.joint.rate(row.name))
            force = spring_force(row.spring, mech.values(run, place), 0.0)
            if order == 1:
                total = total + dt * np.abs(force * rate)
            else:
                xs, fs = np.array(row.spring.table or ((0.0, 0.0), (1.0, row.spring.stiffness))).T
                stiffness = np.abs(np.diff(fs) / np.diff(xs)).max()
                total = total + 0.5 * stiffness * (dt * rate) ** 2
    return float(np.max(total))


def work_on_light_links(run: Any, scene: sh.Scene, dt: float) -> float:
    """What geometric stiffness may do, |(x/2) w.((w' - w) + (w' - u))| of all joints, bodies and steps, J."""
    done = 0.0
    for j, joint in enumerate(scene.joints.values()):
        force = run.data["reaction_force"].values[:, j]
        size = np.maximum(np.linalg.norm(force, axis=1), 1e-100)[:-1, None]
        turning = np.cross(force[:-1], np.diff(force, axis=0)) / (dt * size**2)
        late = np.concatenate([turning[:2], turning[:-2]])
        along = force[:-1] / size
        for body, frame, sign in ((joint.a, joint.frame_a, -1.0), (joint.b, joint.frame_b, 1.0)):
            if body is scene.world:
                continue
            arm = turned(mech.values(run, body.rotation), np.asarray(frame.position))[:-1]
            moment = 0.5 * np.trace(inertia_of(body)) + body.properties.mass * float(frame.position @ frame.position)
            excess = np.maximum(0.0, sign * dt**2 * (force[:-1] * arm).sum(axis=1) - 0.25 * moment)
            spin = mech.values(run, body.angular_velocity)
            change, spin = np.diff(spin, axis=0), spin[:-1] - (spin[:-1] * along).sum(axis=1)[:, None] * along
            work = 0.5 * excess * (spin * (change + (spin + change - late))).sum(axis=1)
            done += float(np.abs(work).sum())
    return done


def turned(rotation: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector turned by quaternions (x, y, z, w)."""
    axis = rotation[:, :3]
    across = 2.0 * np.cross(axis, vector)
    return vector + rotation[:, 3:] * across + np.cross(axis, across)


def inertia_of(body: sh.Body) -> np.ndarray:
    inertia = np.asarray(body.properties.inertia)
    return np.diag(inertia) if inertia.ndim == 1 else inertia
