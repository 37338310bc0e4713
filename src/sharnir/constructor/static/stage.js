// The stage: the scene in 3D, drawn by the console's view, with gizmos to move and turn what is selected.

import { makeView } from "/view/view.js";
import { t } from "/view/texts.js";
import { make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { Gizmo } from "./gizmo.js";
import { Marks } from "./marks.js";
import { poseOf } from "./moving.js";
import { Picking } from "./picking.js";
import { addTools } from "./stage_tools.js";

const EMPTY = {
  name: "", bodies: [], surfaces: [], textures: [], told: [], joints: [], ropes: [], terrain: [], cameras: [], rays: [], machines: [],
  extent: { center: [0, 0, 0], radius: 1, floor: 0 }, focus: { center: [0, 0, 0.3], radius: 1 }, followed: -1, weight: 1,
  sky: { light: "studio", azimuth: -2.2, elevation: 1, fog: null },
};
const NO_LAYOUT = { header: [], blocks: {}, channels: [], inputs: [], modes: [], holds: [], size: 0 };
const DELETED = { position: [0, 0, -1e5] }; // out of sight, until the world comes without it
const NEAR = 10; // pixels to the mark of a joint that is meant

export function mount(element, document, context) {
  context.stage = new Stage(element, document, context);
}

// Whether one ball lies in another.
const isInside = (one, other) => Math.hypot(...one.center.map((at, i) => at - other.center[i])) + one.radius <= other.radius;

export class Stage {
  constructor(element, document, context) {
    Object.assign(this, { element, document, context });
    this.world = EMPTY;
    this.index = new Map(); // bodies by name
    this.playing = false;
    this.hint = make("p", { class: "stage-hint", role: "status", hidden: true });
    this.view = makeView(element, EMPTY, NO_LAYOUT);
    element.append(this.hint);
    document.coordinates = () => this.world.joints.flatMap((joint) => joint.coordinates.map(({ label, unit }) => ({ label, unit, joint: joint.name })));
    if (!this.view.canvas) return; // without WebGL everything else works
    this.view.overlays.shown.frames = true;
    this.view.canvas.tabIndex = 0;
    this.view.canvas.setAttribute("role", "application");
    this.view.canvas.setAttribute("aria-label", t("3D view: arrow keys move what is selected, G moves, R turns, F fits"));
    this.gizmo = new Gizmo(this);
    this.marks = new Marks(this);
    this.picking = new Picking(this);
    this.listen();
    addTools(this);
    this.paint(globalThis.document.body.classList.contains("body--dark"));
    if (document.world) this.enter(document.world);
  }

  listen() {
    const { document, context, view } = this;
    document.addEventListener("message", ({ detail }) => {
      if (detail.world) this.enter(detail.world);
      else if (detail.world_changes) this.change(detail.world_changes);
    });
    document.subscribe(({ operations }) => {
      this.rename(operations ?? []);
      this.settle();
    });
    context.selection.subscribe(() => this.mark());
    globalThis.document.addEventListener("theme", ({ detail }) => this.paint(detail));
    view.pick = (event) => this.clicked(event); // a click selects in the document
  }

  paint(dark) {
    this.view.paint(dark ? "dark" : "light");
  }

  // --- the world ------------------------------------------------------------------------------------------------------

  enter(world) {
    const before = this.world;
    this.world = world;
    if (this.playing) return;
    const { cameras } = this.view;
    const isHome = cameras.atHome; // nobody has looked elsewhere
    this.draw(world, NO_LAYOUT);
    if (before === EMPTY ? world.bodies.length : isHome && !isInside(world.focus, cameras.homed.focus)) cameras.home();
  }

  change({ bodies, rest }) {
    const all = [...this.world.bodies];
    for (const [i, body] of Object.entries(bodies)) all[Number(i)] = body;
    this.enter({ ...this.world, ...rest, bodies: all });
  }

  // Bodies keep their looks under another name, until the world comes with it.
  rename(operations) {
    for (const { op, from, path } of operations) {
      const [[section, old, ...rest], [, name]] = [stepsOf(from ?? ""), stepsOf(path)];
      const i = op === "move" && section === "bodies" && !rest.length ? this.index.get(old) : undefined;
      if (i === undefined) continue;
      this.world.bodies[i] = { ...this.world.bodies[i], name };
      this.index.delete(old);
      this.index.set(name, i);
    }
  }

  draw(world, layout) {
    const { view } = this;
    this.index = new Map(world.bodies.map(({ name }, i) => [name, i]));
    const sky = this.playing ? world.sky : { ...world.sky, light: "studio", fog: null }; // what is edited is to be seen
    view.reload({ ...world, sky }, layout, [...(this.gizmo?.kept ?? []), ...(this.marks?.kept ?? [])]);
    view.cameras.choose("orbit");
    if (!this.playing) this.settle();
    this.mark();
  }

  // Bodies where the document has them, which may be newer than what the server has sent.
  settle() {
    if (this.playing || !this.view.canvas) return;
    const frame = this.frame();
    this.view.show(frame);
    this.view.bodies.show(frame, this.view.reader); // at once: what is pointed at is where it will be drawn
    this.gizmo.follow();
    this.marks.draw();
    if (this.previewed) this.view.stale = true;
    this.previewed = false;
  }

  frame() {
    const poses = new Float32Array(7 * this.world.bodies.length);
    this.world.bodies.forEach((body, i) => {
      const now = this.document.data.bodies?.[body.name] ?? DELETED;
      poses.set([...(now.position?.length === 3 ? now.position : body.position), ...(now.rotation?.length === 4 ? now.rotation : [0, 0, 0, 1])], 7 * i);
    });
    const ropes = this.world.ropes.map(({ name, at }) => [`rope ${name}`, Float32Array.from(at.flatMap((point) => [...point, 0]))]);
    return { poses, channels: [], inputs: [], contacts: [], contacts_used: 0, ...Object.fromEntries(ropes) };
  }

  // Shows places that are not in the document yet: [path, matrix of the world that is applied].
  preview(paths, matrix) {
    const moved = new Set(paths.map(stepsOf).filter(([section, , ...rest]) => section === "bodies" && !rest.length).map(([, name]) => name));
    for (const name of moved) {
      const i = this.index.get(name);
      if (i !== undefined) this.view.bodies.matrix[i].copy(matrix).multiply(poseOf(this.document.data.bodies[name]));
    }
    this.view.bodies.place();
    this.previewed = this.view.stale = true;
  }

  // --- selection ------------------------------------------------------------------------------------------------------

  // The bodies that are selected, whole or a shape of them, by number.
  selected() {
    const names = this.context.selection.list.map(stepsOf).filter(([section]) => section === "bodies").map(([, name]) => name);
    return new Set(names.map((name) => this.index.get(name)).filter((i) => i !== undefined));
  }

  mark() {
    const { selection } = this.context;
    const chosen = this.selected();
    const [section, name] = stepsOf(selection.last ?? "");
    const last = section === "bodies" ? this.index.get(name) ?? -1 : -1;
    this.view.bodies?.select(last, chosen);
    this.gizmo?.follow();
    this.marks?.draw();
    this.view.stale = true;
  }

  clicked(event) {
    if (this.playing || this.gizmo.busy || this.picking.takes(event)) return;
    const { selection } = this.context;
    const path = this.pathAt(event);
    if (!path) return event.shiftKey || event.ctrlKey || event.metaKey ? undefined : selection.clear();
    if (event.shiftKey || event.ctrlKey || event.metaKey) selection.toggle(path);
    else selection.set(path);
  }

  pathAt(event) {
    const joint = this.view.overlays.shown.frames ? this.jointAt(event) : null;
    if (joint) return pathOf("joints", joint);
    const hit = this.view.hit(event);
    return hit ? pathOf("bodies", this.world.bodies[hit.body].name) : null;
  }

  jointAt(event) {
    const box = this.view.canvas.getBoundingClientRect();
    let best = null;
    for (const joint of this.world.joints) {
      const at = this.marks.originOf(joint)?.project(this.view.cameras.camera);
      if (!at || at.z >= 1) continue;
      const far = Math.hypot(((at.x + 1) / 2) * box.width - (event.clientX - box.left), ((1 - at.y) / 2) * box.height - (event.clientY - box.top));
      if (far < NEAR && far < (best?.far ?? Infinity)) best = { far, name: joint.name };
    }
    return best?.name ?? null;
  }

  fit() {
    const chosen = [...this.selected()];
    const bodies = chosen.length ? chosen.map((i) => this.world.bodies[i]) : null;
    const { cameras } = this.view;
    const world = cameras.world;
    if (bodies) {
      const places = bodies.map(({ name, center }) => ({ at: this.view.bodies.matrix[this.index.get(name)], center }));
      const centers = places.map(({ at, center }) => [0, 1, 2].map((k) => at.elements[12 + k] + (center?.[k] ?? 0)));
      const middle = [0, 1, 2].map((k) => centers.reduce((sum, one) => sum + one[k], 0) / centers.length);
      const reach = Math.max(...bodies.map(({ radius }, i) => radius + Math.hypot(...[0, 1, 2].map((k) => centers[i][k] - middle[k]))), 0.1);
      cameras.world = { ...world, focus: { center: middle, radius: reach } };
    }
    cameras.home();
    cameras.world = world;
    this.view.stale = true;
  }

  // From a side: the direction that the eye lies in.
  look(direction) {
    const { camera, controls } = this.view.cameras;
    const far = camera.position.distanceTo(controls.target);
    camera.position.set(...controls.target.toArray().map((at, i) => at + far * direction[i]));
    controls.update();
    this.view.stale = true;
  }

  // Where a new thing is put, its middle a height above the ground: where the camera looks, and beside what is there.
  place(height) {
    const target = this.view.cameras?.controls?.target;
    const taken = Object.values(this.document.data.bodies ?? {}).map(({ position }) => position ?? [0, 0, 0]);
    const at = target && taken.length ? [Math.round(4 * target.x) / 4, Math.round(4 * target.y) / 4] : [0, 0];
    while (taken.some(([x, y]) => Math.hypot(x - at[0], y - at[1]) < 0.05)) at[1] += 0.5;
    return [at[0], at[1], height];
  }

  pickFrames(type) {
    this.picking.begin(type);
  }

  say(text) {
    this.hint.textContent = text;
    this.hint.hidden = !text;
  }

  // --- physics --------------------------------------------------------------------------------------------------------

  play(world) {
    if (!this.view.canvas) return;
    const { camera, controls } = this.view.cameras;
    this.before = [camera.position.clone(), controls.target.clone()]; // where one looks again afterwards
    this.playing = true;
    this.gizmo.follow();
    this.picking.end();
    this.draw(world, world.layout);
    if (world.followed >= 0) this.view.cameras.choose("follow", world.followed);
    this.marks.draw();
  }

  rest() {
    if (!this.view.canvas) return;
    const { camera, controls } = this.view.cameras;
    this.playing = false;
    this.draw(this.world, NO_LAYOUT);
    camera.position.copy(this.before[0]);
    controls.target.copy(this.before[1]);
  }
}
