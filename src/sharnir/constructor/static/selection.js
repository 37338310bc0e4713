// What is selected: a set of document paths that tree, view, inspector and scheme share.

export class Selection {
  constructor() {
    this.paths = new Set();
    this.listeners = new Set();
  }

  get list() {
    return [...this.paths];
  }

  // The one that was selected last.
  get last() {
    return this.list.at(-1) ?? null;
  }

  has(path) {
    return this.paths.has(path);
  }

  set(...paths) {
    const same = paths.length === this.paths.size && paths.every((path) => this.paths.has(path));
    if (same) return;
    this.paths = new Set(paths);
    this.notify();
  }

  toggle(path) {
    if (!this.paths.delete(path)) this.paths.add(path);
    this.notify();
  }

  clear() {
    this.set();
  }

  // Paths that are gone are no longer selected; those that were renamed follow.
  follow(operations, exists) {
    for (const { op, from, path } of operations ?? []) {
      if (op === "move" && this.paths.delete(from)) this.paths.add(path);
    }
    const left = this.list.filter(exists);
    if (left.length !== this.paths.size) this.set(...left);
  }

  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify() {
    for (const listener of this.listeners) listener(this.paths);
  }
}
