// The tree of the scene: everything by name, with search, and several at once.

import { t } from "/view/texts.js";
import { make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { SECTIONS } from "./names.js";
import { words } from "./schema.js";

const ICONS = { bodies: "■", joints: "⚭", couplings: "⚙", ropes: "∿", terrain: "▱", materials: "◍", sensors: "◉", cameras: "◪", rays: "⟶", rulers: "↔", faults: "⚠", scenarios: "⚑" };

export function mount(element, document, context) {
  const find = make("input", { type: "search", class: "tree-find", placeholder: t("Search"), "aria-label": t("Search the scene") });
  const count = make("span", { class: "visually-hidden", role: "status" });
  const list = make("ul", { class: "tree-list", role: "tree", "aria-label": t("Scene"), "aria-multiselectable": "true", tabindex: "0" });
  const beginning = make("p", { class: "about tree-empty" }, t("Nothing is here yet. Take a body from the list below (click it), or a whole robot or vehicle part; the ground is under Terrain and obstacles. Then press Try it."));
  element.append(find, count, list, beginning);
  const folded = new Set(["materials", "rulers"]);
  let rows = new Map(); // by path
  let order = [];
  let signature = "";
  let anchor = null; // where a range of several begins

  find.addEventListener("input", () => build());
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && order.length > 0) context.selection.set(...order.filter((path) => stepsOf(path).length > 1).slice(0, 1));
    if (event.key === "ArrowDown") list.focus();
  });
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-path]");
    if (row) choose(row.dataset.path, event);
  });
  list.addEventListener("dblclick", (event) => {
    const path = event.target.closest("[data-path]")?.dataset.path;
    if (path && stepsOf(path).length > 1) context.stage?.fit();
  });
  list.addEventListener("keydown", (event) => key(event));
  document.subscribe(({ operations }) => update(operations));
  context.selection.subscribe(mark);
  build();

  function update(operations) {
    if (operations === null || operations.some(changesNames)) build();
    markErrors();
  }

  function changesNames({ op, path, from }) {
    const steps = stepsOf(path);
    const isShape = steps[0] === "bodies" && steps[2] === "shapes" && steps.length <= 5;
    return op === "move" || from || steps.length <= 2 || isShape;
  }

  // The rows that there are: [path, text, depth].
  function entries() {
    const wanted = find.value.trim().toLowerCase();
    const found = [];
    for (const section of SECTIONS) {
      const things = Object.keys(document.data[section] ?? {});
      const some = wanted ? things.filter((name) => name.toLowerCase().includes(wanted) || t(words(section)).toLowerCase().includes(wanted)) : things;
      if (!some.length) continue;
      found.push([pathOf(section), `${t(words(section))} (${some.length})`, 1]);
      if (folded.has(section) && !wanted) continue;
      for (const name of some) {
        found.push([pathOf(section, name), name, 2]);
        if (section !== "bodies") continue;
        const shapes = document.data.bodies[name]?.shapes ?? [];
        if (shapes.length > 1 || context.selection.list.some((path) => path.startsWith(`${pathOf("bodies", name)}/`))) {
          shapes.forEach((shape, i) => found.push([pathOf("bodies", name, "shapes", i), words(String(shape?.type ?? "?")), 3]));
        }
      }
    }
    return found;
  }

  function build() {
    const found = entries();
    const next = JSON.stringify(found);
    if (next === signature) return;
    signature = next;
    beginning.hidden = SECTIONS.some((section) => Object.keys(document.data[section] ?? {}).length > 0);
    rows = new Map();
    order = found.map(([path]) => path);
    list.replaceChildren(
      ...found.map(([path, text, depth], i) => {
        const section = stepsOf(path)[0];
        const isGroup = depth === 1;
        const row = make(
          "li",
          {
            role: "treeitem", id: `tree-${i}`, class: `row depth-${depth}`, "aria-level": depth, dataset: { path },
            "aria-expanded": isGroup ? String(!folded.has(section)) : null, "aria-selected": isGroup ? null : "false",
          },
          make("span", { class: "row-icon", "aria-hidden": "true" }, isGroup ? (folded.has(section) ? "▸" : "▾") : depth === 3 ? "·" : ICONS[section]),
          make("span", { class: "row-name" }, text),
        );
        rows.set(path, row);
        return row;
      }),
    );
    if (find.value) count.textContent = t("{n} found", { n: found.length });
    mark();
    markErrors();
  }

  function mark() {
    for (const [path, row] of rows) {
      if (!row.hasAttribute("aria-selected")) continue;
      const selected = context.selection.has(path);
      if ((row.ariaSelected === "true") !== selected) row.ariaSelected = String(selected);
    }
    const last = rows.get(context.selection.last);
    if (last) {
      list.setAttribute("aria-activedescendant", last.id);
      last.scrollIntoView({ block: "nearest" });
    } else if (context.selection.last && stepsOf(context.selection.last).length > 2) build();
  }

  function markErrors() {
    const wrong = new Set(document.errors.map(({ path }) => pathOf(...stepsOf(path).slice(0, 2))));
    for (const [path, row] of rows) row.classList.toggle("is-wrong", wrong.has(path));
  }

  function choose(path, event) {
    const steps = stepsOf(path);
    if (steps.length === 1) return fold(steps[0]);
    if (event.shiftKey && anchor && rows.has(anchor)) {
      const [from, to] = [order.indexOf(anchor), order.indexOf(path)].sort((a, b) => a - b);
      context.selection.set(...order.slice(from, to + 1).filter((one) => stepsOf(one).length > 1));
      return;
    }
    anchor = path;
    if (event.ctrlKey || event.metaKey) context.selection.toggle(path);
    else context.selection.set(path);
  }

  function fold(section) {
    if (!folded.delete(section)) folded.add(section);
    build();
  }

  function key(event) {
    const at = order.indexOf(active());
    const go = (place) => {
      const path = order[Math.max(0, Math.min(order.length - 1, place))];
      if (!path) return;
      event.preventDefault();
      list.setAttribute("aria-activedescendant", rows.get(path).id);
      for (const row of rows.values()) row.classList.remove("is-active");
      rows.get(path).classList.add("is-active");
      rows.get(path).scrollIntoView({ block: "nearest" });
      if (stepsOf(path).length > 1 && !event.ctrlKey) choose(path, event);
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(order.length - 1);
    else if ((event.key === " " || event.key === "Enter") && at >= 0) {
      event.preventDefault();
      choose(order[at], event);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const [section] = stepsOf(order[at] ?? "");
      if (section && folded.has(section) === (event.key === "ArrowRight")) fold(section);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) find.focus();
  }

  function active() {
    const id = list.getAttribute("aria-activedescendant");
    return order.find((path) => rows.get(path).id === id) ?? null;
  }
}
