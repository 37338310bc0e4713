// Where an editor stands: right of the 3D view, below it or over it, and how much of the window it takes.

import { t } from "/view/texts.js";
import { button, make } from "./element.js";

const DOCKS = { right: ["▐", "Right of the view"], below: ["▃", "Below the view"], over: ["█", "Over the view"] };
const STEP = 0.05; // of the window, an arrow key

export function place(dock) {
  globalThis.document.body.dataset.dock = dock;
  for (const one of globalThis.document.querySelectorAll("[data-to]")) one.setAttribute("aria-pressed", String(one.dataset.to === dock));
}

export function addDocks(element, choose) {
  const buttons = Object.entries(DOCKS).map(([dock, [sign, title]]) => button(sign, t(title), () => choose(dock), { "data-to": dock, "aria-pressed": "false" }));
  const edge = make("div", { class: "side-edge", role: "separator", tabindex: 0, "aria-label": t("Size of the editor"), "aria-valuenow": 55, "aria-valuemin": 20, "aria-valuemax": 80 });
  element.append(make("div", { class: "side-docks", role: "group", "aria-label": t("Where the editor stands") }, ...buttons));
  element.parentElement.append(edge);
  addEdge(edge);
}

function addEdge(edge) {
  const { style, dataset } = globalThis.document.body;
  let share = 0.55;
  const give = (wanted) => {
    share = Math.min(Math.max(wanted, 0.2), 0.8);
    style.setProperty("--side-share", `${share}fr`);
    style.setProperty("--view-share", `${1 - share}fr`);
    edge.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  };
  edge.addEventListener("pointerdown", (event) => edge.setPointerCapture(event.pointerId));
  edge.addEventListener("pointermove", (event) => {
    if (!edge.hasPointerCapture(event.pointerId)) return;
    const box = globalThis.document.getElementById("main").getBoundingClientRect();
    if (dataset.dock === "below") return give((box.bottom - event.clientY) / box.height);
    const side = edge.parentElement.getBoundingClientRect();
    const stage = globalThis.document.getElementById("pane-stage").getBoundingClientRect();
    return give((side.right - event.clientX) / (side.right - stage.left));
  });
  edge.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[key];
    if (step) give(share + step);
  });
}
