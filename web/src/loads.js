// Joint loads: what each joint exerts on its first body, the force as an arrow from the joint, the torque as
// a bent arrow about it that turns as the torque does.
import { ConeGeometry, Group, Quaternion, TorusGeometry, Vector3 } from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { Arrows, Copies, nearScale, perCell, strong } from './arrows.js';
import { matrixOf } from './shapes.js';

/** @typedef {import('./motion.js').Motion} Motion */

const colors = { light: { force: 0xd61f69, torque: 0x0b8f5a }, dark: { force: 0xff5c9a, torque: 0x3ddc97 } };
const ahead = new Vector3(0, 0, 1);
const suffixes = ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];
/** So many frames tell how strong the loads of a motion are. */
const looks = 300;

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
    this.arrows = new Arrows({ reach, cell }, count);
    this.rings = new Copies(bentArrow(), count);
    this.root.add(this.arrows.root, this.rings.root);
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
    const force = strong(sizes.force);
    const torque = strong(sizes.torque);
    this.#setScale({
      force: perCell(force, this.reach / 3, this.cell),
      // What rounding leaves in a joint without torque is no torque.
      torque: torque > 1e-9 * force * this.reach ? perCell(torque, this.reach / 5, this.cell) : 0,
    }, most);
  }

  #setScale(fitting, most) {
    const { scale } = this;
    const stays = scale.force > 0 && nearScale(fitting.force, scale.force) && nearScale(fitting.torque, scale.torque);
    const { force, torque } = stays ? scale : fitting;
    this.scale = { force, torque, cut: this.arrows.length(most, force) > this.reach };
    this.dispatchEvent(new Event('change'));
  }

  setTheme(name) {
    this.arrows.setColor(colors[name].force);
    this.rings.setColor(colors[name].torque);
  }

  show(time, poses) {
    if (!this.root.visible) return;
    if (Math.abs(this.motion.end - this.#fittedAt) > 1) this.#fit();
    this.motion.valuesAt(time, this.#columns, this.values);
    for (const copies of [this.arrows, this.rings]) copies.clear();
    this.#places.forEach(({ body, place }, i) => {
      at.copy(place);
      if (body >= 0) at.applyQuaternion(turn.fromArray(poses, 7 * body + 3)).add(vector.fromArray(poses, 7 * body));
      this.arrows.put(at, vector.fromArray(this.values, 6 * i), this.scale.force);
      this.#putTorque(vector.fromArray(this.values, 6 * i + 3));
    });
  }

  #putTorque(torque) {
    const length = Math.min(this.arrows.length(torque.length(), this.scale.torque), this.reach);
    if (!length) return;
    this.rings.put(at, turn.setFromUnitVectors(ahead, torque.normalize()), size.setScalar(length));
  }
}

const at = new Vector3();
const size = new Vector3();
const turn = new Quaternion();
const vector = new Vector3();
