// Springs: what stands between two bodies and changes its length or its twist as they move: coils with their dampers,
// cylinders with their rods, torsion bars, and tie rods.

import { bodyMaterial, setFinishes } from "./materials.js";
import { poseMatrix } from "./shapes.js";
import { THREE } from "./three.js";
import { merged } from "./tyres.js";

const STEEL = { color: new THREE.Color("#8b9298"), finish: [0.4, 0.75, 0] };
const CHROME = { color: new THREE.Color("#c9ced2"), finish: [0.18, 0.95, 0] };
const PAINT = { color: new THREE.Color("#b8452f"), finish: [0.45, 0.2, 0] };
const DARK = { color: new THREE.Color("#2f3539"), finish: [0.6, 0.3, 0] };
const TURNS = 6.5;
const SLEEVE = 0.56; // of its length at the start: the damper's tube
const BAR = { long: 2.4, short: 0.8, thick: 0.09, rings: 14, sides: 6 }; // of the lever that it turns; its parts

// A wire wound about z from 0 to 1, the last turns at both ends close together.
function coilGeometry(radius, length, plain) {
  const wire = 0.16 * radius;
  const [steps, sides] = plain ? [72, 5] : [150, 7];
  const path = new THREE.Curve();
  path.getPoint = (t, out = new THREE.Vector3()) => {
    const angle = 2 * Math.PI * TURNS * t;
    const share = t < 0.12 ? 0.25 * t : t > 0.88 ? 1 - 0.25 * (1 - t) : 0.03 + ((t - 0.12) / 0.76) * 0.94;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), share * length);
  };
  return merged([new THREE.TubeGeometry(path, steps, wire, sides)]);
}

export class Springs {
  constructor(world, scene, plain) {
    this.plain = plain;
    this.scene = scene;
    this.rows = [];
    for (const spring of world.springs ?? []) this.add(spring, world);
    for (const rod of world.rods ?? []) this.rows.push({ ...ends(rod), length: rod.length, parts: [rodPart(STEEL, rod.radius, 0, 1)], bars: [] });
    this.addPipes();
    this.addCoils();
    this.bars = this.rows.filter((row) => row.kind === "torsion").map((row) => this.addBar(row));
  }

  add(spring, world) {
    const row = { ...spring, ...ends(spring), parts: [] };
    const { radius: r } = row;
    if (row.kind === "coil") {
      row.parts = [discPart(DARK, 1.25 * r, 0, 0.02), discPart(DARK, 1.25 * r, 1, -0.02)];
      if (row.damped) row.parts.push(fixedPart(DARK, 0.42 * r, 1, -SLEEVE), fixedPart(CHROME, 0.2 * r, 0, SLEEVE + 0.1));
    } else if (row.kind === "cylinder") {
      row.parts = [fixedPart(PAINT, 0.7 * r, 0, 0.62), fixedPart(CHROME, 0.35 * r, 1, -0.62)];
    } else {
      row.lever = leverOf(world, row);
      row.reach = barOf(world, row);
    }
    this.rows.push(row);
  }

  // All straight pieces together.
  addPipes() {
    this.pipes = this.rows.flatMap((row) => row.parts.map((part) => ({ row, ...part })));
    const shape = merged([new THREE.CylinderGeometry(1, 1, 1, this.plain ? 8 : 16).rotateX(Math.PI / 2).translate(0, 0, 0.5)]);
    this.pipeMesh = this.instanced(shape, this.pipes.map(({ look }) => look), this.pipes.map(({ row }) => bodyOf(row)));
  }

  // Coils of one size together.
  addCoils() {
    const sizes = new Map();
    for (const row of this.rows.filter(({ kind }) => kind === "coil")) {
      const key = `${row.radius.toFixed(4)} ${row.length.toFixed(4)}`;
      if (!sizes.has(key)) sizes.set(key, []);
      sizes.get(key).push(row);
    }
    this.coils = [...sizes.values()].map((rows) => {
      const shape = coilGeometry(rows[0].radius, rows[0].length, this.plain);
      return { rows, mesh: this.instanced(shape, rows.map(() => PAINT), rows.map(bodyOf)) };
    });
  }

  instanced(shape, looks, bodies) {
    const mesh = new THREE.InstancedMesh(shape, bodyMaterial(this.plain), looks.length);
    setFinishes(mesh, looks.map(({ finish }) => finish), bodies);
    looks.forEach(({ color }, i) => mesh.setColorAt(i, color));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.visible = looks.length > 0;
    this.scene.add(mesh);
    return mesh;
  }

