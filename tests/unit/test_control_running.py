"""Diagrams beside a simulation: what they read and set, when they tick, snapshots and panels."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from axles import DT, MOTOR, axle_scene, speed_control

import sharnir as sh
from sharnir.control import (
    DriveLoss,
    ExtraFriction,
    FaultBoard,
    Group,
    KeyBinding,
    Panel,
    default_diagram,
    default_panel,
)
from sharnir.control.panel import GaugeWidget, JoystickWidget, LampWidget, SliderWidget
from sharnir.quantities import QUANTITIES
from sharnir.reference import solve

# --- taps -------------------------------------------------------------------------------------------------------------


def all_joints() -> sh.Scene:
    """Every kind of coordinate, with centres of mass off the frames, in motion."""
    scene = sh.Scene("joints")
    types = [
        sh.Revolute(axis=(0, 1, 1)),
        sh.Prismatic(axis=(1, 0, 1)),
        sh.Cylindrical(axis=(0, 0, 1)),
        sh.Universal(),
        sh.Spherical(),
        sh.Planar(),
        sh.Strut(anchor_a=(0, 0, 1), anchor_b=(0.3, 0, 0)),
    ]
    for i, joint in enumerate(types):
        body = scene.body(
            f"b{i}",
            mass=1.0 + i,
            inertia=(0.1, 0.12, 0.15),
            center_of_mass=(0.1, -0.05, 0.2),
            angular_velocity=(0.3, 1.1, -0.7) if isinstance(joint, (sh.Spherical, sh.Strut)) else (0, 0, 0),
        )
        drive = MOTOR if isinstance(joint, sh.Revolute) else None
        friction = sh.Coulomb(0.01) if isinstance(joint, sh.Revolute) else None
        scene.joint(f"j{i}", joint, scene.world, body, drive=drive, friction=friction)
    return scene


def test_quick_taps_read_what_recorded_frames_say():
    scene = all_joints()
    sim = sh.Simulation(scene, dt=DT, worlds=2, solver="sequential-impulses")
    sim.set(scene.joints["j0"].voltage(), [0.5, -0.3])
    sim.step(60)
    items = {
        "body": list(scene.bodies),
        "axis": [f"{j}.{c.name}" for j, joint in scene.joints.items() for c in joint.type.coordinates],
    }
    wanted = [(name, "body") for name in ("position", "rotation", "velocity", "angular_velocity")]
    wanted += [("coordinate", "axis"), ("rate", "axis"), ("effort", "axis")]
    compared = 0
    quantities = [QUANTITIES[name].address(item) for name, along in wanted for item in items[along]]
    joint = scene.joints["j0"]
    quantities += [joint.motor_speed(), joint.motor_torque(), joint.voltage(), joint.stuck(), joint.reaction_force]
    quantities += [scene.energy, scene.momentum]
    for quantity in quantities:
        for world in (0, 1):
            for part, component in enumerate(quantity.components or (None,)):
                read = sim.taps.reader(quantity, component, world)
                sim.taps.refresh()
                slow = sim.get(quantity)[world]
                expected = slow[part] if component else slow
                assert read() == pytest.approx(expected, abs=1e-13), (quantity, component, world)
                compared += 1
    assert compared > 150


def test_taps_of_another_device_work_on_copies(monkeypatch: pytest.MonkeyPatch):
    """What a GPU needs, tried on the processor: arrays are copied on refresh and handed back on flush."""
    scene, axle = axle_scene()

    def last_bits(copies: bool) -> bytes:
        sim = sh.Simulation(scene, dt=DT)
        monkeypatch.setattr(sim.taps, "_on_cpu", not copies)
        controller = speed_control(axle, period=0.01).start(sim)
        board = FaultBoard(sim, {"stiff": ExtraFriction("axle", 2.0), "dead": DriveLoss("axle", remaining=0.5)})
        sim.step(40)
        board.inject("stiff")
        board.inject("dead")
        sim.step(10)
        board.clear("stiff")
        controller.inputs["stop"] = True
        sim.step(3)
        assert bool(sim.taps._mirrors) == copies
        return sim.state.spin.numpy().tobytes() + sim.model.dynamic_level.numpy().tobytes()

    assert last_bits(copies=True) == last_bits(copies=False)


def test_parameters_read_as_they_were_set():
    scene, axle = axle_scene()
    sim = sh.Simulation(scene, dt=DT, worlds=2)
    assert sim.get(scene.bodies["load"].mass).tolist() == [2.0, 2.0]
    assert sim.get(scene.gravity_vector).tolist() == [[0, 0, 0], [0, 0, 0]]
    for quantity, values in (
        (scene.bodies["load"].mass, [4.0, 8.0]),
        (axle.friction_level(), [0.25, 0.75]),
        (scene.gravity_vector, [[0, 0, -1.5], [0, 0, -9.75]]),
    ):
        sim.set(quantity, values)
        assert sim.get(quantity).tolist() == values
    with pytest.raises(sh.SceneError, match=r"there is no lower of 'axle\.angle'"):
        sim.get(axle.lower())


def test_a_body_is_turned_about_the_origin_of_its_frame():
    scene = sh.Scene("thrown")
    body = scene.body("b", mass=2.0, inertia=(0.1, 0.2, 0.3), center_of_mass=(0.5, 0, 0), position=(1, 2, 3))
    sim = sh.Simulation(scene, dt=DT)
    quarter = math.sqrt(0.5)
    sim.set(body.rotation, (0, 0, quarter, quarter))
    assert sim.get(body.rotation) == pytest.approx([0, 0, quarter, quarter], abs=1e-12)
    assert sim.get(body.position) == pytest.approx([1, 2, 3], abs=1e-12)
    assert sim.state.position.numpy()[1, 0] == pytest.approx([1, 2.5, 3], abs=1e-12)
    with pytest.raises(sh.SceneError, match=r"rotation of body 'b' is set to .*; give unit quaternions"):
        sim.set(body.rotation, (0, 0, 1, 1))


def test_what_cannot_be_set_while_running_is_refused():
    scene, axle = axle_scene()
    sim = sh.Simulation(scene, dt=DT)
    with pytest.raises(sh.SceneError, match=r"'axle.angle rate' cannot be set while running"):
        sim.taps.writer(axle.speed)


# --- ticking ----------------------------------------------------------------------------------------------------------


def test_a_speed_controller_holds_its_speed_and_its_brake_stops():
    scene, axle = axle_scene()
    sim = sh.Simulation(scene, dt=DT)
    controller = speed_control(axle, period=0.01).start(sim)
    sim.step(1000)
    assert sim.get(axle.speed) == pytest.approx(3.0, abs=1e-6)
    # at rest of the loop the motor overcomes friction alone: r M_s (U - r w/w_idle) = friction
    assert controller.values["pid"] == pytest.approx(50 * 3 / 300 + 0.5 / (50 * 1.5), abs=1e-6)
    controller.inputs["stop"] = True
    sim.step(50)
    assert sim.get(axle.speed) == pytest.approx(0.0, abs=1e-9)
    assert controller.values["still"] is True
    assert (sim.model.dynamic_level.numpy()[0, 0], sim.model.static_level.numpy()[0, 0]) == (30.5, 61.0)


def test_a_diagram_ticks_once_a_period_however_the_steps_are_made():
    scene, _ = axle_scene()

    def ticks(period: float, *calls: int) -> list[float]:
        d = sh.Diagram(period=period)
        count = d.make("add", d.delay("count"), 1.0, name="count")
        d.gauge("n", count)
        d.gauge("t", d.time())
        sim = sh.Simulation(scene, dt=DT)
        c = d.start(sim)
        for steps in calls:
            c.tick()  # by hand as well: no harm
            sim.step(steps)
        return [c.values["n"], c.values["t"]]

    for calls in ((40,), (1,) * 40, (7, 13, 20), (3, 37)):
        assert ticks(0.02, *calls) == pytest.approx([10, 36 * DT])
        assert ticks(DT, *calls) == pytest.approx([40, 39 * DT])
    with pytest.raises(sh.SceneError, match=r"period is 0.012 s and the step 0.005 s; .* such as 0.01 s"):
        ticks(0.012, 1)


def test_a_run_takes_a_diagram_along_and_leaves_nothing_behind():
    scene, axle = axle_scene()
    sim = sh.Simulation(scene, dt=DT)
    run = sim.run(2.0, control=speed_control(axle), every=4)
    assert float(run[axle.speed][-1]) == pytest.approx(3.0, abs=1e-3)
    assert sim.controller is None
    assert sim.control.drive_input.numpy()[0, 0] == 0.0
    assert sim.model.dynamic_level.numpy()[0, 0] == 0.5
    fine = sh.Simulation(scene, dt=DT).run(2.0, control=speed_control(axle))
    assert float(fine[axle.speed][-1]) == float(run[axle.speed][-1])


def test_the_diagram_of_a_scene_runs_along_in_every_world():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle)
    sim = sh.Simulation(scene, dt=DT, worlds=3)
    assert len(sim.attached) == 3
    for want, controller in zip((1.0, 2.0, -4.0), sim.attached, strict=True):
        controller.inputs["want"] = want
    sim.step(1000)
    assert sim.get(axle.speed) == pytest.approx([1.0, 2.0, -4.0], abs=1e-4)


def test_snapshots_go_on_bit_for_bit_also_between_ticks():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle, period=0.02)
    sim = sh.Simulation(scene, dt=DT)
    controller = sim.controller
    sim.step(30)
    controller.inputs["stop"] = True
    sim.step(3)  # in the middle of a control period, the brake on
    snapshot = sim.snapshot()

    def rest() -> tuple[bytes, dict[str, object]]:
        controller.inputs["stop"] = False
        sim.step(41)
        return sim.state.spin.numpy().tobytes(), dict(controller.values)

    braked = sim.get(axle.speed)
    first = rest()
    assert sim.get(axle.speed) > braked + 0.1  # rad/s: the brake is off, and it runs up again
    sim.restore(snapshot)
    assert sim.model.dynamic_level.numpy()[0, 0] == 30.5
    assert rest() == first
    other = sh.Simulation(scene, dt=DT)
    other.restore(snapshot)
    sim, controller = other, other.controller
    assert rest() == first
    with pytest.raises(sh.SceneError, match="taken with 1 diagrams and fault boards attached, here are 0"):
        other.detach(other.controller)
        other.restore(snapshot)


def test_reset_starts_the_diagram_over():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle)
    sim = sh.Simulation(scene, dt=DT)

    def go() -> bytes:
        sim.controller.inputs["want"] = 5.0
        sim.step(37)
        sim.controller.inputs["stop"] = True
        sim.step(5)
        return sim.state.spin.numpy().tobytes()

    first = go()
    sim.reset()
    assert sim.controller.inputs["want"] == 3.0
    assert sim.model.dynamic_level.numpy()[0, 0] == 0.5
    assert go() == first


def test_the_exact_twin_refuses_a_scene_with_a_diagram():
    scene, axle = axle_scene()
    scene.diagram = speed_control(axle)
    with pytest.raises(sh.SceneError, match="has a diagram, which ticks"):
        solve(scene, 0.1)


def test_diagrams_and_states_can_be_handed_to_another_process():
    scene, axle = axle_scene()
    d = speed_control(axle)
    again = pickle.loads(pickle.dumps(d))
    assert again.spec == d.spec
    sim = sh.Simulation(scene, dt=DT)
    controller = again.start(sim)
    sim.step(10)
    state = pickle.loads(pickle.dumps(controller.snapshot()))
    assert state == controller.snapshot()


def test_a_value_that_is_no_number_does_not_reach_the_simulation():
    scene, axle = axle_scene()
    d = sh.Diagram()
    x = d.input("x", initial=1e200, unit="N m")
    d.effort(axle, d.gain(x * d.input("y", initial=1e200), 1.0, unit="N m"))
    sim = sh.Simulation(scene, dt=DT)
    d.start(sim)
    with pytest.raises(sh.ControlFault, match=r"output 'axle effort' \(effort\): its value is inf"):
        sim.step()
    assert sim.steps == 0


def test_sinks_on_bodies():
    scene, _ = axle_scene()
    ball = scene.body("ball", sh.Sphere(0.1, mass=2.0), position=(3, 0, 0))
    d = sh.Diagram()
    d.force(ball, x=4.0, z=d.input("lift", unit="N", initial=2.0))
    d.torque(ball, y=0.016)
    sim = sh.Simulation(scene, dt=DT)
    d.start(sim)
    sim.step(200)
    assert sim.get(ball.velocity) == pytest.approx([2.0, 0.0, 1.0])  # F t/m
    assert sim.get(ball.angular_velocity) == pytest.approx([0, 2.0, 0])  # I = 0.4 m r^2 = 0.008 kg m^2


# --- the console ------------------------------------------------------------------------------------------------------


def vehicle_diagram() -> sh.Diagram:
    d = sh.Diagram("vehicle")
    d.input("throttle", range=(-1, 1))
    d.input("steering", range=(-1, 1))
    d.input("arm", unit="rad", range=(0.0, 2.0))
    d.input("gear", choices=("low", "high"))
    d.input("horn", momentary=True)
    d.input("lights", initial=False)
    d.input("brake", initial=False)
    d.gauge("speed", d.input("v", unit="m/s"), range=(0, 10))
    d.lamp("lit", "lights", color="yellow")
    return d


def test_a_console_is_made_from_the_inputs_and_outputs_of_a_diagram():
    d = vehicle_diagram()
    panel = default_panel(d)
    panel.check(d)
    kinds = {name: type(w).__name__.removesuffix("Widget") for _, w in panel.widgets() for name in w.inputs()}
    assert kinds == {
        "throttle": "Joystick",
        "steering": "Joystick",
        "arm": "Knob",
        "gear": "Selector",
        "horn": "Button",
        "lights": "Switch",
        "brake": "Switch",
        "v": "Slider",
    }
    shown = {name: type(w).__name__.removesuffix("Widget") for _, w in panel.widgets() for name in w.values()}
    assert shown == {"lit": "Lamp", "speed": "Plot"}
    keys = {(key.key, key.input): (key.action, key.value) for key in panel.keys}
    assert keys["KeyW", "throttle"] == ("hold", 1)
    assert keys["KeyS", "throttle"] == ("hold", -1)
    assert keys["KeyD", "steering"] == ("hold", 1)
    assert keys["Space", "brake"] == ("toggle", True)
    assert keys["KeyE", "gear"] == ("step", 1)
    assert keys["ArrowUp", "arm"] == ("step", pytest.approx(0.1))
    assert len({key.key for key in panel.keys}) == len(panel.keys)
    assert {(axis.axis, axis.input, axis.invert) for axis in panel.axes} >= {
        (1, "throttle", True),
        (0, "steering", False),
    }


def test_a_scene_without_a_diagram_gets_one_for_every_drive_servo_and_joint():
    scene, _ = axle_scene()
    arm = scene.body("arm", mass=1.0, inertia=(1, 1, 1))
    servo = sh.PositionServo(MOTOR, gain=6.0)
    scene.joint("shoulder", sh.Revolute(), scene.world, arm, drive=servo, limits=(-1.0, None))
    sleeve = scene.body("sleeve", mass=1.0, inertia=(1, 1, 1))
    scene.joint("slide", sh.Cylindrical(), scene.world, sleeve, drive={"angle": sh.SpeedServo(MOTOR, gain=1.0)})
    d = default_diagram(scene)
    assert {name: (spec.unit, spec.range) for name, spec in d.inputs.items()} == {
        "axle voltage": ("1", (-1, 1)),
        "shoulder target": ("rad", (-1.0, math.pi)),
        "slide angle target": ("rad/s", (-6.0, 6.0)),
    }
    panel = default_panel(d, scene)
    panel.check(d)
    plots = [w for _, w in panel.widgets() if type(w).__name__ == "PlotWidget"]
    assert [(plot.label, plot.signals) for plot in plots] == [
        ("rad", ("axle", "shoulder", "slide angle")),
        ("m", ("slide displacement",)),
    ]


def test_the_diagram_of_a_scene_without_one_drives_it():
    scene, _ = axle_scene()
    arm = scene.body("arm", mass=1.0, inertia=(1, 1, 1))
    scene.joint("shoulder", sh.Revolute(), scene.world, arm, drive=sh.PositionServo(MOTOR, gain=6.0))
    sim = sh.Simulation(scene, dt=DT)
    controller = default_diagram(scene).start(sim)
    controller.inputs["axle voltage"] = 0.5
    controller.inputs["shoulder target"] = 0.7
    sim.step(400)
    assert controller.values["shoulder"] == pytest.approx(0.7, abs=0.01)
    assert controller.values["axle"] > 1.0


def test_a_panel_is_checked_against_its_diagram(tmp_path: Path):
    d = vehicle_diagram()
    for widget, message in (
        (SliderWidget("throtle"), r"group 'g', widget 1 \(slider\): there is no input 'throtle'; did you mean"),
        (SliderWidget("lights"), "input 'lights' is bool; it sets real or int"),
        (JoystickWidget("gear", "throttle"), "input 'gear' is int"),
        (GaugeWidget("spee"), "no value 'spee'; did you mean 'speed'"),
        (LampWidget("speed"), "'speed' is real; it shows bool"),
    ):
        with pytest.raises(sh.SceneError, match=message):
            Panel(groups=(Group(title="g", widgets=(widget,)),)).check(d)
    twice = (KeyBinding(key="KeyW", input="throttle"), KeyBinding(key="KeyW", input="horn"))
    with pytest.raises(sh.SceneError, match="'KeyW' is bound to 'throttle' and 'horn'"):
        Panel(keys=twice).check(d)
    with pytest.raises(sh.SceneError, match="input 'throttle' is real"):
        Panel(keys=(KeyBinding(key="KeyW", input="throttle", action="toggle"),)).check(d)
    scene, _ = axle_scene()
    scene.diagram, scene.panel = d, default_panel(d)
    path = scene.save(tmp_path / "s.yaml")
    assert sh.Scene.load(path).panel == scene.panel
    path.write_text(path.read_text().replace("input: arm", "input: amr"))
    with pytest.raises(sh.SceneError, match="no input 'amr'; did you mean 'arm'"):
        sh.Scene.load(path)


def test_two_runs_give_the_same_bits():
    scene, axle = axle_scene()
    runs = [sh.Simulation(scene, dt=DT).run(0.5, control=speed_control(axle, period=0.01)) for _ in range(2)]
    assert np.array_equal(runs[0][axle.speed].values, runs[1][axle.speed].values)
    assert np.ptp(runs[0][axle.speed].values) > 1.0  # rad/s: it runs up


@pytest.mark.parametrize("name", ["krt100", "mf4"])
def test_a_vehicle_without_a_diagram_is_driven_by_two_inputs(name: str) -> None:
    """Not by one for each of its wheels or tracks; forward is forward, and to the right is positive."""
    from sharnir.assemblies import robots
    from sharnir.control import default_diagram, default_panel

    scene = sh.Scene("yard")
    scene.ground()
    robot = getattr(robots, name)(scene)
    scene.diagram = default_diagram(scene)
    names = list(scene.diagram.inputs)
    assert names[:2] == ["forward", "turn"] and not any("voltage" in name for name in names)
    bound = {key.key: (key.input, key.action) for key in default_panel(scene.diagram, scene).keys}
    assert [bound[key] for key in ("KeyW", "KeyS", "KeyD", "KeyA")] == [("forward", "hold")] * 2 + [
        ("turn", "hold")
    ] * 2
    assert all(action == "step" for name, action in bound.values() if name not in ("forward", "turn"))
    simulation = sh.Simulation(scene, dt=0.005, iterations=20)
    assert simulation.controller is not None
    simulation.controller.inputs["forward"] = 0.5
    simulation.step(200)
    x, y, _ = simulation.get(robot.vehicle.chassis.position)
    assert x > 0.1 and abs(y) < 0.02
    simulation.controller.inputs["forward"], simulation.controller.inputs["turn"] = 0.0, 1.0
    simulation.step(100)
    assert simulation.get(robot.vehicle.chassis.angular_velocity)[2] < -0.05
