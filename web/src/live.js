// Live mode: turns playback into a simulation that runs in the page and can be touched, and back.
import { Vector3 } from 'three';
import { byId, download, element, fileName } from './dom.js';
import { Engine, unpackEngine } from './engine.js';
import { LivePanel } from './live_panel.js';
import { Plots } from './plots.js';
import { Simulation } from './simulation.js';
import { say } from './status.js';
import { Touch } from './touch.js';

const hashText = (hash) => hash.toString(16).padStart(16, '0');

export class Live {
  on = false;
  /** @type {Simulation | undefined} from the first time on */
  simulation;
  /** @type {Plots | undefined} */
  plots;
  #button;
  #body = -1;
  #before;
  #starting;

  /**
   * @param {{engineText: string, recording: import('./data.js').Recording, recorded: import('./motion.js').Motion,
   *   recordedPlots: HTMLElement, stage: import('./stage.js').Stage | undefined, player: import('./player.js').Player}} options
   */
  constructor({ engineText, recording, recorded, recordedPlots, stage, player }) {
    Object.assign(this, { engineText, recording, recorded, recordedPlots, stage, player });
    this.touch = stage && new Touch(stage, recording.scene, player);
    // The marker, which must not be spelled out here; no base64 begins so.
    this.missing = !engineText.trim() || engineText.startsWith('@');
    const title = this.missing ? 'Live: this page was made without the engine' : 'Simulate here and now, and touch it (V)';
    this.#button = element('button', {
      type: 'button', id: 'live-switch', 'aria-pressed': 'false', 'aria-disabled': this.missing && 'true', title,
      onclick: () => this.flip(),
    }, element('i', { class: 'dot' }), 'Live');
    byId('buttons').prepend(this.#button);
    this.banner = element('div', { id: 'banner', role: 'alert', hidden: true });
    byId('view').append(this.banner);
    window.sinew = Object.assign(window.sinew ?? {}, { live: this.#hook() });
  }

  flip() {
    return this.on ? this.leave() : this.enter();
  }

  async enter() {
    if (this.missing) return say('No live mode: this page was made without the engine.');
    if (this.on) return undefined;
    try {
      await (this.#starting ??= this.#start());
    } catch (error) {
      this.#starting = undefined;
      console.warn(error);
      return say(`No live mode: ${error.message}`);
    }
    if (this.on) return undefined;
    this.on = true;
    this.#before = { time: this.player.time, playing: this.player.playing };
    say();
    this.#show();
    this.#tellTrouble();
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches && !this.simulation.stopped) this.player.setPlaying(true);
  }

  leave() {
    if (!this.on) return;
    this.touch?.release();
    this.on = false;
    say();
    this.#show();
    this.#tellTrouble();
    if (this.#before.playing) this.player.setPlaying(true);
  }

  async #start() {
    say('Starting the engine …');
    const engine = await Engine.load(await unpackEngine(this.engineText));
    const { source, scene, summary } = this.recording;
    const simulation = new Simulation(engine, source);
    // As the recording was made, where the page can.
    const { solver, integrator, step } = summary;
    try {
      simulation.choose({ solver, integrator, step });
    } catch (error) {
      console.warn(error);
    }
    this.simulation = simulation;
    this.panel = new LivePanel(simulation, this.touch, scene, { save: () => this.#save(), replay: () => this.#replay() });
    this.panel.select(this.#body);
    this.room = element('div', { id: 'live-room' }, this.panel.root);
    byId('panel').append(this.room);
    this.#plot();
    simulation.addEventListener('settings', () => this.#follow());
    simulation.addEventListener('columns', () => this.#replot());
    simulation.addEventListener('replayed', () => this.#tellReplayed());
  }

  #save() {
    const text = this.simulation.recording;
    download(`${fileName(this.recording.scene.name)}.interaction.jsonl`, new Blob([text], { type: 'application/x-ndjson' }));
    const { end } = JSON.parse(text.trimEnd().split('\n').at(-1));
    say(`Saved ${end.step} steps, to state ${end.state_hash}; sinew run --replay repeats them.`);
  }

  #replay() {
    say('Replaying what was done, from the start …');
    try {
      this.simulation.replay();
    } catch (error) {
      return say(`Not possible: ${error.message}`);
    }
    this.player.setPlaying(this.simulation.replaying);
    return undefined;
  }

  #tellReplayed() {
    const { steps, same } = this.simulation.replayed;
    const state = hashText(this.simulation.stateHash);
    say(`Replayed ${steps} steps ${same ? 'to the same state' : 'to a different state'}, ${state}.`);
  }

  #plot() {
    this.area?.remove();
    this.area = element('div');
    this.room.append(this.area);
    this.plots = new Plots(this.area, this.recording.scene, this.simulation.motion, this.player, this.recorded);
  }

  #replot() {
    this.#plot();
    const { playing } = this.player;
    this.#show();
    this.player.setPlaying(playing);
  }

  /** Puts the simulation or the recording in the page's place for a motion. */
  #show() {
    const { on, player, stage, simulation } = this;
    document.documentElement.toggleAttribute('data-live', on);
    this.#button.setAttribute('aria-pressed', String(on));
    this.room.hidden = !on;
    this.recordedPlots.hidden = on;
    if (this.touch) this.touch.simulation = on ? simulation : undefined;
    const motion = on ? simulation.motion : this.recorded;
    stage?.setMotion(motion);
    if (on) player.setMotion(motion, motion.end, simulation);
    else player.setMotion(motion, this.#before.time);
    byId('panel').scrollTop = 0;
  }

  /** Something was set or touched: that is seen also while nothing runs. */
  #follow() {
    this.#tellTrouble();
    if (this.on && !this.player.playing && this.player.motion === this.simulation.motion) this.player.refresh();
  }

  /** When it went wrong, that is said where nobody overlooks it. */
  #tellTrouble() {
    const message = this.on ? this.simulation.diverged : undefined;
    const news = message !== undefined && this.banner.hidden;
    this.banner.hidden = message === undefined;
    if (!news) return;
    this.banner.replaceChildren(
      element('p', {}, element('b', {}, 'The simulation diverged: '), `${message}.`.replace(/\.\.$/, '.')),
      element('button', { type: 'button', class: 'main', onclick: () => this.player.reset() }, 'Reset'));
  }

  /** @param {number} body chosen in the picture or the list, -1 for none */
  select(body) {
    this.#body = body;
    this.panel?.select(body);
  }

  /** Draws again what does not follow the theme by itself. */
  redraw() {
    this.plots?.draw();
  }

  /** Keys of the moment. */
  keys() {
    if (!this.on) return {};
    return { r: () => this.player.reset(), ...this.touch?.keys(this.#body) };
  }

  /** For every picture. */
  tick(now) {
    if (!this.on) return;
    this.touch?.tick(now);
    this.panel.tick(now);
  }

  /** For tests and the curious: web/README.md describes it. */
  #hook() {
    const index = (name) => this.recording.scene.bodies.findIndex((body) => body.name === name);
    const place = (name) => {
      const poses = new Float32Array(7 * this.recorded.bodies);
      this.simulation.motion.sample(this.simulation.motion.end, poses);
      return Array.from(poses.subarray(7 * index(name), 7 * index(name) + 3));
    };
    return {
      start: () => this.enter(),
      stop: () => this.leave(),
      pause: () => this.player.setPlaying(false),
      steps: (count) => {
        this.player.stepFrames(count);
        return this.simulation.readout();
      },
      reset: () => this.player.reset(),
      recording: () => this.simulation.recording,
      replay: () => {
        this.simulation.replay();
        this.player.refresh();
      },
      readout: () => this.simulation.readout(),
      simulation: () => this.simulation,
      position: place,
      onScreen: (name, [dx, dy, dz] = [0, 0, 0]) => {
        const [x, y, z] = place(name);
        const box = this.stage.canvas.getBoundingClientRect();
        const at = this.stage.onCanvas(new Vector3(x + dx, y + dy, z + dz));
        return { x: box.left + at.x, y: box.top + at.y };
      },
    };
  }
}
