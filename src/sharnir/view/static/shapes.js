// Shapes: the bodies of a scene as three.js objects. Primitives of one kind are drawn together (instanced).

import { Belts } from "./belts.js";
import { gearGeometry } from "./gears.js";
import { bodyMaterial, finishOf, setFinishes } from "./materials.js";
import { THREE } from "./three.js";
import { rimGeometry, tyreGeometry } from "./tyres.js";

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

const SIDES = { plain: 16, fine: 40, exact: 128 }; // of what is round

// Unit geometries, scaled by each instance. Cylinders lie along z as in the scene.
const PRIMITIVES = {
  box: () => white(new THREE.BoxGeometry(1, 1, 1)),
  ball: (sides) => white(new THREE.SphereGeometry(1, sides / 2, sides / 4).rotateX(Math.PI / 2)),
  dome: (sides) => white(new THREE.SphereGeometry(1, sides / 2, sides / 8, 0, 2 * Math.PI, 0, Math.PI / 2).rotateX(Math.PI / 2)),
  pipe: (sides) => white(new THREE.CylinderGeometry(1, 1, 1, sides / 2).rotateX(Math.PI / 2)),
  tyre: (sides, plain) => tyreGeometry(sides, plain),
  rim: (sides) => rimGeometry(sides),
  sphere: (sides) => striped(new THREE.SphereGeometry(1, sides, sides / 2).rotateX(Math.PI / 2)),
  cylinder: (sides) => striped(new THREE.CylinderGeometry(1, 1, 1, sides).rotateX(Math.PI / 2)),
};

const ALLOY = { color: new THREE.Color("#9aa1a6"), finish: [0.35, 0.7, 0] }; // of rims

// What each shape of a scene is made of: [primitive, scale, place along z, look of its own]. What rolls has stripes; what
// is only seen or does not move has none.
const PARTS = {
  box: (size) => [["box", size, 0]],
  sphere: (radii, rolls) => [[rolls ? "sphere" : "ball", radii, 0]],
  cylinder: ([r, length], rolls) => [[rolls ? "cylinder" : "pipe", [r, r, length], 0]],
  wheel: ([r, width]) => [
    ["tyre", [r, r, width], 0],
    ["rim", [r, r, width], 0, ALLOY],
  ],
  capsule: ([r, length]) => [
    ["pipe", [r, r, length], 0],
    ["dome", [r, r, r], length / 2],
    ["dome", [r, -r, -r], -length / 2], // upside down
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

function opacityOf(color) {
  // A colour of eight digits ends in its opacity, which three.js does not read.
  return /^#[0-9a-f]{8}$/i.test(color ?? "") ? parseInt(color.slice(7), 16) / 255 : 1;
}

function solid(color) {
  return opacityOf(color) < 1 ? color.slice(0, 7) : color;
}

export class Bodies {
  // Exact: as round as depth is measured.
  constructor(world, scene, plain, exact = false) {
    this.world = world;
    this.plain = plain;
    this.sides = SIDES[exact ? "exact" : plain ? "plain" : "fine"];
    this.group = new THREE.Group();
    scene.add(this.group);
    this.parts = []; // { body, local, mesh, instance, color }
    this.belts = new Belts(plain);
    this.selected = -1;
    this.matrix = world.bodies.map((body) => poseMatrix(body.position, body.rotation));
    this.build();
    this.place();
  }

  build() {
    const wanted = new Map();
    this.world.bodies.forEach((body, index) => {
      const usual = body.fixed ? FIXED : PALETTE[index % PALETTE.length];
      for (const shape of body.shapes) {
        const frame = poseMatrix(shape.position, shape.rotation);
        const bare = shape.kind === "wheel" ? RUBBER : usual;
        const color = new THREE.Color(solid(shape.color) ?? bare);
        if (shape.kind === "mesh" || shape.kind === "gear") {
          this.addMesh(index, shape, frame, color);
          continue;
        }
        if (shape.kind === "belt") {
          this.group.add(this.belts.add(index, shape, frame));
          continue;
        }
        for (const [primitive, scale, along, own] of PARTS[shape.kind](shape.size, !body.fixed && !shape.only_seen)) {
          const local = frame.clone().multiply(new THREE.Matrix4().makeTranslation(0, 0, along));
          local.scale(new THREE.Vector3(...scale));
          const opacity = shape.ghost ? GHOST : opacityOf(shape.color);
          const key = `${primitive} ${opacity} ${shape.texture}`;
          if (!wanted.has(key)) wanted.set(key, { primitive, look: this.look(opacity, shape.texture), parts: [] });
          wanted.get(key).parts.push({ body: index, local, color: own?.color ?? color, finish: own?.finish ?? finishOf(shape) });
        }
      }
    });
    for (const { primitive, look, parts } of wanted.values()) {
      const shape = PRIMITIVES[primitive](this.sides, this.plain);
      const mesh = new THREE.InstancedMesh(shape, bodyMaterial(this.plain, look), parts.length);
      setFinishes(mesh, parts.map((part) => part.finish), parts.map((part) => part.body));
      mesh.receiveShadow = !look.transparent;
      mesh.castShadow = mesh.receiveShadow && !(this.plain && primitive === "rim"); // within the shadow of its tyre
      mesh.frustumCulled = false;
      this.group.add(mesh);
      parts.forEach((part, instance) => {
        mesh.setColorAt(instance, part.color);
        this.parts.push({ ...part, mesh, instance });
      });
    }
  }

  // The mesh of a shape, in the frame of the shape.
  meshOf(shape, color, geometry = this.surface(shape)) {
    const look = { color, side: THREE.DoubleSide, flatShading: Boolean(shape.flat) || shape.kind === "gear" };
    Object.assign(look, this.look(opacityOf(shape.color), shape.texture));
    const mesh = new THREE.Mesh(geometry, bodyMaterial(this.plain, look, finishOf(shape)));
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  }

  addMesh(index, shape, frame, color) {
    const mesh = this.meshOf(shape, color);
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
    if (shape.kind === "gear") return white(gearGeometry(shape.size));
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

  // One body, or with others that are selected as well.
  select(body, others = new Set()) {
    this.selected = body;
    for (const part of this.parts) {
      const color = part.body === body || others.has(part.body) ? part.color.clone().lerp(GLOW, 0.55) : part.color;
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
    if (!hit) return null;
    return { body: hit.object.userData.bodies[hit.instanceId ?? 0], point: hit.point, normal: normalOf(hit) };
  }
}

// Of the surface where it was hit, in the world.
function normalOf({ object, instanceId, face }) {
  WORK.copy(object.matrixWorld);
  if (object.isInstancedMesh) {
    object.getMatrixAt(instanceId, INSTANCE);
    WORK.multiply(INSTANCE);
  }
  return face.normal.clone().applyNormalMatrix(new THREE.Matrix3().getNormalMatrix(WORK));
}

const INSTANCE = new THREE.Matrix4();
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
