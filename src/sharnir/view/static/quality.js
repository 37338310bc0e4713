// Quality: how fine the picture is drawn, chosen by how long pictures take, and shown. Fewer pixels first, coarser shadows
// with the last steps; what is shown is the share of the picture's side that is drawn, and pictures a second.

import { t } from "./texts.js";

const STEPS = [1, 0.8, 0.65, 0.5, 0.4];
const COARSE = 0.5; // of the side: from here on shadows are coarse as well
const SAMPLES = 6; // pictures before another choice
const SHOWN_EVERY = 1000; // ms
const LONGEST = { plain: 46, fine: 30 }; // ms that a picture may take
const ROOM = 0.45; // of that: so fast that more pixels are tried

export class Quality {
  // Fixed: pictures to keep are as fine as they can be.
  constructor(renderer, container, plain, fixed) {
    Object.assign(this, { renderer, fixed });
    this.most = plain ? 1 : Math.min(devicePixelRatio, 2);
    this.longest = plain ? LONGEST.plain : LONGEST.fine;
    this.step = 0;
    this.refined = false;
    this.taken = [];
    this.times = [];
    this.element = document.createElement("div");
    this.element.className = "view-quality";
    this.element.title = t("Drawing quality, chosen by measurement: share of the pixels along a side, and pictures a second");
    this.element.hidden = fixed;
    container.append(this.element);
    this.shownAt = 0;
    renderer.setPixelRatio(this.most);
  }

  get share() {
    return STEPS[this.step];
  }

  get coarse() {
    return this.drawnShare <= COARSE;
  }

  // Of the picture that is shown: all, where it stands still.
  get drawnShare() {
    return this.refined ? 1 : this.share;
  }

  // With all pixels, or with as many as were chosen; returns whether the next picture has another size.
  refine(on, now) {
    if (this.fixed || this.refined === on || this.share === 1) return false;
    this.refined = on;
    this.renderer.setPixelRatio(this.most * this.drawnShare);
    this.shownAt = -Infinity;
    this.show(now);
    return true;
  }

  // A picture took so long (ms); returns whether the next ones have another size.
  measured(took, now) {
    this.times.push(now);
    while (this.times[0] < now - 3000) this.times.shift();
    this.show(now);
    if (this.fixed) return false;
    this.taken.push(took);
    if (this.taken.length < SAMPLES) return false;
    const usual = this.taken.sort((a, b) => a - b)[SAMPLES >> 1];
    this.taken = [];
    const before = this.step;
    if (usual > this.longest) this.step = Math.min(this.step + 1, STEPS.length - 1);
    else if (usual < ROOM * this.longest) this.step = Math.max(this.step - 1, 0);
    if (this.step === before) return false;
    this.renderer.setPixelRatio(this.most * this.share);
    return true;
  }

  show(now) {
    if (now - this.shownAt < SHOWN_EVERY) return;
    this.shownAt = now;
    const span = Math.max((now - this.times[0]) / 1000, 1e-3);
    const rate = this.times.length > 1 ? (this.times.length - 1) / span : 0;
    this.element.textContent = t("{share} % · {rate}/s", { share: Math.round(100 * this.drawnShare), rate: rate.toFixed(0) });
  }
}
