// Ground: level ground with its grid, and the terrain of a scene. A scene without any floats above a grid.

import { THREE } from "./three.js";
import { Heights } from "./heights.js";
import { poseMatrix, surfaceGeometry } from "./shapes.js";
import { soilMaterial } from "./soil.js";

const REACH = { plain: 40, fine: 250 }; // cells from the camera that are drawn one by one
const EARTH = "#8c9285"; // of hills that have no colour of their own

export class Ground {
  constructor(world, scene, plain) {
    this.reach = plain ? REACH.plain : REACH.fine;
    this.fields = [];
    const kinds = world.terrain.map((surface) => surface.kind);
    this.floor = kinds.includes("plane") ? world.extent.floor : -Infinity;
    this.cell = world.extent.radius > 30 ? 10 : world.extent.radius > 0.6 ? 1 : 0.1;
    this.terrain = new THREE.Group();
    scene.add(this.terrain);
    const floats = !kinds.includes("plane");
    if (!floats || !kinds.includes("heights")) this.addLevel(world, scene, floats); // it would show in hollows
    for (const surface of world.terrain) this.addSurface(surface);
  }

  // As far as the fog lets one see. What is no ground but only a grid hides nothing.
  addLevel(world, scene, floats) {
    const { center, radius, floor } = world.extent;
    const reach = Math.max(60, 40 * radius);
    this.soil = soilMaterial("#ffffff", this.cell, floats ? { transparent: true, opacity: 0.4, depthWrite: false } : {});
    this.level = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach), this.soil);
    this.level.receiveShadow = true;
    this.level.position.set(center[0], center[1], floor);
    scene.add(this.level);
  }

  addSurface(surface) {
    if (surface.kind === "plane") return; // the level ground stands for it
    const look = soilMaterial(surface.color ?? EARTH, this.cell);
    const drawn = surface.kind === "heights" ? this.addHeights(surface, look) : new THREE.Mesh(surfaceGeometry(surface), look);
    drawn.receiveShadow = true; // the tiles of a height field say so themselves
    drawn.applyMatrix4(poseMatrix(surface.position, surface.rotation));
    this.terrain.add(drawn);
  }

  addHeights(surface, look) {
    const field = new Heights(surface, look, this.reach);
    this.fields.push(field);
    return field.group;
  }

  // How high the ground is at a place (m): the highest of all there is, and low where there is none.
  height(x, y) {
    return this.fields.reduce((high, field) => Math.max(high, field.height(x, y)), this.floor);
  }

  // What is near is drawn more finely.
  update(camera) {
    for (const field of this.fields) field.update(camera);
  }

  paint(theme) {
    this.soil?.color.set(theme.ground);
  }
}
