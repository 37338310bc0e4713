// The inspector: what is selected, with units and limits from the schema, and what is wrong where it is wrong.

import { t } from "/view/texts.js";
import { button, make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { Form } from "./form.js";
import { renaming } from "./names.js";

const KINDS = { bodies: "Body", joints: "Joint", couplings: "Coupling", ropes: "Rope", terrain: "Terrain", materials: "Material", sensors: "Sensor", cameras: "Camera", rays: "Distance sensor", rulers: "Ruler", faults: "Fault", scenarios: "Scenario" };
const OWN = ["diagram", "panel", "sharnir", "materials", "terrain", "bodies", "joints", "couplings", "rays", "cameras", "rulers", "sensors", "ropes", "faults", "scenarios"];

export function mount(element, document, context) {
  const title = make("h2", { class: "inspector-title" });
  const name = make("input", { type: "text", class: "thing-name", "aria-label": t("Name"), autocomplete: "off", spellcheck: "false" });
  const note = make("p", { class: "about", hidden: true });
  const others = make("div", { class: "inspector-actions" });
  const store = {
    at: (path) => document.at(path),
    errorsAt: (path) => document.errorsAt(path),
    edit: (label, operations, typing) => document.edit(label, forAll(operations), typing),
  };
  const form = new Form({ store, schema: context.types, document });
  const scene = new Form({ store, schema: context.types, document, hidden: OWN });
  element.append(make("div", { class: "inspector-head" }, title, name), others, note, form.element, scene.element);

  const rename = () => {
    const path = shown();
    const wanted = name.value.trim();
    const steps = stepsOf(path ?? "");
    if (!path || !wanted || wanted === steps[1]) return void (name.value = steps[1] ?? "");
    if (document.at(pathOf(steps[0], wanted)) !== undefined) {
      context.toast(t("There is already something called {name}.", { name: wanted }));
      name.value = steps[1];
      return;
    }
    document.edit(`Rename ${steps[1]}`, renaming(document.data, pathOf(steps[0], steps[1]), wanted));
  };
  name.addEventListener("change", rename);
  name.addEventListener("keydown", (event) => event.key === "Enter" && rename());

  document.subscribe(show);
  context.selection.subscribe(show);
  show();

  function shown() {
    const path = context.selection.last;
    return path && document.at(path) !== undefined && stepsOf(path)[0] in KINDS ? path : null;
  }

  // An edit of one of several that are selected is one of all that are of its kind.
  function forAll(operations) {
    const path = shown();
    if (!path) return operations;
    const section = stepsOf(path)[0];
    const alike = context.selection.list.filter((other) => stepsOf(other)[0] === section && stepsOf(other).length === stepsOf(path).length);
    if (alike.length < 2) return operations;
    return alike.flatMap((other) =>
      operations.flatMap((operation) => {
        if (!operation.path.startsWith(path)) return other === path ? [operation] : [];
        const place = other + operation.path.slice(path.length);
        if (operation.op === "remove" && document.at(place) === undefined) return [];
        const op = operation.op === "replace" && document.at(place) === undefined ? "add" : operation.op;
        return [{ ...operation, op, path: place }];
      }),
    );
  }

  function show() {
    const path = shown();
    const steps = stepsOf(path ?? "");
    title.textContent = path ? t(KINDS[steps[0]]) : t("Scene");
    name.hidden = !path;
    if (path && globalThis.document.activeElement !== name) name.value = steps[1];
    const count = context.selection.list.filter((other) => stepsOf(other)[0] === steps[0]).length;
    note.hidden = !(path && count > 1);
    note.textContent = t("{n} are selected; what you set is set for all of them.", { n: count });
    form.element.hidden = !path;
    scene.element.hidden = Boolean(path);
    if (path) form.show(path);
    else scene.show("");
    showActions(path, steps);
  }

  function showActions(path, steps) {
    const key = steps.length > 2 ? path : "";
    if (others.dataset.key === key) return;
    others.dataset.key = key;
    others.replaceChildren(
      ...(key ? [button(`↑ ${steps[1]}`, t("To the body"), () => context.selection.set(pathOf(steps[0], steps[1])))] : []),
    );
  }
}
