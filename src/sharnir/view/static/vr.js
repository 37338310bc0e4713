// VR: the scene through a headset, by WebXR, where the browser has one. One walks around the machine, or sits in it. Sticks
// walk and turn; squeezing any controller is the emergency stop, as the page cannot be seen.

import { seat } from "./mounted.js";
import { THREE } from "./three.js";

const WALK = 1.4; // m/s with a stick pushed all the way
const TURN = Math.PI / 6; // rad at once: turning slowly makes people sick
const PUSHED = 0.6; // of a stick's way, at which it turns; back below half of it, it may turn again
const IDLE = 0.15; // of a stick's way that moves nothing
const STEP = 0.6; // m that one walks up at once; higher up is a roof
const NEAR = 1.6; // radii of the machine: how far away one stands at first
const ABOVE = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2); // a headset's y is up

export class Vr extends EventTarget {
  constructor(view) {
    super();
    this.view = view;
    this.session = null;
    this.rig = new THREE.Group(); // where the floor of the room is
    this.eye = new THREE.PerspectiveCamera(70, 1, 0.05, 2000);
    this.rig.add(this.eye);
    this.heading = 0;
  }

  get on() {
    return this.session !== null;
  }

  // Whether there is a headset.
  static async offered() {
    try {
      return Boolean(await navigator.xr?.isSessionSupported("immersive-vr"));
    } catch {
      return false;
    }
  }

  // Sitting: in the machine, which carries one; else one stands on the ground beside it.
  async enter(sitting) {
    const { renderer } = this.view;
    const session = await navigator.xr.requestSession("immersive-vr", { optionalFeatures: ["local-floor"] });
    this.sitting = sitting;
    renderer.xr.enabled = true;
    renderer.xr.setReferenceSpaceType(sitting ? "local" : "local-floor");
    session.addEventListener("end", () => this.ended());
    session.addEventListener("squeezestart", () => this.dispatchEvent(new Event("stop")));
    await renderer.xr.setSession(session);
    this.session = session;
    this.walkedAt = performance.now();
    this.turned = false;
    this.view.scene.add(this.rig);
    this.arrive();
    this.dispatchEvent(new Event("change"));
  }

  leave() {
    return this.session?.end();
  }

  ended() {
    this.session = null;
    this.view.renderer.xr.enabled = false;
    this.rig.removeFromParent();
    this.view.resize();
    this.view.stale = true;
    this.dispatchEvent(new Event("change"));
  }

  // On the side that the page looks from, with the machine ahead.
  arrive() {
    const { cameras, bodies, world } = this.view;
    if (bodies.matrix[cameras.body]) MACHINE.setFromMatrixPosition(bodies.matrix[cameras.body]);
    else MACHINE.set(...world.focus.center);
    AWAY.subVectors(cameras.camera.position, MACHINE).setZ(0);
    if (AWAY.lengthSq() === 0) AWAY.set(0, -1, 0);
    AWAY.setLength(NEAR * world.focus.radius + 0.5);
    this.heading = Math.atan2(-AWAY.y, -AWAY.x);
    this.rig.position.copy(MACHINE).add(AWAY);
    this.rig.position.z += world.focus.radius; // on hills as well; update() puts one on the ground
  }

  // Before every picture: where one is.
  update(now) {
    const long = Math.min((now - this.walkedAt) / 1000, 0.1);
    this.walkedAt = now;
    if (this.sitting) return this.sit();
    this.walk(long);
    const { ground } = this.view;
    const height = ground.height(this.rig.position.x, this.rig.position.y, this.rig.position.z + STEP);
    this.rig.position.z = Number.isFinite(height) ? height : this.view.world.extent.floor;
    this.rig.quaternion.setFromAxisAngle(UP, this.heading - Math.PI / 2).multiply(ABOVE);
  }

  sit() {
    const { bodies, cameras, world } = this.view;
    seat(world)({ camera: SEAT, bodies, body: cameras.body });
    SEAT.updateMatrixWorld();
    this.rig.position.copy(SEAT.position);
    this.rig.quaternion.copy(SEAT.quaternion);
  }

  // Along where one looks; turns by steps.
  walk(long) {
    let [across, along, turn] = [0, 0, 0];
    for (const { gamepad, handedness } of this.session.inputSources) {
      const [x, y] = [gamepad?.axes[2] ?? 0, gamepad?.axes[3] ?? 0];
      if (handedness === "right") turn = x;
      else [across, along] = [Math.abs(x) > IDLE ? x : 0, Math.abs(y) > IDLE ? -y : 0];
    }
    if (Math.abs(turn) > PUSHED && !this.turned) {
      this.heading -= Math.sign(turn) * TURN;
      this.turned = true;
    } else if (Math.abs(turn) < 0.5 * PUSHED) {
      this.turned = false;
    }
    AHEAD.set(0, 0, -1).applyQuaternion(this.eye.quaternion).applyQuaternion(this.rig.quaternion).setZ(0);
    if (AHEAD.lengthSq() < 1e-6) return;
    AHEAD.normalize();
    this.rig.position.addScaledVector(AHEAD, WALK * long * along);
    this.rig.position.addScaledVector(ASIDE.set(AHEAD.y, -AHEAD.x, 0), WALK * long * across);
  }
}

const UP = new THREE.Vector3(0, 0, 1);
const MACHINE = new THREE.Vector3();
const AWAY = new THREE.Vector3();
const AHEAD = new THREE.Vector3();
const ASIDE = new THREE.Vector3();
const SEAT = new THREE.PerspectiveCamera();
