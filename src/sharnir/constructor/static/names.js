// Names: which there are, new ones, and what refers to an old one.

import { pathOf, stepsOf } from "./document.js";

export const WORLD = "world";

// Sections of a scene that hold things by name, in the order of the tree.
export const SECTIONS = ["bodies", "joints", "couplings", "ropes", "terrain", "materials", "sensors", "cameras", "rays", "rulers", "faults", "scenarios"];

export function fresh(taken, wanted) {
  if (!(wanted in taken)) return wanted;
  const stem = wanted.replace(/[ _]?\d+$/, "");
  for (let i = 2; ; i += 1) if (!(`${stem}_${i}` in taken)) return `${stem}_${i}`;
}

// Keys whose texts are names of a section's things; those of joints may go on with the coordinate: "hinge.angle".
const KEYS = {
  bodies: ["between", "body", "bodies", "on", "of"],
  joints: ["joint", "on", "of", "coordinates", "sprocket"],
  materials: ["material", "between"],
  cameras: ["camera"],
  ropes: ["rope", "of"],
  sensors: ["of", "on"], rays: ["of"], rulers: ["of"], couplings: ["of", "joint"], terrain: [], faults: [], scenarios: [],
};

// The operations that rename a thing, and everything that refers to it.
export function renaming(data, path, name) {
  const [section, old] = stepsOf(path);
  const made = [{ op: "move", from: path, path: pathOf(section, name) }];
  const renamed = (text) => {
    if (text === old) return name;
    return section === "joints" && text.startsWith(`${old}.`) ? name + text.slice(old.length) : null;
  };
  const walk = (value, steps, key) => {
    if (typeof value === "string") {
      const next = KEYS[section].includes(key) && !isOther(section, steps) ? renamed(value) : null;
      if (next !== null) made.push({ op: "replace", path: pathOf(...steps), value: next });
    } else if (value && typeof value === "object") {
      for (const [inner, item] of Object.entries(value)) {
        const at = steps.length === 1 && steps[0] === section && inner === old ? name : inner;
        walk(item, [...steps, at], Array.isArray(value) ? key : inner);
      }
    }
  };
  walk(data, [], "");
  return made;
}

// "between" of material pairs names materials, and all others bodies.
const isOther = (section, steps) =>
  steps.includes("between") && (section === "materials") !== (steps[0] === "material_pairs");

// What would hang in the air without a body: joints, and what sits on it.
export function dependents(data, gone) {
  const found = new Set();
  const lost = (name) => gone.has(pathOf("bodies", name));
  for (const [name, joint] of Object.entries(data.joints ?? {})) if (joint.between?.some(lost)) found.add(pathOf("joints", name));
  const lostJoint = (label) => {
    const path = pathOf("joints", String(label).split(".")[0]);
    return gone.has(path) || found.has(path);
  };
  for (const [name, { contact }] of Object.entries(data.bodies ?? {})) {
    if (contact?.belt && lostJoint(contact.belt.sprocket) && !lost(name)) found.add(pathOf("bodies", name, "contact", "belt"));
  }
  for (const [name, one] of Object.entries(data.couplings ?? {})) if (one.coordinates?.some(lostJoint)) found.add(pathOf("couplings", name));
  for (const section of ["cameras", "rays"]) {
    for (const [name, one] of Object.entries(data[section] ?? {})) if (lost(one.body)) found.add(pathOf(section, name));
  }
  for (const [name, one] of Object.entries(data.rulers ?? {})) if (one.between?.some(lost)) found.add(pathOf("rulers", name));
  for (const [name, one] of Object.entries(data.sensors ?? {})) if (lost(one.on) || lostJoint(one.on)) found.add(pathOf("sensors", name));
  for (const [name, rope] of Object.entries(data.ropes ?? {})) {
    const ties = [rope.start, rope.end, ...(rope.ties ?? []), ...(rope.eyelets ?? [])];
    if (ties.some((tie) => tie && lost(tie.body)) || (rope.winch && lostJoint(rope.winch.joint))) found.add(pathOf("ropes", name));
  }
  const lostRope = (name) => gone.has(pathOf("ropes", name)) || found.has(pathOf("ropes", name));
  for (const [name, one] of Object.entries(data.faults ?? {})) if (lost(one.body) || lostJoint(one.joint) || lostRope(one.rope)) found.add(pathOf("faults", name));
  return [...found].filter((path) => !gone.has(path));
}

// The operations that add a thing to a section, which may not be there yet.
export function adding(data, section, name, value) {
  if (data[section]) return [{ op: "add", path: pathOf(section, name), value }];
  const order = ["sharnir", "name", "gravity", "materials", "material_pairs", "terrain", "bodies", "joints", "couplings", "rays", "cameras", "rulers", "sensors", "ropes", "sky", "diagram", "panel", "faults", "scenarios", "ignored_warnings"];
  const later = order.slice(order.indexOf(section)).find((other) => other in data);
  return [{ op: "add", path: pathOf(section), value: { [name]: value }, ...(later ? { before: later } : {}) }];
}

// The bodies that joints tie to some, without going through the world or what is fixed.
export function machineOf(data, names) {
  const isHeld = (name) => name === WORLD || data.bodies?.[name]?.fixed;
  const found = new Set(names);
  for (let grown = true; grown; ) {
    grown = false;
    for (const joint of Object.values(data.joints ?? {})) {
      const [a, b] = joint.between ?? [];
      for (const [from, to] of [[a, b], [b, a]]) {
        if (!found.has(from) || found.has(to) || isHeld(from) || isHeld(to)) continue;
        found.add(to);
        grown = true;
      }
    }
  }
  return [...found];
}
