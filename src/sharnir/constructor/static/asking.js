// Asking: a dialog with the fields of a part, and a smaller one for a choice.

import { t, translated } from "/view/texts.js";
import { make } from "./element.js";
import { applyAll, at } from "./document.js";
import { Form } from "./form.js";
import { Schema } from "./schema.js";

// Fields of what is to be built. ``build`` sends it; when it was built, ``added`` gets its paths and the dialog is
// closed; where not, it says what is wrong.
export function askForPart(document, { title, schema: root, given }, build, added) {
  const schema = new Schema(root);
  const data = { ...schema.sample(schema.resolve(root)), ...given };
  const store = {
    at: (path) => at(data, path),
    errorsAt: () => [],
    edit: (_, operations) => {
      applyAll(data, operations);
      form.show("");
    },
  };
  const form = new Form({ store, schema, document, told: true });
  const wrong = make("p", { class: "wrong", role: "alert", hidden: true });
  const dialog = make("dialog", { class: "ask", "aria-label": title });
  const done = make("button", { type: "submit", class: "plain primary" }, t("Build"));
  const close = () => dialog.close();
  const listen = ({ detail }) => {
    if (detail.refused) {
      wrong.textContent = translated(detail.refused);
      wrong.hidden = false;
      done.disabled = false;
    }
    if (!detail.added) return;
    added(detail.added);
    dialog.close();
  };
  document.addEventListener("message", listen);
  dialog.append(
    make(
      "form",
      {
        method: "dialog",
        onsubmit: (event) => {
          event.preventDefault();
          globalThis.document.activeElement?.blur(); // what is being typed counts
          wrong.hidden = true;
          done.disabled = true;
          build(data);
        },
      },
      make("h2", {}, title),
      make("div", { class: "ask-inside", tabindex: "0", role: "region", "aria-label": title }, form.element),
      wrong,
      make("div", { class: "ask-end" }, make("button", { type: "button", class: "plain", onclick: close }, t("Cancel")), done),
    ),
  );
  dialog.addEventListener("close", () => {
    document.removeEventListener("message", listen);
    dialog.remove();
  });
  globalThis.document.body.append(dialog);
  form.show("");
  const parts = form.element.querySelectorAll(":scope > .fields > details");
  if (parts.length === 1) parts[0].open = true; // it is what is asked for
  dialog.showModal();
}
