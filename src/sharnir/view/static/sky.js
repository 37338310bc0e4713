// Sky: a dome about the camera: a gradient from the horizon to the zenith, the sun and its glow, clouds, and stars at night.

import { smoothNoise, textureOf } from "./noise.js";
import { THREE } from "./three.js";

const RADIUS = 900; // m; within what cameras see, and beyond the fog
const CLOUD_TEXELS = 128;
const CELLS = 26; // of stars, along half of the dome's width
const WIDE = 0.0011; // rad, of a star

let clouds = null;

function cloudTexture() {
  const layers = [[5, 0.5], [11, 0.28], [27, 0.15], [60, 0.07]].map(([n, share], i) => [smoothNoise(n, 30 + i), share]);
  return textureOf(CLOUD_TEXELS, (u, v) => [layers.reduce((sum, [layer, share]) => sum + share * layer(u, v), 0), 0, 0, 1]);
}

const VERTEX = `
  varying vec3 towards;
  void main() {
    towards = position;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const FRAGMENT = `
  varying vec3 towards;
  uniform vec3 zenith, horizon, below, glow, sun;
  uniform float cover, stars, disc;
  uniform sampler2D clouds;
  // A star in one of three cells of the sphere, and round: whole within its cell, and as wide as a pixel at least.
  float star(vec3 at) {
    vec3 cell = floor(${CELLS.toFixed(1)} * at);
    vec3 chance = fract(sin(vec3(dot(cell, vec3(127.1, 311.7, 74.7)), dot(cell, vec3(269.5, 183.3, 246.1)), dot(cell, vec3(113.5, 271.9, 124.6)))) * 43758.5453);
    vec3 middle = normalize(cell + 0.3 + 0.4 * chance);
    vec3 inside = abs(fract(${CELLS.toFixed(1)} * middle) - 0.5);
    if (floor(${CELLS.toFixed(1)} * middle) != cell || max(inside.x, max(inside.y, inside.z)) > 0.4) return 0.0;
    float wide = max(${WIDE}, 0.8 * length(fwidth(at)));
    return (1.0 - smoothstep(0.5 * wide, wide, distance(at, middle))) * chance.x * chance.x;
  }
  void main() {
    vec3 at = normalize(towards);
    float up = max(at.z, 0.0);
    vec3 color = mix(horizon, zenith, pow(up, 0.55));
    float near = max(dot(at, sun), 0.0);
    color += glow * (0.25 * pow(near, 12.0) + 0.5 * pow(near, 240.0) + disc * smoothstep(0.99955, 0.9998, near));
    if (up > 0.02) {
      vec2 place = at.xy / (up + 0.12);
      vec4 drawn = texture2D(clouds, 0.11 * place + 0.2);
      if (stars > 0.0) color += stars * star(at) * smoothstep(0.02, 0.3, up);
      float thick = smoothstep(1.0 - cover, 1.25 - cover, drawn.r + 0.25) * smoothstep(0.02, 0.25, up);
      color = mix(color, horizon * 0.55 + glow * 0.45, 0.75 * thick);
    }
    color = mix(color, below, smoothstep(0.0, -0.08, at.z));
    gl_FragColor = vec4(color, 1.0);
    #include <colorspace_fragment>
  }`;

export class SkyDome {
  constructor(scene) {
    clouds ??= cloudTexture();
    const color = () => ({ value: new THREE.Color() });
    this.uniforms = {
      zenith: color(), horizon: color(), below: color(), glow: color(), sun: { value: new THREE.Vector3(0, 0, 1) },
      cover: { value: 0 }, stars: { value: 0 }, disc: { value: 0 }, clouds: { value: clouds },
    };
    const look = { uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: THREE.BackSide };
    const material = new THREE.ShaderMaterial({ ...look, depthWrite: false, fog: false });
    this.mesh = new THREE.Mesh(new THREE.SphereGeometry(RADIUS, 24, 16).rotateX(Math.PI / 2), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1; // after all that hides it
    this.mesh.onBeforeRender = (renderer, drawn, camera) => {
      this.mesh.matrixWorld.setPosition(AT.setFromMatrixPosition(camera.matrixWorld)); // always about whoever looks
      this.mesh.modelViewMatrix.multiplyMatrices(camera.matrixWorldInverse, this.mesh.matrixWorld);
    };
    scene.add(this.mesh);
  }

  // Colours of a light (lights.js), and where the sun is; null for no sky.
  paint(sky, sun) {
    this.mesh.visible = Boolean(sky);
    if (!sky) return;
    for (const name of ["zenith", "horizon", "below", "glow"]) this.uniforms[name].value.set(sky[name]);
    for (const name of ["cover", "stars", "disc"]) this.uniforms[name].value = sky[name];
    this.uniforms.sun.value.copy(sun);
  }

  // What metal mirrors: the same sky, blurred.
  surroundings(renderer) {
    const alone = new THREE.Scene();
    alone.add(this.mesh.clone());
    const maker = new THREE.PMREMGenerator(renderer);
    const { disc } = this.uniforms;
    const [kept] = [disc.value];
    disc.value = 0; // the sun itself is a light
    const { texture } = maker.fromScene(alone, 0.03, 1, 2 * RADIUS);
    disc.value = kept;
    maker.dispose();
    return texture;
  }
}

const AT = new THREE.Vector3();
