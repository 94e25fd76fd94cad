// What the tests share: reporting, a browser, pages that stand still, a few hands and eyes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { embed } from '../embed.mjs';

const web = fileURLToPath(new URL('..', import.meta.url));
export const viewer = join(web, 'dist', 'viewer.html');
export const engineFile = process.env.SINEW_ENGINE ?? join(web, '..', 'build', 'release', 'web', 'sinew.wasm');
/** Pages and pictures to look at. */
export const out = process.env.SINEW_WEB_OUT ?? join(web, 'out');
mkdirSync(out, { recursive: true });
/** Gone when the tests end. */
export const scratch = mkdtempSync(join(tmpdir(), 'sinew-web-'));

export async function test(name, run) {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

/** A page of that name with the data in it, the packed engine and a character. @returns its file */
export function write(name, data, engine = '', glb = undefined) {
  const file = join(out, `${name}.html`);
  writeFileSync(file, embed(readFileSync(viewer, 'utf8'), data, engine, glb));
  return file;
}

export const command = process.env.SINEW ?? join(web, '..', 'build', 'release', 'bin', 'sinew');

/** Whether the project's scenes can be run here; says so where the command is not built. */
export function canRun(name) {
  const there = existsSync(command);
  if (!there) console.log(`skip  ${name}: ${command} is not there; SINEW may name another`);
  return there;
}

export const sceneFile = (name) => join(web, '..', 'scenes', `${name}.json`);

/** The page that the command writes for a scene. @param {string[]} options of `sinew run` */
export function runPage(scene, ...options) {
  const folder = join(out, basename(scene, '.json'));
  execFileSync(command, ['run', scene, '-o', folder, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  return join(folder, 'index.html');
}

let browser;
/** The page of withKeptPage. @type {{key: string, page: import('playwright-core').Page, trouble: string[], close: () => Promise<void>} | undefined} */
let kept;

async function dropKept() {
  const page = kept;
  kept = undefined;
  await page?.close();
}

export async function finish() {
  await dropKept();
  await browser?.close();
  rmSync(scratch, { recursive: true });
}

async function open(file, { expected, ...options }) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' });
  const context = await browser.newContext({
    viewport: { width: 1000, height: 640 }, reducedMotion: 'reduce', acceptDownloads: true, ...options,
  });
  context.setDefaultTimeout(120000); // where no graphics card helps, a busy machine needs long
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => message.type() === 'error' && !expected?.test(message.text()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => /^(file|blob|data):/.test(request.url()) || trouble.push(request.url()));
  page.on('dialog', (dialog) => trouble.push(dialog.message()) && dialog.dismiss());
  try {
    await page.goto(`file://${file}`);
    await page.evaluate(() => window.sinew?.ready.catch(() => {})); // the gallery is not a viewer
    await drawn(page);
  } catch (error) {
    await context.close();
    throw error;
  }
  return { page, trouble, close: () => context.close() };
}

/**
 * Opens a page that stands still, runs the checks and wants no complaint, but those expected, and no request but the file's own.
 * @param {{expected?: RegExp}} options and those of the browser's page
 */
export async function withPage(file, options, run) {
  await dropKept();
  const { page, trouble, close } = await open(file, options);
  try {
    await run(page);
    assert.deepEqual(trouble, []);
  } finally {
    await close();
  }
}

/**
 * The same, but tests that follow each other and ask for the same get the same page, as the one before left it: to open
 * one takes longer than most checks. After a failure the next gets a new one.
 */
export async function withKeptPage(file, options, run) {
  const key = JSON.stringify([file, options]);
  if (kept?.key !== key) {
    await dropKept();
    kept = { key, ...(await open(file, options)) };
  }
  try {
    await run(kept.page);
    assert.deepEqual(kept.trouble, []);
  } catch (error) {
    await dropKept();
    throw error;
  }
}

/** Two turns of the page's own clock: everything that was asked for is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
export const picture = async (page) => (await drawn(page), page.locator('#picture').screenshot());
export const seconds = (page) => page.locator('#timeline').evaluate((range) => Number(range.value));
export const scrub = (page, part) => page.locator('#timeline').evaluate((range, p) => {
  range.value = Number(range.min) + p * (range.max - range.min);
  range.dispatchEvent(new Event('input'));
}, part);
export const shot = async (page, name) => (await drawn(page), page.screenshot({ path: join(out, `${name}.png`) }));

/** Width and height that a PNG file gives. */
export const pngSize = (png) => [png.readUInt32BE(16), png.readUInt32BE(20)];

/** How many pixels of a PNG are within `distance` of a colour. @param {number[]} color red, green, blue up to 255 */
export const colored = (page, png, color, distance) => page.evaluate(async ([text, wanted, most]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${text}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += Math.hypot(...wanted.map((c, k) => c - data[i + k])) < most;
  return count;
}, [png.toString('base64'), color, distance]);

/** Parts of the transport that cover each other or stick out to the right. */
export const overlaps = (page) => page.locator('#buttons, #timeline, #clock, #pace').evaluateAll((all) => {
  const boxes = all.map((node) => ({ id: node.id, box: node.getBoundingClientRect() }));
  const apart = (a, b) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
  return boxes.flatMap((one, i) => [
    ...(one.box.right > innerWidth ? [`${one.id} sticks out`] : []),
    ...boxes.slice(i + 1).filter((other) => !apart(one.box, other.box)).map((other) => `${one.id} and ${other.id}`),
  ]);
});
