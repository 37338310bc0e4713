// Lights: the sun with its shadow, the sky's own light, fog, and at night the lamps of machines. Chosen by name; "studio"
// has no sky, and the colours of the page.

import { SkyDome } from "./sky.js";
import { poseMatrix } from "./shapes.js";
import { THREE } from "./three.js";

// The sky's colours (sky.js), the sun, the light from all around (above, below), what metal mirrors, and far air.
export const LIGHTS = {
  day: {
    sky: { zenith: "#3c6fae", horizon: "#bcd0df", below: "#a9ada2", glow: "#fff1d6", cover: 0.5, stars: 0, disc: 6 },
    sun: "#fff2dc", strength: 3.4, above: "#c8daf0", under: "#7d7768", fill: 1.45, mirror: 0.55, air: "#c3d3df",
  },
  overcast: {
    sky: { zenith: "#9aa4ad", horizon: "#cfd4d6", below: "#a3a69f", glow: "#e6e8e8", cover: 0.95, stars: 0, disc: 0 },
    sun: "#eef2f5", strength: 0.8, above: "#e2e7eb", under: "#8b887d", fill: 2.3, mirror: 0.8, air: "#c9ced0",
  },
  night: {
    sky: { zenith: "#060b15", horizon: "#1c2637", below: "#0d1219", glow: "#5f6d86", cover: 0.25, stars: 0.9, disc: 0.6 },
    sun: "#a9bde2", strength: 0.5, above: "#5f7396", under: "#3d4450", fill: 1.4, mirror: 2.0, air: "#0c1119",
    lamps: true,
  },
};

export const LIGHT_NAMES = { day: "Day", overcast: "Overcast", night: "Night", studio: "Studio" };

const STUDIO = {
  dark: { sun: "#ffffff", strength: 2.6, above: "#ffffff", under: "#6b6f66", fill: 1.7, mirror: 0, air: "#1a2026" },
  light: { sun: "#ffffff", strength: 3.0, above: "#ffffff", under: "#6b6f66", fill: 2.6, mirror: 0, air: "#dfe8ee" },
};
const RIM = 0.15; // of half of the shadow's map
const SUN_AWAY = 5; // radii of what is in shadow
const MOST_LAMPS = { plain: 6, fine: 12 };
const LAMP = { color: "#fff1d0", strength: 16, reach: 30, angle: 0.5 }; // cd, m, rad
const CLEAR = [14, 60, 60]; // radii at which air begins to be seen and where it ends, and m beyond that
const THICK = 12; // radii that one sees through fog that is switched on

// Shadows fade at the rim of their map, where they would be cut off.
THREE.ShaderChunk.shadowmap_pars_fragment = THREE.ShaderChunk.shadowmap_pars_fragment.replace(
  "return mix( 1.0, shadow, shadowIntensity );", // the first: that of a sun
  `vec2 aside = abs(2.0 * shadowCoord.xy - 1.0);
  return mix(1.0, shadow, shadowIntensity * (1.0 - smoothstep(${1 - RIM}, 1.0, max(aside.x, aside.y))));`,
);

// Towards the sun, or the moon.
export function sunOf({ azimuth, elevation }) {
  const level = Math.cos(elevation);
  return new THREE.Vector3(level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(elevation));
}

