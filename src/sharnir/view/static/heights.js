// Heights: a height field in square tiles, each drawn as finely as it is near. All tiles and levels share one array of
// vertices; a level is a list of triangles. The rims of tiles are always fine, so that there are no cracks between them.

import { THREE } from "./three.js";
import { decodeArray } from "./shapes.js";

const TILE = 64; // cells along a side
const STEEP = 0.05; // what a face's normal has of the sun's direction at least, to be lit for sure
const STRIDES = [1, 2, 4, 8, 16]; // cells that one triangle spans, level by level

export class Heights {
  // Beyond ``reach`` cells from the camera a triangle spans two cells, at twice that four. ``sun``: towards it, as the field
  // sees it.
  constructor(surface, reach, sun) {
    this.sun = sun;
    const heights = typeof surface.heights === "string" ? decodeArray(surface.heights, Float32Array) : surface.heights;
    this.rows = surface.rows;
    this.spacing = surface.spacing;
    this.columns = heights.length / surface.rows;
    this.reach = reach * Math.max(...surface.spacing);
    this.vertices = new THREE.BufferAttribute(this.places(heights, surface.spacing), 3);
    this.normals = new THREE.BufferAttribute(this.slopes(heights, surface.spacing), 3);
    this.group = new THREE.Group();
    for (let r = 0; r < this.rows - 1; r += TILE) {
      for (let c = 0; c < this.columns - 1; c += TILE) this.addTile(r, c);
    }
  }

  places(heights, [along, across]) {
    const { rows, columns } = this;
    const places = new Float32Array(3 * heights.length);
    heights.forEach((height, i) => {
      const row = Math.floor(i / columns);
      places[3 * i] = (row - 0.5 * (rows - 1)) * along;
      places[3 * i + 1] = (i - row * columns - 0.5 * (columns - 1)) * across;
      places[3 * i + 2] = height;
    });
    return places;
  }

