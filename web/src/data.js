// Reads and checks the data that a page carries; web/README.md describes it.
import { Table } from './plan.js';

/**
 * @typedef {[number, number, number]} Vec3
 * @typedef {{type: string, position?: Vec3, orientation?: number[], radius?: number, length?: number,
 *   size?: Vec3, radii?: Vec3, vertices?: Vec3[], faces?: number[][]}} Shape
 * @typedef {{name: string, position?: Vec3, orientation?: number[], shapes?: Shape[], mass?: number,
 *   center?: Vec3, inertia?: number[][], reach?: number}} Body position and orientation are those of the rest pose;
 *   reach: how far its joints are from its centre of mass, set by the figure
 * @typedef {{name: string, type: string, first: string, second: string, position?: Vec3, axis?: Vec3,
 *   axis2?: Vec3}} Joint place and axes in the world, in the rest pose
 * @typedef {Shape & {name?: string, normal?: Vec3, columns?: number, rows?: number, spacing?: number,
 *   heights?: number[]}} Obstacle a plane, any shape, a height field or triangles
 * @typedef {{body: string, point?: Vec3, path: {time: number, position?: Vec3}[]}} Target
 * @typedef {{name: string, about: string, bodies: Body[], joints: Joint[], obstacles: Obstacle[],
 *   targets: Target[], contact?: object | boolean}} Scene
 * @typedef {{names: string[], values: Float32Array, leftOut: number}} Series row by row, a row per frame
 * @typedef {{every: number, counts: number[], values: Float32Array}} TouchData how many contacts one in so many frames has,
 *   and six numbers for each: place, force
 * @typedef {{name?: string, clip?: string, scale?: number}} Look of a character: what it is called, its clip to begin with, and
 *   how many metres a unit of its file has, where there is a run too
 * @typedef {{look?: Look, source: object, scene: Scene, fps: number, every: number, times: number[], poses: Float32Array,
 *   series: Series, contacts?: TouchData, particles?: PackedParticles, meshes?: PackedMeshes, crowd?: PackedCrowd, plan?: import('./plan.js').Plan, summary: Record<string, any>}} Recording `source` is the scene as the file has it, for the
 *   engine; `scene` has defaults and masses filled in
 */

/** Of a page that holds a character alone. @param {Look} look */
const emptyScene = ({ name = '' }) => ({ name, about: '', bodies: [], joints: [], obstacles: [], targets: [] });

/** Little-endian float32, which is what every machine with WebGL has in memory. */
function unpack(text, length, what) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  if (bytes.length !== 4 * length) {
    throw new Error(`${what} hold ${bytes.length} bytes, not ${4 * length}`);
  }
  return new Float32Array(bytes.buffer);
}

function readContacts({ every = 1, counts, values }, frames) {
  if (counts.length !== Math.ceil(frames / every)) throw new Error(`the data holds contacts of ${counts.length} frames, not of all`);
  return { every, counts, values: unpack(values, 6 * counts.reduce((sum, n) => sum + n, 0), 'the contacts') };
}

/** Bytes that a particle takes; those with trails have the number of their birth. */
const eachBytes = ({ trail }) => (trail ? 22 : 18);
const mostTrail = 400; // places

/** Particles as the page has them, unpacked frame by frame when they are asked for. */
class PackedParticles {
  /** @param {object} data `particles` of the page's data @param {number[]} times of the page's frames */
  constructor(data, times) {
    const { systems, one_in: oneIn, every = 1, counts, values } = data;
    Object.assign(this, { systems, oneIn, every, data });
    this.times = times.filter((_, i) => i % every === 0);
    if (counts.length !== this.times.length * systems.length) throw new Error(`the data holds particles of ${counts.length / systems.length} frames, not of all`);
    this.bytes = Uint8Array.from(atob(values), (c) => c.charCodeAt(0));
    this.starts = [0];
    counts.forEach((n, i) => this.starts.push(this.starts[i] + n * eachBytes(systems[i % systems.length])));
    if (this.bytes.length !== this.starts.at(-1)) throw new Error('the particles hold another number of bytes than they should');
    this.view = new DataView(this.bytes.buffer);
    this.clouds = systems.map(() => ({ room: -1 }));
    this.known = systems.map(() => new Map()); // of those with trails, per frame: where each number is
  }

