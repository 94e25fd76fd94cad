// Sliders of all actuators of a scene, while a simulation runs: where its controllers lead their joints, what its motors
// give, and how firm all controllers are together. Robots have such, MuJoCo's models, and scenes of `sinew bake`.
import { element } from './dom.js';
import { angles, decades, makeSlider, offsets, rounded, signed } from './slider.js';

const factors = decades(0.01, 100, 6);
/** More of them nobody can oversee; the chosen joint has its own sliders. */
const most = 64;
const parts = 40; // of a range between limits
const farAway = 1000;
const degrees = (x) => `${Math.round((x * 180) / Math.PI)}°`.replace('-', '−');
const replaced = (list, i, value) => list.map((x, k) => (k === i ? value : x));

/** From limit to limit where there are two, in even parts. */
function within(lower, upper, usual) {
  const isRange = Number.isFinite(lower) && Number.isFinite(upper) && Math.abs(lower) < farAway && Math.abs(upper) < farAway && lower < upper;
  if (!isRange) return usual;
  return Array.from({ length: parts + 1 }, (_, i) => Number((lower + ((upper - lower) * i) / parts).toFixed(4)));
}

export class ActuatorPanel {
  /**
   * @param {import('./simulation.js').Simulation} simulation @param {object} scene as in the scene file
   * @param {(act: () => void) => void} attempt runs what may be refused
   */
  constructor(simulation, scene, attempt) {
    Object.assign(this, { simulation, attempt, sliders: [], firmness: 1, damping: 1 });
    const joints = new Map(simulation.info.joints.map((joint) => [joint.name, joint]));
    const led = [...new Set((scene.controllers ?? []).map(({ joint }) => joint))].filter((name) => joints.get(name)?.target);
    const motors = (scene.motors ?? []).filter(({ joint, torque }) => torque !== undefined && joints.has(joint) && !led.includes(joint));
    // As they are at first: factors are of these.
    this.own = new Map(led.map((name) => [name, { stiffness: joints.get(name).stiffness, damping: joints.get(name).damping }]));
    const count = led.length + motors.length;
    this.root = element('div', { class: 'joint', role: 'group', 'aria-label': 'Actuators' });
    this.root.hidden = count === 0;
    if (!count) return;
    const nodes = [
      ...led.flatMap((name) => this.#targets(joints.get(name))),
      ...motors.flatMap((motor) => this.#torques(joints.get(motor.joint), motor)),
    ].slice(0, most);
    this.root.append(element('details', { open: count <= 12 }, element('summary', {}, `Actuators (${count})`),
      element('div', { class: 'sliders' }, ...(led.length ? this.#together() : []), ...nodes)));
  }

  get #joints() {
    return this.simulation.info.joints;
  }

  /** The scene's own gains again. */
  restore() {
    this.firmness = this.damping = 1;
  }

  refresh() {
    for (const [slider, read] of this.sliders) slider.set(read());
  }

  #add(options, read) {
    const slider = makeSlider({ ...options, onInput: (value) => this.attempt(() => options.onInput(value)) });
    this.sliders.push([slider, read]);
    slider.set(read());
    return slider.node;
  }

  /** All controllers at once; of a bake that is how firmly bones follow, and how soon they come to rest. */
  #together() {
    const change = (key) => (value) => {
      this[key] = value;
      for (const [joint, { stiffness, damping }] of this.own) {
        this.simulation.control(joint, { stiffness: stiffness * this.firmness, damping: damping * this.damping });
      }
    };
    const times = (value) => `${rounded(value)} ×`;
    return [
      this.#add({ label: 'Firmness', values: factors, title: 'Of all controllers, in parts of what the scene gives them; the frequency goes by its root', show: times, onInput: change('firmness') }, () => this.firmness),
      this.#add({ label: 'Their damping', values: factors, title: 'Of all controllers, in parts of what the scene gives them', show: times, onInput: change('damping') }, () => this.damping),
    ];
  }

  #now(name) {
    return this.#joints.find((joint) => joint.name === name);
  }

  #freedoms({ name, torque, slides }) {
    const label = (i) => (torque.length > 1 ? `${name} ${i + 1}` : name);
    return torque.map((_, i) => ({ i, label: label(i), slides: i < slides }));
  }

  #targets(joint) {
    const { name, lower = [], upper = [] } = joint;
    return this.#freedoms(joint).map(({ i, label, slides }) => this.#add({
      label, title: `Where the controller of joint ${name} leads it`,
      values: within(joint.torque.length === 1 ? lower[0] : undefined, upper[0], slides ? offsets : angles),
      show: (value) => (slides ? `${value.toFixed(2)} m` : degrees(value)),
      onInput: (value) => this.simulation.control(name, { target: replaced(this.#now(name).target, i, value) }),
    }, () => this.#now(name).target[i]));
  }

  #torques(joint, { limit }) {
    const { name } = joint;
    const size = limit > 0 ? limit : Infinity;
    return this.#freedoms(joint).map(({ i, label, slides }) => this.#add({
      label, title: `What the motor of joint ${name} gives`, values: within(-size, size, signed),
      show: (value) => (value === 0 ? 'off' : `${rounded(value)} ${slides ? 'N' : 'N m'}`),
      onInput: (value) => this.simulation.drive(name, replaced(this.#now(name).torque, i, value)),
    }, () => this.#now(name).torque[i]));
  }
}
