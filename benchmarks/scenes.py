"""Scenes shared by the benchmarks and the tests.

Every builder returns a plain :class:`sharnir.Scene`; the peers in ``benchmarks/peers`` are built from the same object,
so that all contenders simulate the same numbers. Rods lie along their body's x axis, the body's frame in the middle.
Andrews' squeezer and the flyball governor belong here too; both need springs, which scenes do not have yet.
"""

from __future__ import annotations

import math

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.spatial import Array

ROD = 1.0  # m
THICKNESS = 0.05  # m
CHASSIS_MASS = 200.0  # kg
Y = (0.0, 1.0, 0.0)  # planar mechanisms move in the x-z plane

# PHYSICS.md section 2: lengths in m; rods of 1 kg/m
CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.2, 0.9, 1.1
CRANK_START = math.radians(60.0)


def chain(
    links: int, friction: float | None = 0.1, tip_mass: float | None = None, start_angle: float = math.pi / 4
) -> sh.Scene:
    """Rods of 1 m, 1 kg and a section of 5 x 5 cm on ball joints, hanging from the world's origin.

    All links start at rest in one straight line, ``start_angle`` (rad) from hanging towards +x. Each joint has
    ``friction`` (N m) or none. ``tip_mass`` (kg) is a ball of 0.1 m radius at the free end of the last rod.
    """
    scene = sh.Scene(f"chain of {links} links")
    along = np.array([math.sin(start_angle), 0.0, -math.cos(start_angle)])
    rotation = spatial.about(Y, math.pi / 2 - start_angle)
    previous = scene.world
    for i in range(links):
        shapes: list[sh.Box | sh.Sphere] = [sh.Box(ROD, THICKNESS, THICKNESS, mass=1.0)]
        if tip_mass is not None and i == links - 1:
            shapes.append(sh.Sphere(0.1, mass=tip_mass, position=(ROD / 2, 0.0, 0.0)))
        link = scene.body(f"link{i}", *shapes, position=(i + 0.5) * ROD * along, rotation=rotation)
        ball = sh.Spherical(anchor=_tuple(i * ROD * along))
        scene.joint(f"ball{i}", ball, previous, link, friction=None if friction is None else sh.Coulomb(friction))
        previous = link
    return scene


def double_pendulum(angles: tuple[float, float] = (math.pi / 2, math.pi / 2)) -> sh.Scene:
    """Two thin rods of 1 m and 1 kg on hinges along y; ``angles`` (rad) from hanging towards +x, at rest."""
    scene = sh.Scene("double pendulum")
    start = np.zeros(3)
    previous = scene.world
    for i, angle in enumerate(angles):
        end = start + ROD * np.array([math.sin(angle), 0.0, -math.cos(angle)])
        rod = _thin_rod(scene, f"rod{i}", start, end, mass=1.0)
        scene.joint(f"hinge{i}", sh.Revolute(axis=Y, anchor=_tuple(start)), previous, rod)
        start, previous = end, rod
    return scene


def four_bar() -> sh.Scene:
    """The four-bar of PHYSICS.md section 2, its ground points on the world; x right, z up."""
    scene = sh.Scene("four-bar")
    _add_four_bar(scene, scene.world, "", np.zeros(3))
    return scene


def four_bars(count: int) -> sh.Scene:
    """Four-bars like :func:`four_bar`, side by side on one chassis of 200 kg that is welded to the world.

    Each has three redundant rows, and each must move as if it were alone.
    """
    scene = sh.Scene(f"{count} four-bars on a chassis")
    spacing = 0.2
    chassis = scene.body(
        "chassis", sh.Box(GROUND, spacing * count, 0.2, mass=CHASSIS_MASS), position=(GROUND / 2, 0, 0)
    )
    scene.joint("weld", sh.Fixed(), scene.world, chassis)
    for i in range(count):
        place = np.array([0.0, spacing * (i - (count - 1) / 2), 0.0])
        _add_four_bar(scene, chassis, str(i), place)
    return scene


def star(arms: int) -> sh.Scene:
    """A free disc of 200 kg and 1 m radius with radial arms (1 m, 1 kg) hinged on its rim, in no gravity.

    The hinges lie along the rim's tangent; neighbouring arms start at +2 and -2 rad/s, the chassis at rest.
    """
    scene = sh.Scene(f"chassis with {arms} arms", gravity=(0.0, 0.0, 0.0))
    chassis = scene.body("chassis", sh.Cylinder(1.0, 0.2, mass=CHASSIS_MASS))
    for i in range(arms):
        azimuth = 2 * math.pi * i / arms
        radial = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
        tangent = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        spin = (2.0 if i % 2 == 0 else -2.0) * tangent
        arm = scene.body(
            f"arm{i}",
            sh.Box(ROD, THICKNESS, THICKNESS, mass=1.0),
            position=1.5 * radial,
            rotation=spatial.about((0.0, 0.0, 1.0), azimuth),
            velocity=np.cross(spin, 0.5 * radial),
            angular_velocity=spin,
        )
        scene.joint(f"hinge{i}", sh.Revolute(axis=_tuple(tangent), anchor=_tuple(radial)), chassis, arm)
    return scene


