// Mounted: what can be seen from, beside the orbit: cameras on bodies, a seat, the end of a rope, and from above. Each aims
// a camera of three.js by the present places of the bodies.

import { THREE } from "./three.js";
import { t } from "./texts.js";
import { TRAIL_LAYER } from "./trail.js";

const SEAT_VIEW = 60; // degrees from the lower to the upper edge
const MAP_VIEW = 40;
const MAP_REACH = 4; // radii of the machine that the map shows about it

// All there are in a world, by name.
export function mounted(world) {
  const found = new Map(world.cameras.map((camera) => [camera.name, onboard(camera)]));
  found.set(t("Seat"), seat(world));
  if (world.ropes.length > 0) found.set(t("Rope end"), ropeEnd());
  found.set(t("From above"), map(world));
  return found;
}

function onboard({ body, position, direction, up, field_of_view: view, distortion: lens }) {
  return ({ camera, bodies }) => {
    const matrix = bodies.matrix[body] ?? IDENTITY;
    AT.set(...position).applyMatrix4(matrix);
    LOOK.set(...direction).transformDirection(matrix).add(AT);
    UP.set(...up).transformDirection(matrix);
    aim(camera, (view * 180) / Math.PI);
    camera.userData.lens = lens ?? null; // lens.js
  };
}

// Eyes before and above the body, looking along its x axis.
export function seat(world) {
  return ({ camera, bodies, body }) => {
    const matrix = bodies.matrix[body] ?? IDENTITY;
    const [x, y, z] = world.bodies[body]?.seat ?? [0, 0, 1];
    AT.set(x, y, z).applyMatrix4(matrix);
    LOOK.set(x + 4, y, z - 0.6).applyMatrix4(matrix);
    UP.set(0, 0, 1).transformDirection(matrix);
    aim(camera, SEAT_VIEW);
  };
}

export function ropeEnd() {
  return ({ camera, ropes }) => {
    const { points } = ropes.ropes[0];
    const end = points[points.length - 1];
    ALONG.subVectors(end, points[Math.max(points.length - 4, 0)]).normalize();
    AT.copy(end).addScaledVector(ALONG, -0.4).add(ALONG.set(0, 0, 0.25));
    LOOK.copy(end);
    UP.set(0, 0, 1);
    aim(camera, SEAT_VIEW);
  };
}

// North (y) is up, the followed body in the middle.
function map(world) {
  const height = (MAP_REACH * world.focus.radius) / Math.tan((0.5 * MAP_VIEW * Math.PI) / 180);
  return ({ camera, bodies, body }) => {
    if (bodies.matrix[body]) LOOK.setFromMatrixPosition(bodies.matrix[body]);
    else LOOK.set(...world.focus.center);
    AT.copy(LOOK).add(UP.set(0, 0, height));
    UP.set(0, 1, 0);
    aim(camera, MAP_VIEW, TRAIL_LAYER);
  };
}

function aim(camera, view, layer = 0) {
  camera.userData.lens = null;
  camera.layers.set(0);
  camera.layers.enable(layer);
  camera.position.copy(AT);
  camera.up.copy(UP);
  camera.lookAt(LOOK);
  if (camera.fov === view) return;
  camera.fov = view;
  camera.updateProjectionMatrix();
}

const IDENTITY = new THREE.Matrix4();
const AT = new THREE.Vector3();
const LOOK = new THREE.Vector3();
const UP = new THREE.Vector3();
const ALONG = new THREE.Vector3();
