// Tools: the buttons over the view, and the card with the numbers of the body that was clicked.

import { OVERLAYS } from "./overlays.js";
import { t } from "./texts.js";
import { shown } from "./widgets.js";

const UPDATE_EVERY = 100; // ms

const find = (id) => document.getElementById(id);

function button(text, on, click) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  press(element, on);
  element.addEventListener("click", () => click(element));
  return element;
}

// Sets or turns over whether a button is pressed; returns it.
function press(element, on = !element.hasAttribute("data-on")) {
  element.toggleAttribute("data-on", on);
  element.ariaPressed = on;
  return on;
}

function group(...buttons) {
  const element = document.createElement("div");
  element.className = "chips";
  element.setAttribute("role", "group");
  element.append(...buttons);
  return element;
}

export function addChips({ view, world }) {
  const rope = world.ropes.length > 0 ? { rope: t("Rope end") } : {};
  const kinds = { orbit: t("Orbit"), follow: t("Follow"), seat: t("Seat"), ...rope };
  const cameras = Object.entries(kinds).map(([kind, text]) =>
    button(text, kind === view.cameras.kind, (chosen) => {
      view.camera(kind);
      cameras.forEach((other) => press(other, other === chosen));
    }),
  );
  const home = button(t("Home"), false, () => {
    view.cameras.home();
    view.stale = true;
  });
  const overlays = Object.entries(OVERLAYS).map(([name, text]) =>
    button(t(text), Boolean(view.overlays.shown[name]), (chosen) => view.overlay(name, press(chosen))),
  );
  const labels = button(t("Labels"), false, (chosen) => view.showLabels(press(chosen)));
  const tension = world.ropes.length > 0
    ? [button(t("Tension"), false, (chosen) => (view.ropes.byTension = press(chosen)))]
    : [];
  const sheet = world.panel.diagram
    ? [group(button(t("Diagram"), false, (chosen) => find("sheet").toggleAttribute("data-open", press(chosen))))]
    : [];
  if (sheet.length > 0) sheet[0].firstChild.id = "sheet-chip";
  find("view-tools").append(group(...cameras, home), group(...overlays, labels, ...tension), ...sheet);
}

export function addCard({ view, link, world }) {
  const element = find("card");
  let body = -1;
  const title = document.createElement("h4");
  const list = document.createElement("dl");
  element.append(title, list);
  const close = button("✕", false, () => view.select(-1));
  close.ariaLabel = t("Close");
  view.addEventListener("select", ({ detail }) => {
    body = detail;
    element.toggleAttribute("data-open", body >= 0);
    if (body >= 0) {
      title.replaceChildren(world.bodies[body].name, close);
      update();
    }
  });
  const vector = (values, unit) => `${[...values].map((x) => x.toFixed(2)).join("  ")} ${unit}`;
  function update() {
    if (body < 0 || !link.frame) return;
    const { poses, velocities } = link.frame;
    const rows = {
      mass: shown(world.bodies[body].mass, "kg"),
      position: vector(poses.subarray(7 * body, 7 * body + 3), "m"),
      velocity: vector(velocities.subarray(6 * body, 6 * body + 3), "m/s"),
      spin: vector(velocities.subarray(6 * body + 3, 6 * body + 6), "rad/s"),
      speed: shown(Math.hypot(...velocities.subarray(6 * body, 6 * body + 3)), "m/s"),
    };
    for (const joint of world.joints.filter((each) => each.a === body || each.b === body).slice(0, 4)) {
      for (const axis of joint.coordinates) rows[axis.label] = shown(link.reader.channel(link.frame, axis.label), axis.unit);
    }
    list.replaceChildren(
      ...Object.entries(rows).flatMap(([name, value]) => {
        const term = document.createElement("dt");
        const text = document.createElement("dd");
        term.textContent = name;
        text.textContent = value;
        return [term, text];
      }),
    );
  }
  setInterval(update, UPDATE_EVERY);
}

// The diagram with its values, and its wires lit where a truth value is true.
export function addSheet({ link, world }) {
  const sheet = find("sheet");
  if (!sheet || !world.panel.diagram) return;
  const units = new Map(world.layout.channels.map((channel) => [channel.name, channel.unit]));
  const update = () => {
    if (!sheet.hasAttribute("data-open") || !link.frame) return;
    for (const element of sheet.querySelectorAll("[data-signal]")) {
      const { signal } = element.dataset;
      const value = link.reader.channel(link.frame, signal);
      const isTruth = units.get(signal) === "";
      if (element.classList.contains("value")) element.textContent = isTruth ? (value > 0.5 ? "on" : "off") : shown(value, units.get(signal));
      else if (isTruth) element.classList.toggle("lit", value > 0.5);
    }
  };
  setInterval(update, UPDATE_EVERY);
}
