"""What the scheme editor offers to connect: what the network would accept, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sharnir as sh
from sharnir.constructor.checking import Checker
from sharnir.constructor.document import Refused
from sharnir.constructor.sheets import Sheets, described_blocks
from sharnir.control.fitting import Fitting, SheetParts
from sharnir.errors import SceneError
from sharnir.experiment import list_examples, load_example
from sharnir.files.typed import to_plain


def parts_of(diagram: sh.Diagram) -> SheetParts:
    return SheetParts(diagram.inputs, diagram.blocks, diagram.outputs, {}, diagram.diagrams)


def robot() -> sh.Scene:
    """A driven axle, a diagram with a loop through an integral, a sub-diagram and all types."""
    scene = sh.Scene("robot")
    load = scene.body("load", sh.Box(0.5, 0.5, 0.5, mass=10.0))
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    inner = sh.Diagram("soft")
    inner.output("y", inner.low_pass(inner.input("x"), t=0.1))
    d = scene.diagram = sh.Diagram("robot", period=0.01)
    throttle, wanted = d.input("throttle", range=(-1, 1)), d.input("wanted", unit="rad/s")
    light = d.input("light", initial=False)
    d.low_pass("error", t=0.5, name="sum")
    d.sub("throttle", "sum later", name="error")
    d.delay("sum", name="sum later")
    d.gain(d.sub(wanted, d.signal(axle.speed), name="slip"), 2.0, name="scaled")
    smooth = d.use(inner, "smooth", x=throttle)
    d.drive(axle, smooth, name="drive")
    d.sel(light, 0.0, 1.0, name="choice")
    d.lamp("lit", light)
    return scene


def offered_by_trying(scene: sh.Scene, signal: str) -> set[tuple[str, str]]:
    """The ports of blocks and outputs that the network itself accepts the signal at, each tried on its own."""
    diagram = scene.diagram
    assert diagram is not None
    found = set()
    for name, block in {**diagram.blocks, **diagram.outputs}.items():
        for port in block.wires():
            if "[" in port or block.tag() in ("use", "machine"):
                continue
            changed = sh.Diagram.of(diagram.spec)
            target = changed.outputs if name in changed.outputs else changed.blocks
            others = {other: wire for other, wire in block.wires().items() if other != port}
            bools = {o: bool(w) for o, w in others.items() if not isinstance(w, str) and block.port(o).type == "any"}
            is_bool = diagram.check(scene).kinds[signal].type == "bool"
            follow = bools if is_bool and block.port(port).type == "any" else {}
            target[name] = type(block)(
                **{f: getattr(block, f) for f in block.__struct_fields__} | follow | {port: signal}
            )
            try:
                changed.check(scene)
            except SceneError:
                continue
            found.add((name, port))
    return found


@pytest.mark.parametrize("signal", ["throttle", "wanted", "light", "error", "sum", "slip", "smooth", "choice"])
def test_what_is_offered_is_what_the_network_accepts(signal):
    scene = robot()
    offered = set(Fitting(parts_of(scene.diagram), scene).ports_for(signal))
    known = {(name, port) for name, port in offered if name != "smooth"}
    assert known == offered_by_trying(scene, signal)
    assert offered


@pytest.mark.parametrize("name", [name for name in list_examples() if load_example(name).scene.diagram])
def test_examples_are_offered_the_wires_that_they_have(name):
    scene = load_example(name).scene
    diagram = scene.diagram
    fitting = Fitting(parts_of(diagram), scene)
    assert fitting.kinds == diagram.check(scene).kinds and not fitting.errors
    for block, spec in {**diagram.blocks, **diagram.outputs}.items():
        for port, wire in spec.wires().items():
            if isinstance(wire, str):
                assert (block, port) in fitting.ports_for(wire)
                assert wire.removesuffix(".q") in {one.removesuffix(".q") for one in fitting.signals_for(block, port)}


def test_what_is_wrong_is_told_at_its_block_and_keeps_nobody_from_mending_it():
    scene = robot()
    data: dict[str, Any] = {"sharnir": 1, "diagram": to_plain(scene.diagram.spec)}
    data["diagram"]["outputs"]["drive"]["value"] = "wanted"
    data["diagram"]["blocks"]["error"]["in2"] = "nothing"
    data["diagram"]["blocks"]["new"] = {"type": "no_such"}
    checker = Checker(Path())
    _, problems = checker.check(data)
    paths = [problem["path"] for problem in problems]
    assert "/diagram/blocks/error" in paths and "/diagram/outputs/drive" in paths
    assert any(path.startswith("/diagram/blocks/new") for path in paths)
    fitting = Fitting(checker.sheet(data, ""), None)
    assert ("error", "in2") in fitting.ports_for("throttle")
    assert ("drive", "value") in fitting.ports_for("throttle")


def test_a_loop_within_a_tick_is_not_offered_but_one_through_memory_is():
    scene = robot()
    fitting = Fitting(parts_of(scene.diagram), scene)
    assert ("smooth", "x") not in fitting.ports_for("smooth")
    assert ("slip", "in1") not in fitting.ports_for("slip")
    d = sh.Diagram("loop")
    d.delay(0.0, name="memory")
    d.add("memory", 1.0, name="next")
    assert ("memory", "input") in Fitting(parts_of(d)).ports_for("next")


def test_the_sheet_of_a_sub_diagram_is_looked_at_by_itself():
    scene = robot()
    data = {"sharnir": 1, "diagram": to_plain(scene.diagram.spec)}
    sheets = Sheets(Checker(Path()))
    assert sheets.kinds(data)["soft"]["kinds"]["x"] == ["real", "1"]
    assert sheets.fits(data, {"id": 1, "sheet": "soft", "signal": "x"})["ports"][0] == ("y", "value")
    with pytest.raises(Refused, match="load it again"):
        sheets.fits(data, {"sheet": 3})


def test_boxes_are_laid_out_from_left_to_right():
    boxes = [["b", 60, ["in"], ["out"], 24], ["a", 60, [], [""], 0]]
    asked = {"id": 1, "boxes": boxes, "wires": [["a", "", "b", "in", False]], "first": ["a"], "last": []}
    at = Sheets(Checker(Path())).laid_out(asked)["at"]
    assert at["a"][0] + 60 < at["b"][0]
    asked["wires"] = [["a", "", "c", "in", False]]
    with pytest.raises(Refused, match="'c'"):
        Sheets(Checker(Path())).laid_out(asked)


def test_every_block_and_output_is_described_with_its_help():
    described = described_blocks()
    assert all(block["help"] for block in described)
    assert {"pid", "drive", "signal", "lamp"} <= {block["type"] for block in described}
