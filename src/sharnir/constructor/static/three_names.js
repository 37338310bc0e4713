// The names of three.js as a module exports them, for what is written for the package: vendor/transform-controls.js.

import { THREE } from "/view/three.js";

export const {
  BoxGeometry, BufferGeometry, Controls, CylinderGeometry, DoubleSide, Euler, Float32BufferAttribute, Line,
  LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, Object3D, OctahedronGeometry, PlaneGeometry, Quaternion,
  Raycaster, SphereGeometry, TorusGeometry, Vector3,
} = THREE;
