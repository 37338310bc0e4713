// Ground: level ground, and the terrain of a scene, with their looks. A scene without any floats above a grid.

import { THREE } from "./three.js";
import { Facets } from "./facets.js";
import { Heights } from "./heights.js";
import { sunOf } from "./lights.js";
import { poseMatrix, surfaceGeometry } from "./shapes.js";
import { soilMaterial } from "./soil.js";

const REACH = { plain: 16, fine: 120, exact: 1e9 }; // cells from the camera that are drawn one by one

export class Ground {
  constructor(world, scene, plain, exact = false) {
    this.plain = plain;
    this.sun = sunOf(world.sky);
    this.reach = REACH[exact ? "exact" : plain ? "plain" : "fine"];
    this.fields = [];
    this.facets = []; // of meshes
    this.pieces = []; // { mesh, given, relief, more }: what has a look
    const kinds = world.terrain.map((surface) => surface.kind);
    this.floor = kinds.includes("plane") ? world.extent.floor : -Infinity;
    this.cell = world.extent.radius > 30 ? 10 : world.extent.radius > 0.6 ? 1 : 0.1;
    this.terrain = new THREE.Group();
    scene.add(this.terrain);
    const floats = !kinds.includes("plane");
    if (!floats || !kinds.includes("heights")) this.addLevel(world, scene, floats); // it would show in hollows
    for (const surface of world.terrain) this.addSurface(surface);
    this.setLook(null);
  }

  // As far as the fog lets one see. What is no ground but only a grid hides nothing.
  addLevel(world, scene, floats) {
    const { center, radius, floor } = world.extent;
    const reach = Math.max(150, 60 * radius);
    this.level = new THREE.Mesh(levelGeometry(reach));
    this.level.receiveShadow = true;
    this.level.position.set(center[0], center[1], floor);
    const more = floats ? { transparent: true, opacity: 0.4, depthWrite: false } : {};
    const given = world.terrain.find((surface) => surface.kind === "plane") ?? { look: "grid", color: null };
    this.pieces.push({ meshes: [this.level], given, relief: [0, 0], more, floats });
    scene.add(this.level);
  }

  addSurface(surface) {
    if (surface.kind === "plane") return; // the level ground stands for it
    const drawn = surface.kind === "heights" ? this.addHeights(surface) : new THREE.Mesh(surfaceGeometry(surface));
    drawn.applyMatrix4(poseMatrix(surface.position, surface.rotation));
    const meshes = surface.kind === "heights" ? drawn.children : [drawn];
    for (const mesh of meshes) mesh.receiveShadow = true;
    if (surface.kind !== "heights") {
      drawn.castShadow = true;
      drawn.updateMatrixWorld();
      this.facets.push(new Facets(drawn));
    }
    const box = new THREE.Box3().setFromObject(drawn);
    this.pieces.push({ meshes, given: surface, relief: [box.min.z, box.max.z], more: { field: surface.kind === "heights" } });
    this.terrain.add(drawn);
  }

  addHeights(surface) {
    const turn = new THREE.Quaternion(...surface.rotation).invert();
    const field = new Heights(surface, this.reach, this.sun.clone().applyQuaternion(turn));
    this.fields.push(field);
    return field.group;
  }

  // All ground as one look, or, with null, each piece as the scene has it.
  setLook(name) {
    this.look = name;
    for (const { meshes, given, relief, more, floats } of this.pieces) {
      const own = { color: name ? null : given.color, cell: this.cell, relief, plain: this.plain, ...more };
      const material = soilMaterial(floats ? "grid" : (name ?? given.look), own);
      for (const mesh of meshes) {
        mesh.material.dispose();
        mesh.material = material;
      }
    }
    if (this.tone) this.paint(this.tone);
  }

  // How high the ground is at a place (m): the highest of all there is, but for the roofs of meshes above ``from``; low
  // where there is none.
  height(x, y, from = Infinity) {
    return [...this.fields, ...this.facets].reduce((high, surface) => Math.max(high, surface.height(x, y, from)), this.floor);
  }

  // What is near is drawn more finely.
  update(camera) {
    for (const field of this.fields) field.update(camera);
  }

  // The tone of what has no colour of its own.
  paint(tone) {
    this.tone = tone;
    for (const { meshes } of this.pieces) meshes[0].material.userData.paint(tone);
  }
}

// A square with small cells in its middle and large ones far away: over a triangle of a kilometre depth is not precise.
function levelGeometry(reach) {
  const geometry = new THREE.PlaneGeometry(2, 2, 48, 48);
  const place = geometry.getAttribute("position");
  for (let i = 0; i < place.count; i += 1) place.setXY(i, reach * place.getX(i) ** 3, reach * place.getY(i) ** 3);
  return geometry;
}
