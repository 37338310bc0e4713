// Soil: the look of the ground: a colour, mottled by a small texture made here, with the lines of a grid on it. Where it is
// level or hilly, it is one material, lit and shaded, so that shadows and slopes show on it.

import { THREE } from "./three.js";

const SIZE = 128; // texels along a side of the texture
const OCTAVES = [[4, 0.5], [16, 0.3], [64, 0.2]]; // cells along a side, and their share

// Smooth noise that repeats after n cells: values at the corners, mixed in between.
function noise(n, seed) {
  const corners = Float32Array.from({ length: n * n }, (_, i) => {
    const x = Math.sin(127.1 * (i + 1) + 311.7 * seed) * 43758.5453;
    return x - Math.floor(x);
  });
  const at = (i, k) => corners[(i % n) * n + (k % n)];
  const smooth = (x) => x * x * (3 - 2 * x);
  return (u, v) => {
    const [i, k] = [Math.floor(u * n), Math.floor(v * n)];
    const [a, b] = [smooth(u * n - i), smooth(v * n - k)];
    const left = at(i, k) * (1 - b) + at(i, k + 1) * b;
    const right = at(i + 1, k) * (1 - b) + at(i + 1, k + 1) * b;
    return left * (1 - a) + right * a;
  };
}

function mottled() {
  const layers = OCTAVES.map(([n, share], seed) => [noise(n, seed), share]);
  const texels = new Uint8Array(4 * SIZE * SIZE);
  for (let i = 0; i < SIZE * SIZE; i += 1) {
    const [u, v] = [(i % SIZE) / SIZE, Math.floor(i / SIZE) / SIZE];
    const value = layers.reduce((sum, [layer, share]) => sum + share * layer(u, v), 0);
    texels.fill(Math.round(255 * value), 4 * i, 4 * i + 3);
    texels[4 * i + 3] = 255;
  }
  const texture = new THREE.DataTexture(texels, SIZE, SIZE);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}

let texture = null;

const LINES = `
  varying vec2 place;
  uniform sampler2D soil;
  uniform float cell;
  // lines of constant width on the screen, that fade where they would be closer than pixels
  float lines(vec2 at) {
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(0.6 / max(width.x, width.y), 0.0, 1.0);
  }
  vec3 ground(vec3 color) {
    float spots = 0.6 * texture2D(soil, place / (6.0 * cell)).r + 0.4 * texture2D(soil, place.yx / (1.3 * cell)).r;
    float grid = max(0.2 * lines(place / cell), 0.45 * lines(place / (10.0 * cell)));
    return color * (0.75 + 0.5 * spots) * (1.0 - grid);
  }`;

// A material for ground with a grid of a cell (m).
export function soilMaterial(color, cell, more = {}) {
  texture ??= mottled();
  const look = new THREE.MeshLambertMaterial({ color, ...more });
  look.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, { soil: { value: texture }, cell: { value: cell } });
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 place;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nplace = (modelMatrix * vec4(position, 1.0)).xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${LINES}`)
      .replace("#include <map_fragment>", "diffuseColor.rgb = ground(diffuseColor.rgb);");
  };
  return look;
}
