// The palette: what can be added to the scene.

import { t } from "/view/texts.js";
import { askForPart } from "./asking.js";
import { make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { poseOf } from "./moving.js";
import { adding, fresh, WORLD } from "./names.js";
import { words } from "./schema.js";

const RELIEFS = ["ramp", "stairs", "sine", "half_round", "roughness"];
const ON_JOINTS = ["encoder", "tachometer", "force_torque"]; // sensors
const BETWEEN_POINTS = ["distance", "strut"]; // joints
const ROUND = ["wheel", "cylinder", "capsule"]; // shapes about their z axis
const ALONG_SHAFTS = ["revolute", "prismatic", "cylindrical"]; // joints
const UPRIGHT = [0.707106781187, 0, 0, 0.707106781187]; // the z axis along -y
const STORED = 2; // m of rope on a drum
const PIECE = 0.1; // m of a rope over a body
const tag = (option) => option.properties.type.const;

export function mount(element, document, context) {
  const adder = new Adder(document, context);
  const find = make("input", { type: "search", class: "tree-find", placeholder: t("Add …"), "aria-label": t("Search the palette") });
  const groups = make("div", { class: "palette-groups" });
  const first = t("Bodies");
  for (const [name, items] of adder.groups()) {
    const buttons = items.map(([text, act, help]) => make("button", { type: "button", class: "palette-item", title: tidy(help), onclick: act }, t(text)));
    groups.append(make("details", { class: "palette-group", open: name === first }, make("summary", {}, name), make("div", { class: "palette-items" }, ...buttons)));
  }
  element.append(find, groups);
  let opened = null; // the groups that stood open before something was searched
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    opened ??= new Set([...groups.children].filter(({ open }) => open));
    filter(groups, wanted, opened);
    if (!wanted) opened = null;
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") groups.querySelector(".palette-item:not([hidden])")?.click();
  });
}

function filter(groups, wanted, opened) {
  for (const group of groups.children) {
    const name = group.querySelector("summary").textContent;
    const items = [...group.querySelectorAll(".palette-item")];
    for (const item of items) item.hidden = Boolean(wanted) && !item.textContent.toLowerCase().includes(wanted) && !name.toLowerCase().includes(wanted);
    group.hidden = items.every((item) => item.hidden);
    group.open = wanted ? !group.hidden : opened.has(group);
  }
}

const tidy = (help) => (help ?? "").split("\n\n")[0].replaceAll(/\s+/g, " ").replaceAll("`", "");

class Adder {
  constructor(document, context) {
    Object.assign(this, { document, context, types: context.types, selection: context.selection });
    context.makeJoint = (...given) => this.makeJoint(...given);
  }

  // All that can be added: [group, [[text, what is done, help]]].
  groups() {
    const { definitions } = this.types;
    const shapes = this.types.options(this.types.resolve(definitions.BodySpec.properties.shapes.items));
    const each = (list, act) => list.map((option) => [words(tag(option)), () => act(option), option.description]);
    const forJoint = (field) => each(this.options("JointSpec", field), (option) => this.set("joints", field, this.types.sample(option)));
    const limits = ["limits", () => this.set("joints", "limits", [-0.5, 0.5]), t("A range for the coordinate of the joint.")];
    return [
      [t("Bodies"), each(shapes, (option) => this.body(option))],
      [t("Shapes on the body"), each(shapes, (option) => this.shape(option, true))],
      [t("Looks"), each(shapes, (option) => this.shape(option, false))],
      [t("Joints"), each(this.options("JointSpec", "joint"), (option) => this.joint(tag(option)))],
      [t("Springs and limits"), [...forJoint("spring"), limits]],
      [t("Friction"), forJoint("friction")],
      [t("Drives"), forJoint("drive")],
      [t("Actuators"), forJoint("actuator")],
      [t("Vehicle parts"), this.parts("wheels", "axle", "tracks", "arm")],
      [t("Hitches"), this.parts("hitch")],
      [t("Robots"), this.parts("robot", "import")],
      [t("Couplings"), each(this.options("CouplingSpec", "coupling"), (option) => this.coupling(option))],
      [t("Sensors"), [
        ...each(this.options("SensorSpec", "sensor"), (option) => this.sensor(option)),
        ["camera", () => this.onBody("cameras", "camera", { position: [0, 0, 0.2] }), definitions.CameraSpec.description],
        ["ray", () => this.onBody("rays", "ray", {}), definitions.RaySpec.description],
        ["ruler", () => this.ruler(), definitions.RulerSpec.description],
      ]],
      [t("Ropes"), [
        ["rope", () => this.rope(), definitions.RopeSpec.description],
        ["rope on a winch", () => this.winch(), t("A rope from a drum over what is selected to the last body: select the joint of the drum first.")],
      ]],
      [t("Terrain and obstacles"), this.terrain()],
      [t("Faults"), each(this.types.options(definitions.SceneFile.properties.faults.additionalProperties), (option) => this.fault(option))],
      [t("Materials"), [["material", () => this.add("materials", "material", {}), definitions.Material.description]]],
    ];
  }

