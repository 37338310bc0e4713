// What is known of the selected box: its name, its help, what is connected to it and its values, to be changed.

import { t, translated } from "/view/texts.js";
import { make } from "./element.js";
import { pathOf } from "./document.js";
import { shownNumber } from "./scheme_model.js";

let lists = 0; // of suggestions so far, for their ids

export class Form {
  // ask(question) gives a promise of what fits; the editor makes the edits.
  constructor(element, editor) {
    Object.assign(this, { element, editor });
    this.shown = null;
  }

  // What is being typed is not taken away by a change elsewhere.
  show(id) {
    const { editor } = this;
    const { model } = editor;
    const value = id === null ? model.data : editor.document.at(model.path(id));
    const key = JSON.stringify([model.root, id, value, id && editor.errorsOf(id)]);
    if (key === this.shown) return;
    const active = globalThis.document.activeElement;
    const focused = this.element.contains(active) ? active.dataset.field : null;
    if (focused && this.id === id && active.dataset.typing) return;
    Object.assign(this, { shown: key, id });
    this.element.replaceChildren(...(id === null ? this.sheetParts() : id.startsWith("sheet/") ? this.noteParts(id) : this.boxParts(id, value)));
    if (focused) this.element.querySelector(`[data-field="${CSS.escape(focused)}"]`)?.focus();
  }

  sheetParts() {
    const { model } = this.editor;
    const { inputs = {}, blocks = {}, outputs = {} } = model.data;
    const counts = t("{inputs} inputs, {blocks} blocks, {outputs} outputs", {
      inputs: Object.keys(inputs).length, blocks: Object.keys(blocks).length, outputs: Object.keys(outputs).length,
    });
    const parts = [make("p", { class: "quiet" }, counts)];
    if (!model.isInner && this.editor.document.at("/diagram")) {
      const commit = (text) => this.value("/diagram/period", text === "" ? undefined : Number(text), t("Change the period"));
      parts.push(this.row(t("period"), "s", this.text("period", model.data.period ?? "", commit, { inputmode: "decimal", placeholder: t("every step") })));
    }
    return parts;
  }

  noteParts(id) {
    const { document, model } = this.editor;
    const path = `${model.root}/sheet/notes/${id.split("/")[2]}`;
    const note = document.at(path);
    const area = make("textarea", { class: "entry", rows: 3, "aria-label": t("Comment"), "data-field": "text" });
    area.value = note.text ?? "";
    area.addEventListener("change", () => this.value(`${path}/text`, area.value, t("Change a comment")));
    const size = note.size ?? [200, 80];
    const commit = (i) => (text) => this.value(`${path}/size`, size.with(i, Math.max(40, Number(text) || 40)), t("Size a comment"));
    return [
      area,
      this.row(t("width"), "px", this.text("width", size[0], commit(0), { inputmode: "decimal" })),
      this.row(t("height"), "px", this.text("height", size[1], commit(1), { inputmode: "decimal" })),
    ];
  }

  boxParts(id, spec) {
    const { editor } = this;
    const { model } = editor;
    const name = id.slice(id.indexOf("/") + 1);
    const described = editor.described.get(spec?.type);
    const isInput = id.startsWith("inputs/");
    const isResult = model.isInner && id.startsWith("outputs/");
    const title = isInput ? t("Input") : isResult ? t("Output") : described?.type ?? spec?.type ?? "?";
    const wrong = editor.errorsOf(id);
    const parts = [
      make("div", { class: "form-head" }, make("h2", {}, title), this.opener(spec)),
      ...wrong.map((message) => make("p", { class: "form-wrong" }, translated(message))),
      described ? make("p", { class: "form-help" }, described.help) : null,
      this.row(t("name"), "", this.text("name", name, (text) => editor.boxes.rename(id, text.trim()))),
    ];
    if (isResult) parts.push(this.portRow(id, { port: "value", label: t("signal"), wire: spec }));
    else if (!isInput) parts.push(...model.inputsOf(spec).filter(({ more }) => !more).map((port) => this.portRow(id, port, described)));
    parts.push(...this.parameters(id, spec, isInput ? "InputSpec" : described?.name, isInput ? null : described));
    return parts.filter(Boolean);
  }

  opener(spec) {
    if (spec?.type !== "use") return null;
    return make("button", { type: "button", class: "tool", onclick: () => this.editor.open(spec.diagram, this.id.slice(7)) }, t("Open"));
  }

  parameters(id, spec, definition, described) {
    if (!definition || typeof spec !== "object") return [];
    const properties = this.editor.context.schema.$defs[definition]?.properties ?? {};
    const names = described ? described.parameters.map(({ name }) => name) : Object.keys(properties);
    return names
      .filter((name) => !(spec.type === "use" && name === "inputs") && !(described === null && spec.type === "bool" && ["unit", "range", "choices"].includes(name)))
      .map((name) => this.row(name, "", this.field(this.editor.model.path(id, name), name, properties[name] ?? {}, spec)));
  }

