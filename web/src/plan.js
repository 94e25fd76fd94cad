// Tables that belong to a planned motion: what is planned over time, and how the plan was found, step by step. Plots
// look at them as at a motion.

/** @typedef {{forces?: Table, search?: Table}} Plan */

export class Table {
  live = false;

  /**
   * @param {string[]} names of the columns, that of the axis first @param {Float32Array} values row by row
   * @param {{name: string, column: string, unit: string, span?: [number, number]}} axis its name for people and in tables
   */
  constructor(names, values, axis) {
    Object.assign(this, { names, values, axis });
    const width = names.length;
    this.times = Array.from({ length: values.length / width }, (_, i) => values[i * width]);
    // Steps are counted anew in every search; the axis goes on.
    if (this.times.some((x, i) => i > 0 && x <= this.times[i - 1])) this.times = this.times.map((_, i) => i + 1);
  }

  get span() {
    return this.axis.span ?? [this.times[0], this.times.at(-1)];
  }

  /** The last row at or before a place of the axis; the first where there is none. */
  frameAt(place) {
    let frame = 0;
    while (frame + 1 < this.times.length && this.times[frame + 1] <= place + 1e-9) frame++;
    return frame;
  }

  column(name) {
    const j = this.names.indexOf(name);
    if (j < 0) return undefined;
    return Float32Array.from(this.times, (_, i) => this.values[i * this.names.length + j]);
  }

  /** Names of columns that fit and are not zero throughout. @param {RegExp} pattern */
  moving(pattern) {
    return this.names.slice(1).filter((name) => pattern.test(name) && this.column(name).some((x) => x !== 0));
  }
}
