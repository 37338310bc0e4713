// Ghost: another run drawn through the one that is shown: the exact twin, the run before a reset, other parameters.

import { Bodies } from "./shapes.js";

const BLUE = "#3f9bff59"; // the last two digits are its opacity

export class Ghost {
  // Source: a function of the time (s) that gives the frame of the other run, or null where it has none.
  constructor(world, scene, plain, source) {
    this.source = source;
    const bodies = world.bodies.map((body) => ({ ...body, shapes: body.fixed ? [] : body.shapes.filter((shape) => !shape.glow).map(pale) }));
    this.bodies = new Bodies({ ...world, bodies }, scene, plain);
    this.scene = scene;
    this.bodies.group.traverse((object) => {
      object.castShadow = object.receiveShadow = false;
      object.renderOrder = 4;
    });
  }

  show(time, reader) {
    const frame = this.source(time);
    this.bodies.group.visible = frame !== null;
    if (frame) this.bodies.show(frame, reader);
  }

  remove() {
    this.scene.remove(this.bodies.group);
  }
}

function pale(shape) {
  const { texture, ...rest } = shape;
  return { ...rest, color: BLUE };
}
