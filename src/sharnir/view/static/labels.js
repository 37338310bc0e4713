// Labels: the names of bodies, none covering another or lying below what stands over the view: the selected one first, then
// the nearest, as many as there is room. After them the notes of overlays, likewise.

import { THREE } from "./three.js";

const MOST = 24;
const HEIGHT = 20; // pixels
const APART = 3; // pixels between two
const OVER = "#view-tools > *, .view-quality, .card[data-open], .picture, .measure-label"; // what stands over the view
const LETTER = 7.5; // pixels of width, at most on an average

export class Labels {
  constructor(world, container) {
    this.world = world;
    this.container = container;
    this.on = false;
    this.box = document.createElement("div");
    this.box.className = "view-labels";
    container.append(this.box);
    this.tags = world.bodies.map((body) => {
      const element = this.element();
      element.textContent = body.name;
      return { element, width: 0, fixed: body.fixed };
    });
    this.notes = []; // elements
  }

  element(more = "") {
    const element = document.createElement("div");
    element.className = `view-label ${more}`.trim();
    element.hidden = true;
    this.box.append(element);
    return element;
  }

  show(bodies, camera, notes = []) {
    const { clientWidth: width, clientHeight: height } = this.box;
    const wanted = this.on || bodies.selected >= 0 ? this.inSight(bodies, camera, width, height) : [];
    const taken = { over: wanted.length + notes.length > 0 ? this.over() : [], labels: [] };
    for (const { i, x, y } of wanted) {
      const tag = this.tags[i];
      tag.element.hidden = false;
      tag.width ||= tag.element.offsetWidth; // measured once, when it is first shown
      put(tag.element, [x - tag.width / 2, y - HEIGHT - 8, x + tag.width / 2, y - 8], taken, width, height);
    }
    const shown = new Set(wanted.map(({ i }) => i));
    this.tags.forEach((tag, i) => !shown.has(i) && (tag.element.hidden = true));
    this.showNotes(notes, camera, taken, width, height);
  }

  // The rectangles in which labels would not be seen: left, top, right and bottom (pixels).
  over() {
    const { left, top } = this.box.getBoundingClientRect();
    const boxes = [...this.container.querySelectorAll(OVER)].map((element) => element.getBoundingClientRect());
    return boxes.filter(({ width }) => width > 0).map((box) => [box.left - left, box.top - top, box.right - left, box.bottom - top]);
  }

  // The nearest first, below their places.
  showNotes(notes, camera, taken, width, height) {
    const near = [...notes].sort((a, b) => a.at.distanceTo(camera.position) - b.at.distanceTo(camera.position));
    near.forEach(({ at, text }, i) => {
      const element = (this.notes[i] ??= this.element("view-note"));
      element.hidden = true;
      AT.copy(at).project(camera);
      if (AT.z >= 1) return;
      element.textContent = text;
      const [x, y, half] = [(0.5 + 0.5 * AT.x) * width, (0.5 - 0.5 * AT.y) * height, (LETTER * text.length + 14) / 2];
      put(element, [x - half, y + 8, x + half, y + 8 + HEIGHT], taken, width, height);
    });
    for (const element of this.notes.slice(notes.length)) element.hidden = true;
  }

  // The bodies before the camera, in the order in which they are named.
  inSight(bodies, camera, width, height) {
    const found = [];
    bodies.matrix.forEach((matrix, i) => {
      const selected = i === bodies.selected;
      if (!this.on && !selected) return;
      AT.set(...this.world.bodies[i].center).applyMatrix4(matrix);
      const far = AT.distanceTo(camera.position);
      AT.project(camera);
      if (AT.z >= 1 || Math.abs(AT.x) > 1 || Math.abs(AT.y) > 1) return;
      const rank = selected ? -1 : far * (this.tags[i].fixed ? 4 : 1); // what can move matters more
      found.push({ i, rank, x: (0.5 + 0.5 * AT.x) * width, y: (0.5 - 0.5 * AT.y) * height });
    });
    return found.sort((a, b) => a.rank - b.rank);
  }
}

// Shows a label where there is room for it.
function put(element, rect, { over, labels }, width, height) {
  const inside = rect[0] >= 0 && rect[1] >= 0 && rect[2] <= width && rect[3] <= height;
  element.hidden = !inside || labels.length >= MOST || [...over, ...labels].some((other) => overlap(rect, other));
  if (element.hidden) return;
  labels.push(rect);
  element.style.transform = `translate(${rect[0].toFixed(1)}px, ${rect[1].toFixed(1)}px)`;
}

function overlap(a, b) {
  return a[0] < b[2] + APART && b[0] < a[2] + APART && a[1] < b[3] + APART && b[1] < a[3] + APART;
}

const AT = new THREE.Vector3();
