"""KRT-100's front axle, built from nothing by mouse and keyboard alone, saved, and run with the figures of its twin.

The robot's front axle carries a short hull, which slides on a ball behind. Its twin is written in Python, with the
templates that KRT-100 is built of. Both go through ``sharnir run``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from builders import WINDOW, Builder, Person, write_film
from consoles import wait_for

import sharnir as sh
from sharnir.assemblies.robots.krt100 import TRACK, WHEEL, WHEEL_DRIVE, wishbones

MOST_GESTURES = 120
FILM = os.environ.get("SHARNIR_FILM", "")  # a file for a film of it, as `make film` does
SPEED = 0.5  # of the rated voltage
LOAD = 25.0  # kg on each wheel
TIME = 2.0  # s
FITTING_SHOWN = "() => document.querySelectorAll('.vue-flow__handle.fits').length > 0"


def twin(file: Path) -> None:
    """The same in Python."""
    scene = sh.Scene("axle")
    scene.ground()
    hull = sh.Box(0.5, 0.3, 0.22, mass=50.0)
    ball = sh.Sphere(0.05, mass=1.0, position=(-0.5, 0.0, -0.2))
    chassis = scene.body("krt_chassis", hull, ball, position=(0.0, 0.0, 0.25))
    axle = sh.Axle(
        x=0.1, track=TRACK, wheel=WHEEL, suspension=wishbones(), drive=WHEEL_DRIVE, height=WHEEL.radius - 0.25
    )
    weight = LOAD * 9.81
    built = axle.build(scene, chassis, "krt_front", (weight, weight), None, 0.0)
    diagram = scene.diagram = sh.Diagram("axle")
    speed = diagram.input("speed", range=(-1.0, 1.0), initial=SPEED)
    for corner in built.corners:
        diagram.drive(corner.spin, speed)
    scene.save(file)


def trajectory(file: Path, folder: Path) -> Any:
    """What ``sharnir run`` makes of a scene file."""
    out = folder / f"{file.stem}.nc"
    command = [sys.executable, "-m", "sharnir", "run", str(file), "--time", str(TIME), "--out", str(out), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return xarray.open_dataset(out)


def build_the_robot(person: Person) -> None:
    """Ground, hull, ball and wheels."""
    person.add("ground")
    person.add("box")
    person.type(person.page.get_by_label("Name", exact=True), "krt_chassis")
    person.until("() => sharnir.document.data.bodies.krt_chassis")
    own = "/bodies/krt_chassis"
    for field, value in (("x", "50 cm"), ("y", "0.3"), ("z", "0.22"), ("mass", "50")):
        person.type(person.field(f"{own}/shapes/0/{field}"), value)
    person.type(person.field(f"{own}/position#2"), "0.25")
    person.choose(person.page.locator(f'[data-path="{own}/shapes#new"]'), "sphere")
    person.type(person.field(f"{own}/shapes/1/radius"), "50 mm")
    person.type(person.field(f"{own}/shapes/1/position#0"), "-0.5")
    person.type(person.field(f"{own}/shapes/1/position#2"), "-0.2")
    person.add("wheels")
    person.type(person.field("/axles/front"), "0.1")
    person.type(person.field("/scale"), "0.6")
    person.choose(person.field("/spring"), "torsion")
    person.type(person.field("/stiffness"), "4 kN/m")
    person.type(person.field("/damping"), "200")
    person.choose(person.field("/drive#kind"), "dc drive")
    person.type(person.field("/load"), str(LOAD))
    person.click(
        person.page.locator('dialog details[data-field="suspension"] > summary').first, position={"x": 8, "y": 12}
    )
    person.type(person.field("/suspension/arm_mass"), "0.5")
    person.type(person.field("/suspension/upright_mass"), "0.8")
    person.button("Build")
    person.until("() => sharnir.document.data.bodies.krt_front_right_wheel")


def draw_the_scheme(person: Person) -> None:
    """An input for the voltage, a drive for each wheel, and the wires between."""
    person.button("Scheme")
    form = person.page.locator(".scheme-form")
    box = person.page.locator(".vue-flow__node")
    person.button("Add a block")
    person.type(person.page.get_by_label("Find a block"), "input: a number")
    box.nth(0).wait_for()
    person.type(form.locator('[data-field="name"]'), "speed")
    person.until("() => sharnir.document.data.diagram?.inputs?.speed")
    person.type(form.locator('[data-field="initial"]'), str(SPEED))
    for side in ("left", "right"):
        person.click(person.row(f"krt_front_{side}_spin"))  # a new drive is that of the selected joint
        person.button("Add a block")
        person.type(person.page.get_by_label("Find a block"), "drive")
        person.until(
            "(n) => Object.keys(sharnir.document.data.diagram.outputs ?? {}).length === n", 1 + (side == "right")
        )
    person.button("Arrange: lay the sheet out automatically")
    person.button("Fit the sheet to the window")
    person.until("() => sharnir.context.scheme.settled")
    for drive in person.document["diagram"]["outputs"]:
        ends = (("inputs/speed", "out"), (f"outputs/{drive}", "in"))
        person.drag(*(_middle(person, *end) for end in ends), until=FITTING_SHOWN)
        person.until("(name) => sharnir.document.data.diagram.outputs[name].value === 'speed'", drive)
    person.button("Scheme")


def lay_out_the_console(person: Person) -> None:
    """A lever for the voltage."""
    person.button("Console")
    person.button("Add: Lever")
    person.until("() => sharnir.document.data.panel?.groups[0].widgets[0].input === 'speed'")
    person.type(person.page.locator(".panel-form").get_by_label("label"), "Voltage")
    person.until("() => sharnir.document.data.panel.groups[0].widgets[0].label === 'Voltage'")


def try_it(person: Person) -> None:
    """It drives off, and is back afterwards."""
    before = person.document
    person.key("F5")
    for time in (0.2, 0.5, 0.8, 1.0):
        person.until("(time) => sharnir.context.trial.link?.frame?.time > time", time)
        person.look()
    assert person.page.evaluate("() => sharnir.context.trial.link.frame.poses[0]") > 0.1  # m ahead
    person.key("F5")
    person.until("() => !sharnir.context.trial.running")
    assert person.document == before


def _middle(person: Person, node: str, way: str) -> tuple[float, float]:
    port = person.page.locator(f'.vue-flow__handle[data-nodeid="{node}"][data-handleid^="{way}:"]').first
    box = port.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_front_axle_is_built_from_nothing_and_runs_as_its_twin(chromium, tmp_path):
    file = tmp_path / "axle.yaml"
    builder, context = Builder(file), chromium.new_context(viewport=WINDOW)
    try:
        person = Person(context, builder.link)
        person.film = [] if FILM else None
        build_the_robot(person)
        draw_the_scheme(person)
        lay_out_the_console(person)
        person.until_told()
        assert person.page.locator(".problems-summary").text_content() == "No problems"
        try_it(person)
        person.key("Control+s")
        wait_for(lambda: file.is_file() and "krt_front_right_wheel" in file.read_text(), "the file")
        assert person.errors == []
        assert len(person.gestures) <= MOST_GESTURES, len(person.gestures)
        if person.film:
            write_film(person.film, Path(FILM))
    finally:
        context.close()
        builder.end()
    twin(tmp_path / "twin.yaml")
    built, python = (trajectory(tmp_path / name, tmp_path) for name in ("axle.yaml", "twin.yaml"))
    for name in ("position", "coordinate"):
        assert np.array_equal(built[name].values, python[name].values), name
    assert built["time"].values[-1] == pytest.approx(TIME)
