// Contacts: a dot where two touch, and the force there on the second of them as an arrow.
import { Group, Quaternion, SphereGeometry, Vector3 } from 'three';
import { Arrows, Copies, nearScale, perCell, strong } from './arrows.js';

/** @typedef {import('./motion.js').Motion} Motion */

const colors = { light: { force: 0x6a2fd0, dot: 0x3d1a80 }, dark: { force: 0xb18cff, dot: 0xd9c8ff } };
/** So many frames tell how strong the forces of a motion are. */
const looks = 200;

export class Contacts extends EventTarget {
  root = new Group();
  /** Why there is nothing to draw; empty where there is. */
  missing = '';
  /** N that are drawn one cell of the grid long, 0 where there are none; whether some are too strong for that. */
  scale = { force: 0, cut: false };
  #fittedAt = 0;

  /**
   * @param {import('./data.js').Scene} scene @param {Motion} motion
   * @param {{reach: number, cell: number}} measure how far the character reaches, and the cell of the grid
   */
  constructor(scene, motion, { reach, cell }) {
    super();
    Object.assign(this, { reach, cell, isPossible: Boolean(scene.contact) });
    this.arrows = new Arrows({ reach, cell }, 64);
    this.dots = new Copies(new SphereGeometry(0.014 * reach, 16, 10), 64);
    this.root.add(this.arrows.root, this.dots.root);
    this.root.visible = false;
    this.setMotion(motion);
  }

  /** Another motion of the same scene. Tells by `change` what became of `missing` and `scale`. @param {Motion} motion */
  setMotion(motion) {
    this.motion = motion;
    this.missing = motion.hasContacts ? '' : 'This page holds no contacts.';
    // A simulation begins without contacts, which is no measure.
    if (!motion.live) this.scale = { force: 0, cut: false };
    this.#fit();
  }

  /** All but the strongest twentieth of the forces shall be no longer than a quarter of the character's reach. */
  #fit() {
    this.#fittedAt = this.motion.end;
    const { times } = this.motion;
    const sizes = [];
    const count = Math.min(looks, times.length);
    for (let i = 0; i < count; i++) {
      const values = this.motion.contactsAt(times[Math.floor((i * (times.length - 1)) / Math.max(count - 1, 1))]);
      for (let k = 3; k < values.length; k += 6) {
        const size = vector.fromArray(values, k).length();
        if (Number.isFinite(size)) sizes.push(size);
      }
    }
    const most = sizes.reduce((a, b) => Math.max(a, b), 0);
    const fitting = perCell(strong(sizes), this.reach / 4, this.cell);
    const force = !fitting || nearScale(fitting, this.scale.force) ? this.scale.force : fitting;
    this.scale = { force, cut: this.arrows.length(most, force) > this.reach };
    this.dispatchEvent(new Event('change'));
  }

  setTheme(name) {
    this.arrows.setColor(colors[name].force);
    this.dots.setColor(colors[name].dot);
  }

  show(time) {
    if (!this.root.visible) return;
    const waits = this.scale.force ? 1 : 0.1; // s
    if (Math.abs(this.motion.end - this.#fittedAt) > waits) this.#fit();
    this.arrows.clear();
    this.dots.clear();
    const values = this.motion.contactsAt(time);
    for (let k = 0; k < values.length; k += 6) {
      at.fromArray(values, k);
      vector.fromArray(values, k + 3);
      if (!Number.isFinite(at.lengthSq() + vector.lengthSq())) continue;
      this.dots.put(at, still, one);
      this.arrows.put(at, vector, this.scale.force);
    }
  }
}

const at = new Vector3();
const one = new Vector3(1, 1, 1);
const still = new Quaternion();
const vector = new Vector3();
