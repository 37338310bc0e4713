"""Numbers that differ between worlds: each world is to the bit the scene alone that was built with its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest

import sharnir as sh
from sharnir.studies.address import find, with_numbers

ROD = {"position": (0.2, 0, 0), "rotation": (0, 0.5**0.5, 0, 0.5**0.5)}
STEPS = 60  # so that what was thrown has come to roll


def hinged(**carried: Any) -> sh.Scene:
    """A rod on a hinge, let go level; what its hinge carries is varied."""
    scene = sh.Scene("hinged")
    rod = scene.body("rod", sh.Capsule(radius=0.02, length=0.3, mass=1.0), **ROD)  # type: ignore[arg-type]
    scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, rod, **carried)
    return scene


def heavy() -> sh.Scene:
    """A body whose mass and inertia are given by themselves."""
    scene = sh.Scene("heavy")
    at = {"position": (0.2, 0.1, 0), "velocity": (0.1, 0, 0)}
    rod = scene.body("rod", mass=1.0, inertia=(0.02, 0.01, 0.015), center_of_mass=(0.0, 0.0, 0.0), **at)
    scene.joint("ball", sh.Spherical(), scene.world, rod)
    return scene


def driven() -> sh.Scene:
    return hinged(drive=sh.DcDrive(stall_torque=0.5, idle_speed=300.0, time_constant=0.02, ratio=20.0))


def geared() -> sh.Scene:
    scene = hinged()
    wheel = scene.body("wheel", mass=1.0, inertia=(0.01,) * 3, position=(1, 0, 0))
    shaft = scene.joint("shaft", sh.Revolute(axis=(0, 1, 0), anchor=(1, 0, 0)), scene.world, wheel)
    scene.couple("pair", sh.Gear(-2.0), scene.joints["pin"], shaft)
    return scene


def servoed() -> sh.Scene:
    """A servo that stays at zero while the rod falls."""
    motor = sh.DcDrive(stall_torque=0.5, idle_speed=300.0, time_constant=0.02, ratio=20.0, efficiency=0.7)
    return hinged(drive=sh.PositionServo(motor, gain=2.0, damping=0.1, integral=0.5))


def thrown() -> sh.Scene:
    """A ball of rubber and a block of wood thrown on the ground; other scenes with contact share their kernel."""
    scene = sh.Scene("thrown")
    scene.material("rubber", sh.Material(friction=0.8, restitution=0.5, rolling_friction=0.002))
    scene.material("wood", sh.Material(friction=0.3, stiffness=1e5, damping=100.0))
    scene.ground()
    for name, shape in (("rubber", sh.Sphere(0.1, mass=1.0)), ("wood", sh.Box(0.2, 0.2, 0.2, mass=1.0))):
        at = {"position": (0, float(name == "wood"), 0.11), "velocity": (3, 0, -1)}  # it slides, then rolls
        scene.body(name, shape, contact=sh.Contact(material=name), **at)  # type: ignore[arg-type]
    return scene


def rope() -> sh.Scene:
    scene = sh.Scene("rope")
    made: dict[str, Any] = {"radius": 0.01, "density": 1000.0, "bending": 1e-3, "twisting": 1e-3, "damping": 0.05}
    scene.rope("rope", [(0, 0, 0), (1, 0, 0)], elements=10, start=sh.Tie(body="world"), **made)
    return scene


STRIBECK = sh.Stribeck(0.05, 0.08, 0.1, viscous=0.02)
LUGRE = sh.LuGre(0.05, 0.08, 0.1, stiffness=50.0, damping=0.3, viscous=0.02)
LOADED = sh.Coulomb(0.3, load=sh.Load(radius=0.05, preload=3.0))
SPRING = sh.Spring(5.0, 0.1, rest=0.2, preload=0.05)

VARIED: dict[str, tuple[Callable[[], sh.Scene], tuple[float, float, float]]] = {
    "gravity.z": (hinged, (-9.81, -1.62, -3.7)),
    "rod.mass": (heavy, (1.0, 2.0, 0.5)),
    "rod.inertia.0": (heavy, (0.02, 0.018, 0.021)),
    "rod.velocity.y": (heavy, (0.0, 0.3, -0.2)),
    "pin.friction.viscous": (lambda: hinged(friction=STRIBECK), (0.02, 0.05, 0.2)),
    "pin.friction.speed": (lambda: hinged(friction=STRIBECK), (0.1, 0.5, 2.0)),
    "pin.friction.static": (lambda: hinged(friction=STRIBECK), (0.08, 0.09, 0.2)),
    "pin.friction.level": (lambda: hinged(friction=STRIBECK), (0.05, 0.06, 0.02)),
    "pin.friction.stiffness": (lambda: hinged(friction=LUGRE), (50.0, 80.0, 20.0)),
    "pin.friction.damping": (lambda: hinged(friction=LUGRE), (0.3, 0.1, 0.5)),
    "pin.spring.stiffness": (lambda: hinged(spring=SPRING), (5.0, 20.0, 1.0)),
    "pin.spring.damping": (lambda: hinged(spring=SPRING), (0.1, 0.5, 0.01)),
    "pin.spring.rest": (lambda: hinged(spring=SPRING), (0.2, -0.4, 1.0)),
    "pin.spring.preload": (lambda: hinged(spring=SPRING), (0.05, 0.3, -0.3)),
    "pin.limits.upper": (lambda: hinged(limits=(-1.0, 0.1)), (0.1, 0.05, 0.2)),
    "pin.stall_torque": (driven, (0.5, 1.0, 0.1)),
    "pin.idle_speed": (driven, (300.0, 100.0, 800.0)),
    "pin.time_constant": (driven, (0.02, 0.05, 0.01)),
    "pin.ratio": (driven, (20.0, 30.0, 5.0)),
    "pin.drive.drive.efficiency": (servoed, (0.7, 0.9, 0.5)),
    "pin.drive.gain": (servoed, (2.0, 5.0, 0.5)),
    "pin.drive.damping": (servoed, (0.1, 0.5, 0.02)),
    "pin.drive.integral": (servoed, (0.5, 5.0, 1.0)),
    "pin.load.radius": (lambda: hinged(friction=LOADED), (0.05, 0.1, 0.02)),
    "pin.load.preload": (lambda: hinged(friction=LOADED), (3.0, 10.0, 1.0)),
    "materials.rubber.friction": (thrown, (0.8, 0.1, 0.4)),
    "materials.rubber.restitution": (thrown, (0.5, 0.9, 0.2)),
    "materials.rubber.rolling_friction": (thrown, (0.002, 0.02, 0.01)),
    "materials.wood.stiffness": (thrown, (1e5, 3e4, 5e5)),
    "materials.wood.damping": (thrown, (100.0, 1000.0, 10.0)),
    "rope.bending": (rope, (1e-3, 1e-2, 1e-4)),
    "rope.damping": (rope, (0.05, 0.5, 0.01)),
    "rope.density": (rope, (1000.0, 3000.0, 700.0)),
    "pair.coupling.ratio": (geared, (-2.0, 3.0, 0.5)),
    "rod.center_of_mass.y": (heavy, (0.0, 0.05, -0.02)),
    "rubber.shapes.0.radius": (thrown, (0.1, 0.12, 0.08)),
}


@pytest.mark.parametrize("name", VARIED)
def test_worlds_are_to_the_bit_the_scenes_built_with_their_numbers(name: str) -> None:
    make, values = VARIED[name]
    scene = make()
    batch = sh.Simulation(scene, dt=0.005, worlds=3, ignored_warnings=["odd-units"])
    batch.vary({name: values})
    batch.reset()
    alone = [with_numbers(scene, {find(scene, name): value}) for value in values]
    sims = [sh.Simulation(one, dt=0.005, ignored_warnings=["odd-units"]) for one in alone]
    batch_run = batch.run(STEPS * 0.005, voltage=_voltage(scene))
    runs = [sim.run(STEPS * 0.005, voltage=_voltage(sim.scene)) for sim in sims]
    for variable in batch_run.data.data_vars:
        if "world" in batch_run.data[variable].dims:
            for world, run in enumerate(runs):
                found = batch_run.data[variable].sel(world=world).values
                np.testing.assert_array_equal(found, run.data[variable].values, err_msg=str(variable))
    moved = "node_position" if scene.ropes else "velocity"
    assert len({run.data[moved].values[-2].tobytes() for run in runs}) == 3  # the number matters


def _voltage(scene: sh.Scene) -> dict[sh.Joint, float]:
    return {joint: 0.5 for joint in scene.joints.values() if joint.drives}


def test_what_belongs_to_the_structure_is_refused_by_name() -> None:
    sim = sh.Simulation(hinged(friction=STRIBECK), dt=0.005, worlds=2)
    with pytest.raises(
        sh.SceneError, match=r"'pin.friction.viscous' cannot differ between worlds as given: in world 1"
    ):
        sim.vary({"gravity.z": [-9.81, -1.0], "pin.friction.viscous": [0.02, 0.0]})
    with pytest.raises(sh.SceneError, match=r"the scene has no number 'pin.viscosity'"):
        sim.vary({"pin.viscosity": [1.0, 2.0]})
    with pytest.raises(sh.SceneError, match=r"'rod.mass' is given values of shape"):
        sim.vary({"rod.mass": [1.0, 2.0, 3.0]})
    with pytest.raises(sh.SceneError, match=r"must be above zero"):
        sim.vary({"rod.mass": [1.0, -2.0]})


def watched() -> sh.Scene:
    """A rod on a ball joint over a stone, with a sensor of every kind that reads sizes, frames or centres."""
    scene = heavy()
    rod, ball = scene.bodies["rod"], scene.joints["ball"]
    stone = scene.body("stone", sh.Sphere(0.1, mass=1.0), contact=sh.Contact(), position=(0.2, 0.1, -1.0))
    scene.joint("slide", sh.Prismatic(axis=(0, 0, 1)), scene.world, stone)
    noise = sh.Noise(density=1e-3, spread=0.01)
    scene.sensor("imu", sh.Imu(position=(0.1, 0, 0), accelerometer=noise, gyro=noise), rod)
    scene.sensor("place", sh.PoseSensor(position=(0, 0, 0.1)), rod)
    scene.sensor("twist", sh.Encoder(), ball.coordinate("twist"))
    scene.sensor("cell", sh.ForceTorque(), ball)
    scene.sensor("beam", sh.RangeFinder(direction=(0, 0, -1), reach=5.0), rod)
    scene.ray("feeler", rod, direction=(0, 0, -1), reach=5.0)
    return scene


SIZES = {
    "rod.center_of_mass.y": (0.0, 0.05, 0.05, -0.02),
    "stone.shapes.0.radius": (0.1, 0.12, 0.12, 0.08),
    "imu.gyro.density": (1e-3, 2e-3, 2e-3, 5e-3),
}


def lifting(scene: sh.Scene) -> sh.Diagram:
    """Pushes the stone up by where the rod's frame is and how fast it goes, which follow from its centre of mass."""
    diagram, rod = sh.Diagram(), scene.bodies["rod"]
    near = diagram.gain(diagram.signal(rod.position, "y"), 10.0, unit="N")
    diagram.effort(scene.joints["slide"], near + diagram.gain(diagram.signal(rod.velocity, "z"), 3.0, unit="N"))
    return diagram


