"""A scene moves alike in a kernel of its own and in the general one: they are made of the same functions.

Where a special kernel does with fewer operations (a lock of all three axes, a rope that touches nothing) the two round
differently, and the solver ends where no impulse changes by more than epsilon: each step may turn a rod of 0.01 kg m^2
by epsilon over that more or less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import sharnir as sh
from sharnir.experiment import list_examples, load_example
from sharnir.model.compile import compile_scene
from sharnir.model.features import CATCH_KINDS, CONTACT_KINDS, Features
from sharnir.simulation.settings import INTEGRATORS, SOLVERS

STEPS = 50
ROUNDED = STEPS * 1e-10 / 0.01  # rad/s: epsilon is 1e-10 N m s by default
ROD = sh.Capsule(radius=0.02, length=0.3, mass=1.0)


def chain(joint: Callable[..., Any], **carried: Any) -> sh.Scene:
    """Three rods on joints of one type along x, let go level."""
    scene = sh.Scene("chain")
    last = scene.world
    for i in range(3):
        rod = scene.body(f"rod{i}", ROD, position=(0.4 * i + 0.2, 0, 0), rotation=(0, 0.5**0.5, 0, 0.5**0.5))
        scene.joint(f"joint{i}", joint(anchor=(0.4 * i, 0, 0)), last, rod, **carried)
        last = rod
    return scene


def hinge(anchor: Any) -> sh.Revolute:
    """A hinge about y."""
    return sh.Revolute(axis=(0, 1, 0), anchor=anchor)


def rope() -> sh.Scene:
    """A rope let go level."""
    scene = sh.Scene("rope")
    made = {"radius": 0.01, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "damping": 0.0}
    scene.rope("rope", [(0, 0, 0), (1, 0, 0)], elements=10, start=sh.Tie(body="world"), **made)
    return scene


def rolling_ball() -> sh.Scene:
    """A ball that slides on the ground and then rolls."""
    scene = sh.Scene("ball")
    scene.ground()
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(0, 0, 0.1), velocity=(1, 0, 0))
    return scene


def closed_loop() -> sh.Scene:
    """A parallelogram of hinges that falls sideways against a limit, with bristles in one of them."""
    scene = sh.Scene("loop", gravity=(0, -60, 0))
    rod = sh.Box(0.5, 0.02, 0.02, mass=1.0, rotation=(0, 0, 0.5, 0.75**0.5))  # 60 degrees from x
    lean = np.array([0.25, 0.75**0.5 / 2, 0.0])
    ends = {"left": np.zeros(3), "right": np.array([1.0, 0.0, 0.0])}
    for name, end in ends.items():
        scene.body(name, rod, position=end + lean / 2)
    scene.body("coupler", sh.Box(1.0, 0.02, 0.02, mass=2.0), position=lean + np.array([0.5, 0, 0]))
    carried = {"left": {"friction": sh.LuGre(0.1, 0.2, 0.01, 1e4, 1.0)}, "right": {"limits": (-0.25, 0.4)}}
    for name, end in ends.items():
        scene.joint(f"{name} foot", sh.Revolute(axis=(0, 0, 1), anchor=end), "world", name, **carried[name])
        scene.joint(f"{name} top", sh.Revolute(axis=(0, 0, 1), anchor=end + lean), name, "coupler")
    return scene


def on_hills() -> sh.Scene:
    """A tyre, a box and a hull on a height field."""
    scene = sh.Scene("hills")
    relief = sh.Roughness(rms=0.02, shortest=1, longest=3, seed=2)
    scene.terrain("hills", sh.HeightField(relief=relief, size=(6, 6), spacing=0.3))
    wheel = sh.Wheel(0.3, 0.2, mass=5.0, tyre=sh.Tyre(2e4, 200.0), rotation=(0.5**0.5, 0, 0, 0.5**0.5))
    scene.body("wheel", wheel, position=(-1, 0, 0.33), velocity=(2, 0, 0))
    scene.body("box", sh.Box(0.3, 0.2, 0.1, mass=2.0), position=(0, 1, 0.12), velocity=(1, 0, 0))
    corners = [(x, y, z) for x in (0.0, 0.3) for y in (0.0, 0.2) for z in (0.0, 0.2)]
    scene.body("hull", sh.ConvexHull(points=corners[1:], mass=2.0), position=(0, -1, 0.1), velocity=(1, 0, 0))
    return scene


def drive_train() -> sh.Scene:
    """Two arms geared with a loss and play, on a clutch and a ratchet; a gas spring; a body held by its mover."""
    scene = sh.Scene("drive train")
    shafts = []
    for i, held in enumerate((sh.OneWayClutch(capacity=1.0), sh.Ratchet(0.2, free="down"))):
        arm = scene.body(f"arm{i}", ROD, position=(0.2, i, 0), rotation=(0, 0.5**0.5, 0, 0.5**0.5))
        axle = sh.Revolute(axis=(0, 1, 0), anchor=(0, i, 0))
        shafts.append(scene.joint(f"shaft{i}", axle, scene.world, arm, catch=held))
    scene.couple("mesh", sh.Gear(-1.0, efficiency=0.9, backlash=0.01), *shafts)
    piston = scene.body("piston", sh.Box(0.1, 0.1, 0.1, mass=1.0), position=(0, 2, 0))
    gas = sh.PneumaticSpring(area=1e-3, volume=1e-4, pressure=1.2e5)
    scene.joint("bore", sh.Prismatic(axis=(0, 0, 1), anchor=(0, 2, 0)), scene.world, piston, actuator=gas)
    scene.prescribe("guide", scene.body("guided", sh.Sphere(0.1, mass=1.0), position=(0, 3, 0)))
    return scene


def on_a_mesh() -> sh.Scene:
    """A ball that bounces and a soft one that sinks in, on two triangles."""
    scene = sh.Scene("mesh")
    corners = ((-3, -3, 0), (3, -3, 0), (3, 3, 0), (-3, 3, 0))
    scene.terrain("floor", sh.Mesh(vertices=corners, triangles=((0, 1, 2), (0, 2, 3))))
    scene.material("rubber", sh.Material(restitution=0.5))
    scene.material("foam", sh.Material(stiffness=2e3, damping=20.0))
    for x, material in ((-1.0, "rubber"), (1.0, "foam")):
        touch = sh.Contact(material=material)
        scene.body(material, sh.Sphere(0.1, mass=1.0), position=(x, 0.3, 0.12), velocity=(1, 0, -1), contact=touch)
    return scene


def long_chain() -> sh.Scene:
    """So many links that their dry friction is solved in the matrix."""
    scene = sh.Scene("long chain")
    last = scene.world
    for i in range(30):
        link = scene.body(f"link{i}", sh.Box(0.1, 0.02, 0.02, mass=0.1), position=(0.1 * i + 0.05, 0, 0))
        scene.joint(f"hinge{i}", hinge((0.1 * i, 0, 0)), last, link, friction=sh.Coulomb(0.001))
        last = link
    return scene


SCENES = {
    "balls": (lambda: chain(sh.Spherical), {"solver": "sequential-impulses"}),
    "balls that rub": (lambda: chain(sh.Spherical, friction=sh.Coulomb(0.05)), {}),
    "hinges": (lambda: chain(hinge), {"integrator": "leapfrog"}),
    "springs": (lambda: chain(hinge, spring=sh.Spring(5.0, 0.1)), {"integrator": "rk4"}),
    "rope": (rope, {}),
    "rope, second order": (rope, {"integrator": "leapfrog"}),
    "ball on the ground": (rolling_ball, {}),
    "loop with a limit and bristles": (closed_loop, {}),
    "tyre, box and hull on hills": (on_hills, {}),
    "catches, a lossy gear with play, gas and a mover": (drive_train, {}),
    "bouncing and soft on a mesh": (on_a_mesh, {}),
    "a long chain that rubs": (long_chain, {}),
    "position Verlet": (lambda: chain(hinge), {"integrator": "position-verlet"}),
}


@pytest.mark.parametrize("name", SCENES)
def test_special_and_general_kernels_move_a_scene_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, settings = SCENES[name]
    end: dict[str, Any] = {}
    for kernels in ("special", "general"):
        monkeypatch.setenv("SHARNIR_KERNELS", kernels)
        sim = sh.Simulation(make(), dt=0.002, **settings)
        start = state_of(sim)
        sim.step(STEPS)
        end[kernels] = state_of(sim)
        assert np.abs(end[kernels] - start).max() > 0.1  # it has moved
    assert np.abs(end["special"] - end["general"]).max() < ROUNDED


def parts_of(scene: sh.Scene, solver: str = "direct", integrator: str = "leapfrog", **_: Any) -> set[str]:
    """What the kernel of a scene is specialised on: its features that are on, the members of those that are sets."""
    found = {integrator, solver}
    for name, value in vars(compile_scene(scene, solver, integrator).features).items():
        found |= set(value) if isinstance(value, frozenset) else {name} if value is True else set()
    return found


def test_every_feature_is_in_a_scene_that_both_kernels_move() -> None:
    """Here, or among the examples (``test_example_kernels.py``)."""
    examples = [load_example(name) for name in list_examples()]
    found = set().union(*(parts_of(make(), **settings) for make, settings in SCENES.values()))
    found |= set().union(*(parts_of(example.scene, **example.settings) for example in examples))
    members = {*CONTACT_KINDS, *CATCH_KINDS, *INTEGRATORS, *SOLVERS}
    flags = {field.name for field in fields(Features)} - {"contact_kinds", "catches", "integrator", "general"}
    assert not (flags | members) - found


def state_of(sim: sh.Simulation) -> Any:
    """Poses and velocities of bodies and ropes, as one row of numbers."""
    state = sim.snapshot().arrays["state"]
    return np.concatenate([np.ravel(values) for key, values in state.items() if key != "twist"])


def test_kernels_of_an_unknown_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARNIR_KERNELS", "generic")
    with pytest.raises(sh.SceneError, match="did you mean 'general'"):
        sh.Simulation(chain(hinge), dt=0.01)
