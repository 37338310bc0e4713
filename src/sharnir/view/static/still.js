// Still: whether anything has moved since the last picture. A standing robot is not drawn again and again.

const MOVED = 2e-5; // m, and of a quaternion's numbers
const FORCE = 0.02; // of the scene's weight

export class Still {
  constructor(world) {
    this.weight = world.weight;
    this.drawn = null;
  }

  // Whether a frame shows the same as the one that was drawn last.
  same(frame) {
    const { drawn } = this;
    if (!drawn || frame.contacts_used !== drawn.contacts_used || frame.doing !== drawn.doing || frame.pull?.[0]) return false;
    const ropes = Object.keys(frame).filter((name) => name.startsWith("rope "));
    if (!["poses", ...ropes].every((name) => near(frame[name], drawn[name], MOVED))) return false;
    return near(frame.contacts, drawn.contacts, FORCE * this.weight, 6 * frame.contacts_used);
  }

  keep(frame) {
    this.drawn = frame;
  }
}

function near(a, b, apart, count = a.length) {
  if (a === b) return true;
  for (let i = 0; i < count; i += 1) if (!(Math.abs(a[i] - b[i]) <= apart)) return false;
  return true;
}
