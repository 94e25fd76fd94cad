// Skins in live mode, and files that are dropped onto the page.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitchenSink } from '../dev/kitchen_sink.mjs';
import { stripGlb } from '../dev/strip.mjs';
import { packEngine } from '../embed.mjs';
import { engineFile, out, picture, test, withPage, write } from './harness.mjs';

const desk = { viewport: { width: 900, height: 650 }, colorScheme: 'light', reducedMotion: 'reduce' };
if (!existsSync(engineFile)) {
  console.log(`skip  drop: ${engineFile} is not there; SINEW_ENGINE may name another`);
  process.exit();
}
const engine = packEngine(readFileSync(engineFile));

/** Two bodies where the bones of the strip are; the upper one swings from the lower one, which stands. */
const scene = (names = ['lower', 'upper']) => ({
  sinew: 1, name: 'strip', gravity: [0, -9.81, 0],
  bodies: [0, 1].map((i) => ({ name: names[i], position: [0, i, 0], mass: 8, ...(i && { angular_velocity: [0, 0, 2] }), shapes: [{ type: 'box', size: [0.2, 0.8, 0.1], position: [0, 0.5, 0] }] })),
  joints: [
    { name: 'foot', type: 'weld', first: 'world', second: names[0], position: [0, 0, 0] },
    { name: 'bend', type: 'hinge', first: names[0], second: names[1], position: [0, 1, 0], axis: [0, 0, 1] },
  ],
});

