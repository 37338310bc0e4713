// Pulling: a spring from a body to the pointer, which moves in the plane through the place it has hold of that faces the
// camera. The server lets go when the page is slow or gone; the page when the pointer, the focus or the right is lost.

import { THREE } from "./three.js";

const EVERY = 33; // ms between two messages
const AGAIN_EVERY = 50; // ms; the server lets go when it hears nothing for 200
const REACH = 0.6; // of the scene's radius that a button on the card pulls

export class Pulling {
  constructor({ view, link, world, timeline }) {
    Object.assign(this, { view, link, world, timeline });
    this.on = false; // the tool is chosen; without it the control key pulls, too
    this.held = null; // { body, point, plane, pointer }
    this.plane = new THREE.Plane();
    this.listen();
    setInterval(() => this.held && performance.now() - this.held.sent >= AGAIN_EVERY && this.send(), AGAIN_EVERY);
  }

  get may() {
    const { link } = this;
    const mine = link.driving || link.role === "instructor";
    return link.connected && mine && link.chain.state === "free" && !this.timeline.back;
  }

  listen() {
    const canvas = this.view.canvas;
    if (!canvas) return;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true }); // before the orbit's
    canvas.addEventListener("pointermove", (event) => this.held?.pointer === event.pointerId && this.move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(name, (event) => this.held?.pointer === event.pointerId && this.loosen());
    }
    addEventListener("blur", () => this.loosen());
    document.addEventListener("visibilitychange", () => document.hidden && this.loosen());
    this.link.on("dropped", () => this.forget());
    this.link.on("slow", () => this.forget());
  }

  down(event) {
    if (!(this.on || event.ctrlKey) || event.button !== 0 || !event.isPrimary || !this.may) return;
    const hit = this.view.hit(event);
    if (!hit || this.world.bodies[hit.body].fixed) return;
    event.stopImmediatePropagation();
    this.view.canvas.setPointerCapture(event.pointerId);
    this.view.select(hit.body);
    const { camera } = this.view.cameras;
    this.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(AT), hit.point);
    this.hold(hit.body, hit.point, event.pointerId);
    this.pull(hit.point);
  }

  move(event) {
    const target = this.view.ray(event).intersectPlane(this.plane, AT);
    if (target) this.pull(target);
  }

  // From a button: so far in a direction of the world.
  push(body, direction) {
    if (!this.may || !this.view.bodies || this.world.bodies[body].fixed) return;
    const at = new THREE.Vector3(...this.world.bodies[body].center).applyMatrix4(this.view.bodies.matrix[body]);
    this.hold(body, at, null);
    this.pull(at.clone().addScaledVector(direction, REACH * this.world.focus.radius));
  }

  hold(body, at, pointer) {
    const point = at.clone().applyMatrix4(INVERSE.copy(this.view.bodies.matrix[body]).invert());
    this.held = { body, point: point.toArray(), pointer, sent: -Infinity };
  }

  pull(target) {
    const { held } = this;
    held.target = target.toArray();
    const wait = held.sent + EVERY - performance.now();
    if (wait <= 0) this.send();
    else held.timer ??= setTimeout(() => this.send(), wait);
  }

  send() {
    const { held } = this;
    if (!held) return;
    held.timer = null;
    held.sent = performance.now();
    const { body, point, target } = held;
    this.link.send({ do: "pull", body: this.world.bodies[body].name, point, target });
  }

  loosen() {
    if (!this.held) return;
    this.forget();
    this.link.send({ do: "loosen" });
  }

  forget() {
    clearTimeout(this.held?.timer);
    this.held = null;
  }
}

const AT = new THREE.Vector3();
const INVERSE = new THREE.Matrix4();
