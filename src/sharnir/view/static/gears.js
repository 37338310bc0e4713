// Gears: toothed wheels about their z axis, a tooth at x. A ring has its teeth within.

import { THREE } from "./three.js";

const ABOVE = 0.95; // of the module (the radius over half of the teeth): how far a tooth stands out from the pitch circle
const BELOW = 1.15; // and how deep the gaps are
const FLANKS = [[-0.29, -1], [-0.225, 0], [-0.11, 1], [0.11, 1], [0.225, 0], [0.29, -1]]; // of the pitch: across; out or in
const RIM = 2.6; // modules of a ring beyond its teeth
const HOLES = { count: 5, at: 0.56, size: 0.15, from: 22 }; // of a wheel that has so many teeth: what makes it lighter

function outline(radius, teeth) {
  const module = (2 * radius) / teeth;
  const points = [];
  for (let i = 0; i < teeth; i += 1) {
    for (const [across, out] of FLANKS) {
      const r = radius + module * (out > 0 ? ABOVE : out < 0 ? -BELOW : 0);
      const angle = ((i + across) * 2 * Math.PI) / teeth;
      points.push(new THREE.Vector2(r * Math.cos(angle), r * Math.sin(angle)));
    }
  }
  return points;
}

function circle(x, y, radius) {
  return new THREE.Path().absarc(x, y, radius, 0, 2 * Math.PI, true);
}

// Size: radius of the pitch circle (m), width (m), number of teeth, and whether it is a ring.
export function gearGeometry([radius, width, teeth, ring]) {
  const module = (2 * radius) / teeth;
  const toothed = outline(radius, teeth);
  let shape;
  if (ring) {
    shape = new THREE.Shape().absarc(0, 0, radius + RIM * module, 0, 2 * Math.PI, false);
    shape.holes.push(new THREE.Path(toothed.reverse()));
  } else {
    shape = new THREE.Shape(toothed);
    const { count, at, size, from } = HOLES;
    for (let k = 0; teeth >= from && k < count; k += 1) {
      const angle = (2 * Math.PI * k) / count;
      shape.holes.push(circle(at * radius * Math.cos(angle), at * radius * Math.sin(angle), size * radius));
    }
  }
  const solid = new THREE.ExtrudeGeometry(shape, { depth: width, bevelEnabled: false, curveSegments: ring ? 24 : 8 });
  return solid.translate(0, 0, -0.5 * width);
}
