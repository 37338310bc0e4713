// Trail: where the machine has been, as a line that only the view from above shows.

import { THREE } from "./three.js";

const MOST = 2000; // points; then every other one goes
const LEAST = 0.03; // of the machine's radius between two points
export const TRAIL_LAYER = 1;

export class Trail {
  constructor(world, scene) {
    this.least = LEAST * world.focus.radius;
    this.above = 0.02 * world.focus.radius;
    this.place = new THREE.BufferAttribute(new Float32Array(3 * MOST), 3);
    const geometry = new THREE.BufferGeometry().setAttribute("position", this.place);
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: "#ffb000", depthTest: false, fog: false }));
    this.line.frustumCulled = false;
    this.line.layers.set(TRAIL_LAYER);
    this.line.renderOrder = 9;
    scene.add(this.line);
    this.clear();
  }

  clear() {
    this.count = 0;
    this.time = -Infinity;
    this.line.geometry.setDrawRange(0, 0);
  }

  add(time, matrix) {
    if (!matrix) return;
    if (time < this.time) this.clear();
    this.time = time;
    AT.setFromMatrixPosition(matrix);
    if (this.count > 0 && LAST.fromBufferAttribute(this.place, this.count - 1).distanceTo(AT) < this.least) return;
    if (this.count === MOST) this.thin();
    this.place.setXYZ(this.count, AT.x, AT.y, AT.z + this.above);
    this.count += 1;
    this.place.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.count);
  }

  thin() {
    for (let i = 0; 2 * i < MOST; i += 1) this.place.setXYZ(i, ...LAST.fromBufferAttribute(this.place, 2 * i).toArray());
    this.count = MOST / 2;
    this.least *= 2;
  }
}

const AT = new THREE.Vector3();
const LAST = new THREE.Vector3();
