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

// A physically based material of a roughness and a metalness. Plain: lit more simply, where there is no graphics card.
export function litMaterial(plain, look, physical = {}) {
  return plain ? new THREE.MeshLambertMaterial(look) : new THREE.MeshStandardMaterial({ ...look, ...physical });
}

// A material for bodies.
export function bodyMaterial(plain, extra = {}, finish = null) {
  const look = { vertexColors: true, ...extra };
  const material = litMaterial(plain, look, finish ? { roughness: finish[0], metalness: finish[1] } : {});
  material.userData.glow = { value: finish?.[2] ?? 0 };
  if (finish) {
    if (finish[2] > 0) Object.assign(material, { emissive: extra.color ?? new THREE.Color("#ffffff"), emissiveIntensity: finish[2] });
    return material;
  }
  return withAttribute(material, "vec3", "finish", {
    roughnessmap_fragment: "float roughnessFactor = finish_seen.x;",
    metalnessmap_fragment: "float metalnessFactor = finish_seen.y;",
    emissivemap_fragment: "totalEmissiveRadiance += finish_seen.z * diffuseColor.rgb;",
  });
}

// A material whose fragments know an attribute of the vertices as `<name>_seen`, and have other code for parts of theirs.
export function withAttribute(material, type, name, parts) {
  const seen = `varying ${type} ${name}_seen;`;
  const vertex = { common: `attribute ${type} ${name};\n${seen}`, begin_vertex: `${name}_seen = ${name};` };
  return withCode(material, vertex, { common: seen, ...parts });
}

const ADDED = new Set(["common", "begin_vertex", "lights_fragment_maps"]); // parts that stay, with code after them; others are replaced
const replaced = (shader, parts) => Object.entries(parts).reduce((text, [part, code]) => {
  const there = `#include <${part}>`;
  return text.replace(there, ADDED.has(part) ? `${there}\n${code}` : code);
}, shader);

// A material with code of its own in parts of its shaders.
export function withCode(material, vertex, fragment, uniforms = {}) {
  const key = JSON.stringify([vertex, fragment]); // three.js keeps programs by the text of the function below, which is one for all
  material.customProgramCacheKey = () => key;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = replaced(shader.vertexShader, vertex);
    shader.fragmentShader = replaced(shader.fragmentShader, fragment);
  };
  return material;
}

// Gives a mesh of instances their finishes, [roughness, metalness, glow] each, and the bodies that they belong to.
export function setFinishes(mesh, finishes, bodies) {
  mesh.geometry.setAttribute("finish", new THREE.InstancedBufferAttribute(Float32Array.from(finishes.flat()), 3));
  mesh.geometry.setAttribute("bodyNumber", new THREE.InstancedBufferAttribute(Float32Array.from(bodies, (body) => body + 1), 1));
  mesh.userData.bodies = bodies;
}
