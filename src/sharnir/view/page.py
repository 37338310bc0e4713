"""The console's page, made of NiceGUI elements.

NiceGUI lays the page out and serves its menus, dialogs and forms. What moves the plant does not pass through it:
those elements carry handlers that run in the browser and speak over our own websocket (``static/link.js``).
"""

from __future__ import annotations

import json
from collections.abc import Callable

from nicegui import Event, ui

from ..scene.values import Plain
from .guard import INSTRUCTOR, Role, Tokens
from .link import Hub
from .texts import ENGLISH, catalogue

SPANS = (5, 10, 20, 60, 300, 1800)  # s
MOST_OPEN = 12  # widgets of a group; larger ones are folded at first
SCALES = (0.1, 0.25, 0.5, 1, 2, 5)
HEAD = """<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/view/console.css"><script type="module" src="/view/console.js"></script>"""
FAULT_KINDS = {
    "drive_loss": "Drives",
    "brake_failure": "Brakes",
    "extra_friction": "Joints",
    "rope_break": "Ropes",
    "gust": "Gusts",
}


def send(command: Plain) -> str:
    """A handler that sends a command from the browser."""
    return f"() => sharnir.link.send({json.dumps(command)})"


class Page:
    """What the page is built from: one for all browsers of a run."""

    def __init__(self, hub: Hub, tokens: Tokens, world: Plain, address: str) -> None:
        self.hub, self.tokens, self.world, self.address = hub, tokens, world, address
        self.kept = Event[[]]()
        hub.on_kept = self.kept.emit

    def build(self, role: Role, language: str = ENGLISH) -> None:
        """Put the page up for one browser."""
        Sheet(self, role, language).build()


