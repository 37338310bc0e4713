// Skins: meshes that ropes wear over their bones, the elements. A mesh is drawn straight along z. A vertex follows the bone
// that it lies at, and towards the ends of that bone the next one as well, half and half where two of them meet.

import { THREE } from "./three.js";

const GONE = 1e-6; // m: elements that are shorter lie on a drum

export class Skin {
  constructor({ parts, span, lengths }, bodies, color, scene) {
    this.ends = [0];
    for (const length of lengths) this.ends.push(this.ends.at(-1) + length);
    this.bones = lengths.length;
    this.parts = parts.map((part) => {
      const geometry = bodies.surface(part).clone();
      const mesh = bodies.meshOf(part, part.color ? new THREE.Color(part.color.slice(0, 7)) : color, geometry);
      mesh.frustumCulled = false;
      scene.add(mesh);
      return { mesh, ...this.places(geometry, span, lengths) };
    });
    this.meshes = this.parts.map(({ mesh }) => mesh);
    this.gone = new Uint8Array(this.bones); // 1: wound on a drum, or parted
    this.turns = new Float32Array(9 * this.bones);
  }

  // Where the vertices lie in the frame of their bone, which that is, which other one they follow, and by how much.
  places(geometry, [low, high], lengths) {
    const [position, normal] = ["position", "normal"].map((name) => geometry.getAttribute(name));
    const count = position.count;
    const drawn = { bone: new Uint32Array(count), other: new Uint32Array(count), share: new Float32Array(count) };
    const along = new Float32Array(count); // m from the start of the rope
    let bone = 0;
    for (let k = 0; k < count; k += 1) {
      along[k] = ((position.getZ(k) - low) / (high - low)) * this.ends[this.bones];
      while (bone > 0 && along[k] < this.ends[bone]) bone -= 1;
      while (bone < this.bones - 1 && along[k] > this.ends[bone + 1]) bone += 1;
      const part = (along[k] - this.ends[bone]) / lengths[bone];
      const other = Math.min(Math.max(part < 0.5 ? bone - 1 : bone + 1, 0), this.bones - 1);
      drawn.bone[k] = bone;
      drawn.other[k] = other;
      drawn.share[k] = other === bone ? 0 : Math.abs(part - 0.5);
    }
    return { ...drawn, along, rest: position.clone(), normals: normal.clone() };
  }

  show(visible) {
    for (const mesh of this.meshes) mesh.visible = visible;
  }

  // rows: nodes x (position, tension); turns: the quaternions of the elements.
  bend(rows, quaternions) {
    for (let i = 0; i < this.bones; i += 1) {
      const length = Math.hypot(rows[4 * i + 4] - rows[4 * i], rows[4 * i + 5] - rows[4 * i + 1], rows[4 * i + 6] - rows[4 * i + 2]);
      this.gone[i] = length < GONE || rows[4 * i + 3] < 0 ? 1 : 0;
      TURN.set(quaternions[4 * i], quaternions[4 * i + 1], quaternions[4 * i + 2], quaternions[4 * i + 3]).normalize();
      MATRIX.makeRotationFromQuaternion(TURN);
      const e = MATRIX.elements;
      this.turns.set([e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10]], 9 * i);
    }
    for (const part of this.parts) this.move(part, rows);
  }

  move({ mesh, bone, other, share, along, rest, normals }, rows) {
    const { position, normal } = mesh.geometry.attributes;
    for (let k = 0; k < bone.length; k += 1) {
      const near = bone[k];
      if (this.gone[near]) { // nothing is left of it but a point at its nearer end
        const node = 4 * (along[k] - this.ends[near] < this.ends[near + 1] - along[k] ? near : near + 1);
        position.setXYZ(k, rows[node], rows[node + 1], rows[node + 2]);
        continue;
      }
      const shared = this.gone[other[k]] ? 0 : share[k];
      PLACE.set(0, 0, 0);
      OUT.set(0, 0, 0);
      this.follow(near, 1 - shared, k, along[k], rest, normals, rows);
      if (shared > 0) this.follow(other[k], shared, k, along[k], rest, normals, rows);
      OUT.normalize();
      position.setXYZ(k, PLACE.x, PLACE.y, PLACE.z);
      normal.setXYZ(k, OUT.x, OUT.y, OUT.z);
    }
    position.needsUpdate = normal.needsUpdate = true;
  }

  // Adds a share of where bone i takes vertex k to PLACE, and of how it turns its normal to OUT.
  follow(i, share, k, along, rest, normals, rows) {
    const [m, t] = [9 * i, this.turns];
    const [x, y, z] = [rest.getX(k), rest.getY(k), along - this.ends[i]];
    PLACE.x += share * (rows[4 * i] + t[m] * x + t[m + 1] * y + t[m + 2] * z);
    PLACE.y += share * (rows[4 * i + 1] + t[m + 3] * x + t[m + 4] * y + t[m + 5] * z);
    PLACE.z += share * (rows[4 * i + 2] + t[m + 6] * x + t[m + 7] * y + t[m + 8] * z);
    const [u, v, w] = [normals.getX(k), normals.getY(k), normals.getZ(k)];
    OUT.x += share * (t[m] * u + t[m + 1] * v + t[m + 2] * w);
    OUT.y += share * (t[m + 3] * u + t[m + 4] * v + t[m + 5] * w);
    OUT.z += share * (t[m + 6] * u + t[m + 7] * v + t[m + 8] * w);
  }
}

const TURN = new THREE.Quaternion();
const MATRIX = new THREE.Matrix4();
const PLACE = new THREE.Vector3();
const OUT = new THREE.Vector3();