/** Lets go of a file over the page. */
async function drop(page, name, bytes) {
  await page.evaluate(async ([name, base64]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
    if (!document.documentElement.hasAttribute('data-drop')) throw new Error('nothing says that it may be dropped');
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [name, Buffer.from(bytes).toString('base64')]);
}
const dropAndGo = async (page, name, bytes) => {
  const before = page.url();
  await drop(page, name, bytes);
  await page.waitForURL((url) => url.href.startsWith('blob:') && url.href !== before, { timeout: 20000 });
  return page.evaluate(() => window.sinew.ready);
};
const status = (page, pattern) => page.waitForFunction((text) => new RegExp(text).test(document.getElementById('status').textContent), pattern, { timeout: 20000 });

const sink = write('drop_sink', kitchenSink(), engine);

await test('a scene that is dropped runs at once, and again on the page that came of it', () => withPage(sink, desk, async (page) => {
  for (const name of ['strip', 'again']) {
    const text = JSON.stringify({ ...scene(), name, about: 'https://x.org /* no remark */' });
    await dropAndGo(page, `${name}.json`, Buffer.from(text.replace('{', '{ // a "remark\n /* and "one\n more */')));
    assert.equal(await page.locator('#about').textContent(), 'https://x.org /* no remark */');
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-live'));
    assert.equal(await page.locator('#name').textContent(), name);
    const before = await page.evaluate(() => window.sinew.live.position('upper'));
    const readout = await page.evaluate(() => window.sinew.live.steps(30));
    assert.ok(Number.isFinite(readout.energy));
    const after = await page.evaluate(() => window.sinew.live.simulation().motion.times.length);
    assert.ok(after > 1, 'no steps');
    assert.ok(before.every(Number.isFinite));
  }
  writeFileSync(join(out, 'test_drop_scene.png'), await picture(page));
}));

await test('a character that is dropped is shown, with its clips', () => withPage(sink, desk, async (page) => {
  await dropAndGo(page, 'my strip.glb', stripGlb());
  assert.equal(await page.locator('#name').textContent(), 'my strip');
  assert.deepEqual(await page.evaluate(() => window.sinew.character.clips().map(({ name }) => name)), ['bend', 'slide']);
}));

await test('what cannot be read is told, and the page stays', () => withPage(sink, desk, async (page) => {
  const cases = [
    ['broken.json', '{"name": 1,', 'broken.json'], ['empty.json', '{}', 'Not loaded: .'], ['walk.bvh', 'HIERARCHY', 'sinew view shows this one'],
    ['notes.txt', 'x', 'a page takes .glb'], ['cut.glb', stripGlb().subarray(0, 300), 'Not loaded: .'],
    ['named.json', JSON.stringify({ ...scene(), joint: [] }), 'unknown key'],
  ];
  for (const [name, bytes, says] of cases) {
    await drop(page, name, Buffer.from(bytes));
    await status(page, `Not loaded: .*${says.replace('Not loaded: ', '')}`);
  }
  assert.match(page.url(), /^file:/);
  assert.equal(await page.evaluate(() => document.documentElement.hasAttribute('data-drop')), false);
}));

for (const size of [1, 100]) {
  await test(`the skin of a character with ${size} units a metre goes where live bodies take it`, () => withPage(sink, desk, async (page) => {
    await dropAndGo(page, 'strip.json', Buffer.from(JSON.stringify(scene())));
    await dropAndGo(page, 'strip.glb', stripGlb({ size }));
    await page.evaluate(() => window.sinew.live.start());
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-live'));
    const bone = () => page.evaluate(() => {
      const { character } = window.sinew.debug.stage;
      const node = character.actors[0].nodes.find(({ name }) => name === 'upper');
      return { place: node.matrixWorld.toArray().slice(12, 15), up: node.matrixWorld.toArray().slice(4, 7) };
    });
    const body = () => page.evaluate(() => {
      const { stage } = window.sinew.debug;
      return Array.from(stage.poses.subarray(7, 14));
    });
    const seen = [];
    for (let i = 0; i < 3; i++) {
      await page.evaluate(() => window.sinew.live.steps(8));
      const [{ place, up }, [x, y, z, qx, qy, qz, qw]] = [await bone(), await body()];
      const near = (a, b) => Math.abs(a - b) < 1e-5;
      assert.ok(near(place[0], x) && near(place[1], y) && near(place[2], z), `${place} is not at ${[x, y, z]}`);
      // The second axis of the turned frame, times what a unit is in m.
      const axis = [2 * (qx * qy - qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qw * qx)].map((v) => v / size);
      up.forEach((v, k) => assert.ok(Math.abs(v - axis[k]) < 1e-5 / size, `${up} is not ${axis}`));
      seen.push(await picture(page));
    }
    assert.ok(!seen[0].equals(seen[2]), 'the skin does not move');
    writeFileSync(join(out, `test_live_skin_${size}.png`), seen[2]);
    // Taken hold of through the skin, and let go again by the clip.
    await page.evaluate(() => window.sinew.live.stop());
    const rest = await page.evaluate(() => window.sinew.character.pose(0));
    assert.deepEqual(rest[1].rotation, [0, 0, 0, 1]);
  }));
}

await test('bones without a body go on with the clip in live mode', () => withPage(sink, desk, async (page) => {
  const { bodies: [body], joints: [foot], ...rest } = scene();
  await dropAndGo(page, 'strip.json', Buffer.from(JSON.stringify({ ...rest, name: 'bend physics', bodies: [body], joints: [foot] })));
  await dropAndGo(page, 'strip.glb', stripGlb());
  assert.equal(await page.evaluate(() => window.sinew.character.clips()[window.sinew.character.chosen()].name), 'bend');
  await page.evaluate(() => window.sinew.live.start());
  await page.evaluate(() => window.sinew.live.steps(30));
  const [time, angle] = await page.evaluate(() => {
    const { character, motion } = window.sinew.debug.stage;
    const { quaternion } = character.actors[0].nodes.find(({ name }) => name === 'upper');
    return [motion.end, 2 * Math.atan2(quaternion.z, quaternion.w)];
  });
  assert.ok(Math.abs(time - 0.5) < 0.02, `${time}`);
  assert.ok(Math.abs(angle - Math.PI / 2) < 0.1, `${angle}`);
}));

await test('actuators have sliders: controllers go where they say, motors turn', () => withPage(sink, desk, async (page) => {
  const robot = scene(['arm', 'hand']);
  robot.gravity = [0, 0, 0];
  robot.bodies[1].angular_velocity = [0, 0, 0];
  Object.assign(robot.joints[1], { lower: -1, upper: 1 });
  robot.bodies.push({ name: 'wheel', position: [1, 0, 0], mass: 2, shapes: [{ type: 'sphere', radius: 0.2 }] });
  robot.joints.push({ name: 'spin', type: 'hinge', first: 'world', second: 'wheel', position: [1, 0, 0], axis: [0, 0, 1] });
  robot.controllers = [{ joint: 'bend', stiffness: 400, damping: 60 }];
  robot.motors = [{ joint: 'spin', torque: 0 }];
  await dropAndGo(page, 'robot.json', Buffer.from(JSON.stringify(robot)));
  await page.waitForFunction(() => document.documentElement.hasAttribute('data-live'));
  const panel = page.getByRole('group', { name: 'Actuators' });
  const slide = (label, place) => panel.getByRole('slider', { name: label, exact: true }).evaluate((node, at) => {
    node.value = at < 0 ? node.max : at;
    node.dispatchEvent(new Event('input'));
  }, place);
  assert.deepEqual(await panel.getByRole('slider').evaluateAll((all) => all.map((node) => node.getAttribute('aria-label'))), ['Firmness', 'Their damping', 'bend', 'spin']);
  // From limit to limit.
  assert.equal(await panel.getByRole('slider', { name: 'bend', exact: true }).getAttribute('aria-valuetext'), '0°');
  await slide('bend', -1);
  await slide('spin', 70);
  const joint = (name) => page.evaluate((one) => window.sinew.live.simulation().info.joints.find((j) => j.name === one), name);
  assert.deepEqual((await joint('bend')).target, [1]);
  assert.ok((await joint('spin')).torque[0] > 0);
  await page.evaluate(() => window.sinew.live.steps(300));
  const pose = await page.evaluate(() => Array.from(window.sinew.debug.stage.poses.subarray(7, 21)));
  assert.ok(Math.abs(2 * Math.atan2(pose[5], pose[6]) - 1) < 0.02, `${pose}`);
  assert.ok(Math.abs(pose[12]) > 0.01 || Math.abs(pose[13]) < 0.99, 'the wheel stands');
  // Firmness is of all; Restore takes it back.
  await slide('Firmness', 0);
  assert.equal((await joint('bend')).stiffness, 0);
  await page.getByRole('button', { name: 'Restore' }).click();
  assert.equal((await joint('bend')).stiffness, 400);
  assert.equal(await panel.getByRole('slider', { name: 'Firmness', exact: true }).getAttribute('aria-valuetext'), '1 ×');
}));

await test('a character of other bones does not dress the bodies', () => withPage(sink, desk, async (page) => {
  await dropAndGo(page, 'strip.json', Buffer.from(JSON.stringify(scene(['a', 'b']))));
  await dropAndGo(page, 'strip.glb', stripGlb());
  assert.equal(await page.evaluate(() => window.sinew.live), undefined);
}));
