// Widgets: what an operator works and reads, as custom elements. Their values come from the frames, never from an
// echo: a control that is not being held shows what the plant has.

import { panelText, t, unitText } from "./texts.js";

const KEY_STEPS = 50; // presses of an arrow from one end of a knob to the other
const SMALLEST = 1e-4; // what is less is shown as nothing
const DEGREES = { rad: "°", "rad/s": "°/s" };

export function shown(value, unit = "") {
  if (!Number.isFinite(value)) return "–";
  const scaled = Math.abs(value) < SMALLEST ? 0 : unit in DEGREES ? (value * 180) / Math.PI : value;
  const size = Math.abs(scaled);
  const digits = unit in DEGREES ? 1 : size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  const text = size >= 1e6 ? scaled.toExponential(2) : scaled.toFixed(digits);
  const name = unitText(DEGREES[unit] ?? unit);
  return name && name !== "1" ? `${text} ${name}` : text;
}

let session = null; // { link, spec(name), and where the page can draw them picture(canvas, camera), plot(element, signals, seconds) }

export function connectWidgets(given) {
  session = given;
  for (const element of document.querySelectorAll("[data-widget]")) element.start?.();
}

// The element of a widget as the server describes it: its kind, its attributes, its place on the grid of its group.
export function makeWidget({ kind, place, ...given }) {
  const element = document.createElement(`sh-${kind}`);
  for (const [name, value] of Object.entries(given)) if (value !== null) element.setAttribute(name, value);
  if (!place) return element;
  const [column, row, columns, rows] = place;
  element.dataset.placed = "";
  element.style.gridArea = `${row + 1} / ${column + 1} / span ${rows} / span ${columns}`;
  return element;
}