def test_sizes_differ_beside_sensors_rays_and_diagrams() -> None:
    """All of them read, in every world, what they read in the scene alone that was built with its numbers."""
    scene = watched()
    batch = sh.Simulation(scene, dt=0.005, worlds=4, seed=7)
    batch.vary(SIZES)
    batch.reset()
    found = batch.run(0.1, control=lifting(scene))
    for world in range(4):
        own = with_numbers(scene, {find(scene, name): values[world] for name, values in SIZES.items()})
        alone = sh.Simulation(own, dt=0.005, seed=7 + world)
        run = alone.run(0.1, control=lifting(own))
        for variable in found.data.data_vars:
            if "world" in found.data[variable].dims:
                mine = found.data[variable].sel(world=world).values
                np.testing.assert_array_equal(mine, run.data[variable].values, err_msg=str(variable))
        straight = [sim.ray((0.2, 0.1, 5.0), (0, 0, -1), world=w).distance for sim, w in ((batch, world), (alone, 0))]
        assert straight[0] == straight[1]
    distance = found[scene.sensors["beam"].reading()].isel(time=0).values
    np.testing.assert_allclose(distance, 1.0 - np.array(SIZES["stone.shapes.0.radius"]), atol=1e-12)


def test_a_diagram_that_runs_already_reads_sizes_that_differ_later() -> None:
    scene = watched()
    scene.diagram = lifting(scene)
    sims = [sh.Simulation(scene, dt=0.005, worlds=2) for _ in range(2)]
    numbers = {"rod.center_of_mass.y": [0.0, 0.05]}
    sims[0].step(3)
    for sim in sims:
        sim.vary(numbers)
        sim.reset()
        sim.step(20)
    np.testing.assert_array_equal(
        sims[0].get(scene.bodies["stone"].position), sims[1].get(scene.bodies["stone"].position)
    )
    heights = sims[0].get(scene.bodies["stone"].position)[:, 2]
    assert heights[0] != heights[1]


