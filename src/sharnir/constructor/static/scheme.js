// The scheme editor: function blocks and the wires between them, beside the 3D view.

import { t } from "/view/texts.js";
import { button, make, soon } from "./element.js";
import { stepsOf } from "./document.js";
import { Boxes } from "./scheme_boxes.js";
import { Flow } from "./scheme_flow.js";
import { Form } from "./scheme_form.js";
import { SheetModel } from "./scheme_model.js";
import { SheetEdits, snapped } from "./scheme_edits.js";
import { Palette } from "./scheme_palette.js";
import { Plots } from "./scheme_plots.js";
import { Running } from "./scheme_running.js";
import { Wiring } from "./scheme_wiring.js";

const BELOW = 40; // px between what is laid out and what has come since

export function mount(element, document, context) {
  context.scheme = new SchemeEditor(element, document, context);
}

class SchemeEditor {
  constructor(element, document, context) {
    Object.assign(this, { element, document, context });
    this.later = soon(() => this.sync());
    this.described = new Map(context.blocks.map((block) => [block.type, block]));
    this.trail = [{ name: "", prefix: "" }]; // of sheets that were opened, and the instance whose values are shown
    this.places = new Map(); // of boxes, as they lie
    this.expanded = new Set();
    this.kinds = document.kinds ?? {};
    this.questions = new Map();
    this.wiring = new Wiring(this);
    this.boxes = new Boxes(this);
    this.running = new Running(this);
    this.build();
    this.listen();
    this.open("", "", true);
  }

  get sheet() {
    return this.trail.at(-1);
  }

  build() {
    this.crumbs = make("nav", { class: "scheme-crumbs", "aria-label": t("Sheets") });
    this.search = make("input", { type: "search", class: "entry scheme-search", placeholder: t("Find"), "aria-label": t("Find on this sheet") });
    const tools = make(
      "div",
      { class: "scheme-tools", role: "toolbar", "aria-label": t("Scheme") },
      button(`+ ${t("Block")}`, t("Add a block"), () => this.boxes.openPalette(), { "aria-keyshortcuts": "A" }),
      button(`+ ${t("Comment")}`, t("Add a comment"), () => this.boxes.addNote()),
      button(t("Fit"), t("Fit the sheet to the window"), () => this.flow.fit(), { "aria-keyshortcuts": "F" }),
      button("−", t("Zoom out"), () => this.flow.store.zoomOut()),
      button("+", t("Zoom in"), () => this.flow.store.zoomIn()),
      button(t("Arrange"), t("Arrange: lay the sheet out automatically"), () => this.arrange()),
      this.search,
    );
    const canvas = make("div", { class: "scheme-canvas", tabindex: -1 });
    this.empty = make("div", { class: "scheme-empty", hidden: true });
    this.hint = make("div", { class: "scheme-hint", hidden: true });
    const middle = make("div", { class: "scheme-middle" }, canvas, this.empty, this.hint);
    const form = make("div", { class: "scheme-form", role: "region", "aria-label": t("The selected block"), tabindex: 0 });
    this.canvas = canvas;
    this.element.replaceChildren(make("div", { class: "scheme" }, make("div", { class: "scheme-bar" }, this.crumbs, tools), middle));
    this.palette = new Palette(middle, () => this.boxes.items(), (item) => this.boxes.pick(item));
    this.plots = new Plots(this.element.firstChild, this.context.moments, (signal) => this.unitOf(signal), (signals) => this.running.keepPlot(signals));
    this.element.firstChild.append(form);
    this.form = new Form(form, this);
    this.flow = new Flow(canvas, this.events(), (connection) => this.wiring.mayConnect(connection));
  }

  listen() {
    this.document.subscribe(({ operations, errors }) => {
      const wrong = JSON.stringify(errors);
      const isNew = wrong !== this.wrong;
      this.wrong = wrong;
      if (!operations || isNew || operations.some(({ path, from }) => isOurs(path) || (from && isOurs(from)))) this.later();
    });
    this.document.addEventListener("message", ({ detail }) => this.hear(detail));
    this.document.askOffer();
    this.document.onLive((live) => this.running.show(live));
    this.context.selection.subscribe(() => this.reveal(this.context.selection.last));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("keydown", (event) => event.key === "Enter" && this.find(event.shiftKey ? -1 : 1));
    this.search.addEventListener("input", () => this.find(0));
    this.canvas.addEventListener("dragover", (event) => event.preventDefault());
    this.canvas.addEventListener("drop", (event) => this.boxes.drop(event));
    this.canvas.addEventListener("click", (event) => event.target.dataset.fold && this.fold(event.target.dataset.fold));
    new ResizeObserver(() => this.waiting && this.canvas.clientWidth && this.sync()).observe(this.canvas);
  }