  terrain() {
    const definition = (kind) => Object.values(this.types.definitions).find((one) => one.properties?.type?.const === kind);
    const heights = (kind) => this.add("terrain", kind, { surface: { type: "heights", relief: [this.types.sample(definition(kind))], size: [20, 20], spacing: [0.1, 0.1] } });
    return [
      ["ground", () => this.add("terrain", "ground", { surface: { type: "plane" } }), definition("plane").description],
      ...RELIEFS.map((kind) => [words(kind), () => heights(kind), definition(kind).description]),
      ["step", () => this.obstacle("step", { type: "box", x: 1, y: 2, z: 0.1 })],
      ["ramp box", () => this.obstacle("ramp", { type: "box", x: 2, y: 1, z: 0.1 }, [0, -0.1305261922, 0, 0.9914448614])],
      ["wall", () => this.obstacle("wall", { type: "box", x: 0.1, y: 2, z: 1 })],
    ];
  }

  parts(...kinds) {
    const offered = this.context.parts.filter(({ kind }) => kinds.includes(kind));
    return offered.map((part) => [part.title, () => this.ask(part), part.schema.$defs[part.schema.$ref.slice(8)].description]);
  }

  // The descriptions that a field may have.
  options(definition, field) {
    return this.types.options(this.types.definitions[definition].properties[field]).filter((one) => one.properties?.type);
  }

  // --- what there is --------------------------------------------------------------------------------------------------

  named(section) {
    return this.document.data[section] ?? {};
  }

  // Names of a section that are selected, each once.
  selected(section) {
    return [...new Set(this.selection.list.map(stepsOf).filter(([one]) => one === section).map(([, name]) => name))];
  }

  place(name, otherwise = [0, 0, 0]) {
    return this.named("bodies")[name]?.position ?? otherwise;
  }

  labels() {
    return this.document.coordinates?.() ?? [];
  }

  // --- edits ----------------------------------------------------------------------------------------------------------

  add(section, name, value) {
    const wanted = fresh(this.named(section), name);
    this.document.edit(`Add ${words(name)}`, adding(this.document.data, section, wanted, value));
    this.selection.set(pathOf(section, wanted));
  }

  // A field of all that is selected in a section.
  set(section, field, value) {
    const names = this.selected(section);
    if (!names.length) return this.missing(section);
    const op = (name) => (field in this.named(section)[name] ? "replace" : "add");
    this.document.edit(`Set ${words(field)}`, names.map((name) => ({ op: op(name), path: pathOf(section, name, field), value: structuredClone(value) })));
  }

  missing(section) {
    this.context.toast(section === "joints" ? t("Select a joint first.") : t("Select a body first."));
  }

  body(option) {
    const shape = this.types.sample(option);
    const high = heightOf(shape);
    const rotation = tag(option) === "wheel" ? { rotation: UPRIGHT } : {}; // it stands, and does not lie on its side
    this.add("bodies", tag(option), { shapes: [shape], position: this.context.stage?.place(high) ?? [0, 0, high], ...rotation });
  }

  // On the selected bodies; what only is seen neither weighs nor touches.
  shape(option, isSolid) {
    const names = this.selected("bodies");
    if (!names.length) return this.missing("bodies");
    const { mass, ...bare } = this.types.sample(option);
    const shape = isSolid ? { ...bare, mass } : { ...bare, collides: false };
    const operation = (name) => (this.named("bodies")[name].shapes ? { path: pathOf("bodies", name, "shapes", "-"), value: shape } : { path: pathOf("bodies", name, "shapes"), value: [shape] });
    this.document.edit(`Add ${words(tag(option))}`, names.map((name) => ({ op: "add", ...operation(name) })));
    this.selection.set(pathOf("bodies", names.at(-1), "shapes", this.named("bodies")[names.at(-1)].shapes.length - 1));
  }

  // Between two bodies that are selected, the last one the second; else by pointing at two places.
  joint(type) {
    const ends = this.selected("bodies");
    if (ends.length === 2) this.makeJoint(type, ends, this.between(type, ends));
    else this.context.stage?.pickFrames(type);
  }

