// The engine in WebAssembly: hides pointers, text and memory. What the engine refuses becomes an Error
// with the engine's own words.

/** From base64 of gzip, as the page carries the module. @returns {Promise<ArrayBuffer>} */
export function unpackEngine(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const noEntry = 8; // WASI's words for a file that is not open, and for a call that is not there
const notThere = 52;

/** The little of an operating system that the C++ library asks for: no files, no arguments, a clock. */
function system(imports, memory) {
  const view = () => new DataView(memory().buffer);
  const none = (count, size) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return 0;
  };
  const calls = {
    args_sizes_get: none,
    environ_sizes_get: none,
    args_get: () => 0,
    environ_get: () => 0,
    clock_time_get: (clock, precision, out) => {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    // Swallowed, but said to be written, or the library would try for ever.
    fd_write: (file, parts, count, out) => {
      let size = 0;
      for (let i = 0; i < count; i++) size += view().getUint32(parts + 8 * i + 4, true);
      view().setUint32(out, size, true);
      return 0;
    },
    fd_close: () => noEntry,
    fd_seek: () => noEntry,
    fd_fdstat_get: () => noEntry,
    proc_exit: (code) => {
      throw new Error(`the engine ended itself with code ${code}`);
    },
  };
  const made = {};
  for (const { module, name } of imports) (made[module] ??= {})[name] = calls[name] ?? (() => notThere);
  return made;
}

/**
 * @typedef {{solver: string, integrator: string, coordinates: string, step: number, gravity: number[],
 *   changes: {stiffness: number, damping: number, addedStiffness: number, addedDamping: number, torques: boolean},
 *   held: {body: number, point: number[], to: number[]} | null,
 *   joints: {name: string, body: number, slides: number, torque: number[], target?: number[], stiffness?: number, damping?: number}[],
 *   bodies: number, particles: {name: string, shape: string, shadow: boolean, emission: boolean, most: number, trail: number}[], springs: boolean, dampers: boolean, columns: string[],
 *   solvers: {name: string, title: string, coordinates: string}[],
 *   integrators: {name: string, title: string, solvers: string[]}[]}} Info
 */

export class Engine {
  #calls;
  #bodies = 0;
  #columns = 0;

  /** @param {BufferSource} bytes the module */
  static async load(bytes) {
    const module = await WebAssembly.compile(bytes);
    const imports = system(WebAssembly.Module.imports(module), () => calls.memory);
    const { exports: calls } = await WebAssembly.instantiate(module, imports);
    calls._initialize();
    const engine = new Engine();
    engine.#calls = calls;
    return engine;
  }

  #give(text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.#calls.room(bytes.length);
    new Uint8Array(this.#calls.memory.buffer, at, bytes.length).set(bytes);
    return bytes.length;
  }

  #text(at, length) {
    return new TextDecoder().decode(new Uint8Array(this.#calls.memory.buffer, at, length));
  }

  /** A view for reading at once: memory may move at the next call. */
  #numbers(at, count) {
    return new Float64Array(this.#calls.memory.buffer, at, count);
  }

  #check(good) {
    if (!good) throw new Error(this.message);
  }

  /** Why the last call failed, or why `advance` stopped early. */
  get message() {
    return this.#text(this.#calls.message(), this.#calls.messageLength());
  }

  /** @param {object} scene as in the scene file */
  open(scene) {
    this.#check(this.#calls.openScene(this.#give(JSON.stringify(scene))));
    return this.info();
  }

  /** What is open and how it is simulated now. @returns {Info} */
  info() {
    const at = this.#calls.info();
    const info = JSON.parse(this.#text(at, this.#calls.infoLength()));
    this.#bodies = info.bodies;
    this.#columns = info.columns.length;
    return info;
  }

  /** Of each body, as a page's data has them. @returns {{mass: number, center: number[], inertia: number[][]}[]} */
  masses() {
    const at = this.#calls.masses();
    return JSON.parse(this.#text(at, this.#calls.massesLength()));
  }

  /** Empty names and a step of 0 mean the defaults. */
  choose(solver, integrator, step) {
    this.#check(this.#calls.choose(this.#give(`${solver}\n${integrator}`), step));
    return this.info();
  }

  /** @param {{gravity: number[], stiffness: number, damping: number, addedStiffness: number, addedDamping: number, torques: boolean}} of */
  change({ gravity, stiffness, damping, addedStiffness, addedDamping, torques }) {
    this.#check(this.#calls.change(...gravity, stiffness, damping, addedStiffness, addedDamping, torques ? 1 : 0));
  }

  /** @param {object} action what a line of `sinew run --live` says */
  act(action) {
    this.#check(this.#calls.act(this.#give(JSON.stringify(action))));
    return this.info();
  }

  reset() {
    this.#check(this.#calls.reset());
  }

  /** @returns {number} steps made; fewer than asked for where it diverged */
  advance(count) {
    return this.#calls.advance(count);
  }

  get time() {
    return this.#calls.time();
  }

  get step() {
    return this.#calls.stepSize();
  }

  /** 7 numbers a body; read them before the next call. */
  poses() {
    return this.#numbers(this.#calls.poses(), 7 * this.#bodies);
  }

  /** The first twelve columns: energies, momenta, gap, misalignment. */
  measures() {
    return this.#numbers(this.#calls.measures(), 12);
  }

  /** All columns. */
  series() {
    return this.#numbers(this.#calls.series(), this.#columns);
  }

  /** 6 numbers for each contact that bears a force: place, force on its second body. */
  contacts() {
    return this.#numbers(this.#calls.contacts(), 6 * this.#calls.contactCount());
  }

  /** Places of a mesh's vertices, x y z each; read them before the next call. @returns {Float32Array} */
  mesh(index, vertices) {
    return new Float32Array(this.#calls.memory.buffer, this.#calls.meshPlaces(index), 3 * vertices);
  }

  /** Particles of a system; read them before the next call. @returns {import('./motion.js').Cloud} */
  particles(system, trail = 0) {
    const count = this.#calls.particles(system);
    const trails = trail > 1 && count ? this.#calls.particleTrails(system) : 0;
    const { buffer } = this.#calls.memory;
    const floats = (at, length) => new Float32Array(buffer, at, length);
    return {
      count,
      places: floats(this.#calls.particlePlaces(), 3 * count),
      sizes: floats(this.#calls.particleSizes(), count),
      colors: new Uint8Array(buffer, this.#calls.particleColors(), 4 * count),
      velocities: floats(this.#calls.particleVelocities(), 3 * count),
      trail: trails ? trail : 0,
      trails: floats(trails, trails ? 3 * trail * count : 0),
    };
  }

  /** @param {number[]} point in the body's frame @param {number[]} to a place in the world */
  grab(body, point, to) {
    this.#calls.grab(body, ...point, ...to);
  }

  moveGrab(to) {
    this.#calls.moveGrab(...to);
  }

  release() {
    this.#calls.release();
  }

  /** @param {number[]} point in the body's frame @param {number[]} impulse in N s, world axes */
  push(body, point, impulse) {
    this.#calls.push(body, ...point, ...impulse);
  }

  /** All that was done since the scene was opened, as `sinew run --replay` reads it. */
  get recording() {
    const at = this.#calls.recording();
    return this.#text(at, this.#calls.recordingLength());
  }

  /** Begins anew; `advance` then does what the recording says. */
  replay(recording) {
    this.#check(this.#calls.replay(this.#give(recording)));
    return this.info();
  }

  /** That a replay still has to make; 0 where none is under way. */
  get stepsToReplay() {
    return this.#calls.stepsToReplay();
  }

  /** How many there were; grows during a replay too. */
  get interactions() {
    return this.#calls.interactions();
  }

  /** As `state_hash` of summary.json. @returns {bigint} */
  get stateHash() {
    return BigInt.asUintN(64, this.#calls.stateHash());
  }
}
