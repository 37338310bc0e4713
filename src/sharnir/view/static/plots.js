// Plots: telemetry over time, drawn on a canvas from the stream of frames.

import { shown } from "./widgets.js";

const FOOT = 18; // pixels below the plots for the times
const KEPT = 3600; // samples: a minute at 60 frames a second
const COLORS = ["#4aa3c7", "#d9973a", "#6cae75", "#c2708f", "#9d8fd6", "#b6a244", "#5fb3a8", "#c96f55"];

// The samples of all channels of the last minute, in one ring.
export class History {
  constructor(reader) {
    this.reader = reader;
    this.width = reader.layout.channels.length;
    this.time = new Float64Array(KEPT);
    this.rows = new Float32Array(KEPT * this.width);
    this.count = 0;
  }

  add(frame) {
    const last = this.count > 0 ? this.time[(this.count - 1) % KEPT] : -Infinity;
    if (frame.time === last) return;
    if (frame.time < last) this.count = 0; // reset or restored
    const k = this.count % KEPT;
    this.time[k] = frame.time;
    this.rows.set(frame.channels, k * this.width);
    this.count += 1;
  }

  get now() {
    return this.count > 0 ? this.time[(this.count - 1) % KEPT] : 0;
  }

  // Calls visit(time, value) for the samples since a time, oldest first.
  each(name, since, visit) {
    const place = this.reader.channelPlace.get(name);
    if (place === undefined) return;
    for (let i = Math.max(0, this.count - KEPT); i < this.count; i += 1) {
      const k = i % KEPT;
      if (this.time[k] >= since) visit(this.time[k], this.rows[k * this.width + place]);
    }
  }
}

function tickStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((step) => step * power >= rough) ?? 10);
}

export class Plot {
  constructor(element, history, unitOf) {
    this.history = history;
    this.unitOf = unitOf;
    this.channels = [];
    this.span = 10; // s
    this.canvas = document.createElement("canvas");
    this.legend = document.createElement("div");
    this.legend.className = "plot-legend";
    element.append(this.canvas, this.legend);
    new ResizeObserver(() => this.draw()).observe(element);
  }

  choose(channels) {
    this.channels = channels;
    this.legend.replaceChildren(
      ...channels.map((name, i) => {
        const entry = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.background = COLORS[i % COLORS.length];
        entry.append(swatch, name, document.createElement("b"));
        return entry;
      }),
    );
    this.draw();
  }

  draw() {
    const { canvas } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width < 20 || height < 20) return;
    const ratio = Math.min(devicePixelRatio, 2);
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    const style = getComputedStyle(canvas);
    this.ink = style.getPropertyValue("--muted");
    this.line = style.getPropertyValue("--line");
    const units = [...new Set(this.channels.map(this.unitOf))];
    const each = (height - FOOT) / Math.max(units.length, 1);
    units.forEach((unit, k) => {
      const box = { left: 52, top: k * each + 8, right: width - this.legend.offsetWidth - 24, bottom: (k + 1) * each - 2 };
      this.band(pen, box, unit, k === units.length - 1);
    });
  }

  // One unit: its grid and its lines.
  band(pen, box, unit, last) {
    const { history, span } = this;
    const factor = unit.startsWith("rad") ? 180 / Math.PI : 1;
    const { now } = history;
    const since = now - span;
    const names = this.channels.filter((name) => this.unitOf(name) === unit);
    const [low, high] = this.bounds(names, since, factor);
    const x = (t) => box.left + ((t - since) / span) * (box.right - box.left);
    const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
    this.grid(pen, box, [low, high], [since, now], x, y, last);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    for (const name of names) {
      const i = this.channels.indexOf(name);
      pen.strokeStyle = COLORS[i % COLORS.length];
      pen.beginPath();
      let value = NaN;
      history.each(name, since, (time, sample) => {
        pen.lineTo(x(time), y(sample * factor));
        value = sample;
      });
      pen.stroke();
      this.legend.children[i].lastChild.textContent = shown(value, unit);
    }
  }

  bounds(names, since, factor) {
    let low = Infinity;
    let high = -Infinity;
    for (const name of names) {
      this.history.each(name, since, (_, value) => {
        low = Math.min(low, value * factor);
        high = Math.max(high, value * factor);
      });
    }
    if (!(low <= high)) return [-1, 1];
    const room = Math.max(0.08 * (high - low), 0.01 * Math.max(Math.abs(low), Math.abs(high)), 1e-3);
    return [low - room, high + room];
  }

  grid(pen, box, [low, high], [since, now], x, y, labelled) {
    pen.fillStyle = this.ink;
    pen.strokeStyle = this.line;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const step = tickStep(high - low, Math.max(2, (box.bottom - box.top) / 30));
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
      stroke(pen, box.left, y(value), box.right, y(value));
      pen.fillText(Number(value.toPrecision(5)).toString(), box.left - 6, y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const every = tickStep(this.span, Math.max(2, (box.right - box.left) / 90));
    for (let time = Math.ceil(Math.max(since, 0) / every) * every; time <= now; time += every) {
      stroke(pen, x(time), box.top, x(time), box.bottom);
      if (labelled) pen.fillText(`${Number(time.toFixed(3))} s`, x(time), box.bottom + 15);
    }
  }
}

function stroke(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  pen.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  pen.stroke();
}