  // Where a joint of two bodies sits: along the axis of the wheel or shaft among them; else at the second.
  between(type, ends) {
    const turns = ends.toReversed().map((name) => ({ name, axis: axisOfBody(this.named("bodies")[name]) }));
    const found = (ALONG_SHAFTS.includes(type) && turns.find(({ axis }) => axis)) || { name: ends[1] };
    return { anchor: this.place(found.name), axis: found.axis };
  }

  // At a place that was picked or found; ``operations`` of the place come first.
  makeJoint(type, ends, { operations = [], ...at }) {
    const between = BETWEEN_POINTS.includes(type)
      ? { anchor_a: at.anchor_a ?? this.place(ends[0]), anchor_b: at.anchor_b ?? at.anchor }
      : { ...axisOf(type, at.axis), anchor: at.anchor };
    const wanted = fresh(this.named("joints"), type);
    const made = adding(this.document.data, "joints", wanted, { joint: { type, ...between }, between: ends });
    this.document.edit(`Add ${words(type)}`, [...operations, ...made]);
    this.selection.set(pathOf("joints", wanted));
  }

  coupling(option) {
    const first = (name) => this.labels().filter(({ joint }) => joint === name).slice(0, 1);
    const coordinates = this.selected("joints").flatMap(first).map(({ label }) => label);
    if (!coordinates.length) return this.context.toast(t("Select the joints to be coupled first."));
    const count = this.context.coupled[tag(option)]; // null where any number goes
    if (count !== null && coordinates.length !== count) {
      return this.context.toast(t("A {name} takes {count} joints; select so many, in their order.", { name: t(words(tag(option))), count }));
    }
    const coupling = this.types.sample(option);
    if (count === null) coupling.coefficients = coordinates.map((_, i) => (i ? -1 : 1));
    this.add("couplings", tag(option), { coupling, coordinates });
  }

  sensor(option) {
    const [section, name] = stepsOf(this.selection.last ?? "");
    const wanted = ON_JOINTS.includes(tag(option)) ? "joints" : "bodies";
    if (section !== wanted) return this.missing(wanted);
    const label = this.labels().find(({ joint }) => joint === name)?.label ?? name;
    this.add("sensors", tag(option), { sensor: this.types.sample(option), on: wanted === "joints" && tag(option) !== "force_torque" ? label : name });
  }

  // From the last of the selected bodies to the one before it, or to the world.
  ruler() {
    const [measured, from] = this.selected("bodies").toReversed();
    if (!measured) return this.missing("bodies");
    return this.add("rulers", "ruler", { between: [from ?? WORLD, measured] });
  }

  // Of what is selected of its kind, or of the first there is.
  fault(option) {
    const value = this.types.sample(option);
    for (const [field, section] of Object.entries({ joint: "joints", body: "bodies", rope: "ropes" })) {
      if (!(field in value)) continue;
      value[field] = this.selected(section).at(-1) ?? Object.keys(this.named(section))[0];
      if (value[field] === undefined) return this.context.toast(t("There is nothing yet that it could happen to."));
    }
    return this.add("faults", tag(option), value);
  }

  onBody(section, name, value) {
    this.add(section, name, { body: this.selected("bodies").at(-1) ?? WORLD, ...value });
  }

  rope() {
    const [start, end] = this.selected("bodies");
    const path = [this.place(start, [0, 0, 1]), this.place(end, [2, 0, 1])];
    const length = Number((1.05 * Math.hypot(...path[0].map((x, i) => x - path[1][i]))).toFixed(3));
    this.add("ropes", "rope", { path, radius: 0.01, density: 1200, length, start: { body: start ?? WORLD }, ...(end ? { end: { body: end } } : {}) });
  }

  // From the top of a drum, over bodies that are selected, straight down to the last of them.
  winch() {
    const joint = this.selected("joints").at(-1);
    const bodies = this.selected("bodies");
    const drum = this.named("joints")[joint]?.between?.[1];
    if (!bodies.length || !drum) return this.context.toast(t("Select the joint of the drum, what the rope runs over, and the load, in this order."));
    const radius = this.named("bodies")[drum]?.shapes?.find((one) => one.radius)?.radius ?? 0.1;
    const load = this.place(bodies.at(-1));
    const over = bodies.slice(0, -1).map((name) => this.place(name));
    if (over.length) over.splice(-1, 1, above(load, this.named("bodies")[bodies.at(-2)]));
    const start = this.place(drum);
    const path = [[start[0], start[1], start[2] + radius], ...over, load];
    const along = lengths(path);
    const eyelets = over.map((_, i) => ({ body: bodies[i], at: along[i + 1], friction: 0.1 }));
    const elements = Math.min(60, Math.max(10, Math.round(along.at(-1) / PIECE)));
    const rope = { path, radius: 0.005, density: 1200, elements, ...(eyelets.length ? { eyelets } : {}), end: { body: bodies.at(-1) }, winch: { joint, radius, stored: STORED } };
    return this.add("ropes", "rope", rope);
  }

