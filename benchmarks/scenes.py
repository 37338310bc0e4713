"""Scenes shared by the benchmarks and the tests.

Every builder returns a plain :class:`sharnir.Scene`; the peers in ``benchmarks/peers`` are built from the same object,
so that all contenders simulate the same numbers. Rods lie along their body's x axis, the body's frame in the middle.
The torque on the crank of Andrews' mechanism is an input of the run, not part of its scene.
"""

from __future__ import annotations

import math

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.spatial import Array

from . import andrews as squeezer

ROD = 1.0  # m
THICKNESS = 0.05  # m
CHASSIS_MASS = 200.0  # kg
Y = (0.0, 1.0, 0.0)  # planar mechanisms move in the x-z plane

# The four-bar of the verification tests: lengths in m; rods of 1 kg/m
CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.2, 0.9, 1.1
CRANK_START = math.radians(60.0)

BOB_RADIUS = 0.001  # m: the pendulum's bob is a point
BOB_INERTIA = 0.4 * BOB_RADIUS**2  # kg m^2, for 1 kg

# IFToMM A05, the flyball governor; m, kg, N/m, N s/m, rad, rad/s
SHAFT_MASS, SHAFT_WIDTH = 0.3, 0.01  # the shaft and each rod: 1 m, 3000 kg/m^3
SLIDER_MASS, SLIDER_SIZE = 3.0, 0.1
BALL_MASS = 5.0
GOVERNOR_ARM = 0.05  # from the axis to the hinge of a rod
GOVERNOR_STIFFNESS, GOVERNOR_DAMPING, GOVERNOR_REST = 8e5, 4e4, 0.5
GOVERNOR_START_ANGLE, GOVERNOR_START_SPIN, GOVERNOR_START_HEIGHT = math.radians(30.0), 2 * math.pi, 0.5
GOVERNOR_PIN_INERTIA = SHAFT_MASS * (1.0 / 3.0 + SHAFT_WIDTH**2 / 12.0) + BALL_MASS
GOVERNOR_PIN_MOMENT = SHAFT_MASS / 2 + BALL_MASS  # kg m


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


def pendulum() -> sh.Scene:
    """IFToMM A01: a point mass of 1 kg on a hinge along y, 1 m away, released level from rest; period 2.367842 s."""
    scene = sh.Scene("pendulum")
    bob = scene.body("bob", sh.Sphere(BOB_RADIUS, mass=1.0), position=(1.0, 0.0, 0.0))
    scene.joint("hinge", sh.Revolute(axis=Y), scene.world, bob)
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
    """The four-bar of the verification tests, its ground points on the world; x right, z up."""
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


def andrews() -> sh.Scene:
    """Andrews' squeezing mechanism in the x-y plane: seven bodies, ten hinges along z, a spring, no gravity, from rest.

    A torque of 0.033 N m on "crank_hinge" drives it.
    """
    scene = sh.Scene("Andrews' mechanism", gravity=(0.0, 0.0, 0.0))
    bodies = []
    for i, body in enumerate(squeezer.BODIES, start=1):
        flat = (body.inertia / 2, body.inertia / 2, body.inertia)  # a plate; only the last moment matters
        center = _flat_point(body.center)
        bodies.append(scene.body(f"body{i}", mass=body.mass, inertia=flat, position=center))
    crank, coupler, rocker, left, left_base, right, right_base = bodies
    meeting = squeezer.MEETING[0]
    for name, a, b, point in (
        ("crank_hinge", scene.world, crank, squeezer.Point(squeezer.ORIGIN, ())),
        ("crank_pin", crank, coupler, squeezer.CRANK_PIN),
        ("rocker_hinge", scene.world, rocker, squeezer.Point(squeezer.B, ())),
        ("left_hinge", scene.world, left_base, squeezer.Point(squeezer.A, ())),
        ("right_hinge", scene.world, right_base, squeezer.Point(squeezer.A, ())),
        ("left_pin", left_base, left, squeezer.PIN_5),
        ("right_pin", right_base, right, squeezer.PIN_7),
        ("meeting_rocker", coupler, rocker, meeting),
        ("meeting_left", coupler, left, meeting),
        ("meeting_right", coupler, right, meeting),
    ):
        scene.joint(name, sh.Revolute(axis=(0.0, 0.0, 1.0), anchor=_flat_point(point)), a, b)
    hook = (*squeezer.C, 0.0)
    spring = sh.Spring(squeezer.SPRING, rest=squeezer.REST)
    scene.spring("spring", scene.world, rocker, hook, _flat_point(squeezer.SPRING_EYE), spring)
    return scene


