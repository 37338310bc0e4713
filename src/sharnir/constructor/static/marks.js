// Marks: the axes of selected joints, what cameras and distance sensors see, and what is measured or picked, as lines.

import { THREE } from "/view/three.js";
import { poseMatrix } from "/view/shapes.js";
import { stepsOf } from "./document.js";

const AMBER = new THREE.Color("#e0a53b");
const BLUE = new THREE.Color("#4a90d9");
const IDENTITY = new THREE.Matrix4();

export class Marks {
  constructor(stage) {
    this.stage = stage;
    this.extra = []; // [from, to] of what is being picked or measured
    this.geometry = new THREE.BufferGeometry();
    this.lines = new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 12;
    this.kept = [this.lines];
    stage.view.scene.add(this.lines);
  }

  matrixOf(index) {
    return index < 0 ? IDENTITY : this.stage.view.bodies.matrix[index] ?? IDENTITY;
  }

  // Where a joint of the world is drawn.
  originOf(joint) {
    const local = poseMatrix(joint.frame_b.slice(0, 3), joint.frame_b.slice(3));
    return new THREE.Vector3().setFromMatrixPosition(local.premultiply(this.matrixOf(joint.b)));
  }

  show(lines) {
    this.extra = lines;
    this.draw();
  }

  draw() {
    const { view, world, context, playing } = this.stage;
    const points = [];
    const colors = [];
    const line = (from, to, color = AMBER) => {
      points.push(from.x, from.y, from.z, to.x, to.y, to.z);
      colors.push(...color.toArray(), ...color.toArray());
    };
    if (!playing) {
      const size = 0.35 * world.focus.radius;
      for (const path of context.selection.list) this.drawOne(stepsOf(path), size, line);
      for (const [from, to] of this.extra) line(from, to, BLUE);
    }
    const drawn = `${points};${colors}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    this.geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
    view.stale = true;
  }

  drawOne([section, name], size, line) {
    const { world } = this.stage;
    if (section === "joints") {
      const joint = world.joints.find((one) => one.name === name);
      if (!joint) return;
      for (const [frame, body] of [[joint.frame_a, joint.a], [joint.frame_b, joint.b]]) {
        const matrix = poseMatrix(frame.slice(0, 3), frame.slice(3)).premultiply(this.matrixOf(body));
        const at = new THREE.Vector3().setFromMatrixPosition(matrix);
        const along = new THREE.Vector3().setFromMatrixColumn(matrix, 2).multiplyScalar(size);
        line(at.clone().sub(along), at.clone().add(along));
        if (body >= 0) line(at, new THREE.Vector3(...world.bodies[body].center).applyMatrix4(this.matrixOf(body)), BLUE);
      }
    }
    const seen = (section === "cameras" && world.cameras.find((one) => one.name === name)) || (section === "rays" && world.rays.find((one) => one.name === name));
    if (seen) {
      const matrix = this.matrixOf(seen.body);
      const at = new THREE.Vector3(...seen.position).applyMatrix4(matrix);
      const to = new THREE.Vector3(...seen.direction).transformDirection(matrix).multiplyScalar(Math.min(seen.reach ?? size, 4 * size)).add(at);
      line(at, to, BLUE);
    }
  }
}
