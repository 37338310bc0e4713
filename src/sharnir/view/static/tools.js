// Tools: the buttons over the view, and the card with the numbers of the body that was clicked.

import { LIGHT_NAMES } from "./lights.js";
import { OVERLAYS } from "./overlays.js";
import { GROUND_LOOKS } from "./soil.js";
import { t, unitText } from "./texts.js";
import { Vr } from "./vr.js";
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

// Buttons that unfold. Escape and a press elsewhere fold them again.
function menu(text, id, ...buttons) {
  const element = document.createElement("details");
  element.className = "menu";
  element.id = id;
  const head = document.createElement("summary");
  head.textContent = text;
  element.append(head, group(...buttons));
  addEventListener("pointerdown", (event) => element.contains(event.target) || (element.open = false));
  return element;
}

// Returns whether one was open.
export function foldMenus() {
  const open = [...document.querySelectorAll(".menu[open]")];
  for (const element of open) {
    element.open = false;
    element.querySelector("summary").focus();
  }
  return open.length > 0;
}

export function addChips({ view, world, pulling, past, other, link }) {
  const choose = (kind) => {
    view.camera(kind);
    cameras.forEach((each) => press(each, each.dataset.kind === kind));
  };
  const offers = [...(view.pictures?.offers.keys() ?? [])];
  const kinds = { orbit: t("Orbit"), follow: t("Follow"), ...Object.fromEntries(offers.map((name) => [name, name])) };
  const cameras = Object.entries(kinds).map(([kind, text]) => {
    const element = button(text, kind === view.cameras.kind, () => choose(kind));
    element.dataset.kind = kind;
    return element;
  });
  const pictures = offers.map((name) => button(name, view.pictures.has(name), () => view.pictures.toggle(name)));
  view.pictures?.addEventListener("change", () => pictures.forEach((each, i) => press(each, view.pictures.has(offers[i]))));
  const home = button(t("Home"), false, () => {
    view.cameras.home();
    view.stale = true;
  });
  const known = Object.entries(OVERLAYS).filter(([name]) => name !== "rays" || world.rays?.length > 0);
  const overlays = known.map(([name, text]) =>
    button(t(text), Boolean(view.overlays.shown[name]), (chosen) => view.overlay(name, press(chosen))),
  );
  const labels = button(t("Labels"), false, (chosen) => view.showLabels(press(chosen)));
  const tension = world.ropes.length > 0
    ? [button(t("Tension"), false, (chosen) => view.showTension(press(chosen)))]
    : [];
  const sound = view.sound ? [button(t("Sound"), false, (chosen) => view.sound.toggle(press(chosen)))] : [];
  const measure = view.measure ? [button(t("Measure"), false, (chosen) => view.measure.toggle(press(chosen)))] : [];
  const show = menu(t("Show"), "show-menu", ...overlays, labels, ...tension, ...ghostButtons({ view, past, other }), ...measure, ...sound);
  const looks = menu(t("Look"), "look-menu", ...lookButtons(view, world));
  const pull = pulling ? [button(t("Pull"), false, (chosen) => (pulling.on = press(chosen)))] : [];
  if (pulling) {
    pull[0].id = "pull-chip";
    pull[0].title = t("Pull bodies with the pointer; also with the control key");
  }
  const sheet = world.panel.diagram
    ? [button(t("Diagram"), false, (chosen) => find("sheet").toggleAttribute("data-open", press(chosen)))]
    : [];
  if (sheet.length > 0) sheet[0].id = "sheet-chip";
  const rest = [...pull, ...sheet];
  find("view-tools").append(
    menu(t("Camera"), "camera-menu", ...cameras, home),
    ...(offers.length > 0 ? [menu(t("Pictures"), "picture-menu", ...pictures)] : []),
    show,
    looks,
    bodyPicker(view, world),
    ...(rest.length > 0 ? [group(...rest)] : []),
  );
  addHeadset({ view, link });
}

