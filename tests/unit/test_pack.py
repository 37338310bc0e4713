"""A scene with its files as one archive, and back; archives that lead out of the folder, or lie, are refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PIL import Image

import sharnir as sh
from sharnir import cli
from sharnir.files.scene_file import content_of
from sharnir.view.world import world_of

OBJ = "mtllib my signs.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl p\nf 1/1 2/2 3/3\n"


@pytest.fixture
def robot(tmp_path):
    folder = tmp_path / "robot" / "meshes"
    (folder / "pictures").mkdir(parents=True)
    (folder / "sign.obj").write_text(OBJ)
    (folder / "my signs.mtl").write_text("newmtl p\nKd 1 1 1\nmap_Kd pictures/sign.png\n")
    Image.new("RGB", (8, 8), (10, 200, 30)).save(folder / "pictures" / "sign.png")
    file = tmp_path / "robot" / "robot.urdf"
    visual = '<visual><geometry><mesh filename="meshes/sign.obj"/></geometry></visual>'
    file.write_text(
        f'<robot name="r"><link name="a">{visual}</link><link name="b"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    return file


def test_a_robot_is_packed_with_all_its_files_and_unpacked_elsewhere(robot, tmp_path, capsys):
    archive = tmp_path / "robot.zip"
    assert cli.main(["pack", str(robot), "--out", str(archive)]) == 0
    files = ("meshes/my signs.mtl", "meshes/pictures/sign.png", "meshes/sign.obj")
    inside = ["scene.yaml", *(f"files/1/{name}" for name in files)]
    assert zipfile.ZipFile(archive).namelist() == inside
    first = archive.read_bytes()
    assert cli.main(["pack", str(robot), "--out", str(archive)]) == 0 and archive.read_bytes() == first
    assert cli.main(["unpack", str(archive), "--out", str(tmp_path / "new")]) == 0
    again, scene = sh.Scene.load(tmp_path / "new" / "scene.yaml"), sh.Scene.load(robot)
    new, old = world_of(again), world_of(scene)
    assert new["textures"] == old["textures"] and len(old["textures"]) == 1
    assert content_of(again, lambda file: Path(file).name) == content_of(scene, lambda file: Path(file).name)


@pytest.mark.parametrize(
    "name", ["../out.txt", "/out.txt", "files/../../out.txt", "files/1/../../../out.txt", "C:/out.txt", "out.txt"]
)
def test_nothing_is_written_outside_of_the_folder(tmp_path, name, capsys):
    archive = tmp_path / "bad.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("scene.yaml", "sharnir: 1")
        made.writestr(name, "x")
    assert cli.main(["unpack", str(archive), "--out", str(tmp_path / "in" / "side")]) == 2
    assert "which is no file of a scene" in capsys.readouterr().err
    assert not list(tmp_path.rglob("out.txt")) and not (tmp_path / "in").exists()


def test_what_is_no_archive_and_what_is_there_already_is_refused(robot, tmp_path, capsys):
    (tmp_path / "text.zip").write_text("no archive")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as made:
        made.writestr("scene.yaml", "sharnir: 1")
        link = zipfile.ZipInfo("files/1/link")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
    for name, why in (("text", "cannot be unpacked"), ("empty", "holds no scene.yaml"), ("link", "do not trust it")):
        assert cli.main(["unpack", str(tmp_path / f"{name}.zip"), "--out", str(tmp_path / name)]) == 2
        assert why in capsys.readouterr().err
    assert cli.main(["pack", str(robot), "--out", str(tmp_path / "r.zip")]) == 0
    assert cli.main(["unpack", str(tmp_path / "r.zip"), "--out", str(tmp_path / "r")]) == 0
    assert cli.main(["unpack", str(tmp_path / "r.zip"), "--out", str(tmp_path / "r")]) == 2
    assert "give an empty folder" in capsys.readouterr().err
