// The switch for joint loads and the legend that gives their scale.
import { byId, element } from './dom.js';

/** Whole centimetres rather than 0.2 m. */
function length(metres) {
  const [size, unit] = metres >= 1 ? [metres, 'm'] : metres >= 0.01 ? [100 * metres, 'cm'] : [1000 * metres, 'mm'];
  return `${Number(size.toPrecision(3))} ${unit}`;
}

const entry = (kind, sign, text) => element('span', { class: kind }, element('b', { 'aria-hidden': 'true' }, sign), text);

/**
 * @param {(label: string, key: string, on: boolean, onChange: (on: boolean) => void) => {button: HTMLElement}} add
 * @param {import('./stage.js').Stage} stage
 */
export function addLoads(add, stage) {
  const { loads } = stage;
  const legend = byId('legend');
  let on = false;
  const tell = () => {
    const { missing, cell, scale } = loads;
    loads.root.visible = on && !missing;
    legend.hidden = !on;
    legend.replaceChildren(...(missing ? [missing] : [
      scale.force > 0 && entry('force', '→', `force, ${length(cell)} long = ${Number(scale.force.toPrecision(1))} N`),
      scale.torque > 0 && entry('torque', '↻', `torque, ${length(cell)} across = ${Number(scale.torque.toPrecision(1))} N m`),
      scale.cut && entry('force', '↠', 'stronger than drawn'),
      !(scale.force > 0) && 'The joints bear no load.',
    ].filter(Boolean)));
  };
  const { button } = add('Loads', 'k', on, (value) => {
    on = value;
    tell();
    stage.refresh();
  });
  const allow = () => {
    // It can still be pressed: on a screen without a mouse that is the only way to be told why.
    button.setAttribute('aria-disabled', String(Boolean(loads.missing)));
    button.title = loads.missing || 'What each joint exerts on its first body (K)';
    tell();
  };
  loads.addEventListener('change', allow);
  allow();
}
