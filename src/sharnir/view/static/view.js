// View: draws a world and its frames. It knows neither the server nor the console: hand it frames with show().

import { THREE } from "./three.js";
import { Cameras } from "./cameras.js";
import { FrameReader } from "./frame.js";
import { Ghost } from "./ghost.js";
import { Ground } from "./ground.js";
import { Labels } from "./labels.js";
import { see, straight } from "./lens.js";
import { Lights } from "./lights.js";
import { Marks } from "./marks.js";
import { Overlays } from "./overlays.js";
import { Measure } from "./measure.js";
import { Pictures } from "./pictures.js";
import { Quality } from "./quality.js";
import { Ropes } from "./ropes.js";
import { sense } from "./sensing.js";
import { Bodies } from "./shapes.js";
import { Sound } from "./sound.js";
import { Springs } from "./springs.js";
import { Still } from "./still.js";
import { t } from "./texts.js";
import { Trail } from "./trail.js";
import { Vr } from "./vr.js";

const THEMES = {
  dark: { background: "#1a2026", ground: "#424b4e", ink: "#e6ecf0" },
  light: { background: "#dfe8ee", ground: "#b9c0b8", ink: "#1c2226" },
};
const OUTDOORS = "#8c9285"; // the grid's ground below a sky
const SHADOWED = 2.2; // radii of the machine that are in shadow at least
const SHADED = 2.4; // halves of the picture's width at what is looked at: what stands farther off beside it has shadows, too
const FARTHEST = 30; // radii in which there are shadows, however far one looks

// A view, or where the browser cannot draw in 3D, a message in its place: everything else works without.
export function makeView(container, world, layout, told, exact) {
  try {
    return new View(container, world, layout, told, exact);
  } catch (error) {
    return new NoView(container, world, error);
  }
}

class NoView extends EventTarget {
  constructor(container, world, error) {
    super();
    this.world = world;
    this.rest = 0;
    this.drawn = Infinity;
    this.overlays = { shown: {} };
    this.lights = { name: "", fog: null };
    this.ground = { look: null };
    this.marks = { shown: false };
    this.ropes = {};
    this.cameras = { kind: "", home() {} };
    const note = document.createElement("div");
    note.className = "no-view";
    note.setAttribute("role", "alert");
    note.textContent = t(
      "This browser cannot draw in 3D: it has no WebGL 2 ({reason}). Turn on hardware acceleration, or use another browser. Controls, plots and the emergency stop work.",
      { reason: error.message },
    );
    container.prepend(note);
  }

  show() {}
  paint() {}
  select() {}
  camera() {}
  overlay() {}
  showLabels() {}
  showTension() {}
  light() {}
  fog() {}
  groundLook() {}
  showMarks() {}
  showGhost() {}
}

const SOFTWARE_REST = 60; // ms at least between two pictures without a graphics card: every other frame of 30 a second
const SOFTWARE_SHARE = 1.25; // and so many times what a picture takes, to leave the processor to others
const STANDS = 600; // ms without a change, after which a picture is drawn with all pixels
const AT_FIRST = 3; // pictures that are drawn even if nothing moves

function drawsInSoftware() {
  const pen = document.createElement("canvas").getContext("webgl2");
  const named = pen?.getExtension("WEBGL_debug_renderer_info");
  return named ? /swiftshader|llvmpipe|software/i.test(pen.getParameter(named.UNMASKED_RENDERER_WEBGL)) : false;
}

