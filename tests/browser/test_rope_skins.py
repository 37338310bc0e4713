"""A rope that wears a mesh, as the browser bends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import trimesh
from stills import Still, recording

import sharnir as sh
from sharnir import spatial

ELEMENTS, AROUND, RADIUS = 12, 8, 0.05
WORN = """() => {
  const [rope] = sharnir.view.ropes.ropes;
  const { position, normal } = rope.skin.meshes[0].geometry.attributes;
  const [places, normals] = [position, normal].map(({ array }) => Array.from(array));
  return { tube: rope.mesh.visible, skin: rope.skin.meshes[0].visible, places, normals };
}"""


def hose(file: Path) -> None:
    """A pipe from z = 0 to 1 with rings at both ends and in the middle of each of the rope's elements."""
    heights = np.array([0.0, *((np.arange(ELEMENTS) + 0.5) / ELEMENTS), 1.0])
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    rings = [[(RADIUS * np.cos(a), RADIUS * np.sin(a), z) for a in angles] for z in heights]
    faces = []
    for i in range(len(heights) - 1):
        for k in range(AROUND):
            p, q = AROUND * i + k, AROUND * i + (k + 1) % AROUND
            faces += [(p, q, p + AROUND), (q, q + AROUND, p + AROUND)]
    trimesh.Trimesh(np.array(rings).reshape(-1, 3), faces, process=False).export(file)


def test_a_skin_bends_and_twists_with_the_bones_of_its_rope(chromium: Any, tmp_path: Path) -> None:
    hose(tmp_path / "hose.ply")
    scene = sh.Scene("hose")
    turn = np.linspace(0, np.pi / 2, ELEMENTS + 1)
    path = np.column_stack([np.cos(turn), np.zeros(ELEMENTS + 1), 1 + np.sin(turn)])
    rope = scene.rope(
        "hose", path, radius=0.02, density=900, twist=2.0, bending=1.0, skin=sh.Skin(str(tmp_path / "hose.ply"))
    )
    still = Still(chromium, tmp_path, recording(scene))
    worn = still.page.evaluate(WORN)
    assert worn["skin"] and not worn["tube"]
    rings = np.array(worn["places"]).reshape(ELEMENTS + 2, AROUND, 3)
    normals = np.array(worn["normals"]).reshape(ELEMENTS + 2, AROUND, 3)
    for i in range(ELEMENTS):
        middle = (rope.nodes[i] + rope.nodes[i + 1]) / 2
        out = spatial.rotate(rope.rotations[i], (1.0, 0.0, 0.0))
        np.testing.assert_allclose(rings[i + 1, 0], middle + RADIUS * out, atol=1e-4)
        assert normals[i + 1, 0] @ out > 0.95
    np.testing.assert_allclose(rings[0].mean(axis=0), rope.nodes[0], atol=1e-4)
    np.testing.assert_allclose(rings[-1].mean(axis=0), rope.nodes[-1], atol=1e-4)
    still.page.evaluate("() => { sharnir.view.ropes.byTension = true }")
    still.page.evaluate("() => { sharnir.view.fresh = sharnir.view.stale = true; sharnir.view.render() }")
    assert still.page.evaluate(WORN)["tube"]
