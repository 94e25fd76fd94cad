// A simulation that runs in the page: the engine, its settings, its clock, and what it has to tell.
import { LiveMotion } from './motion.js';

/** More than this of a frame would make the page sluggish; then the simulation slows down instead. */
const budget = 30; // ms
const pictureTime = 1 / 60;
const kinetic = 0;
const potential = 1;
const total = 3;
const gap = 10;

/**
 * Gravity is a number along the scene's own direction, `stiffness` and `damping` are factors where the scene
 * has springs or dampers and N m/rad or N m s/rad to add where it has none.
 * @typedef {{gravity: number, stiffness: number, damping: number, torques: boolean}} Changes
 */

/** The solver itself where the integrator goes with it, otherwise the first that does. */
export function solverFor(info, integrator, solver) {
  const { solvers } = info.integrators.find(({ name }) => name === integrator);
  return solvers.includes(solver) ? solver : solvers[0];
}

/** The integrator itself where it goes with the solver, otherwise the first that does. */
export function integratorFor(info, solver, integrator) {
  const fitting = info.integrators.filter(({ solvers }) => solvers.includes(solver)).map(({ name }) => name);
  return fitting.includes(integrator) ? integrator : fitting[0];
}

/**
 * Tells of `settings` (something was changed), `columns` (the series has others), `touch` (a hand is on it) and
 * `replayed` (a replay came to its end).
 */
export class Simulation extends EventTarget {
  /** What the engine said when it gave up; undefined while all is well. @type {string | undefined} */
  diverged;
  /** @type {{body: number, point: number[], to: number[]} | undefined} */
  held;
  /** What the last run() took, in ms. */
  spent = 0;
  /** How the last replay ended. @type {{steps: number, same: boolean} | undefined} */
  replayed;
  #engine;
  /** @type {{text: string, steps: number, end: bigint} | undefined} the last one */
  #replay;
  #rests = false; // at the end of a replay
  /** @type {string | undefined} */
  #broken;
  #waiting = 0; // s that passed without a step
  #reference = { total: 0, size: 0 };
  #meter = { since: 0, steps: 0, spent: 0, simulated: 0, perStep: 0 };
  #shown = { stepsPerSecond: NaN, headroom: NaN };

  /** @param {import('./engine.js').Engine} engine @param {object} scene as in the scene file */
  constructor(engine, scene) {
    super();
    this.#engine = engine;
    this.info = engine.open(scene);
    const [x, y, z] = this.info.gravity;
    const size = Math.hypot(x, y, z);
    this.down = size > 0 ? [x / size, y / size, z / size] : [0, -1, 0];
    /** @type {Changes} */
    this.own = {
      gravity: size, stiffness: this.info.springs ? 1 : 0, damping: this.info.dampers ? 1 : 0, torques: true,
    };
    this.changes = { ...this.own };
    this.motion = this.#makeMotion(this.info);
    this.#record();
    this.#mark();
  }

