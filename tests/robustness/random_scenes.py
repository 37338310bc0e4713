"""Random scenes for the sweep: trees and loops of every joint type, with everything that an axis can carry.

A kernel is specialised on what a scene contains, so every scene of a kind holds a *kit*: one body far away whose joint
carries each thing once. Whatever else is drawn, the kernel is the same, and thousands of scenes need a handful of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

import sharnir as sh

MASSES = (1e-3, 1e6)  # kg
STIFFNESSES = (1e-3, 1e9)  # N/m or N m/rad, beside zero
TIME_STEPS = (1e-4, 2e-2)  # s
FAR = 100.0  # m: where the kit is
GROUND = -1.0  # m: its height
END = 5.0  # m: a slide without an end would leave for kilometres, where arms have lost their digits
WIDE = 3.0  # rad: a ball that is turned over has no twist


@dataclass(frozen=True)
class Kind:
    """A kind of scene, with one kernel: how it is stepped, and what it may hold."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    bodies: tuple[int, int] = (1, 5)
    loops: int = 2
    rubs: bool = True  # friction
    driven: bool = True
    masses: tuple[float, float] = MASSES
    passive: bool = False  # no element is a source, slides have ends, and a ball with a twist cannot turn over
    touching: bool = False  # there is ground, bodies touch it and each other
    roped: bool = False  # a rope is tied to one of the bodies
    chain: bool = False  # each body hangs on the one before: long paths through the elimination


@dataclass(frozen=True)
class Case:
    """A scene and the step it is simulated with, s."""

    scene: sh.Scene
    dt: float


def between(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers of three digits, which read well when a case is shrunk."""
    return st.floats(low, high, allow_subnormal=False).map(lambda value: round(float(f"{value:.3g}"), 6))


def over_decades(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers spread evenly over their decades."""
    return between(float(np.log10(low)), float(np.log10(high))).map(lambda power: float(f"{10.0**power:.3g}"))


def vectors(size: float) -> st.SearchStrategy[tuple[float, ...]]:
    """Vectors whose components are within a size."""
    return st.tuples(*[between(-size, size)] * 3)


DIRECTIONS = vectors(1.0).filter(lambda v: np.linalg.norm(v) > 0.1)
ROTATIONS = (
    st.tuples(*[between(-1.0, 1.0)] * 4)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: tuple((np.array(q) / np.linalg.norm(q)).tolist()))
)
JOINTS = (
    sh.Revolute,
    sh.Spherical,
    sh.Prismatic,
    sh.Cylindrical,
    sh.Universal,
    sh.Planar,
    sh.Fixed,
    sh.Distance,
    sh.Strut,
)


@st.composite
def shapes(draw: st.DrawFn, mass: float) -> Any:
    """A shape of any size and of a mass (kg)."""
    size, other = draw(between(0.02, 0.5)), draw(between(0.02, 1.0))
    make: Callable[[], Any] = draw(
        st.sampled_from(
            (
                lambda: sh.Sphere(size, mass=mass),
                lambda: sh.Box(size, other, 0.1, mass=mass),
                lambda: sh.Capsule(size, other, mass=mass),
                lambda: sh.Cylinder(size, other, mass=mass),
                lambda: sh.Wheel(size, min(size, other), mass=mass),
            )
        )
    )
    return make()


@st.composite
def joint_types(draw: st.DrawFn, a: Any, b: Any) -> Any:
    """A joint of any type between two places (m). It meets at the start: its frames are given in the world."""
    kind = draw(st.sampled_from(JOINTS))
    axis = draw(DIRECTIONS)
    anchor = tuple((np.array(a) + draw(between(0.0, 1.0)) * np.subtract(b, a)).tolist())
    if kind in (sh.Distance, sh.Strut):
        apart = draw(DIRECTIONS)
        return kind(anchor_a=anchor, anchor_b=tuple(np.add(anchor, apart).tolist()))
    if kind is sh.Fixed:
        return kind()
    if kind is sh.Universal:
        across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        return kind(axis_a=axis, axis_b=tuple(across.tolist()), anchor=anchor)
    return kind(anchor=anchor, **{"normal" if kind is sh.Planar else "axis": axis})


