// Gizmos: arrows and rings on what is selected, with snapping to the grid, to the axes of others, and to faces.

import { THREE } from "/view/three.js";
import { TransformControls } from "./vendor/transform-controls.js";
import { stepsOf } from "./document.js";
import { moving, poseOf } from "./moving.js";
import { fixed } from "./units.js";

const REACH = 12; // pixels within which the axis of another body is caught

export class Gizmo {
  constructor(stage) {
    this.stage = stage;
    this.mode = "translate";
    this.snaps = { grid: true, axes: true, faces: false };
    this.step = 0.05; // m
    this.turn = 15; // degrees
    this.pivot = new THREE.Object3D();
    this.controls = new TransformControls(stage.view.cameras.camera, stage.view.canvas);
    this.controls.setSpace("world");
    this.controls.size = 0.8;
    this.helper = this.controls.getHelper();
    this.kept = [this.pivot, this.helper];
    stage.view.scene.add(...this.kept);
    this.start = new THREE.Matrix4();
    this.busy = false;
    this.listen();
    this.useSnaps();
  }

  listen() {
    const { controls, stage } = this;
    controls.addEventListener("dragging-changed", ({ value }) => {
      stage.view.cameras.controls.enabled = !value;
      if (value) this.begin();
      else this.finish();
    });
    controls.addEventListener("objectChange", () => this.drag());
    controls.addEventListener("change", () => (stage.view.stale = true));
    stage.view.canvas.addEventListener("pointerdown", (event) => this.dragOnFaces(event), { capture: true });
  }

  get paths() {
    return this.stage.context.selection.list.filter((path) => this.stage.document.at(path) !== undefined);
  }

  setMode(mode) {
    this.mode = mode;
    this.controls.setMode(mode);
    this.follow();
  }

  useSnaps() {
    this.controls.setTranslationSnap(this.snaps.grid ? this.step : null);
    this.controls.setRotationSnap(this.snaps.grid ? (this.turn * Math.PI) / 180 : null);
  }

  // On the last of what is selected, where it can be moved.
  follow() {
    if (this.busy) return;
    const at = this.stage.playing || this.stage.picking?.type ? null : this.originOf(this.stage.context.selection.last);
    const before = this.controls.object && this.pivot.matrixWorld.clone();
    if (at) {
      at.decompose(this.pivot.position, this.pivot.quaternion, this.pivot.scale);
      this.pivot.updateMatrixWorld();
      if (!before) this.controls.attach(this.pivot);
    } else this.controls.detach();
    if (at ? !before?.equals(this.pivot.matrixWorld) : before) this.stage.view.stale = true;
  }

  // The frame of what a path names, in the world; null for what has none.
  originOf(path) {
    const [section, name, ...rest] = stepsOf(path ?? "");
    const { data } = this.stage.document;
    const thing = data[section]?.[name];
    if (!thing) return null;
    if (section === "bodies" && rest[0] === "shapes") return thing.shapes?.[rest[1]] ? poseOf(thing).multiply(poseOf(thing.shapes[rest[1]])) : null;
    if (section === "bodies" || section === "terrain") return poseOf(thing);
    if (section === "cameras" || section === "rays") return poseOf(data.bodies?.[thing.body]).multiply(poseOf({ position: thing.position }));
    if (section === "ropes") return poseOf({ position: thing.path?.[0] });
    if (section === "joints") {
      const type = thing.joint ?? {};
      return type.frame_a || type.frame_b ? null : poseOf({ position: type.anchor ?? type.anchor_a });
    }
    return null;
  }

  // --- dragging -------------------------------------------------------------------------------------------------------

  begin() {
    this.busy = true;
    this.pivot.updateMatrixWorld();
    this.start.copy(this.pivot.matrixWorld);
  }

  // What has happened to the pivot, as a matrix of the world.
  get change() {
    this.pivot.updateMatrixWorld();
    return this.pivot.matrixWorld.clone().multiply(this.start.clone().invert());
  }

  drag() {
    if (!this.busy) return;
    if (this.snaps.axes && this.mode === "translate") this.catchAxes();
    this.stage.preview(this.paths, this.change);
    this.stage.say(this.told());
  }

  told() {
    const { position } = this.pivot;
    if (this.mode === "translate") return `x ${fixed(position.x, 3)}  y ${fixed(position.y, 3)}  z ${fixed(position.z, 3)} m`;
    const turned = 2 * Math.acos(Math.min(1, Math.abs(new THREE.Quaternion().setFromRotationMatrix(this.change).w)));
    return `${((turned * 180) / Math.PI).toFixed(1)}°`;
  }

