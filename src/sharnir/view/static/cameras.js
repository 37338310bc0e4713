// Cameras: orbit (free), follow (orbit about a body), seat (fixed in a body), rope (from the end of a rope).

import { OrbitControls, THREE } from "./three.js";

export class Cameras {
  constructor(world, canvas) {
    this.world = world;
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01, 2000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = (world.terrain.length > 0 ? 0.495 : 0.98) * Math.PI; // not below the ground
    this.body = world.followed >= 0 ? world.followed : Math.max(0, world.bodies.findIndex((body) => !body.fixed));
    this.last = new THREE.Vector3();
    this.kind = "orbit";
    this.home();
    if (world.followed >= 0) this.choose("follow");
  }

  home() {
    const { center, radius } = this.world.focus;
    const far = (1.12 * radius) / Math.sin((this.camera.fov * Math.PI) / 360);
    this.controls.target.set(...center);
    this.camera.position.set(center[0] + 0.48 * far, center[1] - 0.84 * far, center[2] + 0.4 * far);
    this.controls.update();
    this.fresh = true;
  }

  choose(kind, body = this.body) {
    const orbits = kind === "orbit" || kind === "follow";
    if (orbits && this.kind !== "orbit" && this.kind !== "follow") this.home();
    this.kind = kind;
    this.body = body;
    this.controls.enabled = orbits;
    this.fresh = true;
  }

  resize(aspect) {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  // Returns whether the picture changes by it.
  update(bodies, ropes) {
    const matrix = bodies.matrix[this.body];
    if (this.kind === "follow" && matrix) {
      AT.setFromMatrixPosition(matrix);
      if (!this.fresh) {
        MOVED.subVectors(AT, this.last);
        this.camera.position.add(MOVED);
        this.controls.target.add(MOVED);
      } else {
        this.camera.position.add(MOVED.subVectors(AT, this.controls.target));
        this.controls.target.copy(AT);
      }
      this.last.copy(AT);
      this.fresh = false;
    }
    if (this.kind === "seat" && matrix) this.sit(matrix, this.world.bodies[this.body].seat);
    else if (this.kind === "rope" && ropes.ropes.length > 0) this.hang(ropes.ropes[0].points);
    else return this.controls.update();
    return false; // it moves with the frames
  }

  // Eyes above the body, looking along its x axis.
  sit(matrix, seat) {
    AT.set(...seat).applyMatrix4(matrix);
    LOOK.set(seat[0] + 4, seat[1], seat[2] - 0.6).applyMatrix4(matrix);
    UP.set(0, 0, 1).transformDirection(matrix);
    this.aim();
  }

  hang(points) {
    const end = points[points.length - 1];
    const before = points[Math.max(points.length - 4, 0)];
    MOVED.subVectors(end, before).normalize();
    AT.copy(end).addScaledVector(MOVED, -0.4).add(MOVED.set(0, 0, 0.25));
    LOOK.copy(end);
    UP.set(0, 0, 1);
    this.aim();
  }

  aim() {
    this.camera.position.copy(AT);
    this.camera.up.copy(UP);
    this.camera.lookAt(LOOK);
    this.camera.up.set(0, 0, 1);
  }
}

const AT = new THREE.Vector3();
const LOOK = new THREE.Vector3();
const UP = new THREE.Vector3();
const MOVED = new THREE.Vector3();
