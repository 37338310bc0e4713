// Ropes: tubes along their nodes, of strands that wind round them. A ring of vertices stands on every node, carried along
// without twisting of its own. Knots are where a rope is tied, eyelets where it runs through a ring. A rope that wears a
// skin is drawn as that, unless its tension is to be seen.

import { litMaterial, withAttribute } from "./materials.js";
import { Skin } from "./skins.js";
import { THREE } from "./three.js";

const SIDES = 8;
const ROUND = SIDES + 1; // vertices of a ring: the last lies on the first, a turn further
const LEAST = 1.6; // pixels that a rope is wide on the screen, however thin and far away it is
const PLAIN = new THREE.Color("#b9a27a");
const SLACK = new THREE.Color("#3f7fb5");
const TIGHT = new THREE.Color("#d5483e");
const FIBRE = { roughness: 0.9, metalness: 0 };
const STEEL = { roughness: 0.4, metalness: 0.75 };
const STRANDS = 3;
const LAY = 7; // radii along the rope in which a strand goes round once
const KNOT = 2.1; // radii of the rope
const APART = 1e-12; // m^2, below which two nodes are in one place
const EYELET = [3.2, 0.9]; // radii of the rope: of the ring, and of its wire

// Stripes of strands, darker in the grooves between them.
function strandMaterial(plain) {
  return withAttribute(litMaterial(plain, { vertexColors: true }, FIBRE), "vec2", "winding", {
    color_fragment: `#include <color_fragment>
      float lay = ${STRANDS}.0 * (winding_seen.x + winding_seen.y);
      float groove = abs(fract(lay) - 0.5) * 2.0;
      diffuseColor.rgb *= mix(1.0, 0.45 + 0.75 * (1.0 - groove * groove), clamp(0.5 / max(fwidth(lay), 1e-4) - 0.5, 0.0, 1.0));`,
  });
}

export class Ropes {
  constructor(world, scene, bodies) {
    this.ropes = world.ropes.map((rope) => new Rope(rope, scene, bodies));
    this.byTension = false;
  }

  // The camera and the height of the picture (pixels) tell how wide a rope has to be to be seen.
  show(frame, camera, height, matrices = []) {
    const pixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(height, 1); // m at a metre from the camera
    const least = (at) => 0.5 * LEAST * pixel * at.distanceTo(camera.position);
    for (const rope of this.ropes) {
      rope.show(frame, this.byTension, least);
      rope.showEnds(matrices, least);
    }
  }
}

