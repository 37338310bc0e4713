// Console: starts the link, the view, the widgets and the plots of the page once NiceGUI has put it up.

import { addAlarms } from "./alarms.js";
import { addBanner, addEnding } from "./banner.js";
import { foldPlots, folding } from "./folding.js";
import { otherRun } from "./ghost.js";
import { Keys } from "./keys.js";
import { Link } from "./link.js";
import { Past } from "./past.js";
import { History, Plot, smallPlot } from "./plots.js";
import { Plate } from "./plate.js";
import { Pulling } from "./pulling.js";
import { addStop } from "./stop.js";
import { seconds, t, translated, useTexts } from "./texts.js";
import { Timeline } from "./timeline.js";
import { addCard, addChips, addSheet, foldMenus } from "./tools.js";
import { makeView } from "./view.js";
import { connectWidgets, shown } from "./widgets.js";

const FIGURES_EVERY = 100; // ms between two updates of the figures on the strip
const PLOTS_EVERY = 66; // ms
const TOAST_FOR = 4000; // ms
const MOST_TOASTS = 4;
const LEAVING = '[class*="-leave-"]'; // what Quasar fades out

const find = (id) => document.getElementById(id);

async function start() {
  while (!find("stage") || !find("keys")) await new Promise(requestAnimationFrame);
  const about = JSON.parse(find("about-page").textContent);
  useTexts(about.texts);
  const joinStop = addStop();
  document.body.dataset.role = about.role;
  const world = await (await fetch("/view/world.json")).json();
  const before = await (await fetch("/view/history")).arrayBuffer();
  const other = world.ghost ? otherRun(world.ghost, new Uint8Array(await (await fetch("/view/ghost")).arrayBuffer())) : null;
  // from here on without waiting: what the link hears is heard by all of the page
  const specs = new Map(world.inputs.map((spec) => [spec.name, spec]));
  const link = new Link(world.layout, about.role);
  joinStop(link);
  const view = makeView(find("stage"), world, world.layout);
  const past = new Past(link.reader);
  past.load(before);
  const history = new History(link.reader, past);
  const timeline = new Timeline(link, past);
  const pulling = new Pulling({ view, link, world, timeline });
  const units = new Map(world.layout.channels.map((channel) => [channel.name, channel.unit]));
  const unitOf = (name) => units.get(name) ?? "";
  const plot = new Plot(find("plot"), history, unitOf);
  const keys = new Keys(link, (name) => specs.get(name), world.panel, world.name);
  const page = { world, link, view, history, past, timeline, pulling: about.role === "watcher" ? null : pulling, plot, keys, copy, other };
  window.sharnir = page;
  connectWidgets({
    link, spec: (name) => specs.get(name), picture: (canvas, name) => view.pictures?.copy(canvas, name),
    plot: (element, signals, seconds) => smallPlot(element, history, unitOf, signals, seconds),
  });
  if (world.panel.plate && view.canvas) page.plate = new Plate(view, world);
  plot.span = world.panel.seconds;
  plot.choose(world.panel.plotted);
  addChips(page);
  addSheet(page);
  addCard(page);
  addPlotTools(page);
  addBanner(link);
  addEnding(link);
  addAlarms(link, toast);
  theme(page);
  strip(page);
  keys.table(find("keys"));
  keys.closeDialog = closeDialog;
  page.open = (name) => (find("panels").dataset.open = name);
  let plotted = 0;
  link.rest = view.rest;
  link.on("sample", (frame) => {
    history.add(frame);
    past.add(frame);
  });
  timeline.addEventListener("change", ({ detail }) => {
    view.show(detail ?? link.frame);
    plot.at = detail?.time ?? null;
    plot.draw();
  });
  link.on("frame", (frame) => {
    if (!timeline.back) view.show(frame);
    if (performance.now() - plotted < PLOTS_EVERY) return;
    plotted = performance.now();
    plot.draw();
  });
  link.on("unsent", () => toast(t("There is no connection. The emergency stop is sent as soon as there is one.")));
  link.on("refused", (message) => toast(translated(message.reason)));
  link.on("slow", () => toast(t("The page was too slow: what was held went back. Press it again.")));
  link.on("hello", ({ score: standing }) => score(standing));
  link.on("score", ({ score: standing }) => score(standing));
  link.on("gamepad", ({ there }) => gamepad(there));
  page.started = true;
}

// Closes the topmost dialog; returns whether there was one. Quasar closes its own dialogs and menus when the key comes up,
// and fades them out: one that is leaving is not open any more, and the next Esc is the stop.
function closeDialog() {
  const leaves = (element) => element.matches(LEAVING) || element.querySelector(`:scope > ${LEAVING}`);
  const open = [...document.querySelectorAll(".q-dialog, .q-menu")].some((element) => !leaves(element));
  if (open || !find("ending").hidden) return true;
  if (foldMenus()) return true;
  const sheet = find("sheet");
  if (!sheet?.hasAttribute("data-open")) return false;
  find("sheet-chip").click();
  return true;
}

function toast(text) {
  const toasts = find("toasts");
  if ([...toasts.children].some((other) => other.textContent === text)) return;
  const element = document.createElement("div");
  element.className = "toast";
  element.textContent = text;
  toasts.append(element);
  while (toasts.children.length > MOST_TOASTS) toasts.firstChild.remove();
  setTimeout(() => element.remove(), TOAST_FOR);
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  button.textContent = t("Copied");
}

