// Still: whether anything has moved since the last picture. A standing robot is not drawn again and again.

const MOVED = 2e-5; // m, and of a quaternion's numbers
const FORCE = 0.02; // of the scene's weight
const TENSION = 0.01; // of what a rope is drawn as tight at

export class Still {
  constructor(world) {
    this.weight = world.weight;
    this.ropes = world.ropes;
    this.drawn = null;
  }

  // Whether a frame shows the same as the one that was drawn last; tensions of ropes are seen only where they are coloured.
  same(frame, byTension = false) {
    const { drawn } = this;
    if (!drawn || frame.contacts_used !== drawn.contacts_used || frame.doing !== drawn.doing || frame.pull?.[0]) return false;
    if (!near(frame.poses, drawn.poses, MOVED)) return false;
    const bones = Object.keys(frame).filter((name) => name.startsWith("bones "));
    if (!bones.every((name) => near(frame[name], drawn[name], MOVED))) return false;
    if (!this.ropes.every((rope) => this.sameRope(rope, frame, byTension))) return false;
    return near(frame.contacts, drawn.contacts, FORCE * this.weight, 6 * frame.contacts_used);
  }

  // Nodes of a place and a tension each, which is negative where the rope has parted.
  sameRope({ name, strength }, frame, byTension) {
    const [now, before] = [frame[`rope ${name}`], this.drawn[`rope ${name}`]];
    for (let i = 0; i < now.length; i += 1) {
      if (i % 4 < 3) {
        if (!(Math.abs(now[i] - before[i]) <= MOVED)) return false;
      } else {
        if (now[i] >= 0 !== before[i] >= 0) return false;
        if (byTension && Math.abs(Math.min(now[i], strength) - Math.min(before[i], strength)) > TENSION * strength) return false;
      }
    }
    return true;
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
