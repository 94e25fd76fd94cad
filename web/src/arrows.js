// Arrows for forces, and how long they are drawn. What bodies hide shines through them faintly.
import {
  ConeGeometry, CylinderGeometry, GreaterDepth, Group, InstancedMesh, Matrix4, MeshBasicMaterial,
  MeshStandardMaterial, Quaternion, Vector3,
} from 'three';
import { niceStep } from './ground.js';

/** Copies of one geometry: solid, and a ghost of them where something stands before them. */
export class Copies {
  root = new Group();

  /** @param {number} count room for so many; where there are more it grows */
  constructor(geometry, count) {
    this.geometry = geometry;
    this.solid = new MeshStandardMaterial({ roughness: 0.5, emissiveIntensity: 0.3 });
    this.ghost = new MeshBasicMaterial({
      transparent: true, opacity: 0.42, depthFunc: GreaterDepth, depthWrite: false,
    });
    this.#make(count);
  }

  #make(count) {
    this.room = count;
    this.meshes = [this.solid, this.ghost].map((material) => new InstancedMesh(this.geometry, material, count));
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    for (const mesh of this.meshes) mesh.frustumCulled = false; // its bounds would be those of a single copy
    this.root.add(...this.meshes);
  }

  #grow() {
    const before = this.meshes;
    this.root.remove(...before);
    this.#make(2 * this.room + 1);
    this.meshes[0].instanceMatrix.array.set(before[0].instanceMatrix.array);
    for (const mesh of before) mesh.dispose();
  }

  /** Copies that are not put are not drawn. */
  clear() {
    for (const mesh of this.meshes) mesh.count = 0;
  }

  put(place, turn, scale) {
    const [{ count }] = this.meshes;
    if (count === this.room) this.#grow();
    this.meshes[0].setMatrixAt(count, matrix.compose(place, turn, scale));
    this.meshes[0].instanceMatrix.needsUpdate = true;
    for (const mesh of this.meshes) mesh.count = count + 1;
  }

  setColor(color) {
    this.solid.color.set(color);
    this.solid.emissive.set(color);
    this.ghost.color.set(color);
  }
}

export class Arrows {
  root = new Group();

  /** @param {{reach: number, cell: number}} measure how far the character reaches, and the cell of the grid */
  constructor({ reach, cell }, count) {
    Object.assign(this, { reach, cell });
    this.shafts = new Copies(new CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0), count);
    this.heads = new Copies(new ConeGeometry(1, 1, 24).translate(0, 0.5, 0), 2 * count);
    this.root.add(this.shafts.root, this.heads.root);
  }

  clear() {
    for (const copies of [this.shafts, this.heads]) copies.clear();
  }

  setColor(color) {
    for (const copies of [this.shafts, this.heads]) copies.setColor(color);
  }

  /** How long a value of that size is drawn; 0 where it would be a speck. @param {number} scale is drawn a cell long */
  length(size, scale) {
    const length = scale > 0 ? (size / scale) * this.cell : 0;
    return length > 0.004 * this.reach ? length : 0;
  }

  /** @param {Vector3} at where it starts @param {Vector3} force becomes its direction @param {number} scale in N a cell */
  put(at, force, scale) {
    const full = this.length(force.length(), scale);
    if (!full) return;
    const length = Math.min(full, this.reach);
    turn.setFromUnitVectors(up, force.normalize());
    const head = Math.min(0.075 * this.reach, 0.5 * length);
    const thick = Math.min(0.011 * this.reach, 0.09 * length);
    this.shafts.put(at, turn, size.set(thick, length - head, thick));
    size.set(0.36 * head, head, 0.36 * head);
    // Two heads: it should go on.
    for (let i = 0; i < (full > length ? 2 : 1); i++) {
      this.heads.put(tip.copy(at).addScaledVector(force, length - (1 + 0.8 * i) * head), turn, size);
    }
  }
}

/** What all but the strongest twentieth stay below. @param {number[]} sizes */
export const strong = (sizes) => sizes.sort((a, b) => a - b)[Math.floor(0.95 * (sizes.length - 1))] ?? 0;

/** The round value to draw a cell long so that `size` gets about that length; 0 for 0. */
export const perCell = (size, length, cell) => (size > 0 ? niceStep((size * cell) / length) : 0);

/** While a simulation runs, a scale changes only where it no longer fits at all: else lengths would mean nothing. */
export const nearScale = (a, b) => a === b || (a > 0 && b > 0 && Math.max(a / b, b / a) < 4);

const up = new Vector3(0, 1, 0);
const matrix = new Matrix4();
const size = new Vector3();
const tip = new Vector3();
const turn = new Quaternion();