  /** Those of a frame of the page, `time` s: between frames they go on with their velocities. @returns {import('./motion.js').Cloud} */
  cloud(pageFrame, system, time) {
    const frame = Math.floor(pageFrame / this.every);
    const made = this.clouds[system];
    const at = frame * this.systems.length + system;
    const count = this.data.counts[at];
    if (count > made.room) grow(made, count);
    const ahead = Math.max(0, time - this.times[frame]);
    this.#unpack(at, count, made.rooms, ahead);
    const { places, sizes, colors, velocities } = made.rooms;
    Object.assign(made, {
      count, trail: 0, trails: places.subarray(0, 0), places: places.subarray(0, 3 * count), sizes: sizes.subarray(0, count),
      colors: colors.subarray(0, 4 * count), velocities: velocities.subarray(0, 3 * count),
    });
    if (this.systems[system].trail) this.#addTrails(made, frame, system);
    return made;
  }

  #place(from, k) {
    const { low, high } = this.data;
    return low[k] + ((high[k] - low[k]) / 65535) * this.view.getUint16(from + 2 * k, true);
  }

  #unpack(at, count, { places, sizes, colors, velocities }, ahead) {
    const { size, speed } = this.data;
    const { view, bytes } = this;
    const each = eachBytes(this.systems[at % this.systems.length]);
    for (let i = 0; i < count; i++) {
      const from = this.starts[at] + i * each;
      for (let k = 0; k < 3; k++) {
        velocities[3 * i + k] = speed * ((2 / 65535) * view.getUint16(from + 12 + 2 * k, true) - 1);
        places[3 * i + k] = this.#place(from, k) + ahead * velocities[3 * i + k];
      }
      sizes[i] = (size / 65535) * view.getUint16(from + 6, true);
      for (let k = 0; k < 4; k++) colors[4 * i + k] = bytes[from + 8 + k];
    }
  }

  /** Where each of a frame's particles lies in the bytes, by the number of its birth. */
  #placesOf(frame, system) {
    const known = this.known[system];
    if (known.has(frame)) return known.get(frame);
    if (known.size > 2 * mostTrail) known.clear();
    const at = frame * this.systems.length + system;
    const found = new Map();
    for (let i = 0; i < this.data.counts[at]; i++) {
      const from = this.starts[at] + i * 22;
      found.set(this.view.getUint32(from + 18, true), from);
    }
    known.set(frame, found);
    return found;
  }

  /** Where they were in the frames before, as long as trails remember. */
  #addTrails(made, frame, system) {
    const oldest = this.times[frame] - this.systems[system].trail;
    let first = frame;
    while (first > 0 && this.times[first - 1] >= oldest && frame - first < mostTrail) first--;
    const trail = frame - first + 1;
    const at = frame * this.systems.length + system;
    if (made.trails.length < 3 * trail * made.count) made.trails = new Float32Array(3 * trail * made.count);
    for (let i = 0; i < made.count; i++) {
      let from = this.starts[at] + i * 22;
      const number = this.view.getUint32(from + 18, true);
      for (let back = 0; back < trail; back++) {
        from = this.#placesOf(frame - back, system).get(number) ?? from; // not born yet: where it was first
        for (let k = 0; k < 3; k++) made.trails[3 * (i * trail + back) + k] = this.#place(from, k);
      }
    }
    made.trail = trail;
  }
}

function grow(made, count) {
  made.room = Math.ceil(1.3 * count);
  made.rooms = {
    places: new Float32Array(3 * made.room), sizes: new Float32Array(made.room), colors: new Uint8Array(4 * made.room),
    velocities: new Float32Array(3 * made.room),
  };
}

/** Meshes as the page has them: places of 16 bits in a box, of one in `every` frames. */
class PackedMeshes {
  /** @param {object} data `meshes` of the page's data @param {number} frames */
  constructor({ every, list, low, high, values }, frames) {
    const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
    this.every = every;
    this.low = low;
    this.steps = low.map((x, k) => (high[k] - x) / 65535);
    this.list = list.map(({ name, vertices, faces }) => ({ name, vertices, faces: new Uint32Array(bytesOf(faces)) }));
    this.starts = [0];
    this.list.forEach(({ vertices }, i) => this.starts.push(this.starts[i] + 3 * vertices));
    this.width = this.starts.at(-1);
    this.count = Math.ceil(frames / every);
    this.values = new Uint16Array(bytesOf(values));
    if (this.values.length !== this.count * this.width) throw new Error('the meshes hold another number of places than they should');
  }

