// Keys: keyboard and gamepad mapped to inputs, as the panel says (control/panel.py), or as the operator has changed it.

import { fromShare } from "./widgets.js";

const GAMEPAD_AXES = 4; // that the table offers

export class Keys {
  constructor(link, spec, panel, place) {
    this.link = link;
    this.spec = spec;
    this.standard = { keys: panel.keys, axes: panel.axes };
    this.place = `sharnir-keys-${place}`;
    const saved = JSON.parse(localStorage.getItem(this.place) ?? "null");
    Object.assign(this, structuredClone(saved ?? this.standard));
    this.held = new Set();
    this.shares = new Map(); // what each axis gave last
    this.pressed = new Map(); // which buttons of the gamepad were down
    this.recording = null;
    addEventListener("keydown", (event) => this.keydown(event));
    addEventListener("keyup", (event) => this.up(event.code));
    addEventListener("blur", () => this.clear());
    document.addEventListener("visibilitychange", () => document.hidden && this.clear());
    requestAnimationFrame(() => this.poll());
  }

  keydown(event) {
    if (this.recording) {
      event.preventDefault();
      const record = this.recording;
      this.recording = null;
      record(event.code);
      return;
    }
    if (event.code === "Escape") this.link.send({ do: "stop" });
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (this.down(event.code)) event.preventDefault();
  }

  // Returns whether the key does anything.
  down(code) {
    const mine = this.keys.filter((binding) => binding.key === code);
    for (const binding of mine) {
      const now = this.link.frame ? this.link.reader.input(this.link.frame, binding.input) : 0;
      if (binding.action === "toggle") this.link.set(binding.input, now > 0.5 ? 0 : 1);
      else if (binding.action === "set") this.link.set(binding.input, binding.value);
      else if (binding.action === "step") this.link.set(binding.input, this.within(binding.input, now + binding.value));
      else {
        this.held.add(code);
        this.hold(binding.input);
      }
    }
    return mine.length > 0;
  }

  up(code) {
    if (!this.held.delete(code)) return;
    for (const binding of this.keys) if (binding.key === code) this.hold(binding.input);
  }

  // Keys that were down when the window lost the focus count as released.
  clear() {
    for (const code of [...this.held]) this.up(code);
  }

  // An input is what its held keys add up to, about its initial value.
  hold(input) {
    const spec = this.spec(input);
    if (!spec) return;
    const held = this.keys.filter((b) => b.input === input && b.action === "hold" && this.held.has(b.key));
    const value = held.reduce((sum, binding) => sum + binding.value - spec.initial, spec.initial);
    this.link.set(input, this.within(input, value));
  }

  within(input, value) {
    const { low, high } = this.spec(input);
    return Math.min(Math.max(value, low), high);
  }

  poll() {
    requestAnimationFrame(() => this.poll());
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      for (const binding of this.axes) this.readAxis(binding, pad.axes[binding.axis] ?? 0);
      pad.buttons.forEach((button, i) => this.readButton(`Gamepad${i}`, button.pressed));
    }
  }

  readAxis({ input, invert, dead_zone: dead = 0.1 }, raw) {
    const turned = invert ? -raw : raw;
    const share = Math.abs(turned) < dead ? 0 : (turned - Math.sign(turned) * dead) / (1 - dead);
    if (share === (this.shares.get(input) ?? 0)) return;
    this.shares.set(input, share);
    const spec = this.spec(input);
    if (spec) this.link.set(input, fromShare(spec, share));
  }

  readButton(code, pressed) {
    if (pressed === (this.pressed.get(code) ?? false)) return;
    this.pressed.set(code, pressed);
    if (pressed) this.down(code);
    else this.up(code);
  }

  // --- the table that shows the mapping and lets it be changed --------------------------------------------------------

  table(element) {
    const redraw = () => {
      localStorage.setItem(this.place, JSON.stringify({ keys: this.keys, axes: this.axes }));
      this.table(element);
    };
    const rows = this.keys.map((binding) => row(this.describe(binding), keyName(binding.key), (button) => {
      button.textContent = "press a key …";
      this.recording = (code) => {
        if (code !== "Escape") binding.key = code;
        redraw();
      };
    }));
    const axes = this.axes.map((binding) => row(`⇄ ${binding.input}`, axisName(binding), () => {
      const next = (2 * binding.axis + (binding.invert ? 1 : 0) + 1) % (2 * GAMEPAD_AXES);
      Object.assign(binding, { axis: next >> 1, invert: (next & 1) === 1 });
      redraw();
    }));
    const back = row("", "standard keys", () => {
      Object.assign(this, structuredClone(this.standard));
      localStorage.removeItem(this.place);
      this.table(element);
    });
    element.replaceChildren(title("Keyboard"), ...rows, title("Gamepad"), ...axes, back);
  }

  describe({ input, action, value }) {
    const spec = this.spec(input);
    if (action === "toggle") return `◐ ${input}`;
    if (spec?.kind === "bool") return `● ${input}`;
    const rises = action === "step" ? value > 0 : value > (spec?.initial ?? 0);
    return `${rises ? "▲" : "▼"} ${input}${action === "step" ? " (by steps)" : ""}`;
  }
}

function title(text) {
  const element = document.createElement("div");
  element.className = "keys-title";
  element.textContent = text;
  return element;
}

function row(text, key, click) {
  const element = document.createElement("div");
  element.className = "keys-row";
  const what = document.createElement("span");
  what.textContent = text;
  const button = document.createElement("button");
  button.className = "keys-key";
  button.textContent = key;
  button.addEventListener("click", () => click(button));
  element.append(what, button);
  return element;
}

function isTyping(target) {
  const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  return isField && target.type !== "range";
}

function axisName({ axis, invert }) {
  return `axis ${axis}${invert ? " inverted" : ""}`;
}

export function keyName(code) {
  const arrows = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
  return arrows[code] ?? code.replace(/^Key|^Digit/, "");
}
