// Debriefing: a run with its score by goal, its way on a map, its faults and all that was done. Whatever has a time is
// a button that goes there.

import { Chart } from "./charts.js";
import { Map2D } from "./map.js";
import { makePlayer } from "./player.js";
import { seconds, t, translated } from "./texts.js";

const NEARBY = 1.0; // s before what happened, so that one sees it come

const find = (id) => document.getElementById(id);

export async function start() {
  const page = await makePlayer();
  const { about, link, world } = page;
  const jump = (time) => {
    page.playing = false;
    page.seek(Math.max(time - NEARBY, 0));
  };
  const marks = [
    ...(about.score?.goals ?? []).filter((goal) => goal.time !== null).map((goal) => ({ time: goal.time, kind: goal.state, text: goal.name })),
    ...about.faults.map((fault) => ({ time: fault.injected, kind: "fault", text: fault.name })),
    ...about.events.filter((event) => event.level === "stop").map((event) => ({ time: event.time, kind: "stop", text: t("Emergency stop") })),
  ];
  showVerdict(about.score);
  find("goals").append(goalTable(about.score, jump));
  find("faults").append(faultTable(about.faults, jump));
  page.map = new Map2D(link, world, { ...about.map, marks }, jump);
  page.map.element.setAttribute("aria-label", t("Seen from above"));
  find("map").append(page.map.element, legend(about.map.bodies));
  page.charts = about.signals.map((signal) => new Chart(link, signal, marks, page.seek));
  find("charts").append(...page.charts.map((chart) => chart.element));
  addAuthors(page);
  link.on("frame", () => {
    page.map.draw();
    for (const chart of page.charts) chart.draw();
  });
  page.seek(0);
  page.started = true;
}

function showVerdict(score) {
  if (!score) return;
  const early = score.finished ? "" : `, ${t("ended before the scenario was over")}`;
  const word = `${score.passed ? t("passed") : t("not passed")}${early}`;
  find("verdict").textContent = `${score.scenario}: ${(100 * score.total).toFixed(1)} %, ${word}`;
  find("verdict").dataset.passed = score.passed;
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

// A time that can be gone to; nothing where there is none.
function moment(time, jump, text = "") {
  if (time === null || time === undefined) return "";
  const button = make("button", "plain moment", `${seconds(time, 1)}${text && `: ${text}`}`);
  button.type = "button";
  button.addEventListener("click", () => jump(time));
  return button;
}

// A number and its unit stay on one line.
function isShort(cell) {
  return (cell.textContent ?? cell).length <= 7;
}

function table(heads, rows) {
  if (rows.length === 0) return make("p", "hint", t("none"));
  const head = make("tr", "", ...heads.map((text) => make("th", "", t(text))));
  head.querySelectorAll("th").forEach((cell) => (cell.scope = "col"));
  const body = rows.map((cells) => make("tr", "", ...cells.map((cell) => make("td", isShort(cell) ? "short" : "", cell))));
  const scrolls = make("div", "table", make("table", "", make("thead", "", head), make("tbody", "", ...body)));
  scrolls.tabIndex = 0;
  return scrolls;
}

function goalTable(score, jump) {
  const signs = { reached: "✓", failed: "✗", open: "…" };
  const rows = (score?.goals ?? []).map((goal) => {
    const sign = make("span", `goal-sign ${goal.state}`, `${signs[goal.state]} ${t(goal.state)}`);
    return [goal.name, sign, `${Math.round(100 * goal.score)} %`, `${goal.weight}`, moment(goal.time, jump), translated(goal.note)];
  });
  return table(["goal", "state", "score", "weight", "when", "note"], rows);
}

function faultTable(faults, jump) {
  const rows = faults.map((fault) => [
    fault.name,
    moment(fault.injected, jump, translated(fault.by)),
    moment(fault.noticed?.time, jump, fault.noticed && translated(fault.noticed.text)),
    moment(fault.stopped, jump),
    moment(fault.cleared, jump),
  ]);
  return table(["fault", "injected", "first alarm after it", "stopped after it", "cleared"], rows);
}

function legend(names) {
  return make("p", "hint map-legend", ...names.map((name, i) => make("span", `way-${i}`, name)));
}

// What was done can be looked through by who did it.
function addAuthors({ about }) {
  const authors = [...new Set(about.events.map((event) => event.by ?? ""))].filter(Boolean);
  const picker = find("author");
  picker.ariaLabel = t("Show");
  picker.append(new Option(t("everything"), ""), new Option(t("alarms"), "alarms"), ...authors.map((name) => new Option(translated(name), name)));
  picker.addEventListener("change", () => {
    for (const row of find("events").children) {
      const isAlarm = ["info", "warning", "alarm", "fault"].includes(row.dataset.level);
      row.hidden = picker.value === "alarms" ? !isAlarm : picker.value !== "" && row.dataset.by !== picker.value;
    }
  });
}
