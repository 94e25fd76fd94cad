// The line under the picture: what was just said, otherwise what there is to know about the page's data.
import { byId } from './dom.js';

let standing = '';

/** Says something until the next; nothing brings the standing note back. */
export function say(text = '') {
  byId('status').textContent = text || standing;
}

/** @param {string[]} notes what holds all the time; empty ones are left out */
export function note(notes) {
  standing = notes.filter(Boolean).join(' ');
  say();
}
