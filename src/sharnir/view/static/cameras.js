// Cameras: what the large picture is seen by: orbit (free), follow (orbit about a body), or a mounted camera by its name.

import { mounted } from "./mounted.js";
import { poseMatrix } from "./shapes.js";
import { OrbitControls, THREE } from "./three.js";

const VIEW = 45; // degrees from the lower to the upper edge
const LAG = 120; // ms in which a followed body is caught up with but for a third
const JUMPS = 1.5; // radii at once, after which there is nothing to come after
const SETTLED = 1e-3; // radii
const AWAY = 1e-6; // of the scene's radius, from which one looks elsewhere than from home
const CLEAR = 0.03; // of the scene's radius that the orbit stays above the ground

export class Cameras {
  constructor(world, canvas, ground) {
    this.camera = new THREE.PerspectiveCamera(VIEW, 1, 0.01, 2000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.12;
    this.homed = { offset: new THREE.Vector3(), target: new THREE.Vector3() };
    this.enter(world, ground);
    this.last = new THREE.Vector3();
    this.kind = "orbit";
    this.home();
    if (world.followed >= 0) this.choose("follow");
  }

  // What there is to be looked at; the eye stays where it is.
  enter(world, ground) {
    this.world = world;
    this.bodies = null; // where they are now, once it is known
    this.ground = ground;
    this.mounted = mounted(world);
    this.controls.maxPolarAngle = (world.terrain.length > 0 ? 0.495 : 0.98) * Math.PI; // not below the ground
    this.body = world.followed >= 0 ? world.followed : Math.max(0, world.bodies.findIndex((body) => !body.fixed));
  }

  get orbits() {
    return this.kind === "orbit" || this.kind === "follow";
  }

  // The whole machine from its right front, wherever it has gone, also in a window that is higher than wide.
  home() {
    const { center, radius } = this.world.focus;
    const gone = this.gone();
    const far = (1.12 * radius) / Math.sin((VIEW * Math.PI) / 360) / Math.min(this.camera.aspect, 1);
    this.camera.fov = VIEW;
    this.camera.userData.lens = null;
    this.camera.layers.set(0);
    this.camera.up.set(0, 0, 1);
    this.camera.updateProjectionMatrix();
    this.controls.target.set(...center).applyMatrix4(gone);
    this.camera.position.set(center[0] + 0.48 * far, center[1] - 0.84 * far, center[2] + 0.4 * far).applyMatrix4(gone);
    this.controls.update();
    this.homed.focus = this.world.focus;
    this.homed.target.copy(this.controls.target);
    this.homed.offset.subVectors(this.camera.position, this.controls.target);
    this.fresh = true;
  }

  // Whether nobody has looked elsewhere since.
  get atHome() {
    const { target } = this.controls;
    const least = AWAY * this.world.focus.radius;
    const turned = MOVED.subVectors(this.camera.position, target).distanceTo(this.homed.offset);
    return this.orbits && turned < least && target.distanceTo(this.homed.target) < least;
  }

  // How what is followed has moved and turned about the vertical since the start.
  gone() {
    const { followed, bodies } = this.world;
    const now = this.bodies?.matrix[followed];
    if (!now) return GONE.identity();
    const then = poseMatrix(bodies[followed].position, bodies[followed].rotation);
    GONE.makeRotationZ(headingOf(now) - headingOf(then));
    AT.setFromMatrixPosition(then).applyMatrix4(GONE);
    return GONE.setPosition(MOVED.setFromMatrixPosition(now).sub(AT));
  }

  choose(kind, body = this.body) {
    const before = this.orbits;
    this.kind = kind;
    this.body = body;
    if (this.orbits && !before) this.home();
    this.controls.enabled = this.orbits;
    this.fresh = true;
  }

  resize(aspect) {
    const home = this.atHome;
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (home) this.home(); // the whole machine in the new window as well
  }

  // Returns whether the picture changes by it.
  update(bodies, ropes) {
    this.bodies = bodies;
    if (!this.orbits) {
      this.mounted.get(this.kind)({ camera: this.camera, bodies, ropes, body: this.body });
      return false; // it moves with the frames
    }
    const pulled = this.kind === "follow" && bodies.matrix[this.body] ? this.follow(bodies.matrix[this.body], performance.now()) : false;
    const moved = this.controls.update();
    this.stayAbove();
    return moved || pulled;
  }

  // As if on a spring, critically damped: it comes after the body without swinging. Returns whether it is still on its way.
  follow(matrix, now) {
    const whole = this.fresh && this.body === this.world.followed && this.atHome; // what is towed is looked at, too
    AT.setFromMatrixPosition(matrix);
    if (whole) {
      this.last.copy(AT);
      this.followedAt = now;
      this.fresh = false;
    }
    const far = AT.distanceTo(this.fresh ? this.controls.target : this.last);
    const jumps = this.fresh || !this.controls.enableDamping || far > JUMPS * this.world.focus.radius;
    const share = jumps ? 1 : 1 - Math.exp(-Math.min(now - this.followedAt, 500) / LAG);
    MOVED.subVectors(AT, this.fresh ? this.controls.target : this.last).multiplyScalar(share);
    this.camera.position.add(MOVED);
    this.controls.target.add(MOVED);
    this.homed.target.add(MOVED);
    if (this.fresh) this.last.copy(AT);
    else this.last.add(MOVED);
    this.followedAt = now;
    this.fresh = false;
    return this.last.distanceTo(AT) > SETTLED * this.world.focus.radius;
  }

  // The orbit's angle keeps the camera above the target; this above hills as well.
  stayAbove() {
    const { position } = this.camera;
    const least = this.ground.height(position.x, position.y, position.z) + CLEAR * this.world.focus.radius;
    if (position.z >= least) return;
    position.z = least;
    this.camera.lookAt(this.controls.target);
  }
}

function headingOf({ elements }) {
  return Math.atan2(elements[1], elements[0]);
}

const AT = new THREE.Vector3();
const MOVED = new THREE.Vector3();
const GONE = new THREE.Matrix4();
