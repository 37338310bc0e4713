// The tools over the 3D view, and their keys.

import { t } from "/view/texts.js";
import { button, make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { dependents, machineOf } from "./names.js";
import { aligning, duplicating, mirroring } from "./moving.js";

const AXES = ["x", "y", "z"];
const STEPS = [0.001, 0.01, 0.05, 0.1, 0.25, 1]; // m
const TURNS = [1, 5, 15, 45, 90]; // degrees

export function addTools(stage) {
  return new StageTools(stage);
}

class StageTools {
  constructor(stage) {
    const { gizmo, picking, context, document, view } = stage;
    Object.assign(this, { stage, gizmo, picking, context, document, view, selection: context.selection });
    this.modes = [this.mode("translate", "✥", `${t("Move")} (G)`), this.mode("rotate", "⟳", `${t("Turn")} (R)`)];
    stage.element.append(
      make(
        "div",
        { class: "stage-tools", role: "toolbar", "aria-label": t("Tools of the 3D view") },
        group(t("Gizmo"), ...this.modes, this.space()),
        this.snapMenu(),
        this.editMenu(),
        group(t("Place"), this.measure(), this.together()),
        this.viewMenu(),
      ),
    );
    this.listen();
  }

  // --- buttons --------------------------------------------------------------------------------------------------------

  mode(mode, icon, name) {
    const element = button(icon, name, () => this.setMode(mode));
    element.dataset.mode = mode;
    press(element, this.gizmo.mode === mode);
    return element;
  }

  setMode(mode) {
    this.gizmo.setMode(mode);
    for (const element of this.modes) press(element, element.dataset.mode === mode);
  }

  space() {
    const element = button(t("World"), t("Axes of the world, or of the body itself"), () => {
      const own = this.gizmo.controls.space === "world";
      this.gizmo.controls.setSpace(own ? "local" : "world");
      element.textContent = own ? t("Own") : t("World");
      this.view.stale = true;
    }, { "aria-label": null });
    return element;
  }

  measure() {
    return button(t("Measure"), t("Measure between two places"), () => this.picking.begin("measure"));
  }

  together() {
    const tick = make("input", { type: "checkbox" });
    tick.addEventListener("change", () => (this.picking.together = tick.checked));
    return make("label", { class: "tool check", title: t("When a joint is placed, its second body is brought to the first") }, tick, t("Bring together"));
  }

  snapMenu() {
    const { gizmo } = this;
    const snaps = {
      grid: [t("Grid"), t("Snap to the step")],
      axes: [t("Axes"), t("Snap to the axes of other bodies")],
      faces: [t("Faces"), t("Drag a selected body over faces: it stands on them")],
    };
    const buttons = Object.entries(snaps).map(([name, [text, hint]]) => {
      const element = button(text, hint, () => {
        gizmo.snaps[name] = !gizmo.snaps[name];
        gizmo.useSnaps();
        press(element, gizmo.snaps[name]);
      });
      element.setAttribute("aria-label", `${text}: ${hint}`);
      press(element, gizmo.snaps[name]);
      return element;
    });
    const chosen = (name) => (value) => {
      gizmo[name] = value;
      gizmo.useSnaps();
    };
    const step = chooser(STEPS.map((value) => [value, `${value} m`]), gizmo.step, t("Step"), chosen("step"));
    const turn = chooser(TURNS.map((value) => [value, `${value}°`]), gizmo.turn, t("Step of turning"), chosen("turn"));
    return menu(t("Snap"), ...buttons, step, turn);
  }

  editMenu() {
    return menu(
      t("Edit"),
      item(`${t("Copy")} · Ctrl+D`, () => this.duplicate(), t("Copy")),
      ...AXES.map((name, axis) => item(t("Mirror at {axis} = 0", { axis: name }), () => this.mirror(axis))),
      ...AXES.map((name, axis) => item(t("Align {axis}", { axis: name }), () => this.align(axis))),
      item(`${t("Select the machine")} · M`, () => this.machine(), t("Select the machine")),
      item(`${t("Delete")} · Del`, () => this.remove(), t("Delete")),
    );
  }

  viewMenu() {
    const { stage, view } = this;
    const overlay = (name) => () => {
      view.overlay(name, !view.overlays.shown[name]);
      return view.overlays.shown[name];
    };
    const names = () => {
      view.showLabels(!view.labels.on);
      return view.labels.on;
    };
    return menu(
      t("View"),
      item(`${t("Fit")} · F`, () => stage.fit(), t("Fit")),
      item(t("From above"), () => stage.look([0, -1e-3, 1])),
      item(t("From the front"), () => stage.look([1, 0, 0.02])),
      item(t("From the left"), () => stage.look([0, 1, 0.02])),
      toggle(t("Names"), t("Names of the bodies"), false, names),
      toggle(t("Joints"), t("Frames of the joints"), true, overlay("frames")),
      toggle(t("Masses"), t("Centres of mass"), false, overlay("masses")),
    );
  }

  // --- what is done to the selection ----------------------------------------------------------------------------------

  get paths() {
    return this.selection.list.filter((path) => this.document.at(path) !== undefined);
  }

  copy({ operations, chosen }, label) {
    if (!operations.length) return this.context.toast(t("Select what is to be copied first."));
    this.document.edit(label, operations);
    this.selection.set(...chosen.filter((path) => ["bodies", "terrain", "ropes"].includes(stepsOf(path)[0])));
  }

  duplicate() {
    this.copy(duplicating(this.document.data, this.paths, [0, 0.5, 0]), "Copy");
  }

  mirror(axis) {
    this.copy(mirroring(this.document.data, this.paths, axis), `Mirror at ${AXES[axis]} = 0`);
  }

  align(axis) {
    const operations = aligning(this.document.data, this.paths, axis);
    if (operations.length) this.document.edit(`Align ${AXES[axis]}`, operations);
    else this.context.toast(t("Select several bodies; they go to the last one."));
  }

  // With what would hang in the air without it; of several shapes the last one first, as the others move up.
  remove() {
    const { paths, document } = this;
    if (!paths.length) return;
    const gone = new Set(paths.filter((path) => stepsOf(path).length === 2));
    const shapes = paths.filter((path) => stepsOf(path).length > 2 && !gone.has(pathOf(...stepsOf(path).slice(0, 2))));
    shapes.sort((a, b) => Number(stepsOf(b).at(-1)) - Number(stepsOf(a).at(-1)));
    const operations = [...shapes, ...dependents(document.data, gone), ...gone].map((path) => ({ op: "remove", path }));
    document.edit(operations.length === 1 ? `Delete ${stepsOf(paths[0])[1]}` : `Delete ${operations.length} things`, operations);
  }

  machine() {
    const names = this.paths.map(stepsOf).filter(([section]) => section === "bodies").map(([, name]) => name);
    if (names.length) this.selection.set(...machineOf(this.document.data, names).map((name) => pathOf("bodies", name)));
  }

  everything() {
    this.selection.set(...Object.keys(this.document.data.bodies ?? {}).map((name) => pathOf("bodies", name)));
  }

  // --- keys -----------------------------------------------------------------------------------------------------------

  listen() {
    const { gizmo, picking, selection } = this;
    const withControl = { d: () => this.duplicate(), a: () => this.everything() };
    const onStage = {
      g: () => this.setMode("translate"), r: () => this.setMode("rotate"), f: () => this.stage.fit(), m: () => this.machine(),
      Delete: () => this.remove(), Backspace: () => this.remove(), "[": () => gizmo.spin(1), "]": () => gizmo.spin(-1),
      ArrowLeft: () => gizmo.nudge(-1, 0, 0), ArrowRight: () => gizmo.nudge(1, 0, 0), ArrowUp: () => gizmo.nudge(0, 1, 0),
      ArrowDown: () => gizmo.nudge(0, -1, 0), PageUp: () => gizmo.nudge(0, 0, 1), PageDown: () => gizmo.nudge(0, 0, -1),
      Escape: () => (picking.type ? picking.end() : selection.clear()),
    };
    const inTree = { Delete: () => this.remove() };
    const act = (plain) => (event) => {
      const table = event.ctrlKey || event.metaKey ? withControl : plain;
      const action = table[event.key] ?? table[event.key.toLowerCase()];
      if (!action || this.stage.playing) return;
      event.preventDefault();
      action();
    };
    this.view.canvas.addEventListener("keydown", act(onStage));
    globalThis.document.querySelector(".tree-list")?.addEventListener("keydown", act(inTree));
  }
}

const press = (element, on) => element.setAttribute("aria-pressed", String(on));
const group = (label, ...items) => make("div", { class: "tool-group", role: "group", "aria-label": label }, ...items);
const item = (text, act, title = text) => button(text, title, act, { class: "tool close-menu", "aria-label": null });

// A button that is pressed or not; ``turned`` turns it over and tells which.
function toggle(text, title, on, turned) {
  const element = button(text, title, () => press(element, turned()), { "aria-label": null });
  press(element, on);
  return element;
}

function menu(text, ...items) {
  const element = make("details", { class: "tool-menu" }, make("summary", { class: "tool" }, text), make("div", { class: "tool-menu-inside" }, ...items));
  addEventListener("pointerdown", (event) => element.contains(event.target) || (element.open = false));
  element.addEventListener("click", (event) => event.target.matches("button.close-menu") && (element.open = false));
  return element;
}

function chooser(values, now, label, chosen) {
  const element = make("select", { class: "tool", "aria-label": label, title: label });
  element.append(...values.map(([value, text]) => new Option(text, value, false, value === now)));
  element.addEventListener("change", () => chosen(Number(element.value)));
  return element;
}
