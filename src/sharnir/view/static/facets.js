// Facets: how high the ground of a mesh is at a place. Its triangles lie in the squares of a grid, seen from above.

import { THREE } from "./three.js";

const MOST = 64; // squares along a side

export class Facets {
  // A mesh that stands where it is; the grid is made when it is first asked.
  constructor(mesh) {
    this.mesh = mesh;
    this.squares = null;
  }

  fill() {
    const { position } = this.mesh.geometry.attributes;
    const corners = this.mesh.geometry.index.array;
    this.places = Float32Array.from({ length: 3 * corners.length });
    corners.forEach((corner, i) => AT.fromBufferAttribute(position, corner).applyMatrix4(this.mesh.matrixWorld).toArray(this.places, 3 * i));
    this.box = new THREE.Box3().setFromArray(this.places);
    this.side = Math.max(1, Math.min(MOST, Math.ceil(Math.sqrt(corners.length / 6))));
    this.squares = Array.from({ length: this.side ** 2 }, () => []);
    for (let at = 0; at < this.places.length; at += 9) {
      const [a, b, c] = [at, at + 3, at + 6];
      const [left, right, low, high] = [0, 1].flatMap((k) => {
        const all = [this.places[a + k], this.places[b + k], this.places[c + k]];
        return [this.square(Math.min(...all), k), this.square(Math.max(...all), k)];
      });
      for (let row = low; row <= high; row += 1) for (let column = left; column <= right; column += 1) this.squares[row * this.side + column].push(at);
    }
  }

  // Which of the squares along x (0) or y (1) a place is in.
  square(at, k) {
    const [from, to] = [this.box.min.getComponent(k), this.box.max.getComponent(k)];
    return Math.min(Math.max(Math.floor(((at - from) / (to - from || 1)) * this.side), 0), this.side - 1);
  }

  // The ground at a place for somebody at a height ``from`` (m, in the world), who may have got below it; low where there is
  // none. A triangle above him that faces down is a roof: he is in a hall.
  height(x, y, from) {
    if (!this.squares) this.fill();
    const { min, max } = this.box;
    if (x < min.x || x > max.x || y < min.y || y > max.y) return -Infinity;
    const here = this.squares[this.square(y, 1) * this.side + this.square(x, 0)];
    let high = -Infinity;
    for (const { z, up } of here.flatMap((at) => this.meet(at, x, y)).sort((a, b) => a.z - b.z)) {
      if (z > from && !up) break;
      high = z;
    }
    return high;
  }

  // Where a triangle is met at a place, and whether it faces up; nothing beside it, or where it stands upright.
  meet(at, x, y) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = this.places.subarray(at, at + 9);
    const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    const u = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / twice;
    const v = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / twice;
    if (!(u >= -EDGE && v >= -EDGE && u + v <= 1 + EDGE)) return [];
    return [{ z: az + u * (bz - az) + v * (cz - az), up: twice > 0 }];
  }
}

const EDGE = 1e-6; // of a triangle: on an edge it is on both
const AT = new THREE.Vector3();