// One run at a time is drawn through the one that is shown; what came with the page is so at first.
function ghostButtons({ view, past, other }) {
  const offers = [
    ...(past ? [[t("Run before the reset"), { source: (time) => past.earlier(time) }]] : []),
    ...(other ? [[t("Another run"), other]] : []),
  ];
  const buttons = offers.map(([text, { source, reader }]) =>
    button(text, false, (chosen) => {
      for (const each of buttons) if (each !== chosen) press(each, false);
      view.showGhost(press(chosen) ? source : null, reader);
    }),
  );
  if (other) buttons.at(-1).click();
  return buttons;
}

// Through a headset, where there is one: beside the machine or in it.
async function addHeadset({ view, link }) {
  if (!view.vr || !(await Vr.offered())) return;
  const buttons = [[t("Walk in VR"), false], [t("Sit in VR"), true]].map(([text, sitting]) =>
    button(text, false, () => (view.vr.on ? view.vr.leave() : view.vr.enter(sitting))),
  );
  view.vr.addEventListener("change", () => buttons.forEach((each, i) => press(each, view.vr.on && view.vr.sitting === (i === 1))));
  view.vr.addEventListener("stop", () => link?.stop?.());
  find("camera-menu").querySelector(".chips").append(...buttons);
}

// Buttons of which one is pressed.
function choices(options, chosen, choose) {
  const buttons = Object.entries(options).map(([name, text]) =>
    button(t(text), name === chosen, () => {
      choose(name);
      buttons.forEach((each, i) => press(each, Object.keys(options)[i] === name));
    }),
  );
  return buttons;
}

// The light, fog, the ground's look, and marks on it. What was chosen is kept.
function lookButtons(view, world) {
  const place = `sharnir-look-${world.name}`;
  const kept = { light: world.sky?.light, ground: "as given", fog: Boolean(world.sky?.fog), marks: false, ...stored(place) };
  const keep = (name, value) => {
    kept[name] = value;
    store(place, kept);
  };
  const grounds = { "as given": "Ground as given", ...Object.fromEntries(GROUND_LOOKS.map((name) => [name, GROUND_NAMES[name]])) };
  const lookOf = (name) => (name === "as given" ? null : name);
  if (kept.light && kept.light !== view.lights.name) view.light(kept.light);
  if (kept.fog !== Boolean(view.lights.fog)) view.fog(kept.fog);
  if (lookOf(kept.ground)) view.groundLook(kept.ground);
  if (kept.marks) view.showMarks(true);
  const line = document.createElement("hr");
  return [
    ...choices(LIGHT_NAMES, kept.light, (name) => keep("light", name) ?? view.light(name)),
    button(t("Fog"), kept.fog, (chosen) => keep("fog", press(chosen)) ?? view.fog(kept.fog)),
    line,
    ...choices(grounds, kept.ground, (name) => keep("ground", name) ?? view.groundLook(lookOf(name))),
    button(t("Marks on the ground"), kept.marks, (chosen) => keep("marks", press(chosen)) ?? view.showMarks(kept.marks)),
  ];
}

const GROUND_NAMES = { grid: "Grid", grass: "Grass", gravel: "Gravel", sand: "Sand", asphalt: "Asphalt", concrete: "Concrete" };

// A page from disk may have no storage.
function stored(place) {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}");
  } catch {
    return {};
  }
}

function store(place, value) {
  try {
    localStorage.setItem(place, JSON.stringify(value));
  } catch {}
}

// Selects a body, as a click on it does.
function bodyPicker(view, world) {
  const picker = document.createElement("select");
  picker.id = "body-picker";
  picker.className = "scale body-picker";
  picker.ariaLabel = picker.title = t("Body");
  picker.append(new Option(t("Body"), -1), ...world.bodies.map(({ name }, i) => new Option(name, i)));
  picker.addEventListener("change", () => view.select(Number(picker.value)));
  view.addEventListener("select", ({ detail }) => (picker.value = detail));
  return picker;
}

