// Picking: two frames for a joint, or two places to measure between. Centres, ends and corners of shapes are caught.

import { THREE } from "/view/three.js";
import { t } from "/view/texts.js";
import { poseMatrix } from "/view/shapes.js";
import { pathOf } from "./document.js";
import { machineOf, WORLD } from "./names.js";
import { moving } from "./moving.js";
import { hintOfPlate } from "./panel_plate.js";
import { words } from "./schema.js";
import { fixed } from "./units.js";

const CAUGHT = 14; // pixels
const UP = new THREE.Vector3(0, 0, 1);

export class Picking {
  constructor(stage) {
    this.stage = stage;
    this.type = null; // of the joint, "measure", "plate", or null
    this.placed = null; // gets the one face that is picked, or null
    this.first = null;
    this.together = false; // the second body is brought to the first
    stage.view.canvas.addEventListener("pointermove", (event) => this.type && this.hover(event));
    stage.view.canvas.addEventListener("keydown", (event) => event.key === "Escape" && this.end());
  }

  begin(type, placed = null) {
    this.end();
    Object.assign(this, { type, placed });
    this.first = null;
    this.stage.view.canvas.focus();
    this.stage.gizmo.follow(); // it is out of the way while something is picked
    this.ask();
  }

  end() {
    if (!this.type) return;
    const { placed } = this;
    this.type = this.first = this.placed = null;
    this.stage.say("");
    this.stage.marks.show([]);
    this.stage.gizmo.follow();
    placed?.(null);
  }

  ask() {
    const what = words(this.type);
    if (this.placed) this.stage.say(hintOfPlate());
    else if (this.type === "measure") this.stage.say(this.first ? t("Measure: click the second place") : t("Measure: click the first place"));
    else this.stage.say(this.first ? t("{joint}: click the second body, or the ground for the world", { joint: what }) : t("{joint}: click where it sits on the first body, or the ground for the world", { joint: what }));
  }

  // What the pointer is on: a body, a place and a direction; the ground is the world.
  frameAt(event) {
    const { view, world } = this.stage;
    const hit = view.hit(event);
    if (!hit) {
      const floor = new THREE.Plane(UP, -world.extent.floor);
      const point = view.ray(event).intersectPlane(floor, new THREE.Vector3());
      return point && { body: WORLD, point, axis: UP.clone() };
    }
    const caught = this.caught(event, hit);
    return { body: world.bodies[hit.body].name, point: caught?.point ?? hit.point, axis: caught?.axis ?? hit.normal };
  }

  // The nearest special place of the body under the pointer.
  caught(event, hit) {
    const { view, world } = this.stage;
    const box = view.canvas.getBoundingClientRect();
    let best = null;
    for (const { point, axis } of placesOf(world.bodies[hit.body], view.bodies.matrix[hit.body])) {
      if (this.placed && !axis) continue; // the middle of a face, but neither its corners nor what lies behind it
      const seen = point.clone().project(view.cameras.camera);
      const far = Math.hypot(((seen.x + 1) / 2) * box.width - (event.clientX - box.left), ((1 - seen.y) / 2) * box.height - (event.clientY - box.top));
      if (far < CAUGHT && far < (best?.far ?? Infinity)) best = { far, point, axis: axis ?? hit.normal };
    }
    return best;
  }

  hover(event) {
    const frame = this.frameAt(event);
    this.stage.marks.show([...(this.first ? cross(this.first, this.size) : []), ...(frame ? cross(frame, this.size) : []), ...(this.first && frame ? [[this.first.point, frame.point]] : [])]);
  }

  get size() {
    return 0.12 * this.stage.world.focus.radius;
  }

  // A click, while something is picked; returns whether it was taken.
  takes(event) {
    if (!this.type) return false;
    const frame = this.frameAt(event);
    if (!frame) return true;
    if (this.placed) this.place(frame);
    else if (!this.first) {
      this.first = frame;
      this.ask();
    } else if (this.type === "measure") this.measured(this.first, frame);
    else this.join(this.first, frame);
    return true;
  }

