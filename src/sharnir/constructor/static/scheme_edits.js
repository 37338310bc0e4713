// The edits of a sheet, each as a list of operations on the document.

import { pathOf } from "./document.js";
import { listed } from "./scheme_model.js";

const GRID = 6; // px
export const snapped = ({ x, y }) => [GRID * Math.round(x / GRID), GRID * Math.round(y / GRID)];
const nameOf = (id) => id.slice(id.indexOf("/") + 1);
const sectionOf = (id) => id.slice(0, id.indexOf("/"));

export class SheetEdits {
  constructor(model) {
    this.model = model;
  }

  // The holder of a path below the sheet, made where it is missing.
  holders(...steps) {
    const { document, root } = this.model;
    const operations = [];
    let path = "";
    const all = [...root.slice(1).split("/"), ...steps.map((step) => pathOf(step).slice(1))];
    let missing = false;
    for (const step of all) {
      path += `/${step}`;
      missing ||= typeof (document.at(path) ?? undefined) !== "object";
      if (missing) operations.push({ op: "add", path, value: {} });
    }
    return operations;
  }

  set(path, value) {
    return { op: this.model.document.at(path) === undefined ? "add" : "replace", path, value };
  }

  // --- wires ---------------------------------------------------------------------------------------------------------

  // The path of what is connected to a port.
  portPath(id, port) {
    const { model } = this;
    if (model.isInner && id.startsWith("outputs/")) return model.path(id);
    const spec = model.document.at(model.path(id)) ?? {};
    const place = listed(port);
    if (spec.type === "use") return model.path(id, "inputs", port);
    if (place?.list === "transitions") return model.path(id, "transitions", place.index, 1);
    return place ? model.path(id, place.list, place.index) : model.path(id, port);
  }

  // A signal, or a number in its place.
  connect(id, port, wire, kind) {
    const { model } = this;
    const path = this.portPath(id, port);
    const spec = model.document.at(model.path(id));
    const above = [];
    if (spec?.type === "use" && spec.inputs === undefined) above.push({ op: "add", path: model.path(id, "inputs"), value: {} });
    if (listed(port)?.list === "inputs" && spec?.inputs === undefined) above.push({ op: "add", path: model.path(id, "inputs"), value: [] });
    return [...above, this.set(path, wire), ...this.followed(id, port, spec, kind)];
  }

  // Numbers that stand beside a truth signal where all must be of one type become truth values, and back.
  followed(id, port, spec, kind) {
    if (!kind || !spec || spec.type === "use") return [];
    const ports = this.model.inputsOf(spec);
    if (ports.find((one) => one.port === port)?.type !== "any") return [];
    const isBool = kind === "bool";
    return ports
      .filter((one) => one.port !== port && one.type === "any" && !one.more && typeof one.wire !== "string" && (typeof one.wire === "boolean") !== isBool)
      .map((one) => this.set(this.portPath(id, one.port), isBool ? Boolean(one.wire) : Number(one.wire ?? 0)));
  }

  // Back to a number: the usual one, or nothing of the port's type.
  disconnect(id, port) {
    const { model } = this;
    const path = this.portPath(id, port);
    if (model.isInner && id.startsWith("outputs/")) return [{ op: "replace", path, value: 0 }];
    const spec = model.document.at(model.path(id)) ?? {};
    const place = listed(port);
    if (place?.list === "inputs" && (spec.inputs ?? []).length > 2) return [{ op: "remove", path }];
    if (spec.type === "use") return [{ op: "remove", path }];
    const about = model.described.get(spec.type)?.inputs?.[place ? place.list : port];
    if (about && !about.required && !place) return [{ op: "remove", path }];
    const type = spec.type === "machine" ? "bool" : about?.type;
    return [{ op: "replace", path, value: type === "bool" ? false : 0 }];
  }

  // --- boxes ---------------------------------------------------------------------------------------------------------

  // The places of all boxes as they lie now, so that what is added or moved does not stir the others.
  keepPlaces(places) {
    const { model } = this;
    const kept = [...places].filter(([id]) => !id.startsWith("sheet/"));
    const operations = this.holders("sheet", "at");
    const hasResults = model.isInner && kept.some(([id]) => id.startsWith("outputs/"));
    if (hasResults) operations.push(...this.holders("sheet", "outputs_at"));
    for (const [id, at] of kept) {
      const part = model.isInner && id.startsWith("outputs/") ? "outputs_at" : "at";
      const path = model.root + pathOf("sheet", part, nameOf(id));
      const value = snapped(at);
      const old = model.document.at(path);
      if (!old || old[0] !== value[0] || old[1] !== value[1]) operations.push({ op: old ? "replace" : "add", path, value });
    }
    return once(operations);
  }

