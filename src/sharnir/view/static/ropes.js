// Ropes: tubes along their nodes. A ring of vertices stands on every node, carried along without twisting of its own.

import { THREE } from "./three.js";

const SIDES = 8;
const LEAST = 1.6; // pixels that a rope is wide on the screen, however thin and far away it is
const PLAIN = new THREE.Color("#b9a27a");
const SLACK = new THREE.Color("#3f7fb5");
const TIGHT = new THREE.Color("#d5483e");

export class Ropes {
  constructor(world, scene) {
    this.ropes = world.ropes.map((rope) => new Rope(rope, scene));
    this.byTension = false;
  }

  // The camera and the height of the picture (pixels) tell how wide a rope has to be to be seen.
  show(frame, camera, height) {
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(height, 1); // m at a metre from the camera
    for (const rope of this.ropes) rope.show(frame, this.byTension, (at) => 0.5 * LEAST * pixel * at.distanceTo(camera.position));
  }
}

class Rope {
  constructor(described, scene) {
    this.described = described;
    const { nodes } = described;
    this.points = Array.from({ length: nodes }, () => new THREE.Vector3());
    this.position = new THREE.BufferAttribute(new Float32Array(nodes * SIDES * 3), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(nodes * SIDES * 3), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(nodes * SIDES * 3).fill(1), 3);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.color);
    geometry.setIndex(tubeIndex(nodes));
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ roughness: 0.8, vertexColors: true }));
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
  }

  // frame["rope NAME"]: nodes x (position, tension). A node beyond the used ones repeats the last.
  show(frame, byTension, least) {
    const rows = frame[`rope ${this.described.name}`];
    const { nodes, radius, strength } = this.described;
    for (let i = 0; i < nodes; i += 1) this.points[i].set(rows[4 * i], rows[4 * i + 1], rows[4 * i + 2]);
    ALONG.subVectors(this.points[Math.min(1, nodes - 1)], this.points[0]).normalize();
    ACROSS.set(1, 0, 0).cross(ALONG);
    if (ACROSS.lengthSq() < 0.01) ACROSS.set(0, 1, 0).cross(ALONG);
    ACROSS.normalize();
    for (let i = 0; i < nodes; i += 1) {
      NEXT.subVectors(this.points[Math.min(i + 1, nodes - 1)], this.points[Math.max(i - 1, 0)]);
      if (NEXT.lengthSq() > 1e-12) {
        NEXT.normalize();
        ACROSS.applyQuaternion(TURN.setFromUnitVectors(ALONG, NEXT));
        ALONG.copy(NEXT);
      }
      SIDE.crossVectors(ALONG, ACROSS);
      if (byTension) SHADE.lerpColors(SLACK, TIGHT, Math.min(Math.max(rows[4 * i + 3] / strength, 0), 1));
      else SHADE.copy(PLAIN);
      const whole = rows[4 * i + 3] >= 0 && (i === 0 || rows[4 * i - 1] >= 0); // nothing is drawn where it has parted
      const wide = Math.max(radius, least(this.points[i]));
      for (let k = 0; k < SIDES; k += 1) {
        const angle = (2 * Math.PI * k) / SIDES;
        OUT.copy(ACROSS).multiplyScalar(Math.cos(angle)).addScaledVector(SIDE, Math.sin(angle));
        const row = i * SIDES + k;
        this.normal.setXYZ(row, OUT.x, OUT.y, OUT.z);
        OUT.multiplyScalar(whole ? wide : 0).add(this.points[i]);
        this.position.setXYZ(row, OUT.x, OUT.y, OUT.z);
        this.color.setXYZ(row, SHADE.r, SHADE.g, SHADE.b);
      }
    }
    this.position.needsUpdate = this.normal.needsUpdate = this.color.needsUpdate = true;
  }
}

function tubeIndex(nodes) {
  const index = [];
  for (let i = 0; i + 1 < nodes; i += 1) {
    for (let k = 0; k < SIDES; k += 1) {
      const a = i * SIDES + k;
      const b = i * SIDES + ((k + 1) % SIDES);
      index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
    }
  }
  return index;
}

const ALONG = new THREE.Vector3();
const ACROSS = new THREE.Vector3();
const SIDE = new THREE.Vector3();
const NEXT = new THREE.Vector3();
const OUT = new THREE.Vector3();
const SHADE = new THREE.Color();
const TURN = new THREE.Quaternion();
