// The console as the document has it: groups of widgets, where they lie on the grid, and the edits of it.

import { pathOf, stepsOf } from "./document.js";
import { fresh } from "./names.js";

// What there is to put on a console: what it sets or shows, and how many columns and rows it takes.
export const WIDGETS = {
  slider: { sign: "━◉━", title: "Lever", input: ["real", "int"], size: [6, 2] },
  knob: { sign: "◔", title: "Knob", input: ["real", "int"], size: [2, 3] },
  joystick: { sign: "✛", title: "Joystick", axes: ["real"], size: [4, 5] },
  switch: { sign: "◐▬", title: "Switch", input: ["bool"], size: [3, 1] },
  button: { sign: "▣", title: "Button", input: ["bool"], size: [3, 1] },
  selector: { sign: "▭▬▭", title: "Selector", input: ["int"], size: [6, 2] },
  lamp: { sign: "●", title: "Lamp", value: ["bool"], size: [3, 1] },
  gauge: { sign: "◠", title: "Gauge", value: ["real", "int"], size: [2, 3] },
  plot: { sign: "∿", title: "Plot", signals: true, size: [6, 4] },
  camera: { sign: "▦", title: "Camera picture", size: [6, 4] },
  text: { sign: "≡", title: "Text", size: [6, 1] },
};
export const COLUMNS = 6;
export const THEMES = { plain: "Plain", steel: "Steel", night: "Night", contrast: "High contrast" };
const HALF_TURN = Math.PI;
const NEW_INPUTS = { real: { range: [-1, 1] }, bool: { type: "bool" }, int: { type: "int", choices: ["off", "on"] } };

export class PanelModel {
  constructor(document) {
    this.document = document;
  }

  get data() {
    return this.document.at("/panel") ?? {};
  }

  get groups() {
    return this.data.groups ?? [];
  }

  // Without a scheme of its own the scene has the one that is made of its drives.
  get diagram() {
    return this.document.at("/diagram") ?? this.document.offered.diagram ?? {};
  }

  get inputs() {
    return this.diagram.inputs ?? {};
  }

  get outputs() {
    return this.diagram.outputs ?? {};
  }

  // What can be shown: all signals of the diagram, by name; what signals carry comes from the server.
  get signals() {
    return (this.document.at("/diagram") ? this.document.kinds?.[""]?.kinds : this.document.offered.kinds) ?? {};
  }

  widget(path) {
    return this.document.at(path);
  }

  typeOf(name) {
    return this.inputs[name]?.type ?? this.signals[name]?.[0] ?? "real";
  }

  // Names that a widget of a kind may be bound to, in one of its fields.
  fitting(kind, field) {
    const about = WIDGETS[kind] ?? {};
    if (field === "camera") return Object.keys(this.document.at("/cameras") ?? {});
    if (field === "input" || field === "x" || field === "y") {
      const types = about.input ?? about.axes ?? [];
      return Object.entries(this.inputs).filter(([, spec]) => types.includes(spec?.type ?? "real")).map(([name]) => name);
    }
    if (field === "signals") return Object.keys(this.signals).filter((name) => !/\..*\./.test(name));
    return Object.entries(this.signals).filter(([, [type]]) => (about.value ?? []).includes(type)).map(([name]) => name);
  }

  get bound() {
    const used = new Set();
    for (const group of this.groups) {
      for (const widget of group.widgets ?? []) for (const field of ["input", "value", "x", "y"]) used.add(widget[field]);
    }
    return used;
  }

  // A new widget, bound to something that nothing else is bound to where there is such a thing; null where there is nothing.
  // ``added`` are inputs that come with it.
  fresh(kind, name = null, added = []) {
    const about = WIDGETS[kind];
    const { bound } = this;
    const outputs = Object.keys(this.outputs);
    const pick = (field, but = []) => {
      const fits = [...this.fitting(kind, field), ...added].filter((one) => !but.includes(one));
      return fits.find((one) => !bound.has(one) && (field !== "value" || outputs.includes(one))) ?? fits[0];
    };
    const widget = this.bind(kind, about, name, pick, outputs);
    return Object.values(widget).some((value) => value === undefined || value.length === 0) ? null : widget;
  }

