// What can be set while a simulation runs, and what it tells about itself.
import { element, format } from './dom.js';
import { integratorFor, solverFor } from './simulation.js';
import { say } from './status.js';

/** Values of even ratio, so many a decade, and 0 before them. */
function decades(low, high, perDecade) {
  const count = Math.round(Math.log10(high / low) * perDecade);
  return [0, ...Array.from({ length: count + 1 }, (_, i) => Number((low * 10 ** (i / perDecade)).toPrecision(2)))];
}

const factors = decades(0.01, 10000, 5);
const addedStiffness = decades(0.001, 10000, 10);
const addedDamping = decades(0.0001, 1000, 10);
const gravities = Array.from({ length: 81 }, (_, i) => (i - 40) / 2);
const pushes = decades(0.1, 30, 10).slice(1);
const halves = decades(0.01, 1000, 6);
const torques = [...halves.slice(1).reverse().map((x) => -x), ...halves];
const angles = Array.from({ length: 73 }, (_, i) => Number(((i - 36) * (Math.PI / 36)).toFixed(4)));
const offsets = Array.from({ length: 81 }, (_, i) => Number(((i - 40) / 20).toFixed(2)));
const gains = decades(0.01, 100000, 6);
const stepsPerSecond = [1000, 800, 640, 500, 400, 320, 240, 200, 160, 120, 100, 80, 60, 50, 40, 30, 25, 20];

/** 1/240 s where it is one of a whole number. */
function showStep(step) {
  const rate = 1 / step;
  const whole = Math.abs(rate - Math.round(rate)) < 1e-6 * rate && rate > 1.5;
  return whole ? `1/${Math.round(rate)} s` : `${format(step)} s`;
}

/**
 * A slider over a list of values: every place of it is a value that can be read and reached by keys.
 * @param {{label: string, title: string, values: number[], show: (value: number) => string,
 *   onInput: (value: number) => void}} options
 */
function makeSlider({ label, title, values, show, onInput }) {
  let list = values;
  const range = element('input', {
    type: 'range', min: 0, step: 1, 'aria-label': label, title,
    oninput: () => {
      tell();
      onInput(list[range.value]);
    },
  });
  const output = element('output', {});
  const tell = () => {
    output.textContent = show(list[range.value]);
    range.setAttribute('aria-valuetext', output.textContent);
  };
  const set = (value) => {
    // What the scene asks for is always one of the places.
    if (!list.includes(value)) list = [...values, value].sort((a, b) => a - b);
    range.max = list.length - 1;
    range.value = list.indexOf(value);
    tell();
  };
  return { node: element('label', { class: 'slider', title }, element('span', {}, label), range, output), set };
}

function makeMenu(label, onChange) {
  const menu = element('select', { 'aria-label': label, onchange: () => onChange(menu.value) });
  const set = (choices, value) => {
    menu.replaceChildren(...choices.map(({ name, title }) => element('option', { value: name, title }, name.replaceAll('_', ' '))));
    menu.value = value;
    menu.title = choices.find(({ name }) => name === value)?.title ?? '';
  };
  return { node: element('label', { class: 'menu' }, element('span', {}, label), menu), set };
}

export class LivePanel {
  /** Of the chosen body, or -1. */
  body = -1;
  #shown = -Infinity;

