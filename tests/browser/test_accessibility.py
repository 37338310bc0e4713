"""WCAG 2.2 AA by axe-core on every page, in both themes, at three sizes; and everything by keyboard alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from audit import AUDIT, PAINT, audit, needs_axe
from consoles import PATIENCE, SIZES, WINDOW, Browser, Console
from finishing import finish

from sharnir import view
from sharnir.experiment import load_example
from sharnir.runtime import commands as c
from sharnir.runtime.journal import LoggedRun, create_run
from sharnir.runtime.runtime import Runtime
from sharnir.view.console_panel import panel_of
from sharnir.view.export_html import write_html
from sharnir.view.recording import record
from sharnir.view.robots import ROBOTS, list_robots
from sharnir.view.session_report import write_report
from sharnir.view.start import DOCUMENTS, scenarios
from sharnir.view.texts import catalogue, chosen, languages

VIEW = Path(view.__file__).parent
SPEAKING = ("runtime/plant.py", "runtime/safety_chain.py", "runtime/symptoms.py", "runtime/offered_faults.py")
SPEAKING += ("view/link.py", "view/seat.py", "view/protocol.py")
INNER = ("in control",)  # not said to anybody
TITLES = r'"(Console|Alarms|Keys|Instructor|Drives|Brakes|Joints|Ropes|Gusts)"'


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
    operator.page.locator("#tab-keys").click()
    audit(operator.page)
    operator.page.locator("#tab-alarms").click()
    operator.until_text("#alarms", "emergency stop by operator 1")
    audit(operator.page)
    operator.page.locator("#acknowledge").click()
    operator.page.locator("#alarms [data-known]").first.wait_for()
    for dark in (False, True):
        operator.do(PAINT, dark)
        assert operator.do(AUDIT) == []
    operator.page.locator("#invite").click()
    operator.page.locator(".q-dialog input").first.wait_for()
    operator.until("() => !document.querySelector('[class*=-enter-active]')")
    assert operator.do(AUDIT) == []
    operator.page.keyboard.press("Escape")
    operator.page.locator(".q-dialog").wait_for(state="detached")
    operator.page.locator("#give").click()
    operator.page.locator("#take").wait_for(state="visible")
    assert operator.do("() => document.querySelector('.operator-only').inert")  # another may do that now
    for dark in (False, True):
        operator.do(PAINT, dark)
        assert operator.do(AUDIT) == []


@needs_axe
def test_the_instructors_page_and_the_end_of_a_run_have_no_violations(krt: Any) -> None:
    instructor = krt("instructor")
    audit(instructor.page)
    told = {"event": "ended", "reason": "The run was ended by instructor 1", "wrong": True, "folder": "runs/mf4"}
    told |= {"documents": ["report.html", "replay.html"], "ready": True, "closed": False}
    instructor.do("(told) => sharnir.link.tell('ended', told)", told)
    instructor.page.locator("#ending a").first.wait_for()
    audit(instructor.page)


@needs_axe
def test_an_exported_replay_and_a_report_have_no_violations(chromium: Any, tmp_path: Path) -> None:
    run = create_run(load_example("door").scene, 0.01, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    runtime.send(c.Set({"push hinge angle": 40.0}), "operator 1")
    runtime.send(c.Step(50), "operator 1")
    finish(runtime, 50)
    context = chromium.new_context(viewport=WINDOW, bypass_csp=True)
    page = context.new_page()
    recording = record(run)
    page.goto(write_html(recording, tmp_path / "run.html").as_uri())
    page.wait_for_function("() => window.sharnir?.started && sharnir.view.drawn > 0", timeout=1000 * PATIENCE)
    audit(page)
    page.goto(write_report(recording, tmp_path / "report.html").as_uri())
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
        operator.until("() => document.getElementById('time').textContent.endsWith(' с')")  # units, too
        assert page.locator("#span option").first.text_content() == "5 с"
        assert operator.do(ENGLISH_WORDS, ".panel[data-tab=console] h2") == []
        words = {catalogue("ru")[text].lower() for text in ("Emergency stop", "EMERGENCY STOP", "emergency stop")}
        assert len(words) == 1 and catalogue("ru")["STOP"].lower() in words.pop()  # the stop has one name
        for size in ((320, 568), *SIZES):  # all of the strip is in sight, and nothing lies over anything else
            operator.resize(size)
            operator.until(STRIP_APART)
    finally:
        context.close()
        console.end()


# What stands on the strip is within it, beside the stop, and apart; who is in control is said.
STRIP_APART = """() => {
    const parts = [...document.querySelectorAll(".strip button, .strip select, .strip #role span, .strip .figure b, #state, #stop")];
    const shown = parts.filter((part) => part.checkVisibility());
    const boxes = shown.map((part) => part.getBoundingClientRect());
    const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const apart = boxes.every((a, i) => boxes.every((b, k) => i === k || !over(a, b)));
    const inside = boxes.every((a) => a.left >= 0 && a.right <= innerWidth + 0.5 && a.width > 0);
    const whose = document.querySelector("#role span");
    return apart && inside && shown.includes(whose) && whose.textContent.length > 3;
}"""  # noqa: E501 (a selector)
ENGLISH_WORDS = """(selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility())
    .map((element) => element.textContent.trim()).filter((text) => /[A-Za-z]/.test(text) && !/[А-я]/.test(text))"""


def test_a_report_is_in_the_readers_language(chromium: Any, tmp_path: Path) -> None:
    run = create_run(load_example("door").scene, 0.005, {}, tmp_path)
    runtime = Runtime(run, paused=True)
    runtime.send(c.Stop(), "operator 1")
    runtime.send(c.Step(50), "operator 1")
    finish(runtime, 50)
    file = write_report(record(LoggedRun(run.folder)), tmp_path / "report.html").as_uri()
    for locale, word in (("ru-RU", "Что было сделано и кем"), ("en-GB", "What was done, and by whom")):
        page = chromium.new_context(locale=locale).new_page()
        page.goto(file)
        page.locator("h2", has_text=word).wait_for()
        assert page.evaluate("() => document.documentElement.lang") == locale[:2]
        said = page.locator("td", has_text=catalogue("ru")["emergency stop by {author}"].partition(" {")[0])
        assert (said.count() > 0) is (locale == "ru-RU")
        assert (page.evaluate(ENGLISH_WORDS, "h2, th") == []) is (locale == "ru-RU")
        page.context.close()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("ru-RU,ru;q=0.9,en;q=0.8", "ru"), ("de, en;q=0.5, ru;q=0.4", "en"), ("", "en"), ("fr", "en"), ("en,ru", "en")],
)
def test_the_language_is_chosen_by_what_the_browser_accepts(accepted: str, language: str) -> None:
    assert chosen(accepted) == language
    assert languages() == ("en", "ru")


def test_every_text_of_the_pages_is_in_every_catalogue() -> None:
    static = VIEW / "static"
    source = "\n".join(file.read_text() for file in [VIEW / "page.py", VIEW / "start.py", *static.glob("*.js")])
    used = {match[2] for match in re.finditer(r"""\bt\(\s*(["'])((?:(?!\1).)+)\1""", source)}
    used |= {match[1] for match in re.finditer(TITLES, source)}
    pages = "\n".join(file.read_text() for file in static.glob("*.html"))
    used |= set(re.findall(r"data-t>([^<]+)<", pages)) | set(re.findall(r'data-t-label="([^"]+)"', pages))
    used |= {*list_robots().values(), *scenarios().values(), *DOCUMENTS.values()}
    assert len(used) > 100
    for language in languages()[1:]:
        assert sorted(used - set(catalogue(language))) == []


def test_the_words_of_the_robots_panels_are_in_every_catalogue() -> None:
    panels = [panel_of(ROBOTS[name]().scene) for name in ROBOTS]
    used = {group.title for panel in panels for group in panel.groups}
    used |= {label for panel in panels for group in panel.groups for label in labels_of(group.widgets)}
    assert {"Drive", "Joystick", "Trailer", "left side"} <= used
    for language in languages()[1:]:
        known = catalogue(language)
        assert sorted(word for word in used if word not in known and f"panel: {word}" not in known) == []


def labels_of(widgets: Any) -> list[str]:
    return [widget.label for widget in widgets if getattr(widget, "label", None)]


def said_by_the_server() -> list[str]:
    """Every sentence of the modules that speak to a browser, with X1, X2 ... for the names and numbers in it."""
    found = []
    for file in SPEAKING:
        tree = ast.parse((VIEW.parent / file).read_text())
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        inner |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = enumerate(node.values)
                found.append(
                    "".join(str(part.value) if isinstance(part, ast.Constant) else f"X{i}" for i, part in parts)
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
                found.append(node.value)
    return [text for text in found if " " in text.strip() and text not in INNER]


def test_what_the_server_says_is_in_every_catalogue(chromium: Any) -> None:
    """Alarms, reasons, refusals and endings, by the page's own way to look them up."""
    texts = [*said_by_the_server(), "emergency stop by operator 1", "fault injected: gust: leaf"]
    assert len(texts) > 40
    page = chromium.new_page()
    page.goto("about:blank")
    source = (VIEW / "static" / "texts.js").read_text().replace("export ", "")
    for language in languages()[1:]:
        script = f"([known, texts]) => {{ {source} useTexts(known); return texts.map(translated); }}"
        translated = page.evaluate(script, [catalogue(language), texts])
        assert [text for text, other in zip(texts, translated, strict=True) if text == other] == []
        for text, other in zip(texts, translated, strict=True):
            assert set(re.findall(r"X\d", text)) == set(re.findall(r"X\d", other)), text
        assert translated[-2].endswith(catalogue(language)["operator {number}"].format(number=1))
    page.close()
