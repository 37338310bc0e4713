// Shapes: the bodies of a scene as three.js objects. Primitives of one kind are drawn together (instanced).

import { Belts } from "./belts.js";
import { THREE } from "./three.js";

const PALETTE = ["#6f8fae", "#c08a4b", "#6d9c86", "#a5788c", "#8f8b5c", "#7d80b5", "#b06d5e", "#5d979f"];
const FIXED = "#8b9298";
const RUBBER = "#3f464b";
const GHOST = 0.45; // opacity of the box that stands for a body without shapes

function striped(geometry) {
  // Every other quarter a little darker, so that one sees a wheel turn.
  const plain = geometry.toNonIndexed();
  const place = plain.getAttribute("position");
  const shade = new Float32Array(place.count * 3);
  for (let i = 0; i < place.count; i += 3) {
    const x = place.getX(i) + place.getX(i + 1) + place.getX(i + 2);
    const y = place.getY(i) + place.getY(i + 1) + place.getY(i + 2);
    shade.fill(x * y > 0 ? 0.72 : 1, 3 * i, 3 * i + 9);
  }
  plain.setAttribute("color", new THREE.BufferAttribute(shade, 3));
  return plain;
}

function white(geometry) {
  const shade = new Float32Array(geometry.getAttribute("position").count * 3).fill(1);
  geometry.setAttribute("color", new THREE.BufferAttribute(shade, 3));
  return geometry;
}

const SIDES = { plain: 16, fine: 40 }; // of what is round

// Unit geometries, scaled by each instance. Cylinders lie along z as in the scene.
const PRIMITIVES = {
  box: () => white(new THREE.BoxGeometry(1, 1, 1)),
  sphere: (sides) => striped(new THREE.SphereGeometry(1, sides, sides / 2).rotateX(Math.PI / 2)),
  cylinder: (sides) => striped(new THREE.CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2)),
};

// What each shape of a scene is made of: [primitive, scale, place along z].
const PARTS = {
  box: (size) => [["box", size, 0]],
  sphere: (radii) => [["sphere", radii, 0]],
  cylinder: ([r, length]) => [["cylinder", [r, r, length], 0]],
  wheel: ([r, width]) => [
    ["cylinder", [r, r, width * 0.86], 0],
    ["cylinder", [r * 0.55, r * 0.55, width], 0],
  ],
  capsule: ([r, length]) => [
    ["cylinder", [r, r, length], 0],
    ["sphere", [r, r, r], length / 2],
    ["sphere", [r, r, r], -length / 2],
  ],
};

export function decodeArray(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}

export function surfaceGeometry(surface) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(decodeArray(surface.vertices, Float32Array), 3));
  geometry.setIndex(new THREE.BufferAttribute(decodeArray(surface.triangles, Uint32Array), 1));
  if (surface.uv) geometry.setAttribute("uv", new THREE.BufferAttribute(decodeArray(surface.uv, Float32Array), 2));
  geometry.computeVertexNormals();
  return surface.colors ? coloured(geometry, decodeArray(surface.colors, Uint8Array)) : white(geometry);
}

// The colours of a file's vertices, which are for the screen, as those that light is counted in.
function coloured(geometry, colors) {
  const shade = new Float32Array(colors.length);
  const color = new THREE.Color();
  for (let i = 0; i < colors.length; i += 3) {
    color.setRGB(colors[i] / 255, colors[i + 1] / 255, colors[i + 2] / 255, THREE.SRGBColorSpace).toArray(shade, i);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(shade, 3));
  return geometry;
}

function material(plain, extra = {}) {
  if (plain) return new THREE.MeshLambertMaterial({ vertexColors: true, ...extra });
  return new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.08, vertexColors: true, ...extra });
}

function opacityOf(color) {
  // A colour of eight digits ends in its opacity, which three.js does not read.
  return /^#[0-9a-f]{8}$/i.test(color ?? "") ? parseInt(color.slice(7), 16) / 255 : 1;
}

function solid(color) {
  return opacityOf(color) < 1 ? color.slice(0, 7) : color;
}

export class Bodies {
  constructor(world, scene, plain) {
    this.world = world;
    this.plain = plain;
    this.group = new THREE.Group();
    scene.add(this.group);
    this.parts = []; // { body, local, mesh, instance, color }
    this.belts = new Belts(material(plain));
    this.selected = -1;
    this.matrix = world.bodies.map((body) => poseMatrix(body.position, body.rotation));
    this.build();
    this.place();
  }

