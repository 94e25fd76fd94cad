// All that is drawn about the bodies to help the eye. One thing to see is one mark; the stage knows marks only
// by this list, so contacts, particles or springs get their look by one `add` each.
import { Group } from 'three';

/**
 * @typedef {{root: import('three').Object3D, show: (time: number, poses: Float32Array) => void,
 *   setTheme: (name: 'light' | 'dark') => void}} Mark `poses` are those of `time`, 7 numbers a body
 */

export class Marks {
  root = new Group();
  /** @type {Mark[]} */
  #all = [];

  constructor() {
    this.root.name = 'marks';
  }

  /** @template {Mark} T @param {T} mark @returns {T} the mark itself */
  add(mark) {
    this.#all.push(mark);
    this.root.add(mark.root);
    return mark;
  }

  show(time, poses) {
    for (const mark of this.#all) mark.show(time, poses);
  }

  setTheme(name) {
    for (const mark of this.#all) mark.setTheme(name);
  }
}
