// Soil: the looks of the ground: grid, grass, gravel, sand, asphalt, concrete. A look is two colours and a small texture
// made here; steep slopes are barer, and heights differ a little in tone. Level or hilly, it is one material, lit and shaded.

import { litMaterial, withCode } from "./materials.js";
import { smoothNoise, stones, textureOf } from "./noise.js";
import { THREE } from "./three.js";

const SIZE = 256; // texels along a side of a texture
const OPEN = 0.3; // of the sky that bodies mirror: ground is in its own hollows

// Of a texture: brightness (a half is as given), which of the two colours, height, and brightness seen from afar.
const PATTERNS = {
  mottled() {
    const [wide, middle, fine] = [smoothNoise(4, 0), smoothNoise(16, 1), smoothNoise(64, 2)];
    return (u, v) => {
      const value = 0.5 * wide(u, v) + 0.3 * middle(u, v) + 0.2 * fine(u, v);
      return [0.38 + 0.24 * value, 0.5, value, value];
    };
  },
  blades() {
    const [patch, tuft, blade, across] = [smoothNoise(5, 3), smoothNoise(24, 4), smoothNoise(40, 5, 128), smoothNoise(128, 6, 48)];
    return (u, v) => {
      const high = 0.35 * tuft(u, v) + 0.4 * blade(u, v) + 0.25 * across(u, v);
      return [0.2 + 0.62 * high, 0.7 * patch(u, v) + 0.3 * tuft(v, u), high, patch(u, v)];
    };
  },
  stones() {
    const [coarse, small, patch] = [stones(22, 7), stones(58, 11), smoothNoise(5, 9)];
    return (u, v) => {
      const [high, own] = coarse(u, v);
      const [low, other] = small(u, v);
      const [top, tone] = own > 0.35 ? [0.35 + 0.65 * high, own] : [0.5 * low, other];
      return [0.24 + 0.28 * top + 0.2 * tone, tone, top, patch(u, v)];
    };
  },
  ripples() {
    const [bend, patch, grain] = [smoothNoise(4, 12), smoothNoise(6, 13), smoothNoise(128, 14)];
    return (u, v) => {
      const wave = 0.5 + 0.5 * Math.sin(2 * Math.PI * (9 * u + 0.9 * bend(u, v)));
      return [0.4 + 0.1 * wave + 0.12 * grain(u, v), patch(u, v), 0.75 * wave + 0.25 * grain(u, v), patch(u, v)];
    };
  },
  grains() {
    const [patch, grain] = [smoothNoise(6, 15), stones(72, 16)];
    return (u, v) => {
      const [high, tone] = grain(u, v);
      return [0.3 + 0.2 * high + (tone > 0.86 ? 0.28 : 0.16 * tone), patch(u, v), high, patch(u, v)];
    };
  },
  plaster() {
    const [patch, cloud, grain] = [smoothNoise(5, 17), smoothNoise(22, 18), smoothNoise(128, 19)];
    return (u, v) => {
      const value = 0.5 * patch(u, v) + 0.3 * cloud(u, v) + 0.2 * grain(u, v);
      return [0.42 + 0.16 * value, cloud(v, u), 0.3 + 0.2 * grain(u, v), patch(u, v)];
    };
  },
};

// Pattern, two colours, the colour of steep slopes, m that the texture covers, how high its bumps look, how rough it is for
// light, m between joints or lines.
const LOOKS = {
  grid: { pattern: "mottled", tones: ["#8c9285", "#8c9285"], bare: "#857c6e", covers: 7.8, bump: 0.4, rough: 0.9, lines: 0 },
  grass: { pattern: "blades", tones: ["#4a6237", "#7d8655"], bare: "#7f7159", covers: 2.2, bump: 1.6, rough: 1, lines: -1 },
  gravel: { pattern: "stones", tones: ["#8d8a83", "#77706a"], bare: "#6f675d", covers: 1.6, bump: 2.2, rough: 0.95, lines: -1 },
  sand: { pattern: "ripples", tones: ["#cbb184", "#b7986a"], bare: "#a98a60", covers: 1.8, bump: 0.9, rough: 0.95, lines: -1 },
  asphalt: { pattern: "grains", tones: ["#4b4d50", "#55575a"], bare: "#5d5a55", covers: 1.2, bump: 0.7, rough: 0.85, lines: -1 },
  concrete: { pattern: "plaster", tones: ["#b3b1aa", "#a3a19a"], bare: "#8f8c84", covers: 3.1, bump: 0.25, rough: 0.8, lines: 4 },
};

export const GROUND_LOOKS = Object.keys(LOOKS);

const textures = new Map();

function textureFor(pattern, plain) {
  const key = `${pattern} ${plain}`;
  if (!textures.has(key)) textures.set(key, textureOf(SIZE, PATTERNS[pattern](), plain));
  return textures.get(key);
}