// The columns of a group whose widgets have places.
export function layGrid(box, columns, widgets) {
  if (!widgets.some((widget) => widget.place)) return;
  box.dataset.grid = "";
  box.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

class Widget extends HTMLElement {
  connectedCallback() {
    this.dataset.widget = "";
    if (session && !this.started) this.start();
  }

  start() {
    if (this.started) return;
    this.started = true;
    this.link = session.link;
    this.name = this.getAttribute("name");
    this.spec = session.spec(this.name) ?? {};
    this.label = panelText(this.getAttribute("label") ?? this.name);
    this.build();
    this.link.on("frame", (frame) => this.show(frame));
    this.link.on("dropped", () => (this.held = false));
    if (this.classList.contains("w-control")) this.tellWhetherItWorks();
  }

  // To assistive technology, what the grey says to the eye: nothing is moved while the drives are held, by a watcher, in a replay.
  tellWhetherItWorks() {
    const parts = this.querySelectorAll("input, button, [tabindex]");
    const tell = () => parts.forEach((part) => (part.ariaDisabled = !this.link.mayDrive));
    for (const event of ["safety", "operator"]) this.link.on(event, tell);
    tell();
  }

  head(text = "") {
    this.value = make("span", "w-value", text);
    return make("div", "w-head", make("span", "w-label", this.label), this.value);
  }

  // A control that is held keeps its own value; one that was let go follows the plant again. Inputs that go back by
  // themselves when it is let go are told to the link.
  hold(on, ...springing) {
    this.held = on;
    for (const name of springing) if (name) this.link.grip(this, name, on);
  }

  // The range of its scale: that of the input, unless the panel gives another.
  reach() {
    return ["low", "high"].map((end) => Number(this.getAttribute(end) ?? this.spec[end]));
  }

  input(frame) {
    return this.link.reader.input(frame, this.name);
  }

  channel(frame) {
    return this.link.reader.channel(frame, this.name);
  }
}

class Slider extends Widget {
  build() {
    const { unit } = this.spec;
    const [low, high] = this.reach();
    this.bar = make("input", "w-range");
    Object.assign(this.bar, { type: "range", min: low, max: high, step: (high - low) / 1000, ariaLabel: this.label });
    this.bar.addEventListener("input", () => {
      this.link.set(this.name, Number(this.bar.value));
      this.value.textContent = shown(Number(this.bar.value), unit);
    });
    const springs = this.hasAttribute("springs") ? [this.name] : [];
    const release = () => {
      this.hold(false, ...springs);
      if (springs.length > 0) this.link.set(this.name, this.spec.initial);
    };
    this.bar.addEventListener("pointerdown", () => this.hold(true, ...springs));
    for (const event of ["pointerup", "pointercancel"]) this.bar.addEventListener(event, () => this.bar.blur()); // keys belong to the mapping again
    this.bar.addEventListener("blur", release);
    if (springs.length > 0) {
      this.bar.addEventListener("keydown", ({ code }) => /^(Arrow|Home|End|Page)/.test(code) && this.hold(true, ...springs));
      this.bar.addEventListener("keyup", release);
    }
    const zero = make("button", "w-zero", "↺");
    zero.title = t("back to the start value");
    zero.ariaLabel = `${this.label}: ${t("back to the start value")}`;
    zero.addEventListener("click", () => this.link.set(this.name, this.spec.initial));
    const scale = make("div", "w-scale", make("span", "", shown(low, unit)), make("span", "", shown(high, unit)));
    this.append(this.head(), make("div", "w-row", this.bar, zero), scale);
    if (this.hasAttribute("vertical")) this.bar.ariaOrientation = "vertical";
    this.classList.add("w-control");
  }

  show(frame) {
    if (this.held) return;
    const value = this.input(frame);
    this.bar.value = value;
    this.value.textContent = shown(value, this.spec.unit);
    const [low, high] = this.reach();
    const at = (x) => (100 * (x - low)) / (high - low || 1);
    const zero = at(Math.min(Math.max(0, low), high));
    this.bar.style.setProperty("--from", `${Math.min(zero, at(value))}%`);
    this.bar.style.setProperty("--to", `${Math.max(zero, at(value))}%`);
  }
}

class Switch extends Widget {
  build() {
    this.button = make("button", "w-switch", make("i"));
    this.button.setAttribute("role", "switch");
    this.button.setAttribute("aria-label", this.label);
    this.button.addEventListener("click", () => this.link.set(this.name, this.on ? 0 : 1));
    this.append(make("div", "w-row", make("span", "w-label", this.label), this.button));
    this.classList.add("w-control");
  }

  show(frame) {
    this.on = this.input(frame) > 0.5;
    this.button.setAttribute("aria-checked", this.on);
  }
}

class PushButton extends Widget {
  build() {
    this.button = make("button", "w-push", this.label);
    const { color } = this.attributes;
    if (color) this.button.style.setProperty("--own", color.value);
    const press = (on) => {
      if (on === Boolean(this.held)) return;
      this.hold(on, this.name);
      this.link.set(this.name, on ? 1 : 0);
    };
    const isPress = (event) => event.code === "Enter" || event.code === "Space";
    this.button.addEventListener("keydown", (event) => {
      if (!isPress(event)) return;
      event.preventDefault();
      press(true);
    });
    this.button.addEventListener("keyup", (event) => isPress(event) && press(false));
    this.button.addEventListener("blur", () => this.held && press(false));
    this.button.addEventListener("pointerdown", (event) => {
      this.button.setPointerCapture(event.pointerId);
      press(true);
    });
    for (const event of ["pointerup", "pointercancel", "lostpointercapture"]) {
      this.button.addEventListener(event, () => this.held && press(false));
    }
    this.append(this.button);
    this.classList.add("w-control");
  }

  show(frame) {
    const on = this.input(frame) > 0.5;
    this.button.toggleAttribute("data-on", on);
    this.button.ariaPressed = on;
  }
}

class Selector extends Widget {
  build() {
    this.buttons = (this.spec.choices ?? []).map((choice, i) => {
      const button = make("button", "", choice);
      button.addEventListener("click", () => this.link.set(this.name, i));
      return button;
    });
    const choices = make("div", "w-choices", ...this.buttons);
    choices.setAttribute("role", "group");
    choices.ariaLabel = this.label;
    this.append(make("span", "w-label", this.label), choices);
    this.classList.add("w-control");
  }

  show(frame) {
    const value = Math.round(this.input(frame));
    this.buttons.forEach((button, i) => {
      button.toggleAttribute("data-on", i === value);
      button.ariaPressed = i === value;
    });
  }
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// A point on a dial: 0 at the lower left, 1 at the lower right, over the top.
function onDial(share, radius) {
  const angle = ((-225 + 270 * share) * Math.PI) / 180;
  return [50 + radius * Math.cos(angle), 50 + radius * Math.sin(angle)];
}

function dialArc(from, to, radius) {
  const [x0, y0] = onDial(Math.min(from, to), radius);
  const [x1, y1] = onDial(Math.max(from, to), radius);
  return `M${x0} ${y0}A${radius} ${radius} 0 ${Math.abs(to - from) * 270 > 180 ? 1 : 0} 1 ${x1} ${y1}`;
}

class Dial extends Widget {
  scale(low, high) {
    this.low = low;
    this.high = high;
    this.picture = svg("svg", { viewBox: "8 8 84 74", class: "w-dial" });
    this.picture.append(svg("path", { d: dialArc(0, 1, 38), class: "d-track" }));
    this.arc = svg("path", { class: "d-arc" });
    this.needle = svg("line", { class: "d-needle" });
    this.picture.append(this.arc);
    for (let i = 0; i <= 10; i += 1) {
      const [x1, y1] = onDial(i / 10, 33);
      const [x2, y2] = onDial(i / 10, i % 5 === 0 ? 27 : 30);
      this.picture.append(svg("line", { x1, y1, x2, y2, class: "d-tick" }));
    }
    this.picture.append(this.needle, svg("circle", { cx: 50, cy: 50, r: 3, class: "d-hub" }));
    return this.picture;
  }

  point(value) {
    const share = Math.min(Math.max((value - this.low) / (this.high - this.low || 1), 0), 1);
    const zero = Math.min(Math.max(-this.low / (this.high - this.low || 1), 0), 1);
    this.arc.setAttribute("d", dialArc(zero, share, 38));
    const [x1, y1] = onDial(share, this.inner ?? 0);
    const [x2, y2] = onDial(share, this.outer ?? 31);
    Object.entries({ x1, y1, x2, y2 }).forEach(([name, at]) => this.needle.setAttribute(name, at));
  }
}

class Gauge extends Dial {
  build() {
    const low = Number(this.getAttribute("low") ?? -1);
    const high = Number(this.getAttribute("high") ?? 1);
    this.unit = this.getAttribute("unit") ?? "";
    this.value = make("span", "w-value");
    this.append(this.scale(low, high), this.value, make("span", "w-label", this.label));
  }

  show(frame) {
    const value = this.channel(frame);
    this.point(Number.isFinite(value) ? value : this.low);
    this.value.textContent = shown(value, this.unit);
  }
}

class Knob extends Dial {
  inner = 10;
  outer = 21;

  build() {
    const { unit } = this.spec;
    const [low, high] = this.reach();
    this.value = make("span", "w-value");
    this.append(this.scale(low, high), this.value, make("span", "w-label", this.label));
    this.picture.insertBefore(svg("circle", { cx: 50, cy: 50, r: 23, class: "d-grip" }), this.needle);
    this.classList.add("w-control");
    let from = null;
    this.picture.addEventListener("pointerdown", (event) => {
      this.picture.setPointerCapture(event.pointerId);
      from = { y: event.clientY, value: this.now };
      this.hold(true);
    });
    this.picture.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      const value = Math.min(Math.max(from.value + ((from.y - event.clientY) / 150) * (high - low), low), high);
      this.link.set(this.name, value);
      this.point(value);
      this.value.textContent = shown(value, unit);
    });
    for (const event of ["pointerup", "pointercancel"]) this.picture.addEventListener(event, () => this.hold(false));
    for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": this.label, "aria-valuemin": low, "aria-valuemax": high })) {
      this.picture.setAttribute(name, value);
    }
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
    this.picture.addEventListener("keydown", (event) => {
      const { initial } = this.spec;
      if (!(event.code in steps) && event.code !== "Home") return;
      event.preventDefault();
      const wanted = event.code === "Home" ? initial : this.now + (steps[event.code] * (high - low)) / KEY_STEPS;
      this.now = Math.min(Math.max(wanted, low), high);
      this.link.set(this.name, this.now);
    });
  }

  show(frame) {
    if (this.held) return;
    this.now = this.input(frame);
    this.point(this.now);
    this.value.textContent = shown(this.now, this.spec.unit);
    this.picture.setAttribute("aria-valuenow", Number(this.now.toFixed(4)));
    this.picture.setAttribute("aria-valuetext", this.value.textContent);
  }
}

