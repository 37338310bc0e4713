// The document in the browser: what the server has, with this window's own edits shown at once.
// An edit is a label and a list of operations: { op: "add" | "replace" | "remove" | "move", path, value, before, from }.

export const stepsOf = (path) =>
  path === "" ? [] : path.slice(1).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

export const pathOf = (...steps) =>
  steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

// What lies at a path; undefined where there is nothing.
export function at(data, path) {
  return stepsOf(path).reduce((inside, step) => inside?.[step], data);
}

// Applies one operation in place; returns those that undo it.
export function apply(data, operation) {
  const { op, path } = operation;
  if (op === "move") return move(data, operation.from, path);
  const steps = stepsOf(path);
  const last = steps.pop();
  const holder = steps.reduce((inside, step) => inside[step], data);
  if (op === "add") return add(holder, steps, last, structuredClone(operation.value), operation.before);
  if (op === "replace") {
    const value = holder[last];
    holder[last] = structuredClone(operation.value);
    return [{ op, path, value }];
  }
  return remove(holder, path, last);
}

function add(holder, steps, last, value, before) {
  if (Array.isArray(holder)) {
    const index = last === "-" ? holder.length : Number(last);
    holder.splice(index, 0, value);
    return [{ op: "remove", path: pathOf(...steps, index) }];
  }
  const path = pathOf(...steps, last);
  if (last in holder) {
    const old = holder[last];
    holder[last] = value;
    return [{ op: "replace", path, value: old }];
  }
  const later = before === undefined ? [] : Object.entries(holder).slice(Math.max(0, Object.keys(holder).indexOf(before)));
  if (before === undefined || !(before in holder)) later.length = 0;
  for (const [key] of later) delete holder[key];
  holder[last] = value;
  for (const [key, item] of later) holder[key] = item;
  return [{ op: "remove", path }];
}

function remove(holder, path, last) {
  if (Array.isArray(holder)) return [{ op: "add", path, value: holder.splice(Number(last), 1)[0] }];
  const keys = Object.keys(holder);
  const before = keys[keys.indexOf(last) + 1];
  const value = holder[last];
  delete holder[last];
  return [{ op: "add", path, value, ...(before === undefined ? {} : { before }) }];
}

function move(data, from, path) {
  const [source, target] = [stepsOf(from), stepsOf(path)];
  const above = source.slice(0, -1);
  const holder = above.reduce((inside, step) => inside[step], data);
  if (pathOf(...above) === pathOf(...target.slice(0, -1)) && !Array.isArray(holder)) {
    const entries = Object.entries(holder);
    for (const [key] of entries) delete holder[key];
    for (const [key, value] of entries) holder[key === source.at(-1) ? target.at(-1) : key] = value;
    return [{ op: "move", from: path, path: from }];
  }
  const value = structuredClone(at(data, from));
  const back = apply(data, { op: "remove", path: from });
  return [...apply(data, { op: "add", path, value }), ...back];
}

export function applyAll(data, operations) {
  const inverse = [];
  for (const operation of operations) inverse.unshift(...apply(data, operation));
  return inverse;
}

export class SceneDocument extends EventTarget {
  constructor(address) {
    super();
    this.data = {};
    this.revision = 0;
    this.errors = [];
    this.checked = -1; // the revision that the errors are of
    this.kinds = {}; // what signals carry, by sheet: { kinds: { name: [type, unit] }, errors: { block: message } }
    this.state = { undo: null, redo: null, saved: true, file: "", recovery: false, trying: false };
    this.offered = {}; // where it has none of its own: the diagram, its kinds and the panel that it would be driven with
    this.live = {}; // while the scene is tried: the values of signals by their full names
    this.world = null; // what the 3D view was told last, whole
    this.pending = []; // own edits that the server has not answered: { operations, inverse }
    this.listeners = new Set();
    this.liveListeners = new Set();
    this.address = address;
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.address);
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.connected = false;
      this.dispatchEvent(new Event("connection"));
      setTimeout(() => this.connect(), 1000);
    };
    this.socket.onopen = () => {
      this.connected = true;
      this.dispatchEvent(new Event("connection"));
    };
  }

  // What lies at a path.
  at(path) {
    return at(this.data, path);
  }

  // Shown at once; the server may refuse it, and then the document is as the server has it.
  // While something is typed, edits of one label are undone together.
  edit(label, operations, typing = false) {
    if (!operations.length) return;
    if (!this.connected) return this.notify([]); // it would be gone with the next document that comes
    const inverse = applyAll(this.data, operations);
    this.pending.push({ operations, inverse });
    this.send({ edit: { label, operations, revision: this.revision, typing } });
    this.notify(operations);
  }

  undo() {
    this.send({ undo: true });
  }

  redo() {
    this.send({ redo: true });
  }

  save() {
    this.send({ save: true });
  }

  // A message of one key, such as { try: "start" }.
  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // Asks for what the scene would be driven with, where it has nothing of its own.
  askOffer() {
    const { data, offered, revision } = this;
    if (data.diagram && data.panel?.groups?.length) return;
    if (offered.revision !== revision) this.send({ want_offer: true });
  }

  // The listener gets { operations, errors, revision }; operations is null where the whole document is new.
  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  onLive(listener) {
    this.liveListeners.add(listener);
    return () => this.liveListeners.delete(listener);
  }

  // The errors at a path and below it.
  errorsAt(path) {
    return this.errors.filter((error) => error.path === path || error.path.startsWith(`${path}/`));
  }

  receive(message) {
    if (message.live) {
      Object.assign(this.live, message.live);
      for (const listener of this.liveListeners) listener(this.live);
    }
    if ("undo" in message) for (const name of Object.keys(this.state)) this.state[name] = message[name];
    if (message.errors) this.errors = message.errors;
    if (message.checked) this.checked = message.revision;
    if (message.kinds) this.kinds = message.kinds;
    if (message.world) this.world = message.world;
    if (message.offered) this.offered = { ...message.offered, revision: this.revision };
    if (message.document) this.replaceAll(message);
    else if (message.operations) this.take(message);
    else if (message.errors) this.notify([]);
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  replaceAll({ document, revision }) {
    this.pending = [];
    this.data = document;
    this.revision = revision;
    this.notify(null);
  }

  // Edits of others go below our own that are still under way.
  take({ operations, revision, own }) {
    this.revision = revision;
    if (own) {
      this.pending.shift();
      this.notify([]);
      return;
    }
    const waiting = this.pending;
    try {
      for (const { inverse } of waiting.toReversed()) applyAll(this.data, inverse);
      applyAll(this.data, operations);
      for (const edit of waiting) edit.inverse = applyAll(this.data, edit.operations);
    } catch {
      return; // the server will refuse what does not fit, and send the document
    }
    this.notify(operations);
  }

  notify(operations) {
    const change = { operations, errors: this.errors, revision: this.revision };
    for (const listener of this.listeners) listener(change);
  }
}
