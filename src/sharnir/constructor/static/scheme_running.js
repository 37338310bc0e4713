// The sheet while the scene is tried: values at the ports, lit wires, plots.

import { shown } from "/view/widgets.js";
import { t } from "/view/texts.js";

export class Running {
  constructor(editor) {
    const { document, context } = editor;
    Object.assign(this, { editor, document, context });
  }

  // live: the values of all signals by their full names; nothing where nothing runs.
  show(live) {
    const time = this.context.trial?.link?.frame?.time;
    const runs = time !== undefined;
    this.editor.element.firstChild.classList.toggle("live", runs);
    if (runs) this.editor.plots.draw();
    if (this.editor.element.hidden) return;
    const { prefix } = this.editor.sheet;
    for (const place of this.editor.canvas.querySelectorAll(".port-value")) {
      place.textContent = this.shownValue(place.dataset.signal, live[prefix + place.dataset.signal]);
    }
    for (const line of this.editor.canvas.querySelectorAll(".vue-flow__edge")) {
      const signal = this.editor.flow.signals.get(line.dataset.id);
      line.classList.toggle("lit", Math.abs(live[prefix + signal] ?? 0) > 1e-9);
    }
  }

  shownValue(signal, value) {
    const [type, unit] = this.editor.kindOf(signal);
    return value === undefined ? "" : type === "bool" ? (value > 0.5 ? "1" : "0") : shown(Number(value), unit ?? "");
  }

  showHint(event, signal) {
    const value = this.shownValue(signal, this.document.live[this.editor.sheet.prefix + signal]);
    this.editor.hint.textContent = this.editor.told(signal) + (value ? ` = ${value}` : "");
    const box = this.editor.canvas.getBoundingClientRect();
    Object.assign(this.editor.hint.style, { left: `${event.clientX - box.left + 12}px`, top: `${event.clientY - box.top + 12}px` });
    this.editor.hint.hidden = false;
  }

  // A plot of the wires on the operator's console.
  keepPlot(signals) {
    const widget = { type: "plot", signals };
    const operations = this.document.at("/panel") ? [] : [{ op: "add", path: "/panel", value: {} }];
    if (!this.document.at("/panel/groups")?.length) {
      operations.push({ op: "add", path: "/panel/groups", value: [{ title: t("Plots"), widgets: [widget] }] });
    } else operations.push({ op: "add", path: "/panel/groups/0/widgets/-", value: widget });
    this.document.edit(t("Put a plot on the console"), operations);
  }
}