class Sheet:
    """The page of one browser."""

    def __init__(self, page: Page, role: Role, language: str) -> None:
        self.page, self.role, self.language = page, role, language
        self.hub, self.world = page.hub, page.world
        self._texts = {} if language == ENGLISH else catalogue(language)

    def t(self, text: str) -> str:
        """A text in the browser's language."""
        return self._texts.get(text, text)

    def build(self) -> None:
        """Put it up."""
        ui.add_head_html(HEAD)
        about = json.dumps({"role": self.role, "language": self.language, "texts": self._texts}).replace("<", "\\u003c")
        ui.add_body_html(
            f'<script type="application/json" id="about-page">{about}</script>'
            f"<script>document.documentElement.lang = {json.dumps(self.language)}</script>"
        )
        ui.page_title(f"{self.world['name']} · Sharnir")
        with _box("console"):
            self._strip()
            self._stop()
            self._banner()
            with _box("main"):
                with _box("left"):
                    self._stage()
                    self._timeline()
                    self._plots()
                self._side()
            self._ending()

    # --- the strip --------------------------------------------------------------------------------------------------

    def _strip(self) -> None:
        t = self.t
        with _box("strip", "header"):
            with _box("strip-flow"):
                with _box("name"):
                    title = _escaped(self.world["panel"]["title"] or self.world["name"])
                    ui.html(f"<h1>{title}</h1><span>{t('Sharnir console')}</span>", sanitize=False)
                _figure("time", t("time"), "wide")
                _figure("factor", t("real time"))
                _figure("misses", t("missed"), "extra")
                _figure("worst", t("worst step"), "extra")
                _figure("jitter", t("jitter"), "extra")
                _box("state").props("id=state role=status")
                if self.role != "watcher":
                    self._clock()
                _box("gap")
                with _box("role").props("id=role"):
                    ui.html("<i></i>", sanitize=False)
                    ui.html("", tag="span", sanitize=False).props("role=status")
                    _plain_button(t("Take control"), "take")
                    _plain_button(t("Hand over"), "give")
                with _box("tools"):
                    _box("pad-lamp").props("id=pad-lamp role=img hidden")
                    if self.role != "watcher":
                        _icon("person_add", "invite", t("Let another browser in"), self._invite)
                    _client_icon("contrast", "theme", t("Light or dark"), "() => sharnir.toggleTheme()")
            _box("stop-place")

    def _stop(self) -> None:
        """The emergency stop: the browser puts it above all else (``static/stop.js``)."""
        t = self.t
        label = f"<span class='long'>{t('EMERGENCY STOP')}</span><span class='short'>{t('STOP')}</span>"
        stop = ui.html(label, tag="button", sanitize=False).classes("stop")
        stop.props["id"], stop.props["type"] = "stop", "button"
        stop.props["aria-label"] = t("Emergency stop")
        stop.props["aria-keyshortcuts"] = "F9 Escape"

    def _clock(self) -> None:
        t = self.t
        with _box("tools operator-only"):
            _tool("play_arrow", "run", t("Run"), {"do": "run"})
            _tool("pause", "pause", t("Pause"), {"do": "pause"})
            _tool("skip_next", "step", t("One step"), {"do": "step", "n": 1})
            _tool("fast_forward", "step10", t("Ten steps"), {"do": "step", "n": 10})
            _tool("replay", "reset", t("Back to the start"), {"do": "reset"})
            options = "".join(f'<option value="{s:g}"{" selected" * (s == 1)}>{s:g}×</option>' for s in SCALES)
            name = t("time scale")
            choice = f'<select id="scale" class="scale" title="{name}" aria-label="{name}">{options}</select>'
            ui.html(choice, sanitize=False)
            self._snapshots()

    def _snapshots(self) -> None:
        t = self.t
        button = ui.button(icon="bookmark_border", color=None).props("flat dense id=snapshots")
        _named(button, t("Snapshots"))
        with button, ui.menu():
            save = "() => sharnir.link.send({do: 'save', name: `t = ${sharnir.link.frame.time.toFixed(2)} s`})"
            ui.menu_item(t("Save a snapshot")).on("click", js_handler=save)
            ui.separator()

            client = ui.context.client

            @ui.refreshable
            def saved() -> None:
                if client.is_deleted:  # the refreshing waited until the browser was gone
                    return
                for name in self.hub.kept.snapshots:
                    item = ui.menu_item(f"{t('Restore')} {name}")
                    item.on("click", js_handler=send({"do": "restore", "name": name}))
                if not self.hub.kept.snapshots:
                    ui.menu_item(t("none yet")).props("disable")

            saved()
            self.page.kept.subscribe(saved.refresh)

    def _invite(self) -> None:
        """Links for others; only an instructor lets instructors in."""
        t, page = self.t, self.page
        links = {
            t("to watch"): f"{page.address}/?token={page.tokens.issue('watcher')}",
            t("to drive when you hand over"): f"{page.address}/?token={page.tokens.issue('operator')}",
        }
        if self.role == "instructor":
            links[t("for an instructor")] = f"{page.address}{INSTRUCTOR}?token={page.tokens.issue('instructor')}"
        with ui.dialog() as dialog, ui.card().classes("invite"):
            dialog.props["aria-label"] = t("Let another browser in")
            ui.label(t("Each link lets one browser in, once, within ten minutes."))
            for label, link in links.items():
                ui.label(label).classes("hint")
                with _box("invite-row"):
                    shown = ui.input(value=link).props("readonly dense outlined").classes("invite-link")
                    shown.props["aria-label"] = label
                    copy = ui.button(t("Copy")).props("dense no-caps outline")
                    copy.on("click", js_handler=f"(e) => sharnir.copy({json.dumps(link)}, e.currentTarget)")
            ui.button(t("Close"), on_click=dialog.close).props("flat dense no-caps")
        dialog.open()

    def _banner(self) -> None:
        """What is said and done while the drives are in their safe state."""
        with _box("banner").props("id=banner hidden"):
            _box("banner-text").props("id=banner-text role=alert")
            if self.role != "watcher":
                _plain_button(self.t("Hold for one second to release"), "release", "release")
                _plain_button(self.t("Enable the drives"), "enable", "enable")

    def _ending(self) -> None:
        """What is shown when the run has ended."""
        with (
            _box("ending").props(
                "id=ending hidden role=alertdialog aria-modal=true tabindex=-1 aria-labelledby=ending-title"
            ),
            _box("ending-card"),
        ):
            ui.html("", tag="h2", sanitize=False).props("id=ending-title")
            ui.html("", tag="p", sanitize=False).props("id=ending-text")
            _box("ending-links").props("id=ending-links")
            if self.role != "watcher":
                with _box("ending-links"):
                    _plain_button(self.t("Start again"), "again")
                    _plain_button(self.t("Start page"), "home")

    # --- view and plots ---------------------------------------------------------------------------------------------

    def _stage(self) -> None:
        with _box("stage").props("id=stage"):
            if self.world["panel"]["diagram"]:
                ui.html(self.world["panel"]["diagram"], sanitize=False).classes("sheet").props("id=sheet tabindex=0")
            _box("view-tools").props("id=view-tools")
            _box("card").props("id=card")
            _box("toasts").props("id=toasts role=log aria-live=polite")
            _box("curtain").props("id=curtain role=status")

    def _timeline(self) -> None:
        """A bar that looks back through the live run."""
        t = self.t
        with _box("timeline", "section").props(f'aria-label="{t("Timeline")}"'):
            _plain_button("▶", "play")
            name = t("Timeline")
            bar = f'<input type="range" id="scrub" class="w-range" min="0" max="1" value="1" aria-label="{name}">'
            ui.html(f'{bar}<div id="marks" aria-hidden="true"></div>', sanitize=False).classes("scrub-bar")
            ui.html("", tag="span", sanitize=False).props("id=scrub-text")
            _plain_button(t("Back to live"), "live")

    def _plots(self) -> None:
        t, panel = self.t, self.world["panel"]
        names = [channel["name"] for channel in self.world["layout"]["channels"]]
        with _box("plots", "section").props(f'aria-label="{t("Telemetry")}"'):
            with _box("plots-head"):
                ui.html(t("Telemetry"), tag="h2").classes("section")
                picker = ui.select(names, multiple=True, value=panel["plotted"], with_input=True)
                picker.props(f'dense options-dense borderless use-chips id=picker aria-label="{t("signals to plot")}"')
                picker.on("update:model-value", js_handler="(v) => sharnir.plot.choose((v ?? []).map((o) => o.label))")
                options = sorted({*SPANS, panel["seconds"]})
                choice = "".join(
                    f'<option value="{s:g}"{" selected" * (s == panel["seconds"])}>{s:g} {t("s")}</option>'
                    for s in options
                )
                name = t("time span")
                ui.html(f'<select id="span" class="scale" aria-label="{name}">{choice}</select>', sanitize=False)
                _plain_button(t("Freeze"), "freeze")
                _plain_button("−", "fold-plots")
            _box("plot").props("id=plot")

    # --- the side ---------------------------------------------------------------------------------------------------

    def _side(self) -> None:
        names = {"console": "Console", "alarms": "Alarms", "keys": "Keys"}
        if self.role == "instructor":
            names = {"instructor": "Instructor"} | names
        first = next(iter(names))
        with _box("side", "section").props(f'aria-label="{self.t("Controls")}"'):
            _plain_button("»", "fold-side")
            tabs = ui.tabs().props("dense no-caps align=left indicator-color=primary outside-arrows")
            with tabs:
                for name, title in names.items():
                    ui.tab(name, self.t(title)).props(f"id=tab-{name}")
            tabs.set_value(first)
            tabs.on("update:model-value", js_handler="(name) => sharnir.open(name)")
            look = self.world["panel"].get("theme", "plain")
            with _box("panels").props(f"id=panels data-open={first} data-look={look}"):
                for name in names:
                    with _box("panel").props(f"data-tab={name}"):
                        getattr(self, f"_{name}")()

    def _alarms(self) -> None:
        t = self.t
        with _box("alarm-tools"):
            options = {
                "all": t("All"),
                "warning": t("Warnings and alarms"),
                "alarm": t("Alarms alone"),
                "new": t("New ones"),
            }
            listed = "".join(f'<option value="{value}">{text}</option>' for value, text in options.items())
            name = t("Alarms to show")
            choice = f'<select id="alarm-filter" class="scale" aria-label="{name}">{listed}</select>'
            words = t("Search the alarms")
            search = f'<input id="alarm-search" class="scale" type="search" placeholder="{words}" aria-label="{words}">'
            ui.html(choice + search, sanitize=False).classes("alarm-choice")
            _plain_button(self.t("Acknowledge all"), "acknowledge")
        _box("log").props(f'id=alarms role=log aria-label="{self.t("Alarms")}"')

    def _keys(self) -> None:
        with _box("group"):
            ui.html(self.t("Keyboard and gamepad"), tag="h2").classes("section")
            _box("").props("id=keys")
            hints = (
                self.t("Click a key to change it."),
                self.t("An input that is held goes back to its start value when the key is let go."),
                self.t("F9 is the emergency stop, and so is Esc where no dialog is open."),
            )
            ui.html(" ".join(hints), tag="p").classes("hint")

    def _console(self) -> None:
        if self.world["briefing"]:
            self._group(
                self.t("Task"), lambda: ui.html(_escaped(self.t(self.world["briefing"])), tag="p").classes("briefing")
            )
        for group in self.world["panel"]["groups"]:
            title = _escaped(self._texts.get(f"panel: {group['title']}", self.t(group["title"])))
            folded = len(group["widgets"]) > MOST_OPEN
            with ui.element("details").classes("group").props("" if folded else "open"):
                ui.html(f"<h2 class='section'>{title}</h2>", tag="summary", sanitize=False)
                with _box("widgets") as grid:
                    _lay_grid(grid, group)
                    for widget in group["widgets"]:
                        element = ui.element(f"sh-{widget['kind']}")
                        for name, value in widget.items():
                            if name not in ("kind", "place") and value is not None:
                                element.props[name] = str(value)
                        _lay(element, widget.get("place"))

    # --- the instructor ---------------------------------------------------------------------------------------------

    def _instructor(self) -> None:
        """Faults, notes and the end of the session."""
        t = self.t
        self._group(t("Scenario"), lambda: _box("").props("id=score role=status"))
        self._group(t("Injected"), self._injected)
        self._group(t("Faults"), self._faults)
        self._group(t("Notes"), self._notes)
        self._group(t("Session"), self._session)

    def _group(self, title: str, content: Callable[[], object]) -> None:
        with _box("group"):
            ui.html(title, tag="h2").classes("section")
            content()

    def _injected(self) -> None:
        @ui.refreshable
        def injected() -> None:
            for name in self.hub.kept.faults:
                self._fault(name, self.t("clear"), {"do": "clear", "name": name})
            if not self.hub.kept.faults:
                ui.html(self.t("none")).classes("hint")

        injected()
        self.page.kept.subscribe(injected.refresh)

    def _faults(self) -> None:
        """By kind; a kind of more than a few is folded."""
        kinds: dict[str, dict[str, Plain]] = {}
        for name, fault in self.world["faults"].items():
            kinds.setdefault(FAULT_KINDS.get(fault["type"], fault["type"]), {})[name] = fault
        for kind, faults in kinds.items():
            box = ui.element("details").props("open" if len(faults) <= 8 else "").classes("fault-kind")
            with box:
                ui.html(f"{self.t(kind)} ({len(faults)})", tag="summary")
                for name, fault in faults.items():
                    self._fault(name, self.t("inject"), {"do": "inject", "name": name, "fault": fault})

    def _fault(self, name: str, action: str, command: Plain) -> None:
        with _box("fault"):
            shown = self._fault_name(name)
            ui.html(_escaped(shown), tag="span")
            button = ui.button(action).props("dense flat no-caps size=sm")
            button.props["aria-label"] = f"{action}: {shown}"
            button.on("click", js_handler=send(command))

    def _fault_name(self, name: str) -> str:
        """Those that are offered for whatever a scene has are named by their kind, in the browser's language."""
        kind, _, thing = name.partition(": ")
        return self._texts.get(f"{kind}: {{name}}", name).replace("{name}", thing)

    def _notes(self) -> None:
        with _box("form"):
            note = ui.textarea(placeholder=self.t("for the report")).props("dense outlined autogrow").classes("note")
            note.props["aria-label"] = self.t("Notes")
            ui.button(self.t("Write down")).props("dense no-caps outline size=sm id=write-note").on(
                "click",
                js_handler="""() => {
                    const text = document.querySelector('.note textarea').value.trim();
                    if (text) sharnir.link.send({ do: 'note', text });
                }""",
            ).on("click", lambda: note.set_value(""))

    def _session(self) -> None:
        """The end of the run, which is asked about: it is everybody's, and nothing brings it back."""
        t = self.t
        with ui.dialog() as asked, ui.card().classes("asked"):
            asked.props["aria-label"] = t("End the run?")
            ui.label(t("End the run?")).classes("asked-title")
            ui.label(t("It ends for everybody, and the report is written. It cannot be gone on with."))
            with _box("asked-answers"):
                ui.button(t("Go on driving"), on_click=asked.close).props("dense no-caps outline autofocus")
                end = ui.button(t("End the run"), on_click=asked.close).props("dense no-caps outline id=end-now")
                end.on("click", js_handler=send({"do": "end"}))
        ui.button(t("End and write the report"), on_click=asked.open).props("dense no-caps outline size=sm id=end")


