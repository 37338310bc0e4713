// Player: shows a recorded run from one file. It plays, scrubs, and has the same view, gauges and plots as the console.

import { Film } from "./film.js";
import { foldPlots } from "./folding.js";
import { FrameReader } from "./frame.js";
import { otherRun } from "./ghost.js";
import { Plot, smallPlot } from "./plots.js";
import { addCard, addChips, addSheet } from "./tools.js";
import { chooseTexts, panelText, seconds, t, translated } from "./texts.js";
import { followTheme } from "./theme.js";
import { fillHeights, framesOf, unzipped } from "./unpacking.js";
import { makeView } from "./view.js";
import { connectWidgets, layGrid, makeWidget } from "./widgets.js";

const MOST_OPEN = 12; // widgets of a group; larger ones are folded at first

const find = (id) => document.getElementById(id);
const read = (id) => JSON.parse(find(id).textContent);

// Stands where the console has its link: frames come from the recording, commands go nowhere.
class Playback extends EventTarget {
  constructor(layout, about, buffer) {
    super();
    this.reader = new FrameReader(layout);
    this.about = about;
    this.buffer = buffer;
    this.size = layout.size;
    this.index = 0;
    this.frame = this.at(0);
  }

  at(index) {
    return this.reader.read(this.buffer, index * this.size);
  }

  on(event, handler) {
    this.addEventListener(event, (e) => handler(e.detail));
    return this;
  }

  set() {}
  send() {}

  show(index) {
    this.index = Math.min(Math.max(Math.round(index), 0), this.about.count - 1);
    this.frame = this.at(this.index);
    this.dispatchEvent(new CustomEvent("frame", { detail: this.frame }));
  }

  // What the plot asks of a history.
  get now() {
    return this.index * this.about.every;
  }

  each(name, since, visit) {
    const place = this.reader.channelPlace.get(name);
    if (place === undefined) return;
    for (let i = Math.max(0, Math.ceil(since / this.about.every)); i <= this.index; i += 1) {
      visit(i * this.about.every, this.at(i).channels[place]);
    }
  }
}

const packed = async (id) => new Uint8Array(await unzipped(find(id).textContent));

// What every page that plays a run has: the view, playing and scrubbing, and what happened.
export async function makePlayer() {
  chooseTexts(read("texts"));
  const world = JSON.parse(new TextDecoder().decode(await packed("world")));
  const about = read("about");
  if (find("heights").textContent) fillHeights(world.terrain, await packed("heights"));
  const playback = new Playback(world.layout, about, framesOf(await packed("frames"), world.layout, about.codings));
  const asked = new URLSearchParams(location.hash.slice(1));
  const view = makeView(find("stage"), world, world.layout, asked.has("fine") || asked.has("exact") ? false : undefined, asked.has("exact"));
  const other = about.ghost ? otherRun(about.ghost, await packed("ghost")) : null;
  const page = { world, about, link: playback, view, other, playing: false };
  window.sharnir = page;
  document.body.classList.add("replaying");
  document.body.classList.toggle("bare", asked.has("bare"));
  find("name").textContent = world.name;
  find("started").textContent = about.started.replace("T", " ").slice(0, 16);
  find("note").textContent = t(about.note);
  if (world.panel.diagram) find("sheet").innerHTML = world.panel.diagram; // drawn by us, its names escaped
  addChips(page);
  addSheet(page);
  addCard(page);
  addEvents(page);
  addPlaying(page);
  playback.on("frame", (frame) => {
    view.show(frame);
    find("time").textContent = seconds(playback.now);
    find("scrub").value = playback.index;
  });
  followTheme(find("theme"), (dark) => {
    view.paint(dark ? "dark" : "light");
    page.plot?.draw();
  });
  page.seek = (seconds) => playback.show(seconds / about.every);
  page.film = (rows) => (page.filmed = new Film(page, rows));
  return page;
}

export async function start() {
  const page = await makePlayer();
  const { world, link } = page;
  const specs = new Map(world.inputs.map((spec) => [spec.name, spec]));
  const units = new Map(world.layout.channels.map((channel) => [channel.name, channel.unit]));
  addPanel(world.panel);
  const unitOf = (name) => units.get(name) ?? "";
  connectWidgets({
    link, spec: (name) => specs.get(name), picture: (canvas, name) => page.view.pictures?.copy(canvas, name),
    plot: (element, signals, seconds) => smallPlot(element, link, unitOf, signals, seconds),
  });
  foldPlots();
  page.plot = new Plot(find("plot"), link, unitOf);
  page.plot.choose(world.panel.plotted);
  addPicker(page);
  link.on("frame", () => page.plot.draw());
  page.seek(Number(new URLSearchParams(location.hash.slice(1)).get("t") ?? 0));
  page.started = true;
}

function addPlaying(page) {
  const { link, about } = page;
  const scrub = find("scrub");
  scrub.max = about.count - 1;
  scrub.addEventListener("input", () => {
    page.playing = false;
    link.show(Number(scrub.value));
  });
  find("play").addEventListener("click", () => {
    page.playing = !page.playing;
    if (page.playing && link.index === about.count - 1) link.show(0);
    find("play").textContent = page.playing ? t("Pause") : t("Play");
    page.last = performance.now();
    page.at = link.index;
  });
  const turn = (now) => {
    requestAnimationFrame(turn);
    if (!page.playing) {
      find("play").textContent = t("Play");
      return;
    }
    page.at += ((now - page.last) / 1000 / about.every) * Number(find("speed").value);
    page.last = now;
    link.show(page.at);
    if (link.index >= about.count - 1) page.playing = false;
  };
  requestAnimationFrame(turn);
}

function addPanel({ groups, theme }) {
  find("panel").dataset.look = theme ?? "plain";
  for (const { title, widgets, columns } of groups) {
    const group = document.createElement("details");
    group.className = "group";
    group.open = widgets.length <= MOST_OPEN;
    const summary = document.createElement("summary");
    const head = document.createElement("h2");
    head.className = "section";
    head.textContent = panelText(title);
    const box = document.createElement("div");
    box.className = "widgets";
    layGrid(box, columns, widgets);
    box.append(...widgets.map(makeWidget));
    summary.append(head);
    group.append(summary, box);
    find("panel").append(group);
  }
}

// What changed nothing is left out: the same inputs given again by the same hand.
function eventful(events) {
  const last = new Map();
  return events.filter(({ level, by, text }) => {
    if (level !== "set") return level !== "alive";
    const same = last.get(by) === text;
    last.set(by, text);
    return !same;
  });
}

function addEvents({ about, link }) {
  const rows = eventful(about.events).map((event) => {
    const row = document.createElement("button");
    row.type = "button";
    row.className = "log-row";
    row.dataset.level = event.level;
    const time = document.createElement("span");
    time.textContent = seconds(event.time);
    const text = document.createElement("p");
    text.textContent = event.by ? `${translated(event.by)}: ${translated(event.text)}` : translated(event.text);
    row.dataset.by = event.by ?? "";
    row.append(time, text);
    row.addEventListener("click", () => link.show(event.time / about.every));
    return row;
  });
  find("events").append(...rows);
}

function addPicker({ world, plot }) {
  const picker = find("picker");
  const first = new Option(world.panel.plotted.join(", "), "");
  picker.append(first, ...world.layout.channels.map(({ name }) => new Option(name, name)));
  picker.addEventListener("change", () => plot.choose(picker.value ? [picker.value] : world.panel.plotted));
}
