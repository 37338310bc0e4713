"""Suspensions ([003]): closed-form kinematics, an independent Lagrangian, the quarter car, limits of the travel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mechanisms as mech
import numpy as np
import pytest
from scipy.linalg import logm
from scipy.optimize import brentq

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.kinematics import Kinematics
from sharnir.assemblies.suspensions import SUSPENSIONS, Corner, Suspension

G = 9.81
TEN = math.radians(10.0)
WHEEL = sh.RoadWheel(0.15, 0.10, mass=3.0)
LOOPS = ("double_wishbone", "double_trailing_arm", "macpherson")

# --- closed forms: y outward, z up, the lower pivot at the origin; centre of the wheel and turn of the hub ------------


def swing_axle(q: float) -> tuple[np.ndarray, float]:
    """l = 0.35: the wheel stays square to the half-axle."""
    return 0.35 * np.array([math.cos(q), math.sin(q)]), q


def wishbone_joints(q: float) -> tuple[np.ndarray, np.ndarray]:
    """a_l 0.30, a_u 0.22, upper pivot (0.04, 0.20): the upper ball lies on two circles, about its pivot and the lower
    ball (radius 0.2039608)."""
    ball, pivot = 0.30 * np.array([math.cos(q), math.sin(q)]), np.array([0.04, 0.20])
    between = ball - pivot
    apart = float(np.hypot(*between))
    along = (0.22**2 - 0.04**2 - 0.20**2 + apart**2) / (2 * apart)
    unit = between / apart
    return ball, pivot + along * unit + math.sqrt(0.22**2 - along**2) * np.array([-unit[1], unit[0]])


def double_wishbone(q: float) -> tuple[np.ndarray, float]:
    ball, upper = wishbone_joints(q)
    turn = math.atan2(*(upper - ball)[::-1]) - math.atan2(0.20, -0.04)
    c, s = math.cos(turn), math.sin(turn)
    return ball + np.array([[c, -s], [s, c]]) @ [0.05, 0.10], turn


def macpherson(q: float) -> tuple[np.ndarray, float]:
    """a 0.30, strut top (0.24, 0.55), offset (0.06, 0.08): the hub turns with the line from the ball to the top."""
    ball, top = 0.30 * np.array([math.cos(q), math.sin(q)]), np.array([0.24, 0.55])
    turn = math.atan2(*(top - ball)[::-1]) - math.atan2(0.55, -0.06)
    c, s = math.cos(turn), math.sin(turn)
    return ball + np.array([[c, -s], [s, c]]) @ [0.06, 0.08], turn


def trailing(q: float) -> tuple[np.ndarray, float]:
    """l = 0.30 along the vehicle: the wheel's centre on a circle; of equal double arms, the same."""
    return 0.30 * np.array([math.cos(q), math.sin(q)]), 0.0


def pillar(q: float) -> tuple[np.ndarray, float]:
    return np.array([0.0, q]), 0.0


CLOSED: dict[str, Callable[[float], tuple[np.ndarray, float]]] = {
    "swing_axle": swing_axle,
    "trailing_arm": trailing,
    "double_wishbone": double_wishbone,
    "double_trailing_arm": trailing,
    "sliding_pillar": pillar,
    "macpherson": macpherson,
}
VARIANTS = [(name, {}) for name in SUSPENSIONS] + [(name, {"joints": "balls"}) for name in LOOPS]


def made(name: str, **settings: Any) -> Suspension:
    return SUSPENSIONS[name](**settings)


def expected(name: str, q: float) -> tuple[np.ndarray, float]:
    """Where the wheel's centre goes from its neutral place (x forward, y outward, z) and its camber."""
    start, moved = CLOSED[name](0.0)[0], CLOSED[name](q)
    outward, up = moved[0] - start
    if "trailing" in name:
        return np.array([-outward, 0.0, up]), 0.0  # the arm lies ahead of the wheel
    return np.array([0.0, outward, up]), -moved[1]


def test_closed_forms_are_those_of_the_tables() -> None:
    """At 10 degrees: centres and turns as published for these dimensions."""
    for name, centre, turn in (
        ("swing_axle", (0.344683, 0.060777), 10.0),
        ("double_wishbone", (0.344631, 0.152496), 0.464132),
        ("macpherson", (0.355264, 0.132228), 0.127944),
    ):
        found, turned = CLOSED[name](TEN)
        np.testing.assert_allclose(found, centre, atol=1e-6)
        assert math.degrees(turned) == pytest.approx(turn, abs=1e-6)


