// Charts: signals over a whole run, drawn as SVG, with a cursor, the moment that is played, and what happened as marks.
// A click or a drag goes to that moment.

import { seconds, t } from "./texts.js";
import { shown } from "./widgets.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000; // of a chart's own units; it is stretched to its place
const HEIGHT = 100;
const POINTS = 800; // of a curve at most

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The values of a channel over the run; of many samples the one furthest from its neighbour is kept.
function curve(playback, place) {
  const { count, every } = playback.about;
  const stride = Math.max(1, Math.floor(count / POINTS));
  const points = [];
  for (let i = 0; i < count; i += stride) {
    let kept = playback.at(i).channels[place];
    for (let k = i + 1; k < Math.min(i + stride, count); k += 1) {
      const value = playback.at(k).channels[place];
      if (Math.abs(value - (points.at(-1)?.[1] ?? kept)) > Math.abs(kept - (points.at(-1)?.[1] ?? kept))) kept = value;
    }
    points.push([i * every, kept]);
  }
  return points;
}

// One signal: { name, unit, limit }, where limit is a line that is not to be crossed, or to be reached.
export class Chart {
  constructor(playback, { name, unit, limit = null }, marks, seek) {
    this.playback = playback;
    this.place = playback.reader.channelPlace.get(name);
    this.unit = unit;
    this.length = Math.max((playback.about.count - 1) * playback.about.every, 1e-9);
    const points = curve(playback, this.place);
    const values = points.map(([, value]) => value).concat(limit ?? []);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const margin = 0.08 * (high - low) || Math.abs(high) || 1;
    this.y = (value) => HEIGHT * (1 - (value - low + margin) / (high - low + 2 * margin));
    this.head = document.createElement("figcaption");
    this.value = document.createElement("b");
    this.range = document.createElement("span");
    this.range.textContent = `${shown(low, unit)} … ${shown(high, unit)}`;
    this.head.append(name, this.value, this.range);
    this.now = svg("line", { class: "chart-now", y1: 0, y2: HEIGHT });
    this.cursor = svg("line", { class: "chart-cursor", y1: 0, y2: HEIGHT, visibility: "hidden" });
    const path = points.map(([time, value]) => `${this.x(time).toFixed(1)},${this.y(value).toFixed(2)}`).join(" ");
    const lines = marks.map(({ time, kind }) => svg("line", { class: `chart-mark ${kind}`, x1: this.x(time), x2: this.x(time), y1: 0, y2: HEIGHT }));
    const bound = limit === null ? [] : [svg("line", { class: "chart-limit", x1: 0, x2: WIDTH, y1: this.y(limit), y2: this.y(limit) })];
    this.drawing = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name}: ${this.range.textContent}` },
      ...lines, ...bound, svg("polyline", { class: "chart-curve", points: path }), this.now, this.cursor,
    );
    this.element = document.createElement("figure");
    this.element.className = "chart";
    this.element.append(this.head, this.drawing);
    this.listen(seek);
  }

  x(time) {
    return (WIDTH * time) / this.length;
  }

  listen(seek) {
    const time = (event) => {
      const { left, width } = this.drawing.getBoundingClientRect();
      return (Math.min(Math.max((event.clientX - left) / width, 0), 1)) * this.length;
    };
    this.drawing.addEventListener("pointermove", (event) => {
      this.point(time(event));
      if (event.buttons === 1) seek(time(event));
    });
    this.drawing.addEventListener("pointerdown", (event) => seek(time(event)));
    this.drawing.addEventListener("pointerleave", () => this.point(null));
  }

  // The cursor at a time, or none.
  point(time) {
    this.cursor.setAttribute("visibility", time === null ? "hidden" : "visible");
    this.pointed = time;
    if (time !== null) place(this.cursor, this.x(time));
    this.draw();
  }

  // The moment that is played, and the value at the cursor or else at that moment.
  draw() {
    const { playback } = this;
    place(this.now, this.x(playback.now));
    const index = this.pointed == null ? playback.index : Math.round(this.pointed / playback.about.every);
    const frame = playback.at(Math.min(index, playback.about.count - 1));
    this.value.textContent = shown(frame.channels[this.place], this.unit);
    this.value.title = this.pointed == null ? t("now") : seconds(this.pointed);
  }
}

function place(line, x) {
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
}
