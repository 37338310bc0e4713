// What lies on one sheet of a diagram, read from the document: boxes with ports, and the wires between them.
// A box's id is the path of its description below the sheet's own: "blocks/pid", "inputs/throttle", "sheet/notes/0".

import { pathOf } from "./document.js";

export const ROW = 18; // px: a port; the server lays sheets out by the same
export const HEAD = 24; // px
const LETTER = 6.7; // px, of the names in a box
const SYMBOLS = {
  add: "+", sub: "−", mul: "×", div: "÷", gt: ">", ge: "≥", lt: "<", le: "≤", eq: "=", ne: "≠", and: "&", or: "≥1",
  xor: "=1", not: "¬", integral: "∫", delay: "z⁻¹", abs: "|x|", sqrt: "√x",
};

export const symbolOf = (type) => SYMBOLS[type] ?? type;
export const shownNumber = (value) =>
  typeof value === "number" ? String(Number(value.toPrecision(5))) : value === undefined ? "" : String(value);

// A port called "inputs[2]" is the third of a list.
export function listed(port) {
  const found = /^(\w+)\[(\d+)\]$/.exec(port);
  return found && { list: found[1], index: Number(found[2]) };
}

export class SheetModel {
  constructor(document, described, name) {
    Object.assign(this, { document, described, name });
  }

  get root() {
    return this.name === "" ? "/diagram" : pathOf("diagram", "diagrams", this.name);
  }

  get data() {
    return this.document.at(this.root) ?? {};
  }

  get diagrams() {
    return this.document.at("/diagram/diagrams") ?? {};
  }

  get isInner() {
    return this.name !== "";
  }

  // All names that a new thing may not have.
  get taken() {
    const { inputs, blocks, outputs } = this.data;
    return new Set([inputs, blocks, outputs].flatMap((part) => Object.keys(part ?? {})));
  }

  freeName(wish) {
    const { taken } = this;
    for (let i = 1; ; i += 1) if (!taken.has(`${wish}${i}`)) return `${wish}${i}`;
  }

  path(id, ...more) {
    const [section, ...rest] = id.split("/");
    return this.root + pathOf(section, rest.join("/"), ...more);
  }

  // --- boxes ---------------------------------------------------------------------------------------------------------

  boxes(expanded = new Set()) {
    const { inputs = {}, blocks = {}, outputs = {} } = this.data;
    const found = [];
    for (const [name, spec] of Object.entries(inputs)) found.push(this.inputBox(name, spec ?? {}));
    for (const [name, spec] of Object.entries(blocks)) found.push(this.blockBox("blocks", name, spec ?? {}, expanded));
    for (const [name, spec] of Object.entries(outputs)) {
      found.push(this.isInner ? this.resultBox(name, spec) : this.blockBox("outputs", name, spec ?? {}, expanded));
    }
    return found;
  }

  inputBox(name, spec) {
    const unit = spec.type === "bool" || !spec.unit || spec.unit === "1" ? "" : spec.unit;
    const outputs = [{ port: "", label: "", signal: name }];
    return sized({ id: `inputs/${name}`, kind: "input", name, title: "", unit, type: spec.type ?? "real", inputs: [], outputs });
  }

  resultBox(name, wire) {
    const inputs = [{ port: "value", label: "", wire }];
    return sized({ id: `outputs/${name}`, kind: "output", name, title: "", unit: "", inputs, outputs: [] });
  }

  blockBox(section, name, spec, expanded) {
    const id = `${section}/${name}`;
    const all = this.inputsOf(spec);
    const isOpen = expanded.has(id);
    const inputs = all.filter((port) => isOpen || !port.usual || typeof port.wire === "string");
    const ends = section === "outputs" ? [] : this.outputsOf(name, spec);
    const kind = section === "outputs" ? "output" : spec.type === "use" ? "use" : all.length ? "block" : "source";
    const title = spec.type === "use" ? spec.diagram ?? "?" : symbolOf(spec.type ?? "?");
    return sized({
      id, kind, name, title, type: spec.type, note: this.noteOf(spec), unit: "", inputs, outputs: ends,
      folds: all.length !== inputs.length || isOpen, isOpen,
    });
  }

  // What a box says besides its type: what it reads, what it acts on.
  noteOf(spec) {
    if (spec.type === "signal") return [spec.of, spec.what ?? "coordinate", spec.component].filter(Boolean).join(" ");
    if (spec.type === "constant") return `${shownNumber(spec.value)}${spec.unit && spec.unit !== "1" ? ` ${spec.unit}` : ""}`;
    return spec.joint ?? spec.body ?? spec.coupling ?? (spec.type === "function" ? spec.function : "") ?? "";
  }

