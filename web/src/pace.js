// How much of a crowd of particles is drawn while it plays: as much as leaves thirty pictures a second. What stands
// still is drawn whole.
const goal = 1000 / 30; // ms
/** Pictures before each decision; the middle one of their times counts, so that a hiccup does not. */
const looks = 7;
/** Times that were well within the goal before more is drawn again. */
const calm = 4;
/** Fewer than these are quickly drawn: leaving more out saves nothing. */
const enough = 1000;
/** What was left out must have saved so much of the time, or it is drawn again: something else is slow. */
const saved = 0.15;
/** Times that more is left out before it is given up: one step may do nothing by itself where the next one does. */
const mostTries = 3;
/** Decisions until it is tried again, at first. */
const firstRest = 8;
const longestRest = 32;

export class Pace {
  /** 0: everything; 1: no shadows on the ground; 2: half the resolution; above: one particle in 2, 4, 8 … besides. */
  level = 0;
  /** Pictures a second, as last measured. */
  rate = NaN;
  #times = [];
  #spent = [];
  #calm = 0;
  #wait = calm;
  /** What the last thinning was to help against, and how often that was tried. @type {{level: number, drawing: number, tries: number} | undefined} */
  #tried;
  /** What was left out while all is drawn again for a look, and what drawing took then. @type {{level: number, drawing: number} | undefined} */
  #probed;
  #stuck = 0;
  #rest = 0;
  #longRest = firstRest;

  get oneIn() {
    return 2 ** Math.max(0, this.level - 2);
  }

  get shadows() {
    return this.level === 0;
  }

  get coarse() {
    return this.level > 1;
  }

  /**
   * @param {number} interval from picture to picture, in ms @param {number} count of particles that there are
   * @param {number} simulating how much of the time went into the simulation, which has all particles in any case
   * @returns {boolean} whether something else is drawn from now on, or there is something new to say
   */
  tell(interval, count, simulating = 0) {
    if (count < enough) return this.reset();
    this.#times.push(interval);
    this.#spent.push(simulating);
    if (this.#times.length < looks) return false;
    const [middle, spent] = [this.#times, this.#spent].map((times) => times.sort((x, y) => x - y)[looks >> 1]);
    this.#times = [];
    this.#spent = [];
    const before = this.text;
    this.rate = 1000 / middle;
    // A slow simulation is no reason to draw hardly anything.
    const [drawing, room] = [middle - spent, Math.max(goal - spent, goal / 3)];
    // Half a display's pictures are just thirty a second, so a little more than the goal will do.
    if (this.#rest > 0) this.#rest--;
    if (this.#tried && drawing < (1 - saved) * this.#tried.drawing) this.#tried = undefined;
    const most = 2 + Math.floor(Math.log2(count / enough));
    if (this.#probed) this.#judge(drawing);
    else if (this.#tried && (this.#tried.tries === mostTries || this.level === most)) this.#goBack();
    else if (!this.holds && drawing > room) this.#leaveOut(drawing, room, most);
    else {
      this.#tried = undefined;
      if (middle < 0.6 * goal) this.#addAgain();
      else this.#calm = 0;
    }
    return this.text !== before;
  }

  /** Whether the goal is met, nearly. */
  get holds() {
    return !(1000 / this.rate > 1.1 * goal);
  }

  /** All was drawn again for a look: unless that took longer, it stays so. */
  #judge(drawing) {
    if (drawing > this.#probed.drawing / (1 - saved)) this.level = this.#probed.level;
    this.#probed = undefined;
    this.#rest = this.#longRest;
  }

  /** It did not help. */
  #goBack() {
    this.level = this.#tried.level;
    this.#tried = undefined;
    this.#rest = this.#longRest;
    this.#longRest = Math.min(2 * this.#longRest, longestRest);
    this.#calm = 0;
  }

  /** @param {number} drawing what it takes @param {number} room what it may take @param {number} most level */
  #leaveOut(drawing, room, most) {
    if (this.#rest > 0) return;
    if (this.#calm < 0) this.#wait *= 2; // what was added just now was too much: be slower the next time
    this.#calm = 0;
    if (this.level === most) {
      if (++this.#stuck < this.#longRest) return;
      this.#stuck = 0;
      this.#longRest = Math.min(2 * this.#longRest, longestRest);
      this.#probed = { level: this.level, drawing };
      this.level = 0;
      return;
    }
    this.#tried ??= { level: this.level, drawing, tries: 0 };
    this.#tried.tries++;
    this.level = Math.min(this.level + Math.max(1, Math.floor(Math.log2(drawing / room))), most);
  }

  #addAgain() {
    if (this.level === 0 || ++this.#calm < this.#wait) return;
    this.#calm = -2;
    this.level--;
  }

  /** Everything is drawn again. @returns {boolean} whether it was not */
  reset() {
    const was = this.text !== '';
    Object.assign(this, { level: 0, rate: NaN });
    this.#times = [];
    this.#spent = [];
    this.#calm = this.#rest = this.#stuck = 0;
    this.#tried = this.#probed = undefined;
    this.#longRest = firstRest;
    return was;
  }

  /** What is left out, to be read in the page; empty where nothing is and all is well. */
  get text() {
    if (this.level === 0 && this.holds) return '';
    const rate = this.rate.toPrecision(2);
    if (this.level === 0 && this.#longRest > firstRest) return `There are ${rate} pictures a second; to draw fewer particles does not help, so all are drawn.`;
    if (this.level === 0) return `The simulation leaves time for ${rate} pictures a second; all particles are drawn.`;
    const part = this.oneIn > 1 ? `Drawing 1 of ${this.oneIn} particles, without shadows` : 'Drawing particles without shadows';
    const what = this.coarse ? `${part}, at half the resolution` : part;
    return this.holds ? `${what}, to hold 30 pictures a second.` : `${what}; even so there are ${rate} pictures a second.`;
  }
}