export class View extends EventTarget {
  // Plain: fewer triangles and simpler light, and rests between pictures, where there is no graphics card. Where that is
  // told, the quality is fixed; else it is chosen by measurement. Exact: as round as depth is measured.
  constructor(container, world, layout, told, exact = false) {
    super();
    const plain = told ?? drawsInSoftware();
    this.exact = exact;
    this.container = container;
    this.raycaster = new THREE.Raycaster();
    this.retired = [];
    this.scene = new THREE.Scene();
    this.plain = plain;
    this.rest = this.plain ? SOFTWARE_REST : 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.plain });
    this.quality = new Quality(this.renderer, container, this.plain, told !== undefined);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.autoUpdate = false; // once for all that is drawn of a moment
    this.renderer.shadowMap.type = this.plain ? THREE.BasicShadowMap : THREE.PCFSoftShadowMap;
    this.canvas = this.renderer.domElement;
    container.append(this.canvas);
    this.load(world, layout);
    this.cameras = new Cameras(world, this.canvas, this.ground);
    this.pictures = new Pictures(world, container);
    this.vr = new Vr(this);
    this.pictures.addEventListener("change", () => (this.stale = true));
    this.listen();
    this.paint(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.drawn = this.drawnAt = 0;
    this.renderer.setAnimationLoop(() => this.draw());
  }

  // All that is drawn of a world.
  load(world, layout) {
    this.world = world;
    this.reader = new FrameReader(layout);
    this.frame = null;
    this.labels = new Labels(world, this.container);
    this.lights = new Lights(world, this.scene, this.renderer, this.plain);
    this.lights.setShadow(this.quality.coarse);
    this.ground = new Ground(world, this.scene, this.plain, this.exact);
    this.bodies = new Bodies(world, this.scene, this.plain, this.exact);
    this.springs = new Springs(world, this.scene, this.plain);
    this.springs.place(this.bodies.matrix, () => 0);
    this.ropes = new Ropes(world, this.scene, this.bodies);
    this.marks = new Marks(world, this.scene, this.ground);
    this.trail = new Trail(world, this.scene);
    this.still = new Still(world);
    this.sound = new Sound(world, this.reader);
    this.measure = new Measure(this);
    this.ghost = null;
    this.vr?.leave();
    this.overlays = new Overlays(world, this.scene, this.reader, this.ground);
  }

  // Another world in place of the one that is shown, seen from where one is. What is kept stays in the scene.
  reload(world, layout, kept = []) {
    const { shown } = this.overlays;
    this.labels.box.remove();
    this.measure.label.remove();
    this.sound.toggle(false);
    this.scene.remove(...kept);
    this.retired.push(...this.scene.children);
    this.scene.clear();
    this.load(world, layout);
    if (kept.length) this.scene.add(...kept);
    this.overlays.shown = shown;
    this.cameras.enter(world, this.ground);
    this.pictures.enter(world);
    this.paint(this.theme);
  }

  // What is no longer shown is let go once the new has been drawn: until then its shaders are shared.
  forget() {
    for (const retired of this.retired.splice(0)) {
      retired.traverse((object) => {
        object.geometry?.dispose();
        for (const material of [object.material ?? []].flat()) material.dispose();
        object.dispose?.();
      });
    }
  }

  showLabels(on) {
    this.labels.on = on;
    this.stale = true;
  }

  overlay(name, on) {
    this.overlays.shown[name] = on;
    this.stale = true;
  }

  showTension(on) {
    this.ropes.byTension = on;
    this.stale = true;
  }

  camera(kind, body) {
    this.cameras.choose(kind, body);
    this.stale = true;
  }

  listen() {
    new ResizeObserver(() => this.resize()).observe(this.container);
    const canvas = this.renderer.domElement;
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      const moved = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]);
      if (moved !== null && moved < 4) this.pick(event);
    });
    this.resize();
  }

  resize() {
    if (this.vr?.on) return; // a headset has a size of its own
    const width = Math.max(1, this.container.clientWidth);
    const height = Math.max(1, this.container.clientHeight);
    this.renderer.setSize(width, height);
    this.cameras.resize(width / height);
    if (this.drawn > 0) this.render(); // at once: it has emptied the picture
    this.stale = true;
  }

  // By the page's theme.
  paint(name) {
    this.theme = name;
    const theme = THEMES[name];
    const { sky } = this.lights.paint(name);
    this.ground.paint(sky ? OUTDOORS : theme.ground);
    this.overlays.paint(theme);
    this.stale = true;
  }

  // "day", "overcast", "night" or "studio".
  light(name) {
    this.lights.name = name;
    this.paint(this.theme);
  }

  fog(on) {
    this.lights.setFog(on);
    this.paint(this.theme);
  }

  // A look of all ground, or null for that of the scene.
  groundLook(name) {
    this.ground.setLook(name);
    this.stale = true;
  }

  showMarks(on) {
    this.marks.show(on);
    this.stale = true;
  }

  // What shows the same as before is not drawn, unless lines show numbers of it.
  show(frame) {
    this.frame = frame;
    this.sound.play(frame, this.cameras.body);
    const { drives, reactions, slip } = this.overlays.shown;
    this.fresh ||= this.drawn < AT_FIRST || drives || reactions || slip || Boolean(this.ghost) || !this.still.same(frame, this.ropes.byTension);
  }

  // Another run through this one: a function of the time (s) that gives its frame or null; null takes it away. Its frames
  // may have a reader of their own.
  showGhost(source, reader = this.reader) {
    this.ghost?.remove();
    this.ghost = source ? new Ghost(this.world, this.scene, this.plain, { source, reader }) : null;
    this.fresh = this.frame !== null;
    this.stale = true;
  }

  // Draws when something changed: a new frame, the camera, the window, the colours.
  draw() {
    const now = performance.now();
    if (this.vr.on) return this.drawForHeadset(now);
    if (this.measuring) {
      this.took = now - this.drawnAt; // until the browser came round again
      this.measuring = false;
      if (this.quality.measured(this.took, now)) return this.redraw();
    }
    const moved = this.cameras.update(this.bodies, this.ropes);
    if (!this.fresh && !moved && !this.stale) return this.refine(now);
    if (this.plain && now - this.drawnAt < Math.max(0.9 * this.rest, SOFTWARE_SHARE * (this.took ?? 0))) {
      this.stale = true;
      return;
    }
    if (this.quality.refine(false, now)) this.lights.setShadow(this.quality.coarse);
    this.render();
  }

  // What stands still is drawn once more, with all pixels, however long that takes.
  refine(now) {
    if (now - this.drawnAt < STANDS || !this.quality.refine(true, now)) return;
    this.redraw();
    this.measuring = false;
  }

  // In the quality that was chosen, at once: another size has emptied the picture.
  redraw() {
    this.lights.setShadow(this.quality.coarse);
    this.render();
  }

  // Always, as heads move; without what lies over the picture on the page.
  drawForHeadset(now) {
    this.place();
    this.vr.update(now);
    if (this.frame) this.ropes.show(this.frame, this.vr.eye, this.canvas.clientHeight, this.bodies.matrix);
    this.ground.update({ position: this.vr.rig.position });
    this.follow();
    this.renderer.render(this.scene, this.vr.eye);
    this.drawn += 1;
    this.dispatchEvent(new Event("drawn"));
  }

  // Everything where the last frame has it.
  place() {
    if (this.fresh) {
      this.fresh = false;
      this.bodies.show(this.frame, this.reader);
      this.springs.place(this.bodies.matrix, (name) => this.reader.channel(this.frame, name) || 0);
      this.marks.update(this.frame.time, this.bodies.matrix);
      this.trail.add(this.frame.time, this.bodies.matrix[this.cameras.body]);
      this.ghost?.show(this.frame.time);
      this.still.keep(this.frame);
    }
  }

  render() {
    this.drawnAt = performance.now();
    this.measuring = true;
    this.stale = false;
    this.place();
    if (this.frame) this.overlays.show(this.frame, this.bodies, this.cameras.camera, this.cameras.body);
    this.cameras.update(this.bodies, this.ropes);
    const high = Math.min(this.canvas.clientHeight, this.canvas.height);
    if (this.frame) this.ropes.show(this.frame, this.cameras.camera, high, this.bodies.matrix);
    this.ghost?.showRopes(this.cameras.camera, high);
    this.ground.update(this.cameras.camera);
    this.follow();
    const eyes = { bodies: this.bodies, ropes: this.ropes, body: this.cameras.body };
    this.pictures.drawCopies(this.renderer, this.scene, eyes);
    see(this.renderer, this.scene, this.cameras.camera, this.canvas.width, this.canvas.height);
    this.pictures.draw(this.renderer, this.scene, eyes);
    this.measure.show(this.cameras.camera);
    this.labels.show(this.bodies, this.cameras.camera, this.frame ? this.overlays.notes : []);
    this.forget();
    this.drawn += 1;
    this.dispatchEvent(new Event("drawn"));
  }

  // The sun's shadow covers what the camera looks at, and lamps go with their machines.
  follow() {
    const { camera, controls, orbits, body } = this.cameras;
    const { radius } = this.world.focus;
    if (orbits) LOOKED.copy(controls.target);
    else LOOKED.setFromMatrixPosition(this.bodies.matrix[body] ?? camera.matrixWorld);
    const wide = SHADED * camera.position.distanceTo(LOOKED) * Math.tan((camera.fov * Math.PI) / 360) * Math.max(camera.aspect, 1);
    this.lights.cover(LOOKED, Math.min(Math.max(wide, SHADOWED * radius), FARTHEST * radius));
    this.lights.carry(this.bodies.matrix);
    this.renderer.shadowMap.needsUpdate = true;
  }

  pick(event) {
    if (this.measure.on) return this.measure.click(event);
    this.select(this.hit(event)?.body ?? -1);
  }

  // What the pointer is on: a body and a point of it, or null.
  hit(event) {
    this.ray(event);
    return this.bodies.pick(this.raycaster);
  }

  // From the camera through the pointer.
  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
    this.raycaster.setFromCamera(new THREE.Vector2(...straight(this.cameras.camera, at)), this.cameras.camera);
    return this.raycaster.ray;
  }

  // Depth (m) and what is shown, two numbers a pixel, of a mounted camera or of the one in use.
  sense(name, width, height) {
    const camera = this.cameras.camera.clone();
    camera.aspect = width / height;
    this.pictures.offers.get(name)?.({ camera, bodies: this.bodies, ropes: this.ropes, body: this.cameras.body });
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return sense(this, camera, width, height);
  }

  select(body, others) {
    this.bodies.select(body, others);
    this.stale = true;
    if (body >= 0) this.cameras.body = body;
    this.dispatchEvent(new CustomEvent("select", { detail: body }));
  }
}

const LOOKED = new THREE.Vector3();
