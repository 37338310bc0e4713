"""Ropes that wear a mesh over their bones: described, saved by reference, packed, and told to the view."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
import trimesh

import sharnir as sh
from sharnir.files.pack import pack_scene
from sharnir.runtime.frame_bytes import layout_of, views
from sharnir.runtime.rope_frames import record_ropes, write_ropes
from sharnir.view.world import world_of


@pytest.fixture
def hose(tmp_path):
    (tmp_path / "meshes").mkdir()
    file = tmp_path / "meshes" / "hose.stl"
    trimesh.creation.cylinder(radius=0.02, height=3.0, sections=8).export(file)
    return file


def scene_with(skin: sh.Skin) -> sh.Scene:
    scene = sh.Scene("hose")
    scene.rope(
        "hose", [(0, 0, 2), (1, 0, 2)], radius=0.02, density=900, elements=5, start=sh.Tie(scene.world), skin=skin
    )
    return scene


def test_a_skin_is_saved_by_reference_and_packed(hose, tmp_path):
    scene = scene_with(sh.Skin(str(hose), scale=0.5, color="#ff0000"))
    file = scene.save(tmp_path / "hose.yaml")
    assert "skin: {file: meshes/hose.stl, scale: 0.5, color: '#ff0000'}" in file.read_text()
    again = sh.Scene.load(file)
    assert again.ropes["hose"].spec.skin == sh.Skin(str(tmp_path / "meshes" / "hose.stl"), 0.5, "#ff0000")
    archive = pack_scene(scene, tmp_path / "hose.zip")
    with zipfile.ZipFile(archive) as packed:
        assert "files/1/meshes/hose.stl" in packed.namelist()


def test_the_view_is_told_where_the_mesh_begins_and_ends(hose):
    scene = scene_with(sh.Skin(str(hose), scale=(1.0, 1.0, 0.5)))
    world = world_of(scene)
    (rope,) = world["ropes"]
    assert rope["skin"]["span"] == pytest.approx([-0.75, 0.75])
    assert rope["skin"]["lengths"] == pytest.approx([0.2] * 5)
    assert len(world["surfaces"]) == 1 and rope["skin"]["parts"][0]["surface"] == 0
    assert world_of(scene_with(None))["ropes"][0]["skin"] is None


def test_frames_have_the_bones_of_ropes_with_skins_alone(hose):
    scene = scene_with(sh.Skin(str(hose)))
    layout = layout_of(scene, [], ())
    assert "bones hose" not in layout_of(scene_with(None), [], ()).blocks
    simulation = sh.Simulation(scene, dt=0.01)
    run = simulation.run(0.2)
    frames = np.zeros((2, layout.size), np.uint8)
    _, blocks = views(frames, layout)
    write_ropes(scene, simulation, {name: block[0] for name, block in blocks.items()})
    bone = run[scene.ropes["hose"].bone("start")].values
    np.testing.assert_allclose(blocks["bones hose"][0, 0], bone[-1], atol=1e-6)
    record_ropes(scene, run.data.isel(time=slice(-1, None)), {name: block[1:] for name, block in blocks.items()})
    np.testing.assert_allclose(blocks["bones hose"][1], blocks["bones hose"][0], atol=1e-6)
    assert abs(bone[-1] - bone[0]).max() > 0.1


@pytest.mark.parametrize(
    ("skin", "said"),
    [
        ({"file": "nowhere.stl"}, "rope 'hose' skin: Mesh: there is no file 'nowhere.stl'"),
        ({"file": "", "scale": -1.0}, "rope 'hose' skin: Mesh scale"),
    ],
)
def test_a_skin_that_cannot_be_is_refused_by_name(skin, said):
    with pytest.raises(sh.SceneError, match=said):
        scene_with(sh.Skin(**skin))


def test_a_flat_skin_is_left_out_and_told(tmp_path):
    file = tmp_path / "flat.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n")
    world = world_of(scene_with(sh.Skin(str(file))))
    assert world["ropes"][0]["skin"] is None
    assert any("no length along z" in told for told in world["told"])
