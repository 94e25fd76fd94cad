// The hooks for pictures without hands: window.sinew.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { out, picture, pngSize, scrub, seconds, test, viewer, withKeptPage, withPage, write } from './harness.mjs';

const data = kitchenSink();
const file = write('kitchen_sink', data);
const desk = { colorScheme: 'light' };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, colorScheme: 'dark' };

const bytes = (url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
const take = (page, options) => page.evaluate((o) => window.sinew.picture(o), options);
const usual = { time: 0.7, width: 333, height: 222 };

await test('a picture has the size asked for and the same bytes in every page', async () => {
  const urls = [];
  for (const options of [phone, desk]) {
    await withKeptPage(file, options, async (page) => {
      assert.deepEqual(await page.evaluate(() => window.sinew.ready), { start: 0, end: 2, frames: 61 });
      urls.push(await take(page, usual), await take(page, usual));
    });
  }
  assert.match(urls[0], /^data:image\/png;base64,/);
  assert.deepEqual(pngSize(bytes(urls[0])), [333, 222]);
  assert.ok(bytes(urls[0]).length > 8000, 'the picture is empty');
  for (const url of urls) assert.ok(url === urls[0], 'the bytes differ');
});

await test('time, theme, view and type of a picture are what was asked for', () => withKeptPage(file, desk, async (page) => {
  const kinds = {
    plain: {}, dark: { theme: 'dark' }, later: { time: 1.2 }, side: { view: { azimuth: 120 } },
    above: { view: { azimuth: 120, elevation: 60 } }, tall: { width: 222, height: 333 },
  };
  const seen = new Set();
  for (const [name, change] of Object.entries(kinds)) {
    const url = await take(page, { ...usual, ...change });
    writeFileSync(join(out, `test_picture_${name}.png`), bytes(url));
    seen.add(url);
  }
  assert.equal(seen.size, Object.keys(kinds).length);
  // Beyond its ends a motion stands still.
  assert.equal(await take(page, { ...usual, time: 99 }), await take(page, { ...usual, time: 2 }));
  const sizes = [];
  for (const quality of [0.2, 0.95]) {
    const url = await take(page, { ...usual, type: 'image/jpeg', quality });
    assert.match(url, /^data:image\/jpeg;base64,/);
    sizes.push(url.length);
  }
  assert.ok(sizes[0] < 0.7 * sizes[1], `${sizes}`);
}));

await test('many pictures in one go are the same as one by one', () => withKeptPage(file, desk, async (page) => {
  const times = [1.3, 0.2, 0.7];
  for (const type of ['image/png', 'image/jpeg']) {
    const { time, ...rest } = { ...usual, type, theme: 'dark' };
    const many = await page.evaluate((o) => window.sinew.pictures(o), { ...rest, times });
    assert.equal(many.length, 3);
    for (let i = 0; i < 3; i++) assert.equal(many[i], await take(page, { ...rest, time: times[i] }), `${type} ${i}`);
    assert.equal(new Set(many).size, 3);
  }
  await assert.rejects(page.evaluate(() => window.sinew.pictures({ times: [], width: 9, height: 9 })), /times must be a list/);
}));

await test('what cannot be drawn is refused in a sentence', () => withKeptPage(file, desk, async (page) => {
  const refused = async (options, message) => assert.rejects(take(page, options), message);
  await refused({ ...usual, width: 0 }, /width must be a whole number above 0, not 0/);
  await refused({ ...usual, height: 10.5 }, /height must be a whole number/);
  await refused({ width: 10, height: 10 }, /time must be a number, not left out/);
  await refused({ ...usual, theme: 'blue' }, /theme must be 'light' or 'dark', not "blue"/);
  await refused({ ...usual, view: { azimut: 3 } }, /a key of view must be 'azimuth' or 'elevation'/);
  await refused({ ...usual, type: 'image/gif' }, /type must be 'image\/png' or 'image\/jpeg'/);
  await refused({ ...usual, width: 200000 }, /200000×222 pixels/);
  await assert.rejects(page.evaluate(() => window.sinew.strip({ times: [], width: 9, height: 9 })), /times must be a list/);
  // None of that spoils the page.
  assert.deepEqual(pngSize(bytes(await take(page, usual))), [333, 222]);
}));

await test('a strip has a picture for every time', () => withKeptPage(file, desk, async (page) => {
  const options = { times: [0, 0.5, 1, 1.5, 2], width: 240, height: 180 };
  const strip = (more) => page.evaluate((o) => window.sinew.strip(o), { ...options, ...more });
  const row = await strip({});
  assert.deepEqual(pngSize(bytes(row)), [5 * 244 - 4, 180]);
  const rows = await strip({ columns: 2, theme: 'dark' });
  assert.deepEqual(pngSize(bytes(rows)), [484, 3 * 184 - 4]);
  writeFileSync(join(out, 'test_strip.png'), bytes(row));
  writeFileSync(join(out, 'test_strip_dark.png'), bytes(rows));
  assert.equal(await strip({}), row);
  // The third of them, but for the corner with its time.
  const same = await page.evaluate(async ([a, b]) => {
    const read = async (url, x) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(240, 150);
      canvas.getContext('2d').drawImage(image, -x, 0);
      return canvas.getContext('2d').getImageData(0, 0, 240, 150).data.join();
    };
    return (await read(a, 2 * 244)) === (await read(b, 0));
  }, [row, await take(page, { time: 1, width: 240, height: 180 })]);
  assert.ok(same, 'the third picture of the strip is another');
}));

await test('a page that plays stands while pictures are asked for, then plays on', () => withKeptPage(file, desk, async (page) => {
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.querySelector('#timeline').value) > 0);
  const [first, second] = await page.evaluate(async (options) => {
    const now = () => document.querySelector('#timeline').value;
    await window.sinew.picture(options);
    const before = now();
    await new Promise((done) => setTimeout(done, 300));
    await window.sinew.picture(options);
    return [before, now()];
  }, { ...usual, width: 30, height: 20 });
  assert.equal(second, first);
  await page.waitForFunction((value) => document.querySelector('#timeline').value !== value, first);
}));

await test('the page is afterwards as it was: camera, time, theme, size', () => withPage(file, phone, async (page) => {
  await scrub(page, 0.3);
  await page.locator('#picture').focus();
  for (const key of ['[', '[', '+', 'f']) await page.keyboard.press(key);
  const before = { picture: await picture(page), time: await seconds(page) };
  await take(page, usual);
  await assert.rejects(take(page, { ...usual, width: 200000 }));
  await page.evaluate((o) => window.sinew.strip(o), { times: [0, 1], width: 200, height: 100 });
  assert.ok(before.picture.equals(await picture(page)));
  assert.equal(await seconds(page), before.time);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
}));

await test('pages that can draw nothing say why', async () => {
  const why = (page) => page.evaluate(() => window.sinew.ready.then(() => 'ready', (error) => error.message));
  await withPage(viewer, {}, async (page) => assert.match(await why(page), /holds no motion yet/));
  const broken = write('broken', { ...data, frames: { ...data.frames, poses: '' } });
  await withPage(broken, {}, async (page) => {
    assert.match(await why(page), /cannot be shown: the poses hold 0 bytes/);
    await assert.rejects(take(page, usual), /the poses hold 0 bytes/);
  });
});
