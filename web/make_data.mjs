// For development: turns a scene and what `sinew run` wrote into a page that can be opened at once.
//   node web/make_data.mjs SCENE.json RUN_FOLDER PAGE.html [DATA.json]
// The engine for live mode is taken from SINEW_ENGINE, or from where the release build puts it.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { massProperties } from './dev/mass.mjs';
import { parseCsv, parseJsonWithComments } from './dev/text.mjs';
import { embed, packEngine } from './embed.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const viewer = join(here, 'dist', 'viewer.html');
export const engineFile = process.env.SINEW_ENGINE || join(here, '..', 'build', 'release', 'web', 'sinew.wasm');

/** The engine for a page; empty where none is built. */
export const readEngine = () => (existsSync(engineFile) ? packEngine(readFileSync(engineFile)) : '');

/** Rows of numbers as little-endian float32 in base64. */
export function packRows(rows, width) {
  const bytes = Buffer.alloc(4 * rows.length * width);
  rows.forEach((row, i) => row.forEach((x, j) => bytes.writeFloatLE(x, 4 * (i * width + j))));
  return bytes.toString('base64');
}

/** The data of web/README.md from parsed files. */
export function makeData(scene, trajectory, series, summary) {
  const width = 7 * scene.bodies.length;
  if (trajectory.names.length !== 1 + width) {
    throw new Error(`the trajectory has ${trajectory.names.length - 1} columns, the scene's bodies need ${width}`);
  }
  scene.bodies.forEach((body, i) => {
    const name = trajectory.names[1 + 7 * i];
    if (name !== `${body.name}.px`) throw new Error(`the trajectory has '${name}' where body '${body.name}' should be`);
  });
  const times = trajectory.rows.map((row) => row[0]);
  return {
    version: 1,
    // All that the file says, for the simulation in the page needs it, and beside it what follows from it.
    scene: { ...scene, $schema: undefined },
    masses: scene.bodies.map(massProperties),
    frames: {
      fps: summary.fps,
      count: times.length,
      times,
      poses: packRows(trajectory.rows.map((row) => row.slice(1)), width),
      every: 1,
    },
    series: {
      names: series.names.slice(1),
      values: packRows(series.rows.map((row) => row.slice(1)), series.names.length - 1),
      left_out: 0,
    },
    summary,
  };
}

export async function readRun(sceneFile, folder) {
  const text = (name) => readFile(join(folder, name), 'utf8');
  return makeData(
    parseJsonWithComments(await readFile(sceneFile, 'utf8')),
    parseCsv(await text('trajectory.csv')),
    parseCsv(await text('series.csv')),
    JSON.parse(await text('summary.json')),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [scene, folder, page, json] = process.argv.slice(2);
  if (!page) {
    console.error('usage: node web/make_data.mjs SCENE.json RUN_FOLDER PAGE.html [DATA.json]');
    process.exit(2);
  }
  if (!existsSync(viewer)) {
    console.error(`${viewer} is missing: run node web/build.mjs first`);
    process.exit(2);
  }
  const data = await readRun(scene, folder);
  const html = embed(await readFile(viewer, 'utf8'), data, readEngine());
  await mkdir(dirname(page), { recursive: true });
  await writeFile(page, html);
  if (json) await writeFile(json, JSON.stringify(data));
  const live = existsSync(engineFile) ? '' : `, no live mode: ${engineFile} is missing`;
  console.log(`${page}: ${data.frames.count} frames, ${(html.length / 1024).toFixed(0)} KiB${live}`);
}