  add(section, name, value, at, places) {
    const all = new Map([...places, [`${section}/${name}`, at]]);
    return once([...this.holders(section), { op: "add", path: this.model.path(`${section}/${name}`), value }, ...this.keepPlaces(all)]);
  }

  // The description of a new block: inputs that it must have are numbers until they are connected.
  fresh(described, given = {}) {
    const value = { type: described.type };
    for (const [port, { type, required }] of Object.entries(described.inputs)) {
      if (port === "inputs") value.inputs = ["and", "or", "xor"].includes(described.type) ? [false, false] : [0, 0];
      else if (required) value[port] = type === "bool" ? false : 0;
    }
    for (const { name, required } of described.parameters) if (required && !(name in given)) value[name] = START[name] ?? 0;
    return { ...value, ...given };
  }

  // Takes boxes and notes away; wires that came from them become numbers.
  remove(ids) {
    const { model } = this;
    const gone = new Set(ids);
    const operations = [];
    const boxes = model.boxes(new Set(model.boxes().map(({ id }) => id)));
    for (const wire of model.wires(boxes).toReversed()) {
      if (gone.has(wire.source) && !gone.has(wire.target)) operations.push(...this.disconnect(wire.target, wire.port));
    }
    const notes = ids.filter((id) => id.startsWith("sheet/notes/")).map((id) => Number(id.split("/")[2]));
    for (const index of notes.toSorted((a, b) => b - a)) operations.push({ op: "remove", path: `${model.root}/sheet/notes/${index}` });
    for (const id of ids.filter((one) => !one.startsWith("sheet/"))) {
      operations.push({ op: "remove", path: model.path(id) });
      const part = model.isInner && id.startsWith("outputs/") ? "outputs_at" : "at";
      const place = model.root + pathOf("sheet", part, nameOf(id));
      if (model.document.at(place)) operations.push({ op: "remove", path: place });
    }
    return operations;
  }

  // Another name, in the box and wherever it is meant.
  rename(id, name) {
    const { model } = this;
    const old = nameOf(id);
    const operations = [];
    for (const box of model.boxes(new Set(model.boxes().map((one) => one.id)))) {
      for (const { port, wire } of box.inputs) {
        if (typeof wire === "string" && sectionOf(id) !== "outputs" && (wire === old || wire.startsWith(`${old}.`))) {
          operations.push({ op: "replace", path: this.portPath(box.id, port), value: name + wire.slice(old.length) });
        }
      }
    }
    operations.push({ op: "move", from: model.path(id), path: model.path(`${sectionOf(id)}/${name}`) });
    const part = model.isInner && id.startsWith("outputs/") ? "outputs_at" : "at";
    const place = model.root + pathOf("sheet", part);
    if (model.document.at(place + pathOf(old))) operations.push({ op: "move", from: place + pathOf(old), path: place + pathOf(name) });
    return [...operations, ...(model.isInner ? this.renameInUses(id, old, name) : this.renameOnPanel(old, name))];
  }

  // What a sub-diagram's ports are called where it is used.
  renameInUses(id, old, name) {
    const { model } = this;
    const operations = [];
    const sheets = [["/diagram", model.document.at("/diagram")], ...Object.entries(model.diagrams).map(([title, data]) => [pathOf("diagram", "diagrams", title), data])];
    for (const [root, data] of sheets) {
      for (const [user, spec] of Object.entries(data.blocks ?? {})) {
        if (spec?.type !== "use" || spec.diagram !== model.name) continue;
        if (id.startsWith("inputs/") && spec.inputs?.[old] !== undefined) {
          operations.push({ op: "move", from: root + pathOf("blocks", user, "inputs", old), path: root + pathOf("blocks", user, "inputs", name) });
        }
        if (id.startsWith("outputs/")) operations.push(...rewired(root, data, `${user}.${old}`, `${user}.${name}`));
      }
    }
    return operations;
  }