@pytest.mark.parametrize(("name", "settings"), VARIANTS, ids=str)
def test_kinematics_of_the_template(name: str, settings: dict[str, Any]) -> None:
    """Centre and camber over the travel, to what Newton's method leaves; both sets of joints."""
    motion = Kinematics(made(name, **settings), WHEEL)
    for q in (-TEN, 0.5 * TEN, TEN) if name != "sliding_pillar" else (-0.05, 0.05):
        posture = motion.at(q)
        centre, camber = expected(name, q)
        np.testing.assert_allclose(posture.center, centre, atol=1e-9)
        assert posture.camber == pytest.approx(camber, abs=1e-9)
        assert posture.toe == pytest.approx(0.0, abs=1e-9)


def test_half_track_of_a_swing_axle() -> None:
    """The lowest point of a thin wheel moves out by l (cos q - 1) + R sin q = 0.020730 m at 10 degrees; that of a wheel
    with edges rounded by r by r sin q less."""
    thin, round_edges = (sh.RoadWheel(0.15, 0.10, mass=3.0, rounding=edge) for edge in (1e-9, 0.05))
    assert Kinematics(sh.SwingAxle(), thin).at(TEN).contact[1] == pytest.approx(0.020730, abs=1e-6)
    less = 0.020730 - 0.05 * math.sin(TEN)
    assert Kinematics(sh.SwingAxle(), round_edges).at(TEN).contact[1] == pytest.approx(less, abs=1e-6)


def test_strut_of_a_macpherson() -> None:
    """The strut from the ball to its top is 0.500983 m long at 10 degrees."""
    motion = Kinematics(sh.MacPherson(spring_foot=(0.0, -0.06, -0.08)), WHEEL)
    assert motion.at(TEN).spring == pytest.approx(0.500983, abs=1e-6)


def test_ends_of_the_travel() -> None:
    """The limits of the guiding joint are where the wheel's centre is at z_min and z_max."""
    for name in SUSPENSIONS:
        motion = Kinematics(made(name, travel=(-0.07, 0.05)), WHEEL)
        for guide, z in zip(motion.limits, (-0.07, 0.05), strict=True):
            assert motion.at(guide).center[2] == pytest.approx(z, abs=1e-9)


def test_pressed_against_the_stop_both_sides() -> None:
    """Every type and set of joints, left and right, in the engine: pushed to the upper end of a travel that is the rise
    at 10 degrees, the wheel stands where the closed form says (0.2 mm, 0.02 degrees), mirrored on the right."""
    scene = sh.Scene("stops", gravity=mech.FREE)
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True, rotation=spatial.about((0, 0, 1), 0.4))
    corners: dict[str, tuple[str, Corner, float]] = {}
    for i, (name, settings) in enumerate(VARIANTS):
        rise = float(expected(name, TEN if name != "sliding_pillar" else 0.05)[0][2])
        suspension = made(name, **settings, spring=sh.Coil(1.0), travel=(-0.03, rise))
        for side, sign in (("left", 1.0), ("right", -1.0)):
            label = f"{name}{i}_{side}"
            corner = suspension.attach(scene, chassis, label, (2.0 * i, sign, 0.0), side, WHEEL)
            corners[label] = (name, corner, sign)
    efforts = {corner.guide.effort(): 5.0 if name != "sliding_pillar" else 50.0 for name, corner, _ in corners.values()}
    torque = {effort: value for effort, value in efforts.items() if effort.unit == "N m"}
    force = {effort: value for effort, value in efforts.items() if effort.unit == "N"}
    run = sh.Simulation(scene, dt=0.005).run(1.5, torque=torque, force=force, every=10)
    for name, corner, sign in corners.values():
        centre, camber = expected(name, TEN if name != "sliding_pillar" else 0.05)
        moved = mech.values(run, corner.wheel.position)[-1] - corner.wheel.spec.position
        moved = spatial.rotate(spatial.conjugate(chassis.spec.rotation), moved)
        np.testing.assert_allclose(moved, centre * [1, sign, 1], atol=2e-4)
        axis = spatial.rotate(mech.values(run, corner.hub.rotation)[-1], (0.0, 1.0, 0.0))
        assert math.degrees(-sign * math.asin(axis[2]) - camber) == pytest.approx(0.0, abs=0.02)


# --- statics and small oscillations against a Lagrangian in one coordinate --------------------------------------------


