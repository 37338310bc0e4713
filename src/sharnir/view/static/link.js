// Link: the websocket to the server. Frames come in, commands go out with a number and the age of what we see. All frames
// are told as samples; those that are to be shown as frames, which a page that draws slowly wants fewer of.
//
// Inputs go out only while we are in control and the safety chain is free. What a hand holds is told with every message,
// so that the server can bring it back when the page no longer can; "dropped" tells the controls that it has.

import { FrameReader } from "./frame.js";

const PAGE_SPEAKS_EVERY = 40; // ms, to the worker
const LISTEN_EVERY = 100; // ms
const BEFORE_HELLO = { silent: 20, lost: 20 }; // s; afterwards as the server says
const ALIVE_EVERY = 250; // ms; says what is held, while something is
const ANSWER_WITHIN = 700; // ms, for an emergency stop; then it is said that nobody has answered
const RETRY_AFTER = [100, 250, 500, 1000]; // ms

export class Link extends EventTarget {
  constructor(layout, role) {
    super();
    this.reader = new FrameReader(layout);
    this.role = role;
    this.base = `${location.host}${role === "instructor" ? "/instructor" : ""}`;
    this.scheme = location.protocol === "https:" ? "wss" : "ws";
    this.frame = null;
    this.hello = null;
    this.socket = null;
    this.retry = null;
    this.connected = false;
    this.driving = false;
    this.ended = false;
    this.over = false; // the run has ended: no more frames come
    this.hears = "nothing"; // "frames", "words" where the server speaks and the physics does not, or "nothing"
    this.silence = 0; // ms without a word of the server
    this.listened = performance.now();
    this.chain = { state: "free", why: "" };
    this.key = ""; // known to this page alone: it comes back with it after a break
    this.stopping = false; // an emergency stop was pressed, and the chain does not say so yet
    this.unheard = null;
    this.number = 0;
    this.failures = 0;
    this.rest = 0; // ms at least between two frames that are shown
    this.shown = null;
    this.shownAt = -Infinity;
    this.pending = new Map(); // inputs changed since the last message
    this.grips = new Map(); // what holds an input: the source by input
    this.heart = new Worker("/view/heart.js");
    this.connect();
    this.beats = [
      setInterval(() => this.heart.postMessage({}), PAGE_SPEAKS_EVERY),
      setInterval(() => this.listen(), LISTEN_EVERY),
      setInterval(() => this.grips.size > 0 && this.flush(true), ALIVE_EVERY),
    ];
    addEventListener("blur", () => this.grips.size > 0 && this.letGo("blurred"));
    document.addEventListener("visibilitychange", () => document.hidden && this.letGo("hidden"));
    addEventListener("pagehide", () => this.letGo("hidden"));
  }