  renameOnPanel(old, name) {
    const panel = this.model.document.at("/panel");
    if (!panel) return [];
    const operations = [];
    const replace = (path, value) => operations.push({ op: "replace", path, value });
    const isMeant = (value) => value === old || (typeof value === "string" && value.startsWith(`${old}.`));
    (panel.groups ?? []).forEach((group, g) =>
      (group.widgets ?? []).forEach((widget, w) => {
        for (const field of ["input", "value", "x", "y"]) {
          if (isMeant(widget[field])) replace(pathOf("panel", "groups", g, "widgets", w, field), name + widget[field].slice(old.length));
        }
        (widget.signals ?? []).forEach((signal, i) => isMeant(signal) && replace(pathOf("panel", "groups", g, "widgets", w, "signals", i), name + signal.slice(old.length)));
      }),
    );
    for (const part of ["keys", "axes"]) {
      (panel[part] ?? []).forEach((one, i) => isMeant(one.input) && replace(pathOf("panel", part, i, "input"), name));
    }
    return operations;
  }

  // A second one of each, beside; wires among them go with them.
  duplicate(ids, places) {
    const { model } = this;
    const names = new Map();
    const taken = model.taken;
    for (const id of ids) {
      const base = nameOf(id).replace(/\d+$/, "");
      let i = 1;
      while (taken.has(`${base}${i}`)) i += 1;
      taken.add(`${base}${i}`);
      names.set(nameOf(id), `${base}${i}`);
    }
    const renamed = (value) => {
      if (Array.isArray(value)) return value.map(renamed);
      if (typeof value !== "string") return value;
      const [head, ...rest] = value.split(".");
      return names.has(head) ? [names.get(head), ...rest].join(".") : value;
    };
    const added = new Map(places);
    const operations = [];
    for (const id of ids) {
      const [spec, name] = [model.document.at(model.path(id)), names.get(nameOf(id))];
      const value = typeof spec === "string" ? renamed(spec) : renamedPorts(model, spec, renamed);
      operations.push({ op: "add", path: model.path(`${sectionOf(id)}/${name}`), value });
      const at = places.get(id) ?? { x: 0, y: 0 };
      added.set(`${sectionOf(id)}/${name}`, { x: at.x + 36, y: at.y + 36 });
    }
    return { operations: once([...operations, ...this.keepPlaces(added)]), made: ids.map((id) => `${sectionOf(id)}/${names.get(nameOf(id))}`) };
  }

  note(text, at) {
    const [x, y] = snapped(at);
    const note = { text, at: [x, y] };
    const there = Array.isArray(this.model.data.sheet?.notes);
    const above = there ? [] : [...this.holders("sheet"), { op: "add", path: `${this.model.root}/sheet/notes`, value: [] }];
    return [...above, { op: "add", path: `${this.model.root}/sheet/notes/-`, value: note }];
  }

  // Without places of their own all boxes are laid out automatically.
  forgetPlaces() {
    return ["at", "outputs_at"]
      .map((part) => `${this.model.root}/sheet/${part}`)
      .filter((path) => this.model.document.at(path) !== undefined)
      .map((path) => ({ op: "remove", path }));
  }
}

// What holds others is made once.
export function once(operations) {
  const made = new Set();
  return operations.filter(({ op, path }) => op !== "add" || path.endsWith("/-") || (!made.has(path) && made.add(path)));
}

const START = {
  points: [[0, 0], [1, 1]], states: ["off", "on"], transitions: [["off", false, "on"], ["on", false, "off"]],
  joint: "", body: "", coupling: "", function: "", diagram: "",
};

function rewired(root, data, old, name) {
  const operations = [];
  const visit = (value, path) => {
    if (value === old) operations.push({ op: "replace", path, value: name });
    else if (value && typeof value === "object") for (const [key, inner] of Object.entries(value)) visit(inner, path + pathOf(key));
  };
  for (const part of ["blocks", "outputs"]) if (data[part]) visit(data[part], root + pathOf(part));
  return operations;
}

// The description of a block whose wires are given other names; what is no wire stays.
function renamedPorts(model, spec, renamed) {
  const made = structuredClone(spec);
  if (spec.type === "use") made.inputs = Object.fromEntries(Object.entries(spec.inputs ?? {}).map(([port, wire]) => [port, renamed(wire)]));
  else if (spec.type === "machine") made.transitions = spec.transitions.map(([from, wire, to]) => [from, renamed(wire), to]);
  else for (const port of Object.keys(model.described.get(spec.type)?.inputs ?? {})) if (port in made) made[port] = renamed(made[port]);
  return made;
}
