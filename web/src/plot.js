// One plot: lines over time (or over steps of a search) on a canvas, a cursor, and a legend that names, measures and
// hides the lines. Its axis may be logarithmic: what is not above zero then lies on the floor.
import { element, format } from './dom.js';
import { niceStep } from './ground.js';

const margin = { left: 46, right: 8, top: 16, bottom: 18 };
const height = 132;

/** @typedef {{name: string, values?: Float32Array, hidden?: boolean}} Line values are taken from the motion when drawn */

export class Plot {
  /** @type {Line[]} */
  lines = [];
  /** The axis spans at least this. */
  least = 0;
  #frame = -1;

  /**
   * @param {{title: string, unit: string, motion: import('./motion.js').Motion | import('./plan.js').Table,
   *   player?: import('./player.js').Player, log?: boolean, onPoint?: (at: number) => void}} options with a player a
   *   press seeks; without one the cursor goes with the pointer, whose place is handed to `onPoint`
   */
  constructor({ title, unit, motion, player, log = false, onPoint }) {
    this.motion = motion;
    this.log = log;
    const along = motion.axis?.name ?? 'time';
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.cursor = element('div', { class: 'cursor' });
    this.area = element('div', { class: 'area', role: 'img', 'aria-label': `${title} over ${along}${unit && `, in ${unit}`}` },
      this.canvas, this.cursor);
    this.legend = element('div', { class: 'legend', role: 'group', 'aria-label': `Lines of ${title}` });
    const place = (event) => {
      const box = this.area.getBoundingClientRect();
      const part = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      const [a, b] = motion.span;
      return a + Math.min(Math.max(part, 0), 1) * (b - a);
    };
    if (player) this.#seekBy(player, place);
    else for (const kind of ['pointermove', 'pointerdown']) this.area.addEventListener(kind, (event) => onPoint(place(event)));
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  #seekBy(player, place) {
    const { area } = this;
    area.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      area.setPointerCapture(event.pointerId);
      player.hold(true);
      player.seek(place(event));
    });
    area.addEventListener('pointermove', (event) => {
      if (area.hasPointerCapture(event.pointerId)) player.seek(place(event));
    });
    area.addEventListener('lostpointercapture', () => player.hold(false));
  }

  /** @param {Line[]} lines */
  setLines(lines) {
    this.lines = lines;
    this.readouts = lines.map(() => element('output', {}));
    this.legend.replaceChildren(...lines.map((line, i) => element('button', {
      type: 'button', class: 'line', 'aria-pressed': String(!line.hidden), title: `${line.name}: show or hide`,
      onclick: (event) => {
        line.hidden = !line.hidden;
        event.currentTarget.setAttribute('aria-pressed', String(!line.hidden));
        this.draw();
      },
    }, element('i', { class: 'swatch', style: `--line: var(--line-${i % 8})` }), element('span', {}, line.name), this.readouts[i])));
    this.#frame = -1;
    this.draw();
  }

  /** Moves the cursor; numbers are those of the last frame at or before the time. */
  show(time) {
    const frame = this.motion.frameAt(time);
    const [a, b] = this.motion.span;
    const part = b > a ? (time - a) / (b - a) : 0;
    this.cursor.style.left = `calc(${margin.left}px + ${part.toFixed(5)} * (100% - ${margin.left + margin.right}px))`;
    // Of a motion that grows the same number may be another frame.
    if (frame === this.#frame && !this.motion.live) return;
    this.#frame = frame;
    this.lines.forEach((line, i) => (this.readouts[i].textContent = format(line.values[frame])));
  }

  #range() {
    let low = Infinity;
    let high = -Infinity;
    for (const { values, hidden } of this.lines) {
      if (hidden) continue;
      for (const v of values) {
        if (!Number.isFinite(v) || (this.log && !(v > 0))) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return this.log ? [-1, 0] : [0, 1];
    if (this.log) return decadesAround(low, high);
    // Float32 carries seven digits: closer than that a constant would look like noise.
    const least = 2e-6 * Math.max(Math.abs(low), Math.abs(high)) || 1e-12;
    if (high - low < least) return [low - 50 * least, high + 50 * least];
    if (high - low < this.least) [low, high] = [low - this.least / 2, low + this.least];
    const air = 0.06 * (high - low);
    return [low - air, high + air];
  }

  draw() {
    const { times, span } = this.motion;
    for (const line of this.lines) if (this.motion.live || !line.values) line.values = this.motion.column(line.name);
    const width = this.area.clientWidth;
    if (!width) return;
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext('2d');
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.area);
    const box = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
    const range = this.#range();
    const x = (t) => box.left + ((t - span[0]) / (span[1] - span[0] || 1)) * (box.right - box.left);
    const rise = box.bottom - box.top;
    const high = (v) => box.bottom - ((v - range[0]) / (range[1] - range[0])) * rise;
    const y = this.log ? (v) => (v > 0 ? high(Math.log10(v)) : box.bottom) : high;
    const axis = { span, range, log: this.log, unit: this.motion.axis?.unit ?? 's' };
    drawAxes(context, box, x, high, axis, style);
    context.save();
    context.beginPath();
    context.rect(box.left, box.top - 2, box.right - box.left, box.bottom - box.top + 4);
    context.clip();
    this.lines.forEach((line, i) => {
      if (line.hidden) return;
      context.strokeStyle = style.getPropertyValue(`--line-${i % 8}`);
      context.lineWidth = 1.5;
      context.lineJoin = 'round';
      context.setLineDash(i < 8 ? [] : [5, 3]);
      drawLine(context, times, line.values, x, y);
    });
    context.restore();
  }
}

