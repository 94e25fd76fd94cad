// Joint loads: what each joint exerts on its first body, the force as an arrow from the joint, the torque as
// a bent arrow about it that turns as the torque does. What bodies hide shines through them faintly.
import {
  ConeGeometry, CylinderGeometry, GreaterDepth, Group, InstancedMesh, Matrix4, MeshBasicMaterial,
  MeshStandardMaterial, Quaternion, TorusGeometry, Vector3,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { niceStep } from './ground.js';
import { matrixOf } from './shapes.js';

/** @typedef {import('./motion.js').Motion} Motion */

const colors = { light: { force: 0xd61f69, torque: 0x0b8f5a }, dark: { force: 0xff5c9a, torque: 0x3ddc97 } };
const up = new Vector3(0, 1, 0);
const ahead = new Vector3(0, 0, 1);
const suffixes = ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];
/** So many frames tell how strong the loads of a motion are. */
const looks = 300;

/** Copies of one geometry: solid, and a ghost of them where something stands before them. */
class Copies {
  root = new Group();

  constructor(geometry, count) {
    this.solid = new MeshStandardMaterial({ roughness: 0.5, emissiveIntensity: 0.3 });
    this.ghost = new MeshBasicMaterial({
      transparent: true, opacity: 0.42, depthFunc: GreaterDepth, depthWrite: false,
    });
    this.meshes = [this.solid, this.ghost].map((material) => new InstancedMesh(geometry, material, count));
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    for (const mesh of this.meshes) mesh.frustumCulled = false; // its bounds would be those of a single copy
    this.root.add(...this.meshes);
  }

  /** Copies that are not put are not drawn. */
  clear() {
    for (const mesh of this.meshes) mesh.count = 0;
  }

