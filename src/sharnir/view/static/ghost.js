// Ghost: another run drawn through the one that is shown: the exact twin, the run before a reset, other parameters.

import { FrameReader } from "./frame.js";
import { Ropes } from "./ropes.js";
import { Bodies } from "./shapes.js";
import { framesOf } from "./unpacking.js";

const BLUE = "#3f9bff";
const OPACITY = 0.35;
const ABOVE = 4; // in the order of what is drawn

export class Ghost {
  // Source: a function of the time (s) that gives the frame of the other run, or null where it has none.
  constructor(world, scene, plain, { source, reader }) {
    Object.assign(this, { scene, source, reader, frame: null });
    const bodies = world.bodies.map((body) => ({ ...body, shapes: body.fixed ? [] : body.shapes.filter((shape) => !shape.glow).map(pale) }));
    this.bodies = new Bodies({ ...world, bodies }, scene, plain);
    const rows = ({ name }) => reader.layout.blocks[`rope ${name}`]?.shape[0];
    const ropes = world.ropes.filter((rope) => rows(rope) === rope.nodes);
    this.ropes = new Ropes({ ropes: ropes.map((rope) => ({ ...rope, color: BLUE, skin: null, knots: [], eyelets: [] })) }, scene, this.bodies);
    for (const { mesh } of this.ropes.ropes) Object.assign(mesh.material, { transparent: true, opacity: OPACITY, depthWrite: false });
    for (const drawn of this.drawn) {
      drawn.traverse((object) => {
        object.castShadow = object.receiveShadow = false;
        object.renderOrder = ABOVE;
      });
    }
  }

  get drawn() {
    return [this.bodies.group, ...this.ropes.ropes.map(({ mesh }) => mesh)];
  }

  show(time) {
    this.frame = this.source(time);
    for (const drawn of this.drawn) drawn.visible = this.frame !== null;
    if (this.frame) this.bodies.show(this.frame, this.reader);
  }

  // As wide as they have to be to be seen from a camera.
  showRopes(camera, height) {
    if (this.frame) this.ropes.show(this.frame, camera, height);
  }

  remove() {
    this.scene.remove(...this.drawn);
  }
}

function pale(shape) {
  const { texture, ...rest } = shape;
  return { ...rest, color: BLUE + Math.round(255 * OPACITY).toString(16) };
}

// A run that came with the page: what is told of it, and its frames as packing.py made them small.
export function otherRun({ layout, every, count, codings }, bytes) {
  const reader = new FrameReader(layout);
  const buffer = framesOf(bytes, layout, codings);
  const at = (time) => reader.read(buffer, Math.round(time / every) * layout.size);
  return { reader, source: (time) => (time > (count - 0.5) * every ? null : at(time)) };
}