  // The normals, from the differences to the neighbours. Shadows need them: without, a vertex has none to be moved along.
  slopes(heights, [along, across]) {
    const { rows, columns } = this;
    const normals = new Float32Array(3 * heights.length);
    const at = (row, column) => heights[Math.min(Math.max(row, 0), rows - 1) * columns + Math.min(Math.max(column, 0), columns - 1)];
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        AT.set((at(row - 1, column) - at(row + 1, column)) / along, (at(row, column - 1) - at(row, column + 1)) / across, 2);
        AT.normalize().toArray(normals, 3 * (row * columns + column));
      }
    }
    return normals;
  }

  addTile(top, left) {
    const tile = [top, Math.min(top + TILE, this.rows - 1), left, Math.min(left + TILE, this.columns - 1)];
    const mesh = new THREE.Mesh();
    mesh.userData = { tile, sphere: this.sphere(tile), levels: [] };
    mesh.castShadow = this.turnsAway(tile);
    mesh.geometry = this.level(mesh.userData, STRIDES.length - 1);
    this.group.add(mesh);
  }

  // Whether any of a tile faces away from the sun: shadows are thrown by these sides, and a tile without one throws none.
  turnsAway([top, bottom, left, right]) {
    const { x, y, z } = this.sun;
    const [along, across] = this.spacing;
    const at = (row, column) => this.vertices.getZ(row * this.columns + column);
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) {
        const [a, b, c, d] = [at(row, column), at(row + 1, column), at(row + 1, column + 1), at(row, column + 1)];
        const lit = Math.min(z - (x * (b - a)) / along - (y * (c - b)) / across, z - (x * (c - d)) / along - (y * (d - a)) / across);
        if (lit < STEEP) return true;
      }
    }
    return false;
  }

  sphere([top, bottom, left, right]) {
    const box = new THREE.Box3();
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        box.expandByPoint(AT.fromBufferAttribute(this.vertices, row * this.columns + column));
      }
    }
    return box.getBoundingSphere(new THREE.Sphere());
  }

  // Made when a tile is first drawn so.
  level({ tile, sphere, levels }, which) {
    levels[which] ??= this.geometry(tile, sphere, STRIDES[which]);
    return levels[which];
  }

  geometry(tile, sphere, stride) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.vertices);
    geometry.setAttribute("normal", this.normals);
    geometry.setIndex(squares(tile, stride).flatMap((square) => this.triangles(square, tile)));
    geometry.boundingSphere = sphere;
    return geometry;
  }

  // A cell is cut as the physics cuts it; a larger square is a fan about its middle.
  triangles([top, bottom, left, right], tile) {
    const { columns } = this;
    const at = (row, column) => row * columns + column;
    if (bottom === top + 1 && right === left + 1) {
      const [a, b, c, d] = [at(top, left), at(bottom, left), at(bottom, right), at(top, right)];
      return [a, b, c, a, c, d];
    }
    const rim = around([top, bottom, left, right], tile).map(([row, column]) => at(row, column));
    const middle = at((top + bottom) >> 1, (left + right) >> 1);
    return rim.flatMap((corner, i) => [middle, corner, rim[(i + 1) % rim.length]]);
  }

  // The height of the field (m, in the world) at a place, on the triangles that it is cut into; low outside it.
  height(x, y) {
    AT.set(x, y, 0).applyMatrix4(INVERSE.copy(this.group.matrixWorld).invert());
    const row = AT.x / this.spacing[0] + 0.5 * (this.rows - 1);
    const column = AT.y / this.spacing[1] + 0.5 * (this.columns - 1);
    if (!(row >= 0 && row <= this.rows - 1 && column >= 0 && column <= this.columns - 1)) return -Infinity;
    const [r, c] = [Math.min(Math.floor(row), this.rows - 2), Math.min(Math.floor(column), this.columns - 2)];
    const [a, b] = [row - r, column - c];
    const at = (i, k) => this.vertices.getZ((r + i) * this.columns + c + k);
    AT.z = at(0, 0) + (a > b ? a * (at(1, 0) - at(0, 0)) + b * (at(1, 1) - at(1, 0)) : b * (at(0, 1) - at(0, 0)) + a * (at(1, 1) - at(0, 1)));
    return AT.applyMatrix4(this.group.matrixWorld).z;
  }

  update(camera) {
    for (const mesh of this.group.children) {
      SPHERE.copy(mesh.userData.sphere).applyMatrix4(mesh.matrixWorld);
      const far = Math.max(SPHERE.distanceToPoint(camera.position), 1e-9) / this.reach;
      const level = Math.min(Math.max(1 + Math.floor(Math.log2(far)), 0), STRIDES.length - 1);
      mesh.geometry = this.level(mesh.userData, level);
    }
  }
}

// The squares of a tile, [top, bottom, left, right] each.
function squares([top, bottom, left, right], stride) {
  const found = [];
  for (let r = top; r < bottom; r += stride) {
    for (let c = left; c < right; c += stride) {
      found.push([r, Math.min(r + stride, bottom), c, Math.min(c + stride, right)]);
    }
  }
  return found;
}

// The places around a square, counterclockwise seen from above: its corners, and every cell's along the rim of the tile.
function around([top, bottom, left, right], tile) {
  const steps = (from, to, fine) => {
    const step = fine ? Math.sign(to - from) : to - from;
    return Array.from({ length: (to - from) / step }, (_, i) => from + i * step);
  };
  return [
    ...steps(top, bottom, left === tile[2]).map((row) => [row, left]),
    ...steps(left, right, bottom === tile[1]).map((column) => [bottom, column]),
    ...steps(bottom, top, right === tile[3]).map((row) => [row, right]),
    ...steps(right, left, top === tile[0]).map((column) => [top, column]),
  ];
}

const AT = new THREE.Vector3();
const INVERSE = new THREE.Matrix4();
const SPHERE = new THREE.Sphere();
