"""Bad shapes, materials and terrain are refused with an error that names the object, the value and the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from test_bad_scenes import INF, NAN, refused

import sharnir as sh
from sharnir.model.compile import compile_scene
from sharnir.scene.surfaces import AnySurface

BALL = sh.Sphere(0.1, mass=1.0)


def compiled(scene: sh.Scene) -> object:
    return compile_scene(scene, "direct", "semi-implicit-euler")


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        (sh.Sphere(0.0, mass=1), ("Sphere radius", "above zero")),
        (sh.Wheel(0.3, -1.0, mass=1), ("Wheel width", "above zero")),
        (sh.Wheel(0.3, 0.1, rounding=0.06, mass=1), ("Wheel rounding is 0.06", "0.05 m")),
        (sh.Wheel(0.3, 1.0, mass=1), ("Wheel rounding is 0.5", "0.3 m")),
        (sh.ConvexHull(mass=1), ("ConvexHull", "points or file")),
        (sh.ConvexHull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0)), mass=1), ("3 points", "four or more")),
        (sh.ConvexHull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), mass=1), ("4 points", "one plane")),
        (sh.ConvexHull(points=((0, 0, 0), (1, NAN, 0), (0, 1, 0), (1, 1, 1)), mass=1), ("points (m)[1]", "finite")),
        (sh.ConvexHull(file="nowhere.stl", mass=1), ("no file 'nowhere.stl'",)),
    ],
)
def test_shapes(shape: Any, parts: tuple[str, ...]) -> None:
    refused("body 'b'", *parts, action=lambda: sh.Scene().body("b", shape))


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"friction": -0.1}, ("friction is -0.1", "negative")),
        ({"friction": NAN}, ("friction", "finite")),
        ({"restitution": 1.5}, ("restitution is 1.5", "between 0 and 1")),
        ({"stiffness": 0.0}, ("stiffness (N/m) is 0", "above zero")),
        ({"damping": 5.0}, ("damping 5", "stiffness")),
        ({"rolling_friction": INF}, ("rolling_friction (m)", "finite")),
    ],
)
def test_materials(given: dict[str, float], parts: tuple[str, ...]) -> None:
    refused("material 'm'", *parts, action=lambda: sh.Scene().material("m", sh.Material(**given)))


def test_names_of_materials() -> None:
    scene = sh.Scene()
    scene.material("ice", sh.Material())
    refused("material 'ice' already", action=lambda: scene.material("ice", sh.Material()))
    refused("'icy'", "did you mean 'ice'", action=lambda: scene.material_pair("ice", "icy", sh.Material()))
    scene.material_pair("ice", "default", sh.Material())
    refused("given already", action=lambda: scene.material_pair("default", "ice", sh.Material()))
    refused("material 'x' is 3", "sh.Material", action=lambda: scene.material("x", 3))  # type: ignore[arg-type]
    scene.ground(material="rubbr")
    scene.body("b", BALL)
    refused("terrain 'ground'", "'rubbr'", action=lambda: compiled(scene))
    scene = sh.Scene()
    scene.ground()
    scene.body("b", BALL, contact=sh.Contact(material="rubber"))
    refused("body 'b'", "'rubber'", "default", action=lambda: compiled(scene))


def test_contact_of_a_body() -> None:
    scene = sh.Scene()
    refused("body 'b' contact is 'yes'", "True", action=lambda: scene.body("b", BALL, contact="yes"))  # type: ignore[arg-type]
    refused("'b' contact groups", "texts", action=lambda: scene.body("b", BALL, contact=sh.Contact(groups="wheels")))  # type: ignore[arg-type]
    refused("no groups", "contact=False", action=lambda: scene.body("b", BALL, contact=sh.Contact(groups=())))
    scene.ground()
    for i in range(32):
        scene.body(f"b{i}", BALL, contact=sh.Contact(groups=(f"group {i}",)))
    refused("33 contact groups", "31", "merge", action=lambda: compiled(scene))


@pytest.mark.parametrize(
    ("surface", "parts"),
    [
        (sh.HeightField(), ("one of heights, file and relief",)),
        (sh.HeightField(heights=((0, 0), (0, NAN))), ("row 1, column 1", "nan", "give a finite number")),
        (sh.HeightField(heights=((0, 0), (INF, 0))), ("row 1, column 0", "inf")),
        (sh.HeightField(heights=((0, 0), (0, 0, 0))), ("rows of the same length",)),
        (sh.HeightField(heights=((0,),)), ("shape (1, 1)", "2 by 2")),
        (sh.HeightField(heights=((0, 0), (0, 0)), spacing=(1.0, 0.0)), ("spacing", "above zero")),
        (sh.HeightField(relief=sh.Stairs(rise=1)), ("needs a size",)),
        (sh.HeightField(relief=sh.Stairs(rise=1, tread=0), size=(1, 1)), ("Stairs tread", "above zero")),
        (sh.HeightField(relief=sh.Roughness(rms=-1), size=(1, 1)), ("rms", "negative")),
        (sh.HeightField(relief=sh.Roughness(rms=1, shortest=9), size=(1, 1)), ("shortest is 9", "swap")),
        (sh.HeightField(relief=sh.Stairs(rise=1), size=(1e6, 1e6), spacing=1e-3), ("widen the spacing",)),
        (sh.HeightField(file="nowhere.png"), ("no file 'nowhere.png'",)),
        (sh.Mesh(vertices=(), triangles=()), ("no triangle with an area",)),
        (sh.Mesh(vertices=((0, 0, 0), (1, 0, 0), (2, 0, 0)), triangles=((0, 1, 2),)), ("no triangle with an area",)),
        (sh.Mesh(vertices=((0, 0, 0), (1, NAN, 0), (0, 1, 0)), triangles=((0, 1, 2),)), ("not finite", "repair")),
        (sh.Mesh(vertices=((0, 0, 0), (1, 0, 0), (0, 1, 0)), triangles=((0, 1, 3),)), ("vertex 3 of 3",)),
        (sh.Box(1, 1, 1), ("not a surface", "HeightField")),
    ],
)
def test_terrain(surface: Any, parts: tuple[str, ...]) -> None:
    refused("terrain 't'", *parts, action=lambda: sh.Scene().terrain("t", surface))


def test_a_file_that_is_no_height_map(tmp_path: Path) -> None:
    for name in ("bad.npy", "bad.png"):
        (tmp_path / name).write_text("no heights")
        field = sh.HeightField(file=str(tmp_path / name))
        refused("terrain 't'", name, "cannot be read", action=lambda field=field: sh.Scene().terrain("t", field))
    np.save(tmp_path / "objects.npy", np.array([[{}, {}], [{}, {}]]), allow_pickle=True)  # reading it could run code
    field = sh.HeightField(file=str(tmp_path / "objects.npy"))
    refused("terrain 't'", "cannot be read", action=lambda: sh.Scene().terrain("t", field))


def mesh_of(surface: Any, **given: Any) -> sh.Mesh:
    return sh.Mesh(vertices=surface.vertices, triangles=surface.faces, **given)


def test_a_concave_mesh_moves_only_without_contact() -> None:
    ring = mesh_of(trimesh.creation.annulus(0.2, 0.4, 0.1), density=1.0)
    scene = sh.Scene()
    scene.body("ring", ring)
    compiled(scene)  # nothing touches here
    scene.ground()
    refused("body 'ring'", "not convex", "ConvexHull", "collides=False", action=lambda: compiled(scene))
    for given in ({"contact": False}, {"fixed": True}):
        scene = sh.Scene()
        scene.ground()
        scene.body("ring", ring, **given)  # type: ignore[arg-type]
        scene.body("ball", BALL)
        compiled(scene)
    scene = sh.Scene()
    scene.ground()
    scene.body("brick", mesh_of(trimesh.creation.box((1, 2, 3)), density=1.0))
    assert compiled(scene).features.contact_kinds == {"round", "convex"}  # type: ignore[attr-defined]


def test_triangles_without_area_and_holes_are_no_trouble() -> None:
    vertices = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0, 0))
    mesh = sh.Mesh(vertices=vertices, triangles=((0, 1, 2), (0, 2, 3), (0, 4, 1), (3, 3, 3)))
    scene = sh.Scene()
    scene.terrain("sheet", mesh)
    scene.body("ball", BALL)
    model = compiled(scene).model  # type: ignore[attr-defined]
    assert model["triangle"].reshape(-1, 6).tolist() == [[0, 1, 2, -1, -1, 3], [0, 2, 3, 1, -1, -1]]


def test_every_surface_is_known() -> None:
    assert {kind.__name__ for kind in AnySurface.__args__} == {"Plane", "HeightField", "Mesh"}


def test_contacts_of_a_world_that_is_not_there() -> None:
    scene = sh.Scene()
    scene.ground()
    scene.body("box", sh.Box(1, 1, 1, mass=1.0), position=(0, 0, 0.5))
    with pytest.raises(sh.SceneError, match="there is no world 3"):
        sh.Simulation(scene).contacts(3)
