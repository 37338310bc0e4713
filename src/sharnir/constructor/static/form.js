// Forms: fields for any description, from its schema. What is edited is a store: at(path), edit(label, operations, typing),
// errorsAt(path); the document is one, and what a dialog asks for another.

import { t, translated } from "/view/texts.js";
import { button, make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { chooseFile, fileKind } from "./file_choice.js";
import { fresh, WORLD } from "./names.js";
import { fits, helpOf, words } from "./schema.js";
import { anglesOf, parseNumber, rotationOf, shownNumber } from "./units.js";

const TYPING = 250; // ms without a key before what was typed is taken

let fields = 0; // on the page so far, for their ids

export class Form {
  // The names that texts may refer to come from the document, also in a dialog.
  // ``told`` has what a field is for beneath it, and not only where the pointer rests.
  constructor({ store, schema, document, hidden = [], told = false }) {
    Object.assign(this, { store, schema, document, hidden: new Set(hidden), told });
    this.element = make("div", { class: "form" });
    this.controls = []; // { refresh }
  }

  // Fields of a path; the whole form is made anew where other fields are needed.
  show(path) {
    const shape = JSON.stringify(shapeOf(this.store.at(path)));
    if (path === this.path && shape === this.shape) {
      for (const control of this.controls) control.refresh();
      return;
    }
    const focus = this.path === path ? globalThis.document.activeElement?.dataset?.path : null;
    Object.assign(this, { path, shape, said: [] });
    this.controls = [];
    const node = this.node(path);
    this.element.replaceChildren(...(node ? this.properties(node, path) : []));
    for (const control of this.controls) control.refresh();
    if (focus) this.element.querySelector(`[data-path="${CSS.escape(focus)}"]`)?.focus();
  }

  node(path) {
    return this.schema.at(path, this.store.at(""));
  }

  // --- fields ---------------------------------------------------------------------------------------------------------

  // What the document does not say of a path, the default of what is around it may: ``value`` is what holds.
  properties(node, path, value = this.store.at(path) ?? node.default) {
    const option = this.schema.chosen(node, value);
    const given = this.store.at(path) === undefined ? value : undefined;
    return Object.entries(option.properties ?? {})
      .filter(([name, inner]) => inner.const === undefined && !(path === this.path && this.hidden.has(name)))
      .map(([name, inner]) => this.field(name, withDefault(this.schema.resolve(inner), given?.[name]), pathOf(...stepsOf(path), name), option));
  }

  // A row: the name, what is edited, and what is wrong with it.
  field(name, node, path, owner) {
    const help = helpOf(owner.description, name);
    const needed = owner.required?.includes(name);
    const options = this.schema.options(node);
    const simple = this.simple(name, node, path, options);
    const wrong = make("p", { class: "wrong", role: "alert", hidden: true });
    this.controls.push({ refresh: () => this.showErrors(wrong, path, Boolean(simple)) });
    const label = `${words(name)}${unitOf(node) ? `, ${unitOf(node)}` : ""}`;
    if (simple) {
      const id = `field-${(fields += 1)}`;
      const head = simple.matches("input, select, textarea") ? make("label", { class: "field-name", for: id, title: help }, label) : make("span", { class: "field-name", id, title: help }, label);
      if (simple.matches("input, select, textarea")) simple.id = id;
      else simple.setAttribute("aria-labelledby", id);
      const back = needed ? null : button("↺", t("Back to the default: {name}", { name: words(name) }), () => this.remove(path, name), { class: "tool back" });
      if (back) this.controls.push({ refresh: () => (back.hidden = this.store.at(path) === undefined) });
      return make("div", { class: "field", dataset: { field: name } }, head, make("div", { class: "field-value" }, simple, back), this.tell(help), wrong);
    }
    const inside = this.compound(name, node, path, options, label);
    const open = (this.store.at(path) ?? (inside.head || options[0].properties ? null : node.default) ?? null) !== null;
    const details = make("details", { open, dataset: { field: name } }, make("summary", { title: help }, label), make("div", { class: "fields-inside" }, wrong, ...inside.body));
    return make("div", { class: "fields" }, make("div", { class: "fields-tools" }, inside.head), details);
  }

  // A sentence about several fields stands below the first of them.
  tell(help) {
    if (!this.told || !help || this.said.some((text) => text.includes(help))) return null;
    this.said.push(help);
    return make("p", { class: "about" }, help);
  }

  showErrors(element, path, isSimple) {
    const errors = this.store.errorsAt(path).filter((error) => isSimple || error.path === path);
    const text = errors.map((error) => translated(error.message)).join(" ");
    if (element.textContent === text) return;
    element.textContent = text;
    element.hidden = !text;
    element.closest(".field, .fields")?.classList.toggle("is-wrong", Boolean(text));
  }

  // What one line can hold; null for what needs more.
  simple(name, node, path, options) {
    const types = options.map((option) => option.type ?? (option.enum ? "enum" : "other"));
    const real = options.filter((option) => option.type !== "null");
    if (real.length !== 1) return null;
    const [only] = real;
    if (only.enum) return this.choice(path, name, only.enum.map((one) => [one, words(String(one))]), node.default);
    if (only.type === "boolean") return this.check(path, name, node.default ?? false, types.includes("null"));
    if (only.type === "number" || only.type === "integer") return this.number(path, name, node, only);
    if (only.type === "string") return this.text(path, name, node);
    if (only.prefixItems?.every((item) => this.isNumber(item))) return this.vector(path, name, node, only);
    return null;
  }

  isNumber(item) {
    return this.schema.options(item).every((option) => ["number", "integer", "null"].includes(option.type));
  }

  number(path, name, node, only) {
    const unit = node.unit ?? only.unit ?? "";
    return this.input(path, name, {
      shown: () => shownNumber(this.store.at(path) ?? node.default),
      read: (text) => (text.trim() === "" ? undefined : parseNumber(text, unit)),
      placeholder: node.default === undefined ? t("none") : shownNumber(node.default),
      describe: limitsOf(node, unit),
    });
  }

  // An input that is taken while it is typed, and put right when it is left.
  input(path, name, { shown, read, placeholder, describe, put }) {
    const element = make("input", { type: "text", inputmode: "decimal", class: "number", placeholder, title: describe, autocomplete: "off", spellcheck: "false", dataset: { path } });
    let timer = null;
    let dirty = false;
    const take = (typing) => {
      clearTimeout(timer);
      if (!dirty) return;
      const value = read(element.value);
      element.setAttribute("aria-invalid", String(Number.isNaN(value)));
      if (Number.isNaN(value)) return;
      dirty = false;
      if (put) put(value, typing);
      else if (value === undefined) this.remove(path, name);
      else this.set(path, name, value, typing);
    };
    element.addEventListener("input", () => {
      dirty = true;
      clearTimeout(timer);
      timer = setTimeout(() => take(true), TYPING);
    });
    const leave = () => {
      take(true);
      if (element.getAttribute("aria-invalid") === "true") return;
      dirty = false;
      element.value = shown();
    };
    element.addEventListener("change", leave);
    element.addEventListener("keydown", (event) => onEnter(event, leave));
    this.controls.push({
      refresh: () => {
        if (dirty && globalThis.document.activeElement === element) return;
        if (element.value !== shown() && (globalThis.document.activeElement !== element || parseNumber(element.value) !== parseNumber(shown()))) element.value = shown();
        element.classList.toggle("is-default", this.store.at(path) === undefined);
        element.setAttribute("aria-invalid", String(this.store.errorsAt(path).length > 0));
      },
    });
    return element;
  }

  vector(path, name, node, only) {
    const isTurn = only.prefixItems.length === 4 && name === "rotation";
    const axes = isTurn ? ["roll", "pitch", "yaw"] : only.prefixItems.length > 1 && only.prefixItems.length < 4 ? ["x", "y", "z"] : ["1", "2", "3", "4"];
    const isRange = only.prefixItems.length === 2 && this.schema.options(only.prefixItems[0]).length > 1;
    const labels = isRange ? [t("from"), t("to")] : only.prefixItems.slice(0, isTurn ? 3 : 4).map((_, i) => axes[i]);
    const numbers = () => {
      const value = this.store.at(path) ?? node.default;
      return isTurn ? anglesOf(value ?? [0, 0, 0, 1]) : value;
    };
    const unit = isTurn ? "°" : node.unit ?? "";
    const put = (place) => (value, typing) => {
      const whole = [...(numbers() ?? only.prefixItems.map(() => (isRange ? null : 0)))];
      whole[place] = value ?? (isRange ? null : 0);
      this.set(path, name, isTurn ? rotationOf(whole) : whole, typing);
    };
    const row = make("div", { class: "vector", role: "group" });
    labels.forEach((label, i) => {
      const input = this.input(path, name, {
        shown: () => shownNumber(numbers()?.[i]),
        read: (text) => (text.trim() === "" ? undefined : parseNumber(text, unit)),
        placeholder: isRange ? "∞" : "0",
        describe: limitsOf(node, unit),
        put: put(i),
      });
      input.dataset.path = `${path}#${i}`;
      input.setAttribute("aria-label", `${words(name)} ${label}${unit ? `, ${unit}` : ""}`);
      row.append(input);
    });
    if (isTurn) row.title = t("Roll, pitch and yaw, in degrees");
    return row;
  }

  check(path, name, fallback, mayBeNone) {
    if (mayBeNone) return this.choice(path, name, [[true, t("yes")], [false, t("no")]], undefined);
    const element = make("input", { type: "checkbox", dataset: { path } });
    element.addEventListener("change", () => this.set(path, name, element.checked));
    this.controls.push({ refresh: () => (element.checked = this.store.at(path) ?? fallback) });
    return element;
  }

  // A choice of values, told as words; without a default one of them may be none.
  choice(path, name, values, fallback, taken = (value) => this.set(path, name, value)) {
    const element = make("select", { dataset: { path } });
    const optional = fallback === undefined && this.store.at(path) === undefined;
    if (optional) element.append(new Option(t("none"), ""));
    element.append(...values.map(([, text], i) => new Option(text, String(i))));
    element.addEventListener("change", () => (element.value === "" ? this.remove(path, name) : taken(values[Number(element.value)][0])));
    this.controls.push({
      refresh: () => {
        const now = this.store.at(path) ?? fallback;
        const place = values.findIndex(([value]) => value === now);
        element.value = place < 0 ? "" : String(place);
      },
    });
    return element;
  }

  text(path, name, node) {
    const offered = this.offered(path, name);
    if (offered) return this.reference(path, name, offered, node.default);
    if (name === "color") return this.color(path, name);
    const kind = fileKind(name, path, this.store.at(pathOf(...stepsOf(path).slice(0, -1))));
    if (kind) return this.file(path, name, kind);
    const element = make("input", { type: "text", dataset: { path }, autocomplete: "off", placeholder: node.default ?? "" });
    element.addEventListener("change", () => (element.value === "" ? this.remove(path, name) : this.set(path, name, element.value)));
    this.controls.push({ refresh: () => globalThis.document.activeElement !== element && (element.value = this.store.at(path) ?? "") });
    return element;
  }

  // The name of a file: typed, or one of those beside the document.
  file(path, name, kind) {
    const entry = make("input", { type: "text", dataset: { path }, autocomplete: "off", "aria-label": words(name) });
    const take = (value) => (value === "" ? this.remove(path, name) : this.takeFile(path, name, value));
    entry.addEventListener("change", () => take(entry.value.trim()));
    entry.addEventListener("keydown", (event) => onEnter(event, () => take(entry.value.trim())));
    this.controls.push({ refresh: () => globalThis.document.activeElement !== entry && (entry.value = this.store.at(path) ?? "") });
    const choose = button("…", t("Choose a file for {name}", { name: words(name) }), () => chooseFile(this.document, kind, (file) => {
      entry.value = file;
      take(file);
    }));
    return make("div", { class: "file", role: "group" }, entry, choose);
  }

  // A file is in place of numbers that say the same.
  takeFile(path, name, value) {
    const holder = pathOf(...stepsOf(path).slice(0, -1));
    const instead = name === "file" ? ["vertices", "triangles", "points", "heights", "relief"].filter((one) => this.store.at(holder)?.[one] !== undefined) : [];
    if (!instead.length) return this.set(path, name, value);
    const op = this.store.at(path) === undefined ? "add" : "replace";
    return this.edit(`Set ${words(name)}`, [...instead.map((one) => ({ op: "remove", path: `${holder}/${one}` })), { op, path, value }]);
  }

  // Names of things that are there.
  offered(path, name) {
    const { data } = this.document;
    const steps = stepsOf(path);
    const parent = Number.isInteger(Number(name)) ? steps.at(-2) : name;
    const bodies = Object.keys(data.bodies ?? {});
    const labels = () => (this.document.coordinates?.() ?? []).map(({ label }) => label);
    if (parent === "between") return steps[0] === "material_pairs" ? ["default", ...Object.keys(data.materials ?? {})] : [WORLD, ...bodies];
    if (["body", "chassis", "tow", "trailer"].includes(parent)) return parent === "body" ? [WORLD, ...bodies] : bodies;
    if (parent === "on" && steps[0] !== "sensors") return bodies; // what a robot from a file is mounted on
    if (parent === "on") return { encoder: labels(), tachometer: labels(), force_torque: Object.keys(data.joints ?? {}) }[this.store.at(pathOf(...steps.slice(0, -1)))?.sensor?.type] ?? bodies;
    if (parent === "coordinates") return labels();
    if (parent === "material") return ["default", ...Object.keys(data.materials ?? {})];
    if (parent === "sprocket") return Object.keys(data.joints ?? {});
    if (parent === "joint") return [...Object.keys(data.joints ?? {}), ...labels()];
    return null;
  }

  reference(path, name, offered, fallback) {
    const now = this.store.at(path);
    const all = now === undefined || offered.includes(now) ? offered : [now, ...offered];
    return this.choice(path, name, all.map((one) => [one, one]), fallback);
  }

  color(path, name) {
    const text = make("input", { type: "text", dataset: { path }, placeholder: t("by its place"), "aria-label": t("colour, as in CSS") });
    const pick = make("input", { type: "color", "aria-label": t("Choose a colour") });
    const take = (value) => (value === "" ? this.remove(path, name) : this.set(path, name, value));
    text.addEventListener("change", () => take(text.value));
    pick.addEventListener("change", () => take(pick.value));
    this.controls.push({
      refresh: () => {
        text.value = this.store.at(path) ?? "";
        if (/^#[0-9a-f]{6}/i.test(text.value)) pick.value = text.value.slice(0, 7);
      },
    });
    return make("div", { class: "color", role: "group" }, text, pick);
  }

  // --- what holds other things ----------------------------------------------------------------------------------------

  compound(name, node, path, options, label) {
    const real = options.filter((option) => option.type !== "null");
    const value = this.store.at(path) ?? node.default;
    const chosen = value === null || value === undefined ? null : real.find((option) => fits(option, value)) ?? real[0];
    const head = real.length > 1 || real.length < options.length || (value === undefined && node.default === undefined && !real[0].properties)
      ? this.alternatives(path, name, node, options, real, label)
      : null;
    const shown = chosen ?? (head ? null : real[0]);
    return { head, body: shown ? this.inside(name, shown, path, value) : [] };
  }

  inside(name, option, path, value) {
    if (option.properties) return [...this.about(option), ...this.properties(option, path, value)];
    if (option.prefixItems?.every((item) => this.isNumber(item))) return [this.vector(path, name, option, option)];
    if (option.prefixItems) return option.prefixItems.map((item, i) => this.placed(item, i, pathOf(...stepsOf(path), i)));
    if (option.type === "array") return this.list(name, option, path, value ?? []);
    if (option.type === "object") return this.named(name, option, path, value ?? {});
    if (option.type === "number" || option.type === "integer") return [this.named_input(this.number(path, name, option, option), name)];
    if (option.type === "boolean") return [this.named_input(this.check(path, name, false, false), name)];
    if (option.type === "string") return [this.named_input(this.text(path, name, option), name)];
    return [];
  }

  named_input(element, name) {
    element.setAttribute("aria-label", words(name));
    return element;
  }

  about(option) {
    const text = (option.description ?? "").split("\n\n")[0].replaceAll(/\s+/g, " ").replaceAll("`", "");
    this.said.push(text);
    return text ? [make("p", { class: "about" }, text)] : [];
  }

  // Which of several it is, or none.
  alternatives(path, name, node, options, real, label) {
    const element = make("select", { class: "kind", dataset: { path: `${path}#kind` }, "aria-label": t("Kind: {name}", { name: label }) });
    const isDefaulted = node.default !== undefined && node.default !== null;
    if (real.length < options.length || !isDefaulted) element.append(new Option(t("none"), ""));
    element.append(...real.map((option, i) => new Option(titleOf(option), String(i))));
    element.addEventListener("change", () => {
      if (element.value === "") return this.remove(path, name);
      this.set(path, name, this.schema.sample(real[Number(element.value)], name));
    });
    this.controls.push({
      refresh: () => {
        const value = this.store.at(path) ?? node.default ?? null;
        const place = value === null ? -1 : real.findIndex((option) => fits(option, value));
        element.value = place < 0 ? "" : String(place);
      },
    });
    return element;
  }

  list(name, option, path, items) {
    const item = this.schema.resolve(option.items);
    const rows = items.map((_, i) => {
      const inner = pathOf(...stepsOf(path), i);
      const remove = button("✕", t("Remove {name}", { name: `${words(name)} ${i + 1}` }), () => this.without(path, name, items, i));
      return removable(this.placed(withDefault(item, items[i]), i, inner), remove);
    });
    const options = this.schema.options(item);
    const add = options.length > 1 && options.every((one) => one.properties?.type)
      ? this.adder(path, options, (one) => this.append(path, name, items, this.schema.sample(one)))
      : button(t("Add"), t("Add to {name}", { name: words(name) }), () => this.append(path, name, items, another(items) ?? this.schema.sample(item, name)));
    return [...rows, add];
  }

  // One of several that have no names.
  placed(item, i, path) {
    const field = this.field(String(i), this.schema.resolve(item), path, { required: [String(i)] });
    field.querySelector(".field-name, summary").firstChild.textContent = `${i + 1}`;
    field.classList.add("numbered");
    return field;
  }

  adder(path, options, added) {
    const element = make("select", { class: "kind", "aria-label": t("Add"), dataset: { path: `${path}#new` } });
    element.append(new Option(t("Add …"), ""), ...options.map((one, i) => new Option(titleOf(one), String(i))));
    element.addEventListener("change", () => element.value !== "" && added(options[Number(element.value)]));
    return element;
  }

  append(path, name, items, value) {
    if (this.store.at(path) === undefined) this.set(path, name, [...structuredClone(items), value]);
    else this.edit(`Add to ${words(name)}`, [{ op: "add", path: `${path}/-`, value }]);
  }

  // Things by name: an axis of a joint, an axle of a vehicle.
  named(name, option, path, entries) {
    const inner = this.schema.resolve(option.additionalProperties);
    const rows = Object.keys(entries).map((key) => {
      const place = pathOf(...stepsOf(path), key);
      const remove = button("✕", t("Remove {name}", { name: key }), () => this.without(path, name, entries, key));
      return removable(this.field(key, withDefault(inner, entries[key]), place, {}), remove);
    });
    const entry = make("input", { type: "text", placeholder: t("name"), "aria-label": t("Name of a new one in {name}", { name: words(name) }), dataset: { path: `${path}#new` } });
    const add = () => {
      const key = entry.value.trim();
      if (!key || key in entries) return;
      const value = this.schema.sample(inner, name);
      if (this.store.at(path) === undefined) this.set(path, name, { ...structuredClone(entries), [key]: value });
      else this.edit(`Add ${key}`, [{ op: "add", path: pathOf(...stepsOf(path), key), value }]);
    };
    entry.addEventListener("keydown", (event) => onEnter(event, add));
    return [...rows, make("div", { class: "item new" }, entry, button(t("Add"), t("Add to {name}", { name: words(name) }), add))];
  }

  // --- edits ----------------------------------------------------------------------------------------------------------

  set(path, name, value, typing = false) {
    const now = this.store.at(path);
    if (JSON.stringify(now) === JSON.stringify(value)) return;
    const steps = stepsOf(path);
    const holders = [];
    for (let depth = 1; depth < steps.length; depth += 1) {
      const above = pathOf(...steps.slice(0, depth));
      if (this.store.at(above) === undefined || this.store.at(above) === null) {
        const node = this.node(above);
        holders.push({ op: this.store.at(above) === null ? "replace" : "add", path: above, value: structuredClone(node?.default) ?? (node?.type === "array" ? [] : {}) });
        break;
      }
    }
    const inside = holders.length > 0 ? valueAt(holders[0].value, steps.slice(stepsOf(holders[0].path).length)) : now;
    this.edit(`Set ${steps[1] ? `${steps[1]} ` : ""}${words(name)}`, [...holders, { op: inside === undefined ? "add" : "replace", path, value }], typing);
  }

  // One of a list, or of what has names; the others are written down where all of them were the default.
  without(path, name, all, key) {
    if (this.store.at(path) !== undefined) return this.edit(`Remove ${words(name)}`, [{ op: "remove", path: pathOf(...stepsOf(path), key) }]);
    const others = structuredClone(all);
    if (Array.isArray(others)) others.splice(key, 1);
    else delete others[key];
    return this.set(path, name, others);
  }

  remove(path, name) {
    if (this.store.at(path) === undefined) return;
    this.edit(`Reset ${words(name)}`, [{ op: "remove", path }]);
  }

  edit(label, operations, typing = false) {
    this.store.edit(label, operations, typing);
  }
}

// What comes after things of one kind is like the last of them, by another name; undefined where there is none.
function another(items) {
  const last = items.at(-1);
  if (last === null || typeof last !== "object" || Array.isArray(last)) return undefined;
  const taken = Object.fromEntries(items.map(({ name }) => [name, true]));
  return { ...structuredClone(last), ...(last.name ? { name: fresh(taken, last.name) } : {}) };
}

const withDefault = (node, value) => (value === undefined ? node : { ...node, default: value });

function removable(field, remove) {
  field.querySelector(":scope > .field-value > .back")?.remove();
  field.querySelector(":scope > .fields-tools, :scope > .field-value").append(remove);
  return field;
}

// Enter takes what was typed, and does not send the dialog around it off.
function onEnter(event, take) {
  if (event.key !== "Enter") return;
  event.preventDefault();
  take();
}

function valueAt(value, steps) {
  return steps.reduce((inside, step) => inside?.[step], value);
}

// Which fields there are, without their values.
function shapeOf(value) {
  if (Array.isArray(value)) return value.every((item) => typeof item === "number" || item === null) ? "numbers" : value.map(shapeOf);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === "type" ? item : shapeOf(item)]));
  return value === null ? null : typeof value === "number" ? "number" : typeof value;
}

const unitOf = (node) => (node.prefixItems?.length === 4 ? "°" : node.unit ?? "");

function limitsOf(node, unit) {
  const least = node.exclusiveMinimum === 0 ? t("above zero") : node.minimum === 0 ? t("not negative") : "";
  return [unit, least].filter(Boolean).join(", ");
}

function titleOf(option) {
  const tag = option.properties?.type?.const;
  if (tag !== undefined) return words(tag);
  if (option.prefixItems) return t("range");
  if (option.properties) return t("given");
  return { number: t("number"), integer: t("number"), string: t("text"), boolean: t("yes or no"), object: t("by axis"), array: t("list") }[option.type] ?? "";
}
