// The panel of plots: what is plotted, which columns of the series, and CSV of each.
import { download, element, fileName } from './dom.js';
import { Plot } from './plot.js';

const fixed = [
  { title: 'Energy', unit: 'J', columns: ['kinetic', 'potential', 'elastic', 'total'] },
  { title: 'Linear momentum', unit: 'kg m/s', columns: ['px', 'py', 'pz'] },
  { title: 'Angular momentum', unit: 'kg m²/s', columns: ['lx', 'ly', 'lz'] },
];
// Below a millionth of a micrometre a gap is rounding, and shall look like none.
const quality = [
  { title: 'Largest joint gap', unit: 'm', columns: ['gap'], least: 1e-12 },
  { title: 'Largest misalignment', unit: 'rad', columns: ['misalignment'], least: 1e-12 },
];
const chosen = [
  { title: 'Joint coordinates', unit: 'rad, m', suffix: /^(angle|offset)\d?$/ },
  { title: 'Joint torques', unit: 'N m, N', suffix: /^(torque|force)\d?$/ },
  { title: 'Joint loads', unit: 'N, N m', suffix: /^[ft][xyz]$/ },
];

/** Columns of joints by what stands after the joint's name, which may itself hold dots. */
function jointColumns(names, scene, suffix) {
  return names.filter((name) => {
    const dot = name.lastIndexOf('.');
    return suffix.test(name.slice(dot + 1)) && scene.joints.some((joint) => joint.name === name.slice(0, dot));
  });
}

/**
 * The columns that move most: something to see before anything is chosen. Those of one freedom go
 * first, since the rotation vector of a ball joint jumps where it passes half a turn.
 */
function liveliest(motion, columns, count) {
  const spread = (name) => {
    const values = motion.column(name)?.filter(Number.isFinite) ?? [];
    let [low, high] = [Infinity, -Infinity];
    for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
    return high - low || 0;
  };
  const ranked = columns.map((name) => ({ name, spread: spread(name) }))
    .sort((a, b) => /\d$/.test(a.name) - /\d$/.test(b.name) || b.spread - a.spread);
  const best = new Set(ranked.slice(0, count).map(({ name }) => name));
  return columns.filter((name) => best.has(name));
}

export class Plots {
  /** @type {Plot[]} */
  plots = [];
  /** Of a motion that grows: what of it was drawn last, and when. */
  #drawn = { version: 0, at: -Infinity };

  /**
   * @param {HTMLElement} panel @param {import('./data.js').Scene} scene
   * @param {import('./motion.js').Motion} motion @param {import('./player.js').Player} player
   * @param {import('./motion.js').Motion} model whose liveliest columns are plotted at first
   * @param {import('./plan.js').Plan} [plan] that the motion follows
   */
  constructor(panel, scene, motion, player, model = motion, plan = undefined) {
    Object.assign(this, { panel, scene, motion, player, model });
    if (plan) this.#addPlan(plan);
    for (const group of fixed) this.#addFixed(group);
    for (const group of chosen) this.#addChosen(group);
    for (const group of quality) this.#addFixed(group);
    player.addEventListener('change', () => player.motion === motion && this.show());
  }

