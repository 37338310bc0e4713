"""Every widget of a panel in the browser: what is done to it reaches the diagram, what the diagram says is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from consoles import SIZES, WINDOW, Browser, Console

import sharnir as sh
from sharnir.control import AxisBinding, Group, KeyBinding, Panel
from sharnir.control.panel import (
    ButtonWidget,
    CameraWidget,
    GaugeWidget,
    JoystickWidget,
    KnobWidget,
    LampWidget,
    PlotWidget,
    SelectorWidget,
    SliderWidget,
    SwitchWidget,
    TextWidget,
)

each_size = pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}")


def desk() -> sh.Scene:
    """A motor, and a console with one of everything."""
    scene = sh.Scene("desk")
    motor = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
    load = scene.body("load", sh.Box(0.5, 0.5, 0.5, mass=10.0))
    axle = scene.joint("axle", sh.Revolute(), scene.world, load, drive=motor)
    d = scene.diagram = sh.Diagram("desk", period=0.01)
    x, y = (d.input(name, range=(-1, 1)) for name in ("x", "y"))
    gear = d.input("gear", choices=("low", "middle", "high"))
    horn = d.input("horn", momentary=True)
    light = d.input("light", initial=False)
    trim = d.input("trim", range=(-0.5, 0.5))
    share = d.mux(gear, 0.25, 0.5, 1.0)
    d.drive(axle, (x + y + trim) * share)
    d.lamp("horn sounds", horn | light)
    d.gauge("speed", d.signal(axle.speed), range=(-6, 6))
    d.input("spring", range=(0, 1))
    everything = (
        JoystickWidget(x="x", y="y", label="stick"),
        SelectorWidget(input="gear"),
        ButtonWidget(input="horn", color="#00ff7f"),
        SwitchWidget(input="light"),
        KnobWidget(input="trim"),
        SliderWidget(input="spring", springs=True),
        SliderWidget(input="trim", vertical=True, label="height"),
        LampWidget(value="horn sounds"),
        GaugeWidget(value="speed"),
        PlotWidget(signals=("speed", "x"), seconds=17.0),
        PlotWidget(signals=("y", "trim", "gear"), seconds=12.0),
    )
    keys = (
        KeyBinding(key="KeyL", input="light", action="toggle"),
        KeyBinding(key="KeyE", input="gear", action="step", value=1.0),
        KeyBinding(key="KeyZ", input="trim", action="set", value=0.25),
    )
    axes = (AxisBinding(axis=1, input="y", invert=True),)
    scene.camera("eye", load, position=(2.0, 0.0, 0.5), direction=(-1.0, 0.0, 0.0))
    laid = (
        TextWidget(text="Turn it slowly", place=(0, 0, 4, 1)),
        PlotWidget(signals=("speed",), seconds=5.0, place=(0, 1, 3, 4)),
        CameraWidget(camera="eye", place=(3, 1, 5, 4)),
        LampWidget(value="horn sounds", label="horn", place=(4, 0, 4, 1)),
    )
    groups = (Group(title="All", widgets=everything), Group(title="Laid out", widgets=laid, columns=8))
    scene.panel = Panel(title="The desk", groups=groups, keys=keys, axes=axes, theme="steel")
    return scene


@pytest.fixture(scope="module")
def page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    file = desk().save(tmp_path_factory.mktemp("scene") / "desk.yaml")
    console = Console(str(file), tmp_path_factory.mktemp("runs"))
    context = chromium.new_context(viewport=WINDOW)
    yield Browser(context, console, console.links["operator"])
    context.close()
    console.end()


@pytest.fixture
def desk_page(page: Browser) -> Browser:
    page.fresh()
    return page


def shows(page: Browser, name: str, value: float, within: float = 1e-6) -> None:
    """Wait until an input has a value."""
    page.until(
        "([name, value, within]) => Math.abs(sharnir.link.reader.input(sharnir.link.frame, name) - value) <= within",
        [name, value, within],
    )


def test_a_joystick_gives_two_inputs_and_springs_back(desk_page: Browser) -> None:
    box = desk_page.page.locator(".w-pad").bounding_box()
    assert box is not None
    mouse = desk_page.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.1 * box["height"])
    shows(desk_page, "x", 0.5, 0.05)
    shows(desk_page, "y", 0.8, 0.05)
    mouse.up()
    shows(desk_page, "x", 0.0)
    shows(desk_page, "y", 0.0)


def test_selector_button_switch_and_lamp(desk_page: Browser) -> None:
    page = desk_page.page
    page.locator("sh-selector button", has_text="high").click()
    shows(desk_page, "gear", 2)
    page.locator("sh-switch button").click()
    shows(desk_page, "light", 1)
    desk_page.until("() => document.querySelector('sh-lamp').hasAttribute('data-on')")
    page.locator("sh-switch button").click()
    shows(desk_page, "light", 0)
    desk_page.until("() => !document.querySelector('sh-lamp').hasAttribute('data-on')")
    box = page.locator("sh-button button").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    shows(desk_page, "horn", 1)
    page.mouse.up()
    shows(desk_page, "horn", 0)


def test_a_knob_is_turned_by_dragging_up_and_a_slider_springs_back(desk_page: Browser) -> None:
    page = desk_page.page
    box = page.locator("sh-knob svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] - 25)
    shows(desk_page, "trim", 0.3, 0.02)
    page.mouse.up()
    bar = page.locator("sh-slider[name=spring] input").bounding_box()
    assert bar is not None
    page.mouse.move(bar["x"] + 0.8 * bar["width"], bar["y"] + bar["height"] / 2)
    page.mouse.down()
    shows(desk_page, "spring", 0.8, 0.1)
    page.mouse.up()
    shows(desk_page, "spring", 0.0)


@each_size
def test_what_a_panel_sets_is_done(desk_page: Browser, size: tuple[int, int]) -> None:
    """Finding 18: accepted in a file and ignored."""
    page = desk_page.page
    desk_page.resize(size)
    try:
        desk_page.until("() => document.querySelector('h1').textContent === 'The desk'")
        upright = "() => { const bar = document.querySelector('sh-slider[vertical] input'); return bar && "
        desk_page.until(upright + "bar.clientHeight > 2 * bar.clientWidth }")
        desk_page.until(upright + "bar.ariaOrientation === 'vertical' }")
        own = "() => document.querySelector('sh-button button').style.getPropertyValue('--own') === '#00ff7f'"
        desk_page.until(own)
        assert desk_page.do("() => sharnir.world.panel.plotted") == ["speed", "x", "y", "trim", "gear"]
        assert desk_page.do("() => sharnir.world.panel.seconds") == 17.0
        desk_page.until("() => sharnir.plot.channels.length === 5")
    finally:
        page.set_viewport_size(WINDOW)


@each_size
def test_what_has_a_place_is_there_and_shows_its_signals_and_its_picture(
    desk_page: Browser, size: tuple[int, int]
) -> None:
    desk_page.resize(size)
    desk_page.until("""() => {
        const box = (tag) => document.querySelector(tag).getBoundingClientRect();
        const [text, plot, camera] = [box('sh-text'), box('sh-plot'), box('sh-camera')];
        const lamp = document.querySelector('sh-lamp[label=horn]').getBoundingClientRect();
        return text.bottom <= plot.top && Math.abs(plot.top - camera.top) < 1 && plot.right <= camera.left &&
            Math.abs(lamp.top - text.top) < 1 && camera.width > 1.5 * plot.width;
    }""")
    desk_page.until("() => document.querySelector('sh-plot').plot.channels.join() === 'speed'")
    desk_page.until("""() => {
        const { picture } = document.querySelector('sh-camera');
        const { data } = picture.getContext('2d').getImageData(0, 0, picture.width, picture.height);
        return new Set(new Uint32Array(data.buffer)).size > 20;  // ground, sky and the load
    }""")
    desk_page.until("() => document.querySelector('#panels').dataset.look === 'steel'")
    desk_page.page.set_viewport_size(WINDOW)


def test_keys_toggle_step_and_set(desk_page: Browser) -> None:
    keyboard = desk_page.page.keyboard
    keyboard.press("l")
    shows(desk_page, "light", 1)
    keyboard.press("e")
    shows(desk_page, "gear", 1)
    keyboard.press("e")
    shows(desk_page, "gear", 2)
    keyboard.press("z")
    shows(desk_page, "trim", 0.25)


def test_a_gamepad_moves_an_input(desk_page: Browser) -> None:
    desk_page.do("() => { navigator.getGamepads = () => [{ axes: [0, -0.55], buttons: [] }] }")
    shows(desk_page, "y", 0.5, 0.01)  # beyond the dead zone of 0.1: (0.55 - 0.1)/0.9
    desk_page.do("() => { navigator.getGamepads = () => [{ axes: [0, 0.02], buttons: [] }] }")
    shows(desk_page, "y", 0.0)
    desk_page.do("() => { navigator.getGamepads = () => [] }")
    desk_page.chain("held")  # it was in use


def test_the_gauge_the_diagram_and_the_plot_show_what_happens(desk_page: Browser) -> None:
    page = desk_page.page
    desk_page.do("() => sharnir.link.set('gear', 2)")
    shows(desk_page, "gear", 2)
    desk_page.do(
        "() => { window.hand = setInterval(() => { sharnir.link.set('gear', 2); sharnir.link.set('x', 0.5) }, 80) }"
    )
    desk_page.until("() => parseFloat(document.querySelector('sh-gauge .w-value').textContent) > 160")  # °/s: 3 rad/s
    page.locator(".chips button", has_text="Diagram").click()
    desk_page.until("() => document.querySelector('#sheet [data-signal=x].value').textContent === '0.500'")
    page.locator(".chips button", has_text="Diagram").click()
    page.locator(".plots-head input").first.fill("axle.angle effort")
    page.locator(".q-item", has_text="axle.angle effort").click()
    desk_page.until("() => sharnir.plot.channels.includes('axle.angle effort')")
    page.keyboard.press("Tab")


@each_size
def test_buttons_knobs_sliders_and_sticks_by_keyboard(desk_page: Browser, size: tuple[int, int]) -> None:
    """Findings 10 and 25."""
    page = desk_page.page
    desk_page.resize(size)
    for key in ("Enter", "Space"):
        page.locator("sh-button button").focus()
        page.keyboard.down(key)
        shows(desk_page, "horn", 1)
        page.keyboard.up(key)
        shows(desk_page, "horn", 0)
    page.locator("sh-knob svg").focus()
    page.keyboard.press("ArrowUp")
    shows(desk_page, "trim", 0.02, 1e-6)
    page.keyboard.press("Home")
    shows(desk_page, "trim", 0.0)
    page.locator(".w-pad").focus()
    page.keyboard.down("ArrowUp")
    shows(desk_page, "y", 1.0)
    page.keyboard.up("ArrowUp")
    shows(desk_page, "y", 0.0)
    page.locator("sh-slider[name=spring] input").focus()
    page.keyboard.down("End")
    shows(desk_page, "spring", 1.0)
    assert desk_page.do("() => sharnir.link.grips.has('spring')")  # a hand is on it: the dead-man watches over it
    page.keyboard.up("End")
    shows(desk_page, "spring", 0.0)
    desk_page.page.set_viewport_size(WINDOW)
