// The text of the file: YAML with completion and errors from the schema. Edits go through the same document.

import { t, translated } from "/view/texts.js";
import { button, make } from "./element.js";
import { pathOf, stepsOf } from "./document.js";
import { lineOf, outline, placeAt } from "./text_yaml.js";
import { helpOf } from "./schema.js";

const TYPED = 500; // ms without a key before the text is sent
const REFERENCES = { joint: ["joints"], body: ["bodies"], coupling: ["couplings"], between: ["bodies"], of: ["joints", "bodies"], camera: ["cameras"], material: ["materials"], on: ["bodies"], follows: ["bodies"] };

export async function mount(element, document, context) {
  const CM = await import("/build/codemirror/index.js");
  const yaml = await CM.languages.find(({ name }) => name === "YAML").load();
  context.textEditor = new TextEditor(element, document, context, CM, yaml);
}

class TextEditor {
  constructor(element, document, context, CM, yaml) {
    Object.assign(this, { element, document, context, CM });
    this.base = null; // the text that the server gave last, and when
    this.revision = null;
    this.error = null; // { message, line } of a text that cannot be read
    this.build(yaml);
    this.listen();
    document.send({ want_text: true });
  }

  build(yaml) {
    const { CM } = this;
    const place = make("div", { class: "text-place" });
    this.note = make("p", { class: "text-note", role: "status" });
    this.element.replaceChildren(make("div", { class: "scheme text-editor" }, make("div", { class: "scheme-bar text-bar" }, this.note), place));
    this.marks = CM.StateEffect.define();
    const { marks } = this;
    const completing = [{ autocomplete: (asked) => this.complete(asked) }]; // the same one every time: it is known by that
    const wrong = CM.StateField.define({
      create: () => CM.Decoration.none,
      update: (set, transaction) => {
        let now = set.map(transaction.changes);
        for (const effect of transaction.effects) if (effect.is(marks)) now = effect.value;
        return now;
      },
      provide: (field) => CM.EditorView.decorations.from(field),
    });
    this.view = new CM.EditorView({
      parent: place,
      extensions: [
        CM.basicSetup, yaml, wrong, CM.keymap.of([CM.indentWithTab]), CM.EditorView.lineWrapping,
        CM.EditorState.languageData.of(() => completing),
        CM.EditorView.contentAttributes.of({ "aria-label": t("Text of the scene") }),
        CM.EditorView.updateListener.of((update) => update.docChanged && !this.taking && this.typed()),
        CM.hoverTooltip((view, position) => this.tooltip(view.state.doc.lineAt(position))),
        CM.syntaxHighlighting(this.colors()),
      ],
    });
    Object.assign(this.view.scrollDOM, { tabIndex: 0, role: "group", ariaLabel: t("Text of the scene") }); // it scrolls by keys
  }

  // The colours of the page, in light and dark.
  colors() {
    const { CM } = this;
    return CM.HighlightStyle.define(CM.defaultHighlightStyle.specs.map((spec) => ({ ...spec, color: spec.color ? "inherit" : undefined })));
  }

  listen() {
    this.document.addEventListener("message", ({ detail }) => this.hear(detail));
    this.context.selection.subscribe(() => this.reveal(this.context.selection.last));
    this.context.sides.listeners.add((open) => open === "text" && this.refresh());
  }

  get text() {
    return this.view.state.doc.toString();
  }

  get isTyping() {
    return this.base !== null && this.text !== this.base;
  }

  // --- with the document ---------------------------------------------------------------------------------------------

  hear(message) {
    if (message.text !== undefined) this.take(message.text, message.text_revision);
    if ("text_error" in message) {
      this.error = message.text_error ? { message: message.text_error, line: message.line } : null;
      if (!message.text_error) this.document.send({ want_text: true });
    }
    if (message.document || message.operations) this.refresh();
    if (message.errors || "text_error" in message) this.mark();
  }

  // What others have done is shown, unless something is being written here: that is merged when it is sent.
  refresh() {
    if (this.element.hidden || this.isTyping || this.document.revision === this.revision) return;
    this.document.send({ want_text: true });
  }

  take(text, revision) {
    const mine = this.text;
    if (this.isTyping && this.sent !== mine) return; // more was written since; it is sent next
    this.base = text;
    this.revision = revision;
    this.error = null;
    let start = 0;
    while (start < mine.length && start < text.length && mine[start] === text[start]) start += 1;
    let end = 0;
    while (end < mine.length - start && end < text.length - start && mine.at(-1 - end) === text.at(-1 - end)) end += 1;
    this.taking = true;
    if (mine !== text) this.view.dispatch({ changes: { from: start, to: mine.length - end, insert: text.slice(start, text.length - end) } });
    this.taking = false;
    this.mark();
  }

