// Marks: what wheels and belts leave on the ground: strips where they have been, the last of them, that fade with age. They
// take light from what they lie on, whatever ground and light it is.

import { THREE } from "./three.js";

const MOST = 3000; // pieces
const LEAST = 0.04; // m between two pieces
const NEAR = 0.2; // of the radius above the ground, to touch it
const ABOVE = 0.004; // m, so that the ground does not hide it
const DARK = 0.22; // share of the light that a wheel takes; those that follow in its track take more

export class Marks {
  constructor(world, scene, ground) {
    this.ground = ground;
    this.shown = false;
    this.rollers = world.bodies.flatMap((body, index) => (body.fixed ? [] : body.shapes.flatMap((shape) => rollersOf(index, shape))));
    this.place = new THREE.BufferAttribute(new Float32Array(MOST * 12), 3);
    this.shade = new THREE.BufferAttribute(new Float32Array(MOST * 16), 4); // how much light it takes is its fourth number
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.place);
    geometry.setAttribute("color", this.shade);
    geometry.setIndex(Array.from({ length: MOST }, (_, i) => [0, 2, 1, 1, 2, 3].map((corner) => 4 * i + corner)).flat());
    const look = { vertexColors: true, side: THREE.DoubleSide, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 };
    const taking = { blending: THREE.CustomBlending, blendSrc: THREE.ZeroFactor, blendDst: THREE.OneMinusSrcAlphaFactor };
    const opaque = { blendSrcAlpha: THREE.ZeroFactor, blendDstAlpha: THREE.OneFactor };
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ ...look, ...taking, ...opaque }));
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
    this.clear();
  }

  clear() {
    this.count = 0;
    this.last = null;
    for (const roller of this.rollers) roller.before = null;
    this.shade.array.fill(0);
    this.shade.needsUpdate = true;
    this.mesh.visible = this.shown;
  }

  show(on) {
    this.shown = on;
    this.clear();
  }

  // Called with every frame that is drawn; a jump back in time begins anew.
  update(time, matrices) {
    if (!this.shown) return;
    if (this.last !== null && time < this.last) this.clear();
    this.last = time;
    for (const roller of this.rollers) this.roll(roller, matrices[roller.body]);
  }

  roll(roller, matrix) {
    AT.copy(roller.at).applyMatrix4(matrix);
    AXLE.copy(roller.axle).transformDirection(matrix);
    const high = this.ground.height(AT.x, AT.y, AT.z);
    DOWN.set(0, 0, -1).addScaledVector(AXLE, AXLE.z).normalize(); // within the wheel's plane
    AT.addScaledVector(DOWN, roller.radius);
    if (!Number.isFinite(high) || AT.z - high > NEAR * roller.radius) {
      roller.before = null;
      return;
    }
    const { before } = roller;
    if (before && before.middle.distanceTo(AT) < LEAST) return;
    const edge = (side) => {
      const point = AT.clone().addScaledVector(AXLE, 0.5 * side * roller.width);
      point.z = Math.max(this.ground.height(point.x, point.y, AT.z + roller.radius), high - roller.radius) + ABOVE;
      return point;
    };
    roller.before = { middle: AT.clone(), edges: [edge(-1), edge(1)] };
    if (before && before.middle.distanceTo(AT) < 12 * LEAST) this.add([...before.edges, ...roller.before.edges]);
  }

  add(corners) {
    const piece = this.count % MOST;
    corners.forEach((corner, k) => {
      this.place.setXYZ(4 * piece + k, corner.x, corner.y, corner.z);
      this.shade.setXYZW(4 * piece + k, 0, 0, 0, DARK);
    });
    this.count += 1;
    const fading = (piece + MOST / 20) % MOST; // those that are overwritten next
    for (let k = 0; k < 4; k += 1) this.shade.setW(4 * fading + k, 0.5 * this.shade.getW(4 * fading + k));
    this.place.needsUpdate = this.shade.needsUpdate = true;
  }
}

// Where a shape touches the ground as it rolls: its middle, axle, radius and width.
function rollersOf(body, { kind, size, position, rotation }) {
  const turn = new THREE.Quaternion(...rotation);
  const middle = new THREE.Vector3(...position);
  if (kind === "wheel") return [{ body, at: middle, axle: new THREE.Vector3(0, 0, 1).applyQuaternion(turn), radius: size[0], width: size[1] }];
  if (kind !== "belt") return [];
  const [, radius, width] = size;
  return [{ body, at: middle, axle: new THREE.Vector3(0, 1, 0).applyQuaternion(turn), radius, width }];
}

const AT = new THREE.Vector3();
const AXLE = new THREE.Vector3();
const DOWN = new THREE.Vector3();
