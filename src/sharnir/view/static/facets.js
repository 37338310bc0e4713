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

  // The highest of the triangles at a place that are not above ``below`` (m, in the world); low where there is none. What
  // is above may be a roof.
  height(x, y, below) {
    if (!this.squares) this.fill();
    const { min, max } = this.box;
    if (x < min.x || x > max.x || y < min.y || y > max.y) return -Infinity;
    const here = this.squares[this.square(y, 1) * this.side + this.square(x, 0)];
    return here.reduce((high, at) => {
      const z = this.heightOn(at, x, y);
      return z > high && z <= below ? z : high;
    }, -Infinity);
  }

  heightOn(at, x, y) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = this.places.subarray(at, at + 9);
    const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    const u = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / twice;
    const v = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / twice;
    return u >= -EDGE && v >= -EDGE && u + v <= 1 + EDGE ? az + u * (bz - az) + v * (cz - az) : -Infinity; // upright ones have no number
  }
}

const EDGE = 1e-6; // of a triangle: on an edge it is on both
const AT = new THREE.Vector3();