// Ways to pull a body without a pointer: as long as a button is pressed.
const DIRECTIONS = { "+x": [1, 0, 0], "−x": [-1, 0, 0], "+y": [0, 1, 0], "−y": [0, -1, 0], "+z": [0, 0, 1], "−z": [0, 0, -1] };

function pullButtons(pulling, body) {
  const buttons = Object.entries(DIRECTIONS).map(([name, [x, y, z]]) => {
    const element = button(name, false, () => {});
    element.ariaLabel = t("Pull along {axis} while pressed", { axis: name });
    const begin = () => pulling.push(body(), { x, y, z });
    const end = () => pulling.loosen();
    const isPress = (event) => (event.code === "Enter" || event.code === "Space") && !event.repeat;
    element.addEventListener("pointerdown", begin);
    element.addEventListener("keydown", (event) => isPress(event) && begin());
    for (const name of ["pointerup", "pointerleave", "pointercancel", "keyup", "blur"]) element.addEventListener(name, end);
    return element;
  });
  const row = group(...buttons);
  row.ariaLabel = t("Pull");
  return row;
}

export function addCard({ view, link, world, pulling, timeline }) {
  const element = find("card");
  let body = -1;
  const title = document.createElement("h4");
  const list = document.createElement("dl");
  const pulls = pulling ? pullButtons(pulling, () => body) : null;
  element.append(title, list, ...(pulls ? [pulls] : []));
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
  const vector = (values, unit) => `${[...values].map((x) => x.toFixed(2)).join("  ")} ${unitText(unit)}`;
  function update() {
    const frame = timeline?.frame ?? link.frame;
    if (body < 0 || !frame) return;
    if (pulls) pulls.hidden = !pulling.may || world.bodies[body].fixed;
    const { poses, velocities, pull } = frame;
    const rows = {
      [t("mass")]: shown(world.bodies[body].mass, "kg"),
      [t("position")]: vector(poses.subarray(7 * body, 7 * body + 3), "m"),
      [t("velocity")]: vector(velocities.subarray(6 * body, 6 * body + 3), "m/s"),
      [t("spin")]: vector(velocities.subarray(6 * body + 3, 6 * body + 6), "rad/s"),
      [t("speed")]: shown(Math.hypot(...velocities.subarray(6 * body, 6 * body + 3)), "m/s"),
    };
    if (pull?.[0] === body + 1) rows[t("pulled with")] = shown(Math.hypot(...pull.subarray(7, 10)), "N");
    for (const joint of world.joints.filter((each) => each.a === body || each.b === body).slice(0, 4)) {
      for (const axis of joint.coordinates) rows[axis.label] = shown(link.reader.channel(frame, axis.label), axis.unit);
      const force = link.reader.channel(frame, `${joint.name} reaction`);
      if (Number.isFinite(force)) rows[t("force in {joint}", { joint: joint.name })] = shown(force, "N");
      const torque = link.reader.channel(frame, `${joint.name} reaction torque`);
      if (Number.isFinite(torque)) rows[t("torque in {joint}", { joint: joint.name })] = shown(torque, "N m");
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
export function addSheet({ link, world, timeline }) {
  const sheet = find("sheet");
  if (!sheet || !world.panel.diagram) return;
  const units = new Map(world.layout.channels.map((channel) => [channel.name, channel.unit]));
  const update = () => {
    const frame = timeline?.frame ?? link.frame;
    if (!sheet.hasAttribute("data-open") || !frame) return;
    for (const element of sheet.querySelectorAll("[data-signal]")) {
      const { signal } = element.dataset;
      const value = link.reader.channel(frame, signal);
      const isTruth = units.get(signal) === "";
      if (element.classList.contains("value")) element.textContent = isTruth ? t(value > 0.5 ? "on" : "off") : shown(value, units.get(signal));
      else if (isTruth) element.classList.toggle("lit", value > 0.5);
    }
  };
  setInterval(update, UPDATE_EVERY);
}
