// The console editor: what the operator sees and works, laid out by hand; while the scene is tried it works.

import { connectWidgets, layGrid, makeWidget } from "/view/widgets.js";
import { Keys } from "/view/keys.js";
import { t } from "/view/texts.js";
import { button, make, soon } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { COLUMNS, PanelModel, WIDGETS, described, limitsOf } from "./panel_model.js";
import { PanelForm } from "./panel_form.js";
import { PlatePreview } from "./panel_plate.js";
import { liveSession } from "./live.js";

export function mount(element, document, context) {
  context.panelEditor = new PanelEditor(element, document, context);
}

// Widgets that are being laid out show the start values of their inputs, and set nothing.
const still = (specOf) => ({ on: () => {}, set: () => {}, grip: () => {}, reader: { input: (_, name) => specOf(name)?.initial ?? 0, channel: () => 0 } });

// Why an element that shows something is not added.
const nothingToShow = (kind) => ({
  camera: t("There is no camera yet. Select a body and add one from the palette, under Sensors."),
  lamp: t("There is no signal of yes or no to show yet. Add one to the scheme first: a switch, a comparison."),
})[kind] ?? t("There is no signal to show yet. Draw a scheme, or give a joint a drive first.");

class PanelEditor {
  constructor(element, document, context) {
    Object.assign(this, { element, document, context });
    this.later = soon(() => this.show());
    this.selected = null; // the path of a widget or a group
    this.preview = new PlatePreview(this);
    this.build();
    this.listen();
    this.show();
  }

  get model() {
    return new PanelModel(this.document);
  }

  build() {
    const kinds = Object.entries(WIDGETS).map(([kind, { sign, title }]) => {
      const entry = button("", t("Add: {title}", { title: t(title) }), () => this.add(kind), { class: "tool widget-kind", draggable: "true" });
      entry.append(make("b", { "aria-hidden": "true" }, sign), make("span", {}, t(title)));
      entry.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/x-sharnir-widget", kind));
      return entry;
    });
    this.signals = make("div", { class: "panel-signals", role: "group", "aria-label": t("Signals of the scheme") });
    this.sheet = make("div", { class: "panel-sheet" });
    const form = make("div", { class: "scheme-form panel-form", role: "region", "aria-label": t("The selected element"), tabindex: 0 });
    this.element.replaceChildren(
      make(
        "div",
        { class: "scheme panel-editor" },
        make("div", { class: "scheme-bar panel-kinds", role: "toolbar", "aria-label": t("Elements of a console") }, ...kinds, button(`+ ${t("Group")}`, t("Add a group"), () => this.addGroup())),
        make("div", { class: "panel-middle" }, this.sheet, make("h2", { class: "panel-sub" }, t("Signals of the scheme")), this.signals),
        form,
      ),
    );
    this.form = new PanelForm(form, this);
  }

  listen() {
    this.document.subscribe(({ operations }) => {
      const isOurs = ({ path, from }) => [path, from].some((one) => one !== undefined && (one === "" || /^\/(panel|diagram|cameras)/.test(one)));
      if (!operations || operations.some(isOurs)) this.later();
    });
    this.document.addEventListener("message", ({ detail }) => {
      if (detail.kinds || detail.offered || (detail.world && this.preview.plate)) this.later();
      if (detail.checked) this.document.askOffer();
    });
    this.document.askOffer();
    this.context.trial.listeners.add(() => this.show());
    this.context.sides.listeners.add(() => this.show());
    this.sheet.addEventListener("pointerdown", (event) => this.grab(event));
    this.sheet.parentElement.addEventListener("pointerdown", ({ target }) => target === this.sheet.parentElement && !this.runs && this.select(null));
    this.sheet.addEventListener("keydown", (event) => this.key(event));
    this.sheet.addEventListener("focusin", ({ target }) => target.dataset.path && this.select(target.dataset.path));
    this.sheet.addEventListener("dragover", (event) => event.preventDefault());
    this.sheet.addEventListener("drop", (event) => this.drop(event));
  }

