// Alarms: a list, newest on top. The same alarm again raises a count; those that were acknowledged step back.

import { seconds, t, translated } from "./texts.js";

const KEPT = 500;

// What each choice of the filter shows. Faults are what an instructor has injected.
const SHOWN = {
  all: () => true,
  warning: ({ level }) => level !== "info",
  alarm: ({ level }) => level === "alarm",
  new: ({ known }) => !known,
};

const find = (id) => document.getElementById(id);

export function addAlarms(link, toast) {
  const entries = []; // newest first: { level, text, time, count, known }
  const same = ({ level, text }) => (entry) => entry.text === text && entry.level === level;
  const add = ({ level, text, time }) => {
    const again = entries.findIndex(same({ level, text }));
    const [before] = again >= 0 ? entries.splice(again, 1) : [null];
    entries.unshift({ level, text, time, count: (before?.count ?? 0) + 1, known: level === "info" });
    entries.length = Math.min(entries.length, KEPT);
  };
  const draw = () => {
    const words = find("alarm-search").value.trim().toLowerCase();
    const wanted = SHOWN[find("alarm-filter").value];
    const chosen = entries.filter((entry) => wanted(entry) && translated(entry.text).toLowerCase().includes(words));
    const focused = entries.find((entry) => entry.row === document.activeElement);
    find("alarms").replaceChildren(...chosen.map(row));
    focused?.row.focus(); // also one that is new in its place
    const open = entries.filter((entry) => !entry.known).length;
    find("tab-alarms").querySelector(".q-tab__label").textContent = open > 0 ? `${t("Alarms")} (${open})` : t("Alarms");
  };
  const acknowledge = (chosen) => {
    for (const entry of chosen) entry.known = true;
    draw();
  };
  const row = (entry) => {
    const element = make("button", "log-row");
    element.type = "button";
    element.dataset.level = entry.level;
    element.toggleAttribute("data-known", entry.known);
    element.title = entry.known ? "" : t("acknowledge");
    const count = entry.count > 1 ? ` ×${entry.count}` : "";
    element.append(make("span", "", seconds(entry.time)), make("p", "", translated(entry.text) + count));
    element.addEventListener("click", () => acknowledge([entry]));
    entry.row = element;
    return element;
  };
  find("alarm-filter").addEventListener("change", draw);
  find("alarm-search").addEventListener("input", draw);
  find("acknowledge").addEventListener("click", () => acknowledge(entries));
  link.on("hello", (message) => {
    const before = entries.splice(0);
    message.alarms.forEach(add);
    for (const entry of entries) entry.known ||= before.some((one) => one.known && same(entry)(one) && one.count === entry.count);
    draw();
  });
  link.on("alarm", ({ alarm }) => {
    add(alarm);
    if (alarm.level === "alarm") link.lastAlarm = alarm.text;
    if (alarm.level !== "info") toast(translated(alarm.text));
    draw();
  });
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}
