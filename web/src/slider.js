// Sliders and menus over values that can be read, and the values that they offer.
import { element } from './dom.js';

/** Values of even ratio, so many a decade, and 0 before them. */
export function decades(low, high, perDecade) {
  const count = Math.round(Math.log10(high / low) * perDecade);
  return [0, ...Array.from({ length: count + 1 }, (_, i) => Number((low * 10 ** (i / perDecade)).toPrecision(2)))];
}

const halves = decades(0.01, 1000, 6);
export const signed = [...halves.slice(1).reverse().map((x) => -x), ...halves];
export const angles = Array.from({ length: 73 }, (_, i) => Number(((i - 36) * (Math.PI / 36)).toFixed(4)));
export const offsets = Array.from({ length: 81 }, (_, i) => Number(((i - 40) / 20).toFixed(2)));
export const gains = decades(0.01, 100000, 6);

/** Two digits are enough for what is set by hand and for what changes all the time. */
export const rounded = (x) => (Math.abs(x) >= 100 ? String(Math.round(x)) : String(Number(x.toPrecision(2)))).replace('-', '−');

/**
 * A slider over a list of values: every place of it is a value that can be read and reached by keys.
 * @param {{label: string, title: string, values: number[], show: (value: number) => string,
 *   onInput: (value: number) => void}} options
 */
export function makeSlider({ label, title, values, show, onInput }) {
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

export function makeMenu(label, onChange) {
  const menu = element('select', { 'aria-label': label, onchange: () => onChange(menu.value) });
  const set = (choices, value) => {
    menu.replaceChildren(...choices.map(({ name, title }) => element('option', { value: name, title }, name ? name.replaceAll('_', ' ') : title)));
    menu.value = value;
    menu.title = choices.find(({ name }) => name === value)?.title ?? '';
  };
  return { node: element('label', { class: 'menu' }, element('span', {}, label), menu), set };
}