def moving_parts(name: str, q: float) -> dict[str, tuple[np.ndarray, float]]:
    """Places and turns of the points that the bodies hang on, by body: planar, from the closed forms alone."""
    if name == "swing_axle":
        return {"arm": (np.zeros(2), q), "wheel": swing_axle(q)}
    ball, upper = wishbone_joints(q)
    pivot = np.array([0.04, 0.20])
    centre, turn = double_wishbone(q)
    swung = math.atan2(*(upper - pivot)[::-1]) - 0.0
    return {
        "lower_arm": (np.zeros(2), q),
        "upper_arm": (pivot, swung),
        "upright": (ball, turn),
        "wheel": (centre, turn),
    }


class Lagrangian:
    """T = M(q) q'^2/2 and V(q) of one wheel on a chassis that stands still, derivatives by central differences."""

    def __init__(
        self, name: str, label: str, corner: Corner, scene: sh.Scene, spring: Callable[[float], float]
    ) -> None:
        self.name, self.spring = name, spring
        self.bodies = {part: scene.bodies[f"{label}_{part}"] for part in moving_parts(name, 0.0)}
        start = moving_parts(name, 0.0)
        origin = np.array(corner.wheel.spec.position)[1:] - CLOSED[name](0.0)[0]
        self.arms = {}
        for part, body in self.bodies.items():
            place = np.array(body.pose.point(body.properties.center))[1:] - origin
            c, s = math.cos(start[part][1]), math.sin(start[part][1])
            self.arms[part] = np.array([[c, s], [-s, c]]) @ (place - start[part][0])

    def centre(self, part: str, q: float) -> np.ndarray:
        place, turn = moving_parts(self.name, q)[part]
        c, s = math.cos(turn), math.sin(turn)
        return place + np.array([[c, -s], [s, c]]) @ self.arms[part]

    def inertia(self, q: float, h: float = 1e-5) -> float:
        """M = sum m |dr/dq|^2 + I_x (dturn/dq)^2."""
        total = 0.0
        for part, body in self.bodies.items():
            moved = (self.centre(part, q + h) - self.centre(part, q - h)) / (2 * h)
            turned = (moving_parts(self.name, q + h)[part][1] - moving_parts(self.name, q - h)[part][1]) / (2 * h)
            total += body.properties.mass * float(moved @ moved) + body.properties.inertia[0, 0] * turned**2
        return total

    def potential(self, q: float) -> float:
        weights = (body.properties.mass * G * self.centre(part, q)[1] for part, body in self.bodies.items())
        return float(sum(weights)) + self.spring(q)

    def rest(self) -> float:
        """dV/dq = 0."""
        return float(brentq(lambda q: self.potential(q + 1e-6) - self.potential(q - 1e-6), -0.5, 0.5, xtol=1e-12))

    def frequency(self) -> float:
        """w^2 = V''/M at rest."""
        q, h = self.rest(), 1e-4
        curvature = (self.potential(q + h) - 2 * self.potential(q) + self.potential(q - h)) / h**2
        return math.sqrt(curvature / self.inertia(q))


def coil_energy(name: str, stiffness: float) -> Callable[[float], float]:
    """k (s - s0)^2/2 with the coil between its two points."""
    suspension = made(name)
    neutral = CLOSED[name](0.0)[0]
    top = np.array(suspension.spring_top[1:]) + neutral
    part = "arm" if name == "swing_axle" else "upper_arm"
    place, turn = moving_parts(name, 0.0)[part]
    c, s = math.cos(turn), math.sin(turn)
    arm = np.array([[c, s], [-s, c]]) @ (np.array(suspension.spring_foot[1:]) + neutral - place)

    def length(q: float) -> float:
        place, turn = moving_parts(name, q)[part]
        c, s = math.cos(turn), math.sin(turn)
        return float(np.linalg.norm(place + np.array([[c, -s], [s, c]]) @ arm - top))

    return lambda q: stiffness / 2 * (length(q) - length(0.0)) ** 2


def unloaded(name: str, torsion: sh.Torsion, coil: sh.Coil) -> tuple[sh.Scene, dict[str, Corner]]:
    """A wheel on a torsion bar and one on a coil, springs free of force in the neutral position, the chassis held."""
    scene = sh.Scene("static", gravity=mech.FREE)
    chassis = scene.body("chassis", sh.Box(1, 1, 1), fixed=True)
    corners = {}
    for kind, spring in (("torsion", torsion), ("coil", coil)):
        suspension = made(name, spring=spring, bump_stops=None)
        corners[kind] = suspension.attach(scene, chassis, kind, (0.0, 0.0, 0.0), "left", WHEEL)
    scene.gravity = (0.0, 0.0, -G)  # after the springs were set
    return scene, corners


