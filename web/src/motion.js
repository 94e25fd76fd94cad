// Where poses come from: a motion that was recorded, or the last seconds of one that runs now. Stage, player
// and plots know a motion only by what `Motion` has.
import { Quaternion } from 'three';

/** @typedef {import('./data.js').Recording} Recording */

const none = new Float32Array();

/**
 * Particles of one system: x y z, radius and four bytes of colour of each; x y z of velocities and of `trail`
 * remembered places each, where they are known.
 * @typedef {{count: number, places: Float32Array, sizes: Float32Array, colors: Uint8Array, velocities: Float32Array,
 *   trail: number, trails: Float32Array}} Cloud
 */
const noCloud = { count: 0, places: none, sizes: none, colors: new Uint8Array(), velocities: none, trail: 0, trails: none };

export class Motion {
  /** Whether frames are still added. */
  live = false;
  /** Of the frames, in s, rising. @type {ArrayLike<number>} */
  times = [];
  /** 7 numbers a body and frame. */
  poses = new Float32Array();
  /** A row of the series per frame. */
  values = new Float32Array();

  /** Columns that the page does without, to stay small. */
  leftOut = 0;

  /** Whether contacts are known. */
  hasContacts = false;

  /** Particle systems. @type {{name: string, shape: string, shadow: boolean, emission: boolean}[]} */
  systems = [];

  /** Spring meshes. @type {{name: string, vertices: number, faces: ArrayLike<number>}[]} */
  meshes = [];

  /** Other characters around this one. @type {import('./data.js').Recording['crowd']} */
  crowd;

