// The plots below the sheet: wires that were clicked, over time, while the scene is tried.

import { t } from "/view/texts.js";
import { Plot } from "/view/plots.js";
import { button, make } from "./element.js";

export class Plots {
  constructor(element, moments, unitOf, onKeep) {
    this.signals = [];
    this.chips = make("div", { class: "plot-chips", role: "group", "aria-label": t("Signals in the plot") });
    const keep = button(t("On the console"), t("Keep this plot on the console"), () => onKeep([...this.signals]));
    const place = make("div", { class: "plot scheme-plot" });
    this.element = make("div", { class: "scheme-plots", hidden: true }, make("div", { class: "plots-row" }, this.chips, keep), place);
    element.append(this.element);
    this.plot = new Plot(place, moments, unitOf);
    this.plot.legend.tabIndex = -1;
  }

  // A wire in or out of the plots.
  toggle(signal) {
    this.signals = this.signals.includes(signal) ? this.signals.filter((one) => one !== signal) : [...this.signals, signal];
    this.show();
  }

  show() {
    this.element.hidden = !this.signals.length;
    this.chips.replaceChildren(
      ...this.signals.map((signal) => button(`${signal} ✕`, t("Take {signal} out of the plot", { signal }), () => this.toggle(signal), { class: "chip" })),
    );
    this.plot.choose(this.signals);
  }

  draw() {
    if (!this.element.hidden) this.plot.draw();
  }
}