def models(
    name: str, scene: sh.Scene, corners: dict[str, Corner], torsion: float, coil: float
) -> dict[str, Lagrangian]:
    """The Lagrangians of both wheels, by kind of spring."""
    energies = {"torsion": _torsion_energy(torsion), "coil": coil_energy(name, coil)}
    return {kind: Lagrangian(name, kind, corners[kind], scene, energies[kind]) for kind in corners}


@pytest.mark.parametrize("name", ["swing_axle", "double_wishbone"])
def test_static_angle(name: str) -> None:
    """The arm rests where dV/dq = 0; at rest implicit Euler is exact."""
    scene, corners = unloaded(name, sh.Torsion(400.0, 40.0), sh.Coil(20e3, 2e3))
    run = sh.Simulation(scene, dt=0.005).run(4.0, every=100)
    for kind, model in models(name, scene, corners, 400.0, 20e3).items():
        assert abs(model.rest()) > 0.01
        assert mech.values(run, corners[kind].guided)[-1] == pytest.approx(model.rest(), abs=1e-6)


@pytest.mark.parametrize("name", ["swing_axle", "double_wishbone"])
def test_natural_frequency(name: str) -> None:
    """The arm swings about its rest with w^2 = V''/M. The frequency of a leapfrog step of 1 ms is off by (w dt)^2/24 at
    most, up to 8e-4."""
    scene, corners = unloaded(name, sh.Torsion(4000.0, 0.0), sh.Coil(200e3, 0.0))
    run = sh.Simulation(scene, dt=0.001, **mech.LEAPFROG).run(1.0)
    for kind, model in models(name, scene, corners, 4000.0, 200e3).items():
        angle, t = mech.values(run, corners[kind].guided) - model.rest(), mech.times(run)
        down = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
        crossings = t[down] + 0.001 * angle[down] / (angle[down] - angle[down + 1])
        assert len(crossings) >= 4
        assert 2 * math.pi / np.diff(crossings).mean() == pytest.approx(model.frequency(), rel=9e-4)


def _torsion_energy(stiffness: float) -> Callable[[float], float]:
    return lambda q: stiffness / 2 * q * q


# --- the quarter car --------------------------------------------------------------------------------------------------

SPRUNG, UNSPRUNG, SPRING, DAMPER, TYRE = 25.0, 3.0, 4000.0, 200.0, 40000.0  # kg, N/m, N s/m


def standing(
    name: str,
    spring: sh.Coil | sh.Torsion | None,
    *,
    sprung: float = SPRUNG,
    tyre: float = TYRE,
    tyre_damping: float = 0.0,
    drop: float = 0.0,
    preloaded: bool = True,
    scene: sh.Scene | None = None,
    **settings: Any,
) -> tuple[sh.Scene, sh.Body, Corner]:
    """A quarter car on a vertical guide, its tyre a spring from the ground, ``drop`` m above where it stands."""
    scene = scene or sh.Scene(f"quarter car on {name}")
    number = len(scene.bodies)
    chassis = scene.body(f"{name}_chassis", sh.Box(0.3, 0.3, 0.1, mass=sprung), position=(number, 0, 1 + drop))
    scene.joint(f"{name}_guide", sh.Prismatic(axis=(0, 0, 1), anchor=(number, 0, 1)), scene.world, chassis)
    wheel = sh.RoadWheel(0.15, 0.1, mass=2.0)
    suspension = made(name, spring=spring, upright_mass=1.0, **settings)
    parts = Kinematics(suspension, wheel).mass
    load = (sprung + parts) * G
    corner = suspension.attach(scene, chassis, f"{name}_corner", (0.0, 0.5, 0.0), "left", wheel, load=load * preloaded)
    x, y, z = corner.wheel.spec.position
    # the tyre carries the load where the car stands; when it is above, less, and never pulls
    rest = 0.5 + load / tyre
    element = sh.Spring(tyre, tyre_damping, rest=rest, side="push" if drop else "both")
    anchors = {"anchor_a": (x, y, z - drop - 0.5), "anchor_b": (x, y, z)}
    scene.joint(f"{name}_tyre", sh.Strut(**anchors), scene.world, corner.wheel, spring=element)
    return scene, chassis, corner