/** A gap in the values is a gap in the line. With many frames a pixel column gets its lowest and highest. */
function drawLine(context, times, values, x, y) {
  context.beginPath();
  let open = false;
  let column = NaN;
  let low = 0;
  let high = 0;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      open = false;
      column = NaN;
      continue;
    }
    const px = x(times[i]);
    const py = y(values[i]);
    const here = Math.floor(2 * px);
    if (open && here === column && i + 1 < values.length) {
      if (py < low) context.lineTo(px, (low = py));
      else if (py > high) context.lineTo(px, (high = py));
      continue;
    }
    if (open) context.lineTo(px, py);
    else context.moveTo(px, py);
    open = true;
    column = here;
    low = high = py;
  }
  context.stroke();
}

/** Powers of ten around positive numbers. @returns {[number, number]} */
function decadesAround(low, high) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const air = Math.max(0.06 * (b - a), 0.05);
  return [a - air, b + air];
}

/** Marks of an axis, with what stands beside them; `shared` is a power of ten told once for all. */
function marksOf([low, high], log) {
  if (log && high - low > 1) {
    const every = Math.ceil((high - low) / 5);
    const marks = [];
    for (let k = Math.ceil(low / every) * every; k <= high; k += every) marks.push({ at: k, label: `10${superscript(k)}` });
    return { marks, shared: 0 };
  }
  // Less than two decades: the marks of a plain axis, where they fall.
  const [from, to] = log ? [10 ** low, 10 ** high] : [low, high];
  const size = Math.max(Math.abs(from), Math.abs(to));
  const power = Math.floor(Math.log10(size));
  // Very small and very large numbers share one power of ten.
  const shared = power < -2 || power > 4 ? power : 0;
  const step = niceStep((to - from) / 4);
  const digits = Math.min(Math.max(0, shared - Math.floor(Math.log10(step) + 1e-9)), 6);
  const marks = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) {
    const label = ((k * step) / 10 ** shared).toFixed(digits).replace('-', '−');
    if (!log || k > 0) marks.push({ at: log ? Math.log10(k * step) : k * step, label });
  }
  return { marks, shared };
}

function drawAxes(context, box, x, y, { span, range, log, unit }, style) {
  context.font = '10.5px system-ui, sans-serif';
  context.lineWidth = 1;
  const grid = style.getPropertyValue('--grid');
  const text = style.getPropertyValue('--faint');
  const rule = (x0, y0, x1, y1) => {
    context.strokeStyle = grid;
    context.beginPath();
    context.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
    context.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
    context.stroke();
  };
  context.fillStyle = text;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const { marks, shared } = marksOf(range, log);
  for (const { at, label } of marks) {
    rule(box.left, y(at), box.right, y(at));
    context.fillText(label, box.left - 6, y(at));
  }
  context.textAlign = 'left';
  if (shared) context.fillText(`×10${superscript(shared)}`, 4, 6);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  const step = niceStep((span[1] - span[0]) / 6 || 1);
  const whole = unit ? step : Math.max(1, Math.round(step));
  // From the right: the last one has the unit beside it, and what has no room left is not written.
  let free = Infinity;
  for (let k = Math.floor(span[1] / whole + 1e-9); k * whole >= span[0] - 1e-9; k--) {
    const at = x(k * whole);
    rule(at, box.bottom, at, box.bottom + 3);
    const last = at > box.right - 12;
    const label = String(Number((k * whole).toPrecision(6))) + (last && unit ? ` ${unit}` : '');
    const half = context.measureText(label).width / 2;
    const middle = last ? box.right - half : at;
    if (middle + half > free - 4) continue;
    context.fillText(label, middle, box.bottom + 5);
    free = middle - half;
  }
  rule(box.left, box.bottom, box.right, box.bottom);
}

function superscript(n) {
  return [...String(n)].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('');
}