  // A bar with flat sides along the hinge's axis, one end held by body a, the other turned by body b.
  addBar(row) {
    const { rings, sides } = BAR;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * (rings + 1) * sides), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * (rings + 1) * sides).fill(1), 3));
    const index = [];
    for (let i = 0; i < rings; i += 1) {
      for (let k = 0; k < sides; k += 1) {
        const [a, b] = [i * sides + k, i * sides + ((k + 1) % sides)];
        index.push(a, b, a + sides, b, b + sides, a + sides);
        if (k === 0) for (const at of [a, a + sides]) geometry.getAttribute("color").setXYZ(at, 2, 1.2, 0.4); // a painted line
      }
    }
    geometry.setIndex(index);
    const look = { color: STEEL.color, flatShading: true };
    const mesh = new THREE.Mesh(geometry, bodyMaterial(this.plain, look, STEEL.finish));
    mesh.userData.bodies = [bodyOf(row)];
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return { ...row, mesh, length: row.reach, thick: BAR.thick * row.lever };
  }

  // Everything that is drawn.
  meshes() {
    return [this.pipeMesh, ...this.coils.map(({ mesh }) => mesh), ...this.bars.map(({ mesh }) => mesh)];
  }

  // By the places of the bodies, and the angles of hinges that have a bar.
  place(matrices, angleOf) {
    const matrixOf = (body) => (body < 0 ? IDENTITY : matrices[body]);
    for (const row of this.rows) {
      row.from.setFromMatrixPosition(AT.multiplyMatrices(matrixOf(row.a), row.localA));
      row.to.setFromMatrixPosition(AT.multiplyMatrices(matrixOf(row.b), row.localB));
    }
    this.pipes.forEach(({ row, radius, start, share, fixed }, i) => {
      LINE.subVectors(row.to, row.from);
      const now = LINE.length();
      this.pipeMesh.setMatrixAt(i, along(row.from, LINE, start * now, radius, share * (fixed ? row.length : now), now));
    });
    this.pipeMesh.instanceMatrix.needsUpdate = true;
    for (const { rows, mesh } of this.coils) {
      rows.forEach(({ from, to, length }, i) => {
        LINE.subVectors(to, from);
        mesh.setMatrixAt(i, along(from, LINE, 0, 1, LINE.length() / length, LINE.length()));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    for (const bar of this.bars) this.twist(bar, matrixOf(bar.b), angleOf(bar.angle) || 0);
  }

  // In the axes of body b's frame: the end at b does not turn there, the other turns back by the angle.
  twist({ mesh, length, thick, localB }, matrix, angle) {
    const places = mesh.geometry.getAttribute("position");
    for (let i = 0; i <= BAR.rings; i += 1) {
      const share = i / BAR.rings;
      for (let k = 0; k < BAR.sides; k += 1) {
        const turn = (Math.sign(length) * 2 * Math.PI * k) / BAR.sides - angle * share; // its faces look outwards either way
        places.setXYZ(i * BAR.sides + k, thick * Math.cos(turn), thick * Math.sin(turn), length * share);
      }
    }
    places.needsUpdate = true;
    mesh.matrix.multiplyMatrices(matrix, localB);
  }
}

// Parts of a line from 0 (at a) to 1 (at b): stretched with it, or of the length they have at the start.
const rodPart = (look, radius, start, share) => ({ look, radius, start, share, fixed: false });
const fixedPart = (look, radius, start, share) => ({ look, radius, start, share, fixed: true });
const discPart = fixedPart;

// What moves with b is taken for a part of it.
const bodyOf = ({ a, b }) => (b >= 0 ? b : a);

function ends({ a, b, frame_a: frameA, frame_b: frameB }) {
  return {
    a, b,
    localA: poseMatrix(frameA.slice(0, 3), frameA.slice(3)), localB: poseMatrix(frameB.slice(0, 3), frameB.slice(3)),
    from: new THREE.Vector3(), to: new THREE.Vector3(),
  };
}

// How long the arm is that turns a bar: from the hinge to the middle of body b.
function leverOf(world, { b, frame_b: frameB }) {
  const center = world.bodies[b]?.center ?? [0, 0, 0];
  return Math.max(Math.hypot(...center.map((x, k) => x - frameB[k])), 0.02);
}

// How long the bar is: from the hinge along its axis to the middle of body a, which holds it there (below 0: backwards).
function barOf(world, { a, localA, lever }) {
  if (a < 0) return BAR.long * lever;
  const inwards = LINE.fromArray(world.bodies[a].center).sub(PLACE.setFromMatrixPosition(localA));
  const along = inwards.dot(DIRECTION.setFromMatrixColumn(localA, 2));
  return (along < 0 ? -1 : 1) * Math.min(Math.max(Math.abs(along), BAR.short * lever), BAR.long * lever);
}

// A unit piece along z, moved to begin at a distance along a line, as thick and long as asked for (a negative length goes back).
function along(from, line, start, radius, length, whole) {
  DIRECTION.copy(line).divideScalar(whole || 1);
  TURN.setFromUnitVectors(UP, DIRECTION);
  PLACE.copy(from).addScaledVector(DIRECTION, length < 0 ? start + length : start);
  return OUT.compose(PLACE, TURN, SIZE.set(radius, radius, Math.max(Math.abs(length), 1e-6)));
}

const IDENTITY = new THREE.Matrix4();
const AT = new THREE.Matrix4();
const OUT = new THREE.Matrix4();
const LINE = new THREE.Vector3();
const DIRECTION = new THREE.Vector3();
const PLACE = new THREE.Vector3();
const SIZE = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const UP = new THREE.Vector3(0, 0, 1);
