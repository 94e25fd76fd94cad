// The page of cards that gallery.mjs writes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { embed } from '../embed.mjs';
import { out, scratch, test, viewer, withPage, write } from './harness.mjs';

const gallery = (...args) => spawnSync('node', [fileURLToPath(new URL('../gallery.mjs', import.meta.url)), ...args], { encoding: 'utf8' });

const hostile = `"><script>window.hacked=1</script><img src=x onerror='window.hacked=2'> & co`;
const sink = kitchenSink();
const runs = [['plain', 'double pendulum', 'Two rods.'], ['a "b" #1 & 100%', hostile, hostile], ['chain', 'chain', '']];
const home = join(scratch, 'gallery');

await test('a gallery shows every run, its names as text, and leads to its page', async () => {
  const pictures = {};
  await withPage(write('kitchen_sink', sink), {}, async (page) => {
    for (const theme of ['light', 'dark']) {
      const url = await page.evaluate((t) => window.sinew.picture({ time: 1, width: 480, height: 270, theme: t }), theme);
      pictures[theme] = Buffer.from(url.split(',')[1], 'base64');
    }
  });
  for (const [folder, name, about] of runs) {
    mkdirSync(join(home, folder), { recursive: true });
    const data = { ...sink, scene: { ...sink.scene, name, about } };
    writeFileSync(join(home, folder, 'index.html'), embed(readFileSync(viewer, 'utf8'), data));
    writeFileSync(join(home, folder, 'preview.png'), pictures.light);
    if (folder === 'plain') writeFileSync(join(home, folder, 'preview_dark.png'), pictures.dark);
  }
  const made = gallery(home, ...runs.map(([folder]) => join(home, folder)));
  assert.equal(made.status, 0, made.stderr);
  assert.doesNotMatch(readFileSync(join(home, 'index.html'), 'utf8'), /<script|https?:/);
  const shots = {
    light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' },
    phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  };
  const backs = new Set();
  for (const [kind, options] of Object.entries(shots)) {
    await withPage(join(home, 'index.html'), options, async (page) => {
      assert.deepEqual(await page.locator('h2').allTextContents(), runs.map(([, name]) => name));
      assert.deepEqual(await page.locator('li > p').allTextContents(), runs.map(([, , about]) => about));
      assert.match(await page.locator('footer').first().textContent(), /^7 bodies · 2 s · .*\d\.\d MB$/);
      for (const image of await page.locator('img').all()) {
        await image.scrollIntoViewIfNeeded();
        await page.waitForFunction((node) => node.naturalWidth === 480, await image.elementHandle());
      }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= page.viewportSize().width);
      assert.match(await page.locator('img').first().evaluate((node) => node.currentSrc), kind === 'dark' ? /preview_dark/ : /preview\.png/);
      backs.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      await page.screenshot({ path: join(out, `test_gallery_${kind}.png`), fullPage: true });
      if (kind !== 'light') return;
      // The link lies over the picture.
      await page.locator('img').nth(1).click({ force: true });
      await page.waitForFunction(() => window.sinew);
      assert.equal(await page.locator('#name').textContent(), hostile);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
    });
  }
  assert.equal(backs.size, 2);
});

await test('a gallery of what is not there fails and writes nothing', () => {
  rmSync(join(home, 'index.html'), { force: true });
  const refused = (message, ...args) => {
    const made = gallery(...args);
    assert.equal(made.status, 2);
    assert.match(made.stderr, message);
    assert.ok(!existsSync(join(home, 'index.html')));
  };
  const run = join(home, 'chain');
  refused(/usage/, home);
  refused(/nowhere.index\.html: is missing/, home, run, join(home, 'nowhere'));
  writeFileSync(join(run, 'preview.png'), 'no picture at all, but text');
  refused(/preview\.png: not a PNG/, home, run);
  rmSync(join(run, 'preview.png'));
  refused(/preview\.png: is missing/, home, run);
  writeFileSync(join(home, 'plain', 'index.html'), readFileSync(viewer));
  refused(/index\.html: holds no motion/, home, join(home, 'plain'));
});
