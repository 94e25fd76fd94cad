// The switches for joint loads and contacts, and the legend that gives their scales.
import { byId, element } from './dom.js';

/** Whole centimetres rather than 0.2 m. */
function length(metres) {
  const [size, unit] = metres >= 1 ? [metres, 'm'] : metres >= 0.01 ? [100 * metres, 'cm'] : [1000 * metres, 'mm'];
  return `${Number(size.toPrecision(3))} ${unit}`;
}

const entry = (kind, sign, text) => element('span', { class: kind }, element('b', { 'aria-hidden': 'true' }, sign), text);

/**
 * A switch for a mark with arrows, and its part of the legend.
 * @param {(label: string, key: string, on: boolean, onChange: (on: boolean) => void) => {button: HTMLElement}} add
 * @param {import('./stage.js').Stage} stage
 * @param {{label: string, key: string, title: string, entries: () => (Node | string | false)[]}} look
 */
function addArrows(add, stage, mark, { label, key, title, entries }) {
  const legend = byId('legend');
  const part = element('span');
  legend.append(part);
  let on = false;
  const tell = () => {
    const { missing } = mark;
    mark.root.visible = on && !missing;
    part.replaceChildren(...(!on ? [] : missing ? [missing] : entries().filter(Boolean)));
    legend.hidden = !legend.textContent;
  };
  const { button } = add(label, key, on, (value) => {
    on = value;
    tell();
    stage.refresh();
  });
  const allow = () => {
    // It can still be pressed: on a screen without a mouse that is the only way to be told why.
    button.setAttribute('aria-disabled', String(Boolean(mark.missing)));
    button.title = mark.missing || `${title} (${key.toUpperCase()})`;
    tell();
  };
  mark.addEventListener('change', allow);
  allow();
}

const arrow = (kind, name, { cell, scale }) =>
  entry(kind, '→', `${name}, ${length(cell)} long = ${Number(scale.force.toPrecision(1))} N`);

export function addLoads(add, stage) {
  const { loads } = stage;
  addArrows(add, stage, loads, {
    label: 'Loads', key: 'k', title: 'What each joint exerts on its first body',
    entries: () => {
      const { cell, scale } = loads;
      return [
        scale.force > 0 && arrow('force', 'force', loads),
        scale.torque > 0 && entry('torque', '↻', `torque, ${length(cell)} across = ${Number(scale.torque.toPrecision(1))} N m`),
        scale.cut && entry('force', '↠', 'stronger than drawn'),
        !(scale.force > 0) && 'The joints bear no load.',
      ];
    },
  });
}

export function addContacts(add, stage) {
  const { contacts } = stage;
  addArrows(add, stage, contacts, {
    label: 'Contacts', key: 'c', title: 'Where bodies touch, and the force there',
    entries: () => [
      contacts.scale.force > 0 && arrow('contact', 'contact force', contacts),
      contacts.scale.cut && entry('contact', '↠', 'stronger than drawn'),
      !(contacts.scale.force > 0) && 'Nothing touches.',
    ],
  });
}