  /** Places of a mesh at a frame, which need not be whole: between frames by straight lines. @param {Float32Array} out */
  places(frame, mesh, out) {
    const at = Math.min(frame / this.every, this.count - 1);
    const first = Math.floor(at);
    const part = at - first;
    const from = first * this.width + this.starts[mesh];
    const to = Math.min(first + 1, this.count - 1) * this.width + this.starts[mesh];
    const { values, low, steps } = this;
    for (let i = 0; i < out.length; i++) {
      const a = values[from + i];
      out[i] = low[i % 3] + steps[i % 3] * (a + part * (values[to + i] - a));
    }
  }
}

/** A crowd as the page has it: poses of 16 bits, frame by frame and character by character, and where each is set apart. */
class PackedCrowd {
  /** @param {object} data `crowd` of the page's data @param {number} frames @param {number} bodies */
  constructor({ of, places, low, high, values }, frames, bodies) {
    Object.assign(this, { of, places, low, bodies });
    this.steps = low.map((x, k) => (high[k] - x) / 65535);
    this.values = new Uint16Array(Uint8Array.from(atob(values), (c) => c.charCodeAt(0)).buffer);
    this.width = 7 * bodies * places.length;
    if (this.values.length !== frames * this.width) throw new Error('the crowd holds another number of poses than it should');
  }

  /** Of one body at a moment between two frames. @param {import('three').Vector3} place @param {import('three').Quaternion} turn */
  pose({ frame, part }, character, body, place, turn) {
    const { values, low, steps } = this;
    const at = frame * this.width + 7 * (character * this.bodies + body);
    const next = part > 0 ? at + this.width : at;
    const [x, z] = this.places[character];
    const along = (k) => low[k] + steps[k] * (values[at + k] + part * (values[next + k] - values[at + k]));
    place.set(along(0) + x, along(1), along(2) + z);
    const first = (k) => 2 * values[at + k] - 65535;
    const second = (k) => 2 * values[next + k] - 65535;
    // The nearer one of the two quaternions that are the same turn.
    const same = first(3) * second(3) + first(4) * second(4) + first(5) * second(5) + first(6) * second(6) >= 0;
    const [a, b] = [1 - part, same ? part : -part];
    turn.set(a * first(3) + b * second(3), a * first(4) + b * second(4), a * first(5) + b * second(5), a * first(6) + b * second(6));
    turn.normalize();
  }
}

/** A planned motion and how it was found: tables with the axis as first column. */
function readPlan({ forces, search }, times) {
  const table = (data, axis) => data && new Table(data.names, unpack(data.values, data.names.length * data.rows, 'the plan'), axis);
  return {
    forces: table(forces, { name: 'time', column: 'time', unit: 's', span: [times[0], times.at(-1)] }),
    search: table(search, { name: 'iterations', column: 'iteration', unit: '' }),
  };
}

/** @param {string} text JSON @returns {Recording} of a character alone it has no frames */
export function readData(text) {
  const data = JSON.parse(text);
  if (data.version !== 1) throw new Error(`the data has version ${data.version}, this page reads version 1`);
  const { character: look, scene, masses, frames, series = { names: [], values: '' }, summary = {} } = data;
  if (look && !scene) return { look, scene: emptyScene(look), summary };
  if (!(frames.count > 0) || frames.times.length !== frames.count) throw new Error('the data holds no frames');
  if (masses?.length !== scene.bodies.length) {
    throw new Error(`the data holds masses of ${masses?.length ?? 0} bodies, the scene has ${scene.bodies.length}`);
  }
  return {
    look,
    source: scene,
    scene: {
      name: '', about: '', joints: [], obstacles: [], targets: [], ...scene,
      bodies: scene.bodies.map((body, i) => ({ ...body, ...masses[i] })),
    },
    fps: frames.fps,
    every: frames.every ?? 1,
    times: frames.times,
    poses: unpack(frames.poses, frames.count * scene.bodies.length * 7, 'the poses'),
    series: {
      names: series.names,
      values: unpack(series.values, frames.count * series.names.length, 'the series'),
      leftOut: series.left_out ?? 0,
    },
    contacts: data.contacts && readContacts(data.contacts, frames.count),
    particles: data.particles && new PackedParticles(data.particles, frames.times),
    meshes: data.meshes && new PackedMeshes(data.meshes, frames.count),
    live: data.live === true,
    plan: data.plan && readPlan(data.plan, frames.times),
    crowd: data.crowd && new PackedCrowd(data.crowd, frames.count, scene.bodies.length),
    summary,
  };
}
