// Boxes of the sheet: what can be added, and what is done to those that are there.

import { t } from "/view/texts.js";
import { stepsOf } from "./document.js";
import { once } from "./scheme_edits.js";
import { boundNames } from "./scheme_form.js";
import { takes } from "./scheme_palette.js";

const NUDGE = 12; // px, an arrow key
const INPUTS = { real: { range: [-1, 1] }, bool: { type: "bool" }, int: { type: "int", choices: ["off", "on"] } };

export class Boxes {
  constructor(editor) {
    const { document, context } = editor;
    Object.assign(this, { editor, document, context });
    this.dropped = null; // the end of a wire on the empty sheet: { signal, at }
  }

  items() {
    const inner = this.editor.model.isInner;
    const sheet = [
      ["real", t("Input: a number")], ["bool", t("Input: a switch")], ["int", t("Input: a choice")],
    ].map(([type, title]) => ({
      key: `input ${type}`, title, symbol: "⇥", group: "sheet", help: t("A value that the operator, a program or the diagram around sets."), takes: () => false,
      section: "inputs", name: "input", value: () => INPUTS[type],
    }));
    if (inner) sheet.push({ key: "result", title: t("Output"), symbol: "↦", group: "sheet", help: t("A signal that this sub-diagram gives."), takes: () => true, section: "outputs", name: "output", value: () => 0 });
    sheet.push({ key: "new sheet", title: t("New sub-diagram"), symbol: "▣", group: "subdiagram", help: t("An empty sheet to be used as a block."), takes: () => false, make: (at) => this.addSheet(at) });
    for (const name of Object.keys(this.editor.model.diagrams)) {
      if (name === this.editor.model.name) continue;
      sheet.push({ key: `use ${name}`, title: name, symbol: "▣", group: "subdiagram", help: t("The sub-diagram {name}", { name }), takes: () => true, section: "blocks", name, value: () => ({ type: "use", diagram: name }) });
    }
    const blocks = this.context.blocks.filter(({ type, section }) => type !== "use" && !(inner && section === "output"));
    return [...sheet, ...blocks.map((block) => this.item(block))];
  }

  item(block) {
    return {
      key: block.type, title: block.type, symbol: block.type, group: block.section === "output" ? "sinks" : block.group, help: block.help,
      takes: (kind) => Object.values(block.inputs).some(({ type }) => takes(type, kind)),
      section: block.section === "output" ? "outputs" : "blocks", name: block.type, value: () => this.editor.edits.fresh(block, this.firstOf(block)),
    };
  }

  // A new block on a joint or a body is on the selected one, or on the first there is.
  firstOf(block) {
    const given = {};
    for (const { name } of block.parameters) {
      const section = { joint: "joints", body: "bodies", coupling: "couplings" }[name];
      if (!section) continue;
      const selected = this.context.selection.list.find((path) => path.startsWith(`/${section}/`));
      given[name] = selected ? stepsOf(selected)[1] : boundNames(this.document, section)[0] ?? "";
    }
    if (block.type === "signal") given.of = boundNames(this.document, "joints")[0] ?? boundNames(this.document, "bodies")[0] ?? "";
    return given;
  }

  suggestions(name, spec) {
    const { document, context } = this;
    if (name === "joint") return boundNames(document, "joints").map((one) => [one]);
    if (name === "body") return boundNames(document, "bodies").map((one) => [one]);
    if (name === "coupling") return boundNames(document, "couplings").map((one) => [one]);
    if (name === "of") return boundNames(document, "joints", "bodies", "couplings", "sensors", "ropes", "rays").map((one) => [one]);
    if (name === "diagram") return Object.keys(this.editor.model.diagrams).map((one) => [one]);
    if (name === "what") return context.quantities.map((one) => [one.name, `${one.about}${one.unit ? `, ${one.unit}` : ""}`]);
    if (name === "component") return (context.quantities.find((one) => one.name === spec.what)?.components ?? []).map((one) => [one]);
    if (name === "unit") return ["1", "m", "rad", "m/s", "rad/s", "N", "N m", "s", "W", "Pa"].map((one) => [one]);
    if (name === "color") return ["green", "amber", "red", "blue", "white"].map((one) => [one]);
    return [];
  }

  // A wire was dropped on the empty sheet: which block should it lead to?
  ask(signal, at) {
    this.dropped = { signal, at };
    this.editor.palette.open(this.editor.kindOf(signal)[0]);
  }

  openPalette() {
    this.dropped = null;
    if (this.editor.palette.element.hidden) this.editor.palette.open();
    else this.editor.palette.close();
  }

  async pick(item) {
    const { dropped } = this;
    const at = dropped?.at ?? this.freeSpot(this.editor.flow.middle);
    this.editor.palette.close();
    this.dropped = null;
    const id = this.add(item, at);
    if (!id || !dropped) return;
    const { ports } = await this.editor.ask({ signal: dropped.signal });
    const port = ports.find(([box]) => `${item.section}/${box}` === id)?.[1];
    if (port) this.document.edit(t("Connect {signal}", { signal: dropped.signal }), this.editor.edits.connect(id, port, dropped.signal, this.editor.kindOf(dropped.signal)[0]));
  }

