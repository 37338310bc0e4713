// Timeline: looks back through the live run. The physics, the console and the safety chain go on; the view, the card of a
// body, the diagram and the mark in the plots show the past until one goes back to live, or puts a hand on the controls.

import { t } from "./texts.js";

const UPDATE_EVERY = 200; // ms
const PLAY_EVERY = 60; // ms
const MOST_MARKS = 120;

const find = (id) => document.getElementById(id);

export class Timeline extends EventTarget {
  constructor(link, past) {
    super();
    this.link = link;
    this.past = past;
    this.frame = null; // the past one that is shown; null while live
    this.marks = [];
    this.bar = find("scrub");
    this.bar.addEventListener("input", () => this.go(Number(this.bar.value)));
    this.bar.addEventListener("pointerup", () => this.bar.blur()); // keys belong to the mapping again
    find("live").addEventListener("click", () => this.live());
    find("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
    link.on("taken", () => this.live());
    link.on("hello", ({ alarms }) => (this.marks = alarms.slice(-MOST_MARKS)));
    link.on("alarm", ({ alarm }) => (this.marks = [...this.marks, alarm].slice(-MOST_MARKS)));
    setInterval(() => this.update(), UPDATE_EVERY);
  }

  get back() {
    return this.frame !== null;
  }

  go(tick) {
    const { frames } = this.past;
    const place = this.past.at(tick);
    if (frames.length === 0) return;
    if (place >= frames.length - 1) this.live();
    else this.set(frames[place]);
  }

  live() {
    this.pause();
    if (this.back) this.set(null);
    this.update();
  }

  set(frame) {
    this.frame = frame;
    document.body.classList.toggle("past", this.back);
    this.update();
    this.dispatchEvent(new CustomEvent("change", { detail: frame }));
  }

  // From where one is, at the speed it had; from the beginning while live.
  play() {
    const { frames } = this.past;
    if (frames.length < 2) return;
    if (!this.back) this.set(frames[0]);
    const [from, begun] = [this.frame.clock, performance.now()];
    this.playing = setInterval(() => {
      const list = this.past.frames;
      const clock = from + (performance.now() - begun) / 1000;
      let place = this.past.at(this.frame.tick);
      while (place + 1 < list.length && list[place + 1].clock <= clock) place += 1;
      if (place + 1 >= list.length) this.live();
      else if (list[place] !== this.frame) this.set(list[place]);
    }, PLAY_EVERY);
    this.update();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = null;
  }

  update() {
    const { frames } = this.past;
    if (frames.length === 0) return;
    const [first, last] = [frames[0].tick, frames[frames.length - 1].tick];
    Object.assign(this.bar, { min: first, max: last, value: this.back ? this.frame.tick : last });
    const share = (tick) => (last > first ? (100 * (tick - first)) / (last - first) : 100);
    this.bar.style.setProperty("--to", `${share(Number(this.bar.value))}%`);
    const ago = this.back ? (this.link.frame?.clock ?? 0) - this.frame.clock : 0;
    const text = this.back ? t("{time} s, {ago} s ago", { time: this.frame.time.toFixed(2), ago: ago.toFixed(1) }) : t("live");
    find("scrub-text").textContent = text;
    this.bar.setAttribute("aria-valuetext", text);
    find("live").hidden = !this.back;
    find("play").textContent = this.playing ? "❚❚" : "▶";
    find("play").ariaLabel = find("play").title = this.playing ? t("Stop playing the past") : t("Play the past");
    find("marks").replaceChildren(
      ...this.marks.filter((alarm) => alarm.level !== "info" && alarm.tick >= first).map((alarm) => {
        const mark = document.createElement("i");
        mark.dataset.level = alarm.level;
        mark.style.left = `${share(alarm.tick)}%`;
        return mark;
      }),
    );
  }
}
