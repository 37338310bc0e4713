// What is known of the selected element of the console: what it is bound to, how it looks; keys and gamepad axes.

import { t, translated } from "/view/texts.js";
import { button, make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { COLUMNS, THEMES, WIDGETS } from "./panel_model.js";
import { plateOn, pointAtFace, USUAL } from "./panel_plate.js";

const ACTIONS = ["hold", "toggle", "step", "set"];
const MOVED = 0.5; // of an axis of a gamepad that is meant
const COLORS = ["green", "amber", "red", "blue", "white"];

export class PanelForm {
  constructor(element, editor) {
    Object.assign(this, { element, editor });
  }

  show(path) {
    const { document, model } = this.editor;
    const key = JSON.stringify([path, model.data, Object.keys(model.inputs), document.errorsAt("/panel")]);
    if (key === this.shown) return;
    this.shown = key;
    const active = globalThis.document.activeElement;
    const focused = this.element.contains(active) ? active.dataset.field : null;
    const steps = path ? stepsOf(path) : [];
    const parts = steps.length === 5 ? this.widgetParts(path) : steps.length === 3 ? this.groupParts(path) : this.panelParts();
    this.element.replaceChildren(...parts.filter(Boolean));
    if (focused) this.element.querySelector(`[data-field="${CSS.escape(focused)}"]`)?.focus();
  }

  // --- what is shown -------------------------------------------------------------------------------------------------

  panelParts() {
    const { model } = this.editor;
    const themes = Object.keys(THEMES);
    return [
      make("div", { class: "form-head" }, make("h2", {}, t("Console"))),
      this.row(t("title"), this.text("/panel/title", model.data.title ?? "", t("Name the console"))),
      this.row(t("look"), this.select("theme", themes, model.data.theme ?? "plain", (theme) => this.set("/panel/theme", theme, t("Change the look")), (theme) => t(THEMES[theme]))),
      ...this.plateParts(),
      ...this.keyParts(),
      ...this.axisParts(),
    ];
  }

  groupParts(path) {
    const group = this.editor.document.at(path);
    return [
      make("div", { class: "form-head" }, make("h2", {}, t("Group")), this.deleter(path)),
      this.row(t("title"), this.text(`${path}/title`, group.title ?? "", t("Name a group"))),
      this.row(t("columns"), this.text(`${path}/columns`, group.columns ?? COLUMNS, t("Change the columns"), Number)),
    ];
  }

  widgetParts(path) {
    const { document } = this.editor;
    const widget = document.at(path);
    const about = WIDGETS[widget.type] ?? {};
    const wrong = document.errorsAt("/panel").map(({ message }) => make("p", { class: "form-wrong" }, translated(message)));
    const parts = [make("div", { class: "form-head" }, make("h2", {}, t(about.title ?? widget.type)), this.deleter(path)), ...wrong];
    for (const field of ["input", "value", "x", "y", "camera"]) if (field in widget || field in about) parts.push(this.binding(path, widget, field));
    parts.push(this.row(t("label"), this.text(`${path}/label`, widget.label ?? "", t("Label an element"))));
    if (widget.type === "plot") parts.push(this.signalsRow(path, widget), this.row(`${t("time")}, s`, this.text(`${path}/seconds`, widget.seconds ?? 20, t("Change the time"), Number)));
    if (widget.type === "text") parts.push(this.row(t("text"), this.text(`${path}/text`, widget.text ?? "", t("Change the text"))));
    if (["slider", "knob", "gauge"].includes(widget.type)) parts.push(...this.rangeRows(path, widget));
    if (widget.type === "slider") parts.push(this.row(t("springs back"), this.tick(`${path}/springs`, widget.springs)), this.row(t("upright"), this.tick(`${path}/vertical`, widget.vertical)));
    if (widget.type === "lamp") parts.push(this.row(t("colour"), this.select("color", COLORS, widget.color ?? "green", (color) => this.set(`${path}/color`, color, t("Change the colour")), (color) => t(color))));
    parts.push(this.placeRow(path));
    if (widget.input) parts.push(button(t("Bind a key"), t("Bind a key: press it, or a button of a gamepad, for {name}", { name: widget.input }), (event) => this.recordKey(widget.input, event.currentTarget)));
    if (widget.input && document.at(pathOf("diagram", "inputs", widget.input, "type")) !== "bool") {
      parts.push(button(t("Bind an axis"), t("Bind an axis: move that of a gamepad for {name}", { name: widget.input }), (event) => this.recordAxis(widget.input, event.currentTarget)));
    }
    return parts;
  }

  binding(path, widget, field) {
    const { editor } = this;
    const names = editor.model.fitting(widget.type, field);
    const value = widget[field] ?? "";
    const take = (name) => this.set(`${path}/${field}`, name, t("Bind to {name}", { name }));
    const select = this.select(field, names.includes(value) ? names : [value, ...names], value, take);
    const point = field === "camera" ? null : button("◎", t("Point at it in the scheme"), () => editor.point((signal) => names.includes(signal), take));
    return this.row({ input: t("sets"), value: t("shows"), x: t("right"), y: t("up"), camera: t("camera") }[field], make("span", { class: "with-point" }, select, point));
  }

  signalsRow(path, widget) {
    const { editor } = this;
    const signals = widget.signals ?? [];
    const add = (name) => !signals.includes(name) && this.set(`${path}/signals`, [...signals, name], t("Plot {name}", { name }));
    const chips = signals.map((name) => button(`${name} ✕`, t("Take {signal} out of the plot", { signal: name }), () => this.set(`${path}/signals`, signals.filter((one) => one !== name), t("Take {signal} out of the plot", { signal: name })), { class: "chip" }));
    const names = editor.model.fitting("plot", "signals").filter((name) => !signals.includes(name));
    const select = this.select("signals", ["", ...names], "", add, (name) => name || t("add a signal"));
    const point = button("◎", t("Point at it in the scheme"), () => editor.point((signal) => names.includes(signal), add));
    return make("div", { class: "form-wide" }, make("div", { class: "plot-chips" }, ...chips), make("span", { class: "with-point" }, select, point));
  }

  rangeRows(path, widget) {
    const change = (i) => (text) => {
      if (text === "") return this.set(`${path}/range`, undefined, t("Change the range"));
      const range = [...(widget.range ?? [-1, 1])];
      range[i] = Number(text);
      return this.set(`${path}/range`, range, t("Change the range"));
    };
    return [t("from"), t("to")].map((label, i) => this.row(label, this.input(`range${i}`, widget.range?.[i] ?? "", change(i), { placeholder: t("as its signal"), inputmode: "decimal" })));
  }

  placeRow(path) {
    const { editor } = this;
    const [, , g, , w] = stepsOf(path);
    const place = editor.model.places(editor.model.groups[g])[w];
    const names = [t("column"), t("row"), t("columns"), t("rows")];
    const change = (i) => (text) => editor.document.edit(t("Move an element"), editor.model.move(path, Number(g), place.with(i, Math.round(Number(text)) || 0)));
    const fields = place.map((number, i) => {
      const input = this.input(`place${i}`, number, change(i), { inputmode: "numeric", title: names[i] });
      input.ariaLabel = names[i];
      return input;
    });
    return make("div", { class: "form-row", role: "group", "aria-label": t("place") }, make("span", {}, t("place")), make("span", { class: "place-fields" }, ...fields));
  }

  deleter(path) {
    return button(t("Delete"), t("Delete"), () => this.editor.remove(path));
  }

  // --- in the 3D view ------------------------------------------------------------------------------------------------

  plateParts() {
    const { document, context } = this.editor;
    const bodies = Object.keys(document.at("/bodies") ?? {});
    const plate = document.at("/panel/plate");
    const choose = (body) => {
      if (body === "") this.set("/panel/plate", undefined, t("Take the console out of the scene"));
      else put(plateOn(body, context.stage));
    };
    const put = (where) => this.set("/panel/plate", { ...(plate ?? {}), ...where }, t("Put the console on {body}", { body: where.body }));
    const point = context.stage?.view.canvas ? button("◎", t("Point at the face that it is to stand on"), () => pointAtFace(context, put)) : null;
    const parts = [make("h2", { class: "form-sub" }, t("On a plate in the 3D view")), this.row(t("body"), make("span", { class: "with-point" }, this.select("plate", ["", "world", ...bodies], plate ? (plate.body ?? "world") : "", choose, (name) => name || t("none")), point))];
    if (!plate) return parts;
    const numbers = (field, label, unit) => {
      const value = plate[field] ?? USUAL[field];
      const fields = value.map((number, i) => {
        const input = this.input(`plate ${field}${i}`, number, (text) => this.set(`/panel/plate/${field}`, value.with(i, Number(text) || 0), t("Move the plate")), { inputmode: "decimal" });
        input.ariaLabel = `${label} ${i + 1}`;
        return input;
      });
      return make("div", { class: "form-row", role: "group", "aria-label": label }, make("span", {}, `${label}, ${unit}`), make("span", { class: "place-fields" }, ...fields));
    };
    return [...parts, numbers("position", t("position"), "m"), numbers("faces", t("faces"), "1"), numbers("size", t("size"), "m")];
  }

  // --- keys and axes -------------------------------------------------------------------------------------------------

  keyParts() {
    const { model } = this.editor;
    const inputs = Object.keys(model.inputs);
    const rows = (model.data.keys ?? []).map((key, i) => {
      const path = `/panel/keys/${i}`;
      return make(
        "div",
        { class: "key-row", role: "group", "aria-label": key.key },
        button(key.key, t("{key}: press another key", { key: key.key }), (event) => this.record(event.currentTarget, (code) => this.set(`${path}/key`, code, t("Bind a key")))),
        this.select(`key input ${i}`, inputs, key.input, (name) => this.set(`${path}/input`, name, t("Bind a key")), undefined, t("input")),
        this.select(`key action ${i}`, ACTIONS, key.action ?? "hold", (action) => this.set(`${path}/action`, action, t("Bind a key")), (action) => t(action), t("action")),
        this.labelled(this.input(`key value ${i}`, key.value ?? 1, (text) => this.set(`${path}/value`, Number(text), t("Bind a key")), { inputmode: "decimal" }), t("value")),
        button("✕", t("Delete"), () => this.editor.remove(path)),
      );
    });
    const add = inputs.length ? button(`+ ${t("Key")}`, t("Add a key"), (event) => this.recordKey(inputs[0], event.currentTarget)) : null;
    return [make("h2", { class: "form-sub" }, t("Keys and gamepad")), ...rows, add];
  }

  axisParts() {
    const { model } = this.editor;
    const inputs = Object.keys(model.inputs).filter((name) => model.typeOf(name) !== "bool");
    const rows = (model.data.axes ?? []).map((axis, i) => {
      const path = `/panel/axes/${i}`;
      return make(
        "div",
        { class: "key-row", role: "group", "aria-label": `${t("axis")} ${axis.axis}` },
        this.labelled(this.input(`axis ${i}`, axis.axis, (text) => this.set(`${path}/axis`, Math.round(Number(text)), t("Bind an axis")), { inputmode: "numeric" }), t("axis")),
        this.select(`axis input ${i}`, inputs, axis.input, (name) => this.set(`${path}/input`, name, t("Bind an axis")), undefined, t("input")),
        make("label", { class: "tick" }, this.tick(`${path}/invert`, axis.invert), t("turned")),
        button("✕", t("Delete"), () => this.editor.remove(path)),
      );
    });
    const add = inputs.length ? button(`+ ${t("Axis")}`, t("Add an axis of a gamepad"), () => this.bindAxis(inputs[0], 0)) : null;
    return [...rows, add];
  }

  // Waits for a key, or a button of a gamepad.
  record(asker, take) {
    const before = asker.textContent;
    asker.textContent = t("Press it now …");
    const end = (code) => {
      removeEventListener("keydown", down, true);
      clearInterval(polling);
      asker.textContent = before;
      if (code !== null) take(code);
    };
    const down = (event) => {
      event.preventDefault();
      event.stopPropagation();
      end(event.code === "Escape" ? null : event.code);
    };
    const polling = setInterval(() => {
      const pressed = pads().flatMap((pad) => pad.buttons.map(({ pressed: on }, i) => (on ? i : -1))).find((i) => i >= 0);
      if (pressed !== undefined) end(`Gamepad${pressed}`);
    }, 50);
    addEventListener("keydown", down, true);
  }

  recordKey(input, asker) {
    const isBool = this.editor.model.typeOf(input) === "bool";
    const { momentary } = this.editor.model.inputs[input] ?? {};
    this.record(asker, (key) => this.append("keys", { key, input, ...(isBool && !momentary ? { action: "toggle" } : {}) }, t("Bind a key")));
  }

  // Waits until an axis of a gamepad is moved.
  recordAxis(input, asker) {
    const rest = new Map(pads().map((pad) => [pad.index, [...pad.axes]]));
    const before = asker.textContent;
    asker.textContent = t("Move it now …");
    const end = () => {
      clearInterval(polling);
      removeEventListener("keydown", cancel, true);
      asker.textContent = before;
    };
    const cancel = ({ key }) => key === "Escape" && end();
    const polling = setInterval(() => {
      for (const pad of pads()) {
        const axis = pad.axes.findIndex((value, i) => Math.abs(value - (rest.get(pad.index)?.[i] ?? 0)) > MOVED);
        if (axis < 0) continue;
        end();
        this.bindAxis(input, axis);
      }
    }, 50);
    addEventListener("keydown", cancel, true);
  }

  bindAxis(input, axis) {
    this.append("axes", { axis, input }, t("Bind an axis"));
  }

  append(part, value, label) {
    const { document, model } = this.editor;
    const above = document.at("/panel") ? [] : model.holders();
    if (!Array.isArray(document.at(`/panel/${part}`))) above.push({ op: "add", path: `/panel/${part}`, value: [] });
    document.edit(label, [...above, { op: "add", path: `/panel/${part}/-`, value }]);
  }

  // --- fields --------------------------------------------------------------------------------------------------------

  set(path, value, label) {
    const { document, model } = this.editor;
    const old = document.at(path);
    if (JSON.stringify(old) === JSON.stringify(value)) return;
    const above = document.at("/panel") ? [] : [{ op: "add", path: "/panel", value: {} }];
    document.edit(label, [...above, model.set(path, value)]);
  }

  row(label, control) {
    return make("label", { class: "form-row" }, make("span", {}, label), control);
  }

  labelled(control, label) {
    control.ariaLabel = label;
    return control;
  }

  input(field, value, commit, properties = {}) {
    const input = make("input", { class: "entry", type: "text", "data-field": field, autocomplete: "off", ...properties });
    input.value = value;
    input.addEventListener("change", () => commit(input.value.trim()));
    return input;
  }

  text(path, value, label, as = (text) => text) {
    return this.input(path, value, (text) => this.set(path, text === "" ? undefined : as(text), label));
  }

  select(field, choices, value, commit, shown = (choice) => choice, label = null) {
    const select = make("select", { class: "entry", "data-field": field, ...(label ? { "aria-label": label } : {}) }, ...choices.map((choice) => make("option", { value: choice, selected: choice === value }, shown(choice))));
    select.addEventListener("change", () => commit(choices[select.selectedIndex]));
    return select;
  }

  tick(path, on) {
    const box = make("input", { type: "checkbox", "data-field": path });
    box.checked = Boolean(on);
    box.addEventListener("change", () => this.set(path, box.checked || undefined, t("Change an element")));
    return box;
  }
}

const pads = () => [...(navigator.getGamepads?.() ?? [])].filter(Boolean);
