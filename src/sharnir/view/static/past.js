// Past: frames of the whole run so far in bounded memory: the last of them close together, and some of the time before
// them, evenly spaced. When those are too many, every other one goes, and they are kept half as often from then on.

const EVERY = 0.03; // s between two of the last frames
const BYTES = 40e6;
const MOST = 3000;
const FEWEST = 300;

export class Past {
  constructor(reader) {
    this.reader = reader;
    this.most = Math.min(Math.max(Math.floor(BYTES / reader.layout.size), FEWEST), MOST);
    this.recent = []; // oldest first; their ticks grow, their times may not (resets, restored snapshots)
    this.older = [];
    this.every = 1; // of the frames that are no longer recent
    this.passed = 0;
    this.all = null;
  }

  // All of them, oldest first.
  get frames() {
    this.all ??= [...this.older, ...this.recent];
    return this.all;
  }

  add(frame) {
    const last = this.recent[this.recent.length - 1];
    if (last && (frame.clock - last.clock < EVERY || frame.tick <= last.tick)) return;
    this.recent.push(frame);
    this.all = null;
    if (this.recent.length <= this.most / 2) return;
    const left = this.recent.shift();
    if (this.passed++ % this.every === 0) this.older.push(left);
    if (this.older.length <= this.most / 2) return;
    this.older = this.older.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  // What was there before this page: frames one after the other.
  load(buffer) {
    const { size } = this.reader.layout;
    for (let at = 0; at + size <= buffer.byteLength; at += size) this.add(this.reader.read(buffer, at));
  }

  // The place of the last frame that is not after a tick.
  at(tick) {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.frames[middle].tick <= tick) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  // The frame at a time (s) of the run before the last reset or restored snapshot; null where there is none.
  earlier(time) {
    const { frames } = this;
    let first = frames.length - 1;
    while (first > 0 && frames[first - 1].time <= frames[first].time) first -= 1; // of the present run
    for (let i = first - 1; i >= 0; i -= 1) {
      if (frames[i].time <= time) return frames[i];
      if (i > 0 && frames[i - 1].time > frames[i].time) return null; // the run before that one
    }
    return null;
  }

  // The frames since the last reset or restored snapshot that are before a time, oldest first.
  before(time) {
    const { frames } = this;
    let first = frames.length;
    let next = Infinity;
    while (first > 0 && frames[first - 1].time <= next) {
      first -= 1;
      next = frames[first].time;
    }
    return frames.slice(first).filter((frame) => frame.time < time);
  }
}
