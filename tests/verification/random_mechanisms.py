"""Random mechanisms of another make than those of ``tests/robustness``: straight from a seed, with plain numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

import sharnir as sh


def unit(random: np.random.Generator) -> np.ndarray:
    direction = random.normal(size=3)
    return direction / np.linalg.norm(direction)


def _body(scene: sh.Scene, name: str, place: np.ndarray, random: np.random.Generator, masses: Any) -> sh.Body:
    mass = 10 ** random.uniform(*masses)
    x, y, z = random.uniform(0.1, 0.6, size=3) ** 2
    turn = random.normal(size=4)
    inertia = (mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y))
    return scene.body(name, mass=mass, inertia=inertia, position=place, rotation=turn / np.linalg.norm(turn))


def _joint_type(random: np.random.Generator, anchor: np.ndarray) -> Any:
    axis, across = unit(random), unit(random)
    across = np.cross(axis, across) / np.linalg.norm(np.cross(axis, across))
    types = (
        lambda: sh.Revolute(axis=axis, anchor=anchor),
        lambda: sh.Spherical(anchor=anchor),
        lambda: sh.Universal(axis_a=axis, axis_b=across, anchor=anchor),
        lambda: sh.Cylindrical(axis=axis, anchor=anchor),
        lambda: sh.Prismatic(axis=axis),
        lambda: sh.Fixed(),
    )
    return types[int(random.choice(len(types), p=[0.35, 0.25, 0.15, 0.1, 0.1, 0.05]))]()


def _passive_parts(random: np.random.Generator, kind: Any, weight: float) -> dict[str, Any]:
    """Limits and dry friction on a coordinate; a slider always has limits, or it would leave."""
    if isinstance(kind, sh.Prismatic):
        return {"limits": (-0.3, 0.4)}
    if not isinstance(kind, sh.Revolute):
        return {}
    parts: dict[str, Any] = {}
    if random.random() < 0.3:
        parts["limits"] = (-random.uniform(0.1, 1.5), random.uniform(0.1, 1.5))
    if random.random() < 0.3:
        parts["friction"] = sh.Coulomb(weight * 10 ** random.uniform(-2, 0))
    return parts


def passive_mechanism(seed: int, masses: tuple[float, float] = (-1, 1), loop: bool = False, floating: bool = False):
    """A tree of two to six bodies, with a loop or without; the powers of ten of the least and the greatest mass."""
    random = np.random.default_rng(seed)
    scene = sh.Scene(f"mechanism {seed}", gravity=(0, 0, 0) if floating or random.random() < 0.3 else (0, 0, -9.81))
    size = random.uniform(0.3, 1.2)
    bodies: list[tuple[sh.Body, np.ndarray]] = []
    for i in range(int(random.integers(3 if loop else 2, 7))):
        at = int(random.integers(0 if floating else -1, i)) if i else -1
        base = np.zeros(3) if at < 0 else bodies[at][1]
        anchor = base + size * random.uniform(0.2, 0.6) * unit(random)
        place = anchor + size * random.uniform(0.1, 0.6) * unit(random)
        body = _body(scene, f"body{i}", place, random, masses)
        if i > 0 or not floating:
            kind = _joint_type(random, anchor)
            parent = scene.world if at < 0 else bodies[at][0]
            weight = 9.81 * body.properties.mass  # type: ignore[union-attr]
            scene.joint(f"joint{i}", kind, parent, body, **_passive_parts(random, kind, weight))
        bodies.append((body, place))
    if loop:
        (first, here), (last, there) = bodies[int(random.integers(0, len(bodies) - 1))], bodies[-1]
        scene.joint("closing", sh.Spherical(anchor=(here + there) / 2), first, last)
    return scene, {body.name: 3.0 * random.normal(size=3) for body, _ in bodies}


def started(seed: int, masses: tuple[float, float], loop: bool, **settings: Any) -> tuple[sh.Simulation, sh.Scene]:
    """A simulation of one, spun and let come to velocities that agree with the joints."""
    scene, spins = passive_mechanism(seed, masses, loop)
    sim = sh.Simulation(scene, (0.002, 0.005, 0.01)[seed % 3], threads=1, **settings)
    for body, spin in spins.items():
        sim.set(scene.bodies[body].angular_velocity, spin)
    sim.step(8)  # from here on velocities agree with the joints, and redundant ones hold nothing back of that impact
    return sim, scene


def floating_mechanism(seed: int, loop: bool) -> tuple[sh.Scene, dict[str, np.ndarray]]:
    """One that nothing holds and nothing pulls at, and spins to start it with."""
    return passive_mechanism(seed, loop=loop, floating=True)