  put(place, turn, scale) {
    const [{ count }] = this.meshes;
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

const matrix = new Matrix4();

/** Five sixths of a ring of diameter 1 about z, with a head. */
function bentArrow() {
  const arc = (5 / 3) * Math.PI;
  const head = new ConeGeometry(0.1, 0.24, 20).translate(0, 0.1, 0).rotateZ(arc);
  head.translate(0.5 * Math.cos(arc), 0.5 * Math.sin(arc), 0);
  return mergeGeometries([new TorusGeometry(0.5, 0.035, 12, 60, arc), head]);
}

export class Loads extends EventTarget {
  root = new Group();
  /** Why there is nothing to draw; empty where there is. */
  missing = '';
  /** N and N m that are drawn one cell of the grid long, 0 where there are none; whether some are too strong for that. */
  scale = { force: 0, torque: 0, cut: false };
  #columns = [];
  #places = [];
  #fittedAt = 0;

  /**
   * @param {import('./data.js').Scene} scene @param {Motion} motion
   * @param {{reach: number, cell: number}} measure how far the character reaches, and the cell of the grid
   */
  constructor(scene, motion, { reach, cell }) {
    super();
    Object.assign(this, { scene, reach, cell });
    const index = new Map(scene.bodies.map((body, i) => [body.name, i]));
    this.#places = scene.joints.map((joint) => {
      const body = index.get(joint.first) ?? -1;
      const place = new Vector3(...(joint.position ?? [0, 0, 0]));
      if (body >= 0) place.applyMatrix4(matrixOf(scene.bodies[body]).invert());
      return { body, place };
    });
    const count = scene.joints.length;
    this.shafts = new Copies(new CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0), count);
    this.heads = new Copies(new ConeGeometry(1, 1, 24).translate(0, 0.5, 0), 2 * count);
    this.rings = new Copies(bentArrow(), count);
    this.root.add(this.shafts.root, this.heads.root, this.rings.root);
    this.root.visible = false;
    this.setMotion(motion);
  }

  get hasJoints() {
    return this.scene.joints.length > 0;
  }

  /**
   * Another motion of the same scene; `live` where frames are still added to it. Tells by `change` what became of
   * `missing` and `scale`. @param {Motion & {live?: boolean}} motion
   */
  setMotion(motion) {
    this.motion = motion;
    const at = new Map(motion.names.map((name, i) => [name, i]));
    this.#columns = this.scene.joints.flatMap(({ name }) => suffixes.map((suffix) => at.get(`${name}.${suffix}`) ?? -1));
    this.values = new Float32Array(this.#columns.length);
    const left = motion.leftOut > 0;
    this.missing = this.#columns.some((column) => column >= 0) ? ''
      : left ? 'The joint loads were left out of this page to keep it small.' : 'This page holds no joint loads.';
    // A simulation begins with a single frame, which is no measure: the scale stays until it has more.
    if (!motion.live || !this.scale.force) {
      this.scale = { force: 0, torque: 0, cut: false };
      this.#fit();
    }
    this.#fittedAt = motion.end;
    this.dispatchEvent(new Event('change'));
  }

  /**
   * All but the strongest twentieth of the forces shall be no longer than a third of the character's reach. Where
   * it is tied to the world is not counted: what bears all its weight would make specks of the rest.
   */
  #fit() {
    this.#fittedAt = this.motion.end;
    const sizes = { force: [], torque: [] };
    const inner = this.scene.joints.map(({ first, second }) => first !== 'world' && second !== 'world');
    let most = 0;
    const { times } = this.motion;
    const count = Math.min(looks, times.length);
    for (let i = 0; i < count; i++) {
      this.motion.valuesAt(times[Math.floor((i * (times.length - 1)) / Math.max(count - 1, 1))], this.#columns, this.values);
      for (let k = 0; k < this.values.length; k += 3) {
        const size = vector.fromArray(this.values, k).length();
        if (!Number.isFinite(size)) continue;
        if (k % 6 === 0) most = Math.max(most, size);
        if (inner[Math.floor(k / 6)] || !inner.includes(true)) sizes[k % 6 ? 'torque' : 'force'].push(size);
      }
    }
    const strong = (list) => list.sort((a, b) => a - b)[Math.floor(0.95 * (list.length - 1))] ?? 0;
    const force = strong(sizes.force);
    const torque = strong(sizes.torque);
    const perCell = (size, length) => (size > 0 ? niceStep((size * this.cell) / length) : 0);
    this.#setScale({
      force: perCell(force, this.reach / 3),
      // What rounding leaves in a joint without torque is no torque.
      torque: torque > 1e-9 * force * this.reach ? perCell(torque, this.reach / 5) : 0,
    }, most);
  }

  /** While a simulation runs, the scale changes only where it no longer fits at all: else lengths would mean nothing. */
  #setScale(fitting, most) {
    const { scale } = this;
    const near = (a, b) => a === b || (a > 0 && b > 0 && Math.max(a / b, b / a) < 4);
    const stays = scale.force > 0 && near(fitting.force, scale.force) && near(fitting.torque, scale.torque);
    const { force, torque } = stays ? scale : fitting;
    this.scale = { force, torque, cut: this.#length(most, force) > this.reach };
    this.dispatchEvent(new Event('change'));
  }

  setTheme(name) {
    for (const copies of [this.shafts, this.heads]) copies.setColor(colors[name].force);
    this.rings.setColor(colors[name].torque);
  }

  show(time, poses) {
    if (!this.root.visible) return;
    if (Math.abs(this.motion.end - this.#fittedAt) > 1) this.#fit();
    this.motion.valuesAt(time, this.#columns, this.values);
    for (const copies of [this.shafts, this.heads, this.rings]) copies.clear();
    this.#places.forEach(({ body, place }, i) => {
      at.copy(place);
      if (body >= 0) at.applyQuaternion(turn.fromArray(poses, 7 * body + 3)).add(vector.fromArray(poses, 7 * body));
      this.#putForce(vector.fromArray(this.values, 6 * i));
      this.#putTorque(vector.fromArray(this.values, 6 * i + 3));
    });
  }

  /** How long a value of that size is drawn; 0 where it would be a speck. */
  #length(size, scale) {
    const length = scale > 0 ? (size / scale) * this.cell : 0;
    return length > 0.004 * this.reach ? length : 0;
  }

  #putForce(force) {
    const full = this.#length(force.length(), this.scale.force);
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

  #putTorque(torque) {
    const length = Math.min(this.#length(torque.length(), this.scale.torque), this.reach);
    if (!length) return;
    this.rings.put(at, turn.setFromUnitVectors(ahead, torque.normalize()), size.setScalar(length));
  }
}

const at = new Vector3();
const tip = new Vector3();
const size = new Vector3();
const turn = new Quaternion();
const vector = new Vector3();
