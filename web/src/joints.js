// Joints as Hakenberg draws them: a cylinder along the axis of a hinge, a ball for a ball joint; beside
// these a box on a rail for a slide and a cross for a universal joint. Welds and free joints show nothing.
import {
  BoxGeometry, CylinderGeometry, Matrix4, Mesh, Object3D, Quaternion, SphereGeometry, Vector3,
} from 'three';
import { bodyThickness, matrixOf } from './shapes.js';

/** @typedef {import('./data.js').Joint} Joint */

const up = new Vector3(0, 1, 0);

/** Turned so that y runs along the axis. */
function along(geometry, axis) {
  const turn = new Quaternion().setFromUnitVectors(up, new Vector3(...axis).normalize());
  return geometry.applyQuaternion(turn);
}

const bar = (radius, length, axis) => along(new CylinderGeometry(radius, radius, length, 20), axis);

/**
 * Parts of a joint and the body that each is fixed to, in world axes about the joint's place.
 * `r` is half the thickness of the bones that meet, so that pins stick out and balls show.
 * @returns {{side: 'first' | 'second', geometry: import('three').BufferGeometry}[]}
 */
function parts(/** @type {Joint} */ joint, r) {
  const axis = joint.axis ?? [0, 1, 0];
  switch (joint.type) {
    case 'hinge':
      return [{ side: 'first', geometry: bar(0.42 * r, 2.5 * r, axis) }];
    case 'spherical':
      return [{ side: 'first', geometry: new SphereGeometry(1.06 * r, 18, 10) }];
    case 'slide':
      return [
        { side: 'first', geometry: bar(0.18 * r, 6 * r, axis) },
        { side: 'second', geometry: along(new BoxGeometry(1.5 * r, 1.5 * r, 1.5 * r), axis) },
      ];
    case 'universal':
      return [
        { side: 'first', geometry: bar(0.3 * r, 2.5 * r, axis) },
        { side: 'second', geometry: bar(0.3 * r, 2.5 * r, joint.axis2 ?? axis) },
      ];
    default:
      return [];
  }
}

/**
 * @param {import('./data.js').Scene} scene
 * @param {Map<string, Object3D>} bodies by name; `world` among them
 */
export function addJoints(scene, bodies, material) {
  const rest = new Map(scene.bodies.map((body) => [body.name, body]));
  const meshes = [];
  for (const joint of scene.joints) {
    const ends = [rest.get(joint.first), rest.get(joint.second)].filter(Boolean);
    const r = Math.min(...ends.map((body) => bodyThickness(body, joint.position)));
    for (const { side, geometry } of parts(joint, r)) {
      const name = joint[side];
      const owner = bodies.get(name);
      if (!owner) continue;
      // From the world of the rest pose into the frame of the body.
      const place = new Matrix4().setPosition(...(joint.position ?? [0, 0, 0]));
      if (rest.has(name)) place.premultiply(matrixOf(rest.get(name)).invert());
      const mesh = new Mesh(geometry.applyMatrix4(place), material);
      mesh.castShadow = true;
      owner.add(mesh);
      meshes.push(mesh);
    }
  }
  return meshes;
}