  // --- fields --------------------------------------------------------------------------------------------------------

  row(label, unit, control) {
    return make("label", { class: "form-row" }, make("span", {}, label), control, make("i", {}, unit));
  }

  value(path, value, label) {
    const { document } = this.editor;
    const old = document.at(path);
    if (value === undefined) {
      if (old !== undefined) document.edit(label, [{ op: "remove", path }]);
    } else if (JSON.stringify(old) !== JSON.stringify(value)) document.edit(label, [{ op: old === undefined ? "add" : "replace", path, value }]);
  }

  text(field, value, commit, properties = {}) {
    const input = make("input", { class: "entry", type: "text", "data-field": field, autocomplete: "off", spellcheck: "false", ...properties });
    input.value = value;
    input.addEventListener("input", () => (input.dataset.typing = "yes"));
    input.addEventListener("change", () => {
      delete input.dataset.typing;
      commit(input.value);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      delete input.dataset.typing;
      this.shown = null;
      this.show(this.id);
    });
    return input;
  }

  // A port takes the name of a signal or a number; only signals that fit are suggested.
  portRow(id, { port, label, wire }, described) {
    const { editor } = this;
    const list = make("datalist", { id: `fitting-${(lists += 1)}` });
    const told = described?.told.inputs[port.replace(/\[.*/, "")] ?? "";
    const input = this.text(`port ${port}`, shownNumber(wire), (text) => editor.wiring.typed(id, port, text), { list: list.id });
    input.addEventListener("focus", async () => {
      const { signals } = await editor.ask({ name: id.slice(id.indexOf("/") + 1), port });
      list.replaceChildren(...signals.map((signal) => make("option", { value: signal }, editor.told(signal))));
    });
    const row = this.row(label, told.replace(/^(number|any|real)(, (u|\*))?$/, "").replace(/^\w+, /, ""), input);
    row.append(list);
    return row;
  }

  field(path, name, schema, spec) {
    const value = spec[name];
    const label = t("Change {name}", { name });
    const options = schema.anyOf ?? [schema];
    const kinds = new Set(options.map((option) => option.type));
    const choices = options.find((option) => option.enum)?.enum;
    if (choices) return this.select(name, choices, value ?? schema.default, (chosen) => this.value(path, chosen, label));
    if (kinds.has("boolean") && kinds.size === 1) return this.tick(name, value ?? schema.default, (on) => this.value(path, on, label));
    const commit = (text) => {
      const read = readAs(text, kinds);
      if (read instanceof Error) this.editor.context.toast(read.message);
      else this.value(path, read, label);
    };
    const shown = value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const placeholder = schema.default === undefined ? "" : typeof schema.default === "object" ? JSON.stringify(schema.default) : String(schema.default);
    const input = this.text(name, shown, commit, { placeholder });
    const known = this.editor.boxes.suggestions(name, spec);
    if (!known.length) return input;
    const list = make("datalist", { id: `fitting-${(lists += 1)}` }, ...known.map(([one, about]) => make("option", { value: one }, about ?? "")));
    input.setAttribute("list", list.id);
    return make("span", { class: "with-list" }, input, list);
  }

  select(field, choices, value, commit) {
    const select = make("select", { class: "entry", "data-field": field }, ...choices.map((choice) => make("option", { value: choice, selected: choice === value }, String(choice))));
    select.addEventListener("change", () => commit(choices[select.selectedIndex]));
    return select;
  }

  tick(field, value, commit) {
    const box = make("input", { type: "checkbox", "data-field": field });
    box.checked = Boolean(value);
    box.addEventListener("change", () => commit(box.checked));
    return box;
  }
}

// What was typed as one of the types that a field may have; an Error in words where it is none of them.
function readAs(text, kinds) {
  const written = text.trim();
  if (written === "") return kinds.has("string") && !kinds.has("null") ? "" : undefined;
  if (kinds.has("boolean") && /^(true|false)$/.test(written)) return written === "true";
  if ((kinds.has("number") || kinds.has("integer")) && Number.isFinite(Number(written.replace(",", ".")))) return Number(written.replace(",", "."));
  if (kinds.has("string")) return written;
  try {
    if (kinds.has("array") || kinds.has("object")) return JSON.parse(written);
  } catch {}
  return new Error(t("{text} is not what belongs here; give {kinds}", { text: `'${written}'`, kinds: [...kinds].filter((kind) => kind && kind !== "null").join(", ") }));
}

export const boundNames = (document, ...sections) => sections.flatMap((section) => Object.keys(document.at(pathOf(section)) ?? {}));
