// Try it: physics from the edited state, in place, and back. While it runs bodies are pulled with the mouse.

import { Link } from "/view/link.js";
import { Pulling } from "/view/pulling.js";
import { t } from "/view/texts.js";
import { button, make } from "./element.js";

const LIVE_EVERY = 100; // ms between two looks of the editors at the signals

export class Trial {
  constructor(document, context) {
    Object.assign(this, { document, context });
    this.link = null;
    this.world = null;
    this.said = []; // warnings and alarms of the run, each once
    this.listeners = new Set(); // get the trial when it has begun or ended
    this.hearers = new Set(); // are called when something was said
    this.start = button(`▶ ${t("Try it")}`, t("Run the scene from here, as it is now"), () => this.begin(), { class: "tool try", "aria-label": null, "aria-keyshortcuts": "F5" });
    this.back = button(`■ ${t("Back")}`, t("End it; the scene is as it was edited"), () => this.end(), { class: "tool try", "aria-label": null, hidden: true });
    this.pause = button("❚❚", t("Pause"), () => this.toggle(), { hidden: true });
    this.enable = button(t("Enable"), t("Give the drives back their power"), () => this.link?.send({ do: "enable" }), { class: "tool try", "aria-label": null, hidden: true });
    this.time = make("span", { class: "trial-time", role: "status", hidden: true });
    globalThis.document.getElementById("try-tools").append(this.start, this.back, this.pause, this.enable, this.time);
    document.addEventListener("message", () => this.follow());
    document.addEventListener("message", ({ detail }) => {
      if (detail.refused) this.show();
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "F5") return;
      event.preventDefault();
      if (this.link) this.end();
      else this.begin();
    });
    this.follow();
  }

  get running() {
    return this.link !== null;
  }

  begin() {
    globalThis.document.activeElement?.blur(); // what is being typed counts
    this.start.disabled = true;
    this.time.hidden = false;
    this.time.textContent = t("Getting ready …");
    this.document.send({ try: true });
  }

  end() {
    this.document.send({ try: false });
  }

  toggle() {
    this.link?.send({ do: this.link.frame?.doing === "paused" ? "run" : "pause" });
  }

  // As the server has it: another window may have begun it or ended it.
  async follow() {
    const { trying } = this.document.state;
    if (trying === this.wanted) return;
    this.wanted = trying;
    if (trying) await this.enter();
    else this.leave();
  }

  async enter() {
    const answer = await fetch("/build/trial.json");
    if (!answer.ok || !this.wanted) return;
    this.world = await answer.json();
    this.link = new Link(this.world.layout, "operator");
    const { stage } = this.context;
    stage?.play(this.world);
    if (stage?.view.canvas) this.pulling = new Pulling({ view: stage.view, link: this.link, world: this.world, timeline: { back: false } });
    if (this.pulling) this.pulling.on = true;
    this.link.rest = stage?.view.rest ?? 0;
    this.link.on("frame", (frame) => stage?.view.show(frame));
    this.link.on("sample", (frame) => this.sample(frame));
    this.link.on("safety", ({ state }) => (this.enable.hidden = state === "free"));
    this.link.on("refused", ({ reason }) => this.context.toast(reason));
    this.link.on("hello", ({ alarms }) => this.hear(alarms));
    this.link.on("alarm", ({ alarm }) => {
      this.hear([alarm]);
      this.context.toast(alarm.text);
    });
    this.show();
  }

  hear(alarms) {
    const fresh = alarms.filter(({ level, text }) => level !== "info" && this.said.every((one) => one.text !== text));
    this.said.push(...fresh);
    for (const hearer of this.hearers) hearer();
  }

  leave() {
    this.said = [];
    this.hear([]);
    if (this.link) {
      this.link.close();
      if (this.pulling) this.pulling.on = false;
      this.link = this.world = this.pulling = null;
      this.context.stage?.rest();
      this.document.live = {};
      for (const listener of this.document.liveListeners) listener(this.document.live);
    }
    this.show();
  }

  show() {
    this.start.hidden = this.running;
    this.start.disabled = false;
    this.back.hidden = this.pause.hidden = this.time.hidden = !this.running;
    if (!this.running) this.enable.hidden = true;
    globalThis.document.body.classList.toggle("is-trying", this.running);
    for (const listener of this.listeners) listener(this);
  }

  // The editors see signals by their names.
  sample(frame) {
    const now = performance.now();
    if (now - (this.told ?? -Infinity) < LIVE_EVERY) return;
    this.told = now;
    const stopped = frame.doing === "fault";
    this.time.textContent = `${frame.time.toFixed(1)} s${stopped ? ` · ${t("stopped by a fault")}` : ""}`;
    this.pause.hidden = stopped;
    this.pause.textContent = frame.doing === "paused" ? "▶" : "❚❚";
    const { channels } = this.link.reader.layout;
    const live = Object.fromEntries(channels.map(({ name }, i) => [name, frame.channels[i]]));
    this.document.live = live;
    for (const listener of this.document.liveListeners) listener(live);
  }
}
