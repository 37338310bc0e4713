// Noise: values over the unit square that repeat at its edges, for textures made here.

import { THREE } from "./three.js";

function random(i, seed) {
  const x = Math.sin(127.1 * (i + 1) + 311.7 * seed) * 43758.5453;
  return x - Math.floor(x);
}

// Smooth: values at the corners of n by m cells, mixed in between.
export function smoothNoise(n, seed, m = n) {
  const corners = Float32Array.from({ length: n * m }, (_, i) => random(i, seed));
  const at = (i, k) => corners[(i % n) * m + (k % m)];
  const smooth = (x) => x * x * (3 - 2 * x);
  return (u, v) => {
    const [i, k] = [Math.floor(u * n), Math.floor(v * m)];
    const [a, b] = [smooth(u * n - i), smooth(v * m - k)];
    const left = at(i, k) * (1 - b) + at(i, k + 1) * b;
    const right = at(i + 1, k) * (1 - b) + at(i + 1, k + 1) * b;
    return left * (1 - a) + right * a;
  };
}

// Stones: one in every cell. Returns how high it is at a place, from 0 in the gaps to 1, and a number of its own.
export function stones(n, seed) {
  const wrap = (i) => ((i % n) + n) % n;
  return (u, v) => {
    const [i, k] = [Math.floor(u * n), Math.floor(v * n)];
    let [first, second, which] = [9, 9, 0];
    for (let a = i - 1; a <= i + 1; a += 1) {
      for (let b = k - 1; b <= k + 1; b += 1) {
        const cell = wrap(a) * n + wrap(b);
        const far = Math.hypot(a + random(cell, seed) - u * n, b + random(cell, seed + 1) - v * n);
        if (far < first) [first, second, which] = [far, first, cell];
        else if (far < second) second = far;
      }
    }
    return [Math.min(1, 1.6 * (second - first)), random(which, seed + 2)];
  };
}

// A texture of four numbers (0 to 1) for every place of the unit square, that repeats. Plain: looked up in one of its sizes,
// once for a pixel; in software that is a third of what drawing the ground takes.
export function textureOf(size, values, plain = false) {
  const texels = new Uint8Array(4 * size * size);
  for (let i = 0; i < size * size; i += 1) {
    const found = values((i % size) / size, Math.floor(i / size) / size);
    for (let c = 0; c < 4; c += 1) texels[4 * i + c] = Math.round(255 * Math.min(Math.max(found[c], 0), 1));
  }
  const texture = new THREE.DataTexture(texels, size, size);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = plain ? THREE.LinearMipmapNearestFilter : THREE.LinearMipmapLinearFilter;
  texture.anisotropy = plain ? 1 : 4;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}