  place(frame) {
    const { placed } = this;
    this.placed = null;
    this.end();
    placed(frame);
  }

  measured(a, b) {
    const d = b.point.clone().sub(a.point);
    const angle = (Math.acos(Math.min(1, Math.abs(a.axis.dot(b.axis)))) * 180) / Math.PI;
    this.stage.say(t("{length} m apart: x {x}, y {y}, z {z}; {angle}° between the faces", { length: fixed(d.length(), 4), x: fixed(d.x, 4), y: fixed(d.y, 4), z: fixed(d.z, 4), angle: fixed(angle, 1) }));
    this.stage.marks.show([...cross(a, this.size), ...cross(b, this.size), [a.point, b.point]]);
    this.first = null;
  }

  join(a, b) {
    const { context, document } = this.stage;
    const type = this.type;
    if (a.body === b.body) {
      context.toast(t("A joint is between two bodies; click another one."));
      return;
    }
    const numbers = (vector) => vector.toArray().map((part) => Number(part.toFixed(6)) || 0);
    const place = { anchor: numbers(a.point), axis: numbers(a.axis), anchor_a: numbers(a.point), anchor_b: numbers(b.point) };
    if (this.together && b.body !== WORLD) place.operations = this.bringing(document.data, a, b);
    this.end();
    context.makeJoint(type, [a.body, b.body], place);
  }

  // The operations that bring the second frame onto the first, face to face, with all that hangs on it.
  bringing(data, a, b) {
    const turn = new THREE.Quaternion().setFromUnitVectors(b.axis.clone().normalize(), a.axis.clone().negate().normalize());
    const matrix = new THREE.Matrix4().makeTranslation(a.point).multiply(new THREE.Matrix4().makeRotationFromQuaternion(turn)).multiply(new THREE.Matrix4().makeTranslation(b.point.clone().negate()));
    const all = machineOf(data, [b.body]);
    if (all.includes(a.body)) return [];
    return moving(data, all.map((name) => pathOf("bodies", name)), matrix);
  }
}

function cross({ point, axis }, size) {
  const along = axis.clone().normalize().multiplyScalar(size);
  const side = new THREE.Vector3(1, 0, 0).cross(along);
  if (side.lengthSq() < 1e-12) side.set(0, 1, 0).cross(along);
  side.setLength(0.4 * size);
  const other = side.clone().cross(axis).setLength(0.4 * size);
  return [[point, point.clone().add(along)], [point.clone().sub(side), point.clone().add(side)], [point.clone().sub(other), point.clone().add(other)]];
}

// Origins, middles, ends and corners, with their directions.
function placesOf(body, matrix) {
  const found = [{ point: new THREE.Vector3().setFromMatrixPosition(matrix), axis: null }];
  for (const { kind, size, position, rotation } of body.shapes) {
    const local = poseMatrix(position, rotation).premultiply(matrix);
    const add = (x, y, z, axis) => found.push({ point: new THREE.Vector3(x, y, z).applyMatrix4(local), axis: axis && new THREE.Vector3(...axis).transformDirection(local) });
    add(0, 0, 0, null);
    if (kind === "box") {
      const [x, y, z] = size.map((edge) => edge / 2);
      for (const s of [-1, 1]) {
        add(s * x, 0, 0, [s, 0, 0]);
        add(0, s * y, 0, [0, s, 0]);
        add(0, 0, s * z, [0, 0, s]);
        for (const u of [-1, 1]) for (const v of [-1, 1]) add(s * x, u * y, v * z, null);
      }
    } else if (["cylinder", "wheel", "capsule"].includes(kind)) {
      const half = size[1] / 2;
      for (const s of [-1, 1]) add(0, 0, s * half, [0, 0, s]);
    }
  }
  return found;
}