  /**
   * @param {import('./simulation.js').Simulation} simulation @param {import('./touch.js').Touch | undefined} touch
   * @param {import('./data.js').Scene} scene @param {{save: () => void, replay: () => void}} recording what its buttons do
   */
  constructor(simulation, touch, scene, recording) {
    Object.assign(this, { simulation, touch, scene });
    this.root = element('section', { id: 'live', 'aria-label': 'Live simulation' },
      element('header', {}, element('h2', {}, 'Live'),
        element('button', {
          type: 'button', class: 'small', title: 'Set everything back to what the scene has', onclick: () => this.#restore(),
        }, 'Restore')),
      this.#makeReadout(), this.#makeSliders(), this.#makeMenus(), touch ? this.#makeTools() : '', (this.drives = element('div', { class: 'sliders', role: 'group' })),
      element('div', { class: 'recorded', role: 'group', 'aria-label': 'All that was done' },
        element('button', {
          type: 'button', onclick: recording.save, title: 'Save what was done as a file; sinew run --replay repeats it',
        }, 'Save recording'),
        element('button', {
          type: 'button', onclick: recording.replay, title: 'Repeat what was done, from the start; touching a body ends the replay',
        }, 'Replay')));
    this.start = { ...simulation.info };
    simulation.addEventListener('settings', () => this.refresh());
    simulation.addEventListener('touch', () => this.#showTools());
    this.refresh();
  }

  /** Runs what the engine may refuse; then its words are told and all stays as it was. */
  #try(act) {
    try {
      act();
      say();
    } catch (error) {
      say(`Not possible: ${error.message}`);
    }
    this.refresh();
  }

