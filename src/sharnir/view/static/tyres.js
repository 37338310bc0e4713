// Tyres: the geometry of wheels about their z axis, of radius and width 1: a tyre with two rows of lugs, and a rim with spokes.

import { THREE } from "./three.js";

const LUGS = { plain: 12, fine: 22 }; // of each of the two rows
const SPOKES = 6;
const [GROOVE, RIM] = [0.93, 0.58]; // of the radius: the bottom of the tread, and where the tyre sits on its rim

// Half of the tyre's section: [radius, place along the axle].
const SECTION = [[RIM, 0.4], [0.66, 0.47], [0.8, 0.5], [0.89, 0.46], [GROOVE, 0.36]];
const DISH = [[0, 0.3], [0.16, 0.32], [0.18, 0.2], [0.24, 0.16]];

function lathe(section, sides) {
  const points = section.map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(points, sides).rotateX(Math.PI / 2);
}

// Four corners of every face of a box between angles, radii and places along the axle; without the face towards the axle.
function lug(from, to, low, high, left, right, skew) {
  const at = (angle, r, z) => [r * Math.cos(angle + skew * z), r * Math.sin(angle + skew * z), z];
  const corners = [];
  for (const z of [left, right]) for (const r of [low, high]) for (const angle of [from, to]) corners.push(at(angle, r, z));
  const faces = [[2, 3, 7, 6], [0, 1, 3, 2], [5, 4, 6, 7], [4, 0, 2, 6], [1, 5, 7, 3]];
  return faces.flatMap((face) => face.flatMap((k) => corners[k]));
}

// Faces of four corners each.
export function shaped(places) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setIndex(Array.from({ length: places.length / 12 }, (_, i) => [0, 1, 2, 0, 2, 3].map((k) => 4 * i + k)).flat());
  geometry.computeVertexNormals();
  return geometry;
}

// Several geometries as one, all white.
export function merged(parts) {
  const geometry = new THREE.BufferGeometry();
  for (const name of ["position", "normal"]) {
    const arrays = parts.map((part) => part.getAttribute(name).array);
    const all = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
    arrays.reduce((at, array) => (all.set(array, at), at + array.length), 0);
    geometry.setAttribute(name, new THREE.BufferAttribute(all, 3));
  }
  const index = [];
  let before = 0; // corners of the parts so far
  for (const part of parts) {
    for (const corner of part.index.array) index.push(before + corner);
    before += part.getAttribute("position").count;
  }
  geometry.setIndex(index);
  const white = new Float32Array(geometry.getAttribute("position").array.length).fill(1);
  return geometry.setAttribute("color", new THREE.BufferAttribute(white, 3));
}

export function tyreGeometry(sides, plain) {
  const mirrored = SECTION.map(([r, z]) => [r, -z]).reverse();
  const count = plain ? LUGS.plain : LUGS.fine;
  const places = [];
  const step = (2 * Math.PI) / count;
  for (let i = 0; i < count; i += 1) {
    places.push(...lug(i * step, (i + 0.6) * step, GROOVE, 1, 0.03, 0.42, 0.25));
    places.push(...lug((i + 0.5) * step, (i + 1.1) * step, GROOVE, 1, -0.42, -0.03, -0.25));
  }
  return merged([lathe([...mirrored, ...SECTION].reverse(), sides), shaped(places)]);
}

export function rimGeometry(sides) {
  const barrel = lathe([[RIM, -0.41], [RIM - 0.03, -0.3], [RIM - 0.05, 0], [RIM - 0.03, 0.3], [RIM, 0.41]], sides); // seen from within
  const dishes = [DISH, DISH.map(([r, z]) => [r, -z]).reverse()].map((section) => lathe(section, sides));
  const places = [];
  for (let i = 0; i < SPOKES; i += 1) {
    const middle = (2 * Math.PI * i) / SPOKES;
    places.push(...lug(middle - 0.16, middle + 0.16, 0.14, RIM, 0.08, 0.24, 0), ...lug(middle - 0.16, middle + 0.16, 0.14, RIM, -0.24, -0.08, 0));
  }
  return merged([barrel, ...dishes, shaped(places)]);
}
