// Standing: what keeps a machine upright and how its wheels hold: the polygon of its contacts with the centre of mass above
// it, contact patches, the slip of wheels, and forces in joints. Lines for overlays.js, which hands over its pen.

import { THREE } from "./three.js";
import { shown } from "./widgets.js";

const GREEN = new THREE.Color("#58b368");
const AMBER = new THREE.Color("#e0a53b");
const RED = new THREE.Color("#e0564b");
const TEAL = new THREE.Color("#35b6b0");
const VIOLET = new THREE.Color("#a67be0");
const PATCH_SIDES = 14;
const SLIPS = 0.05; // m/s, from which a wheel slips
const LEAST_SHARE = 1e-3; // of the weight, from which a reaction is drawn
const FULL_SLIP = 1; // m/s that an arrow of three sizes stands for
const TREAD = 0.15; // of a wheel's radius about its tread that counts as touching

// The corners of the smallest convex polygon about points [x, y, z], counterclockwise seen from above.
export function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const found = [];
    for (const point of list) {
      while (found.length > 1 && cross(found[found.length - 2], found[found.length - 1], point) <= 0) found.pop();
      found.push(point);
    }
    return found.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half([...sorted].reverse())];
}

// How far a point lies within a polygon (m; negative outside): the least distance to the lines of its sides.
export function within(hull, [x, y]) {
  if (hull.length < 3) return -Infinity;
  return Math.min(...hull.map(([ax, ay], i) => {
    const [bx, by] = hull[(i + 1) % hull.length];
    return ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Math.hypot(bx - ax, by - ay);
  }));
}

// The contacts near the machine that is looked at, and its mass in the middle.
export function drawSupport(pen, frame, world, bodies, body) {
  const middle = LOOKED.setFromMatrixPosition(bodies.matrix[body] ?? bodies.matrix[0]);
  const reach = 2 * world.focus.radius;
  const points = [];
  for (let i = 0; i < frame.contacts_used; i += 1) {
    const [x, y, z] = frame.contacts.subarray(6 * i, 6 * i + 3);
    if (Math.hypot(x - middle.x, y - middle.y) < reach) points.push([x, y, z]);
  }
  const hull = hullOf(points);
  let mass = 0;
  TOTAL.set(0, 0, 0);
  world.bodies.forEach((each, i) => {
    if (each.fixed) return;
    AT.set(...each.center).applyMatrix4(bodies.matrix[i]);
    if (AT.distanceTo(middle) > reach) return;
    TOTAL.addScaledVector(AT, each.mass);
    mass += each.mass;
  });
  if (mass === 0 || hull.length < 2) return;
  TOTAL.divideScalar(mass);
  const margin = within(hull, [TOTAL.x, TOTAL.y]);
  const color = margin > 0.1 * world.focus.radius ? GREEN : margin > 0 ? AMBER : RED;
  hull.forEach((from, i) => pen.line(AT.set(...from), TO.set(...hull[(i + 1) % hull.length]), color));
  const low = hull.reduce((sum, [, , z]) => sum + z, 0) / hull.length;
  pen.line(TOTAL, TO.set(TOTAL.x, TOTAL.y, low), color);
  pen.cross(AT.set(TOTAL.x, TOTAL.y, low), 0.3 * pen.size, color);
}

// A ring about each contact, across its force, that carries as much as its area says.
export function drawPatches(pen, frame, weight) {
  for (let i = 0; i < frame.contacts_used; i += 1) {
    const [x, y, z, fx, fy, fz] = frame.contacts.subarray(6 * i, 6 * i + 6);
    const force = Math.hypot(fx, fy, fz);
    if (force === 0) continue;
    TURN.setFromUnitVectors(UP, NORMAL.set(fx, fy, fz).divideScalar(force));
    const radius = 0.9 * pen.size * Math.sqrt(force / weight);
    const corner = (k, out) => out.set(radius * Math.cos((2 * Math.PI * k) / PATCH_SIDES), radius * Math.sin((2 * Math.PI * k) / PATCH_SIDES), 0)
      .applyQuaternion(TURN).add(TOTAL.set(x, y, z));
    for (let k = 0; k < PATCH_SIDES; k += 1) pen.line(corner(k, AT), corner(k + 1, TO), AMBER);
  }
}