def test_bodies_are_moved_by_hand_where_sizes_differ() -> None:
    scene = hinged()
    rod = scene.bodies["rod"]
    sim = sh.Simulation(scene, dt=0.005, worlds=2)
    sim.vary({"rod.shapes.0.length": [0.3, 0.4]})
    turned = (0, 0.6, 0, 0.8)
    sim.set(rod.rotation, turned)
    sim.set(rod.position, (0.0, 0, -0.2))
    np.testing.assert_allclose(sim.get(rod.position), [(0.0, 0, -0.2)] * 2, atol=1e-15)
    np.testing.assert_allclose(sim.get(scene.joints["pin"].angle), 2 * np.arctan2(0.6, 0.8) - np.pi / 2, atol=1e-12)


def test_when_sensors_sample_is_the_same_in_all_worlds() -> None:
    scene = heavy()
    scene.sensor("encoder", sh.Encoder(rate=100.0), scene.joints["ball"].coordinate("twist"))
    sim = sh.Simulation(scene, dt=0.005, worlds=2)
    told = r"'encoder.rate' cannot differ between worlds as given: in world 1 .* \(when sensors take samples\)"
    with pytest.raises(sh.SceneError, match=told):
        sim.vary({"encoder.rate": [100.0, 50.0]})


def test_matrices_and_poses_have_the_numbers_of_each_world() -> None:
    """Of every world those of the scene alone: spring and gear ratio are numbers that the arrays do not hold all of."""
    scene = geared()
    pin = scene.joints["pin"]
    pin.describe(msgspec.structs.replace(pin.spec, spring=SPRING))
    batch = sh.Simulation(scene, dt=0.005, worlds=3)
    numbers = {"pin.spring.stiffness": (5.0, 20.0, 5.0), "pair.coupling.ratio": (-2.0, 3.0, -2.0)}
    batch.vary(numbers)
    batch.pose({pin: [0.1, 0.2, 0.3]})
    found = [batch.mass_matrix(), batch.bias(), batch.inverse_dynamics({pin: 1.0}), batch.forward_dynamics()]
    found += [batch.jacobian(scene.bodies["wheel"]), batch.linearise().A, batch.get(scene.joints["shaft"].angle)]
    for world in range(3):
        own = {find(scene, name): values[world] for name, values in numbers.items()}
        alone = sh.Simulation(with_numbers(scene, own), dt=0.005)
        joints = alone.scene.joints
        alone.pose({joints["pin"]: 0.1 * (world + 1)})
        expected = [alone.mass_matrix(), alone.bias(), alone.inverse_dynamics({joints["pin"]: 1.0})]
        expected += [alone.forward_dynamics(), alone.jacobian(alone.scene.bodies["wheel"]), alone.linearise().A]
        expected += [alone.get(joints["shaft"].angle)]
        for batched, single in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(batched)[world], single, rtol=1e-9, atol=1e-9)


def test_what_was_varied_belongs_to_a_snapshot_and_adds_up() -> None:
    scene = hinged(spring=SPRING)
    sim = sh.Simulation(scene, dt=0.005, worlds=2)
    sim.vary({"pin.spring.stiffness": [5.0, 20.0]})
    kept = sim.snapshot()
    sim.vary({"pin.spring.rest": [0.2, 0.4]})
    assert [sim.scene_of(w).joints["pin"].springs["angle"].stiffness for w in (0, 1)] == [5.0, 20.0]
    force = sim.get(scene.joints["pin"].spring_force())
    np.testing.assert_allclose(force, [0.05 + 5.0 * 0.2, 0.05 + 20.0 * 0.4], rtol=1e-12)
    sim.restore(kept)
    np.testing.assert_allclose(sim.get(scene.joints["pin"].spring_force()), [0.05 + 1.0, 0.05 + 4.0], rtol=1e-12)