def _flat_point(point: squeezer.Point) -> tuple[float, float, float]:
    x, y = squeezer.place(point, squeezer.START)
    return (float(x), float(y), 0.0)


def governor() -> sh.Scene:
    """IFToMM A05: a shaft turning at 2 pi rad/s, two rods with balls, and a slider on stiff springs between them."""
    scene = sh.Scene("flyball governor")
    spin = (0.0, 0.0, GOVERNOR_START_SPIN)
    shaft = scene.body(
        "shaft",
        sh.Box(SHAFT_WIDTH, SHAFT_WIDTH, ROD, mass=SHAFT_MASS),
        position=(0.0, 0.0, 0.5),
        angular_velocity=spin,
    )
    slider = scene.body(
        "slider",
        sh.Box(SLIDER_SIZE, SLIDER_SIZE, SLIDER_SIZE, mass=SLIDER_MASS),
        position=(0.0, 0.0, GOVERNOR_START_HEIGHT),
        angular_velocity=spin,
    )
    scene.joint("bearing", sh.Revolute(axis=(0.0, 0.0, 1.0)), scene.world, shaft)
    scene.joint("guide", sh.Prismatic(axis=(0.0, 0.0, 1.0)), shaft, slider)
    across, along = rod_inertia()
    reduced = BALL_MASS * SHAFT_MASS / (BALL_MASS + SHAFT_MASS)
    for name, side in (("right", 1.0), ("left", -1.0)):
        hinge = np.array([side * GOVERNOR_ARM, 0.0, 1.0])
        along_rod = np.array([side * math.cos(GOVERNOR_START_ANGLE), 0.0, -math.sin(GOVERNOR_START_ANGLE)])
        middle = hinge + along_rod / 2
        rod = scene.body(
            f"{name}_rod",
            sh.Box(ROD, SHAFT_WIDTH, SHAFT_WIDTH),
            position=middle,
            rotation=_along_x(along_rod),
            velocity=np.cross(spin, middle),
            angular_velocity=spin,
            mass=SHAFT_MASS + BALL_MASS,  # the ball is a point at the rod's end
            center_of_mass=(BALL_MASS / (SHAFT_MASS + BALL_MASS) / 2, 0.0, 0.0),
            inertia=(along, across + reduced / 4, across + reduced / 4),
        )
        scene.joint(f"{name}_hinge", sh.Revolute(axis=Y, anchor=_tuple(hinge)), shaft, rod)
        eye = (side * SLIDER_SIZE / 2, 0.0, GOVERNOR_START_HEIGHT)
        spring = sh.Spring(GOVERNOR_STIFFNESS, GOVERNOR_DAMPING, rest=GOVERNOR_REST)
        scene.spring(f"{name}_spring", slider, rod, eye, middle, spring)
    return scene


def rod_inertia() -> tuple[float, float]:
    """A governor's rod without its ball, kg m^2: about its centre across, and along."""
    return SHAFT_MASS * (ROD**2 + SHAFT_WIDTH**2) / 12.0, SHAFT_MASS * SHAFT_WIDTH**2 / 6.0


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


def as_mesh(field: sh.HeightField) -> sh.Mesh:
    """The same ground as triangles."""
    heights, (dx, dy) = field.sample("ground")
    rows, columns = heights.shape
    sides = [(np.arange(n) - (n - 1) / 2) * d for n, d in ((rows, dx), (columns, dy))]
    x, y = np.meshgrid(*sides, indexing="ij")
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    triangles = np.concatenate([np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))])
    return sh.Mesh(vertices=np.stack([x, y, heights], axis=-1).reshape(-1, 3), triangles=triangles)