// How far the operator has come in the scenario, for the instructor.
function score(standing) {
  const element = find("score");
  if (!element) return;
  if (!standing?.goals) {
    element.textContent = t("none");
    return;
  }
  const rows = standing.goals.map((goal) => {
    const row = document.createElement("div");
    row.className = "goal";
    row.dataset.state = goal.state;
    const at = goal.at === null ? "" : seconds(goal.at, 1);
    row.textContent = `${{ reached: "✓", failed: "✗", open: "…" }[goal.state]} ${goal.name} ${Math.round(100 * goal.score)} % ${at} ${translated(goal.note)}`;
    return row;
  });
  const total = document.createElement("b");
  const verdict = standing.finished ? (standing.passed ? t("passed") : t("not passed")) : t("under way");
  total.textContent = `${standing.scenario}: ${(100 * standing.total).toFixed(0)} %, ${verdict}`;
  element.replaceChildren(total, ...rows);
}

function gamepad(there) {
  const lamp = find("pad-lamp");
  lamp.hidden = false;
  lamp.toggleAttribute("data-on", there);
  lamp.textContent = "🎮";
  lamp.ariaLabel = lamp.title = there ? t("gamepad connected") : t("gamepad gone");
}

function addPlotTools({ plot }) {
  find("span").addEventListener("change", (event) => {
    plot.span = Number(event.target.value);
    plot.draw();
  });
  find("freeze").addEventListener("click", () => {
    plot.freeze(!plot.frozen);
    find("freeze").textContent = plot.frozen ? t("Go on") : t("Freeze");
    find("freeze").ariaPressed = plot.frozen;
  });
  foldPlots();
  // the panel beside or below the view gives way to it
  folding("fold-side", "side-folded", ["«", "»"], [t("Show the panel"), t("Hide the panel")])(false);
}

// --- the strip ---------------------------------------------------------------------------------------------------------

function strip({ link }) {
  let drawn = 0;
  link.on("frame", (frame) => {
    state(link, frame); // at once
    if (performance.now() - drawn < FIGURES_EVERY) return;
    drawn = performance.now();
    find("time").textContent = seconds(frame.time);
    const slow = frame.doing === "running" && frame.factor < 0.97 * frame.scale && frame.factor > 0;
    figure("factor", frame.doing === "running" ? `${frame.factor.toFixed(2)} ×` : "–", slow);
    figure("misses", frame.misses.toFixed(0), false);
    figure("worst", shown(1000 * frame.worst, "ms"), false);
    figure("jitter", shown(1000 * frame.jitter, "ms"), frame.jitter > 0.001);
  });
  const hearing = () => {
    document.body.classList.toggle("lost", link.hears !== "frames");
    if (link.hears === "frames") return;
    state(link, null);
    find("curtain").textContent = unheard(link).why;
  };
  link.on("hearing", hearing);
  link.on("connection", hearing);
  link.on("operator", (control) => showControl(link, control));
  find("take").addEventListener("click", () => link.send({ do: "take" }));
  find("give").addEventListener("click", () => link.send({ do: "give" }));
  find("scale")?.addEventListener("change", (event) => link.send({ do: "scale", factor: Number(event.target.value) }));
}

function showControl(link, { driving, operator, may_take: mayTake }) {
  const role = find("role");
  document.body.classList.toggle("watching", !driving);
  const clock = document.querySelector(".operator-only");
  if (clock) clock.inert = !driving && link.role !== "instructor";
  role.dataset.role = driving ? "operator" : "watching";
  const whose = operator ? t("{operator} is in control", { operator: translated(operator) }) : t("Nobody is in control");
  role.querySelector("span").textContent = driving ? t("You are in control") : whose;
  find("take").hidden = !mayTake;
  find("take").textContent = link.role === "instructor" && operator ? t("Take over") : t("Take control");
  find("give").hidden = !driving;
}

function figure(id, text, warns) {
  find(id).textContent = text;
  find(id).parentElement.dataset.state = warns ? "warn" : "";
}

// What is wrong where no frames come, in a word and in a sentence.
function unheard({ connected, hears }) {
  if (!connected) return { state: t("Connection lost"), why: t("The connection is lost. Trying again …") };
  if (hears === "words") return { state: t("No answer"), why: t("The physics does not respond. What you see is old.") };
  return { state: t("No signal"), why: t("Nothing comes from the server. What you see is old.") };
}

function state(link, frame) {
  const chain = frame ? frame.chain : "free";
  const mode = frame ? frame.doing : "lost";
  const moving = mode === "running" || mode === "paused";
  const name = moving && chain !== "free" ? chain : mode;
  const texts = {
    stopped: t("Emergency stop"), held: t("Held"), lost: unheard(link).state, running: t("running"), paused: t("paused"),
    fault: t("fault"), ended: t("ended"),
  };
  const chip = find("state");
  const text = texts[name] ?? name;
  if (chip.dataset.state !== name || chip.textContent !== text) {
    chip.dataset.state = name;
    chip.textContent = text;
  }
  find("stop").toggleAttribute("data-on", chain === "stopped");
  if (!find("run")) return;
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

start();
