"""What free axes carry, as it is described: friction laws, springs, drives; what is refused, and files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusal import refused

import sharnir as sh
from sharnir.scene.check import check_scene, opening

NAN = float("nan")
MOTOR = sh.DcDrive(1.5, 300, 0.02, 50)
SPRING = sh.Spring(4000, 200)


def jointed(joint: Any, **given: Any) -> sh.Joint:
    """A joint between the ground and a ball at (1, 2, 2)."""
    scene = sh.Scene()
    ball = scene.body("ball", sh.Sphere(0.1, mass=1), position=(1, 2, 2))
    return scene.joint("j", joint, scene.world, ball, **given)


# --- friction -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: sh.Coulomb(-1), ("Coulomb friction level", "is -1", "negative")),
        (lambda: sh.Coulomb(2, static=1), ("Coulomb", "static level 1", "dynamic level 2", "swap")),
        (lambda: sh.Coulomb(1, load=0.1), ("Coulomb friction load is 0.1", "Load(radius")),  # type: ignore[arg-type]
        (lambda: sh.Viscous(-0.5), ("Viscous friction coefficient", "is -0.5", "negative")),
        (lambda: sh.Viscous("oil"), ("Viscous friction coefficient", "'oil'", "number")),  # type: ignore[arg-type]
        (lambda: sh.Stribeck(-1, 2, 1), ("Stribeck friction level", "is -1", "negative")),
        (lambda: sh.Stribeck(2, 1, 1), ("Stribeck", "static level 1", "dynamic level 2", "swap")),
        (lambda: sh.Stribeck(1, 2, 0), ("Stribeck friction speed", "is 0", "above zero")),
        (lambda: sh.Stribeck(1, 2, 1, viscous=-1), ("Stribeck friction viscous", "is -1", "negative")),
        (lambda: sh.LuGre(0, 2, 1, 1), ("LuGre friction level", "is 0", "above zero")),
        (lambda: sh.LuGre(2, 1, 1, 1), ("LuGre", "static level 1", "dynamic level 2", "swap")),
        (lambda: sh.LuGre(1, 2, -1, 1), ("LuGre friction speed", "is -1", "above zero")),
        (lambda: sh.LuGre(1, 2, 1, 0), ("LuGre friction stiffness", "is 0", "above zero")),
        (lambda: sh.LuGre(1, 2, 1, -5), ("LuGre friction stiffness", "is -5", "above zero")),
        (lambda: sh.LuGre(1, 2, 1, 1, damping=-1), ("LuGre friction damping", "is -1", "negative")),
        (lambda: sh.LuGre(1, 2, 1, 1, viscous=-1), ("LuGre friction viscous", "is -1", "negative")),
        (lambda: sh.Dahl(-1, 1), ("Dahl friction level", "is -1", "above zero")),
        (lambda: sh.Dahl(1, 0), ("Dahl friction stiffness", "is 0", "above zero")),
        (lambda: sh.Dahl(1, NAN), ("Dahl friction stiffness", "nan", "finite")),
        (lambda: sh.Load(radius=0), ("Load radius (m) is 0", "above zero")),
        (lambda: sh.Load(radius=-0.1), ("Load radius (m) is -0.1", "above zero")),
        (lambda: sh.Load(preload=-1), ("Load preload (N) is -1", "negative")),
    ],
)
def test_bad_friction_is_refused_by_name(make: Callable[[], object], parts: tuple[str, ...]) -> None:
    refused(*parts, action=make)


LAWS = (
    sh.Coulomb(1, static=1.5),
    sh.Viscous(0.5),
    sh.Stribeck(1, 1.5, 1e-3, viscous=0.4),
    sh.LuGre(1, 1.5, 1e-3, 1e5, damping=300, viscous=0.4),
    sh.Dahl(1, 1e5),
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_every_law_on_every_axis(law: Any) -> None:
    for joint in (sh.Revolute(), sh.Prismatic(), sh.Spherical(), sh.Universal()):
        made = jointed(joint, friction=law)
        assert made.friction == dict.fromkeys((axes.name for axes in joint.free_axes), law)
    assert jointed(sh.Planar(), friction={"slide": law}).friction == {"slide": law}


@pytest.mark.parametrize("law", [sh.Coulomb, lambda mu, **load: sh.Dahl(mu, 1e6, **load)])
def test_a_load_needs_a_radius_where_it_turns_and_none_where_it_slides(law: Any) -> None:
    pin, plain = sh.Load(radius=0.2), sh.Load(preload=3)
    refused("'j' friction", "no radius", "turns", action=lambda: jointed(sh.Revolute(), friction=law(0.3, load=plain)))
    refused("'j' friction", "no radius", "ball", action=lambda: jointed(sh.Spherical(), friction=law(0.3, load=plain)))
    refused("0.2 m", "slides", "leave", action=lambda: jointed(sh.Prismatic(), friction=law(0.3, load=pin)))
    by_name = {"angle": law(0.3, load=pin), "displacement": law(0.3, load=pin)}
    refused("friction on 'displacement'", "slides", action=lambda: jointed(sh.Cylindrical(), friction=by_name))
    good = {"angle": law(0.3, load=pin), "displacement": law(0.3, load=plain)}
    assert jointed(sh.Cylindrical(), friction=good).friction == good


def test_friction_levels_have_units() -> None:
    load = sh.Load(radius=0.2)
    assert jointed(sh.Revolute(), friction=sh.Coulomb(1)).friction_level().unit == "N m"
    assert jointed(sh.Revolute(), friction=sh.Coulomb(0.3, load=load)).friction_level().unit == "1"
    viscous = jointed(sh.Prismatic(), friction=sh.Viscous(1))
    refused("'j'", "'displacement'", "Viscous", "no level", action=viscous.friction_level)


# --- springs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: sh.Spring(-1), ("Spring stiffness", "is -1", "negative")),
        (lambda: sh.Spring(1, -2), ("Spring damping", "is -2", "negative")),
        (lambda: sh.Spring(1, rest=NAN), ("Spring rest", "nan", "finite")),
        (lambda: sh.Spring(1, preload="some"), ("Spring preload", "'some'")),  # type: ignore[arg-type]
        (lambda: sh.Spring(1, side="pul"), ("'pul'", "did you mean 'pull'")),  # type: ignore[arg-type]
        (lambda: sh.Spring(table=((0, 0),)), ("Spring table is ((0, 0),)", "two points")),
        (lambda: sh.Spring(table=5), ("Spring table is 5", "two points")),  # type: ignore[arg-type]
        (lambda: sh.Spring(table=((0, 0), (1, 2, 3))), ("table[1] is (1, 2, 3)", "(deflection, force)")),  # type: ignore[arg-type]
        (lambda: sh.Spring(table=((0, 0), (1, NAN))), ("table[1] force", "nan")),
        (lambda: sh.Spring(table=((0, 0), (0, 1))), ("table[1]", "deflection 0 after 0", "sort")),
        (lambda: sh.Spring(table=((0, 0), (1, 2), (2, 1))), ("table[2]", "force 1 after 2", "not fall")),
        (lambda: sh.Spring(5, table=((0, 0), (1, 2))), ("table", "stiffness of 5", "give one")),
        (lambda: sh.Spring.tuned(0, 0.5, 1), ("Spring frequency (Hz) is 0", "above zero")),
        (lambda: sh.Spring.tuned(1, -0.5, 1), ("Spring damping ratio is -0.5", "negative")),
        (lambda: sh.Spring.tuned(1, 0.5, -1), ("Spring mass", "is -1", "above zero")),
    ],
)
def test_bad_springs_are_refused_by_name(make: Callable[[], object], parts: tuple[str, ...]) -> None:
    refused(*parts, action=make)


def test_a_tuned_spring_has_the_frequency_and_damping_asked_for() -> None:
    mass, frequency, ratio = 25.0, 2.0, 0.3
    spring = sh.Spring.tuned(frequency, ratio, mass, rest=0.4, preload=5.0, side="pull")
    assert math.sqrt(spring.stiffness / mass) / (2 * math.pi) == pytest.approx(frequency, rel=1e-15)
    assert spring.damping / (2 * math.sqrt(spring.stiffness * mass)) == pytest.approx(ratio, rel=1e-15)
    assert (spring.rest, spring.preload, spring.side) == (0.4, 5.0, "pull")


def test_nothing_at_all_is_a_spring_too() -> None:
    assert jointed(sh.Revolute(), spring=sh.Spring(0)).springs == {"angle": sh.Spring()}


def test_a_table_may_be_rows_of_numpy() -> None:
    assert sh.Spring(table=np.array([[0, 0], [1, 2.5]])).table == ((0, 0), (1, 2.5))  # type: ignore[arg-type]


def test_springs_by_coordinate() -> None:
    assert jointed(sh.Prismatic(), spring=SPRING).springs == {"displacement": SPRING}
    assert jointed(sh.Spherical(), spring={"twist": SPRING}).springs == {"twist": SPRING}
    assert jointed(sh.Universal(), spring={"angle_b": SPRING}).springs == {"angle_b": SPRING}
    slab = jointed(sh.Planar(), spring={"angle": SPRING, "x": sh.Spring(1)})
    assert list(slab.springs.items()) == [("x", sh.Spring(1)), ("angle", SPRING)]
    assert slab.spring_force() == sh.Quantity("spring_force", "j.x", "N")
    assert slab.spring_force("angle") == sh.Quantity("spring_force", "j.angle", "N m")
    refused("'j'", "no spring on 'y'", "x, angle", action=lambda: slab.spring_force("y"))
    refused("'j'", "no spring on 'angle'", action=jointed(sh.Revolute()).spring_force)


@pytest.mark.parametrize(
    ("joint", "given", "parts"),
    [
        (sh.Fixed(), {"spring": SPRING}, ("no free axis", "spring", "leave spring out")),
        (sh.Fixed(), {"drive": MOTOR}, ("no free axis", "drive", "leave drive out")),
        (sh.Revolute(), {"spring": 4000}, ("'j' spring is 4000", "Spring(...)")),
        (sh.Revolute(), {"spring": {"angle": 5}}, ("'j' spring on 'angle' is 5", "Spring(...)")),
        (sh.Revolute(), {"spring": MOTOR}, ("'j' spring is DcDrive", "Spring(...)")),
        (sh.Revolute(), {"drive": SPRING}, ("'j' drive is Spring", "DcDrive(...) or SpeedServo(...)")),
        (sh.Revolute(), {"spring": {"angel": SPRING}}, ("'angel'", "did you mean 'angle'")),
        (sh.Revolute(), {"drive": {"displacement": MOTOR}}, ("'displacement'", "drive", "angle")),
        (sh.Cylindrical(), {"spring": SPRING}, ("2 coordinates", "angle, displacement")),
        (sh.Cylindrical(), {"drive": MOTOR}, ("2 coordinates", "angle, displacement")),
        (sh.Spherical(), {"spring": {"swing": SPRING}}, ("swing", "spring", "only the twist")),
        (sh.Spherical(), {"drive": {"swing_x": MOTOR}}, ("swing_x", "drive", "only the twist")),
        (sh.Distance(anchor_b=(1, 0, 0)), {"spring": SPRING}, ("distance is locked", "Strut")),
        (sh.Distance(anchor_b=(1, 0, 0)), {"drive": MOTOR}, ("distance", "drive", "Prismatic")),
        (sh.Strut(anchor_b=(1, 0, 0)), {"drive": MOTOR}, ("length", "drive", "Prismatic")),
        (sh.Strut(anchor_b=(1, 0, 0)), {"friction": sh.Coulomb(1)}, ("no free axis", "leave friction out")),
    ],
)
def test_what_an_axis_cannot_carry(joint: Any, given: dict[str, Any], parts: tuple[str, ...]) -> None:
    refused("joint 'j'", *parts, action=lambda: jointed(joint, **given))


def test_a_rest_left_open_is_where_the_coordinate_starts() -> None:
    spring = sh.Spring(1, rest=None)
    assert jointed(sh.Revolute(drawn_at=9.0), spring=spring).springs["angle"].rest == pytest.approx(9.0, abs=1e-12)
    assert jointed(sh.Prismatic(drawn_at=0.3), spring=spring).springs["displacement"].rest == pytest.approx(0.3)
    assert jointed(sh.Prismatic(drawn_at=0.3), spring=sh.Spring(1)).springs["displacement"].rest == 0.0
    strut = jointed(sh.Strut(anchor_b=(1, 2, 2)), spring=spring)
    assert strut.springs["length"].rest == pytest.approx(3.0, rel=1e-15)
    assert strut.spec.spring == spring  # a file keeps what was written


def test_an_open_rest_follows_the_assembly() -> None:
    scene = sh.Scene()
    slider = scene.body("slider", sh.Sphere(0.1, mass=1), position=(0.2, 0, 2))
    rail = sh.Prismatic(frame_a=sh.Frame(), frame_b=sh.Frame())
    scene.joint("rail", rail, scene.world, slider)
    coil = scene.spring("coil", scene.world, slider, (0, 0, 0), (0.2, 0, 2), sh.Spring(1, rest=None))
    assert coil.springs["length"].rest == pytest.approx(math.hypot(0.2, 2))
    scene.assemble()
    assert coil.springs["length"].rest == pytest.approx(2.0)


# --- struts ---------------------------------------------------------------------------------------------------------


def test_a_strut_ties_two_points_and_locks_nothing() -> None:
    scene = sh.Scene()
    ball = scene.body(
        "ball", sh.Sphere(0.1, mass=1), position=(1, 2, 2), rotation=(0, 0, math.sqrt(0.5), math.sqrt(0.5))
    )
    coil = scene.spring("coil", scene.world, ball, np.array([1, 0, 0]), [1, 1, 2], SPRING)
    check_scene(scene)
    assert isinstance(coil.type, sh.Strut)
    assert not any(coil.type.locked_translations + coil.type.locked_rotations)
    frame_a, frame_b = coil.world_frames()
    assert frame_a.position == pytest.approx([1, 0, 0])
    assert frame_b.position == pytest.approx([1, 1, 2])
    assert coil.frame_b.position == pytest.approx([-1, 0, 0])  # on the turned ball
    assert opening(coil) == (0.0, 0.0)
    assert coil.length == 0.0
    assert coil.coordinate() == sh.Quantity("coordinate", "coil.length", "m")
    assert coil.spring_force() == sh.Quantity("spring_force", "coil.length", "N")


def test_a_tether_is_a_strut_with_a_limit() -> None:
    strut = sh.Strut(frame_a=sh.Frame(), frame_b=sh.Frame(position=(0, 0, 1)))
    scene = sh.Scene()
    scene.body("ball", sh.Sphere(0.1, mass=1))
    tether = scene.joint("tether", strut, "world", "ball", limits=(None, 2))
    check_scene(scene)
    assert tether.ranges == {"length": (None, 2)}
    scene.joint("short", strut, "world", "ball", limits=(None, 0.5))
    refused("'short'", "length starts at 1 m", action=lambda: check_scene(scene))


def test_a_strut_needs_a_direction() -> None:
    refused("'j'", "anchors coincide", "move", action=lambda: jointed(sh.Strut()))
    scene = sh.Scene()
    scene.body("ball", sh.Sphere(0.1, mass=1))
    scene.joint("coil", sh.Strut(frame_a=sh.Frame(), frame_b=sh.Frame()), "world", "ball", spring=SPRING)
    refused("'coil'", "coincide", "no direction", action=lambda: check_scene(scene))


def test_a_rest_that_cannot_be_reached() -> None:
    scene = sh.Scene()
    ball = scene.body("ball", sh.Sphere(0.1, mass=1), position=(1, 0, 0))
    scene.spring("coil", scene.world, ball, (0, 0, 0), (1, 0, 0), sh.Spring(1, rest=-0.5))
    refused("'coil'", "-0.5 m", "at least 0", action=lambda: check_scene(scene))
    scene = sh.Scene()
    scene.body("ball", sh.Sphere(0.1, mass=1))
    scene.joint("cross", sh.Universal(), "world", "ball", spring={"angle_a": sh.Spring(1, rest=4)})
    refused("'cross'", "angle_a", "4 rad", "within ±pi", action=lambda: check_scene(scene))


def test_a_twist_spring_cannot_start_upside_down() -> None:
    scene = sh.Scene()
    scene.body("ball", sh.Sphere(0.1, mass=1))
    flipped = sh.Spherical(frame_a=sh.Frame(), frame_b=sh.Frame(axis=(0, 0, -1)))
    scene.joint("ball", flipped, "world", "ball", spring={"twist": SPRING})
    refused("'ball'", "swing", "no direction", action=lambda: check_scene(scene))


# --- drives ---------------------------------------------------------------------------------------------------------


def drive(**changed: Any) -> sh.DcDrive:
    return sh.DcDrive(**({"stall_torque": 1.5, "idle_speed": 300, "time_constant": 0.02, "ratio": 50} | changed))


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: drive(stall_torque=0), ("DcDrive stall_torque (N m) is 0", "above zero")),
        (lambda: drive(idle_speed=-1), ("DcDrive idle_speed (rad/s) is -1", "above zero")),
        (lambda: drive(time_constant=-0.1), ("DcDrive time_constant (s) is -0.1", "negative")),
        (lambda: drive(ratio=0), ("DcDrive ratio is 0", "1 without a gear")),
        (lambda: drive(ratio=NAN), ("DcDrive ratio is nan", "finite")),
        (lambda: drive(efficiency=0), ("DcDrive efficiency is 0", "above 0")),
        (lambda: drive(efficiency=1.1), ("DcDrive efficiency is 1.1", "at most 1")),
        (lambda: drive(self_locking="yes"), ("DcDrive self_locking is 'yes'", "True or False")),
        (lambda: sh.DcDrive.from_motor(0, 1, 1, 1, 1), ("DcDrive voltage (V) is 0", "above zero")),
        (lambda: sh.DcDrive.from_motor(1, 0, 1, 1, 1), ("DcDrive resistance (ohm) is 0", "above zero")),
        (lambda: sh.DcDrive.from_motor(1, 1, -1, 1, 1), ("DcDrive torque_constant (N m/A) is -1", "above zero")),
        (lambda: sh.DcDrive.from_motor(1, 1, 1, -1, 1), ("DcDrive inertia (kg m^2) is -1", "negative")),
        (lambda: sh.DcDrive.from_motor(1, 1, 1, 1, 0), ("DcDrive ratio is 0",)),
        (lambda: sh.SpeedServo(5, 1), ("SpeedServo drive is 5", "DcDrive(...)")),  # type: ignore[arg-type]
        (lambda: sh.SpeedServo(MOTOR, -1), ("SpeedServo gain", "is -1", "negative")),
        (lambda: sh.SpeedServo(MOTOR, 1, integral=-1), ("SpeedServo integral", "is -1", "negative")),
        (lambda: sh.PositionServo(None, 1), ("PositionServo drive is None", "DcDrive(...)")),  # type: ignore[arg-type]
        (lambda: sh.PositionServo(MOTOR, -1), ("PositionServo gain", "is -1", "negative")),
        (lambda: sh.PositionServo(MOTOR, 1, damping=-1), ("PositionServo damping", "is -1", "negative")),
        (lambda: sh.PositionServo(MOTOR, 1, integral=-1), ("PositionServo integral", "is -1", "negative")),
    ],
)
def test_bad_drives_are_refused_by_name(make: Callable[[], object], parts: tuple[str, ...]) -> None:
    refused(*parts, action=make)


def test_a_drive_from_its_motor() -> None:
    made = sh.DcDrive.from_motor(24, 2, 0.05, 1e-5, -30, efficiency=0.8, self_locking=True)
    assert made.stall_torque == pytest.approx(0.6, rel=1e-15)
    assert made.idle_speed == pytest.approx(480, rel=1e-15)
    assert made.time_constant == pytest.approx(0.008, rel=1e-14)
    assert made.stall_torque * made.time_constant / made.idle_speed == pytest.approx(1e-5, rel=1e-14)  # the rotor
    assert (made.ratio, made.efficiency, made.self_locking) == (-30, 0.8, True)


def test_drives_by_coordinate() -> None:
    hinge = jointed(sh.Revolute(), drive=MOTOR)
    assert hinge.drives == {"angle": MOTOR}
    assert hinge.voltage() == sh.Quantity("voltage", "j.angle", "1")
    assert hinge.motor_speed() == sh.Quantity("motor_speed", "j.angle", "rad/s")
    assert hinge.motor_torque("angle") == sh.Quantity("motor_torque", "j.angle", "N m")
    refused("'j'", "no servo on 'angle'", action=hinge.target)
    refused("'j'", "no drive on 'displacement'", action=jointed(sh.Prismatic()).voltage)


def test_servos_have_targets() -> None:
    position, speed = sh.PositionServo(MOTOR, 5), sh.SpeedServo(MOTOR, 5)
    sleeve = jointed(sh.Cylindrical(), drive={"displacement": position, "angle": speed})
    assert sleeve.drives == {"angle": speed, "displacement": position}
    assert sleeve.target() == sh.Quantity("target", "j.angle", "rad/s")
    assert sleeve.target("displacement") == sh.Quantity("target", "j.displacement", "m")
    assert sleeve.voltage("displacement") == sh.Quantity("voltage", "j.displacement", "1")
    mixed = jointed(sh.Cylindrical(), drive={"angle": MOTOR, "displacement": speed})
    assert mixed.target() == sh.Quantity("target", "j.displacement", "m/s")


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["yaml", "json"])
@pytest.mark.parametrize(
    "given",
    [
        *({"friction": law} for law in LAWS),
        {"friction": sh.LuGre(0.3, 0.4, 1e-3, 1e6, load=sh.Load(radius=0.2, preload=1 / 3))},
        {"friction": {"angle": sh.Dahl(0.3, 1e6, load=sh.Load(radius=0.2))}},
        {"spring": sh.Spring(1e8, 1 / 3, rest=None, preload=-0.1)},
        {"spring": {"angle": sh.Spring(table=((-1, -0.1), (0.1 + 0.2, 1)), side="pull")}},
        {"drive": drive(efficiency=0.7, self_locking=True)},
        {"drive": sh.SpeedServo(MOTOR, 1 / 3, integral=2)},
        {"drive": {"angle": sh.PositionServo(MOTOR, 5, damping=0.1, integral=1e-9)}},
    ],
)
def test_elements_survive_a_file(tmp_path: Path, ending: str, given: dict[str, Any]) -> None:
    scene = sh.Scene()
    scene.body("ball", sh.Sphere(0.1, mass=1))
    joint = scene.joint("j", sh.Revolute(drawn_at=0.1), "world", "ball", **given)
    path = scene.save(tmp_path / f"scene.{ending}")
    loaded = sh.Scene.load(path)
    assert loaded.joints["j"].spec == joint.spec
    for attribute in ("friction", "springs", "drives"):
        assert getattr(loaded.joints["j"], attribute) == getattr(joint, attribute)
    assert loaded.save(tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("friction: {type: lugre, level: 1, static: 2, speed: 1}", ("j.friction", "missing key 'stiffness'")),
        ("friction: {type: lugr, level: 1}", ("unknown type 'lugr'", "did you mean 'lugre'")),
        ("friction: {type: coulomb, level: 1, load: 3}", ("j.friction.load: is 3", "radius, preload")),
        ("friction: {type: coulomb, level: 1, load: {radius: -1}}", ("j.friction.load", "Load radius", "-1")),
        ("friction: {type: coulomb, level: 1, load: {}}", ("'j' friction", "no radius")),
        ("spring: {stiffness: 5}", ("j.spring.stiffness: is 5", "give spring a type: spring")),
        ("spring: {angle: {stiffness: 5}}", ("j.spring.angle", "missing key 'type'", "spring")),
        ("spring: {type: spring, table: [[0, 0], [1]]}", ("j.spring.table[1]", "1 items", "give 2")),
        ("spring: {type: spring, stiffness: -5}", ("line 4: joints.j.spring", "Spring stiffness", "-5")),
        ("drive: {type: dc_drive, ratio: 0}", ("j.drive", "missing key 'stall_torque'")),
        ("drive: {type: speed_servo, gain: 1, drive: {ratio: 1}}", ("j.drive.drive", "missing key 'type'")),
        ("drive: {type: speed_servo, gain: 1, drive: {type: dc}}", ("j.drive.drive", "'dc'", "dc_drive")),
        ("drive: {type: speed_servo, gain: 1, drive: 3}", ("j.drive.drive: is 3", "give a mapping with type")),
    ],
)
def test_bad_elements_in_a_file(tmp_path: Path, line: str, parts: tuple[str, ...]) -> None:
    path = tmp_path / "bad.yaml"
    head = "sharnir: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
    path.write_text(f"{head}  j: {{joint: {{type: revolute}}, between: [world, b], {line}}}\n")
    refused("bad.yaml, line 4", *parts, action=lambda: sh.Scene.load(path))
