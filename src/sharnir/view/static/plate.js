// Plate: the console on a body in the 3D view. Its elements are those of the page, put there by a transformation.

import { THREE } from "./three.js";
import { t } from "./texts.js";
import { layGrid, makeWidget } from "./widgets.js";

const DOTS = 700; // pixels per metre of a plate, so that letters are legible from a step away, where all elements find room
const NARROWEST = 300; // pixels
const TRIES = 12; // until all of its elements are on it

export class Plate {
  constructor(view, world) {
    const { plate, groups, theme, title } = world.panel;
    Object.assign(this, { view, plate });
    this.body = world.bodies.findIndex(({ name }) => name === plate.body);
    this.element = document.createElement("section");
    this.element.className = "plate";
    this.element.dataset.look = theme;
    this.element.ariaLabel = t("{title}: console in the scene", { title: title || t("Console") });
    this.element.append(...groups.map(group));
    view.container.append(this.element);
    this.size(Math.max(DOTS, NARROWEST / plate.size[0]));
    for (let i = 0; i < TRIES && this.element.scrollHeight > this.element.clientHeight; i += 1) {
      this.size(this.dots * Math.max(1.02, Math.sqrt(this.element.scrollHeight / this.element.clientHeight)));
    }
    this.frame = this.local();
    view.addEventListener("drawn", (this.follow = () => this.show()));
    this.show();
  }

  // In pixels per metre: the more there are, the smaller its elements.
  size(dots) {
    this.dots = dots;
    const [width, height] = this.plate.size.map((edge) => `${edge * dots}px`);
    Object.assign(this.element.style, { width, height });
  }

  // The plate's own axes in the body: to the right, upwards, and where it faces; a pixel long.
  local() {
    const facing = new THREE.Vector3(...this.plate.faces).normalize();
    const up = new THREE.Vector3(0, 0, 1).addScaledVector(facing, -facing.z);
    if (up.lengthSq() < 1e-6) up.set(0, 1, 0).addScaledVector(facing, -facing.y);
    up.normalize();
    const right = new THREE.Vector3().crossVectors(up, facing);
    const [wide, high] = this.plate.size;
    const corner = new THREE.Vector3(...this.plate.position).addScaledVector(right, -wide / 2).addScaledVector(up, high / 2);
    return { facing, right: right.divideScalar(this.dots), down: up.divideScalar(-this.dots), corner };
  }

  // The projection of the plate's plane is a matrix of the style; seen from behind it is not there.
  show() {
    const { camera } = this.view.cameras;
    const { clientWidth: width, clientHeight: height } = this.view.canvas;
    const pose = this.view.bodies.matrix[this.body] ?? IDENTITY;
    const corner = POINT.copy(this.frame.corner).applyMatrix4(pose);
    const facing = FACING.copy(this.frame.facing).transformDirection(pose);
    SEEN.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const columns = [this.frame.right, this.frame.down].map((axis) => {
      const length = axis.length();
      return onScreen(AXIS.copy(axis).transformDirection(pose).multiplyScalar(length), 0, width, height);
    });
    const origin = onScreen(corner, 1, width, height);
    const faces = facing.dot(AXIS.subVectors(camera.position, corner)) > 0 && origin[2] > 0;
    this.element.hidden = !faces;
    if (!faces) return;
    const [[a, b, p], [c, d, q]] = columns;
    const [x, y, w] = origin;
    this.element.style.transform = `matrix3d(${[a, b, 0, p, c, d, 0, q, 0, 0, 1, 0, x, y, 0, w].map((number) => (number / w).toFixed(9)).join(",")})`;
  }

  remove() {
    this.view.removeEventListener("drawn", this.follow);
    this.element.remove();
  }
}

function group({ title, widgets, columns }) {
  const box = document.createElement("div");
  box.className = "widgets";
  layGrid(box, columns, widgets);
  box.append(...widgets.map(makeWidget));
  const head = document.createElement("h2");
  head.className = "section";
  head.textContent = title;
  const element = document.createElement("div");
  element.className = "group";
  element.append(head, box);
  return element;
}

// A point (w = 1) or a direction (w = 0) of the world in pixels of the picture, before the division by the last number.
function onScreen(vector, w, width, height) {
  const [x, y, , depth] = FOUR.set(vector.x, vector.y, vector.z, w).applyMatrix4(SEEN).toArray();
  return [0.5 * (depth + x) * width, 0.5 * (depth - y) * height, depth];
}

const IDENTITY = new THREE.Matrix4();
const SEEN = new THREE.Matrix4();
const POINT = new THREE.Vector3();
const FACING = new THREE.Vector3();
const AXIS = new THREE.Vector3();
const FOUR = new THREE.Vector4();
