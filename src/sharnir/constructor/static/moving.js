// Moving: the operations that move, copy and mirror what is selected, with the joints between.

import { THREE } from "/view/three.js";
import { pathOf, stepsOf } from "./document.js";
import { adding, fresh, WORLD } from "./names.js";

const POINTS = ["anchor", "anchor_a", "anchor_b"];
const AXES = ["axis", "axis_a", "axis_b", "normal", "reference"];
const SLIDES = ["prismatic", "cylindrical", "planar"]; // whose axes point; those of the others turn

const tidy = (numbers, digits) => numbers.map((number) => Number(number.toFixed(digits)) || 0);

export function poseOf(thing) {
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...(thing?.position ?? [0, 0, 0])),
    new THREE.Quaternion(...(thing?.rotation ?? [0, 0, 0, 1])),
    new THREE.Vector3(1, 1, 1),
  );
}

function placed(matrix) {
  const [position, turn, scale] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
  matrix.decompose(position, turn, scale);
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  return { position: tidy(position.toArray(), 6), rotation: tidy(turn.toArray(), 12) };
}

const put = (data, path, name, value) => {
  const holder = stepsOf(path).reduce((inside, step) => inside?.[step], data);
  if (JSON.stringify(holder?.[name]) === JSON.stringify(value)) return [];
  return [{ op: holder && name in holder ? "replace" : "add", path: `${path}/${name}`, value }];
};

function putPose(data, path, matrix) {
  const { position, rotation } = placed(matrix);
  const holder = stepsOf(path).reduce((inside, step) => inside?.[step], data);
  const turned = holder.rotation || rotation.some((part, i) => Math.abs(part - [0, 0, 0, 1][i]) > 1e-9);
  return [...put(data, path, "position", position), ...(turned ? put(data, path, "rotation", rotation) : [])];
}

// --- moving -----------------------------------------------------------------------------------------------------------

const bodiesIn = (paths) => new Set(paths.map(stepsOf).filter(([section, , ...rest]) => section === "bodies" && !rest.length).map(([, name]) => name));

// Joints that go along: those that are selected, and those between what moves.
function jointsAlong(data, paths) {
  const bodies = bodiesIn(paths);
  const between = Object.entries(data.joints ?? {}).filter(([, { between: ends }]) => ends?.every((end) => bodies.has(end)));
  const selected = paths.map(stepsOf).filter(([section]) => section === "joints").map(([, name]) => name);
  return [...new Set([...between.map(([name]) => name), ...selected])];
}

// The operations that move what is selected by a matrix of the world.
export function moving(data, paths, matrix) {
  const made = [];
  for (const path of paths) {
    const [section, name, ...rest] = stepsOf(path);
    const thing = data[section]?.[name];
    if (!thing) continue;
    if ((section === "bodies" || section === "terrain") && !rest.length) {
      made.push(...putPose(data, path, matrix.clone().multiply(poseOf(thing))));
    } else if (section === "bodies" && rest[0] === "shapes" && !bodiesIn(paths).has(name)) {
      const own = poseOf(thing);
      const local = own.clone().invert().multiply(matrix).multiply(own).multiply(poseOf(thing.shapes[rest[1]]));
      made.push(...putPose(data, path, local));
    } else if (section === "ropes") {
      made.push(...put(data, path, "path", thing.path.map((point) => moved(point, matrix))));
    } else if (section === "cameras" || section === "rays") {
      const own = poseOf(data.bodies?.[thing.body]);
      const local = own.clone().invert().multiply(matrix).multiply(own);
      made.push(...put(data, path, "position", moved(thing.position ?? [0, 0, 0], local)));
      made.push(...put(data, path, "direction", turned(thing.direction ?? [1, 0, 0], local)));
    }
  }
  for (const name of jointsAlong(data, paths)) made.push(...movingJoint(data, name, matrix));
  return made;
}

const moved = (point, matrix) => tidy(new THREE.Vector3(...point).applyMatrix4(matrix).toArray(), 6);
const turned = (axis, matrix) => {
  const length = Math.hypot(...axis);
  return tidy(new THREE.Vector3(...axis).transformDirection(matrix).multiplyScalar(length).toArray(), 9);
};