  obstacle(name, shape, rotation) {
    const position = this.context.stage?.place(0.5 * shape.z) ?? [0, 0, 0.5 * shape.z];
    this.add("bodies", name, { shapes: [shape], position, ...(rotation ? { rotation } : {}), fixed: true });
  }

  ask({ kind, title, schema }) {
    const fields = schema.$defs[schema.$ref.slice(8)].properties;
    const bodies = this.selected("bodies");
    const given = {};
    if ("chassis" in fields) given.chassis = bodies.at(-1) ?? Object.keys(this.named("bodies"))[0] ?? "";
    if ("tow" in fields) [given.tow, given.trailer] = [...bodies, "", ""];
    const added = Object.keys(given).length ? () => {} : (paths) => this.selection.set(firstBody(paths, this.document.data)); // what stands by itself
    askForPart(this.document, { title: t(title), schema, given }, (values) => this.document.send({ part: { kind, values } }), added);
  }
}

// The first body among paths that were added, which may be that of all bodies.
function firstBody(paths, data) {
  const path = paths.find((one) => stepsOf(one)[0] === "bodies");
  return stepsOf(path).length > 1 ? path : pathOf("bodies", Object.keys(data.bodies)[0]);
}

// How high the middle of a shape is when it stands on the ground.
function heightOf({ type, z, length, radius }) {
  const high = { box: 0.5 * z, ellipsoid: z, capsule: 0.5 * length + radius, cylinder: 0.5 * length }[type] ?? radius ?? 0.2;
  return Number(high.toFixed(4));
}

function axisOf(type, axis) {
  if (!axis || type === "fixed") return {};
  if (type === "planar") return { normal: axis };
  if (type !== "universal") return { axis };
  const other = Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const along = axis.reduce((sum, x, i) => sum + x * other[i], 0);
  return { axis_a: axis, axis_b: other.map((x, i) => x - along * axis[i]) };
}

// The axis of a wheel or a shaft, in the world; undefined for what is not round.
function axisOfBody(body) {
  const shape = body?.shapes?.find(({ type }) => ROUND.includes(type));
  if (!shape) return undefined;
  const turned = turn(body.rotation, turn(shape.rotation, [0, 0, 1])).map((part) => Number(part.toFixed(6)) || 0);
  const sign = Math.sign(turned[1] || turned[0] || turned[2]); // wheels on both sides roll forwards by the same sense
  return turned.map((part) => sign * part || 0);
}

// A vector turned by a quaternion (x, y, z, w).
function turn([x, y, z, w] = [0, 0, 0, 1], [a, b, c]) {
  const [p, q, r] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p];
}

// Above a place, in the middle of what a body has there; in the middle of what is nearest where it has nothing.
function above([x, y, z], body) {
  const spans = (body.shapes ?? []).map((shape) => {
    const { elements } = poseOf(body).multiply(poseOf(shape));
    const reach = [0, 1, 2].map((row) => halves(shape).reduce((sum, half, k) => sum + Math.abs(elements[4 * k + row]) * half, 0));
    return { center: [12, 13, 14].map((i) => elements[i]), reach };
  });
  const beside = ({ center, reach }) => Math.hypot(...[x, y].map((at, i) => Math.max(0, Math.abs(at - center[i]) - reach[i])));
  const below = ({ center, reach }) => Math.max(0, z - center[2] - reach[2]);
  const best = spans.toSorted((a, b) => beside(a) + below(a) - beside(b) - below(b))[0];
  return [x, y, Number((best?.center ?? body.position ?? [0, 0, 0])[2].toFixed(6))];
}

// How far a shape reaches along its own axes (m), about.
function halves({ type, x = 0, y = 0, z = 0, radius = 0, length, width }) {
  if (type === "box") return [0.5 * x, 0.5 * y, 0.5 * z];
  if (type === "ellipsoid") return [x, y, z];
  return [radius, radius, length || width ? 0.5 * (length ?? width) : radius];
}

// How far along a path each of its points lies (m).
function lengths(path) {
  const found = [0];
  for (let i = 1; i < path.length; i += 1) found.push(Number((found[i - 1] + Math.hypot(...path[i].map((x, k) => x - path[i - 1][k]))).toFixed(6)));
  return found;
}