  build() {
    const wanted = new Map();
    this.world.bodies.forEach((body, index) => {
      const own = body.fixed ? FIXED : PALETTE[index % PALETTE.length];
      for (const shape of body.shapes) {
        const frame = poseMatrix(shape.position, shape.rotation);
        const usual = shape.kind === "wheel" ? RUBBER : own;
        const color = new THREE.Color(solid(shape.color) ?? usual);
        if (shape.kind === "mesh") {
          this.addMesh(index, shape, frame, color);
          continue;
        }
        if (shape.kind === "belt") {
          this.group.add(this.belts.add(index, shape, frame));
          continue;
        }
        for (const [primitive, scale, along] of PARTS[shape.kind](shape.size)) {
          const local = frame.clone().multiply(new THREE.Matrix4().makeTranslation(0, 0, along));
          local.scale(new THREE.Vector3(...scale));
          const opacity = shape.ghost ? GHOST : opacityOf(shape.color);
          const key = `${primitive} ${opacity} ${shape.texture}`;
          if (!wanted.has(key)) wanted.set(key, { primitive, look: this.look(opacity, shape.texture), parts: [] });
          wanted.get(key).parts.push({ body: index, local, color });
        }
      }
    });
    for (const { primitive, look, parts } of wanted.values()) {
      const shape = PRIMITIVES[primitive](this.plain ? SIDES.plain : SIDES.fine);
      const mesh = new THREE.InstancedMesh(shape, material(this.plain, look), parts.length);
      mesh.castShadow = mesh.receiveShadow = !look.transparent;
      mesh.frustumCulled = false;
      mesh.userData.bodies = parts.map((part) => part.body);
      this.group.add(mesh);
      parts.forEach((part, instance) => {
        mesh.setColorAt(instance, part.color);
        this.parts.push({ ...part, mesh, instance });
      });
    }
  }

  addMesh(index, shape, frame, color) {
    const look = { color, side: THREE.DoubleSide, flatShading: Boolean(shape.flat) };
    Object.assign(look, this.look(opacityOf(shape.color), shape.texture));
    const mesh = new THREE.Mesh(this.surface(shape), material(this.plain, look));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.userData.bodies = [index];
    this.group.add(mesh);
    this.parts.push({ body: index, local: frame, mesh, color });
  }

  look(opacity, texture) {
    // What one can see through hides nothing behind it.
    const clear = opacity < 1 ? { transparent: true, opacity, depthWrite: false } : {};
    return texture == null ? clear : { ...clear, map: this.texture(texture) };
  }

  surface(shape) {
    // What several bodies share is decoded once.
    if (shape.surface === undefined) return surfaceGeometry(shape);
    this.surfaces ??= [];
    return (this.surfaces[shape.surface] ??= surfaceGeometry(this.world.surfaces[shape.surface]));
  }

  texture(index) {
    this.textures ??= [];
    if (!this.textures[index]) {
      const texture = new THREE.TextureLoader().load(this.world.textures[index]);
      texture.colorSpace = THREE.SRGBColorSpace;
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      this.textures[index] = texture;
    }
    return this.textures[index];
  }

  show({ poses, ...frame }, reader) {
    this.belts.run((joint) => reader.channel(frame, joint));
    for (let i = 0; i < this.matrix.length; i += 1) {
      const k = 7 * i;
      PLACE.set(poses[k], poses[k + 1], poses[k + 2]);
      TURN.set(poses[k + 3], poses[k + 4], poses[k + 5], poses[k + 6]);
      this.matrix[i].compose(PLACE, TURN, ONE);
    }
    this.place();
  }

  place() {
    for (const part of this.parts) {
      WORK.multiplyMatrices(this.matrix[part.body], part.local);
      if (part.mesh.isInstancedMesh) {
        part.mesh.setMatrixAt(part.instance, WORK);
        part.mesh.instanceMatrix.needsUpdate = true;
      } else {
        part.mesh.matrix.copy(WORK);
      }
    }
    this.belts.place(this.matrix);
  }

  select(body) {
    this.selected = body;
    for (const part of this.parts) {
      const color = part.body === body ? part.color.clone().lerp(GLOW, 0.55) : part.color;
      if (part.mesh.isInstancedMesh) {
        part.mesh.setColorAt(part.instance, color);
        part.mesh.instanceColor.needsUpdate = true;
      } else {
        part.mesh.material.color.copy(color);
      }
    }
  }

  pick(raycaster) {
    for (const mesh of this.group.children) if (mesh.isInstancedMesh) mesh.computeBoundingSphere();
    const [hit] = raycaster.intersectObjects(this.group.children, false);
    return hit ? { body: hit.object.userData.bodies[hit.instanceId ?? 0], point: hit.point } : null;
  }
}

const PLACE = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);
const WORK = new THREE.Matrix4();
const GLOW = new THREE.Color("#ffd27a");

export function poseMatrix(position, rotation) {
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...position),
    new THREE.Quaternion(...rotation),
    new THREE.Vector3(1, 1, 1),
  );
}
