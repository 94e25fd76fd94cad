// Buttons, timeline and keys.
import { byId, download, element, fileName, format } from './dom.js';
import { addContacts, addLoads } from './legend.js';
import { say } from './status.js';

/** Drawn here, so that they look alike wherever fonts differ. */
const icons = {
  start: 'M5 4h2v12H5zM15 4v12L8 10z', back: 'M14 4v12L5 10z', play: 'M6 3.5v13l10-6.5z',
  pause: 'M5 4h3.5v12H5zM11.5 4H15v12h-3.5z', forward: 'M6 4v12l9-6z', end: 'M13 4h2v12h-2zM5 4v12l7-6z',
  loop: 'M4 9a6 6 0 0 1 10-3.5V3h2v6h-6V7h2.7A4 4 0 0 0 6 9zM16 11a6 6 0 0 1-10 3.5V17H4v-6h6v2H7.3A4 4 0 0 0 14 11z',
  reset: 'M4 3h2v3.2A7 7 0 1 1 3.1 11h2.1A5 5 0 1 0 7.2 7.8H10v2H4z',
};

function setIcon(button, name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name]);
  svg.append(path);
  button.replaceChildren(svg);
}

function iconButton(icon, label, key, onclick) {
  const button = element('button', {
    type: 'button', class: 'icon', 'aria-label': label, title: key ? `${label} (${key})` : label, onclick,
  });
  setIcon(button, icon);
  return button;
}

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

