// Banner: what is said and done while the drives are in their safe state, when the world has stopped, and at the end of
// a run. The release of the emergency stop is pressed for a second.

import { t, translated } from "./texts.js";

const RELEASE_AFTER = 1100; // ms; the server asks for a second
const RELEASE_EVERY = 250; // ms; asked again while it is pressed, as the server may have heard of it late

const find = (id) => document.getElementById(id);

export function addBanner(link) {
  addRelease(link);
  find("enable")?.addEventListener("click", () => link.send({ do: "enable" }));
  const draw = () => drawBanner(link);
  for (const event of ["safety", "operator", "connection"]) link.on(event, draw);
  let mode = null;
  link.on("frame", (frame) => {
    if (frame.mode === mode) return;
    mode = frame.mode;
    draw();
  });
  link.on("alarm", draw);
}

async function drawBanner(link) {
  const { state, why } = link.chain;
  const stopped = link.frame?.doing === "fault";
  const banner = find("banner");
  banner.hidden = state === "free" && !stopped;
  banner.dataset.state = stopped ? "fault" : state;
  if (find("release")) find("release").hidden = state !== "stopped" || !(link.driving || link.role === "instructor");
  if (find("enable")) find("enable").hidden = state !== "held" || !link.driving;
  document.body.dataset.chain = state;
  if (stopped) await tellFault(link);
  else find("banner-text").textContent = { stopped: sentence(why), held: heldText(link, why) }[state] ?? "";
}

function heldText(link, why) {
  const what = link.driving
    ? t("The drives are held. Let go of everything, then enable them to go on.")
    : t("The drives are held until whoever is in control enables them.");
  return `${sentence(why)} ${what}`;
}

function sentence(said) {
  const text = translated(said);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

async function tellFault(link) {
  const said = [...(link.hello?.alarms ?? [])].reverse().find((alarm) => alarm.level === "alarm");
  const text = link.lastAlarm ?? said?.text ?? t("A fault has stopped the world. Reset the run, or restore a snapshot");
  const files = await (await fetch("/run")).json();
  if (find("banner").dataset.state !== "fault") return; // reset meanwhile
  find("banner-text").replaceChildren(translated(text), ...files.flatMap((name) => [" ", anchor(`/run/${name}`, t("last states"))]));
}

function anchor(href, text) {
  const element = document.createElement("a");
  element.href = href;
  element.textContent = text;
  element.target = "_blank";
  return element;
}

function addRelease(link) {
  const button = find("release");
  if (!button) return;
  let timer = null;
  const begin = () => {
    if (timer !== null) return;
    link.send({ do: "unlatch" });
    button.dataset.pressed = "";
    const ask = () => {
      link.send({ do: "release" });
      timer = setTimeout(ask, RELEASE_EVERY);
    };
    timer = setTimeout(ask, RELEASE_AFTER);
  };
  const end = () => {
    clearTimeout(timer);
    timer = null;
    delete button.dataset.pressed;
  };
  link.on("safety", ({ state }) => state !== "stopped" && end());
  button.addEventListener("pointerdown", begin);
  for (const event of ["pointerup", "pointerleave", "pointercancel", "blur"]) button.addEventListener(event, end);
  button.addEventListener("keydown", (event) => {
    if (event.code !== "Enter" && event.code !== "Space") return;
    event.preventDefault();
    if (!event.repeat) begin();
  });
  button.addEventListener("keyup", end);
  button.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch
}

// --- the end of a run --------------------------------------------------------------------------------------------------

export function addEnding(link) {
  for (const name of ["again", "home"]) find(name)?.addEventListener("click", () => link.send({ do: name }));
  link.on("hello", ({ ending }) => showEnding(link, ending?.reason ? ending : null));
  link.on("ended", (ending) => showEnding(link, ending));
  link.on("starting", () => {
    find("ending-text").textContent = t("Another run is being started …");
    for (const name of ["again", "home"]) if (find(name)) find(name).hidden = true;
  });
  link.on("restarted", () => location.reload());
}

const TITLES = { "debriefing.html": "Debriefing", "report.html": "Report", "replay.html": "Replay" };

async function showEnding(link, ending) {
  const dialog = find("ending");
  const opens = ending && dialog.hidden;
  dialog.hidden = !ending;
  document.body.classList.toggle("ended", Boolean(ending));
  find("stop").disabled = Boolean(ending); // there is nothing left to stop
  const rest = [...dialog.parentElement.children, ...document.body.children]; // dialogs are put beside the page
  for (const part of rest) part.inert = Boolean(ending) && !part.contains(dialog);
  if (opens) dialog.focus();
  if (!ending) return;
  dialog.dataset.wrong = ending.wrong;
  find("ending-title").textContent = ending.wrong ? t("Something went wrong") : t("The run has ended");
  find("ending-text").textContent = `${translated(ending.reason)}. ${t("The run is kept in {folder}", ending)}.`;
  for (const name of ["again", "home"]) if (find(name)) find(name).hidden = Boolean(ending.closed);
  const links = await Promise.all(ending.documents.map((name) => documentLink(name, ending.closed)));
  if (!ending.ready && !ending.closed) links.push(t("The report and the replay are being written …"));
  find("ending-links").replaceChildren(...links);
  if (ending.closed) link.socket.close(); // the server waits for it
}

// Of a server that is about to leave the document itself is kept in the page, to be saved.
async function documentLink(name, closed) {
  const title = t(TITLES[name] ?? "last states before the fault");
  if (!closed) return anchor(`/run/${name}`, title);
  const kept = anchor(URL.createObjectURL(await (await fetch(`/run/${name}`)).blob()), title);
  kept.download = name;
  return kept;
}
