// Lens: pictures of cameras whose lenses bend. What an ideal lens shows at (x, y), in tangents from the middle, is shown at
// (x, y) (1 + k1 r^2 + k2 r^4). A wider picture is drawn straight, and each pixel looks up where it comes from.

import { THREE } from "./three.js";

const ROUNDS = 8; // of Newton's method
const LARGEST = 4096; // texels along a side

// How far from the middle (tangent) is shown at a distance from it.
export function straightened(shown, [k1, k2]) {
  let r = shown;
  for (let i = 0; i < ROUNDS; i += 1) {
    const q = r * r;
    r -= (r * (1 + q * (k1 + k2 * q)) - shown) / (1 + q * (3 * k1 + 5 * k2 * q));
  }
  return r;
}

// Half of the sides of a camera's picture, in tangents.
function halves(camera) {
  const high = Math.tan((camera.fov * Math.PI) / 360);
  return [high * camera.aspect, high];
}

// A place of the picture (-1 to 1 across and up) as a straight lens has it.
export function straight(camera, [x, y]) {
  const { lens } = camera.userData;
  if (!lens) return [x, y];
  const [wide, high] = halves(camera);
  const shown = Math.hypot(x * wide, y * high);
  const scale = shown > 0 ? straightened(shown, lens) / shown : 1;
  return [x * scale, y * scale];
}

// A straight camera at the same place that sees all that a bent one does, with how many pixels it needs for as fine a picture.
export function widened(camera, width, height) {
  const places = [[1, 1], [1, 0], [0, 1]].map((at) => straight(camera, at));
  const [across, up] = [Math.max(...places.map(([x]) => x)), Math.max(...places.map(([, y]) => y))];
  const [wide, high] = halves(camera);
  const straightCamera = new THREE.PerspectiveCamera((360 / Math.PI) * Math.atan(up * high), (across * wide) / (up * high), camera.near, camera.far);
  straightCamera.layers.mask = camera.layers.mask;
  camera.updateMatrixWorld();
  camera.matrixWorld.decompose(straightCamera.position, straightCamera.quaternion, straightCamera.scale);
  straightCamera.updateMatrixWorld();
  const most = Math.min(1, LARGEST / (Math.max(across, up) * Math.max(width, height)));
  return { camera: straightCamera, across, up, width: Math.ceil(across * width * most), height: Math.ceil(up * height * most) };
}

const VERTEX = `
  varying vec2 at;
  void main() {
    at = position.xy;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;

const FRAGMENT = `
  varying vec2 at;
  uniform sampler2D drawn;
  uniform vec2 halves, reach, lens;
  void main() {
    float shown = length(at * halves);
    float r = shown;
    for (int i = 0; i < ${ROUNDS}; i += 1) {
      float q = r * r;
      r -= (r * (1.0 + q * (lens.x + lens.y * q)) - shown) / (1.0 + q * (3.0 * lens.x + 5.0 * lens.y * q));
    }
    vec2 from = shown > 0.0 ? at * (r / shown) : at;
    gl_FragColor = texture2D(drawn, 0.5 + 0.5 * from / reach);
    #include <colorspace_fragment>
  }`;

let bench = null; // what bends: made with the first camera that has a lens

function makeBench() {
  const uniforms = { drawn: { value: null }, halves: { value: new THREE.Vector2() }, reach: { value: new THREE.Vector2() }, lens: { value: new THREE.Vector2() } };
  const material = new THREE.ShaderMaterial({ uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, depthTest: false, depthWrite: false });
  const scene = new THREE.Scene();
  const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
  sheet.frustumCulled = false;
  scene.add(sheet);
  return { uniforms, scene, camera: new THREE.Camera(), target: new THREE.WebGLRenderTarget(1, 1, { type: THREE.HalfFloatType, samples: 4 }) };
}

// Draws what a camera sees into the present part of the picture, so many pixels wide and high.
export function see(renderer, scene, camera, width, height) {
  const { lens } = camera.userData;
  if (!lens) return renderer.render(scene, camera);
  bench ??= makeBench();
  const wider = widened(camera, width, height);
  bench.target.setSize(wider.width, wider.height);
  renderer.setRenderTarget(bench.target);
  renderer.render(scene, wider.camera);
  renderer.setRenderTarget(null);
  bench.uniforms.drawn.value = bench.target.texture;
  bench.uniforms.halves.value.set(...halves(camera));
  bench.uniforms.reach.value.set(wider.across, wider.up);
  bench.uniforms.lens.value.set(...lens);
  renderer.render(bench.scene, bench.camera);
}
