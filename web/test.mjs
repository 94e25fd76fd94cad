// Tests of the viewer: node web/test.mjs. Needs `npm ci` and Debian's chromium; pictures go to web/out/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { buildPage } from './build.mjs';
import { evilName, kitchenSink } from './dev/kitchen_sink.mjs';
import { massProperties } from './dev/mass.mjs';
import { parseJsonWithComments, splitCsvLine } from './dev/text.mjs';
import { embed, marker, toScriptJson } from './embed.mjs';
import { readRun, viewer } from './make_data.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, 'out');
mkdirSync(out, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'sinew-web-'));

async function test(name, run) {
  try {
    await run();
    console.log(`ok    ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

// ---- What needs no browser

await test('the committed page is what the sources build to', async () => {
  const fresh = join(scratch, 'viewer.html');
  const size = await buildPage(fresh);
  assert.ok(readFileSync(fresh).equals(readFileSync(viewer)), 'run node web/build.mjs and commit web/dist');
  assert.ok(size < 1.5e6, `the page has ${size} bytes`);
});

await test('the page refers to nothing outside itself', () => {
  const html = readFileSync(viewer, 'utf8').replace(/<script>[^]*<\/script>/, '');
  assert.doesNotMatch(html, /\b(src|href)\s*=|@import|url\(/);
});

await test('embedded data holds no < and reads back the same', () => {
  const value = { name: evilName, other: '<!-- $& $1 & \u2028 "' };
  assert.ok(!toScriptJson(value).includes('<'));
  assert.deepEqual(JSON.parse(toScriptJson(value)), value);
  assert.deepEqual(JSON.parse(embed(marker, value)), value);
});

await test('comments in scenes and quotes in CSV are read as documented', () => {
  assert.deepEqual(parseJsonWithComments('{"a": "//no", /* x */ "b": [1] // "y"\n}'), { a: '//no', b: [1] });
  assert.deepEqual(splitCsvLine('time,"a,b.px","say ""hi"".px",c'), ['time', 'a,b.px', 'say "hi".px', 'c']);
});

await test('a box and its corners as a mesh have the same mass and inertia', () => {
  const place = { position: [1, 2, 3], orientation: [0.5, 0.5, 0.5, 0.5] };
  const vertices = [-1, 1].flatMap((x) => [-2, 2].flatMap((y) => [-3, 3].map((z) => [x, y, z])));
  const box = massProperties({ shapes: [{ type: 'box', size: [2, 4, 6], ...place }] });
  const mesh = massProperties({ shapes: [{ type: 'mesh', vertices, ...place }] });
  const rounding = 1e-9 * box.inertia[0][0];
  box.inertia.flat().forEach((x, i) => assert.ok(Math.abs(x - mesh.inertia.flat()[i]) < rounding));
});

// ---- In the browser

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' });

function write(name, data) {
  const file = join(out, `${name}.html`);
  writeFileSync(file, embed(readFileSync(viewer, 'utf8'), data));
  return file;
}

/** Opens a page that stands still, runs the checks and wants no complaint and no request but the file's own. */
async function withPage(file, options, run) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce', acceptDownloads: true, ...options,
  });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('request', (request) => /^(file|blob|data):/.test(request.url()) || trouble.push(request.url()));
  page.on('dialog', (dialog) => trouble.push(dialog.message()) && dialog.dismiss());
  await page.goto(`file://${file}`);
  await page.waitForTimeout(500);
  await run(page);
  assert.deepEqual(trouble, []);
  await context.close();
}

/** Two turns of the page's own clock: everything that was asked for is drawn. */
const drawn = (page) => page.evaluate(() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
const picture = async (page) => (await drawn(page), page.locator('#picture').screenshot());
const seconds = (page) => page.locator('#timeline').evaluate((range) => Number(range.value));
const cursor = (page) => page.locator('.cursor').first().evaluate((line) => line.getBoundingClientRect().x);
const scrub = (page, part) => page.locator('#timeline').evaluate((range, p) => {
  range.value = Number(range.min) + p * (range.max - range.min);
  range.dispatchEvent(new Event('input'));
}, part);
const shot = async (page, name) => (await drawn(page), page.screenshot({ path: join(out, `${name}.png`) }));

const sink = write('kitchen_sink', kitchenSink());

await test('scrubbing moves the picture, the clock and the cursor of the plots', () => withPage(sink, {}, async (page) => {
  const before = { picture: await picture(page), cursor: await cursor(page) };
  assert.ok(before.picture.length > 20000, 'the picture is empty');
  await scrub(page, 0.5);
  assert.ok(!before.picture.equals(await picture(page)));
  assert.ok((await cursor(page)) > before.cursor + 50);
  assert.match(await page.locator('#clock').textContent(), /1\.00 \/ 2\.00 s/);
  await scrub(page, 0);
  assert.ok(before.picture.equals(await picture(page)), 'the same frame gives the same picture');
  await shot(page, 'test_kitchen_sink');
}));

await test('keys play, pause and step, and a click on a plot seeks', () => withPage(sink, {}, async (page) => {
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator('#clock').textContent(), /frame 2 of 61/);
  await page.keyboard.press('End');
  assert.equal(await seconds(page), 2);
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForTimeout(700);
  await page.keyboard.press(' ');
  const stopped = await seconds(page);
  assert.ok(stopped > 0.1, `${stopped} s`);
  await page.waitForTimeout(300);
  assert.equal(await seconds(page), stopped);
  const area = await page.locator('.area').first().boundingBox();
  await page.mouse.click(area.x + 46 + 0.75 * (area.width - 54), area.y + 60);
  assert.ok(Math.abs((await seconds(page)) - 1.5) < 0.02);
}));

await test('the dark switch, inertia, follow and trace change the picture', () => withPage(sink, {}, async (page) => {
  let last = await picture(page);
  const changes = async (what, act) => {
    await act();
    const now = await picture(page);
    assert.ok(!now.equals(last), what);
    last = now;
  };
  for (const name of ['Dark', 'Inertia', 'Joints', 'Follow']) {
    await changes(name, () => page.getByRole('button', { name, exact: true }).click());
  }
  await changes('trace', () => page.selectOption('#body', '2'));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.locator('#picture').focus();
  for (const key of ['[', 'ArrowUp', '+']) await changes(key, () => page.keyboard.press(key));
  await shot(page, 'test_kitchen_sink_dark');
}));

await test('names with markup in them are shown as text', () => withPage(sink, {}, async (page) => {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok((await page.locator('#body').textContent()).includes(evilName));
  assert.ok((await page.locator('#name').textContent()).includes('<img'));
}));

await test('a plot is saved as CSV and the view as PNG', () => withPage(sink, {}, async (page) => {
  const save = async (act) => {
    const [file] = await Promise.all([page.waitForEvent('download'), act()]);
    return readFileSync(await file.path());
  };
  const csv = (await save(() => page.getByRole('button', { name: 'Save Energy as CSV' }).click())).toString();
  assert.match(csv, /^time,kinetic,potential,elastic,total\r\n0,/);
  assert.equal(csv.trim().split('\r\n').length, 62);
  const png = await save(() => page.locator('#png').click());
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 20000);
}));

await test('columns of joints can be chosen by keyboard', () => withPage(sink, {}, async (page) => {
  const section = page.locator('.plot', { hasText: 'Joint coordinates' });
  await section.getByRole('button', { name: 'Choose' }).press('Enter');
  await section.getByRole('searchbox').fill('pin');
  const lines = await section.locator('.line').count();
  await section.getByRole('checkbox', { checked: true }).first().press(' ');
  assert.equal(await section.locator('.line').count(), lines - 1);
  await section.scrollIntoViewIfNeeded();
  await shot(page, 'test_picker');
}));

await test('on a phone nothing sticks out and nothing overlaps', () =>
  withPage(sink, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }, async (page) => {
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const boxes = await page.locator('#buttons, #clock, #pace').evaluateAll((all) =>
      all.map((node) => [node.getBoundingClientRect().left, node.getBoundingClientRect().right]));
    for (let i = 1; i < boxes.length; i++) assert.ok(boxes[i - 1][1] <= boxes[i][0] + 0.5, `${boxes}`);
    await shot(page, 'test_phone');
  }));

