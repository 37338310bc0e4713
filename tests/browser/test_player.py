"""Runs as files: the one HTML file opens from disk, plays and scrubs; the data formats hold what was there."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from consoles import PATIENCE, SIZES, WINDOW
from finishing import finish

import sharnir as sh
from sharnir import Trajectory
from sharnir.cli.command import main
from sharnir.experiment import load_example
from sharnir.runtime import commands as c
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.runtime import Runtime
from sharnir.view.export_data import block
from sharnir.view.export_html import write_html
from sharnir.view.packed_frames import thinned
from sharnir.view.packing import FINEST_PLACE
from sharnir.view.recording import recording_of

READY = "() => window.sharnir?.started && sharnir.view.drawn > 0"
LEVELS = """() => {
  const [field] = sharnir.view.ground.fields;
  const tile = (mesh, level) => Array.from(field.level(mesh.userData, level).index.array);
  const levels = [0, 1, 2, 3, 4].map((level) => field.group.children.map((mesh) => tile(mesh, level)));
  return { vertices: Array.from(field.vertices.array), levels };
}"""
STEPS, DT = 300, 0.01
WAIT = 1000 * PATIENCE  # ms


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> LoggedRun:
    """The door is pushed for a second and let go."""
    made = create_run(load_example("door").scene, DT, {}, tmp_path_factory.mktemp("runs"))
    runtime = Runtime(made, paused=True)
    runtime.send(c.Set({"push hinge angle": 40.0}), "operator 1")
    runtime.send(c.Step(100))
    runtime.send(c.Note("well done"))
    runtime.send(c.Set({"push hinge angle": 0.0}))
    runtime.send(c.Step(STEPS - 100))
    finish(runtime, STEPS)
    return made


def test_one_file_opens_from_disk_plays_and_scrubs(run: LoggedRun, chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "door <run>.html"
    assert main(["export", str(run.folder), "--html", str(file)]) == 0
    page = chromium.new_page(viewport=WINDOW)
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_function(READY, timeout=WAIT)
    outside = [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]
    assert (outside, errors) == ([], [])
    assert len([url for url in requests if url.startswith("file:")]) == 1

    angle = "() => sharnir.link.reader.channel(sharnir.link.frame, 'hinge.angle')"
    canvas = page.locator("#stage canvas").first
    assert page.evaluate(angle) == 0.0
    closed = canvas.screenshot()
    page.evaluate("() => sharnir.seek(1.0)")
    pushed = page.evaluate(angle)
    assert pushed == pytest.approx(0.5 * (40 - 20) / 7.155119, rel=0.02)  # (T - F) t^2/2I after one second
    page.wait_for_function("() => !sharnir.view.fresh", timeout=WAIT)
    assert canvas.screenshot() != closed
    page.locator("#scrub").fill("0")
    assert page.evaluate(angle) == 0.0
    page.locator("#speed").select_option("5")
    page.locator("#play").click()
    page.wait_for_function("() => sharnir.link.index === sharnir.about.count - 1", timeout=WAIT)
    assert page.evaluate(angle) > pushed
    assert "well done" in page.locator("#events").text_content()
    page.close()


def test_frames_and_heights_arrive_as_they_were_but_for_their_rounding(chromium: Any, tmp_path: Path) -> None:
    scene = sh.Scene("hill")
    heights = 0.3 * np.sin(np.arange(17.0))[:, None] * np.cos(np.arange(13.0))
    scene.terrain("hill", sh.HeightField(heights=heights, spacing=0.25))
    scene.body("ball", sh.Sphere(0.1, mass=1.0), position=(0.0, 0.0, 1.5), velocity=(1.0, -0.5, 0.0))
    recording = recording_of(scene, sh.Simulation(scene, dt=0.01).run(1.0))
    page = chromium.new_page(viewport=WINDOW)
    page.goto(write_html(recording, tmp_path / "hill.html").as_uri())
    page.wait_for_function(READY, timeout=WAIT)
    poses = page.evaluate("() => [...Array(sharnir.about.count).keys()].map((i) => [...sharnir.link.at(i).poses])")
    expected = thinned(recording)
    assert np.abs(np.array(poses) - block(expected, "poses")).max() <= 0.5 * FINEST_PLACE + 1e-7
    channels = page.evaluate(
        "() => [...Array(sharnir.about.count).keys()].map((i) => [...sharnir.link.at(i).channels])"
    )
    assert np.array(channels) == pytest.approx(block(expected, "channels"), rel=2.0**-18, abs=1e-30)
    drawn = page.evaluate("() => [...sharnir.view.ground.fields[0].vertices.array]")[2::3]
    assert np.abs(np.array(drawn) - heights.ravel()).max() <= 0.5 * FINEST_PLACE + 1e-7
    page.close()


def test_the_view_alone_fills_the_window_and_the_report_is_within_it(
    run: LoggedRun, chromium: Any, tmp_path: Path
) -> None:
    """Findings 19 and 20: --bare shrank the picture; commands had no author, and the paths no chassis."""
    files = {name: tmp_path / f"{name}.html" for name in ("html", "report")}
    assert main(["export", str(run.folder), *(word for name in files for word in (f"--{name}", str(files[name])))]) == 0
    page = chromium.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{files['html'].as_uri()}#bare")
    page.wait_for_function(READY)
    report = chromium.new_page()
    report.goto(files["report"].as_uri())
    for width, height in SIZES:
        for each in (page, report):
            each.set_viewport_size({"width": width, "height": height})
            each.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        page.wait_for_function(
            "([w, h]) => { const c = sharnir.view.canvas; return c.clientWidth === w && c.clientHeight === h }",
            arg=[width, height],
        )
        done = report.locator("h2", has_text="What was done, and by whom")
        assert done.is_visible()
        row = report.locator("tr", has_text="push hinge angle = 40").last
        assert row.is_visible() and "operator 1" in row.text_content()
        assert report.locator("img[alt*='paths']").is_visible()
    page.close()
    report.close()


def test_the_data_files_hold_the_run(run: LoggedRun, tmp_path: Path) -> None:
    from mcap.reader import make_reader

    files = {name: tmp_path / f"run.{name}" for name in ("nc", "csv", "mcap", "html")}
    options = [word for name in ("nc", "csv", "mcap") for word in (f"--{name}", str(files[name]))]
    assert main(["export", str(run.folder), *options, "--report", str(files["html"])]) == 0

    whole = Trajectory.load(files["nc"])
    hinge = load_example("door").scene.joints["hinge"]
    assert len(whole) == STEPS + 1
    angle = whole[hinge.angle].values
    with files["csv"].open() as file:
        heads, *rows = list(csv.reader(file))
    place = heads.index("hinge.angle [rad]")
    table = np.array([[float(row[0]), float(row[place])] for row in rows])
    assert table[:, 1] == pytest.approx(angle[np.round(table[:, 0] / DT).astype(int)], abs=1e-6)

    with files["mcap"].open("rb") as stream:
        messages = [(ch.topic, json.loads(m.data)) for _, ch, m in make_reader(stream).iter_messages()]
    signals = [content for topic, content in messages if topic == "/signals"]
    poses = [content for topic, content in messages if topic == "/poses"]
    assert len(signals) == len(poses) == len(rows)
    assert signals[-1]["hinge.angle"] == pytest.approx(angle[-1], abs=1e-6)
    assert poses[0]["transforms"][0]["child_frame_id"] == "door"
    (shapes,) = (content for topic, content in messages if topic == "/scene")  # finding 21
    (door,) = shapes["entities"]
    assert (door["frame_id"], door["frame_locked"]) == ("door", True) and len(door["cubes"]) == 1
    assert any(topic == "/log" and "well done" in content["message"] for topic, content in messages)

    report = files["html"].read_text()
    assert "well done" in report and "repeated bit for bit" in report and "push hinge angle = 40" in report


def test_a_trajectory_plays(chromium: Any, tmp_path: Path) -> None:
    experiment = load_example("door")
    run = experiment.run()
    told = [{"time": 2.0, "level": "info", "text": "37.5 degrees"}]
    file = write_html(recording_of(experiment.scene, run, (), told), tmp_path / "door.html")
    page = chromium.new_page(viewport=WINDOW)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_function(READY, timeout=WAIT)
    page.evaluate("() => sharnir.seek(2.0)")
    shown = page.evaluate("() => sharnir.link.reader.channel(sharnir.link.frame, 'hinge.angle')")
    assert shown == pytest.approx(float(run.data["coordinate"][-1, 0]), abs=1e-5)
    assert "37.5 degrees" in page.locator("#events").inner_text()
    assert errors == []
    page.close()


def test_a_height_field_is_covered_once_however_finely_it_is_drawn(chromium: Any, tmp_path: Path) -> None:
    rows, columns, along, across = 73, 70, 0.5, 0.25  # tiles of 64 cells: the last ones are narrow
    scene = sh.Scene("hills")
    heights = np.random.default_rng(0).uniform(0, 1, (rows, columns))
    scene.terrain("hills", sh.HeightField(heights=tuple(map(tuple, heights)), spacing=(along, across)))
    scene.body("ball", sh.Sphere(0.5, mass=1.0), position=(0, 0, 3))
    file = write_html(recording_of(scene, sh.Simulation(scene, dt=DT).run(0.1), (), []), tmp_path / "hills.html")
    page = chromium.new_page(viewport=WINDOW)
    page.goto(file.as_uri())
    page.wait_for_function(READY, timeout=WAIT)
    drawn = page.evaluate(LEVELS)
    vertices = np.array(drawn["vertices"]).reshape(-1, 3)
    assert vertices[0, :2] == pytest.approx([-36 * along, -34.5 * across])
    assert vertices[-1, :2] == pytest.approx([36 * along, 34.5 * across])
    assert np.abs(vertices[:, 2] - heights.ravel()).max() <= 0.5 * FINEST_PLACE + 1e-7  # what a page rounds heights to
    for tiles in drawn["levels"]:  # of the tiles at one level each
        corners = vertices[np.concatenate(tiles).reshape(-1, 3)]
        up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
        assert up.min() > -1e-6  # m^2: none faces down, those of no area come from rounding
        assert 0.5 * up.sum() == pytest.approx((rows - 1) * along * (columns - 1) * across)
        rims = {int(i) for tile in tiles for i in tile if i // columns in (0, 64, rows - 1)}
        assert len(rims) == 3 * columns  # every vertex of a rim is used: no cracks, whatever the neighbour's level
    sizes = [sum(map(len, tiles)) for tiles in drawn["levels"]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 6 * (rows - 1) * (columns - 1)
    page.close()


# A ball above a flat height field, from straight above: with and without the sun's shadow.
FROM_ABOVE = """([height, shadow]) => {
    const { view } = sharnir;
    view.camera("orbit");
    view.cameras.controls.target.set(0, 0, 0);
    view.cameras.camera.position.set(0, -0.001, height);
    view.lights.sun.castShadow = shadow;
    view.quality.fixed = true; // two pictures of one size
    view.stale = true;
    window.before = view.drawn;
}"""


def test_hills_have_a_grid_a_texture_and_whole_shadows(chromium: Any, tmp_path: Path) -> None:
    """Finding 16: on terrain there was neither texture nor grid, and shadows were patchy or absent."""
    from PIL import Image

    radius, height = 0.3, 6.0  # m
    scene = sh.Scene("plain of a field")
    scene.terrain("field", sh.HeightField(heights=((0.0,) * 41,) * 41, spacing=(0.5, 0.5)))
    scene.body("ball", sh.Sphere(radius, mass=1.0), position=(0, 0, 1.2))
    file = write_html(recording_of(scene, sh.Simulation(scene, dt=DT).run(0.1), (), []), tmp_path / "field.html")
    page = chromium.new_page()
    page.set_default_timeout(WAIT)
    page.goto(f"{file.as_uri()}#bare&theme=light")
    page.wait_for_function(READY)
    for size in SIZES:
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.wait_for_function("(h) => sharnir.view.canvas.clientHeight === h", arg=size[1])
        shots = []
        for shadow in (True, False):
            page.evaluate(FROM_ABOVE, [height, shadow])
            page.wait_for_function("() => sharnir.view.drawn > before + 1 || (sharnir.view.stale = true, false)")
            shot = Image.open(io.BytesIO(page.locator("#stage canvas").first.screenshot()))
            shots.append(np.asarray(shot.convert("L"), float))
        dark = np.argwhere(shots[1] - shots[0] > 10)
        focal = 0.5 * size[1] / np.tan(np.radians(22.5))  # pixels
        across, along = np.ptp(dark, axis=0) + 1  # of the picture
        expected = np.pi / 4 * across * along  # an ellipse; its axes are a little turned
        assert min(across, along) > 1.6 * radius * focal / height and len(dark) > 0.6 * expected
        ground = shots[1][: size[1] // 4]  # far from the ball
        assert np.std(ground) > 2.0  # mottled; the light alone leaves it even
        ten = 10 * page.evaluate("() => sharnir.view.ground.cell")  # m; every tenth line is darker
        row = round(size[1] / 2 - ten * focal / height)
        line, about = shots[1][row - 2 : row + 3].mean(axis=1).min(), shots[1][row - 30 : row + 30].mean()
        assert line < 0.93 * about
    page.close()


def test_a_replay_without_webgl_says_so_and_plays_its_numbers(chromium: Any, run: LoggedRun, tmp_path: Path) -> None:
    context = chromium.new_context()
    context.add_init_script(
        "HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...rest) "
        "{ return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest) })"
        "(HTMLCanvasElement.prototype.getContext)"
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    file = tmp_path / "run.html"
    assert main(["export", str(run.folder), "--html", str(file)]) == 0
    page.goto(file.as_uri())
    page.wait_for_function("() => window.sharnir?.started", timeout=60_000)
    assert "cannot draw in 3D" in page.locator(".no-view").inner_text()
    page.evaluate("() => sharnir.seek(1.0)")
    assert page.evaluate("() => sharnir.link.reader.channel(sharnir.link.frame, 'hinge.angle')") > 1.0
    assert errors == [] and page.locator("#time").inner_text() == "1.00 s"
    context.close()


def test_a_picture_and_a_video_from_the_command_line(run: LoggedRun, tmp_path: Path) -> None:
    from PIL import Image

    picture, film = tmp_path / "door.png", tmp_path / "door.webp"
    options = ["--size", "640x400", "--time", "1", "--rate", "2", "--bare", "--png", str(picture), "--video", str(film)]
    command = [sys.executable, "-m", "sharnir", "export", str(run.folder), *options]
    subprocess.run(command, check=True, timeout=600)  # Playwright runs once in a process, and it runs in this one
    assert len(Image.open(picture).convert("RGB").getcolors(1 << 24) or ()) > 50
    assert Image.open(picture).size == Image.open(film).size == (640, 400)  # finding 19: all of what was asked for
    moving = Image.open(film)
    lasts = 0
    for k in range(getattr(moving, "n_frames", 1)):  # pictures that are alike are one, and last longer
        moving.seek(k)
        moving.load()
        lasts += moving.info["duration"]
    assert lasts == 7 * 500  # ms: three seconds, two pictures a second, both ends


def test_words_for_what_cannot_be_exported(run: LoggedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run.folder)]) == 2
    assert main(["export", str(tmp_path), "--html", "x.html"]) == 2
    assert main(["export", str(run.folder), "--png", "x.png", "--size", "big"]) == 2
    said = capsys.readouterr().err
    assert "nothing to write" in said and "is not a run" in said and "1280x720" in said
