// Characters with skins of their own: the keys of their clips, the skin on its bones, the choice of clips, other units,
// together with a run, and files that are broken or reach for the network.
import assert from 'node:assert/strict';
import { kitchenSink, evilName } from '../dev/kitchen_sink.mjs';
import { bend, meshopted, paint, slide, stripGlb } from '../dev/strip.mjs';
import { colored, overlaps, picture, scrub, seconds, shot, test, withKeptPage, withPage, write } from './harness.mjs';

const page = (name, glb, look = {}, data = { version: 1 }) =>
  write(name, { ...data, character: { name: 'strip', ...look } }, '', glb);
const strip = page('strip', stripGlb());
const desk = { colorScheme: 'light' };
/** Several tests share a page: the first clip, at its start. */
const again = (run) => withKeptPage(strip, desk, async (at) => {
  await at.evaluate(() => window.sinew.character.choose('bend'));
  await scrub(at, 0);
  await run(at);
});

/** Pixels of the skin: the paint under the page's light. */
const painted = async (at, png = undefined) => colored(at, png ?? (await picture(at)), paint, 60);
const poseAt = (at, time) => at.evaluate((t) => window.sinew.character.pose(t), time);
const pointsAt = (at, time) => at.evaluate((t) => window.sinew.character.points(t), time);
const near = (a, b, tolerance) => a.every((x, i) => Math.abs(x - b[i]) <= tolerance);
/** Sums of a few float32 numbers of about one. */
const rounding = 1e-6;

let framed; // pixels of the skin at the start of the first clip
await test('bones have the bits of the keys at the times of the keys', () => again(async (at) => {
  framed = await painted(at);
  assert.match(await at.locator('#status').textContent(), /A cell of the grid is [0-9.]+ units? wide/);
  for (const [i, time] of bend.times.entries()) {
    const [lower, upper] = await poseAt(at, time);
    assert.deepEqual([upper.node, upper.name, upper.rotation], [2, 'upper', bend.rotations[i]]);
    assert.deepEqual([lower.node, lower.translation, upper.translation], [1, [0, 0, 0], [0, 1, 0]]);
  }
  await at.evaluate(() => window.sinew.character.choose('slide'));
  const [lower, upper] = await poseAt(at, slide.times[1]);
  assert.deepEqual(lower.translation, [slide.x[1], 0, 0]);
  assert.deepEqual(upper.rotation, [0, 0, 0, 1], 'the clip before left something over');
  // Half way between keys, and beyond the last.
  assert.deepEqual((await poseAt(at, 1))[0].translation, [0.25, 0, 0]);
  assert.deepEqual(await poseAt(at, 99), await poseAt(at, 2));
}));

await test('the skin goes where the bones take it', () => again(async (at) => {
  const [rest, bent] = [await pointsAt(at, 0), await pointsAt(at, 0.5)];
  assert.ok(near(rest[8], [-0.25, 2, 0], rounding), `${rest[8]}`);
  // A right angle about the upper bone, which is at (0, 1).
  assert.ok(near(bent[8], [-1, 0.75, 0], rounding), `${bent[8]}`);
  assert.ok(near(bent[0], rest[0], 0), 'what hangs on the lower bone moved');
  const { matrix } = (await poseAt(at, 0.5))[1];
  assert.ok(near(matrix, [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1], rounding), `${matrix}`);
}));

await test('skin, texture and bones are seen, and time moves them', () => again(async (at) => {
  const alone = () => at.evaluate(() => window.sinew.picture({ time: 0, width: 300, height: 200 }));
  const [first, start] = [await picture(at), await alone()];
  assert.ok((await painted(at, first)) > 5000, `${await painted(at, first)} pixels of paint`);
  await scrub(at, 0.5);
  const second = await picture(at);
  assert.ok(!first.equals(second));
  assert.match(await at.locator('#clock').textContent(), /0\.50 \/ 1\.00 s.*frame 13 of 25/);
  await at.keyboard.press('b');
  assert.ok(!second.equals(await picture(at)), 'no bones');
  await shot(at, 'test_character');
  await at.keyboard.press('s');
  assert.equal(await painted(at), 0);
  for (const key of ['s', 'b']) await at.keyboard.press(key);
  assert.equal(await alone(), start, 'the same time gives the same picture');
}));

