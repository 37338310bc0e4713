// Measure: the distance between two points that were clicked, on bodies or on the ground. Points on bodies move with them.

import { THREE } from "./three.js";

const COLOR = "#ffd23f";

export class Measure {
  constructor(view) {
    this.view = view;
    this.on = false;
    this.points = []; // { body, at }: in the body's frame, or the world's
    this.label = document.createElement("div");
    this.label.className = "view-label measure-label";
    this.label.hidden = true;
    view.container.append(this.label);
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: COLOR, depthTest: false, fog: false }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    this.line.renderOrder = 12;
    view.scene.add(this.line);
  }

  toggle(on) {
    this.on = on;
    this.points = [];
    this.view.stale = true;
  }

  // A click while it is on; a third begins anew.
  click(event) {
    if (this.points.length === 2) this.points = [];
    const found = this.hit(event);
    if (found) this.points.push(found);
    this.view.stale = true;
  }

  hit(event) {
    const { view } = this;
    view.ray(event);
    const body = view.bodies.pick(view.raycaster);
    const meshes = view.ground.pieces.flatMap(({ meshes }) => meshes);
    const [ground] = view.raycaster.intersectObjects(meshes, false);
    const origin = view.raycaster.ray.origin;
    if (!body && !ground) return null;
    if (ground && (!body || ground.point.distanceTo(origin) < body.point.distanceTo(origin))) return { body: -1, at: ground.point.clone() };
    const inverse = view.bodies.matrix[body.body].clone().invert();
    return { body: body.body, at: body.point.clone().applyMatrix4(inverse) };
  }

  places() {
    return this.points.map(({ body, at }) => (body < 0 ? at.clone() : at.clone().applyMatrix4(this.view.bodies.matrix[body])));
  }

  get distance() {
    const [a, b] = this.places();
    return b ? a.distanceTo(b) : NaN;
  }

  show(camera) {
    const [a, b] = this.places();
    this.line.visible = Boolean(b);
    this.label.hidden = !this.on || !a;
    if (!a) return;
    if (b) {
      const place = this.line.geometry.getAttribute("position");
      place.setXYZ(0, a.x, a.y, a.z);
      place.setXYZ(1, b.x, b.y, b.z);
      place.needsUpdate = true;
      const d = b.clone().sub(a);
      this.label.textContent = `${d.length().toFixed(3)} m  (${d.x.toFixed(2)}  ${d.y.toFixed(2)}  ${d.z.toFixed(2)})`;
    } else {
      this.label.textContent = `${a.x.toFixed(2)}  ${a.y.toFixed(2)}  ${a.z.toFixed(2)} m`;
    }
    const at = (b ? a.clone().lerp(b, 0.5) : a).project(camera);
    if (at.z >= 1) this.label.hidden = true; // behind the camera
    const { clientWidth: width, clientHeight: height } = this.view.container;
    this.label.style.transform = `translate(${((0.5 + 0.5 * at.x) * width).toFixed(1)}px, ${((0.5 - 0.5 * at.y) * height - 24).toFixed(1)}px)`;
  }
}
