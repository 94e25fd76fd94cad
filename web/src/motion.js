// Where poses come from. Stage, player and plots know a motion only by `times`, `start`, `end`,
// `sample()` and `column()`; a live simulation fits in here as a second class whose `times` grow.
import { Quaternion } from 'three';

/** @typedef {import('./data.js').Recording} Recording */

export class RecordedMotion {
  /** @param {Recording} recording */
  constructor(recording) {
    this.times = recording.times;
    this.bodies = recording.scene.bodies.length;
    this.names = recording.series.names;
    this.poses = recording.poses;
    this.values = recording.series.values;
    /** Columns that the page does without, to stay small. */
    this.leftOut = recording.series.leftOut;
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  /** The last frame at or before a time. */
  frameAt(time) {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Poses at any time, between frames by straight lines and even turns, so that slow motion is smooth.
   * @param {number} time @param {Float32Array} out 7 numbers a body
   */
  sample(time, out) {
    const width = 7 * this.bodies;
    const frame = this.frameAt(time);
    const a = frame * width;
    out.set(this.poses.subarray(a, a + width));
    if (frame + 1 >= this.times.length) return;
    const part = (time - this.times[frame]) / (this.times[frame + 1] - this.times[frame]);
    if (!(part > 0)) return;
    const b = a + width;
    for (let i = 0; i < width; i += 7) {
      for (let k = i; k < i + 3; k++) out[k] += part * (this.poses[b + k] - out[k]);
      Quaternion.slerpFlat(out, i + 3, out, i + 3, this.poses, b + i + 3, part);
    }
  }

  /** One column of the series, a value per frame; undefined where there is none of that name. */
  column(name) {
    const j = this.names.indexOf(name);
    if (j < 0) return undefined;
    const column = new Float32Array(this.times.length);
    for (let i = 0; i < column.length; i++) column[i] = this.values[i * this.names.length + j];
    return column;
  }

  /**
   * One value each of several columns at any time, between frames by straight lines.
   * @param {number} time @param {number[]} columns where in `names`; -1 gives NaN
   * @param {Float32Array} out a number a column
   */
  valuesAt(time, columns, out) {
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.times.length - 1);
    const part = next > frame ? Math.min(Math.max((time - this.times[frame]) / (this.times[next] - this.times[frame]), 0), 1) : 0;
    const width = this.names.length;
    columns.forEach((column, i) => {
      const a = column < 0 ? NaN : this.values[frame * width + column];
      out[i] = part > 0 ? a + part * (this.values[next * width + column] - a) : a;
    });
  }
}