  /** @param {number} bodies @param {string[]} names of the series */
  constructor(bodies, names) {
    this.bodies = bodies;
    this.names = names;
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  /** The times that plots show. @returns {[number, number]} */
  get span() {
    return [this.start, this.end];
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

  /** Between which frames a time is, and how far. @returns {{frame: number, part: number}} the last frame has no part */
  momentAt(time) {
    const frame = this.frameAt(time);
    if (frame + 1 >= this.times.length) return { frame, part: 0 };
    const part = (time - this.times[frame]) / (this.times[frame + 1] - this.times[frame]);
    return { frame, part: Math.min(Math.max(part, 0), 1) };
  }

  /** One column of the series, a value per frame; undefined where there is none of that name. */
  column(name) {
    const j = this.names.indexOf(name);
    if (j < 0) return undefined;
    const column = new Float32Array(this.times.length);
    for (let i = 0; i < column.length; i++) column[i] = this.values[i * this.names.length + j];
    return column;
  }

  /** Contacts of the last frame at or before a time, 6 numbers each: place, force. @returns {Float32Array} */
  contactsAt(time) {
    return this.contactsOf(this.frameAt(time));
  }

  /** @returns {Float32Array} */
  contactsOf() {
    return none;
  }

  /** Particles of a system at the last frame at or before a time. @returns {Cloud} good until the next call */
  particlesAt() {
    return noCloud;
  }

  /** Places of a mesh's vertices at a time, x y z each, into `out`. */
  meshAt() {}

  /** Places of some particles over the motion, x y z each: what a picture must show. @returns {number[]} */
  someParticles() {
    return [];
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

export class RecordedMotion extends Motion {
  /** @param {Recording} recording */
  constructor(recording) {
    super(recording.scene.bodies.length, recording.series.names);
    this.times = recording.times;
    this.poses = recording.poses;
    this.values = recording.series.values;
    this.leftOut = recording.series.leftOut;
    this.#contacts = recording.contacts;
    this.hasContacts = this.#contacts !== undefined;
    for (const count of this.#contacts?.counts ?? []) this.#starts.push(this.#starts.at(-1) + 6 * count);
    this.#particles = recording.particles;
    this.systems = this.#particles?.systems ?? [];
    this.#meshes = recording.meshes;
    this.meshes = this.#meshes?.list ?? [];
    this.crowd = recording.crowd;
  }

  #particles;
  #meshes;

  meshAt(time, mesh, out) {
    const frame = this.frameAt(time);
    const next = Math.min(frame + 1, this.times.length - 1);
    const part = next > frame ? (time - this.times[frame]) / (this.times[next] - this.times[frame]) : 0;
    this.#meshes.places(frame + Math.min(Math.max(part, 0), 1), mesh, out);
  }

  particlesAt(time, system) {
    return this.#particles?.cloud(this.frameAt(time), system, time) ?? noCloud;
  }

  someParticles() {
    const places = [];
    const looks = Math.min(40, this.times.length);
    for (let n = 0; n < looks; n++) {
      const frame = Math.floor((n * (this.times.length - 1)) / Math.max(looks - 1, 1));
      this.systems.forEach((_, i) => {
        const cloud = this.#particles.cloud(frame, i, this.times[frame]);
        const every = Math.max(1, Math.floor(cloud.count / 50));
        for (let k = 0; k < cloud.count; k += every) places.push(...cloud.places.subarray(3 * k, 3 * k + 3));
      });
    }
    this.meshes.forEach(({ vertices }, i) => {
      const out = new Float32Array(3 * vertices);
      for (let n = 0; n < looks; n++) {
        this.#meshes.places(Math.floor((n * (this.times.length - 1)) / Math.max(looks - 1, 1)), i, out);
        for (let k = 0; k < vertices; k += Math.max(1, Math.floor(vertices / 60))) places.push(...out.subarray(3 * k, 3 * k + 3));
      }
    });
    return places;
  }

  #contacts;
  #starts = [0]; // of the contacts of each frame that has them

  contactsOf(frame) {
    if (!this.#contacts) return none;
    const i = Math.floor(frame / this.#contacts.every);
    return this.#contacts.values.subarray(this.#starts[i], this.#starts[i + 1]);
  }
}

/** The rates that animators use, and the one for keys that fit none of them. */
const clipRates = [24, 25, 30, 60, 120];
const otherRate = 60;
const mostClipFrames = 200000;

/** The lowest of the usual rates at which every key lies on a frame. @param {number[]} keys s */
function rateOf(keys) {
  const fits = (rate) => keys.every((time) => Math.abs(time * rate - Math.round(time * rate)) < 0.01);
  return clipRates.find(fits) ?? otherRate;
}

/** The time that clips of a character take, in frames of their keys. The character itself has the poses. */
export class ClipMotion extends Motion {
  /** @param {import('three').AnimationClip[]} clips those that are seen; without any there is one frame */
  constructor(clips) {
    super(0, []);
    const end = Math.max(0, ...clips.map(({ duration }) => duration));
    const rate = rateOf(clips.flatMap((clip) => clip.tracks.flatMap(({ times }) => Array.from(times))));
    const whole = Math.min(Math.floor(end * rate + 0.01), mostClipFrames);
    this.times = Array.from({ length: whole + 1 }, (_, i) => Math.min(i / rate, end));
    if (end - this.times[whole] > 0.01 / rate) this.times.push(end);
    else this.times[whole] = end; // to the last bit
  }
}

const historyFps = 60;
const longestHistory = 30; // s
const mostNumbers = 8e6; // of poses and series; a large figure has a shorter past
const leastSpan = 4;

/**
 * The last half minute of a running simulation, or less of a large one. Frames lie one behind the other in rooms for twice as many,
 * and move to the front when the end is reached: so the views on them are plain arrays, as of a recording.
 * The last frame is always the present one; it stays only when the one before it is old enough.
 */
export class LiveMotion extends Motion {
  live = true;
  hasContacts = true;
  /** Counts changes, for those who draw all of it. */
  version = 0;
  #most; // frames
  #first = 0;
  #count = 0;
  /** Of each frame, at the place of its time in the room. @type {Float32Array[]} */
  #contacts = [];

  constructor(bodies, names) {
    super(bodies, names);
    const frames = Math.floor(mostNumbers / (7 * bodies + names.length || 1));
    this.#most = Math.min(longestHistory * historyFps, Math.max(frames, 2 * historyFps));
    this.rooms = {
      times: new Float64Array(2 * this.#most),
      poses: new Float32Array(2 * this.#most * 7 * bodies),
      values: new Float32Array(2 * this.#most * names.length),
    };
  }

  get span() {
    return [this.start, Math.max(this.end, this.start + leastSpan)];
  }

  /** Particles are those of the present alone: a past of them would fill memories. @type {(system: number) => Cloud} */
  present = () => noCloud;

  particlesAt(time, system) {
    return this.present(system);
  }

  /** Likewise. @type {(mesh: number) => ArrayLike<number>} */
  presentMesh = () => [];

  meshAt(time, mesh, out) {
    out.set(this.presentMesh(mesh));
  }

  clear() {
    this.#first = this.#count = 0;
  }

  contactsOf(frame) {
    return this.#contacts[this.#first + frame];
  }

  /** @param {ArrayLike<number>} poses @param {ArrayLike<number>} values a row of the series @param {Float32Array} contacts */
  put(time, poses, values, contacts = none) {
    const last = this.#first + this.#count - 1;
    const { times } = this.rooms;
    const passing = this.#count > 1 && time - times[last - 1] < 0.999 / historyFps;
    const again = this.#count > 0 && time <= times[last];
    if (!passing && !again) this.#grow();
    const at = this.#first + this.#count - 1;
    times[at] = time;
    this.#contacts[at] = contacts;
    this.rooms.poses.set(poses, at * poses.length);
    this.rooms.values.set(values, at * values.length);
    for (const [key, room] of Object.entries(this.rooms)) {
      const width = this.#width(key);
      this[key] = room.subarray(this.#first * width, (at + 1) * width);
    }
    this.version++;
  }

  #width(key) {
    return { times: 1, poses: 7 * this.bodies, values: this.names.length }[key];
  }

  #grow() {
    if (this.#count < this.#most) this.#count++;
    else this.#first++;
    if (this.#first + this.#count <= 2 * this.#most) return;
    for (const [key, room] of Object.entries(this.rooms)) room.copyWithin(0, this.#first * this.#width(key));
    this.#contacts.splice(0, this.#first);
    this.#first = 0;
  }
}
