"""WCAG 2.2 AA by axe-core on every page, in both themes, at three sizes; and everything by keyboard alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from consoles import PATIENCE, WINDOW, Browser, Console

from sharnir.experiment import load_example
from sharnir.runtime import commands as c
from sharnir.runtime.journal import create_run
from sharnir.runtime.runtime import Runtime
from sharnir.view.export_html import write_html
from sharnir.view.recording import record
from sharnir.view.texts import catalogue, chosen, languages

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
SIZES = [(390, 844), (1024, 768), (1440, 900)]
AUDIT = """async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
}"""
PAINT = "(dark) => window.Quasar ? Quasar.Dark.set(dark) : document.body.classList.toggle('body--dark', dark)"
PAINTED = "(dark) => document.body.classList.contains('body--dark') === dark"
STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"  # no colours in between
TITLES = r'"(Console|Alarms|Keys|Instructor|Drives|Brakes|Joints|Ropes|Gusts)"'
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed (npm install)")


def audit(page: Any) -> None:
    """No violations, in light and dark, at all sizes."""
    page.add_script_tag(content=AXE.read_text())
    page.add_style_tag(content=STILL)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for dark in (False, True):
            page.evaluate(PAINT, dark)
            page.wait_for_function(PAINTED, arg=dark)
            assert page.evaluate(AUDIT) == [], (width, "dark" if dark else "light")


@pytest.fixture(scope="module")
def krt(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The robot, which has one of nearly everything on its console."""
    console = Console("mf4", tmp_path_factory.mktemp("runs"))
    made = []

    def page(role: str, **more: Any) -> Browser:
        context = chromium.new_context(viewport=WINDOW, bypass_csp=True, reduced_motion="reduce", **more)
        made.append(context)
        return Browser(context, console, console.links[role])

    yield page
    for context in made:
        context.close()
    console.end()


@needs_axe
def test_the_console_has_no_violations(krt: Any) -> None:
    operator = krt("operator")
    audit(operator.page)
    operator.page.locator("#stop").click()
    operator.chain("stopped")
    for tab in ("alarms", "keys"):
        operator.page.locator(f"#tab-{tab}").click()
        audit(operator.page)
    operator.page.locator("#invite").click()
    operator.page.locator(".q-dialog input").first.wait_for()
    operator.until("() => !document.querySelector('[class*=-enter-active]')")
    assert operator.do(AUDIT) == []


@needs_axe
def test_the_instructors_page_has_no_violations(krt: Any) -> None:
    audit(krt("instructor").page)


@needs_axe
def test_an_exported_replay_has_no_violations(chromium: Any, tmp_path: Path) -> None:
    run = create_run(load_example("door").scene, 0.01, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    runtime.send(c.Set({"push hinge angle": 40.0}), "operator 1")
    runtime.send(c.Step(50), "operator 1")
    runtime.close()
    context = chromium.new_context(viewport=WINDOW, bypass_csp=True)
    page = context.new_page()
    page.goto(write_html(record(run), tmp_path / "run.html").as_uri())
    page.wait_for_function("() => window.sharnir?.started && sharnir.view.drawn > 0", timeout=1000 * PATIENCE)
    audit(page)
    context.close()


def test_every_control_is_reached_and_worked_by_keyboard(driver: Browser) -> None:
    """Finding 25."""
    page = driver.page
    reached = set()
    page.locator("#stop").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(str(driver.do("() => document.activeElement.id")))
    assert {"pause", "step", "step10", "reset", "scale", "snapshots", "give", "invite", "theme", "stop"} <= reached
    assert {"span", "freeze", "fold-plots", "tab-console"} <= reached
    slider = page.locator("sh-slider[name='axle voltage'] input")
    slider.focus()
    page.keyboard.press("ArrowRight")
    driver.until("() => sharnir.link.reader.input(sharnir.link.frame, 'axle voltage') > 0")
    assert driver.do("() => document.documentElement.lang") == "en"


def test_the_browsers_language_is_spoken(chromium: Any, tmp_path: Path) -> None:
    console = Console("dc_drive", tmp_path)
    context = chromium.new_context(viewport=WINDOW, locale="ru-RU")
    try:
        operator = Browser(context, console, console.links["operator"])
        assert operator.do("() => document.documentElement.lang") == "ru"
        page = operator.page
        assert page.locator("#stop").get_attribute("aria-label") == catalogue("ru")["Emergency stop"]
        page.locator("#stop").click()
        operator.until_text("#state", catalogue("ru")["Emergency stop"])
    finally:
        context.close()
        console.end()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("ru-RU,ru;q=0.9,en;q=0.8", "ru"), ("de, en;q=0.5, ru;q=0.4", "en"), ("", "en"), ("fr", "en"), ("en,ru", "en")],
)
def test_the_language_is_chosen_by_what_the_browser_accepts(accepted: str, language: str) -> None:
    assert chosen(accepted) == language
    assert languages() == ("en", "ru")


def test_every_text_of_the_page_is_in_every_catalogue() -> None:
    import re

    view = Path(__file__).parents[2] / "src" / "sharnir" / "view"
    source = "\n".join(file.read_text() for file in [view / "page.py", *(view / "static").glob("*.js")])
    used = {match[2] for match in re.finditer(r"""\bt\(\s*(["'])((?:(?!\1).)+)\1""", source)}
    used |= {match[1] for match in re.finditer(TITLES, source)}
    assert len(used) > 60
    for language in languages()[1:]:
        assert sorted(used - set(catalogue(language))) == []
