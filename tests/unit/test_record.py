"""Signals and trajectories from frames made by hand, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import sharnir as sh
from sharnir import spatial
from sharnir.quantities import QUANTITIES, evaluate
from sharnir.quantities.frames import Frames, still_frames
from sharnir.record.trajectory import Trajectory

DT = 0.1
OMEGA = 2.0  # rad/s
ARM = 0.5  # m, from the hinge to the centre of mass


def hinged_scene() -> tuple[sh.Scene, sh.Body, sh.Joint]:
    """A rod whose frame sits at its free end, ARM beyond its centre of mass, turning about z through the origin."""
    scene = sh.Scene("rod")
    rod = scene.body("rod", position=(2 * ARM, 0, 0), mass=3.0, center_of_mass=(-ARM, 0, 0), inertia=(0.01, 0.25, 0.25))
    hinge = scene.joint(
        "hinge", sh.Revolute(axis=(0, 0, 1)), scene.world, rod, friction=sh.Coulomb(1.0), limits=(-9, 9)
    )
    return scene, rod, hinge


def hinged_frames(scene: sh.Scene, worlds: int = 1) -> Frames:
    """The rod turning at OMEGA in the first world, and as fast again in each further one."""
    time = np.arange(60) * DT
    frames = still_frames(scene, time, worlds, DT)
    for world in range(worlds):
        rate = OMEGA * (world + 1)
        angle = rate * time
        radial = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
        tangent = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=-1)
        frames["center"][:, 0, world] = ARM * radial
        frames["center_velocity"][:, 0, world] = ARM * rate * tangent
        frames["angular_velocity"][:, 0, world] = (0, 0, rate)
        half = angle / 2
        frames["rotation"][:, 0, world] = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1)
        frames["twist"][:, 0, world] = angle
        frames["reaction"][:, 0, world] = -3.0 * ARM * rate**2 * radial
    return frames


@pytest.fixture
def scene_parts() -> tuple[sh.Scene, sh.Body, sh.Joint]:
    return hinged_scene()


def test_body_signals_are_those_of_its_frame(scene_parts):
    scene, rod, _ = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    angle = OMEGA * run.time
    end = 2 * ARM * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    speed = 2 * ARM * OMEGA * np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=-1)
    np.testing.assert_allclose(run[rod.position], end, atol=1e-12)
    np.testing.assert_allclose(run[rod.velocity], speed, atol=1e-12)
    np.testing.assert_allclose(run[rod.quantity("center_of_mass")], end / 2, atol=1e-12)
    np.testing.assert_allclose(run[rod.kinetic_energy], 0.5 * (0.25 + 3.0 * ARM**2) * OMEGA**2)
    assert run[rod.rotation].dims == ("time", "xyzw")


def test_joint_signals(scene_parts):
    scene, _, hinge = scene_parts
    frames = hinged_frames(scene)
    run = Trajectory.from_frames(scene, frames)
    np.testing.assert_allclose(run[hinge.angle], OMEGA * run.time)  # beyond pi: turns are counted
    np.testing.assert_allclose(run[hinge.speed], OMEGA)
    np.testing.assert_allclose(run[hinge.gap], 0.0, atol=1e-12)
    np.testing.assert_allclose(run[hinge.tilt], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(run[hinge.reaction_force], axis=-1), 3.0 * ARM * OMEGA**2)
    frames["center"][:, 0, :, 2] += 0.002
    assert Trajectory.from_frames(scene, frames)[hinge.gap].values == pytest.approx(0.002)


def test_totals(scene_parts):
    scene, _, _ = scene_parts
    frames = hinged_frames(scene)
    frames["center"][..., 2] = 0.3
    run = Trajectory.from_frames(scene, frames)
    about_axis = 0.25 + 3.0 * ARM**2
    np.testing.assert_allclose(run[scene.kinetic_energy], 0.5 * about_axis * OMEGA**2)
    np.testing.assert_allclose(run[scene.potential_energy], 3.0 * 9.81 * 0.3)
    np.testing.assert_allclose(run[scene.energy], run[scene.kinetic_energy] + run[scene.potential_energy])
    np.testing.assert_allclose(run[scene.angular_momentum][:, 2], about_axis * OMEGA)
    np.testing.assert_allclose(np.linalg.norm(run[scene.momentum], axis=-1), 3.0 * ARM * OMEGA)


def test_coordinates_of_every_kind_have_rates_that_are_their_derivatives():
    """A body in free motion, seen through joints that lock nothing that matters here: rate = d(coordinate)/dt."""
    scene = sh.Scene()
    body = scene.body("body", sh.Sphere(0.1, mass=1.0), position=(0.3, 0.2, 0.4))
    ball = scene.joint("ball", sh.Spherical(anchor=(0.3, 0.2, 0.4)), scene.world, body)
    plane = scene.joint("plane", sh.Planar(anchor=(0.3, 0.2, 0.4)), scene.world, body)
    rod = scene.joint("rod", sh.Distance(anchor_a=(0, 0, 0), anchor_b=(0.3, 0.2, 0.4)), scene.world, body)
    step = 1e-5
    frames = still_frames(scene, np.arange(3) * step, 1, DT)
    omega, velocity = np.array([0.5, -0.7, 0.9]), np.array([0.2, 0.1, -0.4])
    start = spatial.about((1, 2, 3), 0.4)
    for k, t in enumerate((frames.time[:3]).tolist()):
        frames["rotation"][k, 0, 0] = spatial.multiply(spatial.from_vector(omega * t), start)
        frames["center"][k, 0, 0] = np.array([0.3, 0.2, 0.4]) + velocity * t
    frames["center_velocity"][:], frames["angular_velocity"][:] = velocity, omega
    pairs = [(ball, name) for name in ("swing_x", "swing_y", "swing")] + [(plane, "x"), (plane, "y"), (rod, "distance")]
    for joint, name in pairs:
        values = evaluate(scene, frames, joint.coordinate(name))[:, 0]
        rate = evaluate(scene, frames, joint.rate(name))[1, 0]
        assert (values[2] - values[0]) / (2 * step) == pytest.approx(rate, abs=1e-8), name


def test_fixed_bodies_stand_still():
    scene = sh.Scene()
    scene.body("post", fixed=True, position=(1, 2, 3))
    frames = still_frames(scene, np.arange(2) * DT, 1, DT)
    frames["center"][:] = (1, 2, 3)
    run = Trajectory.from_frames(scene, frames)
    np.testing.assert_array_equal(run[scene.bodies["post"].position][-1], (1, 2, 3))
    assert float(run[scene.energy][-1]) == 0.0


def test_evaluate_agrees_with_the_trajectory(scene_parts):
    scene, rod, hinge = scene_parts
    frames = hinged_frames(scene, worlds=2)
    run = Trajectory.from_frames(scene, frames)
    joint_quantities = (hinge.speed, hinge.reaction_force, hinge.stuck(), hinge.limit_impulse())
    for quantity in (rod.position, scene.energy, *joint_quantities):
        np.testing.assert_array_equal(evaluate(scene, frames, quantity), run[quantity].values)


def test_labels_units_and_axes(scene_parts):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    assert isinstance(run.data, xr.Dataset)
    assert run[hinge.angle].attrs["units"] == "rad"
    assert run[hinge.angle].dims == ("time",)
    assert run.data["time"].attrs["units"] == "s"
    assert run.data["position"].sel(body="rod", xyz="x").dims == ("time",)
    none = {"soft", "actuator", "coupling", "term", "ray", "sensor", "beam", "vector_sensor"}
    none |= {"rope", "node", "element", "mover", "ruler", "catch"}
    assert {name for name, found in QUANTITIES.items() if found.owner not in none} == set(run.data.data_vars)
    assert len(run) == 60
    assert run.worlds == 1


def test_reading_leaves_the_dataset_alone(scene_parts):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    run[hinge.angle].attrs["units"] = "furlong"
    assert "units" not in run.data["coordinate"].attrs


def test_worlds(scene_parts):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene, worlds=3))
    assert run[hinge.angle].dims == ("time", "world")
    np.testing.assert_allclose(run.world(2)[hinge.speed], 3 * OMEGA)
    with pytest.raises(sh.SceneError, match="worlds 0 to 2"):
        run.world(3)


def test_save_and_load(scene_parts, tmp_path):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    again = Trajectory.load(run.save(tmp_path / "deep" / "run.nc"))
    xr.testing.assert_identical(again.data, run.data)
    assert again.data["stuck"].dtype == bool
    np.testing.assert_array_equal(again[hinge.angle], run[hinge.angle])


def test_a_missing_or_broken_file_is_explained(tmp_path):
    with pytest.raises(sh.SceneError, match="no trajectory file"):
        Trajectory.load(tmp_path / "run.nc")
    (tmp_path / "run.nc").write_text("not netCDF")
    with pytest.raises(sh.SceneError, match="not a netCDF file"):
        Trajectory.load(tmp_path / "run.nc")


def test_unknown_quantities_are_explained(scene_parts):
    scene, _, _ = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    with pytest.raises(sh.SceneError, match="did you mean 'velocity'"):
        run[sh.Quantity("velocty", "rod", "m/s")]
    with pytest.raises(sh.SceneError, match="did you mean 'rod'"):
        run[sh.Quantity("velocity", "rood", "m/s")]
    with pytest.raises(sh.SceneError, match="did you mean 'gap'"):
        evaluate(scene, hinged_frames(scene), sh.Quantity("gaap", "hinge", "m"))


def test_plot_draws_one_panel_per_unit(scene_parts, tmp_path):
    scene, rod, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    figure = run.plot(hinge.angle, hinge.speed, rod.angular_velocity, file=tmp_path / "run.png")
    angle, speed = figure.axes
    assert angle.get_ylabel().endswith("rad")
    assert speed.get_ylabel().endswith("rad/s")
    assert speed.get_xlabel() == "time, s"
    names = [text.get_text() for text in speed.get_legend().get_texts()]
    assert names[1:] == ["rod angular velocity.x", "rod angular velocity.y", "rod angular velocity.z"]
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_plot_of_errors_is_logarithmic_and_of_plain_numbers_is_named(scene_parts):
    scene, rod, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    errors, turns = run.plot(hinge.gap, rod.rotation).axes
    assert (errors.get_yscale(), errors.get_ylabel()) == ("log", "error, m")
    assert (turns.get_yscale(), turns.get_ylabel()) == ("linear", "rotation")


def test_a_figure_in_an_interactive_session_has_a_window(scene_parts, monkeypatch):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene))
    monkeypatch.setattr("sys.ps1", ">>> ", raising=False)
    from matplotlib import pyplot

    pyplot.switch_backend("agg")
    assert run.plot(hinge.angle).number in pyplot.get_fignums()
    pyplot.close("all")


def test_plot_of_many_worlds_draws_the_first_few(scene_parts):
    scene, _, hinge = scene_parts
    run = Trajectory.from_frames(scene, hinged_frames(scene, worlds=8))
    assert len(run.plot(hinge.angle).axes[0].get_lines()) == 5


def test_plot_of_nothing_is_explained(scene_parts):
    scene, _, _ = scene_parts
    with pytest.raises(sh.SceneError, match="nothing to plot"):
        Trajectory.from_frames(scene, hinged_frames(scene)).plot()