  #restore() {
    const { solver, integrator, step } = this.start;
    this.#try(() => {
      this.simulation.change(this.simulation.own);
      this.simulation.choose({ solver, integrator, step });
      this.#restoreJoints();
    });
  }

  /** Targets that the scene moves stand still once they were touched, until a reset. */
  #restoreJoints() {
    const { simulation } = this;
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    for (const { name, torque, target, stiffness, damping } of this.start.joints) {
      const now = simulation.info.joints.find((joint) => joint.name === name);
      if (!same(now.torque, torque)) simulation.drive(name, torque);
      const { stiffness: gain, damping: its } = now;
      if (!same([now.target, gain, its], [target, stiffness, damping])) simulation.control(name, { target, stiffness, damping });
    }
  }

  #makeReadout() {
    const rows = {
      energy: ['Energy', 'Kinetic, potential and elastic energy together'],
      change: ['Change since last touch', 'Of the energy, and in parts of kinetic + |potential| energy at that moment. '
        + 'Where nothing damps, drives or touches, this is the error of the integrator.'],
      gap: ['Largest joint gap', 'How far apart the two sides of a joint are'],
      pace: ['Pace', 'Steps per second, and how many times real time the engine could reach'],
    };
    this.outputs = Object.fromEntries(Object.keys(rows).map((key) => [key, element('dd', {})]));
    return element('dl', {}, ...Object.entries(rows).flatMap(([key, [label, title]]) =>
      [element('dt', { title }, label), this.outputs[key]]));
  }

  #makeSliders() {
    const { springs, dampers } = this.simulation.info;
    const change = (key) => (value) => this.#try(() => this.simulation.change({ [key]: value }));
    const number = (unit) => (value) => (value === 0 ? 'off' : `${rounded(value)}${unit}`);
    this.sliders = {
      stiffness: makeSlider({
        label: 'Stiffness', values: springs ? factors : addedStiffness, onInput: change('stiffness'),
        show: number(springs ? ' ×' : ' N m/rad'),
        title: springs ? 'Multiplies the springs of the scene' : 'Adds a spring toward the rest pose to every joint; the scene has none',
      }),
      damping: makeSlider({
        label: 'Damping', values: dampers ? factors : addedDamping, onInput: change('damping'),
        show: number(dampers ? ' ×' : ' N m s/rad'),
        title: dampers ? 'Multiplies the dampers of the scene' : 'Adds a damper to every joint; the scene has none',
      }),
      gravity: makeSlider({
        label: 'Gravity', values: gravities, onInput: change('gravity'), title: 'In the direction that the scene gives it; negative values turn it round',
        show: (value) => `${value.toFixed(2).replace('-', '−')} m/s²`,
      }),
      step: makeSlider({
        label: 'Step', values: stepsPerSecond.map((rate) => 1 / rate), title: 'The time step: longer is faster and less accurate',
        onInput: (step) => this.#try(() => this.simulation.choose({ step })), show: showStep,
      }),
    };
    return element('div', { class: 'sliders' }, ...Object.values(this.sliders).map(({ node }) => node));
  }

  #makeMenus() {
    const { simulation } = this;
    this.menus = {
      integrator: makeMenu('Integrator', (integrator) => this.#try(() =>
        simulation.choose({ integrator, solver: solverFor(simulation.info, integrator, simulation.info.solver) }))),
      solver: makeMenu('Solver', (solver) => this.#try(() =>
        simulation.choose({ solver, integrator: integratorFor(simulation.info, solver, simulation.info.integrator) }))),
    };
    this.torques = element('button', {
      type: 'button', title: 'Springs and motors of all joints; dampers and limits stay',
      onclick: () => this.#try(() => simulation.change({ torques: !simulation.changes.torques })),
    }, 'Joint torques');
    return element('div', { class: 'menus' }, this.menus.integrator.node, this.menus.solver.node, this.torques);
  }

  /** Sliders of the joint that carries the chosen body: torques by hand, and what its controllers do. */
  #showDrives() {
    const joint = this.simulation.info.joints.find(({ body }) => body === this.body);
    const shape = joint && `${joint.name} ${joint.torque.length} ${joint.target !== undefined}`;
    if (shape !== this.driven) this.#makeDrives(joint);
    this.driven = shape;
    if (!joint) return;
    this.driveSliders.torque.forEach((slider, i) => slider.set(joint.torque[i]));
    this.driveSliders.target.forEach((slider, i) => slider.set(joint.target[i]));
    for (const gain of ['stiffness', 'damping']) this.driveSliders[gain]?.set(joint[gain]);
  }

  #makeDrives(joint) {
    this.driveSliders = { torque: [], target: [] };
    this.drives.replaceChildren();
    this.drives.setAttribute('aria-label', joint ? `Joint ${joint.name}` : 'No joint');
    if (!joint) return;
    const { simulation } = this;
    const now = () => simulation.info.joints.find(({ name }) => name === joint.name);
    const several = joint.torque.length > 1;
    const slides = (i) => i < joint.slides;
    const numbered = (what, i) => (several ? `${what} ${i + 1}` : what);
    const replaced = (list, i, value) => list.map((x, k) => (k === i ? value : x));
    joint.torque.forEach((_, i) => {
      this.driveSliders.torque.push(makeSlider({
        label: numbered(slides(i) ? 'Force' : 'Torque', i), values: torques, title: `Drives joint ${joint.name}, beside what the scene gives it`,
        show: (value) => (value === 0 ? 'off' : `${rounded(value)} ${slides(i) ? 'N' : 'N m'}`),
        onInput: (value) => this.#try(() => simulation.drive(joint.name, replaced(now().torque, i, value))),
      }));
    });
    (joint.target ?? []).forEach((_, i) => {
      this.driveSliders.target.push(makeSlider({
        label: numbered('Target', i), values: slides(i) ? offsets : angles, title: `What the controllers of joint ${joint.name} aim at`,
        show: (value) => (slides(i) ? `${value.toFixed(2)} m` : `${Math.round((value * 180) / Math.PI)}°`),
        onInput: (value) => this.#try(() => simulation.control(joint.name, { target: replaced(now().target, i, value) })),
      }));
    });
    if (joint.target) {
      for (const gain of ['stiffness', 'damping']) {
        this.driveSliders[gain] = makeSlider({
          label: gain === 'stiffness' ? 'Gain' : 'Its damping', values: gains, title: `The ${gain} of the controllers of joint ${joint.name}`,
          show: (value) => (value === 0 ? 'off' : String(rounded(value))),
          onInput: (value) => this.#try(() => simulation.control(joint.name, { [gain]: value })),
        });
      }
    }
    const { torque, target, stiffness, damping } = this.driveSliders;
    this.drives.replaceChildren(element('p', {}, `Joint ${joint.name}`),
      ...[...torque, ...target, stiffness, damping].filter(Boolean).map(({ node }) => node));
  }

  #makeTools() {
    const { touch } = this;
    const tool = (name, label, title) => element('button', {
      type: 'button', title,
      onclick: () => {
        touch.tool = name;
        this.#showTools();
      },
    }, label);
    this.tools = {
      pull: tool('pull', 'Pull', 'Press on a body and drag it'),
      push: tool('push', 'Push', 'Press on a body to push it away; with shift also while pulling'),
    };
    this.hold = element('button', { type: 'button', onclick: () => touch.flip(this.body) });
    this.shove = element('button', { type: 'button', onclick: () => touch.push(this.body) });
    const strength = makeSlider({
      label: 'Push by', values: pushes, title: 'The speed that the body would get if nothing held it',
      show: (value) => `${rounded(value)} m/s`, onInput: (value) => (touch.strength = value),
    });
    strength.set(touch.strength);
    return element('div', { class: 'tools' },
      element('div', { class: 'pair', role: 'group', 'aria-label': 'What a press on a body does' }, ...Object.values(this.tools)),
      strength.node,
      element('div', { class: 'byKeys', role: 'group', 'aria-label': 'The chosen body' }, this.hold, this.shove),
      element('p', {}, 'Drag a body to pull it, shift-click to push it; drag beside it to turn the view. By keys: '
        + 'choose a body, then H holds it, arrows and page keys move it, P pushes it.'));
  }

  #showTools() {
    if (!this.touch) return;
    for (const [name, button] of Object.entries(this.tools)) {
      button.setAttribute('aria-pressed', String(this.touch.tool === name));
    }
    const { held } = this.simulation;
    const name = this.scene.bodies[held?.body ?? this.body]?.name ?? 'body';
    this.hold.textContent = held ? `Let go of ${name}` : `Hold ${name}`;
    this.hold.title = 'Hold the chosen body and move it by keys (H)';
    this.hold.setAttribute('aria-pressed', String(held !== undefined));
    this.hold.disabled = !held && this.body < 0;
    this.shove.textContent = `Push ${this.scene.bodies[this.body]?.name ?? 'body'}`;
    this.shove.title = 'Push the chosen body away from the viewer (P)';
    this.shove.disabled = this.body < 0;
  }

  /** @param {number} body -1 for none */
  select(body) {
    this.body = body;
    this.#showTools();
    this.#showDrives();
  }

  /** Shows the settings as they are. */
  refresh() {
    const { changes, info } = this.simulation;
    for (const key of ['stiffness', 'damping', 'gravity']) this.sliders[key].set(changes[key]);
    this.sliders.step.set(info.step);
    this.menus.integrator.set(info.integrators.filter(({ solvers }) => solvers.length), info.integrator);
    this.menus.solver.set(info.solvers, info.solver);
    this.torques.setAttribute('aria-pressed', String(changes.torques));
    this.#showTools();
    this.#showDrives();
    this.#shown = -Infinity;
  }

  /** The readout, a few times a second: faster nobody reads. */
  tick(now) {
    if (now - this.#shown < 150) return;
    this.#shown = now;
    const { energy, change, percent, gap, stepsPerSecond: pace, headroom } = this.simulation.readout();
    const signed = (x) => (x > 0 ? `+${format(x)}` : format(x));
    const share = Number.isFinite(percent) ? ` (${signed(percent)} %)` : '';
    const { outputs } = this;
    outputs.energy.textContent = `${format(energy)} J`;
    outputs.change.textContent = this.simulation.held ? 'held by hand' : `${signed(change)} J${share}`;
    outputs.gap.textContent = `${format(gap)} m`;
    outputs.pace.textContent = Number.isFinite(pace) ? `${Math.round(pace)} steps/s, up to ${rounded(headroom)}× real time` : '–';
  }
}

/** Two digits are enough for what is set by hand and for what changes all the time. */
const rounded = (x) => (Math.abs(x) >= 100 ? String(Math.round(x)) : String(Number(x.toPrecision(2)))).replace('-', '−');