// Joints that are given by frames of their bodies move with those by themselves.
function movingJoint(data, name, matrix) {
  const type = data.joints[name].joint;
  if (!type || type.frame_a || type.frame_b) return [];
  const path = pathOf("joints", name, "joint");
  const isBetween = ["distance", "strut"].includes(type.type);
  const points = POINTS.filter((key) => key in type || (key === "anchor" ? !isBetween && type.type !== "fixed" : isBetween));
  return [
    ...points.flatMap((key) => put(data, path, key, moved(type[key] ?? [0, 0, 0], matrix))),
    ...axesOf(type).flatMap(([key, axis]) => put(data, path, key, turned(axis, matrix))),
  ];
}

// The axes of a joint type, also those that are left to their defaults and would have to be said when they turn.
function axesOf(type) {
  const defaults = { revolute: ["axis"], prismatic: ["axis"], cylindrical: ["axis"], spherical: ["axis"], planar: ["normal"] };
  const keys = new Set([...AXES.filter((key) => type[key]), ...(defaults[type.type] ?? [])]);
  return [...keys].map((key) => [key, type[key] ?? [0, 0, 1]]);
}

// --- copying and mirroring --------------------------------------------------------------------------------------------

const flipped = (name) => {
  for (const [a, b] of [["left", "right"], ["Left", "Right"]]) {
    if (name.includes(a)) return name.replace(a, b);
    if (name.includes(b)) return name.replace(b, a);
  }
  return name;
};

// Copies of what is selected, with the joints, sensors and cameras on it; ``change`` makes each thing another.
function copying(data, paths, change, rename) {
  const bodies = bodiesIn(paths);
  const names = new Map([...bodies].map((name) => [name, fresh(data.bodies, rename(name))]));
  const made = [];
  const chosen = [];
  const known = Object.fromEntries(Object.entries(data).filter(([, value]) => value && typeof value === "object").map(([key, value]) => [key, { ...value }]));
  const add = (section, name, value) => {
    const wanted = fresh(known[section] ?? {}, name);
    made.push(...adding({ ...data, ...known }, section, wanted, value));
    (known[section] ??= {})[wanted] = value;
    chosen.push(pathOf(section, wanted));
    return wanted;
  };
  for (const name of bodies) add("bodies", names.get(name), change.body(structuredClone(data.bodies[name])));
  const ends = (list) => list.map((end) => names.get(end) ?? end);
  const joints = new Map();
  for (const [name, joint] of Object.entries(data.joints ?? {})) {
    const goes = joint.between?.some((end) => bodies.has(end)) && joint.between.every((end) => bodies.has(end) || end === WORLD || change.keepsOthers);
    if (!goes) continue;
    joints.set(name, add("joints", rename(name), { ...change.joint(structuredClone(joint)), between: ends(joint.between) }));
  }
  const label = (text) => {
    const [joint, ...rest] = text.split(".");
    return [joints.get(joint) ?? joint, ...rest].join(".");
  };
  for (const [name, one] of Object.entries(data.couplings ?? {})) {
    if (one.coordinates?.every((text) => joints.has(text.split(".")[0]))) add("couplings", rename(name), { ...structuredClone(one), coordinates: one.coordinates.map(label) });
  }
  for (const section of ["cameras", "rays"]) {
    for (const [name, one] of Object.entries(data[section] ?? {})) if (bodies.has(one.body)) add(section, rename(name), { ...change.mounted(structuredClone(one)), body: names.get(one.body) });
  }
  for (const [name, one] of Object.entries(data.rulers ?? {})) {
    if (one.between?.some((end) => bodies.has(end))) add("rulers", rename(name), { ...change.ruler(structuredClone(one)), between: ends(one.between) });
  }
  for (const [name, one] of Object.entries(data.sensors ?? {})) {
    if (bodies.has(one.on)) add("sensors", rename(name), { ...structuredClone(one), on: names.get(one.on) });
    else if (joints.has(String(one.on).split(".")[0])) add("sensors", rename(name), { ...structuredClone(one), on: label(one.on) });
  }
  for (const path of paths) {
    const [section, name, ...rest] = stepsOf(path);
    if (["terrain", "ropes", "materials"].includes(section) && !rest.length) add(section, rename(name), change.other(structuredClone(data[section][name]), section));
  }
  return { operations: made, chosen };
}

// Copies, moved by an offset of the world (m).
export function duplicating(data, paths, offset) {
  const matrix = new THREE.Matrix4().makeTranslation(...offset);
  const shift = (point) => moved(point ?? [0, 0, 0], matrix);
  return copying(
    data,
    paths,
    {
      body: (body) => ({ ...body, position: shift(body.position) }),
      joint: (joint) => {
        const type = joint.joint;
        if (!type.frame_a && !type.frame_b) for (const key of POINTS) if (type[key] || (key === "anchor" && !["distance", "strut", "fixed"].includes(type.type))) type[key] = shift(type[key]);
        return joint;
      },
      mounted: (one) => one,
      ruler: (one) => one,
      other: (one, section) => (section === "ropes" ? { ...one, path: one.path.map(shift) } : section === "terrain" ? { ...one, position: shift(one.position) } : one),
    },
    (name) => name,
  );
}