  // Not on top of another box, nor of a comment.
  freeSpot({ x, y }) {
    const spot = { x: x - 40, y: y - 20 };
    const { model, expanded, places } = this.editor;
    const notes = model.notes.map(({ at, size }) => ({ x: at[0], y: at[1], width: size[0], height: size[1] }));
    const boxes = [...model.boxes(expanded).map((box) => ({ ...box, ...places.get(box.id) })), ...notes];
    const meets = () => boxes.find((box) => spot.x < box.x + box.width + 20 && spot.x + 140 > box.x && spot.y < box.y + box.height + 20 && spot.y + 70 > box.y);
    for (let other = meets(); other; other = meets()) spot.y = other.y + other.height + 24;
    return spot;
  }

  add(item, at) {
    if (item.make) return item.make(at);
    const name = this.editor.model.freeName(item.name);
    this.document.edit(t("Add {name}", { name }), this.editor.edits.add(item.section, name, item.value(), at, this.editor.places));
    return this.present(`${item.section}/${name}`);
  }

  // What was just added is selected, and in sight.
  present(id, act = () => this.editor.flow.focus(id)) {
    setTimeout(() => {
      this.editor.flow.select([id]);
      this.editor.chosen();
      act();
      this.editor.flow.bring(id);
    }, 30);
    return id;
  }

  addSheet(at) {
    const name = this.editor.model.freeName("sheet");
    const title = (() => {
      for (let i = 1; ; i += 1) if (!(`sheet${i}` in this.editor.model.diagrams)) return `sheet${i}`;
    })();
    const above = this.document.at("/diagram") ? [] : [{ op: "add", path: "/diagram", value: {} }];
    if (!this.document.at("/diagram/diagrams")) above.push({ op: "add", path: "/diagram/diagrams", value: {} });
    const empty = { inputs: { input1: {} }, blocks: {}, outputs: { output1: "input1" } };
    const use = this.editor.edits.add("blocks", name, { type: "use", diagram: title }, at, this.editor.places);
    this.document.edit(t("Add {name}", { name: title }), once([...above, { op: "add", path: `/diagram/diagrams/${title}`, value: empty }, ...use]));
    return this.present(`blocks/${name}`);
  }

  addNote() {
    this.document.edit(t("Add a comment"), this.editor.edits.note(t("Comment"), this.freeSpot(this.editor.flow.middle)));
    this.present(this.editor.model.notes.at(-1).id, () => this.editor.form.element.querySelector("textarea")?.select());
  }

  drop(event) {
    const key = event.dataTransfer.getData("text/x-sharnir-block");
    const item = key && this.items().find((one) => one.key === key);
    if (!item) return;
    event.preventDefault();
    this.editor.palette.close();
    this.add(item, this.editor.flow.onSheet(event.clientX, event.clientY));
  }

  moved(nodes) {
    const places = new Map(this.editor.places);
    for (const { id, position } of nodes) places.set(id, { x: position.x, y: position.y });
    const notes = nodes.filter(({ id }) => id.startsWith("sheet/notes/"));
    const operations = notes.map(({ id, position }) => ({ op: "replace", path: `${this.editor.model.root}/${id}/at`, value: [Math.round(position.x), Math.round(position.y)] }));
    if (notes.length < nodes.length) operations.push(...this.editor.edits.keepPlaces(places));
    this.editor.places = places;
    this.document.edit(nodes.length === 1 ? t("Move {name}", { name: nodes[0].id.split("/")[1] }) : t("Move {n} boxes", { n: nodes.length }), operations);
  }

  rename(id, name) {
    const old = id.slice(id.indexOf("/") + 1);
    if (!name || name === old) return;
    if (/[.[]/.test(name) || this.editor.model.taken.has(name)) {
      this.context.toast(t("'{name}' is taken, or has dots or brackets; give another name.", { name }));
      this.editor.form.shown = null;
      this.editor.form.show(id);
      return;
    }
    const section = id.slice(0, id.indexOf("/"));
    const operations = this.editor.edits.rename(id, name);
    const at = this.editor.places.get(id);
    if (at) this.editor.places.set(`${section}/${name}`, at);
    this.document.edit(t("Rename {old} to {name}", { old, name }), operations);
    setTimeout(() => this.editor.flow.select([`${section}/${name}`]), 0);
  }

  removeSelected() {
    const { selected, selectedWire } = this.editor.flow;
    if (selected.length) this.document.edit(t("Delete"), this.editor.edits.remove(selected));
    else if (selectedWire) this.document.edit(t("Disconnect"), this.editor.edits.disconnect(selectedWire.target, selectedWire.targetHandle.slice(3)));
  }

  duplicate() {
    const ids = this.editor.flow.selected.filter((id) => !id.startsWith("sheet/"));
    if (!ids.length) return;
    const { operations, made } = this.editor.edits.duplicate(ids, this.editor.places);
    this.document.edit(t("Copy"), operations);
    setTimeout(() => this.editor.flow.select(made), 30);
  }

  nudge([x, y]) {
    const nodes = this.editor.flow.selected.map((id) => {
      const at = this.editor.places.get(id);
      return { id, position: { x: at.x + NUDGE * x, y: at.y + NUDGE * y } };
    });
    this.moved(nodes);
  }
}