  bind(kind, about, name, pick, outputs) {
    if (about.input) return { type: kind, input: name ?? pick("input") };
    if (about.value) return { type: kind, value: name ?? pick("value") };
    if (about.axes) {
      const x = name ?? pick("x");
      return { type: kind, x, y: pick("y", [x]) };
    }
    if (about.signals) return { type: kind, signals: [name ?? outputs[0] ?? Object.keys(this.inputs)[0]].filter(Boolean) };
    if (kind === "camera") return { type: kind, camera: pick("camera") };
    return { type: kind, text: "…" };
  }

  // The widget that suits a signal.
  suited(name) {
    const type = this.typeOf(name);
    const spec = this.inputs[name];
    if (!spec) return type === "bool" ? "lamp" : "gauge";
    return type === "bool" ? (spec.momentary ? "button" : "switch") : spec.choices?.length ? "selector" : "slider";
  }

  // Inputs of the scheme that a control still needs, as it has none of its type left: { name: description }.
  missingInputs(kind) {
    const { input: types, axes } = WIDGETS[kind];
    const count = axes ? 2 - this.fitting(kind, "x").length : types && !this.fitting(kind, "input").length ? 1 : 0;
    const wanted = axes ? ["steer", "drive"] : [kind === "slider" ? "lever" : kind];
    const taken = { ...this.inputs, ...this.outputs, ...(this.diagram.blocks ?? {}) };
    const made = {};
    for (const name of wanted.slice(0, Math.max(0, count))) made[fresh({ ...taken, ...made }, name)] = structuredClone(NEW_INPUTS[(axes ?? types)[0]]);
    return made;
  }

  // The scheme as it has to be for new inputs: written down where there is none, with them added.
  schemeWith(inputs) {
    const operations = this.document.at("/diagram") ? [] : [{ op: "add", path: "/diagram", value: structuredClone(this.diagram) }];
    if (Object.keys(inputs).length && !this.diagram.inputs) operations.push({ op: "add", path: "/diagram/inputs", value: {} });
    return [...operations, ...Object.entries(inputs).map(([name, value]) => ({ op: "add", path: pathOf("diagram", "inputs", name), value }))];
  }

  // --- places --------------------------------------------------------------------------------------------------------

  sizeOf(widget, columns) {
    const [wide, high] = widget.vertical ? [2, 5] : (WIDGETS[widget.type]?.size ?? [2, 1]);
    return [Math.min(wide, columns), high];
  }

  // Places for all widgets of a group: those that they have, and for the others the first room there is.
  places(group) {
    const columns = group.columns ?? COLUMNS;
    const taken = [];
    const free = ([x, y, wide, high]) => taken.every(([a, b, c, d]) => x + wide <= a || a + c <= x || y + high <= b || b + d <= y);
    const widgets = group.widgets ?? [];
    for (const widget of widgets) if (widget.place) taken.push(widget.place);
    return widgets.map((widget) => {
      if (widget.place) return widget.place;
      const [wide, high] = this.sizeOf(widget, columns);
      for (let y = 0; ; y += 1) {
        for (let x = 0; x + wide <= columns; x += 1) {
          const place = [x, y, wide, high];
          if (free(place)) {
            taken.push(place);
            return place;
          }
        }
      }
    });
  }

  // --- edits ---------------------------------------------------------------------------------------------------------

  // The panel and its groups, made where they are missing.
  holders() {
    const operations = this.document.at("/panel") ? [] : [{ op: "add", path: "/panel", value: {} }];
    if (!Array.isArray(this.document.at("/panel/groups"))) operations.push({ op: "add", path: "/panel/groups", value: [] });
    return operations;
  }