class Lamp extends Widget {
  build() {
    this.append(make("i", `w-lamp w-lamp-${this.getAttribute("color") ?? "green"}`), make("span", "w-label", this.label));
    this.setAttribute("role", "img");
  }

  show(frame) {
    const on = this.channel(frame) > 0.5;
    this.toggleAttribute("data-on", on);
    this.ariaLabel = `${this.label}: ${on ? t("on") : t("off")}`;
  }
}

// A stick for two inputs that springs back to the middle.
class Stick extends Widget {
  build() {
    this.across = this.getAttribute("across");
    this.along = this.getAttribute("along");
    this.knob = make("i");
    this.pad = make("div", "w-pad", this.knob);
    this.append(make("span", "w-label", this.label ?? ""), this.pad);
    this.classList.add("w-control");
    const both = [this.across, this.along];
    this.pad.addEventListener("pointerdown", (event) => {
      this.pad.setPointerCapture(event.pointerId);
      this.hold(true, ...both);
      this.move(event);
    });
    this.pad.addEventListener("pointermove", (event) => this.held && this.move(event));
    const release = () => {
      if (!this.held) return;
      this.hold(false, ...both);
      this.give(0, 0);
    };
    for (const event of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) this.pad.addEventListener(event, release);
    this.addArrows(both, release);
  }