export class Lights {
  constructor(world, scene, renderer, plain) {
    Object.assign(this, { world, scene, renderer, plain });
    this.name = world.sky.light;
    this.fog = world.sky.fog;
    this.towards = sunOf(world.sky);
    this.dome = new SkyDome(scene);
    this.sun = new THREE.DirectionalLight();
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.texels);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 2;
    this.all = new THREE.HemisphereLight();
    scene.add(this.sun, this.sun.target, this.all);
    this.addLamps();
    this.mirrored = new Map();
    this.reach = 0;
  }

  // Of the shadow, along a side.
  get texels() {
    return this.plain ? 1536 : 3072;
  }

  // Coarse: with half of the texels along a side.
  setShadow(coarse) {
    const { shadow } = this.sun;
    const texels = coarse ? this.texels / 2 : this.texels;
    if (shadow.mapSize.x === texels) return;
    shadow.mapSize.setScalar(texels);
    shadow.map?.dispose();
    shadow.map = null;
    this.reach = 0; // what follows from the size of texels is set anew
  }

  // Cylinders that glow shine along their axes. Where they are too many, one of each machine shines for all of it.
  addLamps() {
    const most = MOST_LAMPS[this.plain ? "plain" : "fine"];
    const perBody = this.world.bodies.map(({ shapes }) => shapes.filter(({ kind, glow }) => kind === "cylinder" && glow > 0));
    const few = perBody.flat().length <= most;
    const shining = perBody.flatMap((shapes, body) => shapes.slice(0, few ? undefined : 1).map((shape) => ({ body, shape })));
    this.lamps = shining.slice(0, most).map(({ body, shape }) => {
      const strength = LAMP.strength * (few ? 1 : perBody[body].length);
      const lamp = new THREE.SpotLight(LAMP.color, strength, LAMP.reach, LAMP.angle, 0.6);
      lamp.visible = false;
      this.scene.add(lamp, lamp.target);
      return { body, frame: poseMatrix(shape.position, shape.rotation), lamp };
    });
  }

  // By the name of the light, and of the page's theme where there is no sky.
  paint(theme) {
    const light = LIGHTS[this.name] ?? STUDIO[theme];
    this.dome.paint(light.sky ?? null, this.towards);
    this.scene.background = light.sky ? null : new THREE.Color(light.air);
    this.sun.color.set(light.sun);
    this.sun.intensity = light.strength;
    this.all.color.set(light.above);
    this.all.groundColor.set(light.under);
    this.all.intensity = light.fill * (this.plain || light.mirror === 0 ? 1 : 0.6); // the rest is mirrored
    const { radius } = this.world.extent;
    const [from, to] = this.fog ? [0.02 * this.fog, this.fog] : [CLEAR[0] * radius, CLEAR[1] * radius + CLEAR[2]];
    this.scene.fog = new THREE.Fog(light.air, from, to);
    this.mirror(light);
    for (const { lamp } of this.lamps) lamp.visible = Boolean(light.lamps);
    return light;
  }

  mirror(light) {
    this.scene.environment = null;
    if (this.plain || light.mirror === 0) return;
    if (!this.mirrored.has(this.name)) this.mirrored.set(this.name, this.dome.surroundings(this.renderer));
    this.scene.environment = this.mirrored.get(this.name);
    this.scene.environmentIntensity = light.mirror;
  }

  setFog(on) {
    this.fog = on ? (this.world.sky.fog ?? THICK * this.world.focus.radius + 8) : null;
  }

  // The shadow covers what is looked at: a square about a place, as wide as it is seen (m). It moves by whole texels, and
  // grows by steps, so that its edges stand still.
  cover(at, wide) {
    const reach = 2 ** (Math.ceil(2 * Math.log2(Math.max(wide, 1e-3))) / 2);
    const { shadow, target } = this.sun;
    const texel = (2 * reach) / shadow.mapSize.x;
    if (reach !== this.reach) {
      this.reach = reach;
      Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * reach, far: 2 * SUN_AWAY * reach });
      shadow.camera.updateProjectionMatrix();
      shadow.normalBias = 1.5 * texel;
    }
    TURN.lookAt(this.towards, ORIGIN, UP);
    BACK.copy(TURN).transpose();
    target.position.copy(at).applyMatrix4(BACK);
    target.position.set(Math.round(target.position.x / texel) * texel, Math.round(target.position.y / texel) * texel, target.position.z);
    target.position.applyMatrix4(TURN);
    this.sun.position.copy(target.position).addScaledVector(this.towards, SUN_AWAY * reach);
  }

  // Lamps go with their bodies.
  carry(matrices) {
    for (const { body, frame, lamp } of this.lamps) {
      if (!lamp.visible) continue;
      PLACE.multiplyMatrices(matrices[body], frame);
      lamp.position.setFromMatrixPosition(PLACE);
      lamp.target.position.setFromMatrixColumn(PLACE, 2).add(lamp.position);
    }
  }
}

const TURN = new THREE.Matrix4();
const BACK = new THREE.Matrix4();
const PLACE = new THREE.Matrix4();
const ORIGIN = new THREE.Vector3();
const UP = new THREE.Vector3(0, 0, 1);