@st.composite
def friction_laws(draw: st.DrawFn, is_linear: bool, passive: bool) -> Any:
    """Any friction law, with a level of its own or following the load.

    Bristles store energy. A load that grows while they are bent adds to it, and their damping can give more than they
    hold (it is passive up to a speed only); ``passive`` ones have neither.
    """
    load, level = None, draw(over_decades(1e-3, 1e4))
    if draw(st.booleans()):
        radius = None if is_linear else draw(between(0.01, 0.2))
        load, level = sh.Load(radius=radius, preload=draw(between(0.0, 100.0))), draw(between(0.01, 1.0))
    static = level * draw(between(1.0, 2.0))
    speed, stiffness = draw(over_decades(1e-4, 1.0)), draw(over_decades(1.0, 1e9))
    on_bristles, damping = (None, 0.0) if passive else (load, stiffness**0.5)
    laws: tuple[Callable[[], Any], ...] = (
        lambda: sh.Coulomb(level, static=static, load=load),
        lambda: sh.Coulomb(level, law="impulse-clamp", load=load),
        lambda: sh.Viscous(stiffness),
        lambda: sh.Stribeck(level, static, speed, viscous=level, load=load),
        lambda: sh.LuGre(level, static, speed, stiffness, load=on_bristles),
        lambda: sh.LuGre(level, static, speed, stiffness, damping=damping, viscous=level, load=on_bristles),
        lambda: sh.Dahl(level, stiffness, load=on_bristles),
    )
    return draw(st.sampled_from(laws))()


@st.composite
def springs(draw: st.DrawFn, start: float) -> sh.Spring:
    """A spring of any stiffness, or none, that rests near where its coordinate starts."""
    damping = draw(st.one_of(st.just(0.0), over_decades(1e-3, 1e6)))
    rest, side = start + draw(between(-0.05, 0.2)), draw(st.sampled_from(("both", "push", "pull")))
    stiffness = draw(st.one_of(st.just(0.0), over_decades(*STIFFNESSES)))
    if draw(st.integers(0, 3)) == 3:
        table = ((-0.1, -3.0 * stiffness), (-0.05, -stiffness), (0.0, 0.0), (0.1, 0.5 * stiffness))
        return sh.Spring(damping=damping, rest=rest, side=side, table=table)
    return sh.Spring(stiffness, damping, rest=rest, side=side)


@st.composite
def drives(draw: st.DrawFn, passive: bool) -> Any:
    """A motor with its gear, alone or in a servo; a ``passive`` one has no voltage and a gear that loses nothing."""
    efficiency, self_locking = draw(st.sampled_from((1.0, 0.5))), draw(st.booleans())
    motor = sh.DcDrive(
        draw(over_decades(1e-2, 1e3)),
        draw(over_decades(1.0, 1e3)),
        draw(st.sampled_from((0.0, 0.02, 0.2))),
        draw(st.sampled_from((1.0, -1.0, 50.0, -200.0))),
        efficiency=1.0 if passive else efficiency,
        self_locking=self_locking and not passive,
    )
    if passive:
        return motor
    gain, integral = draw(over_decades(1e-2, 1e3)), draw(between(0.0, 10.0))
    make: Callable[[], Any] = draw(
        st.sampled_from(
            (
                lambda: motor,
                lambda: sh.SpeedServo(motor, gain, integral=integral),
                lambda: sh.PositionServo(motor, gain, damping=0.1, integral=integral),
            )
        )
    )
    return make()


@st.composite
def carried(draw: st.DrawFn, kind: Kind, joint: Any) -> dict[str, Any]:
    """What the free axes of a joint carry, as arguments of ``scene.joint``."""
    given: dict[str, dict[str, Any]] = {"limits": {}, "spring": {}, "drive": {}, "friction": {}}
    for free in () if isinstance(joint, sh.Distance) else joint.coordinates:
        is_length = isinstance(joint, sh.Strut)
        start = float(np.linalg.norm(np.subtract(joint.anchor_b, joint.anchor_a))) if is_length else 0.0
        what = draw(st.sampled_from(("", "spring", "limits", "limits and spring", "drive")))
        if "limits" in what:
            below, above = draw(between(0.0, 0.5)), draw(between(0.0, 0.5))
            lower = None if free.name == "swing" else max(start - below, 0.01) if is_length else -below
            given["limits"][free.name] = (lower, start + above + (0.01 if free.name == "swing" else 0.0))
        elif kind.passive and free.kind.is_linear:
            given["limits"][free.name] = (max(start - END, 0.01) if is_length else -END, start + END)
        if "spring" in what and not free.kind.is_swing:
            given["spring"][free.name] = draw(springs(start))
        if "drive" in what and kind.driven and not free.kind.is_swing and not is_length:
            given["drive"][free.name] = draw(drives(kind.passive))
    if (
        kind.passive
        and isinstance(joint, sh.Spherical)
        and "twist" in given["spring"] | given["drive"] | given["limits"]
    ):
        given["limits"].setdefault("swing", (None, WIDE))
    for axes in joint.free_axes if kind.rubs else ():
        if draw(st.booleans()):
            given["friction"][axes.name] = draw(friction_laws(axes.is_linear, kind.passive))
    return {name: elements for name, elements in given.items() if elements}


