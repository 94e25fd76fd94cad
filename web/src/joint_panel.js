// Sliders of one joint while a simulation runs: torques by hand, what its controllers do, its spring and limits, a motor.
import { element } from './dom.js';
import { angles, gains, makeMenu, makeSlider, offsets, rounded, signed } from './slider.js';

const speeds = signed.filter((x) => Math.abs(x) <= 100);
const halfTurn = angles.filter((x) => x >= 0);
const degrees = (x) => `${Math.round((x * 180) / Math.PI)}°`.replace('-', '−');
const replaced = (list, i, value) => list.map((x, k) => (k === i ? value : x));
/** Where only one side of one freedom has a limit, the others stand so far away, in rad or m. */
const farAway = 1000;

export class JointPanel {
  #chosen = '';
  #made;

  /** @param {import('./simulation.js').Simulation} simulation @param {import('./data.js').Scene} scene @param {(act: () => void) => void} attempt runs what may be refused */
  constructor(simulation, scene, attempt) {
    Object.assign(this, { simulation, scene, attempt });
    this.menu = makeMenu('Joint', (name) => {
      this.#chosen = name;
      this.refresh();
    });
    this.controls = element('div');
    this.root = element('div', { class: 'joint', role: 'group', 'aria-label': 'A joint' }, this.menu.node, this.controls);
    const choices = [{ name: '', title: 'none' }, ...simulation.info.joints.map(({ name }) => ({ name, title: name }))];
    this.root.hidden = choices.length === 1;
    this.menu.set(choices, '');
  }

  get #joint() {
    return this.simulation.info.joints.find(({ name }) => name === this.#chosen);
  }

  /** The joint that carries the chosen body, if it is one. */
  select(body) {
    const joint = this.simulation.info.joints.find((one) => one.body === body);
    if (!joint) return;
    this.#chosen = joint.name;
    this.refresh();
  }

