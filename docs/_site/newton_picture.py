"""Draws an MJCF file by Newton's OpenGL viewer, without a window: ``python newton_picture.py SCENE.xml PICTURE.png``.

It runs where ``newton[sim,examples]``, ``pyglet`` and ``imgui_bundle`` are installed; ``take_viewers.py --newton``
calls it. ``PYGLET_HEADLESS=1`` makes pyglet draw through EGL.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("PYGLET_HEADLESS", "1")

import newton
import newton.viewer
import warp as wp
from PIL import Image

SIZE = (720, 450)  # pixels
PITCH, YAW = -22.0, 120.0  # degrees
FIELD = 45.0  # degrees
PLACE = (2.7816, -4.8178, 2.6476)  # m: 6 m from (0, 0, 0.4) along that direction


def main(scene: str, picture: str) -> None:
    """Draw the bodies where the file has them."""
    builder = newton.ModelBuilder()
    builder.add_mjcf(scene)
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    viewer = newton.viewer.ViewerGL(width=SIZE[0], height=SIZE[1], headless=True)
    viewer.set_model(model)
    viewer.show_collision = True  # wheels and ground are; by itself it shows only what does not collide
    viewer.camera.fov = FIELD
    viewer.set_camera(wp.vec3(*PLACE), PITCH, YAW)
    for _ in range(2):  # shadows are there with the second
        viewer.begin_frame(0.0)
        viewer.log_state(state)
        viewer.end_frame()
    Image.fromarray(viewer.get_frame().numpy()).convert("RGB").save(picture)
    viewer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
