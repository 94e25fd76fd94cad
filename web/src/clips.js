// The clips of a character in the panel: which one is shown, and which one beside it. And window.sinew.character.
import { byId, element } from './dom.js';

const length = ({ duration }) => `${duration.toFixed(2)} s`;

export class Clips extends EventTarget {
  #buttons;
  #beside;

  /** Tells of a change by 'change'. @param {import('./character.js').Character} character */
  constructor(character) {
    super();
    this.character = character;
    const { clips } = character;
    this.#buttons = clips.map((clip, i) => element('button', { type: 'button', onclick: () => this.choose(i) },
      element('span', {}, clip.name), element('small', {}, length(clip))));
    this.#beside = element('select', { id: 'beside', onchange: () => this.compare(Number(this.#beside.value)) },
      element('option', { value: -1 }, 'nothing'), ...clips.map((clip, i) => element('option', { value: i }, clip.name)));
    const facts = Object.entries(character.facts).flatMap(([key, value]) =>
      [element('dt', {}, key), element('dd', {}, value.toLocaleString('en'))]);
    byId('panel').append(element('section', { id: 'clips' },
      element('h2', {}, clips.length ? 'Clips' : 'No clips: the rest pose'),
      element('div', { class: 'list' }, ...this.#buttons),
      clips.length > 1 ? element('label', {}, 'compare with ', this.#beside) : '',
      element('dl', {}, ...facts)));
    this.#tell();
  }

  choose(clip) {
    this.character.choose(clip);
    this.#tell();
  }

  next() {
    const { clips, chosen } = this.character;
    if (clips.length > 1) this.choose((chosen + 1) % clips.length);
  }

  /** @param {number} clip -1: none */
  compare(clip) {
    this.character.compare(clip);
    this.#tell();
  }

  #tell() {
    const { chosen, beside } = this.character;
    this.#buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
    this.#beside.value = beside;
    this.dispatchEvent(new Event('change'));
  }

  /**
   * For scripts and tests: web/README.md describes it.
   * @param {import('./stage.js').Stage} stage @param {import('./player.js').Player} player
   */
  offer(stage, player) {
    const { character } = this;
    const span = () => {
      const { start, end, times } = player.motion;
      return { start, end, frames: times.length };
    };
    const at = (time, look) => {
      try {
        character.show(time);
        return look();
      } finally {
        stage.refresh();
      }
    };
    window.sinew = Object.assign(window.sinew ?? {}, { character: {
      clips: () => character.clips.map(({ name, duration }) => ({ name, duration })),
      chosen: () => character.chosen,
      choose: (clip) => {
        this.choose(character.find(clip));
        return span();
      },
      compare: (clip) => {
        this.compare(clip === undefined ? -1 : character.find(clip));
        return span();
      },
      pose: (time) => at(time, () => character.pose()),
      points: (time) => at(time, () => character.points().map((point) => point.toArray())),
    } });
  }
}
