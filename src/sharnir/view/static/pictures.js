// Pictures: up to four pictures in the picture, each from a mounted camera. They are drawn into the view's own canvas, below
// frames of the page, with the shadows of the large picture.

import { THREE } from "./three.js";
import { see } from "./lens.js";
import { mounted } from "./mounted.js";
import { t } from "./texts.js";

export const MOST_PICTURES = 4;

export class Pictures extends EventTarget {
  constructor(world, container) {
    super();
    this.enter(world);
    this.open = []; // { name, element, camera }
    this.copies = []; // { name, canvas, camera }: pictures that stand elsewhere on the page
    this.box = document.createElement("div");
    this.box.className = "pictures";
    container.append(this.box);
    this.place = `sharnir-pictures-${world.name}`;
    for (const name of JSON.parse(localStorage.getItem(this.place) ?? "[]")) if (this.offers.has(name)) this.add(name);
  }

  // What there is to be seen from.
  enter(world) {
    this.world = world;
    this.offers = mounted(world);
  }

  has(name) {
    return this.open.some((picture) => picture.name === name);
  }

  // Opens or closes one; a fifth closes the oldest.
  toggle(name) {
    if (this.has(name)) this.remove(name);
    else this.add(name);
    localStorage.setItem(this.place, JSON.stringify(this.open.map((picture) => picture.name)));
    this.dispatchEvent(new CustomEvent("change"));
  }

  add(name) {
    if (this.open.length === MOST_PICTURES) this.remove(this.open[0].name);
    const element = document.createElement("figure");
    element.className = "picture";
    const caption = document.createElement("figcaption");
    const close = document.createElement("button");
    Object.assign(close, { type: "button", textContent: "✕", ariaLabel: t("Close the picture {name}", { name }) });
    close.addEventListener("click", () => this.toggle(name));
    const words = document.createElement("span");
    words.textContent = words.title = name;
    caption.append(words, close);
    element.append(caption);
    this.box.append(element);
    this.open.push({ name, element, camera: new THREE.PerspectiveCamera(60, 1, 0.01, 2000) });
  }

  remove(name) {
    this.open.find((picture) => picture.name === name)?.element.remove();
    this.open = this.open.filter((picture) => picture.name !== name);
  }

  // Shows a camera on a canvas of the page as well.
  copy(canvas, name) {
    if (!this.offers.has(name)) return;
    this.copies.push({ name, canvas, camera: new THREE.PerspectiveCamera(60, 1, 0.01, 2000) });
  }

  // Before the large picture, which covers what they leave on the view's own canvas.
  drawCopies(renderer, scene, eyes) {
    const whole = renderer.domElement;
    for (const { name, canvas, camera } of this.copies) {
      const width = Math.min(canvas.clientWidth, whole.clientWidth);
      const height = Math.min(canvas.clientHeight, whole.clientHeight);
      if (width < 2 || height < 2) continue;
      const scale = whole.width / whole.clientWidth;
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      renderer.setViewport(0, whole.clientHeight - height, width, height);
      camera.aspect = width / height;
      camera.updateProjectionMatrix();
      this.offers.get(name)({ camera, ...eyes });
      see(renderer, scene, camera, canvas.width, canvas.height);
      canvas.getContext("2d").drawImage(whole, 0, 0, canvas.width, canvas.height, 0, 0, canvas.width, canvas.height);
    }
    if (this.copies.length > 0) renderer.setViewport(0, 0, whole.clientWidth, whole.clientHeight);
  }

  draw(renderer, scene, eyes) {
    if (this.open.length === 0) return;
    const whole = renderer.domElement.getBoundingClientRect();
    const scale = renderer.getPixelRatio();
    renderer.setScissorTest(true);
    for (const { name, element, camera } of this.open) {
      const box = element.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const area = [box.left - whole.left, whole.bottom - box.bottom, box.width, box.height];
      renderer.setViewport(...area);
      renderer.setScissor(...area);
      camera.aspect = box.width / box.height;
      camera.updateProjectionMatrix();
      this.offers.get(name)({ camera, ...eyes });
      see(renderer, scene, camera, box.width * scale, box.height * scale);
    }
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, whole.width, whole.height);
  }
}