/** @param {import('./player.js').Player} player */
export function addTransport(player) {
  const play = iconButton('play', 'Play', 'space', () => player.setPlaying(!player.playing));
  play.id = 'play';
  play.classList.add('main');
  const forward = iconButton('forward', 'Next frame', '→', () => player.stepFrames(1));
  const reset = iconButton('reset', 'Back to the start', 'R', () => player.reset());
  reset.id = 'reset';
  byId('buttons').append(iconButton('back', 'Previous frame', '←', () => player.stepFrames(-1)), play, forward, reset);

  const speed = element('select', {
    id: 'speed', 'aria-label': 'Speed', title: 'Speed', onchange: () => player.setSpeed(Number(speed.value)),
  }, ...speeds.map((s) => element('option', { value: s, selected: s === 1 }, `${s}×`)));
  const loop = iconButton('loop', 'Loop', 'L', () => player.setLoop(!player.loop));
  byId('pace').append(speed, loop);

  const timeline = byId('timeline');
  timeline.addEventListener('input', () => player.seek(Number(timeline.value)));

  timeline.addEventListener('pointerdown', () => player.hold(true));
  for (const end of ['pointerup', 'pointercancel']) timeline.addEventListener(end, () => player.hold(false));

  const clock = byId('clock');
  const small = element('small');
  clock.replaceChildren('', small);
  const name = (button, label) => {
    button.setAttribute('aria-label', label);
    button.title = button.title.replace(/^[^(]*/, `${label} `);
  };
  let shown;
  let live;
  player.addEventListener('change', () => {
    const { motion, time } = player;
    if (live !== motion.live) {
      live = motion.live;
      loop.hidden = live;
      reset.hidden = !live;
      name(forward, live ? 'One step' : 'Next frame');
    }
    timeline.min = motion.start;
    timeline.max = motion.end;
    timeline.value = time;
    clock.firstChild.data = live ? `${time.toFixed(2)} s` : `${time.toFixed(2)} / ${motion.end.toFixed(2)} s`;
    const ago = motion.end - time;
    if (live) small.textContent = ago > 0 && !player.playing ? `${ago.toFixed(2)} s ago` : 'live';
    else small.textContent = `frame ${player.frame + 1} of ${motion.times.length}`;
    timeline.setAttribute('aria-valuetext', `${time.toFixed(2)} s, ${small.textContent}`);
    loop.setAttribute('aria-pressed', String(player.loop));
    if (shown === player.playing) return;
    shown = player.playing;
    setIcon(play, shown ? 'pause' : 'play');
    name(play, shown ? 'Pause' : 'Play');
  });
}

/**
 * Keys work wherever the focus is, unless the focused element needs them itself.
 * @param {() => Record<string, () => void>} ofTheMoment more of them, which go before the others
 */
export function addKeys(player, actions, ofTheMoment) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = /** @type {HTMLElement} */ (event.target);
    const typing = at.matches('input[type="search"]');
    if (typing || (at.matches('select') && event.key !== 'Escape')) return;
    if (event.key === ' ' && at.matches('button, summary, input[type="checkbox"]')) return;
    if (at.matches('.slider input') && /^(Arrow|Page|Home|End)/.test(event.key)) return;
    const more = ofTheMoment();
    // Up and down scroll the plots unless the picture has the focus.
    if (/^Arrow(Up|Down)$/.test(event.key) && !at.matches('canvas') && !more[event.key]) return;
    const many = event.shiftKey ? 10 : 1;
    const keys = {
      ' ': () => player.setPlaying(!player.playing),
      ArrowLeft: () => player.stepFrames(-many),
      ArrowRight: () => player.stepFrames(many),
      Home: () => player.seek(player.motion.start),
      End: () => player.seek(player.motion.end),
      l: () => player.setLoop(!player.loop),
      ...actions,
      ...more,
    };
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** A button that stays down. @returns {{flip: () => void, set: (on: boolean) => void}} */
function addSwitch(bar, label, key, on, onChange) {
  const button = element('button', { type: 'button', title: key ? `${label} (${key.toUpperCase()})` : label }, label);
  const set = (value) => {
    on = value;
    button.setAttribute('aria-pressed', String(on));
    onChange(on);
  };
  button.addEventListener('click', () => set(!on));
  set(on);
  bar.append(button);
  return { flip: () => set(!on), set, button };
}

/**
 * @param {import('./stage.js').Stage | undefined} stage without WebGL there is none
 * @param {{scene: import('./data.js').Scene, onTheme: (name: string) => void, onSelect: (body: number) => void}} options
 */
export function addSwitches(stage, { scene, onTheme, onSelect }) {
  const bar = byId('switches');
  const actions = {};
  const add = (label, key, on, onChange) => {
    const made = addSwitch(bar, label, key, on, onChange);
    actions[key] = made.flip;
    return made;
  };
  if (stage) {
    const redraw = (change) => (on) => {
      change(on);
      stage.invalidate();
    };
    if (stage.character) {
      add('Skin', 's', true, (on) => stage.setLook({ skin: on }));
      add('Bones', 'b', false, (on) => stage.setLook({ bones: on }));
    }
    if (scene.bodies.length) {
      if (stage.character) add('Bodies', 'o', false, (on) => stage.setLook({ bodies: on }));
      add('Joints', 'j', !stage.character, redraw((on) => stage.figure.setJoints(on)));
      add('Inertia', 'i', false, redraw((on) => stage.figure.setInertia(on)));
    }
    if (stage.loads.hasJoints) addLoads(add, stage);
    if (stage.contacts.isPossible) addContacts(add, stage);
    if (stage.guides.hasTargets) add('Targets', 'g', true, redraw((on) => stage.guides.setTargets(on)));
    if (stage.wishes.hasWishes) add('Wishes', 'w', true, redraw((on) => (stage.wishes.root.visible = on)));
    add('Follow', 'f', stage.travelsFar, (on) => stage.setFollow(on));
    if (scene.bodies.length) addBodyChoice(bar, stage, scene, onSelect);
    const frame = () => stage.frame();
    bar.append(element('button', { type: 'button', title: 'Show the whole motion (A)', onclick: frame }, 'Frame all'));
    Object.assign(actions, {
      a: frame, '[': () => stage.orbit(-0.15, 0), ']': () => stage.orbit(0.15, 0), ArrowUp: () => stage.orbit(0, -0.1),
      ArrowDown: () => stage.orbit(0, 0.1), '+': () => stage.orbit(0, 0, 0.87), '-': () => stage.orbit(0, 0, 1.15),
    });
    const save = async () => download(`${fileName(scene.name)}.png`, await stage.picture());
    bar.append(element('button', { type: 'button', id: 'png', title: 'Save the picture as PNG', onclick: save }, 'PNG'));
  }
  // The system's wish counts until the user has one.
  const wish = matchMedia('(prefers-color-scheme: dark)');
  let own = false;
  const dark = add('Dark', 'd', wish.matches, (on) => onTheme(on ? 'dark' : 'light'));
  dark.button.id = 'dark';
  dark.button.addEventListener('click', () => (own = true));
  wish.addEventListener('change', () => own || dark.set(wish.matches));
  return actions;
}

/** A body is chosen by a click on it or from a list; it lights up and shows its trail. */
function addBodyChoice(bar, stage, scene, onSelect) {
  const list = element('select', { id: 'body', 'aria-label': 'Body to trace', title: 'Body to trace' },
    element('option', { value: -1 }, 'Trace…'),
    ...scene.bodies.map((body, i) => element('option', { value: i }, body.name)));
  const choose = (index) => {
    list.value = index;
    stage.figure.select(index);
    stage.guides.trail(index);
    stage.invalidate();
    onSelect(index);
    const body = scene.bodies[index];
    say(body && `${body.name}, ${format(body.mass)} kg: tracing its centre of mass`);
  };
  list.addEventListener('change', () => choose(Number(list.value)));
  let down;
  stage.canvas.addEventListener('pointerdown', (event) => (down = event));
  stage.canvas.addEventListener('pointerup', (event) => {
    const from = down;
    down = undefined;
    // A drag turns the camera and chooses nothing.
    if (!from || Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > 4) return;
    const box = stage.canvas.getBoundingClientRect();
    choose(stage.pick(event.clientX - box.left, event.clientY - box.top)?.body ?? -1);
  });
  bar.append(list);
}
