// What can be set while a simulation runs, and what it tells about itself.
import { ActuatorPanel } from './actuator_panel.js';
import { BalancePanel } from './balance_panel.js';
import { element, format } from './dom.js';
import { JointPanel } from './joint_panel.js';
import { integratorFor, solverFor } from './simulation.js';
import { decades, makeMenu, makeSlider, rounded } from './slider.js';
import { say } from './status.js';

const factors = decades(0.01, 10000, 5);
const addedStiffness = decades(0.001, 10000, 10);
const addedDamping = decades(0.0001, 1000, 10);
const gravities = Array.from({ length: 81 }, (_, i) => (i - 40) / 2);
const pushes = decades(0.1, 30, 10).slice(1);
const stepsPerSecond = [1000, 800, 640, 500, 400, 320, 240, 200, 160, 120, 100, 80, 60, 50, 40, 30, 25, 20];

/** 1/240 s where it is one of a whole number. */
function showStep(step) {
  const rate = 1 / step;
  const whole = Math.abs(rate - Math.round(rate)) < 1e-6 * rate && rate > 1.5;
  return whole ? `1/${Math.round(rate)} s` : `${format(step)} s`;
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
    const attempt = (act) => this.#try(act);
    this.joint = new JointPanel(simulation, scene, attempt);
    this.balance = new BalancePanel(simulation, attempt);
    this.actuators = new ActuatorPanel(simulation, scene, attempt);
    this.root = element('section', { id: 'live', 'aria-label': 'Live simulation' },
      element('header', {}, element('h2', {}, 'Live'),
        element('button', {
          type: 'button', class: 'small', title: 'Set everything back to what the scene has', onclick: () => this.#restore(),
        }, 'Restore')),
      this.#makeReadout(), this.#makeSliders(), this.#makeMenus(), touch ? this.#makeTools() : '', 
      this.actuators.root, this.joint.root, this.balance.root,
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
      this.simulation.restore();
      this.actuators.restore();
    });
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
    this.joint.select(body);
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
    this.joint.refresh();
    this.balance.refresh();
    this.actuators.refresh();
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
