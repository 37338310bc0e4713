// Plots: telemetry over time, drawn on a canvas from the stream of frames.

import { shown } from "./widgets.js";

import { seconds, t } from "./texts.js";

const LEFT = 52; // pixels left of the plots for the values
const ZOOM = 1.25; // a notch of the wheel
const SHORTEST = 0.2; // s
const LONGEST = 3600; // s
const CURSOR_STEPS = 100; // presses of an arrow from one edge to the other
const FOOT = 18; // pixels below the plots for the times
const KEPT = 3600; // samples: a minute at 60 frames a second
const COLORS = ["#4aa3c7", "#d9973a", "#6cae75", "#c2708f", "#9d8fd6", "#b6a244", "#5fb3a8", "#c96f55"];

const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2]]; // in turn, when the colours are used up

// The samples of all channels of the last minute, in one ring; before that there is what is kept of the past.
export class History {
  constructor(reader, past) {
    this.reader = reader;
    this.past = past;
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

  // As it is now; the original goes on.
  copy() {
    const copied = new History(this.reader, { before: (time) => before.filter((frame) => frame.time < time) });
    const before = this.past.before(Infinity);
    copied.time.set(this.time);
    copied.rows.set(this.rows);
    copied.count = this.count;
    return copied;
  }

  get now() {
    return this.count > 0 ? this.time[(this.count - 1) % KEPT] : 0;
  }

  // Calls visit(time, value) for the samples since a time, oldest first.
  each(name, since, visit) {
    const place = this.reader.channelPlace.get(name);
    if (place === undefined) return;
    const first = Math.max(0, this.count - KEPT);
    const oldest = this.count > 0 ? this.time[first % KEPT] : Infinity;
    if (since < oldest) {
      for (const frame of this.past.before(oldest)) if (frame.time >= since) visit(frame.time, frame.channels[place]);
    }
    for (let i = first; i < this.count; i += 1) {
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
    this.live = history;
    this.frozen = false;
    this.end = null; // s at the right edge, where it is frozen; now where it is not
    this.cursor = null; // pixels from the left
    this.at = null; // s: where the timeline is, while it looks back
    this.channels = [];
    this.span = 10; // s
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "application");
    this.canvas.tabIndex = 0;
    this.canvas.ariaLabel = t("plots over time; arrows move the cursor, plus and minus zoom, Home is live; the legend has the values");
    this.listen();
    this.listenToKeys();
    this.legend = document.createElement("div");
    this.legend.className = "plot-legend";
    this.legend.tabIndex = 0; // it scrolls where there are many
    this.legend.setAttribute("role", "group");
    this.legend.ariaLabel = t("values of the signals");
    element.append(this.canvas, this.legend);
    new ResizeObserver(() => this.draw()).observe(element);
  }

  // Wheel: zoom; moving: values at the cursor; dragging: back in time; double click: live again.
  listen() {
    const { canvas } = this;
    let from = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? ZOOM : 1 / ZOOM, event.offsetX);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = event.offsetX;
    });
    canvas.addEventListener("pointermove", (event) => {
      this.cursor = event.offsetX;
      if (from !== null && Math.abs(event.offsetX - from) > 2) {
        this.freeze(true);
        this.end -= ((event.offsetX - from) / (this.right - LEFT)) * this.span;
        from = event.offsetX;
      }
      this.draw();
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (from = null));
    canvas.addEventListener("pointerleave", () => {
      this.cursor = null;
      this.draw();
    });
    canvas.addEventListener("dblclick", () => this.freeze(false));
  }

  listenToKeys() {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    this.canvas.addEventListener("keydown", (event) => {
      const at = this.cursor ?? this.right;
      if (event.key in steps) {
        const step = (steps[event.key] * (this.right - LEFT)) / CURSOR_STEPS;
        this.cursor = Math.min(Math.max(at + step, LEFT), this.right);
      } else if (event.key === "+" || event.key === "=") this.zoom(1 / ZOOM, at);
      else if (event.key === "-") this.zoom(ZOOM, at);
      else if (event.key === "Home") {
        this.cursor = null;
        this.freeze(false);
      } else return;
      event.preventDefault();
      event.stopPropagation();
      this.draw();
    });
    this.canvas.addEventListener("blur", () => {
      this.cursor = null;
      this.draw();
    });
  }

  zoom(factor, at) {
    const share = Math.min(Math.max((at - LEFT) / (this.right - LEFT), 0), 1);
    const before = this.span;
    this.span = Math.min(Math.max(this.span * factor, SHORTEST), LONGEST);
    if (this.frozen) this.end += (1 - share) * (this.span - before);
    this.draw();
  }

  freeze(on) {
    if (on === this.frozen) return;
    this.frozen = on;
    this.history = on ? (this.live.copy?.() ?? this.live) : this.live;
    this.end = on ? this.history.now : null;
    this.draw();
  }

  choose(channels) {
    this.channels = channels;
    this.legend.replaceChildren(
      ...channels.map((name, i) => {
        const entry = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.borderTopColor = COLORS[i % COLORS.length];
        swatch.style.borderTopStyle = i < COLORS.length ? "solid" : "dashed";
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
    pen.font = "12px system-ui, sans-serif";
    const style = getComputedStyle(canvas);
    this.ink = style.getPropertyValue("--muted");
    this.line = style.getPropertyValue("--line");
    const units = [...new Set(this.channels.map(this.unitOf))];
    const each = (height - FOOT) / Math.max(units.length, 1);
    const narrow = width < 520;
    this.legend.classList.toggle("narrow", narrow);
    this.right = width - (narrow ? 12 : this.legend.offsetWidth + 24);
    units.forEach((unit, k) => {
      const box = { left: LEFT, top: k * each + 8, right: this.right, bottom: (k + 1) * each - 2 };
      this.band(pen, box, unit, k === units.length - 1);
    });
  }

  // One unit: its grid and its lines.
  band(pen, box, unit, last) {
    const { history, span } = this;
    const factor = unit.startsWith("rad") ? 180 / Math.PI : 1;
    const now = this.end ?? history.now;
    const since = now - span;
    const inside = this.cursor !== null && this.cursor >= box.left && this.cursor <= box.right;
    const until = inside ? since + ((this.cursor - box.left) / (box.right - box.left)) * span : now;
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
      pen.setLineDash(DASHES[Math.floor(i / COLORS.length) % DASHES.length]);
      pen.beginPath();
      let value = NaN;
      history.each(name, since, (time, sample) => {
        if (time > now) return;
        pen.lineTo(x(time), y(sample * factor));
        if (time <= until) value = sample;
      });
      pen.stroke();
      pen.setLineDash([]);
      this.legend.children[i].lastChild.textContent = shown(value, unit);
    }
    if (inside) this.mark(pen, box, this.cursor, until);
    if (this.at !== null && this.at >= since && this.at <= now) this.mark(pen, box, x(this.at), this.at);
  }

  // The cursor and its time.
  mark(pen, box, at, time) {
    pen.strokeStyle = this.ink;
    pen.lineWidth = 1;
    stroke(pen, at, box.top, at, box.bottom);
    pen.fillStyle = this.ink;
    pen.textAlign = "left";
    pen.fillText(seconds(time), Math.min(at + 4, box.right - 50), box.top + 8);
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
      if (labelled) pen.fillText(`${Number(time.toFixed(3))} ${t("s")}`, x(time), box.bottom + 15);
    }
  }
}

function stroke(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  pen.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  pen.stroke();
}

// A plot on the console itself.
export function smallPlot(element, history, unitOf, signals, seconds) {
  const plot = new Plot(element, history, unitOf);
  plot.span = seconds;
  plot.choose(signals);
  return plot;
}
