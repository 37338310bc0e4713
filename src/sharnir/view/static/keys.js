// Keys: keyboard and gamepad mapped to inputs, as the panel says (control/panel.py), or as the operator has changed it.
// The emergency stop has keys of its own that no mapping takes away.

import { t } from "./texts.js";
import { fromShare } from "./widgets.js";

const GAMEPAD_AXES = 4; // that the table offers
const POLL_EVERY = 30; // ms
const ALWAYS_STOPS = "F9";
const GAMEPAD_STOPS = "Gamepad8"; // Back, View or Share
const GAMEPAD_ENABLES = "Gamepad9"; // Start, Menu or Options

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
    this.waiting = new Set(); // inputs whose axis has to come to its middle before it counts again
    this.pressed = new Map(); // which buttons of the gamepad were down
    this.pads = new Set(); // places of the gamepads that are there
    this.padUsed = false;
    this.recording = null; // the binding whose key is being changed
    this.closeDialog = () => false; // closes the topmost dialog; returns whether there was one
    addEventListener("keydown", (event) => this.keydown(event));
    addEventListener("keyup", (event) => this.up(event.code));
    link.on("dropped", () => this.forget());
    setInterval(() => this.poll(), POLL_EVERY);
  }

  stop() {
    this.link.stop();
  }

  keydown(event) {
    if (event.code === ALWAYS_STOPS) {
      event.preventDefault();
      if (!event.repeat) this.stop();
      return;
    }
    if (event.code === "Escape") {
      if (event.repeat) return;
      this.record(null); // no dialog: the key is the stop's all the same
      if (!this.closeDialog()) this.stop();
      return;
    }
    if (this.recording) {
      event.preventDefault();
      this.record(event.code);
      return;
    }
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || isPressing(event) || isMoving(event)) return;
    if (this.down(event.code)) event.preventDefault();
  }

  // Ends the change of a key, with a new one or none.
  record(code) {
    const binding = this.recording;
    if (!binding) return;
    this.recording = null;
    if (code !== null) binding.key = code;
    this.changed();
    this.draw(binding);
  }

  // What the operator has changed is there again when he comes back.
  changed() {
    localStorage.setItem(this.place, JSON.stringify({ keys: this.keys, axes: this.axes }));
  }

  // Returns whether the key does anything.
  down(code) {
    const mine = this.keys.filter((binding) => binding.key === code);
    for (const binding of mine) {
      const now = this.link.frame ? this.link.reader.input(this.link.frame, binding.input) : 0;
      if (binding.action === "toggle") this.link.set(binding.input, now > 0.5 ? 0 : 1);
      else if (binding.action === "set") this.link.set(binding.input, binding.value);
      else if (binding.action === "step") this.link.set(binding.input, this.within(binding.input, now + binding.value));
      else if (this.link.mayDrive) {
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

  // What was held counts no longer, also where it is still pressed: it has to be pressed anew.
  forget() {
    this.held.clear();
    for (const [input, share] of this.shares) if (share !== 0) this.waiting.add(input);
    this.shares.clear();
  }

  // An input is what its held keys add up to, about its initial value.
  hold(input) {
    const spec = this.spec(input);
    if (!spec) return;
    const held = this.keys.filter((b) => b.input === input && b.action === "hold" && this.held.has(b.key));
    const value = held.reduce((sum, binding) => sum + binding.value - spec.initial, spec.initial);
    this.link.grip("keys", input, held.length > 0);
    this.link.set(input, this.within(input, value));
  }

  within(input, value) {
    const { low, high } = this.spec(input);
    return Math.min(Math.max(value, low), high);
  }

  // Of several gamepads the one that is pushed furthest counts, axis by axis, and a button that is down on any: one that
  // lies beside must not take back what the other gives.
  poll() {
    const places = [...(navigator.getGamepads?.() ?? [])];
    const there = new Map([...places.entries()].filter(([, pad]) => pad && pad.connected !== false));
    this.comeAndGo(new Set(there.keys()));
    const pads = [...there.values()];
    if (pads.length === 0) return;
    for (const binding of this.axes) {
      const given = pads.map((pad) => pad.axes[binding.axis] ?? 0);
      this.readAxis(binding, given.reduce((most, raw) => (Math.abs(raw) > Math.abs(most) ? raw : most)));
    }
    const buttons = Math.max(...pads.map((pad) => pad.buttons.length));
    for (let i = 0; i < buttons; i += 1) this.readButton(`Gamepad${i}`, pads.some((pad) => pad.buttons[i]?.pressed));
  }

  get padThere() {
    return this.pads.size > 0;
  }

  // Any that vanishes may be the one in the operator's hands.
  comeAndGo(there) {
    const before = this.pads;
    this.pads = there;
    if ((before.size > 0) !== (there.size > 0)) this.link.tell("gamepad", { there: there.size > 0 });
    if ([...before].every((place) => there.has(place))) return;
    this.pressed.clear();
    if (this.padUsed) this.link.letGo("gamepad");
    this.padUsed = false;
  }

  readAxis({ input, invert, dead_zone: dead = 0.1 }, raw) {
    const turned = invert ? -raw : raw;
    const share = Math.abs(turned) < dead ? 0 : (turned - Math.sign(turned) * dead) / (1 - dead);
    if (this.waiting.has(input)) {
      if (share !== 0) return;
      this.waiting.delete(input);
    }
    if (share === (this.shares.get(input) ?? 0)) return;
    if (!this.link.mayDrive) {
      this.waiting.add(input);
      return;
    }
    this.shares.set(input, share);
    this.padUsed = true;
    const spec = this.spec(input);
    if (!spec) return;
    this.link.grip("gamepad", input, share !== 0);
    this.link.set(input, fromShare(spec, share));
  }

  readButton(code, pressed) {
    if (pressed === (this.pressed.get(code) ?? false)) return;
    this.pressed.set(code, pressed);
    if (pressed && code === GAMEPAD_STOPS) this.stop();
    else if (pressed && code === GAMEPAD_ENABLES && this.link.chain.state === "held") this.link.send({ do: "enable" });
    else if (pressed) this.padUsed = this.down(code) || this.padUsed;
    else this.up(code);
  }

  // --- the table that shows the mapping and lets it be changed --------------------------------------------------------

  table(element) {
    this.element = element;
    this.draw();
  }

  // The focus stays on the row that was changed.
  draw(changed = null) {
    const rows = this.keys.map((binding) => {
      const name = binding === this.recording ? t("press a key …") : keyName(binding.key);
      return row(this.describe(binding), name, () => {
        this.recording = binding;
        this.draw(binding);
      });
    });
    const axes = this.axes.map((binding) => row(`⇄ ${binding.input}`, axisName(binding), () => {
      const next = (2 * binding.axis + (binding.invert ? 1 : 0) + 1) % (2 * GAMEPAD_AXES);
      Object.assign(binding, { axis: next >> 1, invert: (next & 1) === 1 });
      this.changed();
      this.draw(binding);
    }));
    const back = row("", t("standard keys"), () => {
      Object.assign(this, structuredClone(this.standard), { recording: null });
      localStorage.removeItem(this.place);
      this.draw();
    });
    const fixed = [row(t("emergency stop"), `${ALWAYS_STOPS}, Esc`), row(t("emergency stop"), padName(GAMEPAD_STOPS)), row(t("enable the drives"), padName(GAMEPAD_ENABLES))];
    this.element.replaceChildren(title(t("Keyboard")), fixed[0], ...rows, title(t("Gamepad")), ...fixed.slice(1), ...axes, back);
    const at = [...this.keys, ...this.axes].indexOf(changed);
    [...rows, ...axes][at]?.querySelector("button").focus();
  }

  describe({ input, action, value }) {
    const spec = this.spec(input);
    if (action === "toggle") return `◐ ${input}`;
    if (spec?.kind === "bool") return `● ${input}`;
    const rises = action === "step" ? value > 0 : value > (spec?.initial ?? 0);
    return `${rises ? "▲" : "▼"} ${input}${action === "step" ? ` ${t("(by steps)")}` : ""}`;
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
  const button = document.createElement(click ? "button" : "span");
  button.className = click ? "keys-key" : "keys-fixed";
  button.textContent = key;
  if (click) {
    button.type = "button";
    button.ariaLabel = `${text} ${key}`;
    button.addEventListener("click", () => click(button));
  }
  element.append(what, button);
  return element;
}

function isTyping(target) {
  const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  return isField && target.type !== "range";
}

// Enter and Space on a button press that button, whatever else they are mapped to.
function isPressing({ code, target }) {
  return (code === "Enter" || code === "Space") && target instanceof HTMLElement && target.closest("button, a, summary, [role=tab], [role=button]");
}

// Arrows move the slider, knob or stick that has the focus.
function isMoving({ code, target }) {
  const moves = /^(Arrow|Home|End|Page)/.test(code);
  return moves && target instanceof HTMLElement && target.closest("input, [role=slider], [role=application], [role=tab]");
}

function padName(code) {
  return t("button {number}", { number: code.slice("Gamepad".length) });
}

function axisName({ axis, invert }) {
  return t(invert ? "axis {axis} inverted" : "axis {axis}", { axis });
}

export function keyName(code) {
  const arrows = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
  return arrows[code] ?? code.replace(/^Key|^Digit/, "");
}
