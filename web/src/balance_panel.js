// Sliders of figures that balance and walk, while a simulation runs.
import { element } from './dom.js';
import { decades, gains, makeMenu, makeSlider, rounded } from './slider.js';

const parts = Array.from({ length: 20 }, (_, i) => Number(((i + 1) / 20).toFixed(2)));
const lengths = Array.from({ length: 41 }, (_, i) => Number((i / 40).toFixed(3)));
const times = decades(0.05, 5, 12).slice(1);
const slopes = Array.from({ length: 81 }, (_, i) => Number(((i - 40) / 20).toFixed(2)));
const leans = Array.from({ length: 61 }, (_, i) => Number(((i - 30) * (Math.PI / 180)).toFixed(4)));
const headings = Array.from({ length: 73 }, (_, i) => Number(((i - 36) * (Math.PI / 36)).toFixed(4)));
const degrees = (x) => `${Math.round((x * 180) / Math.PI)}°`.replace('-', '−');
const never = 1e9; // s

export class BalancePanel {
  /** @param {import('./simulation.js').Simulation} simulation @param {(act: () => void) => void} attempt runs what may be refused */
  constructor(simulation, attempt) {
    Object.assign(this, { simulation, attempt, sliders: [] });
    this.root = element('div', { class: 'joint', role: 'group', 'aria-label': 'Balance' });
    this.root.hidden = !simulation.info.balances.length;
    simulation.info.balances.forEach((balance, i) => this.#make(balance, i));
  }

  refresh() {
    for (const [slider, read] of this.sliders) {
      const value = read();
      slider.node.hidden = value === undefined;
      if (value !== undefined) slider.set(value);
    }
    this.tell?.();
  }

  #add(options, read) {
    const slider = makeSlider({ ...options, onInput: (value) => this.attempt(() => options.onInput(value)) });
    this.sliders.push([slider, read]);
    return slider.node;
  }

  #make({ body, step, gait }, i) {
    const { simulation } = this;
    const now = () => simulation.info.balances[i];
    const plain = (x) => String(rounded(x));
    const own = (label, key, values, title, show = plain) => this.#add({ label, values, title, show, onInput: (value) => simulation.balance(body, { [key]: value }) }, () => now()[key]);
    const stepping = (label, key, values, title, show = plain) =>
      this.#add({ label, values, title, show, onInput: (value) => simulation.balance(body, { step: { [key]: value } }) }, () => now().step?.[key]);
    const part = (title, open, ...nodes) => element('details', { open }, element('summary', {}, title), element('div', { class: 'sliders' }, ...nodes));
    this.root.append(part(`Balance of ${body}`, true,
      own('Stiffness of balance', 'stiffness', gains, 'Of the centre of mass over the feet, N/m', (x) => `${rounded(x)} N/m`),
      own('Damping of balance', 'damping', gains, 'Of the centre of mass, N s/m', (x) => `${rounded(x)} N s/m`),
      own('Sole', 'sole', parts, 'The part of each sole in which pressure is wanted')));
    if (step) {
      const share = (x) => `${Math.round(100 * x)} % of leg`;
      this.root.append(part('Steps', false,
        stepping('Step time', 'time', times, 'How long a foot is in the air', (x) => `${rounded(x)} s`),
        stepping('Lift', 'lift', lengths, 'How high it is lifted', share), stepping('Reach', 'reach', lengths, 'How far from below the hip it is put down at most', share),
        stepping('Width', 'width', lengths, 'How near the feet may come sideways', share), stepping('Further', 'further', lengths, 'How far beyond the capture point', share)));
    }
    if (gait) this.root.append(part('Gait', true, ...this.#gait(body, gait, now)));
  }

  #gait(body, { states }, now) {
    const { simulation } = this;
    let chosen = '';
    const set = (to) => simulation.gait(body, { ...(chosen && { state: chosen }), ...to });
    const state = () => now().gait.states.find(({ name }) => !chosen || name === chosen);
    const menu = makeMenu('State', (name) => {
      chosen = name;
      this.refresh();
    });
    menu.set([{ name: '', title: 'All states' }, ...states.map(({ name }) => ({ name, title: name }))], '');
    const pair = (label, key, k, title, unit) => this.#add({
      label, values: slopes, title, show: (x) => `${x.toFixed(2).replace('-', '−')} ${unit}`,
      onInput: (value) => set({ [key]: state()[key].map((x, j) => (j === k ? value : x)) }),
    }, () => state()[key][k]);
    const walk = element('button', {
      type: 'button', title: 'Walk from now on, or stand',
      onclick: () => this.attempt(() => {
        const { time } = simulation;
        const { walks, from } = now().gait;
        if (!walks) simulation.gait(body, { from: time, until: never });
        else if (time > from) simulation.gait(body, { until: time });
        else simulation.gait(body, { from: never / 2, until: never });
      }),
    }, 'Walk');
    this.tell = () => walk.setAttribute('aria-pressed', String(now().gait.walks));
    return [walk,
      this.#add({ label: 'Heading', values: headings, title: 'Where it goes, about up', show: degrees, onInput: (heading) => simulation.gait(body, { heading }) }, () => now().gait.heading),
      menu.node,
      this.#add({ label: 'Its time', values: times, title: 'How long the state lasts', show: (x) => `${rounded(x)} s`, onInput: (time) => set({ time }) }, () => state().time),
      this.#add({ label: 'Lean', values: leans, title: 'Of the body, forward', show: degrees, onInput: (lean) => set({ lean }) }, () => state().lean),
      pair('By place ahead', 'distance', 0, 'How far the swing leg turns for each metre the centre of mass is ahead of the ankle', 'rad/m'),
      pair('By place aside', 'distance', 1, 'Likewise sideways', 'rad/m'),
      pair('By speed ahead', 'speed', 0, 'How far it turns for each m/s forward', 'rad s/m'),
      pair('By speed aside', 'speed', 1, 'Likewise sideways', 'rad s/m'),
    ];
  }
}
