// Belts: the links of tracks, which run round their frames as the sprockets turn.

import { bodyMaterial, setFinishes } from "./materials.js";
import { THREE } from "./three.js";

const PITCH = 0.4; // of the radius, from link to link
const THICK = 0.16; // of the radius
const RUBBER = [new THREE.Color("#353b40"), new THREE.Color("#4a5258")]; // in turn, so that one sees it run
const FINISH = [0.9, 0, 0];

// Where the links of a belt are, in the plane of its frame: [x, z, angle] each. Two ends of a radius are 2 half apart; the
// upper run goes forward (x) by the travel, the lower one back.
export function linkPlaces(half, radius, count, travel) {
  const [straight, arc] = [2 * half, Math.PI * radius];
  const round = 2 * (straight + arc);
  return Array.from({ length: count }, (_, k) => {
    const s = ((((k * round) / count + travel) % round) + round) % round;
    const lower = s >= straight + arc;
    const along = lower ? s - straight - arc : s;
    const turn = along > straight ? (along - straight) / radius : 0;
    const x = along > straight ? half + radius * Math.sin(turn) : along - half;
    const z = radius * Math.cos(turn);
    return lower ? [-x, -z, Math.PI + turn] : [x, z, turn];
  });
}

export class Belts {
  constructor(plain) {
    this.material = bodyMaterial(plain);
    this.belts = [];
  }

  // A belt of a body: its mesh, in which every instance is a link.
  add(body, { size: [half, radius, width], joint }, frame) {
    const round = 4 * half + 2 * Math.PI * radius;
    const count = 2 * Math.round(round / (2 * PITCH * radius));
    const link = new THREE.BoxGeometry((0.86 * round) / count, width, THICK * radius);
    link.setAttribute("color", new THREE.BufferAttribute(new Float32Array(link.getAttribute("position").count * 3).fill(1), 3));
    const mesh = new THREE.InstancedMesh(link, this.material, count);
    setFinishes(mesh, Array(count).fill(FINISH), Array(count).fill(body));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    for (let k = 0; k < count; k += 1) mesh.setColorAt(k, RUBBER[k % 2]);
    this.belts.push({ body, half, radius: radius * (1 - 0.5 * THICK), joint, frame, mesh, count, travel: 0, full: radius });
    return mesh;
  }

  // By the angles of the sprockets.
  run(angleOf) {
    for (const belt of this.belts) belt.travel = (angleOf(belt.joint) || 0) * belt.full;
  }

  place(matrices) {
    for (const { body, half, radius, frame, mesh, count, travel } of this.belts) {
      AT.multiplyMatrices(matrices[body], frame);
      linkPlaces(half, radius, count, travel).forEach(([x, z, angle], k) => {
        LINK.makeRotationY(angle).setPosition(x, 0, z);
        mesh.setMatrixAt(k, LINK.premultiply(AT));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

const AT = new THREE.Matrix4();
const LINK = new THREE.Matrix4();
