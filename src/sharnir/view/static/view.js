// View: draws a world and its frames. It knows neither the server nor the console: hand it frames with show().

import { THREE } from "./three.js";
import { Cameras } from "./cameras.js";
import { FrameReader } from "./frame.js";
import { Ground } from "./ground.js";
import { Labels } from "./labels.js";
import { Overlays } from "./overlays.js";
import { Pictures } from "./pictures.js";
import { Ropes } from "./ropes.js";
import { Bodies } from "./shapes.js";
import { t } from "./texts.js";

const THEMES = {
  dark: { background: "#1a2026", ground: "#424b4e", ink: "#e6ecf0", light: 2.6, fill: 1.7 },
  light: { background: "#dfe8ee", ground: "#b9c0b8", ink: "#1c2226", light: 3.0, fill: 2.6 },
};

// A view, or where the browser cannot draw in 3D, a message in its place: everything else works without.
export function makeView(container, world, layout, plain) {
  try {
    return new View(container, world, layout, plain);
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
}

const SOFTWARE_REST = 150; // ms at least between two pictures without a graphics card
const SOFTWARE_SHARE = 3; // and so many times what a picture takes, to leave the processor to others

function drawsInSoftware() {
  const pen = document.createElement("canvas").getContext("webgl2");
  const named = pen?.getExtension("WEBGL_debug_renderer_info");
  return named ? /swiftshader|llvmpipe|software/i.test(pen.getParameter(named.UNMASKED_RENDERER_WEBGL)) : false;
}

export class View extends EventTarget {
  // Plain: fewer pixels, triangles and shadows, and rests between pictures, where there is no graphics card.
  constructor(container, world, layout, plain = drawsInSoftware()) {
    super();
    this.container = container;
    this.world = world;
    this.reader = new FrameReader(layout);
    this.frame = null;
    this.raycaster = new THREE.Raycaster();
    this.scene = new THREE.Scene();
    this.plain = plain;
    this.rest = this.plain ? SOFTWARE_REST : 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.plain, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(this.plain ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.plain ? THREE.BasicShadowMap : THREE.PCFSoftShadowMap;
    this.canvas = this.renderer.domElement;
    container.append(this.canvas);
    this.labels = new Labels(world, container);
    this.addLights();
    this.ground = new Ground(world, this.scene, this.plain);
    this.bodies = new Bodies(world, this.scene, this.plain);
    this.ropes = new Ropes(world, this.scene);
    this.overlays = new Overlays(world, this.scene, this.reader);
    this.cameras = new Cameras(world, this.canvas, this.ground);
    this.pictures = new Pictures(world, container);
    this.pictures.addEventListener("change", () => (this.stale = true));
    this.listen();
    this.paint(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.drawn = this.drawnAt = 0;
    this.renderer.setAnimationLoop(() => this.draw());
  }

  addLights() {
    const { center, radius } = this.world.focus;
    this.sun = new THREE.DirectionalLight("#ffffff", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.plain ? 1024 : 2048);
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    const reach = 2.2 * radius;
    Object.assign(this.sun.shadow.camera, {
      left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * radius, far: 12 * radius,
    });
    this.sunOffset = new THREE.Vector3(-0.5, -0.75, 1.3).normalize().multiplyScalar(5 * radius);
    this.sun.target.position.set(...center);
    this.sky = new THREE.HemisphereLight("#ffffff", "#6b6f66", 1);
    this.scene.add(this.sun, this.sun.target, this.sky);
  }

  showLabels(on) {
    this.labels.on = on;
    this.stale = true;
  }

  overlay(name, on) {
    this.overlays.shown[name] = on;
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
    const width = Math.max(1, this.container.clientWidth);
    const height = Math.max(1, this.container.clientHeight);
    this.renderer.setSize(width, height);
    this.cameras.resize(width / height);
    if (this.drawn > 0) this.render(); // at once: it has emptied the picture
    this.stale = true;
  }

  paint(name) {
    const theme = THEMES[name];
    this.scene.background = new THREE.Color(theme.background);
    this.scene.fog = new THREE.Fog(theme.background, 14 * this.world.extent.radius, 60 * this.world.extent.radius + 60);
    this.sun.intensity = theme.light;
    this.sky.intensity = theme.fill;
    this.ground.paint(theme);
    this.overlays.paint(theme);
    this.stale = true;
  }

  show(frame) {
    this.frame = frame;
    this.fresh = true;
  }

  // Draws when something changed: a new frame, the camera, the window, the colours.
  draw() {
    const now = performance.now();
    if (this.measuring) this.took = now - this.drawnAt; // until the browser came round again
    this.measuring = false;
    const moved = this.cameras.update(this.bodies, this.ropes);
    if (!this.fresh && !moved && !this.stale) return;
    if (this.plain && now - this.drawnAt < Math.max(0.9 * this.rest, SOFTWARE_SHARE * (this.took ?? 0))) {
      this.stale = true;
      return;
    }
    this.render();
  }

  render() {
    this.drawnAt = performance.now();
    this.measuring = true;
    this.stale = false;
    if (this.fresh) {
      this.fresh = false;
      this.bodies.show(this.frame, this.reader);
    }
    if (this.frame) this.overlays.show(this.frame, this.bodies);
    this.cameras.update(this.bodies, this.ropes);
    if (this.frame) this.ropes.show(this.frame, this.cameras.camera, this.canvas.clientHeight);
    this.ground.update(this.cameras.camera);
    this.follow();
    this.renderer.render(this.scene, this.cameras.camera);
    this.pictures.draw(this.renderer, this.scene, { bodies: this.bodies, ropes: this.ropes, body: this.cameras.body });
    this.labels.show(this.bodies, this.cameras.camera);
    this.drawn += 1;
  }

  // The sun's shadow covers what the camera looks at.
  follow() {
    if (this.cameras.orbits) this.sun.target.position.copy(this.cameras.controls.target);
    else this.sun.target.position.setFromMatrixPosition(this.bodies.matrix[this.cameras.body] ?? this.sun.matrixWorld);
    this.sun.position.copy(this.sun.target.position).add(this.sunOffset);
  }

  pick(event) {
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
    const at = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    this.raycaster.setFromCamera(at, this.cameras.camera);
    return this.raycaster.ray;
  }

  select(body) {
    this.bodies.select(body);
    this.stale = true;
    if (body >= 0) this.cameras.body = body;
    this.dispatchEvent(new CustomEvent("select", { detail: body }));
  }
}