  // One connection at a time: two of one page would take the seat from each other without end.
  connect() {
    clearTimeout(this.retry);
    if (this.socket) this.socket.onmessage = this.socket.onclose = null;
    this.socket?.close();
    const socket = new WebSocket(`${this.scheme}://${this.base}/link?resume=${this.key}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (message) => this.receive(message.data);
    socket.onclose = () => this.lost();
    this.socket = socket;
  }

  // For good: there is nothing left to be linked with.
  close() {
    this.ended = true;
    this.beats.forEach(clearInterval);
    this.heart.terminate();
    this.socket.close();
  }

  lost() {
    this.connected = this.driving = false;
    this.silence = 0;
    this.drop(); // what was meant before the break must not arrive after it
    this.heart.postMessage({ url: null });
    this.hear("nothing");
    this.tell("connection", { connected: false });
    const wait = RETRY_AFTER[Math.min(this.failures++, RETRY_AFTER.length - 1)];
    if (!this.ended) this.retry = setTimeout(() => this.connect(), wait);
  }

  // A server that is there sends ten frames a second at least, or says that the physics does not answer. Where it is
  // silent for as long as it would wait for us, what is shown is old, and the page says so; after the time in which it
  // gives a connection up, another one is made, also where that one was never answered. A page that stood still itself
  // has messages to read first: that time counts little.
  listen() {
    const now = performance.now();
    this.silence += Math.min(now - this.listened, 2 * LISTEN_EVERY);
    this.listened = now;
    const { silent, lost } = this.hello ?? BEFORE_HELLO;
    if (this.over) return;
    if (this.silence > 1000 * lost) this.giveUp();
    else if (this.connected && this.silence > 1000 * silent) this.hear("nothing");
  }

  giveUp() {
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.lost();
  }

  hear(what) {
    if (this.hears === what) return;
    this.hears = what;
    this.tell("hearing", what);
  }

  receive(data) {
    this.silence = 0;
    if (data instanceof ArrayBuffer) {
      this.hear("frames");
      this.frame = this.reader.read(data);
      this.tell("sample", this.frame);
      if (this.isToBeShown(this.frame)) this.show(this.frame);
      return;
    }
    const message = JSON.parse(data);
    this.take(message);
    this.tell(message.event, message);
  }

  take(message) {
    if (message.event === "hello") this.greeted(message);
    if (message.event === "hello" || message.event === "control") {
      this.driving = message.driving;
      if (!this.driving) this.drop();
      this.tell("operator", message);
    }
    if (message.event === "hello" || message.event === "chain") {
      this.chain = message.chain ?? message;
      if (this.chain.state !== "free") this.drop();
      this.tell("safety", this.chain);
      this.stopAgain(message.event);
    }
    if (message.event === "slow") this.drop();
    if (message.event === "stalled") this.hear("words");
    if (message.event === "ended") {
      this.over = true;
      this.ended = Boolean(message.closed);
    }
  }

  greeted(message) {
    this.connected = true;
    this.failures = 0;
    this.number = 0;
    this.over = Boolean(message.ending.reason);
    this.hello = message;
    this.key = message.key;
    this.heart.postMessage({ url: `${this.scheme}://${this.base}/beat?key=${this.key}` });
    this.tell("connection", { connected: true });
  }

  // After a rest, or at once when the machine was stopped, held, released or set going.
  isToBeShown(frame) {
    const same = frame.mode === this.shown?.mode && frame.held === this.shown?.held;
    return !same || performance.now() - this.shownAt >= this.rest;
  }

  show(frame) {
    this.shown = frame;
    this.shownAt = performance.now();
    this.tell("frame", frame);
  }

  tell(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }

  on(event, handler) {
    this.addEventListener(event, (e) => handler(e.detail));
    return this;
  }

  // Sends a command now. Inputs set before it go first.
  send(command) {
    this.flush(false);
    this.post(command);
  }

  // The emergency stop. It is meant until the chain says so: where the connection is lost, is just breaking, or is dead
  // without anybody's knowing yet, it is sent again when there is one.
  stop() {
    this.stopping = true;
    this.send({ do: "stop" });
    clearTimeout(this.unheard);
    this.unheard = setTimeout(() => this.stopping && this.tell("unsent", null), this.connected ? ANSWER_WITHIN : 0);
  }

  stopAgain(event) {
    if (this.chain.state === "stopped") this.stopping = false;
    else if (this.stopping && event === "hello") this.stop();
  }

  post(command) {
    if (!this.connected || this.socket.readyState !== WebSocket.OPEN) return;
    this.number += 1;
    const holding = [...this.grips.keys()];
    this.socket.send(JSON.stringify({ number: this.number, seen: this.frame?.clock ?? 0, command, holding }));
  }

  get mayDrive() {
    return this.driving && this.chain.state === "free";
  }

  // Sets an input. Several changes within one picture travel together.
  set(name, value) {
    if (!this.mayDrive) return;
    this.tell("taken", name);
    if (this.pending.size === 0) queueMicrotask(() => this.flush(false));
    this.pending.set(name, value);
  }

  // Says that a source holds an input, as a key, a stick or a gamepad does, or holds it no longer.
  grip(source, name, on) {
    if (!on) {
      if (this.grips.get(name) === source) this.grips.delete(name);
    } else if (this.mayDrive) this.grips.set(name, source);
  }

  // The hand is off: the server holds the drives until they are enabled again.
  letGo(why) {
    if (!this.mayDrive) return;
    this.drop();
    this.post({ do: "let_go", why });
  }

  // Nothing is held any more; controls forget what they held.
  drop() {
    this.pending.clear();
    this.grips.clear();
    this.tell("dropped", null);
  }

  flush(alive) {
    if (this.pending.size > 0) {
      const values = Object.fromEntries(this.pending);
      this.pending.clear();
      this.post({ do: "set", values });
    } else if (alive && this.driving) {
      this.post({ do: "alive" });
    }
  }
}
