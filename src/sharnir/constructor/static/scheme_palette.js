// The palette of the scheme: all blocks with their help, found by a word.

import { t } from "/view/texts.js";
import { make } from "./element.js";
import { symbolOf } from "./scheme_model.js";

const GROUPS = {
  sheet: "On this sheet", plant_signals: "From the scene", sinks: "To the scene and the operator", arithmetic: "Arithmetic", logic: "Logic",
  dynamic: "Control", filters: "Filters", events: "Edges, timers, counters", functions: "Functions", convert: "Conversions",
  tables: "Tables and machines", subdiagram: "Sub-diagrams",
};

// What can be added: { key, title, symbol, group, help, add }; takes(kind) tells whether it has an input for a signal.
export class Palette {
  constructor(element, items, onPick) {
    Object.assign(this, { items, onPick });
    this.search = make("input", { type: "search", class: "entry", placeholder: t("Find a block"), "aria-label": t("Find a block") });
    this.list = make("div", { class: "palette-list" });
    this.element = make("div", { class: "scheme-palette", role: "region", "aria-label": t("Blocks"), hidden: true }, this.search, this.list);
    this.search.addEventListener("input", () => this.show());
    this.element.addEventListener("keydown", (event) => this.key(event));
    element.append(this.element);
  }

  // With a kind of signal, only what takes it is offered.
  open(kind = null) {
    this.kind = kind;
    this.element.hidden = false;
    this.search.value = "";
    this.show();
    this.search.focus();
  }

  close() {
    this.element.hidden = true;
    this.kind = null;
  }

  show() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = this.items().filter(
      (item) => (!this.kind || item.takes(this.kind)) && words.every((word) => `${item.title} ${item.help}`.toLowerCase().includes(word)),
    );
    if (words.length) fits.sort((a, b) => rank(a, words[0]) - rank(b, words[0]));
    const parts = [];
    for (const [group, title] of Object.entries(GROUPS)) {
      const members = fits.filter((item) => item.group === group);
      if (!members.length) continue;
      if (!words.length) parts.push(make("h2", {}, t(title)));
      parts.push(...(words.length ? [] : members.map((item) => this.entry(item))));
    }
    if (words.length) parts.push(...fits.map((item) => this.entry(item)));
    this.list.replaceChildren(...(parts.length ? parts : [make("p", { class: "quiet" }, t("No block fits."))]));
  }

  entry(item) {
    const button = make(
      "button",
      { type: "button", class: "palette-entry", draggable: "true", title: item.help, onclick: () => this.onPick(item) },
      make("b", {}, symbolOf(item.symbol)), make("span", { class: "entry-name" }, item.title), make("small", {}, item.help),
    );
    button.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/x-sharnir-block", item.key));
    return button;
  }

  key(event) {
    const entries = [...this.list.querySelectorAll("button")];
    const at = entries.indexOf(globalThis.document.activeElement);
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && event.target === this.search) entries[0]?.click();
    else if (event.key === "ArrowDown") entries[Math.min(at + 1, entries.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? entries[at - 1] : this.search).focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function rank(item, word) {
  const title = item.title.toLowerCase();
  return title === word ? 0 : title.startsWith(word) ? 1 : title.includes(word) ? 2 : 3;
}

export const takes = (type, kind) => type === "any" || (type === "bool") === (kind === "bool");