def add_kit(scene: sh.Scene, kind: Kind) -> None:
    """One of everything, far away, so that all scenes of a kind have the same kernel."""
    body = scene.body("kit", sh.Sphere(0.1, mass=1.0), position=(FAR, 0.0, 0.0))
    friction = {"angle": sh.LuGre(0.1, 0.2, 1e-3, 1e3), "displacement": sh.Coulomb(1.0)} if kind.rubs else None
    scene.joint(
        "kit",
        sh.Cylindrical(anchor=(FAR, 0.0, 0.0)),
        scene.world,
        body,
        limits={"displacement": (-0.1, 0.1), "angle": (-1.0, 1.0)},
        spring={"displacement": sh.Spring(100.0, 10.0)},
        friction=friction,
    )
    if kind.touching:
        scene.ground(height=GROUND)
        shapes = sh.Box(0.2, 0.2, 0.2, mass=1.0), sh.Cylinder(0.1, 0.2, mass=1.0), sh.Sphere(0.1, mass=1.0)
        for i, shape in enumerate(shapes):
            scene.body(f"stone{i}", shape, position=(FAR, 2.0 + i, GROUND + 0.1))


@st.composite
def ropes(draw: st.DrawFn, body: str, place: Any) -> dict[str, Any]:
    """A rope of any thickness and stiffness that hangs on a body, as arguments of ``scene.rope``."""
    along = np.array(draw(DIRECTIONS))
    return {
        "path": [place, tuple((np.array(place) + along).tolist())],
        "radius": draw(over_decades(1e-3, 0.1)),
        "density": draw(over_decades(10.0, 1e4)),
        "youngs_modulus": draw(st.one_of(st.just(0.0), over_decades(1e3, 1e11))),
        "shear_modulus": draw(st.one_of(st.just(0.0), over_decades(1e3, 1e11))),
        "elements": draw(st.integers(2, 12)),
        "start": sh.Tie(body=body),
    }


@st.composite
def cases(draw: st.DrawFn, kind: Kind) -> Case:
    """A scene of a kind and a time step."""
    scene = sh.Scene("sweep", gravity=draw(st.sampled_from(((0.0, 0.0, -9.81), (0.0, 0.0, 0.0)))))
    places: list[Any] = [(0.0, 0.0, 0.0)]
    names = ["world"]
    for i in range(draw(st.integers(*kind.bodies))):
        parent = len(names) - 1 if kind.chain else draw(st.integers(0, len(names) - 1))
        place = tuple(np.add(places[parent], draw(DIRECTIONS)).tolist())
        moving = draw(st.booleans())
        scene.body(
            f"b{i}",
            draw(shapes(draw(over_decades(*kind.masses)))),
            position=place,
            rotation=draw(ROTATIONS),
            velocity=draw(vectors(3.0)) if moving else (0.0, 0.0, 0.0),
            angular_velocity=draw(vectors(10.0)) if moving else (0.0, 0.0, 0.0),
        )
        joint = draw(joint_types(places[parent], place))
        scene.joint(f"j{i}", joint, names[parent], f"b{i}", **draw(carried(kind, joint)))
        places.append(place)
        names.append(f"b{i}")
    for i in range(draw(st.integers(0, kind.loops)) if len(names) > 2 else 0):
        a, b = draw(st.lists(st.integers(0, len(names) - 1), min_size=2, max_size=2, unique=True))
        joint = draw(joint_types(places[a], places[b]))
        scene.joint(f"loop{i}", joint, names[a], names[b], **draw(carried(kind, joint)))
    if kind.roped:
        tied = draw(st.integers(1, len(names) - 1))
        scene.rope("rope", **draw(ropes(names[tied], places[tied])))
    add_kit(scene, kind)
    return Case(scene, draw(over_decades(*TIME_STEPS)))
