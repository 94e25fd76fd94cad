// Writes a page of cards, one for each run, that leads to the pages of the runs. Needs nothing but node.
//   node web/gallery.mjs OUT_FOLDER RUN_FOLDER…
// A run's folder holds index.html, as `sinew run` writes it, and preview.png, as `sinew render` draws it;
// preview_dark.png is shown in its place where the reader's system is dark.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => String(text).replace(/[&<>"']/g, (c) => entities[c]);

/** The size of a PNG; a card keeps its place while the picture loads. */
function pngSize(file) {
  const bytes = readFileSync(file);
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error(`${file}: not a PNG file`);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** What a page says about itself: the scene, how long it plays, how large it is. */
function readPage(file) {
  const html = readFileSync(file, 'utf8');
  const data = /<script type="application\/json" id="sinew-data">([^<]*)<\/script>/.exec(html)?.[1];
  if (!data?.startsWith('{')) throw new Error(`${file}: holds no motion`);
  const { scene, frames, summary = {} } = JSON.parse(data);
  return {
    name: scene.name || 'motion', about: scene.about ?? '', bodies: scene.bodies.length,
    seconds: frames.times.at(-1) - frames.times[0], by: [summary.solver, summary.integrator].filter(Boolean).join(', '),
    size: Buffer.byteLength(html),
  };
}

/** @param {string} folder of a run @param {string} from where the gallery's page lies */
function readEntry(folder, from) {
  const inFolder = (name) => {
    if (!existsSync(join(folder, name))) throw new Error(`${join(folder, name)}: is missing`);
    return { file: join(folder, name), url: `${relative(from, folder).split(sep).map(encodeURIComponent).join('/') || '.'}/${name}` };
  };
  const page = inFolder('index.html');
  const picture = inFolder('preview.png');
  const dark = existsSync(join(folder, 'preview_dark.png')) ? inFolder('preview_dark.png').url : undefined;
  return { ...readPage(page.file), ...pngSize(picture.file), page: page.url, picture: picture.url, dark };
}

const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;

function card({ name, about, bodies, seconds, by, size, width, height, page, picture, dark }) {
  const facts = [counted(bodies, 'body', 'bodies'), `${Number(seconds.toPrecision(3))} s`, by].filter(Boolean).join(' · ');
  return `<li>
  <picture>${dark ? `<source srcset="${escape(dark)}" media="(prefers-color-scheme: dark)">` : ''}<img src="${escape(picture)}" width="${width}" height="${height}" alt="" loading="lazy"></picture>
  <h2><a href="${escape(page)}">${escape(name)}</a></h2>
  <p>${escape(about)}</p>
  <footer>${escape(facts)}<span>${(size / 1e6).toFixed(1)} MB</span></footer>
</li>`;
}

const style = `
:root { color-scheme: light dark; --back: #f4f6f8; --card: #fff; --ink: #1c2126; --faint: #5d6773; --edge: #d5dbe1; --accent: #0b6bcb; }
@media (prefers-color-scheme: dark) {
  :root { --back: #101215; --card: #1a1e23; --ink: #e6eaee; --faint: #98a3af; --edge: #323a43; --accent: #6cb2ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 28px 20px 40px; background: var(--back); color: var(--ink);
  font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 26px; }
header p { margin: 4px 0 22px; color: var(--faint); max-width: 70ch; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); gap: 20px; margin: 0; padding: 0; list-style: none; }
li { position: relative; display: flex; flex-direction: column; background: var(--card); border: 1px solid var(--edge);
  border-radius: 12px; overflow: hidden; }
li:hover { border-color: var(--accent); }
img { display: block; width: 100%; height: auto; aspect-ratio: 16 / 9; object-fit: cover; border-bottom: 1px solid var(--edge); }
h2 { margin: 12px 16px 0; font-size: 17px; overflow-wrap: anywhere; }
h2 a { color: inherit; text-decoration: none; }
/* The whole card leads to the page. */
h2 a::after { content: ""; position: absolute; inset: 0; border-radius: 12px; }
h2 a:focus-visible { outline: none; }
h2 a:focus-visible::after { outline: 2px solid var(--accent); outline-offset: -3px; }
li p { margin: 4px 16px 12px; font-size: 13.5px; overflow-wrap: anywhere; }
footer { display: flex; justify-content: space-between; gap: 12px; margin: auto 16px 12px; color: var(--faint); font-size: 12.5px; overflow-wrap: anywhere; }
footer span { white-space: nowrap; }
`;

/** @param {ReturnType<readEntry>[]} entries */
export function galleryPage(entries) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'">
<title>Sinew: scenes</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Sinew</h1>
<p>Characters moved by physics. Every card opens a page that plays and plots one run; each is a single file that needs no network.</p>
</header>
<ul>
${entries.map(card).join('\n')}
</ul>
</body>
</html>
`;
}

/** Nothing is written unless everything is there. */
export function writeGallery(out, folders) {
  const html = galleryPage(folders.map((folder) => readEntry(folder, out)));
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'index.html'), html);
  return join(out, 'index.html');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [out, ...folders] = process.argv.slice(2);
  if (!folders.length) {
    console.error('usage: node web/gallery.mjs OUT_FOLDER RUN_FOLDER…');
    process.exit(2);
  }
  try {
    console.log(`gallery: ${writeGallery(out, folders)} (${counted(folders.length, 'run', 'runs')})`);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}
