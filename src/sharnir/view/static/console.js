// Console: starts the link, the view, the widgets and the plots of the page once NiceGUI has put it up.

import { HOLDS, MODES } from "./frame.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { History, Plot } from "./plots.js";
import { addCard, addChips, addSheet } from "./tools.js";
import { View } from "./view.js";
import { connectWidgets } from "./widgets.js";

const FIGURES_EVERY = 100; // ms between two updates of the figures on the strip
const PLOTS_EVERY = 66; // ms
const TOAST_FOR = 4000; // ms

const find = (id) => document.getElementById(id);

async function start() {
  while (!find("stage") || !find("keys")) await new Promise(requestAnimationFrame);
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
  addChips(page);
  addSheet(page);
  addCard(page);
  theme(page);
  strip(page);
  log(page);
  keys.table(find("keys"));
  page.open = (name) => (find("panels").dataset.open = name);
  let plotted = 0;
  link.rest = view.rest;
  link.on("sample", (frame) => history.add(frame));
  link.on("frame", (frame) => {
    view.show(frame);
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
    state(link, frame); // at once
    if (performance.now() - drawn < FIGURES_EVERY) return;
    drawn = performance.now();
    find("time").textContent = `${frame.time.toFixed(2)} s`;
    const slow = MODES[frame.mode] === "running" && frame.factor < 0.97 * frame.scale && frame.factor > 0;
    figure("factor", MODES[frame.mode] === "running" ? `${frame.factor.toFixed(2)} ×` : "–", slow);
    figure("misses", frame.misses.toFixed(0), false);
    figure("worst", `${(1000 * frame.worst).toFixed(2)} ms`, false);
    figure("jitter", `${(1000 * frame.jitter).toFixed(2)} ms`, frame.jitter > 0.001);
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
    find("alarms").replaceChildren(...rows);
    const count = rows.filter((row) => row.dataset.level !== "info").length;
    find("tab-alarms").querySelector(".q-tab__label").textContent = count > 0 ? `Alarms (${count})` : "Alarms";
  };
  link.on("hello", (message) => {
    rows.length = 0;
    message.alarms.forEach(add);
    draw();
  });
  link.on("alarm", ({ alarm }) => {
    add(alarm);
    if (alarm.level !== "info") toast(alarm.text);
    draw();
  });
}

start();
