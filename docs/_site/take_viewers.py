"""Takes the picture of the page about viewers: KRT-100 with its trailer, by this viewer, MuJoCo's and Newton's.

``python docs/_site/take_viewers.py`` needs Chromium, ``mujoco`` and OSMesa (``apt-get install libosmesa6``). MuJoCo is
given the scene by our own writer, and a sun, a sky and a green ground as its users would give it; ``MUJOCO_GL=egl``
needs no OSMesa. ``--newton PYTHON`` names the Python of an environment with Newton (see ``newton_picture.py``).
"""

from __future__ import annotations

import argparse
import io
import math
import os
import subprocess
import tempfile
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "osmesa")

import mujoco
from PIL import Image

from sharnir.experiment import Experiment
from sharnir.importing.write_mjcf import write_mjcf
from sharnir.view.pictures import SHOW, player
from sharnir.view.recording import recording_of
from sharnir.view.robots import ROBOTS

TO = Path(__file__).resolve().parents[1] / "pictures" / "viewers.webp"
NEWTON = Path(__file__).with_name("newton_picture.py")
SIZE = (720, 450)  # pixels
AZIMUTH, ELEVATION, AWAY, AT = 120.0, -22.0, 6.0, (0.0, 0.0, 0.4)  # degrees, degrees, m, m
SUN = (
    '<light directional="true" castshadow="true" pos="0 0 10" dir="0.37 0.5 -0.78" diffuse="0.9 0.9 0.85" '
    'ambient="0.25 0.25 0.28"/>'
)
SKY = (
    '<asset><texture type="skybox" builtin="gradient" rgb1="0.35 0.5 0.7" rgb2="0.8 0.86 0.9" width="256" '
    'height="256"/></asset>'
)


def by_mujoco(experiment: Experiment) -> Image.Image:
    """The scene by MuJoCo's own renderer, in software."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scene.xml"
        write_mjcf(experiment.scene, file)
        file.write_text(file.read_text().replace("<worldbody>", f"{SKY}<worldbody>{SUN}", 1))
        model = mujoco.MjModel.from_xml_path(str(file))
    model.geom_rgba[model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD] = (0.36, 0.42, 0.24, 1.0)
    model.vis.global_.offwidth, model.vis.global_.offheight = SIZE
    model.vis.quality.shadowsize = 2048
    model.vis.headlight.diffuse[:] = 0.1
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = AT
    camera.distance, camera.azimuth, camera.elevation = AWAY, AZIMUTH, ELEVATION
    renderer = mujoco.Renderer(model, SIZE[1], SIZE[0])
    renderer.update_scene(data, camera)
    picture = Image.fromarray(renderer.render())
    renderer.close()
    return picture


def by_this_viewer(experiment: Experiment) -> Image.Image:
    """The same scene from the same place."""
    experiment.time = 0.01
    a, e = math.radians(AZIMUTH), math.radians(ELEVATION)
    eye = [
        at - AWAY * f
        for at, f in zip(AT, (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)), strict=True)
    ]
    with player(recording_of(experiment.scene, experiment.run().world(0)), SIZE, "light", True) as page:
        page.evaluate("() => sharnir.view.overlay('contacts', false)")
        page.evaluate("(rows) => { sharnir.film(rows) }", [[0.0, *eye, *AT], [1.0, *eye, *AT]])
        page.evaluate(SHOW, 0.0)
        return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def by_newton(experiment: Experiment, python: str) -> Image.Image:
    """The scene by Newton's OpenGL viewer, in an environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file, picture = Path(folder) / "scene.xml", Path(folder) / "picture.png"
        write_mjcf(experiment.scene, file)
        alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([python, str(NEWTON), str(file), str(picture)], check=True, env=alone)
        return Image.open(picture).convert("RGB")


def main() -> None:
    """Take them, side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newton", metavar="PYTHON", help="the Python of an environment that has Newton")
    options = parser.parse_args()
    pictures = [by_this_viewer(ROBOTS["krt100_rough"]()), by_mujoco(ROBOTS["krt100_rough"]())]
    if options.newton:
        pictures.append(by_newton(ROBOTS["krt100_rough"](), options.newton))
    row = Image.new("RGB", (len(pictures) * SIZE[0], SIZE[1]))
    for i, picture in enumerate(pictures):
        row.paste(picture, (i * SIZE[0], 0))
    row.save(TO, quality=85, method=6)


if __name__ == "__main__":
    main()
