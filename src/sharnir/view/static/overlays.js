// Overlays: joint frames and limits, contacts, drive efforts and centres of mass, drawn as lines over the scene.

import { THREE } from "./three.js";
import { poseMatrix } from "./shapes.js";
import { drawPatches, drawReaction, drawSlip, drawSupport } from "./standing.js";

const MOST_LINES = 8000;
const MOST_JOINTS = 16; // drawn at once, where no body is selected
const RED = new THREE.Color("#e0564b");
const GREEN = new THREE.Color("#58b368");
const BLUE = new THREE.Color("#4a90d9");
const AMBER = new THREE.Color("#e0a53b");
const WHITE = new THREE.Color("#dfe6ea");
const DARK = new THREE.Color("#20262b");
const ARC_STEPS = 24;
const COILS = 8;
const COIL_STEPS = 96;

export const OVERLAYS = {
  frames: "Joint frames",
  limits: "Joint limits",
  drives: "Drive efforts",
  reactions: "Forces and torques in joints",
  contacts: "Contacts",
  patches: "Contact patches",
  slip: "Slip of wheels",
  support: "Support polygon",
  masses: "Centres of mass",
  rays: "Distance sensors",
};

export class Overlays {
  constructor(world, scene, reader, ground) {
    this.world = world;
    this.reader = reader;
    this.ground = ground;
    this.shown = { ...Object.fromEntries(Object.keys(OVERLAYS).map((name) => [name, false])), contacts: true, rays: true };
    this.size = 0.16 * world.focus.radius;
    this.joints = world.joints.map((joint) => ({
      ...joint,
      localA: poseMatrix(joint.frame_a.slice(0, 3), joint.frame_a.slice(3)),
      localB: poseMatrix(joint.frame_b.slice(0, 3), joint.frame_b.slice(3)),
    }));
    this.position = new THREE.BufferAttribute(new Float32Array(MOST_LINES * 6), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(MOST_LINES * 6), 3);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("color", this.color);
    this.lines = new THREE.LineSegments(
      geometry,
      new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, fog: false, transparent: true, opacity: 0.95 }),
    );
    this.lines.frustumCulled = false;
    this.notes = [];
    this.lines.renderOrder = 10;
    scene.add(this.lines);
    this.balls = new THREE.InstancedMesh(
      new THREE.SphereGeometry(0.12 * this.size, 12, 8),
      new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }),
      Math.max(1, world.bodies.length + 1),
    );
    this.balls.frustumCulled = false;
    this.balls.renderOrder = 11;
    scene.add(this.balls);
  }

  // The joints to draw at: those of the selected body, or, where there are many, those nearest to the camera.
  chosen(bodies, camera) {
    const { selected } = bodies;
    if (selected >= 0) return this.joints.filter(({ a, b }) => a === selected || b === selected);
    if (this.joints.length <= MOST_JOINTS || !camera) return this.joints;
    const far = ({ b }) => FROM.setFromMatrixPosition(bodies.matrix[b] ?? IDENTITY).distanceTo(camera.position);
    return this.joints.map((joint) => [far(joint), joint]).sort(([a], [b]) => a - b).slice(0, MOST_JOINTS).map(([, joint]) => joint);
  }

  // Body: the one that the camera looks at.
  show(frame, bodies, camera, body = 0) {
    this.count = 0;
    this.notes = [];
    const matrixOf = (index) => (index < 0 ? IDENTITY : bodies.matrix[index]);
    const any = ["frames", "limits", "drives", "reactions"].some((name) => this.shown[name]);
    for (const joint of any ? this.chosen(bodies, camera) : []) {
      FRAME_A.multiplyMatrices(matrixOf(joint.a), joint.localA);
      FRAME_B.multiplyMatrices(matrixOf(joint.b), joint.localB);
      if (this.shown.frames) this.drawFrame(FRAME_B);
      if (this.shown.reactions) drawReaction(this, FRAME_B, this.world, ...this.reactionOf(frame, joint.name));
      for (const axis of joint.coordinates) {
        const value = this.reader.channel(frame, axis.label);
        if (this.shown.limits && axis.low !== null && Number.isFinite(value)) this.drawLimits(axis, value);
        if (this.shown.drives && axis.driven) this.drawEffort(axis, this.reader.channel(frame, `${axis.label} effort`));
      }
    }
    const isChosen = (index) => bodies.selected < 0 || bodies.selected === index;
    if (this.shown.contacts) this.drawContacts(frame);
    if (this.shown.patches) drawPatches(this, frame, this.world.weight);
    if (this.shown.slip) drawSlip(this, frame, this.world, bodies, this.ground, isChosen);
    if (this.shown.support) drawSupport(this, frame, this.world, bodies, body);
    this.drawMasses(bodies);
    this.drawPull(frame.pull);
    if (this.shown.rays) this.drawRays(frame, matrixOf);
    this.lines.geometry.setDrawRange(0, 2 * this.count);
    this.position.needsUpdate = this.color.needsUpdate = true;
  }

  // The force (N) and the torque (N m) in a joint; NaN where it is not known, or the joint has none.
  reactionOf(frame, name) {
    return ["reaction", "reaction torque"].map((ending) => this.reader.channel(frame, `${name} ${ending}`));
  }

  // Words at a place, for which labels.js finds room.
  note(at, text) {
    this.notes.push({ at: at.clone(), text });
  }

  line(from, to, color) {
    if (this.count >= MOST_LINES) return;
    const i = 2 * this.count;
    this.position.setXYZ(i, from.x, from.y, from.z);
    this.position.setXYZ(i + 1, to.x, to.y, to.z);
    this.color.setXYZ(i, color.r, color.g, color.b);
    this.color.setXYZ(i + 1, color.r, color.g, color.b);
    this.count += 1;
  }

  drawFrame(frame) {
    FROM.setFromMatrixPosition(frame);
    [RED, GREEN, BLUE].forEach((color, k) => {
      TO.setFromMatrixColumn(frame, k).multiplyScalar(this.size).add(FROM);
      this.line(FROM, TO, color);
    });
  }

  // A fan from the lower to the upper bound about the axis, or a ruler along it, with a needle at the present value.
  drawLimits(axis, value) {
    if (axis.kind === "twist") {
      // The needle is b's x axis; the bounds lie as far from it as they are from the value.
      this.arc(axis.low - value, axis.high - value, AMBER, 1.0, FRAME_B);
      for (const bound of [axis.low, axis.high]) this.spoke(bound - value, AMBER, FRAME_B);
      this.spoke(0, WHITE, FRAME_B);
    } else if (axis.kind === "slide") {
      FROM.setFromMatrixPosition(FRAME_A);
      AXIS.setFromMatrixColumn(FRAME_A, axis.column);
      TO.copy(FROM).addScaledVector(AXIS, axis.high);
      FROM.addScaledVector(AXIS, axis.low);
      this.line(FROM, TO, AMBER);
      FROM.setFromMatrixPosition(FRAME_A).addScaledVector(AXIS, value);
      this.cross(FROM, 0.3 * this.size, WHITE);
    }
  }

  drawEffort(axis, effort) {
    if (!Number.isFinite(effort)) return;
    const share = Math.max(-1, Math.min(1, effort / (axis.strongest || 1)));
    if (Math.abs(share) < 0.005) return;
    if (axis.kind === "slide") {
      FROM.setFromMatrixPosition(FRAME_B);
      AXIS.setFromMatrixColumn(FRAME_A, axis.column);
      this.arrow(FROM, AXIS, 3 * this.size * share, GREEN);
      return;
    }
    const end = 0.95 * Math.PI * share;
    this.arc(0, end, GREEN, 0.8, FRAME_B);
    this.onCircle(end, 0.8, FRAME_B, TO);
    for (const side of [0.68, 0.92]) {
      this.onCircle(end - 0.25 * Math.sign(share), side, FRAME_B, FROM);
      this.line(FROM, TO, GREEN);
    }
  }

  onCircle(angle, radius, frame, out) {
    out.set(Math.cos(angle), Math.sin(angle), 0).multiplyScalar(radius * this.size).applyMatrix4(frame);
  }

  arc(from, to, color, radius, frame, dashed = false) {
    for (let i = 0; i < ARC_STEPS; i += dashed ? 2 : 1) {
      this.onCircle(from + ((to - from) * i) / ARC_STEPS, radius, frame, FROM);
      this.onCircle(from + ((to - from) * (i + 1)) / ARC_STEPS, radius, frame, TO);
      this.line(FROM, TO, color);
    }
  }

  spoke(angle, color, frame) {
    FROM.setFromMatrixPosition(frame);
    this.onCircle(angle, 1.15, frame, TO);
    this.line(FROM, TO, color);
  }

  cross(at, size, color) {
    for (let k = 0; k < 3; k += 1) {
      FROM.copy(at).setComponent(k, at.getComponent(k) - size);
      TO.copy(at).setComponent(k, at.getComponent(k) + size);
      this.line(FROM, TO, color);
    }
  }

  arrow(from, direction, length, color) {
    TO.copy(from).addScaledVector(direction, length);
    this.line(from, TO, color);
    SIDE.set(direction.y, direction.z, direction.x).cross(direction).normalize();
    for (const side of [-1, 1]) {
      BARB.copy(from).addScaledVector(direction, 0.8 * length).addScaledVector(SIDE, 0.1 * side * length);
      this.line(BARB, TO, color);
    }
  }

  // Rows of point and force; a force as heavy as the scene is as long as a frame's axis.
  drawContacts(frame) {
    const rows = frame.contacts;
    for (let i = 0; i < frame.contacts_used; i += 1) {
      const k = 6 * i;
      POINT.set(rows[k], rows[k + 1], rows[k + 2]);
      this.cross(POINT, 0.12 * this.size, AMBER);
      AXIS.set(rows[k + 3], rows[k + 4], rows[k + 5]);
      const force = AXIS.length();
      if (force > 0) this.arrow(POINT, AXIS.normalize(), (3 * this.size * force) / this.world.weight, RED);
    }
  }

  // The spring that somebody pulls a body with.
  drawPull(pull) {
    if (!pull || pull[0] === 0) return;
    FROM.set(pull[1], pull[2], pull[3]);
    TO.set(pull[4], pull[5], pull[6]);
    AXIS.subVectors(TO, FROM);
    SIDE.set(AXIS.y, AXIS.z, AXIS.x).cross(AXIS).normalize();
    BARB.crossVectors(AXIS, SIDE).normalize();
    const coil = (k, out) => {
      const [angle, share] = [2 * Math.PI * COILS * (k / COIL_STEPS), k / COIL_STEPS];
      const width = share > 0.1 && share < 0.9 ? 0.12 * this.size : 0;
      return out.copy(FROM).addScaledVector(AXIS, share)
        .addScaledVector(SIDE, width * Math.cos(angle)).addScaledVector(BARB, width * Math.sin(angle));
    };
    for (let k = 0; k < COIL_STEPS; k += 1) this.line(coil(k, POINT), coil(k + 1, TOTAL), AMBER);
    POINT.copy(TO);
    this.cross(POINT, 0.2 * this.size, AMBER);
  }

  // Every distance sensor as far as it sees, with a cross on what it meets.
  drawRays(frame, matrixOf) {
    for (const { name, body, position, direction, reach } of this.world.rays ?? []) {
      const distance = this.reader.channel(frame, `${name} distance`);
      if (!Number.isFinite(distance)) continue;
      const matrix = matrixOf(body);
      FROM.set(...position).applyMatrix4(matrix);
      AXIS.set(...direction).transformDirection(matrix);
      POINT.copy(FROM).addScaledVector(AXIS, distance);
      this.line(FROM, POINT, BLUE);
      if (distance < reach) this.cross(POINT, 0.12 * this.size, BLUE);
    }
  }

  drawMasses(bodies) {
    let shown = 0;
    if (this.shown.masses) {
      TOTAL.set(0, 0, 0);
      let mass = 0;
      this.world.bodies.forEach((body, i) => {
        if (body.fixed) return;
        POINT.set(...body.center).applyMatrix4(bodies.matrix[i]);
        TOTAL.addScaledVector(POINT, body.mass);
        mass += body.mass;
        this.ball(shown++, POINT, AMBER, 1);
      });
      if (mass > 0) this.ball(shown++, TOTAL.multiplyScalar(1 / mass), RED, 1.7);
    }
    this.balls.count = shown;
    this.balls.instanceMatrix.needsUpdate = true;
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
  }

  ball(i, at, color, scale) {
    WORK.makeScale(scale, scale, scale).setPosition(at);
    this.balls.setMatrixAt(i, WORK);
    this.balls.setColorAt(i, color);
  }

  paint(theme) {
    WHITE.set(theme.ink);
    DARK.set(theme.background);
  }
}

const IDENTITY = new THREE.Matrix4();
const FRAME_A = new THREE.Matrix4();
const FRAME_B = new THREE.Matrix4();
const WORK = new THREE.Matrix4();
const FROM = new THREE.Vector3();
const TO = new THREE.Vector3();
const AXIS = new THREE.Vector3();
const SIDE = new THREE.Vector3();
const BARB = new THREE.Vector3();
const POINT = new THREE.Vector3();
const TOTAL = new THREE.Vector3();
