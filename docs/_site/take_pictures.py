"""Takes the pictures of the gallery: runs the examples, and saves a view of each and its plots, small.

``make gallery`` takes those that are missing; names of examples take these anew. It needs Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import sharnir as sh
from sharnir.experiment import list_examples, load_example
from sharnir.view.pictures import save_picture
from sharnir.view.recording import recording_of

FOLDER = Path(__file__).resolve().parents[1] / "pictures" / "gallery"
VIEW = (1148, 764)  # pixels, of the page; the view is 800 x 500 of it
CARD, PLOT = 800, 900  # pixels, the widths of pictures
QUALITY = 80
NEARNESS = 0.95  # of the ball about everything that is shown
PLOTTED = {"dc_drive", "gear_change", "heavy_tip", "speed_control"}  # their view shows little: a plot stands for it
WHEN = {"energy": 0.1, "rope_knot": 1.0, "rope_tow": 0.3}  # share of the run that the picture shows; a half if not here


def take(name: str) -> None:
    """The view of one example, and its plots."""
    experiment = load_example(name)
    run = experiment.run().world(0)
    instant = int(WHEN.get(name, 0.5) * (len(run.time) - 1))
    recording = recording_of(experiment.scene, run)
    recording.world["focus"] |= ball_about(experiment.scene, run, recording.world["bodies"], instant)
    recording.world["followed"] = -1
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "view.png"
        plots = experiment.save_plots(run, Path(folder) / name)
        save_picture(recording, shot, float(run.time[instant] - run.time[0]), VIEW, "light", True)
        shrink(plots[0] if name in PLOTTED else shot, FOLDER / f"{name}.webp", CARD)
        for old in FOLDER.glob(f"{name}-plot*.webp"):
            old.unlink()
        for i, plot in enumerate(plots, start=1):
            shrink(plot, FOLDER / f"{name}-plot{i}.webp", PLOT)


def ball_about(scene: sh.Scene, run: sh.Trajectory, bodies: list[dict[str, Any]], instant: int) -> dict[str, Any]:
    """A ball about what moves, at an instant of the run: where the camera looks."""
    points = [run[rope.node(i)].values[instant] for rope in scene.ropes.values() for i in range(rope.elements + 1)]
    for body in bodies:
        if not body["fixed"]:
            middle = run[scene.bodies[body["name"]].position].values[instant]
            share = (
                1.0 if any(shape.get("ghost") for shape in body["shapes"]) else 0.7
            )  # a box of its inertia is a cube
            points += [middle - share * body["radius"], middle + share * body["radius"]]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    return {"center": (0.5 * (low + high)).tolist(), "radius": NEARNESS * 0.5 * float(np.linalg.norm(high - low))}


def shrink(picture: Path, to: Path, width: int) -> None:
    """Save a picture as WebP, no wider than asked for."""
    with Image.open(picture) as image:
        small = image.convert("RGB")
    small.thumbnail((width, 10 * width), Image.Resampling.LANCZOS)
    small.save(to, quality=QUALITY, method=6)


def main(names: list[str]) -> None:
    """Take the pictures of the examples named, or of all that have none."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or [name for name in list_examples() if not (FOLDER / f"{name}.webp").exists()]:
        take(name)
        print(f"{name}: {sum(file.stat().st_size for file in FOLDER.glob(f'{name}[.-]*')) / 1024:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