  // The inputs of a block: { port, label, wire, usual (left as it is), type }.
  inputsOf(spec) {
    if (spec.type === "use") {
      const inner = this.diagrams[spec.diagram]?.inputs ?? {};
      return Object.entries(inner).map(([port, { type, initial }]) => ({
        port, label: port, type: type ?? "real", wire: spec.inputs?.[port] ?? initial ?? (type === "bool" ? false : 0),
      }));
    }
    if (spec.type === "machine") {
      return (spec.transitions ?? []).map(([from, wire, to], i) => ({ port: `transitions[${i}]`, label: `${from} → ${to}`, wire, type: "bool" }));
    }
    const described = this.described.get(spec.type);
    return Object.entries(described?.inputs ?? {}).flatMap(([port, about]) => {
      if (port === "inputs") return listPorts(spec.inputs ?? [], about.type);
      const given = spec[port];
      return [{ port, label: port, type: about.type, wire: given ?? about.default, usual: !about.required && given === undefined }];
    });
  }

  outputsOf(name, spec) {
    return this.outputNames(spec).map((port, i) => ({ port, label: i || spec.type === "use" ? port : "", signal: i ? `${name}.${port}` : name }));
  }

  outputNames(spec) {
    if (spec.type === "use") return Object.keys(this.diagrams[spec.diagram]?.outputs ?? {});
    if (spec.type === "machine") return ["state", ...(spec.states ?? []), "time"];
    return Object.keys(this.described.get(spec.type)?.outputs ?? { out: {} });
  }

  lateOf(spec) {
    return this.described.get(spec?.type)?.late ?? [];
  }

  // --- wires ---------------------------------------------------------------------------------------------------------

  // The box and the port that a signal comes from; null where there is none.
  sourceOf(wire) {
    const { inputs = {}, blocks = {} } = this.data;
    const [head, ...rest] = wire.split(".");
    if (head in inputs && !rest.length) return { id: `inputs/${head}`, port: "" };
    if (!(head in blocks)) return null;
    const ports = this.outputNames(blocks[head] ?? {});
    const port = rest.length ? rest.join(".") : ports[0];
    return ports.includes(port) ? { id: `blocks/${head}`, port } : null;
  }

  wires(boxes) {
    return boxes.flatMap((box) =>
      box.inputs.flatMap(({ port, wire }) => {
        const source = typeof wire === "string" ? this.sourceOf(wire) : null;
        if (!source) return [];
        const late = this.lateOf(this.data.blocks?.[box.name]).includes(port);
        return [{ id: `${box.id}>${port}`, source: source.id, out: source.port, target: box.id, port, signal: this.signalOf(source), late }];
      }),
    );
  }

  // The shortest name of a signal.
  signalOf({ id, port }) {
    const name = id.slice(id.indexOf("/") + 1);
    if (id.startsWith("inputs/")) return name;
    return this.outputNames(this.data.blocks?.[name] ?? {})[0] === port ? name : `${name}.${port}`;
  }

  // --- where it lies -------------------------------------------------------------------------------------------------

  // The place that a hand gave a box; null where there is none.
  placeOf(id) {
    const { sheet } = this.data;
    const name = id.slice(id.indexOf("/") + 1);
    const places = this.isInner && id.startsWith("outputs/") ? sheet?.outputs_at : sheet?.at;
    const at = places?.[name];
    return Array.isArray(at) ? { x: at[0], y: at[1] } : null;
  }

  get notes() {
    return (this.data.sheet?.notes ?? []).map((note, i) => ({
      id: `sheet/notes/${i}`, kind: "note", text: note.text ?? "", at: note.at ?? [0, 0], size: note.size ?? [200, 80],
    }));
  }
}

function listPorts(wires, type) {
  const ports = wires.map((wire, i) => ({ port: `inputs[${i}]`, label: String(i + 1), wire, type }));
  return [...ports, { port: `inputs[${wires.length}]`, label: "+", wire: undefined, type, more: true }];
}

function sized(box) {
  const left = Math.max(0, ...box.inputs.map(({ label, wire }) => label.length + (typeof wire === "string" ? 0 : shownNumber(wire).length + 1)));
  const right = Math.max(0, ...box.outputs.map(({ label }) => label.length));
  const isFlat = box.kind === "input" || (box.kind === "output" && !box.title);
  const head = isFlat ? 0 : HEAD;
  const words = isFlat ? box.name.length + (box.unit ? box.unit.length + 3 : 0) : box.title.length + (box.note || box.name).length + (box.folds ? 3 : 1);
  const rows = Math.max(1, box.inputs.length, box.outputs.length);
  const width = Math.ceil(Math.max(64, LETTER * Math.max(words, left + right + 2) + 26) / 2) * 2;
  return { ...box, head, rows, width, height: head + ROW * rows };
}
