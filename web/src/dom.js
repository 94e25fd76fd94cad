// Small helpers for the page. Text always goes in as text, never as HTML: names come from files.

/** @param {string} tag @param {Record<string, any>} props attributes; `on…` are listeners */
export function element(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** The element of the page with this id. */
export const byId = (id) => /** @type {any} */ (document.getElementById(id));

/** Hands a file to the user. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name out of any text. */
export const fileName = (text) => text.trim().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || 'sinew';

/** A number in four digits and as few characters as they take. */
export function format(x) {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  if (size === 0) return '0';
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : x.toPrecision(4);
  return text.replace('-', '−').replace(/e\+?(.)/, 'e$1').replace('e-', 'e−');
}
