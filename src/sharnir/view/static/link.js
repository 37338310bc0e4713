// Link: the websocket to the server. Frames come in, commands go out with a number and the age of what we see. All frames
// are told as samples; those that are to be shown as frames, which a page that draws slowly wants fewer of.

import { FrameReader } from "./frame.js";

const ALIVE_EVERY = 100; // ms; the server's dead-man timer waits 500
const RETRY_AFTER = [100, 250, 500, 1000]; // ms

export class Link extends EventTarget {
  constructor(layout, role) {
    super();
    this.reader = new FrameReader(layout);
    this.role = role;
    this.frame = null;
    this.hello = null;
    this.connected = false;
    this.isOperator = false;
    this.number = 0;
    this.failures = 0;
    this.rest = 0; // ms at least between two frames that are shown
    this.shown = null;
    this.shownAt = -Infinity;
    this.pending = new Map(); // inputs changed since the last message
    this.id = sessionStorage.getItem("sharnir-client") ?? crypto.randomUUID();
    sessionStorage.setItem("sharnir-client", this.id);
    this.connect();
    setInterval(() => this.flush(true), ALIVE_EVERY);
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/link?client=${this.id}&role=${this.role}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (message) => this.receive(message.data);
    socket.onclose = () => this.lost();
    this.socket = socket;
  }

  lost() {
    this.connected = this.isOperator = false;
    this.pending.clear(); // what was meant before the break must not arrive after it
    this.tell("connection", { connected: false });
    setTimeout(() => this.connect(), RETRY_AFTER[Math.min(this.failures++, RETRY_AFTER.length - 1)]);
  }

  receive(data) {
    if (data instanceof ArrayBuffer) {
      this.frame = this.reader.read(data);
      this.tell("sample", this.frame);
      if (this.isToBeShown(this.frame)) this.show(this.frame);
      return;
    }
    const message = JSON.parse(data);
    if (message.event === "hello") {
      this.connected = true;
      this.failures = 0;
      this.number = 0;
      this.hello = message;
      this.tell("connection", { connected: true });
    }
    if (message.event === "hello" || message.event === "operator") {
      this.isOperator = message.operator === this.id;
      this.tell("operator", message);
    }
    this.tell(message.event, message);
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

  post(command) {
    if (!this.connected || this.socket.readyState !== WebSocket.OPEN) return;
    this.number += 1;
    this.socket.send(JSON.stringify({ number: this.number, seen: this.frame?.clock ?? 0, command }));
  }

  // Sets an input. Several changes within one picture travel together.
  set(name, value) {
    if (!this.isOperator) return;
    if (this.pending.size === 0) requestAnimationFrame(() => this.flush(false));
    this.pending.set(name, value);
  }

  flush(alive) {
    if (this.pending.size > 0) {
      const values = Object.fromEntries(this.pending);
      this.pending.clear();
      this.post({ do: "set", values });
    } else if (alive && this.isOperator) {
      this.post({ do: "alive" });
    }
  }
}
