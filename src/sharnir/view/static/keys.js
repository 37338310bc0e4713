// Keys: keyboard and gamepad mapped to inputs. A binding moves one input by a share of its range while it is held.

import { fromShare } from "./widgets.js";

const DEAD_ZONE = 0.08;

export class Keys {
  constructor(link, spec, bindings, place) {
    this.link = link;
    this.spec = spec;
    this.standard = bindings;
    this.place = `sharnir-keys-${place}`;
    this.bindings = JSON.parse(localStorage.getItem(this.place) ?? "null") ?? structuredClone(bindings);
    this.held = new Set();
    this.axes = new Map();
    this.recording = null;
    addEventListener("keydown", (event) => this.down(event));
    addEventListener("keyup", (event) => this.up(event));
    addEventListener("blur", () => this.clear());
    document.addEventListener("visibilitychange", () => document.hidden && this.clear());
    requestAnimationFrame(() => this.poll());
  }

  save() {
    localStorage.setItem(this.place, JSON.stringify(this.bindings));
  }

  restoreStandard() {
    this.bindings = structuredClone(this.standard);
    localStorage.removeItem(this.place);
  }

  down(event) {
    if (this.recording) {
      event.preventDefault();
      const record = this.recording;
      this.recording = null;
      record(event.code);
      return;
    }
    if (event.code === "Escape") this.link.send({ do: "stop" });
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const inputs = this.bindings.filter((binding) => binding.key === event.code);
    if (inputs.length === 0) return;
    event.preventDefault();
    this.held.add(event.code);
    this.apply(inputs.map((binding) => binding.input));
  }

  up(event) {
    if (!this.held.delete(event.code)) return;
    this.apply(this.bindings.filter((binding) => binding.key === event.code).map((binding) => binding.input));
  }

  // Keys that were down when the window lost the focus count as released.
  clear() {
    const inputs = this.bindings.filter((binding) => this.held.has(binding.key)).map((binding) => binding.input);
    this.held.clear();
    this.apply(inputs);
  }

  apply(inputs) {
    for (const input of new Set(inputs)) {
      const share = this.bindings
        .filter((binding) => binding.input === input && this.held.has(binding.key))
        .reduce((sum, binding) => sum + binding.share, 0);
      const spec = this.spec(input);
      if (spec) this.link.set(input, fromShare(spec, Math.min(Math.max(share, -1), 1)));
    }
  }

  poll() {
    requestAnimationFrame(() => this.poll());
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      for (const binding of this.bindings) {
        if (binding.axis === undefined || binding.axis === null) continue;
        const raw = (pad.axes[binding.axis] ?? 0) * (binding.invert ? -1 : 1);
        const share = Math.abs(raw) < DEAD_ZONE ? 0 : (raw - Math.sign(raw) * DEAD_ZONE) / (1 - DEAD_ZONE);
        if (share === (this.axes.get(binding.input) ?? 0)) continue;
        this.axes.set(binding.input, share);
        const spec = this.spec(binding.input);
        if (spec) this.link.set(binding.input, fromShare(spec, share));
      }
    }
  }

  // A table to see and change the mapping.
  table(element) {
    const rows = this.bindings.map((binding) => {
      const row = document.createElement("div");
      row.className = "keys-row";
      const what = document.createElement("span");
      const arrow = binding.axis !== undefined && binding.axis !== null ? "↔" : binding.share > 0 ? "▲" : "▼";
      what.textContent = `${arrow} ${binding.input}`;
      const key = document.createElement("button");
      key.className = "keys-key";
      const isAxis = binding.axis !== undefined && binding.axis !== null;
      key.textContent = isAxis ? `gamepad axis ${binding.axis}${binding.invert ? " inverted" : ""}` : keyName(binding.key);
      key.addEventListener("click", () => this.change(binding, key, element, isAxis));
      row.append(what, key);
      return row;
    });
    element.replaceChildren(...rows);
  }

  change(binding, key, element, isAxis) {
    if (isAxis) {
      // one click through axes 0 to 3, plain and inverted
      const turn = (2 * binding.axis + (binding.invert ? 1 : 0) + 1) % 8;
      binding.axis = turn >> 1;
      binding.invert = (turn & 1) === 1;
      this.save();
      this.table(element);
      return;
    }
    key.textContent = "press a key …";
    this.recording = (code) => {
      if (code !== "Escape") binding.key = code;
      this.save();
      this.table(element);
    };
  }
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    target.type !== "range";
}

export function keyName(code) {
  return code.replace(/^Key|^Digit/, "").replace(/^Arrow(.*)/, (_, way) => ({ Up: "↑", Down: "↓", Left: "←", Right: "→" })[way]);
}
