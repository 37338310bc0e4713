"""Hollow meshes as convex pieces, and an imported model beside the engine that it was made for."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sharnir as sh
from sharnir import cli

PENDULUM = """<mujoco><worldbody><body name="rod" pos="0 0 1" euler="0 50 0"><joint name="j" axis="0 1 0"/>
<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/><body name="tip" pos="0 0 -.5"><joint name="k" axis="0 1 0"/>
<geom type="box" size=".1 .02 .02" pos=".1 0 0"/></body></body></worldbody></mujoco>"""


def test_a_hollow_mesh_touches_as_convex_pieces(tmp_path):
    pytest.importorskip("coacd")
    import trimesh

    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)  # an L of volume 3
    points = np.array([[x, y, z] for z in (0.0, 1.0) for x, y in outline])
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(a, c, b) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    shape = trimesh.Trimesh(points, faces)
    assert shape.is_watertight and shape.volume == pytest.approx(3.0)
    shape.export(tmp_path / "l.stl")
    collision = '<collision><geometry><mesh filename="l.stl"/></geometry></collision>'
    (tmp_path / "l.urdf").write_text(f'<robot name="l"><link name="a">{collision}</link></robot>')
    (hull,) = sh.Scene.load(tmp_path / "l.urdf").bodies["a"].spec.shapes
    assert hull.surface().volume == pytest.approx(3.5)
    pieces = sh.Scene.load(tmp_path / "l.urdf", decompose=True).bodies["a"].spec.shapes
    assert len(pieces) >= 2
    assert sum(piece.surface().volume for piece in pieces) == pytest.approx(3.0, rel=0.03)


def test_an_imported_model_is_compared_with_mujoco(tmp_path, capsys):
    pytest.importorskip("mujoco")
    (tmp_path / "pendulum.xml").write_text(PENDULUM)
    what = ["compare", str(tmp_path / "pendulum.xml"), "--mujoco", "--time", "0.5", "--dt", "0.001", "--json"]
    assert cli.main(what) == 0
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["differences"]}
    # a leapfrog step is of second order: far below a millimetre of half a metre's way
    assert set(found) == {"rod place", "tip place"}
    assert found["tip place"]["largest"] < 1e-4 and found["tip place"]["span"] > 0.3