await test('without data or with broken data the page says so', async () => {
  await withPage(viewer, {}, async (page) => assert.match(await page.locator('#message').textContent(), /no motion/));
  const data = kitchenSink();
  const broken = write('broken', { ...data, frames: { ...data.frames, poses: '' } });
  await withPage(broken, {}, async (page) =>
    assert.match(await page.locator('#message').textContent(), /cannot be shown: the poses hold 0 bytes/));
});

// ---- The project's own scenes, where the command is built

const command = process.env.SINEW ?? join(here, '..', 'build', 'release', 'bin', 'sinew');
for (const name of ['humanoid', 'robot_arm', 'hand', 'free_chain']) {
  if (!existsSync(command)) {
    console.log(`skip  ${name}: ${command} is not there; SINEW may name another`);
    continue;
  }
  await test(`${name} plays`, async () => {
    const scene = join(here, '..', 'scenes', `${name}.json`);
    execFileSync(command, ['run', scene, '-o', join(scratch, name)], { stdio: ['ignore', 'pipe', 'pipe'] });
    const file = write(name, await readRun(scene, join(scratch, name)));
    for (const [kind, options] of Object.entries({
      desk: { colorScheme: 'light' },
      phone: { colorScheme: 'dark', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
    })) {
      await withPage(file, options, async (page) => {
        const first = await picture(page);
        await scrub(page, 0.35);
        assert.ok(!first.equals(await picture(page)));
        await shot(page, `test_${name}_${kind}`);
      });
    }
  });
}

await browser.close();
rmSync(scratch, { recursive: true });
