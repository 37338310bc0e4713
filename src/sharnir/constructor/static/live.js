// While the scene is tried: the last moments of all signals, the widgets of the console that work, and its plate.

import { Plate } from "/view/plate.js";
import { smallPlot } from "/view/plots.js";
import { connectWidgets } from "/view/widgets.js";

const KEPT = 2400; // moments: two minutes at 20 a second

// The last moments of all signals, so that a wire clicked later has its past.
export class Moments {
  constructor() {
    this.rows = [];
  }

  get now() {
    return this.rows.at(-1)?.time ?? 0;
  }

  add(time, signals) {
    if (time === this.now && this.rows.length) return;
    if (time < this.now) this.rows = [];
    this.rows.push({ time, signals });
    if (this.rows.length > KEPT) this.rows.splice(0, KEPT / 4);
  }

  copy() {
    const copied = new Moments();
    copied.rows = [...this.rows];
    return copied;
  }

  each(name, since, visit) {
    for (const { time, signals } of this.rows) if (time >= since && name in signals) visit(time, signals[name]);
  }
}

// What widgets need to work in a trial.
export function liveSession({ trial, stage, moments }) {
  const { link, world } = trial;
  const specs = new Map(world.inputs.map((spec) => [spec.name, spec]));
  const units = new Map(world.layout.channels.map(({ name, unit }) => [name, unit]));
  return {
    link,
    spec: (name) => specs.get(name),
    picture: (canvas, name) => stage?.view.pictures?.copy(canvas, name),
    plot: (place, signals, seconds) => smallPlot(place, moments, (name) => units.get(name) ?? "", signals, seconds),
  };
}

export function follow(document, context) {
  context.moments = new Moments();
  document.onLive((live) => {
    const time = context.trial.link?.frame?.time;
    if (time !== undefined) context.moments.add(time, live);
  });
  let plate = null;
  context.trial.listeners.add((trial) => {
    plate?.remove();
    plate = null;
    if (!trial.running || !trial.world.panel?.plate || !context.stage?.view.canvas) return;
    connectWidgets(liveSession(context));
    plate = new Plate(context.stage.view, trial.world);
  });
}
