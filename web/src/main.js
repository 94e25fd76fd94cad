// Starts the page: data → motion → player, stage and plots, tied together by the player's events.
import { readCharacter } from './character.js';
import { Clips } from './clips.js';
import { addKeys, addSwitches, addTransport } from './controls.js';
import { readData } from './data.js';
import { byId, element, format } from './dom.js';
import { takeDrops } from './drop.js';
import { Live } from './live.js';
import { RecordedMotion } from './motion.js';
import { offerPictures, refusePictures } from './pictures.js';
import { Pace } from './pace.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Stage } from './stage.js';
import { note, say } from './status.js';

function fail(text) {
  byId('app').hidden = true;
  byId('message').hidden = false;
  byId('message').textContent = text;
  refusePictures(text);
}

/** The run in numbers, as `summary.json` has them. */
function addSummary(panel, summary, open) {
  const entries = Object.entries(summary).filter(([, value]) => value === null || typeof value !== 'object');
  if (!entries.length) return;
  const show = (value) => (typeof value === 'number' && !Number.isInteger(value) ? format(value) : String(value ?? '–'));
  const { solver, integrator } = summary;
  panel.append(element('details', { open },
    element('summary', {}, solver ? `Simulated by ${solver}, ${integrator}` : 'The run in numbers'),
    element('dl', {}, ...entries.flatMap(([key, value]) =>
      [element('dt', {}, key.replaceAll('_', ' ')), element('dd', {}, show(value))]))));
}

function makeStage(scene, motion, character) {
  try {
    return new Stage(byId('picture'), scene, motion, character);
  } catch (error) {
    // Plots are worth having without a picture.
    say(`No picture: ${error.message}`);
    console.warn(error);
    refusePictures(`No picture: ${error.message}`);
    return undefined;
  }
}

/** Particles that are too many to be drawn smoothly are thinned while they play, and that is said. @returns for every picture */
function keepPace(stage, player, live) {
  const pace = new Pace();
  const told = element('p', { id: 'left-out', role: 'status', hidden: true });
  byId('view').append(told);
  let last = 0;
  return (now) => {
    const passed = player.playing && last ? now - last : 0;
    last = player.playing ? now : 0;
    // A tab that slept tells nothing.
    const news = passed > 0 ? passed < 5000 && pace.tell(passed, stage.particles.count, live?.on ? live.simulation.spent : 0) : !player.playing && pace.reset();
    if (!news) return;
    stage.setPart(pace);
    told.textContent = pace.text;
    told.hidden = !pace.text;
  };
}

/** What is to be known about the data, told under the picture. */
function notes({ summary, every, series, particles, crowd }, stage) {
  const { character } = stage;
  if (!series) return [`A cell of the grid is ${stage.ground.cell} ${stage.ground.cell === 1 ? 'unit' : 'units'} wide.`, picturesMissing(character)];
  return [
    character && picturesMissing(character),
    summary.diverged && `The motion diverged: ${summary.diverged.message ?? ''}.`.replace(/\.\.$/, '.'),
    stage?.ground.reference !== undefined && 'The grid is only drawn for orientation; the scene has no ground.',
    every > 1 && `To keep the page small, one frame in ${every} of the run is here.`,
    crowd && `${crowd.places.length === crowd.of ? `All ${crowd.of}` : `${crowd.places.length} of ${crowd.of}`} characters, set apart to be seen; the first one is in the middle, and live mode is of it alone.`,
    particles?.oneIn > 1 && `To keep the page small, one particle in ${particles.oneIn} of the run is here; live mode has all.`,
    series.leftOut > 0 && `${series.leftOut} column${series.leftOut > 1 ? 's' : ''} of the series ${series.leftOut > 1 ? 'were' : 'was'} left out.`,
  ];
}

const picturesMissing = ({ missing }) => missing > 0 && `${missing} of the character's pictures could not be read.`;

/** The character that the page carries, if it does. A run is worth seeing without it. */
async function findCharacter({ look, series }) {
  if (!look) return undefined;
  try {
    return await readCharacter(byId('sinew-character').textContent, look);
  } catch (error) {
    console.warn(error);
    if (!series) throw new Error(`the character: ${error.message}`);
    trouble = `The character cannot be shown: ${error.message}.`;
    return undefined;
  }
}
let trouble = '';

/** Clips are chosen in the panel; of a character alone the chosen one is the page's motion. */
function addClips(character, stage, player) {
  const clips = new Clips(character);
  const alone = !player.motion.bodies;
  let { beside } = character;
  clips.addEventListener('change', () => {
    if (alone) {
      const { playing, time } = player;
      const { motion } = character;
      if (stage) stage.motion = motion;
      player.setMotion(motion, time);
      if (playing) player.setPlaying(true);
    }
    stage?.setClips(beside !== character.beside);
    ({ beside } = character);
  });
  if (stage) clips.offer(stage, player);
  return clips;
}

let shown;

async function start(text) {
  const recording = readData(text);
  shown = recording;
  const { scene, summary, series } = recording;
  const character = await findCharacter(recording);
  if (character && !series) scene.about = character.asset.copyright ?? '';
  const motion = series ? new RecordedMotion(recording) : character.motion;
  const player = new Player(motion);
  byId('app').hidden = false;
  document.title = `${scene.name || 'motion'} – Sinew`;
  byId('name').textContent = scene.name;
  byId('about').textContent = scene.about;

  const stage = makeStage(scene, motion, character);
  if (stage) note([trouble, ...notes(recording, stage)]);
  const clips = character && addClips(character, stage, player);
  const recordedPlots = element('div');
  byId('panel').append(recordedPlots);
  addSummary(recordedPlots, summary, series && scene.bodies.length === 0);
  const plots = series && new Plots(recordedPlots, scene, motion, player, motion, recording.plan);
  addTransport(player);
  const live = series && new Live({
    engineText: byId('sinew-engine').textContent, recording, recorded: motion, recordedPlots, stage, player,
  });
  const actions = addSwitches(stage, {
    scene,
    onTheme: (name) => {
      document.documentElement.dataset.theme = name;
      stage?.setTheme(name);
      plots?.draw();
      live?.redraw();
    },
    onSelect: (body) => live?.select(body),
  });
  const more = { ...(clips && { n: () => clips.next() }), ...(live && { v: () => live.flip() }) };
  addKeys(player, { ...actions, ...more }, () => live?.keys() ?? {});

  player.addEventListener('change', () => stage?.show(player.time));
  if (stage) new ResizeObserver(() => stage.resize()).observe(byId('view'));
  player.seek(motion.start);
  if (stage) offerPictures(stage, player);
  window.sinew = Object.assign(window.sinew ?? {}, { debug: { stage } });
  if (stage?.wishes.hasWishes) window.sinew = Object.assign(window.sinew ?? {}, { wishes: () => stage.wishes.seen });
  if (stage && motion.crowd) window.sinew = Object.assign(window.sinew ?? {}, { crowd: () => stage.company.places() });
  if (recording.live) await live.enter();
  else if (!matchMedia('(prefers-reduced-motion: reduce)').matches) player.setPlaying(true);

  const thin = stage && keepPace(stage, player, live);
  const tick = (now) => {
    thin?.(now);
    player.advance(now);
    live?.tick(now);
    stage?.draw();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

takeDrops(() => shown);
const text = byId('sinew-data').textContent;
// The marker, which must not be spelled out here or the page would hold it twice; no JSON begins so.
if (text.startsWith('@')) fail('This page holds no motion yet. web/README.md says how one is put in.');
else {
  start(text).catch((error) => {
    fail(`This motion cannot be shown: ${error.message}`);
    console.warn(error);
  });
}
