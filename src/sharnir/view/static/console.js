// Console: starts the link, the view, the widgets and the plots of the page once NiceGUI has put it up.

import { HOLDS, MODES } from "./frame.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { History, Plot } from "./plots.js";
import { OVERLAYS } from "./overlays.js";
import { View } from "./view.js";
import { connectWidgets, shown } from "./widgets.js";

const FIGURES_EVERY = 100; // ms between two updates of the figures on the strip
const PLOTS_EVERY = 66; // ms
const TOAST_FOR = 4000; // ms

const find = (id) => document.getElementById(id);

async function start() {
  while (!find("stage") || !find("plot")) await new Promise(requestAnimationFrame);
  const world = await (await fetch("/view/world.json")).json();
  const specs = new Map(world.inputs.map((spec) => [spec.name, spec]));
  const link = new Link(world.layout, document.body.dataset.role ?? "operator");
  const view = new View(find("stage"), world, world.layout);
  const history = new History(link.reader);
  const units = new Map(world.layout.channels.map((channel) => [channel.name, channel.unit]));
  const plot = new Plot(find("plot"), history, (name) => units.get(name) ?? "");
  const keys = new Keys(link, (name) => specs.get(name), world.panel, world.name);
  const page = { world, link, view, history, plot, keys };
  window.sharnir = page;
  connectWidgets({ link, spec: (name) => specs.get(name) });
  plot.choose(world.panel.plotted);
  chips(page);
  card(page);
  theme(page);
  strip(page);
  log(page);
  if (find("keys")) keys.table(find("keys"));
  let plotted = 0;
  link.on("frame", (frame) => {
    view.show(frame);
    history.add(frame);
    if (performance.now() - plotted < PLOTS_EVERY) return;
    plotted = performance.now();
    plot.draw();
  });
  link.on("refused", (message) => toast(message.reason));
  page.started = true;
}

function toast(text) {
  const element = document.createElement("div");
  element.className = "toast";
  element.textContent = text;
  find("toasts").append(element);
  setTimeout(() => element.remove(), TOAST_FOR);
}

// --- the strip ---------------------------------------------------------------------------------------------------------

function strip({ link }) {
  let drawn = 0;
  link.on("frame", (frame) => {
    if (performance.now() - drawn < FIGURES_EVERY) return;
    drawn = performance.now();
    find("time").textContent = `${frame.time.toFixed(2)} s`;
    const slow = MODES[frame.mode] === "running" && frame.factor < 0.97 * frame.scale && frame.factor > 0;
    figure("factor", MODES[frame.mode] === "running" ? `${frame.factor.toFixed(2)} ×` : "–", slow);
    figure("misses", frame.misses.toFixed(0), false);
    figure("worst", `${(1000 * frame.worst).toFixed(2)} ms`, false);
    figure("jitter", `${(1000 * frame.jitter).toFixed(2)} ms`, frame.jitter > 0.001);
    state(link, frame);
  });
  link.on("connection", ({ connected }) => {
    document.body.classList.toggle("lost", !connected);
    if (!connected) state(link, null);
  });
  link.on("operator", ({ operator }) => {
    const role = find("role");
    const mine = link.isOperator;
    document.body.classList.toggle("watching", !mine);
    role.dataset.role = mine ? "operator" : "watching";
    role.querySelector("span").textContent = mine ? "You are in control" : operator ? "Watching" : "Nobody is in control";
    find("take").style.display = mine || operator || link.role !== "operator" ? "none" : "";
    find("give").style.display = mine ? "" : "none";
  });
  find("take").addEventListener("click", () => link.send({ do: "take" }));
  find("give").addEventListener("click", () => link.send({ do: "give" }));
  find("stop").addEventListener("pointerdown", () => {
    const held = link.frame && HOLDS[link.frame.held] === "emergency";
    link.send({ do: held ? "release" : "stop" });
  });
  find("scale").addEventListener("change", (event) => link.send({ do: "scale", factor: Number(event.target.value) }));
}

function figure(id, text, warns) {
  find(id).textContent = text;
  find(id).parentElement.dataset.state = warns ? "warn" : "";
}