// The velocity (m/s) of a point of a body, at an arm (m) from its place.
export function velocityAt(velocities, body, arm, out) {
  const [vx, vy, vz, wx, wy, wz] = velocities.subarray(6 * body, 6 * body + 6);
  return out.set(wx, wy, wz).cross(arm).add(TOTAL.set(vx, vy, vz));
}

// From the middle of a wheel to where it touches: the contact that carries most; where frames hold none, as those of
// trajectories do, the lowest place of its tread, if the ground is there. Null for a wheel in the air.
function touchOf(frame, middle, axle, [radius, width], ground) {
  let most = 0;
  for (let i = 0; i < frame.contacts_used; i += 1) {
    const [x, y, z, ...force] = frame.contacts.subarray(6 * i, 6 * i + 6);
    AT.set(x, y, z).sub(middle);
    const aside = AT.dot(axle);
    const out = Math.sqrt(Math.max(AT.lengthSq() - aside * aside, 0));
    if (Math.abs(aside) > 0.6 * width || Math.abs(out - radius) > TREAD * radius || Math.hypot(...force) <= most) continue;
    most = Math.hypot(...force);
    ARM.copy(AT);
  }
  if (most > 0) return ARM;
  if (frame.contacts_used > 0) return null;
  ARM.set(0, 0, -1).addScaledVector(axle, axle.z).setLength(radius);
  const above = middle.z + ARM.z - ground.height(middle.x + ARM.x, middle.y + ARM.y, middle.z);
  return Math.abs(above) < TREAD * radius ? ARM : null;
}

// How fast each wheel slides over what it stands on: its own motion there, without what goes into the ground or out of it.
export function drawSlip(pen, frame, world, bodies, ground, chosen) {
  world.bodies.forEach((body, i) => {
    const wheel = body.fixed ? null : body.shapes.find((shape) => shape.kind === "wheel");
    if (!wheel || !chosen(i)) return;
    const middle = LOOKED.set(...wheel.position).applyMatrix4(bodies.matrix[i]);
    AXLE.set(0, 0, 1).applyQuaternion(TURN.set(...wheel.rotation)).transformDirection(bodies.matrix[i]);
    const arm = touchOf(frame, middle, AXLE, wheel.size, ground);
    if (!arm) return;
    AT.copy(middle).add(arm);
    NORMAL.copy(arm).addScaledVector(AXLE, -arm.dot(AXLE)).normalize(); // into the ground
    ARM.subVectors(AT, TO.setFromMatrixPosition(bodies.matrix[i]));
    velocityAt(frame.velocities, i, ARM, SLIP);
    SLIP.addScaledVector(NORMAL, -SLIP.dot(NORMAL));
    const speed = SLIP.length();
    if (speed < SLIPS) return;
    const color = speed > 0.5 * FULL_SLIP ? RED : AMBER;
    pen.arrow(AT, SLIP.divideScalar(speed), (3 * pen.size * Math.min(speed, FULL_SLIP)) / FULL_SLIP, color);
  });
}

// Rings about a joint with numbers beside them: as wide as its force is of the scene's weight and, dashed, as its torque is
// of that weight at an arm of the machine's radius. What is a thousandth and less is left out.
export function drawReaction(pen, frame, { weight, focus }, force, torque) {
  const parts = [[force, weight, VIOLET, false, "N"], [torque, weight * focus.radius, TEAL, true, "N m"]]
    .filter(([value, whole]) => value > LEAST_SHARE * whole);
  for (const [value, whole, color, dashed] of parts) {
    pen.arc(0, 2 * Math.PI, color, Math.min(2.5 * Math.sqrt(value / whole), 3), frame, dashed);
  }
  if (parts.length > 0) pen.note(AT.setFromMatrixPosition(frame), parts.map(([value, , , , unit]) => shown(value, unit)).join(" · "));
}

const AT = new THREE.Vector3();
const TO = new THREE.Vector3();
const NORMAL = new THREE.Vector3();
const TOTAL = new THREE.Vector3();
const LOOKED = new THREE.Vector3();
const ARM = new THREE.Vector3();
const AXLE = new THREE.Vector3();
const SLIP = new THREE.Vector3();
const UP = new THREE.Vector3(0, 0, 1);
const TURN = new THREE.Quaternion();