  events() {
    return {
      connectStart: ({ nodeId, handleId, handleType }) => this.wiring.begin(nodeId, handleId, handleType),
      connect: (connection) => this.wiring.connect(connection),
      connectEnd: (event) => this.wiring.end(event),
      edgeUpdateStart: ({ edge }) => this.wiring.begin(edge.source, edge.sourceHandle, "source", edge),
      edgeUpdate: ({ edge, connection }) => this.wiring.reconnect(edge, connection),
      edgeUpdateEnd: ({ event }) => this.wiring.end(event),
      nodeDragStop: ({ nodes }) => this.boxes.moved(nodes),
      selectionDragStop: ({ nodes }) => this.boxes.moved(nodes),
      nodeClick: ({ node }) => (this.pointing ? this.pointed(this.firstSignal(node.id)) : this.chosen()),
      nodesChange: () => queueMicrotask(() => this.chosen()),
      nodeDoubleClick: ({ node }) => this.enter(node.id),
      paneClick: () => this.chosen(),
      edgeClick: ({ edge }) => (this.pointing ? this.pointed(edge.data.signal) : this.plots.toggle(this.sheet.prefix + edge.data.signal)),
      edgeMouseEnter: ({ event, edge }) => this.running.showHint(event, edge.data.signal),
      edgeMouseLeave: () => (this.hint.hidden = true),
    };
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  // Opens the sheet of a sub-diagram, as it is used by a block; "" is the diagram itself.
  open(name, user = "", fresh = false) {
    const at = this.trail.findIndex((one) => one.name === name);
    if (fresh) this.trail = [{ name: "", prefix: "" }];
    else if (at >= 0) this.trail.length = at + 1;
    else this.trail.push({ name, prefix: `${this.sheet.prefix}${user}.` });
    this.places.clear();
    this.expanded.clear();
    this.flow.clear();
    this.fits = true; // the window, as soon as there is something to show
    this.sync();
  }

  get model() {
    return new SheetModel(this.document, this.described, this.sheet.name);
  }

  get edits() {
    return new SheetEdits(this.model);
  }

  sync() {
    const { model } = this;
    if (model.isInner && !this.document.at(model.root)) return this.open("", "", true);
    this.waiting = !this.canvas.clientWidth; // a canvas that is not shown has no size; it is drawn when it is
    if (this.waiting) return;
    this.showCrumbs();
    const boxes = model.boxes(this.expanded);
    const wires = model.wires(boxes);
    if (!this.placeAll(model, boxes)) return this.layOut(boxes, wires);
    const nodes = boxes.map((box) => {
      const error = this.errorsOf(box.id)[0] ?? "";
      return { id: box.id, type: "box", position: this.places.get(box.id), data: { box, error }, ariaLabel: this.spoken(box) };
    });
    for (const note of model.notes) {
      this.places.set(note.id, { x: note.at[0], y: note.at[1] });
      nodes.push({ id: note.id, type: "note", position: this.places.get(note.id), data: { box: note }, ariaLabel: `${t("Comment")}: ${note.text}`, zIndex: -1 });
    }
    this.flow.show(nodes, wires.map((wire) => this.edge(wire)));
    if (this.fits && nodes.length) this.fitSoon();
    this.showEmpty(!nodes.length);
    this.chosen();
  }

  // Nothing is drawn: what the scene is driven with until then may be the beginning.
  showEmpty(isEmpty) {
    this.empty.hidden = !isEmpty;
    if (!isEmpty) return;
    const { document } = this;
    const { diagram } = document.offered;
    const isOffered = diagram && !document.at("/diagram");
    const begin = () => document.edit(t("Begin with the scheme made from the drives"), [{ op: "add", path: "/diagram", value: diagram }]);
    const said = isOffered ? t("Nothing is drawn yet: the scene is driven by a scheme made from its drives.")
      : t("Nothing is drawn yet. Add an input, a block and an output, and draw wires between them.");
    const first = make("button", { type: "button", class: "plain", onclick: () => this.boxes.openPalette() }, t("Add a block"));
    const made = make("button", { type: "button", class: "plain", onclick: begin }, t("Begin with the scheme made from the drives"));
    this.empty.replaceChildren(make("p", {}, said), ...(isOffered ? [made] : []), first);
  }

  // Boxes that were just put there have no size yet.
  fitSoon() {
    this.fits = false;
    this.gliding = true;
    setTimeout(async () => {
      await this.flow.fit();
      this.gliding = false;
    }, 30);
  }

  // Whether all lies where it is going to lie.
  get settled() {
    return !this.fits && !this.gliding && this.questions.size === 0;
  }

  edge({ id, source, out, target, port, signal, late }) {
    const [type, unit] = this.kindOf(signal);
    return {
      id, source, target, sourceHandle: `out:${out}`, targetHandle: `in:${port}`, type: "wire", data: { signal }, class: `wire wire-${type}${late ? " late" : ""}`,
      ariaLabel: t("wire {signal} to {target}", { signal: this.told(signal), target: `${target.split("/")[1]} ${port}` }),
      updatable: "target", domAttributes: { tabindex: 0 }, ...(unit === null ? {} : { unit }),
    };
  }

  // Every box gets a place: by hand, or as before. False where none has one yet.
  placeAll(model, boxes) {
    let bottom = -Infinity;
    const left = [];
    for (const box of boxes) {
      const at = model.placeOf(box.id) ?? this.places.get(box.id);
      if (at) {
        this.places.set(box.id, at);
        bottom = Math.max(bottom, at.y + box.height);
      } else left.push(box);
    }
    const there = new Set(boxes.map(({ id }) => id));
    for (const id of [...this.places.keys()]) if (!there.has(id)) this.places.delete(id);
    if (left.length && left.length === boxes.length) return false;
    let x = 0;
    for (const box of left) {
      this.places.set(box.id, { x, y: bottom + BELOW });
      x += box.width + BELOW;
    }
    return true;
  }

  async layOut(boxes, wires) {
    const inputs = boxes.filter(({ kind }) => kind === "input").map(({ id }) => id);
    const last = boxes.filter(({ kind }) => kind === "output").map(({ id }) => id);
    const { at } = await this.send("lay_out", {
      boxes: boxes.map(({ id, width, inputs: ins, outputs, head }) => [id, width, ins.map(({ port }) => port), outputs.map(({ port }) => port), head]),
      wires: wires.map(({ source, out, target, port, late }) => [source, out, target, port, late]),
      first: inputs,
      last,
    });
    for (const [id, place] of Object.entries(at)) {
      const [x, y] = snapped({ x: place[0], y: place[1] }); // as an edit will write it
      if (!this.places.has(id)) this.places.set(id, { x, y });
    }
    this.sync();
  }

  showCrumbs() {
    this.crumbs.replaceChildren(
      ...this.trail.flatMap(({ name }, i) => {
        const title = name || t("Scheme");
        const isLast = i === this.trail.length - 1;
        const crumb = button(title, t("Open {sheet}", { sheet: title }), () => this.open(name), { "aria-current": isLast ? "page" : undefined });
        return i ? [make("span", { class: "quiet", "aria-hidden": "true" }, "›"), crumb] : [crumb];
      }),
    );
  }

  spoken(box) {
    const joined = box.inputs.filter(({ wire }) => typeof wire === "string").map(({ port, wire }) => `${port}: ${wire}`).join(", ");
    return [box.title, box.name, box.note, joined].filter(Boolean).join(", ");
  }

  errorsOf(id) {
    const { model } = this;
    const name = id.slice(id.indexOf("/") + 1);
    const inner = model.isInner ? this.kinds[model.name]?.errors?.[name] : null;
    return [...this.document.errorsAt(model.path(id)).map(({ message }) => message), ...(inner ? [inner] : [])];
  }

  kindOf(signal) {
    return this.kinds[this.sheet.name]?.kinds[signal] ?? ["real", null];
  }

  unitOf(signal) {
    const [type, unit] = this.kinds[""]?.kinds[signal] ?? ["real", ""];
    return type === "bool" ? "" : unit ?? "";
  }

  told(signal) {
    const [type, unit] = this.kindOf(signal);
    return [signal, type, unit && unit !== "1" && type !== "bool" ? unit : ""].filter(Boolean).join(" · ");
  }

  // --- talking with the server ---------------------------------------------------------------------------------------

  send(what, question) {
    const id = (this.asked = (this.asked ?? 0) + 1);
    this.document.send({ [what]: { id, ...question } });
    return new Promise((answer) => this.questions.set(id, answer));
  }

  ask(question) {
    return this.send("fits", { sheet: this.sheet.name, ...question });
  }

  hear(message) {
    const answer = message.fits ?? message.laid_out;
    if (answer) {
      this.questions.get(answer.id)?.(answer);
      this.questions.delete(answer.id);
    }
    if (message.kinds) this.kinds = message.kinds;
    if (message.kinds || message.offered) this.later();
    if (message.checked) this.document.askOffer();
  }

  arrange() {
    const operations = this.edits.forgetPlaces();
    this.places.clear();
    this.fits = true;
    if (operations.length) this.document.edit(t("Lay the sheet out automatically"), operations);
    else this.sync();
  }

  fold(id) {
    if (!this.expanded.delete(id)) this.expanded.add(id);
    this.sync();
  }

  enter(id) {
    const spec = this.document.at(this.model.path(id));
    if (spec?.type === "use" && this.model.diagrams[spec.diagram]) this.open(spec.diagram, id.slice(7));
    else this.form.element.querySelector("textarea, input")?.focus();
  }

  // --- selecting and finding -----------------------------------------------------------------------------------------

  chosen() {
    const { selected } = this.flow;
    const one = selected.length === 1 ? selected[0] : null;
    const exists = one && (one.startsWith("sheet/") ? this.model.notes.some(({ id }) => id === one) : this.document.at(this.model.path(one)) !== undefined);
    this.form.show(exists ? one : null);
  }

  // Something selected elsewhere, such as a problem, is shown on the sheet.
  reveal(path) {
    const [top, section, name] = path ? stepsOf(path) : [];
    if (top !== "diagram" || !["inputs", "blocks", "outputs"].includes(section) || !name) return;
    if (this.model.isInner) this.open("", "", true);
    setTimeout(() => this.goTo(`${section}/${name}`), 50);
  }

  goTo(id) {
    this.flow.select([id]);
    this.flow.fit([id], { maxZoom: 1, duration: 200 });
    this.chosen();
  }

  find(step) {
    const word = this.search.value.trim().toLowerCase();
    const hits = word ? this.model.boxes().filter((box) => `${box.name} ${box.title} ${box.type ?? ""} ${box.note ?? ""}`.toLowerCase().includes(word)) : [];
    this.hit = hits.length ? ((step ? (this.hit ?? 0) + step : 0) + hits.length) % hits.length : 0;
    if (hits.length) this.goTo(hits[this.hit].id);
  }

  key(event) {
    const isTyping = event.target.matches("input, textarea, select");
    const isCommand = event.ctrlKey || event.metaKey;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (isTyping || !this.palette.element.hidden) return;
    const node = event.target.closest(".vue-flow__node");
    const edge = event.target.closest(".vue-flow__edge");
    if (event.key === "Escape" && this.pointing) this.pointed(null);
    else if (event.key === "Delete" || event.key === "Backspace") this.boxes.removeSelected();
    else if (isCommand && event.key === "d") this.boxes.duplicate();
    else if (isCommand && event.key === "a") this.flow.selectAll();
    else if (isCommand && event.key === "f") this.search.focus();
    else if (isCommand) return;
    else if (event.key === "a") this.boxes.openPalette();
    else if (event.key === "f") this.flow.fit();
    else if ((event.key === "Enter" || event.key === " ") && node) this.enterByKey(node.dataset.id);
    else if ((event.key === "Enter" || event.key === " ") && edge) this.plots.toggle(this.sheet.prefix + this.flow.store.findEdge(edge.dataset.id).data.signal);
    else if (event.key in steps && this.flow.selected.length) this.boxes.nudge(steps[event.key]);
    else return;
    event.preventDefault();
  }

  // Once selects, once more opens or goes to its values.
  enterByKey(id) {
    if (this.flow.selected.length === 1 && this.flow.selected[0] === id) return this.enter(id);
    this.flow.select([id]);
    return this.chosen();
  }

  // --- pointing ------------------------------------------------------------------------------------------------------

  // Somebody else wants a signal: the next box or wire that is clicked and accepted is it, null with Escape.
  pointAt(accepts, done) {
    this.pointing = { accepts, done };
    this.open("", "", true);
    this.element.firstChild.classList.add("pointing");
    this.canvas.focus();
    this.context.toast(t("Click a box or a wire of the scheme; Escape ends it."));
  }

  pointed(signal) {
    const { accepts, done } = this.pointing;
    const name = signal === null ? null : this.sheet.prefix + signal;
    if (name !== null && !accepts(name)) return this.context.toast(t("'{name}' does not fit there.", { name }));
    this.pointing = null;
    this.element.firstChild.classList.remove("pointing");
    return done(name);
  }

  firstSignal(id) {
    if (id.startsWith("outputs/")) return id.slice(8);
    const box = this.model.boxes().find((one) => one.id === id);
    return box?.outputs[0]?.signal ?? null;
  }
}

const isOurs = (path) => path === "" || path.startsWith("/diagram");