await test('a clip is chosen by hand, by key and by name', () => again(async (at) => {
  const chosen = () => at.locator('#clips [aria-pressed="true"] span').textContent();
  assert.equal(await chosen(), 'bend');
  await scrub(at, 0.5);
  await at.locator('#picture').focus();
  const before = await picture(at);
  await at.getByRole('button', { name: 'slide' }).click();
  assert.equal(await chosen(), 'slide');
  assert.match(await at.locator('#clock').textContent(), /0\.50 \/ 2\.00 s/);
  assert.ok(!before.equals(await picture(at)));
  await at.locator('#picture').focus();
  await at.keyboard.press('n');
  assert.equal(await chosen(), 'bend');
  assert.ok(before.equals(await picture(at)), 'the camera moved');
  assert.deepEqual(await at.evaluate(() => window.sinew.character.choose('slide')), { start: 0, end: 2, frames: 49 });
  await assert.rejects(at.evaluate(() => window.sinew.character.choose('jump')),
    /there is no clip 'jump'; there are 'bend', 'slide'/);
  await at.keyboard.press(' ');
  await at.waitForFunction(() => Number(document.querySelector('#timeline').value) > 0.6);
}));

await test('two clips stand side by side', () => withPage(strip, { ...desk, colorScheme: 'dark' }, async (at) => {
  const alone = await at.evaluate(() => window.sinew.picture({ time: 1, width: 400, height: 300 }));
  await at.selectOption('#beside', '1');
  assert.match(await at.locator('#clock').textContent(), /\/ 2\.00 s/);
  await scrub(at, 0.25);
  await at.keyboard.press('b');
  await shot(at, 'test_character_beside');
  const both = await at.evaluate(() => window.sinew.picture({ time: 1, width: 400, height: 300 }));
  assert.notEqual(both, alone);
  await at.selectOption('#beside', '-1');
  await at.keyboard.press('b');
  assert.equal(await at.evaluate(() => window.sinew.picture({ time: 1, width: 400, height: 300 })), alone);
}));

await test('what meshopt made smaller is shown as it was', () =>
  withPage(page('strip_meshopt', stripGlb({ change: meshopted })), desk, async (at) => {
    assert.ok(framed > 1000);
    assert.equal(await painted(at), framed);
    for (const [i, time] of bend.times.entries())
      assert.deepEqual((await poseAt(at, time))[1].rotation, bend.rotations[i]);
  }));

await test('pictures in KTX2 and meshes in Draco stay away, and the rest is shown', async () => {
  const ktx2 = (gltf) => {
    gltf.textures = [{ extensions: { KHR_texture_basisu: { source: 0 } } }];
    gltf.images[0].mimeType = 'image/ktx2';
    gltf.extensionsUsed = gltf.extensionsRequired = ['KHR_texture_basisu'];
  };
  const draco = (gltf) => {
    const bufferView = gltf.accessors[0].bufferView;
    gltf.meshes[0].primitives[0].extensions = { KHR_draco_mesh_compression: { bufferView, attributes: { POSITION: 0 } } };
    gltf.extensionsUsed = gltf.extensionsRequired = ['KHR_draco_mesh_compression'];
  };
  for (const change of [ktx2, draco]) {
    await withPage(page(`strip_${change.name}`, stripGlb({ change })), desk, async (at) => {
      assert.deepEqual(await at.evaluate(() => window.sinew.ready), { start: 0, end: 1, frames: 25 });
      assert.deepEqual((await poseAt(at, 1))[1].rotation, bend.rotations[2]);
      await shot(at, `test_character_${change.name}`);
    });
  }
});

