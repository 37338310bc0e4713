// The plate of the console while it is laid out: seen in the 3D view where it will stand, and put there by pointing.

import { Plate } from "/view/plate.js";
import { THREE } from "/view/three.js";
import { t } from "/view/texts.js";
import { WORLD } from "./names.js";

export const USUAL = { body: WORLD, position: [0, 0, 0], faces: [1, 0, 0], size: [0.4, 0.3] };
const ABOVE = 0.01; // m, from the face that it is put on
const EYES = 1; // m, how high it stands in the world

export class PlatePreview {
  constructor(editor) {
    this.editor = editor;
    this.plate = null;
  }

  // Groups of widgets as the page describes them; null where the plate is not to be seen.
  show(groups) {
    const { stage } = this.editor.context;
    const { plate, theme, title } = this.editor.model.data;
    const panel = groups && plate && stage?.view.canvas ? { plate: { ...USUAL, ...plate }, groups, theme: theme ?? "plain", title: title ?? "" } : null;
    const key = JSON.stringify([panel, stage?.world.bodies.map(({ name }) => name)]);
    if (key === this.key) return;
    this.key = key;
    this.plate?.remove();
    this.plate = panel && new Plate(stage.view, { panel, bodies: stage.world.bodies });
    this.plate?.element.setAttribute("inert", ""); // what lies behind it can still be taken
    this.plate?.element.setAttribute("aria-hidden", "true");
    if (stage) stage.view.stale = true;
  }
}

// Before a body, facing forwards; in the world at the height of a person who sits.
export function plateOn(body, stage) {
  const { center, radius } = stage?.world.bodies.find(({ name }) => name === body) ?? {};
  const position = center ? [center[0] + radius, center[1], center[2]] : [0, 0, EYES];
  return { body, position: position.map(rounded), faces: [1, 0, 0] };
}

// Waits for a click on a face, or on the ground; ``take`` gets where the plate stands then.
export function pointAtFace(context, take) {
  const { stage, sides } = context;
  const isHidden = stage.element.offsetParent === null; // where the window is narrow
  if (isHidden) sides.show("console");
  stage.picking.begin("plate", (frame) => {
    if (isHidden) sides.show("console");
    if (frame) take(standingOn(frame, stage));
  });
}

function standingOn({ body, point, axis }, stage) {
  const back = new THREE.Matrix4().copy(stage.marks.matrixOf(stage.index.get(body) ?? -1)).invert();
  const facing = axis.clone().transformDirection(back);
  const at = point.clone().applyMatrix4(back).addScaledVector(facing, ABOVE);
  return { body, position: at.toArray().map(rounded), faces: facing.toArray().map(rounded) };
}

export const hintOfPlate = () => t("Click the face that the console is to stand on, or the ground for the world");

const rounded = (number) => Number(number.toFixed(4)) || 0;