function state(link, frame) {
  const hold = frame ? HOLDS[frame.held] : "";
  const mode = frame ? MODES[frame.mode] : "lost";
  const moving = mode === "running" || mode === "paused";
  const name = moving && hold ? "stopped" : mode;
  const text = { stopped: hold === "emergency" ? "Emergency stop" : "Held", lost: "Connection lost" }[name] ?? name;
  const chip = find("state");
  if (chip.dataset.state !== name || chip.textContent !== text) {
    chip.dataset.state = name;
    chip.textContent = text;
  }
  find("stop").toggleAttribute("data-on", hold === "emergency");
  find("stop").textContent = hold === "emergency" ? "RELEASE STOP" : "EMERGENCY STOP";
  const running = mode === "running";
  find("run").style.display = running ? "none" : "";
  find("pause").style.display = running ? "" : "none";
  if (frame && Number(find("scale").value) !== frame.scale) find("scale").value = frame.scale;
}

// --- the view's tools --------------------------------------------------------------------------------------------------

function button(text, on, click) {
  const element = document.createElement("button");
  element.textContent = text;
  element.toggleAttribute("data-on", on);
  element.addEventListener("click", () => click(element));
  return element;
}

function group(...buttons) {
  const element = document.createElement("div");
  element.className = "chips";
  element.append(...buttons);
  return element;
}

function chips({ view, world }) {
  const kinds = { orbit: "Orbit", follow: "Follow", seat: "Seat", ...(world.ropes.length > 0 ? { rope: "Rope end" } : {}) };
  const cameras = Object.entries(kinds).map(([kind, text]) =>
    button(text, kind === "orbit", (chosen) => {
      view.camera(kind);
      cameras.forEach((other) => other.toggleAttribute("data-on", other === chosen));
    }),
  );
  const home = button("Home", false, () => {
    view.cameras.home();
    view.stale = true;
  });
  const overlays = Object.entries(OVERLAYS).map(([name, text]) =>
    button(text, view.overlays.shown[name], (chosen) => {
      view.overlay(name, chosen.toggleAttribute("data-on"));
    }),
  );
  const labels = button("Labels", false, (chosen) => view.showLabels(chosen.toggleAttribute("data-on")));
  const tension = world.ropes.length > 0
    ? [button("Tension", false, (chosen) => (view.ropes.byTension = chosen.toggleAttribute("data-on")))]
    : [];
  find("view-tools").append(group(...cameras, home), group(...overlays, labels, ...tension));
}

function card({ view, link, world }) {
  const element = find("card");
  let body = -1;
  const title = document.createElement("h4");
  const list = document.createElement("dl");
  element.append(title, list);
  const close = button("✕", false, () => view.select(-1));
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
  setInterval(update, FIGURES_EVERY);
}

function theme(page) {
  const apply = () => {
    page.view.paint(document.body.classList.contains("body--dark") ? "dark" : "light");
    page.plot.draw();
  };
  new MutationObserver(apply).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  const wanted = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem("sharnir-theme");
  if (wanted) Quasar.Dark.set(wanted === "dark");
  page.toggleTheme = () => {
    Quasar.Dark.toggle();
    localStorage.setItem("sharnir-theme", Quasar.Dark.isActive ? "dark" : "light");
  };
  apply();
}

// --- alarms ------------------------------------------------------------------------------------------------------------

function log({ link }) {
  const rows = [];
  const element = () => find("alarms");
  const add = (alarm) => {
    const row = document.createElement("div");
    row.className = "log-row";
    row.dataset.level = alarm.level;
    const time = document.createElement("span");
    time.textContent = `${alarm.time.toFixed(2)} s`;
    const text = document.createElement("p");
    text.textContent = alarm.text;
    row.append(time, text);
    rows.unshift(row);
    rows.length = Math.min(rows.length, 500);
  };
  const draw = () => {
    if (!element()) return;
    element().replaceChildren(...rows);
    const count = find("alarm-count");
    const alarms = rows.filter((row) => row.dataset.level !== "info").length;
    if (count) count.textContent = alarms > 0 ? `Alarms (${alarms})` : "Alarms";
  };
  link.on("hello", (message) => {
    rows.length = 0;
    message.alarms.forEach(add);
    draw();
  });
  link.on("alarm", ({ alarm }) => {
    add(alarm);
    if (alarm.level === "alarm") toast(alarm.text);
    draw();
  });
}

start();
