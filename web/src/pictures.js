// Pictures for scripts: `window.sinew`, described in web/README.md. Nothing here changes what the page shows.

const gap = 4; // px between the pictures of a strip
const paper = { light: '#ffffff', dark: '#000000' };
const ink = { light: '#1c2126', dark: '#e6eaee' };
/** The clock stands while pictures are asked for, and until so many ms after the last. */
const patience = 1000;

let settle;
const ready = new Promise((resolve, reject) => (settle = { resolve, reject }));
// Who wants to know asks; the console need not be told.
ready.catch(() => {});
let source;

function check(name, value, fits, wanted) {
  if (!fits(value)) throw new Error(`${name} must be ${wanted}, not ${JSON.stringify(value) ?? 'left out'}`);
  return value;
}

const oneOf = (name, value, all) => check(name, value, (x) => all.includes(x), all.map((x) => `'${x}'`).join(' or '));
const count = (name, value) => check(name, value, (x) => Number.isInteger(x) && x > 0, 'a whole number above 0');
const number = (name, value) => check(name, value, Number.isFinite, 'a number');

/** What pictures and strips have in common. */
function checked({ width, height, theme = 'light', view = {} }) {
  for (const [key, angle] of Object.entries(view)) number(`view.${oneOf('a key of view', key, ['azimuth', 'elevation'])}`, angle);
  return { width: count('width', width), height: count('height', height), theme: oneOf('theme', theme, ['light', 'dark']), view };
}

/** A plain canvas; kept out of the graphics card, so that the same picture has the same bytes. */
function makeSheet(width, height) {
  const sheet = document.createElement('canvas');
  Object.assign(sheet, { width, height });
  const context = sheet.getContext('2d', { alpha: false, willReadFrequently: true });
  if (!context) throw new Error(`the browser makes no picture of ${width}×${height} pixels`);
  context.imageSmoothingQuality = 'high';
  return { sheet, context };
}

/** A canvas that is too large for the browser fails without a word. */
function toUrl(canvas, type, quality) {
  const url = canvas.toDataURL(type, quality);
  if (!url.startsWith(`data:${type};`)) throw new Error(`the browser makes no ${type} of ${canvas.width}×${canvas.height} pixels`);
  return url;
}

let held;
function whileClockStands(act) {
  clearTimeout(held);
  source.player.hold(true);
  try {
    return act();
  } finally {
    held = setTimeout(() => source.player.hold(false), patience);
  }
}

/** Drawn twice as large and shrunk, pictures have smoother edges than any renderer's own. */
function ratioFor({ width, height }, fine) {
  const most = source.stage.renderer.capabilities.maxTextureSize;
  return fine && 2 * Math.max(width, height) <= most ? 2 : 1;
}

/** Pictures of one size, made in one go: the canvas takes their size once, and nothing else is drawn in between. */
function portray(times, options, type, quality, fine) {
  const { width, height } = options;
  const ratio = ratioFor(options, fine);
  // A picture without loss keeps the same bytes in every run; for others the canvas itself will do, and sooner.
  const { sheet, context } = ratio > 1 || type === 'image/png' ? makeSheet(width, height) : {};
  const urls = [];
  source.stage.portray({ ...options, times, ratio }, (canvas) => {
    context?.drawImage(canvas, 0, 0, width, height);
    urls.push(toUrl(sheet ?? canvas, type, quality));
  });
  return urls;
}

async function pictures({ times, type = 'image/png', quality = 0.92, fine = type === 'image/png', ...rest } = {}) {
  await ready;
  const options = checked(rest);
  check('times', times, (x) => Array.isArray(x) && x.length > 0 && x.every(Number.isFinite), 'a list of numbers');
  oneOf('type', type, ['image/png', 'image/jpeg']);
  check('quality', quality, (x) => x >= 0 && x <= 1, 'between 0 and 1');
  return whileClockStands(() => portray(times, options, type, quality, fine));
}

async function picture({ time, ...rest } = {}) {
  await ready;
  return (await pictures({ ...rest, times: [number('time', time)] }))[0];
}

async function strip({ times, columns, ...rest } = {}) {
  await ready;
  const options = checked(rest);
  check('times', times, (x) => Array.isArray(x) && x.length > 0 && x.every(Number.isFinite), 'a list of numbers');
  const wide = Math.min(count('columns', columns ?? times.length), times.length);
  return whileClockStands(() => drawStrip(times, wide, options));
}

function drawStrip(times, wide, options) {
  const { width, height, theme } = options;
  const high = Math.ceil(times.length / wide);
  const { sheet, context } = makeSheet(wide * (width + gap) - gap, high * (height + gap) - gap);
  context.fillStyle = paper[theme];
  context.fillRect(0, 0, sheet.width, sheet.height);
  const size = Math.max(Math.round(Math.min(width, height) / 18), 9);
  context.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
  context.textBaseline = 'alphabetic';
  context.fillStyle = ink[theme];
  source.stage.portray({ ...options, times, ratio: ratioFor(options, true) }, (canvas, i) => {
    const [x, y] = [(i % wide) * (width + gap), Math.floor(i / wide) * (height + gap)];
    context.drawImage(canvas, x, y, width, height);
    context.fillText(`${times[i].toFixed(2)} s`, x + 0.7 * size, y + height - 0.7 * size);
  });
  return toUrl(sheet, 'image/png');
}

window.sinew = Object.assign(window.sinew ?? {}, { ready, picture, pictures, strip });

/**
 * From now on pictures can be made.
 * @param {import('./stage.js').Stage} stage @param {import('./player.js').Player} player
 */
export function offerPictures(stage, player) {
  source = { stage, player };
  const { start, end, times } = player.motion;
  settle.resolve({ start, end, frames: times.length });
}

/** There will be none, for this reason. */
export function refusePictures(reason) {
  settle.reject(new Error(reason));
}
