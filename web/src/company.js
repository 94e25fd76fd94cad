// The other characters of a crowd, around the first one: a few hundred, all drawn at once as copies of its
// bodies, each set apart to a place of its own.
import { Color, FrontSide, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from 'three';
import { colorOf } from './figure.js';
import { coarseGeometry } from './shapes.js';

/** @typedef {import('./motion.js').Motion} Motion */

const one = new Vector3(1, 1, 1);

/** Neighbours are told apart: each character is a little lighter or darker, by its number. */
const shade = (character) => 0.78 + 0.44 * ((character * 0.618034) % 1);

export class Company {
  root = new Group();
  /** Per body, the meshes of its shapes. @type {InstancedMesh[][]} */
  #meshes = [];

  /** @param {import('./data.js').Scene} scene @param {Motion} motion */
  constructor(scene, motion) {
    this.root.name = 'company';
    this.scene = scene;
    const count = (motion.crowd?.places.length ?? 1) - 1;
    if (count > 0) this.#meshes = scene.bodies.map((body) => this.#copies(body, count));
    for (const mesh of this.#meshes.flat()) this.root.add(mesh);
    this.setMotion(motion);
  }

  #copies(body, count) {
    const material = new MeshStandardMaterial({ color: colorOf(body), roughness: 0.6, shadowSide: FrontSide });
    return coarseGeometry(body).map((geometry) => {
      const mesh = new InstancedMesh(geometry, material, count);
      for (let k = 0; k < count; k++) mesh.setColorAt(k, new Color().setScalar(shade(k + 1)));
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      return mesh;
    });
  }

  /** A simulation in the page is of the first character alone. @param {Motion} motion */
  setMotion(motion) {
    this.motion = motion;
    this.root.visible = Boolean(motion.crowd);
  }

  setTheme() {}

  /** For scripts (web/README.md): where the first body of each of the others is drawn, x y z; none where they are not seen. */
  places() {
    const [mesh] = this.#meshes.flat();
    if (!mesh || !this.root.visible) return [];
    return Array.from({ length: mesh.count }, (_, k) => [...mesh.instanceMatrix.array.slice(16 * k + 12, 16 * k + 15)]);
  }

  show(time) {
    const { crowd } = this.motion;
    if (!crowd || !this.#meshes.length) return;
    const at = this.motion.momentAt(time);
    const place = new Vector3();
    const turn = new Quaternion();
    const matrix = new Matrix4();
    this.#meshes.forEach((meshes, body) => {
      if (!meshes.length) return;
      for (let character = 1; character < crowd.places.length; character++) {
        crowd.pose(at, character, body, place, turn);
        matrix.compose(place, turn, one);
        for (const mesh of meshes) mesh.setMatrixAt(character - 1, matrix);
      }
      for (const mesh of meshes) mesh.instanceMatrix.needsUpdate = true;
    });
  }

  /** Where bodies of the others are, over the motion: what a picture must show. @returns {Vector3[]} */
  points() {
    const { crowd } = this.motion;
    const points = [];
    if (!crowd) return points;
    const last = this.motion.times.length - 1;
    const turn = new Quaternion();
    for (let n = 0; n <= 6; n++) {
      const at = { frame: Math.floor((n * last) / 6), part: 0 };
      for (let character = 1; character < crowd.places.length; character++) {
        for (let body = 0; body < this.scene.bodies.length; body += 3) {
          const place = new Vector3();
          crowd.pose(at, character, body, place, turn);
          points.push(place);
        }
      }
    }
    return points;
  }
}