// What changes slowly over the ground, of a place: how much of the second colour, how bright, and how bare. Where a field is
// drawn in software it is worked out for the corners of triangles only, which is enough there.
const SLOW = `
  varying vec3 place;
  uniform sampler2D soil;
  uniform vec2 relief; // the lowest and the highest place, m
  uniform float covers;
  #ifdef BY_CORNERS
    varying vec3 slow;
  #else
    varying float upright;
  #endif
  vec3 slowly(vec4 far, float upright) {
    float high = clamp((place.z - relief.x) / max(relief.y - relief.x, 0.02), 0.0, 1.0);
    return vec3(far.a, (0.83 + 0.34 * far.a) * (0.9 + 0.2 * high), smoothstep(0.16, 0.42, 1.0 - upright));
  }
  vec2 farPlace() {
    return place.yx / (9.7 * covers) + 0.37;
  }`;

const PLACES = `
  place = (modelMatrix * vec4(position, 1.0)).xyz;
  float up = normalize(mat3(modelMatrix) * normal).z;
  #ifdef BY_CORNERS
    slow = slowly(textureLod(soil, farPlace(), 1.0), up);
  #else
    upright = up;
  #endif`;

const FRAGMENT = `
  ${SLOW}
  uniform vec3 toneA, toneB, bare;
  uniform float cell, bump;
  // lines of constant width on the screen, that fade where they are closer than five pixels
  float lines(vec2 at) {
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(0.2 / max(width.x, width.y), 0.0, 1.0);
  }
  float grid() {
    return max(0.2 * lines(place.xy / cell), 0.45 * lines(place.xy / (10.0 * cell)));
  }
  vec3 ground() {
    vec4 near = texture2D(soil, place.xy / covers);
    #ifndef BY_CORNERS
      vec3 slow = slowly(texture2D(soil, farPlace()), upright);
    #endif
    vec3 color = mix(toneA, toneB, mix(near.g, slow.x, 0.5)) * (2.0 * near.r);
    color = slow.y * mix(color, bare * (0.6 + 0.8 * near.r), slow.z);
    #ifdef JOINTS
      return color * (1.0 - 0.4 * lines(place.xy / cell));
    #elif defined(GRID)
      return color * (1.0 - grid());
    #else
      return color;
    #endif
  }
  #ifdef BUMPS
    vec3 bumped(vec3 straight) {
      float step = 1.0 / ${SIZE}.0;
      vec2 at = place.xy / covers;
      float here = texture2D(soil, at).b;
      vec2 rise = vec2(texture2D(soil, at + vec2(step, 0.0)).b, texture2D(soil, at + vec2(0.0, step)).b) - here;
      return normalize(straight - bump * (viewMatrix * vec4(rise, 0.0, 0.0)).xyz);
    }
  #endif`;

// The material of a look; ``color`` takes the place of its own two, ``cell`` (m) is that of its grid, ``relief`` its
// lowest and highest place (m). Plain: without bumps. A field has small triangles. Where one sees through it, its lines stay.
export function soilMaterial(name, { color, cell, relief = [0, 0], plain = true, field = false, ...more }) {
  const look = LOOKS[name] ?? LOOKS.grid;
  const material = litMaterial(plain, more, { roughness: look.rough, metalness: 0 });
  material.defines = { ...material.defines, ...(look.lines === 0 ? { GRID: 1 } : look.lines > 0 ? { JOINTS: 1 } : {}) };
  if (!plain) material.defines.BUMPS = 1;
  else if (field) material.defines.BY_CORNERS = 1;
  const [a, b] = color ? [color, color] : look.tones;
  const uniforms = {
    soil: { value: textureFor(look.pattern, plain) },
    toneA: { value: new THREE.Color(a) },
    toneB: { value: new THREE.Color(b) },
    bare: { value: new THREE.Color(look.bare) },
    relief: { value: new THREE.Vector2(...relief) },
    cell: { value: look.lines > 0 ? look.lines : cell },
    covers: { value: look.covers * (cell < 1 ? 0.2 : 1) },
    bump: { value: look.bump },
  };
  material.userData.paint = (tone) => {
    if (color || name !== "grid") return; // it has colours of its own
    uniforms.toneA.value.set(tone);
    uniforms.toneB.value.set(tone);
  };
  const fragment = {
    common: FRAGMENT,
    map_fragment: `diffuseColor.rgb = ground();${more.transparent ? "diffuseColor.a = min(1.0, diffuseColor.a + 2.0 * grid());" : ""}`,
    normal_fragment_maps: "#ifdef BUMPS\nnormal = bumped(normal);\n#endif",
    lights_fragment_maps: `#ifdef STANDARD\niblIrradiance *= ${OPEN};\nradiance *= ${OPEN};\n#endif`,
  };
  return withCode(material, { common: SLOW, begin_vertex: PLACES }, fragment, uniforms);
}
