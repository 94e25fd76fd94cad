// The page with a made-up motion in a browser: playing, switches, plots, files, small screens, broken data.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { evilName, kitchenSink } from '../dev/kitchen_sink.mjs';
import { overlaps, picture, scrub, seconds, shot, test, viewer, withKeptPage, withPage, write } from './harness.mjs';

const cursor = (page) => page.locator('.cursor').first().evaluate((line) => line.getBoundingClientRect().x);

const sink = write('kitchen_sink', kitchenSink());

await test('names with markup in them are shown as text', () => withKeptPage(sink, {}, async (page) => {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok((await page.locator('#body').textContent()).includes(evilName));
  assert.ok((await page.locator('#name').textContent()).includes('<img'));
}));

await test('scrubbing moves the picture, the clock and the cursor of the plots', () => withKeptPage(sink, {}, async (page) => {
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

await test('keys play, pause and step, and a click on a plot seeks', () => withKeptPage(sink, {}, async (page) => {
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.match(await page.locator('#clock').textContent(), /frame 2 of 61/);
  await page.keyboard.press('End');
  assert.equal(await seconds(page), 2);
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.getElementById('timeline').value) > 0.1);
  await page.keyboard.press(' ');
  const stopped = await seconds(page);
  assert.ok(stopped > 0.1, `${stopped} s`);
  await page.waitForTimeout(300);
  assert.equal(await seconds(page), stopped);
  const area = await page.locator('.area').first().boundingBox();
  await page.mouse.click(area.x + 46 + 0.75 * (area.width - 54), area.y + 60);
  assert.ok(Math.abs((await seconds(page)) - 1.5) < 0.02);
}));

await test('the dark switch, inertia, follow and trace change the picture', () => withKeptPage(sink, {}, async (page) => {
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

await test('a plot is saved as CSV and the view as PNG', () => withKeptPage(sink, {}, async (page) => {
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

await test('columns of joints can be chosen by keyboard', () => withKeptPage(sink, {}, async (page) => {
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
    assert.deepEqual(await overlaps(page), []);
    await shot(page, 'test_phone');
  }));

await test('without data or with broken data the page says so', async () => {
  await withPage(viewer, {}, async (page) => assert.match(await page.locator('#message').textContent(), /no motion/));
  const data = kitchenSink();
  const broken = write('broken', { ...data, frames: { ...data.frames, poses: '' } });
  await withPage(broken, {}, async (page) =>
    assert.match(await page.locator('#message').textContent(), /cannot be shown: the poses hold 0 bytes/));
  const light = write('light', { ...data, masses: data.masses.slice(1) });
  await withPage(light, {}, async (page) =>
    assert.match(await page.locator('#message').textContent(), /masses of 6 bodies, the scene has 7/));
});

await test('what was left out of the page is told', () => {
  const data = kitchenSink();
  const thinned = write('thinned', { ...data, frames: { ...data.frames, every: 3 }, series: { ...data.series, left_out: 12 } });
  return withPage(thinned, {}, async (page) => {
    const told = () => page.locator('#status').textContent();
    assert.match(await told(), /one frame in 3 .* 12 columns .* left out/);
    await page.selectOption('#body', '2');
    assert.match(await told(), /kg: tracing its centre of mass/);
    await page.selectOption('#body', '-1');
    assert.match(await told(), /one frame in 3/);
  });
});
