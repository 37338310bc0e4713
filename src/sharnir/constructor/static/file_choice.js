// Choosing a file: those beside the document that a field may name.

import { t } from "/view/texts.js";
import { make } from "./element.js";

// What kind of file a field names; null where it names none. ``holder`` is what the field belongs to.
export function fileKind(name, path, holder) {
  if (name === "texture") return "picture";
  if (name !== "file") return null;
  if (path === "/file") return "robot"; // the dialog of a robot from a file
  return holder?.type === "heights" ? "heights" : "mesh";
}

export function chooseFile(document, kind, take) {
  const title = t("Choose a file");
  const find = make("input", { type: "search", placeholder: t("Search the files"), "aria-label": t("Search the files") });
  const list = make("div", { class: "file-list", role: "group", "aria-label": title, tabindex: "0" });
  const said = make("p", { class: "quiet", role: "status" }, t("Looking …"));
  const dialog = make("dialog", { class: "ask", "aria-label": title });
  const listen = ({ detail }) => {
    if (detail.files?.kind !== kind) return;
    const { files, more, endings } = detail.files;
    list.replaceChildren(...files.map((file) => make("button", { type: "button", class: "file-item", onclick: () => (dialog.close(), take(file)) }, file)));
    said.textContent = more ? t("There are more; type the name of one that is not listed.") : files.length ? "" : t("There is no such file beside the scene or in the folders below it. Put one there ({endings}), or type its path.", { endings: endings.join(", ") });
  };
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    list.querySelector(".file-item:not([hidden])")?.click();
  });
  document.addEventListener("message", listen);
  dialog.addEventListener("close", () => {
    document.removeEventListener("message", listen);
    dialog.remove();
  });
  const cancel = make("button", { type: "button", class: "plain", onclick: () => dialog.close() }, t("Cancel"));
  dialog.append(make("h2", {}, title), find, list, said, make("div", { class: "ask-end" }, cancel));
  globalThis.document.body.append(dialog);
  dialog.showModal();
  document.send({ want_files: kind });
}