  addGroup(title) {
    return [...this.holders(), { op: "add", path: "/panel/groups/-", value: { title, widgets: [] } }];
  }

  // Places written down for all of a group, so that moving one does not stir the others.
  keepPlaces(g) {
    return this.places(this.groups[g]).flatMap((place, w) =>
      this.groups[g].widgets[w].place ? [] : [{ op: "add", path: pathOf("panel", "groups", g, "widgets", w, "place"), value: place }],
    );
  }

  add(g, widget, at = null) {
    const operations = this.groups.length ? this.keepPlaces(g) : this.addGroup(this.data.title || "Console");
    const group = this.groups[g] ?? { widgets: [] };
    const [wide, high] = this.sizeOf(widget, group.columns ?? COLUMNS);
    const place = at ? within([...at, wide, high], group) : this.places({ ...group, widgets: [...placed(group, this.places(group)), widget] }).at(-1);
    return [...operations, { op: "add", path: pathOf("panel", "groups", g, "widgets", "-"), value: { ...widget, place } }];
  }

  // To another place, also in another group.
  move(path, g, place) {
    const [, , from, , w] = stepsOf(path);
    const target = within(place, this.groups[g]);
    const operations = this.keepPlaces(g);
    if (Number(from) === g) {
      return [...operations.filter((one) => one.path !== `${path}/place`), this.set(`${path}/place`, target)];
    }
    const widget = { ...this.groups[from].widgets[w], place: target };
    return [...operations, ...this.keepPlaces(Number(from)).filter((one) => one.path !== `${path}/place`), { op: "remove", path }, { op: "add", path: pathOf("panel", "groups", g, "widgets", "-"), value: widget }];
  }

  set(path, value) {
    const old = this.document.at(path);
    if (value === undefined) return { op: "remove", path };
    return { op: old === undefined ? "add" : "replace", path, value };
  }
}

const placed = (group, places) => (group.widgets ?? []).map((widget, i) => ({ ...widget, place: places[i] }));

export function within([x, y, wide, high], group) {
  const columns = group?.columns ?? COLUMNS;
  const width = Math.min(Math.max(1, wide), columns);
  return [Math.min(Math.max(0, x), columns - width), Math.max(0, y), width, Math.max(1, high)];
}

// A widget as view/static/widgets.js makes its element; the server describes it to the console in the same way.
export function described(widget, model) {
  const { type: kind, label } = widget;
  if (kind === "plot") return { kind, label: label ?? "", signals: JSON.stringify(widget.signals ?? []), seconds: widget.seconds ?? 20 };
  if (kind === "text") return { kind, label: label ?? "", text: widget.text ?? "" };
  if (kind === "camera") return { kind, label: label ?? "", camera: widget.camera ?? "" };
  if (kind === "joystick") return { kind, across: widget.x, along: widget.y, label: label || "stick" };
  const name = widget.input ?? widget.value ?? "";
  const base = { kind, name, label: label || name };
  if (kind === "lamp") return { ...base, color: widget.color ?? "green" };
  if (kind === "gauge") {
    const [low, high] = widget.range ?? model.outputs[name]?.range ?? [null, null];
    const unit = model.signals[name]?.[1] ?? "";
    const reach = unit === "rad" ? HALF_TURN : 1;
    const plain = low === null && !["rad", "m", "1"].includes(unit);
    return { ...base, kind: plain ? "readout" : "gauge", unit, low: low ?? -reach, high: high ?? reach };
  }
  const spec = model.inputs[name] ?? {};
  const [low, high] = widget.range ?? limitsOf(spec);
  const isList = kind === "selector" && !spec.choices?.length;
  return {
    ...base, kind: isList ? "slider" : kind, low, high, springs: widget.springs ? "" : null, vertical: widget.vertical ? "" : null, color: widget.color || null,
  };
}

export const limitsOf = (spec) => (spec.choices?.length ? [0, spec.choices.length - 1] : (spec.range ?? (spec.type === "bool" ? [0, 1] : [-1, 1])));
