"""The console's page, made of NiceGUI elements.

NiceGUI lays the page out and serves its menus, dialogs and forms. What moves the plant does not pass through it:
those elements carry handlers that run in the browser and speak over our own websocket (``static/link.js``).
"""

from __future__ import annotations

import json
from typing import Any

from nicegui import Event, ui

from .guard import Tokens
from .link import Hub

Plain = dict[str, Any]
SPANS = {5: "5 s", 10: "10 s", 30: "30 s", 60: "60 s"}
SCALES = (0.1, 0.25, 0.5, 1, 2, 5)
HEAD = """<link rel="stylesheet" href="/view/console.css"><script type="module" src="/view/console.js"></script>"""


def send(command: Plain) -> str:
    """A handler that sends a command from the browser."""
    return f"() => sharnir.link.send({json.dumps(command)})"


class Page:
    """What the page is built from: one for all browsers of a run."""

    def __init__(self, hub: Hub, tokens: Tokens, world: Plain, address: str) -> None:
        self.hub, self.tokens, self.world, self.address = hub, tokens, world, address
        self.kept = Event[[]]()
        hub.on_kept = self.kept.emit

    def build(self, role: str) -> None:
        """Put the page up for one browser."""
        ui.add_head_html(HEAD)
        ui.add_body_html(f"<script>document.body.dataset.role = {json.dumps(role)}</script>")
        ui.page_title(f"{self.world['name']} · Sharnir")
        with _box("console"):
            self._strip()
            with _box("main"):
                with _box("left"):
                    self._stage()
                    self._plots()
                self._side(role)

    # --- the strip --------------------------------------------------------------------------------------------------

    def _strip(self) -> None:
        with _box("strip"):
            with _box("name"):
                ui.html(f"<b>{_escaped(self.world['name'])}</b><span>Sharnir console</span>", sanitize=False)
            _figure("time", "time", "wide")
            _figure("factor", "real time")
            _figure("misses", "missed")
            _figure("worst", "worst step", "extra")
            _figure("jitter", "jitter", "extra")
            ui.element("div").classes("state").props("id=state")
            with _box("tools operator-only"):
                _tool("play_arrow", "run", "Run", {"do": "run"})
                _tool("pause", "pause", "Pause", {"do": "pause"})
                _tool("skip_next", "step", "One step", {"do": "step", "n": 1})
                _tool("fast_forward", "step10", "Ten steps", {"do": "step", "n": 10})
                _tool("replay", "reset", "Back to the start", {"do": "reset"})
                options = "".join(f'<option value="{s:g}"{" selected" * (s == 1)}>{s:g}×</option>' for s in SCALES)
                ui.html(f'<select id="scale" class="scale" title="time scale">{options}</select>', sanitize=False)
                self._snapshots()
            _box("gap")
            with _box("role").props("id=role"):
                ui.html("<i></i>", sanitize=False)
                ui.html("", tag="span", sanitize=False)
                ui.html("Take control", tag="button", sanitize=False).classes("plain").props("id=take")
                ui.html("Hand over", tag="button", sanitize=False).classes("plain").props("id=give")
            with _box("tools"):
                _icon("person_add", "Let another browser in", self._invite)
                ui.button(icon="contrast", color=None).props("flat dense title='Light or dark'").on(
                    "click", js_handler="() => sharnir.toggleTheme()"
                )
            ui.html("EMERGENCY STOP", tag="button", sanitize=False).classes("stop").props("id=stop")

    def _snapshots(self) -> None:
        with (
            ui.button(icon="bookmark_border", color=None).props("flat dense id=snapshots title='Snapshots'"),
            ui.menu(),
        ):
            save = "() => sharnir.link.send({do: 'save', name: `t = ${sharnir.link.frame.time.toFixed(2)} s`})"
            ui.menu_item("Save a snapshot").on("click", js_handler=save)
            ui.separator()

            @ui.refreshable
            def saved() -> None:
                for name in self.hub.kept.snapshots:
                    item = ui.menu_item(f"Restore {name}")
                    item.on("click", js_handler=send({"do": "restore", "name": name}))
                if not self.hub.kept.snapshots:
                    ui.menu_item("none yet").props("disable")

            saved()
            self.kept.subscribe(saved.refresh)

    def _invite(self) -> None:
        base = f"{self.address}/?token="
        with ui.dialog() as dialog, ui.card():
            ui.label("Each link lets one browser in, once, within ten minutes.")
            ui.input("to watch, or to drive when you hand over", value=base + self.tokens.issue()).classes("w-full")
            instructor = f"{self.address}/instructor?token={self.tokens.issue()}"
            ui.input("for an instructor", value=instructor).props("readonly style='width: 460px'")
        dialog.open()

    # --- view and plots ---------------------------------------------------------------------------------------------

    def _stage(self) -> None:
        with _box("stage").props("id=stage"):
            if self.world["panel"]["diagram"]:
                ui.html(self.world["panel"]["diagram"]).classes("sheet").props("id=sheet")
            _box("view-tools").props("id=view-tools")
            _box("card").props("id=card")
            _box("toasts").props("id=toasts")
            ui.html("The connection is lost. Trying again …").classes("curtain")

    def _plots(self) -> None:
        names = [channel["name"] for channel in self.world["layout"]["channels"]]
        with _box("plots"):
            with _box("plots-head"):
                ui.html("Telemetry").classes("section")
                picker = ui.select(names, multiple=True, value=self.world["panel"]["plotted"], with_input=True)
                picker.props("dense options-dense borderless use-chips id=picker")
                picker.on("update:model-value", js_handler="(v) => sharnir.plot.choose((v ?? []).map((o) => o.label))")
                span = ui.toggle(SPANS, value=10).props("dense flat no-caps size=sm")
                span.on(
                    "update:model-value",
                    js_handler="(v) => { sharnir.plot.span = [5, 10, 30, 60][v]; sharnir.plot.draw() }",
                )
            _box("plot").props("id=plot")

    # --- the side ---------------------------------------------------------------------------------------------------

    def _side(self, role: str) -> None:
        names = {"console": "Console", "alarms": "Alarms", "keys": "Keys"}
        if role == "instructor":
            names = {"instructor": "Instructor"} | names
        first = next(iter(names))
        with _box("side"):
            tabs = ui.tabs().props("dense no-caps align=left indicator-color=primary")
            with tabs:
                for name, title in names.items():
                    ui.tab(name, title).props(f"id=tab-{name}")
            tabs.set_value(first)
            tabs.on("update:model-value", js_handler="(name) => sharnir.open(name)")
            with _box("panels").props(f"id=panels data-open={first}"):
                for name in names:
                    with _box("panel").props(f"data-tab={name}"):
                        getattr(self, f"_{name}")()

    def _alarms(self) -> None:
        _box("log").props("id=alarms")

    def _keys(self) -> None:
        with _box("group"):
            ui.html("Keyboard and gamepad").classes("section")
            _box("").props("id=keys")
            text = (
                "Click a key to change it. An input that is held goes back to its start value when the key is let go. "
                "Esc is the emergency stop."
            )
            ui.html(text, tag="p").classes("hint")

    def _console(self) -> None:
        for group in self.world["panel"]["groups"]:
            with _box("group"):
                ui.html(_escaped(group["title"])).classes("section")
                with _box("widgets"):
                    for widget in group["widgets"]:
                        element = ui.element(f"sh-{widget['kind']}")
                        for name, value in widget.items():
                            if name != "kind" and value is not None:
                                element.props[name] = str(value)

    def _instructor(self) -> None:
        """Faults, notes and the end of the session."""
        with _box("group"):
            ui.html("Faults").classes("section")
            for name, fault in self.world["faults"].items():
                with _box("fault"):
                    ui.html(_escaped(name), tag="span")
                    bring = ui.button("bring in").props("dense flat no-caps size=sm")
                    bring.on("click", js_handler=send({"do": "inject", "name": name, "fault": fault}))
        with _box("group"):
            ui.html("In effect").classes("section")

            @ui.refreshable
            def acting() -> None:
                for name in self.hub.kept.faults:
                    with _box("fault"):
                        ui.html(_escaped(name), tag="span")
                        take = ui.button("take back").props("dense flat no-caps size=sm")
                        take.on("click", js_handler=send({"do": "withdraw", "name": name}))
                if not self.hub.kept.faults:
                    ui.html("none").classes("hint")

            acting()
            self.kept.subscribe(acting.refresh)
        with _box("group"):
            ui.html("Notes").classes("section")
            with _box("form"):
                note = ui.textarea(placeholder="for the report").props("dense outlined autogrow").classes("note")
                ui.button("Write down").props("dense no-caps outline size=sm id=write-note").on(
                    "click",
                    js_handler="""() => {
                        const text = document.querySelector('.note textarea').value.trim();
                        if (text) sharnir.link.send({ do: 'note', text });
                    }""",
                ).on("click", lambda: note.set_value(""))
        with _box("group"):
            ui.html("Session").classes("section")
            ui.button("End and write the report").props("dense no-caps outline size=sm id=end").on(
                "click", js_handler=send({"do": "end"})
            )


def _box(classes: str) -> Any:
    return ui.element("div").classes(classes)


def _figure(name: str, label: str, extra: str = "") -> None:
    with _box(f"figure {extra}"):
        ui.html("–", tag="b").props(f"id={name}")
        ui.html(label, tag="span")


def _tool(icon: str, name: str, title: str, command: Plain) -> None:
    button = ui.button(icon=icon, color=None).props(f"flat dense id={name} title='{title}'")
    button.on("click", js_handler=send(command))


def _icon(icon: str, title: str, action: Any) -> None:
    ui.button(icon=icon, on_click=action, color=None).props(f"flat dense title='{title}'")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