def n_four_bar(windows: int) -> sh.Scene:
    """IFToMM A02: ``windows`` square four-bars in a row, 2 n + 1 thin rods of 1 m and 1 kg, gravity along -z.

    The cranks stand upright and turn towards +x so that their upper ends move at 1 m/s. Whenever the cranks lie flat
    the mechanism has n + 1 degrees of freedom for an instant; the motion goes through as one.
    """
    scene = sh.Scene(f"{windows}-four-bar")
    cranks = []
    for i in range(windows + 1):
        foot, head = np.array([i * ROD, 0.0, 0.0]), np.array([i * ROD, 0.0, ROD])
        crank = _thin_rod(scene, f"crank{i}", foot, head, 1.0, velocity=(0.5, 0, 0), angular_velocity=Y)
        scene.joint(f"foot{i}", sh.Revolute(axis=Y, anchor=_tuple(foot)), scene.world, crank)
        cranks.append(crank)
    for i in range(windows):
        left, right = np.array([i * ROD, 0.0, ROD]), np.array([(i + 1) * ROD, 0.0, ROD])
        coupler = _thin_rod(scene, f"coupler{i}", left, right, 1.0, velocity=(1.0, 0, 0))
        scene.joint(f"left{i}", sh.Revolute(axis=Y, anchor=_tuple(left)), cranks[i], coupler)
        scene.joint(f"right{i}", sh.Revolute(axis=Y, anchor=_tuple(right)), cranks[i + 1], coupler)
    return scene


def bricard(thickness: float = 0.1) -> sh.Scene:
    """IFToMM A04, Bricard's mechanism: five rods (1 m, 1 kg, square section) and six hinges, from rest.

    The rods start along edges of a cube; the sixth edge is the ground. Gruebler counts no degree of freedom, the
    special axes leave one. The library has gravity along -y; here its axes (x, y, z) are our (x, -z, y).
    """
    scene = sh.Scene("Bricard's mechanism")
    previous = scene.world
    for i in range(5):
        start, end = BRICARD_POINTS[i], BRICARD_POINTS[i + 1]
        rod = scene.body(
            f"rod{i}",
            sh.Box(ROD, thickness, thickness, mass=1.0),
            position=(start + end) / 2,
            rotation=_along_x(end - start),
        )
        hinge = sh.Revolute(axis=_tuple(bricard_axis(i)), anchor=_tuple(start))
        scene.joint(f"hinge{i}", hinge, previous, rod)
        previous = rod
    last = sh.Revolute(axis=_tuple(bricard_axis(5)), anchor=_tuple(BRICARD_POINTS[5]))
    scene.joint("hinge5", last, previous, scene.world)
    return scene


BRICARD_POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 0, -1], [1, -1, -1], [0, -1, -1], [0, -1, 0]], float)


def bricard_axis(joint: int) -> Array:
    """The axis of hinge ``joint`` at the start: square to the two rods that meet there."""
    here, before, after = (BRICARD_POINTS[k % 6] for k in (joint, joint - 1, joint + 1))
    return np.cross(here - before, after - here)


def four_bar_angles() -> tuple[float, float, float]:
    """Crank, coupler and rocker angles (rad, from +x towards +z) at the start; the open assembly, coupler upwards."""
    joint = CRANK * np.array([math.cos(CRANK_START), math.sin(CRANK_START)])
    to_ground = np.array([GROUND, 0.0]) - joint
    distance = float(np.linalg.norm(to_ground))
    cosine = (COUPLER**2 + distance**2 - ROCKER**2) / (2 * COUPLER * distance)
    coupler = math.atan2(to_ground[1], to_ground[0]) + math.acos(cosine)
    top = joint + COUPLER * np.array([math.cos(coupler), math.sin(coupler)])
    return CRANK_START, coupler, math.atan2(top[1], top[0] - GROUND)


def _add_four_bar(scene: sh.Scene, base: sh.Body, label: str, place: Array) -> None:
    points = [place]
    for length, angle in zip((CRANK, COUPLER), four_bar_angles()[:2], strict=True):
        points.append(points[-1] + length * np.array([math.cos(angle), 0.0, math.sin(angle)]))
    points.append(place + np.array([GROUND, 0.0, 0.0]))
    names = ("crank", "coupler", "rocker")
    lengths = (CRANK, COUPLER, ROCKER)
    previous = base
    for i, (name, length) in enumerate(zip(names, lengths, strict=True)):
        rod = _thin_rod(scene, name + label, points[i], points[i + 1], mass=length)
        scene.joint(f"{name}_hinge{label}", sh.Revolute(axis=Y, anchor=_tuple(points[i])), previous, rod)
        previous = rod
    scene.joint(f"ground_hinge{label}", sh.Revolute(axis=Y, anchor=_tuple(points[3])), previous, base)


def _thin_rod(
    scene: sh.Scene,
    name: str,
    start: Array,
    end: Array,
    mass: float,
    velocity: tuple[float, float, float] = (0, 0, 0),
    angular_velocity: tuple[float, float, float] = (0, 0, 0),
) -> sh.Body:
    """A rod whose inertia across is exactly m l^2/12, as the planar formulas have it; along, that of a 5 cm section."""
    length = float(np.linalg.norm(end - start))
    across = mass * length**2 / 12.0
    return scene.body(
        name,
        sh.Box(length, THICKNESS, THICKNESS),
        position=(start + end) / 2,
        rotation=_along_x(end - start),
        velocity=velocity,
        angular_velocity=angular_velocity,
        mass=mass,
        inertia=(mass * THICKNESS**2 / 6.0, across, across),
    )


def _along_x(direction: Array) -> Array:
    """The orientation that lays a body's x axis along a direction."""
    x = direction / np.linalg.norm(direction)
    y = np.array(Y) if abs(x[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    return spatial.from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))


def _tuple(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in vector)
    return (x, y, z)
