// Sensing: what a mounted camera sees, as numbers: how far each pixel is along the camera's direction (m), and what it shows.

import { straight, widened } from "./lens.js";
import { THREE } from "./three.js";

const FINER = 4; // times as many pixels along a side of the straight picture: faces may be as small as pixels
export const GROUND = -1; // what a pixel shows: bodies are 1, 2, ..., ropes -2, -3, ..., and 0 is nothing

const VERTEX = `
  #ifdef USE_INSTANCING
    attribute float bodyNumber;
  #else
    uniform float segment;
  #endif
  varying float which;
  void main() {
    vec4 at = vec4(position, 1.0);
    #ifdef USE_INSTANCING
      at = instanceMatrix * at;
    #endif
    at = modelViewMatrix * at;
    #ifdef USE_INSTANCING
      which = bodyNumber;
    #else
      which = segment;
    #endif
    gl_Position = projectionMatrix * at;
  }`;

const FRAGMENT = `
  varying float which;
  void main() {
    float near = gl_FragCoord.w; // 1/depth, which is linear over the picture of a face
    gl_FragColor = vec4(near, which, dFdx(near), dFdy(near));
  }`;

function senseMaterial(segment) {
  const look = { vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.DoubleSide, blending: THREE.NoBlending };
  return new THREE.ShaderMaterial({ ...look, uniforms: { segment: { value: segment } } });
}

// Draws what can be told apart with materials of its own, and nothing else, and gives back two numbers a pixel: depth (m, 0
// for nothing) and what is shown, row by row from the top. Where the lens bends, pixels come from a wider straight picture, by
// the faces that it shows.
export function sense(view, camera, width, height) {
  const wider = camera.userData.lens ? widened(camera, FINER * width, FINER * height) : { camera, across: 1, up: 1, width, height };
  const drawn = sensed(view, wider.camera, wider.width, wider.height);
  const found = new Float32Array(2 * width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const [x, y] = straight(camera, [(2 * column + 1) / width - 1, 1 - (2 * row + 1) / height]);
      const [u, v] = [(0.5 + (0.5 * x) / wider.across) * wider.width, (0.5 + (0.5 * y) / wider.up) * wider.height];
      const [i, k] = [Math.min(Math.max(Math.floor(u), 0), wider.width - 1), Math.min(Math.max(Math.floor(v), 0), wider.height - 1)];
      const from = 4 * (k * wider.width + i);
      const to = 2 * (row * width + column);
      found[to] = drawn[from] > 0 ? 1 / within(drawn, wider, from, u - i - 0.5, v - k - 0.5) : 0;
      found[to + 1] = Math.round(drawn[from + 1]);
    }
  }
  return found;
}

// 1/depth beside the middle of a pixel, on its face, but not beyond what its neighbours on that side have: a face may end there.
function within(drawn, { width, height }, from, aside, above) {
  const here = drawn[from];
  const beside = [here];
  for (const step of [4 * Math.sign(aside), 4 * width * Math.sign(above), 4 * (Math.sign(aside) + width * Math.sign(above))]) {
    const near = from + step >= 0 && from + step < 4 * width * height ? drawn[from + step] : here;
    if (near > 0) beside.push(near);
  }
  const found = here + aside * drawn[from + 2] + above * drawn[from + 3];
  return Math.min(Math.max(found, Math.min(...beside)), Math.max(...beside));
}

// Of every pixel 1/depth (0 for nothing), what is shown, and how 1/depth changes to the right and upwards; from below.
function sensed(view, camera, width, height) {
  const { renderer, scene } = view;
  const target = new THREE.WebGLRenderTarget(width, height, { type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
  const undo = dress(view);
  const kept = { background: scene.background, environment: scene.environment, clear: renderer.getClearAlpha() };
  Object.assign(scene, { background: null, environment: null });
  renderer.setRenderTarget(target);
  renderer.setClearColor(0, 0);
  renderer.clear();
  renderer.render(scene, camera);
  const read = new Float32Array(4 * width * height);
  renderer.readRenderTargetPixels(target, 0, 0, width, height, read);
  renderer.setRenderTarget(null);
  renderer.setClearColor(0, kept.clear);
  Object.assign(scene, { background: kept.background, environment: kept.environment });
  undo();
  target.dispose();
  return read;
}

// Gives everything its material for sensing, and hides the rest; returns how to undo it.
function dress(view) {
  const told = new Map();
  for (const mesh of [...view.bodies.group.children, ...view.springs.meshes()]) told.set(mesh, (mesh.userData.bodies[0] ?? -1) + 1);
  for (const { meshes, floats } of view.ground.pieces) if (!floats) meshes.forEach((mesh) => told.set(mesh, GROUND));
  view.ropes.ropes.forEach(({ mesh, skin }, i) => [mesh, ...(skin?.meshes ?? [])].forEach((one) => told.set(one, GROUND - 1 - i)));
  const before = [];
  view.scene.traverse((object) => {
    if (!object.isMesh && !object.isLine && !object.isPoints) return;
    before.push([object, object.visible, object.material]);
    object.visible &&= told.has(object);
    if (told.has(object)) object.material = senseMaterial(told.get(object));
  });
  return () => {
    for (const [object, visible, material] of before) {
      if (object.material !== material) object.material.dispose();
      Object.assign(object, { visible, material });
    }
  };
}
