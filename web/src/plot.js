// One plot: lines over time on a canvas, a cursor, and a legend that names, measures and hides the lines.
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
   * @param {{title: string, unit: string, motion: import('./motion.js').Motion,
   *   player: import('./player.js').Player}} options
   */
  constructor({ title, unit, motion, player }) {
    this.motion = motion;
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.cursor = element('div', { class: 'cursor' });
    this.area = element('div', { class: 'area', role: 'img', 'aria-label': `${title} over time, in ${unit}` },
      this.canvas, this.cursor);
    this.legend = element('div', { class: 'legend', role: 'group', 'aria-label': `Lines of ${title}` });
    const seek = (event) => {
      const box = this.area.getBoundingClientRect();
      const part = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      const [a, b] = motion.span;
      player.seek(a + Math.min(Math.max(part, 0), 1) * (b - a));
    };
    this.area.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.area.setPointerCapture(event.pointerId);
      player.hold(true);
      seek(event);
    });
    this.area.addEventListener('pointermove', (event) => {
      if (this.area.hasPointerCapture(event.pointerId)) seek(event);
    });
    this.area.addEventListener('lostpointercapture', () => player.hold(false));
    new ResizeObserver(() => this.draw()).observe(this.area);
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

  /** Moves the cursor; numbers are those of the frame. */
  show(time, frame) {
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
        if (!Number.isFinite(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return [0, 1];
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
    const y = (v) => box.bottom - ((v - range[0]) / (range[1] - range[0])) * (box.bottom - box.top);
    drawAxes(context, box, x, y, span, range, style);
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

function drawAxes(context, box, x, y, span, range, style) {
  context.font = '10.5px system-ui, sans-serif';
  context.lineWidth = 1;
  const grid = style.getPropertyValue('--grid');
  const text = style.getPropertyValue('--faint');
  // Very small and very large numbers share one power of ten, told once above the axis.
  const size = Math.max(Math.abs(range[0]), Math.abs(range[1]));
  const power = Math.floor(Math.log10(size));
  const shared = power < -2 || power > 4 ? power : 0;
  const step = niceStep((range[1] - range[0]) / 4);
  const digits = Math.min(Math.max(0, shared - Math.floor(Math.log10(step) + 1e-9)), 6);
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
  for (let k = Math.ceil(range[0] / step); k * step <= range[1]; k++) {
    rule(box.left, y(k * step), box.right, y(k * step));
    const label = ((k * step) / 10 ** shared).toFixed(digits).replace('-', '−');
    context.fillText(label, box.left - 6, y(k * step));
  }
  context.textAlign = 'left';
  if (shared) context.fillText(`×10${superscript(shared)}`, 4, 6);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  const seconds = niceStep((span[1] - span[0]) / 6 || 1);
  for (let k = Math.ceil(span[0] / seconds - 1e-9); k * seconds <= span[1] + 1e-9; k++) {
    const at = x(k * seconds);
    rule(at, box.bottom, at, box.bottom + 3);
    const label = String(Number((k * seconds).toPrecision(6)));
    const last = at > box.right - 12;
    context.textAlign = last ? 'right' : 'center';
    context.fillText(last ? `${label} s` : label, last ? box.right : at, box.bottom + 5);
  }
  rule(box.left, box.bottom, box.right, box.bottom);
}

function superscript(n) {
  return [...String(n)].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('');
}