  // With the focus on it, arrows push it all the way as long as they are pressed.
  addArrows(both, release) {
    this.pad.tabIndex = 0;
    this.pad.setAttribute("role", "application");
    this.pad.ariaLabel = t("{name}, moved by the arrow keys", { name: this.label ?? "" });
    const arrows = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const down = new Set();
    const push = () => {
      const [x, y] = [...down].reduce(([sx, sy], code) => [sx + arrows[code][0], sy + arrows[code][1]], [0, 0]);
      if (down.size === 0) return release();
      this.hold(true, ...both);
      return this.give(x, y);
    };
    this.pad.addEventListener("keydown", (event) => {
      if (!(event.code in arrows)) return;
      event.preventDefault();
      if (event.repeat) return;
      down.add(event.code);
      push();
    });
    this.pad.addEventListener("keyup", (event) => down.delete(event.code) && push());
    for (const target of [this.pad, window]) target.addEventListener("blur", () => down.clear());
    this.link.on("dropped", () => down.clear());
  }

  move(event) {
    const box = this.pad.getBoundingClientRect();
    const within = (x) => Math.min(Math.max(x, -1), 1);
    this.give(
      within((2 * (event.clientX - box.left)) / box.width - 1),
      within(1 - (2 * (event.clientY - box.top)) / box.height),
    );
  }

