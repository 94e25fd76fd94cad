// The clock: what time is shown, whether it runs, how fast. Tells listeners of every change.

/**
 * What drives a live motion: goes on by seconds and gives the time to show, makes single steps, begins anew.
 * @typedef {{run: (seconds: number, speed: number) => number, stepBy: (count: number) => void,
 *   reset: () => void, stopped: boolean}} Driver
 */

export class Player extends EventTarget {
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  /** @type {Driver | undefined} */
  driver;
  #last = 0;
  #held = false;

  /** @param {import('./motion.js').Motion} motion */
  constructor(motion) {
    super();
    this.motion = motion;
    this.time = motion.start;
  }

  /** Shows another motion from the given time on. @param {Driver} [driver] of a live one */
  setMotion(motion, time, driver) {
    Object.assign(this, { motion, driver });
    this.playing = false;
    this.#goTo(time);
  }

  #tell() {
    this.dispatchEvent(new Event('change'));
  }

  #goTo(time) {
    this.time = Math.min(Math.max(time, this.motion.start), this.motion.end);
    this.#tell();
  }

  get frame() {
    return this.motion.frameAt(this.time);
  }

  /** The same time again, after something else changed. */
  refresh() {
    this.#goTo(this.time);
  }

  seek(time) {
    // Who looks back at a simulation does not want it to run on meanwhile.
    if (this.driver) this.playing = false;
    this.#goTo(time);
  }

  /** Goes by whole frames and stops, as one does who looks closely; past the last one a simulation goes on by steps. */
  stepFrames(count) {
    this.playing = false;
    const last = this.motion.times.length - 1;
    if (this.driver && count > 0 && this.time >= this.motion.end) {
      this.driver.stepBy(count);
      return this.#goTo(this.motion.end);
    }
    const frame = Math.min(Math.max(this.frame + count, 0), last);
    this.#goTo(this.motion.times[frame]);
  }

  /** While a hand is on the timeline the clock must not pull it away. */
  hold(on) {
    this.#held = on;
    this.#last = 0;
  }

  setPlaying(on) {
    // At the end the button means "again"; a simulation goes on from its present.
    if (this.driver) this.time = this.motion.end;
    else if (on && this.time >= this.motion.end) this.time = this.motion.start;
    this.playing = on;
    this.#last = 0;
    this.#tell();
  }

  /** A simulation begins anew; it runs on if it ran. */
  reset() {
    this.driver?.reset();
    this.#last = 0;
    this.#goTo(this.motion.end);
  }

  setSpeed(speed) {
    this.speed = Math.min(Math.max(speed, 0.1), 4);
    this.#tell();
  }

  setLoop(on) {
    this.loop = on;
    this.#tell();
  }

  /** Called with the browser's clock for every picture. */
  advance(milliseconds) {
    if (!this.playing || this.#held) return;
    // A tab that slept must not jump ahead.
    const passed = this.#last ? Math.min((milliseconds - this.#last) / 1000, 0.25) : 0;
    this.#last = milliseconds;
    if (this.driver) return this.#drive(passed);
    let time = this.time + this.speed * passed;
    const { start, end } = this.motion;
    if (time >= end) {
      if (this.loop && end > start) time = start + ((time - start) % (end - start));
      else this.playing = false;
    }
    this.#goTo(time);
  }

  #drive(passed) {
    const time = this.driver.run(passed, this.speed);
    if (this.driver.stopped) this.playing = false;
    this.#goTo(this.playing ? time : this.motion.end);
  }
}