// Copies, mirrored at the plane through the origin that is square to an axis (0, 1, 2). A body's own frame is mirrored with
// it, so that what lies to its left lies to the other's right. Axes that turn change their sense, so that angles keep theirs.
export function mirroring(data, paths, axis) {
  const at = (point) => (point ?? [0, 0, 0]).map((part, i) => (i === axis ? -part : part) || 0);
  const turn = (rotation) => (rotation ?? [0, 0, 0, 1]).map((part, i) => (i === axis || i === 3 ? part : -part) || 0);
  const about = (vector) => vector.map((part, i) => (i === axis ? part : -part) || 0);
  const inertia = (values) => values.map((part, i) => (i > 2 && ((i === 3 && axis < 2) || (i === 4 && axis !== 1) || (i === 5 && axis > 0)) ? -part || 0 : part));
  const shape = (one) => {
    const next = { ...one, ...(one.position ? { position: at(one.position) } : {}), ...(one.rotation ? { rotation: turn(one.rotation) } : {}) };
    if (one.points) next.points = one.points.map(at);
    if (one.type === "mesh" || (one.type === "hull" && one.file)) {
      const scale = Array.isArray(one.scale) ? one.scale : [one.scale ?? 1, one.scale ?? 1, one.scale ?? 1];
      if (one.vertices) {
        next.vertices = one.vertices.map(at);
        next.triangles = one.triangles.map(([a, b, c]) => [a, c, b]);
      } else next.scale = at(scale);
    }
    return next;
  };
  const type = (one) => {
    const next = { ...one };
    for (const key of POINTS) if (one[key] || (key === "anchor" && !["distance", "strut", "fixed"].includes(one.type))) next[key] = at(one[key]);
    for (const [key, vector] of axesOf(one)) next[key] = SLIDES.includes(one.type) ? at(vector) : about(vector);
    for (const key of ["frame_a", "frame_b"]) {
      if (one[key]) next[key] = { ...one[key], position: at(one[key].position), axis: (SLIDES.includes(one.type) ? at : about)(one[key].axis ?? [0, 0, 1]), ...(one[key].reference ? { reference: at(one[key].reference) } : {}) };
    }
    return next;
  };
  return copying(
    data,
    paths,
    {
      keepsOthers: true,
      body: (body) => ({
        ...body,
        ...(body.shapes ? { shapes: body.shapes.map(shape) } : {}),
        position: at(body.position),
        ...(body.rotation ? { rotation: turn(body.rotation) } : {}),
        ...(body.velocity ? { velocity: at(body.velocity) } : {}),
        ...(body.angular_velocity ? { angular_velocity: about(body.angular_velocity) } : {}),
        ...(body.center_of_mass ? { center_of_mass: at(body.center_of_mass) } : {}),
        ...(body.inertia ? { inertia: inertia(body.inertia) } : {}),
      }),
      joint: (joint) => ({ ...joint, joint: type(joint.joint) }),
      mounted: (one) => ({ ...one, position: at(one.position), direction: at(one.direction ?? [1, 0, 0]), ...(one.up ? { up: at(one.up) } : {}) }),
      ruler: (one) => ({ ...one, ...(one.axis ? { axis: at(one.axis) } : {}), ...(one.point ? { point: at(one.point) } : {}) }),
      other: (one, section) => (section === "ropes" ? { ...one, path: one.path.map(at) } : section === "terrain" ? { ...one, position: at(one.position), ...(one.rotation ? { rotation: turn(one.rotation) } : {}) } : one),
    },
    flipped,
  );
}

// The operations that bring the origins of what is selected to that of the last one, along an axis of the world.
export function aligning(data, paths, axis) {
  const bodies = paths.filter((path) => stepsOf(path)[0] === "bodies" && stepsOf(path).length === 2);
  const at = (path) => data.bodies[stepsOf(path)[1]]?.position ?? [0, 0, 0];
  const last = bodies.at(-1);
  return bodies.slice(0, -1).flatMap((path) => {
    const offset = [0, 0, 0];
    offset[axis] = at(last)[axis] - at(path)[axis];
    return moving(data, [path], new THREE.Matrix4().makeTranslation(...offset));
  });
}