  #makeMotion(info) {
    const motion = new LiveMotion(info.bodies, info.columns);
    motion.systems = info.particles;
    motion.meshes = info.meshes;
    motion.presentMesh = (mesh) => this.#engine.mesh(mesh, info.meshes[mesh].vertices);
    motion.present = (system) => this.#engine.particles(system, info.particles[system].trail);
    return motion;
  }

  get time() {
    return this.#engine.time;
  }

  get stateHash() {
    return this.#engine.stateHash;
  }

  /** For the player: it must not run on. */
  get stopped() {
    return this.diverged !== undefined || this.#rests;
  }

  /** Text for `sinew run --replay`: all that was done since live mode began; during a replay, all that it will do. */
  get recording() {
    return this.replaying ? this.#replay.text : this.#engine.recording;
  }

  get replaying() {
    return this.#engine.stepsToReplay > 0;
  }

  /** All that was done so far, again from the start. Who touches the simulation meanwhile takes over. */
  replay() {
    const text = this.recording;
    const end = this.replaying ? this.#replay.end : this.stateHash;
    const info = this.#engine.replay(text);
    this.#replay = { text, steps: this.#engine.stepsToReplay, end };
    this.motion.clear();
    this.#adopt(info);
    this.#settle();
    if (!this.replaying) this.#endReplay();
  }

  /** Takes over what a replay set and holds. */
  #adopt(info) {
    const { changes, held, gravity } = info;
    this.changes = {
      gravity: gravity.reduce((sum, x, i) => sum + x * this.down[i], 0),
      stiffness: info.springs ? changes.stiffness : changes.addedStiffness,
      damping: info.dampers ? changes.damping : changes.addedDamping,
      torques: changes.torques,
    };
    this.held = held ?? undefined;
    if (this.#take(info)) this.#tell('columns');
    this.#tell('touch');
  }

  #endReplay() {
    const { steps, end } = this.#replay;
    this.replayed = { steps, same: this.stateHash === end };
    this.#rests = true;
    this.#tell('replayed');
  }

  #tell(what) {
    this.dispatchEvent(new Event(what));
  }

  /** From here on the change of energy counts. */
  #mark() {
    const now = this.#engine.measures();
    this.#reference = { total: now[total], size: now[kinetic] + Math.abs(now[potential]) };
  }

  #record() {
    const poses = Float64Array.from(this.#engine.poses());
    // Float32 ends at 1e38, and a picture makes no sense long before.
    if (!poses.every((x) => Math.abs(x) < 1e9)) return;
    const contacts = Float32Array.from(this.#engine.contacts());
    this.motion.put(this.time, poses, this.#engine.series(), contacts);
  }

  /** Something was touched or set. */
  #settle() {
    this.diverged = undefined;
    this.#rests = false;
    this.#waiting = 0;
    this.#record();
    this.#mark();
    this.#tell('settings');
  }

  /** @param {Partial<Changes>} some the rest stays; what the engine refuses throws and changes nothing */
  change(some) {
    const all = { ...this.changes, ...some };
    const { springs, dampers } = this.info;
    this.#engine.change({
      gravity: this.down.map((x) => x * all.gravity),
      stiffness: springs ? all.stiffness : 1,
      damping: dampers ? all.damping : 1,
      addedStiffness: springs ? 0 : all.stiffness,
      addedDamping: dampers ? 0 : all.damping,
      torques: all.torques,
    });
    this.changes = all;
    this.#settle();
  }

  /** What the engine refuses throws and changes nothing. @param {{solver?: string, integrator?: string, step?: number}} some */
  choose({ solver = this.info.solver, integrator = this.info.integrator, step = this.info.step }) {
    const others = this.#take(this.#engine.choose(solver, integrator, step));
    this.#settle();
    if (others) this.#tell('columns');
  }

  /** What drives a joint from now on, beside the scene. @param {string} joint @param {number[]} torque N m, N of what slides */
  drive(joint, torque) {
    this.#act({ torque: { joint, torque } });
  }

  /** What the controllers of a joint aim at, and their gains. @param {{target?: number[], stiffness?: number, damping?: number}} to */
  control(joint, to) {
    this.#act({ control: { joint, ...to } });
  }

  /** Spring, damper and limits of a joint from now on. @param {object} to as in a line of `sinew run --live` */
  setJoint(joint, to) {
    this.#act({ joint: { joint, ...to } });
  }

  /** A motor that a hand puts into a joint. @param {{target?: number[], speed?: number[], stiffness?: number, damping?: number, strength?: number}} to */
  motor(joint, to) {
    this.#act({ motor: { joint, ...to } });
  }

  /** Whether spring, motors and controllers of a joint act. */
  switchJoint(joint, active) {
    this.#act({ switch: { joint, active } });
  }

  /** Numbers of a figure that balances, and of its gait. */
  balance(body, to) {
    this.#act({ balance: { body, ...to } });
  }

  gait(body, to) {
    this.#act({ gait: { body, ...to } });
  }

  /** Joints and figures are as the scene has them again; the motion goes on. */
  restore() {
    this.#act({ restore: true });
  }

  #act(action) {
    this.#take(this.#engine.act(action));
    this.#settle();
  }

  /** @returns {boolean} whether the series has other columns now */
  #take(info) {
    const others = info.columns.join('\n') !== this.info.columns.join('\n');
    this.info = info;
    if (others) this.motion = this.#makeMotion(info);
    return others;
  }

  reset() {
    this.release();
    this.#engine.reset();
    this.info = this.#engine.info();
    this.motion.clear();
    this.#settle();
  }

  /** Takes hold of a body at a point of its own frame and pulls it to a place in the world. */
  grab(body, point, to) {
    this.#engine.grab(body, point, to);
    this.held = { body, point, to };
    this.#tell('touch');
  }

  moveGrab(to) {
    if (!this.held) return;
    this.#engine.moveGrab(to);
    this.held.to = to;
    this.#tell('touch');
  }

  release() {
    if (!this.held) return;
    this.#engine.release();
    this.held = undefined;
    this.#mark();
    this.#tell('touch');
  }

  /** @param {number[]} point in the body's frame @param {number[]} impulse in N s, world axes */
  push(body, point, impulse) {
    this.#engine.push(body, point, impulse);
    this.#settle();
  }

  /** Goes on by wall time times speed. @returns {number} the time to show */
  run(seconds, speed) {
    const start = performance.now();
    const until = start + budget;
    this.#rests = false;
    this.#waiting += seconds * speed;
    let { step } = this.info;
    while (this.#waiting >= step && !this.stopped) {
      const left = until - performance.now();
      if (left <= 0) break;
      const { perStep } = this.#meter;
      const fitting = perStep > 0 ? Math.floor(left / perStep) : 1;
      const due = Math.floor(this.#waiting / step + 1e-9);
      this.#advance(Math.max(1, Math.min(due, fitting, Math.floor(pictureTime / step))));
      ({ step } = this.info); // which a replay may have changed
    }
    // What did not fit is given up: late is better than ever later.
    if (this.#waiting >= step) this.#waiting = 0;
    this.#measure();
    this.spent = performance.now() - start;
    // Long steps would be seen as jerks: the picture then stays one behind and runs smoothly between them.
    const smooth = step > (pictureTime / 2) * speed;
    return this.time - (smooth ? step - this.#waiting : 0);
  }

  /** Makes single steps, whatever the clock says. */
  stepBy(count) {
    this.#waiting = 0;
    this.#rests = false;
    const chunk = Math.max(1, Math.floor(pictureTime / this.info.step));
    for (let left = count; left > 0 && (left === count || !this.stopped); left -= chunk) this.#advance(Math.min(chunk, left));
  }

  #advance(most) {
    const { stepsToReplay, interactions } = this.#engine;
    const count = stepsToReplay > 0 ? Math.min(most, stepsToReplay) : most;
    const before = performance.now();
    const made = this.#tryAdvance(count);
    const spent = performance.now() - before;
    const { step } = this.info;
    this.#waiting -= made * step;
    const meter = this.#meter;
    meter.steps += made;
    meter.spent += spent;
    meter.simulated += made * step;
    meter.perStep = made ? 0.8 * meter.perStep + (0.2 * spent) / made : meter.perStep;
    this.diverged = made < count ? this.#broken ?? this.#engine.message : undefined;
    if (stepsToReplay > 0 && !this.#broken) this.#follow(interactions);
    if (!this.#broken) this.#record();
    if (this.diverged !== undefined) this.#tell('settings');
  }

  /** What a replay did during the last steps. @param {number} before interactions that were known */
  #follow(before) {
    if (this.#engine.interactions !== before) {
      if (this.time < this.motion.end) this.motion.clear(); // a reset
      this.#adopt(this.#engine.info());
      this.#mark();
      this.#tell('settings');
    }
    if (!this.replaying) this.#endReplay();
  }

  /** An engine that ran out of memory breaks off in the middle; nothing can be asked of it then. */
  #tryAdvance(count) {
    try {
      return this.#engine.advance(count);
    } catch (error) {
      this.#broken = `the engine broke off (${error.message}); load the page again to go on`;
      return 0;
    }
  }

  /** Twice a second the rates are made anew from what has been done since. */
  #measure() {
    const meter = this.#meter;
    const now = performance.now();
    const wall = (now - meter.since) / 1000;
    if (wall < 0.5) return;
    // After a pause the first half second is no measure.
    if (wall < 1) {
      this.#shown = { stepsPerSecond: meter.steps / wall, headroom: (1000 * meter.simulated) / meter.spent };
    }
    Object.assign(meter, { since: now, steps: 0, spent: 0, simulated: 0 });
  }

  /** How it stands: J, m, and rates of the last half second; `change` since something was last touched or set. */
  readout() {
    const now = this.#engine.measures();
    const change = this.held ? NaN : now[total] - this.#reference.total;
    const size = this.#reference.size || now[kinetic] + Math.abs(now[potential]);
    return { energy: now[total], change, percent: (100 * change) / size, gap: now[gap], ...this.#shown };
  }
}
