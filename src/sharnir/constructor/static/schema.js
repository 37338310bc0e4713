// The schema of scene files: which description a path has, what can stand there, and values to begin with.

import { stepsOf } from "./document.js";

export class Schema {
  constructor(root) {
    this.root = root;
    this.definitions = root.$defs;
  }

  // A node without its reference; what the reference's own keys say goes on top.
  resolve(node) {
    if (!node.$ref) return node;
    const { $ref, ...own } = node;
    return { ...this.definitions[$ref.slice("#/$defs/".length)], ...own };
  }

  // The node of a path in a document's data; undefined where there can be nothing.
  at(path, data) {
    let node = this.resolve(this.root);
    let value = data;
    for (const step of stepsOf(path)) {
      node = this.chosen(node, value);
      node = node.properties?.[step] ?? node.additionalProperties ?? node.prefixItems?.[Number(step)] ?? node.items;
      if (!node) return undefined;
      node = this.resolve(node);
      value = value?.[step];
    }
    return node;
  }

  // What may stand at a node, one by one; null among them where it may be left out.
  options(node) {
    const each = node.anyOf ? node.anyOf.map((option) => this.resolve(option)) : [this.resolve(node)];
    return each.flatMap((option) => (option.anyOf ? this.options(option) : [option]));
  }

  // The option that a value is one of; the first where it is none.
  chosen(node, value) {
    const options = this.options(node);
    return options.find((option) => fits(option, value)) ?? options.find((option) => option.type !== "null") ?? options[0];
  }

  // A value to begin with: what is needed, and nothing else.
  sample(node, name = "") {
    const option = this.options(node).find((one) => one.type !== "null") ?? node;
    if (option.default !== undefined && option.default !== null) return structuredClone(option.default);
    if (option.const !== undefined) return option.const;
    if (option.enum) return option.enum[0];
    if (option.properties) {
      const tag = option.properties.type?.const;
      const needed = (option.required ?? []).filter((key) => key !== "type");
      const made = Object.fromEntries(needed.map((key) => [key, this.sample(option.properties[key], key)]));
      return tag === undefined ? made : { type: tag, ...made, ...EXTRA[tag] };
    }
    if (option.prefixItems) return option.prefixItems.map((item, i) => VECTORS[name]?.[i] ?? this.sample(item, name));
    if (option.type === "array") return [];
    if (option.type === "object") return {};
    if (option.type === "boolean") return false;
    if (option.type === "string") return "";
    return NUMBERS[name] ?? 1;
  }
}

// What a scene needs besides what the schema says is needed.
const EXTRA = {
  box: { mass: 1 }, sphere: { mass: 1 }, cylinder: { mass: 1 }, capsule: { mass: 1 }, wheel: { mass: 3 },
  ellipsoid: { mass: 1 }, hull: { mass: 1, points: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]] },
  spring: { stiffness: 1000, damping: 10 }, heights: { relief: [{ type: "sine", amplitude: 0.1, wavelength: 3 }], size: [20, 20], spacing: [0.25, 0.25] },
  mesh: { mass: 1, vertices: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]], triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] },
  gust: { force: [0, 50, 0] },
  speed_servo: { gain: 0.5 }, // light parts follow it at the steps of a trial
  gearbox: { ratios: [3, 2, 1] }, force_map: { coordinates: [-1, 1], speeds: [-1, 1], forces: [[110, 90], [-90, -110]] },
};

const NUMBERS = {
  x: 0.3, y: 0.2, z: 0.2, radius: 0.1, length: 0.4, width: 0.1, mass: 1, density: 1200, stall_torque: 1.5, idle_speed: 300,
  time_constant: 0.02, ratio: 50, gain: 10, stiffness: 1000, damping: 10, level: 0.1, static: 0.2, speed: 0.01, viscous: 0.1,
  coefficient: 0.1, angle: 0.5, area: 0.001, stroke: 0.3, supply: 2e7, flow: 5e-4, volume: 0.001, pressure: 5e5, force: 500,
  torque_constant: 0.1, current_limit: 10, beams: 36, rise: 0.1, tread: 0.3, count: 5, amplitude: 0.1, wavelength: 3,
  rms: 0.02, lead: 0.005, radius_a: 0.05, radius_b: 0.1, sun_teeth: 24, ring_teeth: 72, multiplier: 1, load: 25,
  gauge: 0.6, duration: 1, remaining: 0, at: 0,
};

const VECTORS = { path: [0, 0, 0], along: [0, 0, 0.4], direction: [1, 0, 0], axis: [0, 0, 1] };

export function fits(option, value) {
  if (value === null || value === undefined) return option.type === "null";
  if (option.const !== undefined) return option.const === value;
  if (option.enum) return option.enum.includes(value);
  if (Array.isArray(value)) return option.type === "array";
  if (typeof value === "object") {
    const tag = option.properties?.type?.const;
    if (tag !== undefined) return value.type === tag;
    return option.type === "object" && (option.properties ? !("type" in value) : value.type === undefined || typeof value.type === "object");
  }
  if (typeof value === "number") return option.type === "number" || (option.type === "integer" && Number.isInteger(value));
  return option.type === typeof value;
}

// The sentence of a description that is about a field.
export function helpOf(description, field) {
  const text = (description ?? "").replaceAll(/\s+/g, " ");
  const sentences = text.split(/(?<=[.;:]) (?=[A-Z`])/);
  return sentences.find((sentence) => sentence.includes(`\`${field}\``))?.replaceAll("`", "").replace(/[;:]$/, ".") ?? "";
}

export const words = (name) => name.replaceAll("_", " ");
