// Materials: what the surfaces of bodies are made of. Roughness, metalness and glow differ from instance to instance, so
// that all boxes of a scene, whatever they are made of, are drawn at once.

import { THREE } from "./three.js";

const USUAL = { roughness: 0.55, metalness: 0.1 };
const RUBBER = { roughness: 0.95, metalness: 0 };

// Roughness, metalness and glow of a shape; wheels that say nothing are of rubber.
export function finishOf({ kind, roughness, metalness, glow }) {
  const usual = kind === "wheel" ? RUBBER : USUAL;
  return [roughness ?? usual.roughness, metalness ?? usual.metalness, glow ?? 0];
}

// A material for bodies. Plain: lit more simply, where there is no graphics card.
export function bodyMaterial(plain, extra = {}, finish = null) {
  const look = { vertexColors: true, ...extra };
  const material = plain ? new THREE.MeshLambertMaterial(look) : new THREE.MeshStandardMaterial(look);
  material.userData.glow = { value: finish?.[2] ?? 0 };
  if (finish) {
    if (!plain) Object.assign(material, { roughness: finish[0], metalness: finish[1] });
    if (finish[2] > 0) Object.assign(material, { emissive: extra.color ?? new THREE.Color("#ffffff"), emissiveIntensity: finish[2] });
    return material;
  }
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute vec3 finish;\nvarying vec3 finished;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nfinished = finish;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 finished;")
      .replace("#include <roughnessmap_fragment>", "float roughnessFactor = finished.x;")
      .replace("#include <metalnessmap_fragment>", "float metalnessFactor = finished.y;")
      .replace("#include <emissivemap_fragment>", "totalEmissiveRadiance += finished.z * diffuseColor.rgb;");
  };
  return material;
}

// Gives a mesh of instances their finishes, [roughness, metalness, glow] each, and the bodies that they belong to.
export function setFinishes(mesh, finishes, bodies) {
  mesh.geometry.setAttribute("finish", new THREE.InstancedBufferAttribute(Float32Array.from(finishes.flat()), 3));
  mesh.geometry.setAttribute("bodyNumber", new THREE.InstancedBufferAttribute(Float32Array.from(bodies, (body) => body + 1), 1));
  mesh.userData.bodies = bodies;
}
