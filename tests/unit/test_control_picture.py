"""Pictures of diagrams: everything is drawn, nothing overlaps, and names cannot break out of the text."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import sharnir as sh
from sharnir.control.picture import _drawn


def sample(name: str = "sample") -> sh.Diagram:
    d = sh.Diagram(name, period=0.01)
    throttle, steer = d.input("throttle", range=(-1, 1)), d.input("steer", unit="rad")
    go = d.input("go", momentary=True)
    mode = d.machine(states=("idle", "run"), transitions=(("idle", go, "run"), ("run", go, "idle")), name="mode")
    loop = sh.Diagram("loop")
    loop.output("u", loop.pid(loop.input("sp"), loop.input("pv"), kp=2.0))
    used = d.use(loop, "used", sp=throttle, pv=d.delay("used.u", name="before"))
    d.gauge("left", d.sel(mode.run, 0.0, used.u + d.sin(steer)))
    d.lamp("running", mode.run)
    d.gauge("held", d.ton(go, pt=0.5, name="timer").et)
    return d


def test_every_input_block_and_output_is_drawn_and_no_two_overlap():
    d = sample()
    shapes, drawn = _drawn(d)
    assert set(shapes) == {*d.inputs, *d.blocks, *d.outputs}
    for a, b in itertools.combinations(drawn.boxes.values(), 2):
        apart = a.x + a.width < b.x or b.x + b.width < a.x or a.y + a.height < b.y or b.y + b.height < a.y
        assert apart, (a.name, b.name)
    for box in drawn.boxes.values():
        assert 0 <= box.x <= box.x + box.width <= drawn.width
        assert 0 <= box.y <= box.y + box.height <= drawn.height


def test_lines_join_the_ports_and_run_at_right_angles():
    d = sample()
    _, drawn = _drawn(d)
    ends = {tuple(points[-1]) for _, points in drawn.lines}
    for name, block in d.blocks.items():
        box = drawn.boxes[name]
        for port, wire in block.wires().items():
            if isinstance(wire, str):
                assert (box.x, box.port_y(box.inputs, port)) in ends, (name, port)
    for _, points in drawn.lines:
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(points))


def test_blocks_stand_right_of_what_they_depend_on():
    _, drawn = _drawn(sample())
    boxes = drawn.boxes
    assert boxes["throttle"].x < boxes["used"].x < boxes["add1"].x < boxes["sel1"].x < boxes["left"].x


def test_what_has_no_wires_yet_stands_right_of_the_inputs():
    d = sh.Diagram("unwired", period=0.01)
    d.input("throttle")
    d.gauge("left", 0.0)
    _, drawn = _drawn(d)
    throttle, left = drawn.boxes["throttle"], drawn.boxes["left"]
    assert throttle.x + throttle.width < left.x


def test_the_svg_is_well_formed_and_carries_values_and_signals():
    d = sample("<script>alert('&')</script>")
    d.gauge('a <b> & "c"', 1.0)
    controller = d.start()
    controller.inputs["throttle"] = 0.375
    controller.tick()
    text = d.svg(values=controller.values)
    assert "<script>" not in text
    root = ET.fromstring(text)
    found = {
        e.get("data-signal"): e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.get("data-signal")
    }
    assert found["throttle"] == "0.375"
    assert found["mode"] == "0"
    assert found["mode.run"] == "false"
    assert 'a <b> & "c"' in found


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_files_are_written_by_their_ending(tmp_path: Path, ending: str):
    file = sample().draw(tmp_path / f"d.{ending}")
    assert file.read_bytes()[:4] in (b"<svg", b"\x89PNG")
    assert sample().inner("loop").draw(tmp_path / f"sub.{ending}").stat().st_size > 1000
    with pytest.raises(sh.SceneError, match=r"end in .svg or .png"):
        sample().draw(tmp_path / "d.gif")


def test_empty_and_large_diagrams_can_be_drawn():
    assert ET.fromstring(sh.Diagram().svg()).tag.endswith("svg")
    d = sh.Diagram(period=0.01)
    pins = [d.input(f"x{i}") for i in range(10)]
    for i in range(190):
        pins.append(pins[-1 - i % 7] + pins[-1 - (3 * i) % 10])
    d.gauge("out", pins[-1])
    assert len(_drawn(d)[1].boxes) == 201