  /** What was planned and paid over time, and how the plan was found, whose steps are pointed at. */
  #addPlan({ forces, search }) {
    if (forces) {
      const driven = forces.moving(/\.force\d$/);
      const touching = forces.moving(/^(?!.*\.force\d$|force_squared$)/);
      if (driven.length) this.#addColumns({ title: 'Planned forces', unit: 'N m, N' }, driven, forces);
      if (touching.length) this.#addColumns({ title: 'Planned contact', unit: 'N, N m' }, touching, forces);
      this.#addPlot('Cost so far', '∫ force² dt', { motion: forces }).setLines([{ name: 'force_squared' }]);
    }
    if (!search) return;
    const found = [];
    const onPoint = (at) => found.forEach((plot) => plot.show(at));
    for (const [title, name] of [['Cost of the plan', 'cost'], ['Infeasibility', 'infeasibility']]) {
      const plot = this.#addPlot(title, '', { motion: search, player: undefined, log: true, onPoint, note: 'over iterations' });
      plot.setLines([{ name }]);
      found.push(plot);
    }
    onPoint(search.span[1]);
    this.#found = found;
  }

  #found = [];

  #addFixed({ title, unit, columns, least = 0 }) {
    const lines = columns.filter((name) => this.motion.names.includes(name)).map((name) => ({ name }));
    // Particles alone have none of it: lines that are zero throughout would say nothing.
    const isSaid = () => this.scene.bodies.length > 0 || columns.some((name) => this.model.column(name)?.some((x) => x !== 0));
    if (!lines.length || !isSaid()) return;
    const plot = this.#addPlot(title, unit);
    plot.least = least;
    plot.setLines(lines);
  }

  #addChosen({ title, unit, suffix }) {
    const columns = jointColumns(this.motion.names, this.scene, suffix);
    if (columns.length) this.#addColumns({ title, unit }, columns, this.motion, this.model);
  }

  /** Some of many columns, to be chosen among. */
  #addColumns({ title, unit }, columns, motion, model = motion) {
    const picked = new Set(liveliest(model, columns, 3));
    const boxes = columns.map((name) => element('label', {},
      element('input', {
        type: 'checkbox', checked: picked.has(name),
        onchange: (event) => {
          if (event.target.checked) picked.add(name);
          else picked.delete(name);
          refresh();
        },
      }), element('span', {}, name)));
    const filter = element('input', {
      type: 'search', placeholder: `Filter ${columns.length} columns`, 'aria-label': `Filter the columns of ${title}`,
      oninput: () => {
        const words = filter.value.toLowerCase().split(/\s+/);
        boxes.forEach((box, i) => (box.hidden = !words.every((word) => columns[i].toLowerCase().includes(word))));
      },
    });
    const picker = element('div', { class: 'picker', hidden: true },
      filter, element('div', { class: 'boxes', role: 'group', 'aria-label': `Columns of ${title}` }, ...boxes));
    const open = element('button', {
      type: 'button', class: 'small', 'aria-expanded': 'false',
      onclick: () => {
        picker.hidden = !picker.hidden;
        open.setAttribute('aria-expanded', String(!picker.hidden));
      },
    }, 'Choose');
    const plot = this.#addPlot(title, unit, { motion }, open, picker);
    // In the order of the series, whatever the order of clicks.
    const refresh = () => {
      plot.setLines(columns.filter((name) => picked.has(name)).map((name) => ({ name })));
      plot.show(this.player.time);
    };
    refresh();
  }

  #addPlot(title, unit, { note = unit, ...options } = {}, button = '', picker = '') {
    const plot = new Plot({ title, unit, motion: this.motion, player: this.player, ...options });
    const csv = element('button', {
      type: 'button', class: 'small', 'aria-label': `Save ${title} as CSV`, title: 'Save the lines shown as CSV',
      onclick: () => download(`${fileName(this.scene.name)}_${fileName(title)}.csv`,
        new Blob([this.csv(plot)], { type: 'text/csv' })),
    }, 'CSV');
    this.panel.append(element('section', { class: 'plot', 'aria-label': title },
      element('header', {}, element('h2', {}, title, ' ', element('small', {}, note)), button, csv), picker, plot.legend, plot.area));
    this.plots.push(plot);
    return plot;
  }

  /** What a plot shows, quoted after RFC 4180. @param {Plot} plot */
  csv(plot) {
    const lines = plot.lines.filter((line) => !line.hidden);
    const quote = (name) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
    const { motion } = plot;
    const rows = [[motion.axis?.column ?? 'time', ...lines.map((line) => quote(line.name))]];
    const columns = lines.map((line) => motion.column(line.name));
    motion.times.forEach((time, i) => rows.push([time, ...columns.map((values) => short(values[i]))]));
    return rows.map((row) => row.join(',') + '\r\n').join('');
  }

  /** Moves the cursors; a motion that grows is drawn anew, often enough for the eye. */
  show() {
    const { motion, player } = this;
    if (motion.live) {
      const now = performance.now();
      if (player.playing && now - this.#drawn.at < 80) return;
      if (motion.version !== this.#drawn.version) this.draw();
      this.#drawn = { version: motion.version, at: now };
    }
    for (const plot of this.plots) if (!this.#found.includes(plot)) plot.show(player.time);
  }

  draw() {
    for (const plot of this.plots) plot.draw();
  }
}

/** As many digits as tell one float32 from the next, not those of the double it was widened to. */
const short = (x) => Number(x.toPrecision(9));