  get runs() {
    return this.context.trial.running;
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  show() {
    const { model } = this;
    const { trial } = this.context;
    const focused = this.sheet.contains(globalThis.document.activeElement) ? globalThis.document.activeElement.dataset.path : null;
    const spec = (name) => this.specOf(name);
    connectWidgets(this.runs ? liveSession(this.context) : { link: still(spec), spec });
    this.sheet.dataset.look = model.data.theme ?? "plain";
    this.sheet.classList.toggle("runs", this.runs);
    const groups = model.groups.map((group, g) => this.group(model, group, g));
    this.sheet.replaceChildren(...(groups.length ? groups : this.emptyParts()));
    if (!this.runs) for (const control of this.sheet.querySelectorAll(".w-control")) control.show({});
    this.preview.show(this.runs || this.context.sides.open !== "console" ? null : model.groups.map((group) => this.onPlate(model, group)));
    this.showSignals(model);
    if (this.selected && this.document.at(this.selected) === undefined) this.selected = null;
    this.mark();
    if (focused) this.sheet.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
    this.form.show(this.selected);
    this.keys(trial);
  }

  group(model, group, g) {
    const path = pathOf("panel", "groups", g);
    const places = model.places(group);
    const columns = group.columns ?? COLUMNS;
    const box = make("div", { class: "widgets panel-grid", "data-group": g });
    const widgets = (group.widgets ?? []).map((widget, w) => ({ ...described(widget, model), place: places[w] }));
    layGrid(box, columns, widgets.length ? widgets : [{ place: [0, 0, 1, 1] }]);
    widgets.forEach((widget, w) => box.append(this.frame(widget, group.widgets[w], `${path}/widgets/${w}`)));
    const head = make("button", { type: "button", class: "panel-group-title", "data-path": path }, group.title || t("Group"));
    return make("div", { class: "group panel-group" }, head, box);
  }

  onPlate(model, { title = "", columns = COLUMNS, ...group }) {
    const places = model.places(group);
    return { title, columns, widgets: (group.widgets ?? []).map((widget, w) => ({ ...described(widget, model), place: places[w] })) };
  }

  // A widget in a frame that is grabbed instead of it.
  frame({ place, ...widget }, data, path) {
    const [x, y, wide, high] = place;
    const inside = makeWidget(widget);
    if (!this.runs) inside.setAttribute("inert", "");
    const title = `${t(WIDGETS[data.type]?.title ?? data.type)} ${widget.label ?? ""}`;
    const frame = this.runs
      ? make("div", { class: "panel-frame" }, inside)
      : make("div", { class: "panel-frame", tabindex: 0, role: "group", "aria-label": t("{title}: arrows move it, with Shift they size it", { title }), "data-path": path }, inside, make("i", { class: "panel-corner" }));
    frame.style.gridArea = `${y + 1} / ${x + 1} / span ${high} / span ${wide}`;
    if (this.document.errorsAt(path).length) frame.classList.add("wrong");
    return frame;
  }

  // Nothing is laid out: what the scene is driven with until then may be the beginning.
  emptyParts() {
    const { panel, diagram } = this.document.offered;
    const said = make("p", { class: "quiet" }, t("There is no console yet: the scene gets one made from its scheme. Add an element to lay out one of your own."));
    if (!panel || this.runs) return [said];
    const scheme = diagram && !this.document.at("/diagram") ? [{ op: "add", path: "/diagram", value: diagram }] : [];
    const value = { ...(this.document.at("/panel") ?? {}), ...panel };
    const begin = () => this.document.edit(t("Begin with the console it would get"), [...scheme, { op: this.document.at("/panel") ? "replace" : "add", path: "/panel", value }]);
    return [said, make("button", { type: "button", class: "plain", onclick: begin }, t("Begin with the console it would get"))];
  }

  showSignals(model) {
    const isOwn = this.document.at("/diagram") !== undefined;
    const { outputs } = model;
    const hint = isOwn ? t("The scheme has no inputs, lamps or gauges yet. A lever, knob or switch brings an input along.")
      : t("There is nothing to drive yet. Give a joint a drive (palette, Drives), or draw a scheme; a lever, knob or switch brings an input along.");
    const made = t("The scene has no scheme of its own yet. These are the signals of the one made from its drives; it is written down with the first element that uses it.");
    const shown = Object.entries(outputs).filter(([, { type }]) => type === "lamp" || type === "gauge").map(([name]) => name);
    const chips = [...Object.keys(model.inputs), ...shown].map((name) => {
      const kind = model.suited(name);
      const chip = button(name, t("Add {name} as: {title}", { name, title: t(WIDGETS[kind].title) }), () => this.add(kind, name), { class: "chip", draggable: "true" });
      chip.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/x-sharnir-signal", name));
      return chip;
    });
    const note = !chips.length ? hint : isOwn ? null : made;
    this.signals.replaceChildren(...(note ? [make("p", { class: "quiet" }, note)] : []), ...chips);
  }

  specOf(name) {
    const spec = this.model.inputs[name];
    if (!spec) return undefined;
    const [low, high] = limitsOf(spec);
    return { name, unit: spec.unit ?? "1", low, high, initial: Number(spec.initial ?? 0), choices: spec.choices ?? [] };
  }

  // The keys of the console work while the scene is tried.
  keys(trial) {
    if (!this.runs || this.keyed === trial.link) return;
    this.keyed = trial.link;
    const specs = new Map(trial.world.inputs.map((spec) => [spec.name, spec]));
    this.working = new Keys(trial.link, (name) => specs.get(name), trial.world.panel, `constructor-${Date.now()}`);
  }

  // --- selecting -----------------------------------------------------------------------------------------------------

  select(path) {
    this.selected = path;
    this.mark();
    this.form.show(path);
  }

  mark() {
    for (const one of this.sheet.querySelectorAll("[data-path]")) one.classList.toggle("chosen", one.dataset.path === this.selected);
  }

  get groupNumber() {
    const [, section, g] = this.selected ? stepsOf(this.selected) : [];
    return section === "groups" ? Number(g) : Math.max(0, this.model.groups.length - 1);
  }

  // --- editing -------------------------------------------------------------------------------------------------------

  add(kind, name = null, g = this.groupNumber, at = null) {
    const { model } = this;
    const inputs = name ? {} : model.missingInputs(kind);
    const widget = model.fresh(kind, name, Object.keys(inputs));
    if (!widget) return this.context.toast(nothingToShow(kind));
    const scheme = kind === "text" || kind === "camera" ? [] : model.schemeWith(inputs);
    this.document.edit(t("Add: {title}", { title: t(WIDGETS[kind].title) }), [...scheme, ...model.add(g, widget, at)]);
    const names = Object.keys(inputs).join(", ");
    if (names) this.context.toast(t("The scheme has got a new input for it: {names}. Draw a wire from it to what it is to move.", { names }));
    const count = this.model.groups[g].widgets.length;
    this.selected = pathOf("panel", "groups", g, "widgets", count - 1);
    this.show();
    return this.sheet.querySelector(`[data-path="${CSS.escape(this.selected)}"]`)?.focus();
  }

  addGroup() {
    const { model } = this;
    const title = `${t("Group")} ${model.groups.length + 1}`;
    this.document.edit(t("Add a group"), model.addGroup(title));
    this.select(pathOf("panel", "groups", this.model.groups.length - 1));
  }

  remove(path) {
    this.selected = null;
    this.document.edit(t("Delete"), [{ op: "remove", path }]);
  }

  // The cell of a grid under a point of the window.
  cellAt(grid, x, y) {
    const box = grid.getBoundingClientRect();
    const style = getComputedStyle(grid);
    return [at(style.gridTemplateColumns, style.columnGap, x - box.left), at(style.gridTemplateRows, style.rowGap, y - box.top)];
  }

  grab(event) {
    const frame = event.target.closest(".panel-frame[data-path], .panel-group-title");
    if (!frame) return this.runs ? undefined : this.select(null);
    this.select(frame.dataset.path);
    if (!frame.matches(".panel-frame") || event.button !== 0) return undefined;
    const isCorner = event.target.matches(".panel-corner");
    const [row, column, , ] = frame.style.gridArea.split("/").map((part) => Number.parseInt(part, 10) - 1);
    const spans = frame.style.gridArea.match(/span (\d+) \/ span (\d+)/);
    const from = [column, row, Number(spans[2]), Number(spans[1])];
    const first = this.cellAt(frame.parentElement, event.clientX, event.clientY);
    let [grid, place] = [frame.parentElement, from];
    const move = (moved) => {
      grid = isCorner ? grid : (globalThis.document.elementsFromPoint(moved.clientX, moved.clientY).find((one) => one.matches?.(".panel-grid")) ?? grid);
      const cell = this.cellAt(grid, moved.clientX, moved.clientY);
      const by = [cell[0] - first[0], cell[1] - first[1]];
      place = isCorner ? [from[0], from[1], from[2] + by[0], from[3] + by[1]] : [from[0] + by[0], from[1] + by[1], from[2], from[3]];
      const [x, y, wide, high] = place.map((number, i) => Math.max(number, i < 2 ? 0 : 1));
      if (frame.parentElement !== grid) grid.append(frame);
      frame.style.gridArea = `${y + 1} / ${x + 1} / span ${high} / span ${wide}`;
    };
    const end = () => {
      frame.removeEventListener("pointermove", move);
      const g = Number(grid.dataset.group);
      if (place === from) return;
      this.document.edit(isCorner ? t("Size an element") : t("Move an element"), this.model.move(frame.dataset.path, g, place));
      if (g !== Number(stepsOf(frame.dataset.path)[2])) this.selected = pathOf("panel", "groups", g, "widgets", this.model.groups[g].widgets.length - 1);
      this.show();
    };
    frame.setPointerCapture(event.pointerId);
    frame.addEventListener("pointermove", move);
    frame.addEventListener("lostpointercapture", end, { once: true });
    return undefined;
  }

  key(event) {
    const path = event.target.dataset?.path;
    if (event.key === "Escape") this.select(null);
    if (!path || this.runs) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const [, , g, , w] = stepsOf(path);
    if (event.key === "Delete" || event.key === "Backspace") this.remove(path);
    else if (event.key in steps && w !== undefined) {
      const [x, y] = steps[event.key];
      const [a, b, wide, high] = this.model.places(this.model.groups[g])[w];
      const place = event.shiftKey ? [a, b, wide + x, high + y] : [a + x, b + y, wide, high];
      this.document.edit(event.shiftKey ? t("Size an element") : t("Move an element"), this.model.move(path, Number(g), place));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  drop(event) {
    const grid = event.target.closest?.(".panel-grid") ?? this.sheet.querySelector(".panel-grid");
    const [kind, signal] = ["text/x-sharnir-widget", "text/x-sharnir-signal"].map((type) => event.dataTransfer.getData(type));
    if (!kind && !signal) return;
    event.preventDefault();
    const cell = grid && this.cellAt(grid, event.clientX, event.clientY);
    this.add(kind || this.model.suited(signal), signal || null, grid ? Number(grid.dataset.group) : 0, cell);
  }

  // Binds by pointing: the scheme is shown, and the signal that is clicked there is taken.
  point(accepts, take) {
    const { sides } = this.context;
    if (sides.open !== "scheme") sides.show("scheme");
    this.context.scheme.pointAt(accepts, (signal) => {
      sides.show("console");
      if (signal !== null) take(signal);
    });
  }
}

// Which of the tracks of a grid a distance from its beginning lies in; tracks go on beyond the last.
function at(tracks, gap, distance) {
  const sizes = tracks.split(" ").map(Number.parseFloat).filter(Number.isFinite);
  const space = Number.parseFloat(gap) || 0;
  let end = 0;
  for (let i = 0; i < sizes.length; i += 1) {
    end += sizes[i] + space;
    if (distance < end) return i;
  }
  return sizes.length + Math.floor((distance - end) / (34 + space));
}