  typed() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.give(), TYPED);
  }

  give() {
    if (!this.isTyping) return;
    this.sent = this.text;
    this.document.send({ text: { text: this.sent, revision: this.revision } });
  }

  // --- what is wrong -------------------------------------------------------------------------------------------------

  // Errors by line: of the text itself, or of what it says.
  get wrong() {
    if (this.error) return new Map([[this.error.line ?? 1, [this.error.message]]]);
    const lines = outline(this.text);
    const found = new Map();
    for (const { path, message } of this.document.errors) {
      const line = lineOf(lines, stepsOf(path));
      found.set(line, [...(found.get(line) ?? []), message]);
    }
    return found;
  }

  mark() {
    const { CM, wrong } = this;
    const { doc } = this.view.state;
    const lines = [...wrong.keys()].filter((line) => line <= doc.lines).sort((a, b) => a - b);
    const set = CM.Decoration.set(lines.map((line) => CM.Decoration.line({ class: "cm-wrong", attributes: { title: wrong.get(line).join("\n") } }).range(doc.line(line).from)));
    this.view.dispatch({ effects: this.marks.of(set) });
    const first = lines[0];
    const words = first === undefined ? [t("The text says what the scene is.")] : [button(t("Line {line}", { line: first }), t("Go to line {line}", { line: first }), () => this.goTo(first)), ` ${translated(wrong.get(first)[0])}`];
    this.note.replaceChildren(...words);
    this.note.classList.toggle("form-wrong", first !== undefined);
  }

  tooltip({ number, from, to }) {
    const messages = this.wrong.get(number);
    if (!messages) return null;
    return { pos: from, end: to, create: () => ({ dom: make("div", { class: "text-tip" }, messages.map(translated).join("\n")) }) };
  }

  goTo(line) {
    const at = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: at.from }, effects: this.CM.EditorView.scrollIntoView(at.from, { y: "center" }) });
    this.view.focus();
  }

  // What is selected elsewhere is shown here.
  reveal(path) {
    if (!path || this.element.hidden || this.view.hasFocus) return;
    const at = this.view.state.doc.line(lineOf(outline(this.text), stepsOf(path)));
    this.view.dispatch({ selection: { anchor: at.from }, effects: this.CM.EditorView.scrollIntoView(at.from, { y: "center" }) });
  }

  // --- completion ----------------------------------------------------------------------------------------------------

  complete(asked) {
    const { path, value, isValue } = placeAt(asked.state.doc.toString(), asked.pos);
    if (!asked.explicit && value === "" && !isValue) return null;
    const options = isValue ? this.valuesAt(path) : this.keysAt(path);
    return options.length ? { from: asked.pos - value.length, options, validFor: /^[\w -]*$/ } : null;
  }

  keysAt(steps) {
    const { types } = this.context;
    const node = types.at(pathOf(...steps), this.document.data);
    if (!node) return [];
    const present = this.document.at(pathOf(...steps)) ?? {};
    const fitting = types.options(node).filter(({ properties }) => properties);
    const chosen = present.type ? fitting.filter(({ properties }) => properties.type?.const === present.type) : fitting;
    const keys = new Map();
    for (const { properties, description, required } of chosen.length ? chosen : fitting) {
      for (const name of Object.keys(properties)) {
        if (!(name in present)) keys.set(name, { label: name, type: "property", apply: `${name}: `, info: helpOf(description, name) || description?.split("\n")[0], boost: required?.includes(name) ? 2 : 0 });
      }
    }
    return [...keys.values()];
  }

  valuesAt(steps) {
    const { types } = this.context;
    const name = steps.at(-1);
    const holder = types.at(pathOf(...steps.slice(0, -1)), this.document.data);
    if (name === "type" && holder) {
      return types.options(holder).filter(({ properties }) => properties?.type?.const).map(({ properties, description }) => ({ label: properties.type.const, type: "enum", info: description?.split("\n")[0] }));
    }
    const node = types.at(pathOf(...steps), this.document.data);
    const options = node ? types.options(node) : [];
    const words = options.flatMap((option) => option.enum ?? (option.type === "boolean" ? ["true", "false"] : []));
    const names = (REFERENCES[name] ?? []).flatMap((section) => Object.keys(this.document.at(pathOf(section)) ?? {}));
    return [...words.map((label) => ({ label: String(label), type: "enum" })), ...names.map((label) => ({ label, type: "variable" }))];
  }
}
