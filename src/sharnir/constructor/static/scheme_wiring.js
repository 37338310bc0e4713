// Wires of the sheet: drawn, led elsewhere and taken off, by mouse or by typing. The server says what fits.

import { t } from "/view/texts.js";

export class Wiring {
  constructor(editor) {
    const { document, context } = editor;
    Object.assign(this, { editor, document, context });
    this.drawing = null; // the wire under way
    this.fitting = null; // what it may be connected to: "box|port"
  }

  async begin(node, handle, type, edge = null) {
    const wire = (this.drawing = { node, handle, type, edge, connected: false, isKnown: false });
    this.fitting = new Set();
    this.editor.element.firstChild.classList.add("wiring");
    wire.fitting = this.whatFits(wire);
    const fitting = await wire.fitting;
    wire.isKnown = true;
    if (this.drawing !== wire) return;
    this.fitting = fitting;
    this.markFitting();
  }

  // A promise of the ports that the wire may lead to, or may come from.
  async whatFits(wire) {
    const { node, handle, type } = wire;
    const port = handle.slice(handle.indexOf(":") + 1);
    const { model } = this.editor;
    if (type === "source") {
      wire.signal = model.signalOf({ id: node, port });
      const { ports } = await this.editor.ask({ signal: wire.signal });
      const boxes = new Map(model.boxes().filter(({ kind }) => kind !== "input").map(({ id, name }) => [name, id]));
      return new Set(ports.map(([box, into]) => `${boxes.get(box)}|in:${into}`));
    }
    const { signals } = await this.editor.ask({ name: node.slice(node.indexOf("/") + 1), port });
    const sources = signals.map((signal) => model.sourceOf(signal)).filter(Boolean);
    return new Set(sources.map(({ id, port: out }) => `${id}|out:${out}`));
  }

  markFitting() {
    for (const handle of this.editor.canvas.querySelectorAll(".vue-flow__handle")) {
      handle.classList.toggle("fits", Boolean(this.fitting?.has(`${handle.dataset.nodeid}|${handle.dataset.handleid}`)));
    }
  }

  mayConnect({ source, sourceHandle, target, targetHandle }) {
    if (!this.fitting) return true;
    const other = this.drawing?.type === "target" ? `${source}|${sourceHandle}` : `${target}|${targetHandle}`;
    return this.fitting.has(other);
  }

  connect({ source, sourceHandle, target, targetHandle }) {
    if (this.drawing) this.drawing.connected = true;
    const signal = this.editor.model.signalOf({ id: source, port: sourceHandle.slice(4) });
    const port = targetHandle.slice(3);
    this.document.edit(t("Connect {signal}", { signal }), this.editor.edits.connect(target, port, signal, this.editor.kindOf(signal)[0]));
  }

  reconnect(edge, connection) {
    if (this.drawing) this.drawing.connected = true;
    const [was, now] = [edge.targetHandle.slice(3), connection.targetHandle.slice(3)];
    if (edge.target === connection.target && was === now) return;
    const { signal } = edge.data;
    const away = this.editor.edits.disconnect(edge.target, was);
    const there = this.editor.edits.connect(connection.target, now, signal, this.editor.kindOf(signal)[0]);
    this.document.edit(t("Connect {signal}", { signal }), [...there, ...away]);
  }

  // Dropped on nothing, the end of a wire is taken off; a new wire asks which block it should lead to.
  end(event) {
    const wire = this.drawing;
    this.drawing = null;
    this.fitting = null;
    this.editor.element.firstChild.classList.remove("wiring");
    this.markFitting();
    if (!wire || wire.connected) return;
    const onto = wire.isKnown ? null : portUnder(event);
    if (onto) this.connectLate(wire, onto.dataset);
    else if (wire.edge) this.document.edit(t("Disconnect"), this.editor.edits.disconnect(wire.edge.target, wire.edge.targetHandle.slice(3)));
    else if (event && wire.type === "source" && event.target?.closest?.(".scheme-canvas") && !event.target.closest(".vue-flow__node")) {
      this.editor.boxes.ask(wire.signal, this.editor.flow.onSheet(event.clientX, event.clientY));
    }
  }

  // Dropped before it was known what fits: connected as soon as it is known.
  async connectLate(wire, { nodeid, handleid }) {
    const fitting = await wire.fitting;
    const isForth = wire.type === "source";
    if (!fitting.has(`${nodeid}|${handleid}`)) this.context.toast(t("'{name}' does not fit there.", { name: isForth ? wire.signal : nodeid.split("/")[1] }));
    else if (wire.edge) this.reconnect(wire.edge, { target: nodeid, targetHandle: handleid });
    else if (isForth) this.connect({ source: wire.node, sourceHandle: wire.handle, target: nodeid, targetHandle: handleid });
    else this.connect({ source: nodeid, sourceHandle: handleid, target: wire.node, targetHandle: wire.handle });
  }

  // What was typed at a port: a signal, a number, a truth value.
  typed(id, port, text) {
    const written = text.trim();
    const number = Number(written.replace(",", "."));
    const value = /^(true|false)$/.test(written) ? written === "true" : written !== "" && Number.isFinite(number) ? number : written;
    if (value === "") this.document.edit(t("Disconnect"), this.editor.edits.disconnect(id, port));
    else if (typeof value === "string" && !this.editor.model.sourceOf(value)) this.context.toast(t("There is no signal '{name}'.", { name: value }));
    else this.document.edit(t("Connect {signal}", { signal: written }), this.editor.edits.connect(id, port, value, typeof value === "string" ? this.editor.kindOf(value)[0] : null));
  }
}

// The port at a place of the window, also below the end of a wire.
function portUnder(event) {
  const { clientX, clientY } = event?.changedTouches?.[0] ?? event ?? {};
  return clientX === undefined ? null : globalThis.document.elementsFromPoint(clientX, clientY).find((one) => one.matches(".vue-flow__handle")) ?? null;
}