  refresh() {
    const joint = this.#joint;
    this.menu.node.querySelector('select').value = this.#chosen;
    const shape = joint && `${joint.name} ${joint.target !== undefined}`;
    if (shape !== this.#made) this.#make(joint);
    this.#made = shape;
    if (joint) for (const [slider, read] of this.sliders) slider.set(read(joint));
    this.acts?.setAttribute('aria-pressed', String(joint?.acts ?? true));
  }

  /** @param {(joint: any) => number} read what it shows */
  #add(options, read) {
    const slider = makeSlider({ ...options, onInput: (value) => this.attempt(() => options.onInput(value, this.#joint)) });
    this.sliders.push([slider, read]);
    return slider.node;
  }

  #make(joint) {
    this.sliders = [];
    this.acts = undefined;
    this.controls.replaceChildren();
    if (!joint) return;
    const part = (title, open, ...nodes) => element('details', { open }, element('summary', {}, title), element('div', { class: 'sliders' }, ...nodes));
    this.controls.append(
      part('Torque by hand', true, ...this.#torques(joint)),
      ...(joint.target ? [part('Controller of the scene', true, ...this.#controllers(joint))] : []),
      part('Spring and limits', false, ...this.#springs(joint), ...this.#limits(joint)),
      part('Motor', false, ...this.#motor(joint)));
  }

  /** For every freedom: its number where there are several, and whether it slides. */
  #freedoms(joint) {
    const several = joint.torque.length > 1;
    return joint.torque.map((_, i) => ({ i, mark: several ? ` ${i + 1}` : '', slides: i < joint.slides }));
  }

  #torques(joint) {
    const { simulation } = this;
    this.acts = element('button', {
      type: 'button', title: 'Spring, motor and controllers of this joint; damper and limits stay',
      onclick: () => this.attempt(() => simulation.switchJoint(joint.name, !this.#joint.acts)),
    }, 'Torques act');
    return [...this.#freedoms(joint).map(({ i, mark, slides }) => this.#add({
      label: (slides ? 'Force' : 'Torque') + mark, values: signed, title: `Drives joint ${joint.name}, beside what the scene gives it`,
      show: (value) => (value === 0 ? 'off' : `${rounded(value)} ${slides ? 'N' : 'N m'}`),
      onInput: (value, now) => simulation.drive(joint.name, replaced(now.torque, i, value)),
    }, ({ torque }) => torque[i])), this.acts];
  }

  #controllers(joint) {
    const { simulation } = this;
    const gain = (label, key) => this.#add({
      label, values: gains, title: `The ${key} of the controllers of joint ${joint.name}`,
      show: (value) => (value === 0 ? 'off' : String(rounded(value))),
      onInput: (value) => simulation.control(joint.name, { [key]: value }),
    }, (now) => now[key]);
    return [...this.#freedoms(joint).map(({ i, mark, slides }) => this.#add({
      label: `Target${mark}`, values: slides ? offsets : angles, title: `What the controllers of joint ${joint.name} aim at`,
      show: (value) => (slides ? `${value.toFixed(2)} m` : degrees(value)),
      onInput: (value, now) => simulation.control(joint.name, { target: replaced(now.target, i, value) }),
    }, ({ target }) => target[i])), gain('Gain', 'stiffness'), gain('Its damping', 'damping')];
  }

  #springs(joint) {
    const { simulation } = this;
    const slides = joint.slides > 0;
    const add = (label, key, read, unit, title) => this.#add({
      label, values: gains, title, show: (value) => (value === 0 ? 'off' : `${rounded(value)} ${unit}`),
      onInput: (value) => simulation.setJoint(joint.name, { [key]: value }),
    }, read);
    return [
      add('Spring', 'stiffness', (now) => now.spring, slides ? 'N/m' : 'N m/rad', `The spring of joint ${joint.name} toward its rest`),
      add('Damper', 'damping', (now) => now.damper, slides ? 'N s/m' : 'N m s/rad', `The damper of joint ${joint.name}`),
    ];
  }

  /** Limits: one of each freedom, of a ball joint with an axis those of swing and twist. */
  #limits(joint) {
    const ball = joint.type === 'spherical';
    if (ball && !joint.hasAxis) return [];
    const sides = ball ? [{ i: 0, mark: '', slides: false }] : this.#freedoms(joint);
    const shown = (value, slides) => (Math.abs(value) >= farAway ? 'none' : slides ? `${value.toFixed(2)} m` : degrees(value));
    const side = (key, { i, mark, slides }) => {
      const none = key === 'lower' ? -Infinity : Infinity;
      const plain = slides ? offsets : angles;
      return this.#add({
        label: `${{ lower: 'Lower', upper: 'Upper' }[key]}${ball ? ' twist' : ''}${mark}`, values: key === 'lower' ? [none, ...plain] : [...plain, none],
        title: `Where the ${key} limit of joint ${joint.name} begins`, show: (value) => shown(value, slides),
        onInput: (value, now) => this.#setLimits(now, sides.length, { [key]: { i, value } }),
      }, (now) => (Math.abs(now[key][i] ?? none) >= farAway ? none : now[key][i]));
    };
    const swing = ball && this.#add({
      label: 'Swing', values: [...halfTurn, Infinity], title: `How far the axis of joint ${joint.name} may tilt`,
      show: (value) => (value === Infinity ? (this.#joint?.hasCone ? 'its cone' : 'none') : degrees(value)),
      onInput: (value, now) => this.#setLimits(now, 1, { swing: value }),
    }, (now) => now.swing ?? Infinity);
    return [...(swing ? [swing] : []), ...sides.flatMap((one) => [side('lower', one), side('upper', one)])];
  }

  /** A limit more or less; the others stay. */
  #setLimits(now, count, { lower, upper, swing }) {
    const list = (old, change, none) => {
      const all = Array.from({ length: count }, (_, i) => (change?.i === i ? change.value : old[i] ?? none));
      if (all.every((x) => Math.abs(x) >= farAway)) return undefined;
      return all.map((x) => (Math.abs(x) >= farAway ? Math.sign(none) * farAway : x));
    };
    const to = { lower: list(now.lower, lower, -Infinity), upper: list(now.upper, upper, Infinity) };
    const tilt = swing ?? now.swing;
    if (tilt !== undefined && tilt !== Infinity) to.swing_limit = tilt;
    // A limit can only be taken away with all of them; a cone stays unless it is replaced.
    const isGone = (key, old) => old.length > 0 && to[key] === undefined;
    if (isGone('lower', now.lower) || isGone('upper', now.upper) || (swing === Infinity && now.swing !== undefined)) to.limits = false;
    this.simulation.setJoint(now.name, to);
  }

  /** A motor that a hand puts in: to a target, or on at a speed, with at most some strength. */
  #motor(joint) {
    const { simulation } = this;
    const set = (to) => simulation.motor(joint.name, to);
    /** A motor that only has somewhere to go needs something to go there with. */
    const { mass = 1 } = this.scene.bodies[joint.body];
    const grip = (now, key) => (now.motor?.[key] > 0 ? {} : { [key]: Number((mass * { stiffness: 40, damping: 4 }[key]).toPrecision(2)) });
    const gain = (label, key, title) => this.#add({
      label, values: gains, title, show: (value) => (value === 0 ? 'off' : String(rounded(value))), onInput: (value) => set({ [key]: value }),
    }, ({ motor }) => motor?.[key] ?? 0);
    const freedoms = this.#freedoms(joint);
    return [
      ...freedoms.map(({ i, mark, slides }) => this.#add({
        label: `Go to${mark}`, values: slides ? offsets : angles, title: `Where the motor leads joint ${joint.name}`,
        show: (value) => (slides ? `${value.toFixed(2)} m` : degrees(value)),
        onInput: (value, now) => set({
          target: replaced(now.motor?.target ?? now.torque.map(() => 0), i, value), speed: now.torque.map(() => 0), ...grip(now, 'stiffness'), ...grip(now, 'damping'),
        }),
      }, ({ motor }) => motor?.target[i] ?? 0)),
      ...freedoms.map(({ i, mark, slides }) => this.#add({
        label: `Speed${mark}`, values: speeds, title: `How fast the motor turns joint ${joint.name}; on from where it is, without a gain`,
        show: (value) => (value === 0 ? 'still' : `${rounded(value)} ${slides ? 'm' : 'rad'}/s`),
        onInput: (value, now) => set({ speed: replaced(now.motor?.speed ?? now.torque.map(() => 0), i, value), stiffness: 0, ...grip(now, 'damping') }),
      }, ({ motor }) => motor?.speed[i] ?? 0)),
      gain('Its gain', 'stiffness', 'Toward its target; 0 follows the speed alone'),
      gain('Its damper', 'damping', 'Toward its speed'),
      this.#add({
        label: 'Strength', values: [...gains.slice(1), Infinity], title: 'The most it gives',
        show: (value) => (value === Infinity ? 'any' : `${rounded(value)} ${joint.slides ? 'N' : 'N m'}`),
        onInput: (value) => set({ strength: Math.min(value, 1e9) }),
      }, ({ motor }) => (motor?.strength < 1e9 ? motor.strength : Infinity)),
    ];
  }
}
