// The clock: what time is shown, whether it runs, how fast. Tells listeners of every change.

export class Player extends EventTarget {
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  #last = 0;
  #held = false;

  /** @param {import('./motion.js').RecordedMotion} motion */
  constructor(motion) {
    super();
    this.motion = motion;
    this.time = motion.start;
  }

  #tell() {
    this.dispatchEvent(new Event('change'));
  }

  get frame() {
    return this.motion.frameAt(this.time);
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.motion.start), this.motion.end);
    this.#tell();
  }

  /** Goes by whole frames and stops, as one does who looks closely. */
  stepFrames(count) {
    this.playing = false;
    const frame = Math.min(Math.max(this.frame + count, 0), this.motion.times.length - 1);
    this.seek(this.motion.times[frame]);
  }

  /** While a hand is on the timeline the clock must not pull it away. */
  hold(on) {
    this.#held = on;
    this.#last = 0;
  }

  setPlaying(on) {
    // At the end the button means "again".
    if (on && this.time >= this.motion.end) this.time = this.motion.start;
    this.playing = on;
    this.#last = 0;
    this.#tell();
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
    let time = this.time + this.speed * passed;
    const { start, end } = this.motion;
    if (time >= end) {
      if (this.loop && end > start) time = start + ((time - start) % (end - start));
      else this.playing = false;
    }
    this.seek(time);
  }
}
