// Build: puts the constructor's page up. Every editor is a module with mount(element, document, context).

import { t, useTexts } from "/view/texts.js";
import { addDocks, place } from "./docks.js";
import { SceneDocument } from "./document.js";
import { follow } from "./live.js";
import { Selection } from "./selection.js";
import { mount as mountBar } from "./bar.js";
import { mount as mountInspector } from "./inspector.js";
import { mount as mountPalette } from "./palette.js";
import { mount as mountPanel } from "./panel_editor.js";
import { mount as mountProblems } from "./problems.js";
import { mount as mountScheme } from "./scheme.js";
import { mount as mountStage } from "./stage.js";
import { mount as mountText } from "./text.js";
import { mount as mountTree } from "./tree.js";
import { Schema } from "./schema.js";
import { Trial } from "./trial.js";

const find = (id) => globalThis.document.getElementById(id);

// What stands beside the 3D view, one at a time, and where at first: a sheet is wide.
const SIDES = { scheme: ["Scheme", mountScheme, "below"], console: ["Console", mountPanel, "right"], text: ["Text", mountText, "right"] };

class Sides {
  constructor(document, context) {
    Object.assign(this, { document, context });
    this.open = null;
    this.mounted = new Map();
    this.listeners = new Set();
    this.docks = {}; // where editors were put
    addDocks(find("side-docks"), (dock) => place((this.docks[this.open] = dock)));
  }

  get names() {
    return Object.entries(SIDES).map(([name, [title]]) => [name, t(title)]);
  }

  // An editor is mounted when it is first opened.
  show(name) {
    this.open = this.open === name ? null : name;
    const pane = find("pane-side");
    pane.hidden = this.open === null;
    globalThis.document.body.classList.toggle("with-side", this.open !== null);
    if (this.open) place(this.docks[this.open] ?? SIDES[this.open][2]);
    for (const [other, element] of this.mounted) element.hidden = other !== this.open;
    if (this.open && !this.mounted.has(name)) {
      const element = globalThis.document.createElement("div");
      element.className = `side-editor side-${name}`;
      pane.append(element);
      this.mounted.set(name, element);
      SIDES[name][1](element, this.document, this.context);
    }
    for (const listener of this.listeners) listener(this.open);
  }
}

async function start() {
  const context = await (await fetch("/build/context.json")).json();
  useTexts(context.texts);
  const document = new SceneDocument(`ws://${location.host}/build/link`);
  context.types = new Schema(context.schema);
  context.selection = new Selection();
  context.sides = new Sides(document, context);
  document.subscribe(({ operations }) =>
    context.selection.follow(operations, (path) => document.at(path) !== undefined),
  );
  await new Promise((ready) => {
    const stop = document.subscribe(() => (stop(), ready()));
  });
  for (const pane of globalThis.document.querySelectorAll(".pane")) pane.ariaLabel = t(pane.ariaLabel);
  mountBar(find("bar"), document, context);
  const [tree, palette] = ["tree", "palette"].map((name) => {
    const element = globalThis.document.createElement("div");
    element.className = name;
    find("pane-tree").append(element);
    return element;
  });
  mountTree(tree, document, context);
  mountPalette(palette, document, context);
  mountStage(find("pane-stage"), document, context);
  mountInspector(find("pane-inspector"), document, context);
  context.trial = new Trial(document, context);
  follow(document, context);
  mountProblems(find("foot"), document, context);
  globalThis.sharnir = { document, context, started: true };
}

start();