class Rope {
  constructor(described, scene, bodies) {
    this.described = described;
    const { nodes } = described;
    const plain = bodies?.plain;
    this.usual = new THREE.Color(described.color ?? PLAIN);
    this.points = Array.from({ length: nodes }, () => new THREE.Vector3());
    this.position = new THREE.BufferAttribute(new Float32Array(nodes * ROUND * 3), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(nodes * ROUND * 3), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(nodes * ROUND * 3).fill(1), 3);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.color);
    geometry.setAttribute("winding", (this.winding = new THREE.BufferAttribute(new Float32Array(nodes * ROUND * 2), 2)));
    geometry.setIndex(tubeIndex(nodes));
    this.mesh = new THREE.Mesh(geometry, strandMaterial(plain));
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
    this.skin = described.skin ? new Skin(described.skin, bodies, new THREE.Color(PLAIN), scene) : null;
    this.knots = (described.knots ?? []).map((node) => ({ node, mesh: piece(new THREE.IcosahedronGeometry(1, 2), litMaterial(plain, { color: "#9c8558" }, FIBRE), scene) }));
    this.eyelets = (described.eyelets ?? []).map(({ body, at }) => ({
      body, at: new THREE.Vector3(...at), mesh: piece(new THREE.TorusGeometry(EYELET[0], EYELET[1], 8, 20), litMaterial(plain, { color: "#8b9298" }, STEEL), scene),
    }));
  }

  // Knots at their nodes, rings on their bodies, across the rope.
  showEnds(matrices, least) {
    for (const { node, mesh } of this.knots) {
      mesh.visible = this.mesh.visible; // a skin has ends of its own
      mesh.position.copy(this.points[node]);
      mesh.scale.setScalar(Math.max(KNOT * this.described.radius, 1.6 * least(this.points[node])));
    }
    for (const { body, at, mesh } of this.eyelets) {
      mesh.visible = true;
      mesh.position.copy(at);
      if (body >= 0) mesh.position.applyMatrix4(matrices[body]);
      const near = this.points.reduce((best, point, i) => (point.distanceTo(mesh.position) < this.points[best].distanceTo(mesh.position) ? i : best), 0);
      const [before, after] = [this.points[Math.max(near - 1, 0)], this.points[Math.min(near + 1, this.points.length - 1)]];
      NEXT.subVectors(after, before).normalize();
      mesh.quaternion.setFromUnitVectors(UP, NEXT);
      mesh.scale.setScalar(Math.max(this.described.radius, 0.6 * least(mesh.position)));
    }
  }

  // frame["rope NAME"]: nodes x (position, tension). A node beyond the used ones repeats the last.
  show(frame, byTension, least) {
    const rows = frame[`rope ${this.described.name}`];
    const { nodes, radius, strength } = this.described;
    let along = 0; // m from the start
    for (let i = 0; i < nodes; i += 1) this.points[i].set(rows[4 * i], rows[4 * i + 1], rows[4 * i + 2]);
    const bones = frame[`bones ${this.described.name}`];
    const worn = Boolean(this.skin && bones && !byTension);
    this.skin?.show(worn);
    this.mesh.visible = !worn;
    if (worn) {
      this.skin.bend(rows, bones);
      return;
    }
    const second = this.points.findIndex((point) => point.distanceToSquared(this.points[0]) > APART); // those on a drum lie on the first
    ALONG.subVectors(this.points[Math.max(second, 0)], this.points[0]).normalize();
    ACROSS.set(1, 0, 0).cross(ALONG);
    if (ACROSS.lengthSq() < 0.01) ACROSS.set(0, 1, 0).cross(ALONG);
    ACROSS.normalize();
    for (let i = 0; i < nodes; i += 1) {
      NEXT.subVectors(this.points[Math.min(i + 1, nodes - 1)], this.points[Math.max(i - 1, 0)]);
      if (NEXT.lengthSq() > APART) {
        NEXT.normalize();
        ACROSS.applyQuaternion(TURN.setFromUnitVectors(ALONG, NEXT));
        ALONG.copy(NEXT);
      }
      SIDE.crossVectors(ALONG, ACROSS);
      if (byTension) SHADE.lerpColors(SLACK, TIGHT, Math.min(Math.max(rows[4 * i + 3] / strength, 0), 1));
      else SHADE.copy(this.usual);
      const whole = rows[4 * i + 3] >= 0 && (i === 0 || rows[4 * i - 1] >= 0); // nothing is drawn where it has parted
      const wide = Math.max(radius, least(this.points[i]));
      if (i > 0) along += this.points[i].distanceTo(this.points[i - 1]);
      for (let k = 0; k < ROUND; k += 1) {
        const angle = (2 * Math.PI * k) / SIDES;
        OUT.copy(ACROSS).multiplyScalar(Math.cos(angle)).addScaledVector(SIDE, Math.sin(angle));
        const row = i * ROUND + k;
        this.normal.setXYZ(row, OUT.x, OUT.y, OUT.z);
        this.winding.setXY(row, along / (LAY * wide), k / SIDES);
        OUT.multiplyScalar(whole ? wide : 0).add(this.points[i]);
        this.position.setXYZ(row, OUT.x, OUT.y, OUT.z);
        this.color.setXYZ(row, SHADE.r, SHADE.g, SHADE.b);
      }
    }
    this.position.needsUpdate = this.normal.needsUpdate = this.color.needsUpdate = this.winding.needsUpdate = true;
  }
}

function piece(geometry, material, scene) {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.visible = false; // until it is known where it is
  scene.add(mesh);
  return mesh;
}

function tubeIndex(nodes) {
  const index = [];
  for (let i = 0; i + 1 < nodes; i += 1) {
    for (let k = 0; k < SIDES; k += 1) {
      const a = i * ROUND + k;
      index.push(a, a + 1, a + ROUND, a + 1, a + 1 + ROUND, a + ROUND);
    }
  }
  return index;
}

const ALONG = new THREE.Vector3();
const ACROSS = new THREE.Vector3();
const SIDE = new THREE.Vector3();
const NEXT = new THREE.Vector3();
const OUT = new THREE.Vector3();
const UP = new THREE.Vector3(0, 0, 1);
const SHADE = new THREE.Color();
const TURN = new THREE.Quaternion();