def test_quarter_car_modes() -> None:
    """m_s z_s'' = -k (z_s - z_u) - c (...), m_u z_u'' = ... - k_t z_u: 12.2502 rad/s (0.277), 119.2305 rad/s (0.285).

    The map of (z_s, z_u, v_s, v_u) over 10 ms, measured column by column at dt = 0.1 ms, is exp(A t); implicit Euler
    adds w dt/2 = 0.6 % to the damping ratio of the second mode.
    """
    matrix = np.array(
        [
            [0, 0, 1, 0],
            [0, 0, 0, 1],
            [-SPRING / SPRUNG, SPRING / SPRUNG, -DAMPER / SPRUNG, DAMPER / SPRUNG],
            [SPRING / UNSPRUNG, -(SPRING + TYRE) / UNSPRUNG, DAMPER / UNSPRUNG, -DAMPER / UNSPRUNG],
        ]
    )
    exact = np.sort_complex(np.linalg.eigvals(matrix))
    np.testing.assert_allclose(sorted(np.abs(exact))[::2], [12.2502, 119.2305], atol=1e-4)
    scene, chassis, corner = standing("sliding_pillar", sh.Coil(SPRING, DAMPER), bump_stops=None)
    sim = sh.Simulation(scene, dt=1e-4)
    columns = []
    for k in range(4):
        sim.reset()
        for bodies, place in (((chassis,), 0), ((corner.hub, corner.wheel), 1)):
            for body in bodies:
                offset = np.array([0, 0, 1e-3 * (k == place)])
                sim.set(body.position, np.array(body.spec.position) + offset)
                sim.set(body.velocity, (0, 0, 1e-3 * (k == place + 2)))
        sim.step(100)
        places = [sim.get(body.position)[2] - body.spec.position[2] for body in (chassis, corner.wheel)]
        speeds = [sim.get(body.velocity)[2] for body in (chassis, corner.wheel)]
        columns.append(np.array([*places, *speeds]) / 1e-3)
    found = np.sort_complex(np.linalg.eigvals(logm(np.array(columns).T) / 0.01))
    np.testing.assert_allclose(np.abs(found), np.abs(exact), rtol=0.01)
    np.testing.assert_allclose(-found.real / np.abs(found), -exact.real / np.abs(exact), atol=0.007)


def test_it_stands_still_in_its_neutral_position() -> None:
    """The spring is set to hold the static load: every type stays where it was put, but for the first steps, in which
    the joint that closes the loop over the ground takes up its load."""
    scene = sh.Scene("standing")
    corners = {name: standing(name, sh.Coil(), scene=scene)[2] for name in SUSPENSIONS}
    run = sh.Simulation(scene, dt=0.005).run(1.0, every=20)
    for corner in corners.values():
        travel = mech.values(run, corner.travel)
        assert np.abs(travel).max() < 5e-5
        assert abs(travel[-1]) < 1e-6


@pytest.mark.parametrize("kind", ["coil", "torsion"])
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e9])
def test_any_stiffness_is_stable_at_10_ms(stiffness: float, kind: str) -> None:
    """1 N/m to 1e9 N/m at the wheel, dropped from 5 cm onto springs without preload: no energy is made, and all come
    to rest, the soft ones on the ends of their travel."""
    scene = sh.Scene("stiffness")
    for name in SUSPENSIONS:
        if kind == "torsion" and name == "sliding_pillar":
            continue
        spring = (sh.Coil if kind == "coil" else sh.Torsion)(stiffness, 300.0, at_wheel=True)
        standing(name, spring, drop=0.05, tyre_damping=300.0, preloaded=False, scene=scene)
    run = sh.Simulation(scene, dt=0.01).run(6.0)
    fallen = G * 0.13 * sum(body.properties.mass for body in scene.bodies.values())
    assert mech.values(run, scene.kinetic_energy).max() < fallen
    assert mech.values(run, scene.kinetic_energy)[-50:].max() < 1e-5
    assert float(run.data["gap"].max()) < 2e-3


def test_travel_holds_under_a_landing() -> None:
    """A landing at 2 m/s on soft springs, dt = 10 ms: more than 2 g, and no wheel beyond its travel by 2 mm."""
    scene = sh.Scene("landing")
    soft = sh.Coil(frequency=1.0)
    cars = {name: standing(name, soft, drop=0.2, tyre_damping=500.0, scene=scene) for name in SUSPENSIONS}
    run = sh.Simulation(scene, dt=0.01).run(1.5)
    for _, chassis, corner in cars.values():
        z = mech.values(run, corner.wheel.position)[:, 2] - mech.values(run, chassis.position)[:, 2]
        assert z.max() > 0.06 - 2e-3  # it does reach the end
        assert z.max() < 0.06 + 2e-3
        assert z.min() > -0.06 - 2e-3
        assert np.diff(mech.values(run, chassis.velocity)[:, 2]).max() / 0.01 > 2 * G