  // Near the x, y or z of another body's origin the pivot goes there.
  catchAxes() {
    const { view, world, document } = this.stage;
    const chosen = this.stage.selected();
    const axis = this.controls.axis ?? "";
    const metre = view.cameras.camera.position.distanceTo(this.pivot.position) * Math.tan((view.cameras.camera.fov * Math.PI) / 360) * 2;
    const near = (REACH * metre) / Math.max(view.canvas.clientHeight, 1);
    ["x", "y", "z"].forEach((key, k) => {
      if (!axis.includes(key.toUpperCase())) return;
      let best = near;
      const here = this.pivot.position[key];
      world.bodies.forEach(({ name }, i) => {
        if (chosen.has(i)) return;
        const there = document.data.bodies?.[name]?.position?.[k] ?? 0;
        if (Math.abs(there - here) >= best) return;
        best = Math.abs(there - here);
        this.pivot.position[key] = there;
      });
    });
  }

  finish() {
    const change = this.change;
    this.busy = false;
    this.stage.say("");
    this.apply(this.mode === "rotate" ? "Turn" : "Move", change);
  }

  apply(label, matrix) {
    const { document } = this.stage;
    const operations = moving(document.data, this.paths, matrix);
    if (operations.length) document.edit(label, operations);
    else this.stage.settle();
  }

  // By the arrow keys.
  nudge(x, y, z) {
    if (this.paths.length) this.apply("Move", new THREE.Matrix4().makeTranslation(x * this.step, y * this.step, z * this.step));
  }

  spin(turns) {
    const at = this.originOf(this.stage.context.selection.last);
    if (!at) return;
    const place = new THREE.Vector3().setFromMatrixPosition(at);
    const turn = new THREE.Matrix4().makeRotationZ((turns * this.turn * Math.PI) / 180);
    this.apply("Turn", new THREE.Matrix4().makeTranslation(place).multiply(turn).multiply(new THREE.Matrix4().makeTranslation(place.negate())));
  }

  // --- faces ----------------------------------------------------------------------------------------------------------

  // A selected body that is taken by itself is carried over the faces of others, and stands on the one under the pointer.
  dragOnFaces(event) {
    const { view } = this.stage;
    if (!this.snaps.faces || this.mode !== "translate" || event.button !== 0 || this.stage.playing || this.controls.axis) return;
    const hit = view.hit(event);
    const chosen = this.stage.selected();
    if (!hit || !chosen.has(hit.body)) return;
    event.stopImmediatePropagation();
    view.canvas.setPointerCapture(event.pointerId);
    view.cameras.controls.enabled = false;
    this.follow();
    this.begin();
    let moved = false;
    const move = (next) => {
      const place = this.onFace(next, chosen);
      if (!place) return;
      moved = true;
      this.pivot.position.copy(place);
      this.stage.preview(this.paths, this.change);
      this.stage.say(this.told());
    };
    const up = () => {
      view.canvas.removeEventListener("pointermove", move);
      view.cameras.controls.enabled = true;
      if (moved) this.finish();
      else this.busy = false;
    };
    view.canvas.addEventListener("pointermove", move);
    view.canvas.addEventListener("pointerup", up, { once: true });
  }

  // Where the pivot has to be for the selection to stand on the face under the pointer; null over nothing.
  onFace(event, chosen) {
    const { view, world } = this.stage;
    const hidden = view.bodies.parts.filter((part) => chosen.has(part.body));
    const found = hitWithout(view, event, chosen);
    const level = found ?? floorUnder(view, event, world.extent.floor);
    if (!level) return null;
    const { point, normal } = level;
    const at = this.snaps.grid ? point.clone().sub(normal.clone().multiplyScalar(point.dot(normal))).divideScalar(this.step).round().multiplyScalar(this.step).add(normal.clone().multiplyScalar(point.dot(normal))) : point;
    const start = new THREE.Vector3().setFromMatrixPosition(this.start);
    return at.addScaledVector(normal, depth(hidden, view, start, normal, this.change));
  }
}

function hitWithout(view, event, chosen) {
  view.ray(event);
  const meshes = view.bodies.group.children;
  const hits = view.raycaster.intersectObjects(meshes, false);
  const hit = hits.find((one) => !chosen.has(one.object.userData.bodies[one.instanceId ?? 0]));
  if (!hit) return null;
  const matrix = new THREE.Matrix4().copy(hit.object.matrixWorld);
  if (hit.object.isInstancedMesh) {
    const own = new THREE.Matrix4();
    hit.object.getMatrixAt(hit.instanceId, own);
    matrix.multiply(own);
  }
  return { point: hit.point, normal: hit.face.normal.clone().applyNormalMatrix(new THREE.Matrix3().getNormalMatrix(matrix)) };
}

function floorUnder(view, event, floor) {
  const point = view.ray(event).intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), -floor), new THREE.Vector3());
  return point ? { point, normal: new THREE.Vector3(0, 0, 1) } : null;
}

// How far the shapes reach below the pivot, against a normal.
function depth(parts, view, pivot, normal, change) {
  const back = change.clone().invert();
  let lowest = 0;
  for (const part of parts) {
    const geometry = part.mesh.geometry;
    geometry.boundingBox ?? geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox;
    const matrix = back.clone().multiply(view.bodies.matrix[part.body]).multiply(part.local);
    for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) {
      lowest = Math.min(lowest, new THREE.Vector3(x, y, z).applyMatrix4(matrix).sub(pivot).dot(normal));
    }
  }
  return -lowest;
}
