// Ground: the grid, its shadows, and the terrain of a scene.

import { THREE } from "./three.js";
import { Heights } from "./heights.js";
import { poseMatrix, surfaceGeometry } from "./shapes.js";

const GRID_VERTEX = `
  varying vec2 place;
  void main() {
    vec4 at = modelMatrix * vec4(position, 1.0);
    place = at.xy;
    gl_Position = projectionMatrix * viewMatrix * at;
  }`;

// Lines of constant width on the screen, every cell and every tenth cell, that fade with the distance.
const GRID_FRAGMENT = `
  varying vec2 place;
  uniform vec3 line;
  uniform vec2 center;
  uniform float cell, reach;
  float lines(vec2 at) {
    vec2 width = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / width;
    return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(0.6 / max(width.x, width.y), 0.0, 1.0);
  }
  void main() {
    float strength = max(0.3 * lines(place / cell), 0.6 * lines(place / (10.0 * cell)));
    float fade = 1.0 - smoothstep(0.25 * reach, reach, distance(place, center));
    gl_FragColor = vec4(line, strength * fade);
  }`;

const REACH = { plain: 40, fine: 250 }; // cells from the camera that are drawn one by one

export class Ground {
  constructor(world, scene, plain) {
    this.reach = plain ? REACH.plain : REACH.fine;
    this.fields = [];
    const kinds = world.terrain.map((surface) => surface.kind);
    this.floor = kinds.includes("plane") ? world.extent.floor : -Infinity;
    this.terrain = new THREE.Group();
    scene.add(this.terrain);
    const reach = Math.max(20, 12 * world.extent.radius);
    const flat = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    this.grid = new THREE.Mesh(
      flat,
      new THREE.ShaderMaterial({
        vertexShader: GRID_VERTEX,
        fragmentShader: GRID_FRAGMENT,
        transparent: true,
        depthWrite: false,
        uniforms: {
          line: { value: new THREE.Color() },
          center: { value: new THREE.Vector2(...world.extent.center) },
          cell: { value: world.extent.radius > 30 ? 10 : world.extent.radius > 0.6 ? 1 : 0.1 },
          reach: { value: reach },
        },
      }),
    );
    this.shadow = new THREE.Mesh(flat, new THREE.ShadowMaterial({ opacity: 0.22, depthWrite: false }));
    this.shadow.receiveShadow = true;
    for (const mesh of [this.grid, this.shadow]) {
      mesh.position.set(world.extent.center[0], world.extent.center[1], world.extent.floor);
      scene.add(mesh);
    }
    this.grid.position.z += 0.001;
    this.grid.visible = kinds.includes("plane") || !kinds.includes("heights"); // it would show in the hollows
    for (const surface of world.terrain) this.addSurface(surface);
  }

  addSurface(surface) {
    if (surface.kind === "plane") return; // the grid stands for it
    const look = new THREE.MeshLambertMaterial({ color: surface.color ?? "#8c9285", flatShading: true });
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
    this.grid.material.uniforms.line.value.set(theme.grid);
    this.shadow.material.opacity = theme.shadow;
  }
}