await test('a character in other units is framed alike', async () => {
  const counts = [];
  for (const size of [0.01, 150]) {
    await withPage(page(`strip_${size}`, stripGlb({ size })), desk, async (at) => {
      counts.push(await painted(at));
      assert.match(await at.locator('#status').textContent(), /A cell of the grid is [0-9.]+ units? wide/);
    });
  }
  for (const count of counts) assert.ok(Math.abs(count / framed - 1) < 0.02, `${counts} pixels, not ${framed}`);
});

await test('the page begins with the clip that it is told', async () => {
  await withPage(page('strip_slide', stripGlb(), { clip: 'slide' }), desk, async (at) =>
    assert.deepEqual(await at.evaluate(() => window.sinew.ready), { start: 0, end: 2, frames: 49 }));
  await withPage(page('strip_none', stripGlb(), { clip: 'jump' }), desk, async (at) =>
    assert.match(await at.locator('#message').textContent(), /there is no clip 'jump'/));
});

await test('a run and its character share the clock, and bodies show through the skin', () => {
  const run = page('strip_run', stripGlb({ size: 100 }), { clip: 'bend', scale: 0.01 }, kitchenSink());
  return withPage(run, desk, async (at) => {
    assert.deepEqual(await at.evaluate(() => window.sinew.ready), { start: 0, end: 2, frames: 61 });
    await scrub(at, 0.25);
    assert.equal(await seconds(at), 0.5);
    const skin = await picture(at);
    const { length } = await at.locator('.plot').all();
    assert.ok(length > 0, 'no plots');
    await at.getByRole('button', { name: 'Bodies' }).click();
    assert.ok(!skin.equals(await picture(at)), 'no bodies');
    await shot(at, 'test_character_run');
    // In metres: the file has 100 units for each.
    const points = await pointsAt(at, 0.5);
    assert.ok(near(points[8], [-1, 0.75, 0], rounding), `${points[8]}`);
    assert.ok(near((await poseAt(at, 0.5))[1].matrix.slice(12), [0, 100, 0, 1], 100 * rounding));
  });
});

await test('names with markup in them are shown as text', () => {
  const evil = page('strip_evil', stripGlb({ names: [evilName, evilName] }), { name: evilName });
  return withPage(evil, desk, async (at) => {
    assert.equal(await at.evaluate(() => window.hacked), undefined);
    assert.equal(await at.locator('#name').textContent(), evilName);
    assert.equal((await poseAt(at, 0))[1].name, evilName);
  });
});

await test('on a phone nothing sticks out and nothing overlaps', () =>
  withPage(strip, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }, async (at) => {
    assert.ok((await at.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.deepEqual(await overlaps(at), []);
    await shot(at, 'test_character_phone');
  }));

await test('a broken file is told, and a run is shown without it', async () => {
  const whole = stripGlb();
  const broken = { cut: whole.subarray(0, 900), empty: Buffer.alloc(0), text: Buffer.from('no character') };
  for (const [name, glb] of Object.entries(broken)) {
    await withPage(page(`strip_${name}`, glb), desk, async (at) => {
      assert.match(await at.locator('#message').textContent(), /cannot be shown: the character: ./);
      assert.match(await at.evaluate(() => window.sinew.ready.catch((error) => error.message)), /the character: ./);
    });
  }
  await withPage(page('strip_cut_run', broken.cut, {}, kitchenSink()), desk, async (at) => {
    assert.match(await at.locator('#status').textContent(), /^The character cannot be shown: /);
    assert.equal(await at.getByRole('button', { name: 'Bodies' }).count(), 0);
    assert.ok((await picture(at)).length > 20000, 'the picture is empty');
  });
});

await test('a file that names a picture elsewhere gets none and is shown without', () => {
  const remote = page('strip_remote', stripGlb({ image: { uri: 'https://example.org/spy.png' } }));
  return withPage(remote, { ...desk, expected: /Couldn't load texture/ }, async (at) => {
    assert.match(await at.locator('#status').textContent(), /1 of the character's pictures could not be read/);
    assert.equal(await painted(at), 0);
  });
});
