// The bar on top: undo, redo, save, try it, and what stands beside the 3D view.

import { t, translated } from "/view/texts.js";
import { followTheme } from "/view/theme.js";
import { button, make } from "./element.js";

const TOAST = 8000; // ms
const MOST_TOASTS = 3; // at once; they lie over the page

export function mount(element, document, context) {
  const name = make("h1", { class: "file-name" });
  const state = make("span", { class: "file-state", role: "status" });
  const undo = button("↶", t("Undo"), () => document.undo(), { "aria-keyshortcuts": "Control+Z" });
  const redo = button("↷", t("Redo"), () => document.redo(), { "aria-keyshortcuts": "Control+Y" });
  const save = button(t("Save"), t("Save the file"), () => document.save(), { "aria-keyshortcuts": "Control+S" });
  const sides = context.sides.names.map(([side, title]) =>
    button(title, title, () => context.sides.show(side), { "aria-pressed": "false", "data-side": side }),
  );
  const theme = button("◐", t("Light or dark"), () => {});
  const toasts = make("div", { class: "build-toasts", role: "log", "aria-live": "polite" });
  element.append(
    make("div", { class: "bar-file" }, name, state),
    make("div", { class: "bar-group", role: "group", "aria-label": t("History") }, undo, redo, save),
    make("div", { class: "bar-group bar-try", id: "try-tools", role: "group", "aria-label": t("Try it") }),
    make("div", { class: "bar-gap" }),
    make("div", { class: "bar-group", role: "group", "aria-label": t("Beside the view") }, ...sides),
    make("div", { class: "bar-group" }, theme),
  );
  globalThis.document.body.append(toasts);
  followTheme(theme, (dark) => globalThis.document.dispatchEvent(new CustomEvent("theme", { detail: dark })));
  context.sides.listeners.add((open) => {
    for (const one of sides) one.setAttribute("aria-pressed", String(one.dataset.side === open));
  });

  const show = () => {
    const { undo: done, redo: undone, file } = document.state;
    const saved = document.state.saved && document.pending.length === 0;
    name.textContent = file;
    state.textContent = !document.connected ? t("The connection is lost. Trying again …") : saved ? t("saved") : t("not saved");
    state.dataset.state = saved ? "saved" : "edited";
    globalThis.document.getElementById("main").inert = !document.connected; // what is done then would reach nobody
    undo.disabled = done === null || !document.connected;
    redo.disabled = undone === null || !document.connected;
    save.disabled = !document.connected;
    undo.title = done === null ? t("Undo") : `${t("Undo")}: ${done}`;
    redo.title = undone === null ? t("Redo") : `${t("Redo")}: ${undone}`;
    globalThis.document.title = `${saved ? "" : "• "}${file} · Sharnir`;
  };
  context.toast = (text) => {
    const toast = make("div", { class: "build-toast" }, translated(text));
    toast.addEventListener("click", () => toast.remove());
    toasts.append(toast);
    for (const old of [...toasts.querySelectorAll(".build-toast:not(.recovery)")].slice(0, -MOST_TOASTS)) old.remove();
    setTimeout(() => toast.remove(), TOAST);
  };
  document.addEventListener("connection", show);
  document.addEventListener("message", ({ detail }) => {
    show();
    if (detail.refused) context.toast(detail.refused);
    if (detail.note) context.toast(detail.note);
    if (detail.recovery) offerRecovery(document, toasts);
  });
  addEventListener("keydown", (event) => shortcut(event, document));
  show();
  if (document.state.recovery) offerRecovery(document, toasts);
}

function offerRecovery(document, toasts) {
  if (toasts.querySelector(".recovery")) return;
  const answer = (wanted) => () => {
    document.send({ recover: wanted });
    note.remove();
  };
  const note = make(
    "div",
    { class: "build-toast recovery" },
    t("There are edits that were never saved."),
    make("button", { type: "button", class: "tool", onclick: answer(true) }, t("Recover them")),
    make("button", { type: "button", class: "tool", onclick: answer(false) }, t("Discard them")),
  );
  toasts.append(note);
}

// Ctrl or ⌘ with Z, Y and S. Fields of text keep their own undo while they have the focus.
function shortcut(event, document) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const writing = event.target.closest?.("textarea, [contenteditable]");
  const action =
    key === "s" ? "save" : writing ? null : key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : null;
  if (!action) return;
  event.preventDefault();
  if (event.target.matches?.("input")) event.target.blur();
  document[action]();
}