  give(x, y) {
    for (const [name, share] of [[this.across, x], [this.along, y]]) {
      const spec = name && session.spec(name);
      if (spec) this.link.set(name, fromShare(spec, share));
    }
    this.place(x, y);
  }

  place(x, y) {
    this.knob.style.left = `${50 + 42 * x}%`;
    this.knob.style.top = `${50 - 42 * y}%`;
  }

  show(frame) {
    if (this.held) return;
    const share = (name) => {
      const spec = name && session.spec(name);
      return spec ? toShare(spec, this.link.reader.input(frame, name)) : 0;
    };
    this.place(share(this.across), share(this.along));
  }
}

// An input's range as -1 to 1 about its start value.
export function fromShare(spec, share) {
  return spec.initial + share * (share > 0 ? spec.high - spec.initial : spec.initial - spec.low);
}

export function toShare(spec, value) {
  const room = value > spec.initial ? spec.high - spec.initial : spec.initial - spec.low;
  return room > 0 ? (value - spec.initial) / room : 0;
}

class Readout extends Widget {
  build() {
    this.unit = this.getAttribute("unit") ?? "";
    this.append(this.head());
  }

  show(frame) {
    this.value.textContent = shown(this.channel(frame), this.unit);
  }
}

// A number of a sensor with its bar; it warns beyond a value where it has one.
class Bar extends Widget {
  build() {
    this.unit = this.getAttribute("unit") ?? "";
    this.low = Number(this.getAttribute("low") ?? 0);
    this.high = Number(this.getAttribute("high") ?? 1);
    this.warns = Number(this.getAttribute("warns") ?? Infinity);
    this.fill = make("i");
    this.meter = make("div", "w-bar", this.fill);
    const told = { role: "meter", "aria-label": this.label, "aria-valuemin": this.low, "aria-valuemax": this.high };
    for (const [name, value] of Object.entries(told)) this.meter.setAttribute(name, value);
    this.append(this.head(), this.meter);
  }

  show(frame) {
    const value = this.channel(frame);
    const share = Math.min(Math.max((value - this.low) / (this.high - this.low || 1), 0), 1);
    this.fill.style.width = `${100 * (share || 0)}%`;
    this.toggleAttribute("data-warns", value > this.warns);
    this.value.textContent = shown(value, this.unit);
    this.meter.setAttribute("aria-valuenow", Number.isFinite(value) ? Number(value.toPrecision(4)) : this.low);
    this.meter.setAttribute("aria-valuetext", this.value.textContent);
  }
}

// Words for the operator.
class Text extends Widget {
  build() {
    this.append(make("p", "w-text", this.getAttribute("text") ?? ""));
  }

  show() {}
}

// What a camera of the scene sees; the page draws it where it draws at all.
class CameraPicture extends Widget {
  build() {
    const name = this.getAttribute("camera");
    this.picture = make("canvas", "w-camera");
    this.picture.setAttribute("role", "img");
    this.picture.ariaLabel = t("picture of the camera {name}", { name });
    this.append(make("span", "w-label", this.label || name), this.picture);
    session.picture?.(this.picture, name);
  }

  show() {}
}

// Signals over time, where the panel has them.
class PlotPicture extends Widget {
  build() {
    const signals = JSON.parse(this.getAttribute("signals"));
    const place = make("div", "w-plot");
    this.append(make("span", "w-label", this.label || signals.join(", ")), place);
    this.plot = session.plot?.(place, signals, Number(this.getAttribute("seconds")));
  }

  show() {
    this.plot?.draw();
  }
}

for (const [name, kind] of Object.entries({
  slider: Slider, switch: Switch, button: PushButton, selector: Selector, gauge: Gauge, knob: Knob, lamp: Lamp,
  joystick: Stick, readout: Readout, bar: Bar, text: Text, camera: CameraPicture, plot: PlotPicture,
})) customElements.define(`sh-${name}`, kind);
