// The problems of the scene, in words, each with the way to its place.

import { t, translated } from "/view/texts.js";
import { make } from "./element.js";
import { stepsOf } from "./document.js";

export function mount(element, document, context) {
  const summary = make("button", { type: "button", class: "problems-summary", "aria-expanded": "false" });
  const list = make("ul", { class: "problems-list", hidden: true });
  summary.onclick = () => {
    list.hidden = !list.hidden;
    summary.setAttribute("aria-expanded", String(!list.hidden));
  };
  element.append(summary, list);
  document.subscribe(show);
  context.trial.hearers.add(show);
  show();

  function show() {
    const errors = [...document.errors, ...context.trial.said.map(({ text }) => ({ path: "", message: translated(text), runs: true }))];
    summary.dataset.state = errors.length ? "wrong" : "right";
    const counted = errors.length === 1 ? t("1 problem") : t("{n} problems", { n: errors.length });
    summary.textContent = errors.length ? `${counted}: ${errors[0].message}` : t("No problems");
    list.replaceChildren(
      ...errors.map(({ path, message, runs }) =>
        make("li", {}, make("button", { type: "button", onclick: () => go(path) }, `${runs ? t("While it runs") : stepsOf(path).join(" › ")}: ${message}`)),
      ),
    );
  }

  function go(path) {
    const steps = stepsOf(path);
    if (steps.length >= 2) context.selection.set(`/${path.split("/").slice(1, 3).join("/")}`);
    if (steps[0] === "diagram" && context.sides.open !== "scheme") context.sides.show("scheme");
    if (steps[0] === "panel" && context.sides.open !== "console") context.sides.show("console");
  }
}