def _lay_grid(grid: ui.element, group: Plain) -> None:
    """The columns of a group whose widgets have places."""
    if any(widget.get("place") for widget in group["widgets"]):
        grid.props["data-grid"] = ""
        grid.style(f"grid-template-columns: repeat({group['columns']}, minmax(0, 1fr))")


def _lay(element: ui.element, place: list[int] | None) -> None:
    """Put a widget where the panel has it; ``static/widgets.js`` does the same for the player."""
    if place:
        column, row, columns, rows = place
        element.props["data-placed"] = ""
        element.style(f"grid-area: {row + 1} / {column + 1} / span {rows} / span {columns}")


def _box(classes: str, tag: str = "div") -> ui.element:
    return ui.element(tag).classes(classes)


def _figure(name: str, label: str, extra: str = "") -> None:
    with _box(f"figure {extra}"):
        ui.html("–", tag="b").props(f"id={name}")
        ui.html(label, tag="span")


def _named(button: ui.element, title: str) -> ui.element:
    button.props["title"] = button.props["aria-label"] = title
    return button


def _tool(icon: str, name: str, title: str, command: Plain) -> None:
    _client_icon(icon, name, title, send(command))


def _client_icon(icon: str, name: str, title: str, handler: str) -> None:
    _named(ui.button(icon=icon, color=None).props(f"flat dense id={name}"), title).on("click", js_handler=handler)


def _icon(icon: str, name: str, title: str, action: Callable[[], object]) -> None:
    _named(ui.button(icon=icon, on_click=action, color=None).props(f"flat dense id={name}"), title)


def _plain_button(text: str, name: str, classes: str = "") -> None:
    ui.html(text, tag="button", sanitize=False).classes(f"plain {classes}").props(f"id={name} type=button")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
