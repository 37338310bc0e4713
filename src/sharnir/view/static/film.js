// Film: a camera that goes its own way through a recorded run: around the machine, or through places that are given.

import { THREE } from "./three.js";

const SMOOTH = 0.8; // s before and after: the machine's way is averaged over it, so that bumps do not shake the picture
// Around the machine: share of the film, angle from its right front (rad), height and distance (radii of the machine).
const AROUND = [
  [0, -1.1, 0.95, 3.9],
  [0.3, -0.3, 0.35, 2.7],
  [0.65, 0.5, 0.5, 2.5],
  [1, 1.2, 1.1, 3.8],
];
const FRONT = -1.05; // rad: the right front of the machine, from its x axis

// A smooth line through rows whose first number ascends, at a value of it; before and after them it stands.
export function through(rows, at) {
  const last = rows.length - 1;
  if (at <= rows[0][0]) return rows[0].slice(1);
  if (at >= rows[last][0]) return rows[last].slice(1);
  const k = rows.findIndex(([when]) => when > at) - 1;
  const [a, b] = [rows[k], rows[k + 1]];
  const long = b[0] - a[0];
  const s = (at - a[0]) / long;
  const slope = (i, c) => (i === 0 || i === last ? 0 : (rows[i + 1][c] - rows[i - 1][c]) / (rows[i + 1][0] - rows[i - 1][0]));
  return a.slice(1).map((from, n) => {
    const [c, to] = [n + 1, b[n + 1]];
    const [h1, h2] = [s * s * (3 - 2 * s), s * (1 - s)];
    return from + (to - from) * h1 + long * h2 * ((1 - s) * slope(k, c) - s * slope(k + 1, c));
  });
}

export class Film {
  // Rows: [time (s), eye x, y, z, target x, y, z] each; null goes around the machine.
  constructor({ view, link, about }, rows = null) {
    Object.assign(this, { view, link, about, rows });
    this.length = (about.count - 1) * about.every;
    view.camera("orbit");
    view.cameras.controls.enableDamping = false;
  }

  // Where the machine is, averaged over a while.
  middle(time) {
    const { every, count } = this.about;
    const { body } = this.view.cameras;
    const [from, to] = [Math.max(0, Math.round((time - SMOOTH) / every)), Math.min(count - 1, Math.round((time + SMOOTH) / every))];
    const sum = new THREE.Vector3();
    for (let i = from; i <= to; i += 1) sum.add(AT.fromArray(this.link.at(i).poses, 7 * body));
    return sum.divideScalar(to - from + 1);
  }

  place(time) {
    if (this.rows) return through(this.rows, time);
    const { center, radius } = this.view.world.focus;
    const from = this.link.at(0).poses.subarray(7 * this.view.cameras.body);
    const offset = AT.set(...center).sub(BODY.set(from[0], from[1], from[2])).clone();
    const target = this.view.world.followed >= 0 ? this.middle(time).add(offset) : new THREE.Vector3(...center);
    const [angle, height, far] = through(AROUND, this.length > 0 ? time / this.length : 0);
    const eye = [target.x + far * radius * Math.cos(FRONT + angle), target.y + far * radius * Math.sin(FRONT + angle), target.z + height * radius];
    return [...eye, ...target.toArray()];
  }

  // The picture at a time (s).
  show(time) {
    const { camera, controls } = this.view.cameras;
    const [x, y, z, ...target] = this.place(time);
    camera.position.set(x, y, z);
    controls.target.set(...target);
    controls.update();
    this.view.stale = true; // also where nothing but the camera moves
  }
}

const AT = new THREE.Vector3();
const BODY = new THREE.Vector3();
